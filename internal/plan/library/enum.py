"""Enumerations. The machine calls EnumType._bind_ for each name that the body of an
enumeration assigns: that is where auto() gets its value and members are distinguished from methods."""

from _labels import depend as _depend, plain as _plain, remember as _remember

__all__ = ['EnumType', 'EnumMeta', 'Enum', 'IntEnum', 'StrEnum', 'Flag', 'IntFlag', 'ReprEnum', 'auto', 'unique',
           'verify', 'EnumCheck', 'FlagBoundary', 'CONTINUOUS', 'NAMED_FLAGS', 'UNIQUE', 'STRICT', 'CONFORM',
           'EJECT', 'KEEP', 'member', 'nonmember', 'property', 'show_flag_values']

_UNSET = object()
_function = type(lambda: None)
_builtin_property = property


class nonmember:
    def __init__(self, value):
        self.value = value


class member:
    def __init__(self, value):
        self.value = value


class auto:
    def __init__(self, value=_UNSET):
        self.value = value

    def __repr__(self):
        return 'auto(_auto_null)' if self.value is _UNSET else f'auto({self.value!r})'


class _Body:
    """What the body of an enumeration has defined so far."""

    def __init__(self):
        self.members = []
        self.values = []
        self.last = []
        self.ignored = ()
        self.autos = False


_SUNDERS = ('_order_', '_generate_next_value_', '_numeric_repr_', '_missing_', '_ignore_', '_iter_member_',
            '_iter_member_by_value_', '_iter_member_by_def_', '_add_alias_', '_add_value_alias_', '_value_',
            '_name_', '_member_type_', '_use_args_', '_new_member_', '_boundary_')


def _is_descriptor(value):
    if isinstance(value, (_function, _builtin_property, staticmethod, classmethod)):
        return True
    kind = type(value)
    return hasattr(kind, '__get__') or hasattr(kind, '__set__') or hasattr(kind, '__delete__')


def _is_nested(name, value):
    return isinstance(value, type) and value.__name__ == name and value.__qualname__.endswith('.' + name)


def _single_bit(n):
    return n > 0 and n & (n - 1) == 0


def _bits(n):
    """The bits of n that are set, as numbers, lowest first."""
    out = []
    while n:
        low = n & -n
        out.append(low)
        n ^= low
    return out


def _binary(n, width):
    """n in binary digits with its sign first, as the messages show it."""
    if n >= 0:
        text = f'{n:b}'.rjust(width, '0')
        return '0b0 ' + text
    text = f'{(1 << width) + n if -n <= 1 << width else -n:b}'.rjust(width, '1')
    return '0b1 ' + text


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
        if name in body.ignored:
            return value
        if isinstance(value, nonmember):
            return value.value
        if isinstance(value, member):
            value = value.value
        elif _is_descriptor(value) or _is_nested(name, value):
            return value
        if name in ns:
            raise TypeError(f'{name!r} already defined as {ns[name]!r}')
        value = _resolve(bases, ns, body, name, value)
        body.members.append(name)
        body.values.append(value)
        return value

    def __new__(meta, name, bases, ns, *, boundary=None, **kwds):
        body = ns.get('_enum_body_')
        if body is None:
            body = _Body()
        own = {k: ns[k] for k in ns if k != '_enum_body_' and k not in body.members and k not in body.ignored}
        if not bases or bases == (object,):
            return _bare(type.__new__(meta, name, bases, own))
        member_type, first = _parents(name, bases)
        for bad in body.members:
            if bad == 'mro':
                raise ValueError(f'invalid enum member name(s) {bad!r}')
        own['_member_names_'] = []
        own['_member_map_'] = {}
        own['_value2member_map_'] = {}
        own['_unhashable_values_'] = []
        own['_member_type_'] = member_type
        own['_boundary_'] = boundary or getattr(first, '_boundary_', None)
        own['_flag_mask_'] = 0
        own['_singles_mask_'] = 0
        own['_all_bits_'] = 0
        own['_in_order_'] = True
        new = own.get('__new__')
        if new is None:
            new = getattr(first, '_new_member_', None)
        own['_new_member_'] = new.__func__ if isinstance(new, staticmethod) else new
        order = own.pop('_order_', None)
        cls = type.__new__(meta, name, bases, own, **kwds)
        _mix_methods(cls, own, first, member_type, bases)
        is_flag = _Flag[0] is not None and issubclass(cls, _Flag[0])
        for i, label in enumerate(body.members):
            _add_member(cls, label, body.values[i], is_flag)
        if is_flag:
            _finish_flag(cls)
        if order is not None:
            _check_order(cls, order)
        return cls

    def __call__(cls, value=_UNSET, names=_UNSET, *values, module=None, qualname=None, type=None, start=1,
                 boundary=None):
        if cls._member_map_:
            if names is not _UNSET:
                value = (value, names) + values
            if value is _UNSET:
                raise TypeError("EnumType.__call__() missing 1 required positional argument: 'value'")
            return _lookup(cls, value)
        if names is _UNSET and type is None:
            if value is _UNSET:
                raise TypeError("EnumType.__call__() missing 1 required positional argument: 'value'")
            raise TypeError(f'{cls!r} has no members; specify `names=()` if you meant to create a new, empty, enum')
        return _functional(cls, value, () if names is _UNSET else names, type, start, boundary)

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

    def __dir__(cls):
        return sorted(set(['__class__', '__contains__', '__doc__', '__getitem__', '__init_subclass__', '__iter__',
                           '__len__', '__members__', '__module__', '__name__', '__qualname__'] + cls._member_names_))

    def __repr__(cls):
        if _Flag[0] is not None and issubclass(cls, _Flag[0]):
            return f'<flag {cls.__name__!r}>'
        return f'<enum {cls.__name__!r}>'

    def __setattr__(cls, name, value):
        if name in cls.__dict__.get('_member_map_', ()):
            raise AttributeError(f'cannot reassign member {name!r}')
        type.__setattr__(cls, name, value)

    def __delattr__(cls, name):
        if name in cls.__dict__.get('_member_map_', ()):
            raise AttributeError(f'{cls.__name__!r} cannot delete member {name!r}.')
        type.__delattr__(cls, name)


