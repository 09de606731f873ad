package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/plan/builtin"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// misuse is what is known of a call that cannot be made.
type misuse struct {
	round int32
	fine  bool // in one context at least
	wrong *Finding
}

// made notes whether the call at n can be made as the analysis knows it now. Only
// a call that can be made in no context is reported: a function that is called
// with values of several kinds often distinguishes them itself.
func (a *analysis) made(n syntax.Node, wrong *Finding) {
	if a.misuses == nil {
		a.misuses = map[syntax.Node]misuse{}
	}
	m := a.misuses[n]
	if m.round != a.round {
		m = misuse{round: a.round, wrong: wrong}
	}
	m.fine = m.fine || wrong == nil
	a.misuses[n] = m
}

// misused reports the calls that cannot be made.
func (a *analysis) misused(r *Result) {
	for _, n := range sortedNodes(a.misuses) {
		if m := a.misuses[n]; m.round == a.round && !m.fine {
			r.add(m.wrong.at(n.Range()))
		}
	}
}

// callable notes whether a function of the program can be called with x.
func (f *frame) callable(o *object, x args) {
	if !x.direct || o.code.args == nil {
		return
	}
	text := arity(signatureOf(o.code.args), x)
	if text == "" {
		f.a.made(x.site, nil)
		return
	}
	f.a.made(x.site, &Finding{Kind: Arguments, Level: f.a.mistake(), Message: o.code.name + "() " + text, Remedy: fmt.Sprintf("It is defined in line %d.", pos(o.node).Line)})
}

// builtinCalls judges the calls of built-in functions by their names.
func (a *analysis) builtinCalls(r *Result) {
	for _, c := range a.scopes.calls {
		name, ok := c.call.Func.(*syntax.Name)
		if !ok {
			continue
		}
		fn := builtin.Function(name.ID)
		if _, _, bound := c.in.lookup(name.ID); fn == nil || fn.Params == "" || bound || a.inputs[name.ID] != 0 {
			continue
		}
		x := args{pos: make([]val, len(c.call.Args))}
		for _, e := range c.call.Args {
			_, star := e.(*syntax.Starred)
			x.open = x.open || star
		}
		for _, k := range c.call.Keywords {
			x.hasKw = x.hasKw || k.Arg == ""
			x.named = append(x.named, entry{name: k.Arg})
		}
		if text := arity(fn.Signature(), x); text != "" {
			f := found(c.call, Arguments, a.mistake(), name.ID+"() "+text)
			f.Remedy = "It is called as " + name.ID + "(" + fn.Params + ")."
			r.add(f)
		}
	}
}

// mistake is how much a call matters that would raise a TypeError: where
// exceptions may be caught somewhere, it may be meant.
func (a *analysis) mistake() Level {
	if a.scopes.excuses {
		return Warning
	}
	return Error
}

// signatureOf is what the head of a function's definition says.
func signatureOf(p *syntax.Arguments) *value.Signature {
	places := len(p.PosOnlyArgs) + len(p.Args)
	s := &value.Signature{PosOnly: len(p.PosOnlyArgs), Pos: places, Need: places - len(p.Defaults), Star: p.VarArg != nil, KwStar: p.KwArg != nil}
	for _, a := range slices.Concat(p.PosOnlyArgs, p.Args, p.KwOnlyArgs) {
		s.Names = append(s.Names, a.Arg)
	}
	for i, e := range p.KwDefaults {
		if e == nil {
			s.Must |= 1 << i
		}
	}
	return s
}

