"""The Python kernel: runs cells that the agent sends. doc.go is the contract.

The user's namespace is the real __main__; this program moves out of its way
into the module "_praxis". The kernel's functions see a private copy of the
builtins, so that a program that deletes or replaces builtins does not break
them, and so that frames of the kernel are known by that copy.
"""

import builtins
import sys
import types

__name__ = "_praxis"
PRIVATE = dict(vars(builtins))
__builtins__ = PRIVATE
sys.modules["_praxis"] = sys.modules["__main__"]
MAIN = types.ModuleType("__main__")
MAIN.__builtins__ = builtins
sys.modules["__main__"] = MAIN


def _part(name, **given):
    """Load a part of the kernel: from the sources in this program, else from the file beside it."""
    module = types.ModuleType("_praxis_" + name.replace("/", "_"))
    vars(module).update(given, __builtins__=PRIVATE)
    source = globals().get("PARTS", {}).get(name)
    if source is None:
        with open(f"{__file__.rpartition('/')[0] or '.'}/{name}.py", encoding="utf-8") as file:
            source = file.read()
    exec(compile(source, f"<praxis {name}>", "exec"), vars(module))
    return module


import _ast
import _thread
import gc
import os
import signal
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter, time_ns

streams = _part("streams")
control = _part("control")
errors = _part("errors")
hints = _part("hints")
pretty = _part("pretty")
show = _part("show")
pages = _part("pages")
hooks = _part("hooks")
seeds = _part("seeds")
answers = _part("answers")
figures = _part("figures")
compare = _part("compare")
subcalls = _part("subcalls")
cells = _part("cells")

TIMERS = {
    signal.SIGALRM: signal.ITIMER_REAL,
    signal.SIGVTALRM: signal.ITIMER_VIRTUAL,
    signal.SIGPROF: signal.ITIMER_PROF,
}
COROUTINE = 0x80  # inspect.CO_COROUTINE
RESERVE = 512 << 10  # bytes set free when memory ran out, so that the error can be told