_Flag = [None]


def _bare(cls):
    """The root of all enumerations has no members and no values."""
    type.__setattr__(cls, '_member_map_', {})
    type.__setattr__(cls, '_member_names_', [])
    type.__setattr__(cls, '_value2member_map_', {})
    type.__setattr__(cls, '_unhashable_values_', [])
    type.__setattr__(cls, '_member_type_', object)
    return cls


def _bind_sunder(body, name, value):
    if name not in _SUNDERS:
        raise ValueError(f'_sunder_ names, such as {name!r}, are reserved for future Enum use')
    if name == '_generate_next_value_':
        if body.autos:
            raise TypeError('_generate_next_value_ must be defined before members')
        if isinstance(value, _function):
            return staticmethod(value)
    if name == '_ignore_':
        if isinstance(value, str):
            value = value.replace(',', ' ').split()
        body.ignored = tuple(value)
        clash = [n for n in body.members if n in body.ignored]
        if clash:
            raise ValueError(f'_ignore_ cannot specify already set names: {set(clash)!r}')
    return value


def _resolve(bases, ns, body, name, value):
    """Replaces auto() in a member's value by the next value."""
    if isinstance(value, auto):
        return _next_value(bases, ns, body, name, value)
    if isinstance(value, tuple) and any([isinstance(v, auto) for v in value]):
        parts = [_next_value(bases, ns, body, name, v) if isinstance(v, auto) else v for v in value]
        return tuple(parts) if type(value) is tuple else type(value)(*parts)
    body.last.append(value)
    return value


def _next_value(bases, ns, body, name, marker):
    body.autos = True
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
    for base in bases:
        if isinstance(base, EnumType) and base._member_map_:
            raise TypeError(f'<enum {name!r}> cannot extend {base!r}')
    found = []
    for base in bases:
        candidate = None
        for kind in base.__mro__:
            if kind is object:
                continue
            if isinstance(kind, EnumType):
                if kind._member_type_ is not object:
                    if kind._member_type_ not in found:
                        found.append(kind._member_type_)
                    break
            elif '__new__' in kind.__dict__ or '__dataclass_fields__' in kind.__dict__:
                if (candidate or kind) not in found:
                    found.append(candidate or kind)
                break
            else:
                candidate = candidate or kind
    if len(found) > 1:
        raise TypeError(f'too many data types for {name!r}: {set(found)!r}')
    return (found[0] if found else object), first


