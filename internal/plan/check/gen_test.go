package check_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes random programs whose values mostly have the types that they
// are used with, so that runs get far.
type generator struct {
	*rand.Rand
	out    strings.Builder
	indent int
	depth  int
	vars   map[byte][]string // by type: s text, i number, l list, d dict, o object, f function, g iterable, e set, t tuple
	fresh  int
	inFunc int
	inLoop int
	gen    bool // in a generator
	class  []string
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 7)), vars: map[byte][]string{}}
}

func (g *generator) one(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("    ", g.indent))
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteByte('\n')
}

func (g *generator) name(kind byte) string {
	if list := g.vars[kind]; len(list) > 0 && g.IntN(3) > 0 {
		return list[g.IntN(len(list))]
	}
	g.fresh++
	return fmt.Sprintf("%c%d", kind, g.fresh)
}

func (g *generator) define(kind byte, name string) {
	for _, n := range g.vars[kind] {
		if n == name {
			return
		}
	}
	g.vars[kind] = append(g.vars[kind], name)
}

func (g *generator) have(kind byte) (string, bool) {
	list := g.vars[kind]
	if len(list) == 0 {
		return "", false
	}
	return list[g.IntN(len(list))], true
}

func (g *generator) program() string {
	g.line("from dataclasses import dataclass, field")
	g.line("import json, functools, itertools, collections, math, copy")
	for _, l := range []string{"s1 = 'k'", "i1 = 1", "l1 = ['m', 'n']", "d1 = {'a': 'v', 'b': 'w'}", "t1 = ('x', 'y')", "e1 = {'e'}"} {
		g.line("%s", l)
	}
	for k, n := range map[byte]string{'s': "s1", 'i': "i1", 'l': "l1", 'd': "d1", 't': "t1", 'e': "e1"} {
		g.define(k, n)
	}
	n := 4 + g.IntN(6)
	if g.IntN(10) == 0 {
		n = 20
	}
	for range n {
		g.statement()
	}
	for _, k := range "sildte" {
		for _, n := range g.vars[byte(k)] {
			g.guarded(func() { g.line("sink(%s)", n) })
		}
	}
	return g.out.String()
}

// guarded writes lines that must not end the program.
func (g *generator) guarded(f func()) {
	g.line("try:")
	g.indent++
	f()
	g.indent--
	g.line("except Exception: pass")
}

// block writes a body with names of its own or not.
func (g *generator) block(n int) {
	g.indent++
	g.depth++
	for range 1 + g.IntN(n) {
		g.statement()
	}
	g.depth--
	g.indent--
}

// scoped restores the names that are known after f.
func (g *generator) scoped(f func()) {
	saved := map[byte][]string{}
	for k, v := range g.vars {
		saved[k] = append([]string(nil), v...)
	}
	loop := g.inLoop
	g.inLoop = 0
	f()
	g.inLoop = loop
	g.vars = saved
}

func (g *generator) statement() {
	if g.depth > 2 {
		g.simple()
		return
	}
	switch g.IntN(24) {
	case 0:
		g.ifStmt()
	case 1:
		g.forStmt()
	case 2:
		g.tryStmt()
	case 3, 4:
		g.function()
	case 5:
		g.classDef()
	case 6:
		g.matchStmt()
	case 7:
		g.whileStmt()
	case 8:
		g.generatorDef()
	case 9:
		g.withStmt()
	case 10:
		g.dataClass()
	default:
		g.simple()
	}
}

func (g *generator) ifStmt() {
	g.line("if %s:", g.test())
	g.block(3)
	if g.IntN(2) == 0 {
		if g.IntN(2) == 0 {
			g.line("elif %s:", g.test())
			g.block(2)
		}
		g.line("else:")
		g.block(3)
	}
}

