package pytext

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"praxis/internal/test/cpython"
)

func pyBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

func TestStrings(t *testing.T) {
	d := newDice(30)
	var pairs []pair
	for range *cases / 4 {
		s := d.text(of(d, 1, 3, 8, 20))
		lit := asciiOf(s)
		for name, f := range map[string]func(string) string{
			"upper": Upper, "lower": Lower, "title": Title, "capitalize": Capitalize, "swapcase": SwapCase, "casefold": CaseFold,
		} {
			pairs = append(pairs, pair{lit + "." + name + "()", asciiOf(f(s))})
		}
		for name, f := range map[string]func(string) bool{
			"isalpha": StrIsAlpha, "isalnum": StrIsAlnum, "isdecimal": StrIsDecimal, "isdigit": StrIsDigit, "isnumeric": StrIsNumeric, "isspace": StrIsSpace,
			"isupper": StrIsUpper, "islower": StrIsLower, "istitle": StrIsTitle, "isprintable": StrIsPrintable, "isidentifier": StrIsIdentifier, "isascii": IsASCII,
		} {
			pairs = append(pairs, pair{lit + "." + name + "()", pyBool(f(s))})
		}
		n := d.IntN(12)
		pairs = append(pairs,
			pair{"repr(" + lit + ")", asciiOf(ReprStr(s))},
			pair{"ascii(" + lit + ")", asciiOf(asciiOf(s))},
			pair{"repr(" + pyBytes([]byte(s)) + ")", asciiOf(pyBytes([]byte(s)))},
			pair{"len(" + lit + ")", fmt.Sprint(RuneCount(s))},
			pair{fmt.Sprintf("%s[:%d]", lit, n), asciiOf(s[:Offset(s, n)])},
			pair{"[ord(c) for c in " + lit + "]", showRunes([]rune(s))},
		)
	}
	for _, s := range []string{"", "'", "\"", "'\"", "a'b", "ΑΣ", "Σ", "ΑΣ.", "ΑΣ.Α", "'Σ'", "a\u0301Σ\u0301", "ΣΣ", "aΣ \u00adb", "ŉa ǅǆ", "ﬃ", "O'NEIL isn't", "_", "1a", "a1", "·a", "a·", "ªº", "℘", "ꟲ"} {
		for name, f := range map[string]func(string) string{"upper": Upper, "lower": Lower, "title": Title, "capitalize": Capitalize, "swapcase": SwapCase, "casefold": CaseFold, "__repr__": ReprStr} {
			pairs = append(pairs, pair{asciiOf(s) + "." + name + "()", asciiOf(f(s))})
		}
		for name, f := range map[string]func(string) bool{"isupper": StrIsUpper, "islower": StrIsLower, "istitle": StrIsTitle, "isprintable": StrIsPrintable, "isidentifier": StrIsIdentifier, "isspace": StrIsSpace} {
			pairs = append(pairs, pair{asciiOf(s) + "." + name + "()", pyBool(f(s))})
		}
	}
	compare(t, cpython.Start(t), pairs)
}

func showRunes(runes []rune) string {
	out := []byte("[")
	for i, r := range runes {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = AppendInt(out, int64(r))
	}
	return string(append(out, ']'))
}

func TestInvalid(t *testing.T) {
	for _, s := range []string{"\xff", "a\xc3", "\xed\xa0", "\xed", "\xed\xa0\x80\xff", "\xc0\x80", "\x80"} {
		if out := ReprStr(s); !IsPrintable('\uFFFD') || !utf8.ValidString(Upper(out)) {
			t.Errorf("%q: repr is %q", s, out)
		}
		if RuneCount(s) > len(s) || Offset(s, 30) != len(s) {
			t.Errorf("%q: counted beyond its end", s)
		}
	}
}

// TestCounts compares the fast ways of counting with the plain one.
func TestCounts(t *testing.T) {
	d := newDice(31)
	for range *cases {
		s := d.text(60)
		starts := []int{}
		for i := 0; i < len(s); {
			starts = append(starts, i)
			_, n := utf8.DecodeRuneInString(s[i:])
			i += n
		}
		if got := RuneCount(s); got != len(starts) {
			t.Fatalf("%q: counted %d, want %d", s, got, len(starts))
		}
		for n := range len(starts) + 3 {
			want := len(s)
			if n < len(starts) {
				want = starts[n]
			}
			if got := Offset(s, n); got != want {
				t.Fatalf("%q: code point %d at %d, want %d", s, n, got, want)
			}
		}
	}
}

// FuzzText checks that no bytes, valid or not, make a function of text fail.
func FuzzText(f *testing.F) {
	d := newDice(32)
	for range 50 {
		f.Add(d.text(10))
	}
	f.Add("\xff\xed\xa0")
	f.Fuzz(func(t *testing.T, s string) {
		for _, change := range []func(string) string{Upper, Lower, Title, Capitalize, SwapCase, CaseFold, ReprStr} {
			if out := change(s); utf8.ValidString(s) && !utf8.ValidString(out) {
				t.Fatalf("%q became %q", s, out)
			}
		}
		for _, is := range []func(string) bool{StrIsAlpha, StrIsTitle, StrIsLower, StrIsIdentifier} {
			is(s)
		}
		for n := range 20 {
			if at := Offset(s, n); at < 0 || at > len(s) {
				t.Fatalf("%q: code point %d at %d", s, n, at)
			}
		}
		if !IsASCII(asciiOf(s)) {
			t.Fatalf("%q is not escaped", s)
		}
	})
}
