package guest

import (
	"context"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest/wire"
)

// Traced says when an execution passed each place, outside by the clock of the host
// and inside by that of the guest: only times of one clock can be compared.
type Traced struct {
	Began time.Time // it was asked for
	Wrote time.Time // its request was written
	Read  time.Time // the answer had been read
	Ended time.Time // who asked has it
	Guest wire.Stamps
}

// Trace executes code as Execute does, without its output, and says what took how long.
func (c *Client) Trace(ctx context.Context, args wire.Execute) (Traced, event.Execution, error) {
	const what = "trace execution"
	if args.Exec == "" {
		args.Exec = newName()
	}
	args.Stamps = true
	t := Traced{Began: time.Now()}
	f := newFollowed(c, args.Exec, wire.MaxOutput, event.Discard)
	f.changes, f.stamped = args.Changes, true
	k, err := c.openSoon(ctx, what, wire.OpExecute, args)
	if err != nil {
		return t, event.Execution{}, err
	}
	x, err := f.follow(ctx, what, k)
	if err != nil {
		f.k.abandon()
		return t, x, err
	}
	t.Ended = time.Now()
	if f.stamps == nil {
		return t, x, fault.New(fault.Unavailable, "", "cannot %s: the guest gave it no stamps", what)
	}
	f.k.mu.Lock()
	t.Wrote, t.Read, t.Guest = f.k.wrote, f.k.came, *f.stamps
	f.k.mu.Unlock()
	return t, x, nil
}
