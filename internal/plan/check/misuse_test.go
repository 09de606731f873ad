package check_test

import (
	"fmt"
	"strings"
	"testing"

	"praxis/internal/plan/check"
	"praxis/internal/plan/syntax"
)

// findings is what a check reports besides flows, one line each.
func findings(r *check.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		if f.Kind == check.Arguments || f.Kind == check.Value {
			fmt.Fprintf(&b, "%d %s %s: %s", f.Line, f.Kind, f.Level, f.Message)
		}
	}
	return b.String()
}

// TestCallsThatCannotBeMade finds calls whose arguments no function takes.
func TestCallsThatCannotBeMade(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ src, want string }{
		{"def f(a, b): pass\nf(1)", "2 arguments error: f() is missing 1 argument: 'b'"},
		{"def f(a, b): pass\nf(1, 2, 3)", "2 arguments error: f() takes 2 positional arguments but 3 were given"},
		{"def f(a): pass\nf(1, c=2)", "2 arguments error: f() got an unexpected keyword argument 'c'"},
		{"def f(a): pass\nf(1, a=2)", "2 arguments error: f() got multiple values for argument 'a'"},
		{"def f(a, /): pass\nf(a=2)", "2 arguments error: f() got an unexpected keyword argument 'a'"},
		{"def f(*, key, other): pass\nf()", "2 arguments error: f() is missing 2 arguments: 'key', 'other'"},
		{"f = lambda x: x\nf()", "2 arguments error: lambda() is missing 1 argument: 'x'"},
		{"class A:\n  def __init__(self, x): self.x = x\n  def m(self): return 1\nA()", "4 arguments error: __init__() is missing 1 argument: 'x'"},
		{"class A:\n  def m(self): return 1\na = A()\na.m(5)", "4 arguments error: m() takes 1 positional argument but 2 were given"},
		{"class A:\n  @staticmethod\n  def m(x): return x\nA.m()", "4 arguments error: m() is missing 1 argument: 'x'"},
		{"def f(a): pass\ntry:\n  f()\nexcept TypeError:\n  pass", "3 arguments warning: f() is missing 1 argument: 'a'"},
		{"class A:\n  def __call__(self, x): return x\nA()()", "3 arguments error: __call__() is missing 1 argument: 'x'"},

		{"def f(a, b=1, *c, d=2, **e): pass\nf(1); f(1, 2, 3); f(a=1, z=2); f(1, d=3)", ""},
		{"def f(a, b): pass\nx = [1, 2]\nf(*x); f(*range(2)); f(**{'a': 1, 'b': 2}); f(1, **{'b': 2})", ""},
		{"def f(a): pass\ndef g(a, b): pass\nfor h in [f, g]:\n  h(1) if h is f else h(1, 2)", ""},
		{"def f(a, b): return a\nprint(list(map(f, [1], [2])))", ""},
		{"import functools\ndef f(a, b): return a\ng = functools.partial(f, 1)\ng(2)", ""},
		{"def deco(fn):\n  def inner(*a): return fn(*a)\n  return inner\n@deco\ndef f(a, b): return a\nf(1, 2)", ""},
		{"class A:\n  def __new__(cls, *a): return object.__new__(cls)\n  def __init__(self, x, y): pass\nA(1, 2)", ""},
		{"class A:\n  @classmethod\n  def make(cls, x): return cls()\nA.make(1); A().make(1)", ""},
		{"import dataclasses\n@dataclasses.dataclass\nclass P:\n  x: int\n  y: int = 2\nP(1); P(1, 3); P(x=1)", ""},
		{"import enum\nclass E(enum.Enum):\n  A = 1, 2\n  def __init__(self, x, y): self.x = x\nE((1, 2))", ""},
		{"def f(n): return f(n - 1) if n else 0\nf(3)", ""},
		{"class A:\n  def m(self, x): return x\nm = A().m\nm(1)\nA.m(A(), 1)", ""},
		{"def f(a):\n  yield a\nfor x in f(1): pass\nasync def g(a): return a\nawait g(1)", ""},
		{"def never(a): pass\ndef unused(): never()", ""},
		{"def f(x): return x\nf = f if today else len\nf([1])", ""},
	} {
		for _, strict := range []bool{false, true} {
			r := w.check(t, c.src, strict)
			if got := findings(r); got != c.want || r.Accepted == strings.Contains(c.want, "error") {
				t.Errorf("%s\nstrict %v, accepted %v: got %q, want %q", c.src, strict, r.Accepted, got, c.want)
			}
		}
	}
}

