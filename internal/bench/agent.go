package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"praxis/event"
	"praxis/internal/agent"
	"praxis/internal/llm"
	"praxis/internal/record/journal"
	"praxis/internal/record/replay"
	"praxis/internal/run"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/registry"
)

// script is a model that gives its replies at once, one after the other. It keeps no
// request, so that a run's memory and time are its own.
type script struct {
	replies []llm.Reply
	wait    func(context.Context) // called before the last reply; nil: nothing waits
	calls   int
	took    time.Duration // in all calls
}

func (*script) Name() string       { return "scripted:bench" }
func (*script) Traits() llm.Traits { return llm.Traits{Local: true} }

func (m *script) Complete(ctx context.Context, _ llm.Request, delta func(string)) (llm.Reply, error) {
	began := time.Now()
	defer func() { m.took += time.Since(began) }()
	n := m.calls
	if m.calls++; n >= len(m.replies) {
		return llm.Reply{}, fmt.Errorf("the model was asked %d times, its script has %d replies", m.calls, len(m.replies))
	}
	if m.wait != nil && n == len(m.replies)-1 {
		m.wait(ctx)
	}
	if delta != nil && m.replies[n].Text != "" {
		delta(m.replies[n].Text)
	}
	return m.replies[n], ctx.Err()
}

// said are replies of texts.
func said(texts ...string) (out []llm.Reply) {
	for _, text := range texts {
		out = append(out, llm.Reply{Text: text})
	}
	return out
}

// fenced is a reply that runs code.
func fenced(code string) string { return "```python\n" + strings.Trim(code, "\n") + "\n```" }

// question is one that is asked while something is measured.
type question struct {
	text      string
	want      string // the answer; anything else is a failure
	model     *script
	session   run.Session // used, and not closed; nil: opened is asked, or tools are enough
	open      func(context.Context) (replay.Opened, error)
	tools     *registry.Registry // that the model calls natively; nil: none
	snapshots bool
	clock     *stepClock // nil: no step is timed
}

// ask asks a question in a run that is recorded, as a person's is.
func (b *bench) ask(ctx context.Context, j *journal.Journal, q question) error {
	began := event.RunBegan{Kind: event.Ask, Question: q.text, Model: q.model.Name(), MaxSteps: len(q.model.replies),
		Bounds: event.Bounds{Timeout: event.Duration(time.Minute), OutputBytes: 1 << 16}}
	_, err := recorder(ctx, j, began, func(ctx context.Context, rec *journal.Recorder) (err error) {
		to, cfg := run.Recorder(rec), agent.Config{Model: q.model}
		task := run.Task{Began: began, Languages: b.Languages, Snapshots: q.snapshots}
		switch {
		case q.session != nil:
			task.Open = func(context.Context) (run.Session, error) { return q.session, nil }
		case q.open != nil:
			var s replay.Opened
			defer func() {
				if s.Close != nil {
					err = errors.Join(err, s.Close())
				}
			}()
			task.Open = func(ctx context.Context) (_ run.Session, err error) { s, err = q.open(ctx); return s, err }
		}
		if q.tools != nil {
			if cfg.Tools, err = native(rec, q.tools); err != nil {
				return err
			}
		}
		if q.clock != nil {
			q.clock.Recorder, q.clock.model = rec, q.model
			to = q.clock
		}
		answer, err := run.Ask(ctx, task, cfg, to)
		if err == nil && (answer.Text != q.want || answer.Incomplete != "") {
			err = fmt.Errorf("the answer is %q, %q was wanted", answer.Text, q.want)
		}
		return err
	})
	return err
}

// native exposes tools to the model of a run, as its calls go through a gate of its own.
func native(rec *journal.Recorder, tools *registry.Registry) (*bridge.Native, error) {
	g, err := gate.New(gate.Config{Run: rec.ID(), Tools: tools.Set(), Caller: tools, Origins: []gate.Origin{gate.Model}, Sink: rec})
	if err != nil {
		return nil, err
	}
	return bridge.New(bridge.Config{Gate: g}).Native(false)
}

// timedSession measures what executions take, and removes the states that were saved.
type timedSession struct {
	run.Session
	took  time.Duration
	saved []string
}

func (s *timedSession) Execute(ctx context.Context, lang, code string, b event.Bounds, sink event.Sink) (event.Execution, error) {
	began := time.Now()
	defer func() { s.took += time.Since(began) }()
	return s.Session.Execute(ctx, lang, code, b, sink)
}

