package tool

import (
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads the tokens of a JSON text whose UTF-8 has been checked. The
// standard library's decoder gives no places, keeps no order, and takes
// duplicate names.
type scanner struct {
	text string
	at   int
	bad  *jsonError // the first problem; nothing is read after it
	// The place of the byte told, counted up to as tokens are read.
	told, line, col int
}

type jsonError struct {
	at           int
	what, remedy string
}

func newScanner(text string) *scanner { return &scanner{text: text, line: 1, col: 1} }

func (s *scanner) fail(at int, what, remedy string) {
	if s.bad == nil {
		s.bad = &jsonError{at, what, remedy}
	}
	s.at = len(s.text)
}

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// place tells line and column of the byte at; it may only go forwards.
func (s *scanner) place(at int) (line, col int) {
	for s.told < at {
		c := s.text[s.told]
		s.told++
		switch {
		case c == '\n':
			s.line, s.col = s.line+1, 1
		case c&0xc0 != 0x80: // the first byte of a character
			s.col++
		}
	}
	return s.line, s.col
}

// expect reads one punctuation mark.
func (s *scanner) expect(c byte) bool {
	if got := s.peek(); got != c {
		s.unexpected(got, "expected "+string(rune(c)))
		return false
	}
	s.at++
	return true
}

func (s *scanner) unexpected(c byte, expected string) {
	if c == 0 && s.at >= len(s.text) {
		s.fail(s.at, "the JSON text ends too early: "+expected, "")
		return
	}
	r, _ := utf8.DecodeRuneInString(s.text[s.at:])
	s.fail(s.at, "not JSON: "+expected+", got "+quote(string(r)), "")
}

// literal reads true, false or null.
func (s *scanner) literal(word string) bool {
	if !strings.HasPrefix(s.text[s.at:], word) || (s.at+len(word) < len(s.text) && alnum(s.text[s.at+len(word)])) {
		s.unexpected(s.text[s.at], "expected a value")
		return false
	}
	s.at += len(word)
	return true
}

// number reads a number's text.
func (s *scanner) number() string {
	start := s.at
	for s.at < len(s.text) && (alnum(s.text[s.at]) || strings.IndexByte("+-.", s.text[s.at]) >= 0) {
		s.at++
	}
	text := s.text[start:s.at]
	if !isNumber(text) {
		s.fail(start, "not JSON: "+quote(text)+" is not a number", "")
	} else if _, ok := parseDecimal(text); !ok {
		s.fail(start, outOfBounds(), "")
	}
	return text
}

// string reads a string at its opening quote.
func (s *scanner) string() string {
	start := s.at
	s.at++
	for i := s.at; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			text := s.text[s.at:i]
			s.at = i + 1
			return text
		case c == '\\':
			return s.escaped(start, i)
		case c < 0x20:
			s.fail(i, "not JSON: a control character in a string", `Write it as an escape such as \n.`)
			return ""
		}
	}
	s.fail(start, "the JSON text ends inside of a string", "")
	return ""
}

// escaped reads the rest of a string from its first escape.
func (s *scanner) escaped(start, i int) string {
	b := []byte(s.text[s.at:i])
	for i < len(s.text) {
		c := s.text[i]
		switch {
		case c == '"':
			s.at = i + 1
			return string(b)
		case c < 0x20:
			s.fail(i, "not JSON: a control character in a string", `Write it as an escape such as \n.`)
			return ""
		case c != '\\':
			b = append(b, c)
			i++
			continue
		}
		r, n := unescape(s.text[i:])
		if n == 0 {
			s.fail(i, "not JSON: an unknown escape in a string", `Write a backslash as \\.`)
			return ""
		}
		b = utf8.AppendRune(b, r)
		i += n
	}
	s.fail(start, "the JSON text ends inside of a string", "")
	return ""
}

