# members
from enum import Enum
class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 1
print(Color, repr(Color), Color.RED, repr(Color.BLUE), list(Color), len(Color))
print(Color.RED.name, Color.RED.value, Color(2), Color['GREEN'], Color.BLUE is Color.RED, Color.RED == Color.GREEN)
print(dict(Color.__members__), 1 in Color, Color.RED in Color, 7 in Color, 'RED' in Color)
print(Color.RED == 1, Color.RED != 1, {Color.RED: 'r'}[Color(1)], f"{Color.RED}", f"{Color.RED:>12}|", "%s" % Color.RED)
print([c.name for c in Color], list(reversed(Color)), Color.RED.GREEN, isinstance(Color.RED, Color), type(Color.RED) is Color)
print(type(Color), Color.__name__, bool(Color), bool(Color.RED), hash(Color.RED) == hash(Color(1)))
---
from enum import Enum
class Color(Enum):
    RED = 1
Color(5)
---
from enum import Enum
class Color(Enum):
    RED = 1
Color['PINK']
---
from enum import Enum
class Color(Enum):
    RED = 1
Color.PINK
---
from enum import Enum
class Color(Enum):
    RED = 1
    GREEN = 2
Color.RED < Color.GREEN
---
from enum import Enum
class Color(Enum):
    RED = 1
Color.RED = 3
---
from enum import Enum
class Color(Enum):
    RED = 1
del Color.RED
---
from enum import Enum
class Color(Enum):
    RED = 1
class More(Color):
    BLUE = 2
---
from enum import Enum
class Color(Enum):
    RED = 1
    RED = 2
---
from enum import Enum
class Color(Enum):
    RED = 1
Color()
---
from enum import Enum
class Color(Enum):
    RED = 1
Color.RED()
---
from enum import Enum
class Empty(Enum):
    pass
print(list(Empty), len(Empty), Empty)
Empty(1)
---
# auto
from enum import Enum, auto
class Step(Enum):
    A = auto()
    B = auto()
    C = 10
    D = auto()
    E = B + 100
print(list(Step), Step.E)
class Pair(Enum):
    P = auto(), 'first'
    Q = auto(), 'second'
print(list(Pair))
---
# unique
from enum import Enum, unique
@unique
class Ok(Enum):
    A = 1
    B = 2
print(Ok.A)
@unique
class Bad(Enum):
    A = 1
    B = 1
    C = 1
---
# methods, properties, class attributes, init
from enum import Enum
class Planet(Enum):
    MERCURY = (3.303e+23, 2.4397e6)
    EARTH = (5.976e+24, 6.37814e6)
    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius
    @property
    def gravity(self):
        G = 6.67300E-11
        return round(G * self.mass / (self.radius * self.radius), 4)
    @classmethod
    def heaviest(cls):
        return max(cls, key=lambda p: p.mass)
    @staticmethod
    def hello():
        return 'hi'
print([p.gravity for p in Planet], Planet.heaviest(), Planet.hello(), Planet.EARTH.mass, Planet((3.303e+23, 2.4397e6)))
print(repr(Planet.EARTH))
---
# methods that use other members
from enum import Enum
class Light(Enum):
    RED = 'red'
    GREEN = 'green'
    YELLOW = 'yellow'
    def next(self):
        order = list(Light)
        return order[(order.index(self) + 1) % len(order)]
    def __str__(self):
        return self.value.upper()
print(Light.RED.next(), Light.YELLOW.next(), f"{Light.GREEN}", repr(Light.RED), [str(x) for x in Light])
---
# __new__ that sets the value
from enum import Enum
class Coord(bytes, Enum):
    def __new__(cls, value, label, unit):
        obj = bytes.__new__(cls, [value])
        obj._value_ = value
        obj.label = label
        obj.unit = unit
        return obj
    PX = (0, 'P.X', 'km')
    PY = (1, 'P.Y', 'm')
print(Coord(1), Coord.PX.label, Coord.PY.unit, Coord.PY == b'\x01')
class Plain(Enum):
    def __new__(cls, code, text):
        obj = object.__new__(cls)
        obj._value_ = code
        obj.text = text
        return obj
    OK = 200, 'fine'
    NO = 404, 'not found'
print(Plain(404).text, Plain.OK, Plain.OK.value, list(Plain))
---
# _missing_
from enum import Enum
class Size(Enum):
    SMALL = 's'
    LARGE = 'l'
    @classmethod
    def _missing_(cls, value):
        if isinstance(value, str):
            for m in cls:
                if m.name.lower() == value.lower():
                    return m
        return None
print(Size('small'), Size('LARGE'), Size('s'))
Size(3)
---
from enum import Enum
class Bad(Enum):
    X = 1
    @classmethod
    def _missing_(cls, value):
        return 5
