"""Places in sorted lists. The place is computed from the result of each comparison, so that it depends on all of them."""


def bisect_right(a, x, lo=0, hi=None, *, key=None):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        y = a[mid] if key is None else key(a[mid])
        left = bool(x < y)
        hi -= left * (hi - mid)
        lo += (not left) * (mid + 1 - lo)
    return lo


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        y = a[mid] if key is None else key(a[mid])
        right = bool(y < x)
        lo += right * (mid + 1 - lo)
        hi -= (not right) * (hi - mid)
    return lo


def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


bisect = bisect_right
insort = insort_right