class Kernel:
    """The state of one interpreter. Everything runs in the main thread but display()."""

    def __init__(self):
        self.space = vars(MAIN)
        self.original = dict(PRIVATE)
        self.unanswered = False  # the running cell has had no "done" yet
        self.cell = None  # id of the running cell, or of the last one
        self.name = self.file = ""  # of its code in errors, and of the file that it is
        self.count = 0
        self.flags = cells.ALLOW_AWAIT
        self.running = False  # the user's code may be interrupted now
        self.pending = False  # an interrupt that waits until the kernel's own code has ended
        self.entering = False  # the cell's task is being made: an interrupt waits until it can be cancelled
        self.interrupted = False  # the running cell was
        self.child = False  # a fork of the kernel
        self.task = None  # the running cell, when it is in the loop
        self.loop = None
        self.reserve = bytearray(RESERVE)
        self.main_thread = _thread.get_ident()
        self.inherited_peak = getrusage(RUSAGE_SELF).ru_maxrss * 1024
        self.memory = 0  # peak when it was last measured
        self.children = 0.0  # CPU seconds of the children that ended until then
        self.control = control.Control(streams.keep(3), streams.Drain())
        os.close(3)
        self.streams = streams.Streams()
        self.sources = errors.Sources()
        self.hosted = {}  # other languages that run here → what runs their code
        library = f"{os.path.dirname(os.path.abspath(__file__))}/lib"
        self.tools = hooks.Tools(f"{library}/tools.py")
        self.praxis = hooks.Own("praxis", f"{library}/praxis.py")
        self.subcalls = subcalls.Subcalls(hooks.Own("tools", self.tools.path), self.praxis)
        self.skills = hooks.Skills("skills", f"{os.path.dirname(library)}/skills/skills.py")
        self.errors = errors.Errors(PRIVATE, self.sources, self.tools.path)
        self.show = show.Show(pretty, self.send_display, pages.of_data)
        self.hooks = hooks.Hooks()
        self.seeds = seeds.Seeds()
        self.answers = answers.Answers(self.show, show.SAVED, os.getcwd())
        self.compare = compare.Compare(self.show)
        self.complete = None  # loaded when first asked for

    # Control.

    def serve(self):
        """Answer messages until the agent closes the socket."""
        answers = {
            "start": self.start,
            "execute": self.execute,
            "rehearse": self.rehearse,
            "complete": self.answer_complete,
            "reseed": lambda m: self.seeds.mix(bytes.fromhex(m.get("entropy") or "")),
            "seed": lambda m: self.seeds.set(int(m.get("seed") or 0)),
            "environ": self.set_environ,
        }
        message = {}
        while message is not None:
            try:
                message = {}
                message = self.next()
                if message is not None and message.get("op") in answers:
                    answers[message["op"]](message)
            except control.ControlLost:
                raise
            except BaseException as exc:  # a signal handler of the program, or what it broke
                self.on_failure(exc)

    def on_failure(self, exc):
        """Go on after the program made the kernel's own code fail; a cell that waits gets its answer."""
        self.running = False
        if self.child:
            self.end_child(exc)
        self.restore_builtins(everything=True)
        self.streams.restore()
        self.report("the kernel", exc)
        if self.unanswered:
            self.unanswered = False
            error = {"name": type(exc).__name__, "value": "the kernel failed in its own code", "traceback": ""}
            usage = {"cpu_ms": 0.0, "wall_ms": 0.0, "peak_memory_bytes": 0}
            done = {"type": "done", "id": self.cell, "status": "error", "result": None, "error": error}
            self.answer({**done, "interrupted": False, **usage})

    def next(self):
        """Return the next message; background tasks of the loop go on while there is none."""
        arrived = False

        def stop():
            nonlocal arrived
            arrived = True
            self.loop.stop()

        while not arrived and not self.control.buffered() and self.loop_has_work():
            try:
                self.loop.add_reader(self.control.fd, stop)
                try:
                    self.loop.run_forever()
                finally:
                    self.loop.remove_reader(self.control.fd)
            except BaseException as exc:  # SystemExit or KeyboardInterrupt of a background task
                if self.child:
                    self.end_child(exc)
                if not isinstance(exc, SystemExit):
                    self.report("a background task", exc)
                    break
            if self.child:
                self.end_child(None)
        return self.control.receive()

    def send_display(self, bundle):
        """Send a display of the running cell, after the output that came before it."""
        if self.child:  # the socket belongs to the parent
            print(bundle["text"])
            return
        self.streams.flush()
        self.streams.drained()
        message = {"type": "display", "id": self.cell, "bundle": bundle}
        try:
            failure = self.control.send(message)
        except ValueError as exc:
            failure = self.control.send({**message, "bundle": only_text(bundle, exc)})
        if failure is not None:
            raise failure
        self.control.read_by_peer(streams.TIOCOUTQ)
        self.check_interrupt()

    def answer(self, message):
        """Send a message that no code of the program waits for."""
        failure = self.control.send(message)
        if failure is not None:
            self.report("a signal handler", failure)

    # Start, completion.

    def start(self, message):
        columns = message.get("columns")
        columns = columns if isinstance(columns, int) and 20 <= columns <= 1000 else 100
        self.width = hooks.Width(self.show, columns)
        seed = message.get("seed")
        seeded = seed is not None or message.get("deterministic")
        if seeded:
            self.control.drain.stand_still(self.control.fd)
            self.streams.drain.stand_still(self.control.fd)
            self.control.stamped = False  # how often it reads is not up to the program
        self.prepare_process()
        self.prepare_libraries()
        if seeded:
            self.seeds.set(0)  # what is imported first is the same under every seed: a template serves them all
        failures = {}
        for name in message.get("preload") or ():
            try:
                __import__(str(name))
            except BaseException as exc:
                kind, value = errors.describe(exc)
                failures[name] = f"{kind}: {value}"[:1000]
        if message.get("preload"):
            figures.ready()
        if seeded:
            self.seeds.set(int(seed or 0))
        self.settle()
        gc.collect()
        gc.freeze()  # what is there now need not be touched by later collections
        version = ".".join(map(str, sys.version_info[:3]))
        self.streams.drained()
        self.answer({"type": "ready", "version": version, "preload_errors": failures})

    def prepare_process(self):
        sys.path[0] = ""  # modules of the working folder, not of the kernel's
        sys.argv[:] = [""]
        signal.signal(signal.SIGINT, self.on_interrupt)
        for number in TIMERS:
            signal.signal(number, nothing)  # an alarm of a cell must not end the kernel later
        os.register_at_fork(before=self.before_fork, after_in_child=self.after_fork)
        os.environ.setdefault("MPLBACKEND", "agg")
        sys.excepthook = lambda kind, exc, tb: self.report("the program", exc)
        sys.unraisablehook = self.on_unraisable
        sys.breakpointhook = self.no_debugger
        builtins.display = self.show.display
        builtins.answer = self.answers.answer
        builtins.compare = self.compare.compare
        builtins.input = self.streams.input
        for name in ("exit", "quit"):
            if not hasattr(builtins, name):
                setattr(builtins, name, sys.exit)
        # The agent tells a report from a frame, and takes our own frames out of it.
        self.report_crashes(self.control.fd)
        self.original.update({name: getattr(builtins, name) for name in ("display", "answer", "compare", "input", "exit", "quit")})

    @staticmethod
    def report_crashes(fd):
        """Let the interpreter write to fd where it was when it crashes."""
        options = {"c_stack": False} if sys.version_info >= (3, 14) else {}
        try:
            import faulthandler

            faulthandler.enable(fd, **options)
        except (ImportError, OSError):
            pass  # a crash then ends without its last words

    def prepare_libraries(self):
        def set_threading(module):
            module.excepthook = self.on_thread_exception

        def set_getpass(module):
            module.getpass = self.streams.getpass

        def set_loop(_):
            if _thread.get_ident() == self.main_thread and not self.child:
                self.use_loop()

        self.hooks.install()
        self.tools.install()
        self.praxis.install()
        self.skills.install()
        self.hooks.add("linecache", self.sources.publish)
        self.hooks.add("threading", set_threading)
        self.hooks.add("getpass", set_getpass)
        self.hooks.add("asyncio", set_loop)
        self.seeds.watch(self.hooks)
        self.hooks.add("numpy", self.width.numpy_width)
        self.hooks.add("pandas", self.width.pandas_width)
        self.hooks.add("multiprocessing.context", hooks.fork_by_default)
        self.hooks.add("matplotlib.pyplot", hooks.show_instead_of_warning(self.show))
        pages.watch(self.hooks, self.show)

    def set_environ(self, message):
        """Change the environment and the folder of what follows, as the host says."""
        for name in message.get("unset") or ():
            os.environ.pop(str(name), None)
        for name, value in (message.get("set") or {}).items():
            os.environ[str(name)] = str(value)
        if message.get("folder"):
            try:
                os.chdir(str(message["folder"]))
            except OSError as exc:
                self.report("the working folder", exc)
        self.tools.offer("PRAXIS_TOOLS" in os.environ)
        self.subcalls.offer("PRAXIS_SUBCALLS" in os.environ, vars(builtins), self.original)

    def set_rich(self, on):
        """Show values in forms for programs, too, from now on, or no more."""
        if on and self.show.rich is None:
            self.show.rich = _part("rich").Rich(self.show, _part, self.hooks, self.space)
        if self.show.rich is not None:
            self.show.rich.on = on

    def answer_complete(self, message):
        cursor = int(message.get("cursor") or 0)
        start, end, matches = cursor, cursor, []
        try:
            if self.complete is None:
                self.complete = _part("complete")
            start, end, matches = self.complete.complete(str(message.get("code") or ""), cursor, self.space)
        except BaseException:  # a name that cannot be looked up has no completions
            pass
        answer = {"type": "completions", "id": message.get("id"), "start": start, "end": end, "matches": matches}
        self.answer(answer)

    # Cells.

    def execute(self, message):
        """Run one cell and send what became of it."""
        begun = time_ns()
        self.cell = message.get("id")
        self.unanswered = True
        self.interrupted = self.pending = self.entering = False
        self.count += 1
        done = {"type": "done", "id": self.cell, "status": "ok", "result": None, "error": None, "interrupted": False}
        wall, cpu = perf_counter(), own_seconds(getrusage(RUSAGE_SELF))
        self.width.set(message.get("columns") or 0)
        self.set_rich(message.get("rich") is True)
        try:
            try:
                self.running = True
                done["result"] = self.run(str(message.get("code", "")), message.get("result", True), str(message.get("file") or ""))
                self.running = False
            finally:  # C calls only: a trace function or a low limit of the cell cannot reach them
                sys.settrace(None)
                sys.setprofile(None)
                sys.setrecursionlimit(max(1000, sys.getrecursionlimit()))
        except BaseException as exc:
            self.running = False
            sys.settrace(None)  # again: a profile function may have raised in the first call
            sys.setprofile(None)
            sys.setrecursionlimit(max(1000, sys.getrecursionlimit()))
            self.on_raised(exc, done)
        if self.child:
            self.end_child(None)
        self.settle()
        done["wall_ms"] = (perf_counter() - wall) * 1e3
        self.measure(done, cpu)
        self.streams.drained()
        if message.get("stamps"):
            done["stamps"] = [self.control.came, begun, time_ns()]
        self.send_done(done)
        self.unanswered = False

    def rehearse(self, message):
        """Run a cell of our own, so that what cells touch is in memory, and leave nothing of it."""
        kept = self.space, self.flags, self.count, self.memory, self.children
        shown = {name: vars(builtins)[name] for name in ("_", "__") if name in vars(builtins)}
        self.space = {"__name__": "__main__"}
        try:
            self.execute({"id": message.get("id"), "code": "rehearsal = 0\nrehearsal"})
        finally:
            self.sources.forget(f"<cell {self.count}>")
            self.space, self.flags, self.count, self.memory, self.children = kept
            for name in ("_", "__"):
                vars(builtins).pop(name, None)
            vars(builtins).update(shown)

    def measure(self, done, cpu):
        """Put into done what the cell used, which began when its process had used cpu seconds.

        What a very short cell took is not measured: that would take longer than the cell, and
        gVisor's clocks of CPU time tick every 10 ms.
        """
        if self.memory and done["wall_ms"] < 2:
            done["cpu_ms"], done["peak_memory_bytes"] = 0.0, self.memory
            return
        own, children = getrusage(RUSAGE_SELF), own_seconds(getrusage(RUSAGE_CHILDREN))
        done["cpu_ms"] = (own_seconds(own) - cpu + children - self.children) * 1e3
        self.children = children
        self.memory = done["peak_memory_bytes"] = self.peak_memory(own)

    def peak_memory(self, usage):
        """Return the bytes of memory at the process's highest, as far as they can be known.

        The high-water mark outlives exec, so at first it is that of the program that started
        the kernel: until a cell raises it, the memory in use now stands in for it.
        """
        peak = usage.ru_maxrss * 1024
        if peak <= self.inherited_peak:
            try:
                fd = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
                try:
                    peak = int(os.read(fd, 64).split()[1]) * 4096
                finally:
                    os.close(fd)
            except (OSError, ValueError, IndexError):
                pass
        return peak

    def send_done(self, done):
        try:
            self.answer(done)
            return
        except control.ControlLost:
            raise
        except ValueError as exc:  # too large
            done["result"] = only_text(done["result"], exc)
        except Exception as exc:  # the program broke what sending needs, or memory ran out
            self.restore_builtins(everything=True)
            self.release_memory(exc)
            done["result"] = only_text(done["result"], exc)
            if done["error"]:
                done["error"]["traceback"] = ""
        self.answer(done)

    def run(self, code, wanted, file):
        """Run a cell's code and return the bundle of its value. Interrupts are raised in here."""
        if code.startswith(answers.CHECK):
            return self.check(code)
        if code.startswith(figures.BEGINS):
            self.space["__builtins__"] = builtins
            return {"text": repr(figures.fill(self.space, code))}
        self.file = file
        self.name = name = file or f"<cell {self.count}>"
        self.sources.add(name, code)
        self.space["__builtins__"] = builtins
        self.space.pop("__warningregistry__", None)  # a warning on line 1 of each cell is a new one
        body, last, in_loop = self.compile(code, name, wanted)
        value = None
        if body is not None:
            self.evaluate(body, in_loop)
        if last is not None:
            value = self.evaluate(last, in_loop)
        bundle = None
        if value is not None:
            shown = value
            if type(value) is Hosted:
                shown, value = value.shown, value.value
            if value is not None:
                builtins.__ = getattr(builtins, "_", None)
                builtins._ = value
            if shown is not None:
                bundle = self.show.bundle(shown)
        self.show.figures()
        return bundle

    def run_hosted(self, language, code, *options):
        """Run code of a language that this kernel runs beside Python."""
        self.sources.hide(self.name)  # the user did not write the call of this
        if language not in self.hosted:
            load = lambda name: _part(f"{language}/{name}", PART=load, KERNEL=self)
            self.hosted[language] = load("engine").run
        return Hosted(*self.hosted[language](code, *options))

    def compile(self, code, name, wanted):
        """Return the code of all statements but the last expression, that of it, and whether the loop must run."""
        tree = compile(code, name, "exec", self.flags | cells.ONLY_AST, True)
        in_loop = any(word in code for word in cells.NEEDS_LOOP) and cells.needs_loop(tree)
        last = None
        if wanted and tree.body and isinstance(tree.body[-1], _ast.Expr) and not cells.ends_in_semicolon(code, tree.body[-1]):
            value = _ast.Expression(tree.body.pop().value)
            flags = self.flags | cells.future_flags(tree)
            last = compile(value, name, "eval", flags, True)
            in_loop = in_loop or bool(last.co_flags & COROUTINE)
        body = None
        if tree.body:
            body = compile(tree, name, "exec", self.flags, True)
            self.flags |= body.co_flags & cells.FUTURES
            in_loop = in_loop or bool(body.co_flags & COROUTINE)
        return body, last, in_loop

    def check(self, source):
        """Run a check of the answer, which is no code of the program's. That it fails is its exception."""
        own = {name: self.original[name] for name in ("display", "input", "exit", "quit")}
        name, code, run, expression = self.answers.check(source, self.space, PRIVATE, own)
        self.sources.add(name, code)
        usual = sys.path[:]
        sys.path.sort(key=lambda p: p in ("", os.getcwd()))  # a file of the working folder replaces no module
        try:
            value = run()
        except SystemExit:
            raise AssertionError("the check ended the program") from None
        finally:
            sys.path[:] = usual
        if expression and not value:
            raise AssertionError(f"{code.strip()} is {value!r:.200}")
        return None

    def evaluate(self, code, in_loop):
        if code.co_flags & COROUTINE:
            return self.wait_for(eval(code, self.space))
        if not in_loop:
            return eval(code, self.space)

        async def inside():
            return eval(code, self.space)

        return self.wait_for(inside())

    def wait_for(self, coroutine):
        """Run a coroutine of the cell in the session's loop."""
        from asyncio import CancelledError, wait

        loop = self.use_loop()
        self.entering = True
        task = self.task = loop.create_task(coroutine)
        self.entering = False
        try:
            self.check_interrupt()
            return loop.run_until_complete(task)
        except CancelledError as exc:
            if self.interrupted:  # see on_interrupt
                raise KeyboardInterrupt().with_traceback(exc.__traceback__) from None
            raise
        finally:
            try:
                if not task.done() and not self.child:  # an interrupt or an exit left the loop early
                    task.cancel()
                    loop.run_until_complete(wait({task}, timeout=2))
            finally:
                self.task = None

    def use_loop(self):
        """Return the session's event loop, made the current one."""
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        return self.loop

    def loop_has_work(self):
        loop = self.loop
        if loop is None or loop.is_closed() or loop.is_running():
            return False
        try:
            if loop._ready or loop._scheduled or len(loop._selector.get_map()) > 1:
                return True
        except AttributeError:  # a loop of another make
            pass
        return bool(sys.modules["asyncio"].all_tasks(loop))

    # What ends a cell.

    def on_raised(self, exc, done):
        """Fill in what a cell raised."""
        if self.child:
            self.end_child(exc)
        self.restore_builtins()
        if isinstance(exc, SystemExit):
            done["status"] = "exit"
            done["exit_code"] = exit_code(exc)
            value = "" if exc.code is None else errors.describe(exc)[1]
            done["error"] = {"name": "SystemExit", "value": value, "traceback": ""}  # who shows it prints the value
        else:
            if isinstance(exc, MemoryError):
                self.release_memory(exc)
            if isinstance(exc, SyntaxError) and (exc.text or "").lstrip()[:1] in ("!", "%"):
                exc.add_note("Only plain Python runs here: leave out % commands, and use subprocess for ! commands.")
            name, value = errors.describe(exc)
            done["status"] = "error"
            done["interrupted"] = self.interrupted and isinstance(exc, KeyboardInterrupt)
            done["refused"] = errors.refusals(exc)
            self.streams.let_go()  # all descriptors may be in use, and a traceback wants files
            done["error"] = {"name": name, "value": value, "traceback": self.errors.format(exc)}
            done["error"]["hint"] = hints.of(exc, self.sources)
        if isinstance(exc, (MemoryError, KeyboardInterrupt)):
            forget_half_imports()
            return
        try:
            self.running = True
            self.show.figures()
            self.running = False
        except BaseException:  # interrupted while it drew: the cell's own error is what counts
            self.running = False

    def settle(self):
        """Put right what a cell may have left behind."""
        try:
            self.streams.flush()
        except BaseException:  # a stream of the program's own; it is replaced now
            pass
        self.streams.restore()
        self.streams.hold()
        self.restore_builtins()
        if signal.getsignal(signal.SIGINT) != self.on_interrupt:
            signal.signal(signal.SIGINT, self.on_interrupt)
        for number, timer in TIMERS.items():
            if signal.getsignal(number) is not nothing:
                signal.setitimer(timer, 0)  # an alarm after the cell would end the kernel
        self.show.drop_figures()
        if self.loop is not None and not self.loop.is_running():
            self.use_loop()  # asyncio.run leaves none
        if self.reserve is None:
            try:
                self.reserve = bytearray(RESERVE)
            except MemoryError:
                pass

    def restore_builtins(self, everything=False):
        """Bring back builtins that are gone or no longer callable; the program's own replacements stay."""
        space = vars(builtins)
        for name, value in self.original.items():
            now = space.get(name, self)
            if now is not value and (everything or now is self or callable(value) and not callable(now)):
                space[name] = value

    def release_memory(self, exc):
        """Set free what an error and the kernel hold."""
        self.reserve = None
        for name in ("_", "__"):
            vars(builtins).pop(name, None)
        while exc is not None:
            tb = exc.__traceback__
            while tb is not None:
                try:
                    tb.tb_frame.clear()
                except RuntimeError:  # it still runs
                    pass
                tb = tb.tb_next
            exc = exc.__context__ if exc.__context__ is not exc else None
        gc.collect()

    # Signals, forks, hooks of the interpreter.

    def on_interrupt(self, _, frame):
        """Raise KeyboardInterrupt in the cell; never where it would cut a control frame in two."""
        if not self.running:
            return
        self.interrupted = True
        if frame is not None:
            if within(frame, TAKES_INTERRUPT):
                return  # the one that is being taken stands for both, and knows where it is
            if self.entering or frame.f_builtins is PRIVATE and frame.f_code in UNINTERRUPTIBLE:
                self.pending = True
                return
            inside = str(frame.f_globals.get("__name__"))
            if self.task is not None and inside.startswith(("asyncio.", "selectors")):
                # Inside the loop itself an exception would lose other tasks' turns.
                self.loop.call_soon_threadsafe(self.task.cancel)
                return
        raise KeyboardInterrupt

    def check_interrupt(self):
        if self.pending and self.running:
            self.pending = False
            raise KeyboardInterrupt

    def before_fork(self):
        self.streams.flush()  # or the child would write it again

    def after_fork(self):
        self.child = True
        os.close(self.control.fd)
        self.report_crashes(self.streams.kept[2])

    def end_child(self, exc):
        """End a fork of the kernel that came back from the cell."""
        code = 0
        if isinstance(exc, SystemExit):
            code = exit_code(exc)
            if code == 1 and not isinstance(exc.code, int):  # a message; Python tells it on stderr
                self.write_error(errors.describe(exc)[1] + "\n")
        elif exc is not None:
            self.report("a child process", exc)
            code = 1
        self.streams.flush()
        os._exit(code)

    def report(self, where, exc):
        """Tell on stderr of an exception that no cell can be blamed for."""
        self.write_error(f"Exception in {where}:\n{self.errors.format(exc)}")

    def write_error(self, text):
        for stream in (sys.stderr, self.streams.stderr):
            try:
                stream.write(text)
                stream.flush()
                return
            except Exception:
                continue

    def on_thread_exception(self, args):
        if args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
            self.report(f"thread {args.thread.name if args.thread else '?'}", args.exc_value)

    def on_unraisable(self, args):
        if args.exc_value is not None:
            self.report(pretty.leaf(args.object)[:500], args.exc_value)

    @staticmethod
    def no_debugger(*_, **__):
        raise RuntimeError("breakpoint() is not available: there is nobody at a debugger; print the values instead")


