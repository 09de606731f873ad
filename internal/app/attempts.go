package app

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/config"
	"praxis/internal/record/replay"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

// Bounds of the attempts at one question.
const (
	MinBranches = 2
	MaxBranches = 16
)

// checkBranches refuses attempts that there cannot be.
func (q *AskRequest) checkBranches() error {
	switch {
	case q.Branches == 0:
		return nil
	case q.Branches < MinBranches || q.Branches > MaxBranches:
		return fault.New(fault.Invalid, fmt.Sprintf("Let %d to %d be made, or none.", MinBranches, MaxBranches), "cannot make %d attempts at a question", q.Branches)
	case q.Mode == ModeTools:
		return fault.New(fault.Invalid, "Let it be answered by code, too, or make one attempt.", "cannot make several attempts in the mode %s: they are forks of a session, and there is none", q.Mode)
	}
	return nil
}

// harmless refuses tools that change something where several attempts would call them: each
// call would be made several times, also by attempts that are not chosen.
func (t *toolset) harmless() error {
	for d := range t.registry.Set().All() {
		if d.Effects.Acts() {
			return fault.New(fault.Invalid, "Leave the tool out, or make one attempt.",
				"cannot make several attempts with the tool %s: it changes something, and every attempt would call it", d.Name)
		}
	}
	return nil
}

// Styles returns the names of the ways to work at a question, the usual one first.
func Styles() []string { return config.Styles() }

// checkStyle refuses a style that there is not; "" is the configuration's.
func checkStyle(name string) error {
	if name == "" || slices.Contains(Styles(), name) {
		return nil
	}
	return fault.New(fault.Invalid, "Write one of "+strings.Join(Styles(), ", ")+".", "cannot ask in the style %q", safetext.Line(name))
}

// recordedStyle is a style as runs record it: the usual one is left out.
func recordedStyle(name string) string {
	if name == agent.StyleReact {
		return ""
	}
	return name
}

// attempts are the attempts at a question on their way to an answer.
type attempts struct {
	whole  *questionRun
	began  event.RunBegan // of the whole
	inputs []run.Input
	start  time.Time
	turns  chan struct{} // an execution of any of them holds one

	mu      sync.Mutex
	answers map[int]agent.Answer // of those that were made here, by their numbers
}

// askAttempts lets several attempts be made, each in a fork of the session.
func (x *questionRun) askAttempts(ctx context.Context, began event.RunBegan, inputs []run.Input) (agent.Answer, error) {
	task, _, err := x.task(ctx, began, inputs)
	if err != nil {
		return agent.Answer{}, err
	}
	if g := x.again; g != nil && task.Conversation != nil {
		task.Conversation = func(ctx context.Context, s run.Session) (run.Conversation, error) {
			c, err := x.conversation(ctx, s)
			if err == nil && g.savedIn(x.talk) {
				x.talk = nil
			}
			return c, err
		}
	}
	a := &attempts{whole: x, began: began, inputs: inputs, start: time.Now(), turns: make(chan struct{}, runtime.NumCPU()), answers: map[int]agent.Answer{}}
	return run.AskAttempts(ctx, task, run.Attempts{Count: began.Branches, Parallel: a.parallel(), Begin: a.begin, Take: a.take}, x.run)
}

// attemptsAtOnce are made side by side on a machine that has fewer processors, too: most of
// the time they wait for their models.
const attemptsAtOnce = 4

// parallel is how many attempts are made at a time. What an attempt may use does not depend
// on it: their code takes turns at the processors.
func (a *attempts) parallel() int {
	return min(a.began.Branches, max(runtime.NumCPU(), attemptsAtOnce))
}

// childBegan describes an attempt. What the whole may use is divided: so no attempt can use
// up what the others need. The time by the clock is that of the whole, which they share.
func (a *attempts) childBegan(n int) event.RunBegan {
	b := a.began
	k := b.Branches
	b.Branches, b.Thread, b.Parent, b.InputChecks = 0, "", nil, nil
	b.Caller = &event.Caller{Run: a.whole.run.ID(), Child: n, Role: event.Attempt, Depth: 1}
	share := func(n int) int {
		if n == 0 {
			return 0
		}
		return max(n/k, 1)
	}
	u := &b.Budget
	for _, n := range []*int{&u.Run, &u.Input, &u.Output, &u.Calls, &u.Steps, &u.SubCalls} {
		*n = share(*n)
	}
	if u.Depth > 0 {
		u.Depth++ // an attempt is a child itself
	}
	u.Cost /= float64(k)
	u.Executed /= event.Duration(k)
	for _, most := range []event.Duration{u.Time, u.Executed} {
		b.Bounds.Timeout = least(b.Bounds.Timeout, most)
	}
	return b
}

