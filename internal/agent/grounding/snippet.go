package grounding

import (
	"encoding/json"
	"errors"

	"praxis/internal/language"
)

// Value is what a placeholder stands for.
type Value struct {
	Text     string
	Computed bool   // more than what was typed
	Typed    string // the digits that the expression has in its texts and formats, with what stands around them
}

// UnmarshalJSON reads a text, a truth and, where there is one, what was typed.
func (v *Value) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	if len(parts) < 2 || len(parts) > 3 {
		return errors.New("not a text and a truth")
	}
	err := errors.Join(json.Unmarshal(parts[0], &v.Text), json.Unmarshal(parts[1], &v.Computed))
	if len(parts) == 3 {
		err = errors.Join(err, json.Unmarshal(parts[2], &v.Typed))
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

// Given traces the figures of values that code gave as its answer, which stand below each
// other: each is computed where it was not typed. expression says what gave them.
func Given(values []Value, expression string, s *Sources) Filled {
	var t Template
	for i := range values {
		if i > 0 {
			t.parts = append(t.parts, part{text: "\n\n", slot: -1})
		}
		t.parts = append(t.parts, part{text: expression, slot: i})
	}
	return t.fill(values, true, s)
}

// piece is a stretch of a value.
type piece struct {
	text     string
	computed bool
}

// pieces splits a value into what was computed and what was typed; each says that every
// figure is one of its own, and not the whole value.
func (v Value) pieces(each bool) []piece {
	if !v.Computed || v.Typed == "" && !each {
		return []piece{{v.Text, v.Computed}}
	}
	var typed index
	typed.add(Origin{In: InQuestion}, v.Typed)
	var out []piece
	at, any := 0, false
	for _, f := range figures(v.Text) {
		if f.start < at {
			continue
		}
		if f.start > at {
			out = append(out, piece{text: v.Text[at:f.start]})
		}
		known := typed.find(f) != nil
		any = any || known
		out = append(out, piece{v.Text[f.start:f.end], !known})
		at = f.end
	}
	if !any && !each {
		return []piece{{v.Text, true}}
	}
	return append(out, piece{text: v.Text[at:]})
}
