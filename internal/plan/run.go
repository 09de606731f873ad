package plan

import (
	"errors"
	"fmt"
	"time"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/value"
	"praxis/internal/plan/vm"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// Start is what a plan is begun with.
type Start struct {
	Inputs map[string]any // values of the declared inputs, as package tool has JSON; the rest have their defaults
	Now    time.Time      // what the plan's clock shows, and the day that the name today holds
	Seed   int64          // of the plan's random numbers
	Limits value.Limits   // zero fields have their defaults
	Made   []Made         // calls of plans that the same run executed before, in order
	// Rehearsed is what was answered in those without calling a tool.
	Rehearsed Rehearsed
}

// Call is a call of a tool that the plan waits at.
type Call struct {
	Number    int // 1, 2, … in the run
	Tool      *tool.Definition
	Line, Col int             // of the call in the plan; Line counts from 1, Col from 0
	Arguments *jsondoc.Object // by name, with the defaults that the definition declares
	Labels    map[string]label.Label
	Control   label.Label // strict mode: what decided that the call is reached
	Decision  policy.Decision

	deep label.ID // of all arguments together, and of the control flow
}

// ID names the call in its run: "call-3".
func (c *Call) ID() string { return fmt.Sprintf("call-%d", c.Number) }

// Step is what a plan came to: a call that it waits at, or its end.
type Step struct {
	Call *Call
	End  *End
}

// Status says how a plan ended.
type Status string

// The ways in which a plan ends.
const (
	OK     Status = "ok"
	Failed Status = "error" // an exception that nothing caught
	Limit  Status = "limit" // a limit that the plan cannot catch
)

// End is how a plan ended.
type End struct {
	Status Status
	Error  string      // the traceback, or which limit
	Label  label.Label // of the error's text: it may quote data
	Class  string      // of the exception: "ValueError"
	Plain  string      // the exception's message where it quotes no data
	Line   int         // where it was raised, from 1
	Fault  error       // of status Limit: with its remedy
}

// Used is what a plan has used of its limits.
type Used struct {
	Steps int64
	Calls int
}

// Got is what a plan got as the result of a call.
type Got struct {
	Label   label.Label // of the result, before any rule lowered it or a part of it
	Lowered []Lowered
}

// Lowered says that a rule of the policy, or a person, lowered the label of a
// result or of a part of it.
type Lowered struct {
	Rule     string
	From, To label.Label
}

// Run is a plan that is executed. It is not safe for concurrent use, but for Interrupt.
type Run struct {
	plan   *Plan
	start  Start
	vm     *vm.VM
	table  *label.Table
	call   *Call                   // that the plan waits at
	answer func() (vm.Stop, error) // goes on; nil while a call waits
	*counts
	before  int // calls that the run made before this plan
	out     []Printed
	outputs label.ID // of all that was printed
	task    *policy.Task
	members policy.Members
	known   known // results and inputs that were added to it
	answers []answered

	// Of a nested plan: what all that it does depends on, and all that it saw.
	nested bool
	base   label.ID
	seen   label.ID
	found  map[string]int      // how often tools had been called when it began
	around map[string]label.ID // what it depends on which calls of a tool had been made then
}

// ErrNotWaiting is returned by answers to a call that nobody waits for.
var ErrNotWaiting = errors.New("cannot answer: the plan waits at no call")

// Next goes on until the plan needs something or ends. Calls that break the
// tool's own rules (arguments, calls a run) are answered with an exception in
// the plan and are not seen by the caller. The error says that Praxis broke it.
func (r *Run) Next() (Step, error) {
	if r.call != nil {
		return Step{Call: r.call}, nil
	}
	for {
		if r.answer == nil {
			return Step{}, fault.New(fault.Conflict, "Start the plan again.", "cannot go on: the plan has ended")
		}
		out, err := r.answer()
		r.answer = nil
		r.print()
		switch out := out.(type) {
		case *vm.Call:
			if err := r.prepare(out); err != nil {
				return Step{}, err
			}
			if r.call != nil {
				return Step{Call: r.call}, nil
			}
		default:
			end, err := r.end(out, err)
			return Step{End: end}, err
		}
	}
}

// prepare binds and judges a call. For one that cannot be made an exception is
// raised in the plan instead.
func (r *Run) prepare(c *vm.Call) error {
	def, ok := r.plan.Tools.Lookup(c.Tool)
	if !ok {
		return fmt.Errorf("cannot call %s: the tool is gone", c.Tool)
	}
	if err := r.usedUp(); err != nil {
		r.answer = func() (vm.Stop, error) { return nil, err }
		return nil
	}
	c.Control = r.table.Join(c.Control, r.base)
	c.Control = r.table.Join(c.Control, r.counts.by[def.Name])
	if r.plan.Policy.Counts() {
		c.Control = r.table.Join(c.Control, r.counts.any)
	}
	if r.nested && changes(def) {
		c.Control = r.table.Join(c.Control, r.around[def.Name])
	}
	deep := c.Control
	var positional []value.Data
	var named []tool.Named[value.Data]
	for _, a := range c.Args {
		a.Data = r.under(a.Data)
		deep = r.table.Join(deep, a.Data.Join(r.table))
		if a.Name == "" {
			positional = append(positional, a.Data)
		} else {
			named = append(named, tool.Named[value.Data]{Name: a.Name, Value: a.Data})
		}
	}
	bound, err := tool.BindArgs(def, positional, named)
	if err != nil {
		r.raiseIn("TypeError", err.Error(), "", deep)
		return nil
	}
	call := &Call{
		Number: r.counts.total + 1, Tool: def, Line: c.Line, Col: c.Col, Control: r.table.Label(c.Control),
		Labels: map[string]label.Label{}, deep: deep,
	}
	args := &jsondoc.Object{}
	judged := policy.Call{Tool: def, Number: call.Number, Control: call.Control, Members: &r.members, Args: map[string]policy.Labelled{}}
	for _, a := range bound {
		args.Set(a.Name, a.Value.JSON())
		call.Labels[a.Name] = r.table.Label(a.Value.Join(r.table))
		own := false
		if judged.Args[a.Name], own = r.task.Mark(def, a.Name, r.labelled(a.Value)); own {
			call.Labels[a.Name] = policy.FromPlanner(call.Labels[a.Name])
		}
	}
	if err := def.CheckArguments(args); err != nil {
		r.raiseIn("ToolError", err.Error(), call.plainMisfit(err), deep)
		return nil
	}
	if r.nested && def.Name == RunPlan {
		text := "a nested plan runs no other plan"
		r.raiseIn("ToolError", text, text, deep)
		return nil
	}
	if n := def.Limits.CallsPerRun; n > 0 && r.counts.calls[def.Name] >= n {
		text := fmt.Sprintf("%s was called %d times, as often as a run may", def.Name, n)
		r.raiseIn("ToolError", text, text, c.Control)
		return nil
	}
	r.counts.total++
	r.counts.calls[def.Name]++
	call.Arguments = def.FillDefaults(args)
	call.Decision = r.repeated(call, r.plan.Policy.Decide(judged))
	if changes(def) {
		r.same[def.Name] = r.table.Join(r.same[def.Name], deep)
	}
	r.call = call
	return nil
}

// Reply answers the call that the plan waits at with what the tool returned. A
// result that the tool's schema forbids becomes an exception in the plan and is
// returned as a fault of kind Invalid; the plan can go on.
func (r *Run) Reply(result any) (Got, error) {
	data, as, err := r.take(result)
	if err != nil {
		return Got{}, err
	}
	from := r.table.Label(data.Label)
	got := Got{Label: from}
	c, chose := r.call, label.Label{}
	if c.Tool.Name == QuarantinedModel {
		chose = c.Labels["schema"]
	}
	parts, shapes := r.plan.Policy.LowerParts(c.Tool, from, as.schema.Type(), chose)
	for _, part := range parts {
		data = relabel(data, part.Path.Segments(), func(d value.Data) value.Data { return whole(d, r.table.Intern(part.Label)) })
		got.Lowered = append(got.Lowered, Lowered{part.Rule, from, part.Label})
	}
	for _, part := range shapes {
		data = relabel(data, part.Path.Segments(), func(d value.Data) value.Data {
			d.Label = r.table.Intern(part.Label)
			return d
		})
	}
	if err := as.label(&data); err != nil {
		return Got{}, errors.Join(err, r.Fail(err.Error()))
	}
	if len(r.call.Tool.Labels.Fields) > 0 {
		got.Label = r.table.Label(r.table.Join(data.Join(r.table), r.table.Intern(from)))
	}
	if r.plan.Policy.Watches(r.call.Tool.Name) {
		r.enrol(data, "")
	}
	r.know(data)
	r.answeredBy(as.result, nil)
	r.reply(data)
	return got, nil
}

// ReplyEndorsed is Reply for a result that a person has looked at and vouches for.
func (r *Run) ReplyEndorsed(result any, who, why string) (Got, error) {
	data, as, err := r.take(result)
	if err != nil {
		return Got{}, err
	}
	if err := as.label(&data); err != nil {
		return Got{}, errors.Join(err, r.Fail(err.Error()))
	}
	from := r.table.Label(data.Join(r.table))
	to, err := policy.Endorse(from, who, why)
	if err != nil {
		return Got{}, err
	}
	data = whole(data, r.table.Intern(to))
	r.know(data)
	r.answeredBy(as.result, &endorsed{who, why})
	r.reply(data)
	return Got{Label: from, Lowered: []Lowered{{"person", from, to}}}, nil
}

// take checks a result and labels it as a whole.
func (r *Run) take(result any) (data value.Data, as parts, err error) {
	c := r.call
	if c == nil {
		return data, as, ErrNotWaiting
	}
	as = parts{run: r, call: c, schema: c.Tool.Output, result: tool.Labelled{Value: result}}
	if v, ok := result.(tool.Labelled); ok {
		as.result = v
	}
	result = as.result.Value
	err = c.Tool.CheckResult(result)
	if err == nil && c.Tool.Name == QuarantinedModel {
		if as.schema, err = replySchema(c); err == nil {
			err = fits(as.schema, result)
		}
	}
	if err == nil {
		as.tool.trusted = c.Tool.Labels.Trusted
		as.tool.readers, err = as.readers(c.Tool.Labels.Readers, result)
	}
	if err == nil {
		data, err = value.DataOf(result, as.id(as.tool))
	}
	if err != nil {
		return data, as, errors.Join(err, r.Fail(err.Error()))
	}
	return data, as, nil
}

func (r *Run) reply(d value.Data) {
	r.call, r.seen = nil, r.table.Join(r.seen, d.Join(r.table))
	r.answer = func() (vm.Stop, error) { return r.vm.Reply(d) }
}

// raiseIn answers with an exception, of whose text plain quotes no data.
func (r *Run) raiseIn(class, text, plain string, l label.ID) {
	r.call, r.seen = nil, r.table.Join(r.seen, l)
	r.answer = func() (vm.Stop, error) { return r.vm.Raise(class, text, plain, l) }
}

// plainMisfit is what can be said of arguments that do not fit without quoting data:
// all where the argument depends on none that is not trusted, else what was expected.
func (c *Call) plainMisfit(err error) string {
	var m *schema.Mismatch
	if !errors.As(err, &m) || len(m.Path.Segments()) == 0 {
		return ""
	}
	if l, ok := c.Labels[m.Path.Segments()[0]]; ok && l.Trusted() && len(m.More) == 0 {
		return err.Error()
	}
	return fmt.Sprintf("cannot call %s: arguments: %s: expected %s", c.Tool.Name, m.Redacted(c.Tool.Input).Path, m.Expected)
}

// Refuse answers the call with PermissionError: the policy or a person said no. The
// text is theirs, and nothing was called: it depends on what the call does alone.
func (r *Run) Refuse(reason, remedy string) error {
	if r.call == nil {
		return ErrNotWaiting
	}
	r.answeredWith(answered{Raised: &raised{Text: reason, Plain: remedy}})
	text := r.call.Tool.Name + " was not called: " + reason
	if remedy != "" {
		text += ". " + remedy
	}
	r.raiseIn("PermissionError", text, text, r.call.deep)
	return nil
}

// Fail answers the call with ToolError. The text comes from outside: it has
// the call as a source.
func (r *Run) Fail(text string) error { return r.raise("ToolError", text, "") }

// FailPlainly is Fail with a text that quotes no data.
func (r *Run) FailPlainly(text string) error { return r.raise("ToolError", text, text) }

// NotEnough answers a call of the quarantined model that could not answer.
func (r *Run) NotEnough(text string) error { return r.raise("NotEnoughInformation", text, "") }

func (r *Run) raise(class, text, plain string) error {
	c := r.call
	if c == nil {
		return ErrNotWaiting
	}
	r.answeredWith(answered{Raised: &raised{class, text, plain}})
	r.raiseIn(class, text, plain, r.table.Join(c.deep, r.table.Of(c.source(false), label.Everyone())))
	return nil
}

// source is the call as a source of data.
func (c *Call) source(trusted bool) label.Source {
	kind := label.Tool
	if c.Tool.Model {
		kind = label.Model
	}
	return label.Source{Kind: kind, Name: c.Tool.Name, Call: c.Number, Line: c.Line, Col: c.Col, Trusted: trusted && kind == label.Tool}
}

// replySchema is the type that a plan wants of the quarantined model.
func replySchema(c *Call) (*schema.Schema, error) {
	want, ok := c.Arguments.Get("schema")
	if !ok || want == nil {
		return schema.Parse("schema.json", []byte(`{"type": "string"}`))
	}
	text, err := jsondoc.Canonical(want)
	if err != nil {
		return nil, err
	}
	return schema.Parse("schema.json", text)
}

// ReplySchema is the type that the reply to a call of the quarantined model must have.
func (c *Call) ReplySchema() (*schema.Schema, error) {
	if c.Tool.Name == QuarantinedModel {
		return replySchema(c)
	}
	return c.Tool.Output, nil
}

func fits(s *schema.Schema, v any) error {
	if m := s.Validate(v); m != nil {
		return fault.New(fault.Invalid, "Ask again, or for something simpler.", "cannot take the reply: %w", m)
	}
	return nil
}

// Waiting returns the call that the plan waits at, or nil.
func (r *Run) Waiting() *Call { return r.call }

// Plan returns the plan that is executed.
func (r *Run) Plan() *Plan { return r.plan }

// Started returns what the plan was begun with.
func (r *Run) Started() Start { return r.start }

// Used returns what has been used of the limits.
func (r *Run) Used() Used { return Used{Steps: r.vm.Steps(), Calls: r.counts.total - r.before} }

// Interrupt ends the plan from another goroutine: Next returns an End of
// status Limit with the cause. It is how a caller keeps a limit of time.
func (r *Run) Interrupt(cause error) { r.vm.Interrupt(cause) }