// begin implements run.Attempts: one that ended is taken from the record of the run that is
// gone on with, one that was under way goes on by its own.
func (a *attempts) begin(ctx context.Context, n int, from run.Prepared) (run.Attempt, error) {
	if g := a.whole.again; g != nil {
		was, err := a.before(ctx, g, n)
		switch {
		case err != nil:
			return run.Attempt{}, err
		case was.ended != nil:
			ended := *was.ended
			return run.Attempt{Began: was.began, Make: func(context.Context) (event.ChildEnded, error) { return ended, nil }}, nil
		case was.run != "":
			return a.resume(ctx, n, was.run, from)
		}
	}
	return a.anew(ctx, n, from)
}

// anew begins an attempt.
func (a *attempts) anew(ctx context.Context, n int, from run.Prepared) (run.Attempt, error) {
	x := a.whole
	began := a.childBegan(n)
	c := &attempt{of: a, n: n, from: from}
	q := x.request
	q.Branches, q.Thread, q.opened, q.Output = 0, "", nil, Output{}
	c.x = &questionRun{app: x.app, request: q, model: x.model, cost: x.cost, taken: &saved{}, sink: c.progress(), turns: a.turns}
	want := x.session.Describe()
	want.Name, want.Snapshot = "", from.Snapshot
	c.x.fork = &want
	return c.begun(ctx, began, nil)
}

// resume goes on with an attempt that broke off, by its own record.
func (a *attempts) resume(ctx context.Context, n int, id string, from run.Prepared) (_ run.Attempt, err error) {
	x := a.whole
	c := &attempt{of: a, n: n, from: from}
	g := &resumption{app: x.app, ended: map[int]int{}, sink: c.progress(), caller: x.run.ID()}
	release, err := g.claim(ctx, AskResume{Run: id})
	if err != nil {
		return run.Attempt{}, err
	}
	defer release()
	if g.rec.Session != nil { // the state was prepared anew
		s := *g.rec.Session
		s.Snapshot = from.Snapshot
		g.rec.Session = &s
	}
	began := g.rec.Resumed(g.id, x.app.opt.Version)
	now := a.childBegan(n) // the whole may have been given more
	began.Caller, began.MaxSteps, began.Budget, began.Bounds = now.Caller, now.MaxSteps, now.Budget, now.Bounds
	describeModel(&began, x.model, began.Effort)
	c.x = &questionRun{app: x.app, request: g.request(AskResume{}, began), cost: x.cost, taken: &saved{}, sink: c.progress(), again: g, turns: a.turns}
	if err := g.open(ctx, AskResume{}, c.x.sink); err != nil {
		return run.Attempt{}, err
	}
	c.x.session, c.x.model = g.session, g.rec.Model(x.model, g.at)
	c.from.Snapshot = g.at.Snapshot
	t := x.run.tools
	calls := g.rec.Calls(ctx, x.app.records.Journal, g.at, t.registry, t.approver, x.app.records.Journal.Redact)
	g.warn(calls, c.x.sink)
	out, err := c.begun(ctx, began, calls)
	if err != nil && g.session != nil {
		err = errors.Join(err, g.session.Close())
	}
	return out, err
}

// attempt is one attempt.
type attempt struct {
	of   *attempts
	x    *questionRun
	n    int
	from run.Prepared
}

// begun begins its record.
func (c *attempt) begun(ctx context.Context, began event.RunBegan, calls *replay.Calls) (run.Attempt, error) {
	x := c.x
	t := *c.of.whole.run.tools
	t.again = calls
	if t.children != nil {
		sub, err := t.children.forAttempt(began)
		if err != nil {
			return run.Attempt{}, err
		}
		if x.again != nil {
			sub.goOn(x.again)
		} else {
			x.taken.Emit(event.SnapshotTaken{Snapshot: c.from.Snapshot}) // the state before the first step
		}
		t.children, x.children = sub, sub
		sub.of(x)
	}
	next := event.Sink(event.Both(x.taken, event.Both(c.of.whole.taken, x.sink)))
	if x.again != nil {
		next = event.Both(x.again, next)
	}
	inner, r, err := x.app.begin(ctx, began, &t, next, origins(x.request.Mode)...)
	if err != nil {
		return run.Attempt{}, err
	}
	x.run = r
	return run.Attempt{
		Began: event.ChildBegan{N: c.n, Role: event.Attempt, Depth: 1, Run: r.ID(), Model: began.Model, Task: began.Question, Snapshot: c.from.Snapshot},
		Make:  func(context.Context) (event.ChildEnded, error) { return c.make(inner, began) },
	}, nil
}

