package cmd

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

const planCheckLong = `Says what is certain about a plan before anything runs: names, arguments and
types, and for each call of a tool which data can reach which argument, and what
the policy says of it. A call is

  safe         the policy allows every such call
  possible     it depends on the run: the call is decided then
  violation    the policy denies every such call: the plan is refused

Nothing runs. The exit code is 1 when the plan is refused.`

const planExample = "  praxis plan check plan.py --tools tools.yaml --policy policy.yaml"

// planChecking is one praxis plan check, explain or graph.
type planChecking struct {
	p           *program
	tools       toolFlags
	json, sarif bool
	format      string
}

func (p *program) planCheckCommand() *cobra.Command {
	c := &planChecking{p: p}
	cmd := &cobra.Command{
		Use: "check FILE", Short: "Prove which data can reach which call, before anything runs", Long: planCheckLong, Example: planExample,
		Args: takes(1, 1, "the file of the plan"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.check(cmd.Context(), args[0]) },
	}
	c.tools.registerFiles(cmd)
	c.tools.registerStrict(cmd)
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object instead")
	cmd.Flags().BoolVar(&c.sarif, "sarif", false, "print SARIF 2.1.0 instead, as code scanners write it")
	return cmd
}

func (c *planChecking) check(ctx context.Context, name string) error {
	if c.json && c.sarif {
		return usage("praxis plan check", "--json and --sarif are two forms of one output")
	}
	src, err := c.p.readPlan(name)
	if err != nil {
		return err
	}
	return on(c.p, func(a planner) error {
		found, err := a.CheckPlan(ctx, src, c.tools.spec(c.p), c.p.quiet())
		c.p.settled()
		if err != nil {
			return err
		}
		switch {
		case c.sarif:
			var text []byte
			if text, err = found.SARIF(); err == nil {
				err = c.p.emit(string(safetext.JSON(append(bytes.TrimRight(text, "\n"), '\n'))))
			}
		case c.json:
			err = c.p.printJSON(found)
		default:
			err = c.p.emit(c.p.checkText(c.p.stdout, found))
		}
		return errors.Join(err, refusal(found))
	})
}

// refusal is the exit code of a plan that was refused.
func refusal(found *app.PlanCheck) error {
	if found.Accepted {
		return nil
	}
	return exitStatus{exitNot}
}

// checkText is what the check found, for a person.
func (p *program) checkText(w any, found *app.PlanCheck) string {
	style := p.styleOf(w)
	var b strings.Builder
	for line := range strings.Lines(found.Text()) {
		b.WriteString(paintCheck(style, strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}

// styleOf is the style of a stream.
func (p *program) styleOf(w any) format.Style {
	out, ok := w.(interface{ Write([]byte) (int, error) })
	if !ok {
		return format.Style{}
	}
	return format.Style{On: p.colours(out), Width: width(out)}
}

// paintCheck colours one line of what the check found.
func paintCheck(s format.Style, line string) string {
	if !s.On {
		return line
	}
	for level, sgr := range map[string]string{"error": format.Red, "warning": format.Yellow, "note": format.Cyan} {
		if place, text, found := strings.Cut(line, ": "+level+": "); found && !strings.HasPrefix(line, " ") {
			return s.Paint(format.Bold, place+":") + " " + s.Paint(sgr, level+":") + " " + text
		}
	}
	if t := strings.TrimLeft(line, " "); t != "" && strings.Trim(t, "^") == "" {
		return strings.Repeat(" ", len(line)-len(t)) + s.Paint(format.Red, t)
	}
	return line
}
