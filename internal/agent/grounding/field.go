package grounding

import (
	"regexp"
	"strings"

	"praxis/internal/safetext"
)

// field is a placeholder taken apart: expression!conversion:spec.
type field struct {
	expression string
	conversion string // "", "r", "s" or "a"
	spec       string
}

var (
	// numberSpecRE knows the formats of numbers and text. What fills the width is
	// no digit, sign or point: it would stand in the answer as part of the figure.
	numberSpecRE = regexp.MustCompile(`^(?:[ *_]?[<>=^][-+ ]?z?#?(?:[1-9][0-9]{0,2})?|[-+ ]?z?#?[0-9]{0,3})[,_]?(?:\.[0-9]{1,3})?[bcdeEfFgGnosxX%]?$`)
	// dateSpecRE knows the formats of dates. Text between the directives has no digits.
	dateSpecRE = regexp.MustCompile(`^(?:%[-_^#]?[A-Za-z%]|[^\pN%{}])+$`)
)

// scanField reads a placeholder that begins after "{{" and returns where its
// "}}" is. It minds brackets and quotes, which must balance: a "}" that
// closes nothing is the one that ends the placeholder, or a mistake.
func scanField(s string) (field, int, error) {
	refuse := func(why string) (field, int, error) {
		end := strings.Index(s, "}}")
		if end < 0 {
			return field{}, 0, invalid("%s is never closed", safetext.Quote("{{"+s))
		}
		return field{}, 0, invalid("the placeholder %s %s", safetext.Quote(strings.TrimSpace(s[:end])), why)
	}
	const unbalanced = "has brackets or quotes that do not balance"
	var open []byte // what closes the brackets that are open
	bang := -1
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\'' || c == '"':
			n := stringEnd(s[i:])
			if n < 0 {
				return refuse(unbalanced)
			}
			i += n - 1
		case c == '(' || c == '[' || c == '{':
			open = append(open, closer(c))
		case (c == ')' || c == ']' || c == '}') && len(open) > 0:
			if open[len(open)-1] != c {
				return refuse(unbalanced)
			}
			open = open[:len(open)-1]
		case c == '}' && strings.HasPrefix(s[i:], "}}"):
			return makeField(s[:i], "", bang), i, nil
		case c == ')' || c == ']' || c == '}':
			return refuse(unbalanced)
		case len(open) > 0:
		case c == '!' && bang < 0 && !strings.HasPrefix(s[i:], "!="):
			bang = i
		case c == ':':
			end := strings.Index(s[i:], "}}")
			if end < 0 {
				return refuse("")
			}
			return makeField(s[:i], strings.TrimRight(s[i+1:i+end], " \t\r\n"), bang), i + end, nil
		}
	}
	return refuse(unbalanced)
}

func closer(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// stringEnd returns the length of the string literal that s begins with, or -1.
func stringEnd(s string) int {
	mark := s[:1]
	if triple := strings.Repeat(mark, 3); strings.HasPrefix(s, triple) {
		mark = triple
	}
	for i := len(mark); i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case strings.HasPrefix(s[i:], mark):
			return i + len(mark)
		case s[i] == '\n' && len(mark) == 1:
			return -1
		}
	}
	return -1
}

func makeField(expression, spec string, bang int) field {
	f := field{expression: expression, spec: spec}
	if bang >= 0 {
		f.expression, f.conversion = expression[:bang], strings.TrimSpace(expression[bang+1:])
	}
	f.expression = strings.TrimSpace(f.expression)
	return f
}

// check refuses what is no placeholder; text is all of it.
func (f field) check(text string) error {
	switch {
	case f.expression == "":
		return invalid("a placeholder is empty")
	case len(text) > maxExpression:
		return invalid("the placeholder %s is longer than %d bytes", safetext.Quote(text), maxExpression)
	case !strings.Contains("rsa", f.conversion) || len(f.conversion) > 1:
		return invalid("the placeholder %s has a conversion that is not !r, !s or !a", safetext.Quote(text))
	case !numberSpecRE.MatchString(f.spec) && !dateSpecRE.MatchString(f.spec):
		return invalid("the placeholder %s has a format that cannot be used here", safetext.Quote(text))
	}
	return nil
}

// split takes a placeholder apart that Parse has taken. What it would not have
// taken is one expression, which the kernel refuses.
func split(placeholder string) field {
	// A blank keeps a bracket at the end from running into the end of the placeholder.
	f, n, err := scanField(placeholder + " }}")
	if err != nil || n < len(placeholder) {
		return field{expression: placeholder}
	}
	return f
}
