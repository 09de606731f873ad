package gate

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// passing is one call on its way through the gate.
type passing struct {
	*Gate
	Request
	def    *tool.Definition
	number int                        // of the call, as labels name it
	labels map[string]event.DataLabel // of the arguments, as they are recorded; not changed
	shown  *jsondoc.Object            // the arguments without secrets
	deep   label.ID                   // of everything that the arguments depend on
	out    Result
}

// check validates the arguments and gives the call its id. Wrong calls are recorded,
// too.
func (c *passing) check() error {
	if c.Arguments == nil {
		c.Arguments = jsondoc.NewObject()
	}
	if n := c.Arguments.Len(); n > MaxNamed {
		return fault.New(fault.Exhausted, "Give a list or an object as one argument.", "cannot call %s: it has %d arguments; at most %d are taken", c.def.Name, n, MaxNamed)
	}
	size, err := c.Arguments.MarshalJSON()
	switch {
	case err != nil:
		return fault.New(fault.Invalid, "Give JSON values.", "cannot call %s: its arguments are no JSON", c.def.Name)
	case len(size) > MaxArguments:
		return fault.New(fault.Exhausted, "Give less, or a reference in place of the data.", "cannot call %s: its arguments have %s", c.def.Name, safetext.Over(int64(len(size)), MaxArguments))
	}
	c.mu.Lock()
	if c.volume += int64(len(size)); c.volume > c.cfg.MaxBytes {
		c.mu.Unlock()
		return fault.Coded(fault.TrafficUsedUp, fault.Data{"limit": safetext.Size(c.cfg.MaxBytes)}, "cannot call %s: the calls of this run gave and took more than %s", c.def.Name, safetext.Size(c.cfg.MaxBytes))
	}
	if c.out.ID == "" {
		c.out.ID = fmt.Sprintf("tool-%d", c.number)
	}
	c.deep = c.seen
	seen := c.Gate.labels.Label(c.seen)
	c.mu.Unlock()

	bad := error(nil)
	if c.Origin != Plan { // a plan's were checked where they were made
		if bad = c.def.CheckArguments(c.Arguments); bad == nil {
			c.Arguments = c.def.FillDefaults(c.Arguments)
		}
		c.Labels = map[string]label.Label{}
		for name := range c.Arguments.All() {
			c.Labels[name] = seen
		}
	}
	if c.Origin == Person {
		c.personal()
	}
	c.labels = dataLabels(c.Labels)
	c.shown = jsondoc.NewObject()
	if o, ok := c.def.RedactArguments(c.Arguments).(*jsondoc.Object); ok {
		c.shown = o
	} else { // all of it is secret, but not that there are arguments
		for name := range c.Arguments.All() {
			c.shown.Set(name, schema.Redacted)
		}
	}
	c.hide(c.Arguments, c.shown)
	if bad != nil {
		c.announce()
		f := c.plain(bad)
		e := event.ToolReturned{Step: c.Step, ID: c.out.ID}
		failure(&e, f)
		c.Sink().Emit(e)
		return f
	}
	return nil
}

// personal labels the arguments as a person's own.
func (c *passing) personal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range c.Arguments.All() {
		own := label.Label{Sources: []label.Source{{Kind: label.User, Name: name, Trusted: true}}, Readers: label.Everyone()}
		c.Labels[name] = own
		c.deep = c.Gate.labels.Join(c.deep, c.Gate.labels.Intern(own))
	}
}

// Sink is where the call is recorded.
func (c *passing) Sink() event.Sink { return c.cfg.Sink }

func (c *passing) announce() {
	e := announcement(c.Step, c.out.ID, c.Line, c.def, c.shown, c.labels, c.Control)
	e.Origin = string(c.Origin)
	if who := c.caller(); who != nil {
		e.By = who.Identity(c.def)
	}
	c.Sink().Emit(e)
}

// rehearsed says whether a plan's call is answered without calling anything.
func (c *passing) rehearsed() bool {
	who := c.caller()
	return c.Origin == Plan && !c.def.Model && who != nil && who.Identity(c.def) == ""
}

// caller is what executes the call, or nil.
func (c *passing) caller() Caller {
	if c.Request.Caller != nil {
		return c.Request.Caller
	}
	return c.cfg.Caller
}

// Announcement is the event of a call before anything is done about it. shown are
// its arguments without secrets.
func Announcement(step int, id string, line int, def *tool.Definition, shown *jsondoc.Object, labels map[string]label.Label, control label.Label) event.ToolCalled {
	return announcement(step, id, line, def, shown, dataLabels(labels), control)
}

