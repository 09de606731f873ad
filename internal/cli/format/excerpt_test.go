package format

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestExcerpt checks that the first and the last lines of a long text are there,
// that what is said to be left out is what is, and that a short text is untouched.
func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		lines, chunk int
		short        bool
	}{{10, 7, true}, {1600, 1 << 20, true}, {1600, 11, true}, {100_000, 1 << 20, false}, {100_000, 4096, false}, {100_000, 1, false}, {1640, 10, false}} {
		var text strings.Builder
		for i := range c.lines {
			fmt.Fprintf(&text, "%09d\n", i)
		}
		var got bytes.Buffer
		e := &Excerpt{W: &got, More: "see MORE"}
		for all := text.String(); all != ""; {
			n := min(c.chunk, len(all))
			if m, err := e.Write([]byte(all[:n])); m != n || err != nil {
				t.Fatal(m, err)
			}
			all = all[n:]
		}
		if err := e.Flush(); err != nil {
			t.Fatal(err)
		}
		out := got.String()
		if c.short {
			if out != text.String() {
				t.Errorf("%d lines by %d are changed", c.lines, c.chunk)
			}
			continue
		}
		if len(out) > excerptHead+2*excerptTail+300 || !strings.HasPrefix(out, "000000000\n000000001\n") ||
			!strings.HasSuffix(out, fmt.Sprintf("\n%09d\n", c.lines-1)) || !strings.Contains(out, "see MORE") {
			t.Errorf("%d lines by %d: %d bytes:\n%.200s", c.lines, c.chunk, len(out), out)
		}
	}
	// A line without an end is cut too, and the next text begins anew.
	var got bytes.Buffer
	e := &Excerpt{W: &got, More: "x"}
	for range 2 {
		got.Reset()
		_, _ = e.Write(bytes.Repeat([]byte("é"), 1<<20))
		if err := e.Flush(); err != nil || got.Len() > excerptHead+2*excerptTail+300 || !strings.Contains(got.String(), "left out") {
			t.Errorf("%d bytes (%v)", got.Len(), err)
		}
	}
}
