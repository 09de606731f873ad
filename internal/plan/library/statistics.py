"""Statistics. Means and variances are computed exactly and rounded once."""

import math as _math
from collections import Counter as _Counter

__all__ = ['StatisticsError', 'fmean', 'mean', 'median', 'mode', 'multimode', 'pstdev', 'pvariance', 'quantiles', 'stdev', 'variance']


class StatisticsError(ValueError):
    pass


def _given(data, name, least=1):
    """The data as a list that has as many elements as a function needs."""
    data = list(data)
    if len(data) < least:
        raise StatisticsError(f'{name} requires at least {"two data points" if least == 2 else "one data point"}')
    return data


def _ratios(data):
    """The data as numerators and denominators; None: some are infinite or no numbers."""
    for x in data:
        if not hasattr(x, 'as_integer_ratio'):
            raise TypeError(f"can't convert type '{type(x).__name__}' to numerator/denominator")
    try:
        return [x.as_integer_ratio() for x in data]
    except (OverflowError, ValueError):
        return None


def _total(ratios):
    """The exact sum of fractions, as a numerator and a denominator."""
    sums = {}
    for n, d in ratios:
        sums[d] = sums.get(d, 0) + n
    n, d = 0, 1
    for den, num in sums.items():
        g = _math.gcd(d, den)
        n, d = n * (den // g) + num * (d // g), d // g * den
    return n, d


def _exact_kind(data):
    """The class of data that are decimal numbers or fractions, or None."""
    kinds = [type(x) for x in data if not isinstance(x, int)]
    return None if not kinds or any([issubclass(k, float) for k in kinds]) else kinds[0]


def _result(n, d, data):
    """n / d as a number of the kind that the data are."""
    kind = _exact_kind(data)
    if kind is not None:
        return kind(n) / d
    if n % d == 0 and not any([isinstance(x, float) for x in data]):
        return n // d
    return n / d


def mean(data):
    data = _given(data, 'mean')
    ratios = _ratios(data)
    if ratios is None:
        return sum(data) / len(data)
    n, d = _total(ratios)
    return _result(n, d * len(data), data)


def fmean(data):
    data = _given(data, 'fmean')
    return _math.fsum(data) / len(data)


def _sorted(data):
    data = sorted(data)
    if not data:
        raise StatisticsError('no median for empty data')
    return data


def median(data):
    data = _sorted(data)
    half = len(data) // 2
    return data[half] if len(data) % 2 else (data[half - 1] + data[half]) / 2


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
    if method not in ('inclusive', 'exclusive'):
        raise ValueError(f'Unknown method: {method!r}')
    data = sorted(data)
    size = len(data)
    if size < 2:
        if size == 1:
            return data * (n - 1)
        raise StatisticsError('must have at least one data point')
    out = []
    for i in range(1, n):
        if method == 'inclusive':
            j, part = divmod(i * (size - 1), n)
        else:
            j = min(max(i * (size + 1) // n, 1), size - 1) - 1
            part = i * (size + 1) - (j + 1) * n
        out.append((data[j] * (n - part) + data[j + 1] * part) / n)
    return out


def _squares(data, name, least):
    """The data, and the exact sum of the squares of what they are from their mean, as
    a numerator and a denominator; 0 / 0 where it is no number."""
    data = _given(data, name, least)
    ratios = _ratios(data)
    if ratios is None:
        return data, 0, 0
    n, d = _total(ratios)
    # The sum of squares less the square of the sum over the count.
    p, q = _total([(n * n, d * d) for n, d in ratios])
    return data, len(data) * p * d * d - n * n * q, len(data) * q * d * d


def _variance(data, name, less):
    data, n, d = _squares(data, name, 1 + less)
    return _result(n, d * (len(data) - less), data) if d else _math.nan


def variance(data):
    return _variance(data, 'variance', 1)


def pvariance(data):
    return _variance(data, 'pvariance', 0)


def stdev(data):
    return _deviation(data, 'stdev', 1)


def pstdev(data):
    return _deviation(data, 'pstdev', 0)


def _deviation(data, name, less):
    data, n, d = _squares(data, name, 1 + less)
    if not d:
        return _math.nan
    d *= len(data) - less
    kind = _exact_kind(data)
    if kind is not None and hasattr(kind, 'sqrt'):
        return (kind(n) / d).sqrt()
    # With enough bits, the last of which says whether anything is left, dividing rounds right.
    shift = (n.bit_length() - d.bit_length() - 109) // 2
    if shift >= 0:
        d <<= 2 * shift
    else:
        n <<= -2 * shift
    root = _math.isqrt(n // d)
    root |= root * root * d != n
    return float(root << shift) if shift >= 0 else root / (1 << -shift)
