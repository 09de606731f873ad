# Scopes.
x = "global"
def outer():
    x = "outer"
    class C:
        print(x)
        x = "class"
        y = [x for _ in range(1)]
        z = [q for q in x]
        def m(self):
            return x
        l = lambda self: x
    return C
print(outer()().m(), outer().y, outer().z, outer()().l())
def f():
    class D:
        x = x
    return D.x
print(f())
def g():
    global made
    made = 1
    def h():
        nonlocal_ = made
        return nonlocal_
    return h()
print(g(), made)
def counters():
    fs = [lambda: i for i in range(3)]
    gs = [(lambda j=i: j) for i in range(3)]
    return [f() for f in fs], [g() for g in gs]
print(counters())
fs = [lambda: k for k in range(3)]
print([f() for f in fs])
def comp(n):
    return [[(i, j, n) for j in range(i)] for i in range(n)], {i: j for i, j in zip("ab", "cd")}, {i % 2 for i in range(n)}
print(comp(3))
print([last := v for v in range(4)], last)
def walrus(items):
    if any((hit := item) > 2 for item in items):
        return hit
print(walrus([1, 2, 3, 4]))
---
class Private:
    __secret = 1
    def __init__(self, __arg=5):
        self.__x = __arg
        self.__dict = {"__k": 1}
    def __method(self, __p):
        return self.__x + __p + self.__secret
    def run(self):
        __local = 2
        return self.__method(__local), self.__dict
    class __Inner:
        def f(self):
            return type(self).__name__
    def inner(self):
        return self.__Inner().f()
class _Sub(Private):
    def get(self):
        return self._Private__x
p = Private()
print(p.run(), p._Private__x, p.inner(), _Sub().get())
print(sorted(k for k in vars(p)))
try:
    p.__x
except AttributeError as e:
    print(e)
---
# What is not bound.
def f(flag):
    if flag:
        value = 1
    print(value)
f(True)
try:
    f(False)
except UnboundLocalError as e:
    print(type(e).__name__, e)
def g():
    del missing
    missing = 1
try:
    g()
except UnboundLocalError as e:
    print(e)
def h():
    try:
        raise ValueError("x")
    except ValueError as e:
        pass
    print(e)
try:
    h()
except UnboundLocalError as e:
    print(e)
def free():
    def inner():
        return later
    try:
        inner()
    except NameError as e:
        print(type(e).__name__, e)
    later = 1
    return inner()
print(free())
for n in range(2):
    try:
        print([y for x in (1,) if (x, n) and y or x for y in (5,)])
    except UnboundLocalError as e:
        print(e)
    except NameError as e:
        print(e)
print(undefined_name)
---
# Leaving blocks in order.
def log(*a):
    print(*a)
class Ctx:
    def __init__(self, name, swallow=False):
        self.name, self.swallow = name, swallow
    def __enter__(self):
        log("enter", self.name)
        return self.name
    def __exit__(self, t, v, tb):
        log("exit", self.name, t and t.__name__, v)
        return self.swallow
def ret():
    for i in range(3):
        with Ctx("a") as a, Ctx("b"):
            try:
                try:
                    if i == 1:
                        return log("value", i) or i
                finally:
                    log("inner", i)
                    if i == 0:
                        continue
            finally:
                log("outer", i)
    else:
        log("never")
print(ret())
def override():
    try:
        return 1
    finally:
        for x in range(2):
            try:
                return 2
            finally:
                break
        log("done", x)
print(override())
def nested():
    try:
        try:
            raise KeyError("first")
        finally:
            try:
                raise ValueError("second")
            except ValueError as e:
                log("caught", e)
    except KeyError as e:
        log("outer", e)
        return "k"
print(nested())
def swallow():
    with Ctx("s", True):
        raise RuntimeError("gone")
    return "after"
print(swallow())
def loops():
    while True:
        try:
            break
        finally:
            log("leaving")
    for a in range(3):
        while True:
            if a == 1:
                break
            else:
                break
        else:
            log("no")
        if a == 2:
            break
    else:
        log("no")
    return a
