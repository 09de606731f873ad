package compile

import (
	"slices"
	"strings"

	"praxis/internal/plan/syntax"
)

// effects are what a piece of program may change, in whichever way it runs.
type effects struct {
	assigned []string        // variables, once each, in order
	only     map[string]bool // whether a variable is changed by += and the like alone
	sticky   bool            // something that is not a variable may change
	escapes  bool            // a break or continue leaves the piece
	returns  bool            // a return leaves it
}

// facts are what strict mode knows of the whole program. They are true of every
// run: where the program could do something that they do not see, they say
// that it does.
type facts struct {
	bound     map[string]int  // how often a name is bound anywhere in the program
	scalars   map[string]int  // how often it is bound to a number or a string, or changed by +=
	modules   map[string]bool // names that are one of plainModules and nothing else
	attrs     map[string]bool // names of attributes that classes or assignments of the program define
	pure      map[string]bool // functions of the program whose call changes nothing
	speak     map[string]bool // those of them that may call a tool or print
	operators bool            // an operator, attribute or subscript may run code that changes something
	iterators bool            // what is iterated may be an iterator, which iterating changes
	dynamic   bool            // attributes may be set under any name
	missing   bool            // reading an item may put it there: there is a defaultdict
	catches   bool            // an exception may be seen: there is a try or a with
	handles   bool            // next, getattr or hasattr is there, which handle exceptions
	always    bool            // the machine itself sees exceptions of the program, such as StopIteration

	own     bool                 // what modules do is left out
	natives bool                 // what nobody binds is a native that changes something
	direct  map[syntax.Node]bool // expressions that are iterated where they stand, once
	called  map[syntax.Node]bool // expressions that are called, or decorate
	dunders []*syntax.FunctionDef
	getters []syntax.Expr // what property and cached_property are called with
}

// Silent says which functions and lambdas of a program change nothing, call no tool
// and print nothing when they are called, and whether operators and attributes may run
// code of it that changes something.
func Silent(m *syntax.Module, strict bool) (silent map[syntax.Node]bool, hooks bool) {
	f := gatherFacts(m, "", true)
	silent, hooks = map[syntax.Node]bool{}, f.operators
	if strict {
		f = gatherFacts(m, "", false)
	}
	syntax.Walk(m, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FunctionDef:
			silent[n] = f.pureDef(n) && !f.speaks(n)
		case *syntax.Lambda:
			silent[n] = f.pureFunction(n) && !f.speaks(n)
		}
		return true
	})
	return silent, hooks
}

// pureDef says whether a call of the function itself, without its decorators, changes nothing.
func (f *facts) pureDef(d *syntax.FunctionDef) bool {
	own := *d
	own.Decorators = nil
	return !d.Async && !f.impure(&own)
}

// gatherFacts reads a program.
func gatherFacts(m *syntax.Module, module string, own bool) *facts {
	f := &facts{own: own, natives: oneOf(changingModules, module), bound: map[string]int{}, scalars: map[string]int{}, modules: map[string]bool{}, attrs: map[string]bool{},
		pure: map[string]bool{}, speak: map[string]bool{}, direct: map[syntax.Node]bool{}, called: map[syntax.Node]bool{}}
	syntax.Walk(m, func(n syntax.Node) bool {
		for _, name := range syntax.Bindings(n) {
			f.bound[name]++
		}
		f.node(n)
		return true
	})
	f.always = f.always || f.handles && (len(f.dunders) > 0 || len(f.getters) > 0 || f.operators)
	f.catches = f.catches || f.always
	f.iterators = f.iterators || f.attrs["join"] || slices.ContainsFunc(strings.Fields(drainers), func(name string) bool { return f.bound[name] > 0 })
	for name := range f.modules {
		if f.bound[name] != 1 {
			delete(f.modules, name)
		}
	}
	var defs []*syntax.FunctionDef
	for _, s := range m.Body {
		if d, ok := s.(*syntax.FunctionDef); ok && f.bound[d.Name] == 1 && len(d.Decorators) == 0 && !d.Async {
			defs = append(defs, d)
			f.pure[d.Name] = true
		}
	}
	// What is assumed to be pure is so if no body contradicts the assumption.
	for again := true; again; {
		again = false
		for _, d := range defs {
			if f.pure[d.Name] && f.impure(d) {
				delete(f.pure, d.Name)
				again = true
			}
		}
		for _, d := range f.dunders {
			if !f.operators && f.impure(d) {
				f.operators, again = true, true
			}
		}
		for _, g := range f.getters {
			if !f.operators && !f.pureFunction(g) {
				f.operators, again = true, true
			}
		}
	}
	for again := true; again; {
		again = false
		for _, d := range defs {
			if f.pure[d.Name] && !f.speak[d.Name] && f.speaks(d) {
				f.speak[d.Name], again = true, true
			}
		}
	}
	return f
}

