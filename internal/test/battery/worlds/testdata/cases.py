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
if src.num() == 1:
    xs.append(1)
sink(len(xs))
--- [branches] a loop over data
n = 0
for x in src.data():
    n += 1
sink(n)
--- [branches] a branch chooses which list grows
xs, ys = [1], [2]
a = xs if src.num() == 1 else ys
a.append(3)
sink(len(xs))
sink(len(ys))
--- [branches] a branch chooses which function is called
total = []
def f(): total.append(1)
def g(): pass
if src.num() == 1:
    h = f
else:
    h = g
h()
sink(len(total))
--- [branches] a function returns what a branch chose
xs, ys = [1], [2]
def pick(n):
    if n == 1:
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
--- an element of a list decides whether the next one is compared
total = []
class P:
    def __eq__(self, o):
        total.append(1)
        return True
[src.num(), P()] == [1, P()]
sink(len(total))
--- an element of a tuple decides how the next one is ordered
total = []
class P:
    def __eq__(self, o):
        total.append(1)
        return True
    def __lt__(self, o):
        total.append(2)
        return True
    def __gt__(self, o):
        total.append(2)
        return True
max([(src.num(), P()), (1, P())])
sink(total)
--- a value of a dict decides whether the next one is compared
total = []
class P:
    def __eq__(self, o):
        total.append(1)
        return True
{'a': src.num(), 'b': P()} == {'a': 1, 'b': P()}
sink(total)
--- a field decides whether the next one is compared
from dataclasses import dataclass
total = []
class P:
    def __eq__(self, o):
        total.append(1)
        return True
@dataclass(order=True)
class D:
    a: int
    b: object
D(src.num(), P()) == D(1, P())
sink(total)
--- an element of a heap decides how the next one is ordered
import heapq
total = []
class P:
    def __eq__(self, o):
        total.append(1)
        return True
    def __lt__(self, o):
        total.append(2)
        return True
h = [(1, P())]
heapq.heappush(h, (src.num(), P()))
sink(total)
--- where a list is searched to
total = []
class P:
    def __eq__(self, o):
        total.append(1)
        return False
try:
    [src.num(), P(), 1].index(1)
finally:
    pass
sink(len(total))
--- a search stops in a generator
def gen():
    yield 0
    yield 1
    yield 2
    yield 3
g = gen()
src.num() in g
sink(next(g))
--- a quote decides how many lines a record has
import csv
i = iter([['a', '"', 'c'][src.num()], 'd', 'e"', 'f'])
r = csv.reader(i)
next(r)
sink(next(i))
--- how long a coroutine sleeps
import asyncio, time
asyncio.run(asyncio.sleep(src.num()))
sink(time.time())
--- how long is waited for
import asyncio, time
async def m():
    try:
        await asyncio.wait_for(asyncio.sleep(5), timeout=src.num() + 1)
    except asyncio.TimeoutError:
        pass
asyncio.run(m())
sink(time.time())
--- which task runs first
import asyncio
total = []
async def t(n):
    total.append(n)
async def m():
    a, b = asyncio.create_task(t(1)), asyncio.create_task(t(2))
    await [a, b][src.num() % 2]
    await a
    await b
asyncio.run(m())
sink(total)
--- data decides which parameters are given
def f(a=1, b=2, c=3):
    return b
def g(**kw):
    return kw
def h(*a):
    return len(a)
sink(f(**{src.key(): 5}))
sink(list(g(**{src.key(): 5})))
sink(h(*src.data()))
--- the length of what is unpacked decides which parameters are given
def f(*a, b=1): return b, len(a)
sink(f(*src.data())[0])
sink(f(*src.data())[1])
def g(a=1, b=2, c=3): return c
sink(g(*src.data()))
--- how many arguments are too many
def g(a=1, b=2): return b
try:
    g(*src.data())
    x = 1
except TypeError as e:
    x = str(e)
sink(x)
--- how many arguments a tool is given
sink(*[1, 2][:src.num()])
--- which argument a tool is given
sink(**{['x', 'y', 'x'][src.num()]: 1})
--- how many arguments a method is given
xs = [1, 2, 3]
xs.pop(*[0][:src.num() % 2])
sink(xs)
sink(xs[0])
--- data chooses whose __setattr__ is called
total = []
class A:
    def __setattr__(self, k, v):
        total.append(k)
        object.__setattr__(self, k, v)
class B:
    pass
[A(), B()][src.num() % 2].x = 1
sink(len(total))
--- data chooses whether a function sleeps
import time
def f(): time.sleep(1)
def g(): pass
[f, g][src.num() % 2]()
sink(time.time())
--- data chooses a native that has state, or one that has none
import random, time
[random.random, time.time][src.num() % 2]()
sink(random.random())
--- [branches] a branch decides whether time passes
import time
if src.num() > 1:
    time.sleep(1)
sink(time.time())
--- how often a key sleeps
import time
sorted(src.data(), key=lambda x: time.sleep(1) or x)
sink(time.time())
--- a template decides which objects write text
total = []
class P:
    def __format__(self, s):
        total.append(1)
        return s
'{}{}{}'[:src.num() * 2].format(P(), P(), P())
sink(len(total))
--- an old template decides which objects write text
total = []
class P:
    def __str__(self):
        total.append(1)
        return 'x'
(['a', 'b', '%s'][src.num()] + '%s') % ((P(), P())[:1])
sink(len(total))
--- an element decides whether tuples are compared in a set
total = []
class P:
    def __hash__(self): return 1
    def __eq__(self, o):
        total.append(1)
        return True
{(1, P()), (src.num(), P())}
sink(len(total))
--- a hash decides what is compared
total = []
class P:
    def __init__(self, h): self.h = h
    def __hash__(self): return self.h
    def __eq__(self, o):
        total.append(1)
        return True
{P(1): 1}.get(P(src.num()))
sink(len(total))
--- a search stops in a map
total = []
m = map(lambda x: total.append(x) or x, [0, 1, 2, 3])
src.num() in m
sink(len(total))
--- data chooses a manager
from contextlib import nullcontext, contextmanager
total = []
@contextmanager
def m():
    total.append(1)
    yield
with [m(), nullcontext()][src.num() % 2]:
    pass
sink(len(total))
--- data says when a function is no longer called
total = []
def f():
    total.append(1)
    return len(total)
