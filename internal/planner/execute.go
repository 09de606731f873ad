package planner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/plan"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
)

// Host is what a plan is executed with.
type Host struct {
	// Gate is what every call goes through. It lets plans call ([gate.Plan]).
	Gate  *gate.Gate
	Model llm.Model // the quarantined one; nil: there is none
	// Planner writes plans, also nested ones; nil: there is none.
	Planner llm.Model
	// Approval says in a sentence who is asked about a call that needs an approval.
	Approval string
	Sink     event.Sink
	// StoreState stores the state of a plan that waits and returns its SHA-256. nil: a
	// plan cannot wait.
	StoreState func(ctx context.Context, state []byte) (sum string, err error)
	Step       int // of the events
	// Timeout bounds the plan's own time between calls; 0: 30 s.
	Timeout time.Duration

	// answers is the answer to the call that a stored plan waits at.
	answers *given
}

// DefaultTimeout bounds the time that a plan itself takes. Its steps run out long
// before, also on a busy machine: what becomes of a plan is not a matter of load.
const DefaultTimeout = 5 * time.Minute

// ErrTime is the cause of the fault that ends a plan which takes too long.
var ErrTime = errors.New("it took more than its time")

// Result is what came of a plan.
type Result struct {
	Status        string // "ok", "error", "limit", or "waits"
	Output        string
	Label         label.Label // of the output
	End           *plan.End   // nil while it waits
	Waiting       *plan.Call  // the call that it waits at
	NeedsApproval bool        // it waits for a person's approval, not for a result
	State         string      // where its state was stored
	Called        []Called    // in order
	Tokens        event.Tokens
	Used          plan.Used
}

// Called is a call that was made or denied.
type Called struct {
	Tool    string
	Line    int
	Verdict string // "allow", "deny", or "ask" and then granted or not
	Done    bool   // it was executed
	Failed  bool
	// Rehearsed says that it was answered without calling the tool.
	Rehearsed bool

	text   string // of a call with effects: its arguments that depend on no data
	made   plan.Made
	hidden bool // that it was made depends on data which the planner may not see
}

// execution is a plan that is executed.
type execution struct {
	Host
	run  *plan.Run
	out  Result
	text strings.Builder
	used time.Duration // of the plan's own time

	// Of a nested plan: the call that runs it, and what its planner has seen.
	within string
	seen   label.Label
}

// Execute executes a plan from where it stopped. The error says that it could not
// go on, by a failure of ours or because ctx is over; what the plan did is in the
// result.
func Execute(ctx context.Context, r *plan.Run, h Host) (Result, error) {
	if h.Sink == nil {
		h.Sink = event.Discard
	}
	if h.Timeout <= 0 {
		h.Timeout = DefaultTimeout
	}
	c := &execution{Host: h, run: r}
	err := c.loop(ctx)
	c.out.Output, c.out.Used = c.text.String(), r.Used()
	if err != nil {
		c.out.Status = "stopped"
		c.ended(err.Error(), 0)
	}
	return c.out, err
}

func (c *execution) loop(ctx context.Context) error {
	for {
		step, err := c.next(ctx)
		printed, l := c.run.Output()
		c.out.Label = l
		for _, p := range printed {
			c.text.WriteString(p.Text)
			if c.within == "" {
				c.Sink.Emit(event.Output{Stream: event.Stdout, Data: []byte(p.Text)})
			}
		}
		if err != nil {
			return err
		}
		if step.End != nil && step.End.Status == plan.Limit && ctx.Err() != nil {
			return context.Cause(ctx) // it was ended from outside
		}
		if step.End != nil {
			c.out.End, c.out.Status = step.End, string(step.End.Status)
			c.ended(step.End.Error, step.End.Line)
			return nil
		}
		later, err := c.call(ctx, step.Call)
		if err != nil {
			return err
		}
		switch {
		case later && c.StoreState != nil:
			return c.store(ctx, step.Call)
		case later: // the plan goes on, with an exception
			if err := c.run.FailPlainly("the answer comes later, and this run cannot wait"); err != nil {
				return err
			}
		}
	}
}

