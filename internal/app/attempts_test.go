package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/record/journal"
)

// TestAttemptBudget shows that what an attempt may use depends on how many there are, and on
// nothing of the machine.
func TestAttemptBudget(t *testing.T) {
	began := event.RunBegan{Branches: 16, Budget: event.Budget{Run: 1600, Time: event.Duration(time.Minute), Executed: event.Duration(32 * time.Second)}}
	a := &attempts{whole: &questionRun{run: &activeRun{Recorder: &journal.Recorder{}}}, began: began}
	b := a.childBegan(3).Budget
	if b.Run != 100 || time.Duration(b.Time) != time.Minute || time.Duration(b.Executed) != 2*time.Second {
		t.Errorf("budget = %+v", b)
	}
}

// TestWaited shows that an execution waits no longer than the host has measured, and not
// while it computes.
func TestWaited(t *testing.T) {
	for _, tt := range []struct {
		usage    event.Usage
		measured time.Duration
		want     float64
	}{
		{event.Usage{WallMS: 1000, WaitedMS: 999}, 0, 0},
		{event.Usage{WallMS: 1000, WaitedMS: 999}, 300 * time.Millisecond, 300},
		{event.Usage{WallMS: 1000, CPUMS: 900}, 800 * time.Millisecond, 100},
		{event.Usage{WallMS: 1000, CPUMS: 1900}, 800 * time.Millisecond, 0},
	} {
		if got := waitedOf(tt.usage, tt.measured); got != tt.want {
			t.Errorf("%+v, %s: %v, want %v", tt.usage, tt.measured, got, tt.want)
		}
	}
}

// TestTurns shows that the code of an attempt waits while that of others has the processors,
// and no longer than the run.
func TestTurns(t *testing.T) {
	turns := make(chan struct{}, 1)
	turns <- struct{}{}
	ctx, stop := context.WithCancelCause(t.Context())
	over := errors.New("the run is over")
	stop(over)
	if _, err := (waiting{turns: turns}).Execute(ctx, "", "", event.Bounds{}, event.Discard); !errors.Is(err, over) {
		t.Errorf("err = %v, want %v", err, over)
	}
}
