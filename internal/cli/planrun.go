package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/atomicfile"
	"praxis/internal/config"
	"praxis/internal/llm"
	"praxis/internal/plan"
	"praxis/internal/planner"
	"praxis/internal/record/journal"
	"praxis/internal/safetext"
	"praxis/internal/tool/gate"
)

const planRunLong = `Checks a plan and carries it out. What it prints comes out on standard output and
nothing else does. A plan that calls no tool needs neither tools nor a policy.

Calls are decided by the policy before they are made. A tool whose file says what
carries it out (run: …) is really called. Calls of the others, and of all that
--replies answers, are rehearsed: from its lines

  {"tool": "calendar.read", "arguments": {"day": "2026-05-04"}, "result": {}}
  {"tool": "email.write", "error": "the server is down"}

and from the examples of the tools' definitions. What a model answers is asked
of --model, without tools and as data that nobody trusts. A call without an
answer makes the plan wait: its whole state is stored, and praxis plan resume
goes on with it, here or in another process, now or in three days.

What needs a person's leave is asked on the terminal. Without one it is denied,
unless --yes grants it or --later lets the plan wait for it.

The run is recorded: praxis show shows it, praxis replay --policy FILE says what
another policy would have decided. The exit code is 1 when the check refused the
plan, when it raised an exception or broke a limit, and 3 when it waits.`

// hostFlags say what a plan is carried out with.
type hostFlags struct {
	inputs     []string
	replies    string
	model      string
	now        string
	seed       flagValue[int64]
	timeout    flagValue[time.Duration]
	yes, later bool
}

func (f *hostFlags) register(cmd *cobra.Command) {
	f.timeout = flagValue[time.Duration]{parse: config.Timeout.Parse, kind: "time"}
	f.answers(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&f.inputs, "input", nil, "value of a declared input, as `NAME=JSON` (may be repeated)")
	fs.StringVar(&f.now, "now", "", "what the plan's clock shows: a day, or a `TIME` as 2026-05-04T08:00:00Z")
	fs.Var(&f.seed, "seed", "of the plan's random numbers (default 0)")
	fs.Var(&f.timeout, "timeout", "time of the plan's own work, without its calls (default 30s)")
}

// answers are the flags about what calls are answered with.
func (f *hostFlags) answers(cmd *cobra.Command) {
	f.seed = flagValue[int64]{parse: parseSeed, kind: "number"}
	fs := cmd.Flags()
	fs.StringVar(&f.replies, "replies", "", "`FILE` with answers of tools, one JSON object a line")
	fs.BoolVar(&f.yes, "yes", false, "grant every call that needs a person's leave")
	fs.BoolVar(&f.later, "later", false, "let the plan wait at a call that needs a person's leave")
}

// moment reads a day or a time.
func (f *hostFlags) moment() (time.Time, error) {
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
func (f *hostFlags) start() (s plan.Start, err error) {
	if s.Inputs, err = inputValues(f.inputs); err != nil {
		return s, err
	}
	if s.Now, err = f.moment(); err != nil {
		return s, err
	}
	if f.seed.value != nil {
		s.Seed = *f.seed.value
	}
	return s, nil
}

// check says what is wrong with the flags together.
func (f *hostFlags) check(command string) error {
	if f.yes && f.later {
		return usage(command, "--yes grants what --later lets wait")
	}
	return nil
}

// planRunning is one praxis plan run.
type planRunning struct {
	p     *program
	rules ruleFlags
	host  hostFlags
	tools toolFlags
	state string
	json  bool
}

func (p *program) planRunCommand() *cobra.Command {
	r := &planRunning{p: p}
	cmd := &cobra.Command{
		Use: "run FILE", Short: "Check a plan and carry it out", Long: planRunLong,
		Example: "  praxis plan run plan.py\n  praxis plan run plan.py --tools tools.yaml --policy policy.yaml --replies replies.jsonl",
		Args:    takes(1, 1, "the file of the plan"),
		RunE:    func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args[0]) },
	}
	r.rules.register(cmd)
	r.tools.register(cmd)
	r.host.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&r.host.model, "model", "", "the model that answers without tools, as `PROVIDER:NAME`")
	fs.StringVar(&r.state, "state", "", "store the state in this `FILE`, too, when the plan waits")
	fs.BoolVar(&r.json, "json", false, "print one JSON object instead")
	return cmd
}