list(iter(f, src.num()))
sink(len(total))
--- data chooses a native or a function
total = []
def f(x): total.append(1)
{'a': abs, 'b': f, 'c': abs}[src.key()](1)
sink(len(total))
--- the library branches on data: text
import textwrap, html, csv, io, string
import urllib.parse as url
n = src.num()
k = src.key()
sink(textwrap.wrap('aaaa bbbb', 3, break_long_words=n > 1))
sink(html.escape('"<', quote=n > 1))
sink(url.quote('/a b', safe=['/', '', ' '][n]))
sink(url.urlsplit(['http://a', 'a', '//b/c'][n]).netloc)
sink(len(url.parse_qsl(['a=1', 'a', 'a=&b=2'][n])))
sink(url.parse_qs('a=&b=1', keep_blank_values=n > 1))
sink(string.Template('$a$b').safe_substitute({k: 1}))
out = io.StringIO()
csv.writer(out, quoting=n).writerow([1, 'a'])
sink(out.getvalue())
sink(out.tell())
sink(len(list(csv.reader(['a;b,c'], delimiter=[',', ';', '|'][n]))[0]))
sink(len(list(csv.reader(['a', ['', '"', 'x'][n], 'b"']))))
sink(len(list(csv.DictReader(['a', ['', '"', 'x'][n], 'b']))))
--- the library branches on data: containers and numbers
import calendar, collections, datetime, difflib, heapq, statistics, struct
from fractions import Fraction
n = src.num()
k = src.key()
sink(difflib.get_close_matches('ab', ['ab', 'ac'], cutoff=n / 3))
sink(len(struct.unpack(['2b', 'h', 'bb'][n], b'ab')))
sink(len(statistics.quantiles([1, 2, 3, 4], n=n + 1)))
sink(statistics.quantiles([1, 2, 3, 4], method=['exclusive', 'inclusive', 'exclusive'][n]))
sink(len(heapq.nsmallest(n, [1, 2, 3])))
sink(list(collections.Counter(a=n, b=1).elements()))
sink(+collections.Counter(a=n - 1, b=1))
sink(list(collections.OrderedDict(a=1, b=2).popitem(last=n > 1)))
sink(len(calendar.monthcalendar(2026, n + 1)))
sink(datetime.datetime(2026, 1, 1, fold=n % 2).fold)
--- the library branches on data for one field, and not for the others
from dataclasses import dataclass, field, asdict, replace
n = src.num()
@dataclass(order=True)
class C:
    a: int
    b: str = 'x'
    c: list = field(default_factory=list)
o = C(1, 'y', [n])
sink(o.a)
sink(o < C(2))
sink(asdict(o)['a'])
p = C(n)
sink(p.b)
sink(replace(p, b='z').b)
--- the number of arguments says that a field is made by its factory
from dataclasses import dataclass, field
@dataclass
class C:
    a: int
    b: list = field(default_factory=list)
    c: list = field(default_factory=list)
sink(C(*src.data()).c)
--- the default of a field is data
from dataclasses import dataclass
@dataclass
class C:
    a: int = src.num()
    b: str = 'x'
sink(C().b)
sink(C(1).a)
@dataclass
class D(C):
    c: int = 1
sink(D().c)
--- the library branches on data in copies and in memory of calls
import copy, functools
n = src.num()
t = (1, (n, 2), [n])
sink(copy.deepcopy(t)[0])
u = copy.deepcopy([1, [n], t, {'a': n, 'b': 2}])
sink(u[0])
sink(u[3]['b'])
@functools.lru_cache(maxsize=n + 1)
def f(a): return a
f(1)
sink(f(1))
--- a property that data make fail, and a default
n = src.num()
class C:
    @property
    def p(self): raise AttributeError(n)
    @property
    def q(self): return [].x if [n][0:n] == [5] else {}[n]
sink(getattr(C(), 'p', 1))
sink(hasattr(C(), 'p'))
sink(getattr(C(), 'z', 1))
--- a match that data chose is asked, and the function that gets it does nothing else
import re, string
n = src.num()
sink(string.Template(['$a', 'x', '$$'][n]).substitute(a=1))
re.sub(r'\$', lambda m: '$', ['$a', 'x', '$$'][n])
re.sub(r'\$', lambda m: m[0], ['$a', 'x', '$$'][n])
sink(1)
--- how many arguments reach __init__ by way of __new__
data = src.data()
class C:
    def __new__(cls, *a, **k):
        o = object.__new__(cls)
        o.m = len(a)
        return o
    def __init__(self, x=1, *a, y=2, **k): self.n, self.x, self.y, self.k = len(a), x, y, len(k)
c = C(*data)
sink(c.n)
sink(c.m)
sink(c.x)
sink(C(**src.rec()).k)
class G(tuple):
    def __new__(cls, *a): return tuple.__new__(cls, a)
    def __init__(self, *a): self.n = len(a)
sink(G(*data).n)
sink(len(G(*data)))
--- data choose a member of an enumeration
from enum import Enum
class E(Enum):
    a = 1
    b = 2
    c = 3
sink(E[src.key()].value)
sink(len(E))
sink(E(src.num() + 1).name)
sink(len(E))
sink(E.a.value)
--- the values of an enumeration are data
import enum
n = src.num()
@enum.unique
class E(enum.Enum):
    a = n + 5
    b = 1
class F(enum.Enum):
    a = n
    b = 1
sink(E.b.value)
sink(E['b'].name)
sink(len(F))
--- data choose whose property is read
class C:
    @property
    def p(self): return sink(1)
    q = property(lambda self: sink(1))
class D(C):
    @property
    def p(self): return 3
    q = property(lambda self: 3)
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].p
d[src.key()].q
sink(1)
--- the library calls a predicate of the program
import textwrap
n = src.num()
sink(textwrap.indent('a\nb', '  ', lambda l: n > 1))
sink(textwrap.indent('a\nb', '  '))
sink(textwrap.indent('a\nb', '  ', predicate=lambda l: sink(l)))
--- data choose whose property is set
class C:
    @property
    def p(self): return 1
    @p.setter
    def p(self, v): 
        sink(1)
class D(C):
    @property
    def p(self): return 3
    @p.setter
    def p(self, v): pass
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].p = 2
sink(1)
--- data choose whose property getattr reads
class C:
    p = property(lambda self: sink(1))
class D(C):
    p = property(lambda self: 3)
d = {'a': C(), 'b': D(), 'c': C()}
getattr(d[src.key()], 'p')
sink(1)
--- data choose whose cached property is read
from functools import cached_property
class C:
    @cached_property
    def p(self): return sink(1)
class D(C):
    @cached_property
    def p(self): return 3
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].p
sink(1)
--- data choose an object that may have kept its cached property
from functools import cached_property
class C:
    @cached_property
    def p(self): return sink(1)
d = {'a': C(), 'b': C(), 'c': C()}
d['b'].p
d[src.key()].p
sink(1)
--- data choose between a property and a plain attribute
xs = []
class C:
    def p(self): return sink(1)
    p = property(p)
class D:
    p = 3
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].p
sink(len(xs))
--- data choose an object that lacks an attribute
class C:
    def __getattr__(self, name): return sink(1)
class D:
    p = 3
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].p
sink(1)
--- data choose whether getattr reads a cached property
from functools import cached_property
class C:
    @cached_property
    def p(self): return sink(1)
class D:
    p = 3
d = {'a': C(), 'b': D(), 'c': C()}
getattr(d[src.key()], 'p')
sink(1)
--- data choose whose cached property getattr reads
from functools import cached_property
class C:
    @cached_property
    def p(self): return sink(1)
class D(C):
    @cached_property
    def p(self): return 3
d = {'a': C(), 'b': D(), 'c': C()}
getattr(d[src.key()], 'p')
sink(1)
--- data choose between an attribute and what __getattr__ gives
class C:
    def __getattr__(self, name): return sink(1)