print(loops())
def reraise():
    try:
        try:
            1 / 0
        except ZeroDivisionError:
            raise
    except ArithmeticError as e:
        try:
            raise TypeError("t") from e
        except TypeError as t:
            return repr(t.__cause__)
print(reraise())
def gen():
    try:
        while True:
            try:
                got = yield
                log("got", got)
            except ValueError as e:
                log("thrown", e)
                yield "answer"
    finally:
        log("cleanup")
it = gen()
next(it)
it.send(1)
print(it.throw(ValueError("v")))
it.close()
def both():
    try:
        raise ValueError
    except (TypeError, ValueError):
        return "handled"
    else:
        return "else"
    finally:
        log("finally")
print(both())
---
# Calls and parameters.
def f(a, b=2, /, c=3, *rest, d, e=5, **more):
    return a, b, c, rest, d, e, more
print(f(1, d=4), f(1, 2, 3, 4, 5, d=6, z=7, a=8))
print(f(*[1, 2], *(3,), d=1, **{"e": 2}, **{"q": 3}))
for call in [lambda: f(), lambda: f(1), lambda: f(1, b=3, d=1), lambda: f(1, d=1, **{"d": 2}), lambda: f(*1), lambda: f(**1), lambda: (lambda a: a)(1, 2), lambda: (lambda *, k: k)(1), lambda: f(1, 2, c=3, d=4, **{5: 6})]:
    try:
        print(call())
    except TypeError as e:
        print(e)
def deco(tag):
    def wrap(fn):
        def inner(*a, **k):
            return tag, fn(*a, **k)
        return inner
    return wrap
@deco("one")
@deco("two")
def h(x, *, y=1):
    return x + y
print(h(1, y=3))
def order(n):
    print("eval", n)
    return n
(order(1), [order(2), *[order(3)]], {order(4): order(5), **{order(6): order(7)}})
order(print)(order(1), *[order(2)], sep=order("-"), **{"end": order("!\n")})
d = {}
d[order("k")] = order("v")
a = b = [order(9)]
a[order(0)] += order(1)
print(a is b, a, d)
first, *mid, last = range(5)
[p, (q, *r)] = 1, "xyz"
print(first, mid, last, p, q, r)
for i, (j, *k) in enumerate(["ab", "cde"]):
    print(i, j, k)
for bad in [lambda: exec_unpack([1]), lambda: exec_unpack([1, 2, 3]), lambda: exec_unpack(5)]:
    try:
        def exec_unpack(v):
            m, n = v
        bad()
    except (TypeError, ValueError) as e:
        print(e)
def default(n, acc=[]):
    acc.append(n)
    return acc
default(1)
print(default(2), default.__name__, (lambda: 0).__name__)
---
# Chains, conditions and short circuits.
def t(v):
    print("t", v)
    return v
print(t(1) < t(2) < t(3), t(3) < t(2) < t(1), 1 < 2 > 1 == 1 != 2)
print(t(0) and t(1) or t(2), t("") or t([]) or t("x"), not (t(1) and t(0)))
print("yes" if t(1) and not t(0) or t(5) else "no")
if not (t(1) or t(2)) or t(3) < t(4) <= t(4):
    print("in")
while not t(1) < t(0) and t(1):
    break
print(None is None, None is not None, 1 in [1], 2 not in [1])
x = None
if x is None and not x:
    print("none")
if x is not None or x == 0:
    print("some")
assert t(1), "not shown"
try:
    assert t(0), f"shown {t(2)}"
except AssertionError as e:
    print(e)
