package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/plan/check"
	"praxis/internal/plan/compile"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/subset"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
	"praxis/internal/plan/vm"
	"praxis/internal/tool"
)

// Source is the text of a plan.
type Source struct {
	Name string // of its file, as messages name it
	Text []byte // the bytes of the file: its first lines declare its encoding
}

// Options are what a plan is checked against.
type Options struct {
	Tools  *tool.Set      // nil: the quarantined model alone; see [Tools]
	Policy *policy.Policy // nil: the defaults, and what the definitions demand
	Strict bool           // implicit flows count, too
	// Audit lets a plan be started whose calls the check refuses by the policy:
	// for the replay of a record, when nothing is called.
	Audit bool
	// Pedantic refuses wrong names and arguments also in a plan that calls no
	// tool, where nothing can be left half done: see [check.Input.Forgive].
	Pedantic bool
	// Request is what the model that wrote the plan was asked; "": a person wrote it.
	Request string

	base label.Label // of a nested plan: what all of it depends on
}

// Plan is a plan that was checked. It is immutable and safe for concurrent use.
type Plan struct {
	Source
	Options
	Check *check.Result

	program *vm.Program  // nil when the plan was refused
	task    *policy.Task // nil: a person wrote the plan
}

// Prepare parses, checks and compiles a plan. Plan.Check says what is wrong with
// the plan; the error says what is wrong with the options, or why ctx ended.
func Prepare(ctx context.Context, src Source, o Options) (*Plan, error) {
	var err error
	if o.Tools == nil {
		if o.Tools, err = Tools(); err != nil {
			return nil, err
		}
	}
	if o.Policy == nil {
		o.Policy = policy.Empty(o.Tools)
	}
	p := &Plan{Source: src, Options: o}
	module, bad := syntax.Parse(src.Text, syntax.Options{})
	if len(bad) == 0 {
		bad = compile.SyntaxErrors(module)
	}
	if len(bad) > 0 {
		p.Check = check.Broken(src.Name, src.Text, bad)
		return p, nil
	}
	importTools(module)
	untyped := typed(module)
	if o.Request != "" {
		p.task = policy.NewTask(o.Tools, o.Policy, o.Request)
	}
	p.Check, err = check.Check(ctx, check.Input{
		Name: src.Name, Task: p.task, Base: o.base, Source: src.Text, Module: module, Tools: o.Tools, Policy: o.Policy, Strict: o.Strict,
		Refused: append(untyped, refusals(module, o.Tools)...), Forgive: !o.Pedantic,
	})
	if err != nil {
		return nil, err
	}
	if !p.Check.Accepted && !(o.Audit && flowsAlone(p.Check)) {
		return p, nil
	}
	p.program, err = vm.Compile(module, string(src.Text), o.env(), vm.Options{Strict: o.Strict, Name: src.Name})
	if err != nil && fault.KindOf(err) == fault.Invalid {
		p.Check.Refuse(err)
		return p, nil
	}
	return p, err
}

// refusals are the uses of features that the language leaves out.
func refusals(m *syntax.Module, tools *tool.Set) []syntax.Refusal {
	var out []syntax.Refusal
	for _, r := range subset.Unsupported(m) {
		if _, ok := tools.Lookup(r.Feature); ok { // as a module's name
			module, _, _ := strings.Cut(r.Feature, ".")
			r.Feature = "an import that hides the tools of the same name (" + module + ")"
			r.Remedy = "Import the module under another name: import " + module + " as " + module + "_module."
		}
		if name, ok := strings.CutPrefix(r.Feature, "the module "); ok && tools.IsNamespace(name) {
			r.Remedy = "The tools of that name are there without an import."
		}
		out = append(out, r)
	}
	return out
}

// flowsAlone says that a plan was refused for nothing but the policy.
func flowsAlone(r *check.Result) bool {
	return !slices.ContainsFunc(r.Findings, func(f check.Finding) bool { return f.Level == check.Error && f.Kind != check.Violation })
}

// Today is the name that holds the day of the plan's clock, as 2026-11-21.
const Today = "today"

