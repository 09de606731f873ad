package cli

import (
	"fmt"
	"slices"
	"strings"

	"praxis/internal/plan/policy"
	"praxis/internal/safetext"
	"praxis/internal/tool"
)

// toolWords is what a policy says about one tool.
type toolWords struct {
	Tool      string   `json:"tool"`
	Effects   string   `json:"effects"`
	Rules     []string `json:"rules"`   // names, in the file's order
	Demands   []string `json:"demands"` // of the definition itself, in words
	Otherwise string   `json:"otherwise"`
}

// inWords says for each tool what decides its calls.
func inWords(pol *policy.Policy, tools *tool.Set) []toolWords {
	out := []toolWords{}
	for d := range tools.All() {
		w := toolWords{Tool: d.Name, Effects: d.Effects.String(), Rules: []string{}, Demands: demands(d), Otherwise: policy.Default(d).String()}
		for _, r := range pol.Rules() {
			if slices.Contains(r.Tools, d.Name) {
				w.Rules = append(w.Rules, r.Name)
			}
		}
		out = append(out, w)
	}
	return out
}

// demands are the rules that stand in the definition of a tool.
func demands(d *tool.Definition) []string {
	out := []string{}
	for _, a := range d.Labels.Arguments {
		because := ""
		if a.Reason != "" {
			because = ": " + strings.TrimSuffix(a.Reason, ".")
		}
		if a.Trusted {
			out = append(out, "deny it unless only trusted sources influenced \""+a.Argument+"\""+because)
		}
		if len(a.ReadableBy) > 0 {
			out = append(out, "deny it unless whom "+strings.Join(a.ReadableBy, ", ")+" names may read \""+a.Argument+"\""+because)
		}
	}
	if d.Approval {
		out = append(out, "ask a person before each call")
	}
	return out
}

// effectWords say what a call does.
func effectWords(effects string) string {
	switch effects {
	case "pure":
		return "computes"
	case "read":
		return "only reads"
	case "write":
		return "changes what the user owns"
	case "external":
		return "reaches others"
	}
	return effects
}

// words writes what a policy says, tool by tool.
func (t *policyTask) words(pol *policy.Policy, tools []toolWords) string {
	s := t.p.styleOf(t.p.stdout)
	rules := map[string]policy.RuleInfo{}
	for _, r := range pol.Rules() {
		rules[r.Name] = r
	}
	var b strings.Builder
	b.WriteString("Of the rules that apply to a call the strictest decides: deny before ask before allow.\n")
	for _, w := range tools {
		fmt.Fprintf(&b, "\n%s  %s\n", s.paint(sgrBold, w.Tool), s.paint(sgrDim, "("+effectWords(w.Effects)+")"))
		for _, name := range w.Rules {
			r := rules[name]
			fmt.Fprintf(&b, "  %s  %s\n", s.paint(verdictColour(r.Verdict), fmt.Sprintf("%-5s", r.Verdict)), safetext.Line(r.Name))
			line := func(label, text string) {
				for i, part := range breakWords(safetext.Line(text), s.width-18) {
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
			for i, part := range breakWords("its definition: "+safetext.Line(d), s.width-2) {
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
func otherwise(w toolWords) string {
	head := "without a rule that applies: "
	if len(w.Rules)+len(w.Demands) == 0 {
		head = "no rule: "
	}
	if w.Otherwise == "allow" {
		return head + "allow"
	}
	return head + w.Otherwise + ", since it " + effectWords(w.Effects)
}
