package plan

import (
	"slices"
	"strings"

	"praxis/internal/plan/syntax"
)

// typed lets a plan give ask_llm a type for a schema: a dataclass, an Enum, a Literal,
// list[…] of them and so on. The type is a JSON Schema of the program's text, known
// before the run, and the reply is made into values of it again, field by field: each
// field keeps the label of its own. What is in a type that no reply can have is refused.
func typed(m *syntax.Module) []syntax.Refusal {
	t := &types{defined: map[string]syntax.Node{}}
	bound := map[string]int{}
	var questions []*syntax.Call
	syntax.Walk(m, func(n syntax.Node) bool {
		for _, name := range syntax.Bindings(n) {
			bound[name]++
		}
		if c, ok := n.(*syntax.Call); ok {
			if fn, ok := c.Func.(*syntax.Name); ok && fn.ID == QuarantinedModel {
				questions = append(questions, c)
			}
		}
		return true
	})
	if len(questions) == 0 || bound[QuarantinedModel] > 0 {
		return nil
	}
	for _, s := range m.Body {
		switch s := s.(type) {
		case *syntax.ClassDef:
			t.define(bound, s.Name, s)
		case *syntax.Assign:
			if name, ok := s.Targets[0].(*syntax.Name); ok {
				t.define(bound, name.ID, s.Value)
			}
		}
	}
	for _, c := range questions {
		t.answer(c)
	}
	return t.refused
}

type types struct {
	defined map[string]syntax.Node // by the names that are bound once: a class or an expression
	refused []syntax.Refusal
	within  []*syntax.ClassDef // the classes whose fields are read
	count   int                // of the types that were read
	deep    int                // definitions of names that are followed
	at      syntax.Span        // of the call
}

func (t *types) define(bound map[string]int, name string, n syntax.Node) {
	if bound[name] == 1 {
		t.defined[name] = n
	}
}

// answer replaces the type that a call of ask_llm names.
func (t *types) answer(c *syntax.Call) {
	var place *syntax.Expr
	if len(c.Args) > 2 {
		place = &c.Args[2]
	}
	for _, k := range c.Keywords {
		if k.Arg == "schema" {
			place = &k.Value
		}
	}
	if place == nil || !t.names(*place) {
		return
	}
	t.at = c.Span
	before := len(t.refused)
	of := t.read(*place)
	if len(t.refused) > before {
		return
	}
	*place = of.schema
	if of.build == nil {
		return
	}
	inner := *c
	*c = *t.apply(of, &inner)
}

// names says that an expression is meant as a type: other schemas are values.
func (t *types) names(e syntax.Expr) bool {
	if t.count++; t.count > maxTypes {
		return false
	}
	switch e := e.(type) {
	case *syntax.Subscript:
		switch last(e.Value) {
		case "list", "List", "dict", "Dict", "Optional", "Union", "Literal", "Annotated", "Sequence":
			return true
		}
	case *syntax.BinOp:
		return e.Op == syntax.BitOr && (t.names(e.Left) || t.names(e.Right))
	case *syntax.Name:
		switch e.ID {
		case "str", "int", "float", "bool", "date", "datetime", "Decimal", "list", "dict":
			return true
		}
		t.deep++
		defer func() { t.deep-- }()
		switch d := t.defined[e.ID].(type) {
		case *syntax.ClassDef:
			return true
		case syntax.Expr:
			return t.deep < maxDefinitions && t.names(d)
		}
	case *syntax.Attribute:
		return last(e) == "date" || last(e) == "datetime" || last(e) == "Decimal"
	}
	return false
}

// last is the last name of a dotted one.
func last(e syntax.Expr) string {
	if n, ok := e.(*syntax.Name); ok {
		return n.ID
	}
	return syntax.AttrName(e)
}

// answerType is a type: its JSON Schema, and what makes a value of it of a reply that
// fits the schema, nil when that is the reply itself.
type answerType struct {
	schema *syntax.Dict
	build  func(reply syntax.Expr) syntax.Expr
}

func (t *types) refuse(e syntax.Node, what, remedy string) answerType {
	if s := e.Range(); len(t.refused) < 10 {
		t.refused = append(t.refused, syntax.Refusal{Pos: s.Start, End: s.End, Feature: what + " in the type of a reply", Remedy: remedy})
	}
	return answerType{schema: t.dict()}
}

