package pytext

import (
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

func (d dice) template() string {
	var b strings.Builder
	for range d.IntN(5) + 1 {
		b.WriteString(of(d, "{", "}", "{}", "{}", "{0}", "{1}", "{k}", "{{", "}}", "a", "é", ":", "{!r}", "{!s}", "{!a}", "{!q}",
			"{[0]}", "{.real}", "{:>5}", "{0:>{1}}", "{:{}}", "{!r:>9}", "{k[0]}", "{k[-1]}", "{k.x}", "{:{k}}", "{:{:{}}}", "{0[1].real}",
			"{k[0]x}", "{k[]}", "{k.}", "{k!\x7f}", "{:{{}}}", "{k[", "{0:"))
	}
	return b.String()
}

// renderTemplate fills in the values "abc" and "12" and the keyword k, "kw".
func renderTemplate(fields []Field, fault error) ([]byte, error) {
	if fault != nil {
		return nil, fault
	}
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
		switch f.Verb {
		case 'r', 'a':
			v = ReprStr(v)
		}
		spec, err := renderTemplate(f.Spec, nil)
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
	return out, nil
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
		fields, fault := ParseTemplate(text)
		if fault != nil { // what is wrong is said before there are values
			pairs = append(pairs, pair{"failure(lambda: " + asciiOf(text) + ".format(*['a'] * 20, k='b'))", "True"})
			continue
		}
		out, err := renderTemplate(fields, nil)
		pairs = append(pairs, pair{asciiOf(text) + ".format('abc', '12', k='kw')", shownTest(asciiOf(string(out)), err)})
	}
	compareWith(t, cpython.Start(t), "def failure(f):\n    try:\n        f()\n    except Exception:\n        return True\n", pairs)
}

// TestManyPieces checks that no template takes much more memory than it has text.
func TestManyPieces(t *testing.T) {
	if fields, err := ParseTemplate(strings.Repeat("{}", maxPieces+1)); err != ErrTooLong {
		t.Errorf("got %d fields, %v", len(fields), err)
	}
	if fields, err := ParseTemplate("{:" + strings.Repeat("{}", maxPieces+1) + "}"); err != ErrTooLong {
		t.Errorf("nested: got %d fields, %v", len(fields), err)
	}
	if pieces, err := ParsePercent(strings.Repeat("%d", maxPieces+1)); err != ErrTooLong {
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
		}
		if size > len(text) {
			t.Fatalf("%q has %d bytes of text", text, size)
		}
	})
}
