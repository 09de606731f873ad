"""Containers beside list, dict, set and tuple."""

from _labels import mark as _mark


class _Merged(dict):
    """A dict whose class stays when it is merged with another."""

    def __or__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        new = self.copy()
        new.update(other)
        return new

    def __ror__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        new = self.copy()
        new.clear()
        new.update(other)
        new.update(self)
        return new


class OrderedDict(_Merged):
    """A dict whose order counts."""

    def move_to_end(self, key, last=True):
        value = dict.pop(self, key)
        if last:
            dict.__setitem__(self, key, value)
            return
        rest = list(dict.items(self))
        dict.clear(self)
        dict.__setitem__(self, key, value)
        dict.update(self, rest)

    def popitem(self, last=True):
        if not self:
            raise KeyError("dictionary is empty")
        for key in reversed(self) if last else self:
            break
        return (key, dict.pop(self, key))

    def __eq__(self, other):
        if isinstance(other, OrderedDict):
            return list(dict.items(self)) == list(dict.items(other))
        return dict.__eq__(self, other)

    def __ne__(self, other):
        r = self.__eq__(other)
        return r if r is NotImplemented else not r

    def copy(self):
        return self.__class__(self)

    __copy__ = copy

    def __repr__(self):
        if not self:
            return self.__class__.__name__ + "()"
        return f"{self.__class__.__name__}({dict.__repr__(self)})"


class defaultdict(_Merged):
    """A dict that makes the values that it does not have."""

    def __init__(self, default_factory=None, /, *args, **kwargs):
        if default_factory is not None and not callable(default_factory):
            raise TypeError("first argument must be callable or None")
        dict.__init__(self, *args, **kwargs)
        self.default_factory = default_factory

    def __missing__(self, key):
        factory = self.default_factory
        if factory is None:
            raise KeyError(key)
        value = factory()
        dict.__setitem__(self, key, value)
        return value

    def copy(self):
        return self.__class__(self.default_factory, self)

    __copy__ = copy

    def __repr__(self):
        return f"{self.__class__.__name__}({self.default_factory!r}, {dict.__repr__(self)})"


def _second(pair):
    return pair[1]


