package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/planner"
	"praxis/internal/record/replay"
	"praxis/internal/safetext"
)

// Types that describe replays.
type (
	ReplayReport     = replay.Report
	PlanReplayReport = replay.PlanReport
	Branched         = replay.Branched
	Assertions       = replay.Assertions
	SuiteResult      = replay.Result
	SuiteTotals      = replay.Totals
)

// ReplayRequest asks for a run to be repeated and compared with its record.
type ReplayRequest struct {
	Run    string // its id, or a reference to it
	Image  ImageSpec
	Files  []string // NAME=PATH of files that stand in for inputs, or PATH of one of the same name
	Policy string   // file of another policy that decides; "": the recorded one
	Tools  []string // files of other definitions; nil: the recorded ones
}

// replaying is a run that is to be repeated, and what it is repeated with.
type replaying struct {
	cfg      replay.Config
	rec      replay.Recording
	imported bool
}

// load reads a run that is to be repeated, in sessions of other images where img
// names one. One that was made elsewhere gets no more of this host than the
// configuration allows.
func (a *App) load(ctx context.Context, ref string, img ImageSpec, sink event.Sink) (replaying, error) {
	j := a.records.Journal
	id, err := a.FindRun(ctx, ref)
	if err != nil {
		return replaying{}, err
	}
	rec, err := replay.Load(ctx, j, id)
	if err != nil {
		return replaying{}, err
	}
	known, err := j.Summary(ctx, id)
	if err != nil {
		return replaying{}, err
	}
	r := replaying{rec: rec, imported: known.Imported}
	r.cfg = replay.Config{Source: j, Languages: a.opt.Languages, Program: a.opt.Version, Redact: j.Redact, Open: a.opener(img, sink)}
	if r.imported {
		r.cfg.Open = a.foreign(r.cfg.Open)
		r.cfg.Within = allowed(a.opt.Config)
		r.rec.Began = r.cfg.Within(r.rec.Began)
		return r, nil
	}
	if rec.Session != nil && !img.given() { // a state belongs to its image
		open := a.opener(ImageSpec{}, sink)
		r.cfg.FromSnapshot = func(ctx context.Context, id string) (replay.Opened, error) {
			want := *rec.Session
			want.Snapshot, want.Name = id, ""
			return open(ctx, want)
		}
	}
	return r, nil
}

// opener opens sessions like one that was recorded, on another image where img
// names one.
func (a *App) opener(img ImageSpec, sink event.Sink) func(context.Context, event.SessionBegan) (replay.Opened, error) {
	return func(ctx context.Context, want event.SessionBegan) (replay.Opened, error) {
		s, err := a.openAgain(ctx, want, img, sink)
		if err != nil {
			return replay.Opened{}, err
		}
		return s.opened(), nil
	}
}

// overrides reads the files that stand in for inputs.
func overrides(files []string, rec replay.Recording) (map[string]func() (io.ReadCloser, error), error) {
	out := map[string]func() (io.ReadCloser, error){}
	for _, f := range files {
		name, path, found := strings.Cut(f, "=")
		if !found {
			name, path = filepath.Base(f), f
		}
		in, err := LocalFile(path)
		if err != nil {
			return nil, err
		}
		known := false
		for _, given := range rec.Inputs {
			known = known || given.Name == name
		}
		if !known {
			return nil, fault.New(fault.Invalid, "Look at the run to see what it was given.", "cannot take %s: run %s was given no file of that name", safetext.Line(name), rec.ID)
		}
		out[name] = in.Open
	}
	return out, nil
}

// Repeated says what repeating a run found.
type Repeated struct {
	Identical  bool   // everything came out as it was recorded
	Unfinished bool   // the record has no end: what there is was compared
	Report     string // what differs, for a person
	Details    any    // the same for a program: a ReplayReport or a PlanReplayReport
}

// Repeat replays a run, whether it is a plan's or another, with all that is recorded of it.
func (a *App) Repeat(ctx context.Context, ref string, sink event.Sink) (Repeated, error) {
	var report strings.Builder
	plan, err := a.IsPlanRun(ctx, ref)
	if err != nil {
		return Repeated{}, err
	}
	if plan {
		r, err := a.ReplayPlan(ctx, ref, "")
		if err == nil {
			err = r.Text(&report)
		}
		return Repeated{r.Identical, r.Unfinished, report.String(), r}, err
	}
	r, err := a.Replay(ctx, ReplayRequest{Run: ref}, sink)
	if err == nil {
		err = r.Text(&report)
	}
	return Repeated{r.Identical, r.Unfinished, report.String(), r}, err
}

