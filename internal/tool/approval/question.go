package approval

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
)

// question is what a person has to see before agreeing. Everything in it comes
// from elsewhere, so nothing of it reaches the terminal as it is.
func (t *Terminal) question(q gate.Question) string {
	var b strings.Builder
	rule := strings.Repeat("─", t.width)
	fmt.Fprintf(&b, "\n%s\nPraxis asks. What stands above this line is no part of the question.\n\n%s %s asks to be called (%s).\n", rule, safetext.Line(q.Tool.Name), safetext.Line(string(q.Tool.Version)), effects(q.Tool.Effects))
	if q.Rehearsed {
		b.WriteString("  REHEARSAL  nothing implements this tool: the call is played through, and nothing is really done\n")
	}
	t.block(&b, "  says       ", safetext.OneLine(q.Tool.Description, shownText))
	fmt.Fprintf(&b, "  called by  %s", caller(q.Origin))
	if q.Line > 0 {
		fmt.Fprintf(&b, ", line %d", q.Line)
	}
	fmt.Fprintf(&b, " (call %s of run %s)\n", safetext.OneLine(q.ID, 40), safetext.OneLine(q.Run, 40))
	t.block(&b, "  asked for  ", safetext.OneLine(q.Reason, shownText))
	t.block(&b, "  by rule    ", safetext.OneLine(q.Rule, shownText))
	t.arguments(&b, q)
	return b.String()
}

func caller(o gate.Origin) string {
	by := map[gate.Origin]string{gate.Model: "the model", gate.Code: "code in the sandbox", gate.Plan: "the plan", gate.Person: "a person at the command line"}[o]
	if by == "" {
		by = safetext.OneLine(string(o), 40)
	}
	return by
}

func effects(e tool.Effects) string {
	switch e {
	case tool.Pure:
		return "pure: it changes nothing"
	case tool.Read:
		return "read: it changes nothing"
	case tool.Write:
		return "write: it changes what is yours"
	case tool.External:
		return "external: it reaches others"
	}
	return e.String()
}

func (t *Terminal) arguments(b *strings.Builder, q gate.Question) {
	if q.Arguments == nil || q.Arguments.Len() == 0 {
		b.WriteString("  without arguments\n")
		return
	}
	b.WriteString("  arguments\n")
	n, clipped := 0, false
	for name, v := range q.Arguments.All() {
		if n++; n > shownArgs {
			clipped = true
			fmt.Fprintf(b, "    … and %s more\n", safetext.Number(q.Arguments.Len()-shownArgs))
			break
		}
		text, whole := value(v)
		clipped = clipped || !whole
		t.block(b, "    "+named(name)+" = ", text)
		if l, ok := q.Labels[name]; ok {
			t.block(b, "      from ", some(l.Sources, "the program itself"))
			t.block(b, "      ", trust(l.Trusted)+"; "+readers(l.Anyone, l.Readers))
		}
		for _, found := range q.Found[name] {
			t.block(b, "      in ", safetext.OneLine(found.Text, shownName)+": "+safetext.OneLine(found.Quote, shownText))
		}
		t.marks(b, q, name, v)
	}
	if clipped {
		b.WriteString("  Not all is shown: v shows it.\n")
	}
}

// marks says what is unusual about a value: that it was not approved before, and
// characters that are not what they seem.
func (t *Terminal) marks(b *strings.Builder, q gate.Question, name string, v any) {
	for i, fresh := range q.New[name] {
		if i == shownMarks {
			t.block(b, "      NEW: ", "and "+safetext.Number(len(q.New[name])-i)+" more")
			break
		}
		text, _ := value(fresh)
		t.block(b, "      NEW: ", fmt.Sprintf("%s is not among the last %d values of this argument", text, Remembered))
	}
	odd := oddities(name, v)
	for i, o := range odd {
		if i == shownMarks {
			t.block(b, "      ODD: ", "and "+safetext.Number(len(odd)-i)+" more")
			break
		}
		t.block(b, "      ODD: ", o)
	}
}

// oddities describes the characters of an argument that are not what they seem.
func oddities(name string, v any) []string {
	return safetext.Odd(strings.Join(append(texts(v), name), "\n"))
}

// explanation says what the question means and what each answer does.
func (t *Terminal) explanation(q gate.Question, word string) string {
	var b strings.Builder
	b.WriteString("\nWhat it does\n")
	t.block(&b, "  ", q.Tool.Name+" says of itself: "+safetext.OneLine(q.Tool.Description, shownDescription))
	t.block(&b, "  ", map[tool.Effects]string{
		tool.Pure:     "Its result depends on the arguments alone: a call changes nothing.",
		tool.Read:     "It looks at a state: a call changes nothing.",
		tool.Write:    "It changes a state that is yours. Whether that can be undone, only the tool knows.",
		tool.External: "It reaches others: it sends, pays or publishes. That cannot be taken back, so it takes a typed word, which is another one each time.",
	}[q.Tool.Effects])
	b.WriteString("Where the values come from\n")
	if q.Origin == gate.Plan {
		t.block(&b, "  ", "The plan knows for each value which inputs and calls it depends on: they stand after \"from\".")
	} else {
		t.block(&b, "  ", "The values were made by "+caller(q.Origin)+". After \"from\" stands everything that it had seen by then: any of it may have decided them.")
	}
	t.block(&b, "  ", "\"Trusted\" are your own inputs and the results that a definition vouches for. \"NOT trusted\" means that a stranger may have chosen the value. \"in\" quotes where the value stands in this run.")
	t.block(&b, "  ", fmt.Sprintf("NEW marks texts that the last %d approved values of this argument do not have, ODD characters that are not what they seem.", Remembered))
	b.WriteString("What the answers do\n")
	agree := []string{"y", "e", "r"}
	if word != "" {
		agree = []string{word, "e " + word, "r " + word}
	}
	for _, line := range []string{
		agree[0] + ": this one call is made",
		agree[1] + ": so is every later call of this run with exactly these arguments and origins",
		agree[2] + ": so is every later call of this tool in this run, whatever its arguments",
		"n: the call is not made; who called reads why, and goes on",
		"v: shows every argument in full",
		"A text behind an answer is recorded as its reason.",
	} {
		t.block(&b, "  ", line)
	}
	return b.String()
}

