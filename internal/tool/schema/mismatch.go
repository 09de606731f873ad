package schema

import (
	"fmt"
	"strconv"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// Mismatch says where a value differs from its schema.
type Mismatch struct {
	Path     jsondoc.Pointer // to the wrong part of the value; "" is the whole
	Expected string          // in words: "an integer from 1 to 100"
	Got      string          // in words, with the value when it is short and not secret: `string "abc"`
	Nearest  string          // the nearest valid form in words, or ""
	Schema   jsondoc.Pointer // of the rule, in the schema
	Limit    bool            // the value was not judged to the end: a bound was met
	More     []*Mismatch

	Undeclared bool // the member itself is wrong, not its value
}

// Error returns the mismatch in one line: `/to: expected a string, got integer 3; write "3"`.
func (m *Mismatch) Error() string {
	var b strings.Builder
	if m.Path != "" {
		b.WriteString(safetext.OneLine(string(m.Path), 200) + ": ")
	}
	b.WriteString("expected " + m.Expected + ", got " + m.Got)
	if m.Nearest != "" {
		b.WriteString("; " + m.Nearest)
	}
	if n := len(m.More); n > 0 {
		fmt.Fprintf(&b, " (and %d more)", n)
	}
	return b.String()
}

// All returns this mismatch and those beside it, each with its path, in one line.
func (m *Mismatch) All() string {
	own := *m
	own.More = nil
	all := []string{own.Error()}
	for _, other := range m.More {
		all = append(all, other.Error())
	}
	return strings.Join(all, "; ")
}

// Redacted returns the mismatch without anything of the value: for readers who
// may not see the data. Names of members are cut from the path where the
// schema does not declare them, so only list items and declared names remain.
func (m *Mismatch) Redacted(s *Schema) *Mismatch {
	kind, _, _ := strings.Cut(m.Got, " ")
	switch kind {
	case "string", "integer", "number", "boolean", "null", "array", "object":
	default:
		kind = "something else"
	}
	return &Mismatch{Path: declared(s.Type(), m.Path), Expected: m.Expected, Got: kind, Schema: m.Schema, Limit: m.Limit}
}

// declared keeps of a path what the type names.
func declared(t *Type, p jsondoc.Pointer) jsondoc.Pointer {
	var out jsondoc.Pointer
	for _, seg := range p.Segments() {
		var next *Type
		if t != nil {
			if prop, ok := t.Property(seg); ok {
				out, next = out.Child(seg), prop.Type
			} else if i, err := strconv.Atoi(seg); err == nil && t.Kinds.Has(ArrayKind) {
				out, next = out+"/*", t.Items
				if i < len(t.Prefix) {
					next = t.Prefix[i]
				}
			} else {
				out, next = out+"/*", t.Additional
			}
		} else {
			out += "/*"
		}
		t = next
	}
	return out
}

// first puts the further mismatches below the first.
func first(found []*Mismatch) *Mismatch {
	if len(found) == 0 {
		return nil
	}
	found[0].More = found[1:]
	return found[0]
}

// Describe says what a value is: its kind, and itself when it is short.
func Describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean " + strconv.FormatBool(v)
	case string:
		return "string " + safetext.Quote(v)
	case []any:
		return fmt.Sprintf("array of %d", len(v))
	}
	if jsondoc.IsObject(v) {
		return fmt.Sprintf("object with %d members", jsondoc.MemberCount(v))
	}
	if text, ok := jsondoc.NumberText(v); ok {
		if kindOf(v) == IntegerKind {
			return "integer " + safetext.OneLine(text, 40)
		}
		return "number " + safetext.OneLine(text, 40)
	}
	return fmt.Sprintf("a Go value of type %T", v)
}

// got is describe, but of a secret only the kind.
func (s *schema) got(v any) string {
	if s.note.secret {
		return kindOf(v).String() + " (secret)"
	}
	return Describe(v)
}