// impure says whether a call of d may change anything.
func (f *facts) impure(d *syntax.FunctionDef) bool {
	if len(d.Decorators) > 0 {
		return true
	}
	generator := false
	outer := map[string]bool{}
	for _, s := range d.Body {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Yield, *syntax.Await:
				generator = true
			case *syntax.Declare:
				for _, x := range n.Names {
					outer[x] = true
				}
			}
			return true
		})
	}
	w := &effectWalk{f: f}
	if d.Name == "__init__" || d.Name == "__post_init__" {
		if all := parameters(d.Args); len(all) > 0 {
			w.self = all[0].Arg
		}
	}
	eachNode(w, d.Body)
	e := w.e
	for _, name := range e.assigned {
		generator = generator || outer[name]
		// The list that a parameter names may be changed by +=.
		generator = generator || e.only[name]
	}
	return generator || e.sticky
}

// Lists of names, each between spaces.
const (
	// plainModules are modules whose values are no iterators and run no code of
	// the program, but what they are given to call.
	plainModules = " math json string statistics datetime decimal fractions time typing dataclasses enum random asyncio hashlib base64 textwrap html zoneinfo __future__ "
	// changingModules are those whose functions change something.
	changingModules = " random asyncio "
	// makesIterators are built-in functions whose value is an iterator.
	makesIterators = " map filter zip enumerate reversed iter "
	// drainers go over their argument at once, as a for loop does.
	drainers = " list tuple set frozenset sorted sum min max dict any all enumerate zip map filter bytes "
	// walkers are methods, and functions of plain modules, that go over what they are given.
	walkers = " join fromkeys union intersection difference symmetric_difference issubset issuperset isdisjoint fsum prod dist " +
		"mean fmean geometric_mean harmonic_mean median median_low median_high mode multimode quantiles stdev pstdev variance pvariance covariance correlation "
	// lazyModules are those that make iterators.
	lazyModules = " itertools csv io re heapq difflib "
	// drainedWhole are those of them that always go to the end.
	drainedWhole = " list tuple set frozenset sorted sum min max dict "
	// pureBuiltins change nothing but what they are given to call does, and the output.
	pureBuiltins = " abs all any ascii bin bool bytes callable chr dict divmod enumerate filter float format frozenset " +
		"hash hex int isinstance issubclass iter len list map max min oct ord pow print range repr reversed round set slice sorted str sum tuple type zip " +
		"ArithmeticError AssertionError AttributeError Exception IndexError KeyError LookupError NameError NotImplementedError " +
		"OverflowError RuntimeError StopIteration TypeError ValueError ZeroDivisionError "
	// otherBuiltins are built in, and may change something or call anything.
	otherBuiltins = " classmethod delattr getattr hasattr next object property setattr staticmethod super vars aiter anext dir id memoryview bytearray complex "
	// pureMethods of built-in types change nothing and call nothing.
	pureMethods = " upper lower strip lstrip rstrip split rsplit splitlines partition rpartition join format startswith endswith replace " +
		"find rfind index rindex count title capitalize swapcase casefold center ljust rjust zfill isdigit isalpha isalnum isspace isupper islower " +
		"istitle isdecimal isnumeric isidentifier isascii isprintable encode decode hex removeprefix removesuffix expandtabs translate get keys values items copy " +
		"union intersection difference symmetric_difference issubset issuperset isdisjoint bit_length is_integer as_integer_ratio " +
		"isoformat strftime date time weekday isoweekday isocalendar timestamp total_seconds quantize fromkeys "
	// changers are methods of built-in types that change their object.
	changers = " append extend insert remove pop clear sort reverse update setdefault popitem add discard intersection_update difference_update symmetric_difference_update " +
		"sleep setcontext localcontext add_note "
)

