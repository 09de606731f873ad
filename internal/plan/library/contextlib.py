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


class ExitStack:
    def __init__(self):
        self._calls = []

    def __enter__(self):
        return self

    def enter_context(self, cm):
        if not (hasattr(cm, '__enter__') and hasattr(cm, '__exit__')):
            raise TypeError(f"'{type(cm).__module__}.{type(cm).__qualname__}' object does not support the context manager protocol")
        result = cm.__enter__()
        self._calls.append(cm.__exit__)
        return result

    def callback(self, callback, /, *args, **kwds):
        def call(kind, value, trace):
            callback(*args, **kwds)
        self._calls.append(call)
        return callback

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, kind, value, trace):
        first, raised, swallowed = value, False, False
        while self._calls:
            call = self._calls.pop()
            try:
                if call(kind, value, trace):
                    swallowed, raised = True, False
                    kind = value = trace = None
            except BaseException as error:
                kind, value, trace, raised = type(error), error, None, True
        if raised:
            raise value
        return first is not None and swallowed
