// Package notebook reads Jupyter notebooks, version 4 of their format, and writes into
// them what came of their cells.
//
// A notebook is a person's file under version control: a program that reads it as JSON and
// writes it anew changes the order of keys, numbers and escapes all over it. Here the
// places of outputs are found in the text, and everything around them stays as it is, to
// the byte.
package notebook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/language"
	"praxis/internal/safetext"
)

// Extension is the ending of the files that notebooks are in.
const Extension = ".ipynb"

// againInJupyter is what to do about a file that Jupyter would not have written.
const againInJupyter = "Open it in Jupyter and save it again."

// Notebook is a notebook whose cells of code can be run.
type Notebook struct {
	// Language is the one that the notebook is in, by its name.
	Language string

	data  []byte
	cells []cell
}

// cell is a cell of code that is not blank.
type cell struct {
	lang    string // of the code
	code    string
	members map[string]part
	from    int // where the cell begins
	first   int // where its first key begins
}

// Parse reads a notebook whose code is in one of the languages, the first if it does not
// say which. A cell that begins with %% and the name of another one, such as %%sql, is in
// that. The error is a fault: it is none, or cannot be run.
func Parse(data []byte, langs language.Table) (*Notebook, error) {
	if !utf8.Valid(data) {
		return nil, wrong("Save it as UTF-8.", "it is not UTF-8 text")
	}
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		at := ""
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			at = " (line " + strconv.Itoa(1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))) + ")"
		}
		return nil, wrong(againInJupyter, "it is not valid JSON%s", at)
	}
	d := document(data)
	file, ok := d.object(d.whole())
	if !ok {
		return nil, wrong(againInJupyter, "it is no JSON object, or has a key twice")
	}
	if major := d.raw(file["nbformat"]); major != "4" {
		return nil, wrong("Save it in version 4 of the format, which Jupyter has written since 2015.",
			"it is in version %s of the format, not 4", safetext.Clip(safetext.Line(cmp.Or(major, "?")), 20))
	}
	l, err := d.language(file["metadata"], langs)
	if err != nil {
		return nil, err
	}
	cells, ok := d.array(file["cells"])
	if !ok {
		return nil, wrong(againInJupyter, "it has no list of cells")
	}
	n := &Notebook{Language: l.Name, data: data}
	for i, c := range cells {
		if err := n.add(i+1, c, l, langs); err != nil {
			return nil, err
		}
	}
	if len(n.cells) == 0 {
		return nil, wrong("Write some, or name another notebook.", "it has no code")
	}
	return n, nil
}

func wrong(remedy, format string, args ...any) error {
	return fault.New(fault.Invalid, remedy, format, args...)
}

// language finds the language that a notebook says it is in.
func (d document) language(metadata part, langs language.Table) (language.Language, error) {
	about, _ := d.object(metadata)
	out, said := langs.Named(""), false
	for _, at := range [...][2]string{{"language_info", "name"}, {"kernelspec", "language"}} {
		spec, _ := d.object(about[at[0]])
		name, _ := d.text(spec[at[1]])
		if name == "" {
			continue
		}
		l, ok := langs.Called(strings.ToLower(name))
		if !ok || said && l.Name != out.Name {
			var known []string
			for _, l := range langs {
				known = append(known, l.Display)
			}
			return l, wrong("Sessions run "+strings.Join(known, ", ")+".", "its code is in %s", safetext.Clip(safetext.Line(name), 40))
		}
		out, said = l, true
	}
	return out, nil
}

// other finds the language that a cell says it is in, and its code without the line that
// says so: %%sql, %%bash.
func other(source string, main language.Language, langs language.Table) (l language.Language, code string, ok bool) {
	first, rest, _ := strings.Cut(source, "\n")
	name, ok := strings.CutPrefix(strings.TrimSpace(first), "%%")
	if !ok {
		return l, "", false
	}
	l, ok = langs.Called(strings.ToLower(name))
	return l, rest, ok && l.Name != main.Name
}

// add takes in the i-th cell.
func (n *Notebook) add(i int, at part, l language.Language, langs language.Table) error {
	d := document(n.data)
	members, ok := d.object(at)
	if !ok {
		return wrong(againInJupyter, "cell %d is no JSON object, or has a key twice", i)
	}
	kind, typed := d.text(members["cell_type"])
	source, ok := d.lines(members["source"])
	if !typed || !ok {
		return wrong(againInJupyter, "cell %d has no type or no source", i)
	}
	if kind != "code" {
		return nil
	}
	if o, code, ok := other(source, l, langs); ok {
		l, source = o, code
	} else if l.Cell != nil {
		code, line, command := l.Cell(source)
		if line > 0 {
			return wrong("Take it out, or write it in "+l.Display+". Packages are added to the session instead.",
				"cell %d, line %d: %q is a command of a notebook, not %s", i, line, safetext.Clip(command, 60), l.Display)
		}
		source = code
	}
	if strings.TrimSpace(source) != "" {
		n.cells = append(n.cells, cell{lang: l.Name, code: source, members: members, from: at.from, first: d.space(at.from + 1)})
	}
	return nil
}

// Code returns the code of the cells that are to be run, in their order.
func (n *Notebook) Code() []string {
	var out []string
	for _, c := range n.cells {
		out = append(out, c.code)
	}
	return out
}

// Languages returns the languages of the same cells.
func (n *Notebook) Languages() []string {
	var out []string
	for _, c := range n.cells {
		out = append(out, c.lang)
	}
	return out
}

// With returns the notebook with the outputs of its first cells of code, which were run in
// their order. All else, also of cells that were not run, is as it was.
func (n *Notebook) With(outputs [][]any) ([]byte, error) {
	var edits []edit
	for i, list := range outputs {
		if i == len(n.cells) {
			return nil, fmt.Errorf("cannot write outputs: there are more than cells")
		}
		if list == nil {
			list = []any{}
		}
		c := n.cells[i]
		for _, set := range [...]struct {
			key   string
			value any
		}{{"execution_count", i + 1}, {"outputs", list}} {
			e, err := n.set(c, set.key, set.value)
			if err != nil {
				return nil, err
			}
			edits = append(edits, e)
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		b.Write(n.data[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.Write(n.data[at:])
	return b.Bytes(), nil
}

// edit puts a text in the place of a part of the file.
type edit struct {
	from, to int
	text     string
}

// set gives a member of a cell its value. It is added when the cell has none.
func (n *Notebook) set(c cell, key string, value any) (edit, error) {
	m, has := c.members[key]
	if !has {
		m.key = c.first
	}
	text, err := n.encode(value, m.key)
	switch {
	case err != nil:
		return edit{}, err
	case has:
		return edit{m.from, m.to, text}, nil
	}
	return edit{c.first, c.first, strconv.Quote(key) + ": " + text + "," + string(n.data[c.from+1:c.first])}, nil
}

// encode writes the value of the key at a place as the file around it is written: on lines
// that stand in as the key does, or on one line.
func (n *Notebook) encode(value any, key int) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	line := 1 + bytes.LastIndexByte(n.data[:key], '\n')
	if before := string(n.data[line:key]); line > 0 && strings.Trim(before, " \t") == "" {
		step := before[:len(before)/3] // a key of a cell stands in three steps
		enc.SetIndent(before, cmp.Or(step, " "))
	}
	if err := enc.Encode(value); err != nil {
		return "", fmt.Errorf("cannot write outputs: %w", err)
	}
	return strings.TrimSuffix(string(safetext.JSON(b.Bytes())), "\n"), nil
}
