"""Classes that are made of fields. The methods of a data class are compiled from
text that is made of its fields' names alone, by the native _build."""

from _labels import depend as _depend

__all__ = ['dataclass', 'field', 'Field', 'FrozenInstanceError', 'InitVar', 'KW_ONLY', 'MISSING',
           'fields', 'asdict', 'astuple', 'replace', 'is_dataclass']


class FrozenInstanceError(AttributeError):
    pass


MISSING = object()
KW_ONLY = object()
_FACTORY = object()


class InitVar:
    __slots__ = ('type',)

    def __init__(self, type):
        self.type = type

    def __class_getitem__(cls, item):
        return cls(item)


class Field:
    __slots__ = ('name', 'type', 'default', 'default_factory', 'init', 'repr', 'hash', 'compare',
                 'metadata', 'kw_only', '_field_type')

    def __init__(self, default, default_factory, init, repr, hash, compare, metadata, kw_only):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.metadata = {} if metadata is None else metadata
        self.kw_only = kw_only
        self._field_type = None


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None,
          compare=True, metadata=None, kw_only=MISSING):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError('cannot specify both default and default_factory')
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)


class _Params:
    """What a class gave to the decorator."""

    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)


# What an annotation is, is read from its text: annotations are not evaluated.
_PLAIN = {'int': int, 'str': str, 'float': float, 'bool': bool, 'list': list, 'dict': dict, 'set': set,
          'tuple': tuple, 'frozenset': frozenset, 'bytes': bytes, 'object': object, 'type': type, 'None': None}


def _text(note):
    if not isinstance(note, str):
        return ''
    text = note.strip()
    if len(text) >= 2 and text[0] in '\'"' and text[-1] == text[0]:
        text = text[1:-1]
    return text


def _head(note):
    text = _text(note)
    at = text.find('[')
    if at >= 0:
        text = text[:at]
    return text[text.rfind('.') + 1:].strip()


def _type_of(note):
    return _PLAIN.get(note, note) if isinstance(note, str) else note


def _make_field(cls, name, note, kw_only):
    # The name becomes a part of the text that _build compiles.
    if not isinstance(name, str) or not name.isidentifier() or name in _KEYWORDS:
        raise TypeError(f'Field names must be valid identifiers: {name!r}')
    default = getattr(cls, name, MISSING)
    if isinstance(default, Field):
        f = default
    else:
        f = Field(default, MISSING, True, True, None, True, None, MISSING)
    f.name = name
    f.type = _type_of(note)
    kind = _head(note)
    if isinstance(note, InitVar):
        kind = 'InitVar'
    f._field_type = {'ClassVar': '_FIELD_CLASSVAR', 'InitVar': '_FIELD_INITVAR'}.get(kind, '_FIELD')
    if f._field_type != '_FIELD' and f.default_factory is not MISSING:
        raise TypeError(f'field {f.name} cannot have a default factory')
    if f._field_type == '_FIELD_CLASSVAR':
        if f.kw_only is not MISSING:
            raise TypeError(f'field {f.name} is a ClassVar but specifies kw_only')
    elif f.kw_only is MISSING:
        f.kw_only = kw_only
    if f._field_type == '_FIELD' and type(f.default).__hash__ is None:
        raise ValueError(f'mutable default {type(f.default)} for field {f.name} is not allowed: use default_factory')
    return f


def _own_fields(cls, kw_only):
    out = []
    marked = False
    notes = cls.__dict__.get('__annotations__', {})
    for name in notes:
        note = notes[name]
        if note is KW_ONLY or _head(note) == 'KW_ONLY':
            if marked:
                raise TypeError(f'{name!r} is KW_ONLY, but KW_ONLY has already been specified')
            marked = True
            kw_only = True
        else:
            out.append(_make_field(cls, name, note, kw_only))
    for f in out:
        if isinstance(getattr(cls, f.name, None), Field):
            if f.default is MISSING:
                delattr(cls, f.name)
            else:
                setattr(cls, f.name, f.default)
    own = cls.__dict__
    for name in own:
        if isinstance(own[name], Field) and name not in notes:
            raise TypeError(f'{name!r} is a field but has no type annotation')
    return out


