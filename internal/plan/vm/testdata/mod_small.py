import string
print(string.ascii_lowercase, string.ascii_uppercase, string.ascii_letters, string.digits, string.hexdigits, string.octdigits, string.punctuation, repr(string.whitespace), len(string.printable))
print(string.capwords("hello  big world"), string.capwords("a-b-c", "-"))
---
from string import Template
t = Template("$who likes ${what}, $$5 and $who")
print(t.substitute(who="tim", what="kung pao"), t.safe_substitute(who="x"), t.substitute({"who": 1}, what=2), t.template)
for bad in ("$", "a $1 b", "x\ny ${z", "${bad-}"):
    try:
        Template(bad).substitute()
    except ValueError as e:
        print("bad")
try:
    Template("$x").substitute()
except KeyError as e:
    print(repr(e))
print(Template("$ $1 ${").safe_substitute(), Template("${a}b").substitute(a="A"))
---
import operator as op
print(op.add(1, 2), op.sub(5, 3), op.mul(2, 3), op.truediv(7, 2), op.floordiv(7, 2), op.mod(7, 4), op.pow(2, 5), op.neg(3), op.pos(-3), op.not_(0), op.inv(5), op.abs(-4))
print(op.eq(1, 1), op.ne(1, 2), op.lt(1, 2), op.le(2, 2), op.gt(1, 2), op.ge(1, 2), op.and_(6, 3), op.or_(6, 3), op.xor(6, 3), op.lshift(1, 4), op.rshift(16, 2))
print(op.getitem([1, 2], 1), op.contains([1], 1), op.itemgetter(1)([5, 6]), op.itemgetter(0, 2)("abc"), op.attrgetter("numerator")(5), op.methodcaller("upper")("a"), op.methodcaller("split", ",", maxsplit=1)("a,b,c"))
print(sorted([(1, "b"), (2, "a")], key=op.itemgetter(1)), max({"a": 1, "b": 3}.items(), key=op.itemgetter(1)), op.itemgetter("k")({"k": 9}))
d = {}
op.setitem(d, "a", 1)
print(d)
op.delitem(d, "a")
print(d)
---
import copy
a = [1, [2, 3], {"k": [4]}]
b, c = copy.copy(a), copy.deepcopy(a)
a[1].append(9)
a[2]["k"].append(8)
print(b, c, b[1] is a[1], c[1] is a[1])
class P:
    def __init__(self, x):
        self.x = x
        self.l = [x]
p = P(1)
q, r = copy.copy(p), copy.deepcopy(p)
p.l.append(2)
print(q.l, r.l, q.x, r.x, type(r) is P, q is p)
t = (1, [2])
u = copy.deepcopy(t)
print(u, u is t, u[1] is t[1], copy.deepcopy((1, 2)) == (1, 2), copy.copy({1, 2}), copy.deepcopy(5), copy.copy("s"))
---
import copy
l = [1]
l.append(l)
m = copy.deepcopy(l)
print(m[1] is m, m is l)
class N:
    def __init__(self):
        self.me = self
n = copy.deepcopy(N())
print(n.me is n)
shared = [1]
x = copy.deepcopy([shared, shared])
print(x[0] is x[1])
class C:
    def __copy__(self):
        return "copied"
    def __deepcopy__(self, memo):
        return "deep"
print(copy.copy(C()), copy.deepcopy([C()]), copy.deepcopy({"a": {"b": {1, 2}}}), copy.deepcopy(len) is len, copy.deepcopy(C) is C)
class L(list):
    pass
y = L([1, [2]])
y.tag = ["t"]
z = copy.deepcopy(y)
print(z, type(z) is L, z.tag, z[1] is y[1], copy.copy(y), copy.copy(y).tag is y.tag)
---
import bisect
a = [1, 3, 3, 5, 7]
print(bisect.bisect(a, 3), bisect.bisect_left(a, 3), bisect.bisect_right(a, 3), bisect.bisect_left(a, 0), bisect.bisect(a, 9), bisect.bisect_left(a, 4, 1, 3))
bisect.insort(a, 4)
bisect.insort_left(a, 3)
print(a, bisect.bisect_left(["bb", "ccc"], 3, key=len))
def grade(s):
    return "FDCBA"[bisect.bisect([60, 70, 80, 90], s)]
print([grade(s) for s in (33, 99, 77, 70, 89, 90, 100)])
try:
    bisect.bisect([1], 1, -1)
except ValueError as e:
    print(e)
---
import heapq
h = []
for x in [5, 2, 8, 1, 9, 3]:
    heapq.heappush(h, x)
    print(h)
print([heapq.heappop(h) for _ in range(6)], h)
l = [9, 7, 5, 3, 1, 8, 6, 4, 2]
heapq.heapify(l)
print(l, heapq.heappushpop(l, 0), heapq.heapreplace(l, 10), l, heapq.nlargest(3, l), heapq.nsmallest(2, l))
print(heapq.nlargest(2, ["a", "ccc", "bb"], key=len))
try:
    heapq.heappop([])
except IndexError as e:
    print(e)
h = [(2, "b"), (1, "z"), (1, "a")]
heapq.heapify(h)
print(heapq.heappop(h), h)
---
import heapq
def dijkstra(g, s):
    dist, q = {s: 0}, [(0, s)]
    while q:
        d, u = heapq.heappop(q)
        if d > dist[u]:
            continue
        for v, w in g[u]:
            if d + w < dist.get(v, 1e9):
                dist[v] = d + w
                heapq.heappush(q, (d + w, v))
    return dist
