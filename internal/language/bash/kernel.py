"""The kernel of bash: it stands between the agent and one shell. doc.go says how.

frames.py stands before it in the program.
"""

import select
import shutil
import signal
import stat
import sys
import tempfile
from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
from time import perf_counter

# Descriptors of this program, which the shell opens by their numbers in /proc when it needs them.
CODE, OPS, OPS_END, REPORT, REPORT_END, LEFT, RESTORE = 210, 211, 212, 213, 214, 215, 216
STREAMS = (1, 2)

# What tells programs that there is no terminal and nobody to ask.
ENVIRONMENT = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "false",
    "EDITOR": "false",
    "VISUAL": "false",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
    "NO_COLOR": "1",
}


class Ended(Exception):
    """The shell is gone; the arguments are how, as waitpid tells it, and the most memory that it had, in bytes."""


class Shell:
    """One bash and what connects this program with it."""

    def __init__(self, program, prelude, loop):
        self.program, self.loop = program, loop
        self.prelude = prelude.replace("@BASH@", program)
        self.pid = 0
        self.report = bytearray()
        self.name = "bash"  # of the program that it reads: its $0, and what its messages begin with
        self.folder = None  # where its program lies until it has read it
        for number in (CODE, LEFT, RESTORE):
            fd, path = tempfile.mkstemp(prefix=".praxis-", dir=self.memory())
            os.unlink(path)
            self.move(fd, number)
        for pair in ((OPS, OPS_END), (REPORT, REPORT_END)):
            for fd, number in zip(os.pipe2(os.O_CLOEXEC), pair):
                self.move(fd, number)

    @staticmethod
    def memory():
        """Return a folder in memory, if there is one: the disk may be full."""
        return "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None

    @staticmethod
    def move(fd, number):
        os.dup2(fd, number, inheritable=False)
        os.close(fd)

    @staticmethod
    def put(fd, data):
        """Make data the whole of a file."""
        os.ftruncate(fd, 0)
        done = 0
        while done < len(data):
            done += os.pwrite(fd, data[done : done + (1 << 20)], done)

    def rename(self, name):
        """Take the name of a script, which is a file's name in a folder of ours."""
        name = os.path.basename(name)
        self.name = name if name not in ("", ".", "..") and len(name.encode("utf-8", "surrogateescape")) < 200 else "bash"

    def lay(self):
        """Lay the program of the shell down under the name that it shall have; return the path."""
        self.folder = tempfile.mkdtemp(prefix=".praxis-", dir=self.memory())
        path = os.path.join(self.folder, self.name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.loop)
        return path

    def clear(self):
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder = None

    def start(self, state, environment, folder):
        """Start a shell that begins with a state, and return its version."""
        self.report.clear()
        path = self.lay()
        self.put(RESTORE, self.prelude.encode() + state + b"builtin cd -- %s\nbuiltin unset -v OLDPWD\n" % quoted(folder).encode())
        where = os.getcwd()
        null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        try:
            os.chdir(self.folder)
            # Signals that this program ignores or catches are the shell's to decide on.
            self.pid = os.posix_spawn(
                self.program,
                ["bash", "--noprofile", "--norc", "--", self.name],
                environment,
                file_actions=[(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)],
                setpgroup=0,
                setsigdef=[signal.SIGINT, signal.SIGPIPE, signal.SIGCHLD, signal.SIGXFSZ],
            )
        finally:
            os.chdir(where)
            os.close(null)

    def begin_again(self):
        """Have a shell that told its state begin anew with it."""
        state = os.pread(LEFT, os.fstat(LEFT).st_size, 0)
        options, _, rest = state.partition(b"\0")
        self.put(RESTORE, self.prelude.encode() + rest.rstrip(b"\0") + options)
        self.put(CODE, self.lay().encode())
        self.ask("again")

    def ask(self, *words):
        os.write(OPS_END, (" ".join(map(str, words)) + "\n").encode())

    def kill(self, number, group=True):
        try:
            (os.killpg if group else os.kill)(self.pid, number)
        except OSError:  # it is gone
            pass


