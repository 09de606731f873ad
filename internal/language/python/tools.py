"""The tools that the host exposes to this session, as Python functions.

    from tools import crm              # a namespace of tools
    crm.find(region="eu", limit=20)    # a call: plain dicts, lists, strings and numbers come back
    from tools import now              # a tool without a namespace
    now()

    tools.names()                      # what there is
    tools.search("customers by region")
    tools.describe("crm.find")         # parameters, result, version; so does help(crm.find)
    tools.stub("crm")                  # the signatures of a namespace as text
    tools.use("crm.find", "1.2.0")     # that version's function, whatever is current
    tools.call("crm.find", {"region": "eu"})   # by name, for arguments that are no Python names
    tools.result("2.1")                # the whole of a result that the conversation shows in part

    await crm.find.aio(region="eu")    # the same call from a coroutine; asyncio.gather runs 32 at a time
    tools.map(crm.get, ids)            # many calls at a time, the results in order
    tools.frame(records)               # a list of records as a pandas DataFrame

Functions have signatures, docstrings and annotations; wrong arguments raise TypeError before
anything is sent. What the host refuses raises ToolError or one of its subclasses, with .kind,
.remedy and .tool; what a tool's own code raises keeps its class: ValueError is both. When a
result is not all of what was asked for, stderr says how much it is.

Arguments become JSON: None, booleans, text, whole numbers of any size, floats, dicts, lists and
tuples as they are; dates and times in ISO 8601, a timedelta in seconds, a Decimal as a number when a
float holds it exactly, sets as sorted lists, paths and UUIDs as text, dataclasses as dicts, enums as
their value, numpy scalars and arrays as numbers and lists, a DataFrame as a list of records and a
Series as a list (missing values as None). bytes, NaN and infinities are refused.

Calls may be made from threads, and from processes that this one starts. An interrupt gives a call up.
"""

import os
import sys
import threading
from _queue import SimpleQueue
from _socket import AF_UNIX, SHUT_RDWR, SOCK_STREAM, socket as _Socket
from itertools import count
from json import JSONDecoder, JSONEncoder
from keyword import iskeyword
from time import time_ns
from types import ModuleType

__all__ = [
    "Denied", "Exhausted", "InvalidArguments", "ToolError", "Unavailable",
    "call", "describe", "frame", "map", "names", "result", "search", "stub", "use",
]  # fmt: skip

MAX_ARGUMENTS = 16 << 20  # bytes of a call, as JSON
IN_FLIGHT = 32  # calls of one process at a time; more wait
RESULT, FAILURE, PART, RETIRED = range(4)


class ToolError(Exception):
    """What became of a call that the host did not carry out. The text has the remedy, too."""

    def __init__(self, message, kind="internal", remedy="", tool=""):
        Exception.__init__(self, message)
        self.message = message
        self.kind = kind
        self.remedy = remedy
        self.tool = tool

    def __str__(self):
        text = self.message
        if self.tool and self.tool not in text:
            text = f"{self.tool}: {text}"
        return f"{text}\n{self.remedy}" if self.remedy else text

    def __reduce__(self):
        return type(self), (self.message, self.kind, self.remedy, self.tool)


class InvalidArguments(ToolError, ValueError):
    """The arguments are not what the tool takes."""


class Denied(ToolError, PermissionError):
    """The call is not allowed, or was not approved."""


class Exhausted(ToolError):
    """A limit was reached: of size, of time, of the number of calls."""


class Unavailable(ToolError):
    """The tool failed, or it cannot be reached now."""


_KINDS = {"invalid": InvalidArguments, "denied": Denied, "exhausted": Exhausted, "unavailable": Unavailable}


# Values.


