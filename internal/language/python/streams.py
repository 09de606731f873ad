"""Standard streams of a session: text wrappers over descriptors 1 and 2 that
keep the order between the two, and a standard input: a file that was put there, or one that says why it is empty.
"""

import io
import os
import stat
import sys
from fcntl import F_DUPFD_CLOEXEC, fcntl, ioctl
from time import monotonic, sleep

FIONREAD = 0x541B  # bytes that wait in a pipe
TIOCOUTQ = 0x5411  # bytes that the other side of a socket has not read
ZERO = bytes(4)
SPARE = 4  # descriptors in reserve: files that are open at once while a traceback is made
PATIENCE = 10  # longest wait for the reader, seconds: it reads at once but on a very busy machine
SURE = 0.00025  # how long a pipe that was empty is taken to be so, seconds
PAUSE = 0x50525853  # pauses for some microseconds that the clocks of a session with a seed leave out
NOBODY = "there is nobody to ask; put the value in a variable"

_original_input = input


def keep(fd):
    """Duplicate fd out of reach of the small numbers that programs play with."""
    for low in (200, 64, 10):
        try:
            return fcntl(fd, F_DUPFD_CLOEXEC, low)
        except OSError as exc:
            failure = exc
    raise failure


class Drain:
    """Waits until the other side has read what was written.

    A reader that let one wait run out is given little time until it has read
    again, so that a stopped reader costs one wait and not one a line.
    """

    def __init__(self):
        self.patience = PATIENCE
        self.still = False  # the clocks stand still while this waits

    def stand_still(self, fd):
        """Wait from now on without the clocks, which must not show how fast the other side is."""
        try:
            ioctl(fd, PAUSE, 1)
            self.still = True
        except OSError:  # not in a sandbox of such a session
            return

    def wait(self, fd, request=FIONREAD):
        """Wait until nothing waits in fd. Gives up after the patience."""
        begun = None
        turns = 0
        waited = 0.0
        try:
            while ioctl(fd, request, ZERO) != ZERO:
                turns += 1
                if turns < 8:
                    os.sched_yield()
                    continue
                if not self.still:
                    begun = begun or monotonic()
                    waited = monotonic() - begun
                if waited > self.patience:
                    self.patience = 0.002
                    return
                waited += self.pause(fd, 50 if turns < 100 else 1000)
        except OSError:  # not a pipe: nothing to wait for
            return
        self.patience = PATIENCE

    def pause(self, fd, microseconds):
        """Pause, and return for how many seconds."""
        if not self.still:
            sleep(microseconds / 1e6)
        else:
            try:
                ioctl(fd, PAUSE, microseconds)
            except InterruptedError:
                pass
        return microseconds / 1e6


class Turns:
    """Which of the two streams wrote last, so that it need not look again.

    A look at the other pipe costs as much as writing a line. The stream that
    wrote last leaves it out for a moment: only others than these two can have
    written to that pipe since, and a process takes longer than the moment to
    write, end and be waited for. Whoever asked for the number of the other
    descriptor may write to it at once, so then each line looks again.
    """

    def __init__(self, drain):
        self.drain = drain
        self.last = None
        self.until = 0.0
        self.lent = set()  # descriptors whose number the program asked for

    def begin(self, fd, other):
        """Wait, if need be, until what was written to the other stream is read."""
        if self.last != fd or 3 - fd in self.lent or monotonic() > self.until:
            self.drain.wait(other)
            self.until = monotonic() + SURE

    def end(self, fd):
        """Note that fd was written to; after the write, so that threads stay in order."""
        self.last = fd


class Raw(io.RawIOBase):
    """Descriptor 1 or 2 as it is now, also after a dup2 by the program."""

    def __init__(self, fd, name, other, turns):
        self.fd = fd
        self.name = name
        self.mode = "wb"
        self.other = other
        self.turns = turns

    def fileno(self):
        self.turns.lent.add(self.fd)
        return self.fd

    def writable(self):
        return True

    def write(self, data):
        self.turns.begin(self.fd, self.other)
        while True:
            try:
                n = os.write(self.fd, data)
            except BlockingIOError:  # a subprocess made the shared pipe non-blocking
                self.turns.drain.pause(self.fd, 1000)
                continue
            self.turns.end(self.fd)
            return n