d = {'a': C(), 'b': C(), 'c': C()}
d['b'].p = 1
d[src.key()].p
sink(1)
--- data choose whose property gives a function
from functools import cached_property
class C:
    @cached_property
    def p(self): return lambda: sink(1)
class D(C):
    @cached_property
    def p(self): return lambda: 3
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].p()
sink(1)
--- data choose between a property and an attribute of the object itself
class C:
    p = property(lambda self: sink(1))
class D:
    def __init__(self): self.p = 3
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].p
sink(1)
--- data choose between a method and a function that an object holds
class C:
    def m(self): return sink(1)
class D:
    def __init__(self): self.m = lambda: 3
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].m()
sink(1)
--- data choose between a function that an object holds and a method
class C:
    def m(self): return 3
class D:
    def __init__(self): self.m = lambda: sink(1)
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].m()
sink(1)
--- data choose between a method and what __getattr__ gives
class C:
    def m(self): return 3
class D:
    def __getattr__(self, n): return lambda: sink(1)
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].m()
sink(1)
--- data choose between a class method and a static method
class C:
    @classmethod
    def m(cls): return 3
class D:
    @staticmethod
    def m(): return sink(1)
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].m()
sink(1)
--- data choose among static methods
class C:
    @staticmethod
    def m(): return 3
class D:
    @staticmethod
    def m(): return sink(1)
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].m()
sink(1)
--- data choose between a setter and an attribute
class C:
    @property
    def p(self): return 3
    @p.setter
    def p(self, v): sink(1)
class D:
    pass
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].p = 1
sink(1)
--- data choose whose __setattr__ runs
class C:
    def __setattr__(self, n, v): sink(1)
class D:
    pass
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].p = 1
sink(1)
--- data choose among methods that have other names of their own
def f(self): return sink(1)
def g(self): return 3
class C:
    m = f
class D(C):
    m = g
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].m()
sink(1)
--- data choose between a method and a lambda
def f(self): return sink(1)
class C:
    m = f
class D(C):
    m = lambda self: 3
d = {'a': C(), 'b': D(), 'c': C()}
x = d[src.key()]
x.m()
sink(1)
--- data choose among methods that a decorator made
def deco(f): return lambda self: f(self)
class C:
    @deco
    def m(self): return sink(1)
class D(C):
    @deco
    def m(self): return 3
d = {'a': C(), 'b': D(), 'c': C()}
d[src.key()].m()
sink(1)
--- data choose a function that gives a function
n = src.num()
def g(): return lambda: sink(1)
def h(): return lambda: 3
[g,h,g][n]()()
sink(1)
--- data choose whose method gives a list
n = src.num()
xs = []
class C:
    def m(self): return xs
class D:
    def m(self): return []
[C(), D(), C()][n].m().append(1)
sink(len(xs))
--- data choose an object for a methodcaller
import operator
n = src.num()
class C:
    def m(self): return sink(1)
class D:
    def m(self): return 3
operator.methodcaller('m')([C(), D(), C()][n])
sink(1)
--- data choose between a function and an object that can be called
n = src.num()
class C:
    def __call__(self): return sink(1)
def f(): return 3
[C(), f, C()][n]()
sink(1)
--- data choose between classes with and without __init__
n = src.num()
class C:
    def __init__(self): sink(1)
class D: pass
[C, D, C][n]()
sink(1)
--- data choose whose iterator is made
n = src.num()
class C:
    def __iter__(self): return iter([sink(1)])
class D:
    def __iter__(self): return iter([3])
list([C(), D(), C()][n])
sink(1)
--- [branches] a branch binds a function
n = src.num()
def g(): return sink(1)
def h(): return 3
f = g if n == 1 else h
f()
sink(1)
--- [branches] a branch gives a function
n = src.num()
class C:
    def __init__(self, n): self.n = n
    def get(self):
        if self.n == 1: return lambda: sink(1)
        return lambda: 3
C(n).get()()
sink(1)
--- [branches] a branch gives a function that changes something
n = src.num()
xs = []
def a(): xs.append(1)
def b(): pass
class C:
    def __init__(self, n): self.n = n
    def get(self):
        if self.n == 1: return a
        return b
C(n).get()()
sink(len(xs))
--- operator calls methods and reads properties
import operator
n = src.num()
class C:
    def m(self): return sink(n)
    @property
    def p(self): return sink(n)
sorted([C(), C()], key=operator.attrgetter('p'))
operator.methodcaller('m')(C())
sorted([C(), C()], key=operator.methodcaller('m'))
--- data choose between a tool and a function that changes something
xs = []
def add(x): xs.append(x)
{'a': sink, 'b': add, 'c': sink}[src.key()](1)
sink(len(xs))
--- a list from which data chose is cleared
n = src.num()
xs, ys, zs = [1], [2], [3]
ls = [xs, ys, zs]
x = ls[n]
ls.clear()
x.append(1)
sink(len(ys))
sink(len(zs))
--- a list from which data chose loses an item
n = src.num()
xs, ys, zs = [1], [2], [3]
ls = [xs, ys, zs]
x = ls[n]
ls.pop(1)
x.append(1)
sink(len(ys))
sink(len(zs))
--- a dict from which data chose gets other values
n = src.num()
xs, ys, zs = [1], [2], [3]
d = {0: xs, 1: ys, 2: zs}
x = d[n]
d[1] = 5
d[2] = 5
x.append(1)
sink(len(ys))
sink(len(zs))
--- dicts from which data chose are emptied
n = src.num()
xs, ys, zs = [1], [2], [3]
d = {0: xs, 1: ys, 2: zs}
x = d[n]
d.clear()
x.append(1)
sink(len(ys))
sink(len(zs))
class P: a = 1
p, q, r = P(), P(), P()
s = {p, q, r}
y = {0: p, 1: q, 2: r}
x = y[n]
y.popitem()
y.pop(1)
x.a = 2
sink(q.a)
sink(r.a)
--- the default of a field that has a factory is no object of the program
from dataclasses import dataclass, field
xs = []
class C:
    def __len__(self):
        xs.append(1)
        return 1
@dataclass(frozen=True)
class D:
    a: str
    items: list = field(default_factory=list)
D(src.key())
sink(1)
--- comparing decides whether a key is there
class P:
    def __init__(self, n): self.n = n
    def __hash__(self): return 1
    def __eq__(self, o): return self.n == o.n
a, b = P(1), P(src.num())
d = {a: 1, b: 2}
sink(d[a])
sink(len(d))
sink({b: 1}.get(a, 0))
sink(a in {b: 1})
sink(len({a, b}))
d = {b: 1}
d.setdefault(a, 3)
sink(len(d))
sink(d.pop(a, 9))
sink(len(d))
s = {a}
s.discard(b)
sink(len(s))
--- comparing looks at something else than the keys
n = src.num()
class P:
    def __hash__(self): return 1
    def __eq__(self, o): return n == 1
a, b = P(), P()
sink({a: 1, b: 2}[b])
sink(len({a, b}))
sink(b in {a})
--- hashing decides whether a key is there
n = src.num()
class P:
    def __hash__(self): return n
    def __eq__(self, o): return True
