package grounding

import (
	"encoding/json"
	"errors"

	"praxis/internal/language"
)

// Snippet returns code whose value is the text of each placeholder and whether
// it was computed, as [Values] reads it. It leaves no name in the session.
func Snippet(l language.Language, placeholders ...string) string {
	fields := make([]language.Placeholder, 0, len(placeholders))
	for _, p := range placeholders {
		f := split(p)
		fields = append(fields, language.Placeholder{Expression: f.expression, Conversion: f.conversion, Format: f.spec})
	}
	return l.Model.Fill(fields)
}

// Value is what a placeholder stands for.
type Value struct {
	Text     string
	Computed bool // more than what was typed
}

// UnmarshalJSON reads a pair of text and truth.
func (v *Value) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New("not a pair")
	}
	return errors.Join(json.Unmarshal(pair[0], &v.Text), json.Unmarshal(pair[1], &v.Computed))
}

// Values reads the value of a snippet, a JSON list of n pairs, as the language's
// kernel shows it.
func Values(l language.Language, shown string, n int) ([]Value, error) {
	list, ok := l.Model.Filled(shown)
	var out []Value
	if !ok || json.Unmarshal([]byte(list), &out) != nil || len(out) != n {
		return nil, invalid("its values could not be read back")
	}
	return out, nil
}
