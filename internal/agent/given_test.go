package agent

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/agent/grounding"
)

// TestTableRest traces all of a table, of which the text shows the first rows and the
// beginning of cells.
func TestTableRest(t *testing.T) {
	table := givenTable{Columns: []string{"n", "text"}}
	for i := range 2000 {
		text := strings.Repeat("a ", 150) + "1234"
		switch i {
		case 3:
			text += "5678"
		case 1999:
			text = "4711"
		}
		table.Rows = append(table.Rows, []json.RawMessage{json.RawMessage(strconv.Itoa(10_000 + i)), json.RawMessage(strconv.Quote(text))})
	}
	out, err := given{Parts: []givenPart{{Table: &table}}}.compose("4711 and 12345678", &grounding.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	var untraced []string
	for _, f := range event.Untraced(out.figures) {
		untraced = append(untraced, f.Text)
	}
	if got := strings.Join(untraced, " "); got != "12345678 4711" {
		t.Errorf("untraced: %s", got)
	}
	if !strings.Contains(out.text, "1950 more rows") {
		t.Errorf("the text does not say what it leaves out: %s", out.text[len(out.text)-100:])
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
		if len(out.figures) > 3000 {
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

// TestTypedWords traces a number in words that stands in the texts of the code.
func TestTypedWords(t *testing.T) {
	text := "It is three million, or 4 of 7."
	out, err := given{Parts: []givenPart{{Text: &text}}}.compose("It is three million, or \n of 7.", &grounding.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "It is three million (unverified), or 4 of 7 (unverified)."; out.text != want {
		t.Errorf("got %q, want %q", out.text, want)
	}
}
