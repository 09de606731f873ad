package vm

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// host answers the calls of a test's program. Each answer is a value of its own source.
type host struct {
	vm  *VM
	log []string
}

// answers are what the tools of the tests give.
var answers = map[string]any{
	"read":       []any{map[string]any{"from": "eve@evil.com", "body": "hello", "n": int64(3)}, map[string]any{"from": "bob", "body": "yes", "n": int64(1)}},
	"mail.read":  "text of a mail",
	"num":        int64(7),
	"mail.write": nil,
	"send":       true,
	"secret":     "s3cret",
}

// testEnv is what the host of the tests provides.
var testEnv = Env{Tools: []string{"read", "mail.read", "mail.write", "num", "send", "secret", "fail"}, Inputs: []string{"name"}}

func newHost(t testing.TB, src string, strict bool) *host {
	t.Helper()
	labels := label.NewTable()
	user := labels.Of(label.Source{Kind: label.User, Name: "name", Trusted: true}, label.Everyone())
	d, err := value.DataOf("Ann", user)
	if err != nil {
		t.Fatal(err)
	}
	return &host{vm: newVM(t, src, testEnv, Options{Strict: strict}, Config{Labels: labels, Inputs: []value.Field{{Name: "name", Data: d}}})}
}

// sources writes the names of a label's sources.
func (h *host) sources(l label.ID) string {
	var names []string
	for _, s := range h.vm.t.Labels.Label(l).Sources {
		name := s.Name
		if s.Kind != label.User {
			name += fmt.Sprint("#", s.Call)
		}
		names = append(names, name)
	}
	sort.Strings(names)
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, "+")
}

// data writes a value with the sources of its parts.
func (h *host) data(d value.Data) string {
	switch {
	case d.Items != nil:
		var parts []string
		for _, e := range d.Items {
			parts = append(parts, h.data(e))
		}
		return "[" + strings.Join(parts, ", ") + "]" + h.sources(d.Label)
	case d.Fields != nil:
		var parts []string
		for _, e := range d.Fields {
			parts = append(parts, e.Name+": "+h.data(e.Data))
		}
		return "{" + strings.Join(parts, ", ") + "}" + h.sources(d.Label)
	}
	return fmt.Sprint(d.Value) + "/" + h.sources(d.Label)
}

// run runs the program to its end and returns the log of what it called.
func (h *host) run() (Stop, error) {
	out, err := h.vm.Run()
	for err == nil {
		c, ok := out.(*Call)
		if !ok {
			break
		}
		var args []string
		for _, a := range c.Args {
			s := h.data(a.Data)
			if a.Name != "" {
				s = a.Name + "=" + s
			}
			args = append(args, s)
		}
		line := c.Tool + "(" + strings.Join(args, ", ") + ")"
		if c.Control != 0 {
			line += " because of " + h.sources(c.Control)
		}
		h.log = append(h.log, line)
		l := h.vm.t.Labels.Of(label.Source{Kind: label.Tool, Name: c.Tool, Call: c.Number, Line: c.Line, Col: c.Col}, label.Everyone())
		if c.Tool == "fail" {
			out, err = h.vm.Raise("ValueError", "the tool failed", "", l)
			continue
		}
		d, derr := value.DataOf(answers[c.Tool], l)
		if derr != nil {
			return nil, derr
		}
		out, err = h.vm.Reply(d)
	}
	for _, c := range h.vm.Output() {
		h.log = append(h.log, fmt.Sprintf("print %q/%s", strings.TrimSuffix(c.Text, "\n"), h.sources(c.Label)))
	}
	return out, err
}