def _mix_methods(cls, own, first, member_type, bases):
    """Data types give an enumeration their methods, but not the way it is shown."""
    if member_type is object:
        return
    for name in ('__repr__', '__str__', '__format__'):
        if name in own:
            continue
        owner = _owner(cls, name)
        if owner is object or owner is member_type or issubclass(member_type, owner):
            type.__setattr__(cls, name, getattr(first, name))
    if _Flag[0] is not None and issubclass(cls, _Flag[0]):
        for name in ('__or__', '__and__', '__xor__', '__ror__', '__rand__', '__rxor__', '__invert__'):
            if name not in own:
                type.__setattr__(cls, name, getattr(_Flag[0], name))
    if _Repr[0] is not None and _Repr[0] in bases:
        if '__str__' not in own:
            type.__setattr__(cls, '__str__', lambda self: member_type.__repr__(self) if member_type is not str
                             else str.__str__(self))
        if '__format__' not in own:
            type.__setattr__(cls, '__format__', lambda self, spec: member_type.__format__(self, spec))


_Repr = [None]


def _owner(cls, name):
    for kind in cls.__mro__:
        if name in kind.__dict__:
            return kind
    return object


def _add_member(cls, name, value, is_flag):
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
        if member_type is object:
            made._value_ = value
        else:
            try:
                made._value_ = member_type(*args)
            except Exception as cause:
                raise TypeError('_value_ not set in __new__, unable to create it') from cause
    made._name_ = name
    made.__objclass__ = cls
    made.__init__(*args)
    made._sort_order_ = len(cls._member_names_)
    if is_flag and not isinstance(made._value_, int):
        raise TypeError(f'_value_ for {name} must be an int')
    _register(cls, name, made, is_flag)


def _register(cls, name, made, is_flag):
    value = made._value_
    known = None
    try:
        known = cls._value2member_map_.get(value)
        hashable = True
    except TypeError:
        hashable = False
        for other in cls._member_map_.values():
            if other._value_ == value:
                known = other
                break
    if known is not None:
        cls._member_map_[name] = known
        type.__setattr__(cls, name, known)
        return
    if is_flag:
        type.__setattr__(cls, '_flag_mask_', cls._flag_mask_ | value)
        if _single_bit(value):
            cls._member_names_.append(name)
            if value < cls._singles_mask_:
                type.__setattr__(cls, '_in_order_', False)
            type.__setattr__(cls, '_singles_mask_', cls._singles_mask_ | value)
    else:
        cls._member_names_.append(name)
    cls._member_map_[name] = made
    type.__setattr__(cls, name, made)
    if hashable:
        cls._value2member_map_[value] = made
    else:
        cls._unhashable_values_.append(value)


def _finish_flag(cls):
    mask = cls._flag_mask_
    type.__setattr__(cls, '_all_bits_', (1 << mask.bit_length()) - 1)
    if not cls._boundary_:
        type.__setattr__(cls, '_boundary_', STRICT)


def _check_order(cls, order):
    if isinstance(order, str):
        order = order.replace(',', ' ').split()
    order = [n for n in order if n in cls._member_names_ or n not in cls._member_map_]
    if list(order) != cls._member_names_:
        raise TypeError(f'member order does not match _order_:\n  {cls._member_names_!r}\n  {order!r}')


def _lookup(cls, value):
    if type(value) is cls:
        return value
    try:
        return cls._value2member_map_[value]
    except KeyError:
        pass
    except TypeError:
        for found in cls._member_map_.values():
            if found._value_ == value:
                return _depend(found, value)
    found = cls._missing_(value)
    if isinstance(found, cls):
        return _depend(found, value)
    if found is not None and cls._boundary_ is EJECT and isinstance(found, int):
        return found
    if found is None:
        raise ValueError(f'{value!r} is not a valid {cls.__qualname__}')
    raise TypeError(f'error in {cls.__name__}._missing_: returned {found!r} instead of None or a valid member')


def _functional(cls, class_name, names, mixin, start, boundary):
    bases = (cls,) if mixin is None else (mixin, cls)
    ns = {}
    if isinstance(names, str):
        names = names.replace(',', ' ').split()
    names = list(names.items()) if isinstance(names, dict) else list(names)
    values = []
    for i, item in enumerate(names):
        if isinstance(item, str):
            value = cls._generate_next_value_(item, start, i, values[:])
            values.append(value)
        else:
            item, value = item
        ns[item] = EnumType._bind_(bases, ns, item, value)
    return EnumType.__new__(type(cls), class_name, bases, ns, boundary=boundary)


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
        return f'<{self.__class__.__name__}.{self._name_}: {_shown_value(self)}>'

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

    def __dir__(self):
        own = [n for n in self.__class__.__dict__ if n[0] != '_' and n not in self.__class__._member_map_]
        return sorted(set(['__class__', '__doc__', '__eq__', '__hash__', '__module__', 'name', 'value'] + own))

    def _add_alias_(self, name):
        cls = self.__class__
        if cls._member_map_.get(name, self) is not self:
            raise NameError(f'{name!r} is already bound: {cls._member_map_[name]!r}')
        cls._member_map_[name] = self
        type.__setattr__(cls, name, self)

    def _add_value_alias_(self, value):
        cls = self.__class__
        if cls._value2member_map_.get(value, self) is not self:
            raise ValueError(f'{value!r} is already bound: {cls._value2member_map_[value]!r}')
        cls._value2member_map_[value] = self


