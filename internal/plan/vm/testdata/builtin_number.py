print(abs(-3), abs(-2.5), abs(True), abs(-10**30), divmod(7, 2), divmod(-7, 2), divmod(7.5, 2), divmod(-10**20, 7))
print(pow(2, 10), pow(2, -1), pow(3, 5, 7), pow(3, -1, 7), pow(2, 3, -5), pow(2.0, 3), pow(base=2, exp=3, mod=5))
print(round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234, -2), round(1250, -2), round(2.5, 0), round(5, 3), round(1e300, 2), round(number=1.26, ndigits=1))
---
for f in (lambda: pow(2, 3, 0), lambda: pow(2, -1, 4), lambda: pow(2.0, 3, 5), lambda: pow("a", 2), lambda: pow("a", 2, 3), lambda: round("a"), lambda: round(1.5, "a"), lambda: divmod(1, 0), lambda: divmod("a", 1), lambda: abs("x"), lambda: round(float("nan")), lambda: round(float("inf")), lambda: abs(), lambda: divmod(1)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
print(sum([1, 2, 3]), sum([0.1] * 10), sum([], 5), sum([[1], [2]], []), sum((1, 2.5)), sum([True, True]), sum(range(101)), sum([10**20, 1]), sum([2**62, 2**62, 2**62]), sum([1], start=10))
print(sum([1e16, 1, -1e16]), sum(x * x for x in range(5)), sum({1: 2, 3: 4}), sum([(1,), (2,)], ()), sum([-2**63, -1]), sum([1.5, 10**20]))
for f in (lambda: sum("abc"), lambda: sum([], ""), lambda: sum([1, "a"]), lambda: sum(5), lambda: sum([[1]]), lambda: sum(), lambda: sum([], b"")):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
print(min(3, 1, 2), max(3, 1, 2), min([4, 2]), max("hello"), min({"b": 1, "a": 2}), max((x for x in [1, 9, 3])), min([], default=7), max([], default=None))
print(min("bb", "a", key=len), max(["aa", "b", "cc"], key=len), min([3, -4, 2], key=abs), max([1, 2, 3], key=lambda x: -x), max({"a": 5, "b": 9}, key={"a": 5, "b": 9}.get), min([(1, "z"), (1, "a")]), max([1.5, 1]), min(1, 1.0), max(1, 1.0))
for f in (lambda: min(), lambda: min([]), lambda: max(5), lambda: min(1, "a"), lambda: max(1, 2, default=3), lambda: min([1], foo=2), lambda: max([1, "a"]), lambda: min(key=len)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
class M:
    def __init__(self, n):
        self.n = n
    def __lt__(self, o):
        return self.n < o.n
    def __gt__(self, o):
        return self.n > o.n
    def __add__(self, o):
        return M(self.n + (o.n if isinstance(o, M) else o))
    __radd__ = __add__
    def __abs__(self):
        return "abs"
    def __round__(self, n=None):
        return ("round", n)
    def __divmod__(self, o):
        return ("divmod", o)
    def __rdivmod__(self, o):
        return ("rdivmod", o)
    def __pow__(self, o):
        return ("pow", o)
    def __len__(self):
        return 42
    def __hash__(self):
        return 99
    def __index__(self):
        return 255
    def __format__(self, spec):
        return f"<{spec}>"
    def __repr__(self):
        return f"M({self.n})"
print(min([M(3), M(1)]), max(M(3), M(1)), sum([M(1), M(2)]), sum([M(1)], M(5)), abs(M(1)), round(M(1)), round(M(1), 2), divmod(M(1), 2), divmod(2, M(1)), pow(M(1), 2))
print(len(M(1)), hash(M(1)), hex(M(1)), bin(M(1)), oct(M(1)), chr(M(1)), format(M(1), "abc"), repr(M(1)), ascii(M(1)), sorted([M(2), M(1)]), sum(M(i) for i in range(4)))
---
print(hex(255), hex(-255), oct(8), bin(10), bin(-5), hex(10**20), chr(97), chr(8364), chr(128512), ord("a"), ord("€"), ord(b"x"), hex(True), bin(0))
for f in (lambda: hex(1.5), lambda: chr(-1), lambda: chr(0x110000), lambda: chr("a"), lambda: ord("ab"), lambda: ord(""), lambda: ord(5), lambda: bin("a"), lambda: chr(10**30), lambda: ord(b"ab")):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
print(len("abc"), len([1]), len({}), len((1, 2)), len({1}), len(range(5)), len(b"ab"), len({}.keys()), len("é€"))
for f in (lambda: len(5), lambda: len(), lambda: len([], []), lambda: len(None), lambda: len(x for x in [])):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
print(hash(5) == hash(5.0), hash("a") == hash("a"), hash((1, 2)) == hash((1, 2)), hash(True), hash(-1), hash(2**61 - 1), hash(None) == hash(None), hash(0.5), hash(10**20))
for f in (lambda: hash([]), lambda: hash({}), lambda: hash({1}), lambda: hash((1, [])), lambda: hash(slice(1)) is not None):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
---
print(int(), int("5"), int(" -7 "), int(3.9), int("ff", 16), int("0b11", 0), float(), float("1e3"), float("inf"), bool(), bool([]), bool("x"), str(), str(5), str(None), list(), list("ab"), tuple([1]), dict(a=1), set("aa"), frozenset([1]))
for f in (lambda: int("x"), lambda: int(None), lambda: int([]), lambda: float("x"), lambda: int("1.5"), lambda: int("z", 36), lambda: int("1", 1), lambda: list(5), lambda: dict([1]), lambda: tuple(None), lambda: set([[]]), lambda: range(1.5), lambda: bool(1, 2)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, TypeError) else e)
