package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"praxis/event"
	"praxis/internal/safetext"
)

// Bounds of what a cell keeps: the bytes of its streams, and how many outputs it has, since
// code that writes to two streams by turns makes one of every byte.
const (
	maxCellText    = 4 << 20
	maxCellOutputs = 1000
)

// Cells collects what a run of several pieces of code comes to while they run, as the
// outputs of a notebook's cells. What is shown is made as harmless as in an exported
// notebook.
type Cells struct {
	builder timelineBuilder
	cells   []*cellOutputs
}

// cellOutputs are those of one cell, in their order.
type cellOutputs struct {
	outputs []any
	last    []any       // the value of the code, and its failure
	stream  *cellStream // what follows the outputs
	bytes   int         // of all streams
	dropped int         // outputs over the bound
}

// cellStream is a stream's part up to the next output.
type cellStream struct {
	name event.Stream
	text strings.Builder
	left int // bytes that were left out
}

// NewCells makes a collector.
func NewCells() *Cells {
	return &Cells{builder: timelineBuilder{timeline: &timeline{names: map[string]int{}}}}
}

// Emit takes in the beginnings of cells, output, displayed values, and ends.
func (c *Cells) Emit(e event.Event) {
	if _, begins := e.(event.ExecutionBegan); begins {
		c.cells = append(c.cells, &cellOutputs{})
	}
	if len(c.cells) == 0 {
		return
	}
	cell := c.cells[len(c.cells)-1]
	switch e := e.(type) {
	case event.Output:
		cell.write(e)
	case event.Display:
		if data := c.data(e.Bundle); len(data) > 0 {
			cell.flush()
			cell.add(dataOutput{Type: "display_data", Data: data})
		}
	case event.ExecutionEnded:
		if data := c.data(e.Execution.Result); len(data) > 0 {
			cell.last = append(cell.last, resultOutput{Type: "execute_result", Count: len(c.cells), Data: data})
		}
		if out, failed := failure(e.Execution); failed {
			cell.last = append(cell.last, out)
		}
	}
}

// data returns what a value is shown as.
func (c *Cells) data(b event.Bundle) map[string][]string {
	if len(b) == 0 {
		return nil
	}
	n := notebook{markdown: &markdown{timeline: c.builder.timeline}}
	return n.data(c.builder.view(b, 0))
}

// write takes in a piece of a stream.
func (c *cellOutputs) write(e event.Output) {
	if c.stream == nil || c.stream.name != e.Stream {
		c.flush()
		c.stream = &cellStream{name: e.Stream}
	}
	n := min(len(e.Data), maxCellText-c.bytes)
	c.stream.text.Write(e.Data[:n])
	c.stream.left += len(e.Data) - n
	c.bytes += n
}

// flush ends the part of a stream.
func (c *cellOutputs) flush() {
	if s := c.stream; s != nil && s.text.Len()+s.left > 0 {
		text := noted(valid(s.text.String()))
		if s.left > 0 {
			text = strings.TrimSuffix(text, "\n") + "\n[… " + safetext.Count(s.left, "byte") + " left out …]\n"
		}
		c.add(streamOutput{"stream", s.name.String(), sourceLines(text)})
	}
	c.stream = nil
}

func (c *cellOutputs) add(output any) {
	if len(c.outputs) == maxCellOutputs {
		c.dropped++
		return
	}
	c.outputs = append(c.outputs, output)
}

// Outputs returns the outputs of the cells that began, as plain JSON values.
func (c *Cells) Outputs() ([][]any, error) {
	out := [][]any{}
	for _, cell := range c.cells {
		cell.flush()
		all := append([]any{}, cell.outputs...)
		if cell.dropped > 0 {
			all = append(all, streamOutput{"stream", event.Stdout.String(), sourceLines("[… " + safetext.Count(cell.dropped, "output") + " left out …]\n")})
		}
		text, err := json.Marshal(append(all, cell.last...))
		if err != nil {
			return nil, fmt.Errorf("cannot write the outputs of a cell: %w", err)
		}
		plain := []any{}
		if err := json.Unmarshal(text, &plain); err != nil {
			return nil, fmt.Errorf("cannot write the outputs of a cell: %w", err)
		}
		out = append(out, plain)
	}
	return out, nil
}

// failure is the output of code that did not end well.
func failure(x event.Execution) (errorOutput, bool) {
	switch {
	case x.Error != nil:
		return errorOutput{"error", safetext.Line(x.Error.Name), safetext.Text(x.Error.Value), strings.Split(noted(raised(x)), "\n")}, true
	case x.Status != event.OK:
		text := stopped(x)
		return errorOutput{"error", x.Status.String(), safetext.Text(text), strings.Split(noted(text), "\n")}, true
	}
	return errorOutput{}, false
}
