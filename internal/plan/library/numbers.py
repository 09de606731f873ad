"""The tower of numbers: what isinstance(x, numbers.Number) and its kin ask."""

__all__ = ['Number', 'Complex', 'Real', 'Rational', 'Integral']


class _Tower(type):
    def __instancecheck__(cls, value):
        return cls._holds(type(value))

    def __subclasscheck__(cls, kind):
        return cls._holds(kind)

    def _holds(cls, kind):
        for base in kind.__mro__:
            if base is cls or cls in _KNOWN.get(base, ()):
                return True
        return False

    def register(cls, kind):
        found = [k for k in (Number, Complex, Real, Rational, Integral) if k in cls.__mro__]
        _KNOWN[kind] = _KNOWN.get(kind, ()) + tuple(found)
        return kind


class Number(metaclass=_Tower):
    __slots__ = ()


class Complex(Number):
    __slots__ = ()


class Real(Complex):
    __slots__ = ()


class Rational(Real):
    __slots__ = ()


class Integral(Rational):
    __slots__ = ()


_KNOWN = {int: (Number, Complex, Real, Rational, Integral), float: (Number, Complex, Real)}
