# making fractions
from fractions import Fraction
print([Fraction(a) for a in (3, '3/4', ' -7/3 ', '1.25', '1e-3', '.5', '2.', 0.5, True, '1_000/3')], Fraction(6, -8), Fraction(0, 5), Fraction(Fraction(1, 2), Fraction(3, 4)), Fraction())
print(repr(Fraction(1, 3)), str(Fraction(4, 2)))
---
from fractions import Fraction
for bad in ('', 'x', '1/', '1/0', '1 / 2', '1.2/3', '--1', '1e', '.'):
    try:
        print(Fraction(bad))
    except (ValueError, ZeroDivisionError) as e:
        print(type(e).__name__, e)
for args in ((1, 0), (1.5, 2), ([],), (None,)):
    try:
        print(Fraction(*args))
    except (TypeError, ZeroDivisionError) as e:
        print(type(e).__name__, e)
---
# arithmetic
from fractions import Fraction as F
a, b = F(3, 4), F(-5, 6)
print(a + b, a - b, a * b, a / b, a // b, a % b, -a, +a, abs(b), a ** 2, a ** -2, b ** 3, b ** -3, a ** 0)
print(a + 1, 1 - a, 2 * a, 1 / a, 7 // a, 7 % a, a + 0.5, 0.5 * a, a ** 0.5, a ** F(1, 2))
print(float(a), int(b), round(F(5, 2)), round(F(7, 2)), round(F(22, 7), 2), round(F(1234), -2), bool(F(0)), hash(F(1, 2)) == hash(0.5), hash(F(3)) == hash(3))
print(a < b, a > 0.5, a <= 1, a >= F(3, 4), a == 0.75, a == F(6, 8), F(2) == 2, a != b, sorted([a, b, 0, 1.5]), max(a, b), sum([F(1, 2), F(1, 3), 1]))
---
from fractions import Fraction
Fraction(1, 2) / 0
---
from fractions import Fraction
Fraction(1, 2) + 'x'
---
from fractions import Fraction
Fraction(1, 2) < 'x'
---
from fractions import Fraction
import math
x = Fraction(-7, 2)
print(math.floor(x), math.ceil(x), math.trunc(x), x.numerator, x.denominator, x.as_integer_ratio())
---
# formatting
from fractions import Fraction as F
for spec in ('', '.2f', '10.3f', '<10.3f', '+.1f', '08.2f', ',.2f', '.0f', '.2%', '#.0f', '012,.1f', ' .2f'):
    print(spec, [format(x, spec) for x in (F(1, 3), F(-22, 7), F(1234567, 2), F(0), F(1, 1000000))])
---
# generated
from fractions import Fraction as F
n = 3
def draw(k):
    global n
    n = (n * 6364136223846793005 + 1442695040888963407) % 2 ** 64
    return (n >> 33) % k
for i in range(200):
    a, b = F(draw(2000) - 1000, 1 + draw(99)), F(draw(200) - 100, 1 + draw(999))
    print(a, b, a + b, a - b, a * b, a < b, a == b, float(a), round(a, 1), f'{a:.3f} {b:.1%}', hash(a), a // (b or 1), a % (b or 1), b ** (draw(7) - 3) if b else 0)
---
# a sum that is exact
from fractions import Fraction
print(sum(Fraction(1, n) for n in range(1, 30)), Fraction(1, 3) * 3 == 1, 0.1 + 0.2 == 0.3, Fraction('0.1') + Fraction('0.2') == Fraction('0.3'))
