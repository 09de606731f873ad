package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/internal/agent"
	"praxis/internal/app"
	"praxis/internal/config"
	"praxis/internal/llm"
	"praxis/internal/plan"
	"praxis/internal/planner"
)

// planAsk are the flags of ask --mode plan.
type planAsk struct {
	mode       string
	rules      ruleFlags
	host       hostFlags
	quarantine string
}

// The modes of ask.
const (
	modeCode  = "code"  // code, which may call tools
	modeTools = "tools" // native calls of tools, and no code
	modeBoth  = "both"
	modePlan  = "plan"
)

// register adds the flags. Seed and timeout are those of every session.
func (a *planAsk) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&a.mode, "mode", modeCode, "how it is answered: by code in a sandbox that may call tools, by tools alone, by both, or by a plan whose flows are proved; `MODE` is code, tools, both or plan")
	a.rules.register(cmd)
	fs.StringVar(&a.quarantine, "quarantine-model", "", "with --mode plan: the model that sees data, as `PROVIDER:NAME` (default: the same)")
	fs.StringArrayVar(&a.host.inputs, "input", nil, "with --mode plan: value of a declared input, as `NAME=JSON`")
	fs.StringVar(&a.host.now, "now", "", "with --mode plan: what the plan's clock shows, a `TIME`")
	fs.StringVar(&a.host.replies, "replies", "", "with --mode plan: `FILE` with answers of tools, one JSON object a line")
	fs.BoolVar(&a.host.yes, "yes", false, "with --mode plan: grant every call that needs a person's leave")
	fs.BoolVar(&a.host.later, "later", false, "with --mode plan: let the plan wait at a call that needs a person's leave")
}

// planOnly and codeOnly are the flags that belong to one mode.
func planOnly() []string {
	return []string{"strict", "quarantine-model", "input", "now", "replies", "yes", "later"}
}

func codeOnly() []string {
	return append([]string{"file", "out", "thread", "with", "requirements", "memory", "disk", "cpus", "processes", "cpu-time", "output-limit"}, netFlags()...)
}

// check says which flags do not belong to the mode.
func (a *planAsk) check(cmd *cobra.Command) error {
	wrong, other := planOnly(), modePlan
	switch a.mode {
	case modeCode, modeBoth:
	case modeTools:
		wrong, other = append(codeOnly(), planOnly()...), modeCode
	case modePlan:
		wrong, other = append(codeOnly(), "notes"), modeCode
	default:
		return usage("praxis ask", "there is no mode %q: write code, tools, both or plan", a.mode)
	}
	if i := slices.IndexFunc(wrong, cmd.Flags().Changed); i >= 0 {
		if slices.Contains(planOnly(), wrong[i]) {
			other = modePlan
		}
		return usage("praxis ask", "--%s belongs to --mode %s", wrong[i], other)
	}
	if (a.mode == modeTools || a.mode == modeBoth) && len(a.rules.tools) == 0 {
		return usage("praxis ask", "--mode %s needs --tools FILE", a.mode)
	}
	return a.host.check("praxis ask")
}

// planning is one run of ask --mode plan.
type planning struct {
	*askCommand
	cfg        config.Config
	records    *app.Records
	question   string
	model      llm.Model
	quarantine llm.Model
	tools      *tooling
	start      plan.Start
	rehearsal  *planner.Rehearsal
}

// plan answers a question with a plan. It needs no sandbox.
func (a *askCommand) plan(ctx context.Context, cfg config.Config, question, model string) error {
	t := &planning{askCommand: a, cfg: cfg, question: question}
	var err error
	if t.start, err = a.planAsk.host.start(); err != nil {
		return err
	}
	if v := a.flags.seed.value; v != nil {
		t.start.Seed = *v
	}
	if t.rehearsal, _, err = a.p.planHost(&a.planAsk.host); err != nil {
		return err
	}
	t.rehearsal.Models = true
	if t.model, err = app.NewModel(model, a.p.getenv); err != nil {
		return err
	}
	t.quarantine = t.model
	if q := a.planAsk.quarantine; q != "" && q != model {
		if t.quarantine, err = app.NewModel(q, a.p.getenv); err != nil {
			return err
		}
	}
	return a.p.withRecords(func(r *app.Records) (err error) {
		t.records = r
		if t.tools, err = a.p.openTooling(ctx, cfg, r, nil, &a.tools, &a.planAsk.rules); err != nil {
			return err
		}
		defer a.p.closing(t.tools, &err)
		if err := t.inputs(); err != nil {
			return err
		}
		return t.ask(ctx)
	})
}

