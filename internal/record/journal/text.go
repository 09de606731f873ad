package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"praxis/event"
)

// Bounds of what stands in a line.
const (
	// blobAbove is the longest string, in bytes, that stands in a record itself.
	blobAbove = 2048
	// maxDepth is how deep objects and arrays may lie in each other.
	maxDepth = 1000
	// reference opens an object that stands for a long string.
	reference = `{"$blob":"`
	sumLength = 64
)

var (
	errEnds   = errors.New("it ends too early")
	errString = errors.New("a string is not valid JSON")
)

// visitor is called for every string of an object, with its quotes, in order.
type visitor func(start, end int, key bool) error

// walk reads the JSON object without white space that begins at b[at] and
// returns where it ends. That b is UTF-8 is for the caller to see to.
func walk(b []byte, at int, visit visitor) (int, error) {
	if at >= len(b) || b[at] != '{' {
		return at, errors.New("there is no object")
	}
	var buf [64]byte
	open := buf[:0] // the closing brackets that are still to come
	for i, wantKey := at, false; ; {
		if i >= len(b) {
			return i, errEnds
		}
		c := b[i]
		switch {
		case c == '"':
			end, err := stringEnd(b, i)
			if err != nil {
				return i, err
			}
			if err := visit(i, end, wantKey); err != nil {
				return i, err
			}
			i = end
			if wantKey {
				if i >= len(b) || b[i] != ':' {
					return i, errors.New("a key has no value")
				}
				i, wantKey = i+1, false
				continue
			}
		case wantKey:
			return i, fmt.Errorf("%q stands where a key should", c)
		case c == '{' || c == '[':
			if len(open) == maxDepth {
				return i, fmt.Errorf("more than %d objects lie in each other", maxDepth)
			}
			open = append(open, c+2) // of both the closing one is two further
			if i++; i < len(b) && b[i] != c+2 {
				wantKey = c == '{'
				continue
			}
		default:
			end, err := scalarEnd(b, i)
			if err != nil {
				return i, err
			}
			i = end
		}
		// A value is complete, or an empty object or array is about to be closed.
		for i < len(b) && len(open) > 0 && b[i] == open[len(open)-1] {
			i, open = i+1, open[:len(open)-1]
		}
		if len(open) == 0 {
			return i, nil
		}
		if i >= len(b) {
			return i, errEnds
		}
		if b[i] != ',' {
			return i, fmt.Errorf("%q stands where ',' or %q should", b[i], open[len(open)-1])
		}
		i, wantKey = i+1, open[len(open)-1] == '}'
	}
}

// special says whether one of eight bytes ends a string, or may not stand in it.
func special(x uint64) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := x^(ones*'"'), x^(ones*'\\')
	return ((x-ones*0x20)&^x|(quote-ones)&^quote|(slash-ones)&^slash)&tops != 0
}

// stringEnd returns where the string that begins at b[i] ends.
func stringEnd(b []byte, i int) (int, error) {
	for i++; ; {
		for i+8 <= len(b) && !special(binary.LittleEndian.Uint64(b[i:])) {
			i += 8
		}
		if i >= len(b) {
			return i, errEnds
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, nil
		case c < 0x20:
			return i, errString
		case c != '\\':
			i++
		default:
			n := escape(b[i:])
			if n == 0 {
				return i, errString
			}
			i += n
		}
	}
}

// escape returns how long the escape is that b begins with, or 0.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && isHex(b[2]|0x20) && isHex(b[3]|0x20) && isHex(b[4]|0x20) && isHex(b[5]|0x20) {
			return 6
		}
	}
	return 0
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// scalarEnd returns where the number or the word that begins at b[i] ends.
func scalarEnd(b []byte, i int) (int, error) {
	for _, word := range []string{"true", "false", "null"} {
		if b[i] == word[0] && len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
			return i + len(word), nil
		}
	}
	start := i
	digits := func() bool {
		from := i
		for i < len(b) && isDigit(b[i]) {
			i++
		}
		return i > from
	}
	if b[i] == '-' {
		i++
	}
	whole := i
	if !digits() || b[whole] == '0' && i > whole+1 {
		return start, fmt.Errorf("%q begins no value", b[start])
	}
	if i < len(b) && b[i] == '.' {
		if i++; !digits() {
			return start, errors.New("a number is not valid JSON")
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return start, errors.New("a number is not valid JSON")
		}
	}
	return i, nil
}

// blobRef is a long string that is kept apart.
type blobRef struct {
	sum   string
	bytes int64
}

