package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/plan"
	"praxis/internal/planner"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// planTime bounds the own time of one plan that is executed again: a machine
// may be slower now than the one on which it ran.
const planTime = 2 * planner.DefaultTimeout

// PlanReport says what came of executing a run of plans again.
type PlanReport struct {
	Run       string           `json:"run"`
	Kind      event.Kind       `json:"kind"`
	Question  string           `json:"question"`
	Policy    string           `json:"policy,omitempty"` // the file of another policy
	Identical bool             `json:"identical"`
	Plans     []PlanStepReport `json:"plans"`
	Notes     []string         `json:"notes,omitempty"` // full sentences
	Took      event.Duration   `json:"took_ms"`
	// Unfinished says that the record of the run has no end: only what there is
	// was compared.
	Unfinished bool `json:"unfinished,omitempty"`
}

// PlanStepReport compares one plan.
type PlanStepReport struct {
	Step        int          `json:"step"` // 0: a person gave the plan
	Identical   bool         `json:"identical"`
	Differences []Difference `json:"differences,omitempty"`
	Decisions   []Redecided  `json:"decisions"`
}

// Redecided is a call, what was decided about it and what is decided now.
type Redecided struct {
	ID      string `json:"id"`
	Tool    string `json:"tool"`
	Line    int    `json:"line"`
	Was     Ruling `json:"was"`
	Is      Ruling `json:"is"`
	Changed bool   `json:"changed"` // the verdict or the rule
}

// Ruling is what a policy says of a call.
type Ruling struct {
	Verdict string `json:"verdict"`
	Rule    string `json:"rule"`
	Reason  string `json:"reason,omitempty"`
}

// PlanConfig says how a run of plans is executed again.
type PlanConfig struct {
	Policy *planner.Text // another than that of the recording; nil: that
	// Redact takes secrets out of a text, as the journal's does. nil: there are none.
	Redact func(string) string
}

// ReplayPlan executes a run of plans again. Calls are answered as they were,
// whatever is decided about them now, so that every decision can be compared:
// nothing is called. With another policy the decisions are that one's. It is
// pure but for the time that it takes.
func ReplayPlan(ctx context.Context, rec PlanRecording, c PlanConfig) (PlanReport, error) {
	other := c.Policy
	began := time.Now()
	out := PlanReport{Run: rec.ID, Kind: rec.Began.Kind, Question: rec.Began.Question, Identical: true}
	rules := rec.Rules
	if other != nil {
		rules.Policy, out.Policy = other, other.Name
	}
	for _, recorded := range rec.Plans {
		e := planRerun{rec: recorded, request: request(rec.Began), rules: rules, seed: rec.Began.Seed, other: other != nil, redact: c.Redact}
		e.report = PlanStepReport{Step: recorded.Written.Step, Decisions: []Redecided{}}
		if err := e.execute(ctx); err != nil {
			return out, err
		}
		e.report.Identical = len(e.report.Differences) == 0
		for _, d := range e.report.Decisions {
			e.report.Identical = e.report.Identical && !d.Changed
		}
		out.Identical = out.Identical && e.report.Identical
		out.Plans = append(out.Plans, e.report)
		out.Notes = append(out.Notes, e.notes...)
	}
	if rec.Ended == nil {
		out.Unfinished = true
		out.Notes = append(out.Notes, "The recording has no end: the run was not finished. What there is of it was executed again.")
	}
	if rec.Began.Kind == event.Ask {
		out.Notes = append(out.Notes, "The plans are those that the model wrote then: it was not asked again.")
	}
	out.Notes = unique(out.Notes)
	out.Took = event.Duration(time.Since(began))
	return out, nil
}

// request is what the model that wrote the plans of a run was asked.
func request(b event.RunBegan) string {
	if b.Kind == event.Ask {
		return b.Question
	}
	return ""
}

// planRerun is one plan that is executed again.
type planRerun struct {
	rec   RecordedPlan
	rules planner.Rules
	seed  *int64
	// request is what the model that wrote the plan was asked.
	request string
	other   bool // another policy than that of the recording
	broken  bool // the recording ends before the plan does
	redact  func(string) string
	report  PlanStepReport
	notes   []string
	output  strings.Builder
	outer   *plan.Run // that a nested plan is executed in
	inner   *plan.Run // a nested plan that was executed
}

func (e *planRerun) differ(what, was, is string) {
	if e.redact != nil {
		is = e.redact(is)
	}
	was, is = secretRE.ReplaceAllString(was, "[secret $1]"), secretRE.ReplaceAllString(is, "[secret $1]")
	if was != is {
		e.report.Differences = append(e.report.Differences, newDifference(what, 0, was, is))
	}
}

func (e *planRerun) note(format string, args ...any) {
	e.notes = append(e.notes, fmt.Sprintf(format, args...))
}