// texts returns the strings in a value, the names in objects too.
func texts(v any) []string {
	var out []string
	walk(v, func(s string, _ bool) { out = append(out, s) })
	return out
}

// walk visits the strings of a JSON value; named says that it is a name in an object.
func walk(v any, visit func(s string, named bool)) {
	switch v := v.(type) {
	case string:
		visit(v, false)
	case []any:
		for _, item := range v {
			walk(item, visit)
		}
	case *jsondoc.Object:
		for name, item := range v.All() {
			visit(name, true)
			walk(item, visit)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			visit(name, true)
			walk(v[name], visit)
		}
	}
}

func trust(trusted bool) string {
	if trusted {
		return "trusted"
	}
	return "NOT trusted"
}

func readers(anyone bool, names []string) string {
	if anyone {
		return "everyone may read it"
	}
	return "for " + some(names, "nobody")
}

func some(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	var out []string
	for i, name := range names {
		if i == shownLabel {
			out = append(out, safetext.Number(len(names)-shownLabel)+" more")
			break
		}
		out = append(out, safetext.OneLine(name, 100))
	}
	return strings.Join(out, ", ")
}

// block writes a text that comes from elsewhere. Its lines are broken here and
// marked, so that no part of it can look like a line of the question.
func (t *Terminal) block(b *strings.Builder, prefix, text string) {
	if text == "" {
		return
	}
	b.WriteString(prefix)
	column := utf8.RuneCountInString(prefix)
	for _, r := range text {
		wide := 1
		if r >= 0x1100 { // most of what is wide begins there
			wide = 2
		}
		if column+wide > t.width {
			b.WriteString("\n" + margin)
			column = utf8.RuneCountInString(margin)
		}
		b.WriteRune(r)
		column += wide
	}
	b.WriteByte('\n')
}

const margin = "        │ "

// named writes the name of an argument, in quotes unless it is a plain word.
func named(name string) string {
	plain := name != "" && len(name) <= 60
	for i := range len(name) {
		c := name[i]
		plain = plain && (c == '_' || c == '-' || (c >= '0' && c <= '9') || (c|0x20 >= 'a' && c|0x20 <= 'z'))
	}
	if plain {
		return name
	}
	text, _ := compact(safetext.Clip(name, 60))
	return text
}

// value writes a JSON value on one line with nothing hidden. Of a long one it
// shows both ends, the size and a digest, so that two long values that differ do
// not look the same.
func value(v any) (text string, whole bool) {
	data, err := compact(v)
	if err != nil {
		return "(a value that is no JSON)", false
	}
	if len(data) <= shownHead+shownTail {
		return data, true
	}
	tail := len(data) - shownTail
	for tail < len(data) && !utf8.RuneStart(data[tail]) {
		tail++
	}
	return fmt.Sprintf("%s ⟪%s of %s, SHA-256 %.16x…⟫ %s", safetext.Clip(data, shownHead), safetext.Size(int64(tail-shownHead)), safetext.Size(int64(len(data))), sha256.Sum256([]byte(data)), data[tail:]), false
}

func compact(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	// Joiners, selectors and wide or unbreakable blanks are invisible too, and nobody
	// misses them in an argument.
	var shown strings.Builder
	for _, r := range string(safetext.JSON([]byte(strings.TrimSpace(b.String())))) {
		if r == 0x200c || r == 0x200d || r == 0xfe0e || r == 0xfe0f || r > ' ' && unicode.Is(unicode.Zs, r) {
			fmt.Fprintf(&shown, `\u%04x`, r)
		} else {
			shown.WriteRune(r)
		}
	}
	return shown.String(), nil
}

// whole shows all arguments, each on lines of its own.
func (t *Terminal) whole(q gate.Question) string {
	var b strings.Builder
	b.WriteByte('\n')
	if q.Arguments != nil {
		for name, v := range q.Arguments.All() {
			text, err := compact(v)
			if err != nil {
				text = "(a value that is no JSON)"
			}
			t.block(&b, "    "+named(name)+" = ", text)
			if b.Len() > shownWhole {
				return safetext.Clip(b.String(), shownWhole) + "\n    … the rest is not shown: it is too long for a terminal\n"
			}
		}
	}
	return b.String()
}
