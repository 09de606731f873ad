package pytext

import (
	"fmt"
	"math"
)

// Field is one piece of a str.format template: text, and the replacement field
// that follows it.
type Field struct {
	Literal  string // what comes before the field, with {{ as {
	HasField bool   // false: the text ends the template, or a part of it
	Name     string // of the value: a keyword, or "" when Index is meant
	Index    int    // of the positional value, automatic numbers counted; -1: by name
	Path     []Access
	Verb     rune    // of !r, !s, !a; 0: none
	Spec     []Field // the format specifier: text, or text and fields
	// Err is raised once the value is there, before it is formatted.
	Err error
}

// Access is one step from a value to a part of it.
type Access struct {
	Attr  bool   // .Name rather than [Name] or [Index]
	Name  string // attribute or key
	Index int    // -1: by Name
}

// RawField is a field as string.Formatter.parse gives it.
type RawField struct {
	Literal  string
	HasField bool
	Name     string
	Spec     string
	Verb     rune // 0: none
	nested   bool // Spec has fields
}

var (
	errAutoNumber   error = &Error{Kind: ValueError, Text: "cannot switch from manual field specification to automatic field numbering"}
	errManualNumber error = &Error{Kind: ValueError, Text: "cannot switch from automatic field numbering to manual field specification"}
	errSingleOpen   error = &Error{Kind: ValueError, Text: "Single '{' encountered in format string"}
	errSingleClose  error = &Error{Kind: ValueError, Text: "Single '}' encountered in format string"}
	errNoClose      error = &Error{Kind: ValueError, Text: "expected '}' before end of string"}
	errOpenInName   error = &Error{Kind: ValueError, Text: "unexpected '{' in field name"}
	errNoVerb       error = &Error{Kind: ValueError, Text: "end of string while looking for conversion specifier"}
	errAfterVerb    error = &Error{Kind: ValueError, Text: "expected ':' after conversion specifier"}
	errOpenInSpec   error = &Error{Kind: ValueError, Text: "unmatched '{' in format spec"}
	errDepth        error = &Error{Kind: ValueError, Text: "Max string recursion exceeded"}
	errEmptyAttr    error = &Error{Kind: ValueError, Text: "Empty attribute in format string"}
	errNoBracket    error = &Error{Kind: ValueError, Text: "Missing ']' in format string"}
	errAfterBracket error = &Error{Kind: ValueError, Text: "Only '.' or '[' may follow ']' in format field specifier"}
)

// ParseTemplate splits a str.format template. With an error it returns the
// pieces before the fault as well: they are rendered, and may raise, before the
// error does.
func ParseTemplate(template string) ([]Field, error) {
	var numbers numbering
	return numbers.parse(template, 1)
}

// numbering says whether fields are numbered automatically or by the template.
type numbering struct {
	next         int
	auto, manual bool
	pieces       int
}