def _inherited(cls):
    """The fields of the bases by name, whether one is a data class, and which are frozen."""
    found = {}
    any_base = False
    any_frozen = False
    all_frozen = True
    for base in cls.__mro__[-1:0:-1]:
        base_fields = base.__dict__.get('__dataclass_fields__')
        if base_fields is not None:
            any_base = True
            for f in base_fields.values():
                found[f.name] = f
            if base.__dataclass_params__.frozen:
                any_frozen = True
            else:
                all_frozen = False
    return found, any_base, any_frozen, all_frozen


def _process(cls, params):
    all_fields, any_base, any_frozen, all_frozen = _inherited(cls)
    cls.__dataclass_params__ = params
    for f in _own_fields(cls, params.kw_only):
        all_fields[f.name] = f
    if any_base:
        if any_frozen and not params.frozen:
            raise TypeError('cannot inherit non-frozen dataclass from a frozen one')
        if not all_frozen and params.frozen:
            raise TypeError('cannot inherit frozen dataclass from a non-frozen one')
    own = cls.__dict__
    explicit_hash = own.get('__hash__', MISSING)
    has_hash = not (explicit_hash is MISSING or (explicit_hash is None and '__eq__' in own))
    if params.order and not params.eq:
        raise ValueError('eq must be true if order is true')
    cls.__dataclass_fields__ = all_fields
    _add_methods(cls, params, all_fields, own, has_hash)
    if params.match_args and '__match_args__' not in own:
        cls.__match_args__ = tuple([f.name for f in all_fields.values()
                                    if f.init and not f.kw_only and f._field_type != '_FIELD_CLASSVAR'])
    return cls


def _add_methods(cls, params, all_fields, own, has_hash):
    names = {'_dc_set': object.__setattr__, '_dc_super': super, '_dc_class': cls, '_dc_missing': _FACTORY,
             '_dc_error': FrozenInstanceError, '_dc_enter': _enter, '_dc_leave': _leave, '_dc_depend': _depend}
    source = []
    real = [f for f in all_fields.values() if f._field_type == '_FIELD']
    compared = [f.name for f in real if f.compare]
    if params.init and '__init__' not in own:
        _init_source(source, cls, params, all_fields, names)
    if params.repr and '__repr__' not in own:
        _repr_source(source, [f.name for f in real if f.repr])
    if params.eq and '__eq__' not in own:
        _eq_source(source, compared)
    if params.order:
        for name, sign in (('__lt__', '<'), ('__le__', '<='), ('__gt__', '>'), ('__ge__', '>=')):
            if name in own:
                raise TypeError(f'Cannot overwrite attribute {name} in class {cls.__name__} '
                                'Consider using functools.total_ordering')
            _order_source(source, name, sign, compared)
    if params.frozen:
        for name in ('__setattr__', '__delattr__'):
            if name in own:
                raise TypeError(f'Cannot overwrite attribute {name} in class {cls.__name__}')
        _frozen_source(source, [f.name for f in real], names)
    _hash_action(source, cls, params, real, has_hash)
    if '__replace__' not in own:
        cls.__replace__ = _replace_method
    if source:
        made = _build('\n'.join(source), names)
        for name in made:
            fn = made[name]
            fn.__qualname__ = f'{cls.__qualname__}.{name}'
            setattr(cls, name, fn)


def _hash_action(source, cls, params, real, has_hash):
    hashed = [f.name for f in real if (f.compare if f.hash is None else f.hash)]
    if params.unsafe_hash:
        if has_hash:
            raise TypeError(f'Cannot overwrite attribute __hash__ in class {cls.__name__}')
        _hash_source(source, hashed)
    elif params.eq and not has_hash:
        if params.frozen:
            _hash_source(source, hashed)
        else:
            cls.__hash__ = None


