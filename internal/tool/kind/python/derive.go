package python

import (
	"math"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/plan/syntax"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// Bounds of what a file may declare.
const (
	maxTypes = 2000 // nodes of all hints together
	maxNest  = 40
	maxWords = 15_000 // bytes of the description
)

// deriver makes schemas of a module's hints.
type deriver struct {
	imports map[string]string // name → where it comes from: "typing.Optional"
	classes map[string]*syntax.ClassDef
	aliases map[string]syntax.Expr
	funcs   map[string]*syntax.FunctionDef
	consts  map[string]syntax.Expr
	defs    *jsondoc.Object
	left    int
}

// module reads a module.
func module(file string, src []byte) (*deriver, error) {
	m, errs := syntax.Parse(src, syntax.Options{MaxDepth: 500, Lenient: true})
	if len(errs) > 0 {
		return nil, fault.New(fault.Invalid, "Correct the file.", "cannot read %s: line %d: %s: %s", file, errs[0].Pos.Line, errs[0].Kind, errs[0].Message)
	}
	d := &deriver{imports: map[string]string{}, classes: map[string]*syntax.ClassDef{}, aliases: map[string]syntax.Expr{}, funcs: map[string]*syntax.FunctionDef{}, consts: map[string]syntax.Expr{}, left: maxTypes}
	d.survey(m.Body, 0)
	return d, nil
}

// find finds a function of the module.
func (d *deriver) find(file, name string) (*syntax.FunctionDef, error) {
	f := d.funcs[name]
	if f == nil {
		var names []string
		for n := range d.funcs {
			if !strings.HasPrefix(n, "_") {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		remedy := "The file has no function."
		if len(names) > 0 {
			remedy = "The file has: " + strings.Join(names[:min(20, len(names))], ", ") + "."
		}
		return nil, fault.New(fault.Invalid, remedy, "cannot find the function %s in %s", name, file)
	}
	for _, p := range []*syntax.Arg{f.Args.VarArg, f.Args.KwArg} {
		if p != nil {
			return nil, fault.New(fault.Invalid, "Give each argument a parameter of its own, or take a list or dict.", "cannot use %s in %s: arguments of *%s have no names", name, file, p.Arg)
		}
	}
	return f, nil
}

// survey notes what a module binds, in branches and attempts too.
func (d *deriver) survey(body []syntax.Stmt, depth int) {
	if depth > maxNest {
		return
	}
	for _, s := range body {
		switch s := s.(type) {
		case *syntax.Import:
			for _, a := range s.Names {
				if a.AsName != "" {
					d.imports[a.AsName] = a.Name
				} else {
					first, _, _ := strings.Cut(a.Name, ".")
					d.imports[first] = first
				}
			}
		case *syntax.ImportFrom:
			for _, a := range s.Names {
				name := a.AsName
				if name == "" {
					name = a.Name
				}
				d.imports[name] = s.Module + "." + a.Name
			}
		case *syntax.FunctionDef:
			d.funcs[s.Name] = s
		case *syntax.ClassDef:
			d.classes[s.Name] = s
		case *syntax.AnnAssign:
			if n, ok := s.Target.(*syntax.Name); ok && s.Value != nil {
				d.consts[n.ID] = s.Value
				d.aliases[n.ID] = s.Value
			}
		case *syntax.Assign:
			if n, ok := s.Targets[0].(*syntax.Name); ok && len(s.Targets) == 1 {
				d.consts[n.ID] = s.Value
				d.aliases[n.ID] = s.Value
			}
		case *syntax.If:
			d.survey(s.Body, depth+1)
			d.survey(s.OrElse, depth+1)
		case *syntax.TryStmt:
			d.survey(s.Body, depth+1)
			for _, h := range s.Handlers {
				d.survey(h.Body, depth+1)
			}
		}
	}
}

// define makes the definition of a function.
func (d *deriver) define(f *syntax.FunctionDef) *jsondoc.Object {
	words := readDocstring(docstring(f.Body))
	doc := jsondoc.NewObject()
	if words.text != "" {
		doc.Set("description", words.text)
	}
	doc.Set("input", d.input(f, words))
	if f.Returns != nil {
		d.defs = nil
		out := d.schema(f.Returns, 0)
		if words.returns != "" {
			out = described(out, words.returns)
		}
		doc.Set("output", d.whole(out))
	}
	return doc
}

// whole adds the definitions that a schema refers to.
func (d *deriver) whole(schema *jsondoc.Object) *jsondoc.Object {
	if d.defs == nil {
		return schema
	}
	out := clone(schema)
	out.Set("$defs", d.defs)
	return out
}

func (d *deriver) input(f *syntax.FunctionDef, words words) *jsondoc.Object {
	properties, required := jsondoc.NewObject(), []any{}
	params := slices.Concat(f.Args.PosOnlyArgs, f.Args.Args)
	defaults := make([]syntax.Expr, len(params)-len(f.Args.Defaults))
	defaults = append(defaults, f.Args.Defaults...)
	params = append(params, f.Args.KwOnlyArgs...)
	defaults = append(defaults, f.Args.KwDefaults...)
	for i, p := range params {
		schema := d.schema(p.Annotation, 0)
		if text := words.arguments[p.Arg]; text != "" {
			schema = described(schema, text)
		}
		if defaults[i] == nil {
			required = append(required, p.Arg)
		} else if v, ok := d.constant(defaults[i], 0); ok {
			schema = d.defaulted(schema, v)
		}
		properties.Set(p.Arg, schema)
	}
	out := jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "object"}, jsondoc.Member{Name: "properties", Value: properties})
	if len(required) > 0 {
		out.Set("required", required)
	}
	out.Set("additionalProperties", false)
	return d.whole(out)
}

// defaulted adds a default. None makes the argument nullable, as Python's readers
// take it; another default that the hint does not allow is left to the function.
func (d *deriver) defaulted(hint *jsondoc.Object, v any) *jsondoc.Object {
	fits := func(s *jsondoc.Object) bool {
		if isPlainly(s, v) {
			return true
		}
		text, err := d.whole(s).MarshalJSON()
		if err != nil {
			return false
		}
		parsed, err := schema.Parse("hint.json", text)
		return err == nil && parsed.Validate(v) == nil
	}
	if !fits(hint) {
		if v != nil {
			return hint
		}
		if hint = nullable(hint); !fits(hint) {
			return hint
		}
	}
	out := clone(hint)
	out.Set("default", v)
	return out
}

// isPlainly reports whether a schema only requires a type or one of some texts, and
// the value fits. Most do, so that their schemas need not be compiled.
func isPlainly(schema *jsondoc.Object, v any) bool {
	plain := false
	for key, want := range schema.All() {
		switch key {
		case "title", "description":
		case "type":
			if !isOfType(v, want) {
				return false
			}
			plain = true
		case "enum":
			text, ok := v.(string)
			if !ok || !slices.Contains(listed(want), any(text)) {
				return false
			}
			plain = true
		default:
			return false
		}
	}
	return plain
}

// isOfType reports whether a value is of the type of that name.
func isOfType(v, name any) bool {
	switch v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case int64:
		return name == "integer" || name == "number"
	case float64:
		return name == "number"
	}
	return false
}

