package workflow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"praxis/event"
	"praxis/internal/agent"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/plan/policy"
	"praxis/internal/tool"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/kind/gofunc"
	"praxis/internal/tool/registry"
)

// Session is where code runs.
type Session interface {
	agent.Session
	// Expose lets the code call tools, as session.Session has it.
	Expose(ctx context.Context, o wire.Exposure, h guest.Host) error
	Close() error
}

// Workflow is a task that is done in both ways.
type Workflow struct {
	Name     string
	Question string
	make     func() *world
}

// world is one workflow's data, tools and scripts. Each way has its own.
type world struct {
	tools  []tool.Provided
	err    error // of a tool that cannot be made
	mu     sync.Mutex
	direct func(t *turn) string // returns the answer
	code   []step
	answer string       // of the code, with placeholders
	want   string       // the right answer
	state  func() error // what is wrong with the stores afterwards; nil: nothing changes them
}

// step is one execution of code.
type step struct{ thought, code string }

// define adds a tool to a world. Calls come one at a time.
func define[In, Out any](w *world, name, description string, effects tool.Effects, f func(In) (Out, error)) {
	t, err := gofunc.New(name, "1.0.0", description, effects, func(_ context.Context, in In) (Out, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return f(in)
	})
	if err != nil {
		w.err = errors.Join(w.err, err)
		return
	}
	w.tools = append(w.tools, t.Provided())
}

// Result is what one workflow came to.
type Result struct {
	Name         string  `json:"name"`
	DirectTokens int     `json:"direct_tokens"`
	CodeTokens   int     `json:"code_tokens"`
	Saving       float64 `json:"saving"` // a fraction of one
	Correct      bool    `json:"correct"`
	DirectBilled int     `json:"direct_billed"` // input tokens over all turns
	CodeBilled   int     `json:"code_billed"`
	DirectTurns  int     `json:"direct_turns"`
	CodeTurns    int     `json:"code_turns"`
	Wrong        string  `json:"wrong,omitempty"` // why Correct is false
}

// Report is what all workflows came to.
type Report struct {
	Tokenizer    string   `json:"tokenizer"`
	MedianSaving float64  `json:"median_saving"`
	WorstSaving  float64  `json:"worst_saving"`
	Workflows    []Result `json:"workflows"`
}

// Measure executes workflows in both ways. open opens a session for each.
func Measure(ctx context.Context, workflows []Workflow, open func(ctx context.Context) (Session, error), sink event.Sink) (Report, error) {
	r := Report{Tokenizer: Tokenizer}
	c := newCounter()
	for _, w := range workflows {
		sink.Emit(event.Progress{Stage: "bench", Text: w.Name})
		d, err := w.direct(ctx, c)
		if err != nil {
			return r, fmt.Errorf("cannot do %s by direct calls: %w", w.Name, err)
		}
		s, err := open(ctx)
		if err != nil {
			return r, err
		}
		x, err := w.inCode(ctx, c, s)
		if err = errors.Join(err, s.Close()); err != nil {
			return r, fmt.Errorf("cannot do %s in code: %w", w.Name, err)
		}
		r.Workflows = append(r.Workflows, w.compare(d, x))
	}
	r.sum()
	return r, nil
}

// did is what one way came to.
type did struct {
	tokens, billed, turns int
	wrong                 error
}

func (w Workflow) compare(direct, code did) Result {
	out := Result{
		Name: w.Name, DirectTokens: direct.tokens, CodeTokens: code.tokens,
		Saving:       math.Round(10_000*(1-float64(code.tokens)/float64(direct.tokens))) / 10_000,
		Correct:      direct.wrong == nil && code.wrong == nil,
		DirectBilled: direct.billed, CodeBilled: code.billed, DirectTurns: direct.turns, CodeTurns: code.turns,
	}
	if direct.wrong != nil {
		out.Wrong = "direct calls: " + direct.wrong.Error()
	}
	if code.wrong != nil {
		out.Wrong = strings.TrimPrefix(out.Wrong+"; code: "+code.wrong.Error(), "; ")
	}
	return out
}