// TestBuiltinCalls judges built-in functions by what the interpreter says of them.
func TestBuiltinCalls(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"len(1, 2)", "1 arguments error: len() takes 1 positional argument but 2 were given"},
		{"len()", "1 arguments error: len() is missing 1 argument: 'obj'"},
		{"len(obj=[])", "1 arguments error: len() got an unexpected keyword argument 'obj'"},
		{"sorted([], len)", "1 arguments error: sorted() takes 1 positional argument but 2 were given"},
		{"sorted([], keys=len)", "1 arguments error: sorted() got an unexpected keyword argument 'keys'"},
		{"round(1, 2, 3)", "1 arguments error: round() takes 2 positional arguments but 3 were given"},
		{"print(1, color=2)", "1 arguments error: print() got an unexpected keyword argument 'color'"},
		{"try:\n  len()\nexcept TypeError: pass", "2 arguments warning: len() is missing 1 argument: 'obj'"},
		{"print(); print(1, 2, 3, sep='', end=''); round(1.5); round(number=1.5, ndigits=1); sorted([1], key=len, reverse=True)", ""},
		{"x = [[1]]\nlen(*x); sorted(*x, **{})", ""},
		{"def len(a, b): return a\nlen(1, 2)", ""},
		{"def f(len): return len(1, 2, 3)\n", ""},
	} {
		m, bad := syntax.Parse([]byte(c.src), syntax.Options{})
		if len(bad) > 0 {
			t.Fatal(c.src, bad[0])
		}
		r, err := check.Check(t.Context(), check.Input{Name: "plan.py", Source: []byte(c.src), Module: m})
		if err != nil {
			t.Fatal(err)
		}
		if got := findings(r); got != c.want || r.Accepted == strings.Contains(c.want, "error") {
			t.Errorf("%s\naccepted %v: got %q, want %q", c.src, r.Accepted, got, c.want)
		}
	}
}

// TestArgumentsAgainstSchemas finds what a tool's input schema forbids of what
// is known before the program runs.
func TestArgumentsAgainstSchemas(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ src, want string }{
		{"calendar.read(1)", `1 value error: cannot call calendar.read: arguments: /day: expected a string, got integer 1; write "1"`},
		{"calendar.read(day=None)", "1 value error: cannot call calendar.read: arguments: /day: expected a string, got null; leave it out if it is not required"},
		{"day = ['mon']\ncalendar.read(day)", `2 value error: cannot call calendar.read: arguments: /day: expected a string, got array of 1`},
		{"d = calendar.read('mon')\ncontacts.find(d['guests'])", "2 value error: cannot call contacts.find: arguments: /name: expected string, got array"},
		{"d = calendar.read('mon')\ncontacts.find({'who': d['title']})", "2 value error: cannot call contacts.find: arguments: /name: expected string, got object"},
		{"def ask(x): return contacts.find(x)\nask(3)", `1 value error: cannot call contacts.find: arguments: /name: expected a string, got integer 3; write "3"`},
		{"try:\n  contacts.find(2.5)\nexcept ToolError:\n  pass", `2 value error: cannot call contacts.find: arguments: /name: expected a string, got number 2.5; write "2.5"`},

		{"calendar.read('mon'); calendar.read(customer); log(1, [2, None])", ""},
		{"d = calendar.read('mon')\ncontacts.find(d['title']); contacts.find(d['guests'][0]); contacts.find(d['place'])", "2 value error: cannot call contacts.find: arguments: /name: expected string, got object"},
		{"def ask(x): return contacts.find(x)\nask('ann'); ask(3)", ""}, // by its own choice, perhaps
		{"x = 'a' if today else 3\ncontacts.find(x)", ""},
		{"contacts.find(str(3)); secret.read(); secret.read(id='x')", ""},
		{"args = {'name': 'ann'}\ncontacts.find(**args)", ""},
		{"log(b'x')", ""},
		{"d = calendar.read('mon')\nemail.write(customer, 'b', cc=d['guests']); contacts.find(name=d['title'])", ""},
		{"email.write(to=customer, body=calendar.read(3))", `1 value error: cannot call calendar.read: arguments: /day: expected a string, got integer 3; write "3"`},
		{"secret.read(id=len(customer))", "1 value error: cannot call secret.read: arguments: /id: expected string, got number or boolean"},
	} {
		r := w.check(t, c.src, false)
		if got := findings(r); got != c.want || r.Accepted == strings.Contains(c.want, "error") {
			t.Errorf("%s\naccepted %v: got %q, want %q", c.src, r.Accepted, got, c.want)
		}
	}
}

// TestMembersThatResultsLack refuses to read what a closed output schema rules out:
// found when the plan runs, it would be found after the calls before it.
func TestMembersThatResultsLack(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ src, want string }{
		{"d = calendar.read('mon')\nprint(d['titel'])", `2 value error: a result of calendar.read has no member "titel"`},
		{"def f(d): return d['where']\nf(calendar.read('mon'))", `1 value error: a result of calendar.read has no member "where"`},
		{"try:\n  d = calendar.read('mon')['titel']\nexcept (ToolError, PermissionError):\n  pass", `2 value error: a result of calendar.read has no member "titel"`},
		{"try:\n  d = calendar.read('mon')['titel']\nexcept KeyError:\n  pass", `2 value warning: a result of calendar.read has no member "titel"`},
		{"d = calendar.read('mon')\nif 'titel' in d: print(d['titel'])", `2 value warning: a result of calendar.read has no member "titel"`},
		{"d = calendar.read('mon')\nprint(d['title'], d['guests'], d['place']['street'])", ""},
		{"d = calendar.read('mon')\nd['n'] = 1\nprint(d['n'])", ""},
		{"d = calendar.read('mon')\nfor i in range(2):\n  if i: print(d['n'])\n  d['n'] = 1", ""},
		{"d = calendar.read('mon')\nprint({**d}.get('titel'), d.get('title'))\nfor k in ['titel']: d.get(k)", ""},
		{"d = calendar.read('mon')\nprint(d.get('titel'))", `2 value warning: a result of calendar.read has no member "titel"`},
		{"d = calendar.read('mon')\nd.update({today: 1})\nprint(d['n'])", ""},
		{"def f(d): return d['n']\nf({'n': 1}); f(calendar.read('mon'))", ""},
	} {
		r := w.check(t, c.src, false)
		if got := findings(r); got != c.want || r.Accepted == strings.Contains(c.want, "error") {
			t.Errorf("%s\naccepted %v: got %q, want %q", c.src, r.Accepted, got, c.want)
		}
	}
}

