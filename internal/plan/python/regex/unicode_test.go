package regex

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

// everyRune is all code points, surrogates included, in order.
func everyRune() Text {
	out := make([]rune, 0x110000)
	for i := range out {
		out[i] = rune(i)
	}
	return Runes(out)
}

// TestClassesAgainstCPython compares every character.
func TestClassesAgainstCPython(t *testing.T) {
	var code strings.Builder
	patterns := []string{`\w`, `\d`, `\s`, `(?a)\w`, `(?a)\s`, `.`, `(?i)[\W\d]`, `(?i)[^\w\s]`, `(?i)[a-\u0500]`, `(?i)[\u0100-\U00010410]`, `(?i)[^\u1c80-\ua7ff]`, `(?ai)[\x00-\u212a]`}
	whole := len(patterns)
	r := rand.New(rand.NewPCG(3, 9))
	ranges := 10
	if *all {
		ranges = 60
	}
	for range ranges {
		lo := rune(r.IntN(0x2200))
		if r.IntN(3) == 0 {
			lo = 0xa600 + rune(r.IntN(0x7a00))
		}
		if r.IntN(4) == 0 {
			lo = 0x10380 + rune(r.IntN(0x1000))
		}
		hi := lo + rune(r.IntN(200))
		patterns = append(patterns, fmt.Sprintf(`(?i)[\U%08x-\U%08x]`, lo, hi))
	}
	fmt.Fprintf(&code, "import re, zlib\ntext = ''.join(map(chr, range(0x110000)))\nfor i, p in enumerate(%s):\n", pyList(patterns))
	fmt.Fprintf(&code, "    if i == %d: text = text[:0x12000]\n", whole)
	code.WriteString("    got = [x for m in re.finditer(p + '+', text) for x in m.span()]\n    print(len(got), zlib.crc32(repr(got).encode()))\n")
	reply := cpython.Start(t).Exec(t, code.String())
	if reply.Error != "" {
		t.Fatal(reply.Error)
	}
	text := everyRune()
	lines := strings.Fields(reply.Out)
	for i, s := range patterns {
		if i == whole {
			text = Runes(text.wide[:0x12000])
		}
		p, bad := Compile(Str(s+"+"), 0)
		if bad != nil {
			t.Fatal(bad)
		}
		all, err := p.FindAll(text, 0, text.Len(), nil)
		if err != nil {
			t.Fatal(err)
		}
		at := make([]int, 2*len(all))
		for j, m := range all {
			at[2*j], at[2*j+1], _ = m.Span(0)
		}
		list := strings.ReplaceAll(fmt.Sprint(at), " ", ", ")
		if got, want := fmt.Sprint(len(at), " ", crc32.ChecksumIEEE([]byte(list))), lines[2*i]+" "+lines[2*i+1]; got != want {
			t.Errorf("%s: got %s, want %s", s, got, want)
		}
	}
}

// TestLatinTable compares the table of the first 256 characters with the functions
// whose results it has.
func TestLatinTable(t *testing.T) {
	for u := range 2 {
		for c := catDigit; c <= catNotWord; c++ {
			s := newCharset([]item{{cat: c}}, false, Flags(u)*Unicode)
			for r := range rune(256) {
				if got, want := s.has(r), inCategory(c, r, u == 1); got != want {
					t.Errorf("unicode %d, category %d: %U is %v in the table, %v otherwise", u, c, r, got, want)
				}
			}
		}
	}
}

// TestCaseAgainstCPython matches every character that has a case against all
// the others.
func TestCaseAgainstCPython(t *testing.T) {
	const code = `
import re, _sre
cased = ''.join(chr(c) for c in range(0x110000) if _sre.unicode_iscased(c))
for c in cased[::STEP]:
    print(','.join(hex(ord(x)) for x in re.findall('(?i)' + c, cased)), ','.join(hex(ord(x)) for x in re.findall('(?i)[' + c + '0]', cased)))
`
	step, least := 20, 100
	if *all {
		step, least = 1, 2000
	}
	reply, err := cpython.Start(t).Run(cpython.Program{Code: fmt.Sprint("STEP = ", step, code), Seconds: 120})
	if err != nil || reply.Error != "" {
		t.Fatal(err, reply.Error)
	}
	lines := strings.Split(strings.TrimSpace(reply.Out), "\n")
	cased := map[rune]bool{}
	var everyone []rune
	for c := rune(0); c < 0x110000; c++ {
		var buf [maxSame]rune
		if len(foldings(buf[:0], c)) > 1 {
			everyone = append(everyone, c)
			cased[c] = true
		}
	}
	if len(lines) < least || len(everyone) < 2000 {
		t.Fatalf("%d characters with case in CPython, %d here", len(lines), len(everyone))
	}
	text := Runes(everyone)
	for _, line := range lines {
		one, set, _ := strings.Cut(line, " ")
		var c rune
		for _, s := range strings.Split(one, ",") {
			if fmt.Sscanf(s, "0x%x", &c); !cased[c] && one != s {
				t.Fatalf("%s has a case in CPython", s)
			}
		}
		if !cased[c] {
			continue // cased, but alone
		}
		for i, pattern := range []string{string(c), "[" + string(c) + "0]"} {
			p, bad := Compile(Str(pattern), IgnoreCase)
			if bad != nil {
				t.Fatal(bad)
			}
			found, err := p.FindAll(text, 0, text.Len(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range found {
				at, _, _ := m.Span(0)
				got = append(got, fmt.Sprintf("0x%x", text.At(at)))
			}
			if g, w := strings.Join(got, ","), []string{one, set}[i]; g != w {
				t.Errorf("%q: got %s, want %s", pattern, g, w)
			}
		}
	}
}

func pyList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = pyString(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
