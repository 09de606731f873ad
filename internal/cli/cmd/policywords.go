package cmd

import (
	"fmt"
	"strings"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// words writes what a policy says, tool by tool.
func (t *policyTask) words(p app.PolicyExplained) string {
	s := t.p.styleOf(t.p.stdout)
	rules := map[string]app.PolicyRule{}
	for _, r := range p.Rules {
		rules[r.Name] = r
	}
	var b strings.Builder
	b.WriteString("Of the rules that apply to a call the strictest decides: deny before ask before allow.\n")
	for _, w := range p.Tools {
		fmt.Fprintf(&b, "\n%s  %s\n", s.Paint(format.Bold, w.Tool), s.Paint(format.Dim, "("+app.EffectWords(w.Effects)+")"))
		for _, name := range w.Rules {
			r := rules[name]
			fmt.Fprintf(&b, "  %s  %s\n", s.Paint(verdictColour(r.Verdict.String()), fmt.Sprintf("%-5s", r.Verdict)), safetext.Line(r.Name))
			line := func(label, text string) {
				for i, part := range format.BreakWords(safetext.Line(text), s.Width-18) {
					if i > 0 {
						label = ""
					}
					fmt.Fprintf(&b, "         %-7s %s\n", label, part)
				}
			}
			if r.When != "" {
				line("when", r.When)
			}
			line("because", r.Reason)
			if r.Remedy != "" {
				line("remedy", r.Remedy)
			}
		}
		for _, d := range w.Demands {
			for i, part := range format.BreakWords("its definition: "+safetext.Line(d), s.Width-2) {
				if i > 0 {
					part = "  " + part
				}
				fmt.Fprintf(&b, "  %s\n", part)
			}
		}
		fmt.Fprintf(&b, "  %s\n", otherwise(w))
	}
	return b.String()
}

// otherwise says what becomes of a call that nothing else decides.
func otherwise(w app.ToolRules) string {
	head := "without a rule that applies: "
	if len(w.Rules)+len(w.Demands) == 0 {
		head = "no rule: "
	}
	if w.Because != "" {
		return head + w.Otherwise + ": " + safetext.Line(w.Because)
	}
	if w.Otherwise == "allow" {
		return head + "allow"
	}
	return head + w.Otherwise + ", since it " + app.EffectWords(w.Effects)
}