const typeRemedy = "Use str, int, float, bool, date, datetime, Decimal, Literal, Enum, dataclasses, list[…], dict[str, …], … | None, or Annotated[…, {\"minimum\": 0}]."

// maxTypes and maxDefinitions bound what is read of types that are defined by each other.
const maxTypes, maxDefinitions = 5_000, 50

// read reads a type.
func (t *types) read(e syntax.Expr) answerType {
	if t.count++; t.count > maxTypes || t.deep > maxDefinitions {
		return t.refuse(e, "so much", "Ask for less at once.")
	}
	t.deep++
	defer func() { t.deep-- }()
	switch e := e.(type) {
	case *syntax.Name, *syntax.Attribute:
		return t.named(e)
	case *syntax.Constant:
		switch e.Kind {
		case syntax.None:
			return t.plain("null")
		case syntax.Str: // a name before its definition
			m, bad := syntax.Parse([]byte(e.Str), syntax.Options{})
			if len(bad) == 0 && len(m.Body) == 1 {
				if x, ok := m.Body[0].(*syntax.ExprStmt); ok {
					return t.read(x.Value)
				}
			}
		}
	case *syntax.BinOp:
		if e.Op == syntax.BitOr {
			return t.union(e, []syntax.Expr{e.Left, e.Right})
		}
	case *syntax.Subscript:
		parts := []syntax.Expr{e.Slice}
		if p, ok := e.Slice.(*syntax.Tuple); ok {
			parts = p.Elts
		}
		return t.generic(e, last(e.Value), parts)
	}
	return t.refuse(e, "this", typeRemedy)
}

func (t *types) named(e syntax.Expr) answerType {
	if n, ok := e.(*syntax.Name); ok {
		switch d := t.defined[n.ID].(type) {
		case *syntax.ClassDef:
			return t.class(n, d)
		case syntax.Expr:
			if t.names(d) {
				return t.read(d)
			}
		}
	}
	parsed := func(format string) answerType {
		return answerType{t.dict("type", t.value("string"), "format", t.value(format)), func(reply syntax.Expr) syntax.Expr {
			return &syntax.Call{Span: t.at, Func: &syntax.Attribute{Span: t.at, Value: e, Attr: "fromisoformat", Ctx: syntax.Load}, Args: []syntax.Expr{reply}}
		}}
	}
	switch name := last(e); name {
	case "str":
		return t.plain("string")
	case "int":
		return t.plain("integer")
	case "float":
		return t.plain("number")
	case "bool":
		return t.plain("boolean")
	case "list", "List":
		return t.plain("array")
	case "dict", "Dict":
		return t.plain("object")
	case "Any", "object":
		return answerType{schema: t.dict()}
	case "date":
		return parsed("date")
	case "datetime":
		return parsed("date-time")
	case "Decimal":
		return answerType{t.dict("type", t.value("string"), "pattern", t.value(`^-?[0-9]{1,30}(\.[0-9]{1,30})?$`)), t.calling(e)}
	default:
		return t.refuse(e, name, typeRemedy)
	}
}

func (t *types) generic(e *syntax.Subscript, name string, parts []syntax.Expr) answerType {
	switch {
	case name == "Literal":
		return answerType{schema: t.dict("enum", &syntax.List{Span: t.at, Elts: parts, Ctx: syntax.Load})}
	case name == "Union":
		return t.union(e, parts)
	case name == "Optional":
		return t.union(e, append(parts[:1:1], &syntax.Constant{Span: t.at, Kind: syntax.None}))
	case name == "Annotated":
		of := t.read(parts[0])
		for _, x := range parts[1:] {
			t.annotate(of.schema, x)
		}
		return of
	case name == "list" || name == "List" || name == "Sequence":
		of := t.read(parts[0])
		out := answerType{schema: t.dict("type", t.value("array"), "items", of.schema)}
		if of.build != nil {
			out.build = func(reply syntax.Expr) syntax.Expr {
				return &syntax.Comp{Span: t.at, Kind: syntax.ListComp, Elt: of.build(t.variable(syntax.Load)), Generators: t.over(t.variable(syntax.Store), reply)}
			}
		}
		return out
	case (name == "dict" || name == "Dict") && len(parts) == 2:
		of := t.read(parts[1])
		if of.build == nil {
			return answerType{schema: t.dict("type", t.value("object"), "additionalProperties", of.schema)}
		}
	}
	return t.refuse(e, name+"[…]", typeRemedy)
}

