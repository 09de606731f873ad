package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/config"
	"praxis/internal/llm"
	"praxis/internal/plan"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/syntax"
	"praxis/internal/planner"
	"praxis/internal/record/journal"
	"praxis/internal/safetext"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
)

// MaxPlan bounds a plan in bytes.
const MaxPlan = syntax.DefaultMaxBytes

// PlanSource is the text of a plan, and what messages call it.
type PlanSource = plan.Source

// ReadPlan reads a plan from a file.
func ReadPlan(name string) (PlanSource, error) {
	text, err := ReadText(name, MaxPlan)
	return PlanSource{Name: name, Text: text}, err
}

// PlanHost says what a plan is run with.
type PlanHost struct {
	// Replies is a file with answers of tools, one JSON object a line. Calls of
	// tools that nothing implements, and of all that it answers, are rehearsed.
	Replies string
	Model   string        // the model that answers without tools; "": there is none
	Effort  string        // how much it is asked to reason; "": what the configuration says
	Timeout time.Duration // of the plan's own work, without its calls; 0: 5 minutes
	Yes     bool          // every call that a person has to approve is approved
	Later   bool          // the plan waits at such a call
	// StateFile gets the state of a plan that waits, too; "": only the journal does.
	StateFile string
	// MostTokens and MostCost bound what models may use, those that write plans included; 0: any.
	MostTokens int
	MostCost   float64
}

// check refuses what is wrong in itself.
func (h PlanHost) check() error {
	if h.Yes && h.Later {
		return fault.New(fault.Invalid, "Say one of them.", "cannot run the plan: yes grants what later lets wait")
	}
	if h.Timeout == 0 {
		return nil
	}
	return config.Timeout.Check(h.Timeout)
}

// PlanStart is what a plan is begun with.
type PlanStart struct {
	Inputs map[string]any // values of the declared inputs, as JSON decodes them
	Now    time.Time      // what the plan's clock shows; zero: now
	Seed   int64          // of its random numbers
}

func (s PlanStart) start() plan.Start {
	if s.Now.IsZero() {
		s.Now = time.Now()
	}
	return plan.Start{Inputs: s.Inputs, Now: s.Now, Seed: s.Seed}
}

// DecodeJSON reads a JSON value as plans and tools take it: objects keep the
// order of their members, numbers their digits.
func DecodeJSON(text []byte) (any, error) { return jsondoc.Decode(text) }

// PlanRequest asks for a plan to be checked and run.
type PlanRequest struct {
	Plan  PlanSource
	Tools ToolSpec
	Start PlanStart
	Host  PlanHost
	Begun func(record string) error // as in AskRequest
}

// PlanResult is what a plan came to.
type PlanResult struct {
	Run    string          `json:"run"`    // its id in the journal
	Status string          `json:"status"` // ok, error, limit, refused, waits, stopped, failed
	Output string          `json:"output"`
	Label  event.DataLabel `json:"label"` // of the output
	Error  string          `json:"error,omitempty"`
	Line   int             `json:"line,omitempty"` // of the error
	// Check is what the check found before anything ran.
	Check   *PlanCheck      `json:"check"`
	Calls   []PlanCall      `json:"calls"`
	Waiting *PlanWaiting    `json:"waiting,omitempty"`
	Used    event.PlanUsage `json:"used"`
	Tokens  event.Tokens    `json:"tokens"`
	// Limit is the fault that ended a plan which broke a limit.
	Limit error `json:"-"`
}

// TimedOut says whether the plan took more than its time.
func (r PlanResult) TimedOut() bool { return fault.CodeOf(r.Limit) == fault.PlanTime }

