package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/config"
	"praxis/internal/llm"
	"praxis/internal/record/replay"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

const replayLong = `Carries a run out again: in a fresh session, from the image, limits, seed and
inputs that were recorded, with the recorded replies of the model. Each piece of
code is executed again; its outputs, results, errors and changed files are held
against the record. The exit code is 0 only when all is identical. A run that
was made with --seed must be; of others it is said what may differ.

With --from STEP the run goes on from the state before that step, with another
model (--model), question (--question) or piece of code (--edit opens an editor,
--code FILE reads it). That is a run of its own, with its parent recorded.

With --image or --with the run is carried out on another image: the regression
test of an upgrade. --file NAME=PATH takes another file for an input.

The tools of a run are not called again, and no host is reached: its calls are
answered from the record, by tool and arguments in their order, and so are the
approvals; the recorded policy decides anew. A call that the record does not
have is refused and told. With --policy FILE another policy decides, with
--tools FILE other definitions hold (nothing in them is carried out). A branch
(--from) calls no tool either: a call that only reads is answered where the
record has the same one, and every other call is refused.

A run of a plan is carried out again with the recorded answers of its calls,
without a sandbox. With --policy FILE its calls are decided by other rules: what
they would have decided is shown beside what was decided.

A run that was made elsewhere gets no more memory, disk and processors than the
configuration allows, and none of the states and notes that are kept here.`

type replayCommand struct {
	p            *program
	from         int
	model        string
	question     string
	code         string
	edit         bool
	image        string
	with         []string
	requirements string
	files        []string
	loose        bool
	json         bool
	policy       string
	tools        []string
}

func (p *program) replayCommand() *cobra.Command {
	r := &replayCommand{p: p}
	cmd := &cobra.Command{
		Use: "replay RUN", Short: "Carry a run out again and compare, or branch it", Long: replayLong, Args: takes(1, 1, "a run"),
		Example: "  praxis replay last\n  praxis replay last --with 'pandas==3.*'\n  praxis replay last --from 2 --model openai:gpt-5",
		RunE:    func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), cmd, args[0]) },
	}
	fs := cmd.Flags()
	fs.IntVar(&r.from, "from", 0, "go on from the state before this `STEP`, with something changed")
	fs.StringVar(&r.model, "model", "", "with --from: ask this model, as `PROVIDER:NAME`")
	fs.StringVar(&r.question, "question", "", "with --from and --model: ask `TEXT` instead")
	fs.StringVar(&r.code, "code", "", "with --from: run the code of `FILE` in that step")
	fs.BoolVar(&r.edit, "edit", false, "with --from: edit the code of that step first ($VISUAL, $EDITOR)")
	r.imageFlags(cmd)
	fs.StringArrayVar(&r.files, "file", nil, "take another file for an input, as `NAME=PATH` (may be repeated)")
	fs.BoolVar(&r.loose, "loose", false, "branch also from a state that could only be made again differently")
	fs.StringVar(&r.policy, "policy", "", "what the policy in `FILE` would have decided")
	fs.StringArrayVar(&r.tools, "tools", nil, "of a run with tools: hold its calls against the definitions in `FILE` (may be repeated)")
	fs.BoolVar(&r.json, "json", false, "print one JSON object instead")
	return cmd
}

func (r *replayCommand) run(ctx context.Context, cmd *cobra.Command, ref string) error {
	cfg, err := r.p.config()
	if err != nil {
		return err
	}
	branch := cmd.Flags().Changed("from")
	if !branch && (r.model != "" || r.question != "" || r.code != "" || r.edit) {
		return usage("praxis replay", "--model, --question, --code and --edit change a step: name it with --from")
	}
	if done, err := r.plan(ctx, cmd, ref); done || err != nil {
		return err
	}
	return r.p.withEngine(ctx, cfg, func(e engine) error {
		rc, rec, err := r.p.loadRun(ctx, cfg, e, ref, r.chosen())
		if err != nil {
			return err
		}
		if rc.Overrides, err = overrides(r.files, rec); err != nil {
			return err
		}
		if r.image != "" || len(r.with) > 0 || r.requirements != "" {
			rc.FromSnapshot = nil // a state belongs to its image
		}
		if err := r.others(&rc, rec, branch); err != nil {
			return err
		}
		if branch {
			return r.branch(ctx, cfg, e, rc, rec)
		}
		rc.Sink = r.p.following(rec)
		report, err := replay.Replay(ctx, rc, rec)
		r.p.settled()
		if err != nil {
			return err
		}
		return r.tell(report)
	})
}

// others reads the definitions and the policy that stand in for the recorded ones.
func (r *replayCommand) others(rc *replay.Config, rec replay.Recording, branch bool) error {
	if r.policy == "" && r.tools == nil {
		return nil
	}
	if branch {
		return usage("praxis replay", "--policy and --tools are for a replay, and a branch goes by the recorded ones")
	}
	if len(rec.Began.Tools) == 0 {
		return usage("praxis replay", "--policy and --tools are for runs with tools, and run %s had none", rec.ID)
	}
	rules, err := (&ruleFlags{tools: r.tools, policy: r.policy}).read()
	if err != nil {
		return err
	}
	rc.Policy, rc.Tools = rules.Policy, rules.Tools
	return nil
}

