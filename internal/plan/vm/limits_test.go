package vm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/plan/value"
)

// doubling makes a list that is small in the program and doubles with each level
// for whoever writes it out.
const doubling = "a = ['x' * 100]\nfor i in range(26):\n    a = [a, a]\n"

// exhausted are programs that reach a limit, whatever they catch.
var exhausted = []struct{ name, limit, src string }{
	{"loop", "steps", "while True: pass"},
	{"loop with handlers", "steps", "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n    finally: pass\n"},
	{"recursion caught", "steps", "def f():\n    try: f()\n    except RecursionError: f()\nf()"},
	{"generator", "steps", "def g():\n    while True: yield 1\nfor x in g(): pass"},
	{"finally that loops", "steps", "def g():\n    try: yield 1\n    finally:\n        while True: pass\nfor x in g(): break\nnext(g(), 0)\nh = g()\nnext(h)\nh.close()"},
	{"big sum", "", "sum(range(10**12))"},
	{"unpacked", "steps", "x = [0] * 10**5\nwhile True: a, *b = x"},
	{"unpacked by match", "steps", "x = [0] * 10**5\nwhile True:\n    match x:\n        case [a, *b]: pass"},
	{"in range", "steps", "any(x < 0 for x in range(10**12))"},
	{"growing list", "memory", "l = [0]\nwhile True: l += l"},
	{"list of lists", "memory", "l = []\nwhile True: l.append([0] * 1000)"},
	{"growing string", "memory", "s = 'x'\nwhile True: s += s"},
	{"repeat", "memory", "'x' * 10**12"},
	{"repeat list", "memory", "[0] * 10**12"},
	{"list of range", "memory", "list(range(10**12))"},
	{"power", "", "10 ** 10 ** 9"},
	{"shift", "", "1 << 10**12"},
	{"growing int", "", "n = 3\nwhile True: n *= n"},
	{"caught", "memory", "try:\n    'x' * 10**12\nexcept BaseException:\n    print('caught')\n"},
	{"dict", "memory", "d = {}\ni = 0\nwhile True:\n    d[i] = str(i) * 100\n    i += 1"},
	{"closures", "memory", "l = []\ndef f(x):\n    return lambda: x\nwhile True: l.append(f([0] * 100))"},
	{"instances", "memory", "class A:\n    def __init__(self): self.x = [0] * 1000\nl = []\nwhile True: l.append(A())"},
	{"live generators", "memory", "def g(): yield\nl = []\nwhile True: l.append(g())"},
	{"live exceptions", "memory", "l = []\nwhile True:\n    try: raise ValueError('x' * 1000)\n    except ValueError as e: l.append(e)"},
	{"junk on many frames", "memory", "def f(n):\n    x = [0] * 1000000\n    return f(n + 1)\nf(0)"},
	{"classes", "memory", "l = []\nwhile True:\n    class A: pass\n    l.append(A)"},
	{"string put into a template", "memory", "('{0}' * 100000).format('b' * 100000)"},
	{"strings joined", "memory", "s = 'x' * 1000000\nl = [s] * 1000000\n','.join(l)"},
	{"replace", "memory", "('a' * 1000000).replace('a', 'b' * 1000000)"},
	{"format width", "", "'{:>1000000000000}'.format(1)"},
	{"f-string width", "", "w = 10**12\nf'{1:{w}}'"},
	{"sets", "memory", "s = set()\ni = 0\nwhile True:\n    s.add(i)\n    i += 1"},
	{"attributes", "memory", "class A: pass\na = A()\ni = 0\nwhile True:\n    setattr(a, 'x' + str(i), 'y' * 1000)\n    i += 1"},
	{"doubled text", "memory", doubling + "str(a)"},
	{"doubled f-string", "memory", doubling + "f'{a}'"},
	{"doubled percent", "memory", doubling + "'%s' % a"},
	{"doubled exception", "memory", doubling + "raise ValueError(a)"},
	{"doubled JSON", "memory", doubling + "import json\njson.dumps(a)"},
	{"doubled argument", "memory", doubling + "give(a)"},
	{"doubled field", "memory", doubling + "give({'k': (a, a)})"},
	{"printed", "printed", "while True: print('x' * 1000)"},
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range exhausted {
		t.Run(c.name, func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				vm := newVM(t, c.src, Env{Tools: []string{"give"}}, Options{Strict: strict}, Config{Limits: value.Limits{Steps: 3_000_000, Memory: 32 << 20}})
				out, err := vm.Run()
				if c.limit == "" {
					if r := ended(vm, out, err); r.Error == "" {
						t.Fatal("it ended well")
					}
					continue
				}
				if fault.KindOf(err) != fault.Exhausted || !strings.Contains(err.Error(), c.limit) {
					t.Fatalf("strict %v: got %v, %v; want that the %s are exhausted", strict, ended(vm, out, err), err, c.limit)
				}
				if _, err := vm.Run(); fault.KindOf(err) != fault.Conflict {
					t.Errorf("it went on afterwards: %v", err)
				}
			}
		})
	}
}

