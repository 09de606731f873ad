package python

import (
	"strings"

	"praxis/internal/plan/syntax"
	"praxis/internal/tool/jsondoc"
)

// schema returns the schema of a hint. What has no JSON form, and no hint at all,
// allows any value.
func (d *deriver) schema(e syntax.Expr, depth int) *jsondoc.Object {
	if d.left--; e == nil || d.left < 0 || depth > maxNest {
		return jsondoc.NewObject()
	}
	switch e := e.(type) {
	case *syntax.Constant:
		switch e.Kind {
		case syntax.None:
			return simple("null")
		case syntax.Str: // a hint that is written as text
			if inner, err := syntax.ParseExpression([]byte(e.Str), syntax.Options{MaxDepth: 200, MaxBytes: 10_000, Lenient: true}); err == nil {
				return d.schema(inner, depth+1)
			}
		}
	case *syntax.BinOp:
		if e.Op == syntax.BitOr {
			return union([]*jsondoc.Object{d.schema(e.Left, depth+1), d.schema(e.Right, depth+1)})
		}
	case *syntax.Name, *syntax.Attribute:
		return d.named(e, depth)
	case *syntax.Subscript:
		return d.generic(e, depth)
	}
	return jsondoc.NewObject()
}

// target returns the full name of what an expression refers to: "typing.Optional"
// for t.Optional after `import typing as t`; "" when it is no name.
func (d *deriver) target(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Name:
		if from, ok := d.imports[e.ID]; ok {
			return from
		}
		return e.ID
	case *syntax.Attribute:
		if base := d.target(e.Value); base != "" {
			return base + "." + e.Attr
		}
	}
	return ""
}

// canonical drops the modules whose names mean the same everywhere.
func canonical(name string) string {
	for _, module := range []string{"typing.", "typing_extensions.", "collections.abc.", "builtins."} {
		if rest, ok := strings.CutPrefix(name, module); ok {
			return rest
		}
	}
	return name
}

// named is the schema of a hint without brackets.
func (d *deriver) named(e syntax.Expr, depth int) *jsondoc.Object {
	if n, ok := e.(*syntax.Name); ok {
		if c := d.classes[n.ID]; c != nil {
			return d.class(c, depth)
		}
		if a := d.aliases[n.ID]; a != nil {
			return d.alias(a, depth)
		}
	}
	switch canonical(d.target(e)) {
	case "str", "LiteralString", "pathlib.Path", "pathlib.PurePath", "os.PathLike":
		return simple("string")
	case "int":
		return simple("integer")
	case "float":
		return simple("number")
	case "bool":
		return simple("boolean")
	case "None", "types.NoneType":
		return simple("null")
	case "list", "List", "Sequence", "Iterable", "Iterator", "Collection", "MutableSequence", "tuple", "Tuple", "Generator", "AsyncIterator":
		return simple("array")
	case "set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet":
		return jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "array"}, jsondoc.Member{Name: "uniqueItems", Value: true})
	case "dict", "Dict", "Mapping", "MutableMapping", "collections.OrderedDict", "collections.defaultdict", "OrderedDict", "DefaultDict":
		return simple("object")
	case "bytes", "bytearray":
		return jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "string"}, jsondoc.Member{Name: "contentEncoding", Value: "base64"})
	case "datetime.date":
		return formatted("date")
	case "datetime.datetime":
		// Python's own form need not name a zone, which the format demands.
		return jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "string"}, jsondoc.Member{Name: "anyOf", Value: []any{
			jsondoc.NewObject(jsondoc.Member{Name: "format", Value: "date-time"}),
			jsondoc.NewObject(jsondoc.Member{Name: "pattern", Value: `^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?$`})}})
	case "datetime.time":
		return simple("string")
	case "uuid.UUID":
		return formatted("uuid")
	case "decimal.Decimal":
		return jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "string"}, jsondoc.Member{Name: "description", Value: "A decimal number."})
	case "pandas.DataFrame":
		return listOf(simple("object"))
	}
	return jsondoc.NewObject()
}

// alias is the schema of what a module binds a name to.
func (d *deriver) alias(e syntax.Expr, depth int) *jsondoc.Object {
	if c, ok := e.(*syntax.Call); ok && canonical(d.target(c.Func)) == "NewType" && len(c.Args) == 2 {
		return d.schema(c.Args[1], depth+1)
	}
	if _, constant := e.(*syntax.Constant); constant {
		return jsondoc.NewObject() // a value, no type
	}
	return d.schema(e, depth+1)
}