class Hosted:
    """The value of a cell in another language: what is shown of it, and what Python keeps of it."""

    def __init__(self, shown, value):
        self.shown, self.value = shown, value


UNINTERRUPTIBLE = {
    function.__code__
    for function in (control.Control.send, Kernel.execute, Kernel.send_display, Kernel.check_interrupt, Kernel.before_fork)
}
TAKES_INTERRUPT = Kernel.on_interrupt.__code__


def within(frame, code):
    """Whether a frame is one of a function, or was called from one."""
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame is not None


def nothing(number, frame):
    """Take a timer's signal."""


def own_seconds(usage):
    """Return the CPU seconds of what getrusage returned."""
    return usage.ru_utime + usage.ru_stime


def exit_code(exc):
    """Return the process exit code of a SystemExit."""
    if exc.code is None:
        return 0
    return int(exc.code) & 0xFF if isinstance(exc.code, int) else 1


def only_text(bundle, reason):
    """Return what is left of a bundle that could not be sent."""
    return bundle and {"text": f"{bundle['text']}\n[the other forms of the value are left out: {reason}]"}


def forget_half_imports():
    """Forget submodules of packages whose own import was cut short, or importing them again fails."""
    for name in list(sys.modules):
        if "." in name and name.partition(".")[0] not in sys.modules:
            sys.modules.pop(name, None)


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kernel = Kernel()
    sys.modules["_praxis"].run_hosted = kernel.run_hosted
    sys.modules["_praxis"].load_values = kernel.subcalls.load
    code = 0
    try:
        kernel.serve()
    except control.ControlLost as exc:
        kernel.write_error(f"the kernel lost its control connection: {exc}\n")
        code = 1
    try:
        import atexit

        atexit._run_exitfuncs()
        kernel.streams.flush()
    finally:
        os._exit(code)  # threads that are left do not keep it


main()
