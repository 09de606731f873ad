package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
	"praxis/internal/config"
	"praxis/internal/record/journal"
	"praxis/internal/session"
)

// Retention says which steps of a named session stay.
type Retention = session.Retention

// usualRetention is the one of the configuration.
func usualRetention(c Config) Retention {
	return Retention{Keep: c.Sessions.Keep, For: c.Sessions.KeepFor}
}

// PrunedSession says which steps of a named session went, or would go.
type PrunedSession = session.PrunedSession

// PruneRequest says which steps of named sessions go.
type PruneRequest struct {
	Names     []string       // none: all sessions
	Keep      int            // the last so many stay; 0: see below
	OlderThan *time.Duration // younger ones stay; nil: see below
	DryRun    bool           // nothing is removed, and only said
}

// retention of a request: one that names neither takes the configuration's, and one
// that only names an age keeps no step for its place in the line but the last.
func (q PruneRequest) retention(c Config) (Retention, error) {
	switch {
	case q.Keep == 0 && q.OlderThan == nil:
		return usualRetention(c), nil
	case q.Keep != 0:
		if err := config.Keep.Check(float64(q.Keep)); err != nil {
			return Retention{}, err
		}
	}
	out := Retention{Keep: max(q.Keep, 1)}
	if q.OlderThan != nil {
		out.For = *q.OlderThan
	}
	return out, nil
}

// PruneSessions removes old steps of named sessions. What recorded runs of the last
// [UsualAge] begin with leaves the history and stays stored: they can be replayed.
func (a *App) PruneSessions(ctx context.Context, q PruneRequest) ([]PrunedSession, error) {
	keep, err := q.retention(a.opt.Config)
	if err != nil {
		return nil, err
	}
	m, err := a.machinery(ctx)
	if err != nil {
		return nil, err
	}
	begun, err := a.begunWith(ctx, UsualAge)
	if err != nil {
		return nil, err
	}
	return m.sessions.PruneNamed(ctx, session.Prune{
		Names: q.Names, Retention: keep, DryRun: q.DryRun, Keep: func(id string) bool { return begun[id] },
	})
}

// begunWith returns the snapshots that recorded runs of that age or younger begin with:
// without its own, such a run cannot be replayed.
func (a *App) begunWith(ctx context.Context, age time.Duration) (map[string]bool, error) {
	out := map[string]bool{}
	q := journal.Query{Since: time.Now().Add(-age), Limit: 500}
	for {
		runs, err := a.records.Journal.Runs(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			id, err := a.stateBefore(ctx, r.ID)
			if err != nil {
				return nil, err
			}
			out[id] = true
		}
		if len(runs) < q.Limit {
			return out, nil
		}
		q.Before = &runs[len(runs)-1]
	}
}

// stateBefore returns the snapshot that a run begins with, or "". A record that is
// damaged before it says so cannot be replayed with any.
func (a *App) stateBefore(ctx context.Context, id string) (string, error) {
	for r, err := range a.records.Journal.Records(ctx, id) {
		if ctx.Err() != nil {
			return "", fault.New(fault.Canceled, "", "%w", context.Cause(ctx))
		}
		if err != nil {
			return "", nil
		}
		switch e := r.Event.(type) {
		case event.SessionBegan:
			return e.Snapshot, nil
		case event.StepBegan:
			return "", nil
		}
	}
	return "", nil
}

// tidied is the file whose time says when the snapshots of runs were last looked at. It
// holds how many bytes of snapshots may be saved before they are looked at again.
const tidied = ".tidied"

// saved counts the bytes of the snapshots that a run takes.
type saved struct {
	bytes  atomic.Int64
	newest atomic.Value // the id of the snapshot that has the state of the session; "": none has
}

// last returns the snapshot that has the state before the code that is executed, or "".
func (s *saved) last() string {
	id, _ := s.newest.Load().(string)
	return id
}

// Emit implements event.Sink.
func (s *saved) Emit(e event.Event) {
	if e, ok := e.(event.SnapshotTaken); ok {
		s.bytes.Add(e.Bytes)
		s.newest.Store(e.Snapshot)
	}
	if _, ran := e.(event.ExecutionEnded); ran {
		s.newest.Store("")
	}
}

// tidyAfter packs the snapshots that a run has saved, and keeps those of all runs within
// their quota: the oldest go. It looks at all of them only when so much was saved since
// the last time that the quota may be used up.
func (a *App) tidyAfter(ctx context.Context, s *saved) error {
	bytes := s.bytes.Load()
	if bytes == 0 {
		return nil
	}
	stamp := filepath.Join(a.opt.Config.Home, "snapshots", tidied)
	space := a.spaceLeft(stamp)
	if space <= bytes {
		return a.tidy(ctx)
	}
	m, err := a.machinery(ctx)
	if err != nil {
		return err
	}
	// Two runs that end at the same time may count as one: what is left is half of the space.
	return errors.Join(m.sessions.Pack(ctx), a.writeSpace(stamp, space-bytes))
}

// spaceLeft is what may be saved before the next look, 0 when that is not known or the
// quota is another one by now.
func (a *App) spaceLeft(stamp string) int64 {
	text, err := bounded.ReadFile(stamp, 64)
	if err != nil {
		return 0
	}
	var quota, space int64
	if _, err := fmt.Sscan(string(text), &quota, &space); err != nil || quota != a.opt.Config.Journal.SnapshotBytes {
		return 0
	}
	return space
}

// writeSpace writes down what may be saved until the next look, whose time stays.
func (a *App) writeSpace(stamp string, space int64) error {
	st, err := os.Stat(stamp)
	if err != nil {
		return nil // somebody takes the whole folder away
	}
	if err := atomicfile.WriteFile(stamp, a.spaceText(space)); err != nil {
		return nil // a folder that cannot be written to is reported by what has to write
	}
	return os.Chtimes(stamp, st.ModTime(), st.ModTime())
}

func (a *App) spaceText(space int64) []byte {
	return fmt.Appendf(nil, "%d %d", a.opt.Config.Journal.SnapshotBytes, space)
}

// tidy looks at the snapshots of all runs. Where they are too many it makes space for
// more, so that it need not look again after each run.
func (a *App) tidy(ctx context.Context) error {
	m, err := a.machinery(ctx)
	if err != nil {
		return err
	}
	quota := a.opt.Config.Journal.SnapshotBytes
	out, err := m.sessions.CollectSnapshots(ctx, session.Collect{OlderThan: math.MaxInt64, Quota: quota, Slack: quota / 10})
	if err != nil {
		return err
	}
	stamp := filepath.Join(a.opt.Config.Home, "snapshots", tidied)
	if err := atomicfile.WriteFile(stamp, a.spaceText(max(0, quota-out.Left)/2)); err != nil {
		return nil // a folder that cannot be written to is reported by what has to write
	}
	return nil
}

// tidyDaily keeps the snapshots that left the histories of sessions within the quota of
// those of runs: a look at all of them is too much for every step.
func (a *App) tidyDaily(ctx context.Context) error {
	stamp := filepath.Join(a.opt.Config.Home, "snapshots", tidied)
	st, err := os.Stat(stamp)
	if err == nil && time.Since(st.ModTime()) < 24*time.Hour {
		return nil
	}
	first := errors.Is(err, fs.ErrNotExist)
	if first {
		f, err := os.OpenFile(stamp, os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil // a folder that cannot be written to is reported by what has to write
		}
		return f.Close()
	}
	return a.tidy(ctx)
}