print(f"{3.14159:.2f} {'a'!r:>6} {1 + 1 = } {'x':{'>'}{5}} {{}} {'nested ' + f'{1:0{3}}'}")
print(-2 ** 2, (-2) ** 2, 2 ** -1, -5 // 2, -5 % 3, ~5, 7 & 3 | 8 ^ 1, 1 << 4 >> 1, 60 * 60 * 24)
print(0x7fffffffffffffff + 1, -9223372036854775808, 9223372036854775807 * 2, -(-9223372036854775808))
n = 5
n += 1; n -= 2; n *= 3; n **= 2; n //= 5; n %= 17; n <<= 2; n |= 1; n &= 0xff; n ^= 3; n >>= 1; n /= 2
print(n)
print((1, 2, (3, "x", (None, 4.5))), (), (1,))
---
# match
class P:
    __match_args__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y
class E:
    RED = 1
def m(v):
    match v:
        case 0 | 1 | -1 as small:
            return "small", small
        case True:
            return "true"
        case None:
            return "none"
        case "a" | b"b":
            return "text"
        case E.RED:
            return "red"
        case []:
            return "empty"
        case [x]:
            return "one", x
        case [1, *rest, 9]:
            return "ends", rest
        case (x, [y, *_]) | (x, y, _):
            return "pair", x, y
        case {"k": [k]} if k > 1:
            return "map", k
        case {"k": _}:
            return "hask"
        case P(0, y=yy):
            return "P0", yy
        case P(x, P(y, z)):
            return "PP", x, y, z
        case int(n) if n > 100:
            return "big", n
        case str() | float():
            return "scalar"
        case {}:
            return "dict"
        case [*_]:
            return "seq"
        case _:
            return "other"
for v in [0, 1, -1, True, None, "a", b"b", 1.0, [], [5], [1, 2, 3, 9], (1, (2, 3)), (4, 5, 6), (4, 5, 6, 7), {"k": [2], "z": 1}, {"k": [0]}, {"q": 1}, P(0, 1), P(1, P(2, 3)), P(1, 2), 101, 50, "zz", 2.5, range(3), {1, 2}, object]:
    print(m(v))
def guards(v):
    match v:
        case [a, b] if a == b:
            return "same"
        case [a, b]:
            return a, b
print(guards([1, 1]), guards((1, 2)), guards("ab"), guards([1]))
def outer_names(v):
    match v:
        case {"a": x, "b": {"c": [_, y]}}:
            return lambda: (x, y)
print(outer_names({"a": 1, "b": {"c": [2, 3]}})(), outer_names(1))
---
# Generators and coroutines.
def tree(n):
    if n:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 1)
print(list(tree(3)))
def deleg():
    r = yield from sub()
    print("result", r)
    return "end"
def sub():
    try:
        got = yield 1
        print("sub", got)
        yield 2
    except KeyError:
        yield "key"
    return "sub result"
g = deleg()
print(next(g), g.send("hello"))
try:
    next(g)
except StopIteration as e:
    print("stop", e.value)
print(sum(x * x for x in range(5) if x % 2), list((a, b) for a in "ab" for b in range(2)))
gen = (i for i in [1, 2, 3])
print(2 in gen, list(gen))
def acc():
    total = 0
    while (n := (yield total)) is not None:
        total += n
    return total
a = acc()
next(a)
print([a.send(i) for i in (1, 2, 3)])
async def co(n):
    return n + 1
async def main():
    return await co(1) + await co(2)
m = main()
try:
    m.send(None)
except StopIteration as e:
    print(e.value)
---
# Classes.
class Base:
    registry = []
    def hello(self):
        return "base"
    @classmethod
    def make(cls):
        return cls()
    @staticmethod
    def st(x):
        return x * 2
    @property
    def p(self):
        return self._p
    @p.setter
    def p(self, v):
        self._p = v + 1
class Left(Base):
    def hello(self):
        return "left " + super().hello()
class Right(Base):
    def hello(self):
        return "right " + super().hello()
class Both(Left, Right):
    def hello(self):
        return "both " + super().hello()
    def comp(self):
        return [super(Both, self).hello() for _ in range(1)]
b = Both.make()
b.p = 4
print(b.hello(), b.comp(), b.st(3), b.p, Base.registry)
class Has:
    attr = 1
    """not a doc"""
print(Has.attr, Has().attr, Has.__doc__)
class Doc:
    "doc"
    a: int = 1
    b: "str"
    if a:
        c = [a for a in range(2)]
    for i in range(2):
        pass
    del i
print(Doc.__doc__, Doc.a, Doc.c, hasattr(Doc, "i"), list(Doc.__annotations__) if False else "")
def factory(n):
    class K:
        v = n
        def get(self):
            return n, __class__.__name__
    return K
print(factory(1)().get(), factory(2).v)
