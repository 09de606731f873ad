"""Statistics. Means and variances are computed exactly and rounded once."""

import math as _math
from collections import Counter as _Counter, namedtuple as _namedtuple
from fractions import Fraction as _Fraction

__all__ = ['StatisticsError', 'correlation', 'covariance', 'fmean', 'geometric_mean', 'harmonic_mean',
           'linear_regression', 'mean', 'median', 'median_high', 'median_low', 'mode', 'multimode', 'pstdev',
           'pvariance', 'quantiles', 'stdev', 'variance']


class StatisticsError(ValueError):
    pass


LinearRegression = _namedtuple('LinearRegression', ('slope', 'intercept'))


def _is_decimal(kind):
    return kind.__module__ == 'decimal' or any([k.__module__ == 'decimal' for k in kind.__mro__])


def _coerce(a, b):
    """The type of a result of data of two types."""
    if a is b or b is int or b is bool:
        return a
    if a is int or issubclass(b, a):
        return b
    if issubclass(a, b):
        return a
    if issubclass(a, int):
        return b
    if issubclass(b, int):
        return a
    if issubclass(a, _Fraction) and issubclass(b, float):
        return b
    if issubclass(a, float) and issubclass(b, _Fraction):
        return a
    raise TypeError(f"don't know how to coerce {a.__name__} and {b.__name__}")


def _ratio(x):
    """x as a numerator and a denominator; None as the latter: it is an infinity or no number."""
    kind = type(x)
    if kind is int:
        return x, 1
    if isinstance(x, _Fraction):
        return x.numerator, x.denominator
    if hasattr(x, 'as_integer_ratio'):
        try:
            return x.as_integer_ratio()
        except (OverflowError, ValueError):
            return x, None
    raise TypeError(f"can't convert type '{kind.__name__}' to numerator/denominator")


class _Total:
    """An exact sum: its type, how much was added, and the sum as numerator and denominator."""

    def __init__(self, data):
        sums = {}
        kinds = []
        count = 0
        special = None
        for x in data:
            if type(x) not in kinds:
                kinds.append(type(x))
            n, d = _ratio(x)
            count += 1
            if d is None:
                special = n if special is None else special + n
            else:
                sums[d] = sums.get(d, 0) + n
        kind = int
        for k in kinds:
            kind = _coerce(kind, k)
        self.kind = kind
        self.count = count
        self.special = special
        self.n, self.d = _combine(sums)


