"""Classes that are made of fields. The methods of a data class are compiled from
text that is made of its fields' names alone, by the native _build."""

from _labels import depend as _depend

__all__ = ['dataclass', 'field', 'Field', 'FrozenInstanceError', 'MISSING', 'fields', 'asdict', 'astuple', 'replace',
           'is_dataclass']


class FrozenInstanceError(AttributeError):
    pass


MISSING = object()
_FACTORY = object()


class Field:
    def __init__(self, default, default_factory, init, repr, compare, metadata, kw_only):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.metadata = {} if metadata is None else metadata
        self.kw_only = kw_only


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, compare=True, metadata=None, kw_only=MISSING):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError('cannot specify both default and default_factory')
    return Field(default, default_factory, init, repr, compare, metadata, kw_only)


# What an annotation is, is read from its text: annotations are not evaluated.
_PLAIN = {'int': int, 'str': str, 'float': float, 'bool': bool, 'list': list, 'dict': dict, 'set': set,
          'tuple': tuple, 'frozenset': frozenset, 'bytes': bytes, 'object': object, 'type': type, 'None': None}


def _is_class_var(note):
    text = note.strip('\'" ') if isinstance(note, str) else ''
    return text.partition('[')[0].rpartition('.')[2].strip() == 'ClassVar'


def _make_field(cls, name, note, kw_only):
    # The name becomes a part of the text that _build compiles.
    if not isinstance(name, str) or not name.isidentifier() or name in _KEYWORDS:
        raise TypeError(f'Field names must be valid identifiers: {name!r}')
    f = getattr(cls, name, MISSING)
    if not isinstance(f, Field):
        f = field(default=f)
    f.name = name
    f.type = _PLAIN.get(note, note) if isinstance(note, str) else note
    if f.kw_only is MISSING:
        f.kw_only = kw_only
    if type(f.default).__hash__ is None:
        raise ValueError(f'mutable default {type(f.default)} for field {f.name} is not allowed: use default_factory')
    if f.default is not MISSING:
        setattr(cls, name, f.default)
    elif name in cls.__dict__:
        delattr(cls, name)
    return f


def _process(cls, init, repr, eq, order, frozen, kw_only):
    found = {}
    for base in cls.__mro__[-1:0:-1]:
        base_fields = base.__dict__.get('__dataclass_fields__', ())
        if base_fields and base._dc_frozen_ != frozen:
            raise TypeError(f'cannot inherit {"frozen" if frozen else "non-frozen"} dataclass from a '
                            f'{"non-frozen" if frozen else "frozen"} one')
        for name in base_fields:
            found[name] = base_fields[name]
    notes = cls.__dict__.get('__annotations__', {})
    for name in notes:
        if not _is_class_var(notes[name]):
            found[name] = _make_field(cls, name, notes[name], kw_only)
    own = cls.__dict__
    for name in own:
        if isinstance(own[name], Field):
            raise TypeError(f'{name!r} is a field but has no type annotation')
    if order and not eq:
        raise ValueError('eq must be true if order is true')
    cls.__dataclass_fields__ = found
    cls._dc_frozen_ = frozen
    names = {'_dc_set': object.__setattr__, '_dc_super': super, '_dc_class': cls, '_dc_missing': _FACTORY,
             '_dc_error': FrozenInstanceError, '_dc_depend': _depend, '_dc_given': _given}
    source = []
    compared = [f.name for f in found.values() if f.compare]
    if init and '__init__' not in own:
        _init_source(source, cls, frozen, found, names)
    if repr and '__repr__' not in own:
        parts = ', '.join([f'{f.name}={{self.{f.name}!r}}' for f in found.values() if f.repr])
        source.extend(['def __repr__(self):', f' return f"{{self.__class__.__qualname__}}({parts})"'])
    if eq and '__eq__' not in own:
        _eq_source(source, compared)
    if order:
        for name, sign in (('__lt__', '<'), ('__le__', '<='), ('__gt__', '>'), ('__ge__', '>=')):
            _order_source(source, name, sign, compared)
    if frozen:
        _frozen_source(source)
    if eq and own.get('__hash__') is None and ('__hash__' not in own or '__eq__' in own):
        if frozen:
            source.extend(['def __hash__(self):', f' return hash(({"".join([f"self.{n}," for n in compared])}))'])
        else:
            cls.__hash__ = None
    if source:
        made = _build('\n'.join(source), names)
        for name in made:
            if own.get(name) is not None:
                raise TypeError(f'Cannot overwrite attribute {name} in class {cls.__name__}')
            fn = made[name]
            fn.__qualname__ = f'{cls.__qualname__}.{name}'
            setattr(cls, name, fn)
    if '__match_args__' not in own:
        cls.__match_args__ = tuple([f.name for f in found.values() if f.init and not f.kw_only])
    return cls


