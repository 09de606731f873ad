package regex

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/test/cpython"
)

func mustCompile(t testing.TB, pattern string, flags Flags) *Program {
	t.Helper()
	p, bad := Compile(Str(pattern), flags)
	if bad != nil {
		t.Fatal(bad)
	}
	return p
}

func TestProgramProperties(t *testing.T) {
	p := mustCompile(t, `(?i)(?P<year>\d+)-(x)?(?P<month>\d+)`, MultiLine)
	if p.Groups() != 3 || p.Flags() != IgnoreCase|MultiLine|Unicode {
		t.Errorf("%d groups, flags %d", p.Groups(), p.Flags())
	}
	if n := p.Names(); len(n) != 2 || n[0] != (Name{"year", 1}) || n[1] != (Name{"month", 3}) {
		t.Errorf("names %v", n)
	}
	if g, ok := p.Group("month"); g != 3 || !ok {
		t.Errorf("month is group %d, %v", g, ok)
	}
	if _, ok := p.Group("day"); ok {
		t.Error("there is a group day")
	}
	if p.GroupName(3) != "month" || p.GroupName(2) != "" {
		t.Errorf("group 3 is %q, group 2 %q", p.GroupName(3), p.GroupName(2))
	}
}

func TestErrors(t *testing.T) {
	cases := []struct{ pattern, want string }{
		{`[`, "unterminated character set at position 0"},
		{`(ab`, "missing ), unterminated subpattern at position 0"},
		{`abc(x`, "missing ), unterminated subpattern at position 3"},
		{`*`, "nothing to repeat at position 0"},
		{`\q`, `bad escape \q at position 0`},
		{`(?<=a*)b`, "look-behind requires fixed-width pattern at position 0"},
		{"a\nb\n(", "missing ), unterminated subpattern at position 4"},
		{`(?>a)b`, `an atomic group is not supported here, write (?: at position 0`},
		{`(a)?(?(1)b)`, `a conditional is not supported here, write two patterns at position 4`},
		{`a*+`, `a possessive repeat is not supported here, leave out the + at position 2`},
		{`\N{BULLET}`, `\N{...} is not supported here, write the character or \uXXXX at position 0`},
	}
	for _, c := range cases {
		_, bad := Compile(Str(c.pattern), 0)
		if bad == nil || fmt.Sprintf("%s at position %d", bad.Msg, bad.Pos) != c.want {
			t.Errorf("%s: got %v, want %s", c.pattern, bad, c.want)
		}
	}
}

func TestEscapeAgainstCPython(t *testing.T) {
	var all strings.Builder
	for r := range rune(0x200) {
		all.WriteRune(r)
	}
	reply := cpython.Start(t).Exec(t, "import re\nprint(ascii(re.escape(''.join(map(chr, range(0x200))))))\n")
	lines := strings.Split(reply.Out, "\n")
	if got := string(pytext.AppendASCII(nil, Escape(all.String()))); got != lines[0] {
		t.Errorf("got %s, want %s", got, lines[0])
	}
	if Escape("plain") != "plain" {
		t.Error("what needs no escape was changed")
	}
}

func TestSubstitutionIsBounded(t *testing.T) {
	p := mustCompile(t, `a`, 0)
	tpl, bad := ParseTemplate(Str(strings.Repeat("x", 1000)), p)
	if bad != nil {
		t.Fatal(bad)
	}
	text := Str(strings.Repeat("a", 1000))
	if _, _, err := p.Sub(text, tpl, 0, 100_000, nil); err != ErrTooLarge {
		t.Errorf("a million characters in a hundred thousand: %v", err)
	}
	if s, n, err := p.Sub(text, tpl, 0, 1_000_000, nil); err != nil || n != 1000 || len(s) != 1_000_000 {
		t.Errorf("%d substitutions, %d characters, %v", n, len(s), err)
	}
}

// TestProgramsAreShared runs one program from several goroutines.
func TestProgramsAreShared(t *testing.T) {
	p := mustCompile(t, `(a)+$|(b)`, 0)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				m, err := p.Exec(Str(strings.Repeat("a", 300)+"cab"), Search, 0, 303, nil)
				if err != nil || m == nil {
					t.Error(m, err)
					return
				}
				if b, _, _ := m.Span(2); b != 302 {
					t.Errorf("found at %d", b)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkSearch(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog, 2024-05-17 user@example.com; ", 1000)
	for _, c := range []struct{ name, pattern string }{
		{"words", `\w+`}, {"date", `(\d{4})-(\d\d)-(\d\d)`}, {"mail", `[\w.]+@[\w.]+\.\w+`}, {"literal", `lazy`},
		{"alternatives", `fox|dog|cat|user`}, {"lazy", `T.*?dog`}, {"lookahead", `\w+(?=,)`}, {"fold", `(?i)QUICK`},
	} {
		p := mustCompile(b, c.pattern, 0)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := p.FindAll(Str(text), 0, len(text), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
