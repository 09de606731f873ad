package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

const toolsDiffLong = `Says what changed between two files of tools, and what that means for whoever uses
the tools:

  breaking   calls, or uses of results, that worked may fail
  guarding   what a policy or a check decides may change
  widening   what worked goes on working, and more is possible
  harmless   words and examples

A definition that changed needs another version, and a breaking change another
major version (before 1.0.0 any). What does not say so is an error, as is a tool
that is no longer there. A version that is new is compared with the newest before
it. The servers of the files are not asked.

The exit code is 1 when a change is an error.`

// toolsDiffing is one praxis tools diff.
type toolsDiffing struct {
	p    *program
	json bool
}

func (p *program) toolsDiffCommand() *cobra.Command {
	d := &toolsDiffing{p: p}
	cmd := &cobra.Command{
		Use: "diff OLD NEW", Short: "Say what changed between two files of tools, and whether it breaks users", Long: toolsDiffLong,
		Example: "  git show HEAD:praxis.tools.yaml > old.yaml && praxis tools diff old.yaml praxis.tools.yaml",
		Args:    takes(2, 2, "the old file or the new one"),
		RunE:    func(cmd *cobra.Command, args []string) error { return d.run(cmd.Context(), args[0], args[1]) },
	}
	cmd.Flags().BoolVar(&d.json, "json", false, "print one JSON object instead")
	return cmd
}

func (d *toolsDiffing) run(ctx context.Context, before, after string) error {
	return d.p.withApp(func(a *app.App) error {
		found, err := a.CompareTools(ctx, before, after)
		if err != nil {
			return err
		}
		if d.json {
			err = d.p.printJSON(found)
		} else {
			err = d.p.emit(d.text(found.Tools))
		}
		if !found.Pass {
			err = errors.Join(err, exitStatus{exitNot})
		}
		return err
	})
}

func (d *toolsDiffing) text(changes []app.ToolChange) string {
	s := d.p.styleOf(d.p.stdout)
	var b strings.Builder
	failed := 0
	for _, c := range changes {
		head := safetext.Line(c.Tool) + "  "
		switch {
		case c.After == "":
			head += safetext.Line(c.Before) + " is gone"
		case c.Before == "":
			head += safetext.Line(c.After) + " is new"
		case c.Before == c.After:
			head += safetext.Line(c.After)
		default:
			head += safetext.Line(c.Before) + " → " + safetext.Line(c.After)
		}
		if c.Before != "" && c.After != "" {
			head += map[bool]string{true: ": compatible", false: ": breaks users"}[c.Compatible]
		}
		b.WriteString(s.Paint(format.Bold, head) + "\n")
		for _, part := range c.Changes {
			fmt.Fprintf(&b, "  %s  %s: %s\n", s.Paint(impactColour(part.Impact), part.Impact), safetext.Line(part.Path), safetext.Line(part.What))
		}
		if c.Error != "" {
			failed++
			fmt.Fprintf(&b, "  %s %s\n", s.Paint(format.Red, "error:"), safetext.Line(c.Error))
		}
	}
	if len(changes) == 0 {
		return "Nothing changed.\n"
	}
	fmt.Fprintf(&b, "%s changed or new, %s\n", safetext.Count(len(changes), "tool"), map[bool]string{true: "versions say so", false: safetext.Count(failed, "error")}[failed == 0])
	return b.String()
}

func impactColour(impact string) string {
	switch impact {
	case "breaking":
		return format.Red
	case "guarding":
		return format.Yellow
	}
	return format.Dim
}
