package compile

import (
	"slices"
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
	scopeInline // a comprehension: names of their own in the code around
)

// scope is one name space of the source. Scopes of kind scopeInline have no code
// of their own: their variables are hidden slots of the code around.
type scope struct {
	kind   scopeKind
	parent *scope
	class  string // the class around, for names that begin with two underscores

	vars      map[string]*variable
	order     []*variable // vars in order of first binding; parameters first
	globals   map[string]bool
	nonlocals map[string]bool
	uses      []string // names that are read or written, in order, once each
	used      map[string]bool
	refs      map[string]ref

	params    int
	free      []*variable // of code scopes: what closures bring, in order of first use
	brought   map[*variable]bool
	classCell *variable // of classes: __class__

	generator bool
	coroutine bool
	loops     int // around the statement that is being walked
}

// variable is one variable that lives in slots: of a function or a comprehension.
type variable struct {
	name    string
	home    *scope
	cell    bool     // closures share it
	deleted bool     // del, or the name of an except clause: may be unbound anywhere
	slot    int      // in the code of home; set by the compiler
	in      *builder // of a comprehension: the one that gave it its slot
	opened  int      // of a comprehension: the instruction that clears the slot, should that matter
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

// code is the scope whose code s is part of.
func (s *scope) code() *scope {
	for s.kind == scopeInline {
		s = s.parent
	}
	return s
}

// comprehends says whether s is that of a comprehension or generator expression.
func (s *scope) comprehends() bool { return s.kind == scopeInline || s.kind == scopeGen }

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
func (s *scope) bind(name string) {
	s.use(name)
	if s.vars[name] != nil {
		return
	}
	v := &variable{name: name, home: s, slot: -1}
	if s.vars == nil {
		s.vars = make(map[string]*variable)
	}
	s.vars[name] = v
	s.order = append(s.order, v)
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
	list []*scope
}

// parameters lists the parameters in the order of their slots.
func parameters(args *syntax.Arguments) []*syntax.Arg {
	list := slices.Concat(args.PosOnlyArgs, args.Args, args.KwOnlyArgs)
	if args.VarArg != nil {
		list = append(list, args.VarArg)
	}
	if args.KwArg != nil {
		list = append(list, args.KwArg)
	}
	return list
}
