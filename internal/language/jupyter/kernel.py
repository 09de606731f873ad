"""The kernel of a language that Jupyter has a kernel for. language.go says what it is.

frames.py stands before it in the program.
"""

import re
import select
import shutil
import signal
import sys
import tempfile
from time import perf_counter

COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
READY = 240  # seconds that a kernel may take to start
ROUNDS = 10_000  # questions until what it publishes arrives
ANSWER = 4  # seconds that it may take to complete
SETTLE = 1.0  # seconds that its last messages may take after its answer
# What kernels say when there is no more memory. Only Python's error has a name of its own.
MEMORY = re.compile(r"\A(Error: )?cannot allocate (vector of size|memory block)|java\.lang\.OutOfMemoryError|std::bad_alloc|\AOutOfMemoryError")
MISSING = "the image has a kernel of Jupyter's and not the package that drives it: add the package jupyter-client"


class Died(Exception):
    """The kernel ended."""


class Kernel:
    """What the agent talks to."""

    def __init__(self, spec):
        self.control = Control()
        self.spec = spec
        self.folder = None  # of the sockets; each kernel has its own
        self.manager = self.client = None
        self.running = None  # the id of the cell
        self.interrupted = False
        self.last = 1
        self.version = ""
        self.heard = False  # the kernel publishes, and it arrives
        self.seed = None  # what the generators of the language's kernel begin from
        self.woken, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.woken, wake = keep(self.woken), keep(wake)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, self.on_interrupt)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    # Jupyter's side.

    def launch(self):
        """Start the kernel of the language."""
        try:
            from jupyter_client.kernelspec import KernelSpec
            from jupyter_client.manager import KernelManager
        except ImportError as exc:
            sys.exit(f"{MISSING} ({exc})")
        self.folder, self.heard = tempfile.mkdtemp(prefix=".praxis-"), False
        manager = KernelManager(transport="ipc", kernel_name=self.spec["name"])
        manager.connection_file = os.path.join(self.folder, "kernel.json")
        manager.ip = os.path.join(self.folder, "k")
        manager.shutdown_wait_time = 0.5
        manager._kernel_spec = KernelSpec(
            argv=self.spec["argv"],
            display_name=self.spec["display_name"],
            env=self.spec.get("env") or {},
            interrupt_mode="message" if self.spec.get("message") else "signal",
            resource_dir=self.spec.get("directory") or "",
        )
        manager.start_kernel(cwd=os.getcwd(), stdout=1, stderr=2, env=dict(os.environ))
        self.manager = manager
        self.client = manager.blocking_client()
        self.client.start_channels()
        info = self.ready().get("language_info") or {}
        self.version = str(info.get("version") or "")[:60]
        self.generators("seed", self.seed)
        self.drain()

    def ready(self):
        """Wait until the kernel answers on all channels; return what it says of itself.

        The client's own way asks again whenever some time is over: how often would depend on
        the machine's load, and show in the clock of a session with a seed.
        """
        why = "it does not answer"
        try:
            for _ in range(ROUNDS):
                asked, reply = self.client.kernel_info(), None
                while reply is None:
                    names = self.wait(False, READY)
                    if not names:
                        raise Died
                    for name in names:
                        got = self.sockets()[name].get_msg(timeout=1)
                        self.heard = self.heard or name == "iopub"
                        if name == "shell" and got["parent_header"].get("msg_id") == asked:
                            reply = got["content"]
                # What it published before the subscription reached it is lost.
                if self.heard:
                    break
            return reply
        except Died:
            if not self.manager.is_alive():
                why = "it ended before it answered"
        sys.exit(f"the kernel of {self.spec['display_name']} does not start: {why}")

    def generators(self, how, number):
        """Have the generators of random numbers follow a number, in a language of which it is known how."""
        code = self.spec.get(how)
        if not code or number is None:
            return
        code = code.replace("{seed}", str(number % (1 << 31)))
        try:
            self.client.execute_interactive(code, silent=True, store_history=False, allow_stdin=False, timeout=READY, output_hook=lambda _: None)
        except Exception as exc:  # the code of the session may have broken what this uses
            self.write(2, f"the random numbers do not follow the seed: {type(exc).__name__}: {exc}\n")

    def stop(self):
        """End the kernel."""
        if self.client is not None:
            self.client.stop_channels()
        if self.manager is not None:
            try:
                self.manager.shutdown_kernel(now=True)
            except Exception as exc:  # it is going anyway
                self.write(2, f"{type(exc).__name__}: {exc}\n")
        self.client = self.manager = None
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def drain(self):
        """Forget messages that belong to nothing that runs."""
        channel = self.client.iopub_channel
        while channel.msg_ready():
            channel.get_msg(timeout=1)

    def sockets(self):
        return {name: getattr(self.client, name + "_channel") for name in ("iopub", "shell", "stdin")}

    def wait(self, agent, timeout=None):
        """Wait for a message of the kernel's; also for the agent's, if asked. Return the channels that have one."""
        import zmq

        channels = self.sockets()
        ready = [name for name, channel in channels.items() if channel.msg_ready()]
        if ready:
            return ready
        poller = zmq.Poller()
        for channel in channels.values():
            poller.register(channel.socket, zmq.POLLIN)
        poller.register(self.woken, zmq.POLLIN)
        if agent:
            poller.register(self.control.fd, zmq.POLLIN)
        found = dict(poller.poll(None if timeout is None else int(timeout * 1000)))
        if self.woken in found:
            os.read(self.woken, 4096)
            if not self.manager.is_alive():
                raise Died
        return [name for name, channel in channels.items() if channel.msg_ready()]

    def write(self, fd, text):
        """Write to a stream, after what was written to the other is read."""
        if fd != self.last:
            self.control.emptied(self.last)
            self.last = fd
        data = memoryview(text.encode("utf-8", "backslashreplace"))
        while data:
            data = data[os.write(fd, data) :]

    # The agent's side.

    def serve(self):
        answers = {"start": self.start, "execute": self.execute, "rehearse": self.rehearse, "complete": self.complete, "environ": self.environ}
        answers.update(seed=self.begin, reseed=self.mix)
        while True:
            message = self.control.take()
            if message is None:
                if self.client is not None:
                    try:
                        self.idle()
                    except Died:
                        self.revive()
                if not self.readable():
                    continue
                if not self.control.fill():
                    return
                continue
            action = answers.get(message.get("op"))
            if action is None:
                continue
            try:
                action(message)
            except Died:
                self.on_death()

    def readable(self):
        poll = select.poll()
        poll.register(self.control.fd, select.POLLIN)
        return poll.poll(None if self.client is None else 0)

    def idle(self):
        """Write what the kernel sends while nothing runs, until the agent has something to say."""
        while not self.readable():
            for name in self.wait(True):
                message = self.sockets()[name].get_msg(timeout=1)
                if name == "iopub" and message["msg_type"] == "stream":
                    self.stream(message["content"])

    def start(self, message):
        self.control.start(message)
        self.seed = message.get("seed")
        self.launch()
        self.control.send({"type": "ready", "version": self.version, "preload_errors": {}})

    def begin(self, message):
        self.seed = int(message.get("seed") or 0)
        self.generators("seed", self.seed)

    def mix(self, message):
        self.generators("mix", int(str(message.get("entropy") or "0")[:16], 16))

    def environ(self, message):
        """Change the environment of the next kernel: the protocol has no way to change that of one that runs."""
        for name in message.get("unset") or ():
            os.environ.pop(str(name), None)
        for name, value in (message.get("set") or {}).items():
            os.environ[str(name)] = str(value)

    def execute(self, message):
        self.running, self.interrupted = message.get("id"), False
        self.began = 0.0 if self.control.seeded else perf_counter()
        pid = self.pid()
        cpu = 0.0 if self.control.seeded else used(pid)[0]
        asked = self.client.execute(str(message.get("code", "")), allow_stdin=True, stop_on_error=True)
        if self.interrupted:
            self.interrupt()
        result, error, reply, idle, late = None, None, None, False, None
        while not (reply is not None and idle):
            channels = self.wait(False, None if late is None else SETTLE)
            if not channels and late is not None:
                break  # it never says that it is idle
            for name in channels:
                got = self.sockets()[name].get_msg(timeout=1)
                content, kind = got["content"], got["msg_type"]
                if name == "stdin" and kind == "input_request":
                    self.refuse()
                elif got["parent_header"].get("msg_id") != asked:
                    if kind == "stream":
                        self.stream(content)
                elif name == "shell" and kind == "execute_reply":
                    reply = late = content
                elif kind == "stream":
                    self.stream(content)
                elif kind in ("display_data", "update_display_data"):
                    self.emptied()
                    self.control.display(self.running, bundle(content.get("data")))
                elif kind == "execute_result":
                    result = bundle(content.get("data"))
                elif kind == "error":
                    error = content
                elif kind == "status":
                    idle = content.get("execution_state") == "idle"
        if reply.get("status") != "ok":
            error = reply if reply.get("ename") else error or reply
        self.finish(pid, cpu, result if message.get("result", True) else None, error)

    def rehearse(self, message):
        """Ask the kernel what it is: the way of a cell, without code, of which a language could keep something."""
        try:
            self.client.kernel_info(reply=True, timeout=ANSWER)
        except Exception:  # one that is slow, or ended, says so to the next cell
            pass
        self.control.send(done(message.get("id")))

    def finish(self, pid, cpu, result, error):
        """Tell the agent how the cell ended."""
        cell, self.running = self.running, None
        what = {"result": result or None}
        if not self.control.seeded:
            now, memory = used(pid)
            what.update(wall_ms=(perf_counter() - self.began) * 1e3, cpu_ms=max(now - cpu, 0.0) * 1e3, peak_memory_bytes=memory)
        if error is not None:
            trace = "\n".join(map(str, error.get("traceback") or ()))
            raised = {"name": plain(error.get("ename") or "Error"), "value": plain(error.get("evalue") or ""), "traceback": plain(trace)}
            if raised["name"] != "MemoryError" and (MEMORY.search(raised["value"]) or MEMORY.search(raised["name"])):
                raised["name"] = "MemoryError"
            what.update(status="error", result=None, error=raised, interrupted=self.interrupted)
        elif self.interrupted:
            raised = {"name": "KeyboardInterrupt", "value": "", "traceback": ""}
            what.update(status="error", result=None, error=raised, interrupted=True)
        self.emptied()
        try:
            self.control.send(done(cell, **what))
        except ValueError as exc:
            self.control.send(done(cell, **{**what, "result": only_text(what["result"], exc)}))

    def on_death(self):
        """Start a new kernel after one ended, and say that its state is lost."""
        cell, self.running = self.running, None
        self.revive()
        if cell is not None:
            error = {"name": "KernelDied", "value": "the kernel ended by itself", "traceback": ""}
            self.emptied()
            self.control.send(done(cell, status="error", error=error, lost=True))

    def revive(self):
        self.stop()
        self.launch()

    def emptied(self):
        for fd in (1, 2):
            self.control.emptied(fd)

    def stream(self, content):
        self.write(2 if content.get("name") == "stderr" else 1, str(content.get("text") or ""))

    def refuse(self):
        """Answer a question by the end of the input."""
        self.write(2, "there is nobody to ask; put the value in a variable\n")
        self.client.input("\x04")

    def pid(self):
        return getattr(self.manager.provisioner, "pid", None) or 0

    def on_interrupt(self, *_):
        if self.running is None:
            return
        self.interrupted = True
        self.interrupt()

    def interrupt(self):
        if self.manager is None:
            return
        if self.spec.get("message"):
            self.client.session.send(self.client.control_channel.socket, self.client.session.msg("interrupt_request"))
            return
        try:
            os.killpg(self.pid(), signal.SIGINT)
        except OSError:  # it is gone
            return

    def complete(self, message):
        code, cursor = str(message.get("code") or ""), int(message.get("cursor") or 0)
        start, end, matches = cursor, cursor, []
        try:
            content = self.client.complete(code, cursor, reply=True, timeout=ANSWER)["content"]
            start, end = int(content["cursor_start"]), int(content["cursor_end"])
            matches = [str(m) for m in content["matches"]][:500]
        except Exception:  # what has no answer has no completions
            pass
        self.control.send(completions(message, start, end, matches))


def plain(text):
    """Return a text without colours."""
    return COLOURS.sub("", str(text))


def bundle(data):
    """Return the forms of a value as the agent takes them."""
    out = {}
    for mime, value in (data or {}).items():
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            value = "".join(value)
        elif not isinstance(value, str):
            value = json.dumps(value, ensure_ascii=False)
        if mime == "text/plain":
            out["text"] = plain(value)
        else:
            out[str(mime)] = value.replace("\n", "") if mime.startswith(("image/", "application/pdf")) and "svg" not in mime else value
    if out and "text" not in out:
        out["text"] = f"<{next(iter(out))}>"
    return out


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "spec.json"), encoding="utf-8") as file:
        spec = json.load(file)
    kernel = Kernel(spec)
    try:
        kernel.serve()
    except Lost as exc:
        kernel.write(2, f"the kernel lost its control connection: {exc}\n")
    finally:
        kernel.stop()
    os._exit(0)


main()