func oneOf(list, name string) bool { return name != "" && strings.Contains(list, " "+name+" ") }

// node notes what a node of the program makes possible.
func (f *facts) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.ClassDef:
		f.classDef(n)
	case *syntax.TryStmt, *syntax.With:
		f.catches = true
	case *syntax.Yield:
		f.iterators = true
	case *syntax.Comp:
		f.iterators = f.iterators || n.Kind == syntax.GeneratorExp && !f.direct[n]
	case *syntax.Import:
		for _, al := range n.Names {
			f.module(al.Name)
			if oneOf(plainModules, al.Name) && !oneOf(changingModules, al.Name) {
				f.modules[al.Bound()] = true
			}
		}
	case *syntax.ImportFrom:
		f.module(n.Module)
	case *syntax.Attribute:
		if n.Ctx != syntax.Load {
			f.attrs[n.Attr] = true
			f.operators = f.operators || strings.HasPrefix(n.Attr, "__")
		}
		f.iterators = f.iterators || n.Attr == "__iter__"
		f.names(n, n.Attr)
	case *syntax.Alias:
		f.names(n, n.Name)
	case *syntax.FunctionDef:
		for _, d := range n.Decorators {
			f.called[d] = true
		}
	case *syntax.For:
		f.direct[n.Iter] = true
	case *syntax.Comprehension:
		f.direct[n.Iter] = true
	case *syntax.Assign:
		for _, t := range n.Targets {
			f.scalar(t, n.Value)
		}
	case *syntax.AnnAssign:
		if n.Value != nil {
			f.scalar(n.Target, n.Value)
		} else {
			f.scalar(n.Target, &syntax.Constant{})
		}
	case *syntax.AugAssign:
		f.scalar(n.Target, &syntax.Constant{})
	case *syntax.Call:
		f.call(n)
	case *syntax.Name:
		f.names(n, n.ID)
		f.iterators = f.iterators || oneOf(makesIterators, n.ID) && !f.direct[n]
		if n.ID == "next" || n.ID == "getattr" || n.ID == "hasattr" {
			f.handles = true
		}
		if n.ID == "setattr" || n.ID == "type" {
			f.dynamic, f.operators = true, f.operators || n.ID == "setattr"
		}
	}
}

// names notes what is special about a name.
func (f *facts) names(n syntax.Node, name string) {
	switch name {
	case "property", "cached_property":
		al, ok := n.(*syntax.Alias)
		f.operators = f.operators || !f.called[n] && (!ok || al.AsName != "") // others may call it
	case "namedtuple", "SimpleNamespace":
		f.dynamic = true
	case "defaultdict":
		f.missing = true
	}
}

// scalar notes that t is bound to value, if that is known to be a number or a string.
func (f *facts) scalar(t, value syntax.Expr) {
	if name, ok := t.(*syntax.Name); ok && isScalar(value) {
		f.scalars[name.ID]++
	}
}

// holdsScalars says whether a variable only ever holds what cannot be changed in place.
func (f *facts) holdsScalars(name string) bool {
	return f.bound[name] > 0 && f.bound[name] == f.scalars[name]
}

