package command

import (
	"fmt"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// piece is a stretch of a template: text, an argument or a secret.
type piece struct {
	kind pieceKind
	text string // or the name
}

type pieceKind uint8

const (
	plain pieceKind = iota + 1
	argument
	list
	secret
)

// template is a text with holes.
type template []piece

const maxTemplate = 64 << 10

// parse reads a template.
func parse(where, s string) (template, error) {
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "Write {name}, {name...} or {secret:NAME}; a brace that stands for itself is doubled.", "cannot read the command: %s: %s", where, fmt.Sprintf(format, args...))
	}
	if len(s) > maxTemplate {
		return nil, wrong("it is longer than %d bytes", maxTemplate)
	}
	if strings.ContainsRune(s, 0) {
		return nil, wrong("it has a zero byte")
	}
	var out template
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			out = append(out, piece{plain, text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case (c == '{' || c == '}') && i+1 < len(s) && s[i+1] == c:
			text.WriteByte(c)
			i++
		case c == '}':
			return nil, wrong("a } that closes nothing")
		case c == '{':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 {
				return nil, wrong("a { that is not closed")
			}
			name := s[i+1 : i+end]
			p := piece{argument, name}
			if n, ok := strings.CutPrefix(name, "secret:"); ok {
				p = piece{secret, n}
			} else if n, ok := strings.CutSuffix(name, "..."); ok {
				p = piece{list, n}
			}
			if p.text == "" || strings.ContainsAny(p.text, "{}\" \t\n:") {
				return nil, wrong("%q names nothing", s[i:i+end+1])
			}
			flush()
			out = append(out, p)
			i += end
		default:
			text.WriteByte(c)
		}
	}
	flush()
	return out, nil
}

// literal returns the text of a template without holes.
func (t template) literal() (string, bool) {
	switch {
	case len(t) == 0:
		return "", true
	case len(t) == 1 && t[0].kind == plain:
		return t[0].text, true
	}
	return "", false
}

// element is an element of argv, or a group that is there or left out together.
type element struct {
	alone bool // no group
	parts []template
}

// parseArgv reads the elements after the program's name.
func parseArgv(items []any) ([]element, error) {
	var out []element
	one := func(i int, v any) (template, error) {
		s, ok := v.(string)
		if !ok {
			return nil, fault.New(fault.Invalid, "Write it in quotes.", "cannot read the command: argv: element %d is no text", i)
		}
		t, err := parse(fmt.Sprintf("argv: element %d", i), s)
		if err != nil {
			return nil, err
		}
		for _, p := range t {
			if p.kind == secret {
				return nil, fault.New(fault.Invalid, "Give it in env or stdin.", "cannot read the command: argv: element %d has a secret, which every user of the machine could see", i)
			}
			if p.kind == list && len(t) > 1 {
				return nil, fault.New(fault.Invalid, "Let {"+p.text+"...} be an element of its own.", "cannot read the command: argv: element %d has a list among other text", i)
			}
		}
		return t, nil
	}
	for i, item := range items {
		group, ok := item.([]any)
		if !ok {
			group = []any{item}
		}
		e := element{alone: !ok}
		for _, v := range group {
			t, err := one(i+1, v)
			if err != nil {
				return nil, err
			}
			e.parts = append(e.parts, t)
		}
		out = append(out, e)
	}
	return out, nil
}

// value returns the text of an argument; there is none for null and what was not given.
// number says that it is a JSON number.
func value(args *jsondoc.Object, name string) (text string, number, there bool, err error) {
	v, ok := args.Get(name)
	if !ok || v == nil {
		return "", false, false, nil
	}
	text, ok = v.(string)
	if !ok {
		b, err := jsondoc.Canonical(v)
		if err != nil {
			return "", false, false, err
		}
		text = string(b)
		number = text[0] == '-' || text[0] >= '0' && text[0] <= '9'
	}
	if strings.ContainsRune(text, 0) {
		return "", false, false, fault.New(fault.Invalid, "Leave the zero byte out.", "cannot run the command: the argument %s has a zero byte", name)
	}
	return text, number, true, nil
}

// expand returns the elements that the template makes of a call's arguments.
func (c *command) expand(args *jsondoc.Object) ([]string, error) {
	var out []string
	ended := false // of the options: what follows is none, whatever it begins with
	for _, e := range c.argv {
		var group []string
		there := true
		for _, t := range e.parts {
			texts, ok, err := c.expandOne(t, args, ended)
			if err != nil {
				return nil, err
			}
			if !ok {
				there = false
				break
			}
			if text, whole := t.literal(); whole && text == "--" {
				ended = true
			}
			group = append(group, texts...)
		}
		if there {
			out = append(out, group...)
		}
	}
	total := 0
	for _, s := range out {
		if total += len(s) + 1; len(s) >= maxElement || total > maxArgv {
			return nil, fault.New(fault.Invalid, "Give less, or let the tool's file pass it in stdin.", "cannot run the command: its arguments are too long: %d bytes in one, %d in all may be", maxElement-1, maxArgv)
		}
	}
	return out, nil
}

