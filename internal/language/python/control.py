"""The agent's socket: frames of a length and a JSON object.

A signal handler of the program may raise between any two steps of Python
code, so what a read or a write did is recorded by C code (list.extend over
map), where no handler can come between: no frame is ever cut or read twice.
"""

import _thread
import json
import os
from time import time_ns

MAX_FRAME = 64 << 20  # bytes


class ControlLost(Exception):
    """The socket is gone or speaks nonsense."""


def _foreign(exc):
    """Whether an OSError comes from a signal handler and not from the system call."""
    return exc.__traceback__.tb_next is not None


class Control:
    """Frames over a descriptor. Any thread may send, the main thread receives."""

    def __init__(self, fd, drain):
        self.fd = fd
        self.drain = drain
        self.buffer = bytearray()
        self.read = []  # what was read and is not in the buffer yet
        self.stamped = True
        self.came = 0  # when something was read last, nanoseconds
        self.lock = _thread.allocate_lock()

    def buffered(self):
        """Whether a whole frame is there already."""
        size = int.from_bytes(self.buffer[:4])
        return len(self.buffer) >= 4 and len(self.buffer) >= 4 + size

    def receive(self):
        """Return the next message, or None when the agent has closed the socket."""
        while True:
            have = len(self.buffer)
            size = int.from_bytes(self.buffer[:4]) if have >= 4 else 0
            if size > MAX_FRAME:
                raise ControlLost(f"a control frame of {size} bytes")
            if have >= 4 and have >= 4 + size:
                body = bytes(self.buffer[4 : 4 + size])
                del self.buffer[: 4 + size]
                return self._object(body)
            if not self.read:
                room = max(1 << 16, min(size + 4 - have, 1 << 20))
                try:
                    self.read.extend(map(os.read, (self.fd,), (room,)))
                    if self.stamped:
                        self.came = time_ns()
                except OSError as exc:
                    if _foreign(exc):
                        raise
                    raise ControlLost(str(exc)) from exc
            if not self.read[0]:
                return None
            self.buffer += self.read[0]
            self.read.clear()

    @staticmethod
    def _object(body):
        try:
            message = json.loads(body)
        except ValueError as exc:
            raise ControlLost(f"a control frame that is not JSON: {exc}") from exc
        if not isinstance(message, dict):
            raise ControlLost("a control frame that is no JSON object")
        return message

    def send(self, message):
        """Write one frame whole. Return the exception that a signal handler raised meanwhile, or None.

        Lone surrogates become JSON escapes. A message over the bound is a ValueError.
        """
        body = json.dumps(message, ensure_ascii=False).encode("utf-8", "backslashreplace")
        if len(body) > MAX_FRAME:
            raise ValueError(f"a message of {len(body):,} bytes is over the bound of {MAX_FRAME:,}")
        frame = memoryview(len(body).to_bytes(4) + body)
        written, failure = [], None
        with self.lock:
            while True:
                try:
                    while rest := frame[sum(written) :]:
                        written.extend(map(os.write, (self.fd,), (rest,)))
                    return failure
                except OSError as exc:
                    if not _foreign(exc):
                        raise ControlLost(str(exc)) from exc
                    failure = exc
                except BaseException as exc:
                    failure = exc

    def read_by_peer(self, request):
        """Wait until the agent has read what was sent; the wait is bounded."""
        self.drain.wait(self.fd, request)
