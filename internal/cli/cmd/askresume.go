package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"praxis/event"
	"praxis/internal/app"
)

// The flags that a run which goes on may be given, beside those of its budget. All else is
// as the run recorded it.
var (
	resumeFlags = []string{
		"resume", "json", "out", "pictures", "model", "max-steps", "file", "tools", "policy", "allow-commands", "approve", "approve-timeout",
		"allow-net", "credential", "repo", "apply", "patch", "include",
	}
	// Those of its session are for a run that broke off before it had one.
	resumeSession = []string{"with", "requirements", "npm", "image", "seed", "date"}
)

// goOn goes on with a run that broke off.
func (a *askCommand) goOn(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd.CommandPath(), "--resume goes on with the question of its run: leave the question out")
	}
	var others []string
	session := false
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(resumeSession, f.Name):
			session = true
		case !slices.Contains(resumeFlags, f.Name) && !slices.Contains(budgetFlags(), f.Name) && cmd.InheritedFlags().Lookup(f.Name) == nil:
			others = append(others, "--"+f.Name)
		}
	})
	if len(others) > 0 {
		return usage(cmd.CommandPath(), "with --resume, %s is as the run recorded it", strings.Join(others, " and "))
	}
	q := app.AskResume{Run: a.resume, Model: a.model, Budget: a.budget, Files: a.files, Output: app.Output{Dir: a.out}, Tools: a.tools.spec(a.p)}
	if session {
		q.Session = a.flags.session("")
	}
	if a.maxSteps.value != nil {
		q.MaxSteps = int(*a.maxSteps.value)
	}
	var err error
	if q.Net, err = a.tools.netSpec(); err != nil {
		return err
	}
	if err := app.PrepareFolder(a.out); err != nil {
		return err
	}
	return on(a.p, func(x asker) error {
		return a.ask(cmd.Context(), func(ctx context.Context, sink event.Sink) (app.AskResult, error) { return x.ResumeAsk(ctx, q, sink) })
	})
}

// brokenOff is why a question has no answer, when it can be gone on with.
type brokenOff struct {
	error
	run   string
	tools bool // it has some
}

// Unwrap returns why.
func (b brokenOff) Unwrap() error { return b.error }

// remedy says how to go on, after what else there is to do.
func (b brokenOff) remedy(first string) string {
	again := "To go on where it broke off: praxis ask --resume " + b.run
	if b.tools {
		again += ", with the same --tools"
	}
	return strings.TrimSpace(first + " " + again + ".")
}
