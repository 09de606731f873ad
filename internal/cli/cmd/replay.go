package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

const replayLong = `Executes a run again: in a fresh session, from the image, limits, seed and
inputs that were recorded, with the recorded replies of the model. Each piece of
code is executed again; its outputs, results, errors and changed files are
compared with the record. The exit code is 0 only when all is identical. A run that
was made with --seed must be; of others it is said what may differ.

With --from STEP the run goes on from the state before that step, with another
model (--model), question (--question) or piece of code (--edit opens an editor,
--code FILE reads it). That is a run of its own, with its parent recorded.

With --image, --with or --npm the run is executed on another image: the regression
test of an upgrade. --with takes the place of the packages of Python, --npm of those
of npm. --file NAME=PATH takes another file for an input.

The tools of a run are not called again, and no host is reached: its calls are
answered from the record, by tool and arguments in their order, and so are the
approvals; the recorded policy decides anew. A call that the record does not
have is refused and reported. With --policy FILE another policy decides, with
--tools FILE other definitions are used (nothing in them is executed). A branch
(--from) calls no tool either: a call that only reads is answered where the
record has the same one, and every other call is refused.

A run of a plan is executed again with the recorded answers of its calls,
without a sandbox. With --policy FILE its calls are decided by other rules: what
they would have decided is shown beside what was decided.

A run that was made elsewhere gets no more memory, disk, processors and time than
the configuration allows, and none of the states and notes that were made here. One
of a session needs the state that it began with: import the session as well.`

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
	npm          []string
	files        []string
	loose        bool
	json         bool
	policy       string
	tools        []string
}

func (p *program) replayCommand() *cobra.Command {
	r := &replayCommand{p: p}
	cmd := &cobra.Command{
		Use: "replay RUN", Short: "Execute a run again and compare, or branch it", Long: replayLong, Args: takes(1, 1, "a run"),
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
	fs.StringArrayVar(&r.tools, "tools", nil, "of a run with tools: check its calls against the definitions in `FILE` (may be repeated)")
	fs.BoolVar(&r.json, "json", false, "print one JSON object instead")
	return cmd
}

func (r *replayCommand) run(ctx context.Context, cmd *cobra.Command, ref string) error {
	branch := cmd.Flags().Changed("from")
	if !branch && (r.model != "" || r.question != "" || r.code != "" || r.edit) {
		return usage("praxis replay", "--model, --question, --code and --edit change a step: name it with --from")
	}
	if branch && (r.policy != "" || r.tools != nil) {
		return usage("praxis replay", "--policy and --tools are for a replay, and a branch goes by the recorded ones")
	}
	if r.p.server != nil {
		return on(r.p, func(a recorder) error { return r.repeat(ctx, a, ref) })
	}
	return r.p.withApp(func(a *app.App) error {
		plan, err := a.IsPlanRun(ctx, ref)
		switch {
		case err != nil:
			return err
		case plan:
			return r.plan(ctx, cmd, a, ref)
		case branch:
			return r.branch(ctx, a, ref)
		}
		report, err := a.Replay(ctx, app.ReplayRequest{Run: ref, Image: r.chosen(), Files: r.files, Policy: r.policy, Tools: r.tools}, r.p.quiet())
		r.p.settled()
		if err != nil {
			return err
		}
		return compared(r.print(report), report.Identical, report.Unfinished)
	})
}

// repeat repeats a run with all that is recorded of it.
func (r *replayCommand) repeat(ctx context.Context, a recorder, ref string) error {
	got, err := a.Repeat(ctx, ref, r.p.quiet())
	r.p.settled()
	if err == nil {
		err = r.p.done(r.json, got.Details, got.Report)
	}
	return compared(err, got.Identical, got.Unfinished)
}

// compared is how the command ends that has printed what a replay found: err says that it
// has not.
func compared(err error, identical, unfinished bool) error {
	switch {
	case err != nil:
		return err
	case !identical:
		return exitStatus{exitNot}
	case unfinished: // only what there is was compared
		return exitStatus{exitUnfinished}
	}
	return nil
}

// plan repeats a run of a plan: that takes no sandbox.
func (r *replayCommand) plan(ctx context.Context, cmd *cobra.Command, a *app.App, ref string) error {
	others := []string{"from", "model", "question", "code", "edit", "image", "with", "requirements", "npm", "file", "loose", "tools"}
	if i := slices.IndexFunc(others, cmd.Flags().Changed); i >= 0 {
		return usage("praxis replay", "--%s is for runs of code, and %s is a run of a plan", others[i], safetext.Line(ref))
	}
	report, err := a.ReplayPlan(ctx, ref, r.policy)
	if err != nil {
		return err
	}
	return compared(r.print(report), report.Identical, report.Unfinished)
}

// imageFlags adds the flags that ask for another image.
func (r *replayCommand) imageFlags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&r.image, "image", "", "run on the image of this `ID or NAME`")
	fs.StringArrayVar(&r.with, "with", nil, "run on an image with these `PACKAGES`")
	fs.StringVar(&r.requirements, "requirements", "", "run on an image with the packages of this `FILE`")
	fs.StringArrayVar(&r.npm, "npm", nil, "run on an image with these `PACKAGES` of npm")
}

