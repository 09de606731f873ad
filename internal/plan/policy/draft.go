package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"praxis/internal/plan/label"
	"praxis/internal/safetext"
	"praxis/internal/tool"
)

// namingRE matches the names of arguments that say what is changed, and where.
var namingRE = regexp.MustCompile(`(?i)(^|_)(id|ids|path|file|folder|dir|url|uri|host|channel|table|name|key|attachments?|command|query|code|target|dest(ination)?|with)$`)

// draftRule is a rule for the tools that one condition fits.
type draftRule struct {
	when  string
	tools []*tool.Definition
}

// Draft writes a first policy for tools: calls that act are allowed when everything
// that names who gets something, how much, or what is changed is trusted, and the rest is
// asked about.
func Draft(tools *tool.Set) string {
	var rules []*draftRule
	acts := map[tool.Effects]bool{}
	for d := range tools.All() {
		if !d.Effects.Acts() {
			continue
		}
		when := draftCondition(d)
		acts[d.Effects] = acts[d.Effects] || when != ""
		at := slices.IndexFunc(rules, func(r *draftRule) bool { return r.when == when })
		if at < 0 {
			at, rules = len(rules), append(rules, &draftRule{when: when})
		}
		rules[at].tools = append(rules[at].tools, d)
	}
	var b strings.Builder
	b.WriteString("# A first policy: what acts is allowed when nobody else chose who gets something, how\n" +
		"# much, or what is changed, and asked about otherwise. Read it, and change it.\n" +
		"# Conditions: x.trusted(), x.from(\"tool\"), x.among(\"tool/path\"), x.readableBy(who), x.within(groups.g).\n" +
		"version: 1\n")
	if len(rules) > 0 {
		b.WriteString("\nrules:\n")
	}
	for i, r := range rules {
		r.write(&b, i+1)
	}
	if acts[tool.Write] || acts[tool.External] {
		b.WriteString("\notherwise:\n")
	}
	for _, e := range []tool.Effects{tool.Write, tool.External} {
		if acts[e] {
			fmt.Fprintf(&b, "  - {tools: [\"effects:%s\"], decision: ask, reason: data that somebody else wrote chose what is done}   # or deny, with a remedy\n", e)
		}
	}
	draftCases(&b, tools, rules)
	return b.String()
}

// draftCondition is when a call is fine: when what says who gets something, how much, or
// what is changed is trusted, or all that is given where no argument says so.
func draftCondition(d *tool.Definition) string {
	var named, all []string
	for _, p := range d.Arguments() {
		arg := "args." + p.Name
		if !identifier(p.Name) || reserved(p.Name) {
			arg = "args[" + strconv.Quote(p.Name) + "]"
		}
		all = append(all, arg+".trusted()")
		if guards(d, p.Name, p.Name, p.Type) || namingRE.MatchString(p.Name) {
			named = append(named, arg+".trusted()")
		}
	}
	if len(named) == 0 {
		named = all
	}
	return strings.Join(named, " && ")
}

func comment(text string) string { return safetext.OneLine(text, 200) }

func (r *draftRule) name(n int) string {
	if len(r.tools) == 1 {
		return r.tools[0].Name
	}
	return fmt.Sprintf("rule %d", n)
}

func (r *draftRule) write(b *strings.Builder, n int) {
	names := make([]string, len(r.tools))
	for i, d := range r.tools {
		names[i] = d.Name
		if text := comment(d.Description); text != "" {
			fmt.Fprintf(b, "  # %s (%s): %s\n", d.Name, d.Effects, text)
		}
	}
	fmt.Fprintf(b, "  - name: %s\n    tools: [%s]\n", r.name(n), strings.Join(names, ", "))
	if r.when != "" {
		fmt.Fprintf(b, "    when: %s\n", strconv.Quote(r.when))
	}
	b.WriteString("    decision: allow\n    reason: nobody else chose who gets something, how much, or what is changed\n")
}

// draftCases writes two tests for each rule, with what the definitions demand beside it.
func draftCases(b *strings.Builder, tools *tool.Set, rules []*draftRule) {
	p, err := Load("the draft", []byte(b.String()), tools)
	if err != nil || len(rules) == 0 {
		return
	}
	b.WriteString("\ntests:\n")
	for _, r := range rules {
		d := r.tools[0]
		for _, own := range []bool{true, false} {
			c := Call{Tool: d, Number: 1, Args: map[string]Labelled{}}
			var args []string
			for _, a := range d.Arguments() {
				if !a.Required && !strings.Contains(r.when, "args."+a.Name+".") {
					continue
				}
				v := Labelled{Value: "x"}
				text := fmt.Sprintf("%s: x", strconv.Quote(a.Name))
				if !own {
					v.Label = label.Label{Sources: []label.Source{{Kind: label.Model, Name: "model", Call: 1}}}
					text = fmt.Sprintf("%s: {value: x, sources: [model]}", strconv.Quote(a.Name))
				}
				c.Args[a.Name] = v
				args = append(args, text)
			}
			if !own && len(args) == 0 {
				continue
			}
			who := map[bool]string{true: "of the user's", false: "out of data"}[own]
			fmt.Fprintf(b, "  - {name: \"%s, %s\", call: %s, args: {%s}, expect: %s}\n", d.Name, who, d.Name, strings.Join(args, ", "), p.Decide(c).Verdict)
		}
	}
}
