"""Server-sent events: read from bytes, and followed over lost connections."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar, cast

from ._errors import ExhaustedError, InternalError, PraxisError, UnavailableError

MAX_EVENT = 64 << 20
"""How long an event may be, in bytes: the server keeps no more than a part of it."""

TRIES = 8
"""How many connections in a row may bring nothing before a stream gives up."""

N = TypeVar("N", covariant=True)
D = TypeVar("D", covariant=True)
E = TypeVar("E")
R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True)
class StreamEvent(Generic[N, D]):
    """One event: its name, its data, and its number, which "lost" has none of."""

    name: N
    data: D
    id: int | None = None


@dataclass
class Message:
    """One event as it stands in a stream of text."""

    name: str
    data: str
    id: str


def parse(chunks: Iterable[bytes], max_event: int = MAX_EVENT) -> Iterator[Message]:
    """Read server-sent events from pieces of bytes, as the HTML standard says (9.2.6).

    A piece may end anywhere, within a character, too. What stands after the last empty line
    is no event. One that is longer than max_event is an error: the sender may never end it.
    The id of a message is the one that it brings itself.
    """
    data: list[str] = []
    name, last, size = "", "", 0
    for line in _lines(chunks, max_event):
        if not line:
            if data:
                yield Message(name or "message", "\n".join(data), last)
            name, last, data, size = "", "", [], 0
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            size += len(value) + 1
            if size > max_event:
                raise InternalError(f"cannot read events: one is longer than {max_event} bytes")
            data.append(value)
        elif field == "event":
            name = value
        elif field == "id" and "\0" not in value:
            last = value


def _lines(chunks: Iterable[bytes], longest: int) -> Iterator[str]:
    """The lines of a stream, which end with CR, LF or both. The rest is no line."""
    parts: list[bytes] = []  # of the line that has not ended
    size, first, after_cr = 0, True, False
    for chunk in chunks:
        # A CR ends its line at once, and an LF that follows it belongs to it, though it comes
        # with the next piece.
        if after_cr and chunk:
            chunk, after_cr = chunk.removeprefix(b"\n"), False
        after_cr = after_cr or chunk.endswith(b"\r")
        pieces = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for i, piece in enumerate(pieces):
            size += len(piece)
            if size > longest:
                raise InternalError(f"cannot read events: a line is longer than {longest} bytes")
            parts.append(piece)
            if i == len(pieces) - 1:
                break
            line = b"".join(parts).decode("utf-8", "replace")
            parts, size = [], 0
            yield line.removeprefix("\ufeff") if first else line
            first = False


class Pieces(Protocol):
    """An answer that is read in pieces."""

    def chunks(self) -> Iterator[bytes]: ...

    def close(self) -> None: ...


class Stream(Generic[E, R]):
    """The events of an execution or a run, in order, and its result.

    Iterate over it, or call wait(). One that follows goes on after a lost connection where it
    was, and misses nothing. Leaving it before its end (close, the end of a with block, or of
    all that refers to it) interrupts what it follows, where it was begun together with it.
    """

    def __init__(self, connect: Callable[[int], Pieces], *, resume: bool, pause: Callable[[float], None] = time.sleep) -> None:
        # What reads does not know the stream: so it ends as soon as nobody has the stream.
        self._reader = _Reader(connect, resume, pause)
        self._events = self._reader.read()
        self._make: Callable[[Any], Any] = lambda result: result

    def refine(self, result: Callable[[Any], T], leave: Callable[[], object]) -> Stream[E, T]:
        """The same stream, with another form of the result, and with what is to be done when it
        is left before its end."""
        out = cast("Stream[E, T]", self)
        out._make, out._reader.leave = result, leave
        return out

    def __iter__(self) -> Iterator[E]:
        return self

    def __next__(self) -> E:
        event: E = next(self._events)
        return event

    def wait(self) -> R:
        """Read what is left, and return what the whole came to."""
        for _ in self:
            pass
        return self.result

    @property
    def result(self) -> R:
        """What the whole came to, once all events were read."""
        if not self._reader.ended:
            raise PraxisError("cannot tell the result: the stream has not ended", remedy="Read its events first, or call wait().", kind="conflict")
        made: R = self._make(self._reader.result)
        return made

    def close(self) -> None:
        """Leave the stream."""
        self._events.close()
        self._reader.abandon()

    def __enter__(self) -> Stream[E, R]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class _Reader:
    """What reads the events of a stream, over one connection or several."""

    def __init__(self, connect: Callable[[int], Pieces], resume: bool, pause: Callable[[float], None]) -> None:
        self._connect, self._resume, self._pause = connect, resume, pause
        self._after = self._idle = 0  # the last event; connections in a row that brought nothing
        # What is wrong with a request that begins something is said at once.
        self._pieces = None if resume else connect(0)
        self.leave: Callable[[], object] | None = None
        self.ended = False
        self.result: Any = None

    def read(self) -> Generator[Any, None, None]:
        try:
            while True:
                lost: PraxisError | None = None
                try:
                    yield from self._connection()
                except (UnavailableError, ExhaustedError) as error:
                    lost = error
                finally:
                    self._drop()
                if self.ended:
                    return
                self._idle += 1
                if not self._resume or self._idle > TRIES:
                    raise UnavailableError("cannot read the events: the connection was lost", remedy="Ask for what came of it.") from lost
                self._pause(min(0.1 * 2**self._idle, 5.0))
        except (GeneratorExit, KeyboardInterrupt):
            self.abandon()  # nobody waits for the end any more
            raise

    def _connection(self) -> Generator[Any, None, None]:
        """The events of one connection that were not there before."""
        if self._pieces is None:
            self._pieces = self._connect(self._after)
        for message in parse(self._heard(self._pieces)):
            event = _event(message)
            if event.name == "end":
                self.result, self.ended = event.data, True
                return
            if event.id is not None:
                if event.id <= self._after:
                    continue
                self._after = event.id
            yield event

    def _heard(self, pieces: Pieces) -> Iterator[bytes]:
        for piece in pieces.chunks():
            self._idle = 0  # be it only that the stream still goes on
            yield piece

    def _drop(self) -> None:
        if self._pieces is not None:
            self._pieces.close()
            self._pieces = None

    def abandon(self) -> None:
        self._drop()
        leave, self.leave = self.leave, None
        if leave is not None and not self.ended:
            try:
                leave()
            except PraxisError:
                pass  # it has ended, or the server cannot be told


def _event(m: Message) -> Any:
    try:
        data = json.loads(m.data)
    except ValueError as error:
        raise InternalError(f"cannot read event {m.name[:40]!r}: it is no JSON") from error
    number = int(m.id) if m.id.isascii() and m.id.isdigit() and len(m.id) < 19 else None
    return StreamEvent(m.name, data, number)
