package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"praxis/internal/legible"
	"praxis/internal/plan"
	"praxis/internal/planner"
	"praxis/internal/tool"
)

// approver asks the person at the terminal for leave.
type approver struct {
	p          *program
	yes, later bool
	input      lineReader
}

var _ planner.Approver = (*approver)(nil)

// Approve asks about one call.
func (a *approver) Approve(ctx context.Context, c *plan.Call) (granted bool, by, reason string, err error) {
	switch {
	case a.yes:
		return true, "person", "--yes", nil
	case a.later:
		return false, "", "", planner.ErrLater
	case !isTerminal(a.p.stdin) || !isTerminal(a.p.stderr):
		return false, "policy", "There is no terminal to ask on. Grant it with --yes, or let it wait with --later", nil
	}
	if _, err := io.WriteString(a.p.stderr, a.question(c)); err != nil {
		return false, "", "", err
	}
	for {
		if _, err := io.WriteString(a.p.stderr, "Call it? [y]es, [n]o, [l]ater: "); err != nil {
			return false, "", "", err
		}
		line, err := a.read(ctx)
		if err != nil {
			return false, "", "", err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true, "person", "", nil
		case "n", "no":
			return false, "person", "", nil
		case "l", "later":
			return false, "", "", planner.ErrLater
		}
	}
}

// question shows a call: what it would do, and where each argument comes from.
func (a *approver) question(c *plan.Call) string {
	s := a.p.styleOf(a.p.stderr)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.paint(sgrBold, fmt.Sprintf("The plan asks for leave to call %s, on line %d.", c.Tool.Name, c.Line)))
	if text := strings.TrimSpace(c.Tool.Description); text != "" {
		for _, part := range breakWords(legible.Line(text), s.width-4) {
			fmt.Fprintf(&b, "  %s\n", s.paint(sgrDim, part))
		}
	}
	shown := map[string]any{}
	if args, ok := c.Tool.RedactArguments(c.Arguments).(*tool.Object); ok {
		maps.Insert(shown, args.All())
	}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		fmt.Fprintf(&b, "  %s: %s\n", s.paint(sgrCyan, legible.Line(name)), legible.Text(indentRest(shortened(argument(shown[name]), maxArgument), "    ")))
		fmt.Fprintf(&b, "    %s\n", s.paint(labelColour(c, name), "from "+legible.Line(fromWhere(c, name))))
	}
	fmt.Fprintf(&b, "  rule %q: %s\n", legible.Line(c.Decision.Rule), legible.Line(c.Decision.Reason))
	return b.String()
}

func labelColour(c *plan.Call, name string) string {
	if c.Labels[name].Trusted() {
		return sgrDim
	}
	return sgrYellow
}

// fromWhere says where an argument comes from.
func fromWhere(c *plan.Call, name string) string {
	l, given := c.Labels[name]
	if !given || len(l.Sources) == 0 && len(l.Endorsed) == 0 {
		return "the plan itself"
	}
	var parts []string
	for _, s := range l.Sources {
		text := s.String()
		if s.Line > 0 {
			text += fmt.Sprintf(" on line %d", s.Line)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// read reads a line, until the command is interrupted. The reading goes on
// then: it ends with the process, which is about to.
func (a *approver) read(ctx context.Context) (string, error) {
	if a.input == nil {
		a.input = newPlainLines(a.p.stdin)
	}
	type got struct {
		line string
		err  error
	}
	done := make(chan got, 1)
	go func() {
		line, err := a.input.line("")
		done <- got{line, err}
	}()
	select {
	case <-ctx.Done():
		_, err := io.WriteString(a.p.stderr, "\n") // the prompt's line is open
		return "", errors.Join(context.Cause(ctx), err)
	case g := <-done:
		if errors.Is(g.err, io.EOF) {
			return "n", nil
		}
		return g.line, g.err
	}
}