def _json(value):
    """Return what stands for a value that JSON does not have."""
    kind = type(value)
    home = (kind.__module__ or "").partition(".")[0]
    if home == "pandas":
        return _pandas(value)
    if home == "numpy":
        if kind.__name__ == "ndarray":
            return value.tolist()
        if hasattr(value, "item"):
            return value.item()
    if isinstance(value, (set, frozenset)):
        try:
            return sorted(value)
        except TypeError:
            return sorted(value, key=repr)
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in kind.__dataclass_fields__ if hasattr(value, name)}
    if home in ("datetime", "decimal", "uuid") or hasattr(kind, "isoformat"):
        return _standard(value, kind)
    if hasattr(value, "__fspath__"):
        return os.fsdecode(value)
    if hasattr(kind, "__members__") and hasattr(value, "value"):  # an enum
        return value.value
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError("bytes cannot be an argument: pass text (data.decode()), or base64.b64encode(data).decode()")
    if kind.__name__ == "mappingproxy":
        return dict(value)
    if kind.__name__ in ("dict_keys", "dict_values", "dict_items", "deque", "range"):
        return list(value)
    raise TypeError(f"a value of type {kind.__qualname__} cannot be an argument: pass text, numbers, lists and dicts")


def _standard(value, kind):
    if hasattr(value, "total_seconds"):
        return value.total_seconds()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "as_tuple") and hasattr(value, "is_finite"):  # a Decimal
        if value.is_finite():
            if value == value.to_integral_value() and value.adjusted() < 400:
                return int(value)
            if kind(repr(float(value))) == value:
                return float(value)
        raise TypeError(f"{value!r} is no number that a float holds exactly: pass str(x), or float(x) to round it")
    return str(value)


def _pandas(value):
    """Return a table as records, a column as a list, a missing value as None."""
    if hasattr(value, "itertuples"):
        columns = [str(name) for name in value.columns]
        return [dict(zip(columns, [_cell(v) for v in row])) for row in value.itertuples(index=False, name=None)]
    if hasattr(value, "tolist"):
        return [_cell(v) for v in value.tolist()]
    return _cell(value) if _missing(value) else _standard(value, type(value))


def _missing(value):
    return type(value).__name__ in ("NAType", "NaTType") or isinstance(value, float) and value != value


def _cell(value):
    return None if _missing(value) else value


_encode = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_json).encode
_decode = JSONDecoder().decode


def _pack(message, tool):
    """Return a message as the bytes of a frame."""
    try:
        rough = 0
        for value in message.get("arguments", {}).values():
            if isinstance(value, (str, list, tuple, dict)):
                rough += len(value)
        if rough <= MAX_ARGUMENTS:
            text = _encode(message).encode()
            if len(text) <= MAX_ARGUMENTS:
                return len(text).to_bytes(4) + text
            rough = len(text)
        reason = f"the arguments have about {rough:,} bytes, the limit is {MAX_ARGUMENTS:,}"
    except MemoryError:
        reason = "the arguments are too large for the memory that is left"
    except TypeError as exc:
        raise TypeError(f"{tool}: {exc}" if tool else str(exc)) from None
    except RecursionError:
        raise InvalidArguments("the arguments are nested too deeply", "invalid", "", tool) from None
    except UnicodeEncodeError:
        remedy = 'Clean it: text.encode("utf-8", "replace").decode().'
        raise InvalidArguments("a text has half of a surrogate pair", "invalid", remedy, tool) from None
    except ValueError as exc:
        words = str(exc)
        if "Out of range float" in words:
            words = "NaN and infinities cannot be arguments: JSON has no such numbers"
            raise InvalidArguments(words, "invalid", "Pass None for a missing value.", tool) from None
        raise InvalidArguments(words, "invalid", "", tool) from None
    raise Exhausted(reason, "exhausted", "Put the data in a file and pass its name, or pass less.", tool)


# The way to the host.


class _State:
    """What this process has of connections. A fork begins with none."""

    def __init__(self):
        self.slots = SimpleQueue()  # a connection or None for each call that may be under way
        for _ in range(IN_FLIGHT):
            self.slots.put(None)
        self.open = set()
        self.pool = None
        self.lock = threading.Lock()
        self.count = count()
        self.mark = f"u-{os.urandom(6).hex()}-{os.getpid():x}"
        self.names = None
        self.spaces = {}
        self.specs = {}

    def forked(self):
        inherited = self.open
        names, spaces, specs = self.names, self.spaces, self.specs
        self.__init__()
        self.names, self.spaces, self.specs = names, spaces, specs
        for line in inherited:
            line.close()


