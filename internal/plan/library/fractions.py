"""Exact fractions."""

import math as _math
import numbers as _numbers

__all__ = ['Fraction']

# The modulus of hashes, and the hash of what has no inverse there.
_MODULUS = 2 ** 61 - 1
_INFINITE = 314159


def _parse(text):
    """The numerator and denominator that text writes, or None."""
    text = text.strip()
    sign = 1
    if text[:1] in ('+', '-'):
        sign = -1 if text[0] == '-' else 1
        text = text[1:]
    cut = text.find('/')
    if cut >= 0:
        n, d = _digits(text[:cut].rstrip()), _digits(text[cut + 1:].lstrip())
        if n is None or d is None:
            return None
        return sign * n, d
    exponent = 0
    for i, c in enumerate(text):
        if c in 'eE':
            tail = text[i + 1:]
            negative = tail[:1] == '-'
            exponent = _digits(tail[1:] if tail[:1] in ('+', '-') else tail)
            if exponent is None:
                return None
            exponent = -exponent if negative else exponent
            text = text[:i]
            break
    cut = text.find('.')
    whole, part = (text, '') if cut < 0 else (text[:cut], text[cut + 1:])
    if not whole and not part:
        return None
    n = 0 if not whole else _digits(whole)
    if n is None:
        return None
    d = 1
    if part:
        digits = _digits(part)
        if digits is None:
            return None
        d = 10 ** (len(part) - part.count('_'))
        n = n * d + digits
    if exponent >= 0:
        n *= 10 ** exponent
    else:
        d *= 10 ** -exponent
    return sign * n, d


def _digits(text):
    """Decimal digits with single underscores between them as an int, or None."""
    if not text or text[0] == '_' or text[-1] == '_' or '__' in text or not text.replace('_', '').isdecimal():
        return None
    return int(text)


