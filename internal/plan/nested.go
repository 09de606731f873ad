package plan

import (
	"maps"
	"strconv"
	"time"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
	"praxis/internal/plan/vm"
	"praxis/internal/tool"
	"praxis/internal/tool/schema"
)

// RunPlan is the name of the tool that runs a nested plan:
//
//	run_plan(text)
//
// A second planner, which sees the text and the tools, writes it. Its text comes from
// data: whatever it does depends on the text of the task, also its constants and that
// it does it. Its calls, steps and memory count as the outer plan's, and it runs no
// other plan. What it prints is the result.
const RunPlan = "run_plan"

const taskSchema = `{
	"type": "object", "required": ["text"], "additionalProperties": false,
	"properties": {"text": {"type": "string", "maxLength": 100000, "description": "The task, as the data words it."}}
}`

// Bounds of nested plans: the time of one, with its calls and approvals, and how many a
// run may have.
const (
	maxNested   = time.Hour
	nestedPlans = 20
)

func nestedTool() (*tool.Definition, error) {
	input, err := schema.Parse("run_plan.json", []byte(taskSchema))
	if err != nil {
		return nil, err
	}
	output, err := schema.Parse("run_plan.json", []byte(`{"type": "string"}`))
	return &tool.Definition{
		Name: RunPlan, Version: "1.0.0", Title: "Run a nested plan",
		Description: "Lets a second planner, which sees the text alone, write a plan for the task in it, and runs that plan. Everything that it does depends on the text.",
		Input:       input, Output: output, Effects: tool.Read, Model: true,
		Labels: tool.Labels{Readers: tool.Readers{Everyone: true}}, Limits: tool.Limits{Timeout: maxNested, CallsPerRun: nestedPlans},
	}, err
}

// NestedOptions are what a nested plan of the call that the plan waits at is checked
// against.
func (r *Run) NestedOptions() Options {
	o := r.plan.Options
	text, _ := r.call.Arguments.Get("text")
	o.Request, _ = text.(string)
	o.base = r.table.Label(r.call.deep)
	return o
}

// Nest begins a nested plan of the call that the plan waits at. made are the calls that
// the plan and the nested ones before it made ([Run.Made]).
func (r *Run) Nest(p *Plan, made []Made) (*Run, error) {
	if r.call == nil || r.nested || p.program == nil {
		return nil, fault.New(fault.Conflict, "Run it from a call of run_plan.", "cannot run a nested plan here")
	}
	n := &Run{plan: p, start: r.start, table: r.table, counts: r.counts, before: r.counts.total, task: p.task.Clone(), base: r.call.deep, nested: true, found: maps.Clone(r.counts.calls), around: maps.Clone(r.same)}
	n.start.Made = append(r.start.Made[:len(r.start.Made):len(r.start.Made)], made...)
	inputs, err := n.inputs()
	if err != nil {
		return nil, err
	}
	for _, m := range r.members.All() {
		n.members.Add(m)
	}
	n.count()
	n.start.Limits = r.vm.Left()
	n.vm, err = vm.New(p.program, vm.Config{Limits: n.start.Limits, Labels: r.table, Now: r.start.Now, Seed: uint64(r.start.Seed), Inputs: inputs})
	n.answer = n.vm.Run
	return n, err
}

// Return takes back what a nested plan used. What it printed is part of the result
// when it ended well; a plan after it that is to do better depends on all that it saw.
func (r *Run) Return(n *Run, ok bool) {
	was := nested{Steps: n.vm.Steps(), Calls: map[string]int{}, Outputs: r.table.Label(n.outputs), Seen: r.table.Label(n.seen), OK: ok}
	for name, calls := range r.counts.calls {
		if more := calls - n.found[name]; more > 0 {
			was.Calls[name] = more
		}
	}
	r.returned(&was)
}

// returned notes what a nested plan did, whose calls have been counted.
func (r *Run) returned(was *nested) {
	r.answeredWith(answered{Nested: was})
	outputs, seen := r.table.Intern(was.Outputs), r.table.Intern(was.Seen)
	base := r.call.deep
	r.vm.Charge(was.Steps)
	r.call.deep = r.table.Join(r.call.deep, outputs)
	if !was.OK {
		r.call.deep = r.table.Join(r.call.deep, seen)
	}
	l := r.table.Join(base, seen)
	for name := range was.Calls {
		r.counts.by[name] = r.table.Join(r.counts.by[name], l)
		r.same[name] = r.table.Join(r.same[name], l)
	}
	r.counts.any = r.table.Join(r.counts.any, l)
}

// under lets a value and everything in it depend on what the plan is nested in.
func (r *Run) under(d value.Data) value.Data {
	if !r.nested {
		return d
	}
	return labels(d, func(l label.ID) label.ID { return r.table.Join(l, r.base) })
}

// counts are the calls of a run: of plans that were executed before, of this one and
// of those nested in it.
type counts struct {
	calls     map[string]int      // of each tool
	by        map[string]label.ID // what it depends on how often one is called, where that decides
	any       label.ID            // what it depends on how many calls nested plans made
	same      map[string]label.ID // what it depends on which calls that change something were made of each
	total     int
	did       []Made // without those of plans before
	rehearsed Rehearsed
}

// count notes what it depends on how often the plan calls the tools that are limited.
// It is known before the plan runs: a branch that is not taken makes no call, either.
func (r *Run) count() {
	for name, l := range r.plan.Check.Counted {
		r.counts.by[name] = r.table.Join(r.counts.by[name], r.table.Join(r.base, r.table.Intern(l)))
	}
	for name, l := range r.plan.Check.Changing {
		r.same[name] = r.table.Join(r.same[name], r.table.Join(r.base, r.table.Intern(l)))
	}
}

// usedUp says that the plan may make no more calls.
func (r *Run) usedUp() error {
	limits := r.start.Limits.WithDefaults()
	if r.counts.total-r.before < limits.Calls {
		return nil
	}
	return fault.Coded(fault.PlanCalls, fault.Data{"limit": strconv.Itoa(limits.Calls)}, "cannot go on with the plan: it made more than its %d calls of tools", limits.Calls)
}
