from functools import reduce
print(reduce(lambda a, b: a + b, [1, 2, 3]), reduce(lambda a, b: a + b, [], 5), reduce(lambda a, b: a * b, range(1, 6)), reduce(max, [3, 9, 2], 4))
try:
    reduce(lambda a, b: a, [])
except TypeError as e:
    print(e)
---
from functools import partial
def f(a, b, c=0, *, d=1):
    return (a, b, c, d)
p = partial(f, 1, d=5)
print(p(2), p(2, 3), p(2, d=9), p.args, p.keywords, p.func is f)
q = partial(p, 7, c=8)
print(q(), q.args, q.keywords)
print(list(map(partial(pow, 2), range(4))), partial(int, base=2)("101"))
try:
    partial(5)
except TypeError as e:
    print(e)
---
from functools import lru_cache, cache
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(80))
print(fib(10), fib.__name__, fib.__wrapped__(1))
---
from functools import lru_cache, cache
calls = []
@lru_cache(maxsize=2)
def f(x, y=0):
    calls.append((x, y))
    return x * 10 + y
print(f(1), f(2), f(1), f(3), f(2), f(1), calls)
@lru_cache
def g(x):
    return x + 1
print(g(1), g(1))
@cache
def h(a, b):
    return a + b
print(h(1, 2), h(1, b=2))
---
from functools import lru_cache
@lru_cache(maxsize=0)
def f(x):
    return x
f(1); f(1)
@lru_cache()
def h(x):
    return x
h(1); h(1.0); h(True)
try:
    h([1])
except TypeError as e:
    print("unhashable" in str(e))
---
from functools import wraps
def deco(fn):
    @wraps(fn)
    def inner(*args, **kwargs):
        """inner"""
        return fn(*args, **kwargs) * 2
    return inner
@deco
def area(w, h):
    """the area"""
    return w * h
print(area(2, 3), area.__name__, area.__doc__, area.__wrapped__(2, 3), area.__qualname__)
---
from functools import cmp_to_key
print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)))
words = ["bb", "a", "ccc", "aa"]
print(sorted(words, key=cmp_to_key(lambda a, b: len(a) - len(b) or (a > b) - (a < b))))
k = cmp_to_key(lambda a, b: a - b)
print(k(1) < k(2), k(1) == k(1), min([4, 2, 8], key=k))
---
from functools import total_ordering
@total_ordering
class V:
    def __init__(self, n):
        self.n = n
    def __eq__(self, o):
        return self.n == o.n
    def __lt__(self, o):
        return self.n < o.n
a, b = V(1), V(2)
print(a < b, a <= b, a > b, a >= b, a == b, a != b, sorted([V(3), V(1)])[0].n, max([a, b]).n)
---
from functools import total_ordering
@total_ordering
class W:
    def __init__(self, n):
        self.n = n
    def __eq__(self, o):
        return self.n == o.n
    def __ge__(self, o):
        return self.n >= o.n
print(W(1) < W(2), W(1) <= W(2), W(1) > W(2), W(2) >= W(2))
try:
    @total_ordering
    class X:
        pass
except ValueError as e:
    print(e)
---
from functools import cached_property
class C:
    def __init__(self):
        self.n = 0
    @cached_property
    def v(self):
        self.n += 1
        return self.n * 100
c = C()
print(c.v, c.v, c.n, "v" in vars(c))
del c.v
print(c.v, c.n)
c.v = 7
print(c.v)
---
from functools import partial, reduce
compose = lambda *fs: reduce(lambda f, g: lambda x: f(g(x)), fs)
print(compose(lambda x: x + 1, lambda x: x * 2)(5))
