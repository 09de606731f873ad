package stream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

// Retry is how patiently a provider asks again after a failure that may pass.
// The zero value asks four times in all, with pauses of 0.5, 1 and 2 seconds.
type Retry struct {
	Attempts int           // in all; 0: 4
	Base     time.Duration // the first pause, doubled each time; 0: 500 ms
	Max      time.Duration // the longest pause, also of what a server asks for; 0: 30 s
	// Pausing is called for each pause. It may be nil.
	Pausing func(llm.Pause)
	// Sleep waits for d or until ctx is done. nil: a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Jitter returns a number in [0, 1) that spreads the pauses. nil: random.
	Jitter func() float64
}

// Temporary is a failure that may pass: Do asks again.
type Temporary struct {
	Err   error
	Why   string        // the cause alone, short; "": the text of Err
	After time.Duration // the pause that the server asked for; 0: it did not say
	Slow  bool          // it took all the time that there was: Do asks once more only
}

// Error returns the failure's own text.
func (t *Temporary) Error() string { return t.Err.Error() }

// Unwrap returns the failure.
func (t *Temporary) Unwrap() error { return t.Err }

func (t *Temporary) why() string {
	if t.Why != "" {
		return safetext.OneLine(t.Why, 120)
	}
	return safetext.OneLine(t.Err.Error(), 120)
}

// Do calls attempt until it succeeds, fails for good or the attempts are used
// up. The error that it returns is never a *Temporary. A server that asks for a
// longer pause than Max is not waited for.
func (r Retry) Do(ctx context.Context, attempt func() error) error {
	r = r.withDefaults()
	for n := 1; ; n++ {
		err := attempt()
		if err == nil {
			return nil
		}
		if cause := ctx.Err(); cause != nil {
			return fault.New(fault.Canceled, "", "cannot ask the model: %w", cause)
		}
		var passing *Temporary
		if !errors.As(err, &passing) {
			return err
		}
		if n >= r.Attempts || passing.Slow && n >= 2 {
			return tried(passing.Err, n)
		}
		if passing.After > r.Max {
			return waitTooLong(passing.Err, passing.After)
		}
		pause := r.pause(n, passing.After)
		r.Pausing(llm.Pause{Reason: passing.why(), After: pause, Attempt: n + 1})
		if err := r.Sleep(ctx, pause); err != nil {
			return fault.New(fault.Canceled, "", "cannot ask the model: %w", err)
		}
	}
}

// again is shown before a reply that was cut is streamed once more.
const again = "\n[the reply was cut: sending the request again]\n"

// Stream completes a request as Do does: each attempt streams its text to the
// function that it is given, and delta, which may be nil, gets a line that says
// so when a reply that was shown in part begins anew. The request's Pausing is
// called for each pause. The tokens of the reply, also of one beside an error, are those of
// all attempts: a server charges for a reply that is cut, too.
func (r Retry) Stream(ctx context.Context, req llm.Request, delta func(string), attempt func(show func(string)) (llm.Reply, error)) (llm.Reply, error) {
	if delta == nil {
		delta = func(string) {}
	}
	r.Pausing = req.Pausing
	var reply llm.Reply
	var used event.Tokens
	shown := false
	err := r.Do(ctx, func() (err error) {
		if shown {
			shown = false
			delta(again)
		}
		reply, err = attempt(func(text string) {
			shown = true
			delta(text)
		})
		used = used.Add(reply.Tokens)
		return err
	})
	if err != nil {
		return llm.Reply{Tokens: used}, err
	}
	reply.Tokens = used
	return reply, nil
}

func (r Retry) withDefaults() Retry {
	if r.Attempts <= 0 {
		r.Attempts = 4
	}
	if r.Base <= 0 {
		r.Base = 500 * time.Millisecond
	}
	if r.Max <= 0 {
		r.Max = 30 * time.Second
	}
	if r.Pausing == nil {
		r.Pausing = func(llm.Pause) {}
	}
	if r.Sleep == nil {
		r.Sleep = sleep
	}
	if r.Jitter == nil {
		r.Jitter = rand.Float64
	}
	return r
}

// pause is what the server asked for, or the backoff less up to a quarter, so
// that many clients do not come back at the same time.
func (r Retry) pause(n int, wait time.Duration) time.Duration {
	if wait > 0 {
		return wait
	}
	d := r.Base << min(n-1, 20)
	if d <= 0 || d > r.Max {
		d = r.Max
	}
	return d - time.Duration(float64(d)/4*r.Jitter())
}

func tried(err error, n int) error {
	if n == 1 {
		return err
	}
	return annotated(err, "asked %d times", n)
}

func waitTooLong(err error, wait time.Duration) error {
	return annotated(err, "the server asks to wait %s", wait.Round(time.Second))
}

// annotated adds a note in parentheses to the message of a fault.
func annotated(err error, format string, args ...any) error {
	f := fault.Of(err)
	if f.Kind == fault.Internal {
		return err
	}
	f.Message += " (" + fmt.Sprintf(format, args...) + ")"
	return f
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