func (s *timedSession) Snapshot(ctx context.Context) (run.Snapshot, error) {
	snap, err := s.Session.Snapshot(ctx)
	if err == nil {
		s.saved = append(s.saved, snap.ID) // one state is saved at a time
	}
	return snap, err
}

// stepClock is a recorder that times steps, without what the model and the executions take.
type stepClock struct {
	run.Recorder
	model   *script
	session *timedSession
	began   time.Time     // of the step; zero: none is under way
	apart   time.Duration // what model and executions had taken then
	steps   []float64     // in milliseconds
}

// Emit passes an event on. A step goes from its own event to the next one's, or until
// the answer is recorded. Both come from the goroutine that asks and executes.
func (c *stepClock) Emit(e event.Event) {
	switch e.(type) {
	case event.StepBegan:
		c.end()
		c.began, c.apart = time.Now(), c.model.took+c.session.took
		c.Recorder.Emit(e)
	case event.AnswerGiven:
		c.Recorder.Emit(e)
		c.end()
	default:
		c.Recorder.Emit(e)
	}
}

func (c *stepClock) end() {
	if !c.began.IsZero() {
		own := time.Since(c.began) - (c.model.took + c.session.took - c.apart)
		c.steps = append(c.steps, float64(own.Nanoseconds())/1e6)
	}
	c.began = time.Time{}
}

// timedSteps is how many steps run code before the answer of a question that is timed.
const timedSteps = 8

// steppedReplies are those of a model that looks at some data in each step.
func steppedReplies() []llm.Reply {
	var texts []string
	for i := range timedSteps {
		texts = append(texts, "I look at the next rows.\n"+fenced(fmt.Sprintf("for i in range(20):\n    print(f'row {i}: {(i + %d) * 7919 %% 10007}')\ntotal = 1000 + %d\nprint('total', total)", 20*i, i)))
	}
	return said(append(texts, "FINAL ANSWER: The total is {{ total }}.")...)
}

// agentSteps times the steps of questions.
func (b *bench) agentSteps(ctx context.Context, rounds int, snapshots bool) (Figure, error) {
	return b.records(func(r Records) (Figure, error) {
		var all []float64
		for range rounds {
			times, err := b.stepsOnce(ctx, r.Journal, snapshots)
			if err != nil {
				return Figure{}, err
			}
			all = append(all, times...)
		}
		return FigureOf(all), nil
	})
}

func (b *bench) stepsOnce(ctx context.Context, j *journal.Journal, snapshots bool) (_ []float64, err error) {
	opened, err := b.OpenSession(ctx)
	if err != nil {
		return nil, err
	}
	s := &timedSession{Session: opened}
	defer func() {
		err = errors.Join(err, opened.Close())
		for _, id := range s.saved {
			err = errors.Join(err, b.Sessions.RemoveSnapshot(context.WithoutCancel(ctx), id))
		}
	}()
	clock := &stepClock{session: s}
	err = b.ask(ctx, j, question{text: "What is the total?", want: fmt.Sprintf("The total is %d.", 1000+timedSteps-1),
		model: &script{replies: steppedReplies()}, session: s, snapshots: snapshots, clock: clock})
	return clock.steps, err
}

func (b *bench) agentStep(ctx context.Context) (Figure, error) {
	return b.agentSteps(ctx, max(3, b.Rounds/3), false)
}

// agentStepSaved is the worst case: states are saved while the model thinks, and this one
// does not.
func (b *bench) agentStepSaved(ctx context.Context) (Figure, error) {
	return b.agentSteps(ctx, max(1, b.Rounds/10), true)
}

// idleRuns wait for their model at once.
const idleRuns = 50

// oneAtATime lets runs share a session.
type oneAtATime struct {
	run.Session
	mu sync.Mutex
}

func (s *oneAtATime) Execute(ctx context.Context, lang, code string, b event.Bounds, sink event.Sink) (event.Execution, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Session.Execute(ctx, lang, code, b, sink)
}

