package interp

import (
	"strings"

	"praxis/internal/plan/syntax"
)

// scopeKind says what a scope belongs to.
type scopeKind uint8

const (
	scopeModule scopeKind = iota + 1
	scopeClass
	scopeFunc   // def and lambda
	scopeGen    // a generator expression: a function of its own, with one hidden parameter
	scopeInline // a comprehension, or type parameters: names of their own in the code around
)

// scope is one name space of the source. Scopes of kind scopeInline have no code
// of their own: their variables are hidden slots of the code around.
type scope struct {
	kind   scopeKind
	parent *scope
	name   string
	class  string // the class around, for names that begin with two underscores

	vars      map[string]*variable
	order     []*variable // vars in order of first binding; parameters first
	globals   map[string]bool
	nonlocals map[string]bool
	declared  map[string]syntax.Span // where a name was declared global or nonlocal
	marks     map[string]mark        // what happened to a name so far, for the errors of declarations
	uses      []string               // names that are read or written, in order, once each
	used      map[string]bool
	refs      map[string]ref

	params    int
	free      []*variable // of code scopes: what closures bring, in order of first use
	brought   map[*variable]bool
	classCell *variable // of classes: __class__

	generator bool
	coroutine bool
}

// variable is one variable that lives in slots: of a function or a comprehension.
type variable struct {
	name    string
	home    *scope
	cell    bool // closures share it
	deleted bool // del, or the name of an except clause: may be unbound anywhere
	loop    bool // target of a comprehension
	slot    int  // in the code of home; set by the compiler
	opened  int  // of a comprehension: the instruction that clears the slot, should that matter
}

// ref is what a name means in a scope.
type ref struct {
	kind refKind
	v    *variable // of refLocal and refFree
}

type refKind uint8

const (
	refGlobal refKind = iota + 1
	refLocal          // a variable of this code
	refFree           // a variable of a code around
	refName           // in the name space of the class whose body this is
)

type mark uint8

const (
	markUsed mark = 1 << iota
	markBound
	markAnnotated
	markWalrus
)

// code is the scope whose code s is part of.
func (s *scope) code() *scope {
	for s.kind == scopeInline {
		s = s.parent
	}
	return s
}

func (s *scope) mangle(name string) string { return mangle(s.class, name) }

// mangle writes the name of a private attribute as it is known outside of the class.
func mangle(class, name string) string {
	if class == "" || !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") || strings.Contains(name, ".") {
		return name
	}
	class = strings.TrimLeft(class, "_")
	if class == "" {
		return name
	}
	return "_" + class + name
}

// bind notes that name (mangled) is bound in s.
func (s *scope) bind(name string) *variable {
	s.use(name)
	if v := s.vars[name]; v != nil {
		return v
	}
	v := &variable{name: name, home: s, slot: -1}
	if s.vars == nil {
		s.vars = make(map[string]*variable)
	}
	s.vars[name] = v
	s.order = append(s.order, v)
	return v
}

func (s *scope) use(name string) {
	if s.used[name] {
		return
	}
	if s.used == nil {
		s.used = make(map[string]bool)
	}
	s.used[name] = true
	s.uses = append(s.uses, name)
}

// mark notes what happened to a name, for the errors of later declarations.
func (s *scope) mark(name string, m mark) {
	if s.marks == nil {
		s.marks = make(map[string]mark)
	}
	s.marks[name] |= m
}

// resolve says what a name (mangled) means in s.
func (s *scope) resolve(name string) ref {
	if r, ok := s.refs[name]; ok {
		return r
	}
	r := s.find(name)
	if r.kind == refFree {
		r.v.cell = true
		for c := s.code(); c != r.v.home.code(); c = c.parent.code() {
			c.addFree(r.v)
		}
	}
	if s.refs == nil {
		s.refs = make(map[string]ref)
	}
	s.refs[name] = r
	return r
}