func announcement(step int, id string, line int, def *tool.Definition, shown *jsondoc.Object, labels map[string]event.DataLabel, control label.Label) event.ToolCalled {
	sum := def.Hash()
	e := event.ToolCalled{
		Step: step, ID: id, Tool: def.Name, Version: string(def.Version), Hash: hex.EncodeToString(sum[:]), Line: line, Effects: def.Effects.String(),
		Arguments: map[string]any{}, Labels: labels,
	}
	for name, v := range shown.All() {
		e.Arguments[name] = v
	}
	if len(control.Sources) > 0 {
		l := DataLabel(control)
		e.Control = &l
	}
	return e
}

// dataLabels are labels of arguments as they are recorded.
func dataLabels(labels map[string]label.Label) map[string]event.DataLabel {
	out := make(map[string]event.DataLabel, len(labels))
	for name, l := range labels {
		out[name] = DataLabel(l)
	}
	return out
}

// pass decides the call and executes it.
func (c *passing) pass(ctx context.Context) (Result, error) {
	d := c.decide()
	c.out.Decision = d
	c.announce()
	c.Sink().Emit(event.DecisionMade{Step: c.Step, ID: c.out.ID, Tool: c.def.Name, Verdict: d.Verdict.String(), Rule: d.Rule, Reason: d.Reason, Remedy: d.Remedy, Code: string(d.Code), Members: d.Members})
	switch d.Verdict {
	case policy.Allow:
	case policy.Ask:
		denied, later, err := c.approval(ctx)
		if err != nil {
			return c.stopped(err, false, 0)
		}
		if later {
			c.out.NeedsApproval = true
			return c.later(0), nil
		}
		if denied != nil {
			return c.deny(denied), nil
		}
	default:
		return c.deny(&Denial{By: ByPolicy, Reason: d.Reason, Remedy: d.Remedy}), nil
	}
	if err := ctx.Err(); err != nil { // nothing is done that cannot be recorded
		return c.stopped(context.Cause(ctx), false, 0)
	}
	select { // a call that waits for an approval delays no other
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return c.stopped(context.Cause(ctx), false, 0)
	}
	began := c.cfg.Now()
	result, err := c.perform(ctx)
	switch {
	case errors.Is(err, ErrLater):
		return c.later(c.cfg.Now().Sub(began)), nil
	case err != nil && ctx.Err() != nil:
		return c.stopped(context.Cause(ctx), true, c.cfg.Now().Sub(began))
	}
	c.out.Done = true
	return c.finish(result, err, c.cfg.Now().Sub(began))
}

// stopped closes a call that ended with the run; made says that it was made. A
// plan may go on from where it waited, so that a call which was not made stays open.
func (c *passing) stopped(cause error, made bool, took time.Duration) (Result, error) {
	switch {
	case made:
		c.Sink().Emit(event.ToolReturned{Step: c.Step, ID: c.out.ID, Error: event.GivenUp + "the run was stopped", Took: event.Duration(took)})
	case c.Origin != Plan:
		c.Sink().Emit(event.ToolReturned{Step: c.Step, ID: c.out.ID, Error: event.NotCalled + "the run was stopped"})
	}
	return c.out, cause
}

// later returns a result that says that the answer comes later. Only plans can wait:
// the call of another caller is closed without an answer.
func (c *passing) later(took time.Duration) Result {
	c.out.Later = true
	if c.Origin != Plan {
		c.Sink().Emit(event.ToolReturned{Step: c.Step, ID: c.out.ID, Error: c.out.Fault().Error(), Took: event.Duration(took)})
	}
	return c.out
}

func (c *passing) decide() policy.Decision {
	if c.Decision != nil {
		return *c.Decision
	}
	call := policy.Call{Tool: c.def, Number: c.number, Members: &c.members, Args: map[string]policy.Labelled{}}
	for name, v := range c.Arguments.All() {
		call.Args[name] = policy.Labelled{Value: v, Label: c.Labels[name]}
	}
	return c.cfg.Policy.Decide(call)
}

func (c *passing) deny(d *Denial) Result {
	c.Sink().Emit(event.ToolReturned{Step: c.Step, ID: c.out.ID, Error: event.NotCalled + d.Reason})
	c.out.Denied = d
	return c.out
}

