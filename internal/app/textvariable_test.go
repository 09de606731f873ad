package app

import (
	"io"
	"strings"
	"testing"
)

// TestMeasure measures texts in pieces that cut characters.
func TestMeasure(t *testing.T) {
	for _, c := range []struct{ text, want, head string }{
		{"", "a text of 0 characters in 0 lines", ""},
		{"a", "a text of 1 character in 1 line", "a"},
		{"é€\nß\n", "a text of 5 characters in 2 lines", "é€\nß"},
		{"one\ntwo", "a text of 7 characters in 2 lines", "one\ntwo"},
		{"a\xffb\xe2\x82", "a text of 5 characters in 1 line", "a\xffb\xe2\x82"},
		{strings.Repeat("€", 1000), "a text of 1,000 characters in 1 line", strings.Repeat("€", maxBegins/3)},
	} {
		for size := 1; size < 6; size++ {
			m := &measure{}
			for rest := c.text; rest != ""; {
				n := min(size, len(rest))
				if _, err := io.WriteString(m, rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if got := m.String(); got != c.want {
				t.Errorf("%.20q in pieces of %d: %s", c.text, size, got)
			}
			if got := m.head(); got != c.head {
				t.Errorf("%.20q in pieces of %d begins %.20q", c.text, size, got)
			}
		}
	}
}
