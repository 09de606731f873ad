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

const toolsCheckLong = `Reads files of tools, makes their implementations and asks MCP servers what they
provide. Nothing is called. All that is wrong is reported with its place and with
what to do; warnings are about secrets without a value, tools without an
implementation, and programs that are not allowed to run.

The exit code is 1 when something is wrong. Warnings alone are no failure.`

// toolsChecking is one praxis tools check.
type toolsChecking struct {
	p     *program
	files toolFiles
	json  bool
}

func (p *program) toolsCheckCommand() *cobra.Command {
	c := &toolsChecking{p: p}
	cmd := &cobra.Command{
		Use: "check", Short: "Say all that is wrong with files of tools", Long: toolsCheckLong,
		Example: "  praxis tools check\n  praxis tools check --tools crm.yaml --tools mail.yaml --json",
		Args:    noFiles(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.check(cmd.Context()) },
	}
	c.files.register(cmd)
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object instead")
	return cmd
}

func (c *toolsChecking) check(ctx context.Context) error {
	query, err := c.files.query()
	if err != nil {
		return err
	}
	return c.p.withApp(func(a *app.App) error {
		found, err := a.CheckTools(ctx, query, c.p.quiet())
		c.p.settled()
		if err != nil {
			return err
		}
		for i, f := range found.Findings {
			found.Findings[i].Remedy = format.Worded(f.Code, f.Data, f.Remedy)
		}
		if c.json {
			err = c.p.printJSON(found)
		} else {
			err = c.p.emit(c.text(found))
		}
		if !found.Pass {
			err = errors.Join(err, exitStatus{exitNot})
		}
		return err
	})
}

// text is what was found, for a person.
func (c *toolsChecking) text(found app.ToolsChecked) string {
	s := c.p.styleOf(c.p.stdout)
	var b strings.Builder
	count := map[string]int{}
	for _, f := range found.Findings {
		count[f.Level]++
		sgr := format.Red
		if f.Level == app.LevelWarning {
			sgr = format.Yellow
		}
		if place := f.Place(); place != "" {
			b.WriteString(s.Paint(format.Bold, safetext.Line(place)+":") + " ")
		}
		fmt.Fprintf(&b, "%s %s\n", s.Paint(sgr, f.Level+":"), safetext.Line(f.What))
		if f.Remedy != "" {
			fmt.Fprintf(&b, "  → %s\n", safetext.Line(f.Remedy))
		}
	}
	fmt.Fprintf(&b, "%s: %s, ", safetext.Line(strings.Join(found.Files, ", ")), safetext.Count(found.Tools, "tool"))
	switch {
	case len(found.Findings) == 0:
		b.WriteString("nothing is wrong\n")
	case count[app.LevelWarning] == 0:
		fmt.Fprintf(&b, "%s\n", safetext.Count(count[app.LevelError], "error"))
	default:
		fmt.Fprintf(&b, "%s, %s\n", safetext.Count(count[app.LevelError], "error"), safetext.Count(count[app.LevelWarning], "warning"))
	}
	return b.String()
}