a = P()
d = {a: 1}
sink(1 in d)
sink(d.get(1, 0))
--- a key of data could have been another one
t = (src.num(), 2)
d = {(1, 2): 1}
sink(t in d)
d.setdefault(t, 2)
sink(len(d))
sink(d.pop(t, 0))
sink(len(d))
--- a key of data is made by the class of the dict, or is there
from collections import defaultdict, Counter
w = defaultdict(int, b=1)
w[src.key()]
sink(len(w))
sink(w.get('b'))
c = Counter('b')
c[src.key()]
sink(len(c))
--- a missing value is made by a function that does something
from collections import defaultdict
total = []
def make():
    total.append(1)
    return 2
w = defaultdict(make, b=2)
w[src.key()]
sink(len(total))
--- a missing value is made by a method that does something
total = []
class D(dict):
    def __missing__(self, k):
        total.append(1)
        return 2
D(b=2)[src.key()]
sink(len(total))
--- a missing value is kept by a method
class D(dict):
    def __missing__(self, k):
        self[k] = 2
        return 2
d = D(b=2)
d[src.key()]
sink(len(d))
--- data chooses which exception gets a note
a, b = ValueError(1), ValueError(2)
[a, b][src.num() % 2].add_note('x')
sink(getattr(a, '__notes__', 0))
sink(hasattr(b, '__notes__'))
--- data chooses what a class pattern looks at
class P:
    __match_args__ = (['x', 'y', 'x'][src.num()],)
    def __init__(self): self.x, self.y = 1, 2
match P():
    case P(v): pass
sink(v)
--- data chooses where super begins
class A:
    def m(self): return sink(1)
class B(A):
    def m(self): return sink(2)
class C(B):
    def m(self): return 3
super([B, C][src.num() % 2], C()).m()
sink(1)
--- a member of an enumeration is a name of another one
from enum import Enum
n = src.num()
class F(Enum):
    a = n
    b = 1
sink(F['b'].name)
sink([x.name for x in F])
sink(F(1).name)
--- an object says how often a sequence is repeated
n = src.num()
class P:
    def __index__(self): return n
sink('ab' * P())
sink([1] * P())
sink(P() * (1, 2))
--- the error of unpacking says how many there were
try:
    a, b, c, d, e, f, g, h = [1] * src.num()
except ValueError as e:
    sink(str(e))
--- the error of unpacking says how many were left
i = iter([1] * src.num())
try:
    a, b, c, d, e, f, g, *h = i
except ValueError as e:
    sink(str(e))
--- the error of a call says how many arguments were given
def f(a, b, c, d, e): pass
try:
    f(*[1] * src.num())
except TypeError as e:
    sink(str(e))
def g(): pass
try:
    g(*[1] * (1 + src.num()))
except TypeError as e:
    sink(str(e))
--- the error of a slice says how many items there were
xs = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
try:
    xs[::2] = [1] * src.num()
except ValueError as e:
    sink(str(e))
--- the error of a dict says how long an item was
try:
    dict([[1] * (2 + src.num())])
except ValueError as e:
    sink(str(e))
--- the error of ord says how long the text was
try:
    ord('aa' * src.num())
except TypeError as e:
    sink(str(e))
--- the error of join says which item it was
try:
    ''.join(['a'] * src.num() + [1])
except TypeError as e:
    sink(str(e))
--- the error of a native says how many arguments were given
try:
    len(*[1] * (2 + src.num()))
except TypeError as e:
    sink(str(e))
try:
    'a'.upper(*[1] * (2 + src.num()))
except TypeError as e:
    sink(str(e))
class C: pass
try:
    C(*[1] * (2 + src.num()))
except TypeError as e:
    sink(str(e))
--- [branches] the error of a generator that is unpacked says how many there were
def g(n):
    for i in range(n):
        yield i
try:
    a, b, c, d, e, f = g(src.num())
except ValueError as e:
    sink(str(e))
try:
    a, b, c, d, e, *f = g(src.num())
except ValueError as e:
    sink(str(e))
--- the order of a list chooses which iterator goes on
class C:
    def __init__(self, a): self.a = a
    def __lt__(self, other): return self.a < other.a
    def put(self): sink(self.a)
c = C(src.num())
next(iter(sorted([c, c])), 'b')
sink(1)
--- the error of unpacking says how far a list has grown
xs = []
xs.extend([1] * src.num())
try:
    a, b, c, d, e, f, g, h = xs
except ValueError as e:
    sink(str(e))
--- any stops where a function in map says so
n = src.num()
i = iter([0, 1, 2, 3, 4, 5])
any(map(lambda x: x >= n, i))
sink(next(i))
--- all stops where a function in map says so
n = src.num()
i = iter([0, 1, 2, 3, 4, 5])
all(map(lambda x: x < n, i))
sink(next(i))
--- filter skips what a function says
n = src.num()
i = iter([0, 1, 2, 3, 4, 5])
next(filter(lambda x: x >= n, i))
sink(next(i))
--- takewhile stops where a function says so
from itertools import takewhile
n = src.num()
i = iter([0, 1, 2, 3, 4, 5])
list(takewhile(lambda x: x < n, i))
sink(next(i))
--- dropwhile skips what a function says
from itertools import dropwhile
n = src.num()
i = iter([0, 1, 2, 3, 4, 5])
next(dropwhile(lambda x: x < n, i))
sink(next(i))
--- filterfalse skips what a function says
from itertools import filterfalse
n = src.num()
i = iter([0, 1, 2, 3, 4, 5])
next(filterfalse(lambda x: x < n, i))
sink(next(i))
--- any says how often a function that counts is called
total = []
n = src.num()
def f(x):
    total.append(x)
    return x >= n
any(map(f, [0, 1, 2, 3]))
sink(len(total))
--- filter says how often a function that counts is called
total = []
n = src.num()
def f(x):
    total.append(x)
    return x >= n
next(filter(f, [0, 1, 2, 3]))
sink(len(total))
--- filter with a default says how often a function that calls a tool is called
n = src.num()
def f(x):
    sink(x)
    return x >= n
next(filter(f, [0, 1, 2, 3]), None)
--- any over what filter gives
n = src.num()
i = iter([0, 1, 2, 3, 4, 5])
any(filter(lambda x: x > n, i))
sink(next(i))
--- any over pairs of an iterator that goes on
n = src.num()
i, j = iter([0, 1, 2, 3, 4, 5]), iter("abcdef")
any(map(lambda p: p[0] >= n, zip(i, j)))
sink(next(i))
sink(next(j))
--- any over a map of two iterators
n = src.num()
i, j = iter([0, 1, 2, 3, 4, 5]), iter("abcdef")
any(map(lambda a, b: a >= n, i, j))
sink(next(i))
sink(next(j))
--- any over an iterator itself
i = iter([src.num() > 0, True, 1, 2])
any(i)
sink(next(i))
--- filter of what is true over an iterator itself
i = iter([src.num(), 1, 2, 3])
next(filter(None, i))
sink(next(i))
--- a numbered iterator that any goes over
n = src.num()
i = iter("abcdef")
any(map(lambda p: p[0] >= n, enumerate(i)))
sink(next(i))
--- any with an object that is called
n = src.num()
total = []
class F:
    def __call__(self, x):
        total.append(x)
        return x >= n
