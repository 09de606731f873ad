package cli

import (
	"context"

	"praxis/internal/tool/gate"
)

// planApprover answers for a plan: as the command line says, else whoever is
// asked.
type planApprover struct {
	yes, later bool
	tools      *tooling
}

var _ gate.Approver = planApprover{}

// Approve asks about one call.
func (a planApprover) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	switch {
	case a.yes:
		return gate.Answer{Granted: true, Scope: gate.Once, By: gate.ByPerson, Who: a.tools.p.getenv("USER"), Reason: "--yes"}, nil
	case a.later:
		return gate.Answer{}, gate.ErrLater
	case a.tools.nobody:
		return gate.Answer{By: gate.ByPolicy, Reason: "There is no terminal to ask on. Grant it with --yes, or let it wait with --later"}, nil
	}
	return a.tools.approver.Approve(ctx, q)
}