class Fraction(_numbers.Rational):
    __slots__ = ('_numerator', '_denominator')

    def __new__(cls, numerator=0, denominator=None):
        if denominator is None:
            if type(numerator) is int:
                return _make(numerator, 1, cls)
            if isinstance(numerator, _numbers.Rational):
                return _make(numerator.numerator, numerator.denominator, cls)
            if isinstance(numerator, str):
                found = _parse(numerator)
                if found is None:
                    raise ValueError(f'Invalid literal for Fraction: {numerator!r}')
                n, d = found
                if d == 0:
                    raise ZeroDivisionError(f'Fraction({n}, 0)')
            elif hasattr(numerator, 'as_integer_ratio'):
                n, d = numerator.as_integer_ratio()
                return _make(n, d, cls)
            else:
                raise TypeError('argument should be a string or a Rational instance or '
                                'have the as_integer_ratio() method')
        elif type(numerator) is int and type(denominator) is int:
            n, d = numerator, denominator
        elif isinstance(numerator, _numbers.Rational) and isinstance(denominator, _numbers.Rational):
            n = numerator.numerator * denominator.denominator
            d = denominator.numerator * numerator.denominator
        else:
            raise TypeError('both arguments should be Rational instances')
        if d == 0:
            raise ZeroDivisionError(f'Fraction({n}, 0)')
        return _reduced(n, d, cls)

    @classmethod
    def from_float(cls, f):
        if isinstance(f, int):
            return cls(f)
        if not isinstance(f, float):
            raise TypeError(f'{cls.__name__}.from_float() only takes floats, not {f!r} ({type(f).__name__})')
        return cls(*f.as_integer_ratio())

    @classmethod
    def from_decimal(cls, dec):
        if isinstance(dec, int):
            return cls(dec)
        return cls(*dec.as_integer_ratio())

    @classmethod
    def from_number(cls, number):
        if type(number) is int:
            return _make(number, 1, cls)
        if isinstance(number, _numbers.Rational):
            return _make(number.numerator, number.denominator, cls)
        if isinstance(number, float) or (hasattr(number, 'as_integer_ratio') and not isinstance(number, str)):
            return _make(*number.as_integer_ratio(), cls)
        raise TypeError('argument should be a Rational instance or have the as_integer_ratio() method')

    @property
    def numerator(self):
        return self._numerator

    @property
    def denominator(self):
        return self._denominator

    @property
    def real(self):
        return +self

    @property
    def imag(self):
        return 0

    def conjugate(self):
        return +self

    def is_integer(self):
        return self._denominator == 1

    def as_integer_ratio(self):
        return self._numerator, self._denominator

    def limit_denominator(self, max_denominator=1000000):
        if max_denominator < 1:
            raise ValueError('max_denominator should be at least 1')
        if self._denominator <= max_denominator:
            return Fraction(self)
        p0, q0, p1, q1 = 0, 1, 1, 0
        n, d = self._numerator, self._denominator
        while True:
            a = n // d
            if q0 + a * q1 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q0 + a * q1
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        if 2 * d * (q0 + k * q1) <= self._denominator:
            return _make(p1, q1)
        return _make(p0 + k * p1, q0 + k * q1)

    def __repr__(self):
        return f'{type(self).__name__}({self._numerator}, {self._denominator})'

    def __str__(self):
        if self._denominator == 1:
            return str(self._numerator)
        return f'{self._numerator}/{self._denominator}'

    def __format__(self, format_spec, /):
        return _format(self, format_spec)

    def __add__(self, other):
        return _binary(self, other, _add, _FLOAT_ADD)

    def __radd__(self, other):
        return _reflected(self, other, _add, _FLOAT_ADD)

    def __sub__(self, other):
        return _binary(self, other, _sub, _FLOAT_SUB)

    def __rsub__(self, other):
        return _reflected(self, other, _sub, _FLOAT_SUB)

    def __mul__(self, other):
        return _binary(self, other, _mul, _FLOAT_MUL)

    def __rmul__(self, other):
        return _reflected(self, other, _mul, _FLOAT_MUL)

    def __truediv__(self, other):
        return _binary(self, other, _div, _FLOAT_DIV)

    def __rtruediv__(self, other):
        return _reflected(self, other, _div, _FLOAT_DIV)

    def __floordiv__(self, other):
        return _binary(self, other, _floor, _FLOAT_FLOOR)

    def __rfloordiv__(self, other):
        return _reflected(self, other, _floor, _FLOAT_FLOOR)

    def __mod__(self, other):
        return _binary(self, other, _mod, _FLOAT_MOD)

    def __rmod__(self, other):
        return _reflected(self, other, _mod, _FLOAT_MOD)

    def __divmod__(self, other):
        return _binary(self, other, _divmod, divmod)

    def __rdivmod__(self, other):
        return _reflected(self, other, _divmod, divmod)

    def __pow__(self, other, modulo=None):
        if modulo is not None:
            return NotImplemented
        if isinstance(other, _numbers.Rational):
            if other.denominator != 1:
                return float(self) ** float(other)
            n = other.numerator
            if n >= 0:
                return _make(self._numerator ** n, self._denominator ** n)
            if self._numerator > 0:
                return _make(self._denominator ** -n, self._numerator ** -n)
            if self._numerator == 0:
                raise ZeroDivisionError(f'Fraction({self._denominator ** -n}, 0)')
            return _make((-self._denominator) ** -n, (-self._numerator) ** -n)
        if isinstance(other, float):
            return float(self) ** other
        return NotImplemented

    def __rpow__(self, other, modulo=None):
        if modulo is not None:
            return NotImplemented
        if self._denominator == 1 and self._numerator >= 0:
            return other ** self._numerator
        if isinstance(other, _numbers.Rational):
            return Fraction(other.numerator, other.denominator) ** self
        if self._denominator == 1:
            return other ** self._numerator
        return other ** float(self)

    def __pos__(self):
        return _make(self._numerator, self._denominator)

    def __neg__(self):
        return _make(-self._numerator, self._denominator)

    def __abs__(self):
        return _make(abs(self._numerator), self._denominator)

    def __int__(self):
        return self._numerator // self._denominator if self._numerator >= 0 \
            else -(-self._numerator // self._denominator)

    __trunc__ = __int__

    def __float__(self):
        return self._numerator / self._denominator

    def __floor__(self):
        return self._numerator // self._denominator

    def __ceil__(self):
        return -(-self._numerator // self._denominator)

    def __round__(self, ndigits=None):
        if ndigits is None:
            return _nearest(self._numerator, self._denominator)
        shift = 10 ** abs(ndigits)
        if ndigits > 0:
            return Fraction(_nearest(self._numerator * shift, self._denominator), shift)
        return Fraction(_nearest(self._numerator, self._denominator * shift) * shift)

    def __bool__(self):
        return self._numerator != 0

    def __hash__(self):
        if self._denominator % _MODULUS == 0:
            found = _INFINITE
        else:
            found = hash(hash(abs(self._numerator)) * pow(self._denominator, -1, _MODULUS))
        found = found if self._numerator >= 0 else -found
        return -2 if found == -1 else found

    def __eq__(self, other):
        if type(other) is int:
            return (self._numerator, self._denominator) == (other, 1)
        if isinstance(other, _numbers.Rational):
            return (self._numerator, self._denominator) == (other.numerator, other.denominator)
        if isinstance(other, float):
            if _math.isnan(other) or _math.isinf(other):
                return other == 0.0
            return self == Fraction(*other.as_integer_ratio())
        return NotImplemented

    def __lt__(self, other):
        return _order(self, other, lambda a, b: a < b)

    def __gt__(self, other):
        return _order(self, other, lambda a, b: a > b)

    def __le__(self, other):
        return _order(self, other, lambda a, b: a <= b)

    def __ge__(self, other):
        return _order(self, other, lambda a, b: a >= b)

    def __copy__(self):
        return self if type(self) is Fraction else type(self)(self._numerator, self._denominator)

    def __deepcopy__(self, memo):
        return self if type(self) is Fraction else type(self)(self._numerator, self._denominator)


_numbers.Rational.register(Fraction)


def _make(n, d, cls=Fraction):
    """The fraction n / d, which is known to be in lowest terms."""
    made = object.__new__(cls)
    made._numerator = n
    made._denominator = d
    return made


def _reduced(n, d, cls=Fraction):
    g = _math.gcd(n, d)
    if d < 0:
        g = -g
    return _make(n // g, d // g, cls)


def _nearest(n, d):
    """n / d as the nearest int, half to even."""
    floor, rest = divmod(n, d)
    return floor + (2 * rest > d or (2 * rest == d and floor % 2 == 1))


def _binary(a, b, exact, rough):
    if type(b) is Fraction or isinstance(b, Fraction):
        return exact(a._numerator, a._denominator, b._numerator, b._denominator)
    if isinstance(b, int):
        return exact(a._numerator, a._denominator, b, 1)
    if isinstance(b, float):
        return rough(float(a), b)
    return NotImplemented


def _reflected(b, a, exact, rough):
    if isinstance(a, _numbers.Rational):
        return exact(a.numerator, a.denominator, b._numerator, b._denominator)
    if isinstance(a, float):
        return rough(a, float(b))
    return NotImplemented


_FLOAT_ADD = lambda a, b: a + b
_FLOAT_SUB = lambda a, b: a - b
_FLOAT_MUL = lambda a, b: a * b
_FLOAT_DIV = lambda a, b: a / b
_FLOAT_FLOOR = lambda a, b: a // b
_FLOAT_MOD = lambda a, b: a % b


def _add(an, ad, bn, bd):
    return _reduced(an * bd + bn * ad, ad * bd)


def _sub(an, ad, bn, bd):
    return _reduced(an * bd - bn * ad, ad * bd)


def _mul(an, ad, bn, bd):
    return _reduced(an * bn, ad * bd)


def _div(an, ad, bn, bd):
    if bn == 0:
        raise ZeroDivisionError(f'Fraction({an * bd // _math.gcd(an * bd, ad) if an else 0}, 0)')
    return _reduced(an * bd, ad * bn)


def _floor(an, ad, bn, bd):
    return (an * bd) // (ad * bn)


def _mod(an, ad, bn, bd):
    return _reduced((an * bd) % (bn * ad), ad * bd)


def _divmod(an, ad, bn, bd):
    whole, rest = divmod(an * bd, ad * bn)
    return whole, _reduced(rest, ad * bd)


def _order(a, b, compare):
    if isinstance(b, _numbers.Rational):
        return compare(a._numerator * b.denominator, a._denominator * b.numerator)
    if isinstance(b, float):
        if _math.isnan(b) or _math.isinf(b):
            return compare(0.0, b)
        n, d = b.as_integer_ratio()
        return compare(a._numerator * d, a._denominator * n)
    return NotImplemented


class _Spec:
    """A format specification, taken apart."""

    def __init__(self, text):
        at = 0
        self.fill, self.align = ' ', None
        if text[1:2] and text[1:2] in '<>=^':
            self.fill, self.align = text[0], text[1]
            at = 2
        elif text[:1] and text[:1] in '<>=^':
            self.align = text[0]
            at = 1
        self.sign, at = _one(text, at, '-+ ', '-')
        self.no_negative_zero, at = _one(text, at, 'z', '')
        self.alternate, at = _one(text, at, '#', '')
        self.zero, at = _one(text, at, '0', '')
        end = at
        while text[end:end + 1].isdecimal():
            end += 1
        self.width = int(text[at:end] or '0')
        self.grouping, at = _one(text, end, ',_', '')
        self.precision = None
        self.fraction_grouping = ''
        if text[at:at + 1] == '.':
            end = at + 1
            while text[end:end + 1].isdecimal():
                end += 1
            if end > at + 1:
                self.precision = int(text[at + 1:end])
            self.fraction_grouping, at = _one(text, end, ',_', '')
            if end == at and self.precision is None:
                self.kind = None
                return
        self.kind = text[at:] if len(text) - at <= 1 else None


def _one(text, at, choices, default):
    c = text[at:at + 1]
    if c and c in choices:
        return c, at + 1
    return default, at


def _format(x, text):
    s = _Spec(text)
    if s.kind == '' and s.precision is None and not s.zero and not s.no_negative_zero:
        return _format_general(x, s)
    if s.kind is None or s.kind not in ('e', 'E', 'f', 'F', 'g', 'G', '%') or s.align is not None and s.zero:
        raise ValueError(f'Invalid format specifier {text!r} for object of type {type(x).__name__!r}')
    return _format_float(x, s)


def _format_general(x, s):
    n, d = x._numerator, x._denominator
    body = f'{abs(n):{s.grouping}}'
    if d > 1 or s.alternate:
        body = f'{body}/{d:{s.grouping}}'
    return _padded('-' if n < 0 else '' if s.sign == '-' else s.sign, body, s)


def _padded(sign, body, s):
    free = s.width - len(sign) - len(body)
    pad = s.fill * max(free, 0)
    if s.align == '<':
        return sign + body + pad
    if s.align == '^':
        half = len(pad) // 2
        return pad[:half] + sign + body + pad[half:]
    if s.align == '=':
        return sign + pad + body
    return pad + sign + body


def _to_places(n, d, places):
    """n / d times 10 ** places as the nearest int, half to even; n is not negative."""
    if places >= 0:
        return _nearest(n * 10 ** places, d)
    return _nearest(n, d * 10 ** -places)


def _to_figures(n, d, figures):
    """The significant digits of n / d as an int, and the exponent of the last of them."""
    if n == 0:
        return 0, 1 - figures
    high = len(str(n)) - len(str(d))
    if high >= 0:
        high += n >= d * 10 ** high
    else:
        high += n * 10 ** -high >= d
    exponent = high - figures
    significand = _to_places(n, d, -exponent)
    if len(str(significand)) == figures + 1:
        significand //= 10
        exponent += 1
    return significand, exponent


def _format_float(x, s):
    n, d = x._numerator, x._denominator
    negative = n < 0
    n = abs(n)
    precision = 6 if s.precision is None else s.precision
    if s.kind in 'fF%':
        exponent = -precision
        significand = _to_places(n, d, precision + (2 if s.kind == '%' else 0))
        scientific = False
        point = precision
    elif s.kind in 'eE':
        significand, exponent = _to_figures(n, d, precision + 1)
        scientific = True
        point = precision
    else:
        figures = max(precision, 1)
        significand, exponent = _to_figures(n, d, figures)
        scientific = not -4 <= exponent + figures - 1 < figures
        point = figures - 1 if scientific else -exponent
    if significand == 0 and s.no_negative_zero:
        negative = False
    digits = f'{significand:0{point + 1}d}'
    suffix = '%' if s.kind == '%' else ''
    if scientific:
        suffix = f'{"E" if s.kind in "EG" else "e"}{exponent + point:+03d}'
    leading = digits[:len(digits) - point] if point else digits
    fraction = digits[len(digits) - point:] if point else ''
    if s.kind in 'gG' and not s.alternate:
        fraction = fraction.rstrip('0')
    if s.fraction_grouping:
        fraction = s.fraction_grouping.join([fraction[i:i + 3] for i in range(0, len(fraction), 3)])
    trailing = ('.' if fraction or s.alternate else '') + fraction + suffix
    sign = '-' if negative else '' if s.sign == '-' else s.sign
    if s.zero and s.align is None:
        free = s.width - len(sign) - len(trailing)
        if s.grouping:
            free = 3 * free // 4 + 1 if free > 0 else 0
        leading = leading.rjust(free, '0')
    if s.grouping:
        first = 1 + (len(leading) - 1) % 3
        leading = leading[:first] + ''.join([s.grouping + leading[i:i + 3] for i in range(first, len(leading), 3)])
    return _padded(sign, leading + trailing, s)
