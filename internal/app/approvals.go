package app

import (
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
