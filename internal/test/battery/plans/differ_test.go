package plans_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"praxis/internal/plan/syntax"
	"praxis/internal/plan/vm"
	"praxis/internal/test/cpython"
)

var (
	differPrograms = flag.Int("programs", 100, "generated programs that are compared with CPython")
	differSeed     = flag.Uint64("seed", 1, "of the generated programs")
)

// writer writes programs at random. Each statement is guarded, so that an
// exception is a line of output like any other.
type writer struct {
	r     *rand.Rand
	b     strings.Builder
	depth int
	vars  []string
	loop  bool
}

func (w *writer) one(of ...string) string { return of[w.r.IntN(len(of))] }

func (w *writer) name() string {
	if len(w.vars) == 0 || w.r.IntN(5) == 0 {
		return w.one("a", "b", "c")
	}
	return w.one(w.vars...)
}

// literal is a constant or a small display.
func (w *writer) literal() string {
	return w.one("0", "1", "-1", "2", "7", "10", "255", "2**70", "-2**64+1", "10**30", "True", "False", "None",
		"0.0", "-0.0", "1.5", "-2.75", "1e100", "1e-7", "0.1", "float('inf')", "3.0",
		"''", "'a'", "'abc'", "'Hello, World'", "'  pad\\t'", "'é€😀'", "'12'", "'-3.5'", "'a,b,,c'", "'x=1;y=2'", "b'ab\\xff'", "b''",
		"[]", "[1, 2, 3]", "[3, 1, 2, 1]", "['b', 'a']", "[[1], [2, 3]]", "()", "(1,)", "(1, 'a', 2.5)", "{}", "{'a': 1, 'b': [2]}", "{1: 'x', 2: 'y'}",
		"set()", "{1, 2, 3}", "frozenset([2, 3])", "range(5)", "range(10, 0, -3)")
}

func (w *writer) expr() string {
	if w.depth++; w.depth > 4 {
		w.depth--
		return w.one(w.literal(), w.name())
	}
	defer func() { w.depth-- }()
	e := w.expr
	switch w.r.IntN(24) {
	case 0, 1, 2:
		return w.literal()
	case 3, 4:
		return w.name()
	case 5, 6:
		return fmt.Sprintf("(%s %s %s)", e(), w.one("+", "-", "*", "/", "//", "%", "&", "|", "^"), e())
	case 7:
		// CPython tells objects apart that are one here, and the other way round.
		op := w.one("==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not")
		if strings.HasPrefix(op, "is") {
			return fmt.Sprintf("(%s %s %s)", e(), op, w.one("None", "True"))
		}
		return fmt.Sprintf("(%s %s %s)", e(), op, e())
	case 8:
		return fmt.Sprintf("(%s %s %s %s %s)", e(), w.one("<", "==", ">="), e(), w.one("<", "!="), e())
	case 9:
		return fmt.Sprintf("(%s %s %s)", e(), w.one("and", "or"), e())
	case 10:
		return fmt.Sprintf("(%s%s)", w.one("-", "+", "not ", "~"), e())
	case 11:
		return fmt.Sprintf("(%s if %s else %s)", e(), e(), e())
	case 12:
		return fmt.Sprintf("%s[%s]", e(), w.one(e(), "0", "-1", "'a'", "1:", "::-1", ":2", "-3:-1"))
	case 13, 14:
		return w.call()
	case 15, 16:
		return w.method()
	case 17:
		v := w.one("i", "j")
		return fmt.Sprintf("[%s for %s in %s if %s]", w.inside(v), v, w.one("range(4)", "'abc'", "[1, 2]", e()), w.inside(v))
	case 18:
		return fmt.Sprintf("{%s: %s for i in %s}", w.inside("i"), w.inside("i"), w.one("range(3)", "'aab'", e()))
	case 19:
		return fmt.Sprintf("%s(%s for i in %s)", w.one("list", "sum", "any", "all", "tuple", "max", "sorted"), w.inside("i"), w.one("range(4)", "[2, 1]", e()))
	case 20:
		return fmt.Sprintf("f\"{%s%s%s} {%s}\"", w.plain(), w.one("", "!r", "!s"), w.one("", ":>8", ":^6", ":<3", ":05", ":.2f", ":,", ":x", ":+", ":e", ":%", ":10.3", "=", ":{3}"), w.plain())
	case 21:
		return fmt.Sprintf("(lambda p, q=%s: %s)(%s)", w.literal(), w.inside("p"), e())
	case 22:
		return fmt.Sprintf("(%s, %s)", e(), e())
	}
	return fmt.Sprintf("'%s' %% (%s)", w.one("%s", "%r", "%d", "%5.1f", "%x", "%-6s|", "%s %s"), w.one(e(), e()+","))
}

