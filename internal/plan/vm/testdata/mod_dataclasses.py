# a plain data class
from dataclasses import dataclass, field
@dataclass
class Point:
    x: int
    y: int = 0
    def norm(self):
        return self.x ** 2 + self.y ** 2
p = Point(3, y=4)
print(p, p.norm(), p == Point(3, 4), p != Point(3, 4), p == (3, 4), Point(1))
p.x = 10
print(p, repr(p), str(p), f"{p}", [p])
print(Point.__match_args__, Point.y, hasattr(Point, 'x'))
---
# missing and unknown arguments
from dataclasses import dataclass
@dataclass
class A:
    x: int
    y: int = 2
for f in (lambda: A(), lambda: A(1, 2, 3), lambda: A(1, w=3), lambda: A(1, x=3)):
    try:
        print(f())
    except TypeError as e:
        print(e)
---
# factories
from dataclasses import dataclass, field
@dataclass
class Bag:
    items: list = field(default_factory=list)
    table: dict = field(default_factory=dict)
    tag: str = field(default='t')
    n: int = field(default_factory=lambda: 7)
a, b = Bag(), Bag()
a.items.append(1)
print(a, b, a == b, Bag([3], {'k': 1}, n=1))
---
# a mutable default is refused
from dataclasses import dataclass
for value in ([], {}, set()):
    try:
        @dataclass
        class C:
            x: list = value
    except ValueError as e:
        print(e)
---
# order
from dataclasses import dataclass
@dataclass(order=True)
class V:
    major: int
    minor: int = 0
vs = [V(2, 1), V(1, 9), V(2, 0)]
print(sorted(vs), max(vs), V(1) < V(2), V(1) <= V(1, 0), V(3) > V(2, 9), V(1) >= V(1, 1))
try:
    V(1) < 3
except TypeError as e:
    print(e)
---
# without order
from dataclasses import dataclass
@dataclass
class V:
    a: int
try:
    V(1) < V(2)
except TypeError as e:
    print(e)
---
# eq must be true for order
from dataclasses import dataclass
@dataclass(eq=False, order=True)
class V:
    a: int
---
# frozen
from dataclasses import dataclass, FrozenInstanceError
@dataclass(frozen=True)
class P:
    x: int
    y: int = 5
p = P(1)
print(p, hash(p) == hash(P(1, 5)), {p: 'a'}[P(1)], len({P(1), P(1), P(2)}))
for f in ('p.x = 3', 'p.z = 1'):
    pass
try:
    p.x = 3
except FrozenInstanceError as e:
    print(type(e).__name__, e, isinstance(e, AttributeError))
try:
    p.z = 3
except FrozenInstanceError as e:
    print(e)
try:
    del p.x
except FrozenInstanceError as e:
    print(e)
---
# frozen, with a value that is set anyway
from dataclasses import dataclass, field
@dataclass(frozen=True)
class P:
    x: int
    double: int = field(init=False)
    def __post_init__(self):
        object.__setattr__(self, 'double', self.x * 2)
print(P(4))
---
# frozen and not frozen do not mix
from dataclasses import dataclass
@dataclass
class A:
    x: int
@dataclass(frozen=True)
class B(A):
    y: int
---
from dataclasses import dataclass
@dataclass(frozen=True)
class A:
    x: int
@dataclass
class B(A):
    y: int
---
# frozen derived
from dataclasses import dataclass
@dataclass(frozen=True)
class A:
    x: int
@dataclass(frozen=True)
class B(A):
    y: int = 3
b = B(1)
print(b, b == B(1, 3), b == A(1), hash(b) == hash(B(1)))
try:
    b.x = 1
except AttributeError as e:
    print(e)
---
# a plain class derived from a frozen one
from dataclasses import dataclass
@dataclass(frozen=True)
class A:
    x: int
class B(A):
    pass
b = B(1)
b.other = 3
print(b.other, b)
try:
    b.x = 4
except AttributeError as e:
    print(e)
---
# hash
from dataclasses import dataclass, field
@dataclass
class A:
    x: int
try:
    hash(A(1))
except TypeError as e:
    print(e)
@dataclass(eq=False)
class C:
    x: int
print(hash(C(1)) is not None, C(1) == C(1))
@dataclass
class D:
    x: int
    def __hash__(self):
        return 5
print(hash(D(1)))
---
# ClassVar
from dataclasses import dataclass, fields
from typing import ClassVar
import typing
@dataclass
class C:
    x: int
    count: ClassVar[int] = 0
    other: typing.ClassVar = 'o'
    def __post_init__(self):
        C.count += 1
C(1); C(2)
print(C(3), C.count, [f.name for f in fields(C)], C.other)
---
# inheritance: order of fields and overriding
from dataclasses import dataclass
@dataclass
class A:
    x: int = 1
    y: int = 2
@dataclass
class B(A):
    z: int = 3
    x: str = 'b'
print(B(), B('q', 5, 6), isinstance(B(), A), A() == B())
class C(B):
    pass
print(C(), C() == B())
---
# a field without a default after one with
from dataclasses import dataclass
@dataclass
class A:
    x: int = 1
    y: int
---
from dataclasses import dataclass
@dataclass
class A:
    x: int = 1
@dataclass
class B(A):
    y: str
---
# slots
from dataclasses import dataclass
@dataclass(slots=True)
class S:
    x: int
    y: int = 3
s = S(1)
print(s)
s.x = 5
print(s.x, s.y)
print(hasattr(s, 'y'), hasattr(s, 'other'))
---
# slots and frozen, derived, with super
from dataclasses import dataclass
@dataclass(frozen=True, slots=True)
class A:
    x: int
    def show(self):
        return f'A{self.x}'