_state = _State()
os.register_at_fork(after_in_child=_state.forked)


def _forget():
    """Look everything up again: the kernel says so when the host made another offer."""
    _state.names = None
    _state.spaces.clear()
    _state.specs.clear()
    for name in [name for name, value in globals().items() if isinstance(value, _Namespace) or hasattr(value, "tool")]:
        del globals()[name]
    for name in [name for name in sys.modules if name.startswith("tools.")]:
        del sys.modules[name]


def _connect():
    path = os.environ.get("PRAXIS_TOOLS")
    if not path:
        raise Unavailable("this session has no tools", "unavailable", "Go on without them.")
    line = _Socket(AF_UNIX, SOCK_STREAM)
    try:
        if line.gettimeout() is not None:  # socket.setdefaulttimeout is not for us
            line.settimeout(None)
        line.connect(path)
    except OSError as exc:
        line.close()
        raise Unavailable(f"the session's tools cannot be reached: {exc}", "unavailable", "Try again.") from None
    except BaseException:
        line.close()
        raise
    _state.open.add(line)
    return line


def _hang_up(line):
    _state.open.discard(line)
    try:
        line.shutdown(SHUT_RDWR)  # a fork may still have it
    except OSError:
        pass
    line.close()


def _talk(line, frame):
    """Send a frame and return the kind and the text of the answer. The kind is None when none came."""
    try:
        line.sendall(frame)
    except (BrokenPipeError, ConnectionResetError):
        pass  # what it was closed with can still be read
    try:
        data = line.recv(65536)
        parts = None
        while True:
            while len(data) < 5 or len(data) < 5 + int.from_bytes(data[:4]):
                if len(data) >= 5:
                    data = bytearray(data)
                    size = 5 + int.from_bytes(data[:4])
                    while len(data) < size:
                        more = line.recv(min(size - len(data), 1 << 20))
                        if not more:
                            return None, None
                        data += more
                    break
                more = line.recv(65536)
                if not more:
                    return None, None
                data += more
            size = 5 + int.from_bytes(data[:4])
            kind, body = data[4], data[5:size]
            if kind == PART:
                parts = [] if parts is None else parts
                parts.append(body)
                data = data[size:]
                continue
            if kind == RESULT and parts:
                parts.append(body)
                body = b"".join(parts)
            return kind, body.decode()
    except ConnectionResetError:
        return None, None


def _exchange(frame, tool="", grip=None):
    """Take a frame to the host and return the answer."""
    slots = _state.slots
    line = slots.get()
    try:
        while True:
            if line is None:
                line = _connect()
            if grip is not None:
                grip.hold(line)
            kind, text = _talk(line, frame)
            if kind != RETIRED:
                break
            _hang_up(line)  # it was idle for long; the call was not read
            line = None
        if kind is None:
            remedy = "Find out whether it was done before you call again."
            raise Unavailable("the connection to the host was lost during the call", "unavailable", remedy, tool)
    except BaseException:
        if line is not None:
            _hang_up(line)
            line = None
        raise
    finally:
        if grip is not None:
            grip.hold(None)
        slots.put(line)
    answer = _decode(text)
    if kind == RESULT:
        return answer
    kind = answer.get("kind", "internal")
    raise _KINDS.get(kind, ToolError)(answer.get("message", ""), kind, answer.get("remedy", ""), tool)


def _ask(**message):
    return _exchange(_pack(message, ""))


def _request(tool, version, arguments):
    """Return the frame of a call."""
    state = _state
    ident = f"{state.mark}-{time_ns():x}-{next(state.count):x}"
    message = {"do": "call", "tool": tool, "version": version, "arguments": arguments, "id": ident, "again": False}
    return _pack(message, tool)


def call(name, arguments=None, version=""):
    """Call the tool of that name with a dict of arguments and return its result."""
    return _given(_exchange(_request(name, version, dict(arguments or {})), name), name)


def _given(answer, tool):
    """Return the result in an answer, tell of what is not in it, or raise what the tool raised."""
    if not isinstance(answer, dict):
        return answer
    if answer.get("raised"):
        kind = answer.get("kind", "internal")
        raise _class_of(answer["raised"], kind)(answer.get("message", ""), kind, answer.get("remedy", ""), tool)
    if answer.get("cut"):
        print(f"{tool}: only {answer['cut']} are given", file=sys.stderr)
    return answer.get("result")