func (r *planRunning) run(ctx context.Context, name string) error {
	if err := r.host.check("praxis plan run"); err != nil {
		return err
	}
	start, err := r.host.start()
	if err != nil {
		return err
	}
	cfg, err := r.p.config()
	if err != nil {
		return err
	}
	rehearsal, model, err := r.p.planHost(&r.host)
	if err != nil {
		return err
	}
	src, err := r.p.readPlan(name)
	if err != nil {
		return err
	}
	return r.p.withRecords(func(records *app.Records) (err error) {
		tools, err := r.p.openTooling(ctx, cfg, records, nil, &r.tools, &r.rules)
		if err != nil {
			return err
		}
		defer r.p.closing(tools, &err)
		prepared, err := plan.Prepare(src, tools.options())
		if err != nil {
			return err
		}
		if prepared.Check.Accepted { // what is wrong with the inputs is wrong with the command line
			if _, err := prepared.Start(start); err != nil {
				return err
			}
		}
		t := &planTask{p: r.p, records: records, prepared: prepared, tools: tools, rules: tools.rules, start: start, rehearsal: rehearsal, model: model,
			flags: &r.host, state: r.state, json: r.json}
		return t.run(ctx, event.RunBegan{}, func(ctx context.Context, h planner.Host) (planner.Outcome, error) {
			run, err := prepared.Start(start)
			if err != nil {
				return planner.Outcome{}, err
			}
			return planner.Carry(ctx, run, h)
		})
	})
}

// planHost makes what answers the calls of a plan.
func (p *program) planHost(f *hostFlags) (*planner.Rehearsal, llm.Model, error) {
	rehearsal := &planner.Rehearsal{}
	if f.replies != "" {
		text, err := readBounded(f.replies, maxReplies)
		if err != nil {
			return nil, nil, err
		}
		if rehearsal, err = planner.ReadReplies(f.replies, text); err != nil {
			return nil, nil, err
		}
	}
	if f.model == "" {
		return rehearsal, nil, nil
	}
	model, err := app.NewModel(f.model, p.getenv)
	rehearsal.Models = true
	return rehearsal, model, err
}

// maxReplies bounds a file of replies in bytes.
const maxReplies = 64 << 20

// planTask is a plan on its way through one command: it is recorded, shown and
// carried out.
type planTask struct {
	p         *program
	records   *app.Records
	prepared  *plan.Plan
	tools     *tooling
	rules     planner.Rules
	start     plan.Start
	rehearsal *planner.Rehearsal
	model     llm.Model
	flags     *hostFlags
	state     string // the file of --state
	json      bool

	rec     *journal.Recorder
	printer *planPrinter
	stored  string // where the state of a plan that waits is
	began   time.Time
}

// run records a run. carry carries the plan out unless it was refused.
func (t *planTask) run(ctx context.Context, began event.RunBegan, carry func(context.Context, planner.Host) (planner.Outcome, error)) (err error) {
	t.began = time.Now()
	t.printer = newPlanPrinter(t.p, t.json)
	runCtx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	t.printer.out.broken = broken
	began.Kind, began.Question, began.Program = event.Plan, planTitle(t.prepared.Source), t.p.version
	began.Bounds.Timeout = event.Duration(t.timeout())
	if t.model != nil {
		began.Model, began.Scripted = t.model.Name(), strings.HasPrefix(t.model.Name(), "scripted:")
	}
	if t.start.Seed != 0 {
		began.Seed = &t.start.Seed
	}
	runCtx, t.rec, err = t.records.Journal.Begin(runCtx, began, t.printer)
	if err != nil {
		return err
	}
	var out planner.Outcome
	err = keepRules(runCtx, t.rec, t.rules)
	if err == nil {
		planner.Announce(t.rec, 0, t.prepared, t.start)
		if t.prepared.Check.Accepted {
			var h planner.Host
			if h, err = t.host(); err == nil {
				out, err = carry(runCtx, h)
			}
		} else {
			out.Status = string(event.Refused)
		}
	}
	t.end(out, err)
	if err != nil && t.printer.out.err != nil {
		err = t.printer.out.err // nobody reads: that it was cancelled says nothing more
	}
	err = errors.Join(err, t.rec.Close())
	return t.tell(out, err)
}

