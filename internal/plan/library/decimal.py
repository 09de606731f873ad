"""Decimal numbers. Decimal itself and its operations are native; contexts and exceptions are here."""

from collections import namedtuple as _namedtuple

ROUND_DOWN = 'ROUND_DOWN'
ROUND_HALF_UP = 'ROUND_HALF_UP'
ROUND_HALF_EVEN = 'ROUND_HALF_EVEN'
ROUND_CEILING = 'ROUND_CEILING'
ROUND_FLOOR = 'ROUND_FLOOR'
ROUND_UP = 'ROUND_UP'
ROUND_HALF_DOWN = 'ROUND_HALF_DOWN'
ROUND_05UP = 'ROUND_05UP'
_ROUNDINGS = (ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,
              ROUND_05UP)
MAX_PREC = 10000

DecimalTuple = _namedtuple('DecimalTuple', 'sign digits exponent')
DecimalTuple.__module__ = 'decimal'


class DecimalException(ArithmeticError):
    pass


class InvalidOperation(DecimalException):
    pass


class DivisionByZero(DecimalException, ZeroDivisionError):
    pass


class Overflow(DecimalException):
    pass


class Context:
    """How many digits results have, and how they are rounded."""
    _qualified_ = True

    def __init__(self, prec=28, rounding=ROUND_HALF_EVEN):
        self.prec = prec
        self.rounding = rounding

    def __setattr__(self, name, value):
        if name == 'prec':
            if not isinstance(value, int):
                raise TypeError('an integer is required')
            if not 1 <= value <= MAX_PREC:
                raise ValueError('valid range for prec is [1, MAX_PREC]')
        elif name == 'rounding':
            if not isinstance(value, str) or value not in _ROUNDINGS:
                raise TypeError('valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN,\n'
                                '   ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n   ROUND_05UP]')
        else:
            raise AttributeError(f"'decimal.Context' object has no attribute '{name}'")
        object.__setattr__(self, name, value)

    def copy(self):
        return Context(self.prec, self.rounding)


def getcontext():
    return _current()


def setcontext(context, /):
    if not isinstance(context, Context):
        raise TypeError('argument must be a context')
    _use(context)


class _Local:
    """Makes a context the current one while a block runs."""

    def __init__(self, context):
        self.context = context

    def __enter__(self):
        self.saved = _current()
        _use(self.context)
        return self.context

    def __exit__(self, kind, value, trace):
        _use(self.saved)


def localcontext(ctx=None, **kwargs):
    made = (_current() if ctx is None else ctx).copy()
    for name, value in kwargs.items():
        setattr(made, name, value)
    return _Local(made)


_use(Context())
