"""Exceptions as the user should read them: the lines of his cells, a word for
the frames of libraries, nothing of the kernel.
"""

import errno
import os
import sys

MARK = "<left out>"
MAX_TEXT = 100_000  # characters of a traceback
MAX_VALUE = 20_000  # characters of str(exception)
MAX_FRAMES = 40
REPEATS = 3  # of one line in a row
LIBRARY_RUN = 4  # frames in a row that are shown whole when there are none but of libraries
MAX_CHAIN = 100  # exceptions that are looked at for what was refused
REFUSALS = ("EAGAIN", "ENOMEM", "ENFILE", "EMFILE", "ENOSPC", "EDQUOT")
REMOTE = ("multiprocessing.pool.RemoteTraceback", "concurrent.futures.process._RemoteTraceback")
SQLITE_FULL = 13
PACKAGES = ("-packages/", "/.packages/")  # are in the paths of what was installed


def cut(text, limit):
    """Keep head and tail of a text that is longer than limit."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n... {len(text) - 2 * half:,} characters left out ...\n{text[-half:]}"


def describe(exc):
    """Return the class name and the message of an exception, whatever its __str__ does."""
    name = type(exc).__name__
    try:
        return name, cut(str.__str__(str(exc)), MAX_VALUE)
    except MemoryError:
        return name, ""
    except BaseException as failure:
        return name, f"<__str__ raised {type(failure).__name__}>"


def refusals(exc):
    """Return what the system refused to the program, as far as exc and what led to it tell.

    The words are names of errno, "thread" for a thread that did not start, and
    "write" for an error of the system that does not say which one.
    """
    found, todo = [], [exc]
    try:
        for one in todo:  # grows
            word = _refusal(one)
            if word and word not in found:
                found.append(word)
            more = [one.__cause__, one.__context__]
            if isinstance(one, BaseExceptionGroup):
                more.extend(one.exceptions)
            more = [e for e in more if e is not None and not any(e is known for known in todo)]
            todo.extend(more[: max(MAX_CHAIN - len(todo), 0)])
    except Exception:  # a class of the program's with attributes of its own
        pass
    return found


def _refusal(exc):
    if isinstance(exc, OSError):
        number = OSError.errno.__get__(exc)
        name = errno.errorcode.get(number) if isinstance(number, int) else None
        if name in REFUSALS:
            return name
        return "write" if number is None else None
    if isinstance(exc, RuntimeError):
        return "thread" if exc.args == ("can't start new thread",) else None
    return "ENOSPC" if getattr(exc, "sqlite_errorcode", None) == SQLITE_FULL else None


class Errors:
    """Formats exceptions. hidden is the builtins namespace by which frames of the kernel are known."""

    def __init__(self, hidden, sources, tools):
        self.hidden = hidden
        self.sources = sources
        roots = {sys.prefix, sys.base_prefix, os.path.dirname(os.__file__), os.path.dirname(tools)}
        roots.update(folder for folder in sys.path[1:] if folder.startswith("/"))  # packages of the image
        self.libraries = tuple(sorted((root.rstrip("/") + "/" for root in roots), key=len, reverse=True))

    def format(self, exc):
        """Return the traceback of exc as text. Never raises an Exception.

        An exception of another language that the kernel runs makes its own.
        """
        try:
            own = getattr(type(exc), "_praxis_traceback_", None)
            return cut(own(exc) if own is not None else self._format(exc), MAX_TEXT)
        except Exception as failure:
            name, value = describe(exc)
            return f"{name}: {value}\n(the traceback could not be made: {type(failure).__name__})\n"

    def _format(self, exc):
        import linecache
        import traceback

        self.sources.publish(linecache)
        # Suggestions ("did you mean") want the real traceback; the frames are picked here.
        top = traceback.TracebackException(type(exc), exc, exc.__traceback__, limit=0, compact=True)
        pairs = [(top, exc)]
        while pairs:
            shown, real = pairs.pop()
            stack = self._stack(traceback, real.__traceback__)
            shown.stack = stack or None  # None: no "Traceback" line
            if f"{type(real).__module__}.{type(real).__name__}" in REMOTE:
                shown._str = self._fold_text(str(real))
            if shown.__cause__ is not None and real.__cause__ is not None:
                pairs.append((shown.__cause__, real.__cause__))
            if shown.__context__ is not None and real.__context__ is not None:
                pairs.append((shown.__context__, real.__context__))
            if shown.exceptions is not None:
                pairs.extend(zip(shown.exceptions, real.exceptions))
        return "".join(top.format())

    def _stack(self, traceback, tb):
        class Stack(traceback.StackSummary):
            def format_frame_summary(self, frame, **options):
                if frame.filename == MARK:
                    return f"  {frame.name}\n"
                return super().format_frame_summary(frame, **options)

        stack = Stack()
        stack.extend(self._summary(traceback, entry) for entry in self._pick(tb))
        return stack

    @staticmethod
    def _summary(traceback, entry):
        if isinstance(entry, str):
            return traceback.FrameSummary(MARK, 0, entry, lookup_line=False, line="")
        frame, lineno, lasti = entry.tb_frame, entry.tb_lineno, entry.tb_lasti
        code = frame.f_code
        places = {}
        if lasti >= 0:
            for i, place in enumerate(code.co_positions()):
                if i == lasti // 2:
                    first, last, start, end = place
                    if first is not None:
                        lineno = first
                    places = {"end_lineno": last, "colno": start, "end_colno": end}
                    break
        if "_code" in traceback.FrameSummary.__slots__:  # not yet in 3.13.0
            places["_code"] = code
        return traceback.FrameSummary(
            code.co_filename, lineno, code.co_name, lookup_line=False, **places
        )

    def _pick(self, tb):
        """Return the entries of a traceback that are worth showing, with notes for the others."""
        entries = []
        while tb is not None:
            if tb.tb_frame.f_builtins is not self.hidden and self._place(tb) not in self.sources.hidden:
                entries.append(tb)
            tb = tb.tb_next
        first = next((i for i, e in enumerate(entries) if not self._library(self._place(e))), None)
        if first is None:
            entries = self._some(entries)
        else:
            entries = self._fold_libraries([(self._place(e), [e], e.tb_frame.f_code.co_name) for e in entries[first:]])
        entries = self._fold_repeats(entries)
        if len(entries) > MAX_FRAMES:
            half = MAX_FRAMES // 2
            entries[half:-half] = [f"[{len(entries) - 2 * half} frames left out]"]
        return entries

    @staticmethod
    def _place(entry):
        return entry.tb_frame.f_code.co_filename

    def _library(self, name):
        return name.startswith(self.libraries) or name.startswith("<frozen ") or any(mark in name for mark in PACKAGES)

    def _package(self, name):
        """Return what a person calls the library that a file belongs to."""
        if name.startswith("<frozen "):
            return name[8:].rstrip(">").partition(".")[0]
        root = next((r for r in self.libraries if name.startswith(r)), "")
        for mark in PACKAGES:
            if mark in name:
                return name.rpartition(mark)[2].partition("/")[0].removesuffix(".py")
        return name[len(root) :].partition("/")[0].removesuffix(".py")

    @staticmethod
    def _some(entries):
        """Shorten what has none of the user's lines."""
        if len(entries) > LIBRARY_RUN:
            entries[1:-2] = [f"… {len(entries) - 3} frames"]
        return entries

    @staticmethod
    def _fold_repeats(entries):
        kept, run, last = [], 0, None
        for entry in [*entries, None]:
            here = entry if entry is None or isinstance(entry, str) else (entry.tb_frame.f_code, entry.tb_lineno)
            if here is None or here != last:
                if run > REPEATS:
                    kept.append(f"[Previous line repeated {run - REPEATS} more times]")
                run, last = 0, here
            run += 1
            if run <= REPEATS and entry is not None:
                kept.append(entry)
        return kept

    def _fold_libraries(self, frames):
        """Put a line in the place of library frames in a row. A frame is its file, what shows it, and its function."""
        kept, run, last = [], [], ""

        def close():
            if run:
                packages = list(dict.fromkeys(map(self._package, run)))
                more = ", …" if len(packages) > 3 else ""
                into = f", the last is {last}" if last.isidentifier() else ""
                kept.append(f"… {len(run)} frame{'s' * (len(run) > 1)} in {', '.join(packages[:3])}{more}{into}")
                run.clear()

        for name, shown, function in frames:
            if name is not None and self._library(name):
                run.append(name)
                last = function
                continue
            close()
            kept.extend(shown)
        close()
        return kept

    def _fold_text(self, text):
        """Fold the library frames of a traceback that another process made text of."""
        frames = []
        for line in text.split("\n"):
            if line.startswith('  File "') and '", line ' in line:
                frames.append((line[8:].partition('", line ')[0], [line], line.rpartition(", in ")[2]))
            elif line.startswith("    ") and frames and frames[-1][0] is not None:
                frames[-1][1].append(line)
            else:
                frames.append((None, [line], ""))
        return "\n".join("  " + s if s.startswith("… ") else s for s in self._fold_libraries(frames))