// env are the names that a plan has without binding them.
func (o Options) env() vm.Env {
	env := vm.Env{Tools: o.Tools.Names(), Inputs: []string{Today}}
	for _, in := range o.Tools.Inputs() {
		env.Inputs = append(env.Inputs, in.Name)
	}
	return env
}

// Start begins a plan. Nothing is executed before [Run.Next]. A plan that
// was refused, and inputs that are missing, unknown or do not fit their
// schemas, are faults of kind Invalid.
func (p *Plan) Start(s Start) (*Run, error) {
	if p.program == nil {
		return nil, fault.New(fault.Invalid, "Correct what the check found.", "cannot start the plan: its check refused it")
	}
	r := &Run{plan: p, start: s, table: label.NewTable(), counts: &counts{calls: map[string]int{}, by: map[string]label.ID{}, same: map[string]label.ID{}, total: len(s.Made), rehearsed: s.Rehearsed}, before: len(s.Made), task: p.task.Clone()}
	for _, m := range s.Made {
		r.counts.calls[m.Tool]++
	}
	r.count()
	inputs, err := r.inputs()
	if err != nil {
		return nil, err
	}
	r.vm, err = vm.New(p.program, vm.Config{Limits: s.Limits, Labels: r.table, Now: s.Now, Seed: uint64(s.Seed), Inputs: inputs})
	if err != nil {
		return nil, err
	}
	r.answer = r.vm.Run
	return r, nil
}

// inputs are the values of the names that come from outside.
func (r *Run) inputs() ([]value.Field, error) {
	day := label.Source{Kind: label.User, Name: Today, Trusted: true}
	out := []value.Field{{Name: Today, Data: value.Data{Value: r.start.Now.Format("2006-01-02"), Label: r.table.Of(day, label.Everyone())}}}
	declared := r.plan.Tools.Inputs()
	for name := range r.start.Inputs {
		if !slices.ContainsFunc(declared, func(in tool.Input) bool { return in.Name == name }) {
			return nil, fault.New(fault.Invalid, "Declare it under inputs in the file of tools, or leave it out.", "cannot start the plan: there is no input %q", name)
		}
	}
	for _, in := range declared {
		v, ok := r.start.Inputs[in.Name]
		if !ok {
			if !in.HasDefault {
				return nil, fault.New(fault.Invalid, "Give it a value.", "cannot start the plan: the input %s has no value", in.Name)
			}
			v = in.Default
		}
		if m := in.Schema.Validate(v); m != nil {
			return nil, fault.New(fault.Invalid, "Give it a value that fits its schema.", "cannot start the plan: input %s: %w", in.Name, m)
		}
		l, err := r.inputLabel(in)
		if err != nil {
			return nil, err
		}
		d, err := value.DataOf(v, l)
		if err != nil {
			return nil, fmt.Errorf("cannot start the plan: input %s: %w", in.Name, err)
		}
		r.know(d)
		out = append(out, value.Field{Name: in.Name, Data: d})
	}
	return out, nil
}

func (r *Run) inputLabel(in tool.Input) (label.ID, error) {
	who, everyone, err := in.Readers.Resolve(r.plan.Tools.Principals(), nil, nil)
	if err != nil {
		return 0, err
	}
	readers := label.Everyone()
	if !everyone {
		readers = label.Only(who...)
	}
	return r.table.Of(label.Source{Kind: label.User, Name: in.Name, Trusted: in.Trusted}, readers), nil
}

// end says how the plan ended.
func (r *Run) end(out vm.Stop, err error) (*End, error) {
	switch out := out.(type) {
	case vm.Done:
		return &End{Status: OK}, nil
	case *vm.Failed:
		if out.Class == "SystemExit" && (out.Text == "" || out.Text == "None" || out.Text == "0") {
			return &End{Status: OK}, nil
		}
		end := &End{Status: Failed, Error: out.Full, Class: out.Class, Plain: out.Plain, Label: r.table.Label(r.table.Join(out.Label, r.base))}
		if len(out.Trace) > 0 {
			end.Line = out.Trace[0].Line
		}
		return end, nil
	}
	if k := fault.KindOf(err); k == fault.Exhausted || k == fault.Canceled || k == fault.Invalid {
		return &End{Status: Limit, Error: err.Error(), Fault: err}, nil
	}
	return nil, err
}