def _init_source(source, cls, params, all_fields, names):
    taken = [f for f in all_fields.values() if f._field_type != '_FIELD_CLASSVAR']
    plain = [f for f in taken if f.init and not f.kw_only]
    named = [f for f in taken if f.init and f.kw_only]
    seen = None
    for f in plain:
        if f.default is not MISSING or f.default_factory is not MISSING:
            seen = f
        elif seen is not None:
            raise TypeError(f'non-default argument {f.name!r} follows default argument {seen.name!r}')
    self = '_dc_self' if 'self' in all_fields else 'self'
    heads = [self] + [_parameter(f, names) for f in plain]
    if named:
        heads.append('*')
        heads.extend([_parameter(f, names) for f in named])
    source.append(f'def __init__({", ".join(heads)}):')
    empty = True
    for f in taken:
        value = _initial(f, params, names)
        if f._field_type == '_FIELD' and value is not None:
            empty = False
            if params.frozen:
                source.append(f' _dc_set({self}, {f.name!r}, {value})')
            else:
                source.append(f' {self}.{f.name} = {value}')
    if hasattr(cls, '__post_init__'):
        empty = False
        given = ', '.join([f.name for f in taken if f._field_type == '_FIELD_INITVAR'])
        source.append(f' {self}.__post_init__({given})')
    if empty:
        source.append(' pass')


def _parameter(f, names):
    if f.default is not MISSING:
        names[f'_dc_default_{f.name}'] = f.default
        return f'{f.name}=_dc_default_{f.name}'
    if f.default_factory is not MISSING:
        return f'{f.name}=_dc_missing'
    return f.name


def _initial(f, params, names):
    if f.default_factory is not MISSING:
        names[f'_dc_factory_{f.name}'] = f.default_factory
        if f.init:
            return f'_dc_factory_{f.name}() if {f.name} is _dc_missing else {f.name}'
        return f'_dc_factory_{f.name}()'
    if f.init:
        return f.name
    return None


def _repr_source(source, shown):
    parts = ', '.join([f'{n}={{self.{n}!r}}' for n in shown])
    source.extend(['def __repr__(self):',
                   ' if _dc_enter(self):',
                   '  return "..."',
                   ' try:',
                   f'  return f"{{self.__class__.__qualname__}}({parts})"',
                   ' finally:',
                   '  _dc_leave()'])


# The data classes that __repr__ is writing right now, outermost first.
_writing = []


def _enter(o):
    for other in _writing:
        if other is o:
            return True
    _writing.append(o)
    return False


def _leave():
    _writing.pop()


def _eq_source(source, compared):
    source.extend(['def __eq__(self, other):',
                   ' if self is other:',
                   '  return _dc_depend(True, self, other)',
                   ' if other.__class__ is not self.__class__:',
                   '  return NotImplemented'])
    if not compared:
        source.append(' return _dc_depend(True, self, other)')
    for i, name in enumerate(compared):
        source.append(f' same = self.{name} == other.{name}' if i == 0 else
                      f' same = _dc_depend(self.{name} == other.{name}, same)')
        if i == len(compared) - 1:
            source.append(' return same')
        else:
            source.extend([' if not same:', '  return same'])


def _order_source(source, name, sign, compared):
    mine = ''.join([f'self.{n},' for n in compared])
    theirs = ''.join([f'other.{n},' for n in compared])
    source.extend([f'def {name}(self, other):',
                   ' if other.__class__ is self.__class__:',
                   f'  return ({mine}) {sign} ({theirs})',
                   ' return NotImplemented'])


def _hash_source(source, hashed):
    source.extend(['def __hash__(self):', f' return hash(({"".join([f"self.{n}," for n in hashed])}))'])


