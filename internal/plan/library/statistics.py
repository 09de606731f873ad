"""Statistics. Means and variances are computed exactly and rounded once."""

import math as _math
from bisect import bisect_left as _bisect_left, bisect_right as _bisect_right
from collections import Counter as _Counter, namedtuple as _namedtuple
from fractions import Fraction as _Fraction

__all__ = ['NormalDist', 'StatisticsError', 'correlation', 'covariance', 'fmean', 'geometric_mean', 'harmonic_mean',
           'linear_regression', 'mean', 'median', 'median_grouped', 'median_high', 'median_low', 'mode', 'multimode',
           'pstdev', 'pvariance', 'quantiles', 'stdev', 'variance']


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


def _refuse_negative(values):
    out = []
    for x in values:
        if x < 0:
            raise StatisticsError('harmonic mean does not support negative values')
        out.append(x)
    return out


def harmonic_mean(data, weights=None):
    data = list(data)
    n = len(data)
    if n < 1:
        raise StatisticsError('harmonic_mean requires at least one data point')
    if n == 1 and weights is None:
        x = data[0]
        if isinstance(x, (int, float, _Fraction)) or _is_decimal(type(x)):
            if x < 0:
                raise StatisticsError('harmonic mean does not support negative values')
            return x
        raise TypeError('unsupported type')
    if weights is None:
        weights = [1] * n
        all_n, all_d = n, 1
    else:
        weights = list(weights)
        if len(weights) != n:
            raise StatisticsError('Number of weights does not match data size')
        whole = _Total(_refuse_negative(weights))
        all_n, all_d = whole.n, whole.d
    try:
        data = _refuse_negative(data)
        total = _Total([w / x if w else 0 for w, x in zip(weights, data)])
    except ZeroDivisionError:
        return 0
    if total.special is not None:
        return all_n / all_d / total.special
    if total.n <= 0:
        raise StatisticsError('Weighted sum must be positive')
    return _result(all_n * total.d, all_d * total.n, total.kind)


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


def median_grouped(data, interval=1.0):
    data = sorted(data)
    n = len(data)
    if not n:
        raise StatisticsError('no median for empty data')
    x = data[n // 2]
    below = _bisect_left(data, x)
    inside = _bisect_right(data, x, below) - below
    try:
        interval = float(interval)
        x = float(x)
    except ValueError:
        raise TypeError('Value cannot be converted to a float')
    return x - interval / 2.0 + interval * (n / 2 - below) / inside


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
        if centre is not None:
            total = _Total([(x - centre) * (x - centre) for x in data])
            self.kind, self.count, self.special = total.kind, total.count, total.special
            self.n, self.d = total.n, total.d
            self.mean = centre
            return
        sums, squares, kinds = {}, {}, []
        self.special = None
        self.count = 0
        for x in data:
            if type(x) not in kinds:
                kinds.append(type(x))
            n, d = _ratio(x)
            self.count += 1
            if d is None:
                self.special = n if self.special is None else self.special + n
            else:
                sums[d] = sums.get(d, 0) + n
                squares[d] = squares.get(d, 0) + n * n
        self.kind = int
        for k in kinds:
            self.kind = _coerce(self.kind, k)
        if self.special is not None:
            self.special = self.special - self.special
            self.mean = self.special
            self.n, self.d = 0, 1
            return
        if self.count == 0:
            self.n, self.d, self.mean = 0, 1, None
            return
        a, b = _combine(sums)
        p, q = _combine({d * d: squares[d] for d in squares})
        # The sum of squares less the square of the sum over the count.
        self.n = self.count * p * b * b - a * a * q
        self.d = self.count * q * b * b
        self.mean = _result(a, b * self.count, self.kind)


def variance(data, xbar=None):
    s = _Squares(data, xbar)
    if s.count < 2:
        raise StatisticsError('variance requires at least two data points')
    if s.special is not None:
        return s.special
    return _result(s.n, s.d * (s.count - 1), s.kind)


def pvariance(data, mu=None):
    s = _Squares(data, mu)
    if s.count < 1:
        raise StatisticsError('pvariance requires at least one data point')
    if s.special is not None:
        return s.special
    return _result(s.n, s.d * s.count, s.kind)


def stdev(data, xbar=None):
    s = _Squares(data, xbar)
    if s.count < 2:
        raise StatisticsError('stdev requires at least two data points')
    return _root(s, s.count - 1)


def pstdev(data, mu=None):
    s = _Squares(data, mu)
    if s.count < 1:
        raise StatisticsError('pstdev requires at least one data point')
    return _root(s, s.count)


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
    """The square root of n / d as the nearest Decimal of the context."""
    if n <= 0:
        if not n:
            return kind('0.0')
        n, d = -n, -d
    root = (kind(n) / kind(d)).sqrt()
    a, b = root.as_integer_ratio()
    up = root.next_plus()
    p, q = up.as_integer_ratio()
    if 4 * n * (b * q) ** 2 > d * (a * q + b * p) ** 2:
        return up
    down = root.next_minus()
    p, q = down.as_integer_ratio()
    if 4 * n * (b * q) ** 2 < d * (a * q + b * p) ** 2:
        return down
    return root


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


def correlation(x, y, /, *, method='linear'):
    n = _pairs(x, y, 'correlation')
    if method not in ('linear', 'ranked'):
        raise ValueError(f'Unknown method: {method!r}')
    if method == 'ranked':
        x, y = _ranks(x), _ranks(y)
    else:
        a = _math.fsum(x) / n
        b = _math.fsum(y) / n
        x = [v - a for v in x]
        y = [v - b for v in y]
    xy, xx, yy = _math.sumprod(x, y), _math.sumprod(x, x), _math.sumprod(y, y)
    try:
        return xy / _root_of_product(xx, yy)
    except ZeroDivisionError:
        raise StatisticsError('at least one of the inputs is constant')


def _ranks(values):
    """Ranks, equal values at the middle of theirs, around zero."""
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0] * len(values)
    start = (len(values) - 1) / -2
    i = 0
    while i < len(order):
        k = i
        while k + 1 < len(order) and values[order[k + 1]] == values[order[i]]:
            k += 1
        rank = start + i + (k - i) / 2
        for at in order[i:k + 1]:
            out[at] = rank
        i = k + 1
    return out


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