// plain is something that can stand in an f-string.
func (w *writer) plain() string { return w.one(w.vars...) }

func (w *writer) inside(v string) string {
	w.vars = append(w.vars, v)
	defer func() { w.vars = w.vars[:len(w.vars)-1] }()
	return w.one(v, v+" * 2", "str("+v+")", w.expr())
}

func (w *writer) call() string {
	e := w.expr
	switch w.r.IntN(6) {
	case 0:
		return fmt.Sprintf("%s(%s)", w.one("len", "str", "repr", "int", "float", "bool", "abs", "sorted", "list", "tuple", "set", "sum", "min", "max", "round", "type", "hash", "ord", "chr", "bin", "hex", "any", "all", "dict", "reversed", "enumerate", "ascii", "bytes", "frozenset", "callable", "iter"), e())
	case 1:
		return fmt.Sprintf("%s(%s, %s)", w.one("divmod", "pow", "round", "isinstance", "min", "max", "int", "format", "getattr", "sum", "zip"), e(), e())
	case 2:
		return fmt.Sprintf("sorted(%s, key=%s, reverse=%s)", e(), w.one("str", "len", "lambda x: -x", "repr", "None"), w.one("True", "False"))
	case 3:
		return fmt.Sprintf("list(%s(%s, %s))", w.one("map", "filter"), w.one("str", "bool", "lambda x: x", "len", "None"), e())
	case 4:
		return fmt.Sprintf("list(zip(%s, %s))", e(), e())
	}
	return fmt.Sprintf("f%d(%s)", w.r.IntN(3), w.one(e(), e()+", "+e(), "*"+e(), "y="+e(), e()+", z="+e()))
}

func (w *writer) method() string {
	e := w.expr
	switch w.r.IntN(4) {
	case 0:
		return fmt.Sprintf("str(%s).%s", e(), w.one("upper()", "lower()", "strip()", "split()", "split(',')", "title()", "isdigit()", "swapcase()", "zfill(6)", "center(9, '*')",
			"find('a')", "count('a')", "replace('a', 'bb')", "partition(',')", "startswith('a')", "encode()", "splitlines()", "rjust(8)", "casefold()", "join(['1', '2'])", "rsplit(maxsplit=1)", "removeprefix('H')", "format(1, a=2)", "expandtabs(4)", "index('z')"))
	case 1:
		return fmt.Sprintf("list(%s).%s", e(), w.one("count(1)", "index(2)", "copy()", "pop()", "append(1)", "sort()", "reverse()", "extend('ab')", "insert(0, 9)", "remove(1)"))
	case 2:
		return fmt.Sprintf("%s.%s", w.one("{'a': 1, 'b': 2}", "dict(a=1)", w.name()), w.one("get('a')", "get('z', 0)", "keys()", "items()", "pop('a')", "setdefault('q', [])", "values()", "copy()", "update(x=1)", "popitem()"))
	}
	return fmt.Sprintf("{1, 2, 3}.%s", w.one("union(", "intersection(", "difference(", "symmetric_difference(", "issubset(", "isdisjoint(")+e()+")")
}

