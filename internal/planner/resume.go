package planner

import (
	"context"
	"errors"
	"strings"

	"praxis/internal/fault"
	"praxis/internal/plan"
	"praxis/internal/plan/policy"
)

// Response is what is said to a call that a stored plan waits at.
type Response struct {
	Approve *bool  // a person's decision; nil: there is none
	Reason  string // of the decision
	Result  any
	Given   bool   // there is a result
	Error   string // why there is none
	Endorse string // why a person vouches for the result; "": nobody does
	Who     string // the person
}

// Endorsed is a result that a person has looked at and vouches for. [Tools] may
// return one.
type Endorsed struct {
	Result   any
	Who, Why string
}

// Continue answers the call that a plan waits at, and carries the plan on.
// approved says that the call was approved before. An answer that does not fit
// is a fault of kind Invalid, and the plan goes on waiting.
func Continue(ctx context.Context, r *plan.Run, h Host, a Response, approved bool) (Outcome, error) {
	call := r.Waiting()
	if call == nil {
		return Outcome{}, plan.ErrNotWaiting
	}
	if err := a.Fits(call, approved); err != nil {
		return Outcome{}, err
	}
	g := &given{Response: a, call: call.Number, approved: approved, tools: h.Tools, approver: h.Approver}
	h.Tools, h.Approver = g, g
	return Carry(ctx, r, h)
}

// Fits says whether the response is one to the call. A wrong one is a fault of
// kind Invalid. approved says that the call was approved before.
func (a Response) Fits(call *plan.Call, approved bool) error {
	bad := func(remedy, format string, args ...any) error {
		return fault.New(fault.Invalid, remedy, "cannot answer "+call.Tool.Name+": "+format, args...)
	}
	asks := call.Decision.Verdict == policy.Ask && !approved
	switch {
	case a.Given && a.Error != "":
		return bad("Give one of them.", "both a result and an error were given")
	case a.Endorse != "" && !a.Given:
		return bad("Give the result, too.", "there is no result that could be endorsed")
	case call.Decision.Verdict == policy.Deny:
		return nil // by other rules than those that it waited under: it is denied, whatever was said
	case asks && a.Approve == nil:
		return bad("Approve or deny it: --approve, or --deny REASON.", "somebody has to agree to the call first: %s", strings.TrimSuffix(call.Decision.Reason, "."))
	case !asks && a.Approve != nil:
		return bad("Answer it: --result JSON, or --error TEXT.", "nobody has to agree to the call; it waits for its result")
	case !asks && !a.Given && a.Error == "":
		return bad("Answer it: --result JSON, or --error TEXT.", "the call waits for its result")
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

// given answers one call as somebody said, and all others as the host does.
type given struct {
	Response
	call     int
	approved bool
	tools    Tools
	approver Approver
}

// Call answers a call.
func (g *given) Call(ctx context.Context, c *plan.Call) (any, error) {
	switch {
	case c.Number != g.call || !g.Given && g.Error == "":
		if g.tools == nil {
			return nil, ErrNoImplementation
		}
		return g.tools.Call(ctx, c)
	case g.Error != "":
		return nil, errors.New(g.Error)
	case g.Endorse != "":
		return Endorsed{g.Result, g.Who, g.Endorse}, nil
	}
	return g.Result, nil
}

// Approve asks a person, unless one has said.
func (g *given) Approve(ctx context.Context, c *plan.Call) (granted bool, by, reason string, err error) {
	switch {
	case c.Number == g.call && g.approved:
		return true, "person", "approved before the plan waited", nil
	case c.Number == g.call:
		return *g.Response.Approve, "person", g.Reason, nil
	case g.approver == nil:
		return nobody()
	}
	return g.approver.Approve(ctx, c)
}

// nobody denies for want of a person.
func nobody() (granted bool, by, reason string, err error) {
	return false, "policy", "Nobody is there who could be asked.", nil
}
