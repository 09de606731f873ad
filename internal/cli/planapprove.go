package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"praxis/internal/gate"
	"praxis/internal/legible"
)

// approver asks the person at the terminal for leave.
type approver struct {
	p          *program
	yes, later bool
	input      lineReader
}

var _ gate.Approver = (*approver)(nil)

// Approve asks about one call.
func (a *approver) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	person := func(granted bool, reason string) (gate.Answer, error) {
		return gate.Answer{Granted: granted, Scope: gate.Once, By: gate.ByPerson, Reason: reason}, nil
	}
	switch {
	case a.yes:
		return person(true, "--yes")
	case a.later:
		return gate.Answer{}, gate.ErrLater
	case !isTerminal(a.p.stdin) || !isTerminal(a.p.stderr):
		return gate.Answer{By: gate.ByPolicy, Reason: "There is no terminal to ask on. Grant it with --yes, or let it wait with --later"}, nil
	}
	if _, err := io.WriteString(a.p.stderr, a.question(q)); err != nil {
		return gate.Answer{}, err
	}
	for {
		if _, err := io.WriteString(a.p.stderr, "Call it? [y]es, [n]o, [l]ater: "); err != nil {
			return gate.Answer{}, err
		}
		line, err := a.read(ctx)
		if err != nil {
			return gate.Answer{}, err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return person(true, "")
		case "n", "no":
			return person(false, "")
		case "l", "later":
			return gate.Answer{}, gate.ErrLater
		}
	}
}

// question shows a call: what it would do, and where each argument comes from.
func (a *approver) question(q gate.Question) string {
	s := a.p.styleOf(a.p.stderr)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.paint(sgrBold, fmt.Sprintf("The plan asks for leave to call %s, on line %d.", q.Tool.Name, q.Line)))
	if text := strings.TrimSpace(q.Tool.Description); text != "" {
		for _, part := range breakWords(legible.Line(text), s.width-4) {
			fmt.Fprintf(&b, "  %s\n", s.paint(sgrDim, part))
		}
	}
	shown := maps.Collect(q.Arguments.All())
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		fmt.Fprintf(&b, "  %s: %s\n", s.paint(sgrCyan, legible.Line(name)), legible.Text(indentRest(shortened(argument(shown[name]), maxArgument), "    ")))
		fmt.Fprintf(&b, "    %s\n", s.paint(labelColour(q, name), "from "+legible.Line(fromWhere(q, name))))
	}
	fmt.Fprintf(&b, "  rule %q: %s\n", legible.Line(q.Rule), legible.Line(q.Reason))
	return b.String()
}

func labelColour(q gate.Question, name string) string {
	if q.Labels[name].Trusted {
		return sgrDim
	}
	return sgrYellow
}

// fromWhere says where an argument comes from.
func fromWhere(q gate.Question, name string) string {
	if l, given := q.Labels[name]; given && len(l.Sources) > 0 {
		return strings.Join(l.Sources, ", ")
	}
	return "the plan itself"
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
