package pytext

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"praxis/internal/test/cpython"
)

func codecNames() []string {
	return []string{"utf-8", "UTF8", "ascii", "latin-1", "ISO-8859-1", "utf-8-sig"}
}

func handlerNames() []string {
	return []string{"strict", "ignore", "replace"}
}

// pyBytes is an expression of Python for b.
func pyBytes(b []byte) string { return string(AppendReprBytes(nil, b)) }

// unicodeShown is how test programs show a UnicodeError.
func unicodeShown(text string, err error) string {
	var e *Error
	if errors.As(err, &e) && (e.Kind == UnicodeEncodeError || e.Kind == UnicodeDecodeError) {
		return asciiOf(fmt.Sprintf("%s|%s", e.Kind, e.Text))
	}
	return shown(text, err)
}

// showUnicode wraps an expression so that CPython shows errors likewise.
func showUnicode(expr string) string {
	return "show(lambda: " + expr + ")"
}

const showProgram = `
def show(f):
    try:
        return f()
    except UnicodeError as e:
        return f"{type(e).__name__}|{e}"
`

func (d dice) codecText() string {
	var out []byte
	for range d.IntN(6) {
		out = utf8.AppendRune(out, of(d, 'a', 'é', 'ÿ', 'Ā', '€', '\x81', '本', 0x1F600, 0xFEFF, '\u2122'))
	}
	return string(out)
}

func (d dice) codecBytes() []byte {
	var out []byte
	for range d.IntN(5) {
		out = append(out, of(d, "a", "\x00", "\xc3\xa9", "\xff", "\xfe", "\xe2\x82", "\xe2\x82\xac", "\xed\xa0\x80", "\xed", "\xf0\x9f\x98\x80", "\xf0\x9f", "\xf4\x90\x80", "\xf4", "\x80", "\xc0", "\xe0\x80", "\xff\xfe", "\xfe\xff",
			"\x00\xd8", "\x00\xdc", "\xd8\x00", "a\x00", "\x00a", "\xff\xfe\x00\x00", "\x00\x00\xfe\xff", "\x00\x00\x11\x00", "a\x00\x00\x00", "\xef\xbb\xbf", "\x81", "\x9f", "\xf8", "\x00\xd8\x00\x00", "\xf0\x80")...)
	}
	return out
}

func TestCodecs(t *testing.T) {
	d := newDice(20)
	var pairs []pair
	for range *cases {
		name, handler := of(d, codecNames()...), of(d, handlerNames()...)
		s, b := d.codecText(), d.codecBytes()
		enc, err := Encode(nil, s, name, handler)
		pairs = append(pairs, pair{showUnicode(fmt.Sprintf("%s.encode('%s', '%s')", asciiOf(s), name, handler)), unicodeShown(pyBytes(enc), err)})
		dec, err := Decode(nil, b, name, handler)
		pairs = append(pairs, pair{showUnicode(fmt.Sprintf("%s.decode('%s', '%s')", pyBytes(b), name, handler)), unicodeShown(asciiOf(string(dec)), err)})
	}
	for _, name := range []string{"utf_8", "u8", "Latin-1", "us ascii", "foo", "", "utf.8", "ütf-8"} {
		out, err := Encode(nil, "é", name, "replace")
		pairs = append(pairs, pair{showUnicode(fmt.Sprintf("'é'.encode(%s, 'replace')", asciiOf(name))), unicodeShown(pyBytes(out), err)})
		text, err := Decode(nil, []byte("abcd"), name, "strict")
		pairs = append(pairs, pair{showUnicode(fmt.Sprintf("b'abcd'.decode(%s)", asciiOf(name))), unicodeShown(asciiOf(string(text)), err)})
	}
	for _, handler := range []string{"foo", "strict"} {
		out, err := Encode(nil, "aé", "ascii", handler)
		pairs = append(pairs, pair{showUnicode(fmt.Sprintf("'aé'.encode('ascii', '%s')", handler)), unicodeShown(pyBytes(out), err)})
		text, err := Decode(nil, []byte("a\xff"), "utf-8", handler)
		pairs = append(pairs, pair{showUnicode(fmt.Sprintf("b'a\\xff'.decode('utf-8', '%s')", handler)), unicodeShown(asciiOf(string(text)), err)})
	}
	for i := range pairs {
		pairs[i].expr = strings.ReplaceAll(pairs[i].expr, "é", "\\xe9")
	}
	compareWith(t, cpython.Start(t), showProgram, pairs)
}

// FuzzCodecs checks that no bytes or text make a codec fail, that what is
// decoded is valid, and that strict decoding is undone by encoding.
func FuzzCodecs(f *testing.F) {
	d := newDice(22)
	for i := range 100 {
		f.Add(d.codecBytes(), byte(i), byte(i/13))
	}
	f.Fuzz(func(t *testing.T, b []byte, codec, handler byte) {
		name := codecNames()[int(codec)%len(codecNames())]
		how := handlerNames()[int(handler)%len(handlerNames())]
		text, err := Decode(nil, b, name, how)
		checkPythonError(t, err)
		if !utf8.Valid(text) {
			t.Fatalf("%q as %s, %s: %q is not valid", b, name, how, text)
		}
		if err == nil && len(text) > 4*len(b) {
			t.Fatalf("%q as %s, %s: %d bytes", b, name, how, len(text))
		}
		out, err := Encode(nil, string(text), name, how)
		checkPythonError(t, err)
		again, err := Decode(nil, out, name, "strict")
		if how == "strict" && (err != nil || string(again) != string(text)) {
			t.Fatalf("%q as %s: %q became %q, %v", b, name, text, again, err)
		}
	})
}
