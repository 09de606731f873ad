package planner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"praxis/internal/event"
	"praxis/internal/fault"
	"praxis/internal/llm"
	"praxis/internal/plan"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/tool"
)

// Tools calls tools. The result is a JSON value as package tool has them.
type Tools interface {
	// Call calls a tool whose call was allowed. [ErrLater] says that the answer
	// comes later: the plan's state is stored then. Any other error is the
	// tool's failure, which the plan learns of as an exception.
	Call(ctx context.Context, c *plan.Call) (result any, err error)
}

// ErrLater says that the answer to a call comes later.
var ErrLater = errors.New("the answer comes later")

// Approver asks a person. by names who decided: "person", "timeout", "policy".
// [ErrLater] says that the decision comes later.
type Approver interface {
	Approve(ctx context.Context, c *plan.Call) (granted bool, by, reason string, err error)
}

// Host is what a plan is carried out with.
type Host struct {
	Tools    Tools     // nil: no tool is there, calls fail
	Approver Approver  // nil: what needs a person's consent is denied
	Model    llm.Model // the quarantined one; nil: there is none
	Sink     event.Sink
	// Keep stores the state of a plan that waits and returns its SHA-256. nil: a
	// plan cannot wait.
	Keep func(ctx context.Context, state []byte) (sum string, err error)
	Step int // of the events
	// Timeout bounds the plan's own time between calls; 0: 30 s.
	Timeout time.Duration
}

// DefaultTimeout bounds the time that a plan itself takes.
const DefaultTimeout = 30 * time.Second

// ErrTime is the cause of the fault that ends a plan which takes too long.
var ErrTime = errors.New("it took more than its time")

// Outcome is what a plan came to.
type Outcome struct {
	Status  string // "ok", "error", "limit", or "waits"
	Output  string
	Label   label.Label // of the output
	End     *plan.End   // nil while it waits
	Waiting *plan.Call  // the call that it waits at
	Asked   bool        // what it waits for is a person's leave, not a result
	State   string      // where its state was stored
	Called  []Called    // in order
	Tokens  event.Tokens
	Used    plan.Used
}

// Called is a call that was made or denied.
type Called struct {
	Tool    string
	Line    int
	Verdict string // "allow", "deny", or "ask" and then granted or not
	Done    bool   // it was carried out
	Failed  bool
}

// carrying is a plan that is carried out.
type carrying struct {
	Host
	run  *plan.Run
	out  Outcome
	text strings.Builder
	used time.Duration // of the plan's own time
}

// Carry carries a plan out from where it stands. The error says that it could
// not be carried on, by a failure of ours or because ctx is over; what the plan
// did is the outcome.
func Carry(ctx context.Context, r *plan.Run, h Host) (Outcome, error) {
	if h.Sink == nil {
		h.Sink = event.Discard
	}
	if h.Timeout <= 0 {
		h.Timeout = DefaultTimeout
	}
	c := &carrying{Host: h, run: r}
	err := c.carry(ctx)
	c.out.Output, c.out.Used = c.text.String(), r.Used()
	if err != nil {
		c.out.Status = "stopped"
		c.ended(err.Error(), 0)
	}
	return c.out, err
}

func (c *carrying) carry(ctx context.Context) error {
	for {
		step, err := c.next(ctx)
		printed, l := c.run.Output()
		c.out.Label = l
		for _, p := range printed {
			c.text.WriteString(p.Text)
			c.Sink.Emit(event.Output{Stream: event.Stdout, Data: []byte(p.Text)})
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
		case later && c.Keep != nil:
			return c.store(ctx, step.Call)
		case later: // the plan goes on, with an exception
			if err := c.run.Fail("the answer comes later, and this run cannot wait"); err != nil {
				return err
			}
		}
	}
}

