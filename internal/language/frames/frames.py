import json
import os
import time
from fcntl import F_DUPFD_CLOEXEC, fcntl, ioctl

MAX_FRAME = 64 << 20  # bytes
FIONREAD = 0x541B  # bytes that wait in a pipe
TIOCOUTQ = 0x5411  # bytes that the other side of a socket has not read
PAUSE = 0x50525853  # pauses for some microseconds that the clocks of a session with a seed leave out
PATIENCE = 10.0  # longest wait for the agent to read, seconds: it reads at once but on a very busy machine


class Lost(Exception):
    """The agent's socket is gone or speaks nonsense."""


def keep(fd, low=200):
    """Duplicate fd out of reach of the small numbers that programs play with."""
    for start in (low, 64, 10):
        try:
            return fcntl(fd, F_DUPFD_CLOEXEC, start)
        except OSError as exc:
            failure = exc
    raise failure


class Control:
    """The agent's socket: frames of a length and a JSON object.

    Nothing in here may be interrupted by an exception of a signal handler: those of
    kernels that use it only note that the signal came.
    """

    def __init__(self):
        self.fd = keep(3)
        os.close(3)
        self.buffer = bytearray()
        self.seeded = False  # the clocks are the session's, and must not show how fast the agent is
        self.patience = PATIENCE

    def fill(self):
        """Read what is there; False when the agent has closed the socket."""
        try:
            data = os.read(self.fd, 1 << 20)
        except OSError as exc:
            raise Lost(str(exc)) from exc
        self.buffer += data
        return bool(data)

    def take(self):
        """Return the next message that is here whole, or None."""
        if len(self.buffer) < 4:
            return None
        size = int.from_bytes(self.buffer[:4], "big")
        if size > MAX_FRAME:
            raise Lost(f"a control frame of {size} bytes")
        if len(self.buffer) < 4 + size:
            return None
        body = bytes(self.buffer[4 : 4 + size])
        del self.buffer[: 4 + size]
        try:
            message = json.loads(body)
        except ValueError as exc:
            raise Lost(f"a control frame that is not JSON: {exc}") from exc
        if not isinstance(message, dict):
            raise Lost("a control frame that is no JSON object")
        return message

    def send(self, message):
        """Write one frame. Lone surrogates become JSON escapes; a message over the bound is a ValueError."""
        body = json.dumps(message, ensure_ascii=False).encode("utf-8", "backslashreplace")
        if len(body) > MAX_FRAME:
            raise ValueError(f"a message of {len(body):,} bytes is over the bound of {MAX_FRAME:,}")
        frame = memoryview(len(body).to_bytes(4, "big") + body)
        try:
            while frame:
                frame = frame[os.write(self.fd, frame) :]
        except OSError as exc:
            raise Lost(str(exc)) from exc

    def emptied(self, fd, request=FIONREAD):
        """Wait until nothing waits in fd. A reader that let one wait run out is given little time after that."""
        waited, turns = 0.0, 0
        try:
            while int.from_bytes(ioctl(fd, request, bytes(4)), "little"):
                turns += 1
                if waited > self.patience:
                    self.patience = 0.002
                    return
                pause = 50 if turns < 100 else 1000
                waited += pause / 1e6
                if self.seeded:
                    ioctl(self.fd, PAUSE, pause)
                else:
                    time.sleep(pause / 1e6)
        except OSError:  # not a pipe, or interrupted: nothing to wait for
            return
        self.patience = PATIENCE

    def start(self, message):
        """Take what the first message says of the session's clocks."""
        if message.get("seed") is None and not message.get("deterministic"):
            return
        try:
            ioctl(self.fd, PAUSE, 1)
            self.seeded = True
        except OSError:  # not in a sandbox of such a session
            return

    def display(self, cell, bundle):
        """Send a display of the running cell, and wait until the agent has read it."""
        message = {"type": "display", "id": cell, "bundle": bundle}
        try:
            self.send(message)
        except ValueError as exc:
            self.send({**message, "bundle": only_text(bundle, exc)})
        self.emptied(self.fd, TIOCOUTQ)


def only_text(bundle, reason):
    """Return what is left of a bundle that could not be sent."""
    return bundle and {"text": f"{bundle.get('text', '')[:10000]}\n[the other forms of the value are left out: {reason}]"}


def done(cell, **what):
    """Return the message that a cell is over, with the fields that say how."""
    message = {"type": "done", "id": cell, "status": "ok", "result": None, "error": None, "interrupted": False}
    message.update({"cpu_ms": 0.0, "wall_ms": 0.0, "peak_memory_bytes": 0})
    message.update(what)
    return message


def completions(message, start, end, matches):
    """Return the answer to a question for completions."""
    return {"type": "completions", "id": message.get("id"), "start": start, "end": end, "matches": matches}


def used(pid):
    """Return the CPU seconds of a process and the children it waited for, and the most memory it had in bytes."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        cpu = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        memory = int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    memory = max(memory, int(line.split()[1]) * 1024)
        return cpu, memory
    except (OSError, ValueError, IndexError):
        return 0.0, 0
