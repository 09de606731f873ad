package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/plan"
	"praxis/internal/planner"
	"praxis/internal/record/journal"
	"praxis/internal/safetext"
)

// PlanResponse is what somebody says to the call that a plan waits at.
type PlanResponse = planner.Response

// ResumeRequest asks for a plan that waits to go on.
type ResumeRequest struct {
	Ref      string // the run that waits, or the file that its state was stored in
	Response PlanResponse
	// Tools name what implements the tools, and other rules than those of the run
	// when it names a policy. Without files, calls wait for their results.
	Tools ToolSpec
	Host  PlanHost
	Again bool                      // go on also when it was gone on with before
	Begun func(record string) error // as in AskRequest
}

// check refuses what is wrong in itself.
func (q ResumeRequest) check() error {
	r := q.Response
	denied := r.Approve != nil && !*r.Approve
	blank := func(s string) bool { return strings.TrimSpace(s) == "" }
	bad := func(remedy, cause string) error {
		return fault.New(fault.Invalid, remedy, "cannot go on with the plan: %s", cause)
	}
	switch {
	case !r.Given && r.Error == "" && r.Approve == nil && !r.Call && !q.Host.Yes:
		return bad("Give its result or why it failed, approve it or deny it; or name the files of tools, to make a call that was approved already.",
			"nothing is said to the call that it waits at")
	case denied && blank(r.Reason):
		return bad("Say why it is denied.", "a call that is denied needs a reason")
	case r.Error != "" && blank(r.Error):
		return bad("Say why it failed.", "a call that failed needs a text")
	case r.Endorse != "" && blank(r.Endorse):
		return bad("Say why.", "who vouches for a result needs a reason")
	}
	return q.Host.check()
}

// storedPlan is a plan that waits, and what is known of the run that stored it.
type storedPlan struct {
	state    []byte
	sum      string
	run      string // "": it is not recorded here
	rules    planner.Rules
	approved bool // the call was: its result is what is missing
	broken   bool // it broke off rather than wait: the call is decided and made as if it were new
}

// ResumePlan answers the call that a plan waits at, and goes on with the plan, as
// a run of its own. The policy and the definitions are those that the run was
// recorded with, unless the request names others; the call is decided again.
func (a *App) ResumePlan(ctx context.Context, q ResumeRequest, sink event.Sink) (out PlanResult, err error) {
	if err := q.check(); err != nil {
		return out, err
	}
	h, err := a.planHost(q.Host)
	if err != nil {
		return out, err
	}
	s, err := a.findPlan(ctx, q)
	if err != nil {
		return out, err
	}
	return a.fromState(ctx, q, h, s, sink)
}

// fromState goes on with a plan from a state, as a run of its own.
func (a *App) fromState(ctx context.Context, q ResumeRequest, h planHost, s storedPlan, sink event.Sink) (out PlanResult, err error) {
	t, o, err := a.resumedTools(ctx, q.Tools, &s, sink)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	r, err := plan.Resume(ctx, s.state, o.Tools, o.Policy)
	if err != nil {
		return out, err
	}
	if h.Yes && !s.approved && q.Response.Approve == nil && !q.Response.Given && q.Response.Error == "" {
		q.Response.Approve = &h.Yes // every call is this one, too
	}
	if !s.broken {
		if err := q.Response.Fits(r.Waiting(), s.approved); err != nil {
			return out, err
		}
	}
	s.rules.Strict = r.Plan().Strict
	began := event.RunBegan{}
	if s.run != "" {
		began.Parent = &event.Parent{Run: s.run, Change: event.Resumed}
	}
	played := r.Started().Rehearsed // what the state says, wherever it comes from
	h.rehearsal.Example = played.Example
	begun, err := a.resumeOnce(ctx, q, s)
	if err != nil {
		return out, err
	}
	defer begun()
	p := &planRun{app: a, tools: t, rules: s.rules, host: h, prepared: r.Plan(), start: r.Started(), begun: q.Begun}
	return p.run(ctx, began, sink, func(ctx context.Context, rec *journal.Recorder, host planner.Host) (planner.Result, error) {
		sum, n, withheld, err := rec.Keep(ctx, "state", bytes.NewReader(s.state))
		if err != nil {
			return planner.Result{}, err
		}
		rec.Emit(event.FileGiven{Name: "state", Role: planner.RoleState, Bytes: n, SHA256: sum, Withheld: withheld})
		rec.Emit(event.PlanResumed{State: s.sum, Run: s.run, Rehearsed: played.Tools, Example: played.Example})
		begun()
		if s.broken {
			return planner.Execute(ctx, r, host)
		}
		return planner.Continue(ctx, r, host, q.Response, s.approved)
	})
}

// resumedTools opens the tools that a request names, and returns the definitions
// and the policy that the plan goes on with: what its run kept, unless the
// request says other. Without files of tools nothing implements any.
func (a *App) resumedTools(ctx context.Context, spec ToolSpec, s *storedPlan, sink event.Sink) (*toolset, plan.Options, error) {
	given, err := spec.read()
	if err != nil {
		return nil, plan.Options{}, err
	}
	if given.Policy != nil {
		s.rules.Policy = given.Policy
	}
	spec.Policy = ""
	t, err := a.openTools(ctx, spec, NetSpec{}, sink)
	if err != nil {
		return nil, plan.Options{}, err
	}
	if len(given.Tools) > 0 {
		s.rules.Tools = t.rules.Tools
	}
	o, err := s.rules.Load()
	if err != nil {
		return nil, o, errors.Join(err, t.close())
	}
	return t, o, nil
}