func (s *scope) find(name string) ref {
	if s.globals[name] {
		return ref{kind: refGlobal}
	}
	if v := s.vars[name]; v != nil && !s.nonlocals[name] {
		switch s.kind {
		case scopeModule:
			return ref{kind: refGlobal}
		case scopeClass:
			return ref{kind: refName}
		}
		return ref{kind: refLocal, v: v}
	}
	for p := s.parent; p != nil; p = p.parent {
		switch {
		case p.kind == scopeModule || p.globals[name]:
			return ref{kind: refGlobal}
		case p.kind == scopeClass:
			if name == "__class__" {
				return ref{kind: refFree, v: p.classCell}
			}
		case p.vars[name] != nil && !p.nonlocals[name]:
			if p.code() == s.code() {
				return ref{kind: refLocal, v: p.vars[name]}
			}
			return ref{kind: refFree, v: p.vars[name]}
		}
	}
	return ref{kind: refGlobal}
}

// addFree puts v among the free variables of s.
func (s *scope) addFree(v *variable) {
	if !s.brought[v] {
		if s.brought == nil {
			s.brought = make(map[*variable]bool)
		}
		s.brought[v] = true
		s.free = append(s.free, v)
	}
}

// scopes are the scopes of a program.
type scopes struct {
	of   map[syntax.Node]*scope // of modules, functions, lambdas, classes, comprehensions
	typ  map[syntax.Node]*scope // of the type parameters of a function, class or alias
	list []*scope
	errs []*syntax.Error
}

// maxErrors bounds how many errors are told about one program.
const maxErrors = 20

// analyse finds the scopes of a program, what its names mean, and what CPython
// calls a SyntaxError although the grammar allows it.
func analyse(m *syntax.Module, f *facts) *scopes {
	a := &analysis{facts: f, scopes: scopes{of: map[syntax.Node]*scope{}, typ: map[syntax.Node]*scope{}}}
	root := a.push(nil, scopeModule, "<module>")
	a.of[m] = root
	a.root = root
	a.futures(m.Body)
	a.block(root, m.Body)
	for _, p := range a.pending {
		if r := p.scope.find(p.name); r.kind != refFree && r.kind != refLocal {
			a.fail(p.span, "no binding for nonlocal '"+p.name+"' found")
		}
	}
	// Inner scopes last: a variable is known to be shared before its code is compiled,
	// and free variables have the same order each time.
	for _, s := range a.list {
		for _, name := range s.uses {
			s.resolve(name)
		}
	}
	return &a.scopes
}

// SyntaxErrors finds what Python calls a SyntaxError although the grammar
// allows it, such as a return outside of a function. There may be more than it tells.
func SyntaxErrors(m *syntax.Module) []*syntax.Error { return analyse(m, nil).errs }

// analysis walks a tree and makes its scopes.
type analysis struct {
	scopes
	facts   *facts // of strict mode, or nil
	root    *scope
	loops   int // loops around in this function
	star    int // loops that were around the except* block that this is in, plus 1
	pending []pendingNonlocal

	iterating int                  // iterables of comprehensions around
	whole     *syntax.GeneratorExp // strict mode: the one that is compiled in place
}

// pendingNonlocal is a declaration whose variable may be bound later in the source.
type pendingNonlocal struct {
	scope *scope
	span  syntax.Span
	name  string
}

func (a *analysis) push(parent *scope, kind scopeKind, name string) *scope {
	s := &scope{kind: kind, parent: parent, name: name}
	if parent != nil {
		s.class = parent.class
	}
	a.list = append(a.list, s)
	return s
}

func (a *analysis) fail(span syntax.Span, message string) {
	if len(a.errs) < maxErrors {
		a.errs = append(a.errs, &syntax.Error{Pos: span.Start, End: span.End, Kind: syntax.SyntaxError, Message: message})
	}
}

// function walks the parameters and the body of a def or lambda; defaults,
// decorators and annotations belong to the scope around.
func (a *analysis) function(outer *scope, n syntax.Node, name string, args *syntax.Arguments) *scope {
	s := a.push(outer, scopeFunc, name)
	a.of[n] = s
	for _, p := range parameters(args) {
		m := s.mangle(p.Arg)
		if s.vars[m] != nil {
			a.fail(p.Span, "duplicate argument '"+p.Arg+"' in function definition")
			continue
		}
		a.debug(p.Span, p.Arg)
		s.bind(m)
		s.params++
	}
	return s
}

