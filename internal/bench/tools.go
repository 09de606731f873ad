package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/guest/wire"
	"praxis/internal/record/journal"
	"praxis/internal/session"
	"praxis/internal/tool"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/kind/gofunc"
	"praxis/internal/tool/registry"
)

// callSamples is how many calls a round makes.
const callSamples = 100

// addition is the tool whose calls are timed.
func addition() (*gofunc.Tool, error) {
	type in struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	return gofunc.New("bench.add", "1.0.0", "Adds two numbers.", tool.Pure, func(_ context.Context, in in) (int, error) { return in.A + in.B, nil })
}

// calling runs code in a session that the tool is exposed to, and reads the numbers
// that it prints.
func (b *bench) calling(ctx context.Context, sink event.Sink, code string) (out []float64, err error) {
	add, err := addition()
	if err != nil {
		return nil, err
	}
	reg, err := registry.Open(ctx, registry.Config{}, nil, add.Provided())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reg.Close()) }()
	g, err := gate.New(gate.Config{Run: "bench", Tools: reg.Set(), Caller: reg, Origins: []gate.Origin{gate.Code}, Sink: sink, MaxCalls: 1 << 30})
	if err != nil {
		return nil, err
	}
	s, err := b.Sessions.Create(ctx, b.opt, b.Sink)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Expose(ctx, wire.Exposure{Tools: true}, bridge.New(bridge.Config{Gate: g})); err != nil {
		return nil, err
	}
	x, err := s.Execute(ctx, code, session.Exec{Bounds: event.Bounds{Timeout: event.Duration(5 * time.Minute)}}, event.Discard)
	if err != nil {
		return nil, err
	}
	if x.Status != event.OK {
		return nil, fmt.Errorf("the calls ended as %s: %s %s", x.Status, x.Message, x.Stderr)
	}
	return numbers(x.Stdout)
}

// numbers reads the times that code printed.
func numbers(printed string) (out []float64, err error) {
	for _, word := range strings.Fields(printed) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, fmt.Errorf("cannot read a time: %w", err)
		}
		out = append(out, v)
	}
	if len(out) == 0 {
		return nil, errors.New("the code timed nothing")
	}
	return out, nil
}

// timedCalls times calls one after the other, inside, in microseconds.
func timedCalls(n int) string {
	return fmt.Sprintf(`
from time import perf_counter_ns
from tools import bench

for i in range(100):
    bench.add(a=i, b=1)
times = []
for i in range(%d):
    began = perf_counter_ns()
    got = bench.add(a=i, b=1)
    times.append(perf_counter_ns() - began)
    assert got == i + 1
print(*[t / 1000 for t in times])
`, n)
}

// call is from Python in the sandbox to a function of this process and back.
func (b *bench) call(ctx context.Context) (Figure, error) {
	times, err := b.calling(ctx, event.Discard, timedCalls(b.Rounds*callSamples))
	if err != nil {
		return Figure{}, err
	}
	return FigureOf(times), nil
}

// callRecorded is call with the run's journal, where a call is on disk before it
// is made.
func (b *bench) callRecorded(ctx context.Context) (Figure, error) {
	return b.records(func(r Records) (out Figure, err error) {
		_, err = recorder(ctx, r.Journal, event.RunBegan{Kind: event.Code}, func(ctx context.Context, rec *journal.Recorder) error {
			times, err := b.calling(ctx, rec, timedCalls(b.Rounds*callSamples/5))
			if err == nil {
				out = FigureOf(times)
			}
			return err
		})
		return out, err
	})
}

// callsPerSecond has 32 calls in flight, by threads.
func (b *bench) callsPerSecond(ctx context.Context) (Figure, error) {
	rates, err := b.calling(ctx, event.Discard, fmt.Sprintf(`
import threading
from time import perf_counter
from tools import bench

def work(start):
    start.wait()
    for i in range(%d):
        assert bench.add(a=i, b=1) == i + 1

def rate(calls):
    start = threading.Barrier(33)
    threads = [threading.Thread(target=work, args=[start]) for _ in range(32)]
    for t in threads:
        t.start()
    start.wait()
    began = perf_counter()
    for t in threads:
        t.join()
    return 32 * calls / (perf_counter() - began)

rate(%[1]d)
print(*[rate(%[1]d) for _ in range(%[2]d)])
`, callSamples, max(3, b.Rounds/3)))
	if err != nil {
		return Figure{}, err
	}
	return FigureOf(rates), nil
}

