"""Enumerations. The machine calls EnumType._bind_ for each name that the body of an
enumeration assigns: that is where auto() gets its value and members are distinguished from methods."""

from _labels import calls as _calls, depend as _depend, mark as _mark

__all__ = ['EnumType', 'EnumMeta', 'Enum', 'IntEnum', 'StrEnum', 'auto', 'unique']

_UNSET = object()
_function = type(lambda: None)


class auto:
    """The next value, whatever it is."""


class _Body:
    """What the body of an enumeration has defined so far."""

    def __init__(self):
        self.members = []
        self.values = []
        self.last = []


def _is_descriptor(value):
    return isinstance(value, (_function, property, staticmethod, classmethod)) or hasattr(type(value), '__get__')


class EnumType(type):

    def _bind_(bases, ns, name, value):
        body = ns.setdefault('_enum_body_', _Body())
        if name in body.members:
            raise TypeError(f'{name!r} already defined as {ns[name]!r}')
        if name in ('_generate_next_value_', '_ignore_'):
            raise TypeError(f'an enumeration in a plan has no {name}: write the values of its members')
        if name[0] == '_' and (name[-1] == '_' or '__' in name) or _is_descriptor(value) or isinstance(value, type) and value.__name__ == name:
            return value
        if name in ns:
            raise TypeError(f'{name!r} already defined as {ns[name]!r}')
        value = _resolve(bases, body, name, value)
        body.members.append(name)
        body.values.append(value)
        return value

    def __new__(meta, name, bases, ns):
        body = ns.get('_enum_body_', _Body())
        own = {k: ns[k] for k in ns if k != '_enum_body_' and k not in body.members}
        own.update(_member_names_=[], _member_map_={}, _value2member_map_={}, _member_type_=object)
        if not bases:
            return type.__new__(meta, name, bases, own)
        own['_member_type_'], first = _parents(name, bases)
        cls = type.__new__(meta, name, bases, own)
        _mix_methods(cls, own, first)
        for i, label in enumerate(body.members):
            _add_member(cls, label, body.values[i])
        return cls

    def __call__(cls, value=_UNSET, *values):
        if value is _UNSET:
            raise TypeError("EnumType.__call__() missing 1 required positional argument: 'value'")
        if not cls._member_map_:
            raise TypeError(f'{cls!r} has no members; specify `names=()` if you meant to create a new, empty, enum')
        return _lookup(cls, (value, *values) if values else value)

    def __contains__(cls, value):
        if isinstance(value, cls):
            return _depend(True, value)
        try:
            _lookup(cls, value)
        except ValueError:
            return _depend(False, value)
        return _depend(True, value)

    def __getitem__(cls, name):
        return cls._member_map_[name]

    def __iter__(cls):
        return iter([cls._member_map_[name] for name in cls._member_names_])

    def __reversed__(cls):
        return iter([cls._member_map_[name] for name in reversed(cls._member_names_)])

    def __len__(cls):
        return len(cls._member_names_)

    def __bool__(cls):
        return True

    @property
    def __members__(cls):
        return dict(cls._member_map_)

    def __repr__(cls):
        return f'<enum {cls.__name__!r}>'

    def __setattr__(cls, name, value):
        if name in cls.__dict__.get('_member_map_', ()):
            raise AttributeError(f'cannot reassign member {name!r}')
        type.__setattr__(cls, name, value)

    def __delattr__(cls, name):
        if name in cls.__dict__.get('_member_map_', ()):
            raise AttributeError(f'{cls.__name__!r} cannot delete member {name!r}.')
        type.__delattr__(cls, name)


def _resolve(bases, body, name, value):
    """Replaces auto() in a member's value by the next value."""
    if isinstance(value, tuple):
        return tuple([_resolve(bases, body, name, v) if isinstance(v, auto) else v for v in value])
    if isinstance(value, auto):
        value = bases[-1]._next_(name, body.last)
    body.last.append(value)
    return value


