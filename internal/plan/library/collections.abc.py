"""What kinds of containers there are: for annotations and isinstance."""


class _Kind(type):
    def __instancecheck__(cls, instance):
        if cls is Callable:
            return callable(instance)
        return cls.__subclasscheck__(type(instance))

    def __subclasscheck__(cls, c):
        if cls in c.__mro__:
            return True
        if cls._classes is not None:
            return any([k in cls._classes for k in c.__mro__])
        return bool(cls._methods) and all([_has(c, m) for m in cls._methods])

    def __getitem__(cls, item):
        return cls

    def __or__(cls, other):
        return (cls, other)

    def __ror__(cls, other):
        return (other, cls)

    def register(cls, c):
        if cls._classes is None:
            cls._classes = ()
        cls._classes += (c,)
        return c


def _has(cls, name):
    for k in cls.__mro__:
        d = k.__dict__
        if name in d:
            return d[name] is not None
    return False


def _class_of(v):
    return type(v)


_views = {n: _class_of(getattr({}, n)()) for n in ("keys", "values", "items")}


def _generator():
    yield


class Container(metaclass=_Kind):
    _classes = None
    _methods = ("__contains__",)


class Hashable(metaclass=_Kind):
    _classes = None
    _methods = ("__hash__",)

class Iterable(metaclass=_Kind):
    _classes = None
    _methods = ("__iter__",)


class Iterator(Iterable):
    _methods = ("__iter__", "__next__")


class Reversible(Iterable):
    _methods = ("__iter__", "__reversed__")


class Generator(Iterator):
    _classes = (_class_of(_generator()),)


class Sized(metaclass=_Kind):
    _classes = None
    _methods = ("__len__",)


class Callable(metaclass=_Kind):
    _classes = None
    _methods = ("__call__",)


class Collection(Iterable):
    _methods = ("__len__", "__iter__", "__contains__")


class Sequence(Collection):
    _classes = (list, tuple, str, range, bytes)

    def __iter__(self):
        i = 0
        try:
            while True:
                yield self[i]
                i += 1
        except IndexError:
            return

    def __contains__(self, value):
        for v in self:
            if v is value or v == value:
                return True
        return False

    def __reversed__(self):
        for i in range(len(self) - 1, -1, -1):
            yield self[i]

    def index(self, value, start=0, stop=None):
        for i in range(start, len(self) if stop is None else stop):
            if self[i] is value or self[i] == value:
                return i
        raise ValueError

    def count(self, value):
        return sum([1 for v in self if v is value or v == value])


class MutableSequence(Sequence):
    _classes = (list,)

    def append(self, value):
        self.insert(len(self), value)

    def extend(self, values):
        for v in list(values):
            self.append(v)

    def pop(self, index=-1):
        v = self[index]
        del self[index]
        return v

    def remove(self, value):
        del self[self.index(value)]

    def clear(self):
        while len(self):
            del self[len(self) - 1]

    def reverse(self):
        n = len(self)
        for i in range(n // 2):
            self[i], self[n - i - 1] = self[n - i - 1], self[i]

    def __iadd__(self, values):
        self.extend(values)
        return self


class ByteString(Sequence):
    _classes = (bytes,)


class Set(Collection):
    _classes = (set, frozenset, _views["keys"], _views["items"])

    def __le__(self, other):
        return all([x in other for x in self])

    def __lt__(self, other):
        return len(self) < len(other) and self <= other

    def __ge__(self, other):
        return all([x in self for x in other])

    def __gt__(self, other):
        return len(self) > len(other) and self >= other

    def __eq__(self, other):
        return len(self) == len(other) and self <= other

    @classmethod
    def _from_iterable(cls, it):
        return cls(it)

    def __and__(self, other):
        return self._from_iterable([x for x in other if x in self])

    def __or__(self, other):
        return self._from_iterable([x for s in (self, other) for x in s])

    def __sub__(self, other):
        return self._from_iterable([x for x in self if x not in other])

    def isdisjoint(self, other):
        return not any([x in self for x in other])


class MutableSet(Set):
    _classes = (set,)


class Mapping(Collection):
    _classes = (dict,)

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def keys(self):
        return {k: None for k in self}.keys()

    def items(self):
        return {k: self[k] for k in self}.items()

    def values(self):
        return {k: self[k] for k in self}.values()

    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self.items()) == dict(other.items())


_none = object()


class MutableMapping(Mapping):
    _classes = (dict,)

    def pop(self, key, default=_none):
        try:
            value = self[key]
        except KeyError:
            if default is _none:
                raise
            return default
        del self[key]
        return value

    def popitem(self):
        for key in self:
            break
        else:
            raise KeyError
        value = self[key]
        del self[key]
        return key, value

    def clear(self):
        for key in list(self):
            del self[key]

    def update(self, other=(), /, **kwds):
        if isinstance(other, Mapping):
            for key in other:
                self[key] = other[key]
        elif hasattr(other, "keys"):
            for key in other.keys():
                self[key] = other[key]
        else:
            for key, value in other:
                self[key] = value
        for key, value in kwds.items():
            self[key] = value

    def setdefault(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default


class MappingView(Sized):
    _classes = tuple(_views.values())


class KeysView(Set):
    _classes = (_views["keys"],)


class ItemsView(Set):
    _classes = (_views["items"],)


class ValuesView(Collection):
    _classes = (_views["values"],)


class Awaitable(metaclass=_Kind):
    _classes = None
    _methods = ("__await__",)


class Coroutine(Awaitable):
    _methods = ("__await__", "send", "throw", "close")


class AsyncIterable(metaclass=_Kind):
    _classes = None
    _methods = ("__aiter__",)


class AsyncIterator(AsyncIterable):
    _methods = ("__aiter__", "__anext__")


class AsyncGenerator(AsyncIterator):
    _methods = ("__aiter__", "__anext__", "asend")


class Buffer(metaclass=_Kind):
    _classes = (bytes,)
    _methods = ()