def linear_regression(x, y, /, *, proportional=False):
    n = _pairs(x, y, 'linear regression')
    a = b = 0.0
    if not proportional:
        a = _math.fsum(x) / n
        b = _math.fsum(y) / n
        x = [v - a for v in x]
        y = [v - b for v in y]
    xy = _math.sumprod(x, y) + 0.0
    xx = _math.sumprod(x, x)
    try:
        slope = xy / xx
    except ZeroDivisionError:
        raise StatisticsError('x is constant')
    return LinearRegression(slope=slope, intercept=0.0 if proportional else b - slope * a)


# Wichura's rational approximations of the normal distribution's inverse (AS 241):
# near the middle, farther out, and in the tails; highest powers first.
_MIDDLE = ((2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4, 4.5921953931549871457e+4,
            1.3731693765509461125e+4, 1.9715909503065514427e+3, 1.3314166789178437745e+2, 3.3871328727963666080e+0),
           (5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4, 2.1213794301586595867e+4,
            5.3941960214247511077e+3, 6.8718700749205790830e+2, 4.2313330701600911252e+1, 1.0))
_OUTER = ((7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e+0,
           3.64784832476320460504e+0, 5.76949722146069140550e+0, 4.63033784615654529590e+0, 1.42343711074968357734e+0),
          (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
           6.89767334985100004550e-1, 1.67638483018380384940e+0, 2.05319162663775882187e+0, 1.0))
_TAIL = ((2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
          2.96560571828504891230e-1, 1.78482653991729133580e+0, 5.46378491116411436990e+0, 6.65790464350110377720e+0),
         (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
          1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0))


def _polynomial(coefficients, x):
    total = coefficients[0]
    for c in coefficients[1:]:
        total = total * x + c
    return total


def _inverse(p, mu, sigma):
    q = p - 0.5
    if _math.fabs(q) <= 0.425:
        r = 0.180625 - q * q
        x = _polynomial(_MIDDLE[0], r) * q / _polynomial(_MIDDLE[1], r)
        return mu + x * sigma
    r = p if q <= 0.0 else 1.0 - p
    r = _math.sqrt(-_math.log(r))
    table = _OUTER if r <= 5.0 else _TAIL
    r -= 1.6 if r <= 5.0 else 5.0
    x = _polynomial(table[0], r) / _polynomial(table[1], r)
    return mu + (-x if q < 0.0 else x) * sigma


