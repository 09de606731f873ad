--- data chooses a constant out of a list
sink(["a", "b", "c"][src.num()])
sink(1)
--- data chooses which list grows
xs, ys = [1], [2]
[xs, ys][src.num() % 2].append(3)
sink(len(xs))
sink(len(ys))
--- data chooses which dict is written to
a, b = {"x": 1}, {"x": 2}
{"a": a, "b": b, "c": b}[src.key()]["x"] = 5
sink(a["x"])
sink(b["x"])
--- data chooses which set grows
a, b = {1}, {2}
[a, b][src.num() % 2].add(5)
sink(len(a))
sink(len(b))
--- data chooses whose attribute is set
class P:
    def __init__(self):
        self.a = 1
p, q = P(), P()
[p, q][src.num() % 2].a = 2
sink(p.a)
sink(q.a)
--- data chooses which class gets an attribute
class P:
    n = 0
class Q:
    n = 0
[P, Q][src.num() % 2].n += 1
sink(P.n)
sink(Q().n)
--- data chooses which iterator goes on
i, j = iter([1, 2, 3]), iter([1, 2, 3])
next([i, j][src.num() % 2])
sink(next(i))
sink(next(j))
--- data chooses which generator goes on
def gen():
    yield 1
    yield 2
g, h = gen(), gen()
next([g, h][src.num() % 2])
sink(next(g))
sink(next(h))
--- data chooses which generator of random numbers is asked
import random
r, s = random.Random(1), random.Random(2)
[r, s][src.num() % 2].random()
sink(r.random())
sink(s.random())
--- data chooses which of the iterators of tee goes on
from itertools import tee
a, b = tee([1, 2, 3])
next([a, b][src.num() % 2])
sink(next(a))
sink(next(b))
--- data chooses the key that is taken out
d = {"a": 1, "b": 2, "c": 3}
d.pop(src.key(), None)
sink(len(d))
sink(list(d))
--- data chooses a key that may not be there
d = {"a": 1}
d.pop(src.key(), None)
sink("a" in d)
sink(len(d))
--- data chooses the name of an attribute that is set
class P:
    pass
p = P()
p.a, p.b, p.c = 1, 2, 3
setattr(p, src.key(), 5)
sink(p.a)
sink(p.b)
--- data chooses the name of an attribute that is deleted
class P:
    pass
p = P()
p.a, p.b, p.c = 1, 2, 3
delattr(p, src.key())
sink(hasattr(p, "a"))
sink(hasattr(p, "b"))
--- data chooses a function of a dict
total = []
def f(): total.append(1)
def g(): pass
{"a": f, "b": g, "c": g}[src.key()]()
sink(len(total))
--- data chooses the name of a method
total = []
class P:
    def a(self): total.append(1)
    def b(self): pass
    def c(self): pass
getattr(P(), src.key())()
sink(len(total))
--- data chooses a class
total = []
class A:
    def __init__(self): total.append(1)
class B:
    pass
[A, B][src.num() % 2]()
sink(len(total))
--- data chooses whose method is called
total = []
class A:
    def go(self): total.append(1)
class B:
    def go(self): pass
[A(), B()][src.num() % 2].go()
sink(len(total))
--- data chooses whose operator is called
total = []
class A:
    def __add__(self, x):
        total.append(1)
        return 1
class B:
    def __add__(self, x):
        return 1
[A(), B()][src.num() % 2] + 1
sink(len(total))
--- data chooses whose property is read
total = []
class A:
    @property
    def p(self):
        total.append(1)
        return 1
class B:
    p = 1
[A(), B()][src.num() % 2].p
sink(len(total))
--- data chooses whose text is made
total = []
class A:
    def __str__(self):
        total.append(1)
        return "A"
class B:
    pass
str([A(), B()][src.num() % 2])
sink(len(total))
--- data chooses a closure
def counter():
    n = 0
    def up():
        nonlocal n
        n += 1
        return n
    return up
c, d = counter(), counter()
[c, d][src.num() % 2]()
sink(c())
sink(d())
--- data chooses a decorated function
total = []
def noted(f):
    def inner(*args):
        total.append(1)
        return f(*args)
    return inner
@noted
def f(): pass
def g(): pass
[f, g][src.num() % 2]()
sink(len(total))
--- data says how often map calls
total = []
def f(x): total.append(1)
list(map(f, src.data()))
sink(len(total))
--- data says how often sorted calls
total = []
def f(x):
    total.append(1)
    return x
