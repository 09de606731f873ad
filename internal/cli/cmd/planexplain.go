package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

const planExplainLong = `Explains each call of a tool in a plan: what the policy says of it before
anything runs, by which rule and why, where the data of each argument can come
from and where they certainly do, and the way that they take.`

func (p *program) planExplainCommand() *cobra.Command {
	c := &planChecking{p: p}
	cmd := &cobra.Command{
		Use: "explain FILE", Short: "Explain each call of a plan: its rules, and the way of its data", Long: planExplainLong,
		Example: "  praxis plan explain plan.py --tools tools.yaml --policy policy.yaml",
		Args:    takes(1, 1, "the file of the plan"),
		RunE:    func(cmd *cobra.Command, args []string) error { return c.explain(cmd.Context(), args[0]) },
	}
	c.tools.registerFiles(cmd)
	c.tools.registerStrict(cmd)
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object instead")
	return cmd
}

func (c *planChecking) explain(ctx context.Context, name string) error {
	src, err := c.p.readPlan(name)
	if err != nil {
		return err
	}
	return on(c.p, func(a planner) error {
		found, err := a.ExplainPlan(ctx, src, c.tools.spec(c.p), c.p.quiet())
		c.p.settled()
		switch {
		case err != nil:
			return err
		case c.json:
			err = c.p.printJSON(found)
		case len(found.Calls) == 0:
			err = c.p.emit(c.p.checkText(c.p.stdout, found.Check))
		default:
			s := c.p.styleOf(c.p.stdout)
			var b strings.Builder
			for i := range found.Calls {
				if i > 0 {
					b.WriteByte('\n')
				}
				explainCall(&b, s, &found.Calls[i])
			}
			err = c.p.emit(b.String())
		}
		if err != nil {
			return err
		}
		return refusal(found.Check)
	})
}

// flowVerdict is a verdict in words.
func flowVerdict(v string) (words, sgr string) {
	switch v {
	case "safe":
		return "proved safe: the policy allows every such call", format.Green
	case "violation":
		return "violation: the policy denies every such call", format.Red
	case "possible":
		return "possible: decided when it runs", format.Yellow
	case "unreachable":
		return "never reached", format.Yellow
	}
	return "not decided", format.Dim
}

// explainCall writes what is known of a call.
func explainCall(b *strings.Builder, s format.Style, e *app.CallExplained) {
	words, sgr := flowVerdict(string(e.Verdict))
	fmt.Fprintf(b, "%s  %s\n", s.Paint(format.Bold, fmt.Sprintf("line %d  %s", e.Line, e.Tool)), s.Paint(sgr, words))
	wrapped := func(indent, text string) {
		for i, part := range format.BreakWords(safetext.Line(text), max(s.Width, 20)-len(indent)-2) {
			if i > 0 {
				part = "  " + part
			}
			fmt.Fprintf(b, "%s%s\n", indent, part)
		}
	}
	if e.Rule != "" {
		why := ""
		if e.Reason != "" {
			why = ": " + strings.TrimSuffix(e.Reason, ".")
		}
		wrapped("  ", fmt.Sprintf("rule %q%s", e.Rule, why))
	}
	if e.Remedy != "" {
		wrapped("  ", "→ "+e.Remedy)
	}
	for _, a := range e.Args {
		wrapped("  ", a.Name+": from "+origins(a))
		for _, path := range a.Paths {
			for i, part := range format.BreakWords(safetext.Line(way(path)), max(s.Width, 20)-6) {
				if i > 0 {
					part = "  " + part
				}
				fmt.Fprintf(b, "    %s\n", s.Paint(format.Dim, part))
			}
		}
	}
	if len(e.Control) > 0 {
		wrapped("  ", "that it is called depends on "+sourceList(e.Control, nil))
	}
	if e.Anything {
		wrapped("  ", "where its data come from could not be followed")
	}
	for _, r := range e.Rules {
		when := ""
		if r.When != "" {
			when = " when " + r.When
		}
		wrapped("  ", fmt.Sprintf("rule %q: %s%s", r.Name, r.Verdict, when))
	}
	for _, d := range e.Demands {
		wrapped("  ", "its definition: "+d)
	}
}

// way is the way that data take, as one chain.
func way(p app.PlanPath) string {
	var parts []string
	for _, step := range p.Steps {
		text := step.Text
		if step.Line > 0 {
			text = fmt.Sprintf("%s (%d:%d)", step.Text, step.Line, step.Col+1)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " → ")
}

// origins says where an argument can come from.
func origins(a app.PlanArg) string {
	if a.AnyFrom {
		return "anywhere"
	}
	return sourceList(a.May, a.Must)
}

// sourceList names sources; those in certain are always among them.
func sourceList(may, certain app.PlanSources) string {
	if len(may) == 0 {
		return "the plan itself"
	}
	var parts []string
	for _, o := range may {
		text := o.Name
		if o.Kind == "user" {
			text = "input " + text
		}
		var about []string
		if o.Line > 0 {
			about = append(about, fmt.Sprintf("line %d", o.Line))
		}
		if !o.Trusted {
			about = append(about, "not trusted")
		}
		if o.Endorsed {
			about = append(about, "vouched for")
		}
		if slices.Contains(certain, o) {
			about = append(about, "certain")
		}
		if len(about) > 0 {
			text += " (" + strings.Join(about, ", ") + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

const planGraphLong = `Draws how data flow through a plan into the calls of its tools, as text that
other programs draw: Mermaid for documents, DOT for Graphviz.

  praxis plan graph plan.py --tools tools.yaml --format dot | dot -Tsvg > plan.svg`

func (p *program) planGraphCommand() *cobra.Command {
	c := &planChecking{p: p}
	cmd := &cobra.Command{
		Use: "graph FILE", Short: "Draw how data flow through a plan", Long: planGraphLong, Args: takes(1, 1, "the file of the plan"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.graph(cmd.Context(), args[0]) },
	}
	c.tools.registerFiles(cmd)
	c.tools.registerStrict(cmd)
	cmd.Flags().StringVar(&c.format, "format", "mermaid", "`FORMAT`: mermaid or dot")
	return oneObject(cmd, &c.json)
}

func (c *planChecking) graph(ctx context.Context, name string) error {
	if c.format != "mermaid" && c.format != "dot" {
		return fault.New(fault.Invalid, "Write mermaid or dot.", "cannot draw the plan: there is no format %q", safetext.Line(c.format))
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
		text := found.Mermaid()
		if c.format == "dot" {
			text = found.DOT()
		}
		if err := c.p.document(c.json, safetext.Text(strings.TrimRight(text, "\n"))+"\n"); err != nil {
			return err
		}
		if !found.Accepted { // a drawing does not say why
			if _, err := io.WriteString(c.p.stderr, c.p.checkText(c.p.stderr, found)); err != nil {
				return err
			}
		}
		return refusal(found)
	})
}
