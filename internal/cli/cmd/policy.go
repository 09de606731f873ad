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

func (p *program) policyCommand() *cobra.Command {
	return group("policy", "Write, test and explain the rules that decide calls of tools", p.policyInitCommand(), p.policyTestCommand(), p.policyExplainCommand(), p.policyCasesCommand())
}

const policyTestLong = `Runs the cases that stand under tests in a policy, says which of its rules no case
covers, and fails when a case does not come out as it expects. Nothing is called.

The exit code is 1 when a case fails.`

// policyTask is one praxis policy test or explain.
type policyTask struct {
	p     *program
	tools toolFlags
	call  string
	json  bool
}

func (p *program) policyTestCommand() *cobra.Command {
	t := &policyTask{p: p}
	cmd := &cobra.Command{
		Use: "test FILE", Short: "Run the cases in a policy", Long: policyTestLong, Example: "  praxis policy test policy.yaml --tools tools.yaml",
		Args: takes(1, 1, "the file of the policy"),
		RunE: func(cmd *cobra.Command, args []string) error { return t.test(cmd.Context(), args[0]) },
	}
	t.register(cmd)
	return cmd
}

func (t *policyTask) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&t.tools.tools, "tools", nil, "`FILE` that declares the tools (may be repeated)")
	cmd.Flags().BoolVar(&t.json, "json", false, "print one JSON object instead")
	t.tools.registerCommands(cmd)
}

// query names the policy and its tools.
func (t *policyTask) query(file string) app.PolicyQuery {
	return app.PolicyQuery{File: file, Tools: t.tools.tools, Commands: t.tools.commands}
}

func (t *policyTask) test(ctx context.Context, file string) error {
	return on(t.p, func(a policer) error {
		report, err := a.TestPolicy(ctx, t.query(file), t.p.quiet())
		t.p.settled()
		if err != nil {
			return err
		}
		if t.json {
			err = t.p.printJSON(struct {
				File string `json:"file"`
				Pass bool   `json:"pass"`
				app.PolicyReport
			}{file, report.OK(), report})
		} else {
			err = t.p.emit(t.report(file, report))
		}
		if !report.OK() {
			err = errors.Join(err, exitStatus{exitNot})
		}
		return err
	})
}

// report says what became of the cases.
func (t *policyTask) report(file string, r app.PolicyReport) string {
	s := t.p.styleOf(t.p.stdout)
	var b strings.Builder
	for _, c := range r.Cases {
		if c.Pass {
			fmt.Fprintf(&b, "%s  %s\n", s.Paint(format.Green, "pass"), safetext.Line(c.Name))
			continue
		}
		want := c.Expect.String()
		if c.Rule != "" {
			want += fmt.Sprintf(" by the rule %q", c.Rule)
		}
		fmt.Fprintf(&b, "%s  %s (%s)\n", s.Paint(format.Red, "FAIL"), safetext.Line(c.Name), safetext.Line(c.Place))
		fmt.Fprintf(&b, "      expected %s\n", safetext.Line(want))
		fmt.Fprintf(&b, "      got      %s by the rule %q: %s\n", c.Got.Verdict, safetext.Line(c.Got.Rule), safetext.Line(c.Got.Reason))
		b.WriteString(considered(c.Got.Steps, "      "))
	}
	for _, rule := range r.Uncovered {
		fmt.Fprintf(&b, "%s  no case covers the rule %q (%s)\n", s.Paint(format.Yellow, "note"), safetext.Line(rule.Name), safetext.Line(rule.Place))
	}
	fmt.Fprintf(&b, "%s: %s, %s\n", safetext.Line(file), safetext.Count(len(r.Cases), "case"), failedOf(r.Failed))
	return b.String()
}

func failedOf(n int) string {
	if n == 0 {
		return "all pass"
	}
	return fmt.Sprintf("%d failed", n)
}

// considered says what each rule had to say about a call.
func considered(steps []app.PolicyStep, indent string) string {
	var b strings.Builder
	for _, step := range steps {
		fmt.Fprintf(&b, "%srule %q (%s): %s\n", indent, safetext.Line(step.Rule), step.Verdict, safetext.Line(step.Result))
		for _, c := range step.Clauses {
			fmt.Fprintf(&b, "%s  %s: %s\n", indent, safetext.Line(c.Text), safetext.Line(strings.TrimSuffix(c.Result+": "+c.Error, ": ")))
			for _, l := range c.Labels {
				fmt.Fprintf(&b, "%s    %s\n", indent, safetext.Line(l))
			}
		}
	}
	return b.String()
}

