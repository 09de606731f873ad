"""Coroutines, one after the other: a plan has one thread."""


class CancelledError(BaseException):
    pass


TimeoutError = TimeoutError


class InvalidStateError(Exception):
    pass


class QueueEmpty(Exception):
    pass


class QueueFull(Exception):
    pass


def run(main, *, debug=None):
    if not _is_awaitable(main):
        raise ValueError(f"a coroutine was expected, got {main!r}")
    return _finish(main)


def _is_awaitable(x):
    return isinstance(x, (_coroutine, Task)) or hasattr(x, "__await__")


async def _nothing():
    pass


_c = _nothing()
_coroutine = type(_c)
_c.close()


def _finish(x):
    if isinstance(x, Task):
        return x._result()
    return _wait(x)


class Task:
    """A coroutine that is executed when its value is awaited, or at the end."""

    def __init__(self, coro, name=None):
        self._coro = coro
        self._name = name
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
        yield

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
        if self._state != "done":
            raise InvalidStateError("Result is not set.")
        return self._result()

    def exception(self):
        if self._state != "done":
            raise InvalidStateError("Exception is not set.")
        return self._error

    def get_name(self):
        return self._name

    def add_done_callback(self, fn):
        self._work()
        fn(self)


def create_task(coro, *, name=None, context=None):
    return Task(coro, name)


def ensure_future(coro):
    return coro if isinstance(coro, Task) else Task(coro)


async def sleep(delay, result=None):
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
    return await fut


FIRST_COMPLETED = "FIRST_COMPLETED"
FIRST_EXCEPTION = "FIRST_EXCEPTION"
ALL_COMPLETED = "ALL_COMPLETED"


async def wait(fs, *, timeout=None, return_when=ALL_COMPLETED):
    done = set()
    for f in fs:
        f._work()
        done.add(f)
    return done, set()


def as_completed(fs, *, timeout=None):
    for f in fs:
        yield f


async def to_thread(func, /, *args, **kwargs):
    return func(*args, **kwargs)


class TaskGroup:
    def __init__(self):
        self._tasks = []

    async def __aenter__(self):
        return self

    def create_task(self, coro, *, name=None, context=None):
        t = Task(coro, name)
        self._tasks.append(t)
        return t

    async def __aexit__(self, cls, error, trace):
        errors = []
        for t in self._tasks:
            t._work()
            if t._error is not None:
                errors.append(t._error)
        if error is not None:
            errors.insert(0, error)
        if errors:
            raise ExceptionGroup("unhandled errors in a TaskGroup", errors)


class Lock:
    def __init__(self):
        self._locked = False

    async def acquire(self):
        if self._locked:
            raise RuntimeError("a plan has one thread: the lock would never be released")
        self._locked = True
        return True

    def release(self):
        if not self._locked:
            raise RuntimeError("Lock is not acquired.")
        self._locked = False

    def locked(self):
        return self._locked

    async def __aenter__(self):
        await self.acquire()

    async def __aexit__(self, cls, error, trace):
        self.release()


class Semaphore:
    def __init__(self, value=1):
        if value < 0:
            raise ValueError("Semaphore initial value must be >= 0")
        self._value = value

    async def acquire(self):
        if self._value == 0:
            raise RuntimeError("a plan has one thread: the semaphore would never be released")
        self._value -= 1
        return True

    def release(self):
        self._value += 1

    def locked(self):
        return self._value == 0

    async def __aenter__(self):
        await self.acquire()

    async def __aexit__(self, cls, error, trace):
        self.release()


BoundedSemaphore = Semaphore


class Queue:
    def __init__(self, maxsize=0):
        self._items = []
        self.maxsize = maxsize

    def qsize(self):
        return len(self._items)

    def empty(self):
        return not self._items

    def full(self):
        return 0 < self.maxsize <= len(self._items)

    def put_nowait(self, item):
        if self.full():
            raise QueueFull
        self._items.append(item)

    def get_nowait(self):
        if not self._items:
            raise QueueEmpty
        return self._items.pop(0)

    async def put(self, item):
        if self.full():
            raise RuntimeError("a plan has one thread: the queue would never be emptied")
        self._items.append(item)

    async def get(self):
        if not self._items:
            raise RuntimeError("a plan has one thread: the queue would never be filled")
        return self._items.pop(0)

    def task_done(self):
        pass

    async def join(self):
        pass


class Event:
    def __init__(self):
        self._set = False

    def is_set(self):
        return self._set

    def set(self):
        self._set = True

    def clear(self):
        self._set = False

    async def wait(self):
        if not self._set:
            raise RuntimeError("a plan has one thread: the event would never be set")
        return True
