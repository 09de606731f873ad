package replay

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/llm"
	"praxis/internal/llm/recorded"
	"praxis/internal/run"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
)

// LoadResumed reads a run, which may have gone on with another that broke off, as if the
// two were one.
func LoadResumed(ctx context.Context, src Source, id string) (Recording, error) {
	whole, err := Load(ctx, src, id)
	whole.Line = []string{id}
	for range maxParents {
		p := whole.Began.Parent
		if err != nil || p == nil || p.Change != event.Resumed {
			return whole, err
		}
		var before Recording
		if before, err = Load(ctx, src, p.Run); err == nil {
			before.Line = []string{p.Run}
			whole = before.join(whole)
		}
	}
	return Recording{}, fault.Coded(fault.RunNotReplayable, fault.Data{"run": id}, "cannot go on with run %s: it was gone on with too often", id)
}

// join joins the record of a run and that of the one that went on with it. A step that
// both took is one: what was answered from the first one's record is there once.
func (r Recording) join(next Recording) Recording {
	out := r
	out.ID, out.Answer, out.Ended, out.Line = next.ID, next.Answer, next.Ended, slices.Concat(r.Line, next.Line)
	out.Took = r.Took + next.Took // what lay between them was nobody's
	out.Began = next.Began        // it may have had another model and more steps
	out.Began.Parent = r.Began.Parent
	if out.Session == nil {
		out.Session, out.Inputs = next.Session, next.Inputs
	} else if len(next.Inputs) > len(out.Inputs) {
		out.Inputs = next.Inputs // the first one broke off while it was given them
	}
	if len(out.Rules) == 0 {
		out.Rules = next.Rules
	}
	if len(out.Skills) == 0 {
		out.Skills = next.Skills
	}
	out.Snapshots = slices.Concat(r.Snapshots, next.Snapshots)
	out.Children, out.Chosen = slices.Concat(r.Children, next.Children), next.Chosen
	out.Steps, out.Entered = slices.Clone(r.Steps), slices.Clone(r.Entered)
	for _, in := range next.Entered {
		if _, state := in.Event.(event.SessionBegan); !state || r.Session == nil { // the state is the first run's own
			out.Entered = append(out.Entered, in)
		}
	}
	for _, s := range next.Steps {
		s.Calls = slices.DeleteFunc(slices.Clone(s.Calls), func(c Call) bool { return c.Returned != nil && c.Returned.Rehearsed != "" })
		if was := out.find(s.N); was != nil {
			*was = was.join(s)
		} else {
			out.Steps = append(out.Steps, s)
		}
	}
	return out
}

// join joins a step and its repetition.
func (s Step) join(again Step) Step {
	out := again
	if s.Messages != nil {
		out.Messages, out.Tools = s.Messages, s.Tools
	}
	if s.replied() {
		out.Exchange = s.Exchange
	}
	if s.finished() > again.finished() {
		out.Executions = s.Executions
	}
	out.Calls = slices.Concat(s.Calls, again.Calls)
	return out
}

// replied says whether the model's reply is recorded.
func (s Step) replied() bool { return s.Exchange != nil && s.Exchange.Failed == "" }

// finished counts the executions that ended.
func (s Step) finished() int {
	n := 0
	for _, x := range s.Executions {
		if x.Ended != nil {
			n++
		}
	}
	return n
}

// requested returns the last step in which the model was asked, or nil.
func (r *Recording) requested() *Step {
	for i := len(r.Steps) - 1; i >= 0; i-- {
		if r.Steps[i].Messages != nil {
			return &r.Steps[i]
		}
	}
	return nil
}

// Requested says whether the run asked its model at all: one that did not has done nothing
// that could be gone on with.
func (r Recording) Requested() bool { return r.requested() != nil }

// Resumable refuses to go on with a run that has its answer, or that asks for none.
func (r Recording) Resumable() error {
	switch {
	case r.Began.Kind != event.Ask || r.Began.Mode == modePlan:
		return fault.Coded(fault.RunNoQuestion, fault.Data{"run": r.ID}, "cannot go on with run %s: it is no question that steps answer", r.ID)
	case r.Ended != nil && (r.Ended.Status == event.Answered || r.Ended.Status == event.Unverified):
		return fault.Coded(fault.RunAnswered, fault.Data{"run": r.ID}, "cannot go on with run %s: it has its answer", r.ID)
	}
	return nil
}

// Resumed describes the run that goes on with this one. Tools, hosts, model and bounds
// are the caller's to change.
func (r Recording) Resumed(id, program string) event.RunBegan {
	b := r.Began
	b.Parent = &event.Parent{Run: id, Change: event.Resumed}
	if s := r.requested(); s != nil {
		b.Parent.Step = s.N
	}
	b.Program, b.User, b.Host = program, "", ""
	return b
}

// State is where a run can go on: before a step, from a snapshot or, when that is "",
// from a session as it had at its beginning.
type State struct {
	Step     int
	Snapshot string
}

