package python

import (
	"strings"
	"testing"
)

// TestCompare tries several versions of functions, also such that fail in every way, print,
// change what they are given, and cannot be shown.
func TestCompare(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	for _, c := range []struct{ name, code, want, value string }{
		{
			"expected", `
def first(xs): return xs[0]
def least(xs):
    print("noise" * 100)
    xs.sort()
    return xs[0]
found = compare([first, least, lambda xs: 1 / 0], [([3, 1], 1), ([2, 5], 2), ([], None)])
found`, `first: 1 of 3 as expected, 1 error
least: 2 of 3 as expected, 1 error
<lambda>: 0 of 3 as expected, 3 errors
case  input   expected  first                                  least                                  <lambda>
1     [3, 1]  1         ✗ 3                                    1                                      ✗ ZeroDivisionError: division by zero
2     [2, 5]  2         2                                      2                                      ✗ ZeroDivisionError: division by zero
3     []      None      ✗ IndexError: list index out of range  ✗ IndexError: list index out of range  ✗ ZeroDivisionError: division by zero`, "<comparison: least is best, 2 of 3>",
		},
		{
			"agreement", `
compare({"a": lambda x: x * 0.1 * 3, "b": lambda x: x * 0.3, "c": lambda x: exit(3), "nan": lambda x: float("nan")}, [1, 2])
`, `a: 2 of 2 as most give it
b: 2 of 2 as most give it
c: 0 of 2 as most give it, 2 errors
nan: 0 of 2 as most give it
case  input  a                    b    c                nan
1     1      0.30000000000000004  0.3  ✗ SystemExit: 3  ✗ nan
2     2      0.6000000000000001   0.6  ✗ SystemExit: 3  ✗ nan`, "<comparison: a is best, 2 of 2>",
		},
		{
			"arguments", `
compare({"add": lambda a, b: a + b, "of": lambda *both: sum(both)}, [((1, 2), 3)]).values`, `add: 1 of 1 as expected
of: 0 of 1 as expected, 1 error
case  input   expected  add  of
1     (1, 2)  3         3    ✗ TypeError: unsupported operand type(s) …`, "",
		},
		{
			"hostile", `
class Odd:
    def __repr__(self): raise ValueError("no")
    def __eq__(self, other): raise ValueError("no")
    def __deepcopy__(self, memo): raise ValueError("no")
class Worse(Exception):
    def __str__(self): raise ValueError("no")
def worse(x): raise Worse
async def later(x): return x
compare({"odd": lambda x: x, "worse": worse, "deep": lambda x: (lambda f: f(f))(lambda f: f(f)), "later": later, "long": lambda x: "z" * 10**7}, [Odd()]).best`, "", "'odd'",
		},
	} {
		o := k.Run(c.code)
		if o.Done.Status != "ok" || len(o.Displays) != 1 {
			t.Errorf("%s: %d displays, %+v", c.name, len(o.Displays), o.Done)
			continue
		}
		if got := o.Displays[0]["text"]; c.want != "" && got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		} else if len(got) > 4000 {
			t.Errorf("%s: the table has %d bytes", c.name, len(got))
		}
		if got := o.Done.Result["text"]; c.value != "" && got != c.value {
			t.Errorf("%s: the value is %s, want %s", c.name, got, c.value)
		}
		if o.Stdout != "" || !strings.Contains(o.Displays[0]["text/html"], "<table>") {
			t.Errorf("%s: printed %q, shown %.100q", c.name, o.Stdout, o.Displays[0]["text/html"])
		}
	}
	many := k.Run("compare([abs], range(10_000))")
	if text := many.Displays[0]["text"]; !strings.HasSuffix(text, "… and 9,988 other cases, in which fewer differ") || len(many.Displays[0]["text/html"]) > 64<<10 {
		t.Errorf("many cases: %q, %d bytes of HTML", text[max(0, len(text)-100):], len(many.Displays[0]["text/html"]))
	}
	for _, wrong := range []string{"compare([], [1])", "compare([abs], [])", "compare([abs], range(10_001))", "compare({'a': 3}, [1])", "compare([abs] * 21, [1])"} {
		if o := k.Run(wrong); o.Done.Status != "error" {
			t.Errorf("%s: %+v", wrong, o.Done)
		}
	}
	if o := k.Run(`
def interrupted(x): raise KeyboardInterrupt
compare([interrupted], [1])`); o.Done.Error == nil || o.Done.Error.Name != "KeyboardInterrupt" || len(o.Displays) != 0 {
		t.Errorf("an interrupt: %+v", o.Done)
	}
	if got := k.Text("print('still here'); 1"); got != "1" {
		t.Errorf("afterwards: %s", got)
	}
}