// execute executes the plan and compares.
func (e *planRerun) execute(ctx context.Context) error {
	e.rules.Strict = e.rec.Written.Mode == "strict"
	options, err := e.rules.Load()
	if err != nil {
		return err
	}
	options.Audit, options.Request = true, e.request
	return e.run(ctx, options)
}

// run executes the plan under options and compares.
func (e *planRerun) run(ctx context.Context, options plan.Options) error {
	run, err := e.start(ctx, options)
	if err != nil || run == nil {
		return err
	}
	return e.walk(ctx, run)
}

// walk lets the plan go on for as long as its calls have answers, and compares.
func (e *planRerun) walk(ctx context.Context, run *plan.Run) error {
	timer := time.AfterFunc(planTime, func() {
		run.Interrupt(fault.Coded(fault.PlanTime, fault.Data{"limit": planTime.String()}, "cannot go on with the plan: %w", planner.ErrTime))
	})
	defer timer.Stop()
	defer context.AfterFunc(ctx, func() { run.Interrupt(context.Cause(ctx)) })()
	for i := 0; ; i++ {
		step, err := run.Next()
		if cause := context.Cause(ctx); cause != nil {
			return fault.New(fault.Canceled, "", "cannot replay the plan: %w", cause)
		}
		if err != nil {
			return err
		}
		printed, _ := run.Output()
		for _, p := range printed {
			e.output.WriteString(p.Text)
		}
		if step.End != nil {
			e.end(i, step.End)
			return nil
		}
		if on, err := e.call(ctx, i, run, step.Call); err != nil || !on {
			return err
		}
	}
}

// start prepares the plan, compares what its check says, and starts it or puts
// it where it waited. A plan that cannot be started gives nil.
func (e *planRerun) start(ctx context.Context, o plan.Options) (*plan.Run, error) {
	var prepared *plan.Plan
	var run *plan.Run
	var err error
	if e.rec.State != nil {
		if run, err = o.Resume(ctx, e.rec.State); err == nil {
			prepared = run.Plan()
		}
	} else {
		prepared, err = plan.Prepare(ctx, plan.Source{Name: e.rec.Written.Name, Text: []byte(e.rec.Written.Code)}, o)
	}
	if err != nil {
		return nil, err
	}
	accepted := func(ok bool) string {
		if ok {
			return "accepted"
		}
		return "refused before anything runs"
	}
	if e.rec.Checked != nil {
		e.differ("check", accepted(e.rec.Checked.Accepted), accepted(prepared.Check.Accepted))
		if !e.other {
			e.differ("findings", planner.Findings(e.rec.Checked.Findings), planner.Findings(planner.Checked(0, prepared).Findings))
		}
		if !e.rec.Checked.Accepted {
			return nil, nil // it never ran
		}
	}
	if run != nil {
		return run, nil
	}
	start, err := e.begin()
	if err != nil {
		return nil, err
	}
	if e.outer != nil {
		e.inner, err = e.outer.Nest(prepared, start.Made)
		return e.inner, err
	}
	if run, err = prepared.Start(start); fault.KindOf(err) == fault.Invalid {
		e.differ("start", "started", err.Error())
		return nil, nil
	}
	return run, err
}

// begin is what the plan was begun with.
func (e *planRerun) begin() (s plan.Start, err error) {
	if s.Now, err = time.Parse(time.RFC3339Nano, e.rec.Written.Now); err != nil {
		return s, fault.New(fault.Conflict, "", "cannot replay the plan: its clock cannot be read: %w", err)
	}
	if e.seed != nil {
		s.Seed = *e.seed
	}
	for _, m := range e.rec.Written.Made {
		s.Made = append(s.Made, plan.Made(m))
	}
	for name, text := range e.rec.Written.Inputs {
		v, err := jsondoc.Decode(text)
		if err != nil {
			return s, fault.New(fault.Conflict, "", "cannot replay the plan: its input %s cannot be read: %w", name, err)
		}
		if s.Inputs == nil {
			s.Inputs = map[string]any{}
		}
		s.Inputs[name] = v
	}
	return s, nil
}