_raised = {}  # classes of exceptions that tools raised, by their names and what they are of


def _class_of(name, kind):
    """Return the class for an exception of a tool: a ToolError, and one of Python's of that name, if there is."""
    import builtins

    base = _KINDS.get(kind, ToolError)
    if not (isinstance(name, str) and name.isidentifier() and len(name) <= 100):
        return base
    made = _raised.get((name, base))
    if made is None and len(_raised) < 1000:
        own = getattr(builtins, name, None)
        bases = (base,)
        if own is not None:
            if not (isinstance(own, type) and issubclass(own, Exception) and own is not MemoryError):
                return base  # it says something of the session itself
            if not issubclass(base, own):
                bases = (base, own)
        try:
            made = type(name, bases, {"__module__": "tools", "__reduce__": _reduced, "__str__": ToolError.__str__})
        except TypeError:  # what the interpreter lays out in another way
            made = type(name, (base,), {"__module__": "tools", "__reduce__": _reduced})
        _raised[name, base] = made
    return made or base


def _reduced(self):
    return _raise_again, (type(self).__name__, self.message, self.kind, self.remedy, self.tool)


def _raise_again(name, message, kind, remedy, tool):
    return _class_of(name, kind)(message, kind, remedy, tool)


class _Grip:
    """What lets another thread give a call up, and never the next one on the same connection."""

    def __init__(self):
        self.lock = threading.Lock()
        self.line = None
        self.canceled = False

    def hold(self, line):
        with self.lock:
            self.line = line
            if self.canceled and line is not None:
                raise ToolError("the call was given up", "canceled")

    def cancel(self):
        with self.lock:
            self.canceled = True
            if self.line is not None:
                try:
                    self.line.shutdown(SHUT_RDWR)
                except OSError:
                    pass


async def _call_async(name, arguments, version):
    import asyncio

    frame, grip = _request(name, version, arguments), _Grip()
    try:
        answer = await asyncio.get_running_loop().run_in_executor(_threads(), _exchange, frame, name, grip)
    except asyncio.CancelledError:
        grip.cancel()
        raise
    return _given(answer, name)


def _threads():
    state = _state
    with state.lock:
        if state.pool is None:
            from concurrent.futures import ThreadPoolExecutor

            state.pool = ThreadPoolExecutor(IN_FLIGHT, thread_name_prefix="tools")
        return state.pool


# Functions and namespaces.


class _Default:
    """The default of a parameter that need not be given. It is the host's to fill in."""

    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def _python_name(name, taken):
    """Return a Python name for a parameter."""
    text = "".join(c if c.isidentifier() or c.isdigit() else "_" for c in name) or "_"
    if text[0].isdigit():
        text = "_" + text
    while iskeyword(text) or text in taken:
        text += "_"
    return text


def _function(spec, pinned=False):
    """Make the function of a tool: its parameters are Python's own, so that Python checks them."""
    tool, version = spec["name"], spec.get("version", "") if pinned else ""
    name = _python_name(tool.rpartition(".")[2], ())
    taken, required, optional, named, pairs = {"_call", "_pack", "_async"}, [], [], [], []
    space = {"_Default": _Default}
    annotations = {}
    for i, p in enumerate(spec.get("parameters") or ()):
        arg = _python_name(str(p.get("python") or p["name"]), taken)
        taken.add(arg)
        if p.get("type"):
            annotations[arg] = p["type"]
        pairs.append(f"({p['name']!r}, {arg})")
        keyword = p.get("keyword")
        if p.get("required"):
            (named if keyword else required).append(arg)
            continue
        space[f"_default{i}"] = _Default(repr(p["default"]) if p.get("default") is not None else "None")
        (named if keyword else optional).append(f"{arg}=_default{i}")
    if named:
        named.insert(0, "*")
    if spec.get("returns"):
        annotations["return"] = spec["returns"]

    def given(items):
        return {key: value for key, value in items if type(value) is not _Default}

    async def later(items):
        return await _call_async(tool, given(items), version)

    space["_call"] = lambda items: call(tool, given(items), version)
    space["_async"] = later
    head, items = ", ".join(required + optional + named), f"({''.join(pair + ', ' for pair in pairs)})"
    where = f"{__file__.rpartition('/')[0]}/{tool}"
    source = f"def {name}({head}):\n return _call({items})\ndef aio({head}):\n return _async({items})\n"
    exec(compile(source, where, "exec"), space)
    for made in (space[name], space["aio"]):
        made.__doc__ = spec.get("doc") or None
        made.__annotations__ = dict(annotations)
        made.__module__ = ("tools." + tool).rpartition(".")[0]
    made = space[name]
    made.__qualname__ = tool
    made.aio = space["aio"]
    made.aio.__qualname__ = tool + ".aio"
    made.tool, made.version = tool, spec.get("version", "")
    return made