print(dijkstra({"a": [("b", 1), ("c", 4)], "b": [("c", 2), ("d", 6)], "c": [("d", 3)], "d": []}, "a"))
h = [3, 1, 2]
---
from abc import ABC, abstractmethod
class Shape(ABC):
    @abstractmethod
    def area(self): ...
    @property
    @abstractmethod
    def name(self): ...
    def show(self):
        return f"{self.name} {self.area()}"
class Sq(Shape):
    def __init__(self, s):
        self.s = s
    def area(self):
        return self.s ** 2
    @property
    def name(self):
        return "sq"
class Half(Shape):
    def area(self):
        return 1
print(Sq(3).show(), isinstance(Sq(1), Shape), issubclass(Sq, Shape))
for c in (Shape, Half):
    try:
        c()
    except TypeError as e:
        print(e)
---
from abc import ABC, abstractmethod, ABCMeta
class A(metaclass=ABCMeta):
    @abstractmethod
    def f(self): ...
    @classmethod
    @abstractmethod
    def g(cls): ...
class B(A):
    def f(self):
        return super().f()
    @classmethod
    def g(cls):
        return cls.__name__
print(B().f(), B.g(), B().g())
class D(ABC):
    def plain(self):
        return 1
print(D().plain())
print(isinstance(B(), A), isinstance(5, A))
---
import asyncio
log = []
async def work(n):
    log.append(f"start {n}")
    await asyncio.sleep(0)
    return n * 10
async def main():
    r = await asyncio.gather(*(work(i) for i in range(3)))
    x = await work(7)
    return r, x
print(asyncio.run(main()))
async def fails():
    raise ValueError("boom")
async def collect():
    return await asyncio.gather(work(1), fails(), return_exceptions=True)
print(asyncio.run(collect()))
try:
    asyncio.run(fails())
except ValueError as e:
    print(e)
---
import asyncio
async def w(n):
    return n + 1
async def main():
    t = asyncio.create_task(w(1))
    u = asyncio.create_task(w(2))
    print(await t, await u, t.done(), t.result())
    print(await asyncio.wait_for(w(5), timeout=1))
    try:
        await asyncio.wait_for(asyncio.sleep(0.05), timeout=0.01)
    except asyncio.TimeoutError as e:
        print("late", repr(e))
    async def long():
        try:
            await asyncio.sleep(1)
            return "never"
        finally:
            print("left")
    try:
        print(await asyncio.wait_for(long(), 0.01))
    except TimeoutError:
        print("late again", await asyncio.wait_for(asyncio.sleep(0, 3), 1), await asyncio.wait_for(w(6), None))
asyncio.run(main())
---
from typing import List, Dict, Optional, Union, Tuple, Callable, Any, NamedTuple, TypeVar, Generic, Protocol, TypedDict, Literal, Final, ClassVar, Iterable, cast, NewType
T = TypeVar("T")
Vector = List[float]
def f(x: Optional[int] = None, *a: Any) -> Union[int, str]:
    return x or "none"
class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: List[T] = []
    def push(self, x: T) -> None:
        self.items.append(x)
s = Stack[int]()
s.push(1)
print(f(), f(3), s.items, isinstance([], List), cast(int, "x"), isinstance((1,), Tuple))
class P(NamedTuple):
    x: int
    y: int = 5
    def total(self):
        return self.x + self.y
p = P(1)
print(p, p.total(), p._fields, P(1, 2), p == (1, 5), P._field_defaults, p._replace(y=0))
class Movie(TypedDict):
    name: str
    year: int
m: Movie = {"name": "x", "year": 1}
print(m, Movie(name="a", year=2))
UserId = NewType("UserId", int)
print(UserId(5) + 1)
class Sized2(Protocol):
    def size(self) -> int: ...
class Q:
    def size(self):
        return 1
Alias = Union[int, None]
Fn = Callable[[int], str]
print(Q().size())
---
import textwrap
t = "The quick brown fox jumped over the lazy dog, and then it ran away from the well-known state-of-the-art hunter."
for w in (20, 30, 10):
    print(textwrap.wrap(t, w))
print(textwrap.fill(t, 40, initial_indent="* ", subsequent_indent="  "))
print(repr(textwrap.dedent("""
    hello
      world
    end
""")), repr(textwrap.indent("a\n\nb\n", "> ")), repr(textwrap.indent("a\n\nb", "> ", lambda l: True)))
---
import textwrap
print(textwrap.wrap("supercalifragilistic word", 8), textwrap.wrap("supercalifragilistic word", 8, break_long_words=False), textwrap.wrap("", 5), textwrap.wrap("   a  b   ", 5))
print(textwrap.wrap("a\tb\nc", 10), textwrap.wrap("mother-in-law and e-mail a-b", 10), textwrap.wrap("foo--bar baz", 6))
print(repr(textwrap.dedent("  a\n\tb")), repr(textwrap.dedent("   \n  x\n")))
try:
    textwrap.wrap("a", 0)
except ValueError as e:
    print(e)
w = textwrap.TextWrapper(width=15, break_on_hyphens=False)
print(w.wrap("well-known state-of-the-art things"), w.fill("a b c"))
---
import time
a = time.time()
b = time.perf_counter()
c = time.monotonic()
print(isinstance(a, float), isinstance(b, float), time.monotonic() >= c, time.sleep(0), isinstance(time.time_ns(), int))
try:
    time.sleep(-1)
except ValueError as e:
    print(e)
try:
    time.sleep("a")
except TypeError as e:
    print(e)
