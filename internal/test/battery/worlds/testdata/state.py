--- src data rec n k
n = src.num(1)
k = src.key(2)
data = src.data(3)
rec = src.rec(4)
t = safe.num(5)
--- xs ys zs ls dl
xs = [1, 2, 3]
ys = [4, 5, 6]
zs = [7, 8, 9]
ls = [xs, ys, zs]
dl = {'a': xs, 'b': ys, 'c': zs}
--- d e g dd
d = {'a': 1, 'b': 2, 'c': 3}
e = {'a': 4, 'b': 5, 'c': 6}
g = {'a': 7, 'b': 8, 'c': 9}
dd = [d, e, g]
--- s1 s2 s3 ss
s1, s2, s3 = {1}, {2}, {3}
ss = [s1, s2, s3]
--- P Q R o p q os od
class P:
    kind = 'p'
    count = 0
    made = []
    def __init__(self, v):
        self.a = v
        self.b = v + 1
        self.c = v + 2
        self.log = []
    def add(self, v):
        self.log.append(v)
        return self.a
    def put(self, v):
        self.a = v
        return self
    def tick(self):
        P.count += 1
        return self.b
    def call(self, f):
        return f(self.b)
    @classmethod
    def make(cls, v):
        cls.made.append(v)
        return v
    @staticmethod
    def stat(v):
        P.kind = v
        return v
    @property
    def prop(self):
        self.b += 1
        return self.b
    @prop.setter
    def prop(self, v):
        self.c = v
    def __add__(self, x):
        self.a += 1
        return self.a
    def __iadd__(self, x):
        self.log.append(x)
        return self
    def __getitem__(self, i):
        self.c += 1
        return self.c
    def __setitem__(self, i, v):
        self.c = v
    def __call__(self, v):
        self.b = v
        return v
    def __len__(self):
        self.a += 1
        return 3
    def __contains__(self, x):
        P.count += 1
        return True
    def __iter__(self):
        self.log.append(0)
        return iter([1, 2])
    def __lt__(self, other):
        P.count += 1
        return self.a < other.a
    def __eq__(self, other):
        P.made.append(1)
        return self is other
    def __hash__(self):
        self.c += 1
        return 1
    def __str__(self):
        self.log.append('s')
        return 'P'
    def __format__(self, spec):
        self.a += 1
        return spec
    def __bool__(self):
        self.b += 1
        return True
    def __neg__(self):
        self.c += 1
        return self.c
    def __enter__(self):
        self.a += 1
        return self
    def __exit__(self, *args):
        self.b += 1
        return False
    def __index__(self):
        self.a += 1
        return 1
class Q(P):
    count = 0
    made = []
    def tick(self):
        Q.count += 1
        return self.a
    def put(self, v):
        self.b = v
        return self
    def __add__(self, x):
        xs.append(1)
        return 1
    def __str__(self):
        return 'Q'
    @property
    def prop(self):
        return 2
class R(P):
    made = []
    def put(self, v):
        total.append(v)
        return self
    def __call__(self, v):
        ys.append(v)
        return v
o, p, q = P(1), Q(2), R(3)
os = [o, p, q]
od = {'a': o, 'b': p, 'c': q}
cs = [P, Q, R]
--- total f1 f2 f3 fs fd
total = []
number = 0
def f1(v):
    total.append(v)
    return v
def f2(v):
    global number
    number += 1
    return v
def f3(v):
    return v
fs = [f1, f2, f3]
fd = {'a': f1, 'b': f2, 'c': f3}
--- c1 c2 c3 cl
def counter():
    count = 0
    def up(v=0):
        nonlocal count
        count += 1
        return count
    return up
c1, c2, c3 = counter(), counter(), counter()
cl = [c1, c2, c3]
--- i1 i2 i3 its
i1, i2, i3 = iter([1, 2, 3, 4, 5]), iter((1, 2, 3, 4, 5)), iter(range(9))
its = [i1, i2, i3]
--- g1 g2 g3 gs
def gen(v):
    while True:
        got = yield v
        v += 1
