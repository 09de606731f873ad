"""What the machine does in the plan language itself."""


def drain(it):
    return [x for x in it]


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
    if isinstance(at, int):
        args = list(args)
        args[at] = [x for x in args[at]]
    else:
        kw[at] = [x for x in kw[at]]
    return fn(*args, **kw)


def construct(cls, args, kw):
    o = cls.__new__(cls, *args, **kw)
    if isinstance(o, cls):
        o.__init__(*args, **kw)
    return o


def awaited(start):
    it = start()
    while True:
        try:
            next(it)
        except StopIteration as end:
            return end.value


def rest(m, keys):
    return {k: m[k] for k in m.keys() if k not in keys}
