package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"praxis/event"
	"praxis/internal/agent"
	"praxis/internal/llm"
	"praxis/internal/record/journal"
	"praxis/internal/run"
)

// Attempts whose code keeps a processor busy for a while, so that what there is beside it
// shows.
const (
	branches   = 4
	branchLoop = 40_000_000
)

// branching is a question whose code counts so far.
type branching struct {
	*bench
	journal *journal.Journal
	loop    int
}

// replies are those of a model that counts, and answers.
func (b branching) replies() []llm.Reply {
	return said(fenced(fmt.Sprintf("n = 0\nfor i in range(%d):\n    n += 7\nprint(n)", b.loop)), "FINAL ANSWER: The sum is {{ n }}.")
}

// answer is what they come to.
func (b branching) answer() string { return fmt.Sprintf("The sum is %d.", 7*b.loop) }

// agentBranches is what several attempts at a question take, divided by what as many
// questions take that are asked side by side in sessions of their own: 1 is nothing lost.
// Both are measured, and as many run at a time, since a program takes longer on most
// machines while another one keeps the next processor busy.
func (b *bench) agentBranches(ctx context.Context) (Figure, error) {
	return b.records(func(r Records) (Figure, error) {
		return sample(max(3, b.Rounds/10), func() (float64, error) { return branching{b, r.Journal, branchLoop}.ratio(ctx) })
	})
}

func (b branching) ratio(ctx context.Context) (float64, error) {
	apart, err := secondsOf(func() error { return b.askApart(ctx) })
	if err != nil {
		return 0, err
	}
	state := ""
	together, err := secondsOf(func() (err error) { state, err = b.askBranches(ctx); return err })
	if state != "" { // that a person's run keeps
		err = errors.Join(err, b.Sessions.RemoveSnapshot(context.WithoutCancel(ctx), state))
	}
	return together / apart, err
}

// askApart asks the question as often as attempts are made at it.
func (b branching) askApart(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.NumCPU())
	for range branches {
		g.Go(func() error {
			return b.ask(ctx, b.journal, question{text: "What is the sum?", want: b.answer(), model: &script{replies: b.replies()}, open: b.OpenSession})
		})
	}
	return g.Wait()
}

// secondsOf returns in how many seconds f is done.
func secondsOf(f func() error) (float64, error) {
	began := time.Now()
	err := f()
	return time.Since(began).Seconds(), err
}

// askBranches asks the question with several attempts, as a person's run does, and returns
// the state that they began with.
func (b branching) askBranches(ctx context.Context) (saved string, err error) {
	began := event.RunBegan{Kind: event.Ask, Question: "What is the sum?", Model: "scripted:bench", Branches: branches, MaxSteps: 2,
		Bounds: event.Bounds{Timeout: event.Duration(time.Minute), OutputBytes: 1 << 16}}
	opened, err := b.OpenSession(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	_, err = recorder(ctx, b.journal, began, func(ctx context.Context, rec *journal.Recorder) error {
		task := run.Task{Began: began, Languages: b.Languages, Open: func(context.Context) (run.Session, error) { return opened.Session, nil }}
		answer, err := run.AskAttempts(ctx, task, run.Attempts{
			Count: branches, Parallel: runtime.NumCPU(),
			Begin: func(ctx context.Context, n int, from run.Prepared) (run.Attempt, error) {
				saved = from.Snapshot
				return run.Attempt{Began: event.ChildBegan{N: n, Role: event.Attempt}, Make: func(ctx context.Context) (event.ChildEnded, error) {
					return b.branch(ctx, n, from)
				}}, nil
			},
		}, rec)
		if err == nil && answer.Text != b.answer() {
			err = fmt.Errorf("the answer is %q, %q was wanted", answer.Text, b.answer())
		}
		return err
	})
	return saved, err
}

// branch makes one attempt in a fork.
func (b branching) branch(ctx context.Context, n int, from run.Prepared) (_ event.ChildEnded, err error) {
	began := event.RunBegan{Kind: event.Ask, Question: "What is the sum?", Model: "scripted:bench", MaxSteps: 2,
		Bounds: event.Bounds{Timeout: event.Duration(time.Minute), OutputBytes: 1 << 16}}
	s, err := b.OpenFork(ctx, from.Snapshot)
	if err != nil {
		return event.ChildEnded{}, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	out := event.ChildEnded{N: n, Status: event.Answered}
	_, err = recorder(ctx, b.journal, began, func(ctx context.Context, rec *journal.Recorder) error {
		task := run.Task{Began: began, Languages: b.Languages, From: &from, Open: func(context.Context) (run.Session, error) { return s.Session, nil }}
		answer, err := run.Ask(ctx, task, agent.Config{Model: &script{replies: b.replies()}, Attempt: agent.Attempt{N: n, Of: branches}}, rec)
		out.Text, out.Figures, out.Steps = answer.Text, answer.Figures, answer.Steps
		return err
	})
	return out, err
}
