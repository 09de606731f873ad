"""Completion: names, attributes, modules, keys and file paths for a cursor
position. It reads attributes without running properties and never raises.
"""

import builtins
import keyword
import os
import re
import sys
import types

MAX_MATCHES = 500
MAX_SCANNED = 20_000  # names or directory entries that are looked at
MAX_CODE = 200_000  # characters before the cursor that are read
MAX_NAME = 1000  # characters before the cursor in which a name or an import is looked for

_dotted = re.compile(r"((?:[^\W\d]\w*\s*\.\s*)*)([^\W\d]\w*)?\Z")
_import = re.compile(r"^\s*(?:import\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*|from\s+)([\w.]*)\Z")
_from = re.compile(r"^\s*from\s+([\w.]+)\s+import\s+\(?(?:[\w\s]+,)*\s*(\w*)\Z")
_subscript = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)\[\s*[bBuUrRfF]{0,2}\Z")
_safe_kinds = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.MemberDescriptorType,
    types.GetSetDescriptorType,
    classmethod,
    staticmethod,
)
_missing = object()


def complete(code, cursor, namespace):
    """Return (start, end, matches): the matches replace code[start:end]."""
    cursor = max(0, min(cursor, len(code)))
    before = code[max(0, cursor - MAX_CODE) : cursor]
    try:
        start, found = _find(before, namespace)
    except Exception:
        return cursor, cursor, []
    start += cursor - len(before)
    return start, cursor, sorted(found, key=lambda m: (m.startswith("_"), m))[:MAX_MATCHES]


def _find(before, namespace):
    opened, place = _string_at_end(before)
    if opened == "#":
        return len(before), []
    if opened:
        return _in_string(before, place, opened, namespace)
    line = before[before.rfind("\n") + 1 :][-MAX_NAME:]
    match = _from.search(line)
    if match:
        return len(before) - len(match[2]), _members_of_module(match[1], match[2])
    match = _import.search(line)
    if match:
        return _modules(before, match[1])
    match = _dotted.search(before[-MAX_NAME:])
    path, prefix = match[1], match[2] or ""
    if path:
        names = [part.strip() for part in path.split(".")[:-1]]
        value = _resolve(names, namespace)
        return len(before) - len(prefix), [] if value is _missing else _attributes(value, prefix)
    if before[: len(before) - len(prefix)].rstrip()[-1:] == ".":
        return len(before) - len(prefix), []  # an attribute of something that would have to run
    return len(before) - len(prefix), _names(prefix, namespace)


def _string_at_end(text):
    """Return the quote that is open at the end of text and where its content begins; "#" for a comment."""
    i, quote, begin = 0, "", 0
    while i < len(text):
        c = text[i]
        if quote == "#":
            if c == "\n":
                quote = ""
        elif quote:
            if c == "\\":
                i += 1
            elif text.startswith(quote, i):
                i += len(quote) - 1
                quote = ""
            elif c == "\n" and len(quote) == 1:
                quote = ""  # a string that was never closed
        elif c == "#":
            quote = "#"
        elif c in "'\"":
            quote = c * 3 if text.startswith(c * 3, i) else c
            i += len(quote) - 1
            begin = i + 1
        i += 1
    return quote, begin


def _in_string(before, place, quote, namespace):
    content = before[place:]
    match = _subscript.search(before[: place - len(quote)][-MAX_NAME:])
    if match:
        value = _resolve(match[1].split("."), namespace)
        keys = _keys(value)
        found = [key for key in keys if key.startswith(content) and quote not in key and "\\" not in key]
        if found:
            return place, found
    content = content[content.rfind("\n") + 1 :]
    folder, _, prefix = content.rpartition("/")
    base = folder + "/" if "/" in content else ""
    found = []
    try:
        with os.scandir(os.path.expanduser(base) or ".") as entries:
            for scanned, entry in enumerate(entries):
                if scanned >= MAX_SCANNED or len(found) >= MAX_MATCHES:
                    break
                if entry.name.startswith(prefix) and (prefix or not entry.name.startswith(".")):
                    found.append(entry.name + ("/" if entry.is_dir() else ""))
    except OSError:
        return len(before), []
    return len(before) - len(prefix), found


def _keys(value):
    if isinstance(value, dict) and type(value).keys is dict.keys:
        source = list(value)[:MAX_SCANNED]
    elif type(value).__name__ == "DataFrame" and type(value).__module__.startswith("pandas"):
        source = list(value.columns)[:MAX_SCANNED]
    else:
        return []
    return [key for key in source if type(key) is str]


def _names(prefix, namespace):
    found = set()
    for name in [*namespace, *vars(builtins), *keyword.kwlist, *keyword.softkwlist]:
        if isinstance(name, str) and name.startswith(prefix) and (prefix or not name.startswith("_")):
            found.add(name)
    return [name for name in found if prefix.startswith("_") or not name.startswith("_")]


def _resolve(names, namespace):
    """Return the value of a dotted name, or _missing when finding it could run the program's code."""
    value = namespace.get(names[0], _missing)
    if value is _missing:
        value = vars(builtins).get(names[0], _missing)
    for name in names[1:]:
        if value is _missing:
            break
        value = _attribute(value, name)
    return value


def _attribute(value, name):
    if isinstance(value, types.ModuleType):
        return value.__dict__.get(name, _missing)
    kind = type(value)
    in_class = _in_mro(kind, name)
    if isinstance(value, type):
        found = _in_mro(value, name)
        return getattr(value, name) if isinstance(found, _safe_kinds) else _plain(found)
    if isinstance(in_class, _safe_kinds):
        return getattr(value, name, _missing)
    if in_class is not _missing and hasattr(type(in_class), "__get__"):
        return _missing  # a property
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        own = {}
    if type(own) is dict and name in own:
        return own[name]
    return in_class


def _plain(found):
    return _missing if hasattr(type(found), "__get__") else found


def _in_mro(kind, name):
    for cls in type.__dict__["__mro__"].__get__(kind):
        space = type.__dict__["__dict__"].__get__(cls)
        if name in space:
            return space[name]
    return _missing


def _attributes(value, prefix):
    found = []
    for name in dir(value)[:MAX_SCANNED]:
        if isinstance(name, str) and name.startswith(prefix) and (prefix or not name.startswith("_")):
            found.append(name)
    if not prefix.startswith("_"):
        found = [name for name in found if not name.startswith("_")]
    return found


def _modules(before, dotted):
    package, _, prefix = dotted.rpartition(".")
    found = set()
    if package:
        module = sys.modules.get(package)
        folders = list(getattr(module, "__path__", ()) or ())
    else:
        folders = [path or "." for path in sys.path]
        found.update(name for name in sys.stdlib_module_names if name.startswith(prefix))
        found.update(name for name in sys.builtin_module_names if name.startswith(prefix))
    scanned = 0
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names[: MAX_SCANNED - scanned]:
            stem = name.partition(".")[0]
            is_module = name == stem or name.endswith((".py", ".so"))
            if is_module and stem.isidentifier() and stem != "__pycache__" and stem.startswith(prefix):
                found.add(stem)
        scanned += len(names)
        if scanned >= MAX_SCANNED:
            break
    if not prefix.startswith("_"):
        found = {name for name in found if not name.startswith("_")}
    return len(before) - len(prefix), list(found)


def _members_of_module(name, prefix):
    module = sys.modules.get(name)
    found = [] if module is None else _attributes(module, prefix)
    return sorted({*found, *_modules(name + ".", name + "." + prefix)[1]})
