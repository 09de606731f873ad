package pytext

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Target is what a format specifier formats: it decides the defaults.
type Target uint8

// The targets. A bool is formatted as an int.
const (
	ForStr Target = iota
	ForInt
	ForFloat
)

// Separator groups digits.
type Separator byte

// The separators.
const (
	NoSeparator Separator = 0
	Comma       Separator = ','
	Underscore  Separator = '_'
)

// Spec is a parsed format specifier.
type Spec struct {
	Fill      rune
	Type      rune // the default is 's', 'd', or 0 for a float
	Width     int  // -1: none
	Precision int  // -1: none
	Align     byte // one of < > ^ =
	Sign      byte // one of + - and space, or 0
	Group     Separator
	Alternate bool   // #
	TypeName  string // Python's name of the type of the value, for errors
}

// specReader walks over a specifier.
type specReader struct{ rest string }

// next takes one of the characters, or returns 0.
func (r *specReader) next(chars string) byte {
	if r.rest == "" {
		return 0
	}
	for i := 0; i < len(chars); i++ {
		if r.rest[0] == chars[i] {
			r.rest = r.rest[1:]
			return chars[i]
		}
	}
	return 0
}

// number reads digits; -1 when there are none.
func (r *specReader) number() (int, error) {
	n := -1
	for ; r.rest != "" && r.rest[0]-'0' < 10; r.rest = r.rest[1:] {
		if n = max(n, 0); n > math.MaxInt/10-1 {
			return n, valueError("Too many decimal digits in format string")
		}
		n = n*10 + int(r.rest[0]-'0')
	}
	return n, nil
}

// ParseSpec parses the format specifier text for a value of the type typeName.
func ParseSpec(text string, target Target, typeName string) (Spec, error) {
	s := Spec{Fill: ' ', Width: -1, Precision: -1, TypeName: typeName}
	r := specReader{rest: text}
	s.head(&r, target)
	if err := s.numbers(&r); err != nil {
		return s, err
	}
	if r.rest != "" {
		c, size := utf8.DecodeRuneInString(r.rest)
		if size != len(r.rest) {
			return s, errorf(ValueError, "Invalid format specifier '%s' for object of type '%s'", text, typeName)
		}
		s.Type = c
	}
	return s, s.checkGroup()
}

// head reads what comes before the width: fill, align, sign, # and 0.
func (s *Spec) head(r *specReader, target Target) {
	const aligns = "<>^="
	filled := false
	if c, size := utf8.DecodeRuneInString(r.rest); size > 0 && size < len(r.rest) {
		after := specReader{rest: r.rest[size:]}
		if s.Align = after.next(aligns); s.Align != 0 {
			s.Fill, filled, *r = c, true, after
		}
	}
	if s.Align == 0 {
		s.Align = r.next(aligns)
	}
	s.Sign = r.next("+- ")
	s.Alternate = r.next("#") != 0
	zero := !filled && r.next("0") != 0
	if zero {
		s.Fill = '0'
	}
	switch {
	case target == ForStr:
		s.Type = 's'
	case target == ForInt:
		s.Type = 'd'
	}
	switch {
	case s.Align != 0:
	case target == ForStr:
		s.Align = '<'
	case zero:
		s.Align = '='
	default:
		s.Align = '>'
	}
}

// numbers reads the width, the separator and the precision.
func (s *Spec) numbers(r *specReader) (err error) {
	if s.Width, err = r.number(); err != nil {
		return err
	}
	s.Group = Separator(r.next(",_"))
	if r.next(".") == 0 {
		return nil
	}
	if s.Precision, err = r.number(); err == nil && s.Precision < 0 {
		err = valueError("Format specifier missing precision")
	}
	return err
}

// based are the presentation types of the bases other than ten.
const based = "boxX"

// checkGroup refuses a separator that the type does not take.
func (s *Spec) checkGroup() error {
	if s.Group == NoSeparator || strings.ContainsRune("defgEG%F\x00", s.Type) || s.Group == Underscore && strings.ContainsRune(based, s.Type) {
		return nil
	}
	return errorf(ValueError, "Cannot specify '%c' with %s.", s.Group, shownType(s.Type))
}

func (s *Spec) unknownType() error {
	return errorf(ValueError, "Unknown format code %s for object of type '%s'", shownType(s.Type), s.TypeName)
}

// shownType quotes a presentation type as errors show it.
func shownType(c rune) string {
	if c > 32 && c < 128 {
		return fmt.Sprintf("'%c'", c)
	}
	return fmt.Sprintf("'\\x%x'", c)
}

// pad returns the fill characters before and after n characters.
func (s *Spec) pad(n int) (left, right int) {
	if s.Width <= n {
		return 0, 0
	}
	switch total := s.Width - n; s.Align {
	case '<':
		return 0, total
	case '^':
		return total / 2, total - total/2
	default:
		return total, 0
	}
}

// fill appends n fill characters.
func (s *Spec) fill(dst []byte, n int) []byte {
	for ; n > 0; n-- {
		dst = utf8.AppendRune(dst, s.Fill)
	}
	return dst
}

// FormatStr appends format(v, spec). The result may have at most limit bytes.
func FormatStr(dst []byte, v string, s *Spec, limit int) ([]byte, error) {
	switch {
	case s.Type != 's':
		return dst, s.unknownType()
	case s.Sign == ' ':
		return dst, valueError("Space not allowed in string format specifier")
	case s.Sign != 0:
		return dst, valueError("Sign not allowed in string format specifier")
	case s.Alternate:
		return dst, valueError("Alternate form (#) not allowed in string format specifier")
	case s.Align == '=':
		return dst, valueError("'=' alignment not allowed in string format specifier")
	}
	if s.Precision >= 0 && s.Precision < len(v) {
		v = v[:Offset(v, s.Precision)]
	}
	if s.Width <= 0 {
		if len(v) > limit {
			return dst, ErrTooLong
		}
		return append(dst, v...), nil
	}
	left, right := s.pad(RuneCount(v))
	if len(v) > limit || left+right > (limit-len(v))/utf8.RuneLen(s.Fill) {
		return dst, ErrTooLong
	}
	dst = append(s.fill(dst, left), v...)
	return s.fill(dst, right), nil
}