def _counts(combine):
    """An operator that combines the counts of each element, and keeps those above zero."""
    def method(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        out = Counter()
        for x in {**self, **other}:
            n = combine(self[x], other[x])
            if n > 0:
                out[x] = n
        return out
    return method


class Counter(dict):
    """How often each element occurs."""

    def __init__(self, iterable=None, /, **kwds):
        dict.__init__(self)
        self.update(iterable, **kwds)

    def __missing__(self, key):
        return 0

    def total(self):
        return sum(self.values())

    def most_common(self, n=None):
        pairs = sorted(self.items(), key=_second, reverse=True)
        return pairs if n is None else pairs[:max(n, 0)]

    def elements(self):
        for x, n in self.items():
            for _ in range(n):
                yield x

    def update(self, iterable=None, /, **kwds):
        if isinstance(iterable, dict):
            if self:
                for x, n in iterable.items():
                    self[x] = n + self.get(x, 0)
            else:
                dict.update(self, iterable)
        elif iterable is not None:
            _count(self, iterable)
        if kwds:
            self.update(kwds)

    def subtract(self, iterable=None, /, **kwds):
        if isinstance(iterable, dict):
            for x, n in iterable.items():
                self[x] = self.get(x, 0) - n
        elif iterable is not None:
            for x in iterable:
                self[x] = self.get(x, 0) - 1
        if kwds:
            self.subtract(kwds)

    def copy(self):
        return self.__class__(self)

    __copy__ = copy

    def __delitem__(self, key):
        if key in self:
            dict.__delitem__(self, key)

    def __repr__(self):
        if not self:
            return f"{self.__class__.__name__}()"
        try:
            d = dict(self.most_common())
        except TypeError:
            d = dict(self)
        return f"{self.__class__.__name__}({d!r})"

    def __eq__(self, other):
        if not isinstance(other, Counter):
            return dict.__eq__(self, other)
        return all([self[x] == other[x] for c in (self, other) for x in c])

    def __ne__(self, other):
        r = self.__eq__(other)
        return r if r is NotImplemented else not r

    def __le__(self, other):
        return all([self[x] <= other[x] for c in (self, other) for x in c])

    def __ge__(self, other):
        return all([self[x] >= other[x] for c in (self, other) for x in c])

    __add__ = _counts(lambda n, m: n + m)
    __sub__ = _counts(lambda n, m: n - m)
    __or__ = _counts(max)
    __and__ = _counts(min)

    def __pos__(self):
        return self + Counter()

    def _become(self, other):
        dict.clear(self)
        dict.update(self, other)
        return self

    def __iadd__(self, other):
        return self._become(self + other)

    def __isub__(self, other):
        return self._become(self - other)

    def __ior__(self, other):
        return self._become(self | other)

    def __iand__(self, other):
        return self._become(self & other)


class deque:
    """A queue with two ends."""

    __hash__ = None

    def __init__(self, iterable=(), maxlen=None):
        if maxlen is not None:
            if not isinstance(maxlen, int):
                raise TypeError("an integer is required")
            if maxlen < 0:
                raise ValueError("maxlen must be non-negative")
        self._maxlen = maxlen
        self._front = []  # the first half, the first element last
        self._back = []
        self._changes = 0
        self._mark(maxlen)
        self.extend(iterable)

    def _mark(self, n):
        """What is where depends on n."""
        _mark(self._front, n)
        _mark(self._back, n)

    maxlen = property(lambda self: self._maxlen)

    def append(self, x, /):
        self._back.append(x)
        self._changes += 1
        if self._maxlen is not None and len(self) > self._maxlen:
            self.popleft()

    def appendleft(self, x, /):
        self._front.append(x)
        self._changes += 1
        if self._maxlen is not None and len(self) > self._maxlen:
            self.pop()

    def pop(self):
        if not self._back:
            if not self._front:
                raise IndexError("pop from an empty deque")
            self._shift(self._front, self._back)
        self._changes += 1
        return self._back.pop()

    def popleft(self):
        if not self._front:
            if not self._back:
                raise IndexError("pop from an empty deque")
            self._shift(self._back, self._front)
        self._changes += 1
        return self._front.pop()

    def _shift(self, source, target):
        n = (len(source) + 1) // 2
        target += source[n - 1::-1]
        del source[:n]

    def extend(self, iterable, /):
        self._grow(self._back, self.popleft, iterable)

    def extendleft(self, iterable, /):
        self._grow(self._front, self.pop, iterable)

    def _grow(self, half, drop, iterable):
        if iterable is self:
            iterable = list(iterable)
        self._changes += 1
        if self._maxlen is None:
            half.extend(iterable)
            return
        it = iter(iterable)
        more = True
        while more:
            items = list(zip(range(1000), it))  # a few at a time: there may be more than fit
            self._mark(len(items))
            for _, x in items:
                half.append(x)
                if len(self) > self._maxlen:
                    drop()
            more = len(items) == 1000

    def _all(self):
        return self._front[::-1] + self._back

    def _set(self, items):
        self._front.clear()
        self._back[:] = items
        self._changes += 1

    def clear(self):
        self._set([])

    def copy(self):
        return self.__class__(self, self._maxlen)

    __copy__ = copy

    def rotate(self, n=1, /):
        items = self._all()
        n %= len(items) or 1
        self._mark(n)
        self._set(items[len(items) - n:] + items[:len(items) - n])

    def reverse(self):
        self._front, self._back = self._back, self._front
        self._changes += 1

    def count(self, x, /):
        return self._front.count(x) + self._back.count(x)

    def index(self, x, start=0, stop=None, /):
        items = self._all()
        stop = len(items) if stop is None else stop
        return items.index(x, start, stop)

    def insert(self, i, x, /):
        if self._maxlen is not None and len(self) >= self._maxlen:
            raise IndexError("deque already at its maximum size")
        items = self._all()
        items.insert(i, x)
        self._set(items)

    def remove(self, x, /):
        items = self._all()
        items.remove(x)
        self._set(items)

    def __len__(self):
        return len(self._front) + len(self._back)

    def __bool__(self):
        return bool(self._back) or bool(self._front)

    def _place(self, i):
        if not isinstance(i, int):
            raise TypeError(f"sequence index must be integer, not '{type(i).__name__}'")
        n = len(self._front)
        if i < 0:
            i += n + len(self._back)
            if i < 0:
                raise IndexError("deque index out of range")
        if i < n:
            return self._front, n - 1 - i
        if i - n >= len(self._back):
            raise IndexError("deque index out of range")
        return self._back, i - n

    def __getitem__(self, i):
        half, i = self._place(i)
        return half[i]

    def __setitem__(self, i, x):
        half, i = self._place(i)
        half[i] = x

    def __delitem__(self, i):
        half, i = self._place(i)
        del half[i]
        self._changes += 1

    def __iter__(self):
        changes = self._changes
        for x in self._all():
            if changes != self._changes:
                raise RuntimeError("deque mutated during iteration")
            yield x
        if changes != self._changes:
            raise RuntimeError("deque mutated during iteration")

    def __reversed__(self):
        changes = self._changes
        for x in self._all()[::-1]:
            if changes != self._changes:
                raise RuntimeError("deque mutated during iteration")
            yield x

    def __contains__(self, x):
        return x in self._front or x in self._back

    def __eq__(self, other):
        if not isinstance(other, deque):
            return NotImplemented
        return self._all() == other._all()

    def __iadd__(self, other):
        self.extend(other)
        return self

    def __repr__(self):
        items = self._all()
        text = ", ".join(["deque([...])" if x is self else repr(x) for x in items])
        end = "" if self._maxlen is None else f", maxlen={self._maxlen}"
        return f"{self.__class__.__name__}([{text}]{end})"


_keywords = frozenset(
    "False None True and as assert async await break class continue def del elif else except finally for from "
    "global if import in is lambda nonlocal not or pass raise return try while with yield".split())


def _field_names(typename, names):
    names = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    for n in [typename, *names]:
        if not isinstance(n, str) or not n.isidentifier() or n in _keywords:
            raise ValueError(f"Type names and field names must be valid identifiers and no keywords: {n!r}")
    for i, n in enumerate(names):
        if n.startswith("_"):
            raise ValueError(f"Field names cannot start with an underscore: {n!r}")
        if n in names[:i]:
            raise ValueError(f"Encountered duplicate field name: {n!r}")
    return names


def _field(i):
    return property(lambda self: self[i], None, None, f"Alias for field number {i}")


def namedtuple(typename, field_names, *, defaults=None):
    names = tuple(_field_names(typename, field_names))
    defaults = () if defaults is None else tuple(defaults)
    if len(defaults) > len(names):
        raise TypeError("Got more default values than field names")
    return _named(typename, names, dict(zip(names[len(names) - len(defaults):], defaults)), "__main__", {})


def _named(typename, names, defaults, module, extra):
    size = len(names)

    def __new__(cls, /, *args, **kwargs):
        if kwargs or len(args) != size:
            values = {**defaults, **dict(zip(names, args)), **kwargs}
            missing = [n for n in names if n not in values]
            if missing:
                raise TypeError(f"{typename}() misses {', '.join(missing)}")
            if len(args) > size or len(values) > size or any([n in kwargs for n in names[:len(args)]]):
                raise TypeError(f"{typename}() takes each of these once: {', '.join(names)}")
            args = [values[n] for n in names]
        return tuple.__new__(cls, args)

    def _make(cls, iterable):
        values = tuple(iterable)
        if len(values) != size:
            raise TypeError(f"Expected {size} arguments, got {len(values)}")
        return tuple.__new__(cls, values)

    def _replace(self, /, **kwds):
        values = [kwds.pop(n, v) for n, v in zip(names, self)]
        if kwds:
            raise TypeError(f"Got unexpected field names: {list(kwds)!r}")
        return self._make(values)

    def _asdict(self):
        return dict(zip(names, self))

    def __repr__(self):
        return self.__class__.__name__ + "(" + ", ".join([f"{n}={v!r}" for n, v in zip(names, self)]) + ")"

    space = {
        "__slots__": (), "_fields": names, "_field_defaults": defaults, "__match_args__": names,
        "__new__": __new__, "_make": classmethod(_make), "_replace": _replace,
        "_asdict": _asdict, "__repr__": __repr__, "__module__": module,
        "__doc__": f"{typename}({', '.join(names)})", "__qualname__": typename,
    }
    for i, n in enumerate(names):
        space[n] = _field(i)
    space.update(extra)
    return type(typename, (tuple,), space)