func clone(o *jsondoc.Object) *jsondoc.Object {
	out := jsondoc.NewObject()
	for name, v := range o.All() {
		out.Set(name, v)
	}
	return out
}

func described(o *jsondoc.Object, text string) *jsondoc.Object {
	if o.Len() > 0 {
		if _, there := o.Get("description"); there {
			return o
		}
	}
	out := clone(o)
	out.Set("description", text)
	return out
}

func nullable(o *jsondoc.Object) *jsondoc.Object {
	return union([]*jsondoc.Object{o, simple("null")})
}

func simple(kind string) *jsondoc.Object {
	return jsondoc.NewObject(jsondoc.Member{Name: "type", Value: kind})
}

func formatted(format string) *jsondoc.Object {
	return jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "string"}, jsondoc.Member{Name: "format", Value: format})
}

func listOf(items *jsondoc.Object) *jsondoc.Object {
	o := simple("array")
	if items.Len() > 0 {
		o.Set("items", items)
	}
	return o
}

// union joins alternatives: plain types in one list, others by anyOf. A text that
// describes one of them describes the whole.
func union(parts []*jsondoc.Object) *jsondoc.Object {
	var kinds, others []any
	text := ""
	for _, p := range parts {
		if p.Len() == 0 {
			return jsondoc.NewObject()
		}
		if v, ok := p.Get("description"); ok && text == "" {
			text, _ = v.(string)
			p = without(p, "description")
		}
		if kind, ok := p.Get("type"); ok && p.Len() == 1 {
			for _, k := range listed(kind) {
				if !slices.Contains(kinds, k) {
					kinds = append(kinds, k)
				}
			}
			continue
		}
		if more, ok := p.Get("anyOf"); ok && p.Len() == 1 {
			others = append(others, listed(more)...)
			continue
		}
		others = append(others, p)
	}
	plain := jsondoc.NewObject()
	if len(kinds) == 1 {
		plain.Set("type", kinds[0])
	} else if len(kinds) > 1 {
		plain.Set("type", kinds)
	}
	out := plain
	if plain.Len() > 0 && len(others) > 0 {
		others = append(others, plain)
	}
	if len(others) == 1 && plain.Len() == 0 {
		out = clone(others[0].(*jsondoc.Object))
	} else if len(others) > 0 {
		out = jsondoc.NewObject(jsondoc.Member{Name: "anyOf", Value: others})
	}
	if text != "" {
		out = described(out, text)
	}
	return out
}