// agentIdle is what a run that waits for its model takes of this process's memory. Each
// has run code, in a session that they share, so that no sandbox is in the figure.
func (b *bench) agentIdle(ctx context.Context) (Figure, error) {
	return b.records(func(r Records) (_ Figure, err error) {
		opened, err := b.OpenSession(ctx)
		if err != nil {
			return Figure{}, err
		}
		defer func() { err = errors.Join(err, opened.Close()) }()
		s := &oneAtATime{Session: opened}
		if _, err := b.idle(ctx, r.Journal, s); err != nil { // once, so that all code is in memory
			return Figure{}, err
		}
		return sample(max(3, b.Rounds/10), func() (float64, error) { return b.idle(ctx, r.Journal, s) })
	})
}

func (b *bench) idle(ctx context.Context, j *journal.Journal, s run.Session) (float64, error) {
	debug.FreeOSMemory() // what is unused must not be counted
	before, err := memoryOf(os.Getpid())
	if err != nil {
		return 0, err
	}
	waiting, release := make(chan struct{}), make(chan struct{})
	g, running := errgroup.WithContext(ctx)
	for range idleRuns {
		model := &script{replies: said(fenced("n = 6 * 7\nprint(n)"), "FINAL ANSWER: It is {{ n }}."), wait: func(ctx context.Context) {
			select {
			case waiting <- struct{}{}:
			case <-ctx.Done():
			}
			select {
			case <-release:
			case <-ctx.Done():
			}
		}}
		g.Go(func() error {
			return b.ask(running, j, question{text: "What is six times seven?", want: "It is 42.", model: model, session: s})
		})
	}
	for range idleRuns {
		select {
		case <-waiting:
		case <-running.Done():
			return 0, g.Wait()
		}
	}
	debug.FreeOSMemory()
	after, err := memoryOf(os.Getpid())
	close(release)
	return float64(after-before) / idleRuns / (1 << 20), errors.Join(err, g.Wait())
}

// runsAtOnce are asked together, and sandboxesAtOnce is how many of those that run code
// have a sandbox at a time.
const (
	runsAtOnce      = 200
	sandboxesAtOnce = 8
)

// agentRuns asks questions together, each with a call of a tool and an answer, without a
// sandbox: what the agent, the gate and the journal take.
func (b *bench) agentRuns(ctx context.Context) (Figure, error) {
	return b.records(func(r Records) (_ Figure, err error) {
		add, err := addition()
		if err != nil {
			return Figure{}, err
		}
		reg, err := registry.Open(ctx, registry.Config{}, nil, add.Provided())
		if err != nil {
			return Figure{}, err
		}
		defer func() { err = errors.Join(err, reg.Close()) }()
		return sample(max(3, b.Rounds/6), func() (float64, error) {
			return b.together(ctx, r.Journal, runsAtOnce, func(i int, q *question) {
				call := llm.Call{ID: "1", Name: "bench__add", Input: map[string]any{"a": i, "b": 1000}}
				q.tools, q.model = reg, &script{replies: append([]llm.Reply{{Calls: []llm.Call{call}}}, said("FINAL ANSWER: "+q.want)...)}
			})
		})
	})
}

// agentRunsCode asks the same questions with code, each in a new session of its own.
func (b *bench) agentRunsCode(ctx context.Context) (Figure, error) {
	return b.runsOfCode(ctx, runsAtOnce)
}

func (b *bench) runsOfCode(ctx context.Context, n int) (Figure, error) {
	slots := make(chan struct{}, sandboxesAtOnce)
	open := func(ctx context.Context) (replay.Opened, error) {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return replay.Opened{}, context.Cause(ctx)
		}
		s, err := b.OpenSession(ctx)
		if err != nil {
			<-slots
			return s, err
		}
		end := s.Close
		s.Close = func() error { defer func() { <-slots }(); return end() }
		return s, nil
	}
	return b.records(func(r Records) (Figure, error) {
		return sample(1, func() (float64, error) {
			return b.together(ctx, r.Journal, n, func(i int, q *question) {
				q.open, q.model = open, &script{replies: said(fenced(fmt.Sprintf("print(%d + 1000)", i)), "FINAL ANSWER: "+q.want)}
			})
		})
	})
}

// together asks questions at once, and returns in how many seconds all have an answer.
func (b *bench) together(ctx context.Context, j *journal.Journal, n int, with func(i int, q *question)) (float64, error) {
	began := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	for i := range n {
		g.Go(func() error {
			q := question{text: fmt.Sprintf("What is the sum of %d and 1000?", i), want: fmt.Sprintf("The sum is %d.", i+1000)}
			with(i, &q)
			return b.ask(ctx, j, q)
		})
	}
	err := g.Wait()
	return time.Since(began).Seconds(), err
}
