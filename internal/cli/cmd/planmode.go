package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/internal/app"
)

// modeFlags are the flags of ask that say how a question is answered.
type modeFlags struct {
	mode       string
	host       hostFlags
	quarantine string
}

// register adds the flags. Seed and timeout are those of every session.
func (m *modeFlags) register(cmd *cobra.Command, t *toolFlags) {
	fs := cmd.Flags()
	fs.StringVar(&m.mode, "mode", app.ModeCode, "how it is answered: by code in a sandbox that may call tools, by tools alone, by both, or by a plan whose flows are proved; `MODE` is code, tools, both or plan")
	t.registerFiles(cmd)
	fs.BoolVar(&t.strict, "strict", false, "give no answer that holds figures that are found nowhere; with --mode plan: count implicit flows, too")
	fs.StringVar(&m.quarantine, "quarantine-model", "", "with --mode plan: the model that sees data, as `PROVIDER:NAME` (default: the same)")
	fs.StringArrayVar(&m.host.inputs, "input", nil, "with --mode plan: value of a declared input, as `NAME=JSON`")
	fs.StringVar(&m.host.now, "now", "", "with --mode plan: what the plan's clock shows, a `TIME`")
	fs.StringVar(&m.host.replies, "replies", "", "with --mode plan: `FILE` with answers of tools, one JSON object a line")
	fs.BoolVar(&m.host.yes, "yes", false, "with --mode plan: approve every call that a person has to approve")
	fs.BoolVar(&m.host.later, "later", false, "with --mode plan: let the plan wait at a call that a person has to approve")
}

// planOnly and codeOnly are the flags that belong to one mode.
func planOnly() []string {
	return []string{"quarantine-model", "input", "now", "replies", "yes", "later"}
}

func codeOnly() []string {
	return append([]string{"file", "out", "thread", "lang", "with", "requirements", "memory", "disk", "cpus", "processes", "cpu-time", "output-limit", "input-check", "check", "check-expr", "skills", "learn", "show-changes"}, append(netFlags(), subcallNames()...)...)
}

// budgetFlags are those that bound a question which code and tools answer.
func budgetFlags() []string {
	var out []string
	for _, s := range event.BudgetTable() {
		out = append(out, s.Flag())
	}
	return out
}

// check says which flags do not belong to the mode.
func (m *modeFlags) check(cmd *cobra.Command, t *toolFlags) error {
	wrong, other := planOnly(), app.ModePlan
	switch m.mode {
	case app.ModeCode, app.ModeBoth:
	case app.ModeTools:
		wrong, other = append(codeOnly(), planOnly()...), app.ModeCode
	case app.ModePlan:
		wrong, other = append(append(codeOnly(), "notes", "schema", "repo", "sees"), budgetFlags()...), app.ModeCode
	default:
		return usage("praxis ask", "there is no mode %q: write code, tools, both or plan", m.mode)
	}
	if i := slices.IndexFunc(wrong, cmd.Flags().Changed); i >= 0 {
		if slices.Contains(planOnly(), wrong[i]) {
			other = app.ModePlan
		}
		return usage("praxis ask", "--%s belongs to --mode %s", wrong[i], other)
	}
	if (m.mode == app.ModeTools || m.mode == app.ModeBoth) && len(t.tools) == 0 {
		return usage("praxis ask", "--mode %s needs --tools FILE", m.mode)
	}
	return nil
}

// plan answers a question with a plan. It needs no sandbox.
func (a *askCommand) plan(ctx context.Context, question string) error {
	q := app.PlanAskRequest{Question: question, Model: a.model, Fallbacks: a.fallback, Effort: a.effort, Tools: a.tools.spec(a.p), Host: a.mode.host.host()}
	q.Host.Model = a.mode.quarantine
	if v := a.flags.timeout.value; v != nil {
		q.Host.Timeout = *v
	}
	if v := a.maxSteps.value; v != nil {
		q.Plans = int(*v)
	}
	var err error
	if q.Start, err = a.mode.host.start(); err != nil {
		return err
	}
	if v := a.flags.seed.value; v != nil {
		q.Start.Seed = *v
	}
	return on(a.p, func(x asker) error { return a.askPlan(ctx, x, q) })
}

func (a *askCommand) askPlan(ctx context.Context, x asker, q app.PlanAskRequest) error {
	rep := a.reporter()
	runCtx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	out, err := x.AskPlan(runCtx, q, a.p.watch(cancelling(rep, broken)))
	a.p.settled()
	if out.Run == "" {
		return err
	}
	if err != nil && errorCode(err) == exitInterrupted {
		err = cut{out.Steps}
	}
	a.p.printedObject = a.p.printedObject || a.json
	e := ending{run: out.Run, text: out.Text, rehearsed: out.Rehearsed, steps: out.Steps, tokens: out.Tokens, err: err}
	if out.Waiting != nil && err == nil {
		e.err = waiting{out.Waiting}
	}
	if err := rep.finish(e); err != nil {
		return err
	}
	if err == nil && len(out.Rehearsed) > 0 {
		return errors.Join(a.p.note("%s", planRehearsed), exitStatus{exitUnfinished})
	}
	if err != nil || out.Waiting == nil {
		return err
	}
	if !a.json {
		printWaiting(a.p.stderr, out.Waiting, out.Run, a.tools.again(out.Waiting))
	}
	return exitStatus{exitUnfinished}
}

// planRehearsed says why a question that was answered ends with exitUnfinished.
const planRehearsed = "this was a rehearsal: calls were answered from examples or given replies, and nothing of it was done"

// waiting is why there is no answer yet.
type waiting struct{ at *app.PlanWaiting }

// Error says where the plan waits.
func (w waiting) Error() string { return "the plan waits at " + waitsAt(w.at) }

// waitsAt names the call that a plan waits at.
func waitsAt(w *app.PlanWaiting) string {
	return fmt.Sprintf("%s on line %d (%s)", w.Tool, w.Line, w.ID)
}
