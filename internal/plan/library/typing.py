"""Names for annotations. They do nothing when the plan runs."""

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

    def __mro_entries__(self, bases):
        return () if self.__origin__ is None else (self.__origin__,)

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
LiteralString = _Form("LiteralString")
NoReturn = _Form("NoReturn")
Never = _Form("Never")
Self = _Form("Self")
Annotated = _Form("Annotated")
Concatenate = _Form("Concatenate")
Unpack = _Form("Unpack")
Required = _Form("Required")
NotRequired = _Form("NotRequired")
ReadOnly = _Form("ReadOnly")
TypeAlias = _Form("TypeAlias")
TypeGuard = _Form("TypeGuard")
TypeIs = _Form("TypeIs")

List = _Form("List", list)
Dict = _Form("Dict", dict)
Set = _Form("Set", set)
FrozenSet = _Form("FrozenSet", frozenset)
Tuple = _Form("Tuple", tuple)
Type = _Form("Type", type)
Text = str
AnyStr = _Form("AnyStr")

Iterable = _Form("Iterable", _abc.Iterable)
Iterator = _Form("Iterator", _abc.Iterator)
Generator = _Form("Generator", _abc.Generator)
Collection = _Form("Collection", _abc.Collection)
Container = _Form("Container", _abc.Container)
Sequence = _Form("Sequence", _abc.Sequence)
MutableSequence = _Form("MutableSequence", _abc.MutableSequence)
Mapping = _Form("Mapping", _abc.Mapping)
MutableMapping = _Form("MutableMapping", _abc.MutableMapping)
AbstractSet = _Form("AbstractSet", _abc.Set)
MutableSet = _Form("MutableSet", _abc.MutableSet)
Callable = _Form("Callable", _abc.Callable)
Hashable = _Form("Hashable", _abc.Hashable)
Sized = _Form("Sized", _abc.Sized)
Reversible = _Form("Reversible", _abc.Reversible)
Awaitable = _Form("Awaitable", _abc.Awaitable)
Coroutine = _Form("Coroutine", _abc.Coroutine)
AsyncIterable = _Form("AsyncIterable", _abc.AsyncIterable)
AsyncIterator = _Form("AsyncIterator", _abc.AsyncIterator)
AsyncGenerator = _Form("AsyncGenerator", _abc.AsyncGenerator)
SupportsInt = _Form("SupportsInt")
SupportsFloat = _Form("SupportsFloat")
SupportsIndex = _Form("SupportsIndex")
SupportsAbs = _Form("SupportsAbs")
SupportsRound = _Form("SupportsRound")
KeysView = _Form("KeysView", _abc.KeysView)
ItemsView = _Form("ItemsView", _abc.ItemsView)
ValuesView = _Form("ValuesView", _abc.ValuesView)


def _collection(name):
    import collections
    return _Form(name, getattr(collections, {"DefaultDict": "defaultdict", "Deque": "deque"}.get(name, name)))



DefaultDict = _collection("DefaultDict")
OrderedDict = _collection("OrderedDict")
Counter = _collection("Counter")
Deque = _collection("Deque")
ChainMap = _collection("ChainMap")


class TypeVar:
    def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False, default=None, infer_variance=False):
        self.__name__ = name
        self.__constraints__ = constraints
        self.__bound__ = bound

    def __or__(self, other):
        return Union

    def __ror__(self, other):
        return Union

    def __repr__(self):
        return "~" + self.__name__


class ParamSpec:
    def __init__(self, name, **kwargs):
        self.__name__ = name
        self.args = _Form("args")
        self.kwargs = _Form("kwargs")

    def __repr__(self):
        return "~" + self.__name__


class TypeVarTuple:
    def __init__(self, name, **kwargs):
        self.__name__ = name

    def __iter__(self):
        yield self

    def __repr__(self):
        return self.__name__


def NewType(name, tp):
    def new(x):
        return x
    new.__name__ = name
    new.__supertype__ = tp
    return new


def cast(typ, val):
    return val


def assert_type(val, typ):
    return val


def reveal_type(obj, /):
    return obj


def assert_never(arg, /):
    value = repr(arg)
    if len(value) > 100:
        value = value[:100] + "..."
    raise AssertionError(f"Expected code to be unreachable, but got: {value}")


def overload(func):
    return func


def override(func, /):
    return func


def final(f):
    return f


def no_type_check(arg):
    return arg


def runtime_checkable(cls):
    return cls


def dataclass_transform(**kwargs):
    return lambda cls: cls


def get_type_hints(obj, *args, **kwargs):
    return dict(getattr(obj, "__annotations__", {}))


def get_origin(tp):
    return getattr(tp, "__origin__", None)


def get_args(tp):
    return getattr(tp, "__args__", ())


class _NamedTupleType(type):
    def __new__(meta, name, bases, space, **kwargs):
        if not any([type(b) is _NamedTupleType for b in bases]):
            return type.__new__(meta, name, bases, space)
        from collections import _named
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
        for n in ("__new__", "__init__", "__slots__", "__getnewargs__", "_fields", "_field_defaults", "_make", "_replace", "_asdict"):
            if n in extra:
                raise AttributeError("Cannot overwrite NamedTuple attribute " + n)
        return _named(name, tuple(names), defaults, space.get("__module__", "__main__"), extra)

    def __call__(cls, typename, fields=(), /, **kwargs):
        from collections import _named, _field_names
        fields = list(fields) + list(kwargs.items())
        return _named(typename, tuple(_field_names(typename, [n for n, _ in fields], False)), {}, "__main__",
                                  {"__annotations__": dict(fields)})


class NamedTuple(metaclass=_NamedTupleType):
    pass


class _TypedDictType(type):
    def __new__(meta, name, bases, space, total=True, **kwargs):
        if not bases:
            return type.__new__(meta, name, bases, space)
        notes = {}
        for b in bases:
            notes.update(getattr(b, "__annotations__", {}))
        notes.update(space.get("__annotations__", {}))
        cls = type.__new__(meta, name, (_TypedBase,), {"__annotations__": notes, "__total__": total, "__module__": space.get("__module__", "__main__")})
        return cls

    def __call__(cls, *args, **kwargs):
        return dict(*args, **kwargs)


class _TypedBase(metaclass=_TypedDictType):
    def __init_subclass__(cls, **kwargs):
        pass


class _TypedDict:
    def __mro_entries__(self, bases):
        return (_TypedBase,)

    def __call__(self, typename, fields=(), /, *, total=True):
        return _TypedDictType(typename, (_TypedBase,), {"__annotations__": dict(fields)}, total=total)


TypedDict = _TypedDict()