func (w *writer) line(indent int, format string, args ...any) {
	fmt.Fprintf(&w.b, strings.Repeat("    ", indent)+format+"\n", args...)
}

// body writes a few statements.
func (w *writer) body(indent, n int) {
	for range n {
		w.statement(indent)
	}
}

func (w *writer) statement(indent int) {
	if indent > 4 {
		w.line(indent, "show(%s)", w.expr())
		return
	}
	switch w.r.IntN(14) {
	case 0, 1, 2:
		w.line(indent, "show(%s)", w.expr())
	case 3, 4:
		w.line(indent, "%s = %s", w.one("a", "b", "c"), w.expr())
	case 5:
		w.line(indent, "%s %s= %s", w.one("a", "b", "c"), w.one("+", "-", "*", "//", "|"), w.expr())
	case 6:
		w.line(indent, "if %s:", w.expr())
		w.body(indent+1, 1)
		w.line(indent, "else:")
		w.body(indent+1, 1)
	case 7:
		w.line(indent, "for i in %s:", w.one("range(3)", "'ab'", w.expr()))
		was := w.loop
		w.loop = true
		w.line(indent+1, "tick()")
		w.body(indent+1, 1)
		w.line(indent+1, "%s", w.one("pass", "continue", "break", "show(i)"))
		w.loop = was
		w.line(indent, "else:")
		w.line(indent+1, "show('else')")
	case 8:
		w.line(indent, "try:")
		w.body(indent+1, 1)
		w.line(indent, "except %s as e:", w.one("Exception", "(TypeError, ValueError)", "ZeroDivisionError", "LookupError"))
		w.line(indent+1, "show(type(e).__name__, str(e))")
		w.line(indent, "finally:")
		w.line(indent+1, "show('finally')")
	case 9:
		w.line(indent, "a, *b = %s", w.expr())
	case 10:
		w.line(indent, "match %s:", w.expr())
		w.line(indent+1, "case %s:", w.one("[x, *rest]", "{'a': x}", "int(x)", "str() as x", "(1 | 2) as x", "None", "[x, y]", "True"))
		w.line(indent+2, "show('case')")
		w.line(indent+1, "case _:")
		w.line(indent+2, "show('other')")
	case 11:
		w.line(indent, "p = P(%s, %s)", w.expr(), w.expr())
		w.line(indent, "show(p, p == P(1, 2), p.both, p.twice(%s), p < P(3, 4))", w.expr())
	case 12:
		w.line(indent, "show(list(gen(%s)))", w.expr())
	case 13:
		w.line(indent, "with Ctx(%s) as b:", w.one("True", "False"))
		w.body(indent+1, 1)
	}
}

// prelude is what every program has: functions, a class, a generator.
const prelude = `ticks = 0
def tick():
    global ticks
    ticks += 1
    if ticks > 300:
        raise RuntimeError('too long')
def show(*args):
    tick()
    text = ' '.join(repr(x) for x in args)
    print(text[:300] if 'object at 0x' not in text and ' at 0x' not in text else 'an object')
def f0(x, y=2): return (x, y)
def f1(*args, **kw): return (args, kw)
def f2(x, /, y=1, *, z=3): return x if z == 3 else [x, y, z]
class Base:
    kind = 'base'
    def twice(self, n): return n * 2
class P(Base):
    def __init__(self, x, y):
        self.x = x
        self.y = y
    def __repr__(self): return f'P({self.x!r}, {self.y!r})'
    def __eq__(self, other): return isinstance(other, P) and (self.x, self.y) == (other.x, other.y)
    def __lt__(self, other): return self.x < other.x
    @property
    def both(self): return (self.x, self.y)
    def twice(self, n): return [super().twice(n), self.kind]
class Ctx:
    def __init__(self, swallow): self.swallow = swallow
    def __enter__(self): return [1, 2]
    def __exit__(self, kind, value, trace):
        show('exit', kind.__name__ if kind else None)
        return self.swallow
def gen(x):
    try:
        for i in x:
            got = yield i
            tick()
    finally:
        show('end of gen')
`