// union is one of several types: of those that are made of replies, one at most, and
// nothing but None beside it, which tells them apart.
func (t *types) union(e syntax.Expr, parts []syntax.Expr) answerType {
	var schemas []syntax.Expr
	var made []answerType
	others := false
	for _, p := range parts {
		of := t.read(p)
		schemas = append(schemas, of.schema)
		k, ok := p.(*syntax.Constant)
		if of.build != nil {
			made = append(made, of)
		} else {
			others = others || !ok || k.Kind != syntax.None
		}
	}
	out := answerType{schema: t.dict("anyOf", &syntax.List{Span: t.at, Elts: schemas, Ctx: syntax.Load})}
	switch {
	case len(made) == 0:
		return out
	case len(made) > 1 || others:
		return t.refuse(e, "a union of several classes", "Use one class, or None beside it, and a Literal field that says which kind it is.")
	}
	out.build = func(reply syntax.Expr) syntax.Expr {
		none := &syntax.Constant{Span: t.at, Kind: syntax.None}
		test := &syntax.Compare{Span: t.at, Left: t.variable(syntax.Load), Ops: []syntax.CmpOperator{syntax.Is}, Comparators: []syntax.Expr{none}}
		return t.let(&syntax.IfExp{Span: t.at, Test: test, Body: t.variable(syntax.Load), OrElse: made[0].build(t.variable(syntax.Load))}, reply)
	}
	return out
}

// annotate adds what stands behind a type in Annotated to its schema: keywords of JSON
// Schema in a dict, a range of whole numbers, or a description.
func (t *types) annotate(s *syntax.Dict, x syntax.Expr) {
	add := func(key, value syntax.Expr) { s.Keys, s.Values = append(s.Keys, key), append(s.Values, value) }
	switch x := x.(type) {
	case *syntax.Dict:
		for i, k := range x.Keys {
			add(k, x.Values[i])
		}
		return
	case *syntax.Constant:
		if x.Kind == syntax.Str {
			add(t.value("description"), x)
			return
		}
	case *syntax.Call:
		if last(x.Func) == "range" && len(x.Args) == 2 && len(x.Keywords) == 0 {
			add(t.value("minimum"), x.Args[0])
			add(t.value("exclusiveMaximum"), x.Args[1])
			return
		}
	}
	t.refuse(x, "this", "Bound a type by keywords of JSON Schema: Annotated[int, {\"minimum\": 0, \"maximum\": 9}], or by a range: Annotated[int, range(0, 10)].")
}

// class is a dataclass or an Enum of the program.
func (t *types) class(name *syntax.Name, d *syntax.ClassDef) answerType {
	for _, b := range d.Bases {
		switch last(b) {
		case "Enum", "StrEnum", "IntEnum":
			return t.enum(name, d, last(b) == "StrEnum")
		}
	}
	if slices.Contains(t.within, d) {
		return t.refuse(name, "a class within itself", "Write the inner part as dict, or ask for it in a second call.")
	}
	t.within = append(t.within, d)
	fields, ok := t.fields(d)
	t.within = t.within[:len(t.within)-1]
	if !ok {
		return t.refuse(name, "the class "+d.Name, "Make it a dataclass: @dataclass above the class, and a type for each field.")
	}
	props, required := t.dict(), &syntax.List{Span: t.at, Ctx: syntax.Load}
	for _, f := range fields {
		props.Keys, props.Values = append(props.Keys, t.value(f.name)), append(props.Values, f.of.schema)
		required.Elts = append(required.Elts, t.value(f.name))
	}
	closed := &syntax.Constant{Span: t.at, Kind: syntax.False}
	schema := t.dict("type", t.value("object"), "properties", props, "required", required, "additionalProperties", closed)
	if doc, ok := syntax.Docstring(d.Body); ok {
		schema.Keys, schema.Values = append(schema.Keys, t.value("description")), append(schema.Values, t.value(doc))
	}
	return answerType{schema, func(reply syntax.Expr) syntax.Expr {
		made := &syntax.Call{Span: t.at, Func: name}
		for _, f := range fields {
			var v syntax.Expr = &syntax.Subscript{Span: t.at, Value: t.variable(syntax.Load), Slice: t.value(f.name), Ctx: syntax.Load}
			if f.of.build != nil {
				v = f.of.build(v)
			}
			made.Keywords = append(made.Keywords, &syntax.Keyword{Span: t.at, Arg: f.name, Value: v})
		}
		return t.let(made, reply)
	}}
}

type field struct {
	name string
	of   answerType
}

