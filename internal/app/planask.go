package app

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/llm"
	"praxis/internal/plan"
	"praxis/internal/planner"
	"praxis/internal/tool/gate"
)

// PlanAskRequest asks a question that the model answers by writing a plan. The
// model never sees what a tool returns.
type PlanAskRequest struct {
	Question string
	Model    string // that writes plans, "provider:name"; "": what environment and configuration say
	// Fallbacks write them, one after the other, when the models before fail for good.
	Fallbacks []string
	Effort    string // how much models are asked to reason: one of Efforts
	Plans     int    // that it may write; 0: the default
	Tools     ToolSpec
	Start     PlanStart
	// Host is what its plans are run with. Its Model is the one that sees data;
	// "": the same model, in a conversation of its own.
	Host  PlanHost
	Begun func(record string) error // as in AskRequest
}

// check completes a request, and refuses one that is wrong in itself.
func (q *PlanAskRequest) check() error {
	if q.Question = strings.TrimSpace(q.Question); q.Question == "" {
		return errNoQuestion()
	}
	if err := checkSteps(q.Plans); err != nil {
		return err
	}
	return q.Host.check()
}

// PlanAskResult is what such a question came to.
type PlanAskResult struct {
	Run     string // its id in the journal; "": nothing began
	Text    string // the answer: what the plan printed; "": there is none
	Steps   int
	Tokens  event.Tokens
	Waiting *PlanWaiting // the call that the plan waits at; nil: it is over
	// Rehearsed are the tools that were not really called; the text says so.
	Rehearsed []string
}

// AskPlan lets the model write a plan for a question, and runs it. It needs no
// sandbox. The error says why there is no answer; a plan that waits is none.
func (a *App) AskPlan(ctx context.Context, q PlanAskRequest, sink event.Sink) (out PlanAskResult, err error) {
	if err := q.check(); err != nil {
		return out, err
	}
	model, err := a.model(modelChoice{name: q.Model, fallbacks: q.Fallbacks, effort: q.Effort})
	if err != nil {
		return out, err
	}
	q.Host.Effort = q.Effort
	h, err := a.planHost(q.Host)
	if err != nil {
		return out, err
	}
	if q.Host.Model == "" {
		h.model, h.rehearsal.Models = model, true
	}
	t, err := a.openTools(ctx, q.Tools, NetSpec{}, sink)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	p := &planQuestionRun{app: a, request: q, model: model, host: h, tools: t, start: q.Start.start()}
	if err := p.checkInputs(ctx); err != nil {
		return out, err
	}
	return p.ask(ctx, sink)
}

// planQuestionRun is one question that plans answer.
type planQuestionRun struct {
	app     *App
	request PlanAskRequest
	model   llm.Model // that writes plans
	host    planHost
	tools   *toolset
	start   plan.Start
}

// checkInputs checks the inputs before a model is asked: a plan that does nothing
// takes them.
func (p *planQuestionRun) checkInputs(ctx context.Context) error {
	empty, err := plan.Prepare(ctx, plan.Source{Name: "plan.py"}, p.tools.options)
	if err == nil {
		_, err = empty.Start(p.start)
	}
	return err
}

func (p *planQuestionRun) ask(ctx context.Context, sink event.Sink) (PlanAskResult, error) {
	at := time.Now()
	plans := p.request.Plans
	if plans == 0 {
		plans = planner.DefaultPlans
	}
	began := event.RunBegan{
		Kind: event.Ask, Mode: ModePlan, Question: p.request.Question, MaxSteps: plans, Program: p.app.opt.Version,
		Bounds: event.Bounds{Timeout: event.Duration(p.host.Timeout)},
	}
	describeModel(&began, p.model, cmp.Or(p.request.Effort, p.app.opt.Config.Ask.Effort))
	if p.start.Seed != 0 {
		began.Seed = &p.start.Seed
	}
	ctx, rec, err := p.app.records.Journal.Begin(ctx, began, sink)
	if err != nil {
		return PlanAskResult{}, err
	}
	callBegun(p.request.Begun, rec.ID(), rec)
	var answer planner.Answer
	var g *gate.Gate
	if err = keepRules(ctx, rec, p.tools.rules); err == nil {
		g, err = p.tools.planGate(p.tools.options, rec, p.host)
	}
	s := &stateStore{rec: rec, file: p.host.StateFile}
	var m *meter
	if err == nil {
		m, err = p.app.meter(p.host.PlanHost, p.model, p.host.model)
	}
	if err == nil {
		answer, err = planner.Ask(ctx, planner.Config{
			Host:    planner.Host{Gate: g, Model: m.of(p.host.model), Sink: rec, StoreState: s.keep, Timeout: p.host.Timeout, Planner: m.of(p.model), Approval: p.host.approval(p.tools.unattended)},
			Options: p.tools.options, Start: p.start, Plans: plans,
		}, p.request.Question)
	}
	rec.Emit(planQuestionEnded(answer, err, time.Since(at)))
	out := PlanAskResult{Run: rec.ID(), Text: answer.Text, Steps: answer.Steps, Tokens: answer.Tokens, Rehearsed: answer.Rehearsed}
	if w := answer.Result.Waiting; w != nil && err == nil {
		out.Waiting = &PlanWaiting{
			PlanCall: PlanCall{ID: w.ID(), Tool: w.Tool.Name, Line: w.Line}, State: answer.Result.State, File: s.stored,
			Approval: answer.Result.NeedsApproval, Implemented: p.tools.registry.Implements(w.Tool),
		}
	}
	return out, errors.Join(err, asUnsaved(rec.Close()))
}

// approval says who is asked about a call that needs an approval.
func (h PlanHost) approval(unattended bool) string {
	switch {
	case h.Yes:
		return "Calls that need an approval were approved beforehand."
	case h.Later:
		return "A call that needs an approval waits for it, perhaps for days."
	case unattended:
		return "Nobody is there to approve a call: one that needs an approval is denied."
	}
	return "A person is asked about a call that needs an approval when it is made."
}

// planQuestionEnded describes how the run ended.
func planQuestionEnded(a planner.Answer, err error, took time.Duration) event.RunEnded {
	e := event.RunEnded{Status: event.Answered, Steps: a.Steps, Tokens: a.Tokens, Took: event.Duration(took)}
	switch {
	case err != nil && a.Steps == 0:
		e.Status, e.Reason = event.Failed, err.Error()
	case err != nil:
		e.Status, e.Reason = event.Unanswered, err.Error()
	case a.Result.Waiting != nil:
		e.Status, e.Reason = event.Waiting, "it waits at "+waitsAt(a.Result)
	case len(a.Rehearsed) > 0:
		e.Reason = planner.NotDone(a.Rehearsed)
	}
	return e
}
