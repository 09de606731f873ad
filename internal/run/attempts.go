package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/safetext"
)

// Prepared is the state that a run begins with when another has prepared it: the inputs are
// in the session, and what they are is known.
type Prepared struct {
	Snapshot string // "": it is not stored, and nothing begins from it
	Given    []event.FileGiven
	Files    []agent.File
	// Conversation is what the question goes on with.
	Conversation Conversation
}

// Attempts are several attempts at one question, side by side.
type Attempts struct {
	Count    int
	Parallel int // how many are made at a time; 0: all
	// Begin begins the record of an attempt and returns what makes it. What it returns is
	// called once, and may be called beside others.
	Begin func(ctx context.Context, n int, from Prepared) (Attempt, error)
	// Take gives the session of the run the state of the attempt that is chosen, and
	// completes its answer. It may be nil.
	Take func(ctx context.Context, s Session, chosen event.ChildEnded, answer *agent.Answer) error
	// Stored says that the attempts need no state to begin with: all that they do is
	// recorded.
	Stored bool
}

// Attempt is an attempt that was begun.
type Attempt struct {
	Began event.ChildBegan
	// Make makes it. Why an attempt has no answer stands in what it returns; an error means
	// that the whole run cannot go on.
	Make func(ctx context.Context) (event.ChildEnded, error)
}

// AskAttempts lets several attempts be made at the question of t.Began, and answers with
// the best of them: see [Choose]. The session is prepared once, and its state is what each
// of them begins with. The order of events, after the run_began that the caller emits:
//
//	session_began, file_given…, snapshot_taken, child_began and child_ended of each attempt,
//	attempt_chosen, answer_given, what Task.Finish emits, session_ended, run_ended
func AskAttempts(ctx context.Context, t Task, a Attempts, rec Recorder) (agent.Answer, error) {
	began := time.Now()
	s, err := t.open(ctx, rec)
	var answer agent.Answer
	if err == nil {
		answer, err = t.attempts(ctx, s, a, rec)
	}
	err = because(rec, err)
	t.finish(ctx, s, Result{Answer: answer, Err: err}, rec)
	end := t.ending(s, answer, err)
	end.Took = event.Duration(time.Since(began))
	rec.Emit(end)
	return answer, because(rec, err)
}

func (t Task) attempts(ctx context.Context, s Session, a Attempts, rec Recorder) (agent.Answer, error) {
	from, err := t.prepared(ctx, s, a, rec)
	if err != nil {
		return agent.Answer{}, err
	}
	ended, err := a.make(ctx, from, rec)
	var used agent.Answer
	for _, e := range ended {
		used.Steps, used.Tokens = used.Steps+e.Steps, used.Tokens.Add(e.Tokens)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		if ctx.Err() != nil {
			err = fault.New(fault.Canceled, "", "cannot answer: the run was canceled: %w", ctx.Err())
		}
		return used, err
	}
	chosen := Choose(ended)
	rec.Emit(chosen)
	if chosen.N == 0 {
		return used, noneAnswered(ended)
	}
	i := slices.IndexFunc(ended, func(e event.ChildEnded) bool { return e.N == chosen.N })
	answer := answerOf(ended[i])
	answer.Steps, answer.Tokens = used.Steps, used.Tokens
	if a.Take != nil {
		if err := a.Take(ctx, s, ended[i], &answer); err != nil {
			return used, fmt.Errorf("cannot go on from attempt %d: %w", chosen.N, err)
		}
	}
	rec.Emit(event.AnswerGiven{Text: answer.Text, Figures: answer.Figures, Value: answer.Value, Files: answer.Files, Incomplete: answer.Incomplete})
	return answer, nil
}

// Prepare puts the inputs into a session that attempts are to begin with, looks at them and
// checks them, as [AskAttempts] does.
func Prepare(ctx context.Context, t Task, s Session, rec Recorder) error {
	if err := t.prepare(ctx, s); err != nil {
		return err
	}
	_, err := t.prepared(ctx, s, Attempts{Stored: true}, rec)
	return err
}

// prepared looks at the inputs, checks them and saves the state.
func (t Task) prepared(ctx context.Context, s Session, a Attempts, rec Recorder) (Prepared, error) {
	files, err := t.profile(ctx, s, rec)
	if err != nil {
		return Prepared{}, err
	}
	if err := t.checkInputs(ctx, s, rec); err != nil {
		return Prepared{}, err
	}
	from := Prepared{Files: files, Given: t.given}
	if t.Conversation != nil {
		if from.Conversation, err = t.Conversation(ctx, s); err != nil {
			return Prepared{}, err
		}
	}
	if a.Stored {
		return from, nil
	}
	saved, err := s.Snapshot(ctx)
	if err != nil {
		return Prepared{}, fmt.Errorf("cannot save the state that the attempts begin with: %w", err)
	}
	from.Snapshot = saved.ID
	rec.Emit(event.SnapshotTaken{Session: s.Describe().Session, Snapshot: saved.ID, Bytes: saved.Bytes})
	return from, nil
}

// make makes the attempts, some at a time, and returns those that ended. They begin in the
// order of their numbers. One that was given up because the run was is left open in the
// record: it can be gone on with.
func (a Attempts) make(ctx context.Context, from Prepared, rec Recorder) ([]event.ChildEnded, error) {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	var ended []event.ChildEnded
	var making sync.WaitGroup
	parallel := a.Parallel
	if parallel <= 0 {
		parallel = a.Count
	}
	free := make(chan struct{}, parallel)
	for n := 1; n <= a.Count && inner.Err() == nil; n++ {
		select {
		case free <- struct{}{}:
		case <-inner.Done():
			continue
		}
		one, err := a.Begin(inner, n, from)
		if err != nil {
			stop(err)
			break
		}
		rec.Emit(one.Began)
		making.Go(func() {
			defer func() { <-free }()
			e, err := one.Make(inner)
			if err != nil {
				stop(err)
			}
			if err != nil || inner.Err() != nil && !e.Answered() {
				return
			}
			rec.Emit(e)
			mu.Lock()
			defer mu.Unlock()
			ended = append(ended, e)
		})
	}
	making.Wait()
	slices.SortFunc(ended, func(a, b event.ChildEnded) int { return a.N - b.N })
	if err := context.Cause(inner); err != nil && ctx.Err() == nil {
		return ended, err
	}
	return ended, nil
}

// noneAnswered says why there is no answer.
func noneAnswered(ended []event.ChildEnded) error {
	var why []string
	for _, e := range ended {
		why = append(why, fmt.Sprintf("attempt %d: %s", e.N, safetext.OneLine(strings.TrimPrefix(e.Reason, "cannot answer: "), 200)))
	}
	return fault.New(fault.Exhausted, "Ask in other words, allow more, or try another model.", "cannot answer: none of %s has an answer: %s",
		safetext.Count(len(ended), "attempt"), strings.Join(why, "; "))
}

// errNoSnapshots says that a session cannot be forked.
var errNoSnapshots = errors.New("its session has no states")

// TakeState gives a session the state of another.
func TakeState(ctx context.Context, s Session, snapshot string, rec Recorder) error {
	r, can := s.(Restorer)
	if !can || snapshot == "" {
		return errNoSnapshots
	}
	if err := r.Rollback(ctx, snapshot); err != nil {
		return err
	}
	rec.Emit(event.SessionRolledBack{Session: s.Describe().Session, Snapshot: snapshot})
	return nil
}
