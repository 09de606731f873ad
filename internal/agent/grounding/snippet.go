package grounding

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"praxis/event"
	"praxis/internal/language"
)

// Value is what a placeholder stands for.
type Value struct {
	Text     string
	Computed bool   // more than what was typed
	Typed    string // what the expression has in its texts and formats, and the numbers that its value may be
	Operands string // the literals of an expression that reads nothing else, a line each
	Rest     string // of a value that code gave: what is stored and not shown
	repeats  bool   // it may be what a model replied to code
}

// UnmarshalJSON reads a text, a truth and, where they are, what was typed and the operands.
func (v *Value) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	if len(parts) < 2 || len(parts) > 4 {
		return errors.New("not a text and a truth")
	}
	err := errors.Join(json.Unmarshal(parts[0], &v.Text), json.Unmarshal(parts[1], &v.Computed))
	for i, to := range []*string{&v.Typed, &v.Operands} {
		if len(parts) > 2+i {
			err = errors.Join(err, json.Unmarshal(parts[2+i], to))
		}
	}
	return err
}

// Values reads what the code of n placeholders (language.Model.Fill) had as its value, a
// JSON list, as the language's kernel shows it.
func Values(l language.Language, shown string, n int) ([]Value, error) {
	list, ok := l.Model.Filled(shown)
	var out []Value
	if !ok || json.Unmarshal([]byte(list), &out) != nil || len(out) != n {
		return nil, invalid("its values could not be read back")
	}
	return out, nil
}

// maxGiven bounds the figures of values that code gave which are listed beside those that
// were found nowhere, and maxGivenUntraced these.
const (
	maxGiven         = 500
	maxGivenUntraced = 2000
)

// Given traces the figures of values that code gave as its answer, which stand below each
// other: each is computed where it was not typed. expression says what gave them.
func Given(values []Value, expression string, s *Sources) Filled {
	var t Template
	for i := range values {
		values[i].repeats = s.replied.some() && s.typed.code.Reached(s.typed.step)
		if i > 0 {
			t.parts = append(t.parts, part{text: "\n\n", slot: -1})
		}
		t.parts = append(t.parts, part{text: expression, slot: i})
	}
	out := t.fill(values, maxGiven, s)
	for _, v := range values {
		out.Figures = append(out.Figures, v.rest(s)...)
	}
	untraced := 0
	out.Figures = slices.DeleteFunc(out.Figures, func(f event.Figure) bool {
		if f.Untraced() {
			untraced++
			return untraced > maxGivenUntraced
		}
		return f.Source == "" // it stands for what is not listed
	})
	return out
}

// rest returns the figures of what is not shown that were typed and are found nowhere.
func (v Value) rest(s *Sources) []event.Figure {
	if v.Rest == "" {
		return nil
	}
	typed := v.typed(s)
	if typed == nil {
		return nil
	}
	var out []event.Figure
	for _, f := range figures(v.Rest) {
		if typed(v.Rest, f) {
			if t := s.trace(f); t.Untraced() {
				out = append(out, t)
			}
		}
	}
	return out
}

// typed returns what says whether a figure of the value was typed, or is a model's words; nil: none is.
func (v Value) typed(s *Sources) func(text string, f figure) bool {
	var own index
	own.add(Origin{In: InQuestion}, v.Typed)
	some := len(own.numbers)+len(own.long)+len(own.timestamps) > 0
	if !some && !s.typed.shows() && !v.repeats {
		return nil
	}
	return func(text string, f figure) bool {
		if some && own.find(f) != nil {
			return true
		}
		_, known := s.typedIn(text, f)
		return known || v.repeats && s.replied.in(text, f)
	}
}

// piece is a stretch of a value.
type piece struct {
	text     string
	computed bool
	unlisted bool // its figures are too many to be listed
}

// shows says that numbers were shown to the run, but for the small ones that stand in any
// expression: what is computed from literals alone is computed only from such.
func (s *Sources) shows(operands string) bool {
	for _, f := range scan(operands, operands, true) {
		if f.significant() && s.outputs.find(f) == nil && s.question.find(f) == nil {
			return false
		}
	}
	return true
}

// significant says that a number has more than one digit that is no zero at its ends.
func (f figure) significant() bool {
	return len(strings.Trim(strings.ReplaceAll(f.text, ".", ""), "0")) > 1
}

// pieces splits a value into what was computed and what was typed, in the placeholder or in
// code before it. With most each figure is one of its own, up to most of them, and not the
// whole value; what is left of them is counted.
func (v Value) pieces(most *int, s *Sources) []piece {
	if v.Computed = v.Computed && s.shows(v.Operands); !v.Computed {
		return []piece{{text: v.Text}}
	}
	typed := v.typed(s)
	if typed == nil && most == nil {
		return []piece{{text: v.Text, computed: true}}
	}
	read := v.Text
	if typed == nil && len(read) > maxAround*32 { // nothing but the list is made of the rest
		read = read[:strings.LastIndexAny(read[:maxAround*32], " \n\t,;")+1]
	}
	var out []piece
	at, any := 0, false
	for _, f := range figures(read) {
		known := typed != nil && typed(v.Text, f)
		any = any || known
		if f.start < at || !known && most != nil && *most == 0 {
			continue
		}
		if f.start > at {
			out = append(out, piece{text: v.Text[at:f.start], computed: most != nil && *most == 0, unlisted: true})
		}
		if most != nil && *most > 0 {
			*most--
		}
		out = append(out, piece{text: v.Text[f.start:f.end], computed: !known})
		at = f.end
	}
	if !any && most == nil {
		return []piece{{text: v.Text, computed: true}}
	}
	return append(out, piece{text: v.Text[at:], computed: most != nil && (*most == 0 || len(read) < len(v.Text)), unlisted: true})
}
