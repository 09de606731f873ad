package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

const planRunLong = `Checks a plan and executes it. What it prints goes to standard output, and
nothing else does. A plan that calls no tool needs neither tools nor a policy.

Calls are decided by the policy before they are made. A tool whose file says what
executes it (run: …) is really called. Calls of the others, and of all that
--replies answers, are rehearsed: from its lines

  {"tool": "calendar.read", "arguments": {"day": "2026-05-04"}, "result": {}}
  {"tool": "email.write", "error": "the server is down"}

and from the examples of the tools' definitions. What a model answers is asked
of --model, without tools and as data that nobody trusts. A call without an
answer makes the plan wait: its whole state is stored, and praxis plan resume
goes on with it, here or in another process, now or in three days.

What a person has to approve is asked on the terminal. Without one it is denied,
unless --yes approves it or --later lets the plan wait for it.

The run is recorded: praxis show shows it, praxis replay --policy FILE says what
another policy would have decided. The exit code is 1 when the check refused the
plan, when it raised an exception or broke a limit, and 3 when it waits.`

// hostFlags say what a plan is executed with.
type hostFlags struct {
	inputs     []string
	replies    string
	model      string
	now        string
	seed       flagValue[int64]
	timeout    flagValue[time.Duration]
	yes, later bool
	state      string // a file for the state of a plan that waits
}

func (f *hostFlags) register(cmd *cobra.Command) {
	f.timeout = flagValue[time.Duration]{parse: app.ParseTimeout, kind: "time"}
	f.answers(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&f.inputs, "input", nil, "value of a declared input, as `NAME=JSON` (may be repeated)")
	fs.StringVar(&f.now, "now", "", "what the plan's clock shows: a day, or a `TIME` as 2026-05-04T08:00:00Z")
	fs.Var(&f.seed, "seed", "of the plan's random numbers (default 0)")
	fs.Var(&f.timeout, "timeout", "time of the plan's own work, without its calls (default 5m)")
}

// answers are the flags about what calls are answered with.
func (f *hostFlags) answers(cmd *cobra.Command) {
	f.seed = flagValue[int64]{parse: parseSeed, kind: "number"}
	fs := cmd.Flags()
	fs.StringVar(&f.replies, "replies", "", "`FILE` with answers of tools, one JSON object a line")
	fs.BoolVar(&f.yes, "yes", false, "approve every call that a person has to approve")
	fs.BoolVar(&f.later, "later", false, "let the plan wait at a call that a person has to approve")
}

// clock reads the day or the time that the plan's clock shows.
func (f *hostFlags) clock() (time.Time, error) {
	if f.now == "" {
		return time.Now(), nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, f.now); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fault.New(fault.Invalid, "Write a day as 2026-05-04, or a time as 2026-05-04T08:00:00Z.", "cannot use the time %q: it is none", safetext.Line(f.now))
}

// start is what the plan is begun with.
func (f *hostFlags) start() (s app.PlanStart, err error) {
	if s.Inputs, err = inputValues(f.inputs); err != nil {
		return s, err
	}
	if s.Now, err = f.clock(); err != nil {
		return s, err
	}
	if f.seed.value != nil {
		s.Seed = *f.seed.value
	}
	return s, nil
}

// host is what the plan is run with.
func (f *hostFlags) host() app.PlanHost {
	h := app.PlanHost{Replies: f.replies, Model: f.model, Yes: f.yes, Later: f.later, StateFile: f.state}
	if f.timeout.value != nil {
		h.Timeout = *f.timeout.value
	}
	return h
}

// planRunning is one praxis plan run.
type planRunning struct {
	p     *program
	host  hostFlags
	tools toolFlags
	json  bool
}

func (p *program) planRunCommand() *cobra.Command {
	r := &planRunning{p: p}
	cmd := &cobra.Command{
		Use: "run FILE", Short: "Check a plan and execute it", Long: planRunLong,
		Example: "  praxis plan run plan.py\n  praxis plan run plan.py --tools tools.yaml --policy policy.yaml --replies replies.jsonl",
		Args:    takes(1, 1, "the file of the plan"),
		RunE:    func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args[0]) },
	}
	r.tools.registerFiles(cmd)
	r.tools.registerStrict(cmd)
	r.tools.registerApproval(cmd)
	r.host.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&r.host.model, "model", "", "the model that answers without tools, as `PROVIDER:NAME`")
	fs.StringVar(&r.host.state, "state", "", "store the state in this `FILE`, too, when the plan waits")
	fs.BoolVar(&r.json, "json", false, "print one JSON object instead")
	return cmd
}

func (r *planRunning) run(ctx context.Context, name string) error {
	q := app.PlanRequest{Tools: r.tools.spec(r.p), Host: r.host.host()}
	var err error
	if q.Start, err = r.host.start(); err != nil {
		return err
	}
	if q.Plan, err = r.p.readPlan(name); err != nil {
		return err
	}
	return on(r.p, func(a planner) error {
		return r.p.showPlan(ctx, r.json, &r.tools, func(ctx context.Context, sink event.Sink) (app.PlanResult, error) {
			return a.RunPlan(ctx, q, sink)
		})
	})
}

// planObject is the object of plan run --json.
type planObject struct {
	app.PlanResult
	Failure *fault.Error `json:"failure"`
}

// showPlan shows a plan while do runs it, and says what came of it.
func (p *program) showPlan(ctx context.Context, asJSON bool, t *toolFlags, do func(context.Context, event.Sink) (app.PlanResult, error)) error {
	printer := newPlanPrinter(p, asJSON)
	runCtx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	printer.out.broken = broken
	out, err := do(runCtx, p.watch(printer))
	p.settled()
	if out.Run == "" {
		return err
	}
	if err != nil && printer.out.err != nil {
		err = printer.out.err // nobody reads: that it was cancelled says nothing more
	}
	if asJSON {
		err = errors.Join(p.printJSON(planObject{out, failureOf(err)}), err)
	} else {
		err = errors.Join(printer.finish(out, t.again(out.Waiting)), err)
	}
	if err != nil {
		return err
	}
	if code := planCode(out); code != exitOK {
		return exitStatus{code}
	}
	return nil
}

// planCode is the exit code of a plan.
func planCode(out app.PlanResult) int {
	switch event.RunStatus(out.Status) {
	case event.RunStatus(event.OK.String()):
		return exitOK
	case event.Waiting:
		return exitUnfinished
	case event.Limited:
		switch {
		case out.TimedOut():
			return exitTimeout
		case fault.KindOf(out.Limit) == fault.Canceled:
			return exitInterrupted
		}
	}
	return exitRaised
}