// TestMistakenValues finds what is done with values that are of another kind, as
// output schemas say.
func TestMistakenValues(t *testing.T) {
	w := newWorld(t)
	const read = "from datetime import datetime, timedelta\nd = calendar.read('mon')\n"
	for _, c := range []struct{ src, want string }{
		{"d.title", "value error: dict has no attribute title"},
		{"print(d['title']['text'])", "value error: str has no item under str"},
		{"for g in d['guests']: print(g['name'])", "value error: str has no item under str"},
		{"d['guests']['first']", "value error: list has no item under str"},
		{"d[0]", "value error: a result of calendar.read is no list here: it is a dict"},
		{"for g in d: print(g['title'])", "value error: str has no item under str"},
		{"d['guests'].name", "value error: list has no attribute name"},
		{"d['title'] - timedelta(hours=1)", "value error: unsupported operands for -: str and a date, time or duration"},
		{"datetime.now() - d['title']", "value error: unsupported operands for -: a date, time or duration and str"},
		{"n = 0\nfor g in d['guests']: n += g", "value error: unsupported operands for +=: a number and str"},
		{"d['title'] > 3", "value error: str and a number cannot be compared by >"},
		{"[x for x in len(d)]", "value error: a number cannot be iterated over"},
		{"email = d['title']\nemail.write(to='a', body='b')", "value error: str has no attribute write"},
		{"class A:\n  def __init__(self): self.name = 1\nA().nam", "value error: objects of the class A have no attribute nam"},
		{"import dataclasses\n@dataclasses.dataclass\nclass P:\n  total: float\nprint(P(1.5).totl)", "value error: objects of the class P have no attribute totl"},
		{"try: d.title\nexcept Exception: pass", "value warning: dict has no attribute title"},
		{"if isinstance(d, str): d.upper()", "value warning: dict has no attribute upper"},

		{"d['title'].upper(); d.get('title'); d['guests'].sort(); d['title'][0]; d['guests'][0]; d['title'][1:]; d.items(); (3).numerator; (1.5).is_integer()", ""},
		{"d['title'] + 'a'; d['title'] * 2; 3 * d['guests']; d['title'] % 3; '%s' % d; d['guests'] + ['a']; d | {'a': 1}; {1} - {2}", ""},
		{"datetime.now() - timedelta(days=1) > datetime.fromisoformat(d['title']); timedelta(1) * 2 / 2; datetime.now().year; d['title'] < 'x'; 'x' in d['title']", ""},
		{"x = [1] if today else d\nx[0]; x['title']", ""},
		{"l = []\nl += d['title']; l += (1,)\ns = {1}\ns |= {2}", ""},
		{"x = None\nfor g in d['guests']: x = g\nif x: x.upper()", ""},
		{"def f(sep=None, n=False):\n  if sep: sep.join(['a'])\n  if n: n.bit\nf()", ""},
		{"s = slice(None)\nd['guests'][s].reverse()", ""},
		{"['title', 'x'] - d.keys(); 'ab' - {'a': 1}.keys()", ""},
		{"class A:\n  def __rsub__(self, x): return 1\nd['title'] - A()", ""},
		{"class A:\n  x: int\n  def set(self): self.y = 1\na = A()\na.set()\na.y; a.z = 1; a.z; a.set; setattr(a, today, 1); a.w", ""},
		{"class A:\n  def __getitem__(self, k): return k\nclass B(A): pass\nclass D(dict): pass\nB()['a']; D()['a'] if today else 0; list[int]", ""},
		{"class A:\n  def __getattr__(self, n): return n\nA().anything", ""},
		{"for k in d: d[k]\nfor k, v in d.items(): print(k.upper(), v)", ""},
	} {
		r := w.check(t, read+c.src, false)
		got := findings(r)
		if _, rest, ok := strings.Cut(got, " "); ok {
			got = rest
		}
		if got != c.want || r.Accepted == strings.Contains(c.want, "error") {
			t.Errorf("%s\naccepted %v: got %q, want %q", c.src, r.Accepted, got, c.want)
		}
	}
}
