package pytext

import (
	"strings"
	"unicode/utf8"
)

// Conversion is one piece of a printf-style template: text, and the conversion
// that follows it.
type Conversion struct {
	Literal string // what comes before it, or ends in a % that stands for itself
	Key     string // of %(key)d
	HasKey  bool
	Verb    byte // d, s, …; 0: there is only text
	Spec    Spec // how format lays out the same
}

// maxPieces is how many pieces a template may have: each takes far more memory
// than its text.
const maxPieces = 1 << 18

// ParsePercent splits a printf-style template.
func ParsePercent(template string) ([]Conversion, error) {
	var out []Conversion
	for r := (specReader{template}); r.rest != ""; {
		if len(out) == maxPieces {
			return nil, ErrTooLong
		}
		var c Conversion
		var found bool
		c.Literal, r.rest, found = strings.Cut(r.rest, "%")
		if r.next("%") != 0 {
			c.Literal += "%"
		} else if found {
			if err := c.read(&r, template); err != nil {
				return nil, err
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// read reads what follows the percent sign.
func (c *Conversion) read(r *specReader, template string) (err error) {
	s := &c.Spec
	s.Fill, s.Align, s.Precision = ' ', '>', -1
	if c.HasKey = r.next("(") != 0; c.HasKey {
		closed := false
		if c.Key, r.rest, closed = strings.Cut(r.rest, ")"); !closed {
			return valueError("incomplete format key")
		}
	}
	left, zero := false, false
	for flag := byte(' '); flag != 0; {
		switch flag = r.next("-+ #0"); flag {
		case '-':
			left = true
		case '0':
			zero = true
		case '#':
			s.Alternate = true
		case '+', ' ':
			s.Sign = max(s.Sign, flag) // a plus goes before a space
		}
	}
	if s.Width, err = r.number(); err != nil {
		return err
	}
	if r.next(".") != 0 {
		if s.Precision, err = r.number(); err != nil {
			return err
		}
		s.Precision = max(s.Precision, 0)
	}
	r.next("hlL")
	if r.rest == "" {
		return valueError("incomplete format")
	}
	if c.Verb = r.next("diuoxXeEfFgGsra"); c.Verb == 0 {
		verb, _ := utf8.DecodeRuneInString(r.rest)
		index := RuneCount(template[:len(template)-len(r.rest)])
		return errorf(ValueError, "unsupported format character '%c' (0x%x) at index %d", verb, verb, index)
	}
	switch s.Type = rune(c.Verb); c.Verb {
	case 'i', 'u':
		s.Type = 'd'
	case 's', 'r', 'a':
		s.Type, s.Sign, s.Alternate, zero = 's', 0, false, false
	}
	switch {
	case left:
		s.Align = '<'
	case zero:
		s.Fill, s.Align = '0', '='
	}
	return nil
}
