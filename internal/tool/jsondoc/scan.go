package jsondoc

import (
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"praxis/internal/safetext"
)

// scanner reads the tokens of a JSON text whose UTF-8 has been checked. The
// standard library's decoder gives no places, keeps no order, and takes
// duplicate names.
type scanner struct {
	text string
	at   int
	bad  *jsonError // the first problem; nothing is read after it
	// The line and column of the byte counted: places are counted as tokens are read.
	counted, line, col int
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

// place returns the line and column of the byte at; it may only go forwards.
func (s *scanner) place(at int) (line, col int) {
	for s.counted < at {
		c := s.text[s.counted]
		s.counted++
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
	s.fail(s.at, "not JSON: "+expected+", got "+safetext.Quote(string(r)), "")
}

// literal reads true, false or null.
func (s *scanner) literal(word string) bool {
	if !strings.HasPrefix(s.text[s.at:], word) || (s.at+len(word) < len(s.text) && IsAlnum(s.text[s.at+len(word)])) {
		s.unexpected(s.text[s.at], "expected a value")
		return false
	}
	s.at += len(word)
	return true
}

// number reads a number's text.
func (s *scanner) number() string {
	start := s.at
	for s.at < len(s.text) && (IsAlnum(s.text[s.at]) || strings.IndexByte("+-.", s.text[s.at]) >= 0) {
		s.at++
	}
	text := s.text[start:s.at]
	if !IsNumber(text) {
		s.fail(start, "not JSON: "+safetext.Quote(text)+" is not a number", "")
	} else if _, ok := ParseDecimal(text); !ok {
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
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' || !IsHex(s[2:6]) {
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

// TooDeep says that a document nests too deep.
func TooDeep() string { return "nesting is deeper than " + maxDepthText }

func outOfBounds() string { return "the number is out of bounds (" + maxNumberText + ")" }

func twice(name string) string { return "the name " + safetext.Quote(name) + " stands twice" }

// value reads a value as Decode returns it.
func (s *scanner) value(depth int) any {
	c := s.peek()
	if depth > MaxDepth {
		s.fail(s.at, TooDeep(), "")
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
	slab  []Node
}

// ReadJSON reads a JSON document. It returns nil when r has got a problem.
func ReadJSON(r *Report, data []byte) *Node {
	s := &nodeScanner{scanner: newScanner(string(data))}
	n := s.node(0)
	if s.bad == nil {
		s.end()
	}
	if s.bad != nil {
		line, col := LineCol(data, s.bad.at)
		r.AddAt(Position{r.File, line, col}, s.bad.remedy, "%s", s.bad.what)
		return nil
	}
	return n
}

func (s *nodeScanner) new(kind Kind, at int) *Node {
	if s.count++; s.count > maxNodes {
		s.fail(at, "the document has more than "+maxNodesText+" values", "Split the file.")
	}
	if len(s.slab) == 0 {
		s.slab = make([]Node, min(512, 16+s.count))
	}
	n := &s.slab[0]
	s.slab = s.slab[1:]
	line, col := s.place(at)
	n.Kind, n.Line, n.Col = kind, int32(line), int32(col)
	return n
}

func (s *nodeScanner) node(depth int) *Node {
	c := s.peek()
	if depth > MaxDepth {
		s.fail(s.at, TooDeep(), "")
		return nil
	}
	switch c {
	case '"':
		n := s.new(String, s.at)
		n.Text = s.string()
		return n
	case 't', 'f':
		n := s.new(Bool, s.at)
		if n.Text = "true"; c == 'f' {
			n.Text = "false"
		}
		s.literal(n.Text)
		return n
	case 'n':
		n := s.new(Null, s.at)
		s.literal("null")
		return n
	case '[':
		n := s.new(List, s.at)
		s.items(func() { n.Items = append(n.Items, s.node(depth+1)) })
		return n
	case '{':
		n := s.new(Map, s.at)
		seen := keySet{}
		s.members(func(name string, at int) {
			key := s.new(String, at)
			if key.Text = name; seen.add(n.Keys, key) != nil {
				s.fail(at, twice(name), "Remove one of them.")
				return
			}
			n.Keys, n.Items = append(n.Keys, key), append(n.Items, s.node(depth+1))
		})
		return n
	}
	if c == '-' || (c >= '0' && c <= '9') {
		n := s.new(Number, s.at)
		n.Text = s.number()
		return n
	}
	s.unexpected(c, "expected a value")
	return nil
}

// IsHex reports whether all of s is hexadecimal digits.
func IsHex(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (s[i] < '0' || s[i] > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// IsAlnum reports whether c is an ASCII letter or digit.
func IsAlnum(c byte) bool {
	return (c >= '0' && c <= '9') || (c|0x20 >= 'a' && c|0x20 <= 'z')
}

// AllDigits reports whether s has decimal digits and nothing else.
func AllDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
