package cmd

import (
	"fmt"
	"testing"
)

func TestSplitWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`npx -y server`, `[npx -y server]`},
		{"  a\t b\n", `[a b]`},
		{`sh -c 'echo "$HOME" | cat'`, `[sh -c echo "$HOME" | cat]`},
		{`a "b c"d ''`, `[a b cd ]`},
		{`a\ b "\"" '\'`, `[a b " \]`},
		{`"a`, `error`}, {`'a`, `error`}, {`a\`, `error`}, {` `, `error`}, {``, `error`},
	} {
		words, err := splitWords(c.text)
		got := fmt.Sprint(words)
		if err != nil {
			got = "error"
		}
		if got != c.want {
			t.Errorf("%q gives %s, want %s", c.text, got, c.want)
		}
	}
}

func FuzzSplitWords(f *testing.F) {
	f.Add(`a "b c" 'd' \e`)
	f.Fuzz(func(t *testing.T, s string) {
		words, err := splitWords(s)
		n := 0
		for _, w := range words {
			n += len(w)
		}
		if err == nil && len(words) == 0 {
			t.Error("no words and no error")
		}
		if n > 3*len(s) { // what is no UTF-8 becomes three bytes
			t.Errorf("%d bytes became %d", len(s), n)
		}
	})
}
