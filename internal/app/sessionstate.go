package app

import (
	"context"
	"time"

	"praxis/internal/session"
)

// CheckSessionName refuses what cannot be the name of a session.
func CheckSessionName(name string) error { return session.CheckName(name) }

// Saved says whether the name of the session stands at a state.
func (s *Session) Saved() bool { return s.named != nil && s.named.Head() != "" }

// End ends the sandbox, whatever runs in it. The session is still to be closed.
func (s *Session) End() error { return s.s.Close() }

// Mend looks whether the sandbox has died, and replaces it by one from the last state if it
// has. It returns what became of the session, "" when nothing did. An error with the code
// fault.SessionClosed says that the session has ended for good.
func (s *Session) Mend(ctx context.Context) (string, error) { return s.s.Mend(ctx) }

// SandboxUsage is what a session's sandbox uses now.
type SandboxUsage struct {
	Memory int64         // bytes, what the sandbox itself takes included
	CPU    time.Duration // that all programs used since it began
}

// Usage measures the sandbox from outside.
func (s *Session) Usage(ctx context.Context) (SandboxUsage, error) {
	u, err := s.s.Usage(ctx)
	return SandboxUsage{Memory: u.Memory, CPU: u.CPU}, err
}