// PlanCall is one call of a plan.
type PlanCall struct {
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

// PlanWaiting is the call that a plan waits at.
type PlanWaiting struct {
	PlanCall
	State string `json:"state"` // SHA-256 of the stored state
	File  string `json:"file,omitempty"`
	// Approval says that it waits for a person's decision, not for a result.
	Approval bool `json:"-"`
	// Implemented says that something implements the tool: the call can be made
	// when the files of the tools are named again.
	Implemented bool `json:"-"`
}

// RunPlan checks a plan and runs it, and records both. What the plan did is data
// in the result; the error says that it could not be run, or run on. What the
// plan prints goes to sink as it comes.
func (a *App) RunPlan(ctx context.Context, q PlanRequest, sink event.Sink) (out PlanResult, err error) {
	h, err := a.planHost(q.Host)
	if err != nil {
		return out, err
	}
	t, err := a.openTools(ctx, q.Tools, NetSpec{}, sink)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	prepared, err := plan.Prepare(ctx, q.Plan, t.options)
	if err != nil {
		return out, err
	}
	start := q.Start.start()
	if prepared.Check.Accepted { // what is wrong with the inputs is the caller's mistake
		if _, err := prepared.Start(start); err != nil {
			return out, err
		}
	}
	r := &planRun{app: a, tools: t, rules: t.rules, host: h, prepared: prepared, start: start, begun: q.Begun}
	return r.run(ctx, event.RunBegan{}, sink, func(ctx context.Context, _ *journal.Recorder, host planner.Host) (planner.Result, error) {
		run, err := prepared.Start(start)
		if err != nil {
			return planner.Result{}, err
		}
		return planner.Execute(ctx, run, host)
	})
}

// planHost is what a plan is run with, ready to be used.
type planHost struct {
	PlanHost
	rehearsal *planner.Rehearsal
	model     llm.Model // nil: there is none
}

// maxReplies bounds a file of replies in bytes.
const maxReplies = 64 << 20

func (a *App) planHost(spec PlanHost) (planHost, error) {
	h := planHost{PlanHost: spec, rehearsal: &planner.Rehearsal{}}
	if err := spec.check(); err != nil {
		return h, err
	}
	if h.Timeout == 0 {
		h.Timeout = planner.DefaultTimeout
	}
	if spec.Replies != "" {
		text, err := ReadText(spec.Replies, maxReplies)
		if err != nil {
			return h, err
		}
		if h.rehearsal, err = planner.ReadReplies(spec.Replies, text); err != nil {
			return h, err
		}
	}
	if spec.Model == "" {
		return h, nil
	}
	var err error
	h.model, err = a.model(modelChoice{name: spec.Model, effort: spec.Effort})
	h.rehearsal.Models = true
	return h, err
}

// planRun is one run of a plan.
type planRun struct {
	app      *App
	tools    *toolset
	rules    planner.Rules // that are kept with the run
	host     planHost
	prepared *plan.Plan
	start    plan.Start
	begun    func(record string) error // as in AskRequest
}

// planDoer runs a plan that was accepted, from its beginning or from where it
// waits.
type planDoer func(ctx context.Context, rec *journal.Recorder, host planner.Host) (planner.Result, error)

// run records a run. do runs the plan, unless it was refused.
func (p *planRun) run(ctx context.Context, began event.RunBegan, sink event.Sink, do planDoer) (PlanResult, error) {
	at := time.Now()
	began.Kind, began.Question, began.Program = event.Plan, planTitle(p.prepared.Source), p.app.opt.Version
	began.File = fileName(p.prepared.Source.Name)
	began.Bounds.Timeout = event.Duration(p.host.Timeout)
	if m := p.host.model; m != nil {
		describeModel(&began, m, cmp.Or(p.host.Effort, p.app.opt.Config.Ask.Effort))
	}
	if p.start.Seed != 0 {
		began.Seed = &p.start.Seed
	}
	calls := &callLog{}
	ctx, rec, err := p.app.records.Journal.Begin(ctx, began, event.Both(calls, sink))
	if err != nil {
		return PlanResult{}, err
	}
	callBegun(p.begun, rec.ID(), rec)
	s := &stateStore{rec: rec, file: p.host.StateFile}
	var out planner.Result
	if err = keepRules(ctx, rec, p.rules); err == nil {
		planner.Announce(rec, 0, p.prepared, p.start)
		out, err = p.do(ctx, rec, s, do)
	}
	rec.Emit(planEnded(out, err, time.Since(at)))
	err = errors.Join(err, rec.Close())
	return p.result(rec.ID(), out, calls.calls, s), err
}

func (p *planRun) do(ctx context.Context, rec *journal.Recorder, s *stateStore, do planDoer) (planner.Result, error) {
	if !p.prepared.Check.Accepted {
		return planner.Result{Status: string(event.Refused)}, nil
	}
	g, err := p.tools.planGate(p.prepared.Options, rec, p.host)
	if err != nil {
		return planner.Result{}, err
	}
	m, err := p.app.meter(p.host.PlanHost, p.host.model)
	if err != nil {
		return planner.Result{}, err
	}
	g.Read("the plan", string(p.prepared.Text))
	return do(ctx, rec, planner.Host{
		Gate: g, Model: m.of(p.host.model), Planner: m.of(p.host.model), Sink: rec, Timeout: p.host.Timeout, StoreState: s.keep, Approval: p.host.approval(p.tools.unattended),
	})
}

// planGate makes the gate that the calls of plans go through.
func (t *toolset) planGate(o plan.Options, rec *journal.Recorder, h planHost) (*gate.Gate, error) {
	return planner.NewGate(o, gate.Config{
		Run: rec.ID(), Caller: caller{t.registry, h.rehearsal}, Sink: rec, Redact: t.app.records.Journal.Redact,
		Approver: planApprover{yes: h.Yes, later: h.Later, tools: t},
	})
}

// planApprover decides for a plan: as its caller said beforehand, else whoever is
// asked.
type planApprover struct {
	yes, later bool
	tools      *toolset
}

var _ gate.Approver = planApprover{}

// Approve decides about one call.
func (p planApprover) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	switch {
	case p.yes && q.Rule == policy.RepeatRule:
		return gate.Answer{By: gate.ByPolicy, Reason: "What was approved beforehand is the call, not its repetition"}, nil
	case p.yes:
		return gate.Answer{Granted: true, Scope: gate.Once, By: gate.ByPerson, Who: p.tools.app.opt.Getenv("USER"), Reason: "approved beforehand"}, nil
	case p.later:
		return gate.Answer{}, gate.ErrLater
	case p.tools.unattended:
		return gate.Answer{By: gate.ByPolicy, Reason: "There is no terminal to ask on. Approve every call beforehand, or let the plan wait"}, nil
	}
	return p.tools.approver.Approve(ctx, q)
}

