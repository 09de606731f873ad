# making and showing
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
for s in ['0', '-0', '1', '1.0', '-1.50', '1e5', '1E-7', '0.000001', '0.0000001', '123456789.123456789123456789123456789', 'Infinity', '-inf', 'nan', '  7.5 ', '1_000.5', '+3', '.5', '5.', '0e10', '0E-10', '1e+99999', '١٢']:
    d = Decimal(s)
    print(repr(d), str(d), f"{d}", d.as_tuple())
print(Decimal(5), Decimal(-10**40), Decimal(0.1), Decimal(2.5), Decimal(True), Decimal(), Decimal(Decimal('1.10')), Decimal.from_float(1.25), Decimal(-0.0), Decimal(1e300) == 1e300)
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
try:
    Decimal('x')
except ArithmeticError as e:
    print(type(e).__name__)
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
try:
    Decimal('')
except ArithmeticError as e:
    print(type(e).__name__)
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal, InvalidOperation
for bad in ('1.2.3', '1e', '--1', '1 2', 'in', 'nanx', '0x1'):
    try:
        print(Decimal(bad))
    except InvalidOperation as e:
        print(bad, type(e).__name__)
for bad in ({}, None):
    try:
        print(Decimal(bad))
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
---
# arithmetic
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal as D
a, b = D('10.50'), D('3')
print(a + b, a - b, a * b, a / b, a // b, a % b, divmod(a, b), a ** 2, a ** -1, a ** D('0.5'), -a, +a, abs(-a), D(2) ** 100)
print(a + 1, 1 + a, 2 - a, a * 3, 3 / a, 7 // b, 7 % b, 2 ** b, D('0.1') + D('0.2'), D('0.1') + D('0.2') == D('0.3'), sum([D('0.1')] * 10), D('1.20') + D('1.30'))
print(D(1) / 7, D(22) / 7, D(1) / 3 * 3, D('1e-30') + 1, D(10) / 4, D('100') / D('0.25'), D(-7) // 2, D(-7) % 2, divmod(D(-7), 2), D('1.00') * 2)
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
try:
    Decimal(1) / 0
except ArithmeticError as e:
    print(type(e).__name__)
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
try:
    Decimal(0) / 0
except ArithmeticError as e:
    print(type(e).__name__)
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
try:
    Decimal(1) % 0
except ArithmeticError as e:
    print(type(e).__name__)
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
Decimal('1') + 1.5
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
try:
    Decimal('1e30') // 1
except ArithmeticError as e:
    print(type(e).__name__)
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
try:
    Decimal(-1).sqrt()
except ArithmeticError as e:
    print(type(e).__name__)
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
try:
    Decimal('1e99999') ** 20
except ArithmeticError as e:
    print(type(e).__name__)
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
try:
    Decimal('NaN') < 1
except ArithmeticError as e:
    print(type(e).__name__)
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
int(Decimal('inf'))
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
int(Decimal('nan'))
---
# quantize and rounding
from decimal import Decimal, ROUND_UP, ROUND_DOWN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP, setcontext, Context
setcontext(Context())
for r in (ROUND_UP, ROUND_DOWN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP):
    print(r, [str(Decimal(s).quantize(Decimal('1'), rounding=r)) for s in ('1.1', '1.5', '2.5', '-1.5', '-1.1', '0.5', '-0.4', '5.6', '10.01')])
print(Decimal('2.675').quantize(Decimal('0.01')), Decimal('2.675').quantize(Decimal('.01'), ROUND_HALF_UP), Decimal('123').quantize(Decimal('1e1')), Decimal('3.14159').quantize(Decimal('0.001')))
print(round(Decimal('2.5')), round(Decimal('3.5')), round(Decimal('2.675'), 2), round(Decimal('1234'), -2), type(round(Decimal('2.5'))).__name__, type(round(Decimal(1), 1)).__name__)
print(Decimal('2.7').to_integral_value(), Decimal('-2.5').to_integral_value(ROUND_HALF_UP), Decimal('1e3').to_integral(), Decimal('1.20').normalize(), Decimal('100').normalize(), Decimal('0.00').normalize())
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
try:
    Decimal('1e10').quantize(Decimal('1e-20'))
except ArithmeticError as e:
    print(type(e).__name__)
---
# contexts
from decimal import Decimal, Context, InvalidOperation, ROUND_UP, ROUND_DOWN, getcontext, localcontext, setcontext
setcontext(Context())
getcontext().prec = 6
print(Decimal(1) / 7, Decimal('123456789') + 0, +Decimal('1.23456789'))
getcontext().prec = 50
print(Decimal(1) / 7, Decimal(2).sqrt())
with localcontext() as ctx:
    ctx.prec = 5
    ctx.rounding = ROUND_UP
    print(Decimal(1) / 3, getcontext().prec)
print(getcontext().prec)
with localcontext(prec=3):
    print(Decimal(2) / 3)
c = Context(prec=4, rounding=ROUND_DOWN)
print(c.prec, c.rounding)
print(getcontext().copy() is getcontext(), Context().prec)
---
from decimal import Decimal, Context, getcontext, setcontext
setcontext(Context())
for f in (lambda: setattr(getcontext(), 'prec', 0), lambda: setattr(getcontext(), 'rounding', 'x'), lambda: setattr(getcontext(), 'foo', 1), lambda: Context(prec='a'), lambda: setcontext(3), lambda: Decimal(1).quantize(Decimal(1), rounding='q')):
    try:
        f()
    except (TypeError, ValueError, AttributeError) as e:
        print(type(e).__name__, e)
---
# comparison, hash, conversion
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal as D
from fractions import Fraction
import math
print(D('1.0') == D('1.00'), D(1) == 1, D('0.5') == 0.5, D('0.1') == 0.1, D(3) > 2, D('2.5') < 2.6, D(1) != 2, D('0.5') == Fraction(1, 2), D('0.3') < Fraction(1, 3), D(1) == 'x', D('nan') == D('nan'), D('inf') > 10**100)
print(hash(D('1.0')) == hash(1), hash(D('0.5')) == hash(0.5), hash(D('1e20')) == hash(10**20), {D('1.5'): 'a'}[1.5], len({D(1), 1, 1.0, D('1.00')}), sorted([D(3), 1, D('2.5')]), max(D(1), D(2)), min([D('0.1'), D('0.01')]))
print(int(D('-3.9')), float(D('0.1')), math.floor(D('-1.5')), math.ceil(D('1.2')), math.trunc(D('9.9')), bool(D('0.0')), D('3.25').as_integer_ratio(), D('1e-3').as_integer_ratio(), str(D('1E+3')), int(D('1E+3')), float(D('inf')))
print(D('12.3e5').adjusted(), D('7').is_nan(), D('-0').is_signed(), D('0').is_zero(), D('nan').is_nan())
print(math.sqrt(D(2)), D('2').exp(), D(10).ln(), D(0).exp(), D(1).ln(), D('0.5').exp())
---
# formats
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal as D
for spec in ('', '.2f', '10.2f', '<10.1f', '^12', '+.3f', ',', ',.2f', '015,.2f', '.0f', 'e', '.3e', '.3E', 'g', '.4g', '%', '.1%', '>20', '*^20.2f', ' .1f', '_.2f', 'f', '#.0f', 'n', '05'):
    print(spec, [format(D(s), spec) for s in ('0', '1234567.891', '-0.00004', '1E+10', '2.5', '-0.04', 'inf', 'nan', '99.995')])
print(f"{D('1234.5'):,.2f} {D('0.125'):.1%} {D('3'):.2f} {D('1e3'):f} {D('5'):>8}|")
print('%s %r %.2f %d' % (D('1.5'), D('1.5'), D('1.555'), D('7.9')))
---
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
format(Decimal(1), 'd')
---
# money
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal, ROUND_HALF_UP
prices = ['19.99', '5.01', '0.10']
total = sum((Decimal(p) for p in prices), Decimal('0'))
tax = (total * Decimal('0.0825')).quantize(Decimal('0.01'), rounding=ROUND_HALF_UP)
print(total, tax, total + tax, f"${total + tax:,.2f}")
balance = Decimal('1000')
for month in range(12):
    balance += (balance * Decimal('0.05') / 12).quantize(Decimal('0.01'))
print(balance)
---
# subclasses, isinstance, copies
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal
import copy
class Money(Decimal):
    def pretty(self):
        return f'{self:.2f} EUR'
m = Money('12.5')
print(m.pretty(), type(m + 1).__name__, m == Decimal('12.5'), isinstance(m, Decimal), repr(m), copy.copy(Decimal(1)), Decimal, type(Decimal(1)).__name__)
---
# generated: arithmetic
from decimal import Decimal, ROUND_UP, ROUND_DOWN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP, getcontext, setcontext, Context
setcontext(Context())
n = 17
def draw(k):
    global n
    n = (n * 6364136223846793005 + 1442695040888963407) % 2 ** 64
    return (n >> 33) % k
def number():
    digits = ''.join(str(draw(10)) for _ in range(1 + draw(draw(40) + 1)))
    return Decimal(('-' if draw(3) == 0 else '') + digits + 'E' + str(draw(60) - 30 if draw(4) else draw(6)))
modes = [ROUND_UP, ROUND_DOWN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP]
c = getcontext()
def tell(f):
    try:
        return str(f())
    except ArithmeticError as e:
        return type(e).__name__
for i in range(400):
    c.prec = 1 + draw(40)
    c.rounding = modes[draw(8)]
    a, b = number(), number()
    print(a, b, c.prec, c.rounding, [tell(f) for f in (lambda: a + b, lambda: a - b, lambda: a * b, lambda: a / b, lambda: a // b, lambda: a % b, lambda: divmod(a, b), lambda: +a, lambda: -a, lambda: abs(b), lambda: a.quantize(b), lambda: a.sqrt(), lambda: a.normalize())])
    print(a < b, a == b, a.to_integral_value(), tell(lambda: round(a, 2)), hash(a), a.as_tuple().exponent, a.adjusted(), f'{a:.{draw(8)}f} {b:.{draw(8)}e} {a:.{draw(8)}g} {b:,}', int(a), a.as_integer_ratio())
---
# generated: exp, ln, log10, powers
from decimal import Decimal, getcontext, setcontext, Context
setcontext(Context())
n = 23
def draw(k):
    global n
    n = (n * 6364136223846793005 + 1442695040888963407) % 2 ** 64
    return (n >> 33) % k
def tell(f):
    try:
        return str(f())
    except ArithmeticError as e:
        return type(e).__name__
c = getcontext()
for i in range(150):
    c.prec = 1 + draw(45)
    digits = ''.join(str(draw(10)) for _ in range(1 + draw(20)))
    a = Decimal(digits + 'E' + str(draw(12) - 16))
    b = Decimal(str(draw(2000) - 1000) + 'E' + str(-draw(4)))
    near = 1 + Decimal(draw(1000) - 500) * Decimal(10) ** (-draw(12) - 2)
    k = draw(200) - 100
    print(a, b, c.prec, [tell(f) for f in (lambda: b.exp(), lambda: a.ln(), lambda: near.ln(), lambda: near.exp(), lambda: a ** k, lambda: a ** b, lambda: b ** draw(9), lambda: near ** b)])
---
# pi and e to many digits
from decimal import setcontext, Context
setcontext(Context())
from decimal import Decimal, getcontext
getcontext().prec = 60
def pi():
    three = Decimal(3)
    lasts, t, s, n, na, d, da = 0, three, 3, 1, 0, 0, 24
    while s != lasts:
        lasts = s
        n, na = n + na, na + 8
        d, da = d + da, da + 32
        t = (t * n) / d
        s += t
    return +s
print(pi(), Decimal(1).exp(), Decimal(2).sqrt(), Decimal(2).ln(), Decimal(10).ln())
---
# powers at the edges
from decimal import Decimal, Context, getcontext, setcontext
setcontext(Context())
def tell(f):
    try:
        return str(f())
    except ArithmeticError as e:
        return type(e).__name__
for a in ('0', '-0', '1', '1.00', '-1', '2', '-2', '0.5', 'inf', '-inf', 'nan', '10', '4', '-8', '1.0000000001'):
    for b in ('0', '1', '-1', '2', '-2', '0.5', '-0.5', '3', 'inf', '-inf', '1e3', '-1e3', 'nan'):
        print(a, b, tell(lambda: Decimal(a) ** Decimal(b)), end='; ')
    print()
print(2 ** Decimal(3))