// fields are those of a dataclass, the ones of its bases first.
func (t *types) fields(d *syntax.ClassDef) ([]field, bool) {
	var out []field
	for _, b := range d.Bases {
		base, ok := b.(*syntax.Name)
		if !ok {
			return nil, false
		}
		of, ok := t.defined[base.ID].(*syntax.ClassDef)
		if !ok || of == d {
			return nil, false
		}
		if out, ok = t.fields(of); !ok {
			return nil, false
		}
	}
	if !slices.ContainsFunc(d.Decorators, func(e syntax.Expr) bool {
		if c, ok := e.(*syntax.Call); ok {
			e = c.Func
		}
		return last(e) == "dataclass"
	}) {
		return nil, false
	}
	for _, s := range d.Body {
		a, ok := s.(*syntax.AnnAssign)
		if !ok || strings.Contains(last(base(a.Annotation)), "ClassVar") {
			continue
		}
		if name, ok := a.Target.(*syntax.Name); ok {
			out = slices.DeleteFunc(out, func(f field) bool { return f.name == name.ID })
			out = append(out, field{name.ID, t.read(a.Annotation)})
		}
	}
	return out, true
}

// base is the name before the brackets of a type.
func base(e syntax.Expr) syntax.Expr {
	if s, ok := e.(*syntax.Subscript); ok {
		return s.Value
	}
	return e
}

// enum is a class whose members have constants for values.
func (t *types) enum(name *syntax.Name, d *syntax.ClassDef, text bool) answerType {
	values := &syntax.List{Span: t.at, Ctx: syntax.Load}
	number := int64(0)
	for _, s := range d.Body {
		a, ok := s.(*syntax.Assign)
		if !ok {
			continue
		}
		member, ok := a.Targets[0].(*syntax.Name)
		switch v := a.Value.(type) {
		case *syntax.Constant:
			values.Elts, number = append(values.Elts, v), v.Int
			continue
		case *syntax.Call:
			if ok && last(v.Func) == "auto" && text {
				values.Elts = append(values.Elts, t.value(strings.ToLower(member.ID)))
				continue
			} else if ok && last(v.Func) == "auto" {
				number++
				values.Elts = append(values.Elts, &syntax.Constant{Span: t.at, Kind: syntax.Int, Int: number})
				continue
			}
		}
		return t.refuse(name, "the class "+d.Name, "Give each member of the Enum a constant for a value.")
	}
	return answerType{t.dict("enum", values), t.calling(name)}
}

// calling makes a value by calling a class with the reply.
func (t *types) calling(class syntax.Expr) func(syntax.Expr) syntax.Expr {
	return func(reply syntax.Expr) syntax.Expr {
		return &syntax.Call{Span: t.at, Func: class, Args: []syntax.Expr{reply}}
	}
}

// apply makes a value of the type of what an expression gives.
func (t *types) apply(of answerType, e syntax.Expr) *syntax.Call {
	return t.let(of.build(t.variable(syntax.Load)), e)
}

// reply is a name that no program can write.
const reply = "the reply"

func (t *types) variable(ctx syntax.Context) *syntax.Name {
	return &syntax.Name{Span: t.at, ID: reply, Ctx: ctx}
}

// let is body, in which the variable is what e gives.
func (t *types) let(body, e syntax.Expr) *syntax.Call {
	args := &syntax.Arguments{Span: t.at, Args: []*syntax.Arg{{Span: t.at, Arg: reply}}}
	return &syntax.Call{Span: t.at, Func: &syntax.Lambda{Span: t.at, Args: args, Body: body}, Args: []syntax.Expr{e}}
}

func (t *types) over(target *syntax.Name, e syntax.Expr) []*syntax.Comprehension {
	return []*syntax.Comprehension{{Span: t.at, Target: target, Iter: e}}
}

func (t *types) plain(kind string) answerType {
	return answerType{schema: t.dict("type", t.value(kind))}
}

func (t *types) value(text string) *syntax.Constant {
	return &syntax.Constant{Span: t.at, Kind: syntax.Str, Str: text}
}

// dict is a display of keys and values in turn.
func (t *types) dict(pairs ...any) *syntax.Dict {
	d := &syntax.Dict{Span: t.at}
	for i := 0; i < len(pairs); i += 2 {
		d.Keys, d.Values = append(d.Keys, t.value(pairs[i].(string))), append(d.Values, pairs[i+1].(syntax.Expr))
	}
	return d
}