def _combine(sums):
    """The sum of fractions that are given by denominator."""
    n, d = 0, 1
    for den in sorted(sums):
        num = sums[den]
        g = _math.gcd(d, den)
        n, d = n * (den // g) + num * (d // g), d // g * den
    return n, d


def _result(n, d, kind):
    """n / d as a value of a type."""
    if issubclass(kind, int):
        return n // d if n % d == 0 else n / d
    if issubclass(kind, float):
        return n / d if kind is float else kind(n / d)
    if issubclass(kind, _Fraction):
        return kind(n, d)
    return kind(n) / d


def mean(data):
    total = _Total(data)
    if total.count < 1:
        raise StatisticsError('mean requires at least one data point')
    if total.special is not None:
        return total.special / total.count
    return _result(total.n, total.d * total.count, total.kind)


def fmean(data, weights=None):
    if weights is None:
        data = list(data)
        if not data:
            raise StatisticsError('fmean requires at least one data point')
        return _math.fsum(data) / len(data)
    weights = list(weights)
    data = list(data)
    if len(data) != len(weights):
        raise StatisticsError('data and weights must be the same length')
    top = _math.sumprod(data, weights)
    whole = _math.fsum(weights)
    if not whole:
        raise StatisticsError('sum of weights must be non-zero')
    return top / whole


def geometric_mean(data):
    logs = []
    count = 0
    zero = False
    for x in data:
        count += 1
        if x > 0.0 or _math.isnan(x):
            logs.append(_math.log(x))
        elif x == 0.0:
            zero = True
        else:
            raise StatisticsError('No negative inputs allowed', x)
    total = _math.fsum(logs)
    if not count:
        raise StatisticsError('Must have a non-empty dataset')
    if _math.isnan(total):
        return _math.nan
    if zero:
        return _math.nan if total == _math.inf else 0.0
    return _math.exp(total / count)


def harmonic_mean(data):
    data = list(data)
    if not data:
        raise StatisticsError('harmonic_mean requires at least one data point')
    if any([x < 0 for x in data]):
        raise StatisticsError('harmonic mean does not support negative values')
    if len(data) == 1:
        return data[0]
    if 0 in data:
        return 0
    total = _Total([1 / x for x in data])
    if total.special is not None:
        return len(data) / total.special
    return _result(len(data) * total.d, total.n, total.kind)


def median(data):
    data = sorted(data)
    n = len(data)
    if n == 0:
        raise StatisticsError('no median for empty data')
    if n % 2 == 1:
        return data[n // 2]
    return (data[n // 2 - 1] + data[n // 2]) / 2


def median_low(data):
    data = sorted(data)
    n = len(data)
    if n == 0:
        raise StatisticsError('no median for empty data')
    return data[(n - 1) // 2]


def median_high(data):
    data = sorted(data)
    n = len(data)
    if n == 0:
        raise StatisticsError('no median for empty data')
    return data[n // 2]


def mode(data):
    pairs = _Counter(data).most_common(1)
    if not pairs:
        raise StatisticsError('no mode for empty data')
    return pairs[0][0]


def multimode(data):
    counts = _Counter(data)
    most = max(counts.values(), default=0)
    return [value for value, count in counts.items() if count == most]


def quantiles(data, *, n=4, method='exclusive'):
    if n < 1:
        raise StatisticsError('n must be at least 1')
    data = sorted(data)
    size = len(data)
    if size < 2:
        if size == 1:
            return data * (n - 1)
        raise StatisticsError('must have at least one data point')
    out = []
    if method == 'inclusive':
        for i in range(1, n):
            j, part = divmod(i * (size - 1), n)
            out.append((data[j] * (n - part) + data[j + 1] * part) / n)
        return out
    if method == 'exclusive':
        for i in range(1, n):
            j = min(max(i * (size + 1) // n, 1), size - 1)
            part = i * (size + 1) - j * n
            out.append((data[j - 1] * (n - part) + data[j] * part) / n)
        return out
    raise ValueError(f'Unknown method: {method!r}')


class _Squares:
    """The sum of the squares of what data are from their mean, or from a given centre, exactly."""

    def __init__(self, data, centre=None):
        data = list(data)
        total = _Total(data if centre is None else [(x - centre) * (x - centre) for x in data])
        self.kind, self.count, self.special = total.kind, total.count, total.special
        self.n, self.d = total.n, total.d
        if centre is not None:
            return
        if self.special is not None:
            self.special = self.special - self.special
        elif self.count > 0:
            squares = {}
            for x in data:
                n, d = _ratio(x)
                squares[d * d] = squares.get(d * d, 0) + n * n
            p, q = _combine(squares)
            # The sum of squares less the square of the sum over the count.
            self.n = self.count * p * total.d * total.d - total.n * total.n * q
            self.d = self.count * q * total.d * total.d


def _spread(data, centre, name, less):
    """The squares of data from their mean, and what to divide them by."""
    s = _Squares(data, centre)
    if s.count <= less:
        points = 'two data points' if less else 'one data point'
        raise StatisticsError(f'{name} requires at least {points}')
    return s, s.count - less


def variance(data, xbar=None):
    s, over = _spread(data, xbar, 'variance', 1)
    return _result(s.n, s.d * over, s.kind) if s.special is None else s.special


def pvariance(data, mu=None):
    s, over = _spread(data, mu, 'pvariance', 0)
    return _result(s.n, s.d * over, s.kind) if s.special is None else s.special


def stdev(data, xbar=None):
    return _root(*_spread(data, xbar, 'stdev', 1))


def pstdev(data, mu=None):
    return _root(*_spread(data, mu, 'pstdev', 0))


def _root(s, over):
    if s.special is not None:
        return s.special
    n, d = s.n, s.d * over
    g = _math.gcd(n, d)
    n, d = n // g, d // g
    return _decimal_root(n, d, s.kind) if _is_decimal(s.kind) else _float_root(n, d)


def _float_root(n, d):
    """The square root of n / d as the nearest float: with enough bits, the last of
    which says whether anything is left, dividing rounds right."""
    shift = (n.bit_length() - d.bit_length() - 109) // 2
    if shift >= 0:
        d <<= 2 * shift
    else:
        n <<= -2 * shift
    root = _math.isqrt(n // d)
    root |= root * root * d != n
    return float(root << shift) if shift >= 0 else root / (1 << -shift)


def _decimal_root(n, d, kind):
    """The square root of n / d as the nearest Decimal of the context: found with more digits, then rounded."""
    if n <= 0:
        return kind('0.0')
    from decimal import getcontext, localcontext
    with localcontext(prec=2 * getcontext().prec + 20):
        root = (kind(n) / kind(d)).sqrt()
    return +root


def _pairs(x, y, what):
    n = len(x)
    if len(y) != n:
        raise StatisticsError(f'{what} requires that both inputs have same number of data points')
    if n < 2:
        raise StatisticsError(f'{what} requires at least two data points')
    return n


def covariance(x, y, /):
    n = _pairs(x, y, 'covariance')
    a = _math.fsum(x) / n
    b = _math.fsum(y) / n
    return _math.sumprod([v - a for v in x], [v - b for v in y]) / (n - 1)


def correlation(x, y, /):
    n = _pairs(x, y, 'correlation')
    a = _math.fsum(x) / n
    b = _math.fsum(y) / n
    x = [v - a for v in x]
    y = [v - b for v in y]
    xy, xx, yy = _math.sumprod(x, y), _math.sumprod(x, x), _math.sumprod(y, y)
    try:
        return xy / _root_of_product(xx, yy)
    except ZeroDivisionError:
        raise StatisticsError('at least one of the inputs is constant')


def _root_of_product(x, y):
    h = _math.sqrt(x * y)
    if not _math.isfinite(h):
        if _math.isinf(h) and not _math.isinf(x) and not _math.isinf(y):
            return _root_of_product(2.0 ** -512 * x, 2.0 ** -512 * y) / 2.0 ** -512
        return h
    if not h:
        if x and y:
            return _root_of_product(2.0 ** 537 * x, 2.0 ** 537 * y) / 2.0 ** 537
        return h
    return h + _math.sumprod((x, h), (y, -h)) / (2.0 * h)


def linear_regression(x, y, /):
    n = _pairs(x, y, 'linear regression')
    a = _math.fsum(x) / n
    b = _math.fsum(y) / n
    x = [v - a for v in x]
    y = [v - b for v in y]
    try:
        slope = (_math.sumprod(x, y) + 0.0) / _math.sumprod(x, x)
    except ZeroDivisionError:
        raise StatisticsError('x is constant')
    return LinearRegression(slope=slope, intercept=b - slope * a)
