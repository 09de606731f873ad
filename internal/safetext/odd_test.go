package safetext

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOdd(t *testing.T) {
	for text, want := range map[string][]string{
		"":                           nil,
		"paypal.com ann@example.com": nil,
		"Größe für naïve Bücher, 5 µm, Ångström": nil,
		"Привет, мир! Это рост, а не сон.":       nil,
		"Ελληνικά και English":                   nil,
		"日本語 テスト":                                nil,
		"p\u0430ypal.com":                        {`U+0430 is a Cyrillic letter that looks like 'a'`},
		"\u0430\u0440\u0440\u04cf\u0435.com":     {`U+0430 is a Cyrillic letter that looks like 'a'`, `U+0440 is a Cyrillic letter that looks like 'p'`, `U+04CF is a Cyrillic letter that looks like 'l'`, `U+0435 is a Cyrillic letter that looks like 'e'`},
		"g\u03bf\u03bfgle":                       {`U+03BF is a Greek letter that looks like 'o'`},
		"bank\u0436":                             {`U+0436 is a Cyrillic letter in a word with Latin ones`},
		"\uff25\uff22":                           {`U+FF25 is the wide form of 'E'`, `U+FF22 is the wide form of 'B'`},
		"a\u200bb":                               {`U+200B is invisible: a blank without width`},
		"a\u202eb":                               {`U+202E is invisible: it changes the direction of the text`},
		"a\u200db\u2060":                         {`U+200D is invisible: a joiner`, `U+2060 is invisible: a joiner`},
		"a\u00a0b\u2003c":                        {`U+00A0 is a blank at which no line is broken`, `U+2003 is a blank of an unusual width`},
		"a\x1b[2J":                               {`U+001B is a control character`},
		"a\U000e0041":                            {`U+E0041 is invisible: a tag`},
	} {
		if got := Odd(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzOdd(f *testing.F) {
	f.Add("p\u0430y\u202e \xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, line := range Odd(s) {
			if !utf8.ValidString(line) || Line(line) != line || !strings.HasPrefix(line, "U+") {
				t.Errorf("%q: got %q", s, line)
			}
		}
	})
}
