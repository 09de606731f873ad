package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/record/journal"
	"praxis/internal/record/replay"
)

// PlanAgain asks for a run of a plan to go on that broke off: its process was killed, or it was
// ended from outside.
type PlanAgain struct {
	Run string // its id, or a reference to it
	// Tools name what implements the tools, and the rules that hold now.
	Tools ToolSpec
	Host  PlanHost                  // without a time: the recorded one
	Begun func(record string) error // as in AskRequest
}

// GoOnPlan goes on with a run of a plan that broke off, as a run of its own. Calls that are
// recorded with their answers are not made again. The call at which it broke off is decided and
// made as if it were new; where it may have been made, and changes something, the plan does not
// go on.
func (a *App) GoOnPlan(ctx context.Context, q PlanAgain, sink event.Sink) (out PlanResult, err error) {
	s, timeout, err := a.brokenPlan(ctx, q.Run)
	if err != nil {
		return out, err
	}
	if q.Host.Timeout == 0 {
		q.Host.Timeout = timeout
	}
	h, err := a.planHost(q.Host)
	if err != nil {
		return out, err
	}
	return a.fromState(ctx, ResumeRequest{Ref: s.run, Tools: q.Tools, Host: q.Host, Begun: q.Begun}, h, s, sink)
}

// brokenPlan reads a run of a plan that broke off, and the time that the plan had.
func (a *App) brokenPlan(ctx context.Context, ref string) (s storedPlan, timeout time.Duration, err error) {
	s.broken = true
	if s.run, err = a.FindRun(ctx, ref); err != nil {
		return s, 0, err
	}
	known, err := a.records.Journal.Summary(ctx, s.run)
	if err != nil {
		return s, 0, err
	}
	switch {
	case known.Imported:
		return s, 0, fault.New(fault.Invalid, "Run the plan anew.", "cannot go on with run %s: it was made elsewhere", s.run)
	case known.Status == journal.Running:
		return s, 0, fault.Coded(fault.RunUnfinished, fault.Data{"run": s.run}, "cannot go on with run %s: it has not ended yet", s.run)
	}
	rec, err := replay.LoadPlan(ctx, a.records.Journal, s.run)
	if err != nil {
		return s, 0, err
	}
	r, err := rec.Again(ctx)
	if err != nil {
		return s, 0, err
	}
	if s.state, err = r.Dump(); err != nil {
		return s, 0, err
	}
	sum := sha256.Sum256(s.state)
	s.sum, s.rules = hex.EncodeToString(sum[:]), rec.Rules
	return s, time.Duration(rec.Began.Bounds.Timeout), nil
}
