"""Coroutines, one after the other: a plan has one thread."""

import time as _time


class CancelledError(BaseException):
    pass


TimeoutError = TimeoutError


def run(main, *, debug=None):
    if not isinstance(main, (_coroutine, Task)):
        raise ValueError(f"a coroutine was expected, got {main!r}")
    return main._result() if isinstance(main, Task) else _wait(main)


async def _nothing():
    pass


_c = _nothing()
_coroutine = type(_c)
_c.close()


class Task:
    """A coroutine that is executed when its value is awaited, or at the end."""

    def __init__(self, coro):
        self._coro = coro
        self._state = "pending"
        self._value = None
        self._error = None

    def _work(self):
        if self._state != "pending":
            return
        self._state = "running"
        try:
            self._value = _wait(self._coro)
        except BaseException as e:
            self._error = e
        self._state = "done"

    def _result(self):
        self._work()
        if self._error is not None:
            raise self._error
        return self._value

    def __await__(self):
        return self._result()

    def done(self):
        return self._state == "done"

    def cancelled(self):
        return isinstance(self._error, CancelledError)

    def cancel(self, msg=None):
        if self._state != "pending":
            return False
        self._coro.close()
        self._error = CancelledError() if msg is None else CancelledError(msg)
        self._state = "done"
        return True

    def result(self):
        return self._result()

    def exception(self):
        self._work()
        return self._error


def create_task(coro, *, name=None):
    return Task(coro)


def ensure_future(coro):
    return coro if isinstance(coro, Task) else Task(coro)


_deadline = None  # of the innermost wait_for, on the plan's clock


async def sleep(delay, result=None):
    """Moves the plan's clock on, up to the deadline of a wait_for that this is part of."""
    if _deadline is not None and _time.monotonic() + delay > _deadline:
        _time.sleep(max(0, _deadline - _time.monotonic()))
        raise CancelledError
    _time.sleep(max(0, delay))
    return result


async def gather(*coros, return_exceptions=False):
    out = []
    for c in coros:
        if return_exceptions:
            try:
                out.append(await c)
            except Exception as e:
                out.append(e)
        else:
            out.append(await c)
    return out


async def wait_for(fut, timeout):
    global _deadline
    outer = _deadline
    if timeout is not None:
        ends = _time.monotonic() + timeout
        _deadline = ends if outer is None else min(ends, outer)
    try:
        return await fut
    except CancelledError:
        if timeout is None or _deadline == outer:
            raise
        raise TimeoutError from None
    finally:
        _deadline = outer
