package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"praxis/event"
	"praxis/internal/agent/grounding"
	"praxis/internal/safetext"
)

// Bounds of an answer that code gave.
const (
	maxGivenText  = 2 << 20 // bytes, as it comes from the guest
	maxGivenParts = 20
	maxShownRows  = 50  // of a table, in the text
	maxShownCell  = 200 // characters
)

// given is the answer that code gave: the values of one call, from first to last.
type given struct {
	Parts []givenPart `json:"parts"`
}

// givenPart is one value. One of the fields is set.
type givenPart struct {
	Text    *string         `json:"text"`
	Value   json.RawMessage `json:"value"`
	Table   *givenTable     `json:"table"`
	Picture *string         `json:"picture"` // the path of its file; "": there is none
}

// givenTable is a data frame.
type givenTable struct {
	Columns []string            `json:"columns"`
	Rows    [][]json.RawMessage `json:"rows"`
	File    string              `json:"file"` // with all of its rows; "": there is none
}

// givenBy returns the answer that an execution gave, the last one. The bytes are the guest's.
func givenBy(x event.Execution) (g given, ok bool, err error) {
	for _, d := range x.Displays {
		if text := d[event.AnswerMIME]; text != "" {
			g, err = decodeGiven(text)
			ok = true
		}
	}
	return g, ok, err
}

// decodeGiven reads an answer that code gave.
func decodeGiven(text string) (given, error) {
	if len(text) > maxGivenText {
		return given{}, fmt.Errorf("it is %d bytes long, and the bound is %d", len(text), maxGivenText)
	}
	if deep(text) {
		return given{}, errTooDeep
	}
	var g given
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		return given{}, errors.New("it cannot be read")
	}
	if len(g.Parts) == 0 || len(g.Parts) > maxGivenParts {
		return given{}, fmt.Errorf("it has %d parts, and 1 to %d can be shown", len(g.Parts), maxGivenParts)
	}
	data := 0
	for i, p := range g.Parts {
		set := 0
		for _, is := range []bool{p.Text != nil, p.Value != nil, p.Table != nil, p.Picture != nil} {
			if is {
				set++
			}
		}
		if p.Value != nil || p.Table != nil {
			data++
		}
		if set != 1 || data > 1 {
			return given{}, fmt.Errorf("part %d is not one value", i+1)
		}
		var err error
		switch {
		case p.Value != nil:
			g.Parts[i].Value, err = canonical(p.Value)
		case p.Table != nil:
			err = p.Table.canonical()
		}
		if err != nil {
			return given{}, err
		}
	}
	return g, nil
}

