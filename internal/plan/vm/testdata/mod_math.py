import math
def t(*fs):
    for f in fs:
        try:
            print(repr(f()), end=" ")
        except Exception as e:
            print(type(e).__name__, e, end=" ")
    print()
t(lambda: math.sqrt(-1), lambda: math.sqrt("a"), lambda: math.sqrt(10**400), lambda: math.sqrt(2), lambda: math.sqrt(True))
t(lambda: math.log(0), lambda: math.log(0.0), lambda: math.log(-1.5), lambda: math.log(10**400), lambda: math.log(-10**400), lambda: math.log(1, 1), lambda: math.log(5, 0), lambda: math.log(8, 2), lambda: math.log(100, 10))
t(lambda: math.log2(0), lambda: math.log2(-1.0), lambda: math.log10(0), lambda: math.log2(8), lambda: math.log10(1000), lambda: math.log2(2**2000), lambda: math.log10(10**400), lambda: math.log1p(-1), lambda: math.log1p(1e-10))
t(lambda: math.exp(1000), lambda: math.exp2(5000), lambda: math.expm1(1000), lambda: math.exp(1), lambda: math.exp(-1000), lambda: math.exp2(10), lambda: math.expm1(1e-10))
---
import math
def t(*fs):
    for f in fs:
        try:
            print(repr(f()), end=" ")
        except Exception as e:
            print(type(e).__name__, e, end=" ")
    print()
inf, nan = math.inf, math.nan
t(lambda: math.sin(inf), lambda: math.cos(inf), lambda: math.tan(inf), lambda: math.sin(1), lambda: math.cos(1), lambda: math.tan(1), lambda: math.sin(math.pi), lambda: math.sin(nan))
t(lambda: math.asin(2), lambda: math.acos(2), lambda: math.asin(0.5), lambda: math.acos(0.5), lambda: math.atan(1), lambda: math.atan2(1, -1))
t(lambda: math.sinh(1000), lambda: math.cosh(1000), lambda: math.sinh(1), lambda: math.cosh(1), lambda: math.tanh(1), lambda: math.degrees(1), lambda: math.radians(180))
t(lambda: f'{math.erf(0.5):.12g} {math.erfc(2):.12g}')
---
import math
def t(*fs):
    for f in fs:
        try:
            print(repr(f()), end=" ")
        except Exception as e:
            print(type(e).__name__, e, end=" ")
    print()
inf, nan = math.inf, math.nan
t(lambda: math.pow(0, -1), lambda: math.pow(-1, 0.5), lambda: math.pow(10, 400), lambda: math.pow(2, 0.5), lambda: math.pow(nan, 0), lambda: math.pow(1, nan), lambda: math.pow(-inf, 3))
t(lambda: math.fmod(1, 0), lambda: math.fmod(inf, 1), lambda: math.fmod(-7, 3), lambda: math.fmod(7, -3))
t(lambda: math.factorial(-1), lambda: math.factorial(1.5), lambda: math.factorial(5.0), lambda: math.factorial("a"), lambda: math.factorial(10**20), lambda: math.factorial(20), lambda: math.factorial(30), lambda: math.factorial(0))
t(lambda: math.comb(5, -1), lambda: math.comb(-1, 1), lambda: math.comb(5.0, 1), lambda: math.comb(10**20, 10**20), lambda: math.comb(10**30, 10**20), lambda: math.comb(52, 5), lambda: math.comb(10**20, 3), lambda: math.comb(3, 5))
t(lambda: math.perm(5), lambda: math.perm(5, -1), lambda: math.perm(-5, 1), lambda: math.perm(10**30, 10**20), lambda: math.perm(5, None), lambda: math.perm(10, 3), lambda: math.perm(10**20, 2), lambda: math.perm(2, 3), lambda: math.perm(5, 0))
t(lambda: math.isqrt(-1), lambda: math.isqrt(1.5), lambda: math.isqrt(10**40), lambda: math.isqrt(99), lambda: math.gcd(1.5), lambda: math.gcd(), lambda: math.gcd(12, 18, 27), lambda: math.gcd(-4, 6), lambda: math.lcm(), lambda: math.lcm(0, 5), lambda: math.lcm(4, 6, 10))
---
import math
def t(*fs):
    for f in fs:
        try:
            print(repr(f()), end=" ")
        except Exception as e:
            print(type(e).__name__, e, end=" ")
    print()