sorted(src.data(), key=f)
sink(len(total))
--- a set calls __hash__ as often as data says
total = []
class P:
    def __hash__(self):
        total.append(1)
        return 1
    def __eq__(self, other):
        return True
{P()}.union([P()] * src.num())
sink(len(total))
--- [branches] a branch on data
xs = []
if src.num() > 0:
    xs.append(1)
sink(len(xs))
--- [branches] a loop over data
n = 0
for x in src.data():
    n += 1
sink(n)
--- [branches] a branch chooses which list grows
xs, ys = [1], [2]
a = xs if src.num() > 0 else ys
a.append(3)
sink(len(xs))
sink(len(ys))
--- [branches] a branch chooses which function is called
total = []
def f(): total.append(1)
def g(): pass
if src.num() > 0:
    h = f
else:
    h = g
h()
sink(len(total))
--- [branches] a function returns what a branch chose
xs, ys = [1], [2]
def pick(n):
    if n > 0:
        return xs
    return ys
pick(src.num()).append(3)
sink(len(xs))
sink(len(ys))
--- functions that only call tools are chosen
def f(): sink(1)
def g(): sink(2)
{"a": f, "b": g, "c": g}[src.key()]()
sink(3)
--- a method that all have is called on what was chosen
class P:
    def __init__(self, n):
        self.n = n
        self.name = "p"
    def up(self):
        self.n += 1
ps = [P(1), P(2), P(3)]
ps[src.num()].up()
sink(ps[0].n)
sink(ps[1].n)
sink(ps[0].name)
--- what a map calls is called where it is walked
n = src.num()
m = map(lambda x: sink(1), [1, 2, 3])
if n:
    list(m)
--- how often a callback is called depends on what it is walked with
import itertools
data = src.data()
list(itertools.islice(map(lambda x: sink(1), [1, 2, 3]), data[0]))
--- an iterator that calls a tool ends with another
data = src.data()
m = map(lambda x: sink(1), [1, 2, 3])
for a, b in zip(data, m):
    pass
--- iterators that go on with each other
data = src.data()
m = iter([1, 2, 3])
for i in range(3):
    m = map(lambda x: x, m)
    z = zip(data, m)
    m = map(lambda x: x[0], z)
list(m)
--- a digest depends on what was put into it
import hashlib
h = hashlib.sha256()
h.update(str(src.num()).encode())
sink(h.hexdigest())
--- a digest that data chose
import hashlib
hs = [hashlib.sha256(b'1'), hashlib.sha256(b'2'), hashlib.md5(b'3')]
h1 = hs[0]
hs[src.num()].update(b'x')
sink(h1.hexdigest())
--- a cache knows what a function was called with
import functools
@functools.lru_cache
def cached(v):
    return v
cached((src.num() + 1) % 3)
sink(cached(0))
--- looking up a member runs the plan's own method
import enum
total = []
class Color(enum.Enum):
    RED = 0
    @classmethod
    def _missing_(cls, value):
        total.append(1)
        return cls.RED
Color(src.num())
sink(len(total))
--- the next element of an iterator that data chose calls a function
total = []
its = [map(total.append, [1, 2]), iter([1, 2]), enumerate('ab')]
next(its[src.num()])
sink(len(total))
--- how long a list is that a part of was replaced
xs = [1, 2, 3]
xs[:] = src.data()
sink(len(xs))
--- how often a key of sort is called depends on what grew
data = src.data()
xs = [1, 2, 3]
[xs, [4]][len(data) % 2].append(2)
xs.sort(key=lambda x: x * src.num())
--- data replaced what could have been chosen afterwards
n = src.num()
xs, ys, zs = [1], [2], [3]
d = {'a': xs, 'b': ys, 'c': zs}
d[src.key()] = [0]
sorted(d.items())[n][1].append(1)
sink(xs)
--- data took out what could have been chosen afterwards
xs, ys, zs = [1], [2], [3]
ls = [xs, ys, zs]
ls.pop(src.num())
ls[0].append(5)
sink(xs)
sink(ys)
--- data chose whose attribute was replaced
class P:
    pass
p, q = P(), P()
xs, ys = [1], [2]
p.a = xs
q.a = ys
[p, q][src.num() % 2].a = []
p.a.append(1)
sink(xs)
sink(ys)
--- data chose whose item was replaced
xs, ys = [1], [2]
ds = [{'k': xs}, {'k': ys}]
ds[src.num() % 2]['k'] = []
ds[0]['k'].append(1)
sink(xs)
sink(ys)
--- [branches] how often a tool may still be called
if src.num() > 1:
    safe.few()
safe.few()
try:
    safe.few()
    x = 1
except Exception:
    x = 2
sink(x)
--- [branches] data chose whether a tool was called
def f(): safe.few()
def g(): pass
[g, f, g][src.num()]()
safe.few()
try:
    safe.few()
    x = 1