// arity says in Python's words why a function cannot take these arguments, "" when
// it can, or may.
func arity(s *value.Signature, x args) string {
	if x.open || x.hasKw || x.vague || slices.ContainsFunc(x.named, func(e entry) bool { return e.weak }) {
		return ""
	}
	if len(x.pos) > s.Pos && !s.Star {
		return fmt.Sprintf("takes %s but %d were given", counted(s.Pos, "positional argument"), len(x.pos))
	}
	given := make([]bool, len(s.Names))
	for i := range min(len(x.pos), s.Pos) {
		given[i] = true
	}
	for _, e := range x.named {
		i := s.PosOnly + slices.Index(s.Names[s.PosOnly:], e.name)
		switch {
		case i >= s.PosOnly && given[i]:
			return "got multiple values for argument '" + e.name + "'"
		case i >= s.PosOnly:
			given[i] = true
		case !s.KwStar:
			return "got an unexpected keyword argument '" + e.name + "'"
		}
	}
	var missing []string
	for i, name := range s.Names {
		if !given[i] && (i < s.Need || i >= s.Pos && s.Must>>(i-s.Pos)&1 != 0) {
			missing = append(missing, "'"+name+"'")
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("is missing %s: %s", counted(len(missing), "argument"), strings.Join(missing, ", "))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// fits notes whether a tool can be called with x: whether what is known of the
// arguments is allowed by its input schema.
func (f *frame) fits(d *tool.Definition, x args) {
	if !x.direct || x.open || x.hasKw || slices.ContainsFunc(x.named, func(e entry) bool { return e.weak }) {
		return
	}
	var named []tool.Named[val]
	for _, e := range x.named {
		named = append(named, tool.Named[val]{Name: e.name, Value: e.v})
	}
	bound, err := tool.BindArgs(d, x.pos, named)
	if err != nil {
		call, ok := x.site.(*syntax.Call)
		if !ok {
			return
		}
		if _, named := dottedName(call.Func, f.scope); !named { // else it is reported by its name
			f.a.made(x.site, &Finding{Kind: Arguments, Level: f.a.mistake(), Tool: d.Name, Message: err.Error(), Remedy: "Call it as " + d.Signature() + "."})
		}
		return
	}
	text, remedy := f.misfit(d, bound)
	if text == "" {
		f.a.made(x.site, nil)
		return
	}
	f.a.made(x.site, &Finding{Kind: Value, Level: Error, Tool: d.Name, Message: text, Remedy: remedy})
}

// misfit says what the schema of a tool forbids of known arguments, one by one and
// together, and of what is known of the others.
func (f *frame) misfit(d *tool.Definition, bound []tool.Named[val]) (text, remedy string) {
	whole := &jsondoc.Object{}
	for _, b := range bound {
		if d.Name == "ask_llm" && b.Name == "schema" && f.classOnly(b.Value) {
			return "cannot call ask_llm: a class is no schema here", "Define it at the outer level, and name it in the call itself: ask_llm(…, schema=Name)."
		}
		want, declared := d.Input.Type().Property(b.Name)
		if v, ok := f.known(b.Value, 0); ok {
			whole.Set(b.Name, v)
			if err := d.CheckArgument(b.Name, v); err != nil {
				return faultText(err)
			}
			if o, ok := v.(*jsondoc.Object); ok && d.Name == "ask_llm" && b.Name == "schema" {
				_, err := parseSchema(o)
				if text, remedy := faultText(err); text != "" {
					return "cannot call ask_llm: " + text, remedy
				}
			}
		} else if kinds := f.kinds(b.Value); declared && kinds != 0 && want.Type.Kinds&kinds == 0 {
			return fmt.Sprintf("cannot call %s: arguments: /%s: expected %s, got %s", d.Name, b.Name, want.Type.Kinds, kinds), "Call it as " + d.Signature() + "."
		}
	}
	if whole.Len() < len(bound) {
		return "", ""
	}
	return faultText(d.CheckArguments(whole))
}

// classOnly says that a value is a class of the program.
func (f *frame) classOnly(v val) bool {
	return v.objs != nil && v.fl&scalar == 0 && !slices.ContainsFunc(v.objs.ids, func(id int32) bool { return f.a.objects[id].kind != oClass })
}

func faultText(err error) (text, remedy string) {
	if err == nil {
		return "", ""
	}
	var problem *fault.Error
	if errors.As(err, &problem) {
		remedy = problem.Remedy
	}
	return err.Error(), remedy
}

// kinds is what a value without a known content may be in JSON, 0 when that is not known.
func (f *frame) kinds(v val) schema.Kinds {
	var all schema.Kinds
	for x := range f.shapes(v).each {
		if x.json() == 0 {
			return 0
		}
		all |= x.json()
	}
	return all
}
