"""Operators as functions."""


def not_(a, /):
    return not a


def contains(a, b, /):
    return b in a


def setitem(a, b, c, /):
    a[b] = c


def delitem(a, b, /):
    del a[b]


class itemgetter:
    def __init__(self, item, /, *items):
        self._items = (item, *items)

    def __call__(self, obj, /):
        items = self._items
        if len(items) == 1:
            return obj[items[0]]
        return tuple([obj[i] for i in items])


class attrgetter:
    def __init__(self, attr, /, *attrs):
        self._attrs = (attr, *attrs)
        for a in self._attrs:
            if not isinstance(a, str):
                raise TypeError("attribute name must be a string")

    def __call__(self, obj, /):
        attrs = self._attrs
        if len(attrs) == 1:
            return _follow(obj, attrs[0])
        return tuple([_follow(obj, a) for a in attrs])


def _follow(obj, path):
    for name in path.split("."):
        obj = getattr(obj, name)
    return obj


class methodcaller:
    def __init__(self, name, /, *args, **kwargs):
        if not isinstance(name, str):
            raise TypeError("method name must be a string")
        self._name = name
        self._args = args
        self._kwargs = kwargs

    def __call__(self, obj, /):
        return getattr(obj, self._name)(*self._args, **self._kwargs)