// next lets the plan go on, within its time.
func (c *execution) next(ctx context.Context) (plan.Step, error) {
	if err := ctx.Err(); err != nil {
		return plan.Step{}, context.Cause(ctx)
	}
	left := c.Timeout - c.used
	began := time.Now()
	timer := time.AfterFunc(left, func() {
		c.run.Interrupt(fault.Coded(fault.PlanTime, fault.Data{"limit": c.Timeout.String()}, "cannot go on with the plan: %w of %s", ErrTime, c.Timeout))
	})
	stop := context.AfterFunc(ctx, func() {
		c.run.Interrupt(fault.New(fault.Canceled, "Start it again.", "cannot go on with the plan: %w", context.Cause(ctx)))
	})
	step, err := c.run.Next()
	timer.Stop()
	stop()
	c.used += time.Since(began)
	return step, err
}

func (c *execution) ended(text string, line int) {
	c.Sink.Emit(event.PlanEnded{
		Step: c.Step, Call: c.within, Status: c.out.Status, Output: c.text.String(), Label: gate.DataLabel(c.out.Label), Error: text, Line: line,
		Used: event.PlanUsage{Steps: c.run.Used().Steps, Calls: c.run.Used().Calls},
	})
}

// store stores the state of a plan that waits.
func (c *execution) store(ctx context.Context, call *plan.Call) error {
	state, err := c.run.Dump()
	if err != nil {
		return fmt.Errorf("cannot store the plan: %w", err)
	}
	if c.out.State, err = c.StoreState(ctx, state); err != nil {
		return fmt.Errorf("cannot store the plan: %w", err)
	}
	c.out.Status, c.out.Waiting = "waits", call
	c.Sink.Emit(event.PlanWaits{Step: c.Step, ID: call.ID(), State: c.out.State, Bytes: int64(len(state)), Output: c.text.String()})
	return nil
}

// call lets a call through the gate and gives the plan its result. later says that
// the result comes later.
func (c *execution) call(ctx context.Context, call *plan.Call) (later bool, err error) {
	done := Called{Tool: call.Tool.Name, Line: call.Line, Verdict: call.Decision.Verdict.String(), text: written(call, c.seen), hidden: !visible(call.Control, c.seen), made: plan.Made{Tool: call.Tool.Name}}
	caller := &answering{execution: c, call: call}
	out, err := c.Gate.Call(ctx, gate.Request{
		Origin: gate.Plan, Step: c.Step, ID: call.ID(), Line: call.Line, Name: call.Tool.Name, Version: string(call.Tool.Version),
		Arguments: call.Arguments, Labels: call.Labels, Control: call.Control, Decision: &call.Decision,
		Accept: c.accept, Caller: caller, Answer: c.answers.to(call),
	})
	switch {
	case err != nil && fault.KindOf(err) != fault.Internal && ctx.Err() == nil: // a bound of the run
		out.Failed, err = err, nil
	case err != nil:
		return false, err
	case out.Later:
		c.out.NeedsApproval = out.NeedsApproval
		return true, nil
	}
	done.Done, done.Failed, done.Rehearsed = out.Done, out.Done && out.Failed != nil, caller.rehearsed
	if caller.acted && call.Tool.Effects.Acts() {
		if done.made.Sum, err = call.Sum(); err != nil {
			return false, err
		}
		c.run.Note(done.made)
	}
	if caller.rehearsed {
		c.run.NoteRehearsed(call.Tool.Name, caller.example)
	}
	c.out.Called = append(c.out.Called, done)
	switch {
	case out.Denied != nil:
		d := Denial{out.Denied.By, out.Denied.Reason}
		if call.Decision.Verdict == policy.Deny {
			d.By = ""
		}
		return false, d.Apply(c.run, call.Decision.Remedy)
	case out.Failed != nil && c.run.Waiting() == call:
		return false, Fail(c.run, out.Failed.Error())
	}
	return false, nil // the plan has its result, or an exception because it did not fit
}

// accept gives the plan a result.
func (c *execution) accept(result any) (gate.Accepted, error) {
	reply := c.run.Reply
	vouched, ok := result.(gate.Endorsed)
	if ok {
		result = vouched.Result
		reply = func(v any) (plan.Got, error) { return c.run.ReplyEndorsed(v, vouched.Who, vouched.Why) }
	}
	got, err := reply(result)
	if err != nil {
		return gate.Accepted{}, err
	}
	out := gate.Accepted{Label: got.Label}
	for _, low := range got.Lowered {
		out.Lowered = append(out.Lowered, gate.Lowered{Rule: low.Rule, Who: vouched.Who, Why: vouched.Why, From: low.From, To: low.To})
	}
	return out, nil
}