func (t *planTask) timeout() time.Duration {
	if v := t.flags.timeout.value; v != nil {
		return *v
	}
	return planner.DefaultTimeout
}

// keepRules keeps the texts that the plan is held against, so that the run can
// be carried out again without the files.
func keepRules(ctx context.Context, rec *journal.Recorder, r planner.Rules) error {
	keep := func(role string, t planner.Text) error {
		sum, n, withheld, err := rec.Keep(ctx, t.Name, strings.NewReader(t.Text))
		if err != nil {
			return err
		}
		rec.Emit(event.FileGiven{Name: t.Name, Role: role, Bytes: n, SHA256: sum, Withheld: withheld})
		return nil
	}
	for _, t := range r.Tools {
		if err := keep(planner.RoleTools, t); err != nil {
			return err
		}
	}
	if r.Policy != nil {
		return keep(planner.RolePolicy, *r.Policy)
	}
	return nil
}

// host is what the plan is carried out with.
func (t *planTask) host() (planner.Host, error) {
	g, err := t.tools.planGate(t.prepared.Options, t.rec, t.records, t.rehearsal, t.flags)
	return planner.Host{Gate: g, Model: t.model, Sink: t.rec, Timeout: t.timeout(), Keep: t.keep}, err
}

// planGate makes the gate of a run of plans.
func (t *tooling) planGate(o plan.Options, rec *journal.Recorder, records *app.Records, rehearsal *planner.Rehearsal, f *hostFlags) (*gate.Gate, error) {
	return planner.NewGate(o, gate.Config{
		Run: rec.ID(), Caller: callers{t.registry, rehearsal}, Sink: rec, Redact: records.Journal.Redact, Approver: planApprover{f.yes, f.later, t},
	})
}

// keep stores a plan that waits.
func (t *planTask) keep(ctx context.Context, state []byte) (string, error) {
	sum, n, withheld, err := t.rec.Keep(ctx, "state", bytes.NewReader(state))
	if err != nil {
		return "", err
	}
	if t.state != "" {
		if err := atomicfile.WriteFile(t.state, state); err != nil {
			return "", asUnsaved(saveFault(t.state, err))
		}
		t.stored = t.state
	}
	if withheld != "" && t.state == "" {
		return "", fault.New(fault.Conflict, "Name a file for it: --state FILE.", "the journal does not keep it: %s", withheld)
	}
	t.rec.Emit(event.FileGiven{Name: "state", Role: planner.RoleState, Bytes: n, SHA256: sum, Withheld: withheld})
	return sum, nil
}

// end records how the run ended.
func (t *planTask) end(out planner.Outcome, err error) {
	e := event.RunEnded{Outcome: event.Outcome(out.Status), Tokens: out.Tokens, Took: event.Duration(time.Since(t.began))}
	switch {
	case err != nil && out.Status == "stopped":
		e.Reason = err.Error()
	case err != nil:
		e.Outcome, e.Reason = event.Failed, err.Error()
	case out.Status == string(event.Refused):
		e.Reason = "the check refused the plan"
	case out.Waiting != nil:
		e.Reason = "it waits at " + waitsAt(out)
	case out.End != nil && out.End.Status == plan.Limit:
		e.Reason = out.End.Error
	case out.End != nil && out.End.Status == plan.Failed && out.End.Label.Trusted():
		e.Reason = finalLine(out.End.Error)
	case out.End != nil && out.End.Status == plan.Failed:
		e.Reason = fmt.Sprintf("%s on line %d", out.End.Class, out.End.Line)
	}
	t.rec.Emit(e)
}