class Kernel:
    """What the agent talks to."""

    def __init__(self, prelude, loop):
        program = next((p for p in map(shutil.which, ("bash", "/bin/bash", "/usr/bin/bash")) if p), None)
        if program is None:
            sys.exit("there is no program bash in the image")
        self.control = Control()
        self.environment = {**os.environ, **ENVIRONMENT}
        self.shell = Shell(program, prelude, loop)
        self.woken, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.woken, wake = keep(self.woken), keep(wake)
        self.running = None  # the id of the cell
        self.interrupts = 0
        self.leaving = False  # the cell has ended, and the shell begins anew: an interrupt would end it for good
        self.before = set()
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, self.on_interrupt)

    # The shell's side.

    def answer(self):
        """Return what the shell reports next, in words; Ended when it is gone.

        The agent's messages wait meanwhile: it sends none that a cell could need.
        """
        poll = select.poll()
        for fd in (REPORT, self.woken, self.control.fd):
            poll.register(fd, select.POLLIN if fd != self.control.fd else select.POLLHUP | select.POLLRDHUP)
        report = self.shell.report
        while b"\0" not in report:
            ready = dict(poll.poll())
            if self.woken in ready:
                os.read(self.woken, 4096)
                self.reap(REPORT in ready)
            if REPORT in ready:
                report += os.read(REPORT, 1 << 16)
            elif self.control.fd in ready:
                raise Lost("the agent is gone")
        text, _, rest = bytes(report).partition(b"\0")
        report[:] = rest
        return text.decode("utf-8", "surrogateescape")

    def reap(self, reports):
        """Notice that the shell ended, after what it reported last."""
        try:
            pid, status, usage = os.wait4(self.shell.pid, os.WNOHANG)
        except ChildProcessError:
            return
        if pid and reports:
            self.shell.report += os.read(REPORT, 1 << 16)
        if pid and b"\0" not in self.shell.report:
            raise Ended(status, usage.ru_maxrss * 1024)

    def fresh(self, state=b"", folder="/"):
        """Start a new shell and return its version."""
        self.shell.start(state, self.environment, folder)
        return self.ready()

    def ready(self):
        word, _, version = self.answer().partition(" ")
        while word != "ready":
            word, _, version = self.answer().partition(" ")
        self.shell.clear()
        return version.split("(")[0]

    def change(self, code):
        """Have the shell run code of ours between cells."""
        self.shell.put(CODE, code.encode("utf-8", "surrogateescape"))
        self.shell.ask("change")
        self.until("changed")

    def until(self, word):
        """Return the rest of the report that begins with a word, and bring back a shell that left meanwhile."""
        while True:
            report = self.answer()
            found, _, rest = report.partition(" ")
            if found == "left":
                self.leaving = True
                status, how, name = (rest.split(" ", 2) + [""])[:3]
                if how == "invoke":
                    self.shell.rename(name)
                self.shell.begin_again()
                self.ready()
                return f"{status} {how}" if word == "done" else ""
            if found == word:
                return rest

    # The agent's side.

    def serve(self):
        answers = {"start": self.start, "execute": self.execute, "rehearse": self.rehearse, "complete": self.complete, "reseed": self.reseed, "seed": self.seed, "environ": self.environ}
        while True:
            message = self.control.take()
            if message is None:
                if not self.control.fill():
                    return
                continue
            action = answers.get(message.get("op"))
            if action is None:
                continue
            try:
                action(message)
            except Ended as end:
                self.on_end(end)

    def on_end(self, end):
        """Go on with a new shell. One that a signal ended is a crash of the kernel."""
        (status, memory), cell = end.args, self.running
        self.shell.clear()
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            os.write(2, b"the shell was ended by signal %d\n" % number)
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            os._exit(128 + number)
        self.fresh(folder=os.getcwd())
        if cell is not None:
            self.finish(os.WEXITSTATUS(status), lost=True, memory=memory)

    def start(self, message):
        self.control.start(message)
        version = self.fresh(folder=os.getcwd())
        if message.get("seed") is not None:
            self.seed(message)
        self.control.send({"type": "ready", "version": version, "preload_errors": {}})

    def seed(self, message):
        self.change(f"RANDOM={int(message.get('seed') or 0) % (1 << 31)}")

    def reseed(self, message):
        entropy = bytes.fromhex(message.get("entropy") or "") + os.urandom(8)
        self.change(f"RANDOM={int.from_bytes(entropy, 'big') % ((1 << 31) - 1)}")

    def environ(self, message):
        code = []
        for name in message.get("unset") or ():
            self.environment.pop(str(name), None)
            if is_name(str(name)):
                code.append(f"builtin unset -v {name}")
        for name, value in (message.get("set") or {}).items():
            self.environment[str(name)] = str(value)
            if is_name(str(name)):
                code.append(f"builtin export {name}={quoted(str(value))}")
        if message.get("folder"):
            code.append(f"builtin cd -- {quoted(str(message['folder']))}")
        if code:
            self.change("\n".join(code))

    def execute(self, message):
        code = str(message.get("code", ""))
        self.running, self.interrupts, self.leaving = message.get("id"), 0, False
        if "\0" in code:
            os.write(2, b"bash: the code has a NUL byte in it, which no shell can read\n")
            self.began, self.cpu = 0.0, 0.0
            self.finish(2)
            return
        self.began = 0.0 if self.control.seeded else perf_counter()
        self.cpu = 0.0 if self.control.seeded else used(self.shell.pid)[0]
        self.before = descendants(self.shell.pid)
        self.shell.put(CODE, code.encode("utf-8", "backslashreplace"))
        self.shell.ask("execute")
        words = self.until("done").split()
        self.finish(int(words[0]), interrupted=words[1:] == ["interrupt"])

    def rehearse(self, message):
        """Go the way of a cell that does nothing: the shell is as it was, since it had run none."""
        self.execute({"id": message.get("id"), "code": ":"})

    def finish(self, code, interrupted=False, lost=False, memory=0):
        """Tell the agent that the cell ended with a code, and whether the shell did, too."""
        cell, self.running = self.running, None
        what = {}
        if not self.control.seeded:
            cpu, peak = used(self.shell.pid)
            what = {"wall_ms": (perf_counter() - self.began) * 1e3, "cpu_ms": max(cpu - self.cpu, 0.0) * 1e3, "peak_memory_bytes": max(peak, memory)}
        if interrupted:
            what.update(status="error", interrupted=True, error={"name": "Interrupt", "value": "", "traceback": ""})
        elif lost and code == 2 and 8 * memory > address_space():
            # bash ends like this when it gets no more memory, and can tell it in no other way.
            what.update(status="error", error={"name": "MemoryError", "value": "the shell got no more memory", "traceback": ""})
        elif code:
            what.update(status="error", error={"name": "ExitStatus", "value": str(code), "traceback": ""})
        if lost:
            what["lost"] = True
        for fd in STREAMS:
            self.control.emptied(fd)
        self.control.send(done(cell, **what))

    def on_interrupt(self, *_):
        """Interrupt what runs; what does not end by it is ended the second time, if the cell began it."""
        if self.running is None or self.leaving:
            return
        self.interrupts += 1
        self.shell.kill(signal.SIGINT)
        if self.interrupts > 1:
            for pid in descendants(self.shell.pid) - self.before:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    continue

    # Completion.

    def complete(self, message):
        code, cursor = str(message.get("code") or ""), int(message.get("cursor") or 0)
        start, kind, word, prefix = wanted(code[:cursor])
        self.shell.put(CODE, word.encode("utf-8", "backslashreplace"))
        self.shell.ask("complete", kind)
        found = dict.fromkeys(line for line in self.answer().split("\n") if line and "__praxis" not in line)
        folder = f"/proc/{self.shell.pid}/cwd"
        matches = []
        for text in list(found)[:500]:
            if kind in ("file", "directory"):
                path = os.path.expanduser(text)
                text = escaped(text) + ("/" if is_folder(os.path.join(folder, path)) else "")
            matches.append(prefix + text)
        self.control.send(completions(message, start, cursor, matches))


