package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// part is a piece of a template: literal text, an argument or a secret.
type part struct {
	text, arg, secret string
}

// template is a string with placeholders.
type template []part

// whole returns the argument that the template consists of.
func (t template) whole() (string, bool) {
	if len(t) == 1 && t[0].arg != "" {
		return t[0].arg, true
	}
	return "", false
}

// parseTemplate reads a string with placeholders.
func parseTemplate(s string) (template, error) {
	var out template
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			out = append(out, part{text: text.String()})
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
			return nil, wrong("Write }} for a brace.", "a } stands alone")
		case c != '{':
			text.WriteByte(c)
		default:
			name, _, ok := strings.Cut(s[i+1:], "}")
			if !ok || name == "" || strings.ContainsAny(name, "{\r\n") {
				return nil, wrong("Write {name} for an argument, {secret:NAME} for a secret, {{ for a brace.", "a { does not begin a placeholder")
			}
			flush()
			p := part{arg: name}
			if secret, is := strings.CutPrefix(name, "secret:"); is {
				if secret == "" {
					return nil, wrong("Write {secret:NAME}.", "a placeholder names no secret")
				}
				p = part{secret: secret}
			}
			out = append(out, p)
			i += len(name) + 1
		}
	}
	flush()
	return out, nil
}

// wrong is a fault in the settings of a file.
func wrong(remedy, format string, args ...any) error {
	return fault.New(fault.Invalid, remedy, format, args...)
}

// filling is what templates of one call are filled with.
type filling struct {
	args    *jsondoc.Object
	source  tool.SecretSource
	secrets map[string]string // those that were used
}

// secret returns a secret's value and remembers it, so that it can be masked.
func (f *filling) secret(name string) (string, error) {
	if v, ok := f.secrets[name]; ok {
		return v, nil
	}
	if f.source == nil {
		return "", wrong("Declare it under secrets: in the file of the tool.", "no secret %s is declared", show(name))
	}
	v, err := f.source.Secret(name)
	if err != nil {
		return "", err
	}
	if f.secrets == nil {
		f.secrets = map[string]string{}
	}
	f.secrets[name] = v
	return v, nil
}

// values returns the secrets that were used.
func (f *filling) values() []string { return slices.Collect(maps.Values(f.secrets)) }

// arg returns an argument; null is none.
func (f *filling) arg(name string) (any, bool) {
	v, ok := f.args.Get(name)
	return v, ok && v != nil
}

// text fills a template in. ok is false when an argument is not given. safe
// checks what is put in, to refuse what would have a meaning of its own there.
func (f *filling) text(t template, safe func(p part, s string) error) (text string, ok bool, err error) {
	var b strings.Builder
	for _, p := range t {
		s, ok, err := f.part(p)
		if err != nil || !ok {
			return "", false, err
		}
		if p.text == "" && safe != nil {
			if err := safe(p, s); err != nil {
				return "", false, err
			}
		}
		b.WriteString(s)
	}
	return b.String(), true, nil
}

func (f *filling) part(p part) (text string, ok bool, err error) {
	switch {
	case p.secret != "":
		text, err = f.secret(p.secret)
		return text, err == nil, err
	case p.arg != "":
		v, ok := f.arg(p.arg)
		if !ok {
			return "", false, nil
		}
		text, err = textOf(v)
		if err != nil {
			return "", false, wrong("", "the argument %s cannot be sent: %w", show(p.arg), err)
		}
		return text, true, nil
	}
	return p.text, true, nil
}

// textOf writes a value where there is only text: strings as they are, other
// scalars as JSON writes them, lists of scalars joined by commas, all else as JSON.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []any:
		return joined(v, ",")
	}
	data, err := json.Marshal(v)
	return string(data), err
}

func joined(list []any, by string) (string, error) {
	items := make([]string, len(list))
	for i, item := range list {
		switch item := item.(type) {
		case string:
			items[i] = item
		default:
			data, err := json.Marshal(item)
			if err != nil {
				return "", err
			}
			items[i] = string(data)
		}
	}
	return strings.Join(items, by), nil
}

// shape is a JSON value whose strings are templates.
type shape struct {
	text    template // of a string
	isText  bool
	all     bool // {arguments}
	members []member
	object  bool
	items   []shape
	list    bool
	value   any // anything else, unchanged
}

type member struct {
	name string
	shape
}

// parseShape reads a JSON template.
func parseShape(v any, depth int, known func(template) error) (shape, error) {
	if depth > jsondoc.MaxDepth {
		return shape{}, wrong("", "the body nests deeper than %d", jsondoc.MaxDepth)
	}
	switch v := v.(type) {
	case string:
		t, err := parseTemplate(v)
		if err == nil {
			if err = known(t); err == nil {
				return shape{text: t, isText: true}, nil
			}
		}
		return shape{}, fmt.Errorf("%s: %w", show(v), err)
	case []any:
		s := shape{list: true}
		for _, item := range v {
			one, err := parseShape(item, depth+1, known)
			if err != nil {
				return s, err
			}
			s.items = append(s.items, one)
		}
		return s, nil
	case *jsondoc.Object:
		s := shape{object: true}
		for name, value := range v.All() {
			one, err := parseShape(value, depth+1, known)
			if err != nil {
				return s, err
			}
			s.members = append(s.members, member{name, one})
		}
		return s, nil
	}
	return shape{value: v}, nil
}

// has reports whether an object's template has a member of that name.
func (s *shape) has(name string) bool {
	return slices.ContainsFunc(s.members, func(m member) bool { return m.name == name })
}

// value fills a JSON template in. ok is false when it is to be left out.
func (f *filling) value(s *shape) (v any, ok bool, err error) {
	switch {
	case s.all:
		return f.args, true, nil
	case s.isText:
		if name, whole := s.text.whole(); whole {
			v, ok := f.args.Get(name)
			return v, ok, nil // null is a value of JSON
		}
		return f.anyText(s.text)
	case s.object:
		out := jsondoc.NewObject()
		for i := range s.members {
			m := &s.members[i]
			v, ok, err := f.value(&m.shape)
			if err != nil {
				return nil, false, err
			}
			if ok {
				out.Set(m.name, v)
			}
		}
		return out, true, nil
	case s.list:
		out := make([]any, 0, len(s.items))
		for i := range s.items {
			v, ok, err := f.value(&s.items[i])
			if err != nil {
				return nil, false, err
			}
			if ok {
				out = append(out, v)
			}
		}
		return out, true, nil
	}
	return s.value, true, nil
}

func (f *filling) anyText(t template) (any, bool, error) {
	text, ok, err := f.text(t, nil)
	return text, ok, err
}