any(map(F(), [0, 1, 2, 3]))
sink(len(total))
--- any with a partial function that counts
from functools import partial
total = []
def f(n, x):
    total.append(x)
    return x >= n
any(map(partial(f, src.num()), [0, 1, 2, 3]))
sink(len(total))
--- any over an iterator of the program
n = src.num()
class I:
    def __init__(self):
        self.n = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.n += 1
        return self.n
i = I()
any(map(lambda x: x > n, i))
sink(i.n)
--- all with a method that counts
total = []
class P:
    def ok(self, x):
        total.append(x)
        return x < n
n = src.num()
all(map(P().ok, [0, 1, 2, 3]))
sink(len(total))
--- compress skips what is data
from itertools import compress
i = iter("abcdef")
next(compress(i, [src.num(), src.num(), 1]), None)
sink(next(i))
--- groupby ends a group where a key says so
from itertools import groupby
n = src.num()
i = iter([0, 1, 2, 3, 4])
next(groupby(i, lambda x: x >= n))
sink(next(i))
--- takewhile over a chain
from itertools import chain, takewhile
n = src.num()
i, j = iter([0, 1]), iter([1, 2, 3])
list(takewhile(lambda x: x < n, chain(i, j)))
sink(next(i, 9))
sink(next(j, 9))
--- takewhile with a function that counts
from itertools import takewhile
total = []
n = src.num()
def f(x):
    total.append(x)
    return x < n
for x in takewhile(f, [0, 1, 2, 3]):
    pass
sink(len(total))
--- any over what takewhile gives
from itertools import takewhile
n = src.num()
i = iter([0, 1, 2, 3])
any(takewhile(lambda x: x <= n, i))
sink(next(i))
--- a part of a product, of permutations and of combinations
from itertools import product, permutations, combinations
xs = [1] * src.num()
sink(next(product(xs, [1, 2]), 0))
sink(next(permutations(xs, 1), 0))
sink(next(combinations(xs, 1), 0))
sink([p[1] for p in product(xs, [1, 2])])
--- the pairs of neighbours, and the longest zip
from itertools import pairwise, zip_longest
xs = [1] * src.num()
sink(next(pairwise(xs), 0))
sink(list(zip_longest([1], xs)))
sink(next(zip_longest(xs), 0))
--- a filter that is walked in parts
n = src.num()
i = iter([0, 1, 2, 3, 4, 5])
m = filter(lambda x: x >= n, i)
next(m)
next(m)
sink(next(i))
--- filter by a class
n = src.num()
i = iter([0, n, 1, 2, 3])
next(filter(bool, i))
sink(next(i))
--- map of a filter, by any
n = src.num()
i = iter([0, 1, 2, 3, 4, 5])
all(map(lambda x: x < 5, filter(lambda x: x >= n, i)))
next(map(str, filter(lambda x: x >= n, iter([0, 1, 2]))))
j = iter([0, 1, 2, 3])
next(map(str, filter(lambda x: x >= n, j)))
sink(next(j))
--- any over a map that an iterator lends its elements
n = src.num()
i = iter([iter([1, 2, 3]), iter([4, 5])])
any(map(lambda x: next(x) > n, i))
sink(next(next(i, iter([0]))))
--- min of what takewhile gives
from itertools import takewhile
n = src.num()
i = iter([0, 1, 2, 3])
sink(min(takewhile(lambda x: x <= n, i)))
sink(next(i))
--- the length of a dict that data emptied, beside operators that change something
ys = []
class Reader:
    @property
    def slow(self):
        ys.append(1)
class Key:
    def __init__(self, v):
        self.v = v
    def __hash__(self):
        return 1
    def __eq__(self, other):
        return self.v == other.v
d = {Key(1): 1}
d.pop(Key(src.num(1)), None)
len(d)
sink(1)
--- the length of a dict that data may have filled, beside operators that change something
ys = []
class Reader:
    @property
    def slow(self):
        ys.append(1)
d = {1: 1}
d.setdefault(src.num(1), Reader())
len(d)
sink(1)
--- another dict than the one that data took an object out of
ys = []
class Acting:
    def __call__(self, v):
        ys.append(v)
class Key:
    def __init__(self, v):
        self.v = v
    def __hash__(self):
        return 1
    def __eq__(self, other):
        return self.v == other.v
n = src.num(1)
full, plain = {Key(1): 1}, {"a": 1}
full.pop(Key(n), None)
plain.setdefault((n,), 1)
sink(1)
--- data chooses between a function that does nothing and one that adds up an iterator
n = src.num()
import math
i = iter([1, 2, 3])
def f(): math.fsum(i)
def g(): pass
[f, g][n % 2]()
sink(next(i, 0))
--- [branches] data decides over what adds up an iterator
n = src.num()
import math
i = iter([1, 2, 3])
if n == 2: math.fsum(i)
sink(next(i, 0))
--- data chooses between a function that does nothing and one that takes the mean of an iterator
n = src.num()
import statistics
i = iter([1, 2, 3])
def f(): statistics.mean(i)
def g(): pass
[f, g][n % 2]()
sink(next(i, 0))
--- [branches] data decides over what takes the mean of an iterator
n = src.num()
import statistics
i = iter([1, 2, 3])
if n == 2: statistics.mean(i)
sink(next(i, 0))
--- data chooses between a function that does nothing and one that makes keys of an iterator
n = src.num()
i = iter([1, 2, 3])
def f(): dict.fromkeys(i)
def g(): pass
[f, g][n % 2]()
sink(next(i, 0))
--- [branches] data decides over what makes keys of an iterator
n = src.num()
i = iter([1, 2, 3])
if n == 2: dict.fromkeys(i)
sink(next(i, 0))
--- data chooses between a function that does nothing and one that makes a union with an iterator
n = src.num()
i = iter([1, 2, 3])
def f(): {1}.union(i)
def g(): pass
[f, g][n % 2]()
sink(next(i, 0))
--- [branches] data decides over what makes a union with an iterator
n = src.num()
i = iter([1, 2, 3])
if n == 2: {1}.union(i)
sink(next(i, 0))
--- data chooses between a function that does nothing and one that makes bytes of an iterator
n = src.num()
i = iter([1, 2, 3])
def f(): bytes(i)
def g(): pass
[f, g][n % 2]()
sink(next(i, 0))
--- [branches] data decides over what makes bytes of an iterator
n = src.num()
i = iter([1, 2, 3])
if n == 2: bytes(i)
sink(next(i, 0))
--- data chooses between a function that does nothing and one that looks for something in an iterator
n = src.num()
i = iter([1, 2, 3])
def f(): 1 in i
def g(): pass
[f, g][n % 2]()
sink(next(i, 0))
--- [branches] data decides over what looks for something in an iterator
n = src.num()
i = iter([1, 2, 3])
if n == 2: 1 in i
sink(next(i, 0))
--- data chooses between a function that does nothing and one that looks for something in what it is given
n = src.num()
i = iter([1, 2, 3])
def h(x): return 5 not in x
def f(): h(i)
def g(): pass
[f, g][n % 2]()
sink(next(i, 0))
--- [branches] data decides over what looks for something in what it is given
n = src.num()
i = iter([1, 2, 3])
def h(x): return 5 not in x
if n == 2: h(i)
sink(next(i, 0))
--- data chooses between a function that does nothing and one that goes over a generator that a class holds
n = src.num()
class C:
    it = (x for x in [1, 2])
