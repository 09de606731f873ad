"""What kinds of containers there are: for annotations and isinstance."""


class _Kind(type):
    """A class whose instances are known by their classes, or by the methods that they have."""

    _classes = ()
    _methods = ()

    def __new__(meta, name, bases, space):
        for base in bases:
            if base._classes and space["__module__"] != "collections.abc":
                raise TypeError(f"{base.__name__} has no methods to derive in a plan: derive from dict, list or set")
        return type.__new__(meta, name, bases, space)

    def __instancecheck__(cls, instance):
        return callable(instance) if "__call__" in cls._methods else cls.__subclasscheck__(type(instance))

    def __subclasscheck__(cls, c):
        if cls in c.__mro__ or any([k in cls._classes for k in c.__mro__]):
            return True
        return bool(cls._methods) and all([_has(c, m) for m in cls._methods])

    def __getitem__(cls, item):
        return cls

    def __or__(cls, other):
        return (cls, other)

    def __ror__(cls, other):
        return (other, cls)


def _has(cls, name):
    for k in cls.__mro__:
        d = k.__dict__
        if name in d:
            return d[name] is not None
    return False


def _generator():
    yield


def _kind(name, classes=(), methods=()):
    return _Kind(name, (), {"__module__": "collections.abc", "_classes": classes, "_methods": methods})


class Iterator(metaclass=_Kind):
    _methods = ("__iter__", "__next__")

    def __iter__(self):
        return self


Container = _kind("Container", methods=("__contains__",))
Hashable = _kind("Hashable", methods=("__hash__",))
Sized = _kind("Sized", methods=("__len__",))
Iterable = _kind("Iterable", methods=("__iter__",))
Collection = _kind("Collection", methods=("__len__", "__iter__", "__contains__"))
Callable = _kind("Callable", methods=("__call__",))
Awaitable = _kind("Awaitable", methods=("__await__",))
Coroutine = _kind("Coroutine", methods=("__await__", "send", "throw", "close"))
Generator = _kind("Generator", (type(_generator()),))
Sequence = _kind("Sequence", (list, tuple, str, range, bytes))
MutableSequence = _kind("MutableSequence", (list,))
Set = _kind("Set", (set, frozenset, type({}.keys()), type({}.items())))
MutableSet = _kind("MutableSet", (set,))
Mapping = _kind("Mapping", (dict,))
MutableMapping = _kind("MutableMapping", (dict,))