// IsPlanRun says whether a run is one of a plan, which is repeated without a
// sandbox. A record that cannot be read far enough to know is not.
func (a *App) IsPlanRun(ctx context.Context, ref string) (bool, error) {
	id, err := a.FindRun(ctx, ref)
	if err != nil {
		return false, err
	}
	began, err := replay.Began(ctx, a.records.Journal, id)
	if err != nil && fault.KindOf(err) != fault.Conflict {
		return false, err
	}
	return err == nil && replay.IsPlan(began), nil
}

// Replay repeats a run in a fresh session, with the recorded replies of the model
// and the recorded results of calls, and compares. What came of it, also when it
// differs, is in the report; the error says why it could not be repeated.
func (a *App) Replay(ctx context.Context, q ReplayRequest, sink event.Sink) (ReplayReport, error) {
	r, err := a.load(ctx, q.Run, q.Image, sink)
	if err != nil {
		return ReplayReport{}, err
	}
	if r.cfg.Overrides, err = overrides(q.Files, r.rec); err != nil {
		return ReplayReport{}, err
	}
	if q.Policy != "" || q.Tools != nil {
		if len(r.rec.Began.Tools) == 0 {
			return ReplayReport{}, fault.New(fault.Invalid, "Leave the policy and the tools out.", "cannot replay run %s by other rules: it had no tools", r.rec.ID)
		}
		rules, err := ToolSpec{Files: q.Tools, Policy: q.Policy}.read()
		if err != nil {
			return ReplayReport{}, err
		}
		r.cfg.Policy, r.cfg.Tools = rules.Policy, rules.Tools
	}
	r.cfg.Sink = following(r.rec, sink)
	return replay.Replay(ctx, r.cfg, r.rec)
}

// following reports to sink how far a replay is.
func following(rec replay.Recording, sink event.Sink) event.Sink {
	last := 0
	for _, s := range rec.Steps {
		last = max(last, s.N)
	}
	return event.SinkFunc(func(e event.Event) {
		// In a step beyond the last one only the end of the recording is found.
		if s, ok := e.(event.StepBegan); ok && s.N <= last {
			sink.Emit(event.Progress{Stage: "replay", Text: fmt.Sprintf("replaying step %d of %d", s.N, last)})
		}
	})
}

// ReplayPlan repeats a run of a plan with the recorded answers of its calls. With
// a policy, its calls are decided by other rules, and the report says what they
// would have decided.
func (a *App) ReplayPlan(ctx context.Context, ref, policyFile string) (PlanReplayReport, error) {
	id, err := a.FindRun(ctx, ref)
	if err != nil {
		return PlanReplayReport{}, err
	}
	c := replay.PlanConfig{Redact: a.records.Journal.Redact}
	if policyFile != "" {
		text, err := ReadText(policyFile, maxPolicy)
		if err != nil {
			return PlanReplayReport{}, err
		}
		c.Policy = &planner.Text{Name: policyFile, Text: string(text)}
	}
	rec, err := replay.LoadPlan(ctx, a.records.Journal, id)
	if err != nil {
		return PlanReplayReport{}, err
	}
	return replay.ReplayPlan(ctx, rec, c)
}

// BranchRequest asks for a run to go on from the state before a step with
// something changed: as a run of its own.
type BranchRequest struct {
	Run      string
	From     int    // the step
	Model    string // "provider:name" that goes on; "": the recorded replies
	Question string // another question; it needs a model
	Code     string // other code in that step
	Image    ImageSpec
	Files    []string // as those of a replay
	Loose    bool     // also from a state that could only be made again differently
	// MostTokens and MostCost bound what a model may use beside what the run used; 0: any.
	MostTokens int
	MostCost   float64
}

// BranchResult is what a branch came to.
type BranchResult struct {
	ID string `json:"id"` // of its run
	Branched
}

