// Package json has what module json does in Go: reading and writing JSON texts as
// Python does.
package json

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"praxis/internal/plan/label"
	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// Natives are the natives of module json.
func Natives() []*value.Native {
	return []*value.Native{
		{Name: "json._read", Params: "s, tree, /", Call: readJSON},
		{Name: "json._dumps", Params: "obj, ensure_ascii, indent, item, key, sort_keys, /", Call: jsonDumps},
	}
}

// jsonReader reads JSON as Python does. All that it makes has the text's label.
type jsonReader struct {
	t    *value.Thread
	s    string
	i    int
	l    label.ID
	tree bool                   // make nodes: [kind, payload]
	keys map[string]value.Value // keys that were read, shared
}

func readJSON(t *value.Thread, a *value.Args) (value.Value, error) {
	text := a.Pos[0]
	r := &jsonReader{t: t, s: t.Base(text).Obj.(*value.Str).Text, l: text.Label, tree: a.Pos[1].N != 0}
	if err := t.Step(int64(len(r.s)) / 8); err != nil {
		return value.Value{}, err
	}
	if strings.HasPrefix(r.s, "\ufeff") {
		return value.Value{}, r.fail("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0)
	}
	r.space()
	v, err := r.value()
	if err != nil {
		return value.Value{}, err
	}
	if r.space(); r.i != len(r.s) {
		return value.Value{}, r.fail("Extra data", r.i)
	}
	return v, nil
}

// fail makes a JSONDecodeError about the byte at.
func (r *jsonReader) fail(msg string, at int) error {
	t := r.t
	t.See(r.l)
	m, err := t.Import("json")
	if err != nil {
		return err
	}
	cls, _ := m.Names.Str("JSONDecodeError")
	pos := value.Int(int64(pytext.RuneCount(r.s[:at])))
	v, err := t.Call(cls, []value.Value{t.Str(msg), t.Str(r.s).With(r.l), pos.With(r.l)}, nil, nil)
	if err != nil {
		return err
	}
	return &value.Raise{Exc: v.Obj.(*value.Exception), Label: t.Seen}
}

func (r *jsonReader) space() {
	for r.i < len(r.s) {
		switch r.s[r.i] {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return
		}
	}
}

func (r *jsonReader) peek() byte {
	if r.i < len(r.s) {
		return r.s[r.i]
	}
	return 0
}

// node is a value, or in a tree its node.
func (r *jsonReader) node(kind string, v value.Value) value.Value {
	v.Label = r.l
	if !r.tree {
		return v
	}
	return r.t.List([]value.Value{r.t.Str(kind), v}).With(r.l)
}

// words are the values that are written as words, some of which JSON does not have.
var words = [...]struct {
	word string
	v    value.Value
}{
	{"null", value.None}, {"true", value.Bool(true)}, {"false", value.Bool(false)},
	{"NaN", value.Float(math.NaN())}, {"Infinity", value.Float(math.Inf(1))}, {"-Infinity", value.Float(math.Inf(-1))},
}

// A backslash and a letter of escapes write the character at its place in escaped.
const (
	escapes = `"\/bfnrt`
	escaped = "\"\\/\b\f\n\r\t"
)

func (r *jsonReader) value() (value.Value, error) {
	if err := r.t.Alloc(2 * value.ValueBytes); err != nil {
		return value.Value{}, err
	}
	rest := r.s[r.i:]
	switch c := r.peek(); {
	case c == '"':
		s, err := r.text()
		return r.node("v", s), err
	case c == '{':
		return r.nested(r.object)
	case c == '[':
		return r.nested(r.array)
	case c >= '0' && c <= '9' || c == '-' && !strings.HasPrefix(rest, "-I"):
		return r.number()
	}
	for _, c := range words {
		if strings.HasPrefix(rest, c.word) {
			r.i += len(c.word)
			return r.node("v", c.v), nil
		}
	}
	return value.Value{}, r.fail("Expecting value", r.i)
}

func (r *jsonReader) nested(f func() (value.Value, error)) (value.Value, error) {
	if err := r.t.Enter(" while decoding a JSON document"); err != nil {
		return value.Value{}, err
	}
	defer r.t.Leave()
	if err := r.t.Step(2); err != nil {
		return value.Value{}, err
	}
	r.i++
	r.space()
	return f()
}

func (r *jsonReader) digits() bool {
	start := r.i
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.i++
	}
	return r.i > start
}

func (r *jsonReader) number() (value.Value, error) {
	start := r.i
	if r.peek() == '-' {
		r.i++
	}
	if r.peek() == '0' {
		r.i++
	} else if !r.digits() {
		r.i = start
		return value.Value{}, r.fail("Expecting value", start)
	}
	end, isFloat := r.i, false
	if r.peek() == '.' {
		r.i++
		if r.digits() {
			end, isFloat = r.i, true
		}
		r.i = end
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.i++
		if c := r.peek(); c == '+' || c == '-' {
			r.i++
		}
		if r.digits() {
			end, isFloat = r.i, true
		}
		r.i = end
	}
	text := r.s[start:end]
	if r.tree {
		kind := "i"
		if isFloat {
			kind = "f"
		}
		return r.node(kind, r.t.Str(text)), nil
	}
	if isFloat {
		f, err := pytext.ParseFloat(text)
		if err != nil {
			return value.Value{}, r.t.TextErrorAt(err, r.l)
		}
		return r.node("v", value.Float(f)), nil
	}
	n, large, err := pytext.ParseInt(text, 10)
	if err != nil {
		return value.Value{}, r.t.TextErrorAt(err, r.l)
	}
	if large != nil {
		v, err := r.t.Big(large)
		return r.node("v", v), err
	}
	return r.node("v", value.Int(n)), nil
}

