package report_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/record/report"
)

// ended is the end of code whose status, value and exception are given.
func ended(status event.Status, result event.Bundle, raised *event.Raised) event.Event {
	return event.ExecutionEnded{Execution: event.Execution{Status: status, Result: result, Error: raised}}
}

func out(s event.Stream, text string) event.Event { return event.Output{Stream: s, Data: []byte(text)} }

func TestCells(t *testing.T) {
	cells := report.NewCells()
	for _, e := range []event.Event{
		out(event.Stdout, "before all cells"),
		event.ExecutionBegan{Code: "1"},
		out(event.Stdout, "a\n\xc3"), out(event.Stdout, "\xa9\x1b["), out(event.Stderr, "oops"), event.Output{Stream: event.Stderr}, out(event.Stdout, "b"),
		event.Display{Bundle: event.Bundle{"image/png": chart(t)}},
		event.Display{Bundle: event.Bundle{"image/svg+xml": "<svg onload=x>", "text": "drawn"}},
		event.Display{}, out(event.Stdout, "c"),
		ended(event.OK, event.Bundle{"text": "7", "text/html": "<table><tr><td>7</td></tr></table>"}, nil),
		out(event.Stderr, "a thread"),
		event.ExecutionBegan{Code: "2"},
		ended(event.OK, nil, nil),
		event.ExecutionBegan{Code: "3"},
		ended(event.Error, nil, &event.Raised{Name: "ValueError", Value: "no", Traceback: "Traceback:\nValueError: no"}),
		event.ExecutionBegan{Code: "4"},
		ended(event.Timeout, nil, nil),
	} {
		cells.Emit(e)
	}
	got, err := cells.Outputs()
	if err != nil || len(got) != 4 {
		t.Fatal(got, err)
	}
	if err := checkOutputs(got); err != nil {
		t.Errorf("the outputs have %v", err)
	}
	var kinds []string
	for _, o := range got[0] {
		o := o.(map[string]any)
		kinds = append(kinds, fmt.Sprint(o["output_type"], o["name"], o["text"]))
	}
	if want := []string{
		"stream stdout [a\n é\\x1b[]", "stream stderr [oops]", "stream stdout [b]", "display_data<nil><nil>", "display_data<nil><nil>",
		"stream stdout [c]", "stream stderr [a thread]", "execute_result<nil><nil>",
	}; !slices.EqualFunc(kinds, want, func(a, b string) bool { return strings.ReplaceAll(a, " ", "") == strings.ReplaceAll(b, " ", "") }) {
		t.Errorf("got %q", kinds)
	}
	data := func(i int) map[string]any { return got[0][i].(map[string]any)["data"].(map[string]any) }
	if png := data(3)["image/png"]; !reflect.DeepEqual(png, []any{chart(t)}) {
		t.Errorf("the picture is another: %.60s", fmt.Sprint(png))
	}
	if svg := fmt.Sprint(data(4)); !strings.Contains(svg, `alt="figure-2.svg" src="data:image/svg+xml;base64,`) || !strings.Contains(svg, "drawn") {
		t.Errorf("the drawing is %s", svg)
	}
	if html := fmt.Sprint(data(7)); !strings.Contains(html, "<td") || !strings.Contains(html, "text/plain:[7]") {
		t.Errorf("the value is %s", html)
	}
	if len(got[1]) != 0 || got[1] == nil {
		t.Errorf("a cell without outputs has %v", got[1])
	}
	if raised := fmt.Sprint(got[2]); !strings.Contains(raised, "ename:ValueError") || !strings.Contains(raised, "traceback:[Traceback: ValueError: no]") {
		t.Errorf("the exception is %s", raised)
	}
	if stopped := fmt.Sprint(got[3]); !strings.Contains(stopped, "ename:timeout") {
		t.Errorf("the end is %s", stopped)
	}
}

// TestCellsBounds writes much, and to both streams by turns.
func TestCellsBounds(t *testing.T) {
	cells := report.NewCells()
	cells.Emit(event.ExecutionBegan{})
	for range 3000 {
		cells.Emit(out(event.Stdout, "a"))
		cells.Emit(out(event.Stderr, "b"))
	}
	cells.Emit(ended(event.OK, event.Bundle{"text": "7"}, nil))
	cells.Emit(event.ExecutionBegan{})
	for range 6 {
		cells.Emit(out(event.Stdout, strings.Repeat("x", 1<<20)))
	}
	cells.Emit(ended(event.OK, nil, nil))
	got, err := cells.Outputs()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got[0]); n != 1002 || !strings.Contains(fmt.Sprint(got[0][n-2]), "[… 5,000 outputs left out …]") || !strings.Contains(fmt.Sprint(got[0][n-1]), "execute_result") {
		t.Errorf("%d outputs that end with %v", n, got[0][max(0, n-2):])
	}
	if text := fmt.Sprint(got[1]); len(text) > 2<<20 || !strings.Contains(text, "[… 2,097,152 bytes left out …]") {
		t.Errorf("%d bytes that end with %s", len(text), text[max(0, len(text)-100):])
	}
}

// checkOutputs checks the outputs of cells by the schema of notebooks.
func checkOutputs(cells [][]any) error {
	for i, outputs := range cells {
		for _, o := range outputs {
			if err := checkOutput(o.(map[string]any), float64(i+1)); err != nil {
				text, _ := json.Marshal(o) // it was made of JSON
				return fmt.Errorf("%w in %s", err, text)
			}
		}
	}
	return nil
}