// unescape reads an escape and its length, 0 for none. Half a surrogate pair
// becomes U+FFFD.
func unescape(s string) (rune, int) {
	if len(s) < 2 {
		return 0, 0
	}
	if i := strings.IndexByte(`"\/bfnrt`, s[1]); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), 2
	}
	r := hex4(s)
	if r < 0 {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if low := hex4(s[6:]); low >= 0 {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

// hex4 reads \uXXXX, -1 for something else.
func hex4(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' || !isHex(s[2:6]) {
		return -1
	}
	var r rune
	for i := 2; i < 6; i++ {
		c := s[i]
		if c > '9' {
			c = (c | 0x20) - 'a' + '0' + 10
		}
		r = r<<4 | rune(c-'0')
	}
	return r
}

func tooDeep() string { return "nesting is deeper than " + maxDepthText }

func outOfBounds() string { return "the number is out of bounds (" + maxNumberText + ")" }

func twice(name string) string { return "the name " + quote(name) + " stands twice" }

// value reads a value as DecodeJSON returns it.
func (s *scanner) value(depth int) any {
	c := s.peek()
	if depth > MaxDepth {
		s.fail(s.at, tooDeep(), "")
		return nil
	}
	switch c {
	case '"':
		return s.string()
	case 't':
		return s.literal("true")
	case 'f':
		s.literal("false")
		return false
	case 'n':
		s.literal("null")
		return nil
	case '[':
		list := []any{}
		s.items(func() { list = append(list, s.value(depth+1)) })
		return list
	case '{':
		o := &Object{}
		s.members(func(name string, at int) {
			if o.find(name) >= 0 {
				s.fail(at, twice(name), "Remove one of them.")
				return
			}
			o.Set(name, s.value(depth+1))
		})
		return o
	}
	if c == '-' || (c >= '0' && c <= '9') {
		return json.Number(s.number())
	}
	s.unexpected(c, "expected a value")
	return nil
}

// items reads a list, calling item for each.
func (s *scanner) items(item func()) {
	s.at++
	if s.peek() == ']' {
		s.at++
		return
	}
	for s.bad == nil {
		item()
		if s.peek() != ',' {
			s.expect(']')
			return
		}
		s.at++
	}
}

// members reads an object, calling member after each name and its colon.
func (s *scanner) members(member func(name string, at int)) {
	s.at++
	if s.peek() == '}' {
		s.at++
		return
	}
	for s.bad == nil {
		if c := s.peek(); c != '"' {
			s.unexpected(c, `expected a name in quotes or }`)
			return
		}
		at := s.at
		name := s.string()
		if s.bad != nil || !s.expect(':') {
			return
		}
		member(name, at)
		if s.peek() != ',' {
			s.expect('}')
			return
		}
		s.at++
	}
}

// end checks that nothing follows.
func (s *scanner) end() {
	if c := s.peek(); c != 0 || s.at < len(s.text) {
		s.fail(s.at, "there is something after the end of the value", "")
	}
}

// nodes reads values with their places.
type nodeScanner struct {
	*scanner
	count int
	slab  []node
}

// readJSON reads a JSON document. It returns nil when r has got a problem.
func readJSON(r *report, data []byte) *node {
	s := &nodeScanner{scanner: newScanner(string(data))}
	n := s.node(0)
	if s.bad == nil {
		s.end()
	}
	if s.bad != nil {
		line, col := place(data, s.bad.at)
		r.addAt(Position{r.file, line, col}, s.bad.remedy, "%s", s.bad.what)
		return nil
	}
	return n
}

func (s *nodeScanner) new(kind nodeKind, at int) *node {
	if s.count++; s.count > maxNodes {
		s.fail(at, "the document has more than "+maxNodesText+" values", "Split the file.")
	}
	if len(s.slab) == 0 {
		s.slab = make([]node, min(512, 16+s.count))
	}
	n := &s.slab[0]
	s.slab = s.slab[1:]
	line, col := s.place(at)
	n.kind, n.line, n.col = kind, int32(line), int32(col)
	return n
}

func (s *nodeScanner) node(depth int) *node {
	c := s.peek()
	if depth > MaxDepth {
		s.fail(s.at, tooDeep(), "")
		return nil
	}
	switch c {
	case '"':
		n := s.new(stringNode, s.at)
		n.text = s.string()
		return n
	case 't', 'f':
		n := s.new(boolNode, s.at)
		if n.text = "true"; c == 'f' {
			n.text = "false"
		}
		s.literal(n.text)
		return n
	case 'n':
		n := s.new(nullNode, s.at)
		s.literal("null")
		return n
	case '[':
		n := s.new(listNode, s.at)
		s.items(func() { n.items = append(n.items, s.node(depth+1)) })
		return n
	case '{':
		n := s.new(mapNode, s.at)
		seen := keySet{}
		s.members(func(name string, at int) {
			key := s.new(stringNode, at)
			if key.text = name; seen.add(n.keys, key) != nil {
				s.fail(at, twice(name), "Remove one of them.")
				return
			}
			n.keys, n.items = append(n.keys, key), append(n.items, s.node(depth+1))
		})
		return n
	}
	if c == '-' || (c >= '0' && c <= '9') {
		n := s.new(numberNode, s.at)
		n.text = s.number()
		return n
	}
	s.unexpected(c, "expected a value")
	return nil
}
