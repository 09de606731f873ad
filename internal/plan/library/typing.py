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


Any = _Form("Any")
Union = _Form("Union")
Optional = _Form("Optional")
ClassVar = _Form("ClassVar")
Final = _Form("Final")
Literal = _Form("Literal")
NoReturn = _Form("NoReturn")
Never = _Form("Never")
Self = _Form("Self")
Annotated = _Form("Annotated")
Required = _Form("Required")
NotRequired = _Form("NotRequired")
TypeAlias = _Form("TypeAlias")

List = _Form("List", list)
Dict = _Form("Dict", dict)
Set = _Form("Set", set)
FrozenSet = _Form("FrozenSet", frozenset)
Tuple = _Form("Tuple", tuple)
Type = _Form("Type", type)
Text = str
DefaultDict = _Form("DefaultDict", _collections.defaultdict)
OrderedDict = _Form("OrderedDict", _collections.OrderedDict)
Counter = _Form("Counter", _collections.Counter)
Deque = _Form("Deque", _collections.deque)
Iterable = _Form("Iterable", _abc.Iterable)
Iterator = _Form("Iterator", _abc.Iterator)
Generator = _Form("Generator", _abc.Generator)
Collection = _Form("Collection", _abc.Collection)
Sequence = _Form("Sequence", _abc.Sequence)
MutableSequence = _Form("MutableSequence", _abc.MutableSequence)
Mapping = _Form("Mapping", _abc.Mapping)
MutableMapping = _Form("MutableMapping", _abc.MutableMapping)
AbstractSet = _Form("AbstractSet", _abc.Set)
Callable = _Form("Callable", _abc.Callable)
Hashable = _Form("Hashable", _abc.Hashable)
Sized = _Form("Sized", _abc.Sized)
Awaitable = _Form("Awaitable", _abc.Awaitable)
Coroutine = _Form("Coroutine", _abc.Coroutine)


class TypeVar(_Form):
    def __init__(self, name, *constraints, **options):
        _Form.__init__(self, name)
        self.__name__ = name

    def __repr__(self):
        return "~" + self.__name__


class ParamSpec(TypeVar):
    @property
    def args(self):
        return self

    @property
    def kwargs(self):
        return self


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


def overload(func):
    return func


def override(func, /):
    return func


def final(f):
    return f


def runtime_checkable(cls):
    return cls


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
                s = "s" if len(defaults) > 1 else ""
                raise TypeError(f"Non-default namedtuple field {n} cannot follow default field{s} {', '.join(defaults)}")
        extra = {k: v for k, v in space.items() if k not in names}
        for n in ("__new__", "__init__", "__slots__", "_fields", "_field_defaults", "_make", "_replace", "_asdict"):
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
