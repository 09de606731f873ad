package tui

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
)

func TestPaste(t *testing.T) {
	for _, c := range []struct{ name, typed, want string }{
		{"typed", "x = 1\r\tü\x03\x1b[A", "x = 1\r\tü\x03\x1b[A"},
		{"a function", pasteBegin + "def f():\r\tx = 1\r\r\treturn x\r" + pasteEnd + "\r", pasteBegin + "def f():␤␉x = 1␤␤␉return x␤\r"},
		{"line breaks of two", pasteBegin + "a\r\nb\n\nc" + pasteEnd, pasteBegin + "a␤b␤␤c"},
		{"keys", pasteBegin + "a\x03\x04\x7f\x1b[Ab\u009b" + pasteEnd + "\x03", pasteBegin + "a[Ab\x03"},
		{"half an end", pasteBegin + "a\x1b[20\x1b[201~b", pasteBegin + "a[20b"},
		{"a beginning inside", pasteBegin + pasteBegin + "a" + pasteEnd + "\r", pasteBegin + "[200~a\r"},
		{"a beginning after an escape", "\x1b\x1b[200~a\r" + pasteEnd, "\x1b\x1b[200~a␤"},
		{"two pastes", pasteBegin + "a\r" + pasteEnd + pasteBegin + "\nb" + pasteEnd, pasteBegin + "a␤" + pasteBegin + "␤b"},
		{"half a beginning", "\x1b[20\r", "\x1b[20\r"},
	} {
		var got bytes.Buffer
		if err := new(pasteFilter).pump(&got, iotest.OneByteReader(strings.NewReader(c.typed))); err != nil {
			t.Fatal(err)
		}
		if got.String() != c.want {
			t.Errorf("%s: the editor sees %q, want %q", c.name, got.String(), c.want)
		}
	}
}

func TestFold(t *testing.T) {
	const code = "def f():\n\tif x:\n\n\t\treturn 'ü'"
	if got := fold(code); strings.ContainsAny(got, "\n\t") || unfold(got) != code {
		t.Errorf("folded to %q and back to %q", got, unfold(got))
	}
}

func TestLastLine(t *testing.T) {
	for _, c := range [][3]string{{"a␉b", "", "a\tb"}, {"a␤b␤␉c", "a␤b␤", "\tc"}, {"a␤", "a␤", ""}} {
		if before, last := lastLine(c[0]); before != c[1] || last != c[2] {
			t.Errorf("%q is parted into %q and %q", c[0], before, last)
		}
	}
}

// FuzzPaste checks that nothing pasted presses a key.
func FuzzPaste(f *testing.F) {
	f.Add("a\rb\x1b[20\x03")
	f.Fuzz(func(t *testing.T, pasted string) {
		pasted = strings.ReplaceAll(strings.ToValidUTF8(pasted, ""), pasteEnd, "")
		var p pasteFilter
		var got strings.Builder
		for _, r := range pasteBegin + pasted {
			got.WriteString(p.feed(r))
		}
		if rest := strings.TrimPrefix(got.String(), pasteBegin); strings.ContainsFunc(rest, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
			t.Errorf("pasting %q gives %q", pasted, rest)
		}
	})
}
