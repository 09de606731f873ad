"""A class whose instances are made of names and values."""


class SimpleNamespace:
    def __init__(self, mapping=(), /, **kwargs):
        for name, value in dict(mapping, **kwargs).items():
            setattr(self, name, value)

    def __repr__(self):
        name = 'namespace' if type(self) is SimpleNamespace else type(self).__name__
        return f"{name}({', '.join([f'{k}={v!r}' for k, v in vars(self).items()])})"

    def __eq__(self, other):
        if isinstance(other, SimpleNamespace):
            return vars(self) == vars(other)
        return NotImplemented

    __hash__ = None
