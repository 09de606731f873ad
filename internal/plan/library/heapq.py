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


class _Backwards:
    __slots__ = ("v",)

    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return other.v < self.v


def merge(*iterables, key=None, reverse=False):
    heap = []
    order = 0
    its = [iter(it) for it in iterables]
    for it in its:
        for x in it:
            k = x if key is None else key(x)
            heap.append((_Backwards(k) if reverse else k, order, x, it))
            break
        order += 1
    heap = [_Row(*row) for row in heap]
    heapify(heap)
    while heap:
        row = heap[0]
        yield row.x
        for x in row.it:
            k = x if key is None else key(x)
            heapreplace(heap, _Row(_Backwards(k) if reverse else k, row.order, x, row.it))
            break
        else:
            heappop(heap)


class _Row:
    __slots__ = ("k", "order", "x", "it")

    def __init__(self, k, order, x, it):
        self.k = k
        self.order = order
        self.x = x
        self.it = it

    def __lt__(self, other):
        if self.k < other.k:
            return True
        if other.k < self.k:
            return False
        return self.order < other.order
