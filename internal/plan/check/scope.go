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

	at    *scope            // the one that is read
	visit func(syntax.Node) // node
}

// callUse is a call of a dotted name.
type callUse struct {
	call *syntax.Call
	in   *scope
}

// newScopes reads a program.
func newScopes(m *syntax.Module) *scopes {
	b := &scopes{of: make(map[syntax.Node]*scope, 8), defines: map[string]bool{}}
	b.visit = b.node
	b.root = b.open(moduleScope, m)
	each(b, m.Body)
	b.bindings(m)
	b.resolve()
	return b
}

// bindings notes the names that the program's own statements bind, one after the other.
func (b *scopes) bindings(m *syntax.Module) {
	b.sure = map[string][]syntax.Span{}
	for _, s := range m.Body {
		names := syntax.Bindings(s)
		switch s.(type) {
		case *syntax.Assign, *syntax.Import, *syntax.ImportFrom:
			syntax.Children(s, func(c syntax.Node) { names = append(names, syntax.Bindings(c)...) })
		}
		for _, name := range names {
			if len(b.sure[name]) == 0 {
				b.sure[name] = append(b.sure[name], syntax.Span{Start: s.Range().End, End: m.End})
			}
		}
	}
	var deleted []string
	syntax.Walk(m, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.For:
			if name, ok := n.Target.(*syntax.Name); ok {
				b.sure[name.ID] = append(b.sure[name.ID], syntax.Span{Start: n.Iter.Range().End, End: n.Body[len(n.Body)-1].Range().End})
			}
		case *syntax.Name:
			if n.Ctx == syntax.Del {
				deleted = append(deleted, n.ID)
			}
		}
		return true
	})
	for _, name := range deleted {
		delete(b.sure, name)
	}
}

// open makes the scope of a node, which is read from then on.
func (b *scopes) open(kind scopeKind, n syntax.Node) *scope {
	s := &scope{kind: kind, node: n, parent: b.at}
	s.host = s
	if kind == compScope {
		s.host = s.parent.host
	}
	b.of[n] = s
	b.all = append(b.all, s)
	b.at = s
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
			if owner, slot, ok := target.lookup(name); ok && owner != s.host {
				owner.captured[slot], owner.shared[slot] = true, true
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

func each[T syntax.Node](b *scopes, list []T) {
	for _, n := range list {
		b.node(n)
	}
}

// node reads a node. Annotations are not evaluated and have no part in it.
func (b *scopes) node(n syntax.Node) {
	s := b.at
	switch n := n.(type) {
	case *syntax.FunctionDef:
		s.declare(n.Name)
		b.defines[n.Name] = true
		each(b, n.Decorators)
		b.function(n, n.Args)
		b.at.async = n.Async
		each(b, n.Body)
		b.at = s
	case *syntax.Lambda:
		b.function(n, n.Args)
		b.node(n.Body)
		b.at = s
	case *syntax.ClassDef:
		b.classes = true
		b.always = b.always || hasImplicitMethods(n)
		s.declare(n.Name)
		each(b, n.Decorators)
		each(b, n.Bases)
		each(b, n.Keywords)
		b.open(classScope, n)
		each(b, n.Body)
		b.at = s
	case *syntax.Comp:
		b.comp(n)
	case *syntax.NamedExpr:
		b.walrus(n.Target.ID)
		b.node(n.Value)
	case *syntax.AnnAssign:
		b.node(n.Target)
		if n.Value != nil {
			b.node(n.Value)
		}
	case *syntax.Declare:
		b.declared(n.Names, !n.Nonlocal)
	case *syntax.Name:
		if n.Ctx != syntax.Load {
			s.declare(n.ID)
			return
		}
		b.hint(n.ID)
		s.host.uses = append(s.host.uses, use{n, s})
	case *syntax.Call:
		syntax.Children(n, b.visit)
		b.calls = append(b.calls, callUse{n, s})
	default:
		b.notice(n)
		for _, name := range syntax.Bindings(n) {
			s.declare(name)
		}
		syntax.Children(n, b.visit)
	}
}

// hint notes what the use of a name says of the program.
func (b *scopes) hint(name string) {
	switch name {
	case "next":
		b.catches, b.always = true, true
	case "getattr":
		b.always = true
	case "hasattr":
		b.always, b.sorts = true, true
	case "slice":
		b.slices = true
	case "isinstance", "type", "callable":
		b.sorts = true
	}
}

func (b *scopes) imports(module string) {
	b.foreign = b.foreign || !compile.Plain(module)
	if module == "asyncio" { // a task keeps its exception
		b.catches, b.always = true, true
	}
}

// notice notes what a statement or an expression says of the program.
func (b *scopes) notice(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Import:
		for _, al := range n.Names {
			b.imports(al.Name)
		}
	case *syntax.ImportFrom:
		b.imports(n.Module)
	case *syntax.TryStmt:
		b.tries = true
	case *syntax.ExceptHandler:
		b.catches = b.catches || n.Name != ""
		b.excuses = b.excuses || !narrowHandler(n.Type)
	case *syntax.With:
		b.catches, b.tries, b.excuses = true, true, true
	case *syntax.Match:
		b.sorts = true
	case *syntax.Compare:
		if k, ok := n.Left.(*syntax.Constant); ok && k.Kind == syntax.Str {
			if b.tested == nil {
				b.tested = map[string]bool{}
			}
			b.tested[k.Str] = true
		}
	case *syntax.Yield:
		b.at.host.generator = true
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
	return slices.ContainsFunc(n.Body, func(s syntax.Stmt) bool {
		d, ok := s.(*syntax.FunctionDef)
		return ok && (len(d.Decorators) > 0 || dunder(d.Name) && d.Name != "__init__" && d.Name != "__post_init__")
	})
}

func (b *scopes) declared(names []string, global bool) {
	s := b.at
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

// function opens the scope of a function, with its parameters in the order in which calls pass them.
func (b *scopes) function(n syntax.Node, args *syntax.Arguments) {
	each(b, args.Defaults)
	for _, d := range args.KwDefaults {
		if d != nil {
			b.node(d)
		}
	}
	inner := b.open(functionScope, n)
	declare := func(list ...*syntax.Arg) {
		for _, p := range list {
			if p != nil {
				inner.declare(p.Arg)
			}
		}
	}
	declare(args.PosOnlyArgs...)
	declare(args.Args...)
	declare(args.VarArg)
	declare(args.KwOnlyArgs...)
	declare(args.KwArg)
}

// walrus declares a name in the function around; a generator expression then shares it.
func (b *scopes) walrus(name string) {
	t, shared := b.at, false
	for ; t.kind == compScope || isGenerator(t); t = t.parent {
		shared = shared || isGenerator(t)
	}
	t.declare(name)
	if owner, slot, ok := t.lookup(name); ok && shared {
		owner.captured[slot], owner.shared[slot] = true, true
	}
}

func isGenerator(s *scope) bool {
	c, ok := s.node.(*syntax.Comp)
	return ok && c.Kind == syntax.GeneratorExp
}

func (b *scopes) comp(n *syntax.Comp) {
	outer := b.at
	b.node(n.Generators[0].Iter)
	kind := compScope
	if n.Kind == syntax.GeneratorExp {
		kind = functionScope
	}
	b.open(kind, n)
	for i, g := range n.Generators {
		b.node(g.Target)
		if i > 0 {
			b.node(g.Iter)
		}
		each(b, g.Ifs)
	}
	b.node(n.Elt)
	b.node(n.Value)
	b.at = outer
}