// sum fills in what is said of all.
func (r *Report) sum() {
	var all []float64
	for _, w := range r.Workflows {
		all = append(all, w.Saving)
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	r.WorstSaving = all[0]
	r.MedianSaving = (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// allowAll is the policy: without a rule no call that changes anything is made.
const allowAll = `
version: 1
rules:
- {name: all, tools: ["*"], decision: allow, reason: these tools change nothing outside the benchmark}
`

// open makes a world and the tool bridge of a run over its tools.
func (w Workflow) open(ctx context.Context, origin gate.Origin) (*world, *bridge.Bridge, *registry.Registry, error) {
	made := w.make()
	if made.err != nil {
		return nil, nil, nil, made.err
	}
	reg, err := registry.Open(ctx, registry.Config{}, nil, made.tools...)
	if err != nil {
		return nil, nil, nil, err
	}
	rules, err := policy.Load("bench", []byte(allowAll), reg.Set())
	if err != nil {
		return nil, nil, nil, errors.Join(err, reg.Close())
	}
	g, err := gate.New(gate.Config{Run: w.Name, Tools: reg.Set(), Caller: reg, Policy: rules, Origins: []gate.Origin{origin}})
	if err != nil {
		return nil, nil, nil, errors.Join(err, reg.Close())
	}
	return made, bridge.New(bridge.Config{Gate: g}), reg, nil
}

// direct does a workflow by calls of the model.
func (w Workflow) direct(ctx context.Context, c counter) (out did, err error) {
	made, br, reg, err := w.open(ctx, gate.Model)
	if err != nil {
		return did{}, err
	}
	defer func() { err = errors.Join(err, reg.Close()) }()
	native, err := br.Native(false)
	if err != nil {
		return did{}, err
	}
	p, stop := play(c, func(t *turn) { t.answer(made.direct(t)) })
	defer stop()
	return made.answerQuestion(ctx, p, agent.Config{Languages: language.Table{python.Language()}, Tools: native}, w.Question)
}

// inCode does a workflow by code that runs in a session.
func (w Workflow) inCode(ctx context.Context, c counter, s Session) (out did, err error) {
	made, br, reg, err := w.open(ctx, gate.Code)
	if err != nil {
		return did{}, err
	}
	defer func() { err = errors.Join(err, reg.Close()) }()
	if err := s.Expose(ctx, wire.Exposure{Tools: true}, br); err != nil {
		return did{}, err
	}
	p, stop := play(c, func(t *turn) {
		for _, x := range made.code {
			t.run(x.thought, x.code)
		}
		t.answer(made.answer)
	})
	defer stop()
	return made.answerQuestion(ctx, p, agent.Config{Languages: language.Table{python.Language()}, Session: s, Guide: br.Guide(nil)}, w.Question)
}

// answerQuestion lets the agent answer. Its bounds are such that nothing is shortened.
func (w *world) answerQuestion(ctx context.Context, p *player, cfg agent.Config, question string) (did, error) {
	cfg.Model, cfg.MaxSteps, cfg.Budget = p, 10_000, agent.Budget{Run: 1 << 40, Window: 1 << 40, Attempts: 1 << 40}
	a, err := agent.Run(ctx, cfg, question)
	if err != nil {
		return did{}, err
	}
	if err := p.took(a.Messages); err != nil {
		return did{}, err
	}
	out := did{tokens: p.head + p.tokens, billed: p.billed, turns: p.turns}
	// Without code the figures are in no result: this model is right in its head, which an
	// answer cannot show.
	if text := strings.ReplaceAll(a.Text, " (unverified)", ""); text != w.want {
		out.wrong = fmt.Errorf("the answer is %q, and should be %q", text, w.want)
	} else if w.state != nil {
		out.wrong = w.state()
	}
	return out, nil
}