func (g *generator) forStmt() {
	switch g.IntN(5) {
	case 0:
		n := g.name('i')
		g.line("for %s in range(%s %% 4):", n, g.num(1))
		g.define('i', n)
	case 1:
		a, b := g.name('s'), g.name('s')
		g.line("for %s, %s in %s.items():", a, b, g.dict(1))
		g.define('s', a)
		g.define('s', b)
	case 2:
		a, b := g.name('i'), g.name('s')
		g.line("for %s, %s in enumerate(%s):", a, b, g.list(1))
		g.define('i', a)
		g.define('s', b)
	case 3:
		a, b := g.name('s'), g.name('s')
		g.line("for %s, %s in zip(%s, %s):", a, b, g.list(1), g.list(1))
		g.define('s', a)
		g.define('s', b)
	default:
		n := g.name('s')
		g.line("for %s in %s:", n, g.iterable(1))
		g.define('s', n)
	}
	g.inLoop++
	g.block(3)
	g.inLoop--
	if g.IntN(6) == 0 {
		g.line("else:")
		g.block(2)
	}
}

func (g *generator) whileStmt() {
	g.fresh++
	n := fmt.Sprintf("n%d", g.fresh)
	g.line("%s = 0", n)
	g.line("while %s < 3 and %s:", n, g.test())
	g.indent++
	g.line("%s += 1", n)
	g.indent--
	g.inLoop++
	g.block(3)
	g.inLoop--
}

func (g *generator) tryStmt() {
	g.line("try:")
	g.block(3)
	g.indent++
	if g.IntN(2) == 0 {
		g.line("raise %s(%s)", g.one("ValueError", "KeyError", "RuntimeError"), g.text(1))
	} else if g.IntN(3) == 0 {
		g.line("%s", g.one("fails("+g.text(1)+")", "int("+g.text(1)+")", "{}["+g.text(1)+"]", "assert False, "+g.text(1)))
	}
	g.indent--
	n := g.name('s')
	g.fresh++
	x := fmt.Sprintf("x%d", g.fresh)
	g.line("except %s as %s:", g.one("ValueError", "KeyError", "Exception", "Exception", "(ValueError, KeyError)", "ToolError"), x)
	g.indent++
	g.line("%s = %s", n, g.one("str("+x+")", "str("+x+".args)", "repr("+x+")", "f'{"+x+"}'"))
	g.indent--
	g.block(2)
	g.define('s', n)
	if g.IntN(3) == 0 {
		g.line("else:")
		g.block(2)
	}
	if g.IntN(3) == 0 {
		g.line("finally:")
		g.block(2)
	}
}

func (g *generator) function() {
	g.fresh++
	n := fmt.Sprintf("f%d", g.fresh)
	form := g.IntN(6)
	params := []string{"s0, l0", "s0, l0=None", "s0='q', *rest", "s0, *, l0=()", "s0, **kw", "s0, l0=" + g.list(0)}[form]
	if g.IntN(4) == 0 {
		g.line("@%s", g.decorator())
	}
	if g.IntN(8) == 0 {
		g.line("async def %s(%s):", n, params)
		g.body('s', form)
		g.guarded(func() {
			g.line("import asyncio")
			s := g.name('s')
			g.line("%s = asyncio.run(%s(%s))", s, n, g.text(1))
			g.define('s', s)
		})
		return
	}
	g.line("def %s(%s):", n, params)
	g.body('s', form)
	g.define('f', n)
}

func (g *generator) decorator() string {
	g.fresh++
	n := fmt.Sprintf("deco%d", g.fresh)
	// A decorator has to stand before its use: it is written as a lambda.
	return fmt.Sprintf("(lambda f: (lambda *a, **k: %s))", g.one("f(*a, **k)", "str(f(*a, **k))", "f(*a, **k) + "+g.text(0))) + strings.Repeat("", len(n))
}

