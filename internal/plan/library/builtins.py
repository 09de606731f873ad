"""The built-in functions that call the program: they run in frames of their own."""


def _sort(self, key, reverse):
    list._sort_with(self, [key(x) for x in self], reverse)


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


def _redo(fn, it, kw):
    return fn([x for x in it], **kw)


def _extreme(items, key, sign):
    keys = [key(x) for x in items]
    return items[_place(keys, sign)]


_no_more = object()


def _map(fn, strict, first, *rest):
    if not rest and fn is next:
        # The first iterator that has no more ends the map.
        for it in first:
            x = next(it, _no_more)
            if x is _no_more:
                return
            yield x
    elif not rest:
        for x in first:
            yield fn(x)
    elif strict:
        for args in _rows("map", True, [first, *rest]):
            yield fn(*args)
    else:
        for args in zip(first, *rest):
            yield fn(*args)


def _filter(fn, it):
    for x in it:
        if fn(x):
            yield x


def _enumerate(it, n):
    for x in it:
        yield (n, x)
        n += 1


def _zip(strict, *its):
    return _rows("zip", strict, its)


def _rows(name, strict, its):
    its = [iter(it) for it in its]
    while its:
        row = []
        for it in its:
            for x in it:
                row.append(x)
                break
            else:
                break
        if len(row) < len(its):
            if strict:
                _uneven(name, its, len(row))
            break
        yield tuple(row)


def _uneven(name, its, n):
    if n > 0:
        names = " " if n == 1 else "s 1-"
        raise ValueError(f"{name}() argument {n + 1} is shorter than argument{names}{n}")
    for i in range(1, len(its)):
        for x in its[i]:
            names = " " if i == 1 else "s 1-"
            raise ValueError(f"{name}() argument {i + 1} is longer than argument{names}{i}")


def _call_until(fn, sentinel):
    while True:
        x = fn()
        if x == sentinel:
            return
        yield x


def _sum(items, total):
    for x in items:
        total = total + x
    return total


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