class NormalDist:
    __slots__ = ('_mu', '_sigma')

    def __init__(self, mu=0.0, sigma=1.0):
        if sigma < 0.0:
            raise StatisticsError('sigma must be non-negative')
        self._mu = float(mu)
        self._sigma = float(sigma)

    @classmethod
    def from_samples(cls, data):
        s = _Squares(data)
        if s.count < 2:
            raise StatisticsError('stdev requires at least two data points')
        return cls(float(s.mean), float(_root(s, s.count - 1)))

    def samples(self, n, *, seed=None):
        import random
        draw = random.random if seed is None else random.Random(seed).random
        return [_inverse(draw(), self._mu, self._sigma) for _ in range(n)]

    def pdf(self, x):
        spread = self._sigma * self._sigma
        if not spread:
            raise StatisticsError('pdf() not defined when sigma is zero')
        away = x - self._mu
        return _math.exp(away * away / (-2.0 * spread)) / _math.sqrt(_math.tau * spread)

    def cdf(self, x):
        if not self._sigma:
            raise StatisticsError('cdf() not defined when sigma is zero')
        return 0.5 * _math.erfc((self._mu - x) / (self._sigma * _math.sqrt(2.0)))

    def inv_cdf(self, p):
        if p <= 0.0 or p >= 1.0:
            raise StatisticsError('p must be in the range 0.0 < p < 1.0')
        return _inverse(p, self._mu, self._sigma)

    def quantiles(self, n=4):
        return [self.inv_cdf(i / n) for i in range(1, n)]

    def overlap(self, other):
        if not isinstance(other, NormalDist):
            raise TypeError('Expected another NormalDist instance')
        x, y = self, other
        if (y._sigma, y._mu) < (x._sigma, x._mu):
            x, y = y, x
        xv, yv = x.variance, y.variance
        if not xv or not yv:
            raise StatisticsError('overlap() not defined when sigma is zero')
        dv = yv - xv
        dm = _math.fabs(y._mu - x._mu)
        if not dv:
            return _math.erfc(dm / (2.0 * x._sigma * _math.sqrt(2.0)))
        a = x._mu * yv - y._mu * xv
        b = x._sigma * y._sigma * _math.sqrt(dm * dm + dv * _math.log(yv / xv))
        first, second = (a + b) / dv, (a - b) / dv
        return 1.0 - (_math.fabs(y.cdf(first) - x.cdf(first)) + _math.fabs(y.cdf(second) - x.cdf(second)))

    def zscore(self, x):
        if not self._sigma:
            raise StatisticsError('zscore() not defined when sigma is zero')
        return (x - self._mu) / self._sigma

    @property
    def mean(self):
        return self._mu

    @property
    def median(self):
        return self._mu

    @property
    def mode(self):
        return self._mu

    @property
    def stdev(self):
        return self._sigma

    @property
    def variance(self):
        return self._sigma * self._sigma

    def __add__(x1, x2):
        if isinstance(x2, NormalDist):
            return NormalDist(x1._mu + x2._mu, _math.hypot(x1._sigma, x2._sigma))
        return NormalDist(x1._mu + x2, x1._sigma)

    def __sub__(x1, x2):
        if isinstance(x2, NormalDist):
            return NormalDist(x1._mu - x2._mu, _math.hypot(x1._sigma, x2._sigma))
        return NormalDist(x1._mu - x2, x1._sigma)

    def __mul__(x1, x2):
        return NormalDist(x1._mu * x2, x1._sigma * _math.fabs(x2))

    def __truediv__(x1, x2):
        return NormalDist(x1._mu / x2, x1._sigma / _math.fabs(x2))

    def __pos__(x1):
        return NormalDist(x1._mu, x1._sigma)

    def __neg__(x1):
        return NormalDist(-x1._mu, x1._sigma)

    __radd__ = __add__

    def __rsub__(x1, x2):
        return -(x1 - x2)

    __rmul__ = __mul__

    def __eq__(x1, x2):
        if not isinstance(x2, NormalDist):
            return NotImplemented
        return (x1._mu, x1._sigma) == (x2._mu, x2._sigma)

    def __hash__(self):
        return hash((self._mu, self._sigma))

    def __repr__(self):
        return f'{type(self).__name__}(mu={self._mu!r}, sigma={self._sigma!r})'
