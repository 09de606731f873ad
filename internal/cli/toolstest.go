package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/plan/policy"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/registry"
)

const toolsTestLong = `Runs the examples that definitions carry against what carries the tools out. An
example with an output has to give exactly that, as JSON counts: the order of
members does not matter, 2.0 is 2. One without has to give a result that fits the
schema. Nothing is recorded and no policy is asked.

Tools that change something or reach others are left out unless --all is given:
their examples are then really carried out.

The exit code is 1 when an example fails.`

// toolsTesting is one praxis tools test.
type toolsTesting struct {
	p        *program
	commands bool
	all      bool
	json     bool
	only     string
}

func (p *program) toolsTestCommand() *cobra.Command {
	t := &toolsTesting{p: p}
	cmd := &cobra.Command{
		Use: "test [FILE…] [NAME]", Short: "Run the examples that tools carry", Long: toolsTestLong,
		Example: "  praxis tools test\n  praxis tools test tools.yaml text.tidy",
		RunE:    func(cmd *cobra.Command, args []string) error { return t.run(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&t.all, "all", false, "test tools that change something or reach others, too: their examples are really carried out")
	allowCommands(cmd, &t.commands)
	fs.BoolVar(&t.json, "json", false, "print one JSON object instead")
	return cmd
}

// exampleResult is what became of one example.
type exampleResult struct {
	Tool    string  `json:"tool"`
	Version string  `json:"version"`
	Example string  `json:"example"`
	Place   string  `json:"place,omitempty"`
	Status  string  `json:"status"` // pass, fail or skipped
	Why     string  `json:"why,omitempty"`
	Want    any     `json:"want,omitempty"`
	Got     any     `json:"got,omitempty"`
	Seconds float64 `json:"seconds"`
	Diff    string  `json:"-"`
}

const (
	statusPass    = "pass"
	statusFail    = "fail"
	statusSkipped = "skipped"
)

func (t *toolsTesting) run(ctx context.Context, args []string) error {
	// The last argument is a tool when no file has that name and it looks like one.
	if n := len(args); n > 0 && !isFile(args[n-1]) && !strings.ContainsAny(args[n-1], "/\\") && !strings.HasSuffix(args[n-1], ".yaml") && !strings.HasSuffix(args[n-1], ".json") {
		t.only, args = args[n-1], args[:n-1]
	}
	files, err := toolFiles(args)
	if err != nil {
		return err
	}
	var results []exampleResult
	err = t.p.withRecords(func(records *app.Records) error {
		return t.p.openTools(ctx, toolOpening{files: files, commands: t.commands, records: records}, func(reg *registry.Registry, secrets *registry.Secrets) error {
			hide := secrets.Values()
			if hide == nil {
				hide = map[string]string{}
			}
			records.Journal.Hide(hide)
			var err error
			results, err = t.tools(ctx, reg, records.Journal.Redact)
			return err
		})
	})
	if err != nil {
		return err
	}
	return t.tell(files, results)
}

// tools runs the examples of all tools that are meant.
func (t *toolsTesting) tools(ctx context.Context, reg *registry.Registry, redact func(string) string) ([]exampleResult, error) {
	defs := allTools(reg.Set())
	if t.only != "" {
		d, err := findTool(reg.Set(), t.only)
		if err != nil {
			return nil, err
		}
		defs = []*tool.Definition{d}
	}
	var out []exampleResult
	for _, d := range defs {
		for i, e := range d.Examples {
			r := exampleResult{Tool: d.Name, Version: string(d.Version), Example: e.Name, Place: e.Pos.String(), Status: statusPass}
			if r.Example == "" {
				r.Example = fmt.Sprintf("example %d", i+1)
			}
			switch {
			case d.Model:
				r.Status, r.Why = statusSkipped, "a model answers it"
			case !reg.Implements(d):
				r.Status, r.Why = statusSkipped, "nothing carries it out"
			case d.Effects.Acts() && !t.all:
				r.Status, r.Why = statusSkipped, "it acts ("+d.Effects.String()+"); --all carries it out"
			default:
				if err := t.example(ctx, reg, redact, d, e, &r); err != nil {
					return nil, err
				}
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// example carries one example out. Each has a gate of its own, so that bounds
// of a run do not count; the person who tests decides in place of a policy.
func (t *toolsTesting) example(ctx context.Context, reg *registry.Registry, redact func(string) string, d *tool.Definition, e tool.Example, r *exampleResult) error {
	g, err := gate.New(gate.Config{Run: "test-" + hashOf(d)[:12], Tools: reg.Set(), Caller: reg, Sink: event.Discard, Redact: redact, Origins: []gate.Origin{gate.Person}})
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
		r.Status, r.Why = statusFail, strings.TrimSpace(err.Error()+". "+remedyOf(err))
		return nil
	case !e.HasOutput:
		return nil
	}
	want, err := tool.CanonicalJSON(e.Output)
	if err != nil {
		return err
	}
	got, err := tool.CanonicalJSON(out.Result)
	if err != nil {
		return err
	}
	if !bytes.Equal(want, got) {
		r.Status, r.Why = statusFail, "the result is another"
		r.Want, r.Got = d.RedactResult(e.Output), d.RedactResult(out.Result)
		r.Diff = valueDiff(r.Want, r.Got)
	}
	return nil
}

func (t *toolsTesting) tell(files []string, results []exampleResult) error {
	count := map[string]int{}
	for _, r := range results {
		count[r.Status]++
	}
	var err error
	if t.json {
		err = t.p.printJSON(struct {
			Files    []string        `json:"files"`
			Pass     bool            `json:"pass"`
			Passed   int             `json:"passed"`
			Failed   int             `json:"failed"`
			Skipped  int             `json:"skipped"`
			Examples []exampleResult `json:"examples"`
		}{files, count[statusFail] == 0, count[statusPass], count[statusFail], count[statusSkipped], orEmpty(results)})
	} else {
		err = t.p.emit(t.text(files, results, count))
	}
	if count[statusFail] > 0 {
		err = errors.Join(err, fate{exitNot})
	}
	return err
}

func (t *toolsTesting) text(files []string, results []exampleResult, count map[string]int) string {
	s := t.p.styleOf(t.p.stdout)
	var b strings.Builder
	for _, r := range results {
		name := safetext.Line(r.Tool + "@" + r.Version + ": " + r.Example)
		switch r.Status {
		case statusPass:
			fmt.Fprintf(&b, "%s  %s\n", s.paint(sgrGreen, "pass"), name)
		case statusSkipped:
			fmt.Fprintf(&b, "%s  %s: %s\n", s.paint(sgrYellow, "skip"), name, safetext.Line(r.Why))
		default:
			fmt.Fprintf(&b, "%s  %s (%s)\n", s.paint(sgrRed, "FAIL"), name, safetext.Line(r.Place))
			fmt.Fprintf(&b, "      %s\n", indentRest(safetext.Text(r.Why), "      "))
			for line := range strings.Lines(r.Diff) {
				b.WriteString("      " + safetext.Line(strings.TrimSuffix(line, "\n")) + "\n")
			}
		}
	}
	if len(results) == 0 {
		b.WriteString("There are no examples: give a tool some (examples: [{input: {…}, output: …}]).\n")
		return b.String()
	}
	fmt.Fprintf(&b, "%s: %s, %s", safetext.Line(strings.Join(files, ", ")), safetext.Count(len(results), "example"), failedOf(count[statusFail]))
	if n := count[statusSkipped]; n > 0 {
		fmt.Fprintf(&b, ", %d skipped", n)
	}
	b.WriteString("\n")
	return b.String()
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

func diffValues(b *strings.Builder, left *int, path tool.Pointer, want, got any, depth int) {
	if *left <= 0 || asJSON(want) == asJSON(got) {
		return
	}
	w, wantObject := want.(*tool.Object)
	g, gotObject := got.(*tool.Object)
	if m, ok := got.(map[string]any); ok {
		g, gotObject = tool.NewObject(), true
		for name, v := range m {
			g.Set(name, v)
		}
	}
	if wantObject && gotObject && depth < tool.MaxDepth {
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
	if wantList && gotList && depth < tool.MaxDepth {
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

func diffLine(b *strings.Builder, left *int, path tool.Pointer, want, got string) {
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
	fmt.Fprintf(b, "%s: expected %s, got %s\n", place, shortened(want, 200), shortened(got, 200))
}
