print(isinstance(1, int), isinstance(True, int), isinstance("a", (int, str)), isinstance(1, (str, (float, int))), isinstance(None, type(None)), isinstance(1, int | str), isinstance([], list | None), isinstance(int, type), isinstance(1.0, int), isinstance(ValueError(), Exception))
print(issubclass(bool, int), issubclass(int, (str, object)), issubclass(KeyError, LookupError), issubclass(int, str), issubclass(int, int | str))
for f in (lambda: isinstance(1, 5), lambda: isinstance(1, "int"), lambda: issubclass(1, int), lambda: issubclass(int, 5), lambda: isinstance(1), lambda: isinstance(1, (int, 5)), lambda: isinstance("a", (int, 5))):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
class A:
    x = 1
    def __init__(self):
        self.y = 2
    @property
    def p(self):
        return 5
    @property
    def bad(self):
        raise AttributeError("inner")
    @property
    def boom(self):
        raise ValueError("boom")
a = A()
print(getattr(a, "x"), getattr(a, "y"), getattr(a, "p"), getattr(a, "z", 9), getattr(a, "z", None), hasattr(a, "x"), hasattr(a, "z"), hasattr(a, "p"), hasattr(a, "bad"), getattr(a, "bad", "dflt"), getattr(A, "x"), getattr("s", "upper")(), hasattr([], "append"), hasattr(5, "foo"))
setattr(a, "z", 3)
setattr(A, "w", 7)
print(a.z, a.w, vars(a))
delattr(a, "z")
print(hasattr(a, "z"), vars(a))
for f in (lambda: getattr(a, "q"), lambda: getattr(a, 5), lambda: hasattr(a, "boom"), lambda: getattr(a, "boom", 1), lambda: delattr(a, "q"), lambda: setattr(a, "p", 1), lambda: setattr(5, "x", 1), lambda: getattr(a), lambda: vars(5), lambda: hasattr(a, 1), lambda: delattr(a, "x"), lambda: getattr(a, "bad")):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
class D:
    def __getattr__(self, name):
        if name.startswith("dyn_"):
            return name[4:]
        raise AttributeError(name)
    def __setattr__(self, name, v):
        object.__setattr__(self, name, v * 2)
d = D()
d.k = 4
setattr(d, "j", 5)
print(d.k, d.j, getattr(d, "dyn_x"), hasattr(d, "dyn_q"), hasattr(d, "zz"), getattr(d, "zz", "default"))
class P:
    def __init__(self):
        self._v = 0
    @property
    def v(self):
        return self._v
    @v.setter
    def v(self, x):
        self._v = x + 1
    @v.deleter
    def v(self):
        self._v = -1
p = P()
setattr(p, "v", 10)
print(p.v, getattr(p, "v"))
delattr(p, "v")
print(p.v)
---
def f(): pass
class C:
    def __call__(self):
        return 1
    @staticmethod
    def s():
        return "s"
    @classmethod
    def c(cls):
        return cls.__name__
print(callable(f), callable(C), callable(C()), callable(5), callable(len), callable("".upper), callable(lambda: 0), callable(None), callable(C.s), callable(C().c))
print(C.s(), C().s(), C.c(), C().c(), C()())
---
print(repr("a'b"), repr('a"b'), repr("\n\t\\"), repr([1, "x"]), repr({1: "a"}), repr((1,)), repr(None), repr(1.0), repr(b"a\x00"), ascii("é€😀"), ascii(["é"]), repr("é"), repr(range(3)), repr(slice(1, 2)), repr({1}), repr(set()), repr(frozenset()), repr(Ellipsis), repr(NotImplemented))
print(format(3.14159, ".2f"), format(42, "05d"), format("x", ">5"), format(1234567, ","), format(0.5, "%"), format(255, "x"), format(5), format("a", ""), format(True, "d"), format([1]), format(None))
for g in (lambda: format([1], "d"), lambda: format(5, "s"), lambda: format("a", "d"), lambda: format(1, 2), lambda: format()):
    try:
        print(g())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
print(type(1), type("a").__name__, type([]) is list, type(None), type(type), type(print).__name__, type(lambda: 0).__name__, type(x for x in []).__name__, type(int), type(1) == int, type(Exception()))
class A: pass
class B(A): pass
print(type(B()).__name__, type(B()) is B, type(B), isinstance(B(), A), type(A()).__name__)
---
print(print(end=""), print("a", "b", sep="-"), sep="|")
print()
print("a", end="")
print("b", "c", sep="", end="!\n")
print(1, 2.5, None, True, [1], {"a": (1,)}, sep=", ")
print("x", sep=None, end=None, flush=True)
print(*[1, 2, 3], sep="\n")
for f in (lambda: print(1, sep=5), lambda: print(1, end=5), lambda: print(1, foo=2)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
class S:
    def __str__(self):
        return "str!"
    def __repr__(self):
        return "repr!"
print(S(), [S()], f"{S()} {S()!r}", str(S()), repr(S()))
---
class Q: pass
q = Q()
q.a, q.b = 1, "x"
print(vars(q), sorted(k for k in vars(q)))
print(Ellipsis is ..., NotImplemented is NotImplemented, object() != object(), type(object()).__name__)
---
class Base:
    def __init__(self, x):
        self.x = x
    def hi(self):
        return f"base {self.x}"
    @classmethod
    def make(cls, x):
        return cls(x)
    @property
    def twice(self):
        return self.x * 2
class Child(Base):
    def __init__(self, x):
        super().__init__(x + 1)
    def hi(self):
        return "child " + super().hi()
    @classmethod
    def make(cls, x):
        return super().make(x * 10)
    @property
    def twice(self):
        return super().twice + 1
c = Child(1)
print(c.hi(), Child.make(2).x, c.twice, super(Child, c).hi(), issubclass(Child, Base))
---
class Temp:
    def __init__(self):
        self._c = 0
    def get(self):
        return self._c
    def put(self, v):
        self._c = v
    c = property(get, put, doc="celsius")
    ro = property(lambda self: 5)
t = Temp()
t.c = 5
print(t.c, Temp.c.__doc__, t.ro, Temp.c.fget(t))
for f in (lambda: setattr(t, "ro", 1), lambda: delattr(t, "c")):
    try:
        f()
    except AttributeError as e:
        print(e)
class W:
    def f(x):
        return x * 2
    f = staticmethod(f)
    def g(cls, y):
        return (cls.__name__, y)
    g = classmethod(g)
print(W.f(4), W().g(5))
---
print(int.__name__, str(int), [int, str], {"f": len}["f"]("abc"), list(map(type, [1, "a"])), (lambda f: f(3))(str), max.__name__, "abs" in [abs.__name__])
try:
    raise ValueError("a", 1)
except ValueError as e:
    print(e, e.args, repr(e), type(e).__name__)
try:
    undefined_name
except NameError as e:
    print(e)
print([c.__name__ for c in (ArithmeticError, LookupError, OSError, IOError, EnvironmentError, StopIteration, RecursionError, UnicodeDecodeError, Warning)])