const policyExplainLong = `Says in words what the rules of a policy decide, and what decides the tools that
no rule is about. With --call it explains one call, written as in a test:

  praxis policy explain policy.yaml --tools tools.yaml --call \
    '{"call": "email.write", "args": {"to": {"value": "a@b.example", "sources": ["calendar.read"]}, "body": "Hello"}}'`

func (p *program) policyExplainCommand() *cobra.Command {
	t := &policyTask{p: p}
	cmd := &cobra.Command{
		Use: "explain FILE", Short: "Say in words what the rules of a policy decide", Long: policyExplainLong,
		Args: takes(1, 1, "the file of the policy"),
		RunE: func(cmd *cobra.Command, args []string) error { return t.explain(cmd.Context(), args[0]) },
	}
	t.register(cmd)
	cmd.Flags().StringVar(&t.call, "call", "", "explain this call, as `JSON`")
	return cmd
}

func (t *policyTask) explain(ctx context.Context, file string) error {
	return on(t.p, func(a policer) error {
		if t.call != "" {
			d, err := a.ExplainCall(ctx, t.query(file), t.call, t.p.quiet())
			t.p.settled()
			if err != nil {
				return err
			}
			return t.showDecision(d)
		}
		found, err := a.ExplainPolicy(ctx, t.query(file), t.p.quiet())
		t.p.settled()
		switch {
		case err != nil:
			return err
		case t.json:
			return t.p.printJSON(found)
		}
		return t.p.emit(t.words(found))
	})
}

// showDecision says what is decided about one call and why.
func (t *policyTask) showDecision(d app.PolicyDecision) error {
	if t.json {
		return t.p.printJSON(d)
	}
	s := t.p.styleOf(t.p.stdout)
	var b strings.Builder
	fmt.Fprintf(&b, "%s by the rule %q: %s\n", s.Paint(verdictColour(d.Verdict.String()), d.Verdict.String()), safetext.Line(d.Rule), safetext.Line(d.Reason))
	if d.Remedy != "" {
		fmt.Fprintf(&b, "  → %s\n", safetext.Line(d.Remedy))
	}
	b.WriteString(considered(d.Steps, "  "))
	return t.p.emit(b.String())
}

func verdictColour(verdict string) string {
	switch verdict {
	case "allow":
		return format.Green
	case "ask":
		return format.Yellow
	}
	return format.Red
}

const policyInitLong = `Writes a first policy from what the tools say of themselves: their effects, their
arguments, their trusted results. What acts is allowed when nobody else chose who gets
something, how much, or what is changed; the rest is asked about. Comments say what
else may be fine. Cases are written, too, so that praxis policy test passes.`

func (p *program) policyInitCommand() *cobra.Command {
	t := &policyTask{p: p}
	cmd := &cobra.Command{
		Use: "init", Short: "Write a first policy for tools", Long: policyInitLong, Example: "  praxis policy init --tools tools.yaml > policy.yaml",
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return on(p, func(a policer) error {
				text, err := a.DraftPolicy(cmd.Context(), t.query(""), p.quiet())
				p.settled()
				if err != nil {
					return err
				}
				return t.yaml(text)
			})
		},
	}
	t.register(cmd)
	return cmd
}

const policyCasesLong = `Writes the calls of a recorded run as cases of a policy's tests, with where each
argument came from; they expect what was decided then. Put them below tests in the
policy: praxis policy test then says which decisions a change of the policy changes.
An argument whose items had labels of their own has one for all of it.`

func (p *program) policyCasesCommand() *cobra.Command {
	t := &policyTask{p: p}
	cmd := &cobra.Command{
		Use: "cases RUN", Short: "Write test cases of a policy from a recorded run", Long: policyCasesLong, Example: "  praxis policy cases last",
		Args: takes(1, 1, "the run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(p, func(a policer) error {
				text, err := a.PolicyCases(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return t.yaml(text)
			})
		},
	}
	cmd.Flags().BoolVar(&t.json, "json", false, "print one JSON object instead")
	return cmd
}

// yaml prints what belongs into a file.
func (t *policyTask) yaml(text string) error {
	if t.json {
		return t.p.printJSON(struct {
			YAML string `json:"yaml"`
		}{text})
	}
	return t.p.emit(text)
}
