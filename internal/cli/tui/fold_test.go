package tui

import (
	"strings"
	"testing"
)

func TestFolding(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"short", "  as it is\n", "  as it is\n"},
		{"prose", "  one two three four five six\n", "  one two three four\n  five six\n"},
		{"label", "question  one two three four\n", "question  one two\n          three four\n"},
		{"a long word", "  " + strings.Repeat("x", 30) + " y\n", "  " + strings.Repeat("x", 30) + "\n  y\n"},
		{"code", "  │ if a_name == another_name:\n", "  │ if a_name == ano\n  │   ther_name:\n"},
		{"colours", "  \x1b[2mone two three four five\x1b[0m\n", "  \x1b[2mone two three four\n  five\x1b[0m\n"},
		{"wide", "  日本語 日本語 日本語\n", "  日本語 日本語\n  日本語\n"},
		{"nothing", "\n\n", "\n\n"},
	} {
		// However the text is cut into writes, the result is the same.
		for _, size := range []int{1, 7, 1 << 10} {
			var out strings.Builder
			f := &Folding{W: &out, Width: 20}
			for in := c.in; in != ""; {
				n := min(size, len(in))
				if _, err := f.Write([]byte(in[:n])); err != nil {
					t.Fatal(err)
				}
				in = in[n:]
			}
			if err := f.Flush(); err != nil || out.String() != c.want {
				t.Errorf("%s: got\n%q, %v, want\n%q", c.name, out.String(), err, c.want)
			}
		}
	}
	var out strings.Builder
	f := &Folding{W: &out, Width: 20}
	if _, err := f.Write([]byte("no end")); err != nil || out.String() != "" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if err := f.Flush(); err != nil || out.String() != "no end" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}
