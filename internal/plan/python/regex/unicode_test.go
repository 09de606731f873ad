package regex

import (
	"fmt"
	"hash/crc32"
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
	patterns := []string{`\w`, `\d`, `\s`, `(?a)\w`, `(?a)\s`, `.`}
	fmt.Fprintf(&code, "import re, zlib\ntext = ''.join(map(chr, range(0x110000)))\nfor i, p in enumerate(%s):\n", pyList(patterns))
	code.WriteString("    got = [x for m in re.finditer(p + '+', text) for x in m.span()]\n    print(len(got), zlib.crc32(repr(got).encode()))\n")
	reply := cpython.Start(t).Exec(t, code.String())
	if reply.Error != "" {
		t.Fatal(reply.Error)
	}
	text := everyRune()
	lines := strings.Fields(reply.Out)
	for i, s := range patterns {
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

func pyList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = pyString(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
