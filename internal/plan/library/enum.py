"""Enumerations. The machine calls EnumType._bind_ for each name that the body of an
enumeration assigns: that is where auto() gets its value and members are distinguished from methods."""

from _labels import calls as _calls, depend as _depend, plain as _plain, remember as _remember

__all__ = ['EnumType', 'EnumMeta', 'Enum', 'IntEnum', 'StrEnum', 'Flag', 'IntFlag', 'auto', 'unique']

_UNSET = object()
_function = type(lambda: None)


class auto:
    def __init__(self, value=_UNSET):
        self.value = value


class _Body:
    """What the body of an enumeration has defined so far."""

    def __init__(self):
        self.members = []
        self.values = []
        self.last = []


def _is_descriptor(value):
    if isinstance(value, (_function, property, staticmethod, classmethod)):
        return True
    kind = type(value)
    return hasattr(kind, '__get__')


def _single_bit(n):
    return n > 0 and n & (n - 1) == 0


def _binary(n, width):
    """n in binary digits with its sign first, as the messages show it."""
    if n >= 0:
        return '0b0 ' + f'{n:b}'.rjust(width, '0')
    return '0b1 ' + f'{(1 << width) + n if -n <= 1 << width else -n:b}'.rjust(width, '1')


class EnumType(type):

    def _bind_(bases, ns, name, value):
        body = ns.get('_enum_body_')
        if body is None:
            body = _Body()
            ns['_enum_body_'] = body
        if name[:2] == '__' and name[-2:] == '__':
            return value
        if name[0] == '_' and name[-1:] == '_' and len(name) > 2 and name[1] != '_' and name[-2] != '_':
            return _bind_sunder(body, name, value)
        if name[0] == '_' and name.find('__', 1) > 0 and name[-1] != '_':
            return value
        if name in body.members:
            raise TypeError(f'{name!r} already defined as {ns[name]!r}')
        if _is_descriptor(value) or isinstance(value, type) and value.__name__ == name:
            return value
        if name in ns:
            raise TypeError(f'{name!r} already defined as {ns[name]!r}')
        value = _resolve(bases, ns, body, name, value)
        body.members.append(name)
        body.values.append(value)
        return value

    def __new__(meta, name, bases, ns):
        body = ns.get('_enum_body_')
        if body is None:
            body = _Body()
        own = {k: ns[k] for k in ns if k != '_enum_body_' and k not in body.members}
        own['_member_names_'] = []
        own['_member_map_'] = {}
        own['_value2member_map_'] = {}
        own['_member_type_'] = object
        own['_flag_mask_'] = 0
        own['_singles_mask_'] = 0
        if not bases:
            return type.__new__(meta, name, bases, own)
        member_type, first = _parents(name, bases)
        own['_member_type_'] = member_type
        new = own.get('__new__')
        if new is None:
            new = getattr(first, '_new_member_', None)
        own['_new_member_'] = new.__func__ if isinstance(new, staticmethod) else new
        cls = type.__new__(meta, name, bases, own)
        _mix_methods(cls, own, first, member_type)
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
        return f'<{"flag" if _is_flag(cls) else "enum"} {cls.__name__!r}>'

    def __setattr__(cls, name, value):
        if name in cls.__dict__.get('_member_map_', ()):
            raise AttributeError(f'cannot reassign member {name!r}')
        type.__setattr__(cls, name, value)

    def __delattr__(cls, name):
        if name in cls.__dict__.get('_member_map_', ()):
            raise AttributeError(f'{cls.__name__!r} cannot delete member {name!r}.')
        type.__delattr__(cls, name)


def _is_flag(cls):
    return hasattr(cls, '_flags_')


def _bind_sunder(body, name, value):
    if name not in ('_generate_next_value_', '_missing_', '_value_', '_flags_', '_keeps_', '_as_value_'):
        raise ValueError(f'_sunder_ names, such as {name!r}, are reserved for future Enum use')
    if name == '_generate_next_value_':
        if body.last:
            raise TypeError('_generate_next_value_ must be defined before members')
        if isinstance(value, _function):
            return staticmethod(value)
    return value