func (g *generator) body(kind byte, form int) {
	g.inFunc++
	g.scoped(func() {
		g.define('s', "s0")
		if form == 1 || form == 0 || form == 5 {
			g.define('l', "l0")
		}
		if form == 2 {
			g.define('l', "rest")
		}
		if form == 4 {
			g.define('d', "kw")
		}
		if g.IntN(3) == 0 {
			g.indent++
			if name, ok := g.have('s'); ok && name != "s0" && g.inFunc == 1 {
				g.line("global %s", name)
				g.line("%s = %s", name, g.text(1))
			}
			g.indent--
		}
		g.block(4)
		g.indent++
		g.line("return %s", g.text(2))
		g.indent--
	})
	g.inFunc--
}

func (g *generator) generatorDef() {
	g.fresh++
	n := fmt.Sprintf("gen%d", g.fresh)
	g.line("def %s(s0):", n)
	g.inFunc++
	g.scoped(func() {
		g.define('s', "s0")
		g.block(2)
		g.indent++
		g.line("yield %s", g.text(1))
		if g.IntN(2) == 0 {
			s := g.name('s')
			g.line("%s = yield %s", s, g.text(1))
			g.define('s', s)
			g.line("yield %s", g.text(1))
		}
		if g.IntN(3) == 0 {
			g.line("yield from %s", g.iterable(1))
		}
		if g.IntN(3) == 0 {
			g.line("return %s", g.text(1))
		}
		g.indent--
	})
	g.inFunc--
	g.guarded(func() {
		l := g.name('l')
		switch g.IntN(4) {
		case 0:
			g.line("%s = list(%s(%s))", l, n, g.text(1))
		case 1:
			g.line("it = %s(%s)", n, g.text(1))
			g.line("%s = [next(it), next(it, %s)]", l, g.text(1))
		case 2:
			g.line("it = %s(%s)", n, g.text(1))
			g.line("next(it)")
			g.line("%s = [it.send(%s)]", l, g.text(1))
		default:
			g.line("%s = []", l)
			g.line("for item in %s(%s):", n, g.text(1))
			g.line("    %s.append(item)", l)
		}
		g.define('l', l)
	})
}

func (g *generator) classDef() {
	g.fresh++
	n := fmt.Sprintf("C%d", g.fresh)
	base := ""
	if len(g.class) > 0 && g.IntN(2) == 0 {
		base = "(" + g.class[g.IntN(len(g.class))] + ")"
	} else if g.IntN(6) == 0 {
		base = g.one("(Exception)", "(dict)", "(list)")
	}
	g.line("class %s%s:", n, base)
	g.indent++
	g.line("shared = %s", g.list(1))
	if base == "" || base[1] == 'C' {
		g.line("def __init__(self, s0='z'):")
		g.indent++
		if base != "" && g.IntN(2) == 0 {
			g.line("super().__init__(%s)", g.one("s0", g.text(1)))
		}
		g.line("self.a = s0")
		g.line("self.items = [%s]", g.text(1))
		g.indent--
	}
	g.inFunc++
	for range 1 + g.IntN(3) {
		g.scoped(func() { g.method(base) })
	}
	g.inFunc--
	g.indent--
	g.class = append(g.class, n)
	g.guarded(func() {
		o := g.name('o')
		g.line("%s = %s(%s)", o, n, g.text(1))
		g.define('o', o)
	})
}

func (g *generator) method(base string) {
	g.define('s', "s0")
	self := g.one("self.a", "self.items[0]", "self.shared[0]", "str(self.__class__.__name__)")
	switch g.IntN(13) {
	case 0:
		g.line("@property")
		g.line("def prop(self): return %s", self)
	case 1:
		g.line("def __str__(self): return str(%s)", self)
	case 2:
		g.line("def __eq__(self, other): return %s == %s", self, g.text(1))
		g.line("def __hash__(self): return 1")
	case 3:
		g.line("def __getitem__(self, s0): return [%s, %s][0 if s0 == %s else 1]", self, g.text(1), g.text(0))
	case 4:
		g.line("def __iter__(self): return iter([%s, %s])", self, g.text(1))
	case 5:
		g.line("def __add__(self, s0): return str(%s) + str(s0)", self)
	case 6:
		g.line("def __call__(self, s0): return str(s0) + str(%s)", self)
	case 7:
		g.line("def __enter__(self): return %s", self)
		g.line("def __exit__(self, *a):")
		g.line("    sink(str(a[1]))")
		g.line("    return True")
	case 8:
		g.line("@classmethod")
		g.line("def build(cls, s0=%s): return cls(s0)", g.text(1))
	case 9:
		g.line("@staticmethod")
		g.line("def stat(s0): return s0 + %s", g.text(1))
	case 10:
		g.line("def __lt__(self, other): return str(%s) < str(other)", self)
	case 11:
		g.line("def __getattr__(self, s0): return s0 + %s", g.text(1))
	default:
		g.line("def put(self, s0):")
		g.block(2)
		g.indent++
		g.line("self.a = %s", g.one("s0", "s0 + str(self.a)"))
		g.line("self.items.append(%s)", g.text(1))
		g.line("return %s", self)
		g.indent--
	}
}

