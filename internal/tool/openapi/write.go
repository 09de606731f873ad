package openapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

const lineWidth = 110

// writer writes YAML: mappings of blocks, small ones in one line.
type writer struct{ b strings.Builder }

// comment writes a line of comment.
func (w *writer) comment(indent int, text string) {
	w.b.WriteString(strings.Repeat(" ", indent) + "# " + safetext.OneLine(text, 300) + "\n")
}

// members writes a mapping's members, each on lines of its own.
func (w *writer) members(o *jsondoc.Object, indent int) {
	for name, v := range o.All() {
		w.b.WriteString(strings.Repeat(" ", indent))
		w.member(name, v, indent)
	}
}

func (w *writer) member(name string, v any, indent int) {
	key := scalarText(name) + ":"
	if text, ok := block(v, indent+2); ok {
		w.b.WriteString(key + " " + text)
		return
	}
	if flow, ok := flowText(v, lineWidth-indent-len(key)); ok {
		w.b.WriteString(key + " " + flow + "\n")
		return
	}
	w.b.WriteString(key + "\n")
	switch v := v.(type) {
	case *jsondoc.Object:
		w.members(v, indent+2)
	case []any:
		for _, item := range v {
			w.b.WriteString(strings.Repeat(" ", indent+2) + "- ")
			w.item(item, indent+2)
		}
	}
}

// item writes an item of a list after its dash.
func (w *writer) item(v any, indent int) {
	if flow, ok := flowText(v, lineWidth-indent-2); ok {
		w.b.WriteString(flow + "\n")
		return
	}
	o, ok := v.(*jsondoc.Object)
	if !ok {
		flow, _ := flowText(v, 1<<30)
		w.b.WriteString(flow + "\n")
		return
	}
	first := true
	for name, member := range o.All() {
		if !first {
			w.b.WriteString(strings.Repeat(" ", indent+2))
		}
		first = false
		w.member(name, member, indent+2)
	}
}

// block writes a string of several lines as they are, if YAML gives back the same.
func block(v any, indent int) (string, bool) {
	s, ok := v.(string)
	if !ok || !strings.Contains(s, "\n") || strings.HasSuffix(s, "\n") || s[0] == ' ' || s[0] == '\n' || strings.ContainsFunc(s, func(r rune) bool {
		return r != '\n' && !plainRune(r)
	}) {
		return "", false
	}
	var b strings.Builder
	b.WriteString("|-\n")
	for line := range strings.SplitSeq(s, "\n") {
		if strings.TrimRight(line, " ") != line {
			return "", false
		}
		if line != "" {
			b.WriteString(strings.Repeat(" ", indent) + line)
		}
		b.WriteByte('\n')
	}
	return b.String(), true
}

// flowText writes a value in one line, if it is not longer than width. Mappings
// nest three deep at most, so that the eye can follow.
func flowText(v any, width int) (string, bool) {
	if width < 1<<20 && nesting(v) > 3 {
		return "", false
	}
	var b strings.Builder
	if !flow(&b, v, width) {
		return "", false
	}
	return b.String(), true
}

func nesting(v any) int {
	o, ok := v.(*jsondoc.Object)
	if !ok {
		return 0
	}
	deepest := 0
	for _, member := range o.All() {
		if deepest = max(deepest, nesting(member)); deepest > 3 {
			break
		}
	}
	return deepest + 1
}

func flow(b *strings.Builder, v any, width int) bool {
	switch v := v.(type) {
	case *jsondoc.Object:
		b.WriteByte('{')
		first := true
		for name, member := range v.All() {
			if !first {
				b.WriteString(", ")
			}
			first = false
			b.WriteString(scalarText(name) + ": ")
			if !flow(b, member, width) {
				return false
			}
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			if !flow(b, item, width) {
				return false
			}
		}
		b.WriteByte(']')
	case string:
		b.WriteString(scalarText(v))
	case json.Number:
		b.WriteString(string(v))
	case nil:
		b.WriteString("null")
	default:
		fmt.Fprint(b, v)
	}
	return b.Len() <= width
}

// scalarText writes a string, in quotes unless no reader of YAML could take it for
// something else.
func scalarText(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case plainRune(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainRune reports whether YAML lets a character stand as it is.
func plainRune(r rune) bool {
	return r >= ' ' && r <= '~' || r >= 0xa0 && r < 0xd800 && r != 0x2028 && r != 0x2029 || r >= 0xe000 && r < 0xfff0 && r != 0xfeff ||
		r > 0xffff && r <= utf8.MaxRune && r&0xfffe != 0xfffe
}

func isPlain(s string) bool {
	if s == "" || len(s) > 200 || s[len(s)-1] == ' ' {
		return false
	}
	if c := s[0]; !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '$') {
		return strings.Count(s, ".") == 2 && strings.Trim(s, "0123456789.") == "" // 1.0.0
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf":
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" ._-/()+;'$", r))
	})
}