// imageFlags adds the flags that ask for another image.
func (r *replayCommand) imageFlags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&r.image, "image", "", "run on the image of this `ID or NAME`")
	fs.StringArrayVar(&r.with, "with", nil, "run on an image with these `PACKAGES`")
	fs.StringVar(&r.requirements, "requirements", "", "run on an image with the packages of this `FILE`")
}

// chosen returns the image that the command line asks for.
func (r *replayCommand) chosen() sessionOptions {
	return sessionOptions{image: r.image, with: r.with, requirements: r.requirements}
}

func (r *replayCommand) tell(report replay.Report) error {
	if r.json {
		if err := r.p.printJSON(report); err != nil {
			return err
		}
	} else if err := report.Text(r.p.stdout); err != nil {
		return err
	}
	switch {
	case !report.Identical:
		return fate{exitRaised}
	case report.Unfinished: // only what there is was compared
		return fate{exitUnfinished}
	}
	return nil
}

// loadRun reads a run that is to be carried out again, in sessions with what o
// changes. One that was made elsewhere gets no more of this host than c allows.
func (p *program) loadRun(ctx context.Context, c config.Config, e engine, ref string, o sessionOptions) (replay.Config, replay.Recording, error) {
	j := e.records().Journal
	id, err := findRun(ctx, j, ref)
	if err != nil {
		return replay.Config{}, replay.Recording{}, err
	}
	rec, err := replay.Load(ctx, j, id)
	if err != nil {
		return replay.Config{}, replay.Recording{}, err
	}
	known, err := j.Summary(ctx, id)
	if err != nil {
		return replay.Config{}, replay.Recording{}, err
	}
	cfg := replay.Config{Source: j, Program: p.version, Redact: j.Redact, Open: p.opener(e, o)}
	if known.Imported {
		cfg.Open = foreign(cfg.Open, c)
		return cfg, rec, nil
	}
	if rec.Session != nil {
		cfg.FromSnapshot = func(ctx context.Context, id string) (run.Session, error) {
			want := *rec.Session
			want.Snapshot, want.Name = id, ""
			return p.opener(e, sessionOptions{})(ctx, want)
		}
	}
	return cfg, rec, nil
}

// opener opens sessions like one that was recorded, with what o changes.
func (p *program) opener(e engine, o sessionOptions) func(context.Context, event.SessionBegan) (run.Session, error) {
	return func(ctx context.Context, want event.SessionBegan) (run.Session, error) {
		o.again = &want
		w, err := e.open(ctx, o, p.progress())
		p.settled()
		if err != nil {
			return nil, err
		}
		return closingSession{runSession{w: w}}, nil
	}
}

// closingSession is a session whose sandbox ends with it.
type closingSession struct{ runSession }

// Close ends the sandbox.
func (s closingSession) Close() error { return s.w.Close() }

// following shows how far a replay is.
func (p *program) following(rec replay.Recording) event.Sink {
	progress, last := p.progress(), 0
	for _, s := range rec.Steps {
		last = max(last, s.N)
	}
	return event.SinkFunc(func(e event.Event) {
		// In a step beyond the last one only the end of the recording is found.
		if s, ok := e.(event.StepBegan); ok && p.live != nil && s.N <= last {
			e = event.Progress{Room: "replay", Text: fmt.Sprintf("replaying step %d of %d", s.N, last)}
		}
		progress.Emit(e)
	})
}

// overrides reads the inputs that are to be others.
func overrides(files []string, rec replay.Recording) (map[string]func() (io.ReadCloser, error), error) {
	out := map[string]func() (io.ReadCloser, error){}
	for _, f := range files {
		name, path, found := strings.Cut(f, "=")
		if !found {
			name, path = filepath.Base(f), f
		}
		in, err := checkInput(path)
		if err != nil {
			return nil, err
		}
		known := false
		for _, given := range rec.Inputs {
			known = known || given.Name == name
		}
		if !known {
			return nil, fault.New(fault.Invalid, "Its inputs are listed by praxis show "+rec.ID+".", "cannot take %s: run %s was given no file of that name", safetext.Line(name), rec.ID)
		}
		out[name] = in.open
	}
	return out, nil
}

