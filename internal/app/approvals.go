package app

import (
	"context"
	"os"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/approval"
	"praxis/internal/tool/gate"
)

// Approver is who is asked about the calls of a run.
type Approver = approval.Approver

// Approvals holds the open questions of many runs, each of which is answered by its id.
type Approvals = approval.Queue

// OpenApproval is an open question, with what a person has to know to answer it.
type OpenApproval = approval.Waiting

// QueueConfig says how the questions of a run get into [Approvals].
type QueueConfig = approval.QueueConfig

// Decision is what is said to an open question.
type Decision string

// The decisions.
const (
	ApproveOnce  = Decision(gate.Once)  // this call alone
	ApproveExact = Decision(gate.Exact) // each call of the run with the same arguments and origins
	ApproveRun   = Decision(gate.Whole) // each call of the tool in the run
	DenyCall     = Decision("deny")
)

// Decide answers the open question with an id. who is recorded with the decision.
func Decide(q *Approvals, id string, d Decision, who, reason string) error {
	switch d {
	case ApproveOnce, ApproveExact, ApproveRun:
		return q.Answer(id, true, gate.Scope(d), who, reason)
	case DenyCall:
		return q.Answer(id, false, gate.Once, who, reason)
	}
	return fault.New(fault.Invalid, "The decisions are once, exact, run and deny.", "cannot answer the question: %q is no decision", safetext.Clip(safetext.Line(string(d)), 40))
}

// Attended says whether there is somebody on this machine who is asked about calls: whoever
// decides in the place of a person, or a person at a terminal. Other ways to ask are for the
// machine that makes the calls.
func (s ApprovalSpec) Attended() (bool, error) {
	switch {
	case s.Approver != nil || s.Who == "terminal" || s.Who == "" && s.Terminal:
		return true, nil
	case s.Who == "" || s.Who == "never":
		return false, nil
	}
	return false, fault.New(fault.Invalid, "Name the terminal; webhooks and programs are for the operator of a server to name.", "cannot ask %s about calls that a server makes", safetext.Clip(safetext.Line(s.Who), 60))
}

// Here returns who is asked on this machine about calls that are made on another. See
// [ApprovalSpec.Attended]; what there is nobody for is denied.
func (s ApprovalSpec) Here() Approver {
	if s.Approver != nil {
		return s.Approver
	}
	approver, err := approval.Parse("terminal", s.terminal(os.Getenv))
	if err != nil {
		return approval.Never{Why: safetext.Line(err.Error())}
	}
	return approver
}

// Elsewhere is the cause by which a question is taken away that somebody else answered.
func Elsewhere() error { return approval.ErrElsewhere }

// maxOpen bounds how long a question of another machine is shown.
const maxOpen = 24 * time.Hour

// AskHere asks about a call that another machine makes, until its time is over there or ctx
// ends. What cannot be asked is denied.
func AskHere(ctx context.Context, approver Approver, open OpenApproval) (d Decision, reason string) {
	q, err := open.Call.Question()
	if err != nil {
		return DenyCall, "cannot ask: " + safetext.Line(err.Error())
	}
	// The clocks of two machines may differ: how long it is open counts, not until when.
	patience := open.Until.Sub(open.Opened)
	if patience <= 0 || patience > maxOpen {
		patience = maxOpen
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	answer, err := approver.Approve(ctx, q)
	switch {
	case err != nil:
		return DenyCall, "cannot ask: " + safetext.Line(err.Error())
	case !answer.Granted:
		return DenyCall, answer.Reason
	}
	return Decision(answer.Scope), answer.Reason
}