func (g *generator) dataClass() {
	g.fresh++
	n := fmt.Sprintf("C%d", g.fresh)
	g.line("@dataclass%s", g.one("", "(order=True)", "(frozen=True)"))
	g.line("class %s:", n)
	g.line("    a: str")
	g.line("    b: str = %s", g.text(1))
	g.line("    items: list = field(default_factory=list)")
	g.guarded(func() {
		o := g.name('o')
		switch g.IntN(3) {
		case 0:
			g.line("%s = %s(%s)", o, n, g.text(1))
		case 1:
			g.line("%s = %s(%s, b=%s)", o, n, g.text(1), g.text(1))
		default:
			g.line("%s = %s(%s, %s, %s)", o, n, g.text(1), g.text(1), g.list(1))
		}
		g.define('o', o)
		g.line("sink(str(%s), %s.b)", o, o)
	})
}

func (g *generator) withStmt() {
	o, ok := g.have('o')
	if !ok {
		g.simple()
		return
	}
	g.guarded(func() {
		s := g.name('s')
		g.line("with %s as %s:", o, s)
		g.block(2)
		if g.IntN(2) == 0 {
			g.line("    raise ValueError(%s)", g.text(1))
		}
		g.define('s', s)
	})
}

func (g *generator) matchStmt() {
	g.line("match %s:", g.any(1))
	g.indent++
	switch g.IntN(5) {
	case 0:
		g.line("case {'a': s9}:")
	case 1:
		g.line("case [s9, *l9]:")
	case 2:
		g.line("case str() as s9:")
	case 3:
		g.line("case [s9, _] if %s:", g.test())
	default:
		g.line("case %s:", g.one("'v' as s9", "{'b': ('w' | 'x') as s9}", "(s9, l9)"))
	}
	g.indent++
	g.line("sink(s9)")
	s := g.name('s')
	g.line("%s = str(s9)", s)
	g.define('s', s)
	g.indent--
	g.line("case _:")
	g.block(2)
	g.indent--
}

// simple writes one simple statement, in a try so that it may fail.
func (g *generator) simple() {
	if g.inLoop > 0 && g.IntN(12) == 0 {
		g.line("if %s: %s", g.test(), g.one("break", "continue"))
		return
	}
	if g.inFunc > 0 && g.IntN(14) == 0 && !g.gen {
		g.line("if %s: return %s", g.test(), g.text(1))
		return
	}
	if g.IntN(3) > 0 {
		g.guarded(g.assignment)
		return
	}
	g.guarded(g.effect)
}