def _shown_value(self):
    kind = self.__class__._member_type_
    found = getattr(kind, '__dataclass_fields__', None)
    if found is not None:
        return ', '.join([f'{f.name}={getattr(self, f.name)!r}' for f in found.values() if f.repr])
    return repr(self._value_)


class ReprEnum(Enum):
    pass


_Repr[0] = ReprEnum


class IntEnum(int, ReprEnum):
    pass


class StrEnum(str, ReprEnum):

    def __new__(cls, *values):
        if len(values) > 3:
            raise TypeError(f'too many arguments for str(): {values!r}')
        if len(values) == 1 and not isinstance(values[0], str):
            raise TypeError(f'{values[0]!r} is not a string')
        if len(values) >= 2 and not isinstance(values[1], str):
            raise TypeError(f'encoding must be a string, not {values[1]!r}')
        if len(values) == 3 and not isinstance(values[2], str):
            raise TypeError(f'errors must be a string, not {values[2]!r}')
        value = str(*values)
        made = str.__new__(cls, value)
        made._value_ = value
        return made

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()


class FlagBoundary(StrEnum):
    STRICT = 'strict'
    CONFORM = 'conform'
    EJECT = 'eject'
    KEEP = 'keep'


STRICT = FlagBoundary.STRICT
CONFORM = FlagBoundary.CONFORM
EJECT = FlagBoundary.EJECT
KEEP = FlagBoundary.KEEP


class Flag(Enum, boundary=STRICT):
    _numeric_repr_ = repr

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        if not last_values:
            return start if start is not None else 1
        last = max(last_values)
        if not isinstance(last, int):
            raise TypeError(f'invalid flag value {last!r}') from None
        return 1 << last.bit_length()

    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int):
            raise ValueError(f'{value!r} is not a valid {cls.__qualname__}')
        mask, all_bits, boundary = cls._flag_mask_, cls._all_bits_, cls._boundary_
        if value < ~all_bits or value > all_bits or value & (all_bits ^ mask):
            if boundary is STRICT:
                width = max(value.bit_length(), mask.bit_length())
                raise ValueError(f'{cls!r} invalid value {value!r}\n    given {_binary(value, width)}\n'
                                 f'  allowed {_binary(mask, width)}')
            if boundary is CONFORM:
                value = value & mask
            elif boundary is EJECT:
                return value
            elif value < 0:
                value += max(all_bits + 1, 1 << value.bit_length())
        given = value
        value = _plain(value)
        negative = None
        if value < 0:
            negative = value
            value = all_bits + 1 + value if boundary is EJECT or boundary is KEEP else cls._singles_mask_ & value
        known = cls._value2member_map_.get(value)
        if known is None:
            known = _combination(cls, value, boundary, given)
            _remember(cls._value2member_map_, value, known)
        if negative is not None:
            _remember(cls._value2member_map_, negative, known)
        return known

    @classmethod
    def _iter_member_(cls, value):
        found = [cls._value2member_map_[bit] for bit in _bits(value & cls._flag_mask_)
                 if bit in cls._value2member_map_]
        if not cls._in_order_:
            found.sort(key=lambda m: m._sort_order_)
        return iter(found)

    def __iter__(self):
        return self._iter_member_(self._value_)

    def __contains__(self, other):
        if not isinstance(other, self.__class__):
            raise TypeError(f"unsupported operand type(s) for 'in': {type(other).__qualname__!r} and "
                            f"{self.__class__.__qualname__!r}")
        return other._value_ & self._value_ == other._value_

    def __len__(self):
        return self._value_.bit_count()

    def __repr__(self):
        name = self.__class__.__name__
        if self._name_ is None:
            return f'<{name}: {self._value_!r}>'
        return f'<{name}.{self._name_}: {self._value_!r}>'

    def __str__(self):
        name = self.__class__.__name__
        if self._name_ is None:
            return f'{name}({self._value_!r})'
        return f'{name}.{self._name_}'

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
        if value is NotImplemented:
            return value
        return self.__class__(self._value_ | value)

    def __and__(self, other):
        value = self._operand(other)
        if value is NotImplemented:
            return value
        return self.__class__(self._value_ & value)

    def __xor__(self, other):
        value = self._operand(other)
        if value is NotImplemented:
            return value
        return self.__class__(self._value_ ^ value)

    def __invert__(self):
        cls = self.__class__
        if cls._boundary_ is EJECT or cls._boundary_ is KEEP:
            return cls(~self._value_)
        return cls(cls._singles_mask_ & ~self._value_)

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__


