package planner

import (
	"context"
	"errors"
	"strings"

	"praxis/fault"
	"praxis/internal/plan"
	"praxis/internal/plan/policy"
	"praxis/internal/tool/gate"
)

// Response answers the call that a stored plan waits at.
type Response struct {
	Approve *bool  // a person's decision; nil: there is none
	Reason  string // of the decision
	Result  any
	Given   bool   // there is a result
	Error   string // why there is none
	Endorse string // why a person vouches for the result; "": nobody does
	Who     string // the person
	Call    bool   // a call that was approved before may be made now
}

// Continue answers the call that a plan waits at, and goes on with the plan.
// approved says that the call was approved before. An answer that does not fit
// is a fault of kind Invalid, and the plan goes on waiting.
func Continue(ctx context.Context, r *plan.Run, h Host, a Response, approved bool) (Result, error) {
	call := r.Waiting()
	if call == nil {
		return Result{}, plan.ErrNotWaiting
	}
	if err := a.Fits(call, approved); err != nil {
		return Result{}, err
	}
	h.answers = &given{Response: a, call: call.Number, approved: approved}
	return Execute(ctx, r, h)
}

// Fits says whether the response is one to the call. A wrong one is a fault of
// kind Invalid. approved says that the call was approved before.
func (a Response) Fits(call *plan.Call, approved bool) error {
	bad := func(remedy, format string, args ...any) error {
		return fault.New(fault.Invalid, remedy, "cannot answer "+call.Tool.Name+": "+format, args...)
	}
	waits := func(code fault.Code, format string, args ...any) error {
		return fault.Coded(code, fault.Data{"tool": call.Tool.Name}, "cannot answer "+call.Tool.Name+": "+format, args...)
	}
	needsApproval := call.Decision.Verdict == policy.Ask && !approved
	switch {
	case a.Given && a.Error != "":
		return bad("Give one of them.", "both a result and an error were given")
	case a.Endorse != "" && !a.Given:
		return bad("Give the result, too.", "there is no result that could be endorsed")
	case call.Decision.Verdict == policy.Deny:
		return nil // by other rules than those that it waited under: it is denied, whatever the answer is
	case needsApproval && a.Approve == nil:
		return waits(fault.PlanNeedsApproval, "somebody has to agree to the call first: %s", strings.TrimSuffix(call.Decision.Reason, "."))
	case !needsApproval && a.Approve != nil:
		return waits(fault.PlanNeedsResult, "nobody has to agree to the call; it waits for its result")
	case !needsApproval && !a.Given && a.Error == "" && !a.Call:
		return waits(fault.PlanNeedsResult, "the call waits for its result")
	case a.Approve != nil && !*a.Approve && (a.Given || a.Error != ""):
		return bad("Deny it, or say what came of it.", "a call that is denied has no result")
	case !a.Given:
		return nil
	}
	schema, err := call.ReplySchema()
	if err != nil {
		return err
	}
	if m := schema.Validate(a.Result); m != nil {
		return bad("Its schema is: "+string(schema.JSON()), "the result does not fit: %s", m)
	}
	return nil
}

// given is the answer that somebody gave to one call.
type given struct {
	Response
	call     int
	approved bool
}

// result returns the result that somebody gave; ok is false when nobody did.
func (g *given) result(c *plan.Call) (result any, err error, ok bool) {
	switch {
	case g == nil || c.Number != g.call || !g.Given && g.Error == "":
		return nil, nil, false
	case g.Error != "":
		return nil, errors.New(g.Error), true
	case g.Endorse != "":
		return gate.Endorsed{Result: g.Result, Who: g.Who, Why: g.Endorse}, nil, true
	}
	return g.Result, nil, true
}

// to is the answer to the question whether the call may be made, nil when nobody gave one.
func (g *given) to(c *plan.Call) *gate.Answer {
	switch {
	case g == nil || c.Number != g.call:
		return nil
	case g.approved:
		return &gate.Answer{Granted: true, Scope: gate.Once, By: gate.ByPerson, Reason: "approved before the plan waited"}
	case g.Response.Approve == nil:
		return nil
	}
	return &gate.Answer{Granted: *g.Response.Approve, Scope: gate.Once, By: gate.ByPerson, Who: g.Who, Reason: g.Reason}
}
