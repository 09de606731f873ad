package vm

import "testing"

// builtinLabels are the cases for the built-in functions and the modules.
var builtinLabels = []labelCase{
	{"numbers", "import math", `
		sum([A, 1]): a
		sum([1, 2]):
		sum([1], A): a
		sum([A, 2.5, B]): a b
		sum(x for x in [A, B]): a b
		min(A, B): a b
		min([5, A]): a
		max([1, 2]):
		max([], default=A): a
		max([3, 1], key=lambda x: x * A): a
		min([A, 5], key=lambda x: 1): a
		max(['x', 'yy'], key=len):
		chr(A + 60): a
		ord(P): b
		hex(A): a
		len(S): a
		hash(S): a
		math.sqrt(A): a
		math.gcd(4, B): b
		math.fsum([A, B]): a b
		math.prod([2, A]): a
		math.floor(A / 2): a
		math.comb(5, A): a
		math.hypot(A, 2.0): a
		math.pi:
	`},
	{"iterators", "", `
		list(enumerate([A]))[0][1]: a
		list(enumerate([A]))[0][0]:
		list(enumerate('xy', A))[0][0]: a
		list(zip([A], [B]))[0][0]: a
		list(zip([A], [B]))[0][1]: b
		list(map(str, [A, 5]))[0]: a
		list(map(str, [A, 5]))[1]:
		list(map(lambda x: x + B, [5]))[0]: b
		list(map(int, S.encode()))[0]: a
		list(filter(None, [A]))[0]: a
		next(iter([A])): a
		next(iter([]), A): a
		next((x for x in [A])): a
		sorted([5, A])[0]: a
		sorted([5, 4])[0]:
		sorted([5, 4], key=lambda x: x * A)[0]: a
		sorted(S)[0]: a
		list(reversed([A, 5]))[0]:
		list(reversed([A, 5]))[1]: a
		any([0, A]): a
		all([1, 2]):
		any(x > 0 for x in [A]): a
		all(x > 0 for x in [5, B]): b
	`},
	{"objects", "class C:\n    x = 1\nc = C()\nc.y = A\nsetattr(c, 'z', B)\nsetattr(c, S, 5)", `
		getattr(c, 'y'): a
		getattr(c, 'z'): b
		getattr(c, 'x'): a
		getattr(c, 'nope', A): a
		getattr(c, S + 'q', 5): a
		hasattr(c, P): a b
		isinstance(A, int): a
		vars(c)['y']: a
		repr(A): a
		repr([A, 1]): a
		format(A, '>5'): a
		format(5, S[:0]): a
		callable(A): a
	`},
	{"json", "import json", `
		json.dumps(A): a
		json.dumps([1, {'k': [B]}]): b
		json.dumps({S: 1}): a
		json.dumps([1, 2]):
		json.dumps([1], indent=A): a
		json.dumps({'q': {A}}, default=list): a
		json.loads('[1]')[0]:
		json.loads('[' + str(A) + ', 2]')[1]: a
		json.loads('{"k": ' + str(A) + '}')['k']: a
		json.loads('[' + str(A) + ']', parse_int=lambda s: s)[0]: a
	`},
	{"re", "import re", `
		re.findall('b', S)[0]: a
		re.findall('b', 'abc')[0]:
		re.findall(P, 'abc')[0]: b
		re.match('(a)', S).group(1): a
		re.match('(a)', S).start(): a
		re.search('z', S): a
		re.sub('a', P, 'aa'): b
		re.sub('a', lambda m: m.group() + P, 'aa'): b
		re.sub('a', lambda m: 'c', S): a
		re.split(',', 'a,b')[0]:
		re.split(P, 'abc')[0]: b
		[m.group() for m in re.finditer('.', S)][0]: a
		re.compile(P).pattern: b
		re.compile(P).search('abc').span()[0]: b
		re.escape(S): a
	`},
	{"collections", "from collections import Counter, defaultdict, deque, namedtuple, OrderedDict\nd = defaultdict(list)\nd['k'].append(A)\nq = deque([A, 5])\nT = namedtuple('T', 'x y')\nt = T(A, 5)", `
		Counter(S)['a']: a
		Counter([A, A]).most_common(1)[0][1]: a
		Counter('abc')['a']:
		d['k'][0]: a
		len(d['k']):
		q.popleft(): a
		q[0]:
		t.x: a
		t.y:
		t._asdict()['x']: a
		OrderedDict(k=A)['k']: a
	`},
	{"itertools", "import itertools, functools, operator, heapq, bisect, copy\nh = [5]\nheapq.heappush(h, A)\n@functools.cache\ndef f(x):\n    return x + 1", `
		list(itertools.chain([A], [5]))[0]: a
		list(itertools.chain([A], [5]))[1]:
		list(itertools.accumulate([1, A]))[1]: a
		list(itertools.product([A], [5]))[0][0]: a
		list(itertools.combinations([A, B], 2))[0][1]: b
		list(itertools.islice([5, A], 2))[1]: a
		functools.reduce(lambda x, y: x + y, [A, B]): a b
		functools.partial(lambda x, y: x, A)(5): a
		f(A): a
		operator.add(A, 5): a
		operator.itemgetter(0)([A]): a
		h[0]: a
		len(h):  a
		bisect.bisect([1, 2], 5):
		bisect.bisect([1, 2], A): a
		bisect.bisect_left([1, B], 5): b
		copy.deepcopy([A])[0]: a
		copy.copy([A, 5])[1]:
	`},
}

// TestBuiltinLabels compares the labels of results of built-in functions and modules
// with what the results depend on.
func TestBuiltinLabels(t *testing.T) { checkLabels(t, builtinLabels) }
