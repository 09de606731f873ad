package literal

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/internal/language"
)

// kind is what a node of code is.
type kind uint8

const (
	name kind = iota
	keyword
	number
	text
	operator
	group // in brackets
	newline
)

// node is a token, or what stands in brackets.
type node struct {
	kind      kind
	text      string
	items     [][]node // of a group: what commas and ends of lines separate
	stretches []string // of a text: what stands between its fields
	holes     [][]node // of a text: the expressions of its fields
}

func (n node) is(text string) bool {
	return n.text == text && (n.kind == operator || n.kind == keyword)
}

// operators of more than one character, the longer ones first.
var operators = []string{"===", "!==", "**=", "//=", ">>=", "<<=", "...", "==", "!=", "<=", ">=", "**", "//", "->", "=>", ":=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "&&", "||", "??", "?.", "<<", ">>"}

// tokens cuts code into tokens.
func (r *reader) tokens(code string, depth int) []node {
	var out []node
	for _, s := range r.spans(code) {
		switch s.Class {
		case language.Comment, language.Decorator:
		case language.Text:
			out = append(out, r.textNode(s.Text, depth))
		case language.Number:
			out = append(out, node{kind: number, text: s.Text})
		default:
			out = plain(out, s)
		}
	}
	return out
}

// plain cuts a span that is no literal.
func plain(out []node, s language.Span) []node {
	for rest := s.Text; rest != ""; {
		c, size := utf8.DecodeRuneInString(rest)
		n := node{kind: operator, text: rest[:size]}
		switch {
		case c == '\n':
			n.kind = newline
		case unicode.IsSpace(c):
			rest = rest[size:]
			continue
		case unicode.IsLetter(c) || c == '_' || c == '$' && !strings.HasPrefix(rest, "${"):
			n.kind = name
			if s.Class == language.Keyword {
				n.kind = keyword
			}
			for size < len(rest) {
				c, more := utf8.DecodeRuneInString(rest[size:])
				if !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '$' {
					break
				}
				size += more
			}
			n.text = rest[:size]
		case strings.HasPrefix(rest, "${"):
			n.text, size = "{", 2
		default:
			for _, o := range operators {
				if strings.HasPrefix(rest, o) {
					n.text, size = o, len(o)
					break
				}
			}
		}
		out, rest = append(out, n), rest[size:]
	}
	return out
}

// tree nests tokens by their brackets, up to the one that closes. It returns what is left.
func tree(tokens []node, depth int) (items [][]node, rest []node) {
	var item []node
	end := func() {
		if len(item) > 0 {
			items = append(items, item)
		}
		item = nil
	}
	for len(tokens) > 0 {
		t := tokens[0]
		tokens = tokens[1:]
		switch {
		case t.kind == newline:
			// A line goes on where it ends with an operator or the next begins with one.
			if len(item) > 0 && item[len(item)-1].kind != operator && !(len(tokens) > 0 && tokens[0].kind == operator && !strings.Contains("([{", tokens[0].text)) {
				item = append(item, t)
			}
		case t.is(";"):
			end()
		case t.is(",") && depth > 0:
			end()
		case t.is("(") || t.is("[") || t.is("{"):
			g := node{kind: group, text: t.text}
			g.items, tokens = tree(tokens, depth+1)
			item = append(item, g)
		case t.is(")") || t.is("]") || t.is("}"):
			if depth > 0 {
				end()
				return items, tokens
			}
		default:
			item = append(item, t)
		}
	}
	end()
	return items, nil
}

// lines ends items where their lines end: at the top, and in braces, which may be a block.
func lines(items [][]node) [][]node {
	var out [][]node
	for _, item := range items {
		from := 0
		for i, n := range item {
			if n.kind == newline {
				if i > from {
					out = append(out, item[from:i])
				}
				from = i + 1
			}
		}
		if from < len(item) {
			out = append(out, item[from:])
		}
	}
	return out
}

// settle removes the ends of lines that mean nothing, and splits at the others.
func settle(items [][]node, depth int) [][]node {
	for _, item := range items {
		for i := range item {
			n := &item[i]
			if n.kind != group || depth > maxDepth {
				continue
			}
			n.items = settle(n.items, depth+1)
			if n.text == "{" {
				n.items = lines(n.items)
				continue
			}
			for k, inner := range n.items {
				n.items[k] = joined(inner)
			}
		}
	}
	return items
}

func joined(item []node) []node {
	var out []node
	for _, n := range item {
		if n.kind != newline {
			out = append(out, n)
		}
	}
	return out
}

// nested says that brackets lie deeper than they are read.
func nested(tokens []node) bool {
	depth := 0
	for _, t := range tokens {
		switch {
		case t.is("(") || t.is("[") || t.is("{"):
			if depth++; depth > maxDepth {
				return true
			}
		case t.is(")") || t.is("]") || t.is("}"):
			depth--
		}
	}
	return false
}

func (r *reader) statements(code string) [][]node { return r.parse(code, 0) }

func (r *reader) parse(code string, depth int) [][]node {
	tokens := r.tokens(code, depth)
	if nested(tokens) {
		return nil
	}
	items, _ := tree(tokens, 0)
	return lines(settle(items, 0))
}

// Texts returns what stands in the texts of code, without escapes and without what is filled
// into them.
func Texts(l language.Language, code string) []string {
	r := reader{spans: l.Spans}
	var out []string
	var walk func(s []node)
	walk = func(s []node) {
		for _, n := range s {
			out = append(out, n.stretches...)
			for _, inner := range append(n.items, n.holes...) {
				walk(inner)
			}
		}
	}
	walk(r.tokens(code, 0))
	return out
}

// textNode reads a text: its stretches without escapes, and the fields in them.
func (r *reader) textNode(source string, depth int) node {
	n := node{kind: text, text: source}
	body := strings.TrimLeft(source, "rRbBuUfFtT")
	prefix := strings.ToLower(source[:len(source)-len(body)])
	if body == "" || strings.IndexByte("\"'`", body[0]) < 0 { // a stretch of a template
		prefix, body = "", source
	}
	for _, quote := range []string{`"""`, "'''", `"`, "'", "`"} {
		if strings.HasPrefix(body, quote) {
			body = strings.TrimSuffix(body[len(quote):], quote)
			break
		}
	}
	body = strings.TrimSuffix(body, "`")
	fields, raw := strings.ContainsAny(prefix, "ft"), strings.Contains(prefix, "r")
	var b strings.Builder
	cut := func() {
		if b.Len() > 0 {
			n.stretches = append(n.stretches, b.String())
			b.Reset()
		}
	}
	for body != "" {
		switch {
		case body[0] == '\\' && !raw && len(body) > 1:
			c, size := unescape(body)
			if body = body[size:]; c < ' ' {
				cut()
				continue
			}
			b.WriteRune(c)
		case fields && (strings.HasPrefix(body, "{{") || strings.HasPrefix(body, "}}")):
			b.WriteByte(body[0])
			body = body[2:]
		case body[0] == '{' || body[0] == '%':
			size, expression := field(body, fields)
			if size == 0 {
				b.WriteByte(body[0])
				body = body[1:]
				continue
			}
			cut()
			if expression != "" && depth < 4 {
				n.holes = append(n.holes, r.parse(expression, depth+1)...)
			}
			body = body[size:]
		case body[0] == '\n':
			cut()
			body = body[1:]
		default:
			b.WriteByte(body[0])
			body = body[1:]
		}
	}
	cut()
	return n
}

// field measures a field or a directive at the beginning of a text, and returns the
// expression of a field that has one; 0: there is none.
func field(s string, filled bool) (size int, expression string) {
	if s[0] == '%' {
		n := 1 + len(s[1:]) - len(strings.TrimLeft(s[1:], "-+ #0123456789."))
		if n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z') && !(n > 1 && s[1] == ' ') {
			return n + 1, ""
		}
		return 0, ""
	}
	depth, colon := 0, -1
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				switch {
				case !filled:
					return i + 1, ""
				case colon > 0:
					return i + 1, s[1:colon]
				}
				return i + 1, strings.TrimRight(s[1:i], "=! ")
			}
		case ':':
			if depth == 1 && colon < 0 {
				colon = i
			}
		case '\n':
			if !filled {
				return 0, ""
			}
		}
	}
	return 0, ""
}

// unescape reads an escape. What it does not know stands for itself; what is no printed
// character is 0.
func unescape(s string) (rune, int) {
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]
	if digits > 0 && len(s) >= 2+digits {
		if n, err := strconv.ParseUint(s[2:2+digits], 16, 32); err == nil {
			return rune(n), 2 + digits
		}
	}
	switch {
	case strings.HasPrefix(s, `\u{`):
		end := strings.IndexByte(s, '}')
		if end > 0 {
			if n, err := strconv.ParseUint(s[3:end], 16, 32); err == nil {
				return rune(n), end + 1
			}
		}
	case s[1] >= '0' && s[1] <= '7':
		n := 2
		for n < min(len(s), 4) && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		v, _ := strconv.ParseUint(s[1:n], 8, 32) // three digits at the most
		return rune(v), n
	case strings.IndexByte("ntrabfv\n", s[1]) >= 0:
		return 0, 2
	}
	c, size := utf8.DecodeRuneInString(s[1:])
	return c, 1 + size
}
