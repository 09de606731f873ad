package app

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/plan/policy"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/registry"
)

// ToolTestQuery says which examples of tools are tested.
type ToolTestQuery struct {
	Files    []string
	Tool     string // NAME[@VERSION] of the only one that is meant; "": all
	Commands bool   // tools and servers may run programs on this machine
	Acting   bool   // tools that change something or reach others are tested, too
}

// ToolsTested is what became of the examples of tools.
type ToolsTested struct {
	Files    []string        `json:"files"`
	Pass     bool            `json:"pass"`
	Passed   int             `json:"passed"`
	Failed   int             `json:"failed"`
	Skipped  int             `json:"skipped"`
	Examples []ExampleResult `json:"examples"`
}

// ExampleResult is what became of one example.
type ExampleResult struct {
	Tool    string `json:"tool"`
	Version string `json:"version"`
	Example string `json:"example"`
	Place   string `json:"place,omitempty"`
	Status  string `json:"status"` // pass, fail or skipped
	Why     string `json:"why,omitempty"`

	Fault   *fault.Error `json:"fault,omitempty"` // of a call that failed
	Want    any          `json:"want,omitempty"`
	Got     any          `json:"got,omitempty"`
	Seconds float64      `json:"seconds"`
	Diff    string       `json:"-"` // where Want and Got differ, one place a line
	Acts    bool         `json:"-"` // it was skipped because its call acts
}

// What can become of an example.
const (
	ExamplePass    = "pass"
	ExampleFail    = "fail"
	ExampleSkipped = "skipped"
)

// TestTools calls tools with the arguments of their examples and compares what
// they return.
func (a *App) TestTools(ctx context.Context, q ToolTestQuery, sink event.Sink) (ToolsTested, error) {
	out := ToolsTested{Files: q.Files, Examples: []ExampleResult{}}
	err := a.withTools(ctx, opening{files: q.Files, commands: q.Commands}, sink, func(reg *registry.Registry, _ *registry.Secrets) error {
		t := &toolTest{query: q, registry: reg, redact: a.records.Journal.Redact}
		var err error
		out.Examples, err = t.all(ctx, out.Examples)
		return err
	})
	for _, r := range out.Examples {
		switch r.Status {
		case ExamplePass:
			out.Passed++
		case ExampleFail:
			out.Failed++
		case ExampleSkipped:
			out.Skipped++
		}
	}
	out.Pass = out.Failed == 0
	return out, err
}

// toolTest tests the examples of tools.
type toolTest struct {
	query    ToolTestQuery
	registry *registry.Registry
	redact   func(string) string
}