// approval asks for an approval, unless an earlier one covers the call.
func (c *passing) approval(ctx context.Context) (denied *Denial, later bool, err error) {
	sum, err := bound(c.def, c.Arguments, c.labels)
	if err != nil {
		return nil, false, fmt.Errorf("cannot ask for approval: %w", err)
	}
	hash := c.def.Hash()
	whole := "run " + hex.EncodeToString(hash[:])
	c.Sink().Emit(event.ApprovalRequested{ID: c.out.ID, Reason: c.out.Decision.Reason, Bound: sum})
	a, err := c.answerTo(ctx, sum, whole)
	switch {
	case errors.Is(err, ErrLater):
		return nil, true, nil
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	case err != nil:
		a = Answer{By: ByPolicy, Reason: c.cfg.Redact(err.Error())}
	}
	c.Sink().Emit(event.ApprovalGiven{ID: c.out.ID, Granted: a.Granted, By: a.By, Who: a.Who, Scope: string(a.Scope), Reason: a.Reason, Bound: sum})
	c.mu.Lock()
	defer c.mu.Unlock()
	if !a.Granted {
		if a.By == ByPerson || a.By == ByProgram { // whoever said no is not asked the same again
			c.grants[sum] = a
		}
		return &Denial{By: a.By, Reason: a.Reason, Remedy: c.out.Decision.Remedy}, false, nil
	}
	switch a.Scope {
	case Exact:
		c.grants[sum] = a
	case Whole:
		c.grants[whole] = a
	}
	return nil, false, nil
}

func (c *passing) answerTo(ctx context.Context, sum, whole string) (Answer, error) {
	if c.Answer != nil {
		return *c.Answer, nil
	}
	granted := func() (Answer, bool) { return c.granted(sum, whole) }
	if c.out.Decision.Rule == policy.RepeatRule { // whoever agreed to the first call did not agree to a second
		granted = func() (Answer, bool) { return Answer{}, false }
	}
	if a, ok := granted(); ok {
		return a, nil
	}
	if c.cfg.Approver == nil {
		return Answer{By: ByPolicy, Reason: "nobody is there who could be asked"}, nil
	}
	return c.cfg.Approver.Approve(ctx, Question{
		Run: c.cfg.Run, ID: c.out.ID, Tool: c.def, Origin: c.Origin, Line: c.Line, Arguments: c.shown, Labels: c.labels, Found: c.found(c.shown),
		Rule: c.out.Decision.Rule, Reason: c.out.Decision.Reason, Bound: sum,
		Granted: granted, Rehearsed: c.rehearsed(),
	})
}

// granted is an earlier answer that covers this call, if there is one.
func (c *passing) granted(sum, whole string) (Answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.grants[sum]; ok && !a.Granted {
		a.Reason = "denied before for these arguments: " + strings.TrimPrefix(a.Reason, "denied before for these arguments: ")
		return a, true
	} else if ok {
		return Answer{Granted: true, By: a.By, Who: a.Who, Scope: Once, Reason: "granted before for these arguments"}, true
	}
	if a, ok := c.grants[whole]; ok {
		return Answer{Granted: true, By: a.By, Who: a.Who, Scope: Once, Reason: "granted before for this run"}, true
	}
	return Answer{}, false
}

// tries is how often an idempotent call is made when its tool is unavailable.
const tries = 3

// perform executes the call, and repeats it where that is harmless and may help.
func (c *passing) perform(ctx context.Context) (any, error) {
	caller := c.caller()
	if caller == nil {
		return nil, fault.New(fault.NotFound, "Give the tool an implementation (run: …).", "nothing implements %s", c.def.Name)
	}
	if err := prepare(ctx, caller, c.def); err != nil {
		return nil, err
	}
	limit := c.cfg.Timeout
	if c.def.Limits.Timeout > 0 {
		limit = c.def.Limits.Timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fault.New(fault.Unavailable, "Call it again later, or ask for less.", "%s gave no answer within %s", c.def.Name, limit))
	defer cancel()
	inv := tool.Invocation{Tool: c.def, ID: c.out.ID, Key: c.cfg.Run + "/" + c.out.ID, Arguments: c.Arguments}
	for try := 1; ; try++ {
		result, err := safely(ctx, caller, inv)
		if err != nil && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		again := (c.def.Idempotent || !c.def.Effects.Acts()) && !c.def.Model // requests to models are repeated by their clients
		if err == nil || !again || try == tries || fault.KindOf(err) != fault.Unavailable {
			return result, err
		}
		wait := pause(err, try)
		if until, ok := ctx.Deadline(); ok && time.Until(until) < wait {
			return result, err // its error says more than that the time is over
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// prepare makes a tool ready, within a bound of its own.
func prepare(ctx context.Context, caller Caller, def *tool.Definition) error {
	ctx, cancel := context.WithTimeoutCause(ctx, MaxPreparation, fault.New(fault.Unavailable, "Call it again later.", "%s was not ready within %s", def.Name, MaxPreparation))
	defer cancel()
	err := caller.Prepare(ctx, def)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// pause is the time before a call is made again: as long as the answer says, else a
// little more each time.
func pause(err error, try int) time.Duration {
	var wish interface{ RetryAfter() time.Duration }
	if errors.As(err, &wish) && wish.RetryAfter() > 0 {
		return wish.RetryAfter()
	}
	return time.Duration(try*try) * 100 * time.Millisecond
}

// safely makes a panic of an implementation the failure of its call.
func safely(ctx context.Context, caller Caller, inv tool.Invocation) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("%s broke: %v", inv.Tool.Name, p)
		}
	}()
	return caller.Call(ctx, inv)
}

// Rehearsed is a result from a record or from an example: no tool was called. A
// [Caller] may return one, or fail with a [RehearsedFailure].
type Rehearsed struct {
	Result any
	From   string // where it comes from, in words
}

// RehearsedFailure is a failure from a record: no tool was called.
type RehearsedFailure struct {
	Err  error  // the failure; a fault when its kind is known
	From string // where it comes from, in words
}

// Error returns what the failure says.
func (e RehearsedFailure) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e RehearsedFailure) Unwrap() error { return e.Err }