// isScalar says whether e is a number, a string or None for sure.
func isScalar(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Constant, *syntax.JoinedStr:
		return true
	case *syntax.UnaryOp:
		return isScalar(e.Operand)
	case *syntax.BinOp:
		return isScalar(e.Left) && isScalar(e.Right)
	}
	return false
}

// isNumber says whether e is a number for sure: += of it changes no list.
func isNumber(e syntax.Expr) bool {
	if b, ok := e.(*syntax.BinOp); ok {
		return isNumber(b.Left) && isNumber(b.Right)
	}
	c, ok := fold(e)
	return ok && (c.Kind == syntax.Int || c.Kind == syntax.Float)
}

// call notes which arguments are iterated at once.
func (f *facts) call(n *syntax.Call) {
	name, ok := n.Func.(*syntax.Name)
	f.called[n.Func] = true
	switch {
	case ok && (name.ID == "property" || name.ID == "cached_property"), syntax.AttrName(n.Func) == "cached_property":
		f.getters = append(f.getters, n.Args...)
		for _, k := range n.Keywords {
			f.getters = append(f.getters, k.Value)
		}
	case ok && oneOf(drainers, name.ID) && (!oneOf(makesIterators, name.ID) || f.direct[n]):
		for _, a := range n.Args {
			f.direct[a] = len(n.Args) == 1 || name.ID != "max" && name.ID != "min" && name.ID != "sum"
		}
	case !ok && syntax.AttrName(n.Func) == "join":
		for _, a := range n.Args {
			f.direct[a] = true
		}
	}
	if ok && oneOf(makesIterators, name.ID) && f.direct[n] && name.ID != "iter" {
		f.direct[name] = true // the name itself stands where its iterator is used up
	}
}

// Plain reports whether a module neither runs code of the program nor sees its exceptions.
func Plain(module string) bool { return oneOf(plainModules, module) }

func (f *facts) module(name string) {
	f.iterators = f.iterators || oneOf(lazyModules, name)
	f.catches = f.catches || name == "asyncio"
	if name == "dataclasses" || name == "copy" {
		f.attrs["replace"] = true
	}
	if !f.own && !Plain(name) {
		f.operators, f.iterators, f.dynamic, f.catches = true, true, true, true
	}
}

func (f *facts) classDef(n *syntax.ClassDef) {
	for _, s := range n.Body {
		for _, name := range syntax.Bindings(s) {
			f.attrs[name] = true
		}
		d, ok := s.(*syntax.FunctionDef)
		if !ok {
			syntax.Walk(s, func(n syntax.Node) bool {
				for _, name := range syntax.Bindings(n) {
					f.attrs[name] = true
					f.operators = f.operators || strings.HasPrefix(name, "__")
				}
				return true
			})
			continue
		}
		dunder := strings.HasPrefix(d.Name, "__") && strings.HasSuffix(d.Name, "__")
		switch d.Name {
		case "__next__", "__getattr__", "__getitem__":
			f.always = true
			f.dynamic = f.dynamic || d.Name == "__getattr__"
		case "keys":
			dunder = true // of ** and dict()
		}
		if d.Name != "__init__" && d.Name != "__post_init__" && (dunder || len(d.Decorators) > 0) {
			plain := *d
			plain.Decorators = nil
			f.dunders = append(f.dunders, &plain)
		}
	}
}

// effectWalk collects effects. Code that only runs when something is called is
// not looked at: the call is what counts.
type effectWalk struct {
	f      *facts
	e      effects
	loops  int
	hidden bool   // targets of a comprehension are walked, whose names nobody else knows
	self   string // of __init__: the object that nobody else has yet
}

func (f *facts) ofBody(body []syntax.Stmt) effects {
	w := &effectWalk{f: f}
	eachNode(w, body)
	return w.e
}

