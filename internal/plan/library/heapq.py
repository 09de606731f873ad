"""Lists as heaps: the least element is at the front."""


def nsmallest(n, iterable, key=None):
    return _first(n, iterable, key, False)


def nlargest(n, iterable, key=None):
    return _first(n, iterable, key, True)


def _first(n, iterable, key, reverse):
    n = max(n, 0)
    rows = []
    for x in iterable:
        rows.append((x if key is None else key(x), x))
        if len(rows) == 2 * n + 256:
            rows = sorted(rows, key=_key, reverse=reverse)[:n]
    return [x for k, x in sorted(rows, key=_key, reverse=reverse)[:n]]


def _key(row):
    return row[0]
