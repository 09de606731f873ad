// Package gate is the one way to a tool. Whoever calls (a model natively, code
// in a sandbox, a plan), the same things happen in the same order: the arguments
// are validated, the policy decides, an approval is requested where it says so, the
// call is recorded before it is made and its result after, limits and idempotency
// are enforced, and secrets are taken out.
package gate

import (
	"errors"

	"praxis/event"
)

// Origin says who calls.
type Origin string

// The origins.
const (
	Model Origin = event.OriginModel
	Code  Origin = event.OriginCode
	Plan  Origin = event.OriginPlan
	// Person is somebody at the command line. What they give is the user's.
	Person Origin = event.OriginPerson
)

// ErrLater says that the answer to a call, or to the question whether it may be
// made, comes later. Only plans can wait.
var ErrLater = errors.New("the answer comes later")
