"""Exact fractions."""

import math as _math

__all__ = ['Fraction']

# The modulus of hashes, and the hash of what has no inverse there.
_MODULUS = 2 ** 61 - 1
_INFINITE = 314159


def _parse(text):
    """The numerator and denominator that text writes: digits over digits, or a decimal number."""
    top, slash, bottom = text.partition('/')
    try:
        if slash:
            if not bottom.lstrip()[:1].isdecimal():
                raise ValueError
            return int(top), int(bottom)
        from decimal import Decimal
        return Decimal(text).as_integer_ratio()
    except (ValueError, ArithmeticError):
        raise ValueError(f'Invalid literal for Fraction: {text!r}') from None


def _operator(exact, rough):
    """An operator and its reflection. exact computes with two numerators and denominators, rough with two floats."""
    def forward(a, b):
        if isinstance(b, (int, Fraction)):
            return exact(a._numerator, a._denominator, b.numerator, b.denominator)
        if isinstance(b, float):
            return rough(float(a), b)
        return NotImplemented

    def reflected(b, a):
        if isinstance(a, (int, Fraction)):
            return exact(a.numerator, a.denominator, b._numerator, b._denominator)
        if isinstance(a, float):
            return rough(a, float(b))
        return NotImplemented

    return forward, reflected


def _comparison(compare):
    def method(a, b):
        if isinstance(b, (int, Fraction)):
            return compare(a._numerator * b.denominator, a._denominator * b.numerator)
        if isinstance(b, float):
            if not _math.isfinite(b):
                return compare(0.0, b)
            n, d = b.as_integer_ratio()
            return compare(a._numerator * d, a._denominator * n)
        return NotImplemented

    return method


def _div(an, ad, bn, bd):
    if bn == 0:
        raise ZeroDivisionError(f'Fraction({an * bd // _math.gcd(an * bd, ad) if an else 0}, 0)')
    return _reduced(an * bd, ad * bn)


class Fraction:
    def __new__(cls, numerator=0, denominator=None):
        if denominator is None:
            if isinstance(numerator, str):
                n, d = _parse(numerator)
            elif hasattr(numerator, 'as_integer_ratio'):
                n, d = numerator.as_integer_ratio()
                return _make(n, d, cls)
            else:
                raise TypeError('argument should be a string or a Rational instance or '
                                'have the as_integer_ratio() method')
        elif isinstance(numerator, (int, Fraction)) and isinstance(denominator, (int, Fraction)):
            n = numerator.numerator * denominator.denominator
            d = denominator.numerator * numerator.denominator
        else:
            raise TypeError('both arguments should be Rational instances')
        if d == 0:
            raise ZeroDivisionError(f'Fraction({n}, 0)')
        return _reduced(n, d, cls)

    @property
    def numerator(self):
        return self._numerator

    @property
    def denominator(self):
        return self._denominator

    def as_integer_ratio(self):
        return self._numerator, self._denominator

    def __repr__(self):
        return f'{type(self).__name__}({self._numerator}, {self._denominator})'

    def __str__(self):
        if self._denominator == 1:
            return str(self._numerator)
        return f'{self._numerator}/{self._denominator}'

    def __format__(self, format_spec, /):
        if not format_spec:
            return str(self)
        from decimal import Decimal
        return format(Decimal(self._numerator) / self._denominator, format_spec)

    __add__, __radd__ = _operator(lambda an, ad, bn, bd: _reduced(an * bd + bn * ad, ad * bd), lambda a, b: a + b)
    __sub__, __rsub__ = _operator(lambda an, ad, bn, bd: _reduced(an * bd - bn * ad, ad * bd), lambda a, b: a - b)
    __mul__, __rmul__ = _operator(lambda an, ad, bn, bd: _reduced(an * bn, ad * bd), lambda a, b: a * b)
    __truediv__, __rtruediv__ = _operator(_div, lambda a, b: a / b)
    __floordiv__, __rfloordiv__ = _operator(lambda an, ad, bn, bd: an * bd // (ad * bn), lambda a, b: a // b)
    __mod__, __rmod__ = _operator(lambda an, ad, bn, bd: _reduced(an * bd % (bn * ad), ad * bd), lambda a, b: a % b)

    def __pow__(self, other):
        if isinstance(other, (int, Fraction)):
            if other.denominator != 1:
                return float(self) ** float(other)
            n = other.numerator
            if n >= 0:
                return _make(self._numerator ** n, self._denominator ** n)
            if self._numerator == 0:
                raise ZeroDivisionError(f'Fraction({self._denominator ** -n}, 0)')
            return _reduced(self._denominator ** -n, self._numerator ** -n)
        if isinstance(other, float):
            return float(self) ** other
        return NotImplemented

    def __pos__(self):
        return _make(self._numerator, self._denominator)

    def __neg__(self):
        return _make(-self._numerator, self._denominator)

    def __abs__(self):
        return _make(abs(self._numerator), self._denominator)

    def __int__(self):
        return self.__floor__() if self._numerator >= 0 else self.__ceil__()

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

    __eq__ = _comparison(lambda a, b: a == b)
    __lt__ = _comparison(lambda a, b: a < b)
    __gt__ = _comparison(lambda a, b: a > b)
    __le__ = _comparison(lambda a, b: a <= b)
    __ge__ = _comparison(lambda a, b: a >= b)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


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