func listed(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

func without(o *jsondoc.Object, name string) *jsondoc.Object {
	out := jsondoc.NewObject()
	for n, v := range o.All() {
		if n != name {
			out.Set(n, v)
		}
	}
	return out
}

// constant evaluates a default: a literal, or a name that the module gives one.
func (d *deriver) constant(e syntax.Expr, depth int) (any, bool) {
	if d.left--; d.left < 0 || depth > maxNest {
		return nil, false
	}
	list := func(items []syntax.Expr) (any, bool) {
		out := []any{}
		for _, item := range items {
			v, ok := d.constant(item, depth+1)
			if !ok {
				return nil, false
			}
			out = append(out, v)
		}
		return out, true
	}
	switch e := e.(type) {
	case *syntax.Constant:
		return literal(e, false)
	case *syntax.UnaryOp:
		if c, ok := e.Operand.(*syntax.Constant); ok && e.Op == syntax.USub && (c.Kind == syntax.Int || c.Kind == syntax.Float) {
			return literal(c, true)
		}
	case *syntax.List:
		return list(e.Elts)
	case *syntax.Tuple:
		return list(e.Elts)
	case *syntax.Dict:
		out := jsondoc.NewObject()
		for i, k := range e.Keys {
			if k == nil {
				return nil, false
			}
			key, ok := d.constant(k, depth+1)
			name, text := key.(string)
			v, ok2 := d.constant(e.Values[i], depth+1)
			if !ok || !text || !ok2 {
				return nil, false
			}
			out.Set(name, v)
		}
		return out, true
	case *syntax.Name:
		if v, ok := d.consts[e.ID]; ok {
			return d.constant(v, depth+1)
		}
	case *syntax.Attribute:
		if class, ok := e.Value.(*syntax.Name); ok && d.classes[class.ID] != nil && d.isEnum(d.classes[class.ID]) {
			v, ok := d.members(d.classes[class.ID])[e.Attr]
			return v, ok
		}
	}
	return nil, false
}

// literal returns the JSON value of a constant.
func literal(c *syntax.Constant, negative bool) (any, bool) {
	switch c.Kind {
	case syntax.None:
		return nil, true
	case syntax.True:
		return true, true
	case syntax.False:
		return false, true
	case syntax.Str:
		return strings.ToValidUTF8(c.Str, "\uFFFD"), true
	case syntax.Int:
		if c.Big != nil {
			return nil, false
		}
		if negative {
			return -c.Int, true
		}
		return c.Int, true
	case syntax.Float:
		f := c.Float
		if negative {
			f = -f
		}
		return f, !math.IsInf(f, 0) && !math.IsNaN(f)
	}
	return nil, false
}

// docstring returns the text that a body begins with.
func docstring(body []syntax.Stmt) string {
	if len(body) == 0 {
		return ""
	}
	e, ok := body[0].(*syntax.ExprStmt)
	if !ok {
		return ""
	}
	if c, ok := e.Value.(*syntax.Constant); ok && c.Kind == syntax.Str {
		return strings.ToValidUTF8(c.Str, "\uFFFD")
	}
	return ""
}