// expandOne fills one element. ok is false when an argument of it has no value.
func (c *command) expandOne(t template, args *jsondoc.Object, ended bool) (texts []string, ok bool, err error) {
	if len(t) == 1 && t[0].kind == list {
		return c.expandList(t[0].text, args, ended)
	}
	var b strings.Builder
	for i, p := range t {
		if p.kind == plain {
			b.WriteString(p.text)
			continue
		}
		s, number, ok, err := value(args, p.text)
		if err == nil && ok {
			// Inside of an element a dash makes no option.
			err = c.checkBegin(p.text, s, number, ended || b.Len() > 0)
			if s == "" && err == nil && i+1 < len(t) && t[i+1].kind == plain && c.checkBegin(p.text, t[i+1].text, false, ended || b.Len() > 0) != nil {
				err = fault.New(fault.Invalid, "Give a value, or leave it out.", "cannot run the command: the argument %s is empty, and what follows would be read as an option or the name of a file", p.text)
			}
		}
		if err != nil || !ok {
			return nil, false, err
		}
		b.WriteString(s)
	}
	return []string{b.String()}, true, nil
}

func (c *command) expandList(name string, args *jsondoc.Object, ended bool) ([]string, bool, error) {
	v, ok := args.Get(name)
	if !ok || v == nil {
		return nil, false, nil
	}
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	if len(items) > maxItems {
		return nil, false, fault.New(fault.Invalid, "Give fewer.", "cannot run the command: the argument %s has %d items, more than %d", name, len(items), maxItems)
	}
	var out []string
	for _, item := range items {
		s, number, there, err := value(jsondoc.NewObject(jsondoc.Member{Name: name, Value: item}), name)
		if err != nil {
			return nil, false, err
		}
		if !there {
			s = "null"
		}
		if err := c.checkBegin(name, s, number, ended); err != nil {
			return nil, false, err
		}
		out = append(out, s)
	}
	return out, true, nil
}

// checkBegin refuses a value that programs take for something else than a value: for
// an option when it begins with "-", for the name of a file to read when it begins
// with "@", also after "--" and as a part of an element. A negative number of an
// argument that can be nothing but a number is a value.
func (c *command) checkBegin(name, s string, number, ended bool) error {
	if s == "" || slices.Contains(c.verbatim, name) {
		return nil
	}
	declare := "or let the tool's file list the argument under verbatim."
	switch {
	case s[0] == '@':
		return fault.New(fault.Invalid, "Give a value that begins otherwise, "+declare, "cannot run the command: the argument %s begins with @, which many programs read as the name of a file", name)
	case s[0] == '-' && !ended && !(number && c.numbers[name]):
		return fault.New(fault.Invalid, "Give a value that begins otherwise, such as ./-x for a file, "+declare, "cannot run the command: the argument %s begins with - and would be read as an option", name)
	}
	return nil
}

// numbersOf returns the arguments that can be nothing but numbers, or lists of them.
func numbersOf(input *schema.Type) map[string]bool {
	const numeric = schema.NumberKind | schema.IntegerKind
	only := func(t *schema.Type) bool {
		return t != nil && t.Kinds&^schema.NullKind != 0 && t.Kinds&^(numeric|schema.NullKind) == 0
	}
	out := map[string]bool{}
	for _, p := range input.Properties {
		out[p.Name] = only(p.Type) || p.Type != nil && p.Type.Kinds&^schema.NullKind == schema.ArrayKind && len(p.Type.Prefix) == 0 && only(p.Type.Items)
	}
	return out
}

// fill fills a template whose whole is one text; arguments without a value are
// empty. The secrets that it takes are added to used.
func (t template) fill(args *jsondoc.Object, secrets tool.SecretSource, used *[]string) (string, error) {
	var b strings.Builder
	for _, p := range t {
		switch p.kind {
		case plain:
			b.WriteString(p.text)
		case secret:
			s, err := secrets.Secret(p.text)
			if err != nil {
				return "", err
			}
			if s != "" {
				*used = append(*used, s)
			}
			b.WriteString(s)
		default:
			v, ok := args.Get(p.text)
			if !ok || v == nil {
				continue
			}
			if s, ok := v.(string); ok {
				b.WriteString(s)
				continue
			}
			j, err := jsondoc.Canonical(v)
			if err != nil {
				return "", err
			}
			b.Write(j)
		}
	}
	return b.String(), nil
}

// holes returns the names of arguments of a kind, in their order, each once.
func holes(kinds []pieceKind, templates ...template) []string {
	var out []string
	for _, t := range templates {
		for _, p := range t {
			if slices.Contains(kinds, p.kind) && !slices.Contains(out, p.text) {
				out = append(out, p.text)
			}
		}
	}
	return out
}
