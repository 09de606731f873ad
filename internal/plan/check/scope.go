package check

import (
	"slices"

	"praxis/internal/plan/compile"
	"praxis/internal/plan/syntax"
)

// scopeKind says what a scope belongs to.
type scopeKind uint8

const (
	moduleScope scopeKind = iota + 1
	functionScope
	classScope
	compScope // of a comprehension, whose variables lie in the frame around it
)

// scope is the names that a piece of program binds. Scopes of comprehensions
// share the slots of the function or module around them, their host.
type scope struct {
	kind   scopeKind
	node   syntax.Node
	parent *scope
	host   *scope
	names  []string
	slots  []int32
	index  map[string]int32 // when there are many names
	outer  map[string]bool  // declared global (true) or nonlocal (false)

	// Of hosts, by slot:
	captured []bool // functions within read it
	shared   []bool // functions within write it
	slotted  []string

	generator bool // of functions
	async     bool
	uses      []use
}

// use is a name that is read.
type use struct {
	name *syntax.Name
	in   *scope
}

const manyNames = 12

// slot returns the slot of a name that the scope itself binds.
func (s *scope) slot(name string) (int32, bool) {
	if s.index != nil {
		n, ok := s.index[name]
		return n, ok
	}
	for i, n := range s.names {
		if n == name {
			return s.slots[i], true
		}
	}
	return 0, false
}

// declare binds a name in the scope.
func (s *scope) declare(name string) {
	if name == "" {
		return
	}
	if s.outer != nil {
		if _, ok := s.outer[name]; ok {
			return
		}
	}
	if _, ok := s.slot(name); ok {
		return
	}
	h := s.host
	n := int32(len(h.slotted))
	h.slotted = append(h.slotted, name)
	h.captured = append(h.captured, false)
	h.shared = append(h.shared, false)
	s.names = append(s.names, name)
	s.slots = append(s.slots, n)
	if s.index != nil {
		s.index[name] = n
	} else if len(s.names) > manyNames {
		s.index = make(map[string]int32, 2*manyNames)
		for i, name := range s.names {
			s.index[name] = s.slots[i]
		}
	}
}

// lookup finds the scope that a name belongs to when it is used in s. Without
// one it is a name from outside.
func (s *scope) lookup(name string) (owner *scope, slot int32, ok bool) {
	start := s
	for ; s != nil; s = s.parent {
		if s.kind == classScope && s != start {
			continue
		}
		if s.outer != nil {
			if global, ok := s.outer[name]; ok {
				if global {
					for s.parent != nil {
						s = s.parent
					}
					slot, ok := s.slot(name)
					return s, slot, ok
				}
				continue
			}
		}
		if slot, ok := s.slot(name); ok {
			return s.host, slot, true
		}
	}
	return nil, 0, false
}

// scopes builds the scopes of a program.
type scopes struct {
	of   map[syntax.Node]*scope
	root *scope
	all  []*scope
	// What the analysis of flows needs to know of the program.
	catches bool // exceptions are bound to names, or seen by methods of the program
	always  bool // exceptions of the program may be seen by the language itself
	foreign bool // they may be seen by modules, which may call what they are given
	tries   bool // exceptions may be caught
	classes bool // it defines classes
	// What makes a mistake one that the program may mean.
	excuses bool                     // a TypeError, KeyError or AttributeError may be caught
	sorts   bool                     // it looks at what kind of value something is
	slices  bool                     // it makes slices that are values
	tested  map[string]bool          // texts that it looks for with in
	sure    map[string][]syntax.Span // where names of the outer level are bound for certain
	defines map[string]bool          // the names of its functions and methods
	calls   []callUse
}

// callUse is a call of a dotted name.
type callUse struct {
	call *syntax.Call
	in   *scope
}

// newScopes reads a program.
func newScopes(m *syntax.Module) *scopes {
	b := &scopes{of: make(map[syntax.Node]*scope, 8), defines: map[string]bool{}}
	b.root = b.open(moduleScope, m, nil)
	b.block(b.root, m.Body)
	b.bindings(m)
	b.resolve()
	return b
}

