package api

import (
	"context"
	"net/http"

	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/live"
)

// tools are those that a run may call. Where the operator named nobody who is asked about
// calls, they are open questions.
func (c *Call) tools(r *live.Run, unattended bool) app.ToolSpec {
	t := c.Server.Tools
	switch {
	case unattended:
		t.Approval = app.ApprovalSpec{Who: "never"}
	case t.Approval.Who == "":
		t.Approval.Approver = r.Approver(t.Approval.Timeout)
	}
	return t
}

// ApprovalOpen is the name of the event of a run that is an open question, an
// [app.OpenApproval].
const ApprovalOpen = live.ApprovalOpen

// who names the caller in a record.
func (c *Call) who() string { return "key " + c.Key.ID + " of " + c.Key.Tenant }

// Approvals are the open questions of a tenant, the oldest first.
type Approvals struct {
	Approvals []app.OpenApproval `json:"approvals"`
}

// AnswerTo answers an open question.
type AnswerTo struct {
	Approval string       `json:"approval" in:"path" jsonschema:"the id of the question"`
	Decision app.Decision `json:"decision" jsonschema:"once (this call alone), exact (each call of the run with the same arguments and origins), run (each call of the tool in the run) or deny"`
	Reason   string       `json:"reason,omitempty" jsonschema:"why; it is recorded, and who made the call reads it"`
}

func approvals() []Operation {
	return []Operation{
		operation("approvals.list", http.MethodGet, "/approvals", access.Read, http.StatusOK, "List the calls of runs that wait for somebody to agree to them.",
			func(_ context.Context, c *Call, _ Nothing) (Approvals, error) {
				return Approvals{c.Tenant.Hub.Approvals().Open()}, nil
			}),
		operation("approvals.answer", http.MethodPost, "/approvals/{approval}", access.Approve, http.StatusNoContent, "Agree to a call that waits, or deny it. It is recorded with the id of the key.",
			func(_ context.Context, c *Call, in AnswerTo) (Nothing, error) {
				return Nothing{}, app.Decide(c.Tenant.Hub.Approvals(), in.Approval, in.Decision, c.who(), in.Reason)
			}),
	}
}
