package agent

import (
	"bytes"
	"encoding/json"
	"fmt"

	"praxis/event"
	"praxis/internal/safetext"
)

// canonical writes a JSON value in the one way in which it is checked, traced, shown and
// stored: without escapes that it does not need. An object that has a name twice is refused,
// as readers differ on which of the two counts.
func canonical(value []byte) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var b bytes.Buffer
	if err := rewrite(&b, d); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// rewrite copies the next value, whose depth is bounded.
func rewrite(b *bytes.Buffer, d *json.Decoder) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	open, is := t.(json.Delim)
	if !is {
		return writeJSON(b, t)
	}
	b.WriteRune(rune(open))
	names := map[string]bool{}
	for first := true; d.More(); first = false {
		if !first {
			b.WriteByte(',')
		}
		if open == '{' {
			if t, err = d.Token(); err != nil {
				return err
			}
			name, _ := t.(string) // the decoder lets nothing else stand there
			if names[name] {
				return fmt.Errorf("an object has the name %s twice", safetext.Quote(safetext.OneLine(name, 100)))
			}
			names[name] = true
			if err := writeJSON(b, name); err != nil {
				return err
			}
			b.WriteByte(':')
		}
		if err := rewrite(b, d); err != nil {
			return err
		}
	}
	if t, err = d.Token(); err != nil {
		return err
	}
	closing, _ := t.(json.Delim)
	b.WriteRune(rune(closing))
	return nil
}

func writeJSON(b *bytes.Buffer, v any) error {
	text, err := event.Encode(v)
	b.Write(text)
	return err
}
