package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/registry"
)

const toolsCheckLong = `Reads files of tools, makes what carries the tools out and asks MCP servers what
they provide. Nothing is called. All that is wrong is told with its place and
with what to do; warnings are about secrets without a value, tools that nothing
carries out, and programs that are not allowed to run.

The exit code is 1 when something is wrong. Warnings alone are no failure.`

// toolsChecking is one praxis tools check.
type toolsChecking struct {
	p        *program
	commands bool
	json     bool
	found    []toolFinding
}

// toolFinding is one thing that a check found.
type toolFinding struct {
	Level  string `json:"level"` // error or warning
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	What   string `json:"what"`
	Remedy string `json:"remedy,omitempty"`
}

const (
	levelError   = "error"
	levelWarning = "warning"
)

func (p *program) toolsCheckCommand() *cobra.Command {
	c := &toolsChecking{p: p}
	cmd := &cobra.Command{
		Use: "check [FILE…]", Short: "Say all that is wrong with files of tools", Long: toolsCheckLong,
		Example: "  praxis tools check\n  praxis tools check crm.yaml mail.yaml --json",
		RunE:    func(cmd *cobra.Command, args []string) error { return c.check(cmd.Context(), args) },
	}
	allowCommands(cmd, &c.commands)
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object instead")
	return cmd
}

func (c *toolsChecking) check(ctx context.Context, args []string) error {
	files, err := toolFiles(args)
	if err != nil {
		return err
	}
	tools := 0
	err = c.p.withRecords(func(records *app.Records) error {
		return c.p.openTools(ctx, toolOpening{files: files, commands: c.commands, records: records, report: c.wrong}, func(reg *registry.Registry, secrets *registry.Secrets) error {
			tools = len(allTools(reg.Set()))
			c.warn(reg, secrets)
			return nil
		})
	})
	if err != nil {
		return err
	}
	c.order(files)
	failed := slices.ContainsFunc(c.found, func(f toolFinding) bool { return f.Level == levelError })
	if c.json {
		err = c.p.printJSON(struct {
			Files    []string      `json:"files"`
			Pass     bool          `json:"pass"`
			Tools    int           `json:"tools"`
			Findings []toolFinding `json:"findings"`
		}{files, !failed, tools, orEmpty(c.found)})
	} else {
		err = c.p.emit(c.text(files, tools))
	}
	if failed {
		err = errors.Join(err, fate{exitNot})
	}
	return err
}

// wrong notes what is wrong; what is not permitted here is a warning.
func (c *toolsChecking) wrong(pos tool.Position, err error) {
	var ps tool.Problems
	if errors.As(err, &ps) {
		for _, p := range ps {
			c.add(levelError, p.Pos, p.What, p.Remedy)
		}
		return
	}
	level := levelError
	if fault.KindOf(err) == fault.Denied {
		level = levelWarning
	}
	what := err.Error()
	if pos.Line > 0 {
		what = strings.TrimPrefix(what, pos.String()+": ")
	}
	c.add(level, pos, what, remedyOf(err))
}

func (c *toolsChecking) add(level string, pos tool.Position, what, remedy string) {
	f := toolFinding{level, pos.File, pos.Line, pos.Column, what, remedy}
	if !slices.Contains(c.found, f) {
		c.found = append(c.found, f)
	}
}

// warn notes what keeps tools from working that is not wrong in itself.
func (c *toolsChecking) warn(reg *registry.Registry, secrets *registry.Secrets) {
	for _, text := range reg.Problems() {
		c.add(levelWarning, tool.Position{}, text, "")
	}
	for _, f := range reg.Files() {
		for _, s := range f.Secrets {
			if _, err := secrets.Secret(s.Name); err != nil {
				c.add(levelWarning, s.Pos, err.Error(), remedyOf(err))
			}
		}
		for _, d := range f.Tools {
			if _, bound := f.Bindings[d.ID()]; !bound && !reg.Implements(d) && !d.Model {
				c.add(levelWarning, d.Pos, d.ID()+" has no implementation: plans can rehearse it, nothing can call it", "Give it one (run: …).")
			}
		}
	}
}

// order puts findings in the order of the files.
func (c *toolsChecking) order(files []string) {
	slices.SortStableFunc(c.found, func(a, b toolFinding) int {
		if a.File != b.File {
			return slices.Index(files, a.File) - slices.Index(files, b.File)
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}

// text is what was found, for a person.
func (c *toolsChecking) text(files []string, tools int) string {
	s := c.p.styleOf(c.p.stdout)
	var b strings.Builder
	count := map[string]int{}
	for _, f := range c.found {
		count[f.Level]++
		sgr := sgrRed
		if f.Level == levelWarning {
			sgr = sgrYellow
		}
		if f.File != "" || f.Line > 0 {
			b.WriteString(s.paint(sgrBold, safetext.Line(tool.Position{File: f.File, Line: f.Line, Column: f.Column}.String())+":") + " ")
		}
		fmt.Fprintf(&b, "%s %s\n", s.paint(sgr, f.Level+":"), safetext.Line(f.What))
		if f.Remedy != "" {
			fmt.Fprintf(&b, "  → %s\n", safetext.Line(f.Remedy))
		}
	}
	fmt.Fprintf(&b, "%s: %s, ", safetext.Line(strings.Join(files, ", ")), safetext.Count(tools, "tool"))
	switch {
	case len(c.found) == 0:
		b.WriteString("nothing is wrong\n")
	case count[levelWarning] == 0:
		fmt.Fprintf(&b, "%s\n", safetext.Count(count[levelError], "error"))
	default:
		fmt.Fprintf(&b, "%s, %s\n", safetext.Count(count[levelError], "error"), safetext.Count(count[levelWarning], "warning"))
	}
	return b.String()
}
