package grounding

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

//go:embed figures.py
var figuresPython string

// Snippet returns Python code whose value is a JSON list with the text of each
// placeholder and whether it was computed. It leaves no name in the session.
func Snippet(placeholders ...string) string {
	var b strings.Builder
	b.WriteString(figuresPython)
	b.WriteString("__figures__(\n")
	for _, p := range placeholders {
		f := split(p)
		fmt.Fprintf(&b, "    (%s, %s, %s),\n", pyQuote(f.expression), pyQuote(f.conversion), pyQuote(f.spec))
	}
	b.WriteString(")")
	return b.String()
}

// pyQuote writes a text as a Python literal. Go's escapes mean the same there.
func pyQuote(s string) string {
	q := strconv.Quote(strings.ToValidUTF8(s, "\uFFFD"))
	if strings.Contains(s, `"`) && !strings.ContainsAny(s, `'\`) && q == `"`+strings.ReplaceAll(s, `"`, `\"`)+`"` {
		return "'" + s + "'"
	}
	return q
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

// Values reads the value of a snippet: the repr of a JSON list of n pairs.
func Values(repr string, n int) ([]Value, error) {
	repr = strings.TrimSpace(repr)
	if len(repr) < 2 || repr[0] != '\'' && repr[0] != '"' || repr[len(repr)-1] != repr[0] {
		return nil, invalid("its values could not be read back")
	}
	// JSON in ASCII holds no control character, so repr escapes two characters only.
	var b strings.Builder
	escaped := false
	for _, r := range repr[1 : len(repr)-1] {
		if r == '\\' && !escaped {
			escaped = true
			continue
		}
		escaped = false
		b.WriteRune(r)
	}
	var out []Value
	if err := json.Unmarshal([]byte(b.String()), &out); err != nil || len(out) != n {
		return nil, invalid("its values could not be read back")
	}
	return out, nil
}