// branch goes on from a step with something changed, as a run of its own.
func (r *replayCommand) branch(ctx context.Context, cfg config.Config, e engine, rc replay.Config, rec replay.Recording) error {
	p := r.p
	change, err := r.change(ctx, e, rec)
	if err == nil {
		err = rec.Branchable(r.from, change)
	}
	if err != nil {
		return err
	}
	known, err := e.records().Journal.Summary(ctx, rec.ID)
	if err != nil {
		return err
	}
	if known.Imported && change.Model != nil {
		rec.Began = affordable(rec.Began, cfg)
	}
	began := rec.Branched(r.from, change, p.version)
	runCtx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	next, finish := r.view(began.Kind, broken)
	runCtx, recorder, err := e.records().Journal.Begin(runCtx, began, next)
	if err != nil {
		return err
	}
	rc.Recorder, rc.Snapshots, rc.Loose = recorder, cfg.Journal.Snapshots, r.loose
	if !known.Imported { // somebody else's conversation neither reads the memory nor adds to it
		rc.Notes = notes{mem: e.records().Memory, run: recorder.ID()}
	}
	out, err := replay.Branch(runCtx, rc, rec, r.from, change)
	p.settled()
	err = errors.Join(err, recorder.Close(), tidy(context.WithoutCancel(ctx), e, cfg.Journal.SnapshotBytes))
	if err != nil {
		return err
	}
	if r.json {
		err = p.printJSON(struct {
			ID string `json:"id"`
			replay.Branched
		}{recorder.ID(), out})
	} else {
		err = r.tellBranch(finish, recorder.ID(), out)
	}
	switch {
	case err != nil:
		return err
	case rec.Began.Kind == event.Ask && out.Answer == nil:
		return fate{exitFailed}
	case rec.Began.Kind == event.Code && out.Execution != nil && out.Execution.Status != event.OK:
		return fate{statusCode(out.Execution.Status)}
	}
	return nil
}

// view shows a branch as the command would that made the run: a question's on
// the screen, what a person's code prints as it comes.
func (r *replayCommand) view(kind event.Kind, broken func(error)) (event.Sink, func(ending) error) {
	switch {
	case r.json:
		return event.Discard, nil
	case kind == event.Code:
		p := newPrinter(r.p.stdout, r.p.stderr)
		p.alone, p.broken = true, broken
		return p, func(ending) error { return p.err }
	}
	rep := (&askCommand{p: r.p}).reporter()
	return &gallery{next: rep, broken: broken}, rep.finish
}

func (r *replayCommand) tellBranch(finish func(ending) error, id string, out replay.Branched) error {
	e := ending{run: id}
	if out.Answer == nil && out.Execution == nil {
		e.err = errors.New(out.Reason)
	}
	if err := finish(e); err != nil {
		return err
	}
	if e.err != nil {
		if err := r.p.remark("%s", safetext.Line(out.Reason)); err != nil {
			return err
		}
	}
	for _, note := range out.Notes {
		if err := r.p.remark("%s", safetext.Line(note)); err != nil {
			return err
		}
	}
	if out.Kind == event.Code {
		// What stands on standard output is the code's.
		return r.p.remark("run %s is run %s with %s; compare them with praxis diff", id, out.Run, safetext.Line(out.Change))
	}
	_, err := fmt.Fprintf(r.p.stdout, "run %s is run %s from step %d on, with %s; compare them with praxis diff\n", id, out.Run, out.Step, safetext.Line(out.Change))
	return err
}

// change reads what is to be different.
func (r *replayCommand) change(ctx context.Context, e engine, rec replay.Recording) (c replay.Change, err error) {
	c.Question = r.question
	if r.model != "" {
		var m llm.Model
		if m, err = e.model(r.model); err != nil {
			return c, err
		}
		c.Model, c.Scripted = m, strings.HasPrefix(r.model, "scripted:")
	}
	switch {
	case r.code != "" && r.edit:
		return c, usage("praxis replay", "both --code and --edit were given")
	case r.code != "":
		c.Code, err = readCodeFile(r.code)
	case r.edit:
		c.Code, err = r.editor(ctx, rec)
	}
	return c, err
}

// editor lets the person edit the code of the step.
func (r *replayCommand) editor(ctx context.Context, rec replay.Recording) (code string, err error) {
	for _, s := range rec.Steps {
		if s.N == r.from && len(s.Executions) > 0 {
			code = s.Executions[0].Code
		}
	}
	if code == "" {
		return "", usage("praxis replay", "step %d ran no code that could be edited", r.from)
	}
	editor := r.p.getenv("VISUAL")
	if editor == "" {
		editor = r.p.getenv("EDITOR")
	}
	if editor == "" {
		return "", fault.New(fault.Invalid, "Set EDITOR, or write the code into a file and name it with --code.", "cannot edit the code: no editor is set")
	}
	dir, err := os.MkdirTemp("", "praxis-edit-")
	if err != nil {
		return "", fmt.Errorf("cannot edit the code: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, fmt.Sprintf("step-%d.py", r.from))
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		return "", fmt.Errorf("cannot edit the code: %w", err)
	}
	// The variable may hold arguments, and is the person's own.
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.p.stdin, r.p.stdout, r.p.stderr
	if err := cmd.Run(); err != nil {
		return "", fault.New(fault.Invalid, "Check EDITOR.", "cannot edit the code: %s: %w", safetext.Line(editor), err)
	}
	edited, err := readCodeFile(path)
	if err == nil && edited == code {
		return "", fault.New(fault.Invalid, "Change the code, or replay the run without --from.", "cannot branch: the code was not changed")
	}
	return edited, err
}
