"""Names for classes of the language, and two small containers."""

import abc as _module


def _function():
    pass


def _generator():
    yield


class _Owner:
    def method(self):
        pass


FunctionType = LambdaType = type(_function)
GeneratorType = type(_generator())
MethodType = type(_Owner().method)
BuiltinFunctionType = BuiltinMethodType = type(len)
ModuleType = type(_module)
NoneType = type(None)
EllipsisType = type(...)
NotImplementedType = type(NotImplemented)


class SimpleNamespace:
    def __init__(self, mapping_or_iterable=(), /, **kwargs):
        for name, value in dict(mapping_or_iterable).items():
            setattr(self, name, value)
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __repr__(self):
        name = 'namespace' if type(self) is SimpleNamespace else type(self).__name__
        return f"{name}({', '.join([f'{k}={v!r}' for k, v in vars(self).items()])})"

    def __eq__(self, other):
        if isinstance(self, SimpleNamespace) and isinstance(other, SimpleNamespace):
            return vars(self) == vars(other)
        return NotImplemented

    __hash__ = None

    def __replace__(self, /, **changes):
        return type(self)(**{**vars(self), **changes})


class MappingProxyType:
    def __init__(self, mapping):
        if not hasattr(mapping, '__getitem__') or isinstance(mapping, (list, tuple)):
            raise TypeError(f"mappingproxy() argument must be a mapping, not {type(mapping).__name__}")
        self._of = mapping

    def __getitem__(self, key):
        return self._of[key]

    def __contains__(self, key):
        return key in self._of

    def __len__(self):
        return len(self._of)

    def __iter__(self):
        return iter(self._of)

    def __reversed__(self):
        return reversed(self._of)

    def __repr__(self):
        return f'mappingproxy({self._of!r})'

    def __str__(self):
        return str(self._of)

    def __eq__(self, other):
        return self._of == (other._of if isinstance(other, MappingProxyType) else other)

    def __hash__(self):
        return hash(self._of)

    def __or__(self, other):
        return self._of | (other._of if isinstance(other, MappingProxyType) else other)

    def __ror__(self, other):
        return other | self._of

    def get(self, key, default=None, /):
        return self._of.get(key, default)

    def keys(self):
        return self._of.keys()

    def values(self):
        return self._of.values()

    def items(self):
        return self._of.items()

    def copy(self):
        return self._of.copy()


MappingProxyType.__name__ = MappingProxyType.__qualname__ = 'mappingproxy'
