"""Functions about functions."""

from _labels import depend as _depend

_missing = object()


def reduce(function, iterable, /, initial=_missing):
    it = iter(iterable)
    value = initial
    if value is _missing:
        for value in it:
            break
        else:
            raise TypeError("reduce() of empty iterable with no initial value")
    for x in it:
        value = function(value, x)
    return value


def update_wrapper(wrapper, wrapped):
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        if hasattr(wrapped, name):
            try:
                setattr(wrapper, name, getattr(wrapped, name))
            except (AttributeError, TypeError):
                pass
    for k, v in getattr(wrapped, "__dict__", {}).items():
        setattr(wrapper, k, v)
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped):
    return lambda wrapper: update_wrapper(wrapper, wrapped)


class partial:
    """A call with some of its arguments filled in."""

    def __init__(self, func, /, *args, **keywords):
        if not callable(func):
            raise TypeError("the first argument must be callable")
        if isinstance(func, partial):
            args = func.args + args
            keywords = {**func.keywords, **keywords}
            func = func.func
        self.func = func
        self.args = args
        self.keywords = keywords

    def __call__(self, /, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})

    def __repr__(self):
        parts = [repr(self.func)] + [repr(x) for x in self.args]
        parts += [f"{k}={v!r}" for k, v in self.keywords.items()]
        return f"functools.partial({', '.join(parts)})"


def lru_cache(maxsize=128):
    if callable(maxsize):
        return _cached(maxsize, 128)
    if maxsize is not None and not isinstance(maxsize, int):
        raise TypeError("Expected first argument to be an integer, a callable, or None")
    return lambda function: _cached(function, maxsize)


def cache(user_function, /):
    return _cached(user_function, None)


_mark = object()


def _key(args, keywords):
    key = args
    if keywords:
        key += (_mark,)
        for item in keywords.items():
            key += item
    elif len(key) == 1 and type(key[0]) in (int, str):
        return key[0]
    return key


def _cached(function, maxsize):
    store = {}

    def wrapper(*args, **keywords):
        key = _key(args, keywords)
        value = store.get(key, _missing)
        if value is _missing:
            value = _depend(function(*args, **keywords), value)
            if maxsize is not None and key not in store:
                while len(store) >= max(maxsize, 1):
                    for oldest in store:
                        break
                    del store[oldest]
        elif maxsize is None:
            return value
        else:
            del store[key]  # what was used last comes last
        if maxsize != 0:
            store[key] = value
        return value

    update_wrapper(wrapper, function)
    return wrapper


class _Ordered:
    __hash__ = None

    def __init__(self, obj, compare):
        self.obj = obj
        self._compare = compare

    def __lt__(self, other):
        return self._compare(self.obj, other.obj) < 0

    def __eq__(self, other):
        return self._compare(self.obj, other.obj) == 0


def cmp_to_key(mycmp):
    return lambda obj: _Ordered(obj, mycmp)


_orders = {
    "__lt__": {"__gt__": lambda a, b: not a < b and a != b, "__le__": lambda a, b: a < b or a == b,
               "__ge__": lambda a, b: not a < b},
    "__le__": {"__ge__": lambda a, b: not a <= b or a == b, "__lt__": lambda a, b: a <= b and a != b,
               "__gt__": lambda a, b: not a <= b},
    "__gt__": {"__lt__": lambda a, b: not a > b and a != b, "__ge__": lambda a, b: a > b or a == b,
               "__le__": lambda a, b: not a > b},
    "__ge__": {"__le__": lambda a, b: not a >= b or a == b, "__gt__": lambda a, b: a >= b and a != b,
               "__lt__": lambda a, b: not a >= b},
}


def total_ordering(cls):
    roots = [name for name in _orders if getattr(cls, name, None) is not getattr(object, name, None)]
    if not roots:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    for name, method in _orders[roots[0]].items():
        if name not in roots:
            setattr(cls, name, method)
    return cls


class cached_property:
    """A property whose value is computed once and stored in the instance."""

    def __init__(self, func):
        self.func = func
        self.attrname = None
        self.__doc__ = func.__doc__

    def __set_name__(self, owner, name):
        if self.attrname is None:
            self.attrname = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = self.func(instance)
        instance.__setattr__(self.attrname, value)
        return value
