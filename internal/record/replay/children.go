package replay

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/llm"
	"praxis/internal/run"
)

// maxTree bounds the children that are replayed with a run.
const maxTree = 1000

// ChildReport says what came of the replay of a child.
type ChildReport struct {
	N    int             `json:"n"`
	Role event.ChildRole `json:"role"`
	Run  string          `json:"run"`
	// Report is that of its replay; nil: it was not replayed, and Reason says why. What never
	// came to a request has nothing to be replayed, and counts as identical.
	Report *Report `json:"report,omitempty"`
	Reason string  `json:"reason,omitempty"`
}

// attempt says whether the run is an attempt that begins with the state which its caller
// prepared.
func (r Recording) attempt() bool {
	return r.Began.Caller != nil && r.Began.Caller.Role == event.Attempt && r.Session != nil
}

// children replays the children of a run that are runs, and theirs. It returns how many
// more may be.
func (c Config) children(ctx context.Context, rec Recording, into *Report, left int) (int, error) {
	c.Recorder, c.Store = nil, nil // a child is replayed for its report alone
	var callers []string
	for _, child := range rec.Children {
		if child.Began.Run == "" || left <= 0 {
			continue
		}
		if left--; callers == nil {
			callers = c.callers(ctx, rec)
		}
		one := ChildReport{N: child.Began.N, Role: child.Began.Role, Run: child.Began.Run}
		was, err := c.loadChild(ctx, rec, child, callers)
		if err == nil {
			var r Report
			if r, err = replay(ctx, c, was, nil); err == nil {
				left, err = c.children(ctx, was, &r, left)
				one.Report = &r
			}
		}
		if cause := ctx.Err(); cause != nil {
			return left, fault.New(fault.Canceled, "", "cannot replay run %s: %w", rec.ID, cause)
		}
		switch {
		case err != nil:
			one.Report, one.Reason = nil, err.Error()
			if len(was.Exchanges()) > 0 || was.ID == "" { // else there is nothing of it
				into.Identical = false
			}
		case !one.Report.Identical:
			into.Identical = false
		}
		into.Children = append(into.Children, one)
	}
	return left, nil
}

// callers are the run and those that it goes on from: its children are theirs.
func (c Config) callers(ctx context.Context, rec Recording) []string {
	callers := []string{rec.ID}
	for p := rec.Began.Parent; p != nil && p.Change == event.Resumed && len(callers) < maxParents; {
		callers = append(callers, p.Run)
		before, err := Load(ctx, c.Source, p.Run)
		if err != nil {
			break
		}
		p = before.Began.Parent
	}
	return callers
}

// loadChild reads a child, which must say itself that it is one of the callers'.
func (c Config) loadChild(ctx context.Context, rec Recording, child Child, callers []string) (Recording, error) {
	was, err := Load(ctx, c.Source, child.Began.Run)
	if err != nil {
		return Recording{}, err
	}
	if was.Began.Caller == nil || !slices.Contains(callers, was.Began.Caller.Run) {
		return Recording{}, fault.New(fault.Conflict, "", "cannot replay run %s as a child: its record says that it is none of run %s", was.ID, rec.ID)
	}
	if c.Within != nil {
		was.Began = c.Within(was.Began)
	}
	return was, nil
}

// recordedAttempt is an attempt as it is recorded.
func (e *rerun) recordedAttempt(_ context.Context, n int, _ run.Prepared) (run.Attempt, error) {
	for _, c := range e.rec.Children {
		if c.Began.N == n && c.Ended != nil {
			ended := *c.Ended
			return run.Attempt{Began: c.Began, Make: func(context.Context) (event.ChildEnded, error) { return ended, nil }}, nil
		}
	}
	e.broken = true
	return run.Attempt{}, fmt.Errorf("the recording ends before attempt %d did", n)
}

