"""Decimal numbers. Decimal itself and its operations are native; contexts and signals are here."""

from collections import namedtuple as _namedtuple

__all__ = ['Decimal', 'Context', 'DecimalTuple', 'DefaultContext', 'BasicContext', 'ExtendedContext',
           'DecimalException', 'Clamped', 'InvalidOperation', 'DivisionByZero', 'Inexact', 'Rounded', 'Subnormal',
           'Overflow', 'Underflow', 'FloatOperation', 'DivisionImpossible', 'InvalidContext', 'ConversionSyntax',
           'DivisionUndefined', 'ROUND_DOWN', 'ROUND_HALF_UP', 'ROUND_HALF_EVEN', 'ROUND_CEILING', 'ROUND_FLOOR',
           'ROUND_UP', 'ROUND_HALF_DOWN', 'ROUND_05UP', 'setcontext', 'getcontext', 'localcontext', 'IEEEContext',
           'MAX_PREC', 'MAX_EMAX', 'MIN_EMIN', 'MIN_ETINY', 'IEEE_CONTEXT_MAX_BITS', 'HAVE_THREADS',
           'HAVE_CONTEXTVAR']

ROUND_DOWN = 'ROUND_DOWN'
ROUND_HALF_UP = 'ROUND_HALF_UP'
ROUND_HALF_EVEN = 'ROUND_HALF_EVEN'
ROUND_CEILING = 'ROUND_CEILING'
ROUND_FLOOR = 'ROUND_FLOOR'
ROUND_UP = 'ROUND_UP'
ROUND_HALF_DOWN = 'ROUND_HALF_DOWN'
ROUND_05UP = 'ROUND_05UP'
MAX_PREC = 999999999999999999
MAX_EMAX = 999999999999999999
MIN_EMIN = -999999999999999999
MIN_ETINY = -1999999999999999997
IEEE_CONTEXT_MAX_BITS = 512
HAVE_THREADS = True
HAVE_CONTEXTVAR = True
_ROUNDINGS = (ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,
              ROUND_05UP)

DecimalTuple = _namedtuple('DecimalTuple', 'sign digits exponent')
DecimalTuple.__module__ = 'decimal'


class DecimalException(ArithmeticError):
    pass


class Clamped(DecimalException):
    pass


class InvalidOperation(DecimalException):
    pass


class ConversionSyntax(InvalidOperation):
    pass


class DivisionByZero(DecimalException, ZeroDivisionError):
    pass


class DivisionImpossible(InvalidOperation):
    pass


class DivisionUndefined(InvalidOperation, ZeroDivisionError):
    pass


class Inexact(DecimalException):
    pass


class InvalidContext(InvalidOperation):
    pass


class Rounded(DecimalException):
    pass


class Subnormal(DecimalException):
    pass


class Overflow(Inexact, Rounded):
    pass


class Underflow(Inexact, Rounded, Subnormal):
    pass


class FloatOperation(DecimalException, TypeError):
    pass


# The signals with the bits by which the natives know them, and in the order in which they are shown.
_BITS = {InvalidOperation: 1, FloatOperation: 2, DivisionByZero: 4, Overflow: 8, Underflow: 16, Subnormal: 32,
         Inexact: 64, Rounded: 128, Clamped: 256}
_SHOWN = (Clamped, InvalidOperation, DivisionByZero, Inexact, FloatOperation, Overflow, Rounded, Subnormal, Underflow)


class _Signals:
    """The flags or the traps of a context, as a mapping from signals to truths."""
    __slots__ = ('_context', '_slot')

    def __init__(self, context, slot):
        self._context = context
        self._slot = slot

    def __getitem__(self, signal):
        if signal not in _BITS:
            raise KeyError('invalid error flag')
        return bool(getattr(self._context, self._slot) & _BITS[signal])

    def __setitem__(self, signal, value):
        if signal not in _BITS:
            raise KeyError('invalid error flag')
        bits = getattr(self._context, self._slot)
        bit = _BITS[signal]
        object.__setattr__(self._context, self._slot, (bits | bit) if value else (bits & ~bit))

    def __delitem__(self, signal):
        raise ValueError('signal keys cannot be deleted')

    def __iter__(self):
        return iter(_ORDER)

    def __len__(self):
        return len(_ORDER)

    def __contains__(self, signal):
        return signal in _BITS

    def keys(self):
        return list(_ORDER)

    def values(self):
        return [self[s] for s in _ORDER]

    def items(self):
        return [(s, self[s]) for s in _ORDER]

    def get(self, signal, default=None):
        return self[signal] if signal in _BITS else default

    def copy(self):
        return {s: self[s] for s in _ORDER}

    def update(self, other):
        for s in other:
            self[s] = other[s]

    def __eq__(self, other):
        if isinstance(other, _Signals):
            return self.copy() == other.copy()
        if isinstance(other, dict):
            return self.copy() == other
        return NotImplemented

    def __repr__(self):
        return '{' + ', '.join([f'{s!r}:{self[s]!r}' for s in _ORDER]) + '}'