// generic is the schema of a hint with brackets.
func (d *deriver) generic(e *syntax.Subscript, depth int) *jsondoc.Object {
	args := []syntax.Expr{e.Slice}
	if t, ok := e.Slice.(*syntax.Tuple); ok {
		args = t.Elts
	}
	if len(args) == 0 { // tuple[()]
		if canonical(d.target(e.Value)) == "tuple" {
			return d.tuple(nil, depth)
		}
		return d.named(e.Value, depth)
	}
	switch canonical(d.target(e.Value)) {
	case "Optional":
		return nullable(d.schema(args[0], depth+1))
	case "Union":
		var parts []*jsondoc.Object
		for _, a := range args {
			parts = append(parts, d.schema(a, depth+1))
		}
		return union(parts)
	case "Literal":
		return d.literals(args, depth)
	case "Annotated":
		out := d.schema(args[0], depth+1)
		for _, a := range args[1:] {
			if text := d.annotation(a); text != "" {
				return described(without(out, "description"), text)
			}
		}
		return out
	case "Required", "NotRequired", "ReadOnly", "Final", "ClassVar", "Awaitable", "dataclasses.InitVar":
		return d.schema(args[0], depth+1)
	case "Coroutine":
		return d.schema(args[len(args)-1], depth+1)
	case "list", "List", "Sequence", "Iterable", "Iterator", "Collection", "MutableSequence", "AsyncIterator", "Generator":
		return listOf(d.schema(args[0], depth+1))
	case "set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet":
		out := listOf(d.schema(args[0], depth+1))
		out.Set("uniqueItems", true)
		return out
	case "tuple", "Tuple":
		return d.tuple(args, depth)
	case "dict", "Dict", "Mapping", "MutableMapping", "collections.OrderedDict", "collections.defaultdict", "OrderedDict", "DefaultDict":
		out := simple("object")
		if len(args) == 2 {
			if values := d.schema(args[1], depth+1); values.Len() > 0 {
				out.Set("additionalProperties", values)
			}
		}
		return out
	}
	return d.named(e.Value, depth)
}

// annotation returns the text that describes an Annotated: a text, Doc("…") or
// Field(description="…").
func (d *deriver) annotation(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Constant:
		if e.Kind == syntax.Str {
			return strings.ToValidUTF8(e.Str, "\uFFFD")
		}
	case *syntax.Call:
		for _, k := range e.Keywords {
			if k.Arg == "description" {
				return d.annotation(k.Value)
			}
		}
		if canonical(d.target(e.Func)) == "Doc" && len(e.Args) == 1 {
			return d.annotation(e.Args[0])
		}
	}
	return ""
}

func (d *deriver) literals(args []syntax.Expr, depth int) *jsondoc.Object {
	var values []any
	for _, a := range args {
		v, ok := d.constant(a, depth+1)
		if !ok {
			return jsondoc.NewObject()
		}
		values = append(values, v)
	}
	return enum(values)
}

func enum(values []any) *jsondoc.Object {
	var out []any
	seen := map[string]bool{}
	for _, v := range values {
		text, err := jsondoc.Canonical(v)
		if err != nil || seen[string(text)] {
			continue
		}
		seen[string(text)] = true
		out = append(out, v)
	}
	if len(out) == 0 {
		return jsondoc.NewObject()
	}
	return jsondoc.NewObject(jsondoc.Member{Name: "enum", Value: out})
}

func (d *deriver) tuple(args []syntax.Expr, depth int) *jsondoc.Object {
	if len(args) == 2 {
		if c, ok := args[1].(*syntax.Constant); ok && c.Kind == syntax.Ellipsis {
			return listOf(d.schema(args[0], depth+1))
		}
	}
	var items []any
	for _, a := range args {
		items = append(items, d.schema(a, depth+1))
	}
	out := simple("array")
	if len(items) > 0 {
		out.Set("prefixItems", items)
	}
	out.Set("minItems", len(items))
	out.Set("maxItems", len(items))
	return out
}

// class is the schema of a class of the module: a reference, so that classes may
// refer to themselves.
func (d *deriver) class(c *syntax.ClassDef, depth int) *jsondoc.Object {
	if d.isEnum(c) {
		var values []any
		members := d.members(c)
		for _, name := range d.memberNames(c) {
			if v, ok := members[name]; ok {
				values = append(values, v)
			}
		}
		return enum(values)
	}
	if !d.isRecord(c) {
		return jsondoc.NewObject()
	}
	if d.defs == nil {
		d.defs = jsondoc.NewObject()
	}
	ref := jsondoc.NewObject(jsondoc.Member{Name: "$ref", Value: "#/$defs/" + pointerPart(c.Name)})
	if _, there := d.defs.Get(c.Name); there {
		return ref
	}
	d.defs.Set(c.Name, jsondoc.NewObject()) // a class that has itself as a member finds it
	properties, required := jsondoc.NewObject(), []any{}
	d.fields(c, properties, &required, true, depth, map[*syntax.ClassDef]bool{})
	o := jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "object"}, jsondoc.Member{Name: "properties", Value: properties})
	if len(required) > 0 {
		o.Set("required", required)
	}
	o.Set("additionalProperties", false)
	if w := readDocstring(docstring(c.Body)); w.text != "" {
		o.Set("description", w.text)
	}
	d.defs.Set(c.Name, o)
	return ref
}