func finalLine(s string) string {
	s = strings.TrimRight(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// waitsAt names the call that a plan waits at.
func waitsAt(out planner.Outcome) string {
	return fmt.Sprintf("%s on line %d (%s)", out.Waiting.Tool.Name, out.Waiting.Line, out.Waiting.ID())
}

// tell says what came of the run and returns its exit code.
func (t *planTask) tell(out planner.Outcome, err error) error {
	if t.json {
		if err := errors.Join(t.p.printJSON(t.result(out, err)), err); err != nil {
			return err
		}
		return t.fate(out)
	}
	if out.Waiting != nil {
		t.printer.again = t.tools.again(out.Waiting.Tool)
	}
	if err := errors.Join(t.printer.finish(out, t.rec.ID(), t.prepared, t.stored), err); err != nil {
		return err
	}
	return t.fate(out)
}

// fate is how the command ends.
func (*planTask) fate(out planner.Outcome) error {
	if code := planCode(out); code != exitOK {
		return fate{code}
	}
	return nil
}

// planCode is the exit code of a plan.
func planCode(out planner.Outcome) int {
	switch out.Status {
	case string(plan.OK):
		return exitOK
	case string(event.Waiting):
		return exitUnfinished
	case string(plan.Limit):
		switch err := out.End.Fault; {
		case errors.Is(err, planner.ErrTime):
			return exitTimeout
		case fault.KindOf(err) == fault.Canceled:
			return exitInterrupted
		}
	}
	return exitRaised
}

// planResult is the object of plan run --json.
type planResult struct {
	Run     string          `json:"run"`    // its id in the journal
	Status  string          `json:"status"` // ok, error, limit, refused, waits, stopped
	Output  string          `json:"output"`
	Label   event.DataLabel `json:"label"` // of the output
	Error   string          `json:"error,omitempty"`
	Line    int             `json:"line,omitempty"` // of the error
	Check   any             `json:"check"`
	Calls   []planCall      `json:"calls"`
	Waiting *planWaiting    `json:"waiting,omitempty"`
	Used    event.PlanUsage `json:"used"`
	Tokens  event.Tokens    `json:"tokens"`
	Failure *fault.Error    `json:"failure"`
}

// planWaiting is the call that a plan waits at.
type planWaiting struct {
	planCall
	State string `json:"state"` // SHA-256 of the stored state
	File  string `json:"file,omitempty"`
}

// planCall is one call of a plan.
type planCall struct {
	ID        string                     `json:"id"`
	Tool      string                     `json:"tool"`
	Line      int                        `json:"line"`
	Arguments map[string]any             `json:"arguments"`
	Labels    map[string]event.DataLabel `json:"labels"`
	Decision  string                     `json:"decision"`
	Rule      string                     `json:"rule"`
	Reason    string                     `json:"reason,omitempty"`
	Granted   *bool                      `json:"granted,omitempty"` // when a person had to agree
	By        string                     `json:"by,omitempty"`      // who decided then
	Said      string                     `json:"said,omitempty"`    // and why
	Result    string                     `json:"result,omitempty"`
	Error     string                     `json:"error,omitempty"`
	Rehearsed string                     `json:"rehearsed,omitempty"` // where the answer comes from when it was not really called
}

func (t *planTask) result(out planner.Outcome, err error) planResult {
	r := planResult{
		Run: t.rec.ID(), Status: out.Status, Output: out.Output, Label: gate.DataLabel(out.Label), Check: t.prepared.Check,
		Calls: orEmpty(t.printer.calls), Tokens: out.Tokens, Used: event.PlanUsage{Steps: out.Used.Steps, Calls: out.Used.Calls}, Failure: failureOf(err),
	}
	if r.Status == "" {
		r.Status = "failed"
	}
	if out.End != nil {
		r.Error, r.Line = out.End.Error, out.End.Line
	}
	if out.Waiting != nil && len(r.Calls) > 0 {
		r.Waiting = &planWaiting{planCall: r.Calls[len(r.Calls)-1], State: out.State, File: t.stored}
		r.Calls = r.Calls[:len(r.Calls)-1]
	}
	return r
}
