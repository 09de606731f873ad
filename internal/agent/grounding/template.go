// Package grounding ties the figures of an answer to what was computed.
//
// # Placeholders
//
// A final answer holds placeholders, {{ expression }}, {{ expression!r }} or
// {{ expression:.2f }}: whatever may stand between the braces of an f-string of Python's,
// nested ones and formats with expressions in them too. [Parse] splits the answer at
// brackets and quotes, the code of language.Model.Fill has the language's own parser read the
// placeholders and evaluates them in the sandbox, [Values] reads the result, and
// [Template.Fill] puts the values in. \{{ stands for two braces.
//
// What the model types is no computed figure, so a placeholder must not bring typed
// text into the answer: its brackets and quotes must balance, and it reaches the kernel as
// quoted text that must be one expression. The kernel says of each value whether it was
// computed at all and which digits the expression has in its texts and formats. A value
// such as that of {{ 42 }} or {{ {'a': '42'}['a'] }} is treated as if it stood in the text,
// and so are those figures of a computed one that were typed, as the 7 of
// {{ f"{total} of 7" }}; arithmetic on numbers computes.
//
// # Figures
//
// Every other figure of the answer is traced: it must be found, at the precision
// at which the answer gives it, among the outputs of the run or in the
// question. [Sources] holds what was seen, [Sources.Trace] looks a text up. Rules:
//
//   - 1,234.5 and 1 234,5 and 1.234,5 and 1'234.5 are one number, in the digits of any
//     script, and so are "three million", 2½ and 10⁶; a lone "one" is none;
//   - scale counts: 12.5 % is found as 0.125, as 12.5 of 1 or more, or as 12.5 where percentages
//     are spoken of; 1.2k as 1200, and as 1.2 where thousands are spoken of;
//   - a prefix of a unit is a scale, too: 18.25 kg are 18250 g, and 31 cents 0.31 €; miles are no
//     kilometres;
//   - units count in both directions where both are written: 15 % and €15 are not "15 units",
//     but a number that stands alone, as in a column, may have any;
//   - what is no data is no source: the lines of a traceback, names of files, versions but
//     for themselves, the index of a data frame, parts of dates, numbers of lists;
//   - a figure without a sign is found with either sign ("fell by 3"); one with
//     a minus only with it;
//   - after "about" and the like, in many languages, zeros at the end of a whole number are no
//     digits;
//   - "doubled", "a third of" and the like are found as a ratio, a percentage, or as two
//     figures of their sentence, in the order of "from 120 to 241"; "the three regions" also as what is listed;
//   - the first number of a range has the unit and the scale of the second, a cell of a
//     table those of its header;
//   - dates and times of day are compared as such, whatever their format;
//   - amounts that letters touch are figures (USD4711, 47m2, 2h45, 1920x1080);
//   - names are none: Q3, CO2, UTF-8, file names, addresses, ordinals, code that is shown,
//     the numbers of a list, and the number after words such as "step" or "table".
//
// A figure that was found has its [event.Match], one that was not what is nearest, and the
// mark [Mark] in the text.
//
// What this shows is that a figure was shown by code, not that the code was
// right. What code only typed into its output is no source (package literal); the match says
// so when the number stands in the code as a parameter. What a model replied to code is its words
// (replied.go), and no source either.
//
// The answers below testdata measure what these rules catch.
package grounding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// Bounds of a template.
const (
	MaxPlaceholders = 64
	maxExpression   = 2000
	MaxValue        = 8000 // characters of one rendered value
)

const usage = "Write placeholders as {{ expression }} or {{ expression:.2f }} with names that exist in the session."

// The sources of a figure, as event.Figure names them.
const (
	Computed   = "computed"
	Output     = "output"
	Question   = "question"
	Unverified = event.UntracedSource
)

// singleRE is a format string's field with one brace: a slip.
var singleRE = lazyregexp.New(`(?:^|[^{\\])(\{[A-Za-z_][^{}\n]*:[<>=^+ ,]*[0-9]*,?(?:\.[0-9]+)?[dfFeEgGn%]\})`)

// Template is an answer with its placeholders.
type Template struct {
	parts       []part
	expressions []string // distinct, in order
}

type part struct {
	text string // literal text, or the expression
	slot int    // index into expressions; -1: literal text
}

// Parse splits an answer. A placeholder that cannot be read is a fault.Invalid.
func Parse(answer string) (Template, error) {
	var t Template
	if m := singleRE.FindStringSubmatch(answer); m != nil {
		return Template{}, invalid("%s has single braces", safetext.Quote(m[1]))
	}
	seen := map[string]int{}
	var literal strings.Builder
	for answer != "" {
		i := strings.Index(answer, "{{")
		if i < 0 {
			literal.WriteString(answer)
			break
		}
		if i > 0 && answer[i-1] == '\\' {
			literal.WriteString(answer[:i-1] + "{{")
			answer = answer[i+2:]
			continue
		}
		literal.WriteString(answer[:i])
		n, err := scanField(answer[i+2:])
		if err != nil {
			return Template{}, err
		}
		expr := strings.TrimSpace(answer[i+2 : i+2+n])
		answer = answer[i+2+n+2:]
		switch {
		case expr == "":
			return Template{}, invalid("a placeholder is empty")
		case len(expr) > maxExpression:
			return Template{}, invalid("the placeholder %s is longer than %d bytes", safetext.Quote(expr), maxExpression)
		}
		slot, ok := seen[expr]
		if !ok {
			slot = len(t.expressions)
			seen[expr] = slot
			t.expressions = append(t.expressions, expr)
		}
		if slot >= MaxPlaceholders {
			return Template{}, invalid("it holds more than %d placeholders", MaxPlaceholders)
		}
		t.parts = append(t.parts, part{text: literal.String(), slot: -1}, part{text: expr, slot: slot})
		literal.Reset()
	}
	t.parts = append(t.parts, part{text: literal.String(), slot: -1})
	return t, nil
}