func pointerPart(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c < 0x80 {
			b.WriteByte(c)
			continue
		}
		const digits = "0123456789ABCDEF"
		b.WriteString("%" + string(digits[c>>4]) + string(digits[c&15]))
	}
	return b.String()
}

// fields adds the members of a class, those of its bases first.
func (d *deriver) fields(c *syntax.ClassDef, properties *jsondoc.Object, required *[]any, total bool, depth int, seen map[*syntax.ClassDef]bool) {
	if seen[c] || len(seen) > maxNest {
		return
	}
	seen[c] = true
	for _, b := range c.Bases {
		if n, ok := b.(*syntax.Name); ok && d.classes[n.ID] != nil {
			d.fields(d.classes[n.ID], properties, required, true, depth, seen)
		}
	}
	for _, k := range c.Keywords {
		if v, ok := k.Value.(*syntax.Constant); ok && k.Arg == "total" && v.Kind == syntax.False {
			total = false
		}
	}
	words := readDocstring(docstring(c.Body)).arguments
	for _, s := range c.Body {
		a, ok := s.(*syntax.AnnAssign)
		if !ok {
			continue
		}
		n, ok := a.Target.(*syntax.Name)
		if !ok || d.wrapped(a.Annotation, "ClassVar") {
			continue
		}
		schema := d.schema(a.Annotation, depth+1)
		if text := words[n.ID]; text != "" {
			schema = described(schema, text)
		}
		needed := total && a.Value == nil && !d.wrapped(a.Annotation, "NotRequired") || d.wrapped(a.Annotation, "Required")
		if a.Value != nil {
			if v, ok := d.constant(a.Value, depth+1); ok {
				schema = d.defaulted(schema, v)
			}
		}
		properties.Set(n.ID, schema)
		if needed {
			*required = append(*required, n.ID)
		}
	}
}

// wrapped says whether a hint is NAME or NAME[…].
func (d *deriver) wrapped(e syntax.Expr, name string) bool {
	if s, ok := e.(*syntax.Subscript); ok {
		e = s.Value
	}
	return canonical(d.target(e)) == name
}

// isRecord says whether a class is a dataclass, a TypedDict or a NamedTuple.
func (d *deriver) isRecord(c *syntax.ClassDef) bool {
	for _, e := range c.Decorators {
		if call, ok := e.(*syntax.Call); ok {
			e = call.Func
		}
		if t := d.target(e); t == "dataclasses.dataclass" || t == "pydantic.dataclasses.dataclass" {
			return true
		}
	}
	return d.derives(c, []string{"TypedDict", "NamedTuple", "pydantic.BaseModel"}, 0)
}

func (d *deriver) isEnum(c *syntax.ClassDef) bool {
	return d.derives(c, []string{"enum.Enum", "enum.StrEnum", "enum.IntEnum"}, 0)
}

// derives says whether one of a class's bases, or of theirs, has one of the names.
func (d *deriver) derives(c *syntax.ClassDef, names []string, depth int) bool {
	if depth > maxNest {
		return false
	}
	for _, b := range c.Bases {
		t := canonical(d.target(b))
		for _, name := range names {
			if t == name {
				return true
			}
		}
		if n, ok := b.(*syntax.Name); ok && d.classes[n.ID] != nil && d.classes[n.ID] != c && d.derives(d.classes[n.ID], names, depth+1) {
			return true
		}
	}
	return false
}

// memberNames returns the names that an Enum's body assigns, in their order.
func (d *deriver) memberNames(c *syntax.ClassDef) []string {
	var out []string
	for _, s := range c.Body {
		if a, ok := s.(*syntax.Assign); ok {
			if n, ok := a.Targets[0].(*syntax.Name); ok && len(a.Targets) == 1 && !strings.HasPrefix(n.ID, "_") {
				out = append(out, n.ID)
			}
		}
	}
	return out
}

// members returns the values of an Enum. auto() counts from the member before, or
// is the name in lower case in a StrEnum.
func (d *deriver) members(c *syntax.ClassDef) map[string]any {
	out := map[string]any{}
	last := int64(0)
	texts := d.derives(c, []string{"enum.StrEnum"}, 0)
	for _, s := range c.Body {
		a, ok := s.(*syntax.Assign)
		if !ok || len(a.Targets) != 1 {
			continue
		}
		n, ok := a.Targets[0].(*syntax.Name)
		if !ok || strings.HasPrefix(n.ID, "_") {
			continue
		}
		if call, ok := a.Value.(*syntax.Call); ok && d.target(call.Func) == "enum.auto" {
			if last++; texts {
				out[n.ID] = strings.ToLower(n.ID)
			} else {
				out[n.ID] = last
			}
			continue
		}
		if _, name := a.Value.(*syntax.Name); name {
			continue // an alias of a member, or what nobody knows
		}
		if v, ok := d.constant(a.Value, 1); ok {
			if i, ok := v.(int64); ok {
				last = i
			}
			out[n.ID] = v
		}
	}
	return out
}
