package evaluate

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/safetext"
)

// maxStored bounds the answer that a result keeps, in bytes.
const maxStored = 16 << 10

// Config is what an evaluation needs.
type Config struct {
	Cases  []Case
	Models []string
	Jobs   int // questions at a time; 0: 1
	// Ask asks the question of a case. A fault says why there is no answer, and counts as a
	// wrong one if the model or its code is the cause.
	Ask    func(ctx context.Context, c Case, model string) (Answered, error)
	Assert Assertion // nil: no case asserts
	Store  *Store    // nil: results are not kept
	// Each is called for every result in the order in which they come, by one goroutine at
	// a time. again says that it is of an earlier evaluation.
	Each func(r Result, again bool)
}

// Run asks every case of every model and returns the results, sorted as the cases are and
// within them as the models. That a case fails is no error. When ctx ends, the results
// that are there come with its cause.
func Run(ctx context.Context, cfg Config) ([]Result, error) {
	out := make([]Result, len(cfg.Cases)*len(cfg.Models))
	jobs := make(chan int)
	var mu sync.Mutex
	done := func(i int, r Result, again bool) error {
		mu.Lock()
		defer mu.Unlock()
		out[i] = r
		if cfg.Each != nil {
			cfg.Each(r, again)
		}
		if again || cfg.Store == nil {
			return nil
		}
		return cfg.Store.Add(r)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(jobs)
		for i := range out {
			c, model := cfg.Cases[i/len(cfg.Models)], cfg.Models[i%len(cfg.Models)]
			if cfg.Store != nil {
				if r, ok := cfg.Store.Done(c.Sum, model); ok {
					if err := done(i, r, true); err != nil {
						return err
					}
					continue
				}
			}
			select {
			case jobs <- i:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	for range max(1, cfg.Jobs) {
		g.Go(func() error {
			for i := range jobs {
				r, err := cfg.one(ctx, cfg.Cases[i/len(cfg.Models)], cfg.Models[i%len(cfg.Models)])
				if err == nil {
					err = done(i, r, false)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := g.Wait()
	var came []Result
	for _, r := range out {
		if r.Case != "" {
			came = append(came, r)
		}
	}
	return came, err
}

// one asks and grades one case. An error ends the evaluation.
func (cfg Config) one(ctx context.Context, c Case, model string) (Result, error) {
	a, err := cfg.Ask(ctx, c, model)
	if cause := ctx.Err(); cause != nil {
		return Result{}, context.Cause(ctx)
	}
	r := Result{
		Case: c.ID, Sum: c.Sum, Model: model, Expected: c.Expect.String(), Answer: safetext.Clip(a.Text, maxStored), Status: a.Status,
		Run: a.Run, Steps: a.Steps, Tokens: a.Tokens, Cost: a.Cost, Seconds: a.Seconds,
	}
	if err == nil {
		r.Why, err = c.Expect.grade(ctx, a, cfg.Assert)
		if cause := ctx.Err(); cause != nil {
			return Result{}, context.Cause(ctx)
		}
		switch {
		case err != nil:
			r.Verdict, r.Why = Error, safetext.OneLine(err.Error(), 500)
		case r.Why == "" && a.Status == string(event.Unverified) && c.Repo == nil: // of a project the tests say it all
			r.Verdict, r.Why = Unverified, "it is as expected, and its run is unverified"
		case r.Why == "":
			r.Verdict = Passed
		default:
			r.Verdict = Failed
		}
		return r, nil
	}
	r.Verdict, r.Why = Error, safetext.OneLine(err.Error(), 500)
	var f *fault.Error
	switch {
	case errors.As(err, &f) && (f.Kind == fault.Denied || f.Kind == fault.Invalid && a.Run == ""):
		return r, err // every other case would fail for the same reason
	case a.Run != "" && fault.KindOf(err) != fault.Unavailable && fault.KindOf(err) != fault.Internal:
		r.Verdict = Failed // the run came to no answer
	}
	return r, nil
}
