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
        return cls.__subclasscheck__(type(instance))

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


class Container(metaclass=_Kind):
    _methods = ("__contains__",)


class Hashable(metaclass=_Kind):
    _methods = ("__hash__",)


class Sized(metaclass=_Kind):
    _methods = ("__len__",)


class Iterable(metaclass=_Kind):
    _methods = ("__iter__",)


class Iterator(Iterable):
    _methods = ("__iter__", "__next__")

    def __iter__(self):
        return self


class Generator(Iterator):
    _methods = ()
    _classes = (type(_generator()),)


class Collection(Iterable):
    _methods = ("__len__", "__iter__", "__contains__")


class Sequence(metaclass=_Kind):
    _classes = (list, tuple, str, range, bytes)


class MutableSequence(metaclass=_Kind):
    _classes = (list,)


class Set(metaclass=_Kind):
    _classes = (set, frozenset, type({}.keys()), type({}.items()))


class MutableSet(metaclass=_Kind):
    _classes = (set,)


class Mapping(metaclass=_Kind):
    _classes = (dict,)


class MutableMapping(metaclass=_Kind):
    _classes = (dict,)


class Awaitable(metaclass=_Kind):
    _methods = ("__await__",)


class Coroutine(Awaitable):
    _methods = ("__await__", "send", "throw", "close")


class _Call(_Kind):
    def __instancecheck__(cls, instance):
        return callable(instance)


class Callable(metaclass=_Call):
    _methods = ("__call__",)