def _resolve(bases, ns, body, name, value):
    """Replaces auto() in a member's value by the next value."""
    if isinstance(value, auto):
        return _next_value(bases, ns, body, name, value)
    if isinstance(value, tuple) and any([isinstance(v, auto) for v in value]):
        return tuple([_next_value(bases, ns, body, name, v) if isinstance(v, auto) else v for v in value])
    body.last.append(value)
    return value


def _next_value(bases, ns, body, name, marker):
    if marker.value is _UNSET:
        make = ns.get('_generate_next_value_')
        if isinstance(make, staticmethod):
            make = make.__func__
        if make is None:
            make = bases[-1]._generate_next_value_
        marker.value = make(name, 1, len(body.members), body.last[:])
    body.last.append(marker.value)
    return marker.value


def _parents(name, bases):
    first = bases[-1]
    if not isinstance(first, EnumType):
        raise TypeError('new enumerations should be created as '
                        '`EnumName([mixin_type, ...] [data_type,] enum_type)`')
    found = []
    for base in bases:
        if isinstance(base, EnumType) and base._member_map_:
            raise TypeError(f'<enum {name!r}> cannot extend {base!r}')
        for kind in base.__mro__:
            if isinstance(kind, EnumType):
                kind = kind._member_type_
            elif '__new__' not in kind.__dict__:
                continue
            if kind is not object and kind not in found:
                found.append(kind)
                break
    if len(found) > 1:
        raise TypeError(f'too many data types for {name!r}: {set(found)!r}')
    return (found[0] if found else object), first


def _mix_methods(cls, own, first, member_type):
    """Data types give an enumeration their methods, but not the way it is shown."""
    if member_type is object:
        return
    for name in ('__repr__', '__str__', '__format__'):
        if name not in own and issubclass(member_type, _owner(cls, name)):
            type.__setattr__(cls, name, getattr(first, name))
    if _is_flag(cls):
        for name in ('__or__', '__and__', '__xor__', '__ror__', '__rand__', '__rxor__', '__invert__'):
            if name not in own:
                type.__setattr__(cls, name, getattr(Flag, name))
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
    args = value if isinstance(value, tuple) else (value,)
    if member_type is tuple:
        args = (args,)
    new = cls._new_member_
    if new is not None:
        made = new(cls, *args)
    elif member_type is object or '__new__' not in member_type.__dict__:
        made = object.__new__(cls)
    else:
        made = member_type.__new__(cls, *args)
    if not hasattr(made, '_value_'):
        made._value_ = value if member_type is object else member_type(*args)
    made._name_ = name
    made.__init__(*args)
    made._sort_order_ = len(cls._member_names_)
    if _is_flag(cls) and not isinstance(made._value_, int):
        raise TypeError(f'_value_ for {name} must be an int')
    _register(cls, name, made)


def _register(cls, name, made):
    """Makes a member known by its name and its value; the first of a value is its member."""
    value = made._value_
    known = _known(cls, value)
    if known is None:
        known = made
        single = True
        if _is_flag(cls):
            type.__setattr__(cls, '_flag_mask_', cls._flag_mask_ | value)
            single = _single_bit(value)
        if single:
            cls._member_names_.append(name)
            if _is_flag(cls):
                type.__setattr__(cls, '_singles_mask_', cls._singles_mask_ | value)
        try:
            cls._value2member_map_[value] = made
        except TypeError:
            pass
    cls._member_map_[name] = known
    type.__setattr__(cls, name, known)


def _known(cls, value):
    try:
        return cls._value2member_map_.get(value)
    except TypeError:
        for found in cls._member_map_.values():
            if found._value_ == value:
                return found
        return None


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

    @property
    def name(self):
        return self._name_

    @name.setter
    def name(self, value):
        raise AttributeError("<enum 'Enum'> cannot set attribute 'name'")

    @property
    def value(self):
        return self._value_

    @value.setter
    def value(self, value):
        raise AttributeError("<enum 'Enum'> cannot set attribute 'value'")

    def __init__(self, *args, **kwds):
        pass

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        if not last_values:
            return start
        try:
            last = sorted(last_values)[-1]
        except TypeError:
            raise TypeError('unable to sort non-numeric values') from None
        try:
            return last + 1
        except TypeError:
            raise TypeError(f'unable to increment {last!r}') from None

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

    def __new__(cls, value):
        if not isinstance(value, str):
            raise TypeError(f'{value!r} is not a string')
        made = str.__new__(cls, value)
        made._value_ = value
        return made

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()


