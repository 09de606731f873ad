package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/agent"
	"praxis/internal/llm/recorded"
	"praxis/internal/record/journal"
	"praxis/internal/record/replay"
	"praxis/internal/run"
	"praxis/internal/session"
	"praxis/internal/store"
)

// Records is a journal that is measured, and its list of runs.
type Records struct {
	Journal *journal.Journal
	Index   store.Index
	Close   func() error
}

// records runs f with a journal of its own on the disk of the data folder.
func (b *bench) records(f func(Records) (Figure, error)) (_ Figure, err error) {
	dir, err := os.MkdirTemp(b.Dir, "bench-")
	if err != nil {
		return Figure{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r, err := b.OpenRecords(dir)
	if err != nil {
		return Figure{}, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return f(r)
}

// recorder runs f with a run that is being recorded, and returns its id.
func recorder(ctx context.Context, j *journal.Journal, began event.RunBegan, f func(context.Context, *journal.Recorder) error) (string, error) {
	ctx, rec, err := j.Begin(ctx, began, event.Discard)
	if err != nil {
		return "", err
	}
	err = f(ctx, rec)
	return rec.ID(), errors.Join(err, rec.Err(), rec.Close())
}

// appended times one event after the other.
func (b *bench) appended(ctx context.Context, e event.Event) (Figure, error) {
	return b.records(func(r Records) (out Figure, err error) {
		_, err = recorder(ctx, r.Journal, event.RunBegan{Kind: event.Code}, func(_ context.Context, rec *journal.Recorder) error {
			out, err = sample(b.Rounds*20, func() (float64, error) {
				began := time.Now()
				rec.Emit(e)
				return ms(began) * 1000, rec.Err()
			})
			return err
		})
		return out, err
	})
}

// appendDurable is an event that is on disk when it is passed on.
func (b *bench) appendDurable(ctx context.Context) (Figure, error) {
	return b.appended(ctx, event.ToolCalled{Step: 1, ID: "1", Tool: "search", Arguments: map[string]any{"query": "carbon dioxide"}})
}

// appendGrouped is an event that is synced with others.
func (b *bench) appendGrouped(ctx context.Context) (Figure, error) {
	return b.appended(ctx, event.StepBegan{N: 1})
}

// smallest is the execution whose overhead is measured.
const smallest = "x=1;x+1"

// overhead alternates executions of two sessions, one that is recorded, its
// changed files too, and one that is not, and divides percentile by percentile.
func (b *bench) overhead(ctx context.Context) (Figure, error) {
	var plain []float64
	with, err := b.records(func(r Records) (Figure, error) {
		return b.with(ctx, func(bare *session.Session) (Figure, error) {
			return b.with(ctx, func(s *session.Session) (out Figure, err error) {
				_, err = recorder(ctx, r.Journal, event.RunBegan{Kind: event.Code}, func(ctx context.Context, rec *journal.Recorder) error {
					out, err = sample(b.Rounds*20, func() (float64, error) {
						began := time.Now()
						if err := eval(ctx, bare, smallest); err != nil {
							return 0, err
						}
						plain = append(plain, ms(began))
						began = time.Now()
						rec.Emit(event.ExecutionBegan{Session: s.ID(), Language: b.Languages.Of(b.Image.Runtimes).Name, Code: smallest})
						x, err := s.Execute(ctx, smallest, session.Exec{Changes: true}, rec)
						rec.Emit(event.ExecutionEnded{Execution: x})
						return ms(began), err
					})
					return err
				})
				return out, err
			})
		})
	})
	without := FigureOf(plain)
	if err != nil || without.P50 == 0 {
		return Figure{}, err
	}
	ratio := func(a, b float64) float64 { return float64(int(a/b*1000+0.5)) / 1000 }
	return Figure{P50: ratio(with.P50, without.P50), P95: ratio(with.P95, without.P95), P99: ratio(with.P99, without.P99), Runs: with.Runs}, nil
}

// verifyBytes is the least size of the journal that is verified.
const verifyBytes = 64 << 20

// verify checks a journal of many executions: chain, shape and signatures.
func (b *bench) verify(ctx context.Context) (Figure, error) {
	return b.records(func(r Records) (Figure, error) {
		x := event.Execution{Status: event.OK, State: event.Intact, Stdout: strings.Repeat("a line of output, some 40 bytes of it\n", 40)}
		id, err := recorder(ctx, r.Journal, event.RunBegan{Kind: event.Code}, func(_ context.Context, rec *journal.Recorder) error {
			for n := 0; n < verifyBytes && rec.Err() == nil; n += len(x.Stdout) {
				rec.Emit(event.ExecutionEnded{Execution: x})
			}
			rec.Emit(event.RunEnded{Status: "ok"})
			return nil
		})
		if err != nil {
			return Figure{}, err
		}
		return sample(max(5, b.Rounds/3), func() (float64, error) {
			began := time.Now()
			report, err := r.Journal.Verify(ctx, id)
			if err == nil && !report.OK() {
				err = fmt.Errorf("the journal is damaged: %w", report.Damage)
			}
			return float64(report.Bytes) / 1e6 / time.Since(began).Seconds(), err
		})
	})
}

// replaySteps is how many steps the replayed run has; each of them computes for a
// while.
const replaySteps = 6

// replay divides the time of a replay, without the opening of its session, by
// what the executions of the run took.
func (b *bench) replay(ctx context.Context) (Figure, error) {
	code := strings.Replace(spin, "3000000", "1000000", 1)
	code = strings.Replace(code, "print(time.perf_counter() - began)", "print('done')", 1)
	var exchanges []recorded.Exchange
	for i := range replaySteps {
		exchanges = append(exchanges, recorded.Exchange{Reply: event.ModelReplied{Text: fmt.Sprintf("```python\nn = %d\n%s```", i, code)}})
	}
	exchanges = append(exchanges, recorded.Exchange{Reply: event.ModelReplied{Text: "FINAL ANSWER: It was computed."}})
	began := event.RunBegan{Kind: event.Ask, Question: "Compute.", Model: "recorded:bench", MaxSteps: replaySteps + 1,
		Bounds: event.Bounds{Timeout: event.Duration(time.Minute), OutputBytes: 1 << 16}}
	return b.records(func(r Records) (Figure, error) {
		id, err := recorder(ctx, r.Journal, began, func(ctx context.Context, rec *journal.Recorder) error {
			return b.execute(ctx, began, exchanges, rec)
		})
		if err != nil {
			return Figure{}, err
		}
		recording, err := replay.Load(ctx, r.Journal, id)
		if err != nil {
			return Figure{}, err
		}
		return sample(max(3, b.Rounds/6), func() (float64, error) {
			var opening time.Duration
			report, err := replay.Replay(ctx, replay.Config{Source: r.Journal, Languages: b.Languages, Open: func(ctx context.Context, _ event.SessionBegan) (replay.Opened, error) {
				began := time.Now()
				defer func() { opening = time.Since(began) }()
				return b.OpenSession(ctx)
			}}, recording)
			if err == nil && !report.Identical {
				err = fmt.Errorf("the replay differs: %s", report.Headline())
			}
			took := time.Duration(report.Took) - opening
			return float64(took) / float64(report.Executed), err
		})
	})
}

// execute makes the run that is replayed.
func (b *bench) execute(ctx context.Context, began event.RunBegan, exchanges []recorded.Exchange, rec *journal.Recorder) (err error) {
	var s replay.Opened
	defer func() {
		if s.Close != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	_, err = run.Ask(ctx, run.Task{Began: began, Languages: b.Languages, Open: func(ctx context.Context) (run.Session, error) {
		s, err = b.OpenSession(ctx)
		return s, err
	}}, agent.Config{Model: recorded.New("recorded:bench", event.Traits{}, exchanges)}, rec)
	return err
}

// listed are the runs of the list that is measured.
const listed = 100_000

// list reads the first page of many runs.
func (b *bench) list(ctx context.Context) (Figure, error) {
	return b.records(func(r Records) (Figure, error) {
		id, err := recorder(ctx, r.Journal, event.RunBegan{Kind: event.Ask, Question: "How many are there?"}, func(_ context.Context, rec *journal.Recorder) error {
			rec.Emit(event.RunEnded{Status: event.Answered})
			return nil
		})
		if err != nil {
			return Figure{}, err
		}
		if err := multiply(ctx, r.Index, id); err != nil {
			return Figure{}, err
		}
		return sample(b.Rounds, func() (float64, error) {
			began := time.Now()
			page, err := r.Journal.Runs(ctx, journal.Query{Limit: 50})
			if err == nil && len(page) != 50 {
				err = fmt.Errorf("a page has %d runs", len(page))
			}
			return ms(began), err
		})
	})
}

// multiply puts copies of a run into the list.
func multiply(ctx context.Context, index store.Index, id string) error {
	doc, err := index.Get(ctx, "run", id)
	if err != nil {
		return err
	}
	var s journal.Summary
	if err := json.Unmarshal(doc.Body, &s); err != nil {
		return err
	}
	began := s.Began
	var batch []store.Doc
	for i := range listed {
		s.Began = began.Add(-time.Duration(i+1) * time.Minute)
		s.ID = fmt.Sprintf("%s-%04x", s.Began.UTC().Format("20060102-150405"), i%65536)
		copied := doc
		copied.ID, copied.Order = s.ID, s.Began.UnixNano()
		if copied.Body, err = json.Marshal(s); err != nil {
			return err
		}
		if batch = append(batch, copied); len(batch) == 2000 || i == listed-1 {
			if err := index.Put(ctx, batch...); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return nil
}
