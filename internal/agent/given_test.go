package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"praxis/internal/agent/grounding"
	"praxis/internal/language/python"
)

func TestTypedIn(t *testing.T) {
	got := typedIn(python.Language(), `x = 42; answer(f"{x:.3f} of 7 and {d['8']}", "%05d of 9" % x)`)
	for digit, want := range map[string]bool{"42": false, "3": false, "7": true, "8": false, "5": false, "9": true} {
		if strings.Contains(got, digit) != want {
			t.Errorf("%s in %q: want %t", digit, got, want)
		}
	}
}

// FuzzGiven reads what a hostile guest may send as an answer.
func FuzzGiven(f *testing.F) {
	for _, s := range []string{
		`{"parts":[{"text":"a 1"},{"table":{"columns":["a","b|"],"rows":[[1,null],["x",{"y":[2]}]],"file":"/work/answer.csv"}},{"picture":"/work/a.png"}]}`,
		`{"parts":[{"value":null}]}`, `{"parts":[{"value":1e999}]}`, `{"parts":[{}]}`, `{"parts":[{"table":{"rows":[[1]]}}]}`, `{"parts":[{"picture":""}]}`, `[]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := decodeGiven(text)
		if err != nil {
			return
		}
		out, err := g.compose("7", &grounding.Sources{})
		if err != nil {
			t.Fatal(err)
		}
		if out.value != nil && !json.Valid(out.value) {
			t.Errorf("the value %q is no JSON", out.value)
		}
		if len(out.figures) > 2*maxFigures && len(out.text) < maxAnswer {
			t.Errorf("%d figures", len(out.figures))
		}
	})
}

// FuzzValue reads the JSON of an answer's text.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"1", "```json\n{\"a\": 1}\n```", "```", "{} x", "\"", "{\n\n", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if value, err := decodeValue(text); err == nil && !json.Valid(value) {
			t.Errorf("%q gave %q", text, value)
		}
	})
}