// Endorsed is a result that a person has looked at and vouches for. Callers may
// return one.
type Endorsed struct {
	Result   any
	Who, Why string
}

// finish checks the result or the failure of the call and records it.
func (c *passing) finish(result any, failed error, took time.Duration) (Result, error) {
	e := event.ToolReturned{Step: c.Step, ID: c.out.ID, Took: event.Duration(took)}
	var rehearsed RehearsedFailure
	if errors.As(failed, &rehearsed) {
		e.Rehearsed = rehearsed.From
	}
	if r, ok := result.(Rehearsed); ok {
		result, e.Rehearsed = r.Result, r.From
	}
	if failed == nil {
		result, failed = c.bounded(result)
	}
	if failed != nil {
		return c.fail(e, failed), nil
	}
	accept := c.Accept
	if accept == nil {
		accept = c.accept
	}
	got, err := accept(result)
	if err != nil && fault.KindOf(err) == fault.Internal {
		return c.out, err
	}
	if err != nil {
		return c.fail(e, err), nil
	}
	if v, ok := result.(Endorsed); ok {
		result = v.Result
	}
	if v, ok := result.(tool.Labelled); ok {
		result, e.Cut = v.Value, safetext.OneLine(c.cfg.Redact(v.Cut), maxCut)
	}
	text, err := event.Encode(c.def.RedactResult(result)) // members keep their order
	if err != nil {
		return c.out, fmt.Errorf("cannot record the result of %s: %w", c.def.Name, err)
	}
	l := DataLabel(got.Label)
	e.Result, e.Label = string(text), &l
	c.Read(c.returned(), e.Result)
	c.Sink().Emit(e)
	for _, low := range got.Lowered {
		c.Sink().Emit(event.LabelLowered{Step: c.Step, ID: c.out.ID, By: low.Rule, Who: low.Who, Why: low.Why, From: DataLabel(low.From), To: DataLabel(low.To)})
	}
	c.out.Value, c.out.Label, c.out.Cut = result, got.Label, e.Cut
	return c.out, nil
}

func (c *passing) fail(e event.ToolReturned, failed error) Result {
	f := c.plain(failed)
	failure(&e, f)
	if raised := (tool.Raised{}); errors.As(failed, &raised) {
		e.Raised = safetext.OneLine(c.cfg.Redact(raised.Type), maxCut)
	}
	c.Sink().Emit(e)
	c.out.Failed, c.out.Raised = f, e.Raised
	if c.Origin != Plan { // the text of a failure comes from outside, too
		c.sawCall(c.source(false))
	}
	return c.out
}

// plain returns an error as the caller may see it: without secrets, and as a fault.
func (c *passing) plain(err error) *fault.Error {
	f := fault.Of(err)
	switch f.Kind {
	case fault.Internal, fault.Canceled:
		f.Kind = fault.Unavailable // the tool's failure, not ours
	}
	f.Message, f.Remedy, f.Err = safetext.Clip(c.cfg.Redact(f.Message), maxMessage), c.cfg.Redact(f.Remedy), nil
	for name, value := range f.Data {
		f.Data[name] = c.cfg.Redact(value)
	}
	return f
}

// failure writes into the event that closes a call why there is no result.
func failure(e *event.ToolReturned, f *fault.Error) {
	e.Error, e.Kind, e.Code, e.Remedy = f.Message, f.Kind.String(), string(f.Code), f.Remedy
}

// maxCut bounds what says how much of a result is there, and the name of an exception's
// class, in bytes.
const maxCut = 200

// maxMessage bounds what a tool says of its failure, in bytes.
const maxMessage = 8 << 10
