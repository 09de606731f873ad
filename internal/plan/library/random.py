"""Random numbers: the same as CPython's for the same seed. Without a seed, that of the run counts."""

import math as _math
from bisect import bisect_right as _bisect
from itertools import accumulate as _accumulate

__all__ = ['Random', 'betavariate', 'binomialvariate', 'choice', 'choices', 'expovariate', 'gammavariate', 'gauss',
           'getrandbits', 'getstate', 'lognormvariate', 'normalvariate', 'paretovariate', 'randbytes', 'randint',
           'random', 'randrange', 'sample', 'seed', 'setstate', 'shuffle', 'triangular', 'uniform',
           'vonmisesvariate', 'weibullvariate']

NV_MAGICCONST = 4 * _math.exp(-0.5) / _math.sqrt(2.0)
LOG4 = _math.log(4.0)
SG_MAGICCONST = 1.0 + _math.log(4.5)
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

    def getstate(self):
        return 3, _state(self._dice), self.gauss_next

    def setstate(self, state):
        if state[0] != 3:
            raise ValueError(f'state with version {state[0]} passed to Random.setstate() of version 3')
        _set_state(self._dice, state[1])
        self.gauss_next = state[2]

    def random(self):
        return _random(self._dice)

    def getrandbits(self, k, /):
        k = _whole(k)
        if k < 0:
            raise ValueError('Cannot convert negative int')
        return _bits(self._dice, k)

    def randbytes(self, n):
        return self.getrandbits(n * 8).to_bytes(n, 'little')

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
        dice = self._dice
        for i in range(len(x) - 1, 0, -1):
            j = _below(dice, i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population, k, *, counts=None):
        if isinstance(population, (set, frozenset, dict)) or not hasattr(population, '__getitem__'):
            raise TypeError('Population must be a sequence.  For dicts or sets, use sorted(d).')
        n = len(population)
        if counts is not None:
            return self._counted(population, k, counts)
        dice = self._dice
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

    def _counted(self, population, k, counts):
        """A sample of a population in which each element is there as often as counts says."""
        ends = list(_accumulate(counts))
        if len(ends) != len(population):
            raise ValueError('The number of counts does not match the population')
        total = ends.pop() if ends else 0
        if not isinstance(total, int):
            raise TypeError('Counts must be integers')
        if total < 0:
            raise ValueError('Counts must be non-negative')
        return [population[_bisect(ends, at)] for at in self.sample(range(total), k=k)]

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        dice = self._dice
        n = len(population)
        if cum_weights is None:
            if weights is None:
                n += 0.0
                return [population[_math.floor(_random(dice) * n)] for _ in range(k)]
            if isinstance(weights, int):
                raise TypeError(f'The number of choices must be a keyword argument: k={weights!r}')
            cum_weights = list(_accumulate(weights))
        elif weights is not None:
            raise TypeError('Cannot specify both weights and cumulative weights')
        if len(cum_weights) != n:
            raise ValueError('The number of weights does not match the population')
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError('Total of weights must be greater than zero')
        if not _math.isfinite(total):
            raise ValueError('Total of weights must be finite')
        return [population[_bisect(cum_weights, _random(dice) * total, 0, n - 1)] for _ in range(k)]

    def uniform(self, a, b):
        return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        u = self.random()
        try:
            c = 0.5 if mode is None else (mode - low) / (high - low)
        except ZeroDivisionError:
            return low
        if u > c:
            u = 1.0 - u
            c = 1.0 - c
            low, high = high, low
        return low + (high - low) * _math.sqrt(u * c)

    def normalvariate(self, mu=0.0, sigma=1.0):
        while True:
            u = self.random()
            v = 1.0 - self.random()
            z = NV_MAGICCONST * (u - 0.5) / v
            if z * z / 4.0 <= -_math.log(v):
                return mu + z * sigma

    def gauss(self, mu=0.0, sigma=1.0):
        z = self.gauss_next
        self.gauss_next = None
        if z is None:
            angle = self.random() * TWOPI
            radius = _math.sqrt(-2.0 * _math.log(1.0 - self.random()))
            z = _math.cos(angle) * radius
            self.gauss_next = _math.sin(angle) * radius
        return mu + z * sigma

    def lognormvariate(self, mu=0.0, sigma=1.0):
        return _math.exp(self.normalvariate(mu, sigma))

    def expovariate(self, lambd=1.0):
        return -_math.log(1.0 - self.random()) / lambd

    def vonmisesvariate(self, mu, kappa):
        if kappa <= 1e-6:
            return TWOPI * self.random()
        s = 0.5 / kappa
        r = s + _math.sqrt(1.0 + s * s)
        while True:
            z = _math.cos(_math.pi * self.random())
            d = z / (r + z)
            u = self.random()
            if u < 1.0 - d * d or u <= (1.0 - d) * _math.exp(d):
                break
        q = 1.0 / r
        f = (q + z) / (1.0 + q * z)
        if self.random() > 0.5:
            return (mu + _math.acos(f)) % TWOPI
        return (mu - _math.acos(f)) % TWOPI

    def gammavariate(self, alpha, beta):
        if alpha <= 0.0 or beta <= 0.0:
            raise ValueError('gammavariate: alpha and beta must be > 0.0')
        if alpha > 1.0:
            return self._large_gamma(alpha) * beta
        if alpha == 1.0:
            return -_math.log(1.0 - self.random()) * beta
        while True:
            b = (_math.e + alpha) / _math.e
            p = b * self.random()
            x = p ** (1.0 / alpha) if p <= 1.0 else -_math.log((b - p) / alpha)
            u = self.random()
            if p > 1.0:
                if u <= x ** (alpha - 1.0):
                    return x * beta
            elif u <= _math.exp(-x):
                return x * beta

    def _large_gamma(self, alpha):
        """Cheng's method, for alpha above 1."""
        a = _math.sqrt(2.0 * alpha - 1.0)
        b = alpha - LOG4
        c = alpha + a
        while True:
            u = self.random()
            if not 1e-7 < u < 0.9999999:
                continue
            w = 1.0 - self.random()
            v = _math.log(u / (1.0 - u)) / a
            x = alpha * _math.exp(v)
            z = u * u * w
            r = b + c * v - x
            if r + SG_MAGICCONST - 4.5 * z >= 0.0 or r >= _math.log(z):
                return x

    def betavariate(self, alpha, beta):
        y = self.gammavariate(alpha, 1.0)
        if y:
            return y / (y + self.gammavariate(beta, 1.0))
        return 0.0

    def paretovariate(self, alpha):
        return (1.0 - self.random()) ** (-1.0 / alpha)

    def weibullvariate(self, alpha, beta):
        return alpha * (-_math.log(1.0 - self.random())) ** (1.0 / beta)

    def binomialvariate(self, n=1, p=0.5):
        if n < 0:
            raise ValueError('n must be non-negative')
        if p <= 0.0 or p >= 1.0:
            if p == 0.0:
                return 0
            if p == 1.0:
                return n
            raise ValueError('p must be in the range 0.0 <= p <= 1.0')
        if n == 1:
            return int(self.random() < p)
        if p > 0.5:
            return n - self.binomialvariate(n, 1.0 - p)
        if n * p < 10.0:
            return self._few(n, p)
        return self._many(n, p)

    def _few(self, n, p):
        """Counts how many geometric steps fit into n."""
        x = y = 0
        c = _math.log2(1.0 - p)
        if not c:
            return x
        while True:
            y += _math.floor(_math.log2(self.random()) / c) + 1
            if y > n:
                return x
            x += 1

    def _many(self, n, p):
        """Hörmann's transformed rejection."""
        spread = _math.sqrt(n * p * (1.0 - p))
        b = 1.15 + 2.53 * spread
        a = -0.0873 + 0.0248 * b + 0.01 * p
        c = n * p + 0.5
        sure = 0.92 - 4.2 / b
        alpha = (2.83 + 5.1 / b) * spread
        odds = _math.log(p / (1.0 - p))
        m = _math.floor((n + 1) * p)
        h = _math.lgamma(m + 1) + _math.lgamma(n - m + 1)
        while True:
            u = self.random()
            u -= 0.5
            us = 0.5 - abs(u)
            k = _math.floor((2.0 * a / us + b) * u + c)
            if k < 0 or k > n:
                continue
            v = self.random()
            if us >= 0.07 and v <= sure:
                return k
            v *= alpha / (a / (us * us) + b)
            if _math.log(v) <= h - _math.lgamma(k + 1) - _math.lgamma(n - k + 1) + (k - m) * odds:
                return k


def _plain(a):
    """A value of a derived class as the built-in one."""
    if isinstance(a, int):
        return int(a)
    return str(a) if isinstance(a, str) else bytes(a)


_shared = Random()
seed = _shared.seed
random = _shared.random
uniform = _shared.uniform
triangular = _shared.triangular
randint = _shared.randint
choice = _shared.choice
randrange = _shared.randrange
sample = _shared.sample
shuffle = _shared.shuffle
choices = _shared.choices
normalvariate = _shared.normalvariate
lognormvariate = _shared.lognormvariate
expovariate = _shared.expovariate
vonmisesvariate = _shared.vonmisesvariate
gammavariate = _shared.gammavariate
gauss = _shared.gauss
betavariate = _shared.betavariate
binomialvariate = _shared.binomialvariate
paretovariate = _shared.paretovariate
weibullvariate = _shared.weibullvariate
getstate = _shared.getstate
setstate = _shared.setstate
getrandbits = _shared.getrandbits
randbytes = _shared.randbytes