def f(): 1 in C.it
def g(): pass
[f, g][n % 2]()
sink(next(C.it, 0))
--- [branches] data decides over what goes over a generator that a class holds
n = src.num()
class C:
    it = (x for x in [1, 2])
if n == 2: 1 in C.it
sink(next(C.it, 0))
--- data chooses between a function that does nothing and one that goes over what max gave
n = src.num()
m = max(map(str, [1, 2]), map(str, [3]), key=lambda m: 1)
def h():
    for x in m: break
def f(): h()
def g(): pass
[f, g][n % 2]()
sink(next(m, 0))
--- [branches] data decides over what goes over what max gave
n = src.num()
m = max(map(str, [1, 2]), map(str, [3]), key=lambda m: 1)
def h():
    for x in m: break
if n == 2: h()
sink(next(m, 0))
--- data chooses between a function that does nothing and one that goes over what sum gave
n = src.num()
m = sum([], map(str, [1, 2]))
def h():
    for x in m: break
def f(): h()
def g(): pass
[f, g][n % 2]()
sink(next(m, 0))
--- [branches] data decides over what goes over what sum gave
n = src.num()
m = sum([], map(str, [1, 2]))
def h():
    for x in m: break
if n == 2: h()
sink(next(m, 0))
--- data chooses between a function that does nothing and one that goes over what a function named any gave
n = src.num()
any = lambda x: x
m = any(map(str, [1, 2, 3]))
def h():
    for x in m: break
def f(): h()
def g(): pass
[f, g][n % 2]()
sink(next(m, 0))
--- [branches] data decides over what goes over what a function named any gave
n = src.num()
any = lambda x: x
m = any(map(str, [1, 2, 3]))
def h():
    for x in m: break
if n == 2: h()
sink(next(m, 0))
--- data chooses between a function that does nothing and one that goes over what a method named join gave
n = src.num()
class J:
    def join(self, m): return m
m = J().join(map(str, [1, 2]))
def h():
    for x in m: break
def f(): h()
def g(): pass
[f, g][n % 2]()
sink(next(m, 0))
--- [branches] data decides over what goes over what a method named join gave
n = src.num()
class J:
    def join(self, m): return m
m = J().join(map(str, [1, 2]))
def h():
    for x in m: break
if n == 2: h()
sink(next(m, 0))
--- data chooses between a function that does nothing and one that goes over what __iter__ gave
n = src.num()
m = [1, 2, 3].__iter__()
def h():
    for x in m: break
def f(): h()
def g(): pass
[f, g][n % 2]()
sink(next(m, 0))
--- [branches] data decides over what goes over what __iter__ gave
n = src.num()
m = [1, 2, 3].__iter__()
def h():
    for x in m: break
if n == 2: h()
sink(next(m, 0))
--- data chooses between a function that does nothing and one that goes over an iterator of itertools
n = src.num()
from itertools import count
c = count()
def h():
    for x in c: break
def f(): h()
def g(): pass
[f, g][n % 2]()
sink(next(c))
--- [branches] data decides over what goes over an iterator of itertools
n = src.num()
from itertools import count
c = count()
def h():
    for x in c: break
if n == 2: h()
sink(next(c))
--- data chooses between a function that does nothing and one that goes over matches
n = src.num()
import re
c = re.finditer('a', 'aaa')
def h():
    for x in c: break
def f(): h()
def g(): pass
[f, g][n % 2]()
sink(next(c).start())
--- [branches] data decides over what goes over matches
n = src.num()
import re
c = re.finditer('a', 'aaa')
def h():
    for x in c: break
if n == 2: h()
sink(next(c).start())
--- data chooses between a function that does nothing and one that reads a line of a text
n = src.num()
import io
c = io.StringIO('a\nb\n')
def h():
    for x in c: break
def f(): h()
def g(): pass
[f, g][n % 2]()
sink(c.tell())
--- [branches] data decides over what reads a line of a text
n = src.num()
import io
c = io.StringIO('a\nb\n')
def h():
    for x in c: break
if n == 2: h()
sink(c.tell())
--- data chooses between a function that does nothing and one that prints to an object
n = src.num()
class W:
    n = 0
    def write(self, s): self.n += 1
w = W()
def f(): print('a', file=w)
def g(): pass
[f, g][n % 2]()
sink(w.n)
--- [branches] data decides over what prints to an object
n = src.num()
class W:
    n = 0
    def write(self, s): self.n += 1
w = W()
if n == 2: print('a', file=w)
sink(w.n)
--- data chooses between a function that does nothing and one that prints to a text
n = src.num()
import io
w = io.StringIO()
def f(): print('a', file=w)
def g(): pass
[f, g][n % 2]()
sink(w.getvalue())
--- [branches] data decides over what prints to a text
n = src.num()
import io
w = io.StringIO()
if n == 2: print('a', file=w)
sink(w.getvalue())
--- data chooses between a function that does nothing and one that makes a dict of a mapping
n = src.num()
total = []
class M:
    def keys(self):
        total.append(1)
        return ['a']
    def __getitem__(self, k): return 1
m = M()
def f(): dict(m)
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what makes a dict of a mapping
n = src.num()
total = []
class M:
    def keys(self):
        total.append(1)
        return ['a']
    def __getitem__(self, k): return 1
m = M()
if n == 2: dict(m)
sink(len(total))
--- data chooses between a function that does nothing and one that unpacks a mapping
n = src.num()
total = []
class M:
    def keys(self):
        total.append(1)
        return ['a']
    def __getitem__(self, k): return 1
m = M()
def f(): {**m}
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what unpacks a mapping
n = src.num()
total = []
class M:
    def keys(self):
        total.append(1)
        return ['a']
    def __getitem__(self, k): return 1
m = M()
if n == 2: {**m}
sink(len(total))
--- data chooses between a function that does nothing and one that reads a property by another name
n = src.num()
pr = property
total = []
def get(self): total.append(1)
class C: p = pr(get)
c = C()
def f(): c.p
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what reads a property by another name
n = src.num()
pr = property
total = []
def get(self): total.append(1)
class C: p = pr(get)
c = C()
if n == 2: c.p
sink(len(total))
--- data chooses between a function that does nothing and one that reads a property that map made
n = src.num()
total = []
def get(self): total.append(1)
ps = list(map(property, [get]))
class C: p = ps[0]
c = C()
def f(): c.p
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what reads a property that map made
n = src.num()
total = []
def get(self): total.append(1)
ps = list(map(property, [get]))
class C: p = ps[0]
c = C()
if n == 2: c.p
sink(len(total))
--- data chooses between a function that does nothing and one that replaces fields
n = src.num()
import dataclasses
total = []
@dataclasses.dataclass
class D:
    a: int
    def __post_init__(self): total.append(1)