// text reads a string; r is at its quote.
func (r *jsonReader) text() (value.Value, error) {
	begin := r.i
	r.i++
	run := r.i
	var b []byte
	for r.i < len(r.s) {
		c := r.s[r.i]
		switch {
		case c == '"':
			s := r.s[run:r.i]
			if b != nil {
				s = string(append(b, s...))
			}
			r.i++
			return r.share(s)
		case c == '\\':
			b = append(b, r.s[run:r.i]...)
			var err error
			if b, err = r.escape(b, begin); err != nil {
				return value.Value{}, err
			}
			run = r.i
		case c < 0x20:
			return value.Value{}, r.fail("Invalid control character at", r.i)
		default:
			r.i++
		}
	}
	return value.Value{}, r.fail("Unterminated string starting at", begin)
}

func (r *jsonReader) share(s string) (value.Value, error) {
	if len(s) <= 32 {
		if v, ok := r.keys[s]; ok {
			return v, nil
		}
	}
	v, err := r.t.NewStr(s)
	v.Label = r.l
	if len(s) <= 32 && len(r.keys) < 1000 {
		if r.keys == nil {
			r.keys = map[string]value.Value{}
		}
		r.keys[s] = v
	}
	return v, err
}

// escape reads what a backslash begins.
func (r *jsonReader) escape(b []byte, begin int) ([]byte, error) {
	at := r.i
	if at+1 >= len(r.s) {
		return nil, r.fail("Unterminated string starting at", begin)
	}
	r.i += 2
	switch c := r.s[at+1]; c {
	default:
		if i := strings.IndexByte(escapes, c); i >= 0 {
			return append(b, escaped[i]), nil
		}
	case 'u':
		c, ok := r.hex(r.i)
		if !ok {
			return nil, r.fail("Invalid \\uXXXX escape", at+1)
		}
		r.i += 4
		if c >= 0xD800 && c < 0xDC00 && strings.HasPrefix(r.s[r.i:], "\\u") {
			if low, ok := r.hex(r.i + 2); ok && low >= 0xDC00 && low < 0xE000 {
				r.i += 6
				c = 0x10000 + (c-0xD800)<<10 + (low - 0xDC00)
			}
		}
		return utf8.AppendRune(b, c), nil
	}
	return nil, r.fail("Invalid \\escape", at)
}

func (r *jsonReader) hex(at int) (rune, bool) {
	if at+4 > len(r.s) {
		return 0, false
	}
	n, err := strconv.ParseUint(r.s[at:at+4], 16, 32)
	return rune(n), err == nil
}

// more reads what follows an element; done is true at the end.
func (r *jsonReader) more(end byte, what string) (done bool, err error) {
	r.space()
	switch r.peek() {
	case end:
		r.i++
		return true, nil
	case ',':
	default:
		return false, r.fail("Expecting ',' delimiter", r.i)
	}
	comma := r.i
	r.i++
	r.space()
	if r.peek() == end {
		return false, r.fail("Illegal trailing comma before end of "+what, comma)
	}
	return false, nil
}

func (r *jsonReader) array() (value.Value, error) {
	var items []value.Value
	done := r.peek() == ']'
	if done {
		r.i++
	}
	for !done {
		v, err := r.value()
		if err != nil {
			return value.Value{}, err
		}
		items = append(items, v)
		if done, err = r.more(']', "array"); err != nil {
			return value.Value{}, err
		}
	}
	return r.node("a", r.t.List(items)), nil
}

func (r *jsonReader) object() (value.Value, error) {
	t := r.t
	d := t.NewDict()
	var pairs []value.Value
	done := r.peek() == '}'
	if done {
		r.i++
	}
	for !done {
		if r.peek() != '"' {
			return value.Value{}, r.fail("Expecting property name enclosed in double quotes", r.i)
		}
		key, err := r.text()
		if err != nil {
			return value.Value{}, err
		}
		if r.space(); r.peek() != ':' {
			return value.Value{}, r.fail("Expecting ':' delimiter", r.i)
		}
		r.i++
		r.space()
		v, err := r.value()
		if err != nil {
			return value.Value{}, err
		}
		if r.tree {
			pairs = append(pairs, t.Tuple([]value.Value{key, v}).With(r.l))
		} else if err := d.Obj.(*value.Dict).Set(t, key, v); err != nil {
			return value.Value{}, err
		}
		if done, err = r.more('}', "object"); err != nil {
			return value.Value{}, err
		}
	}
	if r.tree {
		d = t.List(pairs)
	}
	return r.node("o", d), nil
}