except Exception:
    x = 2
sink(x)
--- data shuffles what it chose
import random
xs, ys = [1, 2, 3], [4]
r = random.Random(1)
r.shuffle([xs, ys][src.num() % 2])
sink(len(xs))
sink(len(ys))
--- gather gives exceptions back
import asyncio
async def fails(n):
    if n > 0:
        raise ValueError(n)
    return n
async def main():
    got = await asyncio.gather(fails(src.num()), fails(0), return_exceptions=True)
    sink(str(got[0]))
    sink(got[1])
    sink(len(got))
asyncio.run(main())
--- the exception of a task
import asyncio
async def fails():
    raise ValueError(src.num())
async def main():
    task = asyncio.create_task(fails())
    await asyncio.gather(task, return_exceptions=True)
    sink(str(task.exception()))
    sink(1)
asyncio.run(main())
--- an exception inside a context manager
from contextlib import contextmanager
seen = []
@contextmanager
def guard():
    try:
        yield 1
    except ValueError as e:
        seen.append(str(e))
with guard() as g:
    raise ValueError(src.num())
sink(seen[0])
sink(g)
--- an exception passes a context manager
from contextlib import contextmanager, suppress
@contextmanager
def guard():
    yield src.num()
with suppress(ValueError):
    with guard() as g:
        raise ValueError(g)
sink(1)
--- an object is an index
class P:
    def __init__(self, n):
        self.n = n
    def __index__(self):
        return self.n
xs = [1, 2, 3]
sink(xs[P(src.num())])
sink([xs, xs, xs][P(1)])
sink(range(P(src.num()) .__index__() + 1)[0])
--- a property that is computed once
from functools import cached_property
class P:
    @cached_property
    def n(self):
        return src.num()
    @cached_property
    def m(self):
        return 1
p = P()
sink(p.n)
sink(p.m)
sink(p.n)
sink(vars(p)['n'])
--- += on a list that data chose
xs, ys = [1], [2]
ls = [xs, ys]
ls[src.num() % 2] += [3]
sink(xs)
sink(ys)
zs = ls[src.num() % 2]
zs += [4]
sink(len(xs))
--- a generator that is thrown into
def gen():
    try:
        yield 1
    except ValueError as e:
        yield str(e)
g = gen()
next(g)
sink(g.throw(ValueError(src.num())))
sink(next(g, 5))
--- a method of the program or one that is built in
total = []
class P:
    def get(self, k):
        total.append(k)
    def upper(self):
        sink(7)
xs = [{}, P(), {}]
xs[src.num()].get(1)
sink(len(total))
ys = {'a': 'x', 'b': P(), 'c': 'y'}
ys[src.key()].upper()
sink(3)
f = ys[src.key()].upper
f()
sink(4)
getattr(ys[src.key()], 'upper')()
sink(5)
--- a length that the program computes, or not
total = []
class P:
    def __len__(self):
        total.append(1)
        return 1
xs = [[1], P(), 'a']
len(xs[src.num()])
sink(len(total))
--- a method of the library or one that is built in
from collections import defaultdict, Counter, OrderedDict
ws = [defaultdict(list), Counter('aab'), OrderedDict(a=1)]
ws[src.num()].update({1: 1})
sink(1)
--- something that cannot be called, where data chose it
a = [1, len, 2][src.num()]
a('a')
sink(1)
--- a deque that grows by nothing
from collections import deque
q = deque([1, 2, 3])
data = src.data()
q.extendleft(data[1:])
sink(list(q))
r = deque([1, 2, 3], 5)
r.extend(data[1:])
sink(list(r))
--- data empties one of several
from collections import deque, Counter
d, e, g = {'a': 1}, {'b': 2}, {'c': 3}
dd = [d, e, g]
dd[src.num()].clear()
sink(1)
dd[src.num()].pop('a', None)
sink(2)
--- looking a key up puts it into a dict with a default
from collections import defaultdict
w = defaultdict(list)
w[src.key()]
sink(w)
sink(len(w))
--- how much passes a filter
n = src.num()
f = lambda x: x > n
sink(list(filter(f, [0, 1, 2])))
sink(len([*filter(f, [0, 1, 2])]))
sink(tuple(filter(f, [0, 1, 2])))
sink(sum(filter(f, [0, 1, 2])))
sink(sorted(filter(f, [0, 1, 2])))
--- how many pairs there are
import itertools
sink(list(itertools.pairwise(src.data())))
--- texts that do not differ
import difflib
sink(list(difflib.unified_diff(["a"], [src.key()])))
