package app

import "praxis/internal/session"

// CheckSessionName refuses what cannot be the name of a session.
func CheckSessionName(name string) error { return session.CheckName(name) }

// Saved says whether the name of the session stands at a state.
func (s *Session) Saved() bool { return s.named != nil && s.named.Head() != "" }

// End ends the sandbox, whatever runs in it. The session is still to be closed.
func (s *Session) End() error { return s.s.Close() }