// of returns the effects of what runs under the control of what n itself tests.
func (f *facts) of(n syntax.Node) effects {
	w := &effectWalk{f: f}
	switch n := n.(type) {
	case *syntax.If:
		w.later(n.Test)
		eachNode(w, n.Body)
		eachNode(w, n.OrElse)
	case *syntax.IfExp:
		w.later(n.Test)
		w.node(n.Body)
		w.node(n.OrElse)
	case *syntax.Assert:
		w.later(n.Test)
		w.node(n.Msg)
	case *syntax.For:
		w.iterates()
		w.node(n.Target)
		w.loop(n.Body, n.OrElse)
	case *syntax.Match:
		w.operator()
		eachNode(w, n.Cases)
	case *syntax.BoolOp, *syntax.Compare:
		w.later(n.(syntax.Expr))
	case *syntax.Comp: // a generator expression, too, if it is compiled in place
		w.comprehension(n)
	default:
		w.node(n)
	}
	return w.e
}

// comprehension walks all but the first iterable, which is computed before.
func (w *effectWalk) comprehension(n *syntax.Comp) {
	w.iterates()
	for i, g := range n.Generators {
		if i > 0 {
			w.node(g.Iter)
		}
		eachNode(w, g.Ifs)
		w.hide(g.Target)
	}
	w.node(n.Elt)
	w.node(n.Value)
}

// hide walks the target of a comprehension.
func (w *effectWalk) hide(t syntax.Expr) {
	was := w.hidden
	w.hidden = true
	w.node(t)
	w.hidden = was
}

// later walks what of a condition is computed only after another part was tested.
func (w *effectWalk) later(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.UnaryOp:
		w.later(e.Operand)
	case *syntax.BoolOp:
		w.later(e.Values[0])
		eachNode(w, e.Values[1:])
	case *syntax.Compare:
		if len(e.Ops) > 1 {
			eachNode(w, e.Comparators[1:])
			w.compare(e)
		}
	}
}

// compare notes what comparing does: in takes elements out of an iterator.
func (w *effectWalk) compare(e *syntax.Compare) {
	w.operator()
	for i, op := range e.Ops {
		if (op == syntax.In || op == syntax.NotIn) && !w.f.inPlace(e.Comparators[i:i+1]) {
			w.iterates()
		}
	}
}

func (w *effectWalk) assign(name string, augmented bool) {
	if name == "" {
		return
	}
	if w.e.only == nil {
		w.e.only = map[string]bool{}
	}
	if was, ok := w.e.only[name]; ok {
		w.e.only[name] = was && augmented
		// A list that was put there before it was changed is another one.
		w.e.sticky = w.e.sticky || was != augmented
		return
	}
	w.e.only[name] = augmented
	w.e.assigned = append(w.e.assigned, name)
}

func (w *effectWalk) operator() { w.e.sticky = w.e.sticky || w.f.operators }

func (w *effectWalk) iterates() { w.e.sticky = w.e.sticky || w.f.iterators || w.f.operators }

func (w *effectWalk) loop(body, orElse []syntax.Stmt) {
	w.loops++
	eachNode(w, body)
	w.loops--
	eachNode(w, orElse)
}

func eachNode[T syntax.Node](w *effectWalk, list []T) {
	for _, n := range list {
		w.node(n)
	}
}