// parseRef reads the reference that begins at b[at] and returns its end.
func parseRef(b []byte, at int) (ref blobRef, end int, ok bool) {
	rest := b[at:]
	if !bytes.HasPrefix(rest, []byte(reference)) || len(rest) < len(reference)+sumLength {
		return ref, 0, false
	}
	rest = rest[len(reference):]
	if !validSum(rest[:sumLength]) {
		return ref, 0, false
	}
	ref.sum, rest = string(rest[:sumLength]), rest[sumLength:]
	middle := `","bytes":`
	if !bytes.HasPrefix(rest, []byte(middle)) {
		return ref, 0, false
	}
	rest = rest[len(middle):]
	n, length := number(rest)
	if length == 0 || length == len(rest) || rest[length] != '}' {
		return ref, 0, false
	}
	ref.bytes = n
	return ref, len(b) - len(rest) + length + 1, true
}

// number reads a whole number without leading zeros, and returns how many
// digits it has; 0 when there is none.
func number(b []byte) (n int64, length int) {
	for length < len(b) && isDigit(b[length]) {
		if length == 18 {
			return 0, 0
		}
		n = n*10 + int64(b[length]-'0')
		length++
	}
	if length > 1 && b[0] == '0' {
		return 0, 0
	}
	return n, length
}

func validSum[T string | []byte](s T) bool {
	if len(s) != sumLength {
		return false
	}
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

// checkData says whether data, which begins at b[at], is as a journal holds it,
// and calls found with every string that is kept apart. It returns the end.
func checkData(b []byte, at int, found func(blobRef)) (int, error) {
	skip := 0
	return walk(b, at, func(start, end int, key bool) error {
		if !key || b[start+1] != '$' || b[start+2] == '$' || start < skip {
			return nil
		}
		ref, after, ok := parseRef(b, start-1)
		if !ok {
			return errors.New("a key begins with one $")
		}
		skip = after
		if found != nil {
			found(ref)
		}
		return nil
	})
}

// mask takes secrets out of a text; keys are left alone unless it says so.
type mask struct {
	text func(string) string // nil: there are none
	keys bool
}

// pack makes of the JSON of an event what a journal holds: without secrets, with
// long texts kept apart by put, and one $ more before keys that begin with one.
func pack(b []byte, m mask, put func(string) (string, error)) ([]byte, error) {
	var out []byte
	last := 0
	_, err := walk(b, 0, func(start, end int, key bool) error {
		raw := b[start:end]
		text, changed := "", false
		if m.text != nil && (!key || m.keys) {
			before := unquote(raw)
			text = m.text(before)
			changed = text != before
		}
		if key && !changed && raw[1] != '$' || !key && !changed && len(raw) <= blobAbove+2 {
			return nil
		}
		if !changed {
			text = unquote(raw)
		}
		if !key && !changed && len(text) <= blobAbove {
			return nil
		}
		out = append(out, b[last:start]...)
		last = end
		switch {
		case key && strings.HasPrefix(text, "$"):
			out = append(out, quote("$"+text)...)
		case !key && len(text) > blobAbove:
			sum, err := put(text)
			if err != nil {
				return err
			}
			out = fmt.Appendf(out, reference+`%s","bytes":%d}`, sum, len(text))
		default:
			out = append(out, quote(text)...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if out == nil {
		return b, nil
	}
	return append(out, b[last:]...), nil
}

// unpack undoes pack, with what get returns for texts that are kept apart.
func unpack(b []byte, get func(blobRef) (string, error)) ([]byte, error) {
	var out []byte
	last := 0
	_, err := walk(b, 0, func(start, end int, key bool) error {
		if !key || b[start+1] != '$' || start < last {
			return nil
		}
		if b[start+2] == '$' {
			out = append(append(out, b[last:start]...), '"')
			last = start + 2
			return nil
		}
		ref, after, ok := parseRef(b, start-1)
		if !ok {
			return errors.New("a key begins with one $")
		}
		text, err := get(ref)
		if err != nil {
			return err
		}
		out = append(append(out, b[last:start-1]...), quote(text)...)
		last = after
		return nil
	})
	if err != nil {
		return nil, err
	}
	if out == nil {
		return b, nil
	}
	return append(out, b[last:]...), nil
}

// unquote returns the text of a JSON string that walk has seen.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return ""
	}
	return s
}

// quote writes a text as package event does.
func quote(s string) []byte {
	b, err := event.Encode(s)
	if err != nil { // a string always can be
		return []byte(`""`)
	}
	return b
}
