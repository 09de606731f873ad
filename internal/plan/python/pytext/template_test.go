package pytext

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

func (d dice) template() string {
	var b strings.Builder
	for range d.IntN(5) + 1 {
		b.WriteString(of(d, "{", "}", "{", "}", "{}", "{}", "{0}", "{1}", "{k}", "{{", "}}", "a", "é", ":", "!", "!r", "!s", "!a", "!q", "!é",
			"[0]", "[k]", "[", "]", ".real", ".", ">5", "{0:>{1}}", "{:{}}", "{!r:>9}", "{k[0]}", "{k[-1]}", "{k.x}", "{:{k}}", "{:{:{}}}", "{0[1].real}",
			"٣", "{99999999999999999999}", "{k[99999999999999999999]}", "{k[0]x}", "{k[]}", "{k.}", "{k!\x7f}", "{:{{}}}"))
	}
	return b.String()
}

// showRaw shows the fields of a template as _string.formatter_parser gives them.
func showRaw(template string) (string, error) {
	var parts []string
	for template != "" {
		f, rest, err := NextField(template)
		if err != nil {
			return "", err
		}
		template = rest
		if !f.HasField {
			parts = append(parts, "("+asciiOf(f.Literal)+", None, None, None)")
			continue
		}
		verb := "None"
		if f.Verb != 0 {
			verb = asciiOf(FromRunes([]rune{f.Verb}))
		}
		parts = append(parts, "("+asciiOf(f.Literal)+", "+asciiOf(f.Name)+", "+asciiOf(f.Spec)+", "+verb+")")
	}
	return "[" + strings.Join(parts, ", ") + "]", nil
}

// showName shows a field name as _string.formatter_field_name_split gives it.
func showName(text string) (string, error) {
	name, index, path, err := SplitFieldName(text)
	if err != nil {
		return "", err
	}
	first := asciiOf(name)
	if index >= 0 {
		first = strconv.Itoa(index)
	}
	var parts []string
	for _, a := range path {
		switch {
		case a.Attr:
			parts = append(parts, "(True, "+asciiOf(a.Name)+")")
		case a.Index >= 0:
			parts = append(parts, fmt.Sprintf("(False, %d)", a.Index))
		default:
			parts = append(parts, "(False, "+asciiOf(a.Name)+")")
		}
	}
	return "(" + first + ", [" + strings.Join(parts, ", ") + "])", nil
}

// renderTemplate fills in the values "abc" and "12" and the keyword k, "kw".
func renderTemplate(fields []Field, fault error) ([]byte, error) {
	var out []byte
	for _, f := range fields {
		out = append(out, f.Literal...)
		if !f.HasField {
			continue
		}
		var v string
		switch {
		case f.Index >= 2:
			return nil, errorf(IndexErrorForTest, "Replacement index %d out of range for positional args tuple", f.Index)
		case f.Index >= 0:
			v = []string{"abc", "12"}[f.Index]
		case f.Name == "k":
			v = "kw"
		default:
			return nil, errorf(KeyErrorForTest, "%s", ReprStr(f.Name))
		}
		for _, a := range f.Path {
			switch {
			case a.Attr:
				return nil, errorf(AttrErrorForTest, "'str' object has no attribute '%s'", a.Name)
			case a.Index >= len(v):
				return nil, errorf(IndexErrorForTest, "string index out of range")
			case a.Index < 0:
				return nil, errorf(TypeError, "string indices must be integers, not 'str'")
			}
			v = v[a.Index : a.Index+1]
		}
		if f.Err != nil && f.Spec == nil {
			return nil, f.Err
		}
		switch f.Verb {
		case 'r', 'a':
			v = ReprStr(v)
		}
		spec, err := renderTemplate(f.Spec, f.Err)
		if err != nil {
			return nil, err
		}
		s, err := ParseSpec(string(spec), ForStr, "str")
		if err != nil {
			return nil, err
		}
		if out, err = FormatStr(out, v, &s, testLimit); err != nil {
			return nil, err
		}
	}
	return out, fault
}

// Exceptions that the interpreter raises, not this package.
const (
	IndexErrorForTest Kind = 100 + iota
	KeyErrorForTest
	AttrErrorForTest
)

// shownTest is shown with the exceptions above.
func shownTest(text string, err error) string {
	out := shown(text, err)
	if e, ok := err.(*Error); ok {
		switch e.Kind {
		case IndexErrorForTest:
			return "IndexError: " + asciiOf(e.Text)
		case KeyErrorForTest:
			return "KeyError: " + asciiOf(e.Text)
		case AttrErrorForTest:
			return "AttributeError: " + asciiOf(e.Text)
		}
	}
	return out
}

func TestTemplate(t *testing.T) {
	d := newDice(5)
	var pairs []pair
	for range *cases {
		text := d.template()
		lit := asciiOf(text)
		pairs = append(pairs,
			pair{"list(__import__('_string').formatter_parser(" + lit + "))", shown(showRaw(text))},
			pair{"(lambda p: (p[0], list(p[1])))(__import__('_string').formatter_field_name_split(" + lit + "))", shown(showName(text))})
		out, err := renderTemplate(ParseTemplate(text))
		pairs = append(pairs, pair{lit + ".format('abc', '12', k='kw')", shownTest(asciiOf(string(out)), err)})
	}
	compare(t, cpython.Start(t), pairs)
}

// TestManyPieces checks that no template takes much more memory than it has text.
func TestManyPieces(t *testing.T) {
	if fields, err := ParseTemplate(strings.Repeat("{}", maxPieces+1)); err != ErrTooLong || len(fields) != maxPieces {
		t.Errorf("got %d fields, %v", len(fields), err)
	}
	if fields, err := ParseTemplate("{:" + strings.Repeat("{}", maxPieces+1) + "}"); err != nil || fields[0].Err != ErrTooLong {
		t.Errorf("nested: got %d fields, %v", len(fields), err)
	}
	if pieces, err := ParsePercent(strings.Repeat("%d", maxPieces+1)); err != ErrTooLong || len(pieces) != maxPieces {
		t.Errorf("got %d pieces, %v", len(pieces), err)
	}
}

// FuzzTemplate checks that no template makes the parser fail, and that the
// pieces of one that has no fields give its text back.
func FuzzTemplate(f *testing.F) {
	d := newDice(6)
	for range 100 {
		f.Add(d.template())
	}
	f.Fuzz(func(t *testing.T, text string) {
		fields, err := ParseTemplate(text)
		checkPythonError(t, err)
		size := 0
		for _, field := range fields {
			size += len(field.Literal)
			checkPythonError(t, field.Err)
		}
		if size > len(text) {
			t.Fatalf("%q has %d bytes of text", text, size)
		}
	})
}