// all tests the examples of all tools that are meant, and adds what became of
// them to out.
func (t *toolTest) all(ctx context.Context, out []ExampleResult) ([]ExampleResult, error) {
	defs := allTools(t.registry.Set())
	if t.query.Tool != "" {
		d, err := findTool(t.registry.Set(), t.query.Tool)
		if err != nil {
			return out, err
		}
		defs = []*tool.Definition{d}
	}
	for _, d := range defs {
		for i, e := range d.Examples {
			r := ExampleResult{Tool: d.Name, Version: string(d.Version), Example: e.Name, Place: e.Pos.String(), Status: ExamplePass}
			if r.Example == "" {
				r.Example = fmt.Sprintf("example %d", i+1)
			}
			switch {
			case d.Model:
				r.Status, r.Why = ExampleSkipped, "a model answers it"
			case !t.registry.Implements(d):
				r.Status, r.Why = ExampleSkipped, "nothing implements it"
			case d.Effects.Acts() && !t.query.Acting:
				r.Status, r.Why, r.Acts = ExampleSkipped, "it acts ("+d.Effects.String()+")", true
			default:
				if err := t.example(ctx, d, e, &r); err != nil {
					return out, err
				}
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// example calls a tool with one example. Each call has a gate of its own, so that
// bounds of a run do not count; whoever tests decides in place of a policy.
func (t *toolTest) example(ctx context.Context, d *tool.Definition, e tool.Example, r *ExampleResult) error {
	g, err := gate.New(gate.Config{Run: "test-" + hashOf(d)[:12], Tools: t.registry.Set(), Caller: t.registry, Sink: event.Discard, Redact: t.redact, Origins: []gate.Origin{gate.Person}})
	if err != nil {
		return err
	}
	began := time.Now()
	out, err := g.Call(ctx, gate.Request{
		Origin: gate.Person, Name: d.Name, Version: string(d.Version), Arguments: e.Input, ID: e.Name,
		Decision: &policy.Decision{Verdict: policy.Allow, Rule: "examples", Reason: "the example is tested"},
	})
	r.Seconds = time.Since(began).Seconds()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		err = out.Fault()
	}
	switch {
	case fault.KindOf(err) == fault.Internal:
		return err
	case err != nil:
		r.Status, r.Why, r.Fault = ExampleFail, err.Error(), fault.Of(err)
		return nil
	case !e.HasOutput:
		return nil
	}
	want, err := jsondoc.Canonical(e.Output)
	if err != nil {
		return err
	}
	got, err := jsondoc.Canonical(out.Value)
	if err != nil {
		return err
	}
	if !bytes.Equal(want, got) {
		r.Status, r.Why = ExampleFail, "the result is another"
		r.Want, r.Got = d.RedactResult(e.Output), d.RedactResult(out.Value)
		r.Diff = valueDiff(r.Want, r.Got)
	}
	return nil
}

// valueDiff lines up where two values differ: each line names a place.
func valueDiff(want, got any) string {
	var b strings.Builder
	left := maxDiffLines
	diffValues(&b, &left, "", want, got, 0)
	return b.String()
}

// maxDiffLines bounds what is shown of a difference.
const maxDiffLines = 20

func diffValues(b *strings.Builder, left *int, path jsondoc.Pointer, want, got any, depth int) {
	if *left <= 0 || asJSON(want) == asJSON(got) {
		return
	}
	w, wantObject := want.(*jsondoc.Object)
	g, gotObject := got.(*jsondoc.Object)
	if m, ok := got.(map[string]any); ok {
		g, gotObject = jsondoc.NewObject(), true
		for name, v := range m {
			g.Set(name, v)
		}
	}
	if wantObject && gotObject && depth < jsondoc.MaxDepth {
		for name, v := range w.All() {
			if other, ok := g.Get(name); ok {
				diffValues(b, left, path.Child(name), v, other, depth+1)
			} else {
				diffLine(b, left, path.Child(name), asJSON(v), "nothing")
			}
		}
		for name, v := range g.All() {
			if _, ok := w.Get(name); !ok {
				diffLine(b, left, path.Child(name), "nothing", asJSON(v))
			}
		}
		return
	}
	wl, wantList := want.([]any)
	gl, gotList := got.([]any)
	if wantList && gotList && depth < jsondoc.MaxDepth {
		for i := range max(len(wl), len(gl)) {
			switch {
			case i >= len(gl):
				diffLine(b, left, path.Index(i), asJSON(wl[i]), "nothing")
			case i >= len(wl):
				diffLine(b, left, path.Index(i), "nothing", asJSON(gl[i]))
			default:
				diffValues(b, left, path.Index(i), wl[i], gl[i], depth+1)
			}
		}
		return
	}
	diffLine(b, left, path, asJSON(want), asJSON(got))
}

func diffLine(b *strings.Builder, left *int, path jsondoc.Pointer, want, got string) {
	if *left--; *left < 0 {
		return
	}
	if *left == 0 {
		b.WriteString("…\n")
		return
	}
	place := string(path)
	if place == "" {
		place = "the result"
	}
	fmt.Fprintf(b, "%s: expected %s, got %s\n", place, safetext.Clip(want, 200), safetext.Clip(got, 200))
}
