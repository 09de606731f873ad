package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"praxis/internal/lazyregexp"
	"praxis/internal/plan/label"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/schema"
)

// namingRE matches the names of arguments that say what is changed, and where.
var namingRE = lazyregexp.New(`(?i)(^|_)(id|ids|path|file|folder|dir|url|uri|host|channel|table|name|key|attachments?|command|query|code|target|dest(ination)?|with)$`)

// draftRule is a rule for the tools that one condition fits.
type draftRule struct {
	when  string
	tools []*tool.Definition
	hints []string
}

// Draft writes a first policy for tools: calls that act are allowed when everything
// that names who gets something, how much, or what is changed is trusted, and the rest is
// asked about. Comments say what else could be fine.
func Draft(tools *tool.Set) string {
	var rules []*draftRule
	var reads []string
	acts := map[tool.Effects]bool{}
	for d := range tools.All() {
		if !d.Effects.Acts() {
			reads = append(reads, draftRead(d)...)
			continue
		}
		when, hints := draftCondition(tools, d)
		acts[d.Effects] = acts[d.Effects] || when != ""
		at := slices.IndexFunc(rules, func(r *draftRule) bool { return r.when == when })
		if at < 0 {
			at, rules = len(rules), append(rules, &draftRule{when: when})
		}
		rules[at].tools = append(rules[at].tools, d)
		for _, h := range hints {
			if !slices.Contains(rules[at].hints, h) {
				rules[at].hints = append(rules[at].hints, h)
			}
		}
	}
	var b strings.Builder
	b.WriteString("# A first policy: what acts is allowed when nobody else chose who gets something, how\n" +
		"# much, or what is changed, and asked about otherwise. Read it, and change it.\n" +
		"# Conditions: x.trusted(), x.from(\"tool\"), x.among(\"tool/path\"), x.readableBy(who), x.within(groups.g).\n" +
		"version: 1\n")
	for _, line := range reads {
		b.WriteString(line)
	}
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

// draftRead says what could be trusted in the results of a tool that only reads.
func draftRead(d *tool.Definition) []string {
	if d.Labels.Trusted || d.Model || d.Effects == tool.Pure {
		return nil
	}
	var named []string
	fieldsOf(d.Output.Type(), "", 0, func(path, name string, t *schema.Type) {
		if !trustedAt(d, path) && (personalRE.MatchString(spaced(name)) || namingRE.MatchString(spaced(name)) || t.Format == "email") {
			named = append(named, path)
		}
	})
	if len(named) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("# %s is not trusted. Does its server set %s? Then write x-trusted there in its output.\n", comment(d.Name), comment(strings.Join(named, ", ")))}
}

// trustedAt says whether the part of results at a path is trusted.
func trustedAt(d *tool.Definition, path string) bool {
	trusted, segs := d.Labels.Trusted, strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := range len(segs) + 1 {
		if m := d.Labels.Marks(segs[:i]); m.Trusted != nil {
			trusted = *m.Trusted
		}
	}
	return trusted
}

// maxListed bounds how deep the fields of a type are listed.
const maxListed = 8

// fieldsOf visits the fields of a type with their paths.
func fieldsOf(t *schema.Type, path string, depth int, visit func(path, name string, t *schema.Type)) {
	if t == nil || depth > maxListed {
		return
	}
	if t.Kinds.Has(schema.ArrayKind) && t.Kinds != schema.AnyKind {
		fieldsOf(t.Items, path+"/*", depth+1, visit)
	}
	for _, p := range t.Properties {
		visit(path+"/"+p.Name, p.Name, p.Type)
		fieldsOf(p.Type, path+"/"+p.Name, depth+1, visit)
	}
}

// draftCondition is when a call is fine, and what else may be.
func draftCondition(tools *tool.Set, d *tool.Definition) (when string, hints []string) {
	var clauses []string
	text := "" // an argument that holds what is sent
	add := func(p schema.Property) {
		arg := "args." + p.Name
		if !identifier(p.Name) || reserved(p.Name) {
			arg = "args[" + strconv.Quote(p.Name) + "]"
		}
		clause := arg + ".trusted()"
		for _, hint := range memberHints(tools, p) {
			hints = append(hints, fmt.Sprintf("or: %s.among(%s)", arg, strconv.Quote(hint)))
		}
		clauses = append(clauses, clause)
		if addressed(p) && text != "" && d.Effects == tool.External {
			hints = append(hints, fmt.Sprintf("and perhaps: args.%s.readableBy(%s)", text, arg))
		}
	}
	for _, p := range d.Arguments() {
		if p.Type.Kinds.Has(schema.StringKind) && identifier(p.Name) && !guards(d, p.Name, p.Name, p.Type) && !namingRE.MatchString(spaced(p.Name)) {
			text = p.Name // the last is the longest, as a rule
		}
	}
	for _, p := range d.Arguments() {
		if guards(d, p.Name, p.Name, p.Type) || namingRE.MatchString(spaced(p.Name)) {
			add(p)
		}
	}
	if len(clauses) == 0 {
		for _, p := range d.Arguments() {
			add(p)
		}
	}
	return strings.Join(clauses, " && "), hints
}

// addressRE matches the names of arguments that hold addresses.
var addressRE = lazyregexp.New(`(?i)^(to|cc|bcc|recipients?|participants?|attendees?|invitees?|e?-?mails?)$`)

func addressed(arg schema.Property) bool {
	return arg.Type.Format == "email" || addressRE.MatchString(arg.Name)
}

// memberHints are where in trusted results values of an argument may stand.
func memberHints(tools *tool.Set, arg schema.Property) []string {
	var found []string
	for d := range tools.All() {
		if d.Effects.Acts() {
			continue
		}
		fieldsOf(d.Output.Type(), "", 0, func(path, name string, t *schema.Type) {
			same := name == arg.Name || addressed(arg) && addressed(schema.Property{Name: name, Type: t})
			if text := t.Kinds&(schema.StringKind|schema.ArrayKind) != 0; same && text && trustedAt(d, path) && len(found) < 3 {
				found = append(found, d.Name+path)
			}
		})
	}
	return found
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
	for _, h := range r.hints {
		fmt.Fprintf(b, "  # %s\n", comment(h))
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
