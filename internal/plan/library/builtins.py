"""The built-in functions that call the program: they run in frames of their own."""


def _sort(items, key, reverse):
    list._sort_with(items, [key(x) for x in items], reverse)


def _sorted(items, key, reverse):
    list._sort_with(items, [key(x) for x in items], reverse)
    return items


def _all(it):
    r = True
    for x in it:
        r = r & bool(x)
        if not r:
            break
    return r


def _any(it):
    r = False
    for x in it:
        r = r | bool(x)
        if r:
            break
    return r


def _extreme(fn, it, key, sign, kw):
    it = iter(it)
    for best in it:
        break
    else:
        return fn(_ended([], it), **kw)
    if key is None:
        for x in it:
            best = (best, x)[_place((best, x), sign)]
    else:
        least = key(best)
        for x in it:
            k = key(x)
            i = _place((least, k), sign)
            least = (least, k)[i]
            best = (best, x)[i]
    return _ended(best, it)


def _map(fn, first, *rest):
    try:
        if not rest:
            for x in first:
                yield fn(x)
        else:
            for args in zip(first, *rest):
                yield fn(*args)
    except StopIteration:
        pass  # a function may end the map: map(next, iterators)


def _filter(fn, it):
    try:
        for x in it:
            if fn(x):
                yield x
    except StopIteration:
        pass


def _enumerate(it, n):
    for x in it:
        yield (n, x)
        n += 1


def _zip(strict, *its):
    its = [iter(it) for it in its]
    while its:
        row = []
        for it in its:
            for x in it:
                row.append(x)
                break
            else:
                if not strict:
                    break
        if len(row) < len(its):
            if strict and row:
                raise ValueError("zip() arguments have different lengths")
            break
        yield tuple(row)


def _call_until(fn, sentinel):
    try:
        while (x := fn()) != sentinel:
            yield x
    except StopIteration:
        pass


def _sum(it, total, *first):
    it = iter(it)
    lost = 0.0
    for x in first:
        total = total + x
    for x in it:
        lost = _lost(lost, total, x)
        total = total + x
    return _ended(_regained(total, lost), it)


def _prod(it, total):
    it = iter(it)
    for x in it:
        total = total * x
    return _ended(total, it)


def _fsum(fn, condensed, it):
    it = iter(it)
    part = []
    for x in it:
        part.append(x)
        if len(part) == 512:
            part = condensed(part)
    return fn(_ended(part, it))


def _in_parts(fn, self, it):
    it = iter(it)
    part = []
    for x in it:
        part.append(x)
        if len(part) == 512:
            fn(self, part)
            part = []
    return fn(self, _ended(part, it))


def _into(fn, v, it):
    _in_parts(fn, v, it)
    return v


def _frozen(cls, it):
    return frozenset.__new__(cls, _into(set.update, set(), it))


def _attr_or(o, name, default):
    try:
        return getattr(o, name)
    except AttributeError:
        return default


def _has_attr(o, name):
    try:
        getattr(o, name)
    except AttributeError:
        return False
    return True


def exit(code=None):
    raise SystemExit(code)


quit = exit
