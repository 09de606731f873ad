package pystub

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"praxis/internal/safetext"
	"praxis/internal/tool"
)

// isKeyword says whether Python keeps a word for itself everywhere.
func isKeyword(s string) bool { return s == "__debug__" || tool.IsKeyword(s) }

// isIdentifier says whether a name can be written in Python as it is. Only
// ASCII counts: Python folds other letters together, so that two names would
// become one.
func isIdentifier(s string) bool {
	if s == "" || (s[0] >= '0' && s[0] <= '9') || isKeyword(s) {
		return false
	}
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return false
		}
	}
	return true
}

func isWordByte(b byte) bool {
	return b == '_' || (b >= '0' && b <= '9') || (b|0x20 >= 'a' && b|0x20 <= 'z')
}

// identifier returns the nearest name that Python allows.
func identifier(s string) string {
	if isKeyword(s) {
		return s + "_"
	}
	var b strings.Builder
	for _, r := range safetext.Clip(s, maxIdentifier) {
		if r < utf8.RuneSelf && isWordByte(byte(r)) {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	if out := b.String(); out == "" || (out[0] >= '0' && out[0] <= '9') {
		return "_" + out
	}
	return b.String()
}

const (
	maxIdentifier = 100
	maxUnderlines = 8 // that distinguish names before numbers do
)

// identifiers returns for each name how it is written in Python, without two
// being the same. Names that need no change keep theirs.
func identifiers(names []string) []string {
	out := make([]string, len(names))
	taken := make(map[string]bool, len(names))
	for i, name := range names {
		if isIdentifier(name) {
			out[i], taken[name] = name, true
		}
	}
	next := map[string]int{}
	for i, name := range names {
		if out[i] != "" {
			continue
		}
		base := identifier(name)
		try := base
		for n := next[base]; taken[try]; n++ {
			if try = base + strings.Repeat("_", n+1); n >= maxUnderlines {
				try = base + "_" + strconv.Itoa(n)
			}
			next[base] = n
		}
		out[i], taken[try] = try, true
	}
	return out
}

// camel makes the name of a class: "open orders" becomes "OpenOrders". It is
// "" when no character of the text may be in one.
func camel(s string) string {
	var b strings.Builder
	upper := true
	for i := 0; i < len(s) && b.Len() < 48; i++ {
		c := s[i]
		switch {
		case !isWordByte(c) || c == '_':
			upper = true
			continue
		case b.Len() == 0 && c >= '0' && c <= '9':
			continue
		case upper && c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		}
		upper = false
		b.WriteByte(c)
	}
	return b.String()
}

// singular returns the name of one of several things, as far as the ending shows it.
func singular(s string) string {
	low := strings.ToLower(s)
	switch {
	case len(s) < 4 || strings.HasSuffix(low, "ss") || strings.HasSuffix(low, "us") || strings.HasSuffix(low, "is") || strings.HasSuffix(low, "series") || strings.HasSuffix(low, "news"):
		return s
	case strings.HasSuffix(low, "ies"):
		return s[:len(s)-3] + "y"
	case strings.HasSuffix(low, "sses"), strings.HasSuffix(low, "xes"), strings.HasSuffix(low, "ches"), strings.HasSuffix(low, "shes"), strings.HasSuffix(low, "uses"):
		return s[:len(s)-2]
	case strings.HasSuffix(low, "s"):
		return s[:len(s)-1]
	}
	return s
}

// quote writes a string of Python in which everything can be seen.
func quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\ufffd`)
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || (r >= 0x7f && r < 0xa0):
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff && safetext.Hidden(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case safetext.Hidden(r) || r == 0x200c || r == 0x200d:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	b.WriteByte('"')
	return b.String()
}

// summary is the first sentence of a description.
func summary(s string, n int) string {
	s = strings.Join(strings.Fields(safetext.Clip(s, 4*n+64)), " ")
	for i := 0; i+1 < len(s); i++ {
		if (s[i] == '.' || s[i] == '!' || s[i] == '?') && s[i+1] == ' ' && i > 10 && !strings.HasSuffix(s[:i], "e.g") && !strings.HasSuffix(s[:i], "i.e") {
			s = s[:i+1]
			break
		}
	}
	return safetext.Clip(safetext.Line(s), n)
}