// defined is how many tools the start is measured with, and perFile how many
// are in a file.
const (
	defined = 1000
	perFile = 50
)

// start opens a registry of many tools, and what a run makes over it.
func (b *bench) start(ctx context.Context) (out Figure, err error) {
	dir, err := os.MkdirTemp(b.Dir, "bench-")
	if err != nil {
		return Figure{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	names, err := writeTools(dir)
	if err != nil {
		return Figure{}, err
	}
	return sample(max(5, b.Rounds/2), func() (float64, error) {
		began := time.Now()
		err := b.startOnce(ctx, names)
		return ms(began), err
	})
}

// startOnce is one start: from files to what the model sees.
func (b *bench) startOnce(ctx context.Context, names []string) (err error) {
	var files []registry.File
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files = append(files, registry.File{Name: name, Text: text})
	}
	reg, err := b.OpenTools(ctx, files)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reg.Close()) }()
	g, err := gate.New(gate.Config{Run: "bench", Tools: reg.Set(), Caller: reg, Origins: []gate.Origin{gate.Code, gate.Model}})
	if err != nil {
		return err
	}
	br := bridge.New(bridge.Config{Gate: g})
	native, err := br.Native(true)
	if err != nil {
		return err
	}
	found, err := br.Tools(ctx, []byte(`{"do":"search","query":"open invoices of a customer","limit":5}`))
	if err != nil {
		return err
	}
	if reg.Set().Len() != defined || br.Guide(nil) == "" || len(native.Tools()) == 0 || len(found) == 0 {
		return fmt.Errorf("of %d tools there are %d", defined, reg.Set().Len())
	}
	return nil
}

// writeTools writes the files of many tools: half are requests over HTTP, with
// schemas, and half functions in Python that have theirs from type hints.
func writeTools(dir string) ([]string, error) {
	var names []string
	for n := 0; n < defined; n += perFile {
		var tools, code strings.Builder
		tools.WriteString("version: 1\ntools:\n")
		code.WriteString("from typing import Literal, TypedDict\n\n\nclass Row(TypedDict):\n    id: str\n    score: float\n    tags: list[str]\n")
		area := fmt.Sprintf("area%02d", n/perFile)
		for i := range perFile {
			if i%2 == 0 {
				fmt.Fprintf(&tools, httpTool, area, i)
				continue
			}
			fmt.Fprintf(&tools, pythonTool, area, i)
			fmt.Fprintf(&code, pythonFunction, i)
		}
		name := filepath.Join(dir, area+".yaml")
		for path, text := range map[string]string{name: tools.String(), filepath.Join(dir, area+".py"): code.String()} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				return nil, err
			}
		}
		names = append(names, name)
	}
	return names, nil
}

const httpTool = `  - name: %[1]s.invoices%02[2]d
    version: 1.2.0
    description: Lists the open invoices of a customer, the oldest first.
    effects: read
    input:
      type: object
      properties:
        customer: {type: string, description: "The customer's number", minLength: 1, maxLength: 40}
        since: {type: string, format: date, description: Invoices from this day on}
        state: {enum: [open, overdue, disputed], default: open}
        limit: {type: integer, minimum: 1, maximum: 500, default: 100}
      required: [customer]
      additionalProperties: false
    output:
      type: array
      items:
        type: object
        properties:
          id: {type: string}
          amount_cents: {type: integer}
          currency: {type: string, minLength: 3, maxLength: 3}
          due: {type: string, format: date}
          lines:
            type: array
            items: {type: object, properties: {text: {type: string}, units: {type: integer}, cents: {type: integer}}}
        required: [id, amount_cents, due]
    limits: {timeout: 10s, bytes: 1MiB}
    labels: {trusted: false}
    run:
      http: {method: GET, url: "https://%[1]s.example.com/v1/customers/{customer}/invoices", query: {since: "{since}", state: "{state}", limit: "{limit}"}}
`

const pythonTool = `  - name: %[1]s.score%02[2]d
    version: 1.0.0
    effects: pure
    run:
      python: {file: %[1]s.py, function: score%02[2]d}
`

const pythonFunction = `

def score%02[1]d(rows: list[Row], by: Literal["id", "score"] = "score", limit: int = 20) -> list[Row]:
    """Ranks rows by their scores.

    Args:
        rows: What is ranked.
        by: The column.
        limit: How many come back.

    Returns:
        The first rows in their new order.
    """
    return sorted(rows, key=lambda r: r[by], reverse=True)[:limit]
`