// parameters lists the parameters in the order of their slots.
func parameters(args *syntax.Arguments) []*syntax.Arg {
	if args == nil {
		return nil
	}
	list := make([]*syntax.Arg, 0, len(args.PosOnlyArgs)+len(args.Args)+len(args.KwOnlyArgs)+2)
	list = append(list, args.PosOnlyArgs...)
	list = append(list, args.Args...)
	list = append(list, args.KwOnlyArgs...)
	if args.VarArg != nil {
		list = append(list, args.VarArg)
	}
	if args.KwArg != nil {
		list = append(list, args.KwArg)
	}
	return list
}

func (a *analysis) defaults(s *scope, args *syntax.Arguments) {
	if args == nil {
		return
	}
	a.exprs(s, args.Defaults)
	a.exprs(s, args.KwDefaults)
}

// typeParams opens a scope for type parameters, if there are any.
func (a *analysis) typeParams(s *scope, n syntax.Node, params []syntax.TypeParam) *scope {
	if len(params) == 0 {
		return s
	}
	t := a.push(s, scopeInline, "")
	a.typ[n] = t
	for _, p := range params {
		name := typeParamName(p)
		if t.vars[t.mangle(name)] != nil {
			a.fail(p.Range(), "duplicate type parameter '"+name+"'")
		}
		t.bind(t.mangle(name))
	}
	return t
}

func typeParamName(p syntax.TypeParam) string {
	switch p := p.(type) {
	case *syntax.TypeVar:
		return p.Name
	case *syntax.ParamSpec:
		return p.Name
	case *syntax.TypeVarTuple:
		return p.Name
	}
	return ""
}

// store binds a name, where a declaration says so in another scope.
func (a *analysis) store(s *scope, span syntax.Span, name string, m mark) {
	a.debug(span, name)
	name = s.mangle(name)
	s.mark(name, m)
	switch {
	case s.globals[name]:
		a.root.bind(name)
		s.use(name)
	case s.nonlocals[name]:
		s.use(name)
	default:
		s.bind(name)
	}
}

func (a *analysis) load(s *scope, name string) {
	name = s.mangle(name)
	s.mark(name, markUsed)
	s.use(name)
	if name == "super" || name == "__class__" {
		s.use("__class__")
	}
}

func (a *analysis) debug(span syntax.Span, name string) {
	if name == "__debug__" {
		a.fail(span, "cannot assign to __debug__")
	}
}

// del notes that a name is unbound at some place.
func (a *analysis) del(s *scope, name string) {
	if v := s.vars[s.mangle(name)]; v != nil {
		v.deleted = true
	}
}

// declare is a global or nonlocal statement.
func (a *analysis) declare(s *scope, span syntax.Span, names []string, global bool) {
	word := "nonlocal"
	if global {
		word = "global"
	}
	for _, name := range names {
		name = s.mangle(name)
		param := s.vars[name] != nil && s.kind == scopeFunc && isParam(s, name)
		switch m := s.marks[name]; {
		case !global && s.kind == scopeModule:
			a.fail(span, "nonlocal declaration not allowed at module level")
			continue
		case param:
			a.fail(span, "name '"+name+"' is parameter and "+word)
			continue
		case m&markAnnotated != 0:
			a.fail(span, "annotated name '"+name+"' can't be "+word)
			continue
		case m&markBound != 0:
			a.fail(span, "name '"+name+"' is assigned to before "+word+" declaration")
			continue
		case m&markUsed != 0:
			a.fail(span, "name '"+name+"' is used prior to "+word+" declaration")
			continue
		case global && s.nonlocals[name] || !global && s.globals[name]:
			a.fail(s.declared[name], "name '"+name+"' is nonlocal and global")
			continue
		}
		if s.declared == nil {
			s.declared = map[string]syntax.Span{}
		}
		s.declared[name] = span
		if global {
			if s.kind == scopeModule {
				continue
			}
			if s.globals == nil {
				s.globals = map[string]bool{}
			}
			s.globals[name] = true
			continue
		}
		a.pending = append(a.pending, pendingNonlocal{s, span, name})
		if s.nonlocals == nil {
			s.nonlocals = map[string]bool{}
		}
		s.nonlocals[name] = true
	}
}

func isParam(s *scope, name string) bool {
	for _, v := range s.order[:min(s.params, len(s.order))] {
		if v.name == name {
			return true
		}
	}
	return false
}