// generated returns a program of a few guarded parts.
func generated(seed, n uint64) string {
	w := &writer{r: rand.New(rand.NewPCG(seed, n)), vars: []string{"a", "b", "c"}}
	w.b.WriteString(prelude)
	for i := range 4 {
		fmt.Fprintf(&w.b, "def part%d():\n    a, b, c = %s, %s, %s\n", i, w.literal(), w.literal(), w.literal())
		w.body(1, 3)
		fmt.Fprintf(&w.b, "    show(a, b, c)\ntry:\n    part%d()\nexcept Exception as e:\n    show(type(e).__name__, str(e))\n", i)
	}
	return w.b.String()
}

// onVM runs a program in the machine of plans.
func onVM(src string, strict bool) string {
	m, bad := syntax.Parse([]byte(src), syntax.Options{})
	if len(bad) > 0 {
		return "SyntaxError: " + bad[0].Message
	}
	p, err := vm.Compile(m, src, vm.Env{}, vm.Options{Strict: strict})
	if err != nil {
		return "refused: " + err.Error()
	}
	machine, err := vm.New(p, vm.Config{})
	if err != nil {
		return err.Error()
	}
	out, err := machine.Run()
	var b strings.Builder
	for _, c := range machine.Output() {
		b.WriteString(c.Text)
	}
	if f, ok := out.(*vm.Failed); ok {
		b.WriteString(f.Class + ": " + f.Text)
	}
	if err != nil {
		b.WriteString("limit: " + err.Error())
	}
	return b.String()
}

// unlike says why outputs cannot be compared: what CPython itself leaves open,
// and what the page on the language names: every NaN is one object, and the
// names of typing are not iterated.
func unlike(out string) bool {
	if strings.Count(out, "nan: ") > 1 {
		return true
	}
	for _, s := range []string{"limit: ", "MemoryError", "refused: ", "hash(", "SyntaxError", "TooLong", "types.GenericAlias"} {
		if strings.Contains(out, s) {
			return true
		}
	}
	return false
}

// wording is an output without the texts of TypeErrors: the language has its own
// for wrong arguments, and which of several wrong operands CPython names is not
// always what this machine names.
func wording(out string) string {
	lines := strings.Split(out, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "'TypeError' ") {
			lines[i] = "'TypeError'"
		}
	}
	return strings.Join(lines, "\n")
}

// TestDiffer runs generated programs here and on CPython: what they print must
// be the same, and twice the same here.
func TestDiffer(t *testing.T) {
	py, other := cpython.Start(t), cpython.StartSeed(t, 1)
	compared, worded, different := 0, 0, 0
	for n := range *differPrograms {
		src := generated(*differSeed, uint64(n))
		reply := py.Exec(t, src)
		want := reply.Out + reply.Error
		got := onVM(src, n%4 == 0)
		if unlike(want) || unlike(got) {
			continue
		}
		if compared++; got == want {
			continue
		}
		if wording(got) == wording(want) {
			worded++
			continue
		}
		// What another run of CPython prints differently, such as the order of a
		// set of strings or an address in other letters, is no difference.
		if again := other.Exec(t, src); again.Out+again.Error != want {
			compared--
			continue
		}
		if different++; different <= 12 {
			g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
			i := 0
			for i < len(g) && i < len(w) && g[i] == w[i] {
				i++
			}
			line := func(l []string) string {
				if i < len(l) {
					return l[i]
				}
				return "(the end)"
			}
			t.Errorf("program %d of seed %d, output line %d:\n got  %s\n want %s", n, *differSeed, i+1, line(g), line(w))
		}
	}
	t.Logf("%d programs, %d compared, %d word a TypeError differently, %d different", *differPrograms, compared, worded, different)
	if compared < *differPrograms*3/4 {
		t.Errorf("only %d of %d programs could be compared", compared, *differPrograms)
	}
}