// findPlan finds the plan that a request names.
func (a *App) findPlan(ctx context.Context, q ResumeRequest) (storedPlan, error) {
	if !IsFile(q.Ref) {
		id, err := a.FindRun(ctx, q.Ref)
		if err != nil {
			return storedPlan{}, err
		}
		// What somebody else's record says of approvals, and of where data come from, is their word.
		if known, err := a.records.Journal.Summary(ctx, id); err != nil {
			return storedPlan{}, err
		} else if known.Imported {
			return storedPlan{}, fault.New(fault.Invalid, "Run the plan anew.", "cannot go on with run %s: it was made elsewhere", id)
		}
		s, err := a.waitingRun(ctx, id)
		if err != nil {
			return s, err
		}
		if s.state, err = a.stateOf(ctx, s); err != nil {
			return s, err
		}
		return s, nil
	}
	state, err := ReadText(q.Ref, plan.MaxState)
	if err != nil {
		return storedPlan{}, err
	}
	sum := sha256.Sum256(state)
	s, err := a.waitingState(ctx, hex.EncodeToString(sum[:]))
	if err != nil {
		return s, err
	}
	s.state, s.sum = state, hex.EncodeToString(sum[:])
	if s.run == "" && len(q.Tools.Files) == 0 && q.Tools.Policy == "" {
		// What is wrong may be the file; and a plan without tools needs none.
		if _, err := plan.Resume(ctx, state, nil, nil); err == nil || fault.KindOf(err) == fault.Invalid {
			return s, err
		}
		return s, fault.New(fault.Invalid, "Name the files of tools and the policy that it was started with.",
			"cannot go on from %s: the run that stored it is not recorded here", safetext.Line(q.Ref))
	}
	return s, nil
}

// stateOf reads the state that a run stored.
func (a *App) stateOf(ctx context.Context, s storedPlan) (data []byte, err error) {
	from, err := a.records.Journal.Blob(ctx, s.sum)
	if err != nil {
		return nil, fault.Coded(fault.PlanStateMissing, fault.Data{"run": s.run}, "cannot go on with run %s: its state is not kept in the journal", s.run)
	}
	data, err = bounded.ReadClose(from, plan.MaxState)
	if sum := sha256.Sum256(data); err == nil && hex.EncodeToString(sum[:]) != s.sum {
		err = fault.Coded(fault.RunUnreadable, fault.Data{"run": s.run}, "cannot go on with run %s: its state was changed", s.run)
	}
	return data, err
}

// waitingRun reads what a run that waits was recorded with.
func (a *App) waitingRun(ctx context.Context, id string) (storedPlan, error) {
	s := storedPlan{run: id}
	granted := map[string]bool{}
	call, waits := "", false
	for rec, err := range a.records.Journal.Records(ctx, id) {
		if err != nil {
			return s, err
		}
		switch e := rec.Event.(type) {
		case event.FileGiven:
			if err := a.takeRules(ctx, &s, e); err != nil {
				return s, err
			}
		case event.ApprovalGiven:
			granted[e.ID] = e.Granted
		case event.PlanWaits:
			s.sum, call, waits = e.State, e.ID, true
		case event.PlanEnded:
			waits = false
		}
	}
	if !waits {
		return s, fault.Coded(fault.PlanNotWaiting, fault.Data{"run": id}, "cannot go on with run %s: it does not wait", id)
	}
	s.approved = granted[call]
	return s, nil
}

// takeRules takes a file of definitions or the policy from the record of a run.
func (a *App) takeRules(ctx context.Context, s *storedPlan, e event.FileGiven) error {
	if e.Role != planner.RoleTools && e.Role != planner.RolePolicy {
		return nil
	}
	if e.Withheld != "" {
		return fault.New(fault.Conflict, "Take the secret out of the file and start the plan again.", "cannot go on with run %s: the journal does not keep %s: %s", s.run, safetext.Line(e.Name), e.Withheld)
	}
	text, err := a.records.Content(ctx, e.SHA256)
	if err != nil {
		return err
	}
	t := planner.Text{Name: e.Name, Text: string(text)}
	if e.Role == planner.RolePolicy {
		s.rules.Policy = &t
	} else {
		s.rules.Tools = append(s.rules.Tools, t)
	}
	return nil
}

// waitingState finds the run that stored a state, the newest when several did;
// there may be none. A plan that waited for an approval and one that then waits
// for the result have one state: the call counts as approved when it was in all
// of them.
func (a *App) waitingState(ctx context.Context, sum string) (storedPlan, error) {
	var found storedPlan
	for run, err := range a.eachRun(ctx, journal.Query{Status: event.Waiting}) {
		if err != nil {
			return storedPlan{}, err
		}
		s, err := a.waitingRun(ctx, run.ID)
		s.approved = s.approved && !run.Imported
		switch {
		case err != nil || s.sum != sum:
		case found.run == "":
			found = s
		default:
			found.approved = found.approved && s.approved
		}
	}
	return found, nil
}