// TestGarbage runs programs that need little memory at a time, but much in all.
func TestGarbage(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"for i in range(100): x = [0] * 100000",
		"for i in range(100): x = 'x' * 1000000",
		"def f():\n    return [0] * 100000\nfor i in range(100): f()",
		"def g():\n    for i in range(100): yield [0] * 100000\nfor x in g(): pass",
		"class A:\n    def __init__(self): self.x = [0] * 100000\nfor i in range(100): A()",
		"n = 0\nfor i in range(100):\n    n += len(str(i + 1000) * 100000)",
		"for i in range(20):\n    d = {j: [j] for j in range(10000)}",
		"def f(a, *b, **c): return len(b)\nfor i in range(60): f(*[[0] * 10000 for j in range(20)], k=[0] * 10000)",
		"for i in range(100):\n    try: raise ValueError('x' * 1000000)\n    except ValueError as e: pass",
		"def f(n):\n    len([0] * 500000)\n    if n: f(n - 1)\nf(40)",
	} {
		vm := newVM(t, src, Env{}, Options{}, Config{Limits: value.Limits{Memory: 32 << 20}})
		if out, err := vm.Run(); err != nil || out != (Done{}) {
			t.Errorf("%s:\n%v %v", src, out, err)
		}
	}
}

func TestStepsAreDeterministic(t *testing.T) {
	src := "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nprint(f(15), sorted([3, 1, 2], key=lambda x: -x), [x for x in (y * 2 for y in range(100))])\n"
	p := program(t, src, Env{}, Options{})
	var first int64
	for i := range 3 {
		vm, err := New(p, Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := vm.Run(); err != nil {
			t.Fatal(err)
		}
		if n := vm.Steps(); i == 0 {
			first = n
		} else if n != first || n == 0 {
			t.Errorf("run %d used %d steps, the first %d", i, n, first)
		}
	}
	vm, err := New(p, Config{Limits: value.Limits{Steps: first}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vm.Run(); err != nil {
		t.Errorf("exactly as many steps as it needs: %v", err)
	}
	if vm, err = New(p, Config{Limits: value.Limits{Steps: first - 1}}); err != nil {
		t.Fatal(err)
	}
	if _, err := vm.Run(); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("one step less than it needs: %v", err)
	}
}

func TestInterrupt(t *testing.T) {
	cause := errors.New("too late")
	vm := newVM(t, "while True:\n    try: pass\n    finally: pass\n", Env{}, Options{}, Config{Limits: value.Limits{Steps: 1 << 50}})
	timer := time.AfterFunc(20*time.Millisecond, func() { vm.Interrupt(cause) })
	defer timer.Stop()
	if _, err := vm.Run(); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// TestRecursion catches the end of a recursion, which leaves the machine in order.
func TestRecursion(t *testing.T) {
	for _, src := range []string{
		"def f(n): return f(n + 1)\n",
		"class A:\n    def __getattr__(self, n): return self.x\nf = lambda n: A().y\n",
		"class A:\n    def __eq__(self, o): return self == o\nf = lambda n: A() == 1\n",
		"class A:\n    def __repr__(self): return repr(self)\nf = lambda n: repr(A())\n",
		"class A:\n    def __add__(self, o): return self + o\nf = lambda n: A() + 1\n",
		"class A:\n    def __call__(self, n): return self(n)\nf = A()\n",
		"class A:\n    def __iter__(self): return iter(self)\nf = lambda n: list(A())\n",
		"class A:\n    def __init__(self): A()\nf = lambda n: A()\n",
		"def g(n): yield from g(n)\nf = lambda n: list(g(n))\n",
		"class A:\n    def __hash__(self): return hash(self)\nf = lambda n: {A(): 1}\n",
		"class A:\n    def __bool__(self): return bool(self)\nf = lambda n: not A()\n",
		"class A:\n    @property\n    def p(self): return self.p\nf = lambda n: A().p\n",
		"f = lambda n: sorted([1, 2], key=f)\n",
		"f = lambda n: list(map(f, [1]))\n",
		"def f(n):\n    try: f(n)\n    finally: f(n) if n == 5 else None\n",
	} {
		src += "try:\n    f(0)\nexcept RecursionError as e:\n    print('caught')\ndef deep(n): return 0 if n == 0 else 1 + deep(n - 1)\nprint(deep(500))\n"
		vm := newVM(t, src, Env{}, Options{}, Config{Limits: value.Limits{Steps: 1 << 24}})
		out, err := vm.Run()
		if r := ended(vm, out, err); r.Out != "caught\n500\n" {
			t.Errorf("%s: %+v", src, r)
		}
	}
}

// isFault reports whether an error is one that the caller can do something about.
func isFault(err error) bool {
	switch fault.KindOf(err) {
	case fault.Exhausted, fault.Invalid:
		return true
	}
	return false
}

// consumers go over more elements than the memory could hold at once.
var consumers = []string{
	"sum(%s)", "sum(%s, 0.5)", "min(%s)", "max(%s)", "max(%s, key=lambda x: -x)", "min(%s, key=str)", "any(x < 0 for x in %s)", "all(x >= 0 for x in %s)",
	"math.fsum(%s)", "len(set(x %% 7 for x in %s))", "len(frozenset(x %% 7 for x in %s))", "len(dict((x %% 7, x) for x in %s))",
	"len(collections.Counter(x %% 7 for x in %s))", "math.prod(1 for x in %s)", "functools.reduce(max, %s)", "99999 in %s", "[x for x in %s if x > 99990]",
	"next(x for x in %s if x > 99990)", "list(collections.deque(%s, maxlen=2))", "sum(1 for a, b in zip(%[1]s, %[1]s) if a == b)", "sum(n for n, x in enumerate(%s))",
	"statistics.mean([sum(%s)])", "heapq.nlargest(2, %s)",
}

func TestConsumersKeepNothing(t *testing.T) {
	t.Parallel()
	imports := "import math, collections, functools, statistics, heapq\ndef count():\n    for i in range(100000): yield i\n"
	for _, form := range consumers {
		var first string
		for _, seq := range []string{"range(100000)", "map(lambda x: x, range(100000))", "count()", "filter(None, map(int, range(100000)))"} {
			src := imports + "print(" + fmt.Sprintf(form, seq) + ")\n"
			vm := newVM(t, src, Env{}, Options{}, Config{Limits: value.Limits{Memory: 2 << 20}})
			out, err := vm.Run()
			r := ended(vm, out, err)
			if err != nil || r.Error != "" {
				t.Errorf("%s\nended with %v %s", src, err, r.Error)
				continue
			}
			if first == "" {
				first = r.Out
			}
			if r.Out != first && !strings.HasPrefix(seq, "filter") {
				t.Errorf("%s\nprinted %q, over a range %q", src, r.Out, first)
			}
		}
	}
}
