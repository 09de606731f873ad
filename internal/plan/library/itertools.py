"""Iterators that are made of iterators. How much one gives depends on its numbers."""

from _labels import calls as _calls, depend as _depend, mark as _mark


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
    if times is None:
        while True:
            yield object
    for _ in range(times):
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
    if func is None:
        for x in it:
            total = total + x
            yield total
    else:
        for x in it:
            total = func(total, x)
            yield total


def compress(data, selectors):
    for x, chosen in _chosen(zip(data, selectors), lambda pair: pair[1]):
        if chosen:
            yield x[0]


def _chosen(iterable, predicate, until=None):
    """Elements with what the predicate says of them; both depend on what it said so far.

    until is a function of the program that is called until it says something else.
    """
    said = True
    for x in iterable:
        passes = predicate(x)
        said = _depend(said, passes)
        if until is not None:
            _calls(until, said)
        yield _depend(x, said), _depend(passes, said)


def dropwhile(predicate, iterable):
    dropping = True
    for x, drop in _chosen(iterable, lambda x: dropping and predicate(x), predicate):
        if not drop:
            dropping = False
            yield x


def takewhile(predicate, iterable):
    for x, passes in _chosen(iterable, predicate, predicate):
        if not passes:
            break
        yield x


def filterfalse(predicate, iterable):
    for x, passes in _chosen(iterable, bool if predicate is None else predicate):
        if not passes:
            yield x


def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


def pairwise(iterable):
    it = iter(iterable)
    for a in it:
        break
    else:
        return _ended(None, it)
    for b in it:
        yield (a, b)
        a = b
    return _ended(None, it)


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
    if stop is not None and stop <= start:
        if start > 0 and stop > 0:
            n = 0
            for _ in it:
                n += 1
                if n == stop:
                    break
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
    open = [True] * len(its)
    left = len(its)
    while left:
        row = []
        for i in range(len(its)):
            x = fillvalue
            if open[i]:
                for x in its[i]:
                    break
                else:
                    open[i] = False
                    left -= 1
                    x = fillvalue
            row.append(x)
        if left:
            yield tuple(row)


def product(*iterables, repeat=1):
    if repeat < 0:
        raise ValueError("repeat argument cannot be negative")
    pools = [tuple(it) for it in iterables] * repeat
    return _depend(_product(pools), len(pools), *[len(pool) for pool in pools])


def _product(pools):
    n = len(pools)
    sizes = [len(p) for p in pools]
    if 0 in sizes:
        return
    at = [0] * n
    row = [p[0] for p in pools]
    while True:
        yield tuple(row)
        i = n - 1
        while i >= 0:
            at[i] += 1
            if at[i] < sizes[i]:
                row[i] = pools[i][at[i]]
                break
            at[i] = 0
            row[i] = pools[i][0]
            i -= 1
        else:
            return


def permutations(iterable, r=None):
    pool = tuple(iterable)
    n = len(pool)
    if r is None:
        r = n
    if not isinstance(r, int):
        raise TypeError("Expected int as r")
    if r < 0:
        raise ValueError("r must be non-negative")
    return _depend(_permutations(pool, n, r), n, r)


def _permutations(pool, n, r):
    if r > n:
        return
    free = list(range(n))
    turns = list(range(n, n - r, -1))
    yield tuple([pool[i] for i in free[:r]])
    while True:
        for i in range(r - 1, -1, -1):
            turns[i] -= 1
            if turns[i] == 0:
                free.append(free.pop(i))
                turns[i] = n - i
            else:
                j = n - turns[i]
                free[i], free[j] = free[j], free[i]
                yield tuple([pool[k] for k in free[:r]])
                break
        else:
            return


def combinations(iterable, r):
    pool = tuple(iterable)
    if r < 0:
        raise ValueError("r must be non-negative")
    return _depend(_combinations(pool, len(pool), r), len(pool), r)


def _combinations(pool, n, r):
    if r > n:
        return
    at = list(range(r))
    yield tuple([pool[i] for i in at])
    while True:
        for i in range(r - 1, -1, -1):
            if at[i] != i + n - r:
                break
        else:
            return
        at[i] += 1
        for j in range(i + 1, r):
            at[j] = at[j - 1] + 1
        yield tuple([pool[k] for k in at])