d = D(1)
def f(): dataclasses.replace(d, a=2)
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what replaces fields
n = src.num()
import dataclasses
total = []
@dataclasses.dataclass
class D:
    a: int
    def __post_init__(self): total.append(1)
d = D(1)
if n == 2: dataclasses.replace(d, a=2)
sink(len(total))
--- data chooses between a function that does nothing and one that makes a dict of fields
n = src.num()
import dataclasses
total = []
def make(x): total.append(1)
@dataclasses.dataclass
class D:
    a: int
d = D(1)
def f(): dataclasses.asdict(d, dict_factory=make)
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what makes a dict of fields
n = src.num()
import dataclasses
total = []
def make(x): total.append(1)
@dataclasses.dataclass
class D:
    a: int
d = D(1)
if n == 2: dataclasses.asdict(d, dict_factory=make)
sink(len(total))
--- data chooses between a function that does nothing and one that reads JSON with object_pairs_hook
n = src.num()
import json
total = []
def make(x): total.append(1)
def f(): json.loads('{"a": 1}', object_pairs_hook=make)
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what reads JSON with object_pairs_hook
n = src.num()
import json
total = []
def make(x): total.append(1)
if n == 2: json.loads('{"a": 1}', object_pairs_hook=make)
sink(len(total))
--- data chooses between a function that does nothing and one that reads JSON with parse_int
n = src.num()
import json
total = []
def make(x): total.append(1)
def f(): json.loads('1', parse_int=make)
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what reads JSON with parse_int
n = src.num()
import json
total = []
def make(x): total.append(1)
if n == 2: json.loads('1', parse_int=make)
sink(len(total))
--- data chooses between a function that does nothing and one that reads JSON with parse_float
n = src.num()
import json
total = []
def make(x): total.append(1)
def f(): json.loads('1.5', parse_float=make)
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what reads JSON with parse_float
n = src.num()
import json
total = []
def make(x): total.append(1)
if n == 2: json.loads('1.5', parse_float=make)
sink(len(total))
--- data chooses between a function that does nothing and one that calls what __getattr__ gave
n = src.num()
total = []
def add(): total.append(1)
class C:
    def __getattr__(self, n): return add
c = C()
def f(): c.upper()
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what calls what __getattr__ gave
n = src.num()
total = []
def add(): total.append(1)
class C:
    def __getattr__(self, n): return add
c = C()
if n == 2: c.upper()
sink(len(total))
--- data chooses between a function that does nothing and one that calls a field of a named tuple
n = src.num()
from collections import namedtuple
total = []
N = namedtuple('N', 'upper')
c = N(lambda: total.append(1))
def f(): c.upper()
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what calls a field of a named tuple
n = src.num()
from collections import namedtuple
total = []
N = namedtuple('N', 'upper')
c = N(lambda: total.append(1))
if n == 2: c.upper()
sink(len(total))
--- data chooses between a function that does nothing and one that calls an attribute of a namespace
n = src.num()
from types import SimpleNamespace
total = []
c = SimpleNamespace(upper=lambda: total.append(1))
def f(): c.upper()
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what calls an attribute of a namespace
n = src.num()
from types import SimpleNamespace
total = []
c = SimpleNamespace(upper=lambda: total.append(1))
if n == 2: c.upper()
sink(len(total))
--- data chooses between a function that does nothing and one that reads what a defaultdict lacks
n = src.num()
from collections import defaultdict
total = []
c = defaultdict(lambda: total.append(1))
def f(): c['x']
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what reads what a defaultdict lacks
n = src.num()
from collections import defaultdict
total = []
c = defaultdict(lambda: total.append(1))
if n == 2: c['x']
sink(len(total))
--- data chooses between a function that does nothing and one that adds a note by way of a class
n = src.num()
e = ValueError(1)
def f(): BaseException.add_note(e, 'x')
def g(): pass
[f, g][n % 2]()
sink(getattr(e, '__notes__', 0))
--- [branches] data decides over what adds a note by way of a class
n = src.num()
e = ValueError(1)
if n == 2: BaseException.add_note(e, 'x')
sink(getattr(e, '__notes__', 0))
--- data chooses between a function that does nothing and one that sets an attribute by way of a class
n = src.num()
e = ValueError(1)
e.a = 0
def f(): BaseException.__setattr__(e, 'a', 1)
def g(): pass
[f, g][n % 2]()
sink(e.a)
--- [branches] data decides over what sets an attribute by way of a class
n = src.num()
e = ValueError(1)
e.a = 0
if n == 2: BaseException.__setattr__(e, 'a', 1)
sink(e.a)
--- data chooses between a function that does nothing and one that makes a set of what counts its hashes
n = src.num()
total = []
class E:
    def __hash__(self):
        total.append(1)
        return 1
e = E()
def f(): {e}
def g(): pass
[f, g][n % 2]()
sink(len(total))
--- [branches] data decides over what makes a set of what counts its hashes
n = src.num()
total = []
class E:
    def __hash__(self):
        total.append(1)
        return 1
e = E()
if n == 2: {e}
sink(len(total))
--- data chooses between a function that does nothing and one that gives an exception a cause
n = src.num()
e = ValueError(1)
def h():
    try: raise e from KeyError(1)
    except ValueError: pass
def f(): h()
def g(): pass
[f, g][n % 2]()
sink(e.__cause__ is None)
--- [branches] data decides over what gives an exception a cause
n = src.num()
e = ValueError(1)
def h():
    try: raise e from KeyError(1)
    except ValueError: pass
if n == 2: h()
sink(e.__cause__ is None)
--- data chooses between a function that does nothing and one that handles an exception
n = src.num()
e = ValueError(1)
def h():
    try: raise e
    except ValueError: pass
def f(): h()
def g(): pass
[f, g][n % 2]()
sink(1)
--- [branches] data decides over what handles an exception
n = src.num()
e = ValueError(1)
def h():
    try: raise e
    except ValueError: pass
if n == 2: h()
sink(1)
--- data chooses an iterator for yield from
n = src.num()
i, j = iter([1, 2]), iter([1, 2])
def g():
    yield from [i, j][n % 2]
next(g())
sink(next(i, 0))
sink(next(j, 0))
--- data chooses an iterator of which arguments are made
n = src.num()
i, j = iter([1, 2]), iter([1, 2])
print(*[i, j][n % 2])
sink(next(i, 0))
sink(next(j, 0))
--- data chooses an iterator that += goes over
n = src.num()
i, j = iter([1, 2]), iter([1, 2])
xs = []
xs += [i, j][n % 2]
sink(next(i, 0))
sink(next(j, 0))
--- data chooses an iterator that a slice is made of
n = src.num()
i, j = iter([1, 2]), iter([1, 2])
xs = []
xs[:] = [i, j][n % 2]
sink(next(i, 0))
sink(next(j, 0))
--- data chooses an iterator that a dict is joined with
n = src.num()
i, j = iter([(1, 2)]), iter([(1, 2)])
d = {}
d |= [i, j][n % 2]
sink(next(i, 0))
sink(next(j, 0))
--- [branches] what yield from goes over says when it ends
n = src.num()
def g():
    yield from [1] * n
    yield 5