def _parents(name, bases):
    """The data type that the bases give, and the enumeration among them."""
    first = bases[-1]
    if not isinstance(first, EnumType):
        raise TypeError('new enumerations should be created as '
                        '`EnumName([mixin_type, ...] [data_type,] enum_type)`')
    found = object
    for base in reversed(bases):
        if isinstance(base, EnumType) and base._member_map_:
            raise TypeError(f'<enum {name!r}> cannot extend {base!r}')
        for kind in base.__mro__:
            if isinstance(kind, EnumType):
                kind = kind._member_type_
            elif '__new__' not in kind.__dict__:
                continue
            if kind is not object:
                found = kind
                break
    return found, first


def _mix_methods(cls, own, first):
    """Data types give an enumeration their methods, but not the way it is shown."""
    member_type = cls._member_type_
    if member_type is object:
        return
    for name in ('__repr__', '__str__', '__format__'):
        if name not in own and issubclass(member_type, _owner(cls, name)):
            type.__setattr__(cls, name, getattr(first, name))
    if '_as_value_' in own:
        type.__setattr__(cls, '__str__', lambda self: str.__str__(self) if member_type is str
                         else member_type.__repr__(self))
        type.__setattr__(cls, '__format__', lambda self, spec: member_type.__format__(self, spec))


def _owner(cls, name):
    for kind in cls.__mro__:
        if name in kind.__dict__:
            return kind
    return object


def _add_member(cls, name, value):
    member_type = cls._member_type_
    args = value if isinstance(value, tuple) and member_type is not tuple else (value,)
    new = cls.__dict__.get('__new__')
    if new is not None:
        made = (new.__func__ if isinstance(new, staticmethod) else new)(cls, *args)
    elif member_type is object or '__new__' not in member_type.__dict__:
        made = object.__new__(cls)
    else:
        if issubclass(cls, StrEnum) and not isinstance(value, str):
            raise TypeError(f'{value!r} is not a string')
        made = member_type.__new__(cls, *args)
    if not hasattr(made, '_value_'):
        made._value_ = value if member_type is object else member_type(*args)
    made._name_ = name
    made.__init__(*args)
    try:
        known = cls._value2member_map_.setdefault(made._value_, made)  # the first of a value is its member
    except TypeError:
        known = _known(cls, made._value_, made)
    _mark(cls._member_names_, known)
    if known is made:
        cls._member_names_.append(name)
    cls._member_map_[name] = known
    type.__setattr__(cls, name, known)


def _known(cls, value, default=None):
    try:
        return cls._value2member_map_.get(value, default)
    except TypeError:
        for found in cls._member_map_.values():
            if found._value_ == value:
                return found
        return default


def _lookup(cls, value):
    if type(value) is cls:
        return value
    _calls(cls._missing_, value)
    found = _known(cls, value)
    if found is not None:
        return _depend(found, value)
    found = cls._missing_(value)
    if isinstance(found, cls):
        return _depend(found, value)
    if found is None:
        raise ValueError(f'{value!r} is not a valid {cls.__qualname__}')
    raise TypeError(f'error in {cls.__name__}._missing_: returned {found!r} instead of None or a valid member')


class Enum(metaclass=EnumType):

    name = property(lambda self: self._name_)
    value = property(lambda self: self._value_)

    def __init__(self, *args, **kwds):
        pass

    @staticmethod
    def _next_(name, last_values):
        try:
            return max(last_values) + 1 if last_values else 1
        except TypeError:
            raise TypeError(f'unable to find a value for {name} above {last_values!r}') from None

    @classmethod
    def _missing_(cls, value):
        return None

    def __repr__(self):
        return f'<{self.__class__.__name__}.{self._name_}: {self._value_!r}>'

    def __str__(self):
        return f'{self.__class__.__name__}.{self._name_}'

    def __format__(self, format_spec):
        return str.__format__(str(self), format_spec)

    def __hash__(self):
        return hash(self._name_)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class IntEnum(int, Enum):
    _as_value_ = True


class StrEnum(str, Enum):
    _as_value_ = True

    @staticmethod
    def _next_(name, last_values):
        return name.lower()


def unique(enumeration):
    doubles = [f'{name} -> {m.name}' for name, m in enumeration.__members__.items() if name != m.name]
    if doubles:
        raise ValueError(f'duplicate values found in {enumeration!r}: {", ".join(doubles)}')
    return enumeration


EnumMeta = EnumType