// call compares the call with the number i and answers it as it was answered.
// on says that the plan goes on.
func (e *planRerun) call(ctx context.Context, i int, run *plan.Run, call *plan.Call) (on bool, err error) {
	name := func(tool string, line int) string { return fmt.Sprintf("%s, line %d", tool, line) }
	if i >= len(e.rec.Calls) {
		if e.broken {
			return false, nil
		}
		e.differ(fmt.Sprintf("call %d", i+1), "", name(call.Tool.Name, call.Line))
		return false, nil
	}
	was := e.rec.Calls[i]
	is, err := asRecorded(planner.Announcement(was.Called.Step, call))
	if err != nil {
		return false, err
	}
	if was.Called.Tool != is.Tool || was.Called.Line != is.Line {
		e.differ(fmt.Sprintf("call %d", i+1), name(was.Called.Tool, was.Called.Line), name(is.Tool, is.Line))
		return false, nil
	}
	e.differ("arguments of "+was.Called.ID, written(was.Called.Arguments), written(is.Arguments))
	if !e.other { // other rules may lower other labels
		e.differ("labels of "+was.Called.ID, written(was.Called.Labels)+written(was.Called.Control), written(is.Labels)+written(is.Control))
	}
	d := planner.Decided(was.Called.Step, call)
	change := Redecided{
		ID: was.Called.ID, Tool: was.Called.Tool, Line: was.Called.Line,
		Was: Ruling{was.Decision.Verdict, was.Decision.Rule, was.Decision.Reason}, Is: Ruling{d.Verdict, d.Rule, d.Reason},
	}
	change.Changed = change.Was.Verdict != change.Is.Verdict || change.Was.Rule != change.Is.Rule
	e.report.Decisions = append(e.report.Decisions, change)
	if was.Returned == nil {
		e.waits()
		return false, nil
	}
	for _, p := range was.Nested {
		if err := e.nested(ctx, p, run); err != nil {
			return false, err
		}
	}
	return true, e.answer(was, run)
}

// nested executes a nested plan of the call that the plan waits at, and compares.
func (e *planRerun) nested(ctx context.Context, p RecordedPlan, run *plan.Run) error {
	n := planRerun{rec: p, seed: e.seed, other: e.other, redact: e.redact, report: e.report, outer: run}
	options := run.NestedOptions()
	options.Audit = true
	err := n.run(ctx, options)
	e.report, e.notes = n.report, append(e.notes, n.notes...)
	if n.inner != nil {
		run.Return(n.inner, p.Ended != nil && p.Ended.Status == string(plan.OK))
	}
	return err
}

// asRecorded is an event as it comes back from a record.
func asRecorded(e event.ToolCalled) (event.ToolCalled, error) {
	data, err := event.Marshal(e)
	if err != nil {
		return e, err
	}
	back, err := event.Unmarshal(event.Name(e), data)
	if err != nil {
		return e, err
	}
	return back.(event.ToolCalled), nil
}

// written writes a value so that it can be compared.
func written(v any) string {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(data) + "\n"
}

// answer answers a call as it was answered.
func (e *planRerun) answer(was PlanCall, run *plan.Run) error {
	if reason, denied := strings.CutPrefix(was.Returned.Error, event.NotCalled); denied {
		d := planner.Denial{Reason: reason}
		if was.Given != nil {
			d.By = was.Given.By
		}
		return d.Apply(run, was.Decision.Remedy)
	}
	if was.Returned.Error != "" {
		return planner.Fail(run, was.Returned.Error)
	}
	v, err := jsondoc.Decode([]byte(was.Returned.Result))
	if err != nil {
		return fault.New(fault.Conflict, "", "cannot replay the plan: the result of %s cannot be read: %w", was.Called.ID, err)
	}
	if strings.Contains(was.Returned.Result, schema.Redacted) || strings.Contains(was.Returned.Result, "[secret ") {
		e.note("Secrets were taken out of the recording: the plan goes on without them.")
	}
	if was.Vouched != nil {
		_, err = run.ReplyEndorsed(v, was.Vouched.Who, was.Vouched.Why)
	} else {
		_, err = run.Reply(v)
	}
	if fault.KindOf(err) == fault.Invalid {
		e.note("The result of %s does not fit its schema now: the plan learned of it as an exception.", was.Called.ID)
		return nil
	}
	return err
}

// waits compares a plan that waited.
func (e *planRerun) waits() {
	if e.rec.Waits != nil {
		e.differ("output", e.rec.Waits.Output, e.output.String())
	}
}

// end compares how the plan ended, after so many calls.
func (e *planRerun) end(calls int, end *plan.End) {
	if calls < len(e.rec.Calls) {
		e.differ(fmt.Sprintf("call %d", calls+1), fmt.Sprintf("%s, line %d", e.rec.Calls[calls].Called.Tool, e.rec.Calls[calls].Called.Line), "")
	}
	was := e.rec.Ended
	if was == nil {
		if e.rec.Waits == nil {
			return // the recording ends before
		}
		was = &event.PlanEnded{Status: "waits", Output: e.rec.Waits.Output}
	}
	if was.Status == "stopped" {
		e.note("The recorded plan was ended from outside, which a replay does not repeat.")
		return
	}
	e.differ("output", was.Output, e.output.String())
	e.differ("status", was.Status, string(end.Status))
	if !errors.Is(end.Fault, planner.ErrTime) {
		e.differ("error", was.Error, end.Error)
	}
}
