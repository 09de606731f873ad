package interp

import (
	"testing"

	"praxis/internal/plan/syntax"
)

// syntaxErrors are programs that the grammar allows, and what CPython 3.14 says
// of them: message, line and column; nothing where it accepts them.
var syntaxErrors = []struct {
	src, message string
	line, col    int32
}{
	{"return 1", "'return' outside function", 1, 0},
	{"yield 1", "'yield' outside function", 1, 0},
	{"x = lambda: (yield)\nclass A:\n yield 1", "'yield' outside function", 3, 1},
	{"def f():\n await x", "'await' outside async function", 2, 1},
	{"break", "'break' outside loop", 1, 0},
	{"continue", "'continue' not properly in loop", 1, 0},
	{"for x in y:\n def f():\n  break", "'break' outside loop", 3, 2},
	{"def f(a,a): pass", "duplicate argument 'a' in function definition", 1, 8},
	{"lambda a,a:1", "duplicate argument 'a' in function definition", 1, 9},
	{"def f(a):\n global a", "name 'a' is parameter and global", 2, 1},
	{"def f():\n x=1\n global x", "name 'x' is assigned to before global declaration", 3, 1},
	{"def f():\n print(x)\n global x", "name 'x' is used prior to global declaration", 3, 1},
	{"def f():\n nonlocal x", "no binding for nonlocal 'x' found", 2, 1},
	{"nonlocal x", "nonlocal declaration not allowed at module level", 1, 0},
	{"def f():\n x=1\n def g():\n  global x\n  nonlocal x", "name 'x' is nonlocal and global", 4, 2},
	{"def f():\n global x\n x: int = 1", "annotated name 'x' can't be global", 3, 1},
	{"[x := 1 for x in y]", "assignment expression cannot rebind comprehension iteration variable 'x'", 1, 1},
	{"[(x:=1) for z in (x:=[1])]", "assignment expression cannot be used in a comprehension iterable expression", 1, 18},
	{"class A:\n [x := 1 for y in z]", "assignment expression within a comprehension cannot be used in a class body", 2, 2},
	{"[(yield) for x in y]", "'yield' inside list comprehension", 1, 2},
	{"a, *b, *c = d", "multiple starred expressions in assignment", 1, 0},
	{"*a = b", "starred assignment target must be in a list or tuple", 1, 0},
	{"*a", "can't use starred expression here", 1, 0},
	{"x = *a", "can't use starred expression here", 1, 4},
	{"print(*a if b else c)", "", 0, 0},
	{"try: pass\nexcept: pass\nexcept A: pass", "default 'except:' must be last", 2, 0},
	{"match x:\n case y: pass\n case 1: pass", "name capture 'y' makes remaining patterns unreachable", 2, 6},
	{"match x:\n case _: pass\n case 1: pass", "wildcard makes remaining patterns unreachable", 2, 6},
	{"match x:\n case 1 | y: pass", "alternative patterns bind different names", 2, 6},
	{"match x:\n case [y, y]: pass", "multiple assignments to name 'y' in pattern", 2, 10},
	{"match x:\n case A(b=1,b=2): pass", "attribute name repeated in class pattern: b", 2, 14},
	{"match x:\n case {\"a\":1,\"a\":2}: pass", "mapping pattern checks duplicate key ('a')", 2, 6},
	{"match x:\n case [*a, *b]: pass", "multiple starred names in sequence pattern", 2, 6},
	{"def f():\n from a import *", "import * only allowed at module level", 2, 15},
	{"f(a=1,a=2)", "keyword argument repeated: a", 1, 6},
	{"__debug__ = 1", "cannot assign to __debug__", 1, 0},
	{"def f():\n x: int\n global x", "annotated name 'x' can't be global", 3, 1},
	{"[[x for x in (x:=y)] for z in w]", "assignment expression cannot be used in a comprehension iterable expression", 1, 14},
	{"[j for i in range(5) if (j := 0) for j in x]", "comprehension inner loop cannot rebind assignment expression target 'j'", 1, 37},
	{"[i+1 for i in (j:=range(3))]", "assignment expression cannot be used in a comprehension iterable expression", 1, 15},
	{"[[(i:=0) for j in range(5)] for i in range(5)]", "assignment expression cannot rebind comprehension iteration variable 'i'", 1, 3},
	{"def f[T, T](): pass", "duplicate type parameter 'T'", 1, 9},
	{"del *a", "cannot delete starred", 1, 4},
	{"class A:\n return", "'return' outside function", 2, 1},
	{"match x:\n case y | 1: pass", "name capture 'y' makes remaining patterns unreachable", 2, 6},
	{"match x:\n case (1 | _) | 2: pass", "wildcard makes remaining patterns unreachable", 2, 11},
	{"for *a in b: pass", "starred assignment target must be in a list or tuple", 1, 4},
	{"async def f():\n return [x async for x in y]", "", 0, 0},
	{"def f(*, a, **a): pass", "duplicate argument 'a' in function definition", 1, 14},
	{"def f():\n nonlocal x\n x = 2", "no binding for nonlocal 'x' found", 2, 1},
	{"x: int\ndef f():\n x=1\n def g():\n  nonlocal x\n  x: int = 3", "annotated name 'x' can't be nonlocal", 6, 2},
	{"match x:\n case {**rest, \"a\": 1}: pass", "invalid syntax", 2, 15},
	{"match x:\n case {\"a\": 1, **r}: pass\n case [a] as a: pass", "multiple assignments to name 'a' in pattern", 3, 6},
	{"class A:\n nonlocal x", "no binding for nonlocal 'x' found", 2, 1},
	{"lambda: (yield)", "", 0, 0},
	{"(x for x in (yield))", "'yield' outside function", 1, 13},
	{"def f():\n  (x for x in (yield))", "", 0, 0},
	{"try: pass\nexcept* A:\n  break", "'break', 'continue' and 'return' cannot appear in an except* block", 3, 2},
	{"for x in y:\n try: pass\n except* A:\n  break", "'break', 'continue' and 'return' cannot appear in an except* block", 4, 2},
	{"from __future__ import braces", "not a chance", 1, 23},
	{"from __future__ import annotations", "", 0, 0},
	{"x = 1\nfrom __future__ import annotations", "from __future__ imports must occur at the beginning of the file", 2, 0},
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range syntaxErrors {
		m, errs := syntax.Parse([]byte(c.src), syntax.Options{})
		if len(errs) == 0 {
			errs = SyntaxErrors(m)
		}
		var got syntax.Error
		if len(errs) > 0 {
			got = *errs[0]
		}
		if got.Message != c.message || got.Pos.Line != c.line || got.Pos.Col != c.col {
			t.Errorf("%q:\n got %d:%d %q\nwant %d:%d %q", c.src, got.Pos.Line, got.Pos.Col, got.Message, c.line, c.col, c.message)
		}
	}
}