def _frozen_source(source, own_names, names):
    names['_dc_names'] = frozenset(own_names)
    source.extend(['def __setattr__(self, name, value):',
                   ' if type(self) is _dc_class or name in _dc_names:',
                   '  raise _dc_error(f"cannot assign to field {name!r}")',
                   ' _dc_super(_dc_class, self).__setattr__(name, value)',
                   'def __delattr__(self, name):',
                   ' if type(self) is _dc_class or name in _dc_names:',
                   '  raise _dc_error(f"cannot delete field {name!r}")',
                   ' _dc_super(_dc_class, self).__delattr__(name)'])


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False,
              frozen=False, match_args=True, kw_only=False, slots=False):
    params = _Params(init=init, repr=repr, eq=eq, order=order, unsafe_hash=unsafe_hash, frozen=frozen,
                     match_args=match_args, kw_only=kw_only, slots=slots)

    def wrap(cls):
        return _process(cls, params)

    if cls is None:
        return wrap
    return wrap(cls)


def fields(class_or_instance):
    found = getattr(class_or_instance, '__dataclass_fields__', None)
    if found is None:
        raise TypeError('must be called with a dataclass type or instance')
    return tuple([f for f in found.values() if f._field_type == '_FIELD'])


def is_dataclass(obj):
    cls = obj if isinstance(obj, type) else type(obj)
    return _depend(hasattr(cls, '__dataclass_fields__'), obj)


def _is_instance(obj):
    return hasattr(type(obj), '__dataclass_fields__')


def asdict(obj, *, dict_factory=dict):
    if not _is_instance(obj):
        raise TypeError('asdict() should be called on dataclass instances')
    return _inner(obj, dict_factory)


def astuple(obj, *, tuple_factory=tuple):
    if not _is_instance(obj):
        raise TypeError('astuple() should be called on dataclass instances')
    return _inner(obj, lambda pairs: tuple_factory([value for _, value in pairs]))


_ATOMIC = frozenset([int, str, float, bool, type(None), bytes, type(...), range, type])


def _inner(obj, make):
    """A copy of obj; in it, make makes what data classes become of pairs of names and values."""
    kind = type(obj)
    if kind in _ATOMIC:
        return obj
    if hasattr(kind, '__dataclass_fields__'):
        return make([(f.name, _inner(getattr(obj, f.name), make)) for f in fields(obj)])
    if isinstance(obj, (list, tuple)):
        items = [_inner(v, make) for v in obj]
        return kind(*items) if hasattr(obj, '_fields') else kind(items)
    if isinstance(obj, dict):
        pairs = [(_inner(k, make), _inner(v, make)) for k, v in obj.items()]
        if not hasattr(kind, 'default_factory'):
            return kind(pairs)
        out = kind(obj.default_factory)
        for k, v in pairs:
            out[k] = v
        return out
    import copy
    return copy.deepcopy(obj)


def replace(obj, /, **changes):
    if not _is_instance(obj):
        raise TypeError('replace() should be called on dataclass instances')
    return _replace_method(obj, **changes)


def _replace_method(self, /, **changes):
    for f in self.__dataclass_fields__.values():
        if f._field_type == '_FIELD_CLASSVAR':
            continue
        if not f.init:
            if f.name in changes:
                raise TypeError(f'field {f.name} is declared with init=False, '
                                'it cannot be specified with replace()')
            continue
        if f.name not in changes:
            if f._field_type == '_FIELD_INITVAR' and f.default is MISSING:
                raise TypeError(f"InitVar {f.name!r} must be specified with replace()")
            changes[f.name] = getattr(self, f.name)
    return self.__class__(**changes)


_replace_method.__qualname__ = '_replace'


_KEYWORDS = frozenset(['False', 'None', 'True', 'and', 'as', 'assert', 'async', 'await', 'break', 'class',
                       'continue', 'def', 'del', 'elif', 'else', 'except', 'finally', 'for', 'from', 'global',
                       'if', 'import', 'in', 'is', 'lambda', 'nonlocal', 'not', 'or', 'pass', 'raise',
                       'return', 'try', 'while', 'with', 'yield'])