// bindings notes the names that the program's own statements bind, one after the other.
func (b *scopes) bindings(m *syntax.Module) {
	b.sure = map[string][]syntax.Span{}
	note := func(name string, n syntax.Node) {
		if len(b.sure[name]) == 0 {
			b.sure[name] = append(b.sure[name], syntax.Span{Start: n.Range().End, End: m.End})
		}
	}
	for _, s := range m.Body {
		switch s := s.(type) {
		case *syntax.Assign:
			for _, t := range s.Targets {
				if name, ok := t.(*syntax.Name); ok {
					note(name.ID, s)
				}
			}
		case *syntax.FunctionDef:
			note(s.Name, s)
		case *syntax.ClassDef:
			note(s.Name, s)
		case *syntax.Import:
			for _, al := range s.Names {
				note(al.Bound(), s)
			}
		case *syntax.ImportFrom:
			for _, al := range s.Names {
				note(al.Bound(), s)
			}
		}
	}
	syntax.Walk(m, func(n syntax.Node) bool {
		if loop, ok := n.(*syntax.For); ok {
			if name, ok := loop.Target.(*syntax.Name); ok {
				b.sure[name.ID] = append(b.sure[name.ID], syntax.Span{Start: loop.Iter.Range().End, End: loop.Body[len(loop.Body)-1].Range().End})
			}
		}
		return true
	})
	syntax.Walk(m, func(n syntax.Node) bool {
		if name, ok := n.(*syntax.Name); ok && name.Ctx == syntax.Del {
			delete(b.sure, name.ID)
		}
		return true
	})
}

func (b *scopes) open(kind scopeKind, n syntax.Node, parent *scope) *scope {
	s := &scope{kind: kind, node: n, parent: parent}
	s.host = s
	if kind == compScope {
		s.host = parent.host
	}
	b.of[n] = s
	b.all = append(b.all, s)
	return s
}

// resolve notes which variables functions share.
func (b *scopes) resolve() {
	for _, s := range b.all {
		for name, global := range s.outer {
			target := s.parent
			if global {
				target = b.root
			}
			owner, slot, ok := target.lookup(name)
			if !ok && global {
				b.root.declare(name)
				owner, slot, ok = target.lookup(name)
			}
			if ok && owner != s.host {
				owner.captured[slot] = true
				owner.shared[slot] = true
			}
		}
	}
	for _, s := range b.all {
		for _, u := range s.uses {
			if owner, slot, ok := u.in.lookup(u.name.ID); ok && owner != u.in.host {
				owner.captured[slot] = true
			}
		}
	}
}

func (b *scopes) block(s *scope, body []syntax.Stmt) {
	for _, st := range body {
		b.stmt(s, st)
	}
}

