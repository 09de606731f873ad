"""What the machine does in the plan language itself."""

from _labels import mark as _mark


def drain(it):
    items = [x for x in it]
    _mark(items, _ended(None, it))
    return items


def each(it):
    for x in it:
        yield x


def take(it, limit):
    out = []
    for x in it:
        out.append(x)
        if len(out) == limit:
            break
    return iter(out)


def mapping(m):
    return {k: m[k] for k in m.keys()}


def filled(fn, self, given, /, **kw):
    if hasattr(given, 'keys'):
        given = {k: given[k] for k in given.keys()}
    else:
        given = [x for x in given]
    return fn(self, given, **kw)


def drained(fn, args, at, kw):
    """Calls fn with a list in the place of what has to be iterated. How long it is depends on that."""
    if isinstance(at, int):
        args = list(args)
        given = args
    else:
        given = kw
    items = [x for x in given[at]]
    _mark(items, _ended(None, given[at]))
    given[at] = items
    return fn(*args, **kw)


def construct(cls, args, kw):
    o = cls.__new__(cls, *args, **kw)
    if isinstance(o, cls):
        o.__init__(*args, **kw)
    return o


def go_on(it, *end):
    return next(it, *end)


def send(g, x):
    return g.send(x)