// States returns where the run can go on, what comes nearest to where it broke off
// first. The last one is always there: all of its steps are taken again then, with what
// is recorded of them.
func (r Recording) States() []State {
	last := r.requested()
	if last == nil {
		return []State{{}}
	}
	if r.sessionless() {
		return []State{{Step: last.N}}
	}
	var out []State
	for i := len(r.Steps) - 1; i >= 0; i-- {
		if s := r.Steps[i]; s.Messages != nil && s.N <= last.N {
			if id := r.StateBefore(s.N); id != "" {
				out = append(out, State{s.N, id})
			}
		}
	}
	return append(out, State{Step: r.Steps[0].N})
}

// Begin is how the agent goes on from a state. It is nil when the model was not asked.
func (r Recording) Begin(ctx context.Context, src Source, at State) *agent.Begin {
	if at.Step == 0 {
		return nil
	}
	b := &agent.Begin{Step: at.Step, Messages: r.find(at.Step).Messages, Took: r.Took}
	b.Tokens, b.Ran = before(ctx, src, r, at.Step)
	for _, x := range r.replies(at) { // they count, and are not paid again
		b.Tokens = b.Tokens.Add(x.Reply.Tokens)
	}
	return b
}

// replies are those that are recorded from a state on.
func (r Recording) replies(at State) []recorded.Exchange {
	var out []recorded.Exchange
	for _, s := range r.Steps {
		if s.N >= at.Step && s.replied() {
			out = append(out, *s.Exchange)
		}
	}
	return out
}

// Model gives the replies that are recorded from a state on, and asks next for those
// that are not.
func (r Recording) Model(next llm.Model, at State) llm.Model {
	return &resumedModel{Model: next, replies: r.replies(at)}
}

// resumedModel is a model some of whose replies are recorded.
type resumedModel struct {
	llm.Model
	replies []recorded.Exchange // that come next
}

// Complete implements llm.Model. A reply from the record used its tokens before.
func (m *resumedModel) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	if len(m.replies) == 0 {
		return m.Model.Complete(ctx, req, delta)
	}
	next := m.replies[:1]
	m.replies = m.replies[1:]
	reply, err := recorded.New(m.Name(), m.Traits(), next).Complete(ctx, req, delta)
	reply.Tokens = event.Tokens{}
	return reply, err
}

// Notes gives what notes gave from a state on as far as that is recorded, and uses next
// from there on. next may be nil: the run has none.
func (r Recording) Notes(next agent.Notes, at State) agent.Notes {
	if next == nil {
		return nil
	}
	var done []event.Event
	uses := 0
	for _, s := range r.Steps {
		for _, c := range s.Calls {
			if s.N >= at.Step && c.Called.Origin == "" && c.Returned != nil {
				done = append(done, c.Called, *c.Returned)
				uses++
			}
		}
	}
	return branchNotes{recorded: agent.NewRecordedNotes(done), today: next, own: func() bool {
		uses--
		return uses < 0
	}}
}

// Given returns the files that the run was given, each from the record or from what
// stands in for it, by its name.
func (r Recording) Given(ctx context.Context, src Source, given map[string]func() (io.ReadCloser, error)) ([]run.Input, error) {
	return Config{Source: src, Overrides: given}.inputs(ctx, r)
}

// Differs says whether the n-th execution of a step, from 0, came out otherwise than it is
// recorded, as far as it is.
func (r Recording) Differs(step, n int, x event.Execution) bool {
	s := r.find(step)
	if s == nil || n >= len(s.Executions) || s.Executions[n].Ended == nil {
		return false
	}
	was := s.Executions[n].Ended
	raised := func(x event.Execution) string {
		if x.Error == nil {
			return ""
		}
		return x.Error.Name + x.Error.Value
	}
	return was.Status != x.Status || was.Stdout != x.Stdout || was.Result["text"] != x.Result["text"] || raised(*was) != raised(x)
}

// modePlan is the mode of questions that plans answer.
const modePlan = "plan"

// Calls are the calls of a run that goes on: those that the record answers are answered
// from it, and not made again.
type Calls struct {
	id     string
	next   gate.Caller
	ask    gate.Approver
	redact func(string) string
	before []Call // that were made before the state
	seen   []Entered
	over   map[int]bool // steps whose code ran to its end in the record

	mu      sync.Mutex
	waiting waiting
	claimed map[string]resumedCall
}

// resumedCall is a call that is made: the recorded one that it is, if any. One that is
// strange may be another form of one that was made: code does not always say the same.
type resumedCall struct {
	was     *Call
	strange bool
}

var (
	_ gate.Caller   = (*Calls)(nil)
	_ gate.Approver = (*Calls)(nil)
)

// Calls returns the calls of the run that goes on from a state. next makes those that are
// not answered by the record, and ask is asked about them.
func (r Recording) Calls(ctx context.Context, src Source, at State, next gate.Caller, ask gate.Approver, redact func(string) string) *Calls {
	c := &Calls{id: r.ID, next: next, ask: ask, redact: redact, waiting: r.waitingFrom(at.Step), claimed: map[string]resumedCall{}, over: map[int]bool{}}
	c.seen, c.before = seenBefore(ctx, src, r, at.Step)
	for i, s := range r.Steps {
		c.over[s.N] = i < len(r.Steps)-1 || len(s.Executions) > 0 && s.finished() == len(s.Executions)
	}
	return c
}

