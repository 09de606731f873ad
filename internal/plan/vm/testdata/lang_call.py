def f(x, y=1, *, z=2, kk): pass
f()
---
def f(x, y=1, *, z=2, kk): pass
f(1, 2, 3)
---
def f(x, y=1, *, z=2, kk): pass
f(1)
---
def f(x, y=1, *, z=2, kk): pass
f(1, kk=1, zz=3)
---
def f(x, y=1, *, z=2, kk): pass
f(1, kk=1, x=3)
---
def f(x, y=1, *, z=2, kk): pass
f(1, 2, 3, kk=4)
---
def g(a, b, /, c): pass
g(1, b=2, c=3)
---
def g(a, b, /, c): pass
g()
---
def g(a, b, /, c): pass
g(1, 2, 3, 4)
---
def h(): pass
h(1)
---
def h(): pass
h(a=1)
---
def f(a): pass
f(**{1: 2})
---
def f(x, kk): pass
f(1, kk=1, **{'kk': 2})
---
def f(x): pass
f(*1)
---
def f(x): pass
f(**1)
---
x = 5
x()
---
None()
---
class A:
    def __init__(self, q): pass
A()
---
class A:
    def m(self, a): pass
A().m()
---
class A:
    def m(self, a): pass
A.m()
---
class B: pass
B(1)
---
class B: pass
B(x=1)
---
len()
---
len(1, 2)
---
sorted()
---
sorted([], 1)
---
"a".upper(1)
---
"a".replace("a")
---
[].append()
---
[].append(1, 2)
---
[].pop(1, 2)
---
"a".split(foo=1)
---
len(x=1)
---
{}.get()
---
print(a=1)
---
"x".join()
---
isinstance(1)
---
range()
---
abs()
---
"a".split(1, 2, 3)
---
[].sort(1)
---
[].sort(foo=1)
---
{}.pop()
---
list(1, 2)
---
[].index()
---
str.upper()
---
str.upper(1)
---
list.append(1, 2)
---
(lambda x: x)()
---
(lambda: 1)(2)
---
def f(*args, **kw):
    print(args, kw)
f()
f(1, 2, a=3, b=4)
f(*[1, 2], *(3, 4), x=5, **{'y': 6}, **{'z': 7})
f(*"abc", **dict(q=1))
f(*range(3), 9)
f(*(i * i for i in range(4)))
---
def f(a, b=2, *c, d, e=5, **g):
    return (a, b, c, d, e, g)
print(f(1, d=4))
print(f(1, 2, 3, 4, d=5, e=6, h=7))
print(f(a=1, d=2, b=3))
print(f(*[1, 2], d=3, **{'z': 1}))
---
def f(a, /, b, *, c):
    return a, b, c
print(f(1, 2, c=3), f(1, b=2, c=3))
---
def f(a, /, **kw):
    return a, kw
print(f(1, a=2))
---
def f(x, acc=[]):
    acc.append(x)
    return acc
print(f(1), f(2), f(3))
---
def make(n):
    def add(x):
        return x + n
    return add
a, b = make(1), make(10)
print(a(5), b(5))
---
def counter():
    n = 0
    def inc():
        nonlocal n
        n += 1
        return n
    return inc
c = counter()
print(c(), c(), c())
---
fs = [lambda: i for i in range(3)]
print([f() for f in fs])
fs = [lambda i=i: i for i in range(3)]
print([f() for f in fs])
---
def outer():
    x = 1
    def mid():
        def inner():
            nonlocal x
            x += 1
            return x
        return inner
    return mid()(), x
print(outer())
---
def deco(f):
    def w(*a, **k):
        print('before', a, k)
        r = f(*a, **k)
        print('after', r)
        return r
    return w
@deco
def add(a, b=2):
    return a + b
add(1)
add(1, b=5)
---
def d1(f):
    print('d1'); return f
def d2(n):
    print('d2', n)
    def g(f):
        print('apply d2'); return f
    return g
@d1
@d2(3)
def f(): pass
---
def fact(n): return 1 if n < 2 else n * fact(n - 1)
print(fact(20), fact(30), fact(100))
---
def even(n): return True if n == 0 else odd(n - 1)
def odd(n): return False if n == 0 else even(n - 1)
print(even(10), odd(7), even(7))
---
def f(n):
    return f(n + 1)
f(0)
---
def f(n):
    try:
        return f(n + 1)
    except RecursionError as e:
        return str(e)
print(f(0))
---
def f():
    """doc"""
    def g(): pass
    return g
print(f.__name__, f.__doc__, f().__qualname__, f.__module__)
f.tag = 5
print(f.tag)
---
print((lambda *a, k=1, **kw: (a, k, kw))(1, 2, k=3, z=4))
---
def f(a, b, c): return a, b, c
print(f(*[1], *[2], c=3))
d = {'a': 1, 'b': 2, 'c': 3}
print(f(**d))
---
x = 10
def f():
    global x
    x += 1
    return x
print(f(), f(), x)
---
def f():
    print(x)
    x = 1
f()
---
def f():
    del y
    y = 1
f()
---
def f():
    def g(): return z
    return g()
    z = 1
f()
---
print(undefined_name)
---
def f():
    for i in range(3):
        pass
    return i
print(f())
---
print(max([3, 1, 2], key=lambda v: -v), min('b', 'a'), sorted([3, 1, 2], reverse=True), sorted(['bb', 'a'], key=len))
print(list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1, 2])), list(zip('ab', [1, 2])))
print(sum([1, 2], 3), any(x > 1 for x in [1, 2]), all([]))
---
def f(x):
    return x
print(f((yield_ := 5)), yield_)
---
class C:
    def __call__(self, *a, **k):
        return a, k
c = C()
print(c(1, x=2), callable(c))
---
def f(a, b=lambda: 3):
    return a + b()
print(f(1))
---
print(str.join('-', ['a', 'b']), list.__len__([1, 2]), int.__add__(1, 2), dict.get({'a': 1}, 'a'))
---
def f(*, a): return a
f(1)
---
def f(a, *, b): return a
f(1, 2, b=3)
---
def f(a, b=1): pass
f(1, 2, 3, 4)
---
def f(*a): return a
f(x=1)
---
class A:
    @staticmethod
    def s(x): return x
A.s()
---
class A:
    @classmethod
    def c(cls, x): return x
A.c()
