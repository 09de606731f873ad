package format

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStrip(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a\tb\nc", "a\tb\nc"},
		{"letters of all kinds", "größer 日本 🙂", "größer 日本 🙂"},
		{"colour", "\x1b[31mred\x1b[0m", "red"},
		{"cursor and clear", "a\x1b[2J\x1b[1;1Hb", "ab"},
		{"private mode", "\x1b[?1049hx", "x"},
		{"title by BEL", "\x1b]0;owned\x07x", "x"},
		{"title by ST", "\x1b]0;owned\x1b\\x", "x"},
		{"clipboard", "\x1b]52;c;cm0gLXJm\x07x", "x"},
		{"device control", "\x1bPq#0\x1b\\x", "x"},
		{"charset", "\x1b(0x", "x"},
		{"reset", "\x1bcx", "x"},
		{"C1 CSI", "a\u009b31mb", "ab"},
		{"C1 OSC", "a\u009d0;t\u009cb", "ab"},
		{"C1 alone", "a\u0085b", `a\x85b`},
		{"raw C1 byte", "a\x9b31mb", `a\x9b31mb`},
		{"bell and backspace", "a\a\bb", `a\x07\x08b`},
		{"delete", "a\x7fb", `a\x7fb`},
		{"not UTF-8", "a\xffb", `a\xffb`},
		{"cut character", "a\xe6\x97", `a\xe6\x97`},
		{"direction", "a\u202eb\u2066c", `a\u202eb\u2066c`},
		{"sequence ended by a newline", "\x1b]0;\nseen", "\nseen"},
		{"two escapes", "\x1b\x1b[31mx", "x"},
		{"carriage return", "ok\rno", `ok\rno`},
	} {
		if got := Strip(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := Strip("\x1b]" + strings.Repeat("a", 2*maxSequence)); len(got) < maxSequence/2 {
		t.Errorf("a sequence without an end hid all but %d bytes", len(got))
	}
}

// TestCleanerSplit checks that it does not matter where the output is split.
func TestCleanerSplit(t *testing.T) {
	const in = "a\x1b[31mré\u009b0md\x1b]0;t\x1b\\日\xff\n"
	want := `aréd日\xff` + "\n"
	for i := range in {
		for j := i; j <= len(in); j++ {
			var out bytes.Buffer
			c := Cleaner{W: &out}
			for _, part := range []string{in[:i], in[i:j], in[j:]} {
				if n, err := c.Write([]byte(part)); n != len(part) || err != nil {
					t.Fatalf("Write(%q): got %d, %v", part, n, err)
				}
			}
			if err := c.Flush(); err != nil {
				t.Fatal(err)
			}
			if out.String() != want {
				t.Fatalf("split at %d and %d: got %q, want %q", i, j, out.String(), want)
			}
		}
	}
}

// FuzzCleaner checks that no control byte gets through, however the input is split.
func FuzzCleaner(f *testing.F) {
	f.Add([]byte("a\x1b[31mb"), 3)
	f.Add([]byte("\x1b]0;\xc2"), 1)
	f.Fuzz(func(t *testing.T, in []byte, at int) {
		var out bytes.Buffer
		c := Cleaner{W: &out}
		at = min(max(at, 0), len(in))
		for _, part := range [][]byte{in[:at], in[at:]} {
			if _, err := c.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Flush(); err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(out.Bytes()) {
			t.Fatalf("%q became %q, which is not UTF-8", in, out.Bytes())
		}
		for _, r := range out.String() {
			if (r < 0x20 && r != '\n' && r != '\t' && r != '\r') || (r >= 0x7f && r < 0xa0) {
				t.Fatalf("%q let %U through", in, r)
			}
		}
	})
}
