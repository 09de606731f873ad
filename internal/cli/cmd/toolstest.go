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

const toolsTestLong = `Runs the examples in the definitions of tools against their implementations. An
example with an output has to give exactly that, as JSON counts: the order of
members does not matter, 2.0 is 2. One without has to give a result that fits the
schema. Nothing is recorded and no policy is asked.

Tools that change something or reach others are left out unless --all is given:
their examples are then really executed.

The exit code is 1 when an example fails.`

// toolsTesting is one praxis tools test.
type toolsTesting struct {
	p     *program
	files toolFiles
	all   bool
	json  bool
}

func (p *program) toolsTestCommand() *cobra.Command {
	t := &toolsTesting{p: p}
	cmd := &cobra.Command{
		Use: "test [NAME]", Short: "Run the examples of tools", Long: toolsTestLong,
		Example: "  praxis tools test\n  praxis tools test text.tidy --tools tools.yaml",
		Args:    noFiles(0, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return t.run(cmd.Context(), strings.Join(args, "")) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&t.all, "all", false, "test tools that change something or reach others, too: their examples are really executed")
	t.files.register(cmd)
	fs.BoolVar(&t.json, "json", false, "print one JSON object instead")
	return cmd
}

func (t *toolsTesting) run(ctx context.Context, only string) error {
	query, err := t.files.query()
	if err != nil {
		return err
	}
	return t.p.withApp(func(a *app.App) error {
		out, err := a.TestTools(ctx, app.ToolTestQuery{Files: query.Files, Tool: only, Commands: query.Commands, Acting: t.all}, t.p.quiet())
		t.p.settled()
		if err != nil {
			return err
		}
		for _, r := range out.Examples {
			if r.Fault != nil {
				r.Fault.Remedy = format.Remedy(r.Fault)
			}
		}
		if t.json {
			err = t.p.printJSON(out)
		} else {
			err = t.p.emit(t.text(out))
		}
		if !out.Pass {
			err = errors.Join(err, exitStatus{exitNot})
		}
		return err
	})
}

func (t *toolsTesting) text(out app.ToolsTested) string {
	s := t.p.styleOf(t.p.stdout)
	var b strings.Builder
	for _, r := range out.Examples {
		name := safetext.Line(r.Tool + "@" + r.Version + ": " + r.Example)
		switch r.Status {
		case app.ExamplePass:
			fmt.Fprintf(&b, "%s  %s\n", s.Paint(format.Green, "pass"), name)
		case app.ExampleSkipped:
			why := safetext.Line(r.Why)
			if r.Acts {
				why += "; --all tests it"
			}
			fmt.Fprintf(&b, "%s  %s: %s\n", s.Paint(format.Yellow, "skip"), name, why)
		default:
			fmt.Fprintf(&b, "%s  %s (%s)\n", s.Paint(format.Red, "FAIL"), name, safetext.Line(r.Place))
			why := r.Why
			if r.Fault != nil {
				why = strings.TrimSpace(why + ". " + r.Fault.Remedy)
			}
			fmt.Fprintf(&b, "      %s\n", indentRest(safetext.Text(why), "      "))
			for line := range strings.Lines(r.Diff) {
				b.WriteString("      " + safetext.Line(strings.TrimSuffix(line, "\n")) + "\n")
			}
		}
	}
	if len(out.Examples) == 0 {
		b.WriteString("There are no examples: give a tool some (examples: [{input: {…}, output: …}]).\n")
		return b.String()
	}
	fmt.Fprintf(&b, "%s: %s, %s", safetext.Line(strings.Join(out.Files, ", ")), safetext.Count(len(out.Examples), "example"), failedOf(out.Failed))
	if out.Skipped > 0 {
		fmt.Fprintf(&b, ", %d skipped", out.Skipped)
	}
	b.WriteString("\n")
	return b.String()
}