// CodeOfStep returns the code that a step of a run ran first, to be edited.
func (a *App) CodeOfStep(ctx context.Context, ref string, step int) (string, error) {
	id, err := a.FindRun(ctx, ref)
	if err != nil {
		return "", err
	}
	rec, err := replay.Load(ctx, a.records.Journal, id)
	if err != nil {
		return "", err
	}
	for _, s := range rec.Steps {
		if s.N == step && len(s.Executions) > 0 && s.Executions[0].Code != "" {
			return s.Executions[0].Code, nil
		}
	}
	return "", fault.New(fault.Invalid, "Name a step that ran some.", "cannot edit the code: step %d ran none", step)
}

// Branch goes on from a step of a run with something changed. What happens goes
// to sink.
func (a *App) Branch(ctx context.Context, q BranchRequest, sink event.Sink) (out BranchResult, err error) {
	if q.Code, err = CheckCode("the code", q.Code); err != nil {
		return out, err
	}
	r, err := a.load(ctx, q.Run, q.Image, sink)
	if err != nil {
		return out, err
	}
	if r.cfg.Overrides, err = overrides(q.Files, r.rec); err != nil {
		return out, err
	}
	change := replay.Change{Question: q.Question, Code: q.Code}
	if q.Model != "" {
		var m llm.Model
		if m, err = a.model(modelChoice{name: q.Model}); err != nil {
			return out, err
		}
		known, err := a.records.Journal.Summary(ctx, r.rec.ID)
		if err != nil {
			return out, err
		}
		if r.rec.Began.Budget, r.cfg.Cost, err = a.remaining(r.rec.Began.Budget, m, known.Tokens, q.MostTokens, q.MostCost); err != nil {
			return out, err
		}
		change.Model, change.Scripted = m, scriptedModel(m)
	}
	if err := r.rec.Branchable(q.From, change); err != nil {
		return out, err
	}
	if r.imported && change.Model != nil {
		r.rec.Began = affordable(r.rec.Began, a.opt.Config)
	}
	var taken saved
	ctx, rec, err := a.records.Journal.Begin(ctx, r.rec.Branched(q.From, change, a.opt.Version), event.Both(&taken, sink))
	if err != nil {
		return out, err
	}
	out.ID = rec.ID()
	r.cfg.Recorder, r.cfg.Store, r.cfg.Snapshots, r.cfg.Loose = rec, rec.Store, a.opt.Config.Journal.Snapshots, q.Loose
	if !r.imported { // somebody else's conversation neither reads the memory nor adds to it
		r.cfg.Notes = notes{mem: a.records.Memory, run: rec.ID()}
	}
	out.Branched, err = replay.Branch(ctx, r.cfg, r.rec, q.From, change)
	return out, errors.Join(err, rec.Close(), a.tidyAfter(context.WithoutCancel(ctx), &taken))
}

// Assert runs assertions, the text of a Python file, on the final state of a run.
func (a *App) Assert(ctx context.Context, ref, file, code string, sink event.Sink) (Assertions, error) {
	code, err := CheckCode(safetext.Line(file), code)
	if err != nil {
		return Assertions{}, err
	}
	r, err := a.load(ctx, ref, ImageSpec{}, sink)
	if err != nil {
		return Assertions{}, err
	}
	if c := r.rec.Chosen; c != nil && c.N > 0 { // its state is that of the attempt
		if r, err = a.load(ctx, c.Run, ImageSpec{}, sink); err != nil {
			return Assertions{}, err
		}
	}
	return replay.Assert(ctx, r.cfg, r.rec, filepath.Base(file), code)
}

// TestRuns replays every run that was exported into a folder. done gets the
// result of each.
func (a *App) TestRuns(ctx context.Context, dir string, img ImageSpec, sink event.Sink, done func(SuiteResult)) (SuiteTotals, error) {
	_, totals, err := replay.Test(ctx, dir, replay.Suite{
		Config: replay.Config{Languages: a.opt.Languages, Redact: a.records.Journal.Redact, Program: a.opt.Version, Sink: sink},
		Bundle: func(ctx context.Context, path string) (replay.Bundle, error) {
			b, err := a.records.Journal.OpenBundle(ctx, path)
			if err != nil {
				return replay.Bundle{}, err
			}
			out := replay.Bundle{Source: b, Run: b.Run(), Open: a.opener(img, sink), Close: b.Close}
			if b.Foreign() {
				out.Open, out.Within = a.foreign(out.Open), allowed(a.opt.Config)
			}
			return out, nil
		},
		Done: done,
	})
	return totals, err
}
