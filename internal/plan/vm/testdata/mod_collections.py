from collections import Counter
c = Counter("abracadabra")
print(c, c["a"], c["z"], c.most_common(2), c.most_common(), sorted(c.elements()), c.total(), len(c))
print(Counter([1, 2, 1]), Counter({"a": 3}), Counter(a=1, b=2), Counter(), Counter(x for x in "hello"))
c.update("aab")
c.subtract("a")
print(c, "z" in c, dict(c))
---
from collections import Counter
a, b = Counter(a=3, b=1), Counter(a=1, b=2)
print(a + b, a - b, a & b, a | b, +Counter(a=1, b=-1), a == Counter(b=1, a=3), a != b)
print(Counter(a=1) <= Counter(a=2), Counter(a=2) >= Counter(a=1), Counter(a=1, b=0) == Counter(a=1))
a += b
print(a)
a -= Counter(a=10)
print(a)
del a["nothing"]
a["x"] += 5
print(a, isinstance(a, dict), list(a), a.copy() == a)
---
from collections import Counter
c = Counter()
for w in "the cat the dog a cat the".split():
    c[w] += 1
print(c.most_common(1)[0], c, max(c, key=c.get), sum(c.values()), sorted(c.items()))
c.clear()
print(c)
---
from collections import Counter
print(Counter("abc").most_common(0), Counter("aabbc").most_common(-1), Counter({"a": "x"}) == {"a": "x"})
c = Counter(a=4, b=2)
c.subtract({"a": 1}, b=5)
print(c, c.pop("a"), c, {**c}, [k for k, v in c.items() if v < 0])
---
from collections import defaultdict
d = defaultdict(list)
d["a"].append(1)
d["b"].append(2)
d["a"].append(3)
print(d, d["a"], "z" in d, d.get("z"), dict(d), d["z"], len(d))
n = defaultdict(int)
for ch in "mississippi":
    n[ch] += 1
print(n, sorted(n.items()), n.default_factory)
---
from collections import defaultdict
d = defaultdict(lambda: defaultdict(int))
d["a"]["x"] += 1
d["a"]["y"] += 2
print({k: dict(v) for k, v in d.items()}, d["a"]["x"])
e = defaultdict(set, {"k": {1}})
e["k"].add(2)
e["m"].add(3)
print(e, e.copy() == e, isinstance(e.copy(), defaultdict))
f = defaultdict(None)
try:
    f["a"]
except KeyError as x:
    print(repr(x))
try:
    defaultdict(5)
except TypeError as x:
    print(x)
---
from collections import defaultdict
class D(defaultdict):
    def __missing__(self, key):
        self[key] = key * 2
        return self[key]
d = D()
print(d[4], d)
e = defaultdict(int, a=1)
e |= {"b": 2}
print(e, e | {"c": 3}, e.pop("a"), e.setdefault("q"), e)
---
from collections import OrderedDict
d = OrderedDict([("a", 1), ("b", 2), ("c", 3)])
d.move_to_end("a")
print(d, list(d), d.popitem(), d)
d.move_to_end("c", last=False)
print(d, d.popitem(last=False), d, OrderedDict())
print(OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1), OrderedDict(a=1, b=2) == {"b": 2, "a": 1}, list(reversed(OrderedDict(a=1, b=2))))
---
from collections import OrderedDict
d = OrderedDict.fromkeys("abc", 0)
d["a"] = 5
d.update(z=1)
print(d, len(d), "a" in d, d.get("q", 7), d | {"y": 2}, sorted(d.items()))
try:
    OrderedDict().popitem()
except KeyError as e:
    print(e)
del d["b"]
print(d, d.copy(), [*d.values()])
---
from collections import deque
d = deque([1, 2, 3])
d.append(4)
d.appendleft(0)
print(d, len(d), d.pop(), d.popleft(), d, d[0], d[-1], list(d))
d.extend([5, 6])
d.extendleft([7, 8])
print(d, 5 in d, d.count(5), d.index(5))
d.rotate(2)
print(d)
d.rotate(-3)
print(d)
d.reverse()
print(d, bool(d), bool(deque()))
---
from collections import deque
d = deque("abcdef", maxlen=3)
print(d, d.maxlen)
d.append("g")
d.appendleft("z")
print(d)
d[1] = "Q"
del d[0]
print(d, deque([1, 2]) == deque([1, 2]), deque([1]) == [1], d.copy())
d.insert(1, "i")
d.remove("Q")
print(d)
d.clear()
print(d, deque(maxlen=2))
---
from collections import deque
for f in (lambda: deque().pop(), lambda: deque().popleft(), lambda: deque([1])[5], lambda: deque(maxlen=-1)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
---
from collections import deque
graph = {1: [2, 3], 2: [4], 3: [4], 4: []}
seen, q, order = {1}, deque([1]), []
while q:
    n = q.popleft()
    order.append(n)
    for m in graph[n]:
        if m not in seen:
            seen.add(m)
            q.append(m)
print(order, list(reversed(deque([1, 2]))), sorted(deque([3, 1])), sum(deque([1, 2])), max(deque([1, 5])))
a, *b = deque([1, 2, 3])
print(a, b, tuple(deque("xy")), "".join(deque("xy")))
---
from collections import deque
d = deque()
for i in range(5):
    d.append(i)
    if len(d) > 2:
        d.popleft()
print(d)
d = deque(range(3))
try:
    for x in d:
        d.append(x)
except RuntimeError as e:
    print(e)
d += [9]
print(d, deque(deque([1, 2])))
---
from collections import namedtuple
P = namedtuple("P", "x y")
p = P(1, y=2)
print(p, p.x, p[1], p == (1, 2), p._asdict(), p._replace(x=5), P._fields, P._make([7, 8]), len(p), hash(p) == hash((1, 2)))
a, b = p
print(a, b, isinstance(p, tuple), P.__name__, P.__doc__, [*p], p + (3,), sorted([P(2, 1), P(1, 5)]))
---
from collections import namedtuple
Q = namedtuple("Q", ["a", "b", "c"], defaults=[10, 20])
print(Q(1), Q(1, 2), Q(c=3, a=1), Q._field_defaults)
for f in (lambda: Q(), lambda: Q(1, 2, 3, 4), lambda: Q(1, z=2), lambda: Q(1, a=2), lambda: Q._make([1]), lambda: Q(1)._replace(zz=1)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__)
for bad in ("x x", "def", "_a", "1a"):
    try:
        namedtuple("B", bad)
    except ValueError as e:
        print(type(e).__name__)
---
from collections import namedtuple
class Point(namedtuple("Point", "x y")):
    def norm(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5
p = Point(3, 4)
print(p, p.norm(), p._replace(x=0), Point(x=1, y=2))
try:
    p.x = 5
except AttributeError as e:
    print("no")
match p:
    case Point(x, y):
        print("matched", x, y)
E = namedtuple("E", "")
print(E(), E._fields)
---
from collections.abc import Iterable, Mapping, Sequence, Callable, Hashable, Sized, Iterator
print(isinstance([], Iterable), isinstance({}, Mapping), isinstance("a", Sequence), isinstance(len, Callable), isinstance(5, Iterable))
print(isinstance([], Hashable), isinstance(1, Hashable), isinstance({1}, Sized), isinstance(iter([]), Iterator), isinstance((), Sequence), isinstance({}, Sequence))
class A:
    def __iter__(self):
        return iter([])
    def __len__(self):
        return 0
print(isinstance(A(), Iterable), isinstance(A(), Sized), issubclass(A, Iterable), issubclass(dict, Mapping), isinstance(A(), Callable))