class Sources:
    """The source text of cells, for tracebacks and inspect.getsource. Old cells are forgotten."""

    MAX_CELLS = 2000
    MAX_CHARACTERS = 8 << 20

    def __init__(self):
        self.cells = {}
        self.hidden = set()  # cells whose code is made, in the place of code in another language
        self.size = 0

    def hide(self, name):
        """Leave the lines of a cell out of tracebacks."""
        self.hidden.add(name)

    def add(self, name, text):
        self.forget(name)  # a file that is run again
        self.cells[name] = text
        self.size += len(text)
        linecache = sys.modules.get("linecache")
        while len(self.cells) > self.MAX_CELLS or self.size > self.MAX_CHARACTERS and len(self.cells) > 1:
            self.forget(next(iter(self.cells)))
        if linecache is not None:
            self._put(linecache, name, text)

    def forget(self, name):
        self.size -= len(self.cells.pop(name, ""))
        self.hidden.discard(name)
        if (linecache := sys.modules.get("linecache")) is not None:
            linecache.cache.pop(name, None)

    def publish(self, linecache):
        """Put every cell in linecache; called when it is imported and when it may have been cleared."""
        for name, text in self.cells.items():
            if name not in linecache.cache:
                self._put(linecache, name, text)

    @staticmethod
    def _put(linecache, name, text):
        try:
            lines = [line + "\n" for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
            linecache.cache[name] = (len(text), None, lines, name)
        except Exception:  # the program broke linecache: tracebacks go without lines
            return
