package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

const fixLong = `Repairs a project until its tests pass. The files of the folder are copied into a
sandbox: those that git tracks, and those that it neither tracks nor ignores. The
tests are run there by the command of --test. The model then looks at the project,
changes its copy and runs it, until it says that it is done; the tests are run
once more, by Praxis, in a fresh sandbox with nothing but the files and the change.
If they fail, the model goes on, as long as the budget lasts.

What comes of it is a patch, with a summary. Nothing in the folder changes: with
--apply the patch is applied when the tests pass, as a whole, and only if the
folder is as it was. --patch FILE writes it, for "git apply".

Tests that fail are run again without a change, and those that then pass are
flaky: they are named, and not repaired. Tests may not be edited: what the model
changes in them is undone before they run. With --allow-test-edits they may.

TASK says what else is wanted of the change, or what it is about.

Files that are likely to hold secrets, such as .env, stay out, and are named;
--include PATH takes one. The default image has Python, and Node where it is asked
for (--npm, --lang javascript); see docs/fix.md for Go and C.

The exit code is 0 when the tests pass, and 4 when they do not: the budget ended,
the model found the tests wrong, or they are flaky. A run that broke off goes on
with --resume RUN.`

// repoFlags are those of a project that is worked on.
type repoFlags struct {
	dir     string
	test    string
	edits   bool
	include []string
	apply   bool
	patch   string
}

func (f *repoFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.test, "test", "", "the `COMMAND` that runs the project's tests, which decide")
	fs.BoolVar(&f.edits, "allow-test-edits", false, "let tests be changed, too")
	fs.StringArrayVar(&f.include, "include", nil, "`PATH` of a file of the project that is taken although it looks like a secret (may be repeated)")
	fs.BoolVar(&f.apply, "apply", false, "apply the patch to the folder when the tests pass")
	fs.StringVar(&f.patch, "patch", "", "write the patch into this `FILE`")
}

// spec is the project, or nil.
func (f *repoFlags) spec() *app.RepoSpec {
	if f.dir == "" {
		return nil
	}
	return &app.RepoSpec{Dir: f.dir, Test: f.test, EditTests: f.edits, Include: f.include}
}

// check refuses flags that say nothing without a project.
func (f *repoFlags) check(cmd *cobra.Command) error {
	if f.dir != "" {
		return nil
	}
	for _, name := range []string{"test", "allow-test-edits", "include", "apply", "patch"} {
		if cmd.Flags().Changed(name) {
			return usage(cmd.CommandPath(), "--%s is of a project, which --repo names", name)
		}
	}
	return nil
}

func (p *program) fixCommand() *cobra.Command {
	a := &askCommand{p: p, maxSteps: flagValue[float64]{parse: app.ParseMaxSteps, kind: "number"}}
	cmd := &cobra.Command{
		Use:     `fix DIR ["TASK"]`,
		Short:   "Repair a project until its tests pass",
		Long:    fixLong,
		Example: `  praxis fix . --test "python3 -m unittest" --apply`,
		Args:    takes(1, 2, "the folder of the project"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.repo.dir = args[0]
			if a.resume != "" {
				return a.printFailure(a.goOn(cmd, args[1:]))
			}
			task := ""
			if len(args) > 1 {
				task = args[1]
			}
			return a.printFailure(a.fix(cmd.Context(), task))
		},
	}
	fs := cmd.Flags()
	a.repo.register(fs)
	a.registerModel(fs)
	fs.StringVar(&a.lang, "lang", "", "the main `LANGUAGE` of the model's code (default python)")
	fs.StringVar(&a.resume, "resume", "", "go on with `RUN`, which broke off")
	fs.BoolVar(&a.json, "json", false, "print one JSON object an event, what came of it last")
	a.flags.register(cmd)
	return cmd
}

// registerModel adds the flags of the model that answers, and of what it may use.
func (a *askCommand) registerModel(fs *pflag.FlagSet) {
	fs.StringVar(&a.model, "model", "", "the model, as `PROVIDER:NAME`")
	fs.StringArrayVar(&a.fallback, "fallback-model", nil, "a model, as `PROVIDER:NAME`, that is asked when those before fail for good (may be repeated)")
	fs.StringVar(&a.effort, "effort", "", "how much the model is asked to reason: low, medium or high")
	fs.Var(&a.maxSteps, "max-steps", "how many turns the model may take (default 10, with a project 30)")
	for _, s := range event.BudgetTable() {
		fs.Var(&budgetFlag{s, &a.budget}, s.Flag(), s.What)
	}
}

// fix repairs the project.
func (a *askCommand) fix(ctx context.Context, task string) error {
	if a.repo.test == "" {
		return usage("praxis fix", "--test is missing: the command that runs the tests")
	}
	q := app.FixRequest{AskRequest: app.AskRequest{
		Question: task, Model: a.model, Fallbacks: a.fallback, Effort: a.effort, Language: a.lang, Budget: a.budget,
		Session: a.flags.session(""), Bounds: a.flags.bounds(), Repo: a.repo.spec(),
	}}
	if a.maxSteps.value != nil {
		q.MaxSteps = int(*a.maxSteps.value)
	}
	if err := a.flags.warn(a.p); err != nil {
		return err
	}
	return on(a.p, func(x asker) error {
		return a.ask(ctx, func(ctx context.Context, sink event.Sink) (app.AskResult, error) { return x.Fix(ctx, q, sink) })
	})
}

// patched is what a command did with the patch of a project.
type patched struct {
	Passed  bool                `json:"passed"`
	Nothing string              `json:"nothing,omitempty"` // why no model was asked
	Before  *event.TestsRan     `json:"before,omitempty"`
	After   *event.TestsRan     `json:"after,omitempty"`
	Files   []event.PatchedFile `json:"files"`
	LeftOut []string            `json:"left_out,omitempty"`
	Diff    string              `json:"diff"`
	Applied bool                `json:"applied"`
	Written string              `json:"written,omitempty"` // the file that holds the diff

	said string // for a person
}

// deliver writes the patch, and applies it where that was asked for. What cannot be done is
// the error; the rest is done all the same.
func (a *askCommand) deliver(r *app.RepoResult) (*patched, error) {
	if r == nil {
		return nil, nil
	}
	out := &patched{Passed: r.Passed, Nothing: r.Nothing, Before: r.Before, After: r.After, Files: orEmpty(r.Files), LeftOut: r.LeftOut, Diff: string(r.Diff)}
	var err error
	if a.repo.patch != "" && len(r.Diff) > 0 {
		if e := app.WritePatch(a.repo.patch, r); e != nil {
			err = e
		} else {
			out.Written = a.repo.patch
			out.said += "the patch is in " + safetext.Line(filepath.ToSlash(a.repo.patch)) + "\n"
		}
	}
	switch {
	case !a.repo.apply || len(r.Diff) == 0:
	case !r.Passed && (r.Before != nil || r.After != nil):
		out.said += "the patch was not applied: the tests do not pass with it\n"
	default:
		if e := app.ApplyPatch(app.RepoSpec{Dir: a.repo.dir, Include: a.repo.include}, r); e != nil {
			err = errors.Join(err, e)
			break
		}
		out.Applied = true
		out.said += fmt.Sprintf("applied to %s: %s\n", safetext.Line(a.repo.dir), safetext.Count(len(r.Files), "file"))
	}
	if a.repo.patch == "" && !out.Applied && len(r.Diff) > 0 && err == nil {
		out.said += "nothing was changed in " + safetext.Line(cmp.Or(a.repo.dir, "the folder")) + ": add --apply, or --patch FILE\n"
	}
	return out, err
}