class NoBytes(io.RawIOBase):
    """The binary side of NoInput."""

    name = "<stdin>"
    mode = "rb"

    def fileno(self):
        return 0

    def readable(self):
        return True

    def _refuse(self, *_):
        raise EOFError("sys.stdin is not available: " + NOBODY)

    read = read1 = readinto = readinto1 = readline = readlines = readall = peek = __next__ = _refuse


class NoInput(io.TextIOBase):
    """A standard input that fails with the reason instead of an empty answer."""

    name = "<stdin>"
    mode = "r"
    encoding = "utf-8"
    errors = "strict"

    def __init__(self):
        self.buffer = NoBytes()

    def fileno(self):
        return 0

    def isatty(self):
        return False

    def readable(self):
        return True

    def close(self):
        """Stay open: site's quit() closes the standard input."""

    _refuse = NoBytes._refuse
    read = readline = readlines = __next__ = _refuse


class Streams:
    """The three standard streams, and how to get them back when a cell broke them."""

    def __init__(self):
        self.kept = {1: keep(1), 2: keep(2)}
        self.identity = {fd: self._identify(fd) for fd in (1, 2)}
        self.drain = Drain()
        self.turns = Turns(self.drain)
        self.spare = []
        self.stdin = NoInput()
        self.given = None  # the file that is the standard input
        self.stdout = self.stderr = None
        self.restore()

    @staticmethod
    def _identify(fd):
        try:
            s = os.fstat(fd)
        except OSError:
            return None
        return s.st_dev, s.st_ino

    def _open(self, fd, name):
        raw = Raw(fd, name, self.kept[3 - fd], self.turns)
        return io.TextIOWrapper(
            io.BufferedWriter(raw, 1 << 16), "utf-8", "backslashreplace", line_buffering=True
        )

    def drained(self):
        """Wait until both pipes are read."""
        self.drain.wait(self.kept[1])
        self.drain.wait(self.kept[2])

    def flush(self):
        """Flush what the program's and our own streams hold; never raises an Exception."""
        for stream in {id(s): s for s in (sys.stdout, sys.stderr, self.stdout, self.stderr)}.values():
            try:
                stream.flush()
            except Exception:
                continue

    def restore(self):
        """Point descriptors 1 and 2 and the sys streams at the pipes again."""
        for fd in (1, 2):
            if self._identify(fd) != self.identity[fd]:
                os.dup2(self.kept[fd], fd, inheritable=True)
        if not self._usable(self.stdout):
            self.stdout = self._open(1, "<stdout>")
        if not self._usable(self.stderr):
            self.stderr = self._open(2, "<stderr>")
        self._take_input()
        sys.stdin = sys.__stdin__ = self.stdin
        sys.stdout = sys.__stdout__ = self.stdout
        sys.stderr = sys.__stderr__ = self.stderr

    def _take_input(self):
        """Read from descriptor 0 when a file was put there."""
        try:
            s = os.fstat(0)
        except OSError:
            return
        if stat.S_ISREG(s.st_mode) and self.given != (s.st_dev, s.st_ino):
            self.given = s.st_dev, s.st_ino
            self.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)

    def hold(self):
        """Keep descriptors in reserve for a program that uses all of its own up."""
        try:
            while len(self.spare) < SPARE:
                self.spare.append(keep(2))
        except OSError:  # there is none left
            return

    def let_go(self):
        """Give the reserve back."""
        while self.spare:
            try:
                os.close(self.spare.pop())
            except OSError:  # the program closed it
                continue

    @staticmethod
    def _usable(stream):
        try:
            return stream is not None and not stream.closed
        except ValueError:  # detached
            return False

    def input(self, prompt="", /):
        """input() of the session: works on a standard input that the program put in place."""
        if not isinstance(sys.stdin, NoInput):
            return _original_input(prompt)
        raise EOFError("input() is not available: " + NOBODY)

    @staticmethod
    def getpass(prompt="Password: ", stream=None, **_):
        """getpass.getpass of the session."""
        raise EOFError("getpass() is not available: " + NOBODY)