def _init_source(source, cls, frozen, found, names):
    plain = [f for f in found.values() if f.init and not f.kw_only]
    named = [f for f in found.values() if f.init and f.kw_only]
    seen = None
    for f in plain:
        if f.default is not MISSING or f.default_factory is not MISSING:
            seen = f
        elif seen is not None:
            raise TypeError(f'non-default argument {f.name!r} follows default argument {seen.name!r}')
    self = '_dc_self' if 'self' in found else 'self'
    heads = [self] + [_parameter(f, names) for f in plain]
    if named:
        heads.append('*')
        heads.extend([_parameter(f, names) for f in named])
    source.append(f'def __init__({", ".join(heads)}):')
    source.append(' pass')
    for f in found.values():
        value = f.name
        if f.default_factory is not MISSING:
            names[f'_dc_factory_{f.name}'] = f.default_factory
            value = f'_dc_given({f.name}, _dc_factory_{f.name})' if f.init else f'_dc_factory_{f.name}()'
        elif not f.init:
            continue
        source.append(f' _dc_set({self}, {f.name!r}, {value})' if frozen else f' {self}.{f.name} = {value}')
    if hasattr(cls, '__post_init__'):
        source.append(f' {self}.__post_init__()')


def _given(value, factory):
    # What decides here is what the one field depends on, not the whole object.
    return factory() if value is _FACTORY else value


def _parameter(f, names):
    if f.default is not MISSING:
        names[f'_dc_default_{f.name}'] = f.default
        return f'{f.name}=_dc_default_{f.name}'
    if f.default_factory is not MISSING:
        return f'{f.name}=_dc_missing'
    return f.name


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


def _frozen_source(source):
    for method, value, what in (('__setattr__', ', value', 'assign to'), ('__delattr__', '', 'delete')):
        source.extend([f'def {method}(self, name{value}):',
                       ' if type(self) is _dc_class or name in _dc_class.__dataclass_fields__:',
                       f'  raise _dc_error(f"cannot {what} field {{name!r}}")',
                       f' _dc_super(_dc_class, self).{method}(name{value})'])


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, frozen=False, kw_only=False, slots=False):
    def wrap(cls):
        return _process(cls, init, repr, eq, order, frozen, kw_only)

    return wrap if cls is None else wrap(cls)


def fields(class_or_instance):
    found = getattr(class_or_instance, '__dataclass_fields__', None)
    if found is None:
        raise TypeError('must be called with a dataclass type or instance')
    return tuple(found.values())


def is_dataclass(obj):
    cls = obj if isinstance(obj, type) else type(obj)
    return _depend(hasattr(cls, '__dataclass_fields__'), obj)


def _check(obj, name):
    if not hasattr(type(obj), '__dataclass_fields__'):
        raise TypeError(f'{name}() should be called on dataclass instances')


def asdict(obj, *, dict_factory=dict):
    _check(obj, 'asdict')
    return _inner(obj, dict_factory)


def astuple(obj, *, tuple_factory=tuple):
    _check(obj, 'astuple')
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
    _check(obj, 'replace')
    for f in fields(obj):
        if f.init:
            changes.setdefault(f.name, getattr(obj, f.name))
        elif f.name in changes:
            raise TypeError(f'field {f.name} is declared with init=False, it cannot be specified with replace()')
    return obj.__class__(**changes)


_KEYWORDS = frozenset(['False', 'None', 'True', 'and', 'as', 'assert', 'async', 'await', 'break', 'class',
                       'continue', 'def', 'del', 'elif', 'else', 'except', 'finally', 'for', 'from', 'global',
                       'if', 'import', 'in', 'is', 'lambda', 'nonlocal', 'not', 'or', 'pass', 'raise',
                       'return', 'try', 'while', 'with', 'yield'])