func (b *scopes) stmt(s *scope, n syntax.Stmt) {
	switch n := n.(type) {
	case *syntax.FunctionDef:
		s.declare(n.Name)
		b.defines[n.Name] = true
		b.exprs(s, n.Decorators)
		b.function(s, n, n.Args)
		inner := b.of[n]
		inner.async = n.Async
		b.block(inner, n.Body)
	case *syntax.ClassDef:
		b.classes = true
		b.always = b.always || hasImplicitMethods(n)
		s.declare(n.Name)
		b.exprs(s, n.Decorators)
		b.exprs(s, n.Bases)
		for _, k := range n.Keywords {
			b.expr(s, k.Value)
		}
		inner := b.open(classScope, n, s)
		b.block(inner, n.Body)
	case *syntax.Global:
		b.declared(s, n.Names, true)
	case *syntax.Nonlocal:
		b.declared(s, n.Names, false)
	case *syntax.Import:
		for _, al := range n.Names {
			s.declare(al.Bound())
			b.foreign = b.foreign || !compile.Plain(al.Name)
		}
	case *syntax.ImportFrom:
		b.foreign = b.foreign || !compile.Plain(n.Module)
		for _, al := range n.Names {
			s.declare(al.Bound())
		}
	case *syntax.TryStmt:
		b.tries = true
		b.block(s, n.Body)
		for _, h := range n.Handlers {
			b.expr(s, h.Type)
			s.declare(h.Name)
			b.catches = b.catches || h.Name != ""
			b.excuses = b.excuses || !narrowHandler(h.Type)
			b.block(s, h.Body)
		}
		b.block(s, n.OrElse)
		b.block(s, n.FinalBody)
	case *syntax.With:
		b.catches, b.tries, b.excuses = true, true, true
		for _, it := range n.Items {
			b.expr(s, it.ContextExpr)
			b.expr(s, it.OptionalVars)
		}
		b.block(s, n.Body)
	case *syntax.If:
		b.expr(s, n.Test)
		b.block(s, n.Body)
		b.block(s, n.OrElse)
	case *syntax.While:
		b.expr(s, n.Test)
		b.block(s, n.Body)
		b.block(s, n.OrElse)
	case *syntax.For:
		b.expr(s, n.Iter)
		b.expr(s, n.Target)
		b.block(s, n.Body)
		b.block(s, n.OrElse)
	case *syntax.Match:
		b.expr(s, n.Subject)
		b.sorts = true
		for _, c := range n.Cases {
			b.pattern(s, c.Pattern)
			b.expr(s, c.Guard)
			b.block(s, c.Body)
		}
	case *syntax.AnnAssign:
		b.expr(s, n.Target)
		b.expr(s, n.Value)
	default:
		syntax.Walk(n, func(c syntax.Node) bool {
			if e, ok := c.(syntax.Expr); ok {
				b.expr(s, e)
				return false
			}
			return true
		})
	}
}

// narrowHandler says that a handler catches failures of tools and of their data alone.
func narrowHandler(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Tuple:
		return !slices.ContainsFunc(e.Elts, func(x syntax.Expr) bool { return !narrowHandler(x) })
	case *syntax.Name:
		switch e.ID {
		case "ToolError", "PermissionError", "NotEnoughInformation", "ValueError", "TimeoutError", "ZeroDivisionError":
			return true
		}
	}
	return false
}

// hasImplicitMethods says whether a class has methods that the language calls by itself.
func hasImplicitMethods(n *syntax.ClassDef) bool {
	for _, s := range n.Body {
		if d, ok := s.(*syntax.FunctionDef); ok && (len(d.Decorators) > 0 || dunder(d.Name) && d.Name != "__init__" && d.Name != "__post_init__") {
			return true
		}
	}
	return false
}

func (b *scopes) declared(s *scope, names []string, global bool) {
	if s.outer == nil {
		s.outer = map[string]bool{}
	}
	for _, n := range names {
		if s.kind != moduleScope {
			s.outer[n] = global
		}
		if global {
			b.root.declare(n)
		}
	}
}

func (b *scopes) function(s *scope, n syntax.Node, args *syntax.Arguments) {
	b.exprs(s, args.Defaults)
	for _, d := range args.KwDefaults {
		b.expr(s, d)
	}
	inner := b.open(functionScope, n, s)
	for _, list := range [][]*syntax.Arg{args.PosOnlyArgs, args.Args} {
		for _, p := range list {
			inner.declare(p.Arg)
		}
	}
	if args.VarArg != nil {
		inner.declare(args.VarArg.Arg)
	}
	for _, p := range args.KwOnlyArgs {
		inner.declare(p.Arg)
	}
	if args.KwArg != nil {
		inner.declare(args.KwArg.Arg)
	}
}

func (b *scopes) pattern(s *scope, p syntax.Pattern) {
	syntax.Walk(p, func(c syntax.Node) bool {
		switch c := c.(type) {
		case *syntax.MatchAs:
			s.declare(c.Name)
		case *syntax.MatchStar:
			s.declare(c.Name)
		case *syntax.MatchMapping:
			s.declare(c.Rest)
		case syntax.Expr:
			b.expr(s, c)
			return false
		}
		return true
	})
}