func invalid(format string, args ...any) error {
	return fault.New(fault.Invalid, usage, "cannot fill in the placeholders: %s", fmt.Sprintf(format, args...))
}

// Expressions returns the distinct placeholders, without braces.
func (t Template) Expressions() []string { return t.expressions }

// mask stands for a computed value while the rest of the text is read. It
// is not a letter, a digit or a blank.
const mask = '\uFFFC'

// Filled is an answer with its values.
type Filled struct {
	Text    string
	Figures []event.Figure // in the order of the text
}

// Fill puts the values of the expressions in and traces every other figure.
func (t Template) Fill(values []Value, s *Sources) (Filled, error) {
	if len(values) != len(t.expressions) {
		return Filled{}, invalid("%d values for %d placeholders", len(values), len(t.expressions))
	}
	for i, v := range values {
		if n := len([]rune(v.Text)); n > MaxValue {
			return Filled{}, invalid("the value of %s is %d characters long, and the bound is %d", safetext.Quote(t.expressions[i]), n, MaxValue)
		}
	}
	for i, e := range t.expressions {
		values[i].repeats = s.repeats(e)
	}
	return t.fill(values, 0, s), nil
}

// fill is Fill. With most, figures of values are listed one by one, up to so many.
func (t Template) fill(values []Value, most int, s *Sources) Filled {
	var left *int
	if most > 0 {
		left = &most
	}
	var masked, read strings.Builder // read is masked without the escapes of values that are JSON
	var computed []event.Figure
	for _, p := range t.parts {
		json := p.slot >= 0 && escaped(values[p.slot].Text)
		pieces := []piece{{text: p.text}}
		if p.slot >= 0 {
			pieces = values[p.slot].pieces(left, s)
		}
		for _, piece := range pieces {
			if !piece.computed {
				text := strings.ReplaceAll(piece.text, string(mask), " ")
				masked.WriteString(text)
				if json {
					text = hide(text, escapeRE)
				}
				read.WriteString(text)
				continue
			}
			masked.WriteRune(mask)
			read.WriteRune(mask)
			if piece.unlisted {
				computed = append(computed, event.Figure{Text: piece.text})
				continue
			}
			computed = append(computed, event.Figure{Text: piece.text, Expression: p.text, Source: Computed})
			s.AddComputed(piece.text)
		}
	}
	if text := masked.String(); escaped(put(text, computed)) {
		text = unescaped(text)
		return fill(text, hide(text, escapeRE), computed, s)
	}
	return fill(masked.String(), read.String(), computed, s)
}

// fill traces the figures of a text, marks those that are found nowhere, and puts the
// computed values in where the masks stand. read is the text without escapes.
func fill(masked, read string, computed []event.Figure, s *Sources) Filled {
	all := figuresOf(masked, read)
	at := 0
	for i := range computed {
		at += strings.IndexRune(masked[at:], mask)
		f := figure{start: at, end: at + len(string(mask)), computed: &computed[i]}
		if len(f.computed.Text) > maxPrinted {
		} else if of := scan(f.computed.Text, f.computed.Text, false); len(of) > 0 {
			f.readings = of[0].readings
		}
		all = append(all, f)
		at = f.end
	}
	slices.SortStableFunc(all, func(a, b figure) int { return a.start - b.start })
	found := s.traceAll(read, all)
	text := put(masked, computed)
	if !document(text) {
		text = put(mark(masked, all, found), computed)
	}
	return Filled{Text: text, Figures: found}
}

// put replaces each mask by its value.
func put(masked string, computed []event.Figure) string {
	var b strings.Builder
	for i, part := range strings.Split(masked, string(mask)) {
		if i > 0 {
			b.WriteString(computed[i-1].Text)
		}
		b.WriteString(part)
	}
	return b.String()
}

// Mark stands in an answer behind every figure that is found nowhere.
const Mark = " (unverified)"

func mark(text string, all []figure, found []event.Figure) string {
	var b strings.Builder
	at := 0
	for i, f := range all {
		if found[i].Untraced() {
			b.WriteString(text[at:f.end] + Mark)
			at = f.end
		}
	}
	return b.String() + text[at:]
}

// document says that a text is a JSON object or list. It could not be read any more
// with marks in it: its figures say what is unverified.
func document(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && strings.Contains("{[", text[:1]) && json.Valid([]byte(text))
}

// maxListed bounds the figures that a list names.
const maxListed = 100

// List writes figures one after the other, each with what is nearest to it.
func List(figures []event.Figure) string {
	var out []string
	for _, f := range figures[:min(len(figures), maxListed)] {
		text := fmt.Sprintf("%q", safetext.OneLine(f.Text, 100))
		if f.Typed > 0 {
			text += fmt.Sprintf(": typed in the code of step %d, and not computed", f.Typed)
		} else if f.Said != "" {
			text += ": from a model's reply (" + f.Said + "), and not computed"
		} else if n := f.Nearest; n != nil {
			text += ": nearest is " + safetext.OneLine(n.Text, 100) + ", " + n.Place()
		}
		out = append(out, text)
	}
	text := strings.Join(out, "; ")
	if n := len(figures); n > maxListed {
		text += fmt.Sprintf("; and %d more", n-maxListed)
	}
	return text
}
