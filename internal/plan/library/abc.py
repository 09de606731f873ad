"""Classes that others must complete."""


def abstractmethod(funcobj):
    funcobj.__isabstractmethod__ = True
    return funcobj


def _is_abstract(v):
    if isinstance(v, property):
        return any([_is_abstract(f) for f in (v.fget, v.fset, v.fdel) if f is not None])
    if isinstance(v, (staticmethod, classmethod)):
        v = v.__func__
    return getattr(v, "__isabstractmethod__", False)


class ABCMeta(type):
    def __new__(mcls, name, bases, namespace, **kwargs):
        cls = type.__new__(mcls, name, bases, namespace, **kwargs)
        missing = {k for k, v in namespace.items() if _is_abstract(v)}
        for base in bases:
            for k in getattr(base, "__abstractmethods__", ()):
                if _is_abstract(_raw(cls, k)):
                    missing.add(k)
        cls.__abstractmethods__ = frozenset(missing)
        return cls

    def __call__(cls, *args, **kwargs):
        missing = sorted(cls.__abstractmethods__)
        if missing:
            names = ", ".join([f"'{n}'" for n in missing])
            s = "s" if len(missing) > 1 else ""
            raise TypeError(f"Can't instantiate abstract class {cls.__name__} without an implementation for abstract method{s} {names}")
        return type.__call__(cls, *args, **kwargs)


def _raw(cls, name):
    for c in cls.__mro__:
        d = c.__dict__
        if name in d:
            return d[name]


class ABC(metaclass=ABCMeta):
    pass