// inputs checks the inputs before a model is asked: a plan that does nothing
// takes them.
func (t *planning) inputs() error {
	p, err := plan.Prepare(plan.Source{Name: "plan.py"}, t.tools.options())
	if err == nil {
		_, err = p.Start(t.start)
	}
	return err
}

func (t *planning) ask(ctx context.Context) error {
	p := t.p
	rep := t.reporter()
	runCtx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	view := &gallery{next: rep, broken: broken}
	began := time.Now()
	runCtx, rec, err := t.records.Journal.Begin(runCtx, t.beganRun(), view)
	if err != nil {
		return err
	}
	answer, runErr := planner.Answer{}, keepRules(runCtx, rec, t.tools.rules)
	g, err := t.tools.planGate(t.tools.options(), rec, t.records, t.rehearsal, &t.planAsk.host)
	if runErr = errors.Join(runErr, err); runErr == nil {
		task := &planTask{p: p, rec: rec}
		answer, runErr = planner.Ask(runCtx, planner.Config{
			Host:    planner.Host{Gate: g, Model: t.quarantine, Sink: rec, Keep: task.keep, Timeout: t.timeout()},
			Planner: t.model, Options: t.tools.options(), Start: t.start, Plans: t.plans(),
		}, t.question)
	}
	if runErr != nil && errorCode(runErr) == exitInterrupted {
		runErr = cut{answer.Steps}
	}
	rec.Emit(t.ended(answer, runErr, time.Since(began)))
	closeErr := rec.Close()
	p.told = p.told || t.json
	e := ending{run: rec.ID(), err: runErr, unsaved: closeErr}
	e.answer = agent.Answer{Text: answer.Text, Steps: answer.Steps, Tokens: answer.Tokens}
	waits := answer.Outcome.Waiting
	if waits != nil && runErr == nil {
		e.err = waiting{answer.Outcome, rec.ID()}
	}
	if err := rep.finish(e); err != nil {
		return errors.Join(err, closeErr)
	}
	if err := errors.Join(runErr, closeErr); err != nil || waits == nil {
		return err
	}
	if !t.json {
		tellWaiting(p.stderr, answer.Outcome, rec.ID(), "", t.tools.again(waits.Tool))
	}
	return fate{exitUnfinished}
}

func (t *planning) timeout() time.Duration {
	if v := t.flags.timeout.value; v != nil {
		return *v
	}
	return planner.DefaultTimeout
}

// plans is how many plans the model may write.
func (t *planning) plans() int {
	if v := t.maxSteps.value; v != nil {
		return int(*v)
	}
	return planner.DefaultPlans
}

func (t *planning) beganRun() event.RunBegan {
	b := event.RunBegan{
		Kind: event.Ask, Mode: modePlan, Question: strings.TrimSpace(t.question), Model: t.model.Name(),
		Scripted: strings.HasPrefix(t.model.Name(), "scripted:"), MaxSteps: t.plans(), Program: t.p.version, Seed: t.flags.seed.value,
	}
	b.Bounds.Timeout = event.Duration(t.timeout())
	return b
}

// ended describes how the run ended.
func (t *planning) ended(a planner.Answer, err error, took time.Duration) event.RunEnded {
	e := event.RunEnded{Outcome: event.Answered, Steps: a.Steps, Tokens: a.Tokens, Took: event.Duration(took)}
	switch {
	case err != nil && a.Steps == 0:
		e.Outcome, e.Reason = event.Failed, err.Error()
	case err != nil:
		e.Outcome, e.Reason = event.Unanswered, err.Error()
	case a.Outcome.Waiting != nil:
		e.Outcome, e.Reason = event.Waiting, "it waits at "+waitsAt(a.Outcome)
	}
	return e
}

// waiting is why there is no answer yet.
type waiting struct {
	out planner.Outcome
	run string
}

// Error says where the plan waits.
func (w waiting) Error() string { return "the plan waits at " + waitsAt(w.out) }