// node walks a statement, or a part of one; nil is none.
func (w *effectWalk) node(n syntax.Node) {
	switch n := n.(type) {
	case nil:
		return
	case *syntax.AugAssign:
		w.node(n.Value)
		w.operator()
		if name, ok := n.Target.(*syntax.Name); ok {
			grows := !w.f.holdsScalars(name.ID) && (!isNumber(n.Value) || n.Op == syntax.Mult)
			if w.assign(name.ID, grows); grows && !w.f.inPlace([]syntax.Expr{n.Value}) {
				w.iterates()
			}
		} else {
			w.e.sticky = true
		}
		return
	case *syntax.AnnAssign:
		w.node(n.Value)
		if n.Value != nil {
			w.node(n.Target)
		}
		return
	case *syntax.Return:
		w.e.returns = true
	case *syntax.Break, *syntax.Continue:
		w.e.escapes = w.e.escapes || w.loops == 0
	case *syntax.Alias:
		w.assign(n.Bound(), false)
		w.e.sticky = w.e.sticky || n.Name == "*"
	case *syntax.FunctionDef:
		w.e.sticky = w.e.sticky || len(n.Decorators) > 0
		w.defaults(n.Args)
		w.assign(n.Name, false)
		return
	case *syntax.Lambda:
		w.defaults(n.Args)
		return
	case *syntax.ClassDef:
		w.e.sticky = true
		w.assign(n.Name, false)
		w.shared(n.Body)
		return
	case *syntax.While:
		w.node(n.Test)
		w.loop(n.Body, n.OrElse)
		return
	case *syntax.For:
		w.iterates()
		w.node(n.Iter)
		w.node(n.Target)
		w.loop(n.Body, n.OrElse)
		return
	case *syntax.Match:
		w.operator()
	case *syntax.With, *syntax.Delete, *syntax.Yield, *syntax.Await:
		w.e.sticky = true
	case *syntax.TryStmt: // its handlers stick
		w.e.sticky = w.e.sticky || !w.f.own
	case *syntax.Raise:
		_, fresh := n.Exc.(*syntax.Call)
		w.e.sticky = w.e.sticky || n.Cause != nil && !fresh
	case *syntax.Comp:
		w.e.sticky = w.e.sticky || n.Kind == syntax.GeneratorExp
	case *syntax.ExceptHandler, *syntax.NamedExpr, *syntax.MatchAs, *syntax.MatchStar:
		for _, name := range syntax.Bindings(n) {
			w.assign(name, false)
		}
	case *syntax.Comprehension:
		w.iterates()
		w.hide(n.Target)
		w.node(n.Iter)
		eachNode(w, n.Ifs)
		return
	case syntax.Expr:
		w.operand(n)
	}
	syntax.Children(n, w.node)
}

// operand notes what an expression itself does, without its parts.
func (w *effectWalk) operand(n syntax.Expr) {
	switch n := n.(type) {
	case *syntax.Name:
		if n.Ctx != syntax.Load && !w.hidden {
			w.assign(n.ID, false)
		}
	case *syntax.Attribute:
		w.operator()
		of, ok := n.Value.(*syntax.Name)
		if own := ok && w.self != "" && of.ID == w.self; n.Ctx != syntax.Load && (!own || w.hidden) {
			w.e.sticky = true
		}
	case *syntax.Subscript:
		w.operator()
		w.e.sticky = w.e.sticky || n.Ctx != syntax.Load || w.f.missing
	case *syntax.Tuple:
		if n.Ctx == syntax.Store {
			w.iterates()
		}
	case *syntax.List:
		if n.Ctx == syntax.Store {
			w.iterates()
		}
	case *syntax.Starred:
		w.iterates()
	case *syntax.Compare:
		w.compare(n)
	case *syntax.BinOp, *syntax.UnaryOp, *syntax.FormattedValue, *syntax.BoolOp, *syntax.IfExp, *syntax.Set, *syntax.Dict:
		w.operator()
	case *syntax.Call:
		if !w.f.pureCall(n) {
			w.e.sticky = true
		}
	}
}

// defaults walks what the parameters of a function are without an argument.
func (w *effectWalk) defaults(args *syntax.Arguments) {
	eachNode(w, args.Defaults)
	eachNode(w, args.KwDefaults)
}

// shared notes what the body of a class assigns outside of the class.
func (w *effectWalk) shared(body []syntax.Stmt) {
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.FunctionDef, *syntax.Lambda:
				return false
			case *syntax.Declare:
				for _, name := range n.Names {
					w.assign(name, false)
				}
			}
			return true
		})
	}
}
