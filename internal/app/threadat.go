package app

import (
	"context"
	"errors"

	"praxis/fault"
	"praxis/internal/agent"
)

// Said is what somebody said in a conversation that was led elsewhere.
type Said = agent.Said

// ThreadStands returns the run that a thread was saved by last.
func (a *App) ThreadStands(ctx context.Context, name string) (run string, err error) {
	t, err := a.records.Memory.Thread(ctx, name)
	if err != nil || len(t.Runs) == 0 {
		return "", err
	}
	return t.Runs[len(t.Runs)-1], nil
}

// ForkThreadAt makes the thread to, which goes on where from stood when a run of it had been
// answered, with a session of its own. NotFound: that state is not kept any more.
func (a *App) ForkThreadAt(ctx context.Context, from, to, run string) error {
	m, err := a.machinery(ctx)
	if err != nil {
		return err
	}
	t, err := a.records.Memory.Thread(ctx, from)
	if err != nil {
		return err
	}
	if t, err = t.At(run); err != nil {
		return err
	}
	if err := a.free(ctx, m, "fork", from, to); err != nil {
		return err
	}
	if t.Snapshot == "" {
		return fault.New(fault.NotFound, "Go on with the thread as it is.", "cannot fork thread %s: it had no session then", from)
	}
	// The session goes first: a thread without one would go on without its variables.
	if err := m.sessions.ForkNamedAt(ctx, from, to, t.Snapshot); err != nil {
		return err
	}
	if _, err := a.records.Memory.AddFork(ctx, t, to); err != nil {
		return errors.Join(err, unless(fault.NotFound, m.sessions.RemoveNamed(ctx, to)))
	}
	return nil
}

// Redact returns a text without the secrets that the record leaves out, for what is stored
// beside it.
func (a *App) Redact(text string) string { return a.records.Journal.Redact(text) }
