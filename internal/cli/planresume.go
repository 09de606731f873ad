package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/config"
	"praxis/internal/plan"
	"praxis/internal/planner"
	"praxis/internal/record/journal"
	"praxis/internal/safetext"
	"praxis/internal/tool"
)

const planResumeLong = `Goes on with a plan that waits: answers the call that it waits at, and carries it
on from there, as a run of its own. RUN is the run that waits, FILE what --state
stored.

The policy and the definitions of the tools are those that the run was recorded
with; the call is decided again. --policy takes another one. What carries tools
out is not recorded: calls are really made when --tools names the files, and wait
for their --result when it does not. A FILE whose run is not recorded here needs
--tools and --policy.

A result must fit the schema of the tool. It is as trustworthy as the tool's
definition says; --endorse says that you have looked at it and vouch for it,
and why, which is recorded.`

// planResuming is one praxis plan resume.
type planResuming struct {
	p       *program
	rules   ruleFlags
	host    hostFlags
	result  string
	failed  string
	approve bool
	deny    string
	endorse string
	state   string
	again   bool
	json    bool
}

func (p *program) planResumeCommand() *cobra.Command {
	r := &planResuming{p: p}
	cmd := &cobra.Command{
		Use: "resume RUN|FILE", Short: "Answer the call that a plan waits at, and go on", Long: planResumeLong,
		Example: "  praxis plan resume last --result '{\"id\": \"m-1\"}'\n  praxis plan resume last --approve --tools tools.yaml\n  praxis plan resume mail.state --deny 'not today'",
		Args:    takes(1, 1, "the run that waits, or the file of its state"),
		RunE:    func(cmd *cobra.Command, args []string) error { return r.run(cmd, args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&r.result, "result", "", "what the call returned, as `JSON`")
	fs.StringVar(&r.failed, "error", "", "why the call failed, as `TEXT`")
	fs.BoolVar(&r.approve, "approve", false, "give leave for the call")
	fs.StringVar(&r.deny, "deny", "", "deny the call, and say why: `REASON`")
	fs.StringVar(&r.endorse, "endorse", "", "vouch for the result, and say `WHY`")
	fs.StringArrayVar(&r.rules.tools, "tools", nil, "`FILE` that declares the tools: what carries them out is called (may be repeated)")
	fs.StringVar(&r.rules.policy, "policy", "", "`FILE` with other rules than those of the run")
	r.rules.registerCommands(cmd)
	r.host.answers(cmd)
	fs.StringVar(&r.host.model, "model", "", "the model that answers without tools, as `PROVIDER:NAME`")
	fs.StringVar(&r.state, "state", "", "store the state in this `FILE`, too, when the plan waits again")
	fs.BoolVar(&r.again, "again", false, "go on also when it was gone on with before")
	fs.BoolVar(&r.json, "json", false, "print one JSON object instead")
	return cmd
}

// response is what the command line says to the call.
func (r *planResuming) response(cmd *cobra.Command) (a planner.Response, err error) {
	given := cmd.Flags().Changed
	const remedy = "Give one of --result JSON, --error TEXT, --approve, --deny REASON; or --tools FILE, to make a call that has leave already."
	switch {
	case !given("result") && !given("error") && !given("deny") && !r.approve && !r.host.yes && !given("tools"):
		return a, fault.New(fault.Invalid, remedy, "cannot go on with the plan: nothing is said to the call that it waits at")
	case r.approve && given("deny"):
		return a, usage("praxis plan resume", "--approve and --deny contradict each other")
	case given("deny") && strings.TrimSpace(r.deny) == "":
		return a, usage("praxis plan resume", "--deny needs a reason")
	case given("error") && strings.TrimSpace(r.failed) == "":
		return a, usage("praxis plan resume", "--error needs a text")
	case given("endorse") && strings.TrimSpace(r.endorse) == "":
		return a, usage("praxis plan resume", "--endorse needs a reason")
	}
	a.Call = given("tools")
	a.Error, a.Endorse, a.Reason = r.failed, r.endorse, r.deny
	if a.Who = r.p.getenv("USER"); a.Who == "" {
		a.Who = "person"
	}
	if r.approve || given("deny") {
		a.Approve = &r.approve
	}
	if given("result") {
		a.Given = true
		if a.Result, err = tool.DecodeJSON([]byte(r.result)); err != nil {
			return a, fault.New(fault.Invalid, `Write JSON; a text stands in quotes: --result '"text"'.`, "cannot use the result: %w", err)
		}
	}
	return a, nil
}

// stored is a plan that waits, and what is known of the run that stored it.
type stored struct {
	state    []byte
	sum      string
	run      string // "": it is not recorded here
	rules    planner.Rules
	approved bool // the call was: its result is what is missing
}

func (r *planResuming) run(cmd *cobra.Command, ref string) error {
	ctx := cmd.Context()
	if err := r.host.check("praxis plan resume"); err != nil {
		return err
	}
	answer, err := r.response(cmd)
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
	return r.p.withRecords(func(records *app.Records) (err error) {
		s, err := r.find(ctx, records, ref)
		if err != nil {
			return err
		}
		tools, o, err := r.heldAgainst(ctx, cfg, records, &s)
		if err != nil {
			return err
		}
		defer r.p.closing(tools, &err)
		run, err := plan.Resume(s.state, o.Tools, o.Policy)
		if err != nil {
			return err
		}
		if r.host.yes && !s.approved && answer.Approve == nil && !answer.Given && answer.Error == "" {
			answer.Approve = &r.host.yes // every call is this one, too
		}
		if err := answer.Fits(run.Waiting(), s.approved); err != nil {
			return err
		}
		s.rules.Strict = run.Plan().Strict
		t := &planTask{p: r.p, records: records, prepared: run.Plan(), tools: tools, rules: s.rules, start: run.Started(), rehearsal: rehearsal, model: model,
			flags: &r.host, state: r.state, json: r.json}
		began := event.RunBegan{}
		if s.run != "" {
			began.Parent = &event.Parent{Run: s.run, Change: "resumed"}
		}
		return t.run(ctx, began, func(ctx context.Context, h planner.Host) (planner.Outcome, error) {
			if err := keepState(ctx, t.rec, s.state); err != nil {
				return planner.Outcome{}, err
			}
			t.rec.Emit(event.PlanResumed{State: s.sum, Run: s.run})
			return planner.Continue(ctx, run, h, answer, s.approved)
		})
	})
}

// heldAgainst opens the tools that the command line names, and returns what the
// plan is held against: what its run kept, unless the command line says other.
// Without files of tools nothing carries calls out.
func (r *planResuming) heldAgainst(ctx context.Context, cfg config.Config, records *app.Records, s *stored) (*tooling, plan.Options, error) {
	given, err := r.rules.read()
	if err != nil {
		return nil, plan.Options{}, err
	}
	if given.Policy != nil {
		s.rules.Policy = given.Policy
	}
	named := r.rules
	named.policy = ""
	tools, err := r.p.openTooling(ctx, cfg, records, nil, &toolFlags{}, &named)
	if err != nil {
		return nil, plan.Options{}, err
	}
	if len(given.Tools) > 0 {
		s.rules.Tools = tools.rules.Tools
	}
	o, err := s.rules.Load()
	if err != nil {
		err = errors.Join(err, tools.Close())
	}
	return tools, o, err
}

// keepState keeps the state that a run goes on from.
func keepState(ctx context.Context, rec *journal.Recorder, state []byte) error {
	sum, n, withheld, err := rec.Keep(ctx, "state", bytes.NewReader(state))
	if err == nil {
		rec.Emit(event.FileGiven{Name: "state", Role: planner.RoleState, Bytes: n, SHA256: sum, Withheld: withheld})
	}
	return err
}

// find finds the plan that a command line names.
func (r *planResuming) find(ctx context.Context, records *app.Records, ref string) (stored, error) {
	if !isFile(ref) {
		id, err := findRun(ctx, records.Journal, ref)
		if err != nil {
			return stored{}, err
		}
		s, err := waitingRun(ctx, records, id)
		if err != nil {
			return s, err
		}
		if s.state, err = stateOf(ctx, records.Journal, s); err != nil {
			return s, err
		}
		return s, r.once(ctx, records.Journal, id)
	}
	state, err := readBounded(ref, plan.MaxState)
	if err != nil {
		return stored{}, err
	}
	sum := sha256.Sum256(state)
	s, err := waitingState(ctx, records, hex.EncodeToString(sum[:]))
	if err != nil {
		return s, err
	}
	if s.state = state; s.run != "" {
		return s, r.once(ctx, records.Journal, s.run)
	}
	if len(r.rules.tools) == 0 && r.rules.policy == "" {
		// What is wrong may be the file; and one without tools needs none.
		if _, err := plan.Resume(state, nil, nil); err == nil || fault.KindOf(err) == fault.Invalid {
			return s, err
		}
		return s, fault.New(fault.Invalid, "Give --tools and --policy, the files that it was started with.",
			"cannot go on from %s: the run that stored it is not recorded here", safetext.Line(ref))
	}
	return s, nil
}

// stateOf reads the state that a run stored.
func stateOf(ctx context.Context, j *journal.Journal, s stored) (data []byte, err error) {
	from, err := j.Blob(ctx, s.sum)
	if err != nil {
		return nil, fault.New(fault.Conflict, "Name the file that --state stored it in.", "cannot go on with run %s: its state is not kept in the journal", s.run)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	data, err = io.ReadAll(io.LimitReader(from, plan.MaxState+1))
	if sum := sha256.Sum256(data); err == nil && hex.EncodeToString(sum[:]) != s.sum {
		err = fault.New(fault.Conflict, "Look closer with: praxis verify "+s.run, "cannot go on with run %s: its state was changed", s.run)
	}
	return data, err
}

// waitingRun reads what a run that waits was recorded with.
func waitingRun(ctx context.Context, records *app.Records, id string) (stored, error) {
	s := stored{run: id}
	granted := map[string]bool{}
	call, waits := "", false
	for rec, err := range records.Journal.Records(ctx, id) {
		if err != nil {
			return s, err
		}
		switch e := rec.Event.(type) {
		case event.FileGiven:
			if err := s.file(ctx, records, e); err != nil {
				return s, err
			}
		case event.ApprovalGiven:
			granted[e.ID] = e.Granted
		case event.PlanWaits:
			s.sum, call, waits = e.State, e.ID, true
		case event.PlanEnded:
			waits = false
		}
	}
	if !waits {
		return s, fault.New(fault.Conflict, "See what became of it: praxis show "+id, "cannot go on with run %s: it does not wait", id)
	}
	s.approved = granted[call]
	return s, nil
}

// file takes a file that the plan was held against.
func (s *stored) file(ctx context.Context, records *app.Records, e event.FileGiven) error {
	if e.Role != planner.RoleTools && e.Role != planner.RolePolicy {
		return nil
	}
	if e.Withheld != "" {
		return fault.New(fault.Conflict, "Take the secret out of the file and start the plan again.", "cannot go on with run %s: the journal does not keep %s: %s", s.run, safetext.Line(e.Name), e.Withheld)
	}
	text, err := records.Content(ctx, e.SHA256)
	if err != nil {
		return err
	}
	t := planner.Text{Name: e.Name, Text: string(text)}
	if e.Role == planner.RolePolicy {
		s.rules.Policy = &t
	} else {
		s.rules.Tools = append(s.rules.Tools, t)
	}
	return nil
}

// waitingState finds the run that stored a state, the newest when several did;
// there may be none. A plan that waited for leave and one that then waits for the
// result have one state: the call counts as approved when it was in all of them.
func waitingState(ctx context.Context, records *app.Records, sum string) (stored, error) {
	var found stored
	for run, err := range eachRun(ctx, records.Journal, journal.Query{Outcome: event.Waiting}) {
		if err != nil {
			return stored{}, err
		}
		s, err := waitingRun(ctx, records, run.ID)
		switch {
		case err != nil || s.sum != sum:
		case found.run == "":
			found = s
		default:
			found.approved = found.approved && s.approved
		}
	}
	return found, nil
}

// once refuses to go on twice with one plan: its calls would be made twice.
func (r *planResuming) once(ctx context.Context, j *journal.Journal, id string) error {
	if r.again {
		return nil
	}
	known, err := j.Summary(ctx, id)
	if err != nil {
		return err
	}
	for s, err := range eachRun(ctx, j, journal.Query{Kind: event.Plan, Since: known.Began}) {
		if err != nil {
			return err
		}
		if s.Parent != nil && s.Parent.Run == id {
			return fault.New(fault.Conflict, "Look at that run: praxis show "+s.ID+". To go on from here once more, say --again.",
				"cannot go on with run %s: run %s did already, and what it did stays done", id, s.ID)
		}
	}
	return nil
}
