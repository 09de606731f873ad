package vm

import (
	"fmt"
	"strings"
	"testing"

	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// labelCases say what the labels of expressions are after some statements. The
// name A is the int 1, B the int 2, S the string "ab", P the string "b", each from
// a tool of its own name in lower case; everything else is the program's own.
// Each line after the first part is an expression and the tools that it depends on.
var labelCases = []labelCase{
	{"numbers", "", `
		A + 1: a
		1 + A: a
		A + B: a b
		A * 2.5: a
		-A: a
		~A: a
		not A: a
		A == 1: a
		A < B: a b
		A is B: a b
		1 + 1:
		A and 0:
		abs(A): a
		round(A): a
		divmod(A, 5)[0]: a
		pow(2, B): b
		int(A): a
		str(A): a
		float(A): a
		bool(A): a
		A.bit_length(): a
		A.numerator: a
		A.to_bytes(2): a
		int.from_bytes(bytes([A]), 'big'): a
		range(A)[0]: a
		len(range(A)): a
		hash(A): a
		f"{A}": a
		f"{1:{A}}": a
		"%d" % A: a
	`},
	{"strings", "", `
		S + 'x': a
		'x' + S: a
		S * 2: a
		'x' * A: a
		S[0]: a
		'xyz'[A]: a
		'xyz'[:A]: a
		'xyz'[::B]: b
		len(S): a
		'a' in S: a
		S in 'xyz': a
		S == 'ab': a
		S.upper(): a
		S.find('b'): a
		'abc'.find(S): a
		'abc'.find('b', A): a
		S.count('a'): a
		S.startswith('a'): a
		'abc'.startswith(S): a
		'abc'.startswith(('x', S)): a
		S.split('b'): a
		S.split('b')[0]: a
		'a,b'.split(','):
		'a,b'.split(',')[0]:
		'a,b'.split(P): b
		'a b c'.split(' ', A): a
		S.partition('b')[0]: a
		S.replace('a', 'b'): a
		'aaa'.replace('a', P): b
		'aaa'.replace('a', 'b', A): a
		S.strip(): a
		'xx'.strip(P): b
		','.join(['a', S]): a
		','.join(['a', 'b']):
		P.join(['a', 'b']): b
		','.join(('a', S, P)): a b
		','.join({'k': A}):
		S.center(9): a
		'x'.center(A): a
		'x'.center(9, P): b
		'x'.zfill(B): b
		S.encode(): a
		S.encode().decode(): a
		'{} {}'.format('x', 'y'):
		'{} {}'.format('x', S): a
		'{}'.format('x', S): a
		S.format(): a
		'{k}'.format(k=S): a
		'%s %s' % ('x', S): a
		'%s' % {'k': S}: a
		'%(k)s' % {'k': 'x', 'j': S}: 
		'%(j)s' % {'k': 'x', 'j': S}: a
		S.isalpha(): a
		S.splitlines()[0]: a
		'abc'.translate({97: S}): a
		'abc'.translate({120: S}):
		'abc'.translate(str.maketrans('a', P)): b
		repr(S): a
		f"{S}{P}": a b
		f"{'x'!r}{1:>5}":
		list(S)[0]: a
		min(S, 'x'): a
		[*S][0]: a
	`},
	{"elements keep their own", "l = [1, A, 3]\nt = (1, B, 3)", `
		l:
		l[0]:
		l[1]: a
		l[2]:
		len(l):
		l[A]: a
		l[-1]:
		l[1:]:
		l[1:][0]: a
		l[1:][1]:
		l[A:]: a
		l[A:][1]: a
		len(l[A:]): a
		t[0]:
		t[1]: b
		t[A]: a b
		len(t):
		t + (4,):
		(t + (4,))[1]: b
		(t + (4,))[3]:
		(t * 2)[4]: b
		(t * 2)[0]:
		(t * A)[0]: a
		l + [4]:
		(l + [4])[1]: a
		(l + [4])[3]:
		(l * 2)[4]: a
		1 in l:
		3 in l: a
		9 in l: a
		A in [1, 2]: a
		9 in t: b
		l == [1, 1, 3]: a
		l == [2, 1, 3]:
		l == [1]:
		t < (1, 2, 4): b
		t < (2,):
		l.index(1):
		l.index(3): a
		l.count(1): a
		t.count(1): b
		t.index(3): b
		list(l)[0]:
		list(l)[1]: a
		tuple(l)[1]: a
		tuple(l)[0]:
		sum([1, 2]):
		repr(l): a
		str([1, 2]):
		[x for x in l][0]:
		[x for x in l][1]: a
		list(reversed(l))[0]:
		list(reversed(l))[1]: a
		l.copy()[0]:
		l.copy()[1]: a
		hash(t): b
	`},
	{"append", "l = [1]\nl.append(A)\nl.append(3)", "l[0]:\nl[1]: a\nl[2]:\nlen(l):"},
	{"extend", "l = [1]\nl.extend([2, A])\nl += (4, B)", "l[0]:\nl[1]:\nl[2]: a\nl[3]:\nl[4]: b\nlen(l):"},
	{"extend by a tainted list", "l = [1]\nl.extend(S.split('b'))", "l[0]: a\nl[1]: a\nlen(l): a"},
	{"extend by a string", "l = [1]\nl.extend(S)", "len(l): a\nl[1]: a"},
	{"insert an element", "l = [1, 2]\nl.insert(1, A)", "l[0]:\nl[1]: a\nl[2]:\nlen(l):"},
	{"insert at an index", "l = [1, 2]\nl.insert(A, 9)", "l[0]: a\nl[1]: a\nlen(l): a"},
	{"pop", "l = [1, A, 3]\nx = l.pop()\ny = l.pop(1)", "x:\ny: a\nl[0]:\nlen(l):"},
	{"pop at an index", "l = [1, 2, 3]\nx = l.pop(A)", "x: a\nl[0]: a\nlen(l): a"},
	{"remove", "l = [1, 2, 3]\nl.remove(2)", "l[0]:\nlen(l):"},
	{"remove what depends", "l = [1, 2, 3]\nl.remove(A)", "l[0]: a\nlen(l): a"},
	{"remove behind what depends", "l = [A, 2, 3]\nl.remove(2)", "len(l): a"},
	{"set an element", "l = [1, 2]\nl[0] = A", "l[0]: a\nl[1]:\nlen(l):"},
	{"set at an index", "l = [1, 2]\nl[A] = 9", "l[0]: a\nl[1]: a"},
	{"set a slice", "l = [1, 2, 3]\nl[0:1] = [A, 9]", "l[0]: a\nl[1]:\nl[2]:\nlen(l):"},
	{"set a slice at an index", "l = [1, 2, 3]\nl[:A] = [9]", "l[2]: a\nlen(l): a"},
	{"set a slice of unknown length", "l = [1, 2, 3]\nl[:1] = S", "l[0]: a\nlen(l): a"},
	{"delete", "l = [1, A]\ndel l[1]", "l[0]:\nlen(l):"},
	{"delete at an index", "l = [1, 2]\ndel l[A]", "l[0]: a\nlen(l): a"},
	{"delete a slice", "l = [1, 2]\ndel l[:A]", "l[0]: a\nlen(l): a"},
	{"reverse", "l = [1, A]\nl.reverse()", "l[0]: a\nl[1]:\nlen(l):"},
	{"clear", "l = [1, 2]\nl.insert(A, 5)\nl.clear()\nl.append(1)", "l[0]:\nlen(l):"},
	{"sort what depends", "l = [3, A, 2]\nl.sort()", "l[0]: a\nl[2]: a\nlen(l): a"},
	{"sort what does not", "l = [3, 1, 2]\nl.sort()", "l[0]:\nlen(l):"},
	{"sort by a key", "l = [(3, A), (1, 5)]\nl.sort(key=lambda x: x[0])", "l[0][0]:\nl[0][1]:\nl[1][1]: a"},
	{"sort by a key that depends", "l = [(3, A), (1, 5)]\nl.sort(key=lambda x: x[1])", "l[0][0]: a\nlen(l): a"},
	{"sort in an order that depends", "l = [3, 1, 2]\nl.sort(reverse=A)", "l[0]: a"},
	{"sort by a native key", "l = ['b', S]\nl.sort(key=len)\nm = [3, 1]\nm.sort(key=abs)", "l[0]: a\nm[0]:"},
	{"sorted", "a = sorted([3, 1])\nb = sorted([3, A])\nc = sorted([('x', A), ('y', 1)], key=lambda p: p[0])", `
		a[0]:
		b[0]: a
		c[0][0]:
		c[0][1]: a
		c[1][1]:
	`},
	{"repeat in place", "l = [1]\nl *= B", "l[0]: b\nlen(l): b"},
	{"a list chosen by data", "x, y = [1], [2]\n(x if A else y).append(3)\nz = [x, y][A]\nz.append(4)", "len(y): a\ny[0]: a"},
	{"dict values", "d = {'x': 1, 'y': A}", `
		d:
		d['x']:
		d['y']: a
		len(d):
		'y' in d:
		d.get('x'):
		d.get('y'): a
		d.get('z'):
		d.get('z', B): b
		d.get(P): b
		d[{'b': 'x'}[P]]: b
		list(d)[1]:
		list(d.values())[0]:
		list(d.values())[1]: a
		list(d.items())[1]:
		list(d.items())[1][0]:
		list(d.items())[1][1]: a
		[v for k, v in d.items()][0]:
		[v for k, v in d.items()][1]: a
		d == {'x': 1, 'y': 1}: a
		d == {'x': 2}:
		{**d}['y']: a
		{**d}['x']:
		(d | {'z': 1})['y']: a
		(d | {'z': 1})['z']:
		d.copy()['y']: a
		d.copy()['x']:
		dict(d)['x']:
		dict(d)['y']: a
		dict(x=1, y=A)['x']:
		dict(x=1, y=A)['y']: a
		dict([('x', 1), ('y', A)])['x']:
		dict([('x', 1), ('y', A)])['y']: a
		dict.fromkeys(['p', 'q'], A)['p']: a
		len(dict.fromkeys(['p', 'q'], A)):
		str(d): a
		max(d):
		1 in d.values():
		9 in d.values(): a
		('x', 1) in d.items():
		('y', 1) in d.items(): a
		'x' in d.keys():
		len(d.keys() & {'x'}):
	`},
	{"dict keys that depend", "d = {'x': 1, P: 2}", "d['x']: b\nlen(d): b\n'x' in d: b\nlist(d)[0]: b\nd.get('q'): b"},
	{"set under a key that depends", "d = {'x': 1}\nd[P] = 2", "d['x']: b\nlen(d): b"},
	{"set a value", "d = {'x': 1}\nd['x'] = A\nd['y'] = 2", "d['x']: a\nd['y']:\nlen(d):"},
	{"setdefault", "d = {'x': 1}\nx = d.setdefault('x', A)\ny = d.setdefault('y', A)\nz = d.setdefault(P, 3)", "x:\ny: a\nz: b\nd['x']: b\nlen(d): b"},
	{"dict pop", "d = {'x': 1, 'y': A}\nx = d.pop('x')\ny = d.pop('y')\nz = d.pop('z', B)", "x:\ny: a\nz: b\nlen(d):"},
	{"dict pop by a key that depends", "d = {'x': 1, 'b': 2}\nx = d.pop(P)", "x: b\nlen(d): b\nd['x']: b"},
	{"popitem", "d = {'x': 1, 'y': A}\nx = d.popitem()", "x:\nx[0]:\nx[1]: a\nlen(d):"},
	{"update", "d = {'x': 1}\nd.update({'y': A})\nd.update(z=3)\nd |= {'w': B}", "d['x']:\nd['y']: a\nd['z']:\nd['w']: b\nlen(d):"},
	{"update by pairs that depend", "d = {'x': 1}\nd.update([(P, 2)])", "d['x']: b\nlen(d): b"},
	{"delete by a key that depends", "d = {'x': 1, 'b': 2}\ndel d[P]", "d['x']: b\nlen(d): b"},
	{"tuples with parts that depend as keys", "d = {('x', A): 1}", "len(d): a\nlist(d)[0][0]: a"},
	{"sets", "s = {1, 2}\nu = {1, A}\nv = set()\nv.add(5)", `
		s:
		len(s):
		1 in s:
		A in s: a
		len(u): a
		5 in u: a
		len(v):
		len(s | u): a
		len(s & {1}):
		len(s - u): a
		len({1} ^ {2}):
		s == {1, 2}:
		s == u: a
		s < u: a
		len(s.union([3])):
		len(s.union([A])): a
		len(s.intersection([A])): a
		len(s.difference([9], {A})): a
		s.issubset([1, 2, 3]):
		s.issubset([A]): a
		s.isdisjoint([A]): a
		len(set([1, 2])):
		len(set([1, A])): a
		len(set(S)): a
		len(frozenset([A])): a
		hash(frozenset([A])): a
		sorted(s)[0]:
		sorted(u)[0]: a
		list(u)[0]: a
		str(s):
	`},
	{"add what depends", "s = {1}\ns.add(A)", "len(s): a\n1 in s: a"},
	{"discard what depends", "s = {1, 2}\ns.discard(A)", "len(s): a"},
	{"set pop", "s = {1}\nx = s.pop()\nu = {A}\ny = u.pop()", "x:\ny: a\nlen(s):"},
	{"set update", "s = {1}\ns |= {A}\nu = {1}\nu.update([2], [B])\nv = {1, 2}\nv &= {2}", "len(s): a\nlen(u): b\nlen(v):"},
	{"unpacking", "x, y = 1, A\np, *q = [1, B, 3]\n(m, n), o = (A, 2), 3\nc, d = S", "x:\ny: a\np:\nq:\nq[0]: b\nq[1]:\nm: a\nn:\no:\nc: a"},
	{"loops", "l = []\nfor x in [1, A, 3]:\n    l.append(x)\nz = list(zip([1, A], [B, 2]))\ne = list(enumerate(['x', S]))", `
		l[0]:
		l[1]: a
		len(l):
		z[0][0]:
		z[0][1]: b
		z[1][0]: a
		z[1][1]:
		len(z):
		e[0][0]:
		e[1][1]: a
		e[1][0]:
	`},
	{"loops over what depends", "l = []\nfor c in S:\n    l.append(c)\nm = [1 for c in S]\nd = {k: 1 for k in [S]}", "l[0]: a\nlen(d): a\nlen(m):"},
	{"attributes", "class C:\n    pass\nc = C()\nc.x = A\nc.y = 2", "c.x: a\nc.y:\nc:"},
	{"exceptions", "try:\n    [1][A]\nexcept IndexError as e:\n    x = e.args[0]\ntry:\n    {}[S]\nexcept KeyError as e:\n    y = e.args[0]\ntry:\n    int(S)\nexcept ValueError as e:\n    z = str(e)\ntry:\n    A + 'x'\nexcept TypeError as e:\n    w = str(e)\ntry:\n    {}['q']\nexcept KeyError as e:\n    v = str(e)\ntry:\n    [].pop()\nexcept IndexError as e:\n    u = str(e)", "x: a\ny: a\nz: a\nw: a\nv:\nu:"},
	{"slices of ranges", "r = range(10)\nq = r[A:]", "q: a\nq[0]: a\nr[0]:\nr[B]: b\nlen(q): a"},
	{"nested", "d = {'l': [1, {'k': A}], 't': (B, 2)}", "d['l'][0]:\nd['l'][1]:\nd['l'][1]['k']: a\nd['t'][0]: b\nd['t'][1]:\nlen(d['l']):"},
	{"counting words that depend", "c = {}\nfor w in S.split():\n    c[w] = c.get(w, 0) + 1", "c: \nlen(c): a\nlist(c.values())[0]: a"},
	{"a container from what depends", "l = list(S)\nt = tuple(S)\nd = dict(zip(['k'], [A]))", "len(l): a\nt: a\nd['k']: a\nlen(d):"},
}

// TestLabels runs the cases and reads the labels of the expressions.
func TestLabels(t *testing.T) { checkLabels(t, labelCases) }

// labelCase is what some expressions depend on after a setup.
type labelCase struct{ name, setup, want string }

func checkLabels(t *testing.T, cases []labelCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			source := c.setup + "\n"
			var exprs, results []string
			for line := range strings.Lines(c.want) {
				line = strings.TrimSpace(line)
				if line == "" {
					continue
				}
				at := strings.LastIndexByte(line, ':')
				source += fmt.Sprintf("r%d = (%s)\n", len(exprs), line[:at])
				exprs = append(exprs, line[:at])
				results = append(results, strings.TrimSpace(line[at+1:]))
			}
			vm := newVM(t, source, Env{}, Options{}, Config{})
			give := func(name, tool string, v value.Value) {
				id := vm.t.Labels.Of(label.Source{Kind: label.Tool, Name: tool, Call: 1}, label.Everyone())
				vm.main.Names.SetStr(&vm.t, name, v.With(id))
			}
			give("A", "a", value.Int(1))
			give("B", "b", value.Int(2))
			give("S", "a", vm.t.Str("ab"))
			give("P", "b", vm.t.Str("b"))
			out, err := vm.Run()
			if err != nil {
				t.Fatal(err)
			}
			if f, ok := out.(*Failed); ok {
				t.Fatal(f.Full)
			}
			for i, want := range results {
				v, ok := vm.main.Names.Str(fmt.Sprintf("r%d", i))
				if !ok {
					t.Fatalf("%s: no result", exprs[i])
				}
				if got := sources(vm, v.Label); got != want {
					t.Errorf("%s: depends on %q, want %q", exprs[i], got, want)
				}
			}
		})
	}
}

// sources names the tools that a label holds.
func sources(vm *VM, id label.ID) string {
	var names []string
	for _, s := range vm.t.Labels.Label(id).Sources {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}