func (g *generator) assignment() {
	switch g.IntN(16) {
	case 0, 1, 2, 3:
		n := g.name('s')
		g.line("%s = %s", n, g.text(2))
		g.define('s', n)
	case 4, 5:
		n := g.name('i')
		g.line("%s = %s", n, g.num(2))
		g.define('i', n)
	case 6, 7, 8:
		n := g.name('l')
		g.line("%s = %s", n, g.list(2))
		g.define('l', n)
	case 9, 10:
		n := g.name('d')
		g.line("%s = %s", n, g.dict(2))
		g.define('d', n)
	case 11:
		n := g.name('e')
		g.line("%s = %s", n, g.set(2))
		g.define('e', n)
	case 12:
		n := g.name('t')
		g.line("%s = %s", n, g.tuple(2))
		g.define('t', n)
	case 13:
		a, b := g.name('s'), g.name('s')
		g.line("%s, %s = %s", a, b, g.one(g.text(1)+", "+g.text(1), g.list(1), g.tuple(1)))
		g.define('s', a)
		g.define('s', b)
	case 14:
		n := g.name('f')
		g.line("%s = %s", n, g.lambda())
		g.define('f', n)
	default:
		k := g.one("s", "l", "i")
		if n, ok := g.have(k[0]); ok && g.inFunc == 0 {
			switch k {
			case "s":
				g.line("%s += %s", n, g.text(1))
			case "l":
				g.line("%s += %s", n, g.list(1))
			default:
				g.line("%s += %s", n, g.num(1))
			}
		} else {
			g.line("sink(%s)", g.any(1))
		}
	}
}

// effect writes a statement that changes something or calls a tool.
func (g *generator) effect() {
	l, _ := g.have('l')
	d, _ := g.have('d')
	e, _ := g.have('e')
	o, hasO := g.have('o')
	switch g.IntN(24) {
	case 0, 1:
		g.line("sink(%s)", g.any(2))
	case 2:
		g.line("sink(%s, y=%s)", g.any(1), g.any(1))
	case 3:
		g.line("sink(**{'x': %s})", g.any(1))
	case 4:
		g.line("sink(*%s[:2])", g.list(1))
	case 5:
		g.line("%s.append(%s)", l, g.any(1))
	case 6:
		g.line("%s[%s] = %s", l, g.num(1), g.text(1))
	case 7:
		g.line("%s.%s", l, g.one("insert("+g.num(1)+", "+g.text(1)+")", "extend("+g.list(1)+")", "sort()", "sort(key=lambda s0: str(s0) + "+g.text(1)+")", "reverse()", "pop()", "pop("+g.num(0)+")", "remove("+g.text(1)+")", "clear()"))
	case 8:
		g.line("%s[%s] = %s", d, g.text(1), g.any(1))
	case 9:
		g.line("%s.%s", d, g.one("update("+g.dict(1)+")", "setdefault("+g.text(1)+", "+g.text(1)+")", "pop("+g.text(1)+", None)", "popitem()", "clear()", "update(a="+g.text(1)+")"))
	case 10:
		g.line("%s.%s", e, g.one("add("+g.text(1)+")", "discard("+g.text(1)+")", "update("+g.list(1)+")"))
	case 11:
		g.line("del %s", g.one(l+"["+g.num(0)+"]", d+"["+g.text(0)+"]"))
	case 12, 13, 14:
		if hasO {
			g.line("%s", g.one(o+".a = "+g.text(1), o+".put("+g.text(1)+")", o+".items.append("+g.text(1)+")", o+".shared.append("+g.text(1)+")", "setattr("+o+", "+g.one("'a'", g.text(0))+", "+g.text(1)+")", "sink("+o+".items)", "sink(vars("+o+"))"))
			return
		}
		g.line("sink(%s)", g.text(2))
	case 15:
		g.line("sink(len(%s), %s in %s)", l, g.text(1), l)
	case 16:
		g.line("print(%s)", g.any(1))
	case 17:
		g.line("fails(%s)", g.text(1))
	case 18:
		g.line("%s[%s:%s] = %s", l, g.num(0), g.num(0), g.list(1))
	case 19:
		g.line("%s", g.one("list(map(sink, "+g.list(1)+"))", "[sink(s0) for s0 in "+g.list(1)+"]", "sorted("+g.list(1)+", key=sink)", "functools.reduce(lambda a, s0: sink(a, s0) or s0, "+g.list(1)+")"))
	default:
		g.line("sink(%s)", g.any(2))
	}
}
