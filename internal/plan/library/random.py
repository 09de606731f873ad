"""Random numbers: the same as CPython's for the same seed. Without a seed, that of the run counts."""

import math as _math
from _labels import depend as _depend
from bisect import bisect_right as _bisect
from itertools import accumulate as _accumulate

__all__ = ['Random', 'choice', 'choices', 'gauss', 'getrandbits',
           'randint', 'random', 'randrange', 'sample', 'seed', 'shuffle', 'uniform']

TWOPI = 2.0 * _math.pi
_missing = object()


def _whole(n):
    if isinstance(n, int):
        return n
    if isinstance(n, float) or not hasattr(n, '__index__'):
        raise TypeError(f"'{type(n).__name__}' object cannot be interpreted as an integer")
    return n.__index__()


class Random:

    def __init__(self, x=None):
        self._dice = _dice()
        self.gauss_next = None
        self.seed(x)

    def seed(self, a=None, version=2):
        if isinstance(a, float):
            a = hash(a) % 2 ** 64
        elif not (a is None or isinstance(a, (int, str, bytes))):
            raise TypeError('The only supported seed types are:\nNone, int, float, str, bytes, and bytearray.')
        _seed(self._dice, a if a is None or type(a) in (int, str, bytes) else _plain(a))
        self.gauss_next = None

    def random(self):
        return _random(self._dice)

    def getrandbits(self, k, /):
        k = _whole(k)
        if k < 0:
            raise ValueError('Cannot convert negative int')
        return _bits(self._dice, k)

    def randrange(self, start, stop=_missing, step=_missing):
        first = _whole(start)
        if stop is _missing or stop is None:
            if step is not _missing and step != 1:
                raise TypeError('Missing a non-None stop argument')
            if first > 0:
                return _below(self._dice, first)
            raise ValueError('empty range for randrange()')
        last = _whole(stop)
        width = last - first
        by = 1 if step is _missing else _whole(step)
        if by == 1:
            if width > 0:
                return first + _below(self._dice, width)
            raise ValueError(f'empty range in randrange({first}, {last})')
        if by == 0:
            raise ValueError('zero step for randrange()')
        count = (width + by - 1) // by if by > 0 else (width + by + 1) // by
        if count <= 0:
            raise ValueError(f'empty range in randrange({first}, {last}, {by})')
        return first + by * _below(self._dice, count)

    def randint(self, a, b):
        low, high = _whole(a), _whole(b)
        if high < low:
            raise ValueError(f'empty range in randint({a}, {b})')
        return low + _below(self._dice, high - low + 1)

    def choice(self, seq):
        n = len(seq)
        if not n:
            raise IndexError('Cannot choose from an empty sequence')
        return seq[_below(self._dice, n)]

    def shuffle(self, x):
        if type(x) is list:
            x[0:0] = ()  # data may have chosen it, however short it is
        dice = self._dice
        _touch(dice, len(x))
        for i in range(len(x) - 1, 0, -1):
            j = _below(dice, i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population, k):
        if isinstance(population, (set, frozenset, dict)) or not hasattr(population, '__getitem__'):
            raise TypeError('Population must be a sequence.  For dicts or sets, use sorted(d).')
        n = len(population)
        dice = self._dice
        _touch(dice, k)
        if not 0 <= k <= n:
            raise ValueError('Sample larger than population or is negative')
        out = [None] * k
        small = 21
        if k > 5:
            small += 4 ** _math.ceil(_math.log(k * 3, 4))
        if n <= small:
            pool = list(population)
            for i in range(k):
                j = _below(dice, n - i)
                out[i] = pool[j]
                pool[j] = pool[n - i - 1]
            return out
        chosen = set()
        for i in range(k):
            j = _below(dice, n)
            while j in chosen:
                j = _below(dice, n)
            chosen.add(j)
            out[i] = population[j]
        return out

    def choices(self, population, weights=None, *, k=1):
        dice = self._dice
        _touch(dice, k)
        n = len(population)
        if weights is None:
            n += 0.0
            return _depend([population[_math.floor(_random(dice) * n)] for _ in range(k)], k)
        cum_weights = list(_accumulate(weights))
        if len(cum_weights) != n:
            raise ValueError('The number of weights does not match the population')
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError('Total of weights must be greater than zero')
        if not _math.isfinite(total):
            raise ValueError('Total of weights must be finite')
        return _depend([population[_bisect(cum_weights, _random(dice) * total, 0, n - 1)] for _ in range(k)], k)

    def uniform(self, a, b):
        return a + (b - a) * self.random()

    def gauss(self, mu=0.0, sigma=1.0):
        z = self.gauss_next
        self.gauss_next = None
        if z is None:
            angle = self.random() * TWOPI
            radius = _math.sqrt(-2.0 * _math.log(1.0 - self.random()))
            z = _math.cos(angle) * radius
            self.gauss_next = _math.sin(angle) * radius
        return mu + z * sigma


def _plain(a):
    """A value of a derived class as the built-in one."""
    if isinstance(a, int):
        return int(a)
    return str(a) if isinstance(a, str) else bytes(a)


_shared = Random()
seed = _shared.seed
random = _shared.random
uniform = _shared.uniform
randint = _shared.randint
choice = _shared.choice
randrange = _shared.randrange
sample = _shared.sample
shuffle = _shared.shuffle
choices = _shared.choices
gauss = _shared.gauss
getrandbits = _shared.getrandbits
