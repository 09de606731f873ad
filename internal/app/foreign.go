package app

import (
	"context"
	"fmt"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/record/replay"
	"praxis/internal/safetext"
)

// foreign opens sessions for a run that was made elsewhere. What its record says
// is somebody else's word: a state that lies here under the name that it gives is
// not for its code to see, and how much of this host it may take is for the
// person here to say.
func foreign(open func(context.Context, event.SessionBegan) (replay.Opened, error), c Config) func(context.Context, event.SessionBegan) (replay.Opened, error) {
	return func(ctx context.Context, want event.SessionBegan) (replay.Opened, error) {
		if want.Snapshot != "" {
			return replay.Opened{}, fault.New(fault.Conflict, "Have it replayed where it was made.",
				"cannot open the state that the run began with: the run was made elsewhere, and snapshot %s is not in its record", ShortID(want.Snapshot))
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
		return open(ctx, want)
	}
}

func sizeOf(n float64) string { return safetext.Size(int64(n)) }

func plainNumber(n float64) string { return fmt.Sprintf("%g", n) }

// affordable returns the beginning of a run that was made elsewhere with no more
// steps and tokens than a question has here: a branch pays for them.
func affordable(b event.RunBegan, c Config) event.RunBegan {
	for _, x := range []struct {
		n    *int
		most int
	}{
		{&b.MaxSteps, c.Ask.MaxSteps}, {&b.Budget.Reply, agent.DefaultMaxTokens},
		{&b.Budget.Run, agent.DefaultTotalTokens}, {&b.Budget.Window, c.Ask.Window},
	} {
		if *x.n <= 0 || *x.n > x.most {
			*x.n = x.most
		}
	}
	return b
}