_ORDER = (InvalidOperation, FloatOperation, DivisionByZero, Overflow, Underflow, Subnormal, Inexact, Rounded, Clamped)


def _mask(given, default):
    if given is None:
        return default
    bits = 0
    if isinstance(given, (dict, _Signals)):
        for s in given:
            if s not in _BITS:
                raise TypeError('invalid signal dict')
            if given[s]:
                bits |= _BITS[s]
        return bits
    if not isinstance(given, (list, tuple)):
        raise TypeError('argument must be a signal dict')
    for s in given:
        if s not in _BITS:
            raise TypeError('valid values for signals are:\n  [InvalidOperation, FloatOperation, DivisionByZero,\n'
                            '   Overflow, Underflow, Subnormal, Inexact, Rounded,\n   Clamped]')
        bits |= _BITS[s]
    return bits


def _bounded(name, value, low, high):
    if not isinstance(value, int):
        raise TypeError("an integer is required")
    if not low <= value <= high:
        raise ValueError(f'valid range for {name} is [{_bound(low)}, {_bound(high)}]')


def _bound(n):
    return {MAX_PREC: 'MAX_PREC', MIN_EMIN: 'MIN_EMIN'}.get(n, str(n))


class Context:
    _qualified_ = True

    def __init__(self, prec=None, rounding=None, Emin=None, Emax=None, capitals=None, clamp=None, flags=None,
                 traps=None):
        base = _defaults
        set = object.__setattr__
        set(self, '_flags', _mask(flags, 0))
        set(self, '_traps', _mask(traps, base['_traps']))
        self.prec = base['prec'] if prec is None else prec
        self.rounding = base['rounding'] if rounding is None else rounding
        self.Emin = base['Emin'] if Emin is None else Emin
        self.Emax = base['Emax'] if Emax is None else Emax
        self.capitals = base['capitals'] if capitals is None else capitals
        self.clamp = base['clamp'] if clamp is None else clamp

    def __setattr__(self, name, value):
        if name == 'prec':
            _bounded('prec', value, 1, MAX_PREC)
        elif name == 'Emax':
            if not isinstance(value, int):
                raise TypeError('an integer is required')
            if not 0 <= value <= MAX_EMAX:
                raise ValueError('valid range for Emax is [0, MAX_EMAX]')
        elif name == 'Emin':
            if not isinstance(value, int):
                raise TypeError('an integer is required')
            if not MIN_EMIN <= value <= 0:
                raise ValueError('valid range for Emin is [MIN_EMIN, 0]')
        elif name == 'rounding':
            if not isinstance(value, str) or value not in _ROUNDINGS:
                raise TypeError('valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN,\n'
                                '   ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n   ROUND_05UP]')
        elif name == 'capitals':
            if not isinstance(value, int) or value not in (0, 1):
                raise ValueError('valid values for capitals are 0 or 1')
        elif name == 'clamp':
            if not isinstance(value, int) or value not in (0, 1):
                raise ValueError('valid values for clamp are 0 or 1')
        elif name == 'flags':
            object.__setattr__(self, '_flags', _mask(value, 0))
            return
        elif name == 'traps':
            object.__setattr__(self, '_traps', _mask(value, 0))
            return
        else:
            raise AttributeError(f"'decimal.Context' object has no attribute '{name}'")
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        raise AttributeError(f'context attribute {name} cannot be deleted')

    @property
    def flags(self):
        return _Signals(self, '_flags')

    @property
    def traps(self):
        return _Signals(self, '_traps')

    def __repr__(self):
        flags = ', '.join([s.__name__ for s in _SHOWN if self._flags & _BITS[s]])
        traps = ', '.join([s.__name__ for s in _SHOWN if self._traps & _BITS[s]])
        return (f'Context(prec={self.prec}, rounding={self.rounding}, Emin={self.Emin}, Emax={self.Emax}, '
                f'capitals={self.capitals}, clamp={self.clamp}, flags=[{flags}], traps=[{traps}])')

    def clear_flags(self):
        object.__setattr__(self, '_flags', 0)

    def clear_traps(self):
        object.__setattr__(self, '_traps', 0)

    def copy(self):
        return Context(self.prec, self.rounding, self.Emin, self.Emax, self.capitals, self.clamp, self.flags,
                       self.traps)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def Etiny(self):
        return self.Emin - (self.prec - 1)

    def Etop(self):
        return self.Emax - (self.prec - 1)

    def radix(self):
        return Decimal(10)

    def create_decimal(self, num='0', /):
        return _create(self, num)

    def create_decimal_from_float(self, f, /):
        return self.plus(Decimal.from_float(f))

    def add(self, x, y, /):
        return self._under(lambda: _number(x) + _number(y))

    def subtract(self, x, y, /):
        return self._under(lambda: _number(x) - _number(y))

    def multiply(self, x, y, /):
        return self._under(lambda: _number(x) * _number(y))

    def divide(self, x, y, /):
        return self._under(lambda: _number(x) / _number(y))

    def divide_int(self, x, y, /):
        return self._under(lambda: _number(x) // _number(y))

    def remainder(self, x, y, /):
        return self._under(lambda: _number(x) % _number(y))

    def divmod(self, x, y, /):
        return self._under(lambda: divmod(_number(x), _number(y)))

    def power(self, a, b, modulo=None):
        if modulo is None:
            return self._under(lambda: _number(a) ** _number(b))
        return self._under(lambda: pow(_number(a), _number(b), _number(modulo)))

    def plus(self, x, /):
        return self._under(lambda: +_number(x))

    def minus(self, x, /):
        return self._under(lambda: -_number(x))

    def abs(self, x, /):
        return self._under(lambda: abs(_number(x)))

    def fma(self, x, y, z, /):
        return _number(x).fma(y, z, context=self)

    def to_sci_string(self, x, /):
        return self._under(lambda: str(_number(x)))

    def _under(self, f):
        """Calls f with self as the current context."""
        saved = _current()
        _use(self)
        try:
            return f()
        finally:
            _use(saved)


def _number(x):
    if isinstance(x, Decimal):
        return x
    if isinstance(x, int):
        return Decimal(x)
    raise TypeError(f'conversion from {type(x).__name__} to Decimal is not supported')


def _one(name):
    def method(self, x, /):
        return getattr(_number(x), name)(context=self)
    method.__name__ = name
    method.__qualname__ = f'Context.{name}'
    return method


def _two(name):
    def method(self, x, y, /):
        return getattr(_number(x), name)(y, context=self)
    method.__name__ = name
    method.__qualname__ = f'Context.{name}'
    return method


def _bare(name):
    def method(self, x, /):
        return getattr(_number(x), name)()
    method.__name__ = name
    method.__qualname__ = f'Context.{name}'
    return method


for _name in ('sqrt', 'exp', 'ln', 'log10', 'normalize', 'next_minus', 'next_plus', 'logb', 'logical_invert',
              'number_class', 'is_normal', 'is_subnormal', 'to_eng_string', 'to_integral_value', 'to_integral_exact',
              'to_integral'):
    setattr(Context, _name, _one(_name))
for _name in ('compare', 'compare_signal', 'compare_total', 'compare_total_mag', 'max', 'max_mag', 'min', 'min_mag',
              'next_toward', 'quantize', 'remainder_near', 'rotate', 'same_quantum', 'scaleb', 'shift', 'logical_and',
              'logical_or', 'logical_xor', 'copy_sign'):
    setattr(Context, _name, _two(_name))
for _name in ('canonical', 'copy_abs', 'copy_negate', 'is_canonical', 'is_finite', 'is_infinite', 'is_nan', 'is_qnan',
              'is_signed', 'is_snan', 'is_zero'):
    setattr(Context, _name, _bare(_name))
Context.copy_decimal = lambda self, x, /: _number(x)

_defaults = {'prec': 28, 'rounding': ROUND_HALF_EVEN, 'Emin': -999999, 'Emax': 999999, 'capitals': 1, 'clamp': 0,
             '_traps': 1 | 4 | 8}
DefaultContext = Context()
BasicContext = Context(prec=9, rounding=ROUND_HALF_UP,
                       traps=[DivisionByZero, Overflow, InvalidOperation, Clamped, Underflow], flags=[])
ExtendedContext = Context(prec=9, rounding=ROUND_HALF_EVEN, traps=[], flags=[])


def IEEEContext(bits, /):
    if bits <= 0 or bits > IEEE_CONTEXT_MAX_BITS or bits % 32:
        raise ValueError(f'argument must be a multiple of 32, with a maximum of {IEEE_CONTEXT_MAX_BITS}')
    top = 3 * (1 << (bits // 16 + 3))
    return Context(prec=9 * (bits // 32) - 2, rounding=ROUND_HALF_EVEN, Emin=1 - top, Emax=top, capitals=1, clamp=1,
                   flags=[], traps=[])


def getcontext():
    return _current()


def setcontext(context, /):
    if not isinstance(context, Context):
        raise TypeError('argument must be a context')
    if context is DefaultContext or context is BasicContext or context is ExtendedContext:
        context = context.copy()
        context.clear_flags()
    _use(context)


class _Local:

    def __init__(self, context):
        self.context = context

    def __enter__(self):
        self.saved = _current()
        _use(self.context)
        return self.context

    def __exit__(self, kind, value, trace):
        _use(self.saved)
        return False


_CONTEXT_NAMES = ('prec', 'rounding', 'Emin', 'Emax', 'capitals', 'clamp', 'flags', 'traps')


def localcontext(ctx=None, **kwargs):
    made = (_current() if ctx is None else ctx).copy()
    for name in kwargs:
        if name not in _CONTEXT_NAMES:
            raise TypeError(f"localcontext() got an unexpected keyword argument '{name}'")
        setattr(made, name, kwargs[name])
    return _Local(made)


_use(Context())