// Made counts the calls that were made before, by tool.
func (c *Calls) Made() map[string]int {
	out := map[string]int{}
	for _, one := range c.before {
		if one.Called.Origin != "" {
			out[one.Called.Tool]++
		}
	}
	return out
}

// Unknown are the calls that the run broke off in and that nothing is known of: they may
// be done, and are not made again.
func (c *Calls) Unknown() []event.ToolCalled {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []event.ToolCalled
	for _, w := range c.waiting.all {
		if w.unknown() && acts(w.Called.Effects) {
			out = append(out, w.Called)
		}
	}
	return out
}

// acts says whether a call with these effects may change something.
func acts(effects string) bool { return effects != "pure" && effects != "read" }

// unknown says whether the call may have been made without a word of how it ended. One
// that nobody agreed to was not.
func (c Call) unknown() bool {
	if c.Returned != nil {
		return strings.HasPrefix(c.Returned.Error, event.GivenUp)
	}
	switch {
	case c.Decision == nil || c.Decision.Verdict == "allow":
		return true
	case c.Decision.Verdict == "ask":
		return c.Given != nil && c.Given.Granted
	}
	return false
}

// Saw passes on to the gate what had entered the run before, and what calls had returned.
func (c *Calls) Saw(g *gate.Gate) { saw(g, c.seen, c.before) }

// Observe takes note of a call that is about to be made. It is called with the events
// of the gate, in their order.
func (c *Calls) Observe(e event.Event) {
	called, ok := e.(event.ToolCalled)
	if !ok || called.Origin == "" {
		return
	}
	as, err := journaled(e, c.redact)
	if err != nil {
		return // it cannot be recorded either, which ends the run
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := resumedCall{was: c.waiting.take(as.(event.ToolCalled))}
	if now.was == nil && acts(called.Effects) {
		now.strange = c.over[called.Step] || c.owes(called.Step)
	}
	c.claimed[called.ID] = now
}

// owes says whether a step made calls that may have changed something and that were not
// made again by now.
func (c *Calls) owes(step int) bool {
	for _, w := range c.waiting.all {
		if !w.made && w.Called.Step == step && acts(w.Called.Effects) && (w.unknown() || w.Returned != nil && !strings.HasPrefix(w.Returned.Error, event.NotCalled)) {
			return true
		}
	}
	return false
}

func (c *Calls) claim(id string) resumedCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.claimed[id]
}

// from says where the answers come from.
func (c *Calls) from() string { return "the record of run " + c.id }

// Prepare implements gate.Caller.
func (c *Calls) Prepare(ctx context.Context, d *tool.Definition) error { return c.next.Prepare(ctx, d) }

// Identity implements gate.Caller.
func (c *Calls) Identity(d *tool.Definition) string { return c.next.Identity(d) }

// Call implements gate.Caller.
func (c *Calls) Call(ctx context.Context, inv tool.Invocation) (any, error) {
	call := c.claim(inv.ID)
	was := call.was
	switch {
	case call.strange:
		return nil, gate.RehearsedFailure{From: c.from(), Err: fault.New(fault.Conflict,
			"Look whether it is done: a call from the next step on is made.",
			"%s was not called: this step was executed before, and this call is not one of those that it made then", inv.Tool.Name)}
	case was == nil || was.Returned != nil && strings.HasPrefix(was.Returned.Error, event.NotCalled):
		return c.next.Call(ctx, inv)
	case was.Returned != nil && !was.unknown():
		return answered(*was.Returned, inv.Tool, c.from())
	case was.unknown() && inv.Tool.Effects.Acts() && !inv.Tool.Idempotent:
		return nil, gate.RehearsedFailure{From: c.from(), Err: fault.New(fault.Conflict,
			"Look whether it is done before you call it again: a call from now on is made.",
			"%s was not called again: the run broke off while this call was made, and it may be done", inv.Tool.Name)}
	}
	return c.next.Call(ctx, inv)
}

// Approve implements gate.Approver: what the record answers was agreed to before.
func (c *Calls) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	call := c.claim(q.ID)
	if call.strange {
		return gate.Answer{By: gate.ByPolicy, Reason: "the step was executed before, and did not make this call then"}, nil
	}
	was := call.was
	if was != nil && was.Given != nil && (was.Returned != nil || was.unknown()) {
		g := was.Given
		return gate.Answer{Granted: g.Granted, Scope: gate.Once, By: g.By, Who: g.Who, Reason: g.Reason}, nil
	}
	if c.ask == nil {
		return gate.Answer{By: gate.ByPolicy, Reason: "nobody is there who could be asked"}, nil
	}
	return c.ask.Approve(ctx, q)
}