// flows are programs with the labels of their calls in normal mode.
var flows = []struct{ src, want string }{
	{"send('a', to='b')", "send(a/-, to=b/-)"},
	{"send(name)", "send(Ann/name)"},
	{"x = num()\nsend(x + 1, 5)", "num() send(8/num#1, 5/-)"},
	{"send(mail.read().upper())", "mail.read() send(TEXT OF A MAIL/mail.read#1)"},
	{"m = read()\nsend(m[0]['from'], len(m))", "read() send(eve@evil.com/read#1, 2/read#1)"},
	{"l = ['a', secret(), 'c']\nsend(l, l[0], l[1], len(l))", "secret() send([a/-, s3cret/secret#1, c/-]-, a/-, s3cret/secret#1, 3/-)"},
	{"d = {'a': secret(), 'b': 2}\nsend(d, d['b'], len(d), sorted(d))", "secret() send({a: s3cret/secret#1, b: 2/-}-, 2/-, 2/-, [a/-, b/-]-)"},
	{"d = {secret(): 1, 'b': 2}\nsend(d['b'], len(d))", "secret() send(2/secret#1, 2/secret#1)"},
	{"l = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']\nsend(l[num()], l[0])", "num() send(h/num#1, a/-)"},
	{"l = [0] * 8\nl[num()] = 1\nsend(l[0], len(l))", "num() send(0/num#1, 8/num#1)"},
	{"def f(a, b): return a\nsend(f('x', secret()), f(secret(), 'y'))", "secret() secret() send(x/-, s3cret/secret#2)"},
	{"def f(*a, **k): return a, k\nsend(*f(1, secret(), x=secret(), y=2))", "secret() secret() send([1/-, s3cret/secret#1]-, {x: s3cret/secret#2, y: 2/-}-)"},
	{"class A:\n    def __init__(self, x, y): self.x, self.y = x, y\na = A(secret(), 1)\nsend(a.x, a.y)", "secret() send(s3cret/secret#1, 1/-)"},
	{"def g():\n    yield 1\n    yield secret()\n    yield 3\nsend(list(g()))", "secret() send([1/-, s3cret/secret#1, 3/-]-)"},
	{"send([x * 2 for x in [1, num(), 3]])", "num() send([2/-, 14/num#1, 6/-]-)"},
	{"send(f'{name}: {num():>3}', f'{1}')", "num() send(Ann:   7/name+num#1, 1/-)"},
	{"a, b = [secret(), 2]\nsend(a, b)", "secret() send(s3cret/secret#1, 2/-)"},
	{"if secret() == 's3cret': send('yes')", "secret() send(yes/-)"},
	{"x = 'a' if secret() else 'b'\nsend(x)", "secret() send(a/-)"},
	{"send(secret() == 's3cret', not secret(), secret() and 1)", "secret() secret() secret() send(true/secret#1, false/secret#2, 1/-)"},
	{"try: fail()\nexcept ValueError as e: send(str(e), e.args, 'fixed')", "fail() send(the tool failed/fail#1, [the tool failed/fail#1]fail#1, fixed/-)"},
	{"try: {}[secret()]\nexcept KeyError as e: send(str(e))", "secret() send('s3cret'/secret#1)"},
	{"try: int(secret())\nexcept ValueError as e: send(str(e))", "secret() send(invalid literal for int() with base 10: 's3cret'/secret#1)"},
	{"s = secret()\nsend(s[0], s[1:3], len(s), 's' in s, s.find('c'))", "secret() send(s/secret#1, 3c/secret#1, 6/secret#1, true/secret#1, 2/secret#1)"},
	{"send(max([1, num()]), sum([1, num()]), sorted([3, num()]))", "num() num() num() send(7/num#1, 8/num#2, [3/-, 7/num#3]num#3)"},
	{"l = [1, 2]\nl.append(secret())\nl.sort(key=lambda x: 0)\nsend(l[0], len(l))", "secret() send(1/-, 3/-)"},
	{"def f(x=secret()): return x\nsend(f(), f(1))", "secret() send(s3cret/secret#1, 1/-)"},
	{"x = secret()\nf = lambda: x\nsend(f())", "secret() send(s3cret/secret#1)"},
	{"fs = [lambda: 1, lambda: 2]\nsend(fs[num() - 6]())", "num() send(2/num#1)"},
	{"class A: pass\nclass B: pass\nk = {'s3cret': A, 'x': B}[secret()]\na = k()\na.v = 1\nsend(a.v)", "secret() send(1/secret#1)"},
	{"print('a', secret())\nprint('b')\nprint(name)", "secret() print \"a s3cret\"/secret#1 print \"b\"/- print \"Ann\"/name"},
	{"def g():\n    x = yield 1\n    yield x\nc = g()\nnext(c)\nsend(c.send(secret()))", "secret() send(s3cret/secret#1)"},
	{"match read():\n    case [{'from': f}, *rest]: send(f, len(rest))", "read() send(eve@evil.com/read#1, 1/read#1)"},
	{"x = 1\nx += num()\nl = [1]\nl += [num()]\nsend(x, l)", "num() num() send(8/num#1, [1/-, 7/num#2]-)"},
	{"i = 0\nfor m in read():\n    i += m['n']\nsend(i)", "read() send(4/read#1)"},
	{"n = 0\nfor m in read():\n    n += 1\nsend(n)", "read() send(2/-)"},
	{"send(sorted(['a', 'b'], key=lambda s: num()))", "num() num() send([a/-, b/-]num#1+num#2)"},
	{"send([num() for _ in range(2)], list(map(lambda x: num(), [1])))", "num() num() num() send([7/num#1, 7/num#2]-, [7/num#3]-)"},
	{"class A:\n    def __init__(self): self.v = num()\n    @property\n    def p(self): return num()\n    def __iter__(self): yield num()\n    def __enter__(self): return num()\n    def __exit__(self, *a): num()\na = A()\nwith a as x: pass\nsend(a.v, a.p, list(a), x)", "num() num() num() num() num() send(7/num#1, 7/num#4, [7/num#5]-, 7/num#2)"},
	{"async def f(): return await num()\nasync def m(): return await f()\nimport asyncio\nsend(asyncio.run(m()))", "num() send(7/num#1)"},
	{"def deco(f):\n    def w(*a): return f(*a)\n    return w\n@deco\ndef f(x): return num() + x\nsend(f(1))", "num() send(8/num#1)"},
}

