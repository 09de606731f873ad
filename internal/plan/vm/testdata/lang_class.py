class A:
    x = 1
    def __init__(self, y):
        self.y = y
    def m(self, k):
        return self.y + k + self.x
    @property
    def p(self):
        return self.y * 2
    @p.setter
    def p(self, v):
        self.y = v
    @p.deleter
    def p(self):
        print('deleted')
    @staticmethod
    def s(a): return a
    @classmethod
    def c(cls, a): return cls(a)
class B(A):
    def m(self, k):
        return super().m(k) * 2
b = B(5)
print(b.m(1), b.p, B.s(3), B.c(9).y, b.s(1), b.c(2).y)
b.p = 7
print(b.y, b.p)
del b.p
print(A.x, b.x)
A.x = 10
print(b.x)
b.x = 20
print(b.x, A.x, B.x)
print(isinstance(b, A), issubclass(B, A), type(b) is B, type(b).__name__)
---
class A: pass
a = A()
a.foo
---
class A: pass
A.foo
---
class A:
    @property
    def p(self): return 1
A().p = 2
---
class A:
    @property
    def p(self): return 1
del A().p
---
a = 5
a.foo = 1
---
a = 5
a.foo
---
[].foo
---
class A: pass
a = A()
del a.x
---
class A:
    def __repr__(self): return 'A!'
    def __str__(self): return 'a'