// answering executes one call of a plan: with the answer that somebody gave, with
// the tool, or with the quarantined model.
type answering struct {
	*execution
	call      *plan.Call
	acted     bool // the tool did what was asked, or may have done it
	rehearsed bool // no tool was called
	example   bool // and the answer is an example
}

var _ gate.Caller = (*answering)(nil)

// Call executes the call and notes what came of it.
func (a *answering) Call(ctx context.Context, inv tool.Invocation) (any, error) {
	// What fails, takes too long or breaks may be done all the same, and a server can say
	// that it failed: only who did not reach the tool knows that nothing was done.
	before := a.acted
	a.acted = true
	result, err := a.perform(ctx, inv)
	var failure gate.RehearsedFailure
	played, rehearsed := result.(gate.Rehearsed)
	a.rehearsed = rehearsed || errors.As(err, &failure)
	a.example = played.From == FromExamples
	if a.rehearsed || errors.Is(err, tool.ErrNotReached) || errors.Is(err, gate.ErrLater) {
		a.acted = before // by an earlier attempt
	}
	return result, err
}

func (a *answering) perform(ctx context.Context, inv tool.Invocation) (any, error) {
	if result, err, ok := a.answers.result(a.call); ok {
		return result, err
	}
	err := ErrNoImplementation
	if tools := a.Gate.Caller(); tools != nil {
		result, called := tools.Call(ctx, inv)
		if called == nil || !a.call.Tool.Model || !errors.Is(called, ErrNoImplementation) {
			return result, called
		}
		err = called
	}
	if a.call.Tool.Name == plan.RunPlan {
		return a.nestedPlan(ctx, a.call)
	}
	if a.call.Tool.Model {
		return a.quarantined(ctx, a.call)
	}
	return nil, fault.New(fault.NotFound, "Give the tool an implementation (run: …).", "cannot call %s: %w", a.call.Tool.Name, tool.NotReached(err))
}

// Prepare makes a tool ready whose call is not answered otherwise.
func (a *answering) Prepare(ctx context.Context, d *tool.Definition) error {
	if _, _, ok := a.answers.result(a.call); ok {
		return nil
	}
	if made := a.Gate.Caller(); made != nil {
		return made.Prepare(ctx, d)
	}
	return nil
}

// Identity names what implements a tool.
func (a *answering) Identity(d *tool.Definition) string {
	if made := a.Gate.Caller(); made != nil {
		return made.Identity(d)
	}
	return ""
}

// Announcement is the event of a call before anything is done about it.
func Announcement(step int, call *plan.Call) event.ToolCalled {
	shown, ok := call.Tool.RedactArguments(call.Arguments).(*jsondoc.Object)
	if !ok {
		shown = jsondoc.NewObject()
	}
	return gate.Announcement(step, call.ID(), call.Line, call.Tool, shown, call.Labels, call.Control)
}

// Decided is the event of the policy's decision about a call.
func Decided(step int, call *plan.Call) event.DecisionMade {
	d := call.Decision
	return event.DecisionMade{Step: step, ID: call.ID(), Tool: call.Tool.Name, Verdict: d.Verdict.String(), Rule: d.Rule, Reason: d.Reason, Remedy: d.Remedy, Code: string(d.Code), Members: d.Members}
}

// ErrNoImplementation says that nothing implements a tool.
var ErrNoImplementation = errors.New("nothing implements the tool")

// Denial is why a call is not made.
type Denial struct {
	By     string // who decided; "": the policy's own rules
	Reason string // as it was recorded
}

// Apply denies the call that the plan waits at.
func (d Denial) Apply(r *plan.Run, remedy string) error {
	switch {
	case d.By == "":
		return r.Refuse(d.Reason, remedy)
	case d.By != gate.ByPerson:
		return r.Refuse("a person has to agree to it, and none did", d.Reason)
	case d.Reason == "":
		return r.Refuse("a person denied it", "")
	}
	return r.Refuse("a person denied it: "+strings.TrimSuffix(d.Reason, "."), "")
}

// Fail fails the call that the plan waits at. A model that had not enough
// information raises an exception of its own.
func Fail(r *plan.Run, text string) error {
	if c := r.Waiting(); c != nil && c.Tool.Model && strings.HasPrefix(text, ErrNotEnough.Error()) {
		return r.NotEnough(text)
	}
	return r.Fail(text)
}