// canonical writes the values of a table as they are checked, traced and shown.
func (t *givenTable) canonical() error {
	names := map[string]bool{}
	for _, c := range t.Columns {
		if names[c] {
			return fmt.Errorf("the table has the column %s twice", safetext.Quote(safetext.OneLine(c, 100)))
		}
		names[c] = true
	}
	for _, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return errors.New("a row of the table has not as many values as there are columns")
		}
		for i, cell := range row {
			var err error
			if row[i], err = canonical(cell); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutGiven is an execution without the answers that its code gave, and without what else
// it has for the host: that is no output that vouches for figures.
func withoutGiven(x event.Execution) event.Execution {
	var rest []event.Bundle
	for _, d := range x.Displays {
		if !d.ForHost() {
			rest = append(rest, d)
		}
	}
	x.Displays = rest
	return x
}

// compose puts the parts of an answer together. typed is what the code has in its texts:
// figures of it do not count as computed.
func (g given) compose(typed string, s *grounding.Sources) (final, error) {
	var out final
	var texts []grounding.Value
	for _, p := range g.Parts {
		text, rest := "", ""
		switch {
		case p.Text != nil:
			text = *p.Text
		case p.Picture != nil:
			text = path.Base(*p.Picture)
			out.files = appendPath(out.files, *p.Picture)
			if *p.Picture == "" {
				text = "(a picture)"
			}
		case p.Table != nil:
			value, err := p.Table.value()
			if err != nil {
				return final{}, err
			}
			text, out.value = p.Table.markdown(), value
			rest = p.Table.rest()
			out.files = appendPath(out.files, p.Table.File)
		default:
			text, out.value = jsonText(p.Value), p.Value
		}
		texts = append(texts, grounding.Value{Text: strings.ToValidUTF8(text, "\uFFFD"), Computed: true, Typed: typed, Rest: strings.ToValidUTF8(rest, "\uFFFD")})
	}
	filled := grounding.Given(texts, "answer(…)", s)
	out.text, out.figures = shorten(filled.Text, maxAnswer, ""), filled.Figures
	return out, nil
}

func appendPath(list []string, p string) []string {
	if p == "" || len(p) > 1000 {
		return list
	}
	return append(list, p)
}

// maxDepth is how deep the lists and objects of a value may lie in each other: indented,
// a deep one would be as long as the square of its depth.
const maxDepth = 100

var errTooDeep = fmt.Errorf("its lists and objects lie more than %d deep in each other", maxDepth)

// deep says that brackets lie too deep in each other, those in texts left out.
func deep(text string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

// jsonText is a JSON value for people: a text without its quotes, data indented.
func jsonText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && !bytes.Equal(value, []byte("null")) {
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, value, "", "  ") != nil {
		return string(value)
	}
	return b.String()
}

// value is the table as a list of objects, with the columns in their order.
func (t givenTable) value() (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, row := range t.Rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('{')
		for j, cell := range row {
			if j > 0 {
				b.WriteByte(',')
			}
			name, err := event.Encode(t.Columns[j])
			if err != nil {
				return nil, err
			}
			b.Write(name)
			b.WriteByte(':')
			b.Write(cell)
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// markdown shows the first rows of the table.
func (t givenTable) markdown() string {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(safetext.OneLine(c, maxShownCell), "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Columns)
	b.WriteString(strings.Repeat("| --- ", len(t.Columns)) + "|\n")
	for _, row := range t.Rows[:min(len(t.Rows), maxShownRows)] {
		cells := make([]string, len(row))
		for i, cell := range row {
			if !bytes.Equal(cell, []byte("null")) {
				cells[i] = jsonText(cell)
			}
		}
		line(cells)
	}
	if more := len(t.Rows) - maxShownRows; more > 0 {
		b.WriteString("\n… " + strconv.Itoa(more) + " more rows")
	}
	if t.File != "" {
		b.WriteString("\n" + path.Base(t.File))
	}
	return strings.TrimRight(b.String(), "\n")
}

// rest is what markdown does not show of the table: the rows behind the first ones, and the
// whole of cells that it cuts.
func (t givenTable) rest() string {
	var b strings.Builder
	for i, row := range t.Rows {
		for _, cell := range row {
			if text := jsonText(cell); i >= maxShownRows || utf8.RuneCountInString(text) > maxShownCell {
				b.WriteString(text + "\n")
			}
		}
	}
	return b.String()
}

// decodeValue reads the one JSON value that an answer's text is, within a fence or not.
func decodeValue(text string) (json.RawMessage, error) {
	text = grounding.Unfenced(text)
	if deep(text) {
		return nil, errTooDeep
	}
	d := json.NewDecoder(strings.NewReader(text))
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			line := 1 + strings.Count(text[:min(int(syntax.Offset), len(text))], "\n")
			return nil, fmt.Errorf("%w, in line %d", err, line)
		}
		return nil, errors.New("it ends too early")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text behind the value")
	}
	return canonical(value)
}

// names are the variables of a check: the answer and its figures.
func (f final) names() map[string]any {
	figures := make([]map[string]any, 0, len(f.figures))
	for _, g := range f.figures {
		figures = append(figures, map[string]any{"text": g.Text, "source": g.Source, "expression": g.Expression})
	}
	text := strings.ReplaceAll(f.text, grounding.Mark, "")
	out := map[string]any{"answer": text, "text": text, "figures": figures}
	if f.value != nil {
		out["answer"] = f.value
	}
	return out
}