i = g()
next(i)
sink(next(i, 0))
sink(1)
--- data chooses whose item a format reads
n = src.num()
total = []
class C:
    def __getitem__(self, i): total.append(i)
'{0[x]}'.format([C(), {'x': 1}][n % 2])
sink(len(total))
--- data chooses whose item % reads
n = src.num()
total = []
class C(dict):
    def __getitem__(self, i):
        total.append(i)
        return 1
'%(x)s' % [C(x=1), {'x': 1}][n % 2]
sink(len(total))
--- data chooses which exception gets a cause
n = src.num()
a, b, c = ValueError(1), ValueError(2), KeyError()
def h(e): raise e from c
try: h([a, b][n % 2])
except ValueError: pass
sink(a.__cause__ is None)
sink(b.__cause__ is None)
--- data chooses by way of filter
n = src.num()
xs, ys, zs = [1], [2], [3]
next(filter(lambda v: v[0] >= n, [xs, ys, zs])).append(1)
sink(len(xs))
sink(len(ys))
sink(len(zs))
--- data chooses by way of islice
n = src.num()
import itertools
xs, ys, zs = [1], [2], [3]
next(itertools.islice([xs, ys, zs], n, None)).append(1)
sink(len(xs))
sink(len(ys))
sink(len(zs))
--- data chooses the first of what islice gave
n = src.num()
import itertools
xs, ys, zs = [1], [2], [3]
list(itertools.islice([xs, ys, zs], n, None))[0].append(1)
sink(len(xs))
sink(len(ys))
sink(len(zs))
--- data chooses by way of dropwhile
n = src.num()
import itertools
xs, ys, zs = [1], [2], [3]
next(itertools.dropwhile(lambda v: v[0] < n, [xs, ys, zs])).append(1)
sink(len(xs))
sink(len(ys))
sink(len(zs))
--- data chooses by way of compress
n = src.num()
import itertools
xs, ys, zs = [1], [2], [3]
next(itertools.compress([xs, ys, zs], [n - 1, 1, 1])).append(1)
sink(len(xs))
sink(len(ys))
sink(len(zs))
--- [branches] getattr handles what p = property(get) raises
n = src.num()
pr = property
def get(self):
    if n == 2: raise AttributeError
    return 1
class C: p = property(get)
sink(getattr(C(), 'p', 7))
--- [branches] getattr handles what p = pr(get) raises
n = src.num()
pr = property
def get(self):
    if n == 2: raise AttributeError
    return 1
class C: p = pr(get)
sink(getattr(C(), 'p', 7))
--- [branches] getattr handles what p = property(lambda self: get(self)) raises
n = src.num()
pr = property
def get(self):
    if n == 2: raise AttributeError
    return 1
class C: p = property(lambda self: get(self))
sink(getattr(C(), 'p', 7))
--- [branches] gather keeps an exception
n = src.num()
import asyncio
async def c():
    [1, 2][n]
    return 1
async def main():
    r = await asyncio.gather(c(), return_exceptions=True)
    sink(r[0] == 1)
    sink(3)
asyncio.run(main())
--- [branches] a task keeps an exception
n = src.num()
import asyncio
async def c():
    [1, 2][n]
    return 1
async def main():
    t = asyncio.create_task(c())
    sink(t.exception() is None)
    sink(3)
asyncio.run(main())
--- [branches] a loop that is left chooses which list grows
n = src.num()
xs, ys = [1], [2]
for a in [xs, ys]:
    if a[0] == n: break
a.append(3)
sink(len(xs))
sink(len(ys))
--- [branches] a branch chooses whose attribute is set
n = src.num()
class C: a = 1
c, d = C(), C()
e = c if n == 1 else d
e.a = 2
sink(c.a)
sink(d.a)
--- [branches] a branch chooses which iterator goes on
n = src.num()
c, d = iter([1, 2]), iter([1, 2])
e = c if n == 1 else d
next(e)
sink(next(c))
sink(next(d))
--- [branches] a branch chooses what a list holds
n = src.num()
xs, ys = [1], [2]
l = [xs if n == 1 else ys]
l[0].append(3)
sink(len(xs))
sink(len(ys))
--- [branches] a condition chooses what a comprehension holds
n = src.num()
xs, ys = [1], [2]
l = [v for v in [xs, ys] if v[0] == n]
l[0].append(3)
sink(len(xs))
sink(len(ys))
--- [branches] a lambda gives the list that a condition chose
n = src.num()
xs, ys = [1], [2]
f = lambda: xs if n == 1 else ys
f().append(1)
sink(len(xs))
sink(len(ys))
--- [branches] a branch chooses which list += makes longer
n = src.num()
xs, ys = [1], [2]
a = xs if n == 1 else ys
a += [3]
sink(len(xs))
sink(len(ys))
--- [branches] a branch chooses whose item is set
n = src.num()
xs, ys = [1], [2]
a = xs if n == 1 else ys
a[0] = 3
sink(xs[0])
sink(ys[0])
--- [branches] how often a loop goes round chooses which list grows
n = src.num()
xs, ys = [1], [2]
a, b = xs, ys
i = 0
while i < n:
    a, b = b, a
    i += 1
a.append(3)
sink(len(xs))
sink(len(ys))
--- [branches] a pattern chooses which list grows
n = src.num()
xs, ys = [1], [2]
match n:
    case 1: a = xs
    case _: a = ys
a.append(3)
sink(len(xs))
sink(len(ys))
--- [branches] a method gives the list that a condition chose
n = src.num()
xs, ys = [1], [2]
class C:
    def pick(self): return xs if n == 1 else ys
C().pick().append(3)
sink(len(xs))
sink(len(ys))
--- [branches] a condition chooses a default
n = src.num()
xs, ys = [1], [2]
d = {}
d.get(1, xs if n == 1 else ys).append(3)
sink(len(xs))
sink(len(ys))
--- [branches] a closure holds the list that a condition chose
n = src.num()
xs, ys = [1], [2]
def mk():
    a = xs if n == 1 else ys
    def put(): a.append(3)
    return put
mk()()
sink(len(xs))
sink(len(ys))
--- a pattern reads a property of what data chose
n = src.num()
total = []
class C:
    @property
    def x(self): total.append(1); return 1
class D: x = 1
match [C(), D()][n % 2]:
    case object(x=1): pass
sink(len(total))
--- [branches] a branch decides which names a class has
n = src.num()
class C:
    if n == 2: a = 1
sink(hasattr(C, 'a'))
sink('a' in vars(C))
sink(1)
--- [branches] a branch swaps which list grows
n = src.num()
xs, ys = [1], [2]
a, b = xs, ys
if n == 2: a, b = b, a
a.append(1)
sink(len(xs))
sink(len(ys))