// make makes the attempt. That it has no answer is no error.
func (c *attempt) make(ctx context.Context, began event.RunBegan) (event.ChildEnded, error) {
	x := c.x
	answer, err := x.askAttempt(ctx, c, began)
	failed := x.run.Err()
	failed = errors.Join(failed, x.run.end())
	if x.session != nil {
		failed = errors.Join(failed, x.session.Close())
	}
	rec, loadErr := replay.LoadResumed(context.WithoutCancel(ctx), x.app.records.Journal, x.run.ID())
	if failed = errors.Join(failed, loadErr); failed != nil {
		return event.ChildEnded{}, failed
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.answers[c.n] = answer
	out := rec.AsChild(c.n)
	out.Tokens = answer.Tokens.Add(x.children.used()) // what was taken from a record was used before
	if err != nil && out.Reason == "" {
		out.Status, out.Reason = event.Failed, err.Error()
	}
	return out, nil
}

// askAttempt lets the agent answer in the fork.
func (x *questionRun) askAttempt(ctx context.Context, c *attempt, began event.RunBegan) (agent.Answer, error) {
	task, cfg, err := x.task(ctx, began, c.of.inputs)
	if err != nil {
		return agent.Answer{}, err
	}
	task.From, task.SaveEnd, task.Ready = &c.from, true, nil
	task.Finish = func(context.Context, run.Result) { x.children.end() }
	task.Inputs = c.of.inputs // for a session that has to be started anew
	cfg.Attempt = agent.Attempt{N: c.n, Of: c.of.began.Branches}
	cfg.History, cfg.Changed = c.from.Conversation.History, c.from.Conversation.Changed
	if x.again == nil {
		if cfg.Ledger == nil {
			cfg.Ledger = agent.NewLedger()
		}
		cfg.Ledger.Start(c.of.start)
	}
	if cfg.Notes != nil {
		cfg.Notes = foundNotes{cfg.Notes}
	}
	return run.Ask(ctx, task, cfg, x.run)
}

// progress says on the whole's screen how far the attempt is.
func (c *attempt) progress() event.Sink {
	return namedSink(c.of.whole.sink, fmt.Sprintf("attempt %d", c.n))
}

// take implements run.Attempts: the session, its files and the conversation go on from the
// attempt that is chosen. An answer without its state is still one.
func (a *attempts) take(ctx context.Context, s run.Session, chosen event.ChildEnded, answer *agent.Answer) error {
	x := a.whole
	rec, err := replay.LoadResumed(ctx, x.app.records.Journal, chosen.Run)
	if err != nil {
		return err
	}
	for _, step := range rec.Steps {
		for _, e := range step.Executions {
			if e.Ended != nil {
				x.made.Emit(event.ExecutionEnded{Execution: *e.Ended})
			}
		}
		for _, h := range step.Condensed {
			x.condensed = append(x.condensed, h.Whole)
		}
	}
	made, here := a.answers[chosen.N]
	if answer.Messages = made.Messages; !here {
		answer.Messages = rec.Messages(*answer)
	}
	if err := run.TakeState(ctx, s, chosen.Snapshot, x.run); err != nil {
		err = fmt.Errorf("cannot go on from the state of attempt %d: %w", chosen.N, err)
		x.made.failed, x.talk = err, nil
		if x.request.Thread != "" {
			x.err = err
		}
	}
	return nil
}

// earlier is what is recorded of an attempt in the run that is gone on with.
type earlier struct {
	began event.ChildBegan
	ended *event.ChildEnded // nil: it did not end
	run   string            // that it can be gone on with; "": nothing is recorded that could be
}

// before returns what is recorded of an attempt. One whose own record has an answer ended,
// whether its caller took note of it or not.
func (a *attempts) before(ctx context.Context, g *resumption, n int) (out earlier, err error) {
	for _, c := range slices.Backward(g.rec.Children) {
		if c.Began.N != n || c.Began.Role != event.Attempt {
			continue
		}
		if c.Ended != nil {
			ended := *c.Ended
			ended.Tokens = event.Tokens{} // they were used before
			return earlier{began: c.Began, ended: &ended}, nil
		}
		switch rec, usable, err := g.childRecord(ctx, c.Began.Run); {
		case err != nil:
			return out, err
		case usable && rec.Answer != nil && rec.Ended != nil:
			ended := rec.AsChild(n)
			ended.Tokens = event.Tokens{}
			return earlier{began: c.Began, ended: &ended}, nil
		case usable:
			return earlier{began: c.Began, run: c.Began.Run}, nil
		}
	}
	return out, nil
}

// foundNotes are notes that an attempt can find. It keeps none: most attempts are not
// chosen.
type foundNotes struct{ agent.Notes }

// Save refuses to keep a note.
func (foundNotes) Save(context.Context, int, string, []string) (string, bool, error) {
	return "", false, fault.New(fault.Invalid, "Go on without it.", "cannot save the note: an attempt keeps none")
}