Bad(2)
---
from enum import Enum
class Bad(Enum):
    X = 1
    @classmethod
    def _missing_(cls, value):
        raise LookupError('no ' + str(value))
Bad(2)
---
# IntEnum
from enum import IntEnum, auto
class N(IntEnum):
    ONE = 1
    TWO = auto()
    BIG = 100
print(N.ONE, repr(N.ONE), N.ONE + 1, N.ONE < N.TWO, N(2), str(N.BIG), f"{N.BIG}", f"{N.ONE:>4}", "%d %s" % (N.ONE, N.TWO))
print(sorted([N.BIG, N.ONE]), max(N), sum(N), N.ONE == 1, 1 == N.ONE, [10, 20, 30][N.ONE], {1: 'x'}[N.ONE], N.TWO * 2.5)
print(N.ONE.value, type(N.ONE.value), isinstance(N.ONE, int), int(N.BIG), N.BIG // 7, hash(N.ONE) == hash(1), -N.ONE, N.TWO | 4)
---
from enum import IntEnum
class N(IntEnum):
    A = 'x'
---
# StrEnum and str mixin
from enum import StrEnum, Enum, auto
class S(StrEnum):
    ALPHA = auto()
    B = 'bee'
print(S.ALPHA, repr(S.B), S.B == 'bee', S.B.upper(), '-'.join(S), f"{S.B:>5}", S('alpha'), S.B + '!', len(S.B), 'bee' in S)
class T(str, Enum):
    A = 'a'
    B = 'b'
print(T.A, repr(T.A), T.A == 'a', f"{T.A}", T('b'), T.A.value, "%s" % T.B, {'a': 1}[T.A], T.A.upper(), ''.join([T.A, T.B]), sorted([T.B, T.A]))
---
from enum import StrEnum
class S(StrEnum):
    A = 3
---
# int and float mixins
from enum import Enum
class I(int, Enum):
    A = 1
    B = 2
class F(float, Enum):
    PI = 3.14
print(I.A, repr(I.B), I.A + I.B, F.PI, repr(F.PI), F.PI * 2, I(1), f"{I.A}", f"{F.PI}")
---
# aliases and unhashable values
from enum import Enum
class U(Enum):
    A = [1, 2]
    B = {'k': 1}
    C = [1, 2]
print(U([1, 2]), U.C is U.A, list(U), U({'k': 1}), [1, 2] in U)
---
# members of a dict and of a set, sorting by value, grouping
from enum import Enum
class Level(Enum):
    LOW = 1
    MID = 2
    HIGH = 3
counts = {}
for x in [Level.LOW, Level.HIGH, Level.LOW]:
    counts[x] = counts.get(x, 0) + 1
print(counts, sorted(Level, key=lambda m: -m.value), len({Level.LOW, Level(1)}), {m.name: m.value for m in Level})
---
# match
from enum import Enum
class Shape(Enum):
    ROUND = 'r'
    SQUARE = 's'
def area(kind, n):
    match kind:
        case Shape.ROUND:
            return 3 * n * n
        case Shape.SQUARE:
            return n * n
        case _:
            return None
print(area(Shape.ROUND, 2), area(Shape.SQUARE, 2), area('r', 2))
---
# ordering with a mixin class
from enum import Enum
class Ordered(Enum):
    def __lt__(self, other):
        if self.__class__ is other.__class__:
            return self.value < other.value
        return NotImplemented
    def __ge__(self, other):
        return self.value >= other.value
class Grade(Ordered):
    A = 5
    B = 4
print(Grade.A > Grade.B, sorted(Grade), Grade.A >= Grade.B, max(Grade))
---
# private and dunder names, functions and nested classes are no members
from enum import Enum
class E(Enum):
    A = 1
    _private = 2
    __very = 3
    def f(self):
        return self.value * 2
    class Inner:
        n = 3
    g = staticmethod(lambda: 'g')
print(list(E), E.A.f(), E.Inner.n, E.g())
---
# data classes hold them
from dataclasses import dataclass, asdict
from enum import Enum
class Status(Enum):
    OPEN = 'open'
    DONE = 'done'
@dataclass
class Task:
    title: str
    status: Status = Status.OPEN
t = Task('x')
print(t, t == Task('x', Status('open')), Task('y', Status.DONE).status.value, Task.status)
---
# a member's class is told by isinstance; members are hashable and not orderable
from enum import Enum, IntEnum
class A(Enum):
    X = 1
class B(IntEnum):
    X = 1
print(A.X == B.X, B.X == 1, A.X is A.X, A.X in [A.X], A.X in {A.X}, isinstance(A.X, Enum), issubclass(B, int))
try:
    A.X + 1
except TypeError as e:
    print(e)
