package syntax

// symbol gathers what a scope does with a name.
type symbol uint16

const (
	defGlobal symbol = 1 << iota
	defNonlocal
	defLocal
	defParam
	defImport
	defAnnot
	defIter // target of a comprehension's loop
	used

	bound = defLocal | defParam | defImport
)

// declared is the statement that declared the name.
func (s symbol) declared() string {
	if s&defGlobal != 0 {
		return "global"
	}
	return "nonlocal"
}

// scopeKind is what a scope belongs to.
type scopeKind uint8

const (
	moduleScope scopeKind = iota + 1
	functionScope
	classScope
	comprehensionScope
	annotationScope
)

// scope is where names are looked up.
type scope struct {
	kind     scopeKind
	what     string // how messages call it
	parent   *scope
	children []*scope
	symbols  map[string]symbol
	names    []string // in order of appearance
	declares []declaration
	async    bool // the body of an `async def`
	yields   bool
	returns  []*Return // with a value, in an async function
	// Of comprehensions:
	generator bool
	coroutine bool // it awaits
	inTarget  bool // the targets of its loops are being walked
	inIter    int  // iterables of comprehensions being walked
}

// declaration is a name in a global or nonlocal statement.
type declaration struct {
	name string
	at   Span
}

func (c *checker) push(k scopeKind, what string) *scope {
	s := &scope{kind: k, what: what, parent: c.scope, symbols: map[string]symbol{}}
	if c.scope != nil {
		c.scope.children = append(c.scope.children, s)
		s.inIter = c.scope.inIter
	}
	c.scope = s
	return s
}

func (c *checker) pop() { c.scope = c.scope.parent }

// functionLike says whether s is a function for `yield` and `await`.
func (s *scope) functionLike() bool { return s.kind != moduleScope && s.kind != classScope }

// define notes that the scope does something with a name.
func (c *checker) define(n Node, name string, what symbol) { c.defineIn(c.scope, n, name, what) }

func (c *checker) defineIn(s *scope, n Node, name string, what symbol) {
	old, known := s.symbols[name]
	if !known {
		s.names = append(s.names, name)
	}
	if what&defParam != 0 && old&defParam != 0 {
		c.at(n, "duplicate argument '%s' in function definition", name)
	}
	if s.inTarget && what&defLocal != 0 {
		if old&(defGlobal|defNonlocal) != 0 {
			c.at(n, "comprehension inner loop cannot rebind assignment expression target '%s'", name)
		}
		what |= defIter
	}
	s.symbols[name] = old | what
}

// use notes that the scope reads a name.
func (c *checker) use(n *Name) {
	s, name := c.scope, n.ID
	old, known := s.symbols[name]
	if !known {
		s.names = append(s.names, name)
	}
	s.symbols[name] = old | used
}

// declare notes a global or nonlocal statement.
func (c *checker) declare(n Stmt, names []string, what symbol) {
	word := what.declared()
	if what == defNonlocal && c.scope.kind == moduleScope {
		c.at(n, "nonlocal declaration not allowed at module level")
		return
	}
	for _, name := range names {
		switch flags := c.scope.symbols[name]; {
		case flags&defParam != 0:
			c.at(n, "name '%s' is parameter and %s", name, word)
		case flags&used != 0:
			c.at(n, "name '%s' is used prior to %s declaration", name, word)
		case flags&defAnnot != 0:
			c.at(n, "annotated name '%s' can't be %s", name, word)
		case flags&defLocal != 0:
			c.at(n, "name '%s' is assigned to before %s declaration", name, word)
		}
		c.define(n, name, what)
		c.scope.declares = append(c.scope.declares, declaration{name, n.Range()})
	}
}

// nameSet is a set of names that grows on the way down the scopes: each level
// adds to those around it.
type nameSet struct {
	outer *nameSet
	in    map[string]bool
}

func (s *nameSet) has(name string) bool {
	for ; s != nil; s = s.outer {
		if v, ok := s.in[name]; ok {
			return v
		}
	}
	return false
}

func (s *nameSet) with(name string, v bool) {
	if s.in == nil {
		s.in = map[string]bool{}
	}
	s.in[name] = v
}

// analyze binds the names of s and of the scopes in it. outer are the names
// that the functions around it bind.
func (c *checker) analyze(s *scope, outer *nameSet) {
	for _, d := range s.declares {
		switch flags := s.symbols[d.name]; {
		case flags&defNonlocal == 0:
		case flags&defGlobal != 0:
			c.at(d.at, "name '%s' is nonlocal and global", d.name)
		case !outer.has(d.name):
			c.at(d.at, "no binding for nonlocal '%s' found", d.name)
		}
	}
	inner := &nameSet{outer: outer}
	for _, name := range s.names {
		flags := s.symbols[name]
		switch {
		case flags&defGlobal != 0:
			inner.with(name, false)
		case flags&bound != 0 && flags&defNonlocal == 0 && s.functionLike():
			inner.with(name, true)
		}
	}
	if s.kind == classScope {
		inner.with("__class__", true)
	}
	for _, child := range s.children {
		c.analyze(child, inner)
	}
}

func (c *checker) functionDef(s *FunctionDef) {
	c.define(s, s.Name, defLocal)
	c.forbidden(s, s.Name)
	for _, d := range s.Decorators {
		c.expr(d)
	}
	c.defaults(s.Args)
	c.annotations(s.Args, s.Returns)
	c.function(s.Args, s.Async, func() { c.block(s.Body) })
}

// function walks the parameters and the body of a function.
func (c *checker) function(args *Arguments, async bool, body func()) {
	loops := c.loops
	c.loops = 0
	f := c.push(functionScope, "")
	f.async = async
	for _, list := range [][]*Arg{args.PosOnlyArgs, args.Args, args.KwOnlyArgs} {
		for _, a := range list {
			c.parameter(a)
		}
	}
	c.parameter(args.VarArg)
	c.parameter(args.KwArg)
	body()
	if f.yields {
		for _, r := range f.returns {
			c.at(r, "'return' with value in async generator")
		}
	}
	c.pop()
	c.loops = loops
}

func (c *checker) parameter(a *Arg) {
	if a == nil {
		return
	}
	c.define(a, a.Arg, defParam)
	c.forbidden(a, a.Arg)
}

func (c *checker) defaults(a *Arguments) {
	for _, d := range a.Defaults {
		c.expr(d)
	}
	for _, d := range a.KwDefaults {
		c.expr(d)
	}
}

func (c *checker) annotations(args *Arguments, returns Expr) {
	for _, list := range [][]*Arg{args.PosOnlyArgs, args.Args, {args.VarArg}, args.KwOnlyArgs, {args.KwArg}} {
		for _, a := range list {
			if a != nil {
				c.annotation(a.Annotation)
			}
		}
	}
	c.annotation(returns)
}

func (c *checker) classDef(s *ClassDef) {
	c.define(s, s.Name, defLocal)
	c.forbidden(s, s.Name)
	for _, d := range s.Decorators {
		c.expr(d)
	}
	c.arguments(s.Bases, s.Keywords)
	loops := c.loops
	c.loops = 0
	c.push(classScope, "")
	c.block(s.Body)
	c.pop()
	c.loops = loops
}
