package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/agent/grounding"
)

// escapedAtRandom writes a JSON text with some of its characters as escapes.
func escapedAtRandom(text string, random *rand.Rand) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < 0x10000 && random.Intn(2) == 0:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// TestEscapes writes texts with invented figures in JSON, with random escapes: what is
// traced, shown and stored is the decoded value, whichever way the answer takes.
func TestEscapes(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for n := range 200 {
		figure := strconv.Itoa(1000 + random.Intn(9000))
		text := []string{"It is " + figure + " €.", "a\n" + figure, figure, "\t" + figure + "\\", "\"" + figure + "\" ö 中"}[n%5]
		name := escapedAtRandom("n\nam"+strconv.Itoa(n%7), random)
		doc := "{" + name + ": [" + escapedAtRandom(text, random) + "]}"
		for way, fill := range map[string]func() (final, error){
			"text": func() (final, error) {
				tpl, err := grounding.Parse(doc)
				if err != nil {
					return final{}, err
				}
				filled, err := tpl.Fill(nil, &grounding.Sources{})
				return final{text: filled.Text, figures: filled.Figures}, err
			},
			"fenced": func() (final, error) {
				tpl, err := grounding.Parse("```json\n" + doc + "\n```")
				if err != nil {
					return final{}, err
				}
				filled, err := tpl.Fill(nil, &grounding.Sources{})
				return final{text: filled.Text, figures: filled.Figures}, err
			},
			"code": func() (final, error) {
				g, err := decodeGiven(`{"parts":[{"text":"All:"},{"value":` + doc + `}]}`)
				if err != nil {
					return final{}, err
				}
				return g.compose(figure, &grounding.Sources{})
			},
		} {
			f, err := fill()
			if err != nil {
				t.Fatalf("%s: %s: %v", way, doc, err)
			}
			if got := event.Untraced(f.figures); len(got) == 0 || got[len(got)-1].Text != figure && got[len(got)-1].Text != figure+" €" {
				t.Errorf("%s: %s: untraced are %+v, want %s", way, doc, got, figure)
			}
			if !strings.Contains(f.text, figure) {
				t.Errorf("%s: %s is shown as %s, without %s", way, doc, f.text, figure)
			}
			if f.value == nil {
				f.value = underSchema(t, f)
			}
			var want, got any
			if json.Unmarshal([]byte(doc), &want) != nil || json.Unmarshal(f.value, &got) != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the value of %s is %s", way, doc, f.value)
			}
			if !bytes.Contains(f.value, []byte(figure)) {
				t.Errorf("%s: %s is stored as %s", way, doc, f.value)
			}
		}
	}
}

// underSchema is the value of an answer's text under a schema.
func underSchema(t *testing.T, f final) json.RawMessage {
	t.Helper()
	value, err := decodeValue(strings.ReplaceAll(f.text, grounding.Mark, ""))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestNamesTwice refuses what readers of JSON read in two ways.
func TestNamesTwice(t *testing.T) {
	for _, text := range []string{`{"a": 1, "a": 2}`, `[{"b": {"a": 1, "\u0061": 2}}]`, "```json\n{\"a\":1,\"a\":1}\n```"} {
		if value, err := decodeValue(text); err == nil || !strings.Contains(err.Error(), `the name "a" twice`) {
			t.Errorf("%s: got %s, %v", text, value, err)
		}
	}
	for _, parts := range []string{
		`{"value":{"a":1,"a":2}}`, `{"table":{"columns":["a","a"],"rows":[[1,2]]}}`, `{"table":{"columns":["a"],"rows":[[{"a":1,"a":2}]]}}`,
	} {
		if _, err := decodeGiven(`{"parts":[` + parts + `]}`); err == nil || !strings.Contains(err.Error(), " twice") {
			t.Errorf("%s: error = %v", parts, err)
		}
	}
}
