package app

import (
	"context"
	"fmt"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/config"
	"praxis/internal/record/replay"
	"praxis/internal/safetext"
)

// foreign opens sessions for a run that was made elsewhere. What its record says
// is somebody else's word: a state that was made here and lies here under the name
// that it gives is not for its code to see, and how much of this host it may take is
// for the person here to say.
func (a *App) foreign(open func(context.Context, event.SessionBegan) (replay.Opened, error)) func(context.Context, event.SessionBegan) (replay.Opened, error) {
	return func(ctx context.Context, want event.SessionBegan) (replay.Opened, error) {
		c := a.opt.Config
		if want.Snapshot != "" {
			m, err := a.machinery(ctx)
			if err != nil {
				return replay.Opened{}, err
			}
			if !m.sessions.SnapshotImported(want.Snapshot) {
				return replay.Opened{}, fault.New(fault.Conflict, "Import the session that it ran in as well, or have it replayed where it was made.",
					"cannot open the state that the run began with: the run was made elsewhere, and snapshot %s is not in its record", ShortID(want.Snapshot))
			}
		}
		if x, more := want.Limits.Exceeds(c.Limits); more {
			show := plainNumber
			if x.Limit.Bytes {
				show = sizeOf
			}
			return replay.Opened{}, fault.New(fault.Denied, "If you trust the run, raise the limit in the configuration.",
				"cannot open a session for a run that was made elsewhere: its limit of %s is %s, and the configuration allows %s",
				x.Limit.Name, show(x.Is), show(x.Most))
		}
		if err := config.ValidateLimits(want.Limits.WithDefaults()); err != nil {
			return replay.Opened{}, fault.New(fault.Conflict, "Have a record made that a session can have.",
				"cannot open a session for a run that was made elsewhere: %w", err)
		}
		return open(ctx, want)
	}
}

func sizeOf(n float64) string { return safetext.Size(int64(n)) }

func plainNumber(n float64) string { return fmt.Sprintf("%g", n) }

// allowed returns a function that gives each execution of a run which was made
// elsewhere no more time and output than the configuration allows.
func allowed(c Config) func(event.RunBegan) event.RunBegan {
	return func(b event.RunBegan) event.RunBegan {
		most := c.Execution
		if b.Kind == event.Ask && len(b.Tools) > 0 {
			most = awaitingCalls(most)
		}
		b.Bounds = event.Bounds{
			Timeout: least(b.Bounds.Timeout, most.Timeout), CPU: least(b.Bounds.CPU, most.CPU),
			OutputBytes: least(b.Bounds.OutputBytes, most.OutputBytes), Whole: b.Bounds.Whole, ReadOnly: b.Bounds.ReadOnly,
			Columns: validColumns(b.Bounds.Columns),
		}
		return b
	}
}

// least returns n where it is a bound and no more than most is; a most of 0
// bounds nothing.
func least[T int | int64 | float64 | event.Duration](n, most T) T {
	if n <= 0 || most > 0 && n > most {
		return most
	}
	return n
}

// affordable returns the beginning of a run that was made elsewhere with no more
// steps and tokens than a question has here: a branch pays for them.
func affordable(b event.RunBegan, c Config) event.RunBegan {
	b.MaxSteps = least(b.MaxSteps, c.Ask.MaxSteps)
	most := c.Ask.Budget.Over(event.Budget{Run: agent.DefaultRun, Attempts: agent.DefaultAttempts})
	given := b.Budget
	b.Budget = event.Budget{Reply: least(given.Reply, agent.DefaultReply), Window: least(given.Window, c.Ask.Window)}
	for _, s := range event.BudgetTable() {
		s.Set(&b.Budget, least(s.Of(given), s.Of(most)))
	}
	return b
}

// validColumns returns a recorded width, or none in the place of one that cannot be.
func validColumns(n int) int {
	if n < event.MinColumns || n > event.MaxColumns {
		return 0
	}
	return n
}