// describe says in words what the schema wants.
func (s *schema) describe() string {
	for s.ref != nil && s.kinds == AnyKind && !s.hasEnum {
		s = s.ref
	}
	if s.hasEnum {
		return listValues(s.enum)
	}
	switch s.kinds {
	case AnyKind:
		if s.comb != nil {
			if list := append(append([]*schema{}, s.comb.any...), s.comb.one...); len(list) > 0 && len(list) < 8 {
				return "one of several forms"
			}
		}
		return "a value of another form"
	case IntegerKind, IntegerKind | NumberKind:
		return s.kinds.article() + s.numberRange()
	case StringKind:
		if s.str != nil && formatExample(s.str.format) != "" {
			return "a string of format " + s.str.format
		}
	case ObjectKind:
		if s.obj != nil && len(s.obj.required) > 0 {
			return "an object with " + safetext.OneLine(strings.Join(s.obj.required, ", "), 100)
		}
	}
	return s.kinds.article()
}

// article is the kinds' names with the article: "an integer", "a string or null".
func (k Kinds) article() string {
	name := k.String()
	if k == AnyKind || k == NullKind || k == 0 {
		return name
	}
	if strings.HasPrefix(name, "integer") || strings.HasPrefix(name, "object") || strings.HasPrefix(name, "array") {
		return "an " + name
	}
	return "a " + name
}

func (s *schema) numberRange() string {
	if s.num == nil {
		return ""
	}
	var out string
	if s.num.min != nil {
		out = " from " + s.num.minText
		if s.num.overMin {
			out = " above " + s.num.minText
		}
	}
	if s.num.max != nil {
		if s.num.underMax {
			out += " below " + s.num.maxText
		} else {
			out += " to " + s.num.maxText
		}
	}
	if s.num.multiple != nil {
		out += " in steps of " + s.num.multipleText
	}
	return out
}

// wrongKind is a value of a kind that is not allowed.
func (s *schema) wrongKind(v any) Mismatch {
	m := Mismatch{Expected: s.describe(), Got: s.got(v)}
	if s.note.secret {
		return m
	}
	kinds := s.shape.Kinds
	text, isString := v.(string)
	number, isNum := jsondoc.NumberText(v)
	switch {
	case isString && kinds&(IntegerKind|NumberKind) != 0 && jsondoc.IsNumber(text) && len(text) < 40:
		if d, ok := jsondoc.ParseDecimal(text); ok && (kinds.Has(NumberKind) || d.Integer()) {
			m.Nearest = "write " + text + " without quotes"
		}
	case isString && kinds.Has(BooleanKind) && (strings.EqualFold(text, "true") || strings.EqualFold(text, "false")):
		m.Nearest = "write " + strings.ToLower(text) + " without quotes"
	case isString && kinds.Has(NullKind) && (text == "" || text == "null" || text == "None"):
		m.Nearest = "write null"
	case isNum && kinds.Has(StringKind) && len(number) < 40:
		m.Nearest = "write " + strconv.Quote(number)
	case isNum && kinds.Has(IntegerKind) && len(number) < 40:
		if f, err := strconv.ParseFloat(number, 64); err == nil && f > -1e15 && f < 1e15 {
			m.Nearest = "write " + strconv.FormatFloat(f, 'f', 0, 64)
		}
	case kinds.Has(ArrayKind) && kindOf(v)&(StringKind|IntegerKind|NumberKind|BooleanKind|ObjectKind) != 0:
		if s.arr == nil || s.arr.items == nil || s.arr.items.kinds&kindOf(v) != 0 {
			m.Nearest = "write a list with this one item"
		}
	case v == nil && s.note.hasDefault:
		m.Nearest = "leave it out: the default is " + Literal(s.note.def)
	case v == nil:
		m.Nearest = "leave it out if it is not required"
	}
	return m
}

// wrongNumber says what bound a number does not keep, "" when it keeps all.
func (s *schema) wrongNumber(v any) string {
	text, _ := jsondoc.NumberText(v)
	d, ok := jsondoc.ParseDecimal(text)
	if !ok {
		return "" // measure has refused it
	}
	n := s.num
	switch {
	case n.min != nil && n.overMin && d.Compare(*n.min) <= 0:
		return "it has to be above " + n.minText
	case n.min != nil && d.Compare(*n.min) < 0:
		return "the least is " + n.minText
	case n.max != nil && n.underMax && d.Compare(*n.max) >= 0:
		return "it has to be below " + n.maxText
	case n.max != nil && d.Compare(*n.max) > 0:
		return "the greatest is " + n.maxText
	case n.multiple != nil && !d.MultipleOf(*n.multiple):
		return "write a multiple of " + n.multipleText
	}
	return ""
}

