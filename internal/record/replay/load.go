package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm/recorded"
)

// Source is where recorded runs and the contents of their inputs are read.
type Source interface {
	// Records returns the records of a run, in order. An error ends them.
	Records(ctx context.Context, id string) iter.Seq2[event.Record, error]
	// Blob opens the content with a hash.
	Blob(ctx context.Context, sum string) (io.ReadCloser, error)
}

// Load reads a run. One that was not finished is loaded as far as it goes; one
// whose journal is damaged, or holds what no run can have done, is refused.
func Load(ctx context.Context, src Source, id string) (Recording, error) {
	f := fold{rec: Recording{ID: id}}
	read := int64(0)
	var first time.Time // step
	for r, err := range src.Records(ctx, id) {
		if err != nil {
			return Recording{}, unreadable(id, read, err)
		}
		if _, is := r.Event.(event.StepBegan); is && first.IsZero() {
			first = r.Time
		}
		if !first.IsZero() {
			f.rec.Took = max(0, r.Time.Sub(first))
		}
		if read++; read == 1 {
			f.rec.At = r.Time
		}
		if b, ok := r.Event.(event.RunBegan); ok && b.Kind == event.ToolCall {
			return Recording{}, Recording{ID: id, Began: b}.replayable()
		}
		if err := f.add(r.Event); err != nil {
			return Recording{}, fault.Coded(fault.RunNotReplayable, fault.Data{"run": id},
				"cannot replay run %s: record %d (%s) is out of place: %w", id, r.Seq, event.Name(r.Event), err)
		}
	}
	if err := ctx.Err(); err != nil {
		return Recording{}, fault.New(fault.Canceled, "", "cannot load run %s: %w", id, err)
	}
	if !f.begun {
		return Recording{}, fault.New(fault.Conflict, "", "cannot replay run %s: its journal holds no events", id)
	}
	return f.rec, nil
}

// unreadable says why the records end before their end. What could be read
// before a damage is not replayed: nobody knows what is missing.
func unreadable(id string, read int64, err error) error {
	var f *fault.Error
	if errors.As(err, &f) && (read == 0 || f.Kind != fault.Conflict) {
		return err // there is no such run, or it cannot be opened
	}
	return fault.Coded(fault.RunUnreadable, fault.Data{"run": id}, "cannot replay run %s: %w", id, err)
}

// unfit says that the inputs of a question did not pass a check, so that no model was asked.
func (r Recording) unfit() bool {
	n := len(r.Before)
	return n > 0 && r.Before[n-1].Purpose == event.CheckingInput && r.Before[n-1].Ended != nil && r.Before[n-1].Ended.Status != event.OK
}

// replayable refuses a run of which there is nothing to execute.
func (r Recording) replayable() error {
	refuse := func(why string) error {
		return fault.Coded(fault.RunNotReplayable, fault.Data{"run": r.ID}, "cannot replay run %s: %s", r.ID, why)
	}
	switch {
	case r.Began.Kind == event.ToolCall:
		return fault.Coded(fault.RunIsToolCall, fault.Data{"run": r.ID}, "cannot replay run %s: it is one call of a tool", r.ID)
	case r.Began.Kind != event.Ask && r.Began.Kind != event.Code:
		return refuse(fmt.Sprintf("runs of kind %q are not known", r.Began.Kind))
	case r.Session == nil && !r.sessionless() && r.Ended != nil && r.Ended.Reason != "":
		return refuse("it never had a session: " + r.Ended.Reason)
	case r.Session == nil && !r.sessionless():
		return refuse("it never had a session")
	case r.Began.Branches > 0 && r.Began.Kind == event.Ask:
		return nil // its attempts have the steps
	case len(r.Steps) == 0 && r.unfit():
		return nil // what its inputs are, and the check that they did not pass
	case len(r.Steps) == 0:
		return refuse("it ended before its first step")
	case r.Began.Kind == event.Ask && r.Steps[0].Messages == nil:
		return refuse("it ended before the model was asked")
	case r.Began.Kind == event.Ask && len(r.Exchanges()) == 0:
		return refuse("it ended before the model replied")
	}
	return nil
}

// until returns the exchanges of the steps before one.
func (r Recording) until(step int) []recorded.Exchange {
	var out []recorded.Exchange
	for _, s := range r.Steps {
		if s.N < step && s.Exchange != nil {
			out = append(out, *s.Exchange)
		}
	}
	return out
}
