package grounding

import (
	"strings"

	"praxis/internal/safetext"
)

// scanner looks for the end of a placeholder. It knows of brackets, of text and of the
// expressions that stand in text, and no more: what the placeholder means is found out by
// the language's own parser, in the session.
type scanner struct {
	text string
	at   int
}

// maxNested bounds how deep brackets and the expressions in texts may lie.
const maxNested = 100

// scanField reads a placeholder that begins after "{{" and returns where its "}}" is.
// Brackets and quotes must balance: a "}" that closes nothing is the one that ends the
// placeholder, or a mistake.
func scanField(text string) (int, error) {
	s := scanner{text: text}
	if s.expression(0) && strings.HasPrefix(text[s.at:], "}}") {
		return s.at, nil
	}
	end := strings.Index(text, "}}")
	if end < 0 {
		return 0, invalid("%s is never closed", safetext.Quote("{{"+text))
	}
	return 0, invalid("the placeholder %s has brackets or quotes that do not balance", safetext.Quote(strings.TrimSpace(text[:end])))
}

// expression goes on to the "}" that ends an expression with its conversion and format.
func (s *scanner) expression(depth int) bool {
	if depth > maxNested {
		return false
	}
	var open []byte // what closes the brackets that are open
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case '\'', '"', '`':
			if !s.string(depth) {
				return false
			}
			s.at--
		case '(', '[', '{':
			if open = append(open, closer(c)); len(open) > maxNested {
				return false
			}
		case ')', ']', '}':
			if len(open) == 0 {
				return c == '}'
			}
			if open[len(open)-1] != c {
				return false
			}
			open = open[:len(open)-1]
		case '#':
			if end := strings.IndexByte(s.text[s.at:], '\n'); len(open) > 0 && end > 0 {
				s.at += end // a comment inside of brackets, where lines may break
			}
		case ':':
			if len(open) == 0 {
				return s.format(depth)
			}
		}
	}
	return false
}

// format goes on to the "}" that ends a format, which is text with expressions in it.
func (s *scanner) format(depth int) bool {
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '{':
			s.at++
			if !s.expression(depth+1) || s.at >= len(s.text) {
				return false
			}
		case '}':
			return true
		}
	}
	return false
}

// string goes past a text. Those of f-strings and of templates have expressions in them,
// with quotes of their own.
func (s *scanner) string(depth int) bool {
	mark := s.text[s.at : s.at+1]
	before := s.text[:s.at]
	prefix := strings.ToLower(before[len(strings.TrimRight(before, "fFrRtTbBuU")):])
	filled, raw := strings.ContainsAny(prefix, "ft"), strings.Contains(prefix, "r")
	if triple := strings.Repeat(mark, 3); mark != "`" && strings.HasPrefix(s.text[s.at:], triple) {
		mark = triple
	}
	s.at += len(mark)
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.HasPrefix(rest, mark):
			s.at += len(mark)
			return true
		case rest[0] == '\\' && !(raw && len(rest) > 1 && rest[1] == '{'):
			s.at += 2
		case mark == "`" && strings.HasPrefix(rest, "${"), filled && rest[0] == '{' && !strings.HasPrefix(rest, "{{"):
			s.at += strings.IndexByte(rest, '{') + 1
			if !s.expression(depth+1) || s.at >= len(s.text) {
				return false
			}
			s.at++
		case filled && strings.HasPrefix(rest, "{{"):
			s.at += 2
		case rest[0] == '\n' && len(mark) == 1 && mark != "`":
			return false
		default:
			s.at++
		}
	}
	return false
}

func closer(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}