func (b *scopes) exprs(s *scope, list []syntax.Expr) {
	for _, e := range list {
		b.expr(s, e)
	}
}

// expr reads an expression; nil is none.
func (b *scopes) expr(s *scope, e syntax.Expr) {
	switch e := e.(type) {
	case nil:
	case *syntax.Name:
		if e.Ctx == syntax.Load {
			b.catches = b.catches || e.ID == "next"
			b.always = b.always || e.ID == "next" || e.ID == "getattr" || e.ID == "hasattr"
			b.slices = b.slices || e.ID == "slice"
			b.sorts = b.sorts || e.ID == "isinstance" || e.ID == "type" || e.ID == "hasattr" || e.ID == "callable"
			h := s.host
			h.uses = append(h.uses, use{e, s})
		} else {
			s.bind(e.ID)
			h := s.host
			if h.kind == functionScope && s.kind == compScope && e.Ctx == syntax.Del {
				h.uses = append(h.uses, use{e, s})
			}
		}
	case *syntax.Constant:
	case *syntax.Compare:
		if k, ok := e.Left.(*syntax.Constant); ok && k.Kind == syntax.Str {
			if b.tested == nil {
				b.tested = map[string]bool{}
			}
			b.tested[k.Str] = true
		}
		b.expr(s, e.Left)
		b.exprs(s, e.Comparators)
	case *syntax.NamedExpr:
		t := s
		for t.kind == compScope || isGenerator(t) {
			t = t.parent
		}
		t.bind(e.Target.ID)
		b.walrus(s, t, e.Target.ID)
		b.expr(s, e.Value)
	case *syntax.Lambda:
		b.function(s, e, e.Args)
		b.expr(b.of[e], e.Body)
	case *syntax.ListComp:
		b.comp(s, e, e.Generators, e.Elt, nil)
	case *syntax.SetComp:
		b.comp(s, e, e.Generators, e.Elt, nil)
	case *syntax.DictComp:
		b.comp(s, e, e.Generators, e.Key, e.Value)
	case *syntax.GeneratorExp:
		b.comp(s, e, e.Generators, e.Elt, nil)
	case *syntax.Yield:
		s.host.generator = true
		b.expr(s, e.Value)
	case *syntax.YieldFrom:
		s.host.generator = true
		b.expr(s, e.Value)
	case *syntax.Attribute:
		b.expr(s, e.Value)
	case *syntax.Call:
		b.expr(s, e.Func)
		b.exprs(s, e.Args)
		for _, k := range e.Keywords {
			b.expr(s, k.Value)
		}
		b.calls = append(b.calls, callUse{e, s})
	default:
		first := true
		syntax.Walk(e, func(c syntax.Node) bool {
			if first {
				first = false
				return true
			}
			if x, ok := c.(syntax.Expr); ok {
				b.expr(s, x)
				return false
			}
			return true
		})
	}
}

// walrus notes that a generator expression binds a variable of the function around it.
func (b *scopes) walrus(s, t *scope, name string) {
	for u := s; u != t; u = u.parent {
		if isGenerator(u) {
			if owner, slot, ok := t.lookup(name); ok {
				owner.captured[slot] = true
				owner.shared[slot] = true
			}
			return
		}
	}
}

func isGenerator(s *scope) bool {
	_, ok := s.node.(*syntax.GeneratorExp)
	return ok && s.kind == functionScope
}

// bind declares a name where an assignment in s binds it.
func (s *scope) bind(name string) { s.declare(name) }

func (b *scopes) comp(s *scope, n syntax.Node, gens []*syntax.Comprehension, elt, value syntax.Expr) {
	b.expr(s, gens[0].Iter)
	kind := compScope
	if _, lazy := n.(*syntax.GeneratorExp); lazy {
		kind = functionScope
	}
	in := b.open(kind, n, s)
	for i, g := range gens {
		b.expr(in, g.Target)
		if i > 0 {
			b.expr(in, g.Iter)
		}
		b.exprs(in, g.Ifs)
	}
	b.expr(in, elt)
	b.expr(in, value)
}