// strictFlows are programs with the labels of their calls in strict mode: a call
// that happens because of data depends on it, too.
var strictFlows = []struct{ src, want string }{
	{"if secret() == 's3cret': send('yes')", "secret() send(yes/-) because of secret#1"},
	{"if secret() == 's3cret': x = 1\nelse: x = 2\nsend(x)", "secret() send(1/secret#1)"},
	{"x = 0\nif secret() == 'no': x = 1\nsend(x)", "secret() send(0/secret#1)"},
	{"x = 'a' if secret() else 'b'\nsend(x, 'c')", "secret() send(a/secret#1, c/-)"},
	{"n = 0\nfor m in read(): n += 1\nsend(n)", "read() send(2/read#1)"},
	{"n = 0\nwhile n < num(): n = 10\nsend(n)", "num() num() because of num#1 send(10/num#1+num#2)"},
	{"def f(s):\n    if s: return 1\n    return 2\nsend(f(secret()), f(''))", "secret() send(1/secret#1, 2/-)"},
	{"l = []\nif secret(): l.append(1)\nsend(len(l))", "secret() send(1/secret#1) because of secret#1"},
	{"x = 1\ntry:\n    int(secret())\n    x = 2\nexcept ValueError: x = 3\nsend(x)", "secret() send(3/secret#1) because of secret#1"},
	{"send(secret() and 'a')", "secret() send(a/secret#1)"},
	{"if name: print('hi')\nprint('end')", "print \"hi\"/name print \"end\"/-"},
	{"x = 1\nif name: x = 2\nif secret(): x = x + 1\nsend(x)", "secret() send(3/name+secret#1)"},
}

func TestStrictFlows(t *testing.T) {
	for _, c := range strictFlows {
		h := newHost(t, c.src, true)
		out, err := h.run()
		if r := ended(h.vm, out, err); r.Error != "" {
			t.Errorf("%s\n  ended with %s line %d", c.src, r.Error, r.Line)
		}
		if got := strings.Join(h.log, " "); got != c.want {
			t.Errorf("%s\n  got  %s\n  want %s", c.src, got, c.want)
		}
	}
}

func TestFlows(t *testing.T) {
	for _, c := range flows {
		h := newHost(t, c.src, false)
		out, err := h.run()
		if r := ended(h.vm, out, err); r.Error != "" {
			t.Errorf("%s\n  ended with %s line %d", c.src, r.Error, r.Line)
		}
		if got := strings.Join(h.log, " "); got != c.want {
			t.Errorf("%s\n  got  %s\n  want %s", c.src, got, c.want)
		}
	}
}

func TestPendingCall(t *testing.T) {
	h := newHost(t, "x = 1\nif x:\n    y = mail.write('a', body={'k': [1, 2.5, None]})\n", false)
	out, err := h.vm.Run()
	c, ok := out.(*Call)
	if err != nil || !ok {
		t.Fatal(out, err)
	}
	if c.Tool != "mail.write" || c.Number != 1 || c.Line != 3 || c.Col != 8 || len(c.Args) != 2 || c.Args[1].Name != "body" {
		t.Errorf("%+v", c)
	}
	if _, err := h.vm.Run(); fault.KindOf(err) != fault.Conflict {
		t.Errorf("Run while an answer is awaited: %v", err)
	}
	if out, err = h.vm.Reply(value.Data{Value: int64(5)}); err != nil || out != (Done{}) {
		t.Fatal(out, err)
	}
	if v, ok := h.vm.main.Names.Str("y"); !ok || v.N != 5 {
		t.Error(v, ok)
	}
	if _, err := h.vm.Reply(value.Data{}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("Reply after the end: %v", err)
	}
}

// TestCallsRefused calls tools where Go waits for the program's value.
func TestCallsRefused(t *testing.T) {
	for _, src := range []string{
		"class A:\n    def __eq__(self, o): return num() == 7\nA() == A()",
		"class A:\n    def __hash__(self): return num()\n{A(): 1}",
		"class A:\n    def __str__(self): return str(num())\nstr(A())",
		"class A:\n    def __add__(self, o): return num()\nA() + 1",
	} {
		h := newHost(t, src, false)
		_, err := h.run()
		if fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" || !strings.Contains(err.Error(), "num") {
			t.Errorf("%s: %v", src, err)
		}
	}
}