// next lets the plan go on, within its time.
func (c *carrying) next(ctx context.Context) (plan.Step, error) {
	if err := ctx.Err(); err != nil {
		return plan.Step{}, context.Cause(ctx)
	}
	left := c.Timeout - c.used
	began := time.Now()
	timer := time.AfterFunc(left, func() {
		c.run.Interrupt(fault.New(fault.Exhausted, "Let the plan do less, or allow more time.", "cannot go on with the plan: %w of %s", ErrTime, c.Timeout))
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

func (c *carrying) ended(text string, line int) {
	c.Sink.Emit(event.PlanEnded{
		Step: c.Step, Status: c.out.Status, Output: c.text.String(), Label: DataLabel(c.out.Label), Error: text, Line: line,
		Used: event.PlanUsage{Steps: c.run.Used().Steps, Calls: c.run.Used().Calls},
	})
}

// store keeps the state of a plan that waits.
func (c *carrying) store(ctx context.Context, call *plan.Call) error {
	state, err := c.run.Dump()
	if err != nil {
		return fmt.Errorf("cannot store the plan: %w", err)
	}
	if c.out.State, err = c.Keep(ctx, state); err != nil {
		return fmt.Errorf("cannot store the plan: %w", err)
	}
	c.out.Status, c.out.Waiting = "waits", call
	c.Sink.Emit(event.PlanWaits{Step: c.Step, ID: call.ID(), State: c.out.State, Bytes: int64(len(state)), Output: c.text.String()})
	return nil
}

// call decides a call and carries it out. later says that its answer comes later.
func (c *carrying) call(ctx context.Context, call *plan.Call) (later bool, err error) {
	d := call.Decision
	c.Sink.Emit(Announcement(c.Step, call))
	c.Sink.Emit(Decided(c.Step, call))
	done := Called{Tool: call.Tool.Name, Line: call.Line, Verdict: d.Verdict.String()}
	defer func() {
		if !later {
			c.out.Called = append(c.out.Called, done)
		}
	}()
	switch d.Verdict {
	case policy.Allow:
	case policy.Ask:
		granted, by, reason, err := c.approve(ctx, call)
		if errors.Is(err, ErrLater) {
			c.out.Asked = true
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if !granted {
			return false, c.refuse(call, Denial{by, reason})
		}
	default:
		return false, c.refuse(call, Denial{"", d.Reason})
	}
	began := time.Now()
	result, err := c.perform(ctx, call)
	switch {
	case errors.Is(err, ErrLater):
		return true, nil
	case err != nil && ctx.Err() != nil:
		return false, context.Cause(ctx)
	}
	done.Done, done.Failed = true, err != nil
	return false, c.answer(call, result, err, time.Since(began))
}

// Announcement tells of a call before anything is done about it.
func Announcement(step int, call *plan.Call) event.ToolCalled {
	sum := call.Tool.Hash()
	e := event.ToolCalled{
		Step: step, ID: call.ID(), Tool: call.Tool.Name, Version: string(call.Tool.Version), Hash: fmt.Sprintf("%x", sum[:]), Line: call.Line,
		Arguments: map[string]any{}, Labels: map[string]event.DataLabel{},
	}
	if shown, ok := call.Tool.RedactArguments(call.Arguments).(*tool.Object); ok {
		for name, v := range shown.All() {
			e.Arguments[name] = v
		}
	}
	for name, l := range call.Labels {
		e.Labels[name] = DataLabel(l)
	}
	if len(call.Control.Sources) > 0 {
		control := DataLabel(call.Control)
		e.Control = &control
	}
	return e
}

// Decided tells what the policy says of a call.
func Decided(step int, call *plan.Call) event.DecisionMade {
	d := call.Decision
	return event.DecisionMade{Step: step, ID: call.ID(), Tool: call.Tool.Name, Verdict: d.Verdict.String(), Rule: d.Rule, Reason: d.Reason, Remedy: d.Remedy}
}

func (c *carrying) approve(ctx context.Context, call *plan.Call) (granted bool, by, reason string, err error) {
	c.Sink.Emit(event.ApprovalAsked{ID: call.ID(), Reason: call.Decision.Reason})
	if c.Approver == nil {
		granted, by, reason, err = nobody()
	} else {
		granted, by, reason, err = c.Approver.Approve(ctx, call)
	}
	if err == nil {
		c.Sink.Emit(event.ApprovalGiven{ID: call.ID(), Granted: granted, By: by, Reason: reason})
	}
	return granted, by, reason, err
}

// Denial is why a call is not made.
type Denial struct {
	By     string // who decided; "": the policy's own rules
	Reason string // as it was recorded
}

// Apply tells the plan.
func (d Denial) Apply(r *plan.Run, remedy string) error {
	switch {
	case d.By == "":
		return r.Refuse(d.Reason, remedy)
	case d.By != "person":
		return r.Refuse("a person has to agree to it, and none did", d.Reason)
	case d.Reason == "":
		return r.Refuse("a person denied it", "")
	}
	return r.Refuse("a person denied it: "+strings.TrimSuffix(d.Reason, "."), "")
}

// NotCalled begins the error that is recorded of a call that was denied.
const NotCalled = "not called: "

func (c *carrying) refuse(call *plan.Call, d Denial) error {
	c.Sink.Emit(event.ToolReturned{Step: c.Step, ID: call.ID(), Error: NotCalled + d.Reason})
	return d.Apply(c.run, call.Decision.Remedy)
}

// perform carries an allowed call out.
func (c *carrying) perform(ctx context.Context, call *plan.Call) (any, error) {
	if err := ctx.Err(); err != nil { // nothing is done that cannot be recorded
		return nil, err
	}
	if limit := call.Tool.Limits.Timeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fault.New(fault.Unavailable, "Call it again later.", "%s gave no answer within %s", call.Tool.Name, limit))
		defer cancel()
	}
	switch {
	case c.Tools == nil && call.Tool.Model:
		return c.quarantined(ctx, call)
	case c.Tools == nil:
		return nil, fault.New(fault.Unavailable, "Give the tool an implementation.", "nothing carries out %s", call.Tool.Name)
	}
	result, err := c.Tools.Call(ctx, call)
	if call.Tool.Model && errors.Is(err, ErrNoImplementation) {
		return c.quarantined(ctx, call)
	}
	return result, err
}

// ErrNoImplementation says that nothing implements a tool.
var ErrNoImplementation = errors.New("nothing implements the tool")

// answer gives the plan what a call came to.
func (c *carrying) answer(call *plan.Call, result any, failed error, took time.Duration) error {
	e := event.ToolReturned{Step: c.Step, ID: call.ID(), Took: event.Duration(took)}
	var rehearsed rehearsedFailure
	if errors.As(failed, &rehearsed) {
		e.Rehearsed = rehearsed.from
	}
	if r, ok := result.(Rehearsed); ok {
		result, e.Rehearsed = r.Result, r.From
	}
	if failed != nil {
		e.Error = failed.Error()
		c.Sink.Emit(e)
		return Fail(c.run, failed.Error())
	}
	reply := c.run.Reply
	vouched, ok := result.(Endorsed)
	if ok {
		result = vouched.Result
		reply = func(v any) (plan.Got, error) { return c.run.ReplyEndorsed(v, vouched.Who, vouched.Why) }
	}
	got, err := reply(result)
	if err != nil && fault.KindOf(err) == fault.Internal {
		return err
	}
	if err != nil { // the plan learns of it as an exception
		e.Error = err.Error()
		c.Sink.Emit(e)
		return nil
	}
	text, err := event.Encode(call.Tool.RedactResult(result)) // members keep their order
	if err != nil {
		return fmt.Errorf("cannot record the result of %s: %w", call.Tool.Name, err)
	}
	l := DataLabel(got.Label)
	e.Result, e.Label = string(text), &l
	c.Sink.Emit(e)
	for _, low := range got.Lowered {
		c.Sink.Emit(event.LabelLowered{Step: c.Step, ID: call.ID(), By: low.Rule, Who: vouched.Who, Why: vouched.Why, From: DataLabel(low.From), To: DataLabel(low.To)})
	}
	return nil
}

// Fail tells the plan that a call failed. What says that a model had not enough
// information is an exception of its own.
func Fail(r *plan.Run, text string) error {
	if c := r.Waiting(); c != nil && c.Tool.Model && strings.HasPrefix(text, ErrNotEnough.Error()) {
		return r.NotEnough(text)
	}
	return r.Fail(text)
}

// DataLabel is a label as events have it.
func DataLabel(l label.Label) event.DataLabel {
	out := event.DataLabel{Trusted: l.Trusted(), Anyone: l.Readers.IsEveryone()}
	if !out.Anyone {
		out.Readers = l.Readers.Principals()
	}
	for _, s := range l.Sources {
		out.Sources = append(out.Sources, s.String())
	}
	return out
}