// parse splits a template whose fields' specifiers may nest depth deep.
func (n *numbering) parse(template string, depth int) ([]Field, error) {
	var out []Field
	for template != "" {
		raw, rest, err := NextField(template)
		if err == nil && n.pieces == maxPieces {
			err = ErrTooLong
		}
		if err != nil {
			return out, err
		}
		n.pieces++
		template = rest
		f := Field{Literal: raw.Literal, HasField: raw.HasField, Index: -1}
		if raw.HasField {
			if err := n.field(&f, raw, depth); err != nil {
				if f.Literal != "" {
					out = append(out, Field{Literal: f.Literal, Index: -1})
				}
				return out, err
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// field fills in the field that raw describes.
func (n *numbering) field(f *Field, raw RawField, depth int) (err error) {
	f.Name, f.Index, f.Path, err = SplitFieldName(raw.Name)
	if err == errManyDigits && f.Index < 0 {
		return err
	}
	if f.Name == "" && f.Index < 0 {
		if n.manual {
			return errAutoNumber
		}
		n.auto = true
		f.Index = n.next
		n.next++
	} else if f.Index >= 0 {
		if n.auto {
			return errManualNumber
		}
		n.manual = true
	}
	f.Verb = raw.Verb
	switch {
	case err != nil:
		f.Err = err
	case f.Verb != 0 && f.Verb != 'r' && f.Verb != 's' && f.Verb != 'a':
		f.Err = unknownVerb(f.Verb)
	case !raw.nested:
		if raw.Spec != "" {
			f.Spec = []Field{{Literal: raw.Spec, Index: -1}}
		}
	case depth == 0:
		f.Err = errDepth
	default:
		f.Spec, f.Err = n.parse(raw.Spec, depth-1)
	}
	return nil
}

func unknownVerb(c rune) error {
	if c > 32 && c < 127 {
		return valueError("Unknown conversion specifier " + string(c))
	}
	return valueError(fmt.Sprintf(`Unknown conversion specifier \x%x`, c))
}

// NextField takes the first piece off a template, which is not empty.
func NextField(template string) (f RawField, rest string, err error) {
	i := 0
	for i < len(template) && template[i] != '{' && template[i] != '}' {
		i++
	}
	if i == len(template) {
		return RawField{Literal: template}, "", nil
	}
	c := template[i]
	if i+1 < len(template) && template[i+1] == c {
		return RawField{Literal: template[:i+1]}, template[i+2:], nil
	}
	if c == '}' {
		return f, "", errSingleClose
	}
	if i+1 == len(template) {
		return f, "", errSingleOpen
	}
	f = RawField{Literal: template[:i], HasField: true}
	rest, err = f.parse(template[i+1:])
	return f, rest, err
}

// parse reads a field after its opening brace.
func (f *RawField) parse(s string) (rest string, err error) {
	i := 0
name:
	for ; ; i++ {
		if i >= len(s) {
			return "", errNoClose
		}
		switch s[i] {
		case '{':
			return "", errOpenInName
		case '[':
			for i++; i < len(s) && s[i] != ']'; i++ {
			}
		case '}', ':', '!':
			break name
		}
	}
	f.Name = s[:i]
	c := s[i]
	s = s[i+1:]
	if c == '}' {
		return s, nil
	}
	if c == '!' {
		r, n := DecodeRune(s)
		if n == 0 {
			return "", errNoVerb
		}
		f.Verb = r
		if s = s[n:]; s != "" {
			c, s = s[0], s[1:]
			if c == '}' {
				return s, nil
			}
			if c != ':' {
				return "", errAfterVerb
			}
		}
	}
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
			f.nested = true
		case '}':
			if depth--; depth == 0 {
				f.Spec = s[:i]
				return s[i+1:], nil
			}
		}
	}
	return "", errOpenInSpec
}

// SplitFieldName splits the name of a field into its first part, a name or an
// index (-1: none), and the steps that follow. With an error the first part is
// still good, unless it is the number itself that is too large.
func SplitFieldName(text string) (name string, index int, path []Access, err error) {
	i := 0
	for i < len(text) && text[i] != '.' && text[i] != '[' {
		i++
	}
	name, text = text[:i], text[i:]
	if name == "" {
		index = -1
	} else if index, err = fieldIndex(name); err != nil {
		return name, -1, nil, err
	} else if index >= 0 {
		name = ""
	}
	for text != "" {
		step := Access{Index: -1}
		switch text[0] {
		case '.':
			i := 1
			for i < len(text) && text[i] != '.' && text[i] != '[' {
				i++
			}
			step.Attr, step.Name, text = true, text[1:i], text[i:]
		case '[':
			i := 1
			for i < len(text) && text[i] != ']' {
				i++
			}
			if i == len(text) {
				return name, index, path, errNoBracket
			}
			step.Name, text = text[1:i], text[i+1:]
			if step.Index, err = fieldIndex(step.Name); err != nil {
				return name, index, path, err
			}
		default:
			return name, index, path, errAfterBracket
		}
		if step.Name == "" {
			return name, index, path, errEmptyAttr
		}
		path = append(path, step)
	}
	return name, index, path, nil
}

// fieldIndex returns the number that the digits of text make, or -1.
func fieldIndex(text string) (int, error) {
	n := 0
	for i := 0; i < len(text); {
		r, size := DecodeRune(text[i:])
		d := DecimalValue(r)
		if d < 0 {
			return -1, nil
		}
		if n > (math.MaxInt-d)/10 {
			return -1, errManyDigits
		}
		n = n*10 + d
		i += size
	}
	if text == "" {
		return -1, nil
	}
	return n, nil
}