class _Namespace(ModuleType):
    """Tools whose names begin alike. The functions are made when they are first used."""

    def __init__(self, name):
        super().__init__("tools." + name)
        self.__dict__.update(__path__=[], _name=name, __doc__=None)

    def _fetch(self):
        found = _state.spaces.get(self._name)
        if found is None:
            answer = _ask(do="namespace", name=self._name)
            specs = {spec["name"].rpartition(".")[2]: spec for spec in answer.get("tools") or ()}
            found = specs, {name.rpartition(".")[2] for name in answer.get("namespaces") or ()}
            _state.spaces[self._name] = found
        return found

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        specs, spaces = self._fetch()
        if name in specs:
            value = _function(specs[name])
        elif name in spaces:
            value = _namespace(f"{self._name}.{name}")
        else:
            raise AttributeError(_unknown(f"{self._name}.{name}", [f"{self._name}.{n}" for n in (*specs, *spaces)]))
        self.__dict__[name] = value
        return value

    def __dir__(self):
        specs, spaces = self._fetch()
        return sorted({*specs, *spaces})

    def __repr__(self):
        return f"<tools {self._name}: {', '.join(dir(self))}>"


def _namespace(name):
    return sys.modules.get("tools." + name) or _Namespace(name)


def _unknown(name, known):
    from difflib import get_close_matches

    near = get_close_matches(name, known, 3, 0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "tools.names() has what there is, tools.search(text) finds it"
    return f"no tool is called {name}: {hint}"


def _catalogue():
    """Return the names of all tools, and whether some are left out."""
    if _state.names is None:
        answer = _ask(do="names")
        found = list(answer.get("names") or ())
        _state.names = found, answer.get("total", len(found)) > len(found)
    return _state.names


def _spec(name, version=""):
    spec = _state.specs.get((name, version))
    if spec is None:
        message = {"do": "describe", "name": name}
        if version:
            message["version"] = version
        spec = _state.specs[name, version] = _exchange(_pack(message, ""), name)
    return spec


__path__ = []  # so that "from tools.crm import find" works, see _Finder


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'tools' has no attribute {name!r}")
    found, more = _catalogue()
    if name in found:
        value = _function(_spec(name))
    elif any(known.startswith(name + ".") for known in found):
        value = _namespace(name)
    elif more:
        value = _beyond(name)
    else:
        raise AttributeError(_unknown(name, found))
    globals()[name] = value
    return value


def _beyond(name):
    """Look for a name that the list of names is too short for."""
    space = _namespace(name)
    try:
        if any(space._fetch()):
            return space
        return _function(_spec(name))
    except ToolError as exc:
        if exc.kind != "not_found":
            raise
    try:
        return _function(_spec(name))
    except ToolError as exc:
        if exc.kind != "not_found":
            raise
        raise AttributeError(_unknown(name, _catalogue()[0])) from None


def __dir__():
    found = _catalogue()[0] if os.environ.get("PRAXIS_TOOLS") else ()
    return sorted({*__all__, *(name.partition(".")[0] for name in found)})


class _Finder:
    """Finds namespaces as modules."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith("tools."):
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, _Finder, is_package=True)

    @staticmethod
    def create_module(spec):
        value = None
        parent, _, last = spec.name.removeprefix("tools.").rpartition(".")
        try:
            value = getattr(_namespace(parent), last) if parent else __getattr__(last)
        except AttributeError as exc:
            raise ModuleNotFoundError(str(exc), name=spec.name) from None
        if not isinstance(value, _Namespace):
            raise ModuleNotFoundError(f"{spec.name} is a function: from {spec.name.rpartition('.')[0]} import {last}", name=spec.name)
        return value

    @staticmethod
    def exec_module(module):
        """There is nothing to run."""


def _install():
    if __name__ == "tools":
        sys.meta_path[:] = [f for f in sys.meta_path if getattr(f, "__qualname__", "") != "_Finder"] + [_Finder]


_install()


# What is asked about tools.


class Description:
    """What there is to know of a tool. Its text is for reading; the parts are attributes."""

    def __init__(self, spec):
        self.__dict__.update(spec)

    def __getitem__(self, key):
        return self.__dict__[key]

    def __repr__(self):
        signature = self.__dict__.get("signature") or ""
        if signature:  # "def find(…) -> …" becomes "crm.find(…) -> …"
            signature = self.name + signature[signature.find("(") :]
        lines = [f"{signature or self.name}    # version {self.__dict__.get('version') or '?'}"]
        lines += ["    " + line if line else "" for line in (self.__dict__.get("doc") or "").splitlines()]
        return "\n".join(lines)


def names():
    """Return the names of the tools, sorted; of a very large catalogue, the first of them."""
    return list(_catalogue()[0])


def result(ident):
    """Return the whole result of an earlier call that the conversation shows in part."""
    return _ask(do="result", id=str(ident))["result"]


def search(text, limit=10):
    """Return the tools that fit a text best, as dicts with "name", "version" and "summary"."""
    return _ask(do="search", query=str(text), limit=int(limit)).get("tools") or []


def describe(name, version=""):
    """Return what there is to know of a tool: its parameters, its result, its version."""
    return Description(_spec(getattr(name, "tool", name), version))


def use(name, version):
    """Return the function of one version of a tool: "1" and "1.2" mean the newest that begins so."""
    spec = _spec(name, version)
    if not f"{spec.get('version')}.".startswith(f"{version}."):
        remedy = f"It has version {spec.get('version')}."
        raise ToolError(f"there is no version {version} of {name}", "not_found", remedy, name)
    return _function(spec, pinned=True)


def stub(name=""):
    """Return the signatures and docstrings of a namespace, or of one tool, as the text of a .pyi file."""
    found, _ = _catalogue()
    if name in found:
        return _spec(name).get("stub", "")
    if name:
        space = _namespace(name)
        specs, spaces = space._fetch()
        if not specs and not spaces:
            raise ToolError(_unknown(name, found), "not_found")
        parts = [spec.get("stub", "") for spec in specs.values()]
        parts += [f"# {name}.{inner} is a namespace: tools.stub({f'{name}.{inner}'!r})" for inner in sorted(spaces)]
    else:
        parts = [_spec(tool).get("stub", "") for tool in found if "." not in tool]
        inner = sorted({tool.partition(".")[0] for tool in found if "." in tool})
        parts += [f"# {space} is a namespace: tools.stub({space!r})" for space in inner]
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def frame(records):
    """Return a list of records (dicts), as tools return them, as a pandas DataFrame."""
    try:
        import pandas
    except ImportError:
        raise ImportError("tools.frame needs pandas, which this session does not have: use the list as it is", name="pandas") from None
    if isinstance(records, dict):
        lists = [value for value in records.values() if isinstance(value, list)]
        if len(lists) > 1:  # {"columns": ["a"], "rows": [{"a": 1}]}
            lists = [value for value in lists if all(isinstance(item, dict) for item in value)]
        if len(lists) == 1:  # {"items": [...], "total": 3}
            records = lists[0]
        else:
            raise TypeError("tools.frame wants a list of records: pick it out of the dict")
    return pandas.DataFrame(records)


def map(function, items, workers=16):
    """Call function(item) for each of items, several at a time, and return the results in order.

    The first error is raised, and what has not begun is not called.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max(1, min(int(workers), IN_FLIGHT)), thread_name_prefix="tools") as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
