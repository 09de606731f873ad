package safetext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestText checks that quoted text loses nothing and hides nothing.
func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a\tb\nc", "a\tb\nc"},
		{"letters of all kinds", "größer 日本 🙂 👩\u200d💻", "größer 日本 🙂 👩\u200d💻"},
		{"colour", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"title by BEL", "\x1b]0;owned\x07x", `\x1b]0;owned\x07x`},
		{"title by ST", "\x1b]0;owned\x1b\\x", `\x1b]0;owned\x1b\x`},
		{"device control", "\x1bPq#0", `\x1bPq#0`},
		{"C1 OSC", "a\u009d0;t\u009cb", `a\x9d0;t\x9cb`},
		{"raw C1 byte", "a\x9b31mb", `a\x9b31mb`},
		{"bell, backspace, delete", "a\a\b\x7fb", `a\x07\x08\x7fb`},
		{"not UTF-8", "a\xffb\xe6\x97", `a\xffb\xe6\x97`},
		{"direction", "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", `\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069`},
		{"nothing to see", "a\u200bb\u2060c\ufeffd\u00ade", `a\u200bb\u2060c\ufeffd\u00ade`},
		{"tags", "\U000e0041", `\U000e0041`},
		{"separators", "a\u2028b\u2029c\u0085d", `a\u2028b\u2029c\x85d`},
		{"line ends", "a\r\nb\rc", "a\nb" + `\rc`},
		{"controls", "\x00\x1b\x7f\u0085", `\x00\x1b\x7f\x85`},
		{"half a character", "\xff\xc3", `\xff\xc3`},
		{"no character", "\U000e0041\uffff", `\U000e0041\uffff`},
	} {
		if got := Text(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// FuzzText checks that a printable character is never lost and no control
// character gets through.
func FuzzText(f *testing.F) {
	f.Add("x = 2; \"\x1b]\"; print(x); \"\x1b\\\"")
	f.Add("a\u202eb\xff\U000e0001")
	f.Fuzz(func(t *testing.T, in string) {
		got := Text(in)
		if !utf8.ValidString(got) {
			t.Fatalf("%q became %q, which is not UTF-8", in, got)
		}
		rest := got
		for _, r := range in {
			if r == utf8.RuneError || Hidden(r) || r < 0x20 || r == 0x7f {
				continue
			}
			i := strings.IndexRune(rest, r)
			if i < 0 {
				t.Fatalf("%q became %q, which has lost %q", in, got, r)
			}
			rest = rest[i:][utf8.RuneLen(r):]
		}
		for _, r := range got {
			if Hidden(r) || (r < 0x20 && r != '\n' && r != '\t') || r == 0x7f {
				t.Fatalf("%q let %U through", in, r)
			}
		}
	})
}

func TestLine(t *testing.T) {
	if got, want := Line("a\tb\r\nc\u202e"), `a\tb\nc\u202e`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestJSON checks that nothing hidden is left and that the meaning is the same.
func TestJSON(t *testing.T) {
	const in = "größe\x7f\u009b\u202e\U000e0041\uffff 🙂"
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	got := JSON(text)
	if want := `"größe\u007f\u009b\u202e\udb40\udc41\uffff 🙂"`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var back string
	if err := json.Unmarshal(got, &back); err != nil || back != in {
		t.Errorf("got %q %v back, want %q", back, err, in)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0B", 999: "999B", 1 << 10: "1KiB", 1536: "1.5KiB", 1 << 30: "1GiB", 1 << 50: "1024TiB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d): got %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{20 << 20: "20MiB, more than 16MiB", 16<<20 + 1: "16,777,217 bytes, more than 16,777,216"} {
		if got := Over(n, 16<<20); got != want {
			t.Errorf("Over(%d): got %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 runs", 1: "1 run", 999: "999 runs", 1000: "1,000 runs", -1234567: "-1,234,567 runs"} {
		if got := Count(n, "run"); got != want {
			t.Errorf("Count(%d): got %q, want %q", n, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "…"}, {"abcdef", 5, "ab…"}, {"aéé", 4, "a…"}, {"aéé", 5, "aéé"}, {"", 3, ""},
		{"\xff", 5, "\uFFFD"}, {"\xff", 3, "\uFFFD"}, {"ab\xffcd", 5, "ab…"}, {strings.Repeat("\xff", 9), 6, "\uFFFD…"},
	} {
		if got := Clip(c.in, c.n); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func FuzzClip(f *testing.F) {
	f.Add("a\xffé…\U0001F600", 7)
	f.Fuzz(func(t *testing.T, s string, n int) {
		if n < 3 || n > 1<<20 {
			return
		}
		got := Clip(s, n)
		if len(got) > n || !utf8.ValidString(got) || (len(s) <= n && utf8.ValidString(s)) != (got == s) {
			t.Errorf("Clip(%q, %d) = %q", s, n, got)
		}
		if one := OneLine(s, n); len(one) > n || strings.ContainsAny(one, "\n\r\x1b") {
			t.Errorf("OneLine(%q, %d) = %q", s, n, one)
		}
	})
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{"a\n  b\tc ": "a b c", "a\x1b[2J": `a\x1b[2J`, "x\u202ey": `x\u202ey`, "\n": ""} {
		if got := OneLine(in, 40); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Quote("a\"\n" + strings.Repeat("b", 100)); got != `"a\"\n`+strings.Repeat("b", 74)+`…"` {
		t.Errorf("Quote = %s", got)
	}
}

// TestHidden lists characters that are drawn as nothing or as a blank.
func TestHidden(t *testing.T) {
	for _, r := range []rune{0x7f, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x200b, 0x202e, 0x2060, 0x2800, 0x3164, 0xfe00, 0xfeff, 0xffa0, 0xe0041, 0xe0100} {
		if !Hidden(r) {
			t.Errorf("%U passes", r)
		}
	}
	for _, r := range []rune{'a', 'é', '한', 0x200d, 0xfe0f, '⠁'} {
		if Hidden(r) {
			t.Errorf("%U is escaped", r)
		}
	}
}
