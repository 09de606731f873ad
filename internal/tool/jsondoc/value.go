package jsondoc

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"praxis/fault"
)

// Object is a JSON object whose members keep their order, so that a result
// reaches a plan as the tool wrote it. The zero value is empty and ready. It
// is not safe for concurrent change.
type Object struct {
	Members []Member
	index   map[string]int // built when the object has many members
}

// Member is one name and value of an Object.
type Member struct {
	Name  string
	Value any
}

const indexFrom = 12 // members from which an index pays

// NewObject makes an object of members; of two with the same name the later counts.
func NewObject(members ...Member) *Object {
	o := &Object{Members: make([]Member, 0, len(members))}
	for _, m := range members {
		o.Set(m.Name, m.Value)
	}
	return o
}

// Len returns the number of members.
func (o *Object) Len() int { return len(o.Members) }

// Get returns the value of a member.
func (o *Object) Get(name string) (any, bool) {
	if i := o.find(name); i >= 0 {
		return o.Members[i].Value, true
	}
	return nil, false
}

// Set changes a member or appends it.
func (o *Object) Set(name string, v any) {
	if i := o.find(name); i >= 0 {
		o.Members[i].Value = v
		return
	}
	o.Members = append(o.Members, Member{Name: name, Value: v})
	if o.index != nil {
		o.index[name] = len(o.Members) - 1
	} else if len(o.Members) > indexFrom {
		o.index = make(map[string]int, 2*len(o.Members))
		for i, m := range o.Members {
			o.index[m.Name] = i
		}
	}
}

// All iterates over the members in their order.
func (o *Object) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, m := range o.Members {
			if !yield(m.Name, m.Value) {
				return
			}
		}
	}
}

func (o *Object) find(name string) int {
	if o.index != nil {
		if i, ok := o.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range o.Members {
		if o.Members[i].Name == name {
			return i
		}
	}
	return -1
}

// MarshalJSON writes the members in their order.
func (o *Object) MarshalJSON() ([]byte, error) { return appendObject(nil, o) }

func appendObject(b []byte, o *Object) (_ []byte, err error) {
	b = append(b, '{')
	for i, m := range o.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, m.Name), ':')
		if b, err = appendValue(b, m.Value); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// appendValue writes a value as json.Marshal does, which would read what
// objects write once more at every level.
func appendValue(b []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case *Object:
		if v != nil {
			return appendObject(b, v)
		}
	case []any:
		if v == nil {
			break
		}
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendValue(b, item); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case string:
		if isPlain(v) {
			return append(append(append(b, '"'), v...), '"'), nil
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(b, text...), nil
}

// isPlain reports whether JSON writes a string without escapes.
func isPlain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c >= 0x7f, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

// Decode reads one JSON value exactly: objects become *Object with their
// order kept, numbers json.Number. Duplicate names, invalid UTF-8, nesting
// deeper than MaxDepth and anything after the value are refused.
func Decode(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, fault.New(fault.Invalid, "Write it as UTF-8.", "cannot read JSON: the text is not UTF-8")
	}
	s := newScanner(string(data))
	v := s.value(0)
	if s.bad == nil {
		s.end()
	}
	if s.bad != nil {
		line, col := LineCol(data, s.bad.at)
		return nil, fault.New(fault.Invalid, s.bad.remedy, "cannot read JSON: line %d, column %d: %s", line, col, s.bad.what)
	}
	return v, nil
}

// IsObject reports whether v is an object, in one of the two forms that it may have.
func IsObject(v any) bool {
	switch v := v.(type) {
	case *Object:
		return v != nil
	case map[string]any:
		return true
	}
	return false
}

// MemberOf returns a member of an object in either form.
func MemberOf(v any, name string) (any, bool) {
	switch v := v.(type) {
	case *Object:
		if v != nil {
			return v.Get(name)
		}
	case map[string]any:
		m, ok := v[name]
		return m, ok
	}
	return nil, false
}

// MemberCount returns how many members an object in either form has.
func MemberCount(v any) int {
	switch v := v.(type) {
	case *Object:
		return v.Len()
	case map[string]any:
		return len(v)
	}
	return 0
}

// Members iterates in the object's order, or by name for a Go map.
func Members(v any) iter.Seq2[string, any] {
	switch v := v.(type) {
	case *Object:
		return v.All()
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		return func(yield func(string, any) bool) {
			for _, name := range names {
				if !yield(name, v[name]) {
					return
				}
			}
		}
	}
	return func(func(string, any) bool) {}
}

// NumberText returns the text of a number in any of the forms that values may
// have, and whether v is a number that JSON can write.
func NumberText(v any) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		return string(v), IsNumber(string(v))
	case *big.Int:
		if v == nil || v.BitLen() > MaxDigits*4 {
			return "", false
		}
		return v.String(), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", false
		}
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}

// IsNumber reports whether s has JSON's form of a number.
func IsNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := Digits(s)
	if whole == 0 || (whole > 1 && s[0] == '0') {
		return false
	}
	s = s[whole:]
	if s != "" && s[0] == '.' {
		n := Digits(s[1:])
		if n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		n := Digits(s)
		if n == 0 {
			return false
		}
		s = s[n:]
	}
	return s == ""
}

// Digits returns how many decimal digits s begins with.
func Digits(s string) int {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

// appendString appends s as a JSON string; invalid UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += n
			continue
		}
		i++
	}
	return append(b, '"')
}

// AppendCanonical appends the canonical JSON of a value: names sorted, numbers
// in one form (1, 1.0 and 10e-1 are the same), no spaces. Two values are equal
// for JSON Schema exactly when their canonical texts are.
func AppendCanonical(b []byte, v any, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("nesting is deeper than %d", MaxDepth)
	}
	var err error
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case string:
		return appendString(b, v), nil
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = AppendCanonical(b, item, depth+1); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
	if IsObject(v) {
		names := make([]string, 0, MemberCount(v))
		for name := range Members(v) {
			names = append(names, name)
		}
		slices.Sort(names)
		b = append(b, '{')
		for i, name := range names {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, name), ':')
			member, _ := MemberOf(v, name)
			if b, err = AppendCanonical(b, member, depth+1); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	text, ok := NumberText(v)
	if !ok {
		return nil, fmt.Errorf("%T is not a JSON value", v)
	}
	d, ok := ParseDecimal(text)
	if !ok {
		return nil, fmt.Errorf("number out of bounds")
	}
	return d.append(b), nil
}

// Canonical returns the canonical text of a value: names sorted, numbers in
// one form, no spaces. It is what hashes are taken over.
func Canonical(v any) ([]byte, error) {
	b, err := AppendCanonical(nil, v, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot write canonical JSON: %w", err)
	}
	return b, nil
}
