from functools import reduce, partial
print(reduce(lambda a, b: a * b, [1, 2, 3, 4]), partial(pow, 2)(5))
---
import math
math.sqrt(-1)
---
import math
try:
    math.foo
finally:
    pass
---
try:
    from math import nonexistent
finally:
    pass
---
import math
class Color:
    RED = 1
match 1:
    case Color.RED: print('red')
match math.pi:
    case math.pi: print('pi')
---
import math as m, json
from math import sqrt as s, pi
print(m.floor(2.5), s(16), round(pi, 3), json.dumps({'a': [1, 2.5, None, True]}))
---
def f():
    from math import floor
    import math
    return floor(1.5) + math.ceil(1.5)
print(f())
---
from collections import Counter, defaultdict, deque, namedtuple, OrderedDict
print(Counter('abca').most_common(1), dict(Counter([1, 1, 2])))
d = defaultdict(list)
d['a'].append(1)
print(d, dict(d))
P = namedtuple('P', 'x y')
p = P(1, 2)
print(p, p.x, p._replace(y=5), p == (1, 2))
q = deque([1, 2], maxlen=2)
q.append(3)
print(q, q.popleft())
---
from dataclasses import dataclass, field
@dataclass
class P:
    x: int
    y: int = 0
    tags: list = field(default_factory=list)
    def dist(self): return (self.x ** 2 + self.y ** 2) ** 0.5
p = P(3, 4)
print(p, p.dist(), p == P(3, 4), P(1).tags is P(1).tags)
@dataclass(frozen=True, order=True)
class Q:
    a: int
print(Q(1) < Q(2), hash(Q(1)) == hash(Q(1)))
Q(1).a = 5
---
from enum import Enum, auto
class C(Enum):
    R = 1
    G = auto()
print(C.R, C.R.name, C.R.value, C(2), C['G'], list(C), C.R is C.R, C.R == C.G, len(C), C.R in C)
C(9)
---
async def a(x): return x + 1
async def b():
    return await a(1) + await a(2)
import asyncio
print(asyncio.run(b()))
---
import asyncio
async def w(i):
    await asyncio.sleep(0)
    return i * 2
async def main():
    return await asyncio.gather(*[w(i) for i in range(3)])
print(asyncio.run(main()))