// stateStore stores the state of a plan that waits.
type stateStore struct {
	rec    *journal.Recorder
	file   string // "": the journal alone
	stored string // the file, once it is written
}

func (s *stateStore) keep(ctx context.Context, state []byte) (string, error) {
	sum, n, withheld, err := s.rec.Keep(ctx, "state", bytes.NewReader(state))
	if err != nil {
		return "", err
	}
	if s.file != "" {
		if err := atomicfile.WriteFile(s.file, state); err != nil {
			return "", asUnsaved(saveFault(s.file, err))
		}
		s.stored = s.file
	}
	if withheld != "" && s.file == "" {
		return "", fault.New(fault.Conflict, "Have it stored in a file, too.", "the journal does not keep it: %s", withheld)
	}
	s.rec.Emit(event.FileGiven{Name: "state", Role: planner.RoleState, Bytes: n, SHA256: sum, Withheld: withheld})
	return sum, nil
}

// Unsaved is a failure to save what was made, or to record how a run ended. What
// the run came to stands beside it.
type Unsaved struct{ error }

// Unwrap returns why.
func (u Unsaved) Unwrap() error { return u.error }

// asUnsaved marks an error as one that came after the code.
func asUnsaved(err error) error {
	if err == nil {
		return nil
	}
	return Unsaved{err}
}

// planEnded describes how a run of a plan ended.
func planEnded(out planner.Result, err error, took time.Duration) event.RunEnded {
	e := event.RunEnded{Status: event.RunStatus(out.Status), Tokens: out.Tokens, Took: event.Duration(took)}
	switch {
	case err != nil && out.Status == "stopped":
		e.Reason = err.Error()
	case err != nil:
		e.Status, e.Reason = event.Failed, err.Error()
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
	return e
}

func finalLine(s string) string {
	s = strings.TrimRight(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// waitsAt names the call that a plan waits at.
func waitsAt(out planner.Result) string {
	return fmt.Sprintf("%s on line %d (%s)", out.Waiting.Tool.Name, out.Waiting.Line, out.Waiting.ID())
}

// planTitle is what a plan is called in a list: its file, and its first line
// that is no comment.
func planTitle(src PlanSource) string {
	title := filepath.Base(src.Name)
	for line := range bytes.Lines(src.Text) {
		text := strings.TrimSpace(string(line))
		if text != "" && !strings.HasPrefix(text, "#") {
			return title + ": " + safetext.Line(text)
		}
	}
	return title
}

func (p *planRun) result(run string, out planner.Result, calls []PlanCall, s *stateStore) PlanResult {
	r := PlanResult{
		Run: run, Status: out.Status, Output: out.Output, Label: gate.DataLabel(out.Label), Check: p.prepared.Check,
		Calls: calls, Tokens: out.Tokens, Used: event.PlanUsage{Steps: out.Used.Steps, Calls: out.Used.Calls},
	}
	if r.Calls == nil {
		r.Calls = []PlanCall{}
	}
	if r.Status == "" {
		r.Status = "failed"
	}
	if out.End != nil {
		r.Error, r.Line = out.End.Error, out.End.Line
		if out.End.Status == plan.Limit {
			r.Limit = out.End.Fault
		}
	}
	if out.Waiting != nil && len(r.Calls) > 0 {
		last := len(r.Calls) - 1
		r.Waiting = &PlanWaiting{
			PlanCall: r.Calls[last], State: out.State, File: s.stored, Approval: out.NeedsApproval,
			Implemented: p.tools.registry.Implements(out.Waiting.Tool),
		}
		r.Calls = r.Calls[:last]
	}
	return r
}

// callLog gathers the calls of a plan from its events.
type callLog struct{ calls []PlanCall }

// Emit takes an event of the run.
func (l *callLog) Emit(e event.Event) {
	switch e := e.(type) {
	case event.ToolCalled:
		l.calls = append(l.calls, PlanCall{ID: e.ID, Tool: e.Tool, Line: e.Line, Arguments: e.Arguments, Labels: e.Labels})
	case event.DecisionMade:
		l.change(e.ID, func(c *PlanCall) { c.Decision, c.Rule, c.Reason = e.Verdict, e.Rule, e.Reason })
	case event.ApprovalGiven:
		l.change(e.ID, func(c *PlanCall) { c.Granted, c.By, c.Said = &e.Granted, e.By, e.Reason })
	case event.ToolReturned:
		l.change(e.ID, func(c *PlanCall) { c.Result, c.Error, c.Rehearsed = e.Result, e.Error, e.Rehearsed })
	}
}

func (l *callLog) change(id string, f func(*PlanCall)) {
	for i, c := range slices.Backward(l.calls) {
		if c.ID == id {
			f(&l.calls[i])
			return
		}
	}
}
