package jsondoc

import (
	"fmt"
	"strconv"
	"strings"
)

const maxPointer = 1000 // characters

// Pointer is a JSON pointer (RFC 6901) such as "/events/0/title". Where a
// definition says so, a segment "*" stands for every item of a list (or every
// member of an object), as in "/events/*/participants". "" is the whole value.
type Pointer string

// ParsePointer checks that s is a JSON pointer.
func ParsePointer(s string) (Pointer, error) {
	if len(s) > maxPointer {
		return "", fmt.Errorf("a JSON pointer has at most %d characters", maxPointer)
	}
	if s != "" && s[0] != '/' {
		return "", fmt.Errorf("a JSON pointer starts with \"/\"")
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '~' && (i+1 == len(s) || (s[i+1] != '0' && s[i+1] != '1')) {
			return "", fmt.Errorf("\"~\" in a JSON pointer is written \"~0\"")
		}
	}
	return Pointer(s), nil
}

func unescapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
}

// EscapePointer writes a name as a segment of a pointer.
func EscapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

// Segments returns the parts between the slashes, unescaped.
func (p Pointer) Segments() []string {
	if p == "" {
		return nil
	}
	parts := strings.Split(string(p[1:]), "/")
	for i, s := range parts {
		parts[i] = unescapePointer(s)
	}
	return parts
}

// Child returns the pointer to a member of what p points to.
func (p Pointer) Child(name string) Pointer {
	return p + "/" + Pointer(EscapePointer(name))
}

// Index returns the pointer to an item of the list that p points to.
func (p Pointer) Index(i int) Pointer {
	return p + "/" + Pointer(strconv.Itoa(i))
}

// Root returns the first segment: the argument's name for a pointer into arguments.
func (p Pointer) Root() string {
	if s := p.Segments(); len(s) > 0 {
		return s[0]
	}
	return ""
}

// Get returns what the pointer finds in a value; a "*" is a plain name here.
func (p Pointer) Get(v any) (any, bool) {
	for _, seg := range p.Segments() {
		var ok bool
		if v, ok = Part(v, seg); !ok {
			return nil, false
		}
	}
	return v, true
}

// Part returns what one segment of a pointer finds in a value.
func Part(v any, seg string) (any, bool) {
	switch v := v.(type) {
	case []any:
		i, err := strconv.Atoi(seg)
		if err != nil || i < 0 || i >= len(v) || (len(seg) > 1 && seg[0] == '0') {
			return nil, false
		}
		return v[i], true
	default:
		return MemberOf(v, seg)
	}
}
