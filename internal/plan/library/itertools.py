"""Iterators that are made of iterators. How much one gives depends on its numbers."""

from _labels import depend as _depend, mark as _mark


def count(start=0, step=1):
    n = start
    while True:
        yield n
        n += step


def cycle(iterable):
    seen = []
    for x in iterable:
        yield x
        seen.append(x)
    while seen:
        for x in seen:
            yield x


def repeat(object, times=None):
    return _depend(_repeat(object, times), times)


def _repeat(object, times):
    for _ in count() if times is None else range(times):
        yield object


def chain(*iterables):
    for it in iterables:
        for x in it:
            yield x


def _flatten(iterable):
    for it in iterable:
        for x in it:
            yield x


chain.from_iterable = _flatten


def accumulate(iterable, func=None, *, initial=None):
    it = iter(iterable)
    total = initial
    if initial is None:
        for total in it:
            break
        else:
            return
    yield total
    for x in it:
        total = total + x if func is None else func(total, x)
        yield total


def compress(data, selectors):
    for x, chosen in zip(data, selectors):
        if chosen:
            yield x


def dropwhile(predicate, iterable):
    dropping = True
    for x in iterable:
        if dropping and predicate(x):
            continue
        dropping = False
        yield x


def takewhile(predicate, iterable):
    for x in iterable:
        if not predicate(x):
            break
        yield x


def filterfalse(predicate, iterable):
    for x in iterable:
        if not (x if predicate is None else predicate(x)):
            yield x


def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


def pairwise(iterable):
    it = iter(iterable)
    for a in it:
        for b in it:
            yield (a, b)
            a = b


def islice(iterable, *args):
    s = slice(*args)
    start = 0 if s.start is None else s.start
    stop = s.stop
    step = 1 if s.step is None else s.step
    if stop is not None and (not _is_index(stop) or stop < 0):
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if not _is_index(start) or start < 0:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if not _is_index(step) or step < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    return _depend(_islice(iter(iterable), start, stop, step), start, stop, step)


def _is_index(n):
    return isinstance(n, int) or hasattr(n, "__index__")


def _islice(it, start, stop, step):
    if stop == 0:
        return
    n = 0
    take = start
    for x in it:
        if n == take:
            yield x
            take += step
        n += 1
        if n == stop:
            break


def groupby(iterable, key=None):
    """Groups of neighbours whose keys are equal, each complete when it is given."""
    group = []
    wanted = said = None
    for x in iterable:
        now = x if key is None else key(x)
        if group:
            same = now == wanted
            said = _depend(said, same)
            if not same:
                yield _group(wanted, group, said)
                group = []
        if not group:
            wanted = now
        group.append(x)
    if group:
        yield _group(wanted, group, said)


def _group(key, group, said):
    _mark(group, said)
    return (_depend(key, said), iter([_depend(x, key, said) for x in group]))


def tee(iterable, n=2):
    if n < 0:
        raise ValueError("n must be >= 0")
    it = iter(iterable)
    seen = []
    return tuple([_branch(it, seen) for _ in range(n)])


def _branch(it, seen):
    at = 0
    while True:
        if at == len(seen):
            for x in it:
                seen.append(x)
                break
            else:
                return
        yield seen[at]
        at += 1


def zip_longest(*iterables, fillvalue=None):
    its = [iter(it) for it in iterables]
    while True:
        row = []
        left = 0
        for it in its:
            x = fillvalue
            for x in it:
                left += 1
                break
            row.append(x)
        if not left:
            return
        yield tuple(row)


def product(*iterables, repeat=1):
    if repeat < 0:
        raise ValueError("repeat argument cannot be negative")
    pools = [tuple(it) for it in iterables] * repeat
    return _depend(_product(pools), len(pools), *[len(pool) for pool in pools])


def _product(pools):
    if not pools:
        yield ()
    elif all(pools):
        for row in _product(pools[:-1]):
            for x in pools[-1]:
                yield row + (x,)


def permutations(iterable, r=None):
    pool = tuple(iterable)
    r = len(pool) if r is None else r
    if not isinstance(r, int):
        raise TypeError("Expected int as r")
    if r < 0:
        raise ValueError("r must be non-negative")
    return _depend(_permutations(pool, r), len(pool), r)


def _permutations(pool, r):
    if r == 0:
        yield ()
    elif r <= len(pool):
        for i in range(len(pool)):
            for row in _permutations(pool[:i] + pool[i + 1:], r - 1):
                yield (pool[i],) + row


def combinations(iterable, r):
    pool = tuple(iterable)
    if r < 0:
        raise ValueError("r must be non-negative")
    return _depend(_combinations(pool, r, 0), len(pool), r)


def _combinations(pool, r, start):
    if r == 0:
        yield ()
    else:
        for i in range(start, len(pool) - r + 1):
            for row in _combinations(pool, r - 1, i + 1):
                yield (pool[i],) + row