g1, g2, g3 = gen(1), gen(2), gen(3)
gs = [g1, g2, g3]
--- m1 m2 m3 ms
m1, m2, m3 = map(f1, [1, 2, 3, 4]), zip([1, 2, 3, 4], 'abcd'), enumerate('abcdef')
ms = [m1, m2, m3]
--- r1 r2 r3 rs
import random
r1, r2, r3 = random.Random(1), random.Random(2), random.Random(3)
rs = [r1, r2, r3]
--- t1 t2 ts
import itertools
t1, t2 = itertools.tee([1, 2, 3, 4, 5, 6])
ts = [t1, t2, itertools.count(5)]
--- q1 q2 q3 qs
from collections import deque, defaultdict, Counter, OrderedDict
q1, q2, q3 = deque([1, 2, 3]), deque([4, 5, 6]), deque([7, 8, 9])
qs = [q1, q2, q3]
--- w1 w2 ws wd
w1, w2 = defaultdict(list), Counter('aab')
ws = [w1, w2, OrderedDict(a=1)]
wd = {'a': w1, 'b': w2, 'c': w1}
--- D1 v1 v2 v3 vs
from dataclasses import dataclass, field, replace, asdict
@dataclass
class D1:
    a: int
    b: int = 2
    c: list = field(default_factory=list)
v1, v2, v3 = D1(1), D1(2), D1(3)
vs = [v1, v2, v3]
--- Color
from enum import Enum
class Color(Enum):
    RED = 0
    GREEN = 1
    BLUE = 2
    @classmethod
    def _missing_(cls, value):
        total.append(1)
        return cls.RED
--- cached partial reduce
import functools
from functools import lru_cache, partial, reduce, cmp_to_key
@lru_cache
def cached(v):
    total.append(v)
    return v
--- wrapped
def wrapping(f):
    def inner(*args):
        xs.append(len(args))
        return f(*args)
    return inner
@wrapping
def wrapped(v):
    return v
wl = [wrapped, f3, c1]
--- manager
from contextlib import contextmanager
@contextmanager
def manager(v):
    total.append(v)
    yield v
    ys.append(v)
--- Lazy lazy
class Lazy:
    def __getattr__(self, name):
        total.append(1)
        return 1
    @functools.cached_property
    def slow(self):
        ys.append(1)
        return 1
lazy = Lazy()
--- functools
import functools
--- hashlib hs
import hashlib
h1, h2, h3 = hashlib.sha256(b'1'), hashlib.sha256(b'2'), hashlib.md5(b'3')
hs = [h1, h2, h3]
--- re
import re
--- json
import json
--- math
import math
--- copy
import copy
--- datetime
import datetime
--- time
import time
--- string
import string
--- heapq
import heapq
--- bisect
import bisect
--- statistics
import statistics
--- decimal
import decimal
--- operator
import operator
--- itertools
import itertools
--- asyncio
import asyncio
async def task(v):
    total.append(v)
    return v
--- collections
import collections
--- L M N l0 us ud
import functools
class L:
    def __init__(self, v):
        self.v = v
    def m(self):
        return sink(1)
    def n(self):
        return self.v
    alias = m
    quick = lambda self: sink(2)
    @functools.cached_property
    def kept(self):
        return sink(3)
    @property
    def p(self):
        return sink(4)
    def q(self):
        return self.m
    @staticmethod
    def s():
        return sink(5)
    @classmethod
    def k(cls):
        return sink(6)
    def gives(self):
        return xs
    def __getattr__(self, name):
        return sink(7)
class M(L):
    def m(self):
        return 1
    alias = m
    quick = lambda self: 2
    @functools.cached_property
    def kept(self):
        return 3
    @property
    def p(self):
        return 4
    @staticmethod
    def s():
        return 5
    @classmethod
    def k(cls):
        return 6
    def gives(self):
        return []
    other = 7
class N:
    p = 4
    def __init__(self, v):
        self.v = v
        self.m = self.s = self.quick = lambda: 1
        self.kept = self.other = v
        self.gives = lambda: ys
l0 = L(1)
us = [l0, M(2), N(3)]
ud = {'a': us[0], 'b': us[1], 'c': us[2]}
--- md me w3
from collections import defaultdict
class Keeps(dict):
    def __missing__(self, k):
        self[k] = 2
        return 2
class Notes(dict):
    def __missing__(self, k):
        total.append(k)
        return 2
def fresh():
    total.append(1)
    return 1
md, me, w3 = Keeps(a=1), Notes(b=1), defaultdict(fresh, c=1)
--- e1 ek ks kd
class Eq:
    def __init__(self, v):
        self.v = v
    def __hash__(self):
        return 1
    def __eq__(self, other):
        return self.v == other.v
e1, ek = Eq(1), Eq(n)
ks, kd = {e1}, {e1: 1}
--- x1 x2
x1, x2 = ValueError(1), ValueError(2)
--- Wr wr
class Wr:
    count = 0
    def write(self, s):
        self.count += 1
wr = Wr()
--- Kp kp
class Kp:
    def keys(self):
        total.append(1)
        return ['a']
    def __getitem__(self, k):
        return 1
kp = Kp()
