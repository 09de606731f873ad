"""Tools for the with statement."""

import functools as _functools


class _GeneratorContextManager:
    def __init__(self, gen):
        self.gen = gen

    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind, value, trace):
        if kind is None:
            for _ in self.gen:
                self.gen.close()
                raise RuntimeError("generator didn't stop")
            return False
        if value is None:
            value = kind()
        try:
            self.gen.throw(value)
        except StopIteration as stop:
            return stop is not value
        except RuntimeError as error:
            if error is value or isinstance(value, StopIteration) and error.__cause__ is value:
                return False
            raise
        except BaseException as error:
            if error is value:
                return False
            raise
        self.gen.close()
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(func):
    @_functools.wraps(func)
    def helper(*args, **kwds):
        return _GeneratorContextManager(func(*args, **kwds))
    return helper


class suppress:
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        pass

    def __exit__(self, kind, value, trace):
        return kind is not None and issubclass(kind, self._exceptions)


class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *what):
        pass