// openSession opens the session of the run. That of an attempt is prepared again where its
// state is not there any more, or where something is to be different about it.
func (e *rerun) openSession(ctx context.Context) (Opened, error) {
	if !e.rec.attempt() || e.rec.Steps[0].N > 1 {
		return e.cfg.Open(ctx, *e.rec.Session)
	}
	if len(e.cfg.Overrides) == 0 {
		s, err := e.cfg.Open(ctx, *e.rec.Session)
		if kind := fault.KindOf(err); err == nil || kind != fault.NotFound && kind != fault.Conflict {
			return s, err
		}
	}
	e.task.From.Snapshot = ""
	return e.prepareAgain(ctx)
}

// prepareAgain makes the state again that an attempt begins with, as its caller did.
func (e *rerun) prepareAgain(ctx context.Context) (_ Opened, err error) {
	caller, err := Load(ctx, e.cfg.Source, e.rec.Began.Caller.Run)
	if err != nil {
		return Opened{}, err
	}
	if caller.Session == nil {
		return Opened{}, fault.New(fault.Conflict, "", "cannot prepare the session of run %s again: run %s had none", e.rec.ID, caller.ID)
	}
	c := e.cfg
	c.Recorder, c.Sink = nil, nil
	if c.Within != nil {
		caller.Began = c.Within(caller.Began)
	}
	before, err := c.prepareRerun(ctx, caller)
	if err != nil {
		return Opened{}, err
	}
	s, err := c.Open(ctx, *caller.Session)
	if err != nil {
		return Opened{}, err
	}
	if err := run.Prepare(ctx, before.task, s, unrecorded{}); err != nil {
		if s.Close != nil {
			_ = s.Close() // that it cannot be prepared says more
		}
		return Opened{}, err
	}
	return s, nil
}

// unrecorded drops what happens.
type unrecorded struct{}

func (unrecorded) Emit(event.Event) {}
func (unrecorded) Err() error       { return nil }
func (unrecorded) Keep(context.Context, string, io.Reader) (string, int64, string, error) {
	return "", 0, "", nil
}

// chosenAspects are what is compared of the choice among attempts.
func chosenAspects(c *event.AttemptChosen) []aspect {
	if c == nil {
		return nil
	}
	var b strings.Builder
	for _, m := range c.Marks {
		fmt.Fprintf(&b, "%+v\n", m)
	}
	return []aspect{{what: "chosen attempt", text: fmt.Sprintf("%d: %s", c.N, c.Why)}, {what: "marks of the attempts", text: b.String()}}
}

// AsChild is what a run came to, as its caller records it.
func (r Recording) AsChild(n int) event.ChildEnded {
	out := event.ChildEnded{N: n, Run: r.ID, Status: event.Abandoned, Snapshot: r.FinalState()}
	if out.Snapshot == "" && r.Session != nil && !r.ran() {
		out.Snapshot = r.Session.Snapshot
	}
	for _, s := range r.Steps {
		out.Steps = max(out.Steps, s.N)
		out.Errors += len(s.Rejected)
		for _, x := range s.Executions {
			if x.Ended != nil && x.Ended.Status != event.OK {
				out.Errors++
			}
		}
		if s.Exchange != nil {
			out.Tokens = out.Tokens.Add(s.Exchange.Reply.Tokens)
		}
	}
	for _, c := range r.Children {
		if c.Ended != nil {
			out.Tokens = out.Tokens.Add(c.Ended.Tokens)
		}
	}
	if e := r.Ended; e != nil {
		out.Status, out.Reason, out.Took = e.Status, e.Reason, e.Took
	}
	if a := r.Answer; a != nil {
		out.Text, out.Value, out.Figures, out.Files, out.Incomplete = a.Text, a.Value, a.Figures, a.Files, a.Incomplete
	}
	return out
}

// ran says whether any code ran.
func (r Recording) ran() bool {
	for _, s := range r.Steps {
		if len(s.Executions) > 0 {
			return true
		}
	}
	return false
}

// Messages is the whole conversation of a run that has its answer, for a question that goes
// on with it.
func (r Recording) Messages(a agent.Answer) []llm.Message {
	if len(r.Steps) == 0 {
		return nil
	}
	last := r.Steps[len(r.Steps)-1]
	if last.Exchange == nil {
		return last.Messages
	}
	return agent.Closed(last.Messages, last.Exchange.Reply, a)
}