// chosen returns the image that the command line asks for.
func (r *replayCommand) chosen() app.ImageSpec {
	return app.ImageSpec{ID: r.image, With: r.with, Requirements: r.requirements, NPM: r.npm}
}

// print prints what a replay found.
func (r *replayCommand) print(report interface{ Text(io.Writer) error }) error {
	if r.json {
		return r.p.printJSON(report)
	}
	return report.Text(r.p.stdout)
}

// branch goes on from a step with something changed, as a run of its own.
func (r *replayCommand) branch(ctx context.Context, a *app.App, ref string) error {
	p := r.p
	q := app.BranchRequest{Run: ref, From: r.from, Model: r.model, Question: r.question, Image: r.chosen(), Files: r.files, Loose: r.loose}
	var err error
	if q.Code, err = r.changedCode(ctx, a, ref); err != nil {
		return err
	}
	runCtx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	view := &branchView{command: r, broken: broken}
	out, err := a.Branch(runCtx, q, p.watch(view))
	p.settled()
	if err != nil {
		return err
	}
	if r.json {
		err = p.printJSON(out)
	} else {
		err = r.printBranch(view, out)
	}
	switch {
	case err != nil:
		return err
	case out.Kind == event.Ask && out.Answer == nil:
		return exitStatus{exitFailed}
	case out.Status == event.Unverified:
		return exitStatus{exitUnverified}
	case out.Kind == event.Code && out.Execution != nil && out.Execution.Status != event.OK:
		return exitStatus{executionCode(*out.Execution)}
	}
	return nil
}

// branchView shows a branch as the command would that made the run: a question's
// on the screen, what a person's code prints as it comes.
type branchView struct {
	command *replayCommand
	broken  func(error)
	next    event.Sink // nil: nothing happened yet
	finish  func(ending) error
}

// Emit shows an event. The first says what kind of run it is.
func (v *branchView) Emit(e event.Event) {
	if v.next == nil {
		began, _ := e.(event.RunBegan)
		v.begin(began.Kind)
	}
	v.next.Emit(e)
}

func (v *branchView) begin(kind event.Kind) {
	r := v.command
	v.finish = func(ending) error { return nil }
	switch {
	case r.json:
		v.next = event.Discard
	case kind == event.Code:
		p := newPrinter(r.p.stdout, r.p.stderr)
		p.alone, p.broken = true, v.broken
		v.next, v.finish = p, func(ending) error { return p.err }
	default:
		rep := (&askCommand{p: r.p}).reporter()
		v.next, v.finish = cancelling(rep, v.broken), rep.finish
	}
}

func (r *replayCommand) printBranch(view *branchView, out app.BranchResult) error {
	e := ending{run: out.ID}
	if out.Answer == nil && out.Execution == nil {
		e.err = errors.New(out.Reason)
	}
	if view.finish != nil {
		if err := view.finish(e); err != nil {
			return err
		}
	}
	if e.err != nil {
		if err := r.p.note("%s", safetext.Line(out.Reason)); err != nil {
			return err
		}
	}
	for _, note := range out.Notes {
		if err := r.p.note("%s", safetext.Line(note)); err != nil {
			return err
		}
	}
	if out.Kind == event.Code {
		// What stands on standard output is the code's.
		return r.p.note("run %s is run %s with %s; compare them with praxis diff", out.ID, out.Run, safetext.Line(out.Change))
	}
	_, err := fmt.Fprintf(r.p.stdout, "run %s is run %s from step %d on, with %s; compare them with praxis diff\n", out.ID, out.Run, out.Step, safetext.Line(out.Change))
	return err
}

// changedCode reads the code that is to run in the step, or "".
func (r *replayCommand) changedCode(ctx context.Context, a *app.App, ref string) (string, error) {
	switch {
	case r.code != "" && r.edit:
		return "", usage("praxis replay", "both --code and --edit were given")
	case r.code != "":
		return readCodeFile(r.code)
	case r.edit:
		code, err := a.CodeOfStep(ctx, ref, r.from)
		if err != nil {
			return "", err
		}
		return r.editor(ctx, code)
	}
	return "", nil
}

// editor lets the person edit the code of the step.
func (r *replayCommand) editor(ctx context.Context, code string) (_ string, err error) {
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
	// The variable may contain arguments, and is the person's own.
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
