package cmd

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/internal/app"
)

// completionTime bounds how long a Tab in the person's shell may take.
const completionTime = 2 * time.Second

// completions returns what may stand at the next place of the command line. It
// uses the application layer, and starts no sandbox.
type completions func(ctx context.Context, a *app.App, args []string) ([]cobra.Completion, error)

// completeAll says what Tab suggests, for arguments by command and for flags by
// name. Any other argument but run's file is not a file either.
func (p *program) completeAll(root *cobra.Command) error {
	byCommand := map[string]completions{
		"session add":      first(sessionNames),
		"session fork":     first(sessionNames),
		"session log":      first(sessionNames),
		"session prune":    sessionNames,
		"session rm":       sessionNames,
		"session rollback": rollbackPlaces,
		"image rm":         imageNames,
	}
	takesRuns := map[string]int{"show": 1, "export": 1, "diff": 2, "verify": 1000, "replay": 1, "assert": 1, "runs rm": 1000}
	takesFiles := map[string]bool{"import": true, "key trust": true, "tools ls": true, "tools check": true, "tools test": true, "tools diff": true, "tools import openapi": true}
	takesTools := map[string]bool{"tools show": true, "tools call": true}
	var visit func(c *cobra.Command) error
	visit = func(c *cobra.Command) error {
		path := strings.TrimPrefix(c.CommandPath(), root.Name()+" ")
		if f, ok := byCommand[path]; ok {
			c.ValidArgsFunction = p.completing(f)
		} else if n, ok := takesRuns[path]; ok {
			c.ValidArgsFunction = p.completeRuns(n)
		} else if _, ok := takesFiles[path]; ok {
			c.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
		} else if takesTools[path] {
			c.ValidArgsFunction = p.completeTools
		} else if path != "run" && !c.HasSubCommands() {
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
		for flag, f := range map[string]cobra.CompletionFunc{
			"session": p.completing(func(ctx context.Context, a *app.App, _ []string) ([]cobra.Completion, error) {
				return sessionNames(ctx, a, nil) // no argument of the command is a session
			}),
			"model": completeModel, "fallback-model": completeModel, "quarantine-model": completeModel,
			"effort": cobra.FixedCompletions(app.Efforts(), cobra.ShellCompDirectiveNoFileComp),
			"with":   cobra.NoFileCompletions,
			"out":    cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		} {
			if c.Flags().Lookup(flag) == nil {
				continue
			}
			if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
				return err
			}
		}
		for _, child := range c.Commands() {
			if err := visit(child); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(root)
}

// completing runs f for a Tab. What fails suggests nothing: an error has no place
// on a line that a person is typing.
func (p *program) completing(f completions) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, stop := context.WithTimeout(cmd.Context(), completionTime)
		defer stop()
		var all []cobra.Completion
		err := p.withApp(func(a *app.App) error {
			var err error
			all, err = f(ctx, a, args)
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all = slices.DeleteFunc(all, func(c cobra.Completion) bool { return !strings.HasPrefix(c, typed) })
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

// first completes the first argument alone.
func first(f completions) completions {
	return func(ctx context.Context, a *app.App, args []string) ([]cobra.Completion, error) {
		if len(args) > 0 {
			return nil, nil
		}
		return f(ctx, a, args)
	}
}

// sessionNames suggests the named sessions that are not on the line yet.
func sessionNames(ctx context.Context, a *app.App, args []string) ([]cobra.Completion, error) {
	all, err := a.NamedSessions(ctx)
	var out []cobra.Completion
	for _, s := range all {
		if !slices.Contains(args, s.Name) {
			out = append(out, cobra.CompletionWithDesc(s.Name, "used "+when(s.Used)))
		}
	}
	return out, err
}

// rollbackPlaces suggests a session, then its snapshots, the newest first.
func rollbackPlaces(ctx context.Context, a *app.App, args []string) ([]cobra.Completion, error) {
	if len(args) != 1 {
		return first(sessionNames)(ctx, a, args)
	}
	log, err := a.SessionLog(ctx, args[0])
	var out []cobra.Completion
	for _, s := range slices.Backward(log) {
		if !s.Head {
			out = append(out, cobra.CompletionWithDesc(app.ShortID(s.ID), when(s.Created)+" "+label(s.Label)))
		}
	}
	return out, err
}

// imageNames suggests the images that are not on the line yet.
func imageNames(ctx context.Context, a *app.App, args []string) ([]cobra.Completion, error) {
	all, err := a.ListImages(ctx)
	var out []cobra.Completion
	for _, i := range all {
		if !slices.Contains(args, i.Name) {
			out = append(out, cobra.CompletionWithDesc(i.Name, app.ShortID(i.ID)))
		}
	}
	return out, err
}

// completeModel suggests the providers, and the models that a key alone chooses.
func completeModel(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, provider := range app.Providers() {
		out = append(out, provider+":")
	}
	if strings.Contains(typed, ":") {
		out = append(out, app.AnthropicModel, app.OpenAIModel, app.GeminiModel)
	}
	out = slices.DeleteFunc(out, func(c cobra.Completion) bool { return !strings.HasPrefix(c, typed) || c == typed })
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// maxCompletions is how many runs Tab suggests.
const maxCompletions = 50

// completeRuns suggests the newest runs.
func (p *program) completeRuns(most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, stop := context.WithTimeout(cmd.Context(), completionTime)
		defer stop()
		var out []cobra.Completion
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		// What fails suggests nothing: an error has no place on a line that is being typed.
		_ = p.withApp(func(a *app.App) error {
			runs, err := a.RunsWithPrefix(ctx, typed, maxCompletions)
			for _, r := range runs {
				if !slices.Contains(args, r.ID) {
					out = append(out, cobra.CompletionWithDesc(r.ID, label(r.Question)))
				}
			}
			return err
		})
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