func (s *schema) wrongLength(list []any) Mismatch {
	if len(list) < s.arr.minItems {
		return Mismatch{Expected: fmt.Sprintf("an array of at least %d items", s.arr.minItems), Got: s.got(list)}
	}
	return Mismatch{Expected: fmt.Sprintf("an array of at most %d items", s.arr.maxItems), Got: s.got(list)}
}

// lacks is a required member that is not there.
func (s *schema) lacks(v any, name string) Mismatch {
	m := Mismatch{Expected: "the member " + safetext.Quote(name), Got: "an object without it"}
	if part := s.obj.property(name); part != nil {
		m.Nearest = "add " + safetext.Quote(name) + ", " + part.describe()
	}
	if near := s.misspelt(v, name); near != "" {
		m.Nearest = "rename " + safetext.Quote(near) + " to " + safetext.Quote(name)
	}
	return m
}

// misspelt finds a member of v that is not declared and nearly has the name.
func (s *schema) misspelt(v any, name string) string {
	if jsondoc.MemberCount(v) > 200 {
		return ""
	}
	var others []string
	for member := range jsondoc.Members(v) {
		if s.obj.property(member) == nil {
			others = append(others, member)
		}
	}
	return jsondoc.Nearest(name, others)
}

// additional is a member that may not be there.
func (s *schema) additional(v any, name string) Mismatch {
	names := s.shape.Names()
	var free []string
	for _, n := range names {
		if _, has := jsondoc.MemberOf(v, n); !has {
			free = append(free, n)
		}
	}
	m := Mismatch{Path: jsondoc.Pointer("").Child(name), Expected: "no member of this name", Got: "the member " + safetext.Quote(name), Undeclared: true}
	if near := jsondoc.Nearest(name, free); near != "" {
		m.Nearest = "did you mean " + safetext.Quote(near) + "?"
	} else if len(names) > 0 && len(names) <= 12 {
		m.Nearest = "known are " + safetext.OneLine(strings.Join(names, ", "), 300)
	}
	return m
}

// Literal writes a value as JSON for a message, cut when it is long.
func Literal(v any) string {
	if s, ok := v.(string); ok {
		return safetext.Quote(s)
	}
	b, err := jsondoc.AppendCanonical(nil, v, 0)
	if err != nil {
		return Describe(v)
	}
	return safetext.Clip(string(b), 60)
}

func listValues(values []any) string {
	if len(values) == 1 {
		return Literal(values[0])
	}
	if len(values) == 0 {
		return "nothing (no value is allowed here)"
	}
	var b strings.Builder
	b.WriteString("one of ")
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == 12 {
			fmt.Fprintf(&b, "… (%d values)", len(values))
			break
		}
		b.WriteString(Literal(v))
	}
	return b.String()
}

// nearestValue finds the allowed value that was meant.
func nearestValue(values []any, v any) string {
	text, ok := v.(string)
	if !ok {
		if text, ok = jsondoc.NumberText(v); !ok {
			return ""
		}
	}
	var texts []string
	for _, allowed := range values {
		if s, ok := allowed.(string); ok {
			if s == text {
				return "write " + safetext.Quote(s)
			}
			texts = append(texts, s)
		} else if n, ok := jsondoc.NumberText(allowed); ok && n == text {
			return "write " + n + " without quotes"
		}
	}
	if near := jsondoc.Nearest(text, texts); near != "" {
		return "did you mean " + safetext.Quote(near) + "?"
	}
	return ""
}

// Fault returns the mismatch as a fault of kind Invalid: "what: /path: expected …".
func (m *Mismatch) Fault(what, remedy string) error {
	return &fault.Error{Kind: fault.Invalid, Message: what + ": " + m.Error(), Remedy: remedy, Err: m}
}