print(A(), [A()], repr(A()), f"{A()} {A()!r}", str(A()))
---
class V:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return V(self.x + o.x, self.y + o.y)
    def __sub__(self, o): return V(self.x - o.x, self.y - o.y)
    def __mul__(self, k): return V(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __eq__(self, o): return isinstance(o, V) and (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
    def __neg__(self): return V(-self.x, -self.y)
    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** 0.5
    def __bool__(self): return bool(self.x or self.y)
    def __getitem__(self, i): return (self.x, self.y)[i]
    def __len__(self): return 2
    def __iter__(self): return iter((self.x, self.y))
    def __contains__(self, v): return v in (self.x, self.y)
    def __repr__(self): return f'V({self.x}, {self.y})'
    def __lt__(self, o): return abs(self) < abs(o)
a, b = V(1, 2), V(3, 4)
print(a + b, a - b, a * 3, 3 * a, -a, abs(b), a == V(1, 2), a != b, a in {V(1, 2)})
print(bool(V(0, 0)), a[0], a[1], len(a), list(a), 2 in a, 5 in a, a < b, sorted([b, a]), max(a, b))
x, y = b
print(x, y, [*a])
a += b
print(a)
---
class A:
    def __init__(self): self.d = {}
    def __getitem__(self, k): return self.d[k]
    def __setitem__(self, k, v): self.d[k] = v
    def __delitem__(self, k): del self.d[k]
a = A()
a['x'] = 1
a['y'] = 2
a['x'] += 5
del a['y']
print(a.d, a['x'])
a['z']
---
class A:
    def __getattr__(self, n):
        if n.startswith('x'): return n * 2
        raise AttributeError(n)
a = A()
print(a.xy, getattr(a, 'q', 'default'), hasattr(a, 'xq'), hasattr(a, 'q'))
a.nope
---
class A:
    def __setattr__(self, n, v):
        print('set', n, v)
        super().__setattr__(n, v)
    def __delattr__(self, n):
        print('del', n)
        object.__delattr__(self, n)
a = A()
a.x = 5
print(a.x)
del a.x
print(hasattr(a, 'x'))
---
class A:
    def f(self): return 'A'
class B(A):
    def f(self): return 'B' + super().f()
class C(A):
    def f(self): return 'C' + super().f()
class D(B, C):
    def f(self): return 'D' + super().f()
print(D().f())
---
class A(bool): pass
---
class A: pass
class B(A, A): pass
---
class A:
    n = 0
    def __new__(cls, *a):
        print('new', a)
        o = super().__new__(cls)
        return o
    def __init__(self, *a):
        print('init', a)
A(1, 2)
---
class S:
    _i = None
    def __new__(cls):
        if cls._i is None:
            cls._i = super().__new__(cls)
        return cls._i
print(S() is S())
---
class D(dict):
    def __missing__(self, k): return k * 2
d = D(a=1)
print(d['a'], d['zz'], d, len(d), isinstance(d, dict))
d['q'] = 5
print(d)
---
class L(list):
    def total(self): return sum(self)
l = L([1, 2, 3])
l.append(4)
print(l, l.total(), len(l), l[1:], l == [1, 2, 3, 4], type(l).__name__)
for x in l: print(x, end=' ')
---
class I(int):
    def double(self): return self * 2
i = I(5)
print(i, i.double(), i + 1, type(i + 1).__name__, I(7) == 7, isinstance(i, int), f'{i:03d}')
---
class S(str):
    def shout(self): return self.upper() + '!'
s = S('abc')
print(s, s.shout(), s + 'd', len(s), s[1], 'b' in s, {s: 1}['abc'])
---
class T(tuple):
    def __new__(cls, a, b): return super().__new__(cls, (a, b))
    @property
    def first(self): return self[0]
t = T(1, 2)
print(t, t.first, len(t))
---
class D(dict):
    def __init__(self, n, *a, **k):
        super().__init__(*a, **k)
        self.n = n
    def __setitem__(self, k, v):
        print('set', k)
        super().__setitem__(k, v)
d = D(3, x=1)
d['y'] = 2
print(d, d.n)
---
class E(Exception):
    def __init__(self, code, msg):
        super().__init__(msg)
        self.code = code
try:
    raise E(5, 'bad')
except E as e:
    print(e, e.code, e.args, repr(e))
raise E(1, 'x')
---
class E(ValueError):
    def __str__(self): return 'custom ' + str(self.args)
try:
    raise E(1, 2)
except ValueError as e:
    print(e, isinstance(e, E))
raise E('q')
---
class A:
    x = 5
    y = [x for _ in range(2)] if False else [i for i in range(3)]
    def f(): return 7
    z = f()
print(A.y, A.z)
---
x = 'global'
class A:
    print(x)
    x = 'class'
    print(x)
    def f(self): return x
print(A().f())
---
class A:
    class B:
        z = 1
        def f(self): return type(self).__qualname__
print(A.B.z, A.B().f(), A.B.__qualname__, A.B.f.__qualname__)
---
class A:
    __x = 5
    def get(self): return self.__x
a = A()
print(a.get(), a._A__x)
a.__x
---
class A:
    a: int
    b: str = 'x'
print(A.b, list(A.__annotations__))
---
class A:
    """docs"""
    def f(self):
        "fdoc"
print(A.__doc__, A.f.__doc__, A.__name__, A.__module__)
---
class A:
    count = 0
    def __init__(self):
        A.count += 1
        type(self).count += 1
A(); A()
print(A.count)
---
class A:
    def f(self): return 1
a = A()
g = a.f
a.f = lambda: 2
print(g(), a.f())
A.f = lambda self: 3
print(a.f(), A().f(), g())
---
class A:
    def __eq__(self, o): return True
hash(A())
---
class A:
    def __len__(self): return -1
len(A())
---
class A:
    def __len__(self): return 0
print(bool(A()), not A())
if A(): print('no')
else: print('yes')
---
class A:
    def __bool__(self): return 5
bool(A())
---
class It:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n == 0: raise StopIteration
        self.n -= 1
        return self.n
print(list(It(3)), [x for x in It(2)], sum(It(4)), max(It(3)), 2 in It(5))
for x in It(2): print(x)
a, b = It(2)
print(a, b)
---
class A:
    def __iter__(self): return 5
for x in A(): pass
---
class A: pass
for x in A(): pass
---
class A:
    def __getitem__(self, i):
        if i > 3: raise IndexError
        return i * 10
print(list(A()), 20 in A())
for x in A(): print(x)
---
class A:
    def __enter__(self): print('in'); return 'v'
    def __exit__(self, *a): print('out', a[0]); return False
with A() as v: print(v)
with A(), A() as w: print(w)
with A(): raise ValueError('q')
---
class A: pass
with A(): pass
---
class A:
    def __enter__(self): return 1
with A(): pass
---
class A:
    def __radd__(self, o): return ('radd', o)
    def __rsub__(self, o): return ('rsub', o)
    def __iadd__(self, o): return ('iadd', o)
print(1 + A(), 'x' + A() if False else 1 - A())
a = A()
a += 5
print(a)
---
class A: pass
A() + 1
---
class A: pass
A() < A()
---
class A:
    def __lt__(self, o): return NotImplemented
A() < A()
---
class A:
    def __format__(self, spec): return f'<{spec}>'
print(f'{A():abc}', format(A(), 'x'), '{:q}'.format(A()))
---
class A:
    def __index__(self): return 2
print([1, 2, 3][A()], 'abc'[A()], range(A()), hex(A()))
---
class A:
    def __hash__(self): return 1
    def __eq__(self, o): return self is o
d = {A(): 1, A(): 2}
print(len(d))
---
class A:
    def __init__(self): return 5
A()
---
class A:
    def f(self): pass
print(A.f is A.f, A().f == A().f)
a = A()
print(a.f == a.f, a.f.__name__)
---
class Base:
    def hello(self): return 'base'
class Mixin:
    def hello(self): return 'mixin+' + super().hello()
class C(Mixin, Base): pass
print(C().hello())
---
class A:
    def __contains__(self, x): return x == 1
print(1 in A(), 2 not in A())
---
class A:
    x = property(lambda self: 5)
print(A().x)
---
class T:
    def __init__(self, c): self.c = c
    @property
    def f(self): return self.c * 9 / 5 + 32
    @f.setter
    def f(self, v): self.c = (v - 32) * 5 / 9
t = T(100)
print(t.f)
t.f = 32
print(t.c)
---
class A:
    @property
    def p(self): raise ValueError('inside')
A().p
---
class A:
    @property
    def p(self): return self.missing
    def __getattr__(self, n): return 'fallback ' + n
print(A().p)
---
class A:
    def __call__(self, x): return x + 1
print(list(map(A(), [1, 2])), sorted([3, 1], key=A()))
---
class A:
    def __init__(self, *, name): self.name = name
print(A(name='x').name)
A('x')
---
class C:
    @classmethod
    def make(cls, **kw):
        o = cls()
        for k, v in kw.items(): setattr(o, k, v)
        return o
o = C.make(a=1, b=2)
print(o.a, o.b, vars(o))
---
class A:
    def __del__(self): pass
    def __sizeof__(self): return 1
print(A() is not None)
---
class Celsius:
    def __init__(self, v): self.v = v
    def __le__(self, o): return self.v <= o.v
    def __ge__(self, o): return self.v >= o.v
print(Celsius(1) <= Celsius(2), Celsius(1) >= Celsius(2))
Celsius(1) < Celsius(2)
---
class A:
    x = 1
class B(A):
    x = 2
b = B()
print(super(B, b).x, b.x)
super(A, b).x
---
class A:
    def f(self):
        return [super(A, self).__repr__() is not None for _ in range(1)], __class__.__name__
print(A().f())
---
class A:
    def f(self):
        g = lambda: super().__init__() is None
        return g()
print(A().f())
