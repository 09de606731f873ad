"""Names for annotations. They do nothing when the plan runs."""

import collections as _collections
from collections import _named
import collections.abc as _abc

TYPE_CHECKING = False


class _Form:
    """A name that can be subscripted, joined with | and called; isinstance asks its class."""

    def __init__(self, name, cls=None):
        self._name = name
        self.__origin__ = cls

    def __getitem__(self, item):
        return self

    def __or__(self, other):
        return Union

    def __ror__(self, other):
        return Union

    def __call__(self, *args, **kwargs):
        if self.__origin__ is None:
            raise TypeError(f"Cannot instantiate typing.{self._name}")
        return self.__origin__(*args, **kwargs)

    def __instancecheck__(self, obj):
        if self.__origin__ is None:
            raise TypeError(f"typing.{self._name} cannot be used with isinstance()")
        return isinstance(obj, self.__origin__)

    def __subclasscheck__(self, cls):
        if self.__origin__ is None:
            raise TypeError(f"typing.{self._name} cannot be used with issubclass()")
        return issubclass(cls, self.__origin__)

    def __repr__(self):
        return f"typing.{self._name}"


class Generic:
    def __class_getitem__(cls, item):
        return cls


class Protocol(Generic):
    pass


def _forms(names, module=None):
    """Names for annotations; those of a module stand for its classes."""
    return [_Form(n, module and getattr(module, n)) for n in names.split()]


Any, Union, Optional, ClassVar, Final, Literal, Annotated = _forms("Any Union Optional ClassVar Final Literal Annotated")
NoReturn, Never, Self, Required, NotRequired, TypeAlias = _forms("NoReturn Never Self Required NotRequired TypeAlias")
List, Dict, Set, Tuple, Type = _Form("List", list), _Form("Dict", dict), _Form("Set", set), _Form("Tuple", tuple), _Form("Type", type)
FrozenSet, AbstractSet, Text = _Form("FrozenSet", frozenset), _Form("AbstractSet", _abc.Set), str
DefaultDict, Deque = _Form("DefaultDict", _collections.defaultdict), _Form("Deque", _collections.deque)
OrderedDict, Counter = _forms("OrderedDict Counter", _collections)
Iterable, Iterator, Generator, Collection = _forms("Iterable Iterator Generator Collection", _abc)
Sequence, MutableSequence, Mapping, MutableMapping = _forms("Sequence MutableSequence Mapping MutableMapping", _abc)
Callable, Hashable, Sized, Awaitable, Coroutine = _forms("Callable Hashable Sized Awaitable Coroutine", _abc)


class TypeVar(_Form):
    def __init__(self, name, *constraints, **options):
        _Form.__init__(self, name)
        self.__name__ = name

    def __repr__(self):
        return "~" + self.__name__


def NewType(name, tp):
    def new(x):
        return x
    new.__name__ = name
    new.__supertype__ = tp
    return new


def cast(typ, val):
    return val


def assert_never(arg, /):
    raise AssertionError(f"Expected code to be unreachable, but got: {arg!r:.100}")


def _same(f):
    return f


overload = override = final = runtime_checkable = _same


class _NamedTupleType(type):
    def __new__(meta, name, bases, space):
        if not any([type(b) is _NamedTupleType for b in bases]):
            return type.__new__(meta, name, bases, space)
        names = list(space.get("__annotations__", {}))
        defaults = {}
        for n in names:
            if n.startswith("_"):
                raise ValueError(f"Field names cannot start with an underscore: {n!r}")
            if n in space:
                defaults[n] = space[n]
            elif defaults:
                raise TypeError(f"Non-default namedtuple field {n} cannot follow default fields {', '.join(defaults)}")
        extra = {k: v for k, v in space.items() if k not in names}
        for n in ("__new__", "__init__"):
            if n in extra:
                raise AttributeError("Cannot overwrite NamedTuple attribute " + n)
        return _named(name, tuple(names), defaults, space.get("__module__", "__main__"), extra)

    def __call__(cls, typename, fields=(), /):
        return _collections.namedtuple(typename, [n for n, _ in fields])


class NamedTuple(metaclass=_NamedTupleType):
    pass


class _TypedDictType(type):
    def __new__(meta, name, bases, space, total=True):
        return type.__new__(meta, name, bases, {"__module__": space.get("__module__", "__main__")})

    def __call__(cls, *args, **kwargs):
        if cls is TypedDict:
            raise TypeError("write a class that derives from TypedDict")
        return dict(*args, **kwargs)


class TypedDict(metaclass=_TypedDictType):
    pass
