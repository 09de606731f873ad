package pytext

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Field is one piece of a str.format template: text, and the replacement field
// that follows it.
type Field struct {
	Literal  string // what comes before the field, with {{ as {
	HasField bool   // false: there is only text
	Name     string // of the value: a keyword, unless Index says which it is
	Index    int    // of the positional value, automatic numbers counted; -1: by name
	Path     []Access
	Verb     rune    // of !r, !s, !a; 0: none
	Spec     []Field // the format specifier: text, or text and fields
}

// Access is one step from a value to a part of it.
type Access struct {
	Attr  bool   // .Name rather than [Name] or [Index]
	Name  string // attribute or key
	Index int    // -1: by Name
}

// ParseTemplate splits a str.format template.
func ParseTemplate(template string) ([]Field, error) {
	var p templateParser
	return p.parse(template, 1)
}

// templateParser knows how the fields are numbered: automatically or by the template.
type templateParser struct {
	next         int
	auto, manual bool
	pieces       int
}

// parse splits a template whose fields' specifiers may nest depth deep.
func (p *templateParser) parse(template string, depth int) (out []Field, err error) {
	for template != "" {
		if p.pieces++; p.pieces > maxPieces {
			return nil, ErrTooLong
		}
		i := until(template, "{}")
		f := Field{Literal: template[:i], Index: -1}
		rest := template[i:]
		switch {
		case rest == "":
			template = ""
		case rest == "{" || rest[0] == '}' && !strings.HasPrefix(rest, "}}"):
			return nil, errorf(ValueError, "Single '%c' encountered in format string", rest[0])
		case rest[1] == rest[0]:
			f.Literal, template = template[:i+1], rest[2:]
		default:
			f.HasField = true
			if template, err = p.field(&f, rest[1:], depth); err != nil {
				return nil, err
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// until returns the place of the first of the characters, or the length of s.
func until(s, chars string) int {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return i
	}
	return len(s)
}

// field reads a field after its opening brace, and returns what follows it.
func (p *templateParser) field(f *Field, s string, depth int) (rest string, err error) {
	i := until(s, "{}:!")
	switch {
	case i == len(s):
		return "", valueError("expected '}' before end of string")
	case s[i] == '{':
		return "", valueError("unexpected '{' in field name")
	}
	if err := f.path(s[:i]); err != nil {
		return "", err
	}
	if err := p.number(f); err != nil {
		return "", err
	}
	mark := s[i]
	s = s[i+1:]
	if mark == '!' {
		verb, size := utf8.DecodeRuneInString(s)
		switch {
		case !strings.ContainsRune("rsa", verb):
			return "", errorf(ValueError, "Unknown conversion specifier %c", verb)
		case s[size:] == "" || s[1] != ':' && s[1] != '}':
			return "", valueError("expected ':' after conversion specifier")
		}
		f.Verb, mark, s = rune(s[0]), s[1], s[2:]
	}
	if mark == '}' {
		return s, nil
	}
	for i, open := 0, 1; i < len(s); i++ {
		switch s[i] {
		case '{':
			open++
		case '}':
			open--
		}
		if open == 0 {
			if depth == 0 && strings.Contains(s[:i], "{") {
				return "", valueError("Max string recursion exceeded")
			}
			f.Spec, err = p.parse(s[:i], depth-1)
			return s[i+1:], err
		}
	}
	return "", valueError("unmatched '{' in format spec")
}

// number numbers a field that has no name, and refuses what mixes numbers and none.
func (p *templateParser) number(f *Field) error {
	auto, manual := f.Name == "", f.Index >= 0
	switch {
	case auto && p.manual:
		return valueError("cannot switch from manual field specification to automatic field numbering")
	case manual && p.auto:
		return valueError("cannot switch from automatic field numbering to manual field specification")
	case auto:
		f.Index = p.next
		p.next++
	}
	p.auto, p.manual = p.auto || auto, p.manual || manual
	return nil
}

// path splits the name of a field into the name or the index of the value, and the
// steps that follow.
func (f *Field) path(text string) error {
	i := until(text, ".[")
	f.Name, f.Index, text = text[:i], fieldIndex(text[:i]), text[i:]
	for text != "" {
		step := Access{Index: -1}
		switch text[0] {
		case '.':
			i := until(text[1:], ".[") + 1
			step.Attr, step.Name, text = true, text[1:i], text[i:]
		case '[':
			closed := false
			if step.Name, text, closed = strings.Cut(text[1:], "]"); !closed {
				return valueError("Missing ']' in format string")
			}
			step.Index = fieldIndex(step.Name)
		default:
			return valueError("Only '.' or '[' may follow ']' in format field specifier")
		}
		if step.Name == "" {
			return valueError("Empty attribute in format string")
		}
		f.Path = append(f.Path, step)
	}
	return nil
}

// fieldIndex returns the number that the digits of text make, or -1.
func fieldIndex(text string) int {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return -1
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return math.MaxInt
	}
	return n
}