@dataclass(frozen=True, slots=True)
class B(A):
    y: int = 2
    def show(self):
        return super().show() + f'B{self.y}'
print(B(1).show(), B(1))
---
# asdict and astuple
from dataclasses import dataclass, field, asdict, astuple
from collections import namedtuple
N = namedtuple('N', 'a b')
@dataclass
class Inner:
    v: int
@dataclass
class Outer:
    a: Inner
    b: list
    c: dict
    d: tuple = ()
    e: object = None
o = Outer(Inner(1), [Inner(2), 3], {'k': Inner(4), 'l': [Inner(5)]}, (Inner(6), 'x'), N(Inner(7), 8))
print(asdict(o))
print(astuple(o))
print(asdict(o)['b'] is o.b, asdict(Inner(1), dict_factory=lambda pairs: list(pairs)))
print(astuple(Inner(1), tuple_factory=list))
try:
    asdict(Outer)
except TypeError as e:
    print(e)
try:
    astuple(3)
except TypeError as e:
    print(e)
---
# replace
from dataclasses import dataclass, field, replace
@dataclass
class A:
    x: int
    y: int = 2
    z: int = field(init=False, default=9)
print(replace(A(1), y=5), replace(A(1)))
try:
    replace(A(1), z=3)
except (TypeError, ValueError) as e:
    print(type(e).__name__, e)
try:
    replace(A(1), q=3)
except TypeError as e:
    print(e)
try:
    replace(3, q=3)
except TypeError as e:
    print(e)
---
# fields
from dataclasses import dataclass, field, fields, MISSING, is_dataclass
@dataclass
class A:
    x: int
    y: list = field(default_factory=list, repr=False, compare=False, metadata={'unit': 'm'})
    z: str = 'q'
for f in fields(A):
    print(f.name, f.init, f.repr, f.compare, f.kw_only, f.default is MISSING, f.default_factory is MISSING)
print(fields(A(1))[1].metadata['unit'], A(1), A(1, [2]) == A(1, [3]))
print(is_dataclass(A), is_dataclass(A(1)), is_dataclass(int), is_dataclass(3))
print([f.type for f in fields(A)])
try:
    fields(int)
except TypeError as e:
    print(e)
---
# field with both defaults
from dataclasses import field
field(default=1, default_factory=list)
---
# a field without annotation
from dataclasses import dataclass, field
@dataclass
class A:
    x = field(default=3)
---
# methods that are there are kept
from dataclasses import dataclass
@dataclass
class A:
    x: int
    def __repr__(self):
        return f'<{self.x}>'
    def __eq__(self, other):
        return True
print(A(1), A(1) == A(2))
@dataclass
class B:
    x: int
    def __init__(self):
        self.x = 42
print(B())
---
# match
from dataclasses import dataclass
@dataclass
class P:
    x: int
    y: int
def where(p):
    match p:
        case P(0, 0):
            return 'origin'
        case P(x=0, y=y):
            return f'on y at {y}'
        case P(x, y) if x == y:
            return f'diagonal {x}'
        case P(x, _):
            return f'x={x}'
print([where(p) for p in (P(0, 0), P(0, 3), P(2, 2), P(5, 1))])
---
# nested, with a list of itself
from dataclasses import dataclass, field
@dataclass
class Node:
    value: int
    children: list['Node'] = field(default_factory=list)
    def total(self):
        return self.value + sum(c.total() for c in self.children)
t = Node(1, [Node(2, [Node(3)]), Node(4)])
print(t, t.total())
---
# eq compares field by field, and only the same class
from dataclasses import dataclass
@dataclass
class A:
    x: float
    y: int = 0
nan = float('nan')
print(A(nan) == A(nan), A(1.0) == A(1), A(1) == A(1, 1))
@dataclass
class B:
    x: float
    y: int = 0
print(A(1) == B(1), A(1) != B(1))
---
# properties and class methods
from dataclasses import dataclass
import math
@dataclass
class Circle:
    r: float
    @property
    def area(self):
        return round(math.pi * self.r ** 2, 3)
    @classmethod
    def unit(cls):
        return cls(1.0)
    @staticmethod
    def name():
        return 'circle'
print(Circle(2).area, Circle.unit(), Circle.name())
---
# an empty one
from dataclasses import dataclass
@dataclass
class E:
    pass
print(E(), E() == E(), E.__match_args__)
@dataclass(order=True, frozen=True)
class F:
    pass
print(F() <= F(), F() < F(), hash(F()) == hash(()))
---
# qualified names in repr
from dataclasses import dataclass
def make():
    @dataclass
    class Local:
        x: int
    return Local
print(make()(1))
class Outer:
    @dataclass
    class Inner:
        x: int
print(Outer.Inner(2), Outer.Inner.__init__.__qualname__)
---
# exceptions as data classes
from dataclasses import dataclass
@dataclass
class Oops(Exception):
    code: int
    why: str = ''
try:
    raise Oops(3, 'bad')
except Oops as e:
    print(repr(e), e.code, e.why)
---
# generic use of a field named self
from dataclasses import dataclass
@dataclass
class A:
    self: int
    other: int = 1
print(A(1), A(self=2))
---
# sort by a key, group, count
from dataclasses import dataclass
@dataclass(frozen=True)
class Sale:
    item: str
    price: float
    n: int = 1
sales = [Sale('a', 2.5, 2), Sale('b', 1.0), Sale('a', 3.0)]
totals = {}
for s in sales:
    totals[s.item] = totals.get(s.item, 0) + s.price * s.n
print(totals, sorted(sales, key=lambda s: (s.price, s.item))[0], max(sales, key=lambda s: s.n).item)