class Flag(Enum):
    _flags_ = True
    _keeps_ = False  # whether bits that no member has are kept

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        if not last_values:
            return start
        last = max(last_values)
        if not isinstance(last, int):
            raise TypeError(f'invalid flag value {last!r}') from None
        return 1 << last.bit_length()

    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int):
            raise ValueError(f'{value!r} is not a valid {cls.__qualname__}')
        mask = cls._flag_mask_
        all_bits = (1 << mask.bit_length()) - 1
        given = value
        if cls._keeps_:
            if value < 0:
                value += max(all_bits + 1, 1 << value.bit_length())
        elif value < ~all_bits or value > all_bits or value & (all_bits ^ mask):
            width = max(value.bit_length(), mask.bit_length())
            raise ValueError(f'{cls!r} invalid value {value!r}\n    given {_binary(value, width)}\n'
                             f'  allowed {_binary(mask, width)}')
        elif value < 0:
            value &= cls._singles_mask_
        value = _plain(value)
        known = cls._value2member_map_.get(value)
        if known is None:
            known = _combination(cls, value, given)
            _remember(cls._value2member_map_, value, known)
        return known

    def __iter__(self):
        return iter([m for m in self.__class__ if m._value_ & self._value_])

    def __contains__(self, other):
        if not isinstance(other, self.__class__):
            raise TypeError(f"unsupported operand type(s) for 'in': {type(other).__qualname__!r} and "
                            f"{self.__class__.__qualname__!r}")
        return other._value_ & self._value_ == other._value_

    def __len__(self):
        return self._value_.bit_count()

    def __repr__(self):
        name = self.__class__.__name__
        return f'<{name}: {self._value_!r}>' if self._name_ is None else f'<{name}.{self._name_}: {self._value_!r}>'

    def __str__(self):
        name = self.__class__.__name__
        return f'{name}({self._value_!r})' if self._name_ is None else f'{name}.{self._name_}'

    def __bool__(self):
        return bool(self._value_)

    def _operand(self, other):
        if isinstance(other, self.__class__):
            return other._value_
        kind = self._member_type_
        if kind is not object and isinstance(other, kind):
            return other
        return NotImplemented

    def __or__(self, other):
        value = self._operand(other)
        return value if value is NotImplemented else self.__class__(self._value_ | value)

    def __and__(self, other):
        value = self._operand(other)
        return value if value is NotImplemented else self.__class__(self._value_ & value)

    def __xor__(self, other):
        value = self._operand(other)
        return value if value is NotImplemented else self.__class__(self._value_ ^ value)

    def __invert__(self):
        cls = self.__class__
        return cls(~self._value_ if cls._keeps_ else cls._singles_mask_ & ~self._value_)

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__


def _combination(cls, value, given):
    """Makes the member without a name of its own that has these bits."""
    kind = cls._member_type_
    made = object.__new__(cls) if kind is object else kind.__new__(cls, value)
    made._value_ = value
    parts = [m for m in cls if m._value_ & value]
    covered = value & cls._singles_mask_
    if value & ~cls._singles_mask_:
        for m in cls._member_map_.values():
            bits = m._value_
            if bits and bits & value == bits and not any([m is p for p in parts]):
                parts.append(m)
                covered |= bits
    left = value ^ covered
    if left and not cls._keeps_:
        raise ValueError(f'{cls!r}: no members with value {_depend(left, given)!r}')
    made._name_ = '|'.join([p._name_ for p in parts]) or None
    if left and made._name_ is not None:
        made._name_ = f'{made._name_}|{left!r}'
    return made


class IntFlag(int, Flag):
    _as_value_ = True
    _keeps_ = True


def unique(enumeration):
    doubles = [f'{name} -> {m.name}' for name, m in enumeration.__members__.items() if name != m.name]
    if doubles:
        raise ValueError(f'duplicate values found in {enumeration!r}: {", ".join(doubles)}')
    return enumeration


EnumMeta = EnumType