inf, nan = math.inf, math.nan
t(lambda: math.floor("a"), lambda: math.ceil(inf), lambda: math.floor(nan), lambda: math.trunc("a"), lambda: math.trunc(inf), lambda: math.floor(-2.5), lambda: math.ceil(-2.5), lambda: math.trunc(-2.5), lambda: math.floor(5), lambda: math.floor(1e20))
t(lambda: math.prod([]), lambda: math.prod([2, 3], start=4), lambda: math.prod(["a"]), lambda: math.prod([1.5, 2]), lambda: math.prod(5), lambda: math.prod(x for x in [1, 2, 3]), lambda: math.prod(range(1, 25)))
t(lambda: math.dist([1], [1, 2]), lambda: math.dist((1, 2), (4, 6)), lambda: math.dist(1, 2), lambda: math.hypot(), lambda: math.hypot("a"), lambda: math.hypot(3, 4), lambda: math.hypot(1, 2, 3), lambda: math.hypot(inf, nan))
t(lambda: math.modf(-inf), lambda: math.modf(3.7), lambda: math.modf(-2.0))
t(lambda: math.isclose(1, 2, rel_tol=-1), lambda: math.isclose(1, 1 + 1e-10), lambda: math.isclose(0, 1e-10), lambda: math.isclose(0, 1e-10, abs_tol=1e-9), lambda: math.isclose(inf, inf), lambda: math.isclose(nan, nan))
---
import math
def t(*fs):
    for f in fs:
        try:
            print(repr(f()), end=" ")
        except Exception as e:
            print(type(e).__name__, e, end=" ")
    print()
inf, nan = math.inf, math.nan
t(lambda: math.fsum([1e308, 1e308]), lambda: math.fsum([inf, -inf]), lambda: math.fsum(["a"]), lambda: math.fsum([0.1] * 10), lambda: math.fsum([1e100, 1, -1e100]), lambda: math.fsum([]))
t(lambda: math.copysign(1, -0.0), lambda: math.fabs(-1), lambda: math.cbrt(8), lambda: math.isnan("a"), lambda: math.isnan(nan), lambda: math.isinf(-inf), lambda: math.isfinite(1), lambda: math.isfinite(10**400))
t(lambda: math.sin(), lambda: math.sin(1, 2), lambda: math.pow(1), lambda: math.log(), lambda: math.log(1, 2, 3), lambda: math.comb(1), lambda: math.atan2(1))
print(math.e, math.pi, math.tau, math.inf, math.nan)
class N:
    def __float__(self):
        return 2.5
    def __floor__(self):
        return "floor"
    def __ceil__(self):
        return "ceil"
    def __trunc__(self):
        return "trunc"
class I:
    def __index__(self):
        return 16
t(lambda: math.sqrt(N()), lambda: math.floor(N()), lambda: math.ceil(N()), lambda: math.trunc(N()), lambda: math.sqrt(I()), lambda: math.isqrt(I()), lambda: math.gcd(I(), 24))
---
import math
vals = [0.0, -0.0, 0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.3, 7.7, 9.5, 33.3, 100.0, 170.5, 1e-5, 1e-10, 1e-300, -0.3, -1.5, -2.7, -33.1, 0.999999, 1.000001, 12345.678]
for name in "acos asin atan ceil cos cosh degrees erf erfc exp exp2 expm1 fabs floor log log10 log1p log2 modf radians sin sinh sqrt tan tanh trunc".split():
    for v in vals:
        try:
            r = getattr(math, name)(v)
            r = f"{r:.8g}" if name in ("erf", "erfc", "sinh", "cosh", "tanh") else repr(r)
        except Exception as e:
            r = type(e).__name__ + " " + str(e)
        print(name, v, r)
---
import math
vals = [0.0, -0.0, 0.1, 0.5, 1.0, 1.5, 2.0, 3.3, 10.0, 1e-5, 1e300, -0.3, -1.0, -2.7, math.inf, -math.inf, math.nan]
for name in "atan2 copysign fmod hypot isclose log pow".split():
    for a in vals:
        for b in vals:
            try:
                r = repr(getattr(math, name)(a, b))
            except Exception as e:
                r = type(e).__name__ + " " + str(e)
            print(name, a, b, r)