func TestTooManyCalls(t *testing.T) {
	vm := newVM(t, "for i in range(10):\n    try: num()\n    except BaseException: pass\n", testEnvWithout(), Options{}, Config{Limits: value.Limits{Calls: 3}})
	out, err := vm.Run()
	for err == nil {
		if _, ok := out.(*Call); !ok {
			break
		}
		out, err = vm.Reply(value.Data{Value: int64(1)})
	}
	if fault.KindOf(err) != fault.Exhausted || vm.calls != 3 {
		t.Error(out, err, vm.calls)
	}
}

func testEnvWithout() Env { return Env{Tools: testEnv.Tools} }

// TestToolErrors raises exceptions in the place of calls.
func TestToolErrors(t *testing.T) {
	h := newHost(t, "try:\n    send(1)\nexcept PermissionError as e:\n    print('denied', e)\nsend(2)\n", false)
	out, err := h.vm.Run()
	if _, ok := out.(*Call); !ok {
		t.Fatal(out, err)
	}
	if out, err = h.vm.Raise("PermissionError", "not you", "", 0); err != nil {
		t.Fatal(err)
	}
	if c, ok := out.(*Call); !ok || c.Number != 2 {
		t.Fatal(out)
	}
	out, err = h.vm.Raise("no.such.class", "broken", "", 0)
	f, ok := out.(*Failed)
	if err != nil || !ok || f.Class != "RuntimeError" || f.Text != "broken" || len(f.Trace) != 1 || f.Trace[0].Line != 5 {
		t.Errorf("%+v %v", out, err)
	}
	if o := h.vm.Output(); len(o) != 1 || o[0].Text != "denied not you\n" {
		t.Error(o)
	}
}

func TestMissingTool(t *testing.T) {
	h := newHost(t, "mail.raed()", false)
	out, err := h.run()
	if f, ok := out.(*Failed); !ok || !strings.Contains(f.Text, "mail has read, write") {
		t.Errorf("%+v %v", out, err)
	}
}

func TestFailureText(t *testing.T) {
	src := "def f(x):\n    return g(x)\n\ndef g(x):\n    return x.uper()\n\ntry:\n    {}['k']\nexcept KeyError:\n    f('a')\n"
	vm := newVM(t, src, Env{}, Options{}, Config{})
	out, err := vm.Run()
	f, ok := out.(*Failed)
	if !ok || err != nil {
		t.Fatal(out, err)
	}
	want := `Traceback (most recent call last):
  File "plan.py", line 10, in <module>
    f('a')
  File "plan.py", line 2, in f
    return g(x)
  File "plan.py", line 5, in g
    return x.uper()
AttributeError: 'str' object has no attribute 'uper'
`
	if f.Full != want {
		t.Errorf("got\n%s", f.Full)
	}
}

// TestOwnWords checks the errors that the language words in its own way,
// and those of what it leaves out.
func TestOwnWords(t *testing.T) {
	inner := "def g():\n    yield from h()\ndef h():\n    yield 1\nx = g()\nnext(x)\n"
	for src, want := range map[string]string{
		"def f(a, b, *, k): pass\nf(1)":                     "TypeError: f() missing required argument 'b'",
		"def f(a, b, *, k): pass\nf(1, 2)":                  "TypeError: f() missing required argument 'k'",
		"def f(a, b=1): pass\nf(1, 2, 3)":                   "TypeError: f() takes from 1 to 2 positional arguments but 3 were given",
		"def f(a): pass\nf(1, a=1)":                         "TypeError: f() got multiple values for argument 'a'",
		"len(x=1)":                                          "TypeError: len() got an unexpected keyword argument 'x'",
		"len(1, 2)":                                         "TypeError: len() takes 1 positional argument but 2 were given",
		inner + "x.close()":                                 "RuntimeError: a plan cannot throw into or close a generator that waits in yield from: write a for loop with yield",
		inner + "x.throw(ValueError)":                       "RuntimeError: a plan cannot throw into or close a generator that waits in yield from: write a for loop with yield",
		"from typing import List\nclass A(List[int]): pass": "TypeError: a class cannot derive from a '_Form' object: name a class, such as list for List[int]",
		"print(list(zip([1], [], strict=True)))":            "ValueError: zip() arguments have different lengths",
		"map(len, [], strict=True)":                         "TypeError: map() got an unexpected keyword argument 'strict'",
	} {
		for _, strict := range []bool{false, true} {
			if got := runPlan(src, strict); got.Error != want {
				t.Errorf("%s (strict %v): got %s, want %s", src, strict, got.Error, want)
			}
		}
	}
}