def _combination(cls, value, boundary, given):
    """Makes the member without a name of its own that has these bits."""
    kind = cls._member_type_
    made = object.__new__(cls) if kind is object else kind.__new__(cls, value)
    if not hasattr(made, '_value_'):
        made._value_ = value
    made.__objclass__ = cls
    parts = []
    covered = 0
    for found in cls._iter_member_(value & cls._singles_mask_):
        parts.append(found)
        covered |= found._value_
    if value & ~cls._singles_mask_:
        for found in cls._member_map_.values():
            bits = found._value_
            if bits and bits & value == bits and not any([found is p for p in parts]):
                parts.append(found)
                covered |= bits
    left = value ^ covered
    if left and boundary is STRICT:
        raise ValueError(f'{cls!r}: no members with value {_depend(left, given)!r}')
    made._name_ = '|'.join([p._name_ for p in parts]) or None
    if left and made._name_ is not None:
        made._name_ = f'{made._name_}|{left!r}'
    return made


_Flag[0] = Flag


class IntFlag(int, ReprEnum, Flag, boundary=KEEP):
    pass


class EnumCheck(StrEnum):
    CONTINUOUS = 'no skipped integer values'
    NAMED_FLAGS = 'multi-flag aliases may not contain unnamed flags'
    UNIQUE = 'one name per value'


CONTINUOUS = EnumCheck.CONTINUOUS
NAMED_FLAGS = EnumCheck.NAMED_FLAGS
UNIQUE = EnumCheck.UNIQUE


def unique(enumeration):
    doubles = [f'{name} -> {m.name}' for name, m in enumeration.__members__.items() if name != m.name]
    if doubles:
        raise ValueError(f'duplicate values found in {enumeration!r}: {", ".join(doubles)}')
    return enumeration


class verify:

    def __init__(self, *checks):
        self.checks = checks

    def __call__(self, enumeration):
        for check in self.checks:
            if check is UNIQUE:
                doubles = [f'{name} -> {m.name}' for name, m in enumeration.__members__.items() if name != m.name]
                if doubles:
                    raise ValueError(f'aliases found in {enumeration!r}: {", ".join(doubles)}')
            elif check is CONTINUOUS:
                _check_continuous(enumeration)
            elif check is NAMED_FLAGS:
                _check_named(enumeration)
        return enumeration


def _check_continuous(enumeration):
    values = sorted([m.value for m in enumeration])
    if len(values) < 2:
        return
    if issubclass(enumeration, Flag):
        have = set(values)
        missing = [1 << i for i in range(values[0].bit_length(), values[-1].bit_length()) if 1 << i not in have]
    else:
        have = set(values)
        missing = [n for n in range(values[0], values[-1]) if n not in have]
    if missing:
        kind = 'flag' if issubclass(enumeration, Flag) else 'enum'
        raise ValueError(f'invalid {kind} {enumeration.__name__!r}: missing values '
                         f'{", ".join([str(n) for n in missing])}')


def _check_named(enumeration):
    named = 0
    for m in enumeration:
        named |= m.value
    bad = []
    lost = 0
    for name, m in enumeration.__members__.items():
        if m.value & ~named:
            bad.append(name)
            lost |= m.value & ~named
    if bad:
        word = f'alias {bad[0]} is missing' if len(bad) == 1 else \
            f'aliases {", ".join(bad[:-1])} and {bad[-1]} are missing'
        what = f'value 0x{lost:x}' if _single_bit(lost) else \
            f'combined values of 0x{lost:x}'
        raise ValueError(f'invalid Flag {enumeration.__name__!r}: {word} {what} '
                         '[use enum.show_flag_values(value) for details]')


def show_flag_values(value):
    return _bits(value._value_ if isinstance(value, Enum) else value)


EnumMeta = EnumType
property = _builtin_property