def address_space():
    """Return the bytes of memory that a process may have."""
    limit = getrlimit(RLIMIT_AS)[0]
    return 1 << 62 if limit == RLIM_INFINITY else limit


def descendants(root):
    """Return the processes below a process."""
    children = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        children.setdefault(parent, []).append(int(name))
    out, todo = set(), [root]
    while todo:
        for pid in children.get(todo.pop(), ()):
            if pid not in out:
                out.add(pid)
                todo.append(pid)
    return out


def is_folder(path):
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_name(text):
    return text.isascii() and text.isidentifier()


def quoted(text):
    """Write a text as one word of the shell."""
    return "'" + text.replace("'", "'\\''") + "'"


SPECIAL = set(" \t\n\\'\"`$&;|<>()*?[]#!{}")
BEFORE_COMMAND = {"then", "do", "else", "elif", "if", "while", "until", "time", "!", "{", "exec", "command", "builtin", "nohup", "env", "xargs"}


def escaped(text):
    return "".join("\\" + c if c in SPECIAL else c for c in text)


def wanted(text):
    """Return where the word at the end of a text begins, what kind of word it is, and the word and what stands before it."""
    i = len(text)
    while i > 0 and (text[i - 1] not in SPECIAL - {"\\", "!", "[", "]", "*", "?", "#"} or i > 1 and text[i - 2] == "\\"):
        i -= 1
    start, raw = i, text[i:]
    before = text[:i].rstrip(" \t")
    if i and text[i - 1] == "$" or i > 1 and text[i - 2 : i] == "${":
        return start, "variable", raw, ""
    head, equals, tail = raw.rpartition("=")
    if equals and is_name(head.split("=")[0].lstrip("-").replace("-", "_") or "x"):
        start, raw = start + len(head) + 1, tail
    word = raw.replace("\\", "")
    last = before.split()[-1] if before.split() else ""
    first = not equals and (not before or before[-1] in ";|&(`\n{" or last in BEFORE_COMMAND or text[:i].rstrip(" \t").endswith("\n"))
    if first and "/" not in word:
        return start, "command", word, ""
    return start, "directory" if last in ("cd", "pushd", "rmdir") else "file", word, ""


def main():
    kernel = Kernel(PRELUDE, LOOP)
    try:
        kernel.serve()
    except Lost as exc:
        os.write(2, f"the kernel lost its control connection: {exc}\n".encode())
    kernel.shell.clear()
    kernel.shell.kill(signal.SIGKILL, group=False)
    os._exit(0)


main()
