"""What a model needs to mend an error that is made often: the names that are there, nearest
first. It is computed where the names are, and bounded, as all of them are the program's.
"""

import builtins
import os
import sys

MAX_HINT = 1000  # characters
MAX_NAMES = 2000  # that are looked at
MAX_SHOWN = 12  # that are listed
MAX_NAME = 60  # characters of one
MAX_SOURCE = 2000  # characters of an expression that is read
WORK = "/work"


def of(exc, sources):
    """Return a hint for an exception, or "". Never raises an Exception."""
    try:
        own = getattr(type(exc), "_praxis_hint_", None)
        if own is not None:
            return own(exc)[:MAX_HINT]
        for kind, hint in HINTS:
            if isinstance(exc, kind):
                return (hint(exc, sources) or "")[:MAX_HINT]
    except MemoryError:
        raise
    except Exception:  # of what the program made of its objects
        pass
    return ""


def listed(title, names, near=None, fits=None):
    """Return a line with names, those first that are like one; fits leaves out those that are not."""
    names = list(dict.fromkeys(str(n)[: MAX_NAME + 1] for n in names))[:MAX_NAMES]
    if near is not None:
        names = nearest(str(near)[:MAX_NAME], names, fits)
    if not names:
        return ""
    shown = [n if len(n) <= MAX_NAME else n[:MAX_NAME] + "…" for n in names[:MAX_SHOWN]]
    more = f", … {len(names) - MAX_SHOWN} more" if len(names) > MAX_SHOWN else ""
    return f"{title}: {', '.join(shown)}{more}."


def nearest(name, names, fits=None):
    """Return names by how like another they are."""
    from difflib import SequenceMatcher

    match = SequenceMatcher(autojunk=False)
    match.set_seq2(name.casefold())

    def likeness(other):
        match.set_seq1(other.casefold()[:MAX_NAME])
        return match.ratio() if match.real_quick_ratio() > 0.3 else 0.0

    rated = sorted(((-likeness(n), i, n) for i, n in enumerate(names)), key=lambda r: r[:2])
    return [n for rate, _, n in rated if fits is None or -rate >= fits]


# Files.


def file_hint(exc, _):
    path = exc.filename
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not isinstance(path, str):
        return ""
    wanted = os.path.basename(path.rstrip("/"))
    here = os.getcwd()
    for folder in dict.fromkeys([os.path.dirname(os.path.join(here, path)), here, WORK]):
        names = entries(folder)
        if names:
            return listed(f"Files in {folder[:200]}", names, wanted)
    return f"There are no files in {here[:200]}."


def entries(folder):
    """Return what lies in a folder, folders with a slash, hidden ones left out."""
    out = []
    try:
        with os.scandir(folder) as found:
            for entry in found:
                if not entry.name.startswith("."):
                    out.append(entry.name + "/" * entry.is_dir(follow_symlinks=False))
                if len(out) == MAX_NAMES:
                    break
    except OSError:
        return []
    return sorted(out)


# Columns and keys.


def key_hint(exc, sources):
    missing = exc.args[0] if exc.args else ""
    if isinstance(missing, str) and missing.startswith("[") and "'" in missing:  # "['a'] not in index"
        missing = missing.split("'")[1]
    elif isinstance(missing, str) and missing.startswith("None of ["):
        missing = (missing.split("'") + ["", ""])[1]
    for frame, source in reversed(list(expressions(exc.__traceback__, sources))):
        for text, value in holders(frame, source):
            what, names = keys(value)
            if names is not None and missing not in names:
                return listed(f"{what} of {text}", map(show, names), show(missing))
    return ""


def show(key):
    return key if isinstance(key, str) else repr(key) if isinstance(key, (int, float, bool, tuple, type(None))) else type(key).__name__


def keys(value):
    """Return the keys of a mapping or the columns of a table, as many as are looked at."""
    if isinstance(value, dict):
        return "Keys", [k for k, _ in zip(dict.__iter__(value), range(MAX_NAMES))]
    if (type(value).__module__ or "").partition(".")[0] in ("pandas", "polars", "pyarrow"):
        for name, what in (("columns", "Columns"), ("column_names", "Columns"), ("index", "Labels")):
            if isinstance(found := getattr(value, name, None), (list, tuple)) or hasattr(found, "tolist"):
                found = found[:MAX_NAMES]
                return what, list(found) if isinstance(found, (list, tuple)) else found.tolist()
    return "", None


def expressions(tb, sources):
    """Yield the frames of the program's own lines, each with the expression that failed."""
    while tb is not None:
        code = tb.tb_frame.f_code
        text = sources.cells.get(code.co_filename)
        if text is not None and tb.tb_lasti >= 0:
            for i, place in enumerate(code.co_positions()):
                if i == tb.tb_lasti // 2:
                    yield tb.tb_frame, piece(text, *place)
                    break
        tb = tb.tb_next


def piece(text, first, last, start, end):
    """Return a stretch of a source; the columns count bytes."""
    if first is None or last is None or start is None or end is None:
        return ""
    lines = [line.encode("utf-8", "replace") for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[first - 1 : last]]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return b"\n".join(lines).decode("utf-8", "replace")[:MAX_SOURCE]


def holders(frame, source):
    """Yield the values in an expression that may have keys, with their text, the outermost first.

    Only what can be looked up without running anything of the program's is.
    """
    import ast

    try:
        tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Subscript, ast.Attribute)):
            value = look_up(frame, node)
            if value is not None:
                yield ast.unparse(node)[:MAX_NAME], value


def look_up(frame, node):
    import ast

    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    inner = look_up(frame, node.value) if isinstance(node, (ast.Subscript, ast.Attribute)) else None
    if inner is None:
        return None
    if isinstance(node, ast.Attribute):
        return vars(inner).get(node.attr) if hasattr(type(inner), "__dict__") and hasattr(inner, "__dict__") else None
    key = node.slice.value if isinstance(node.slice, ast.Constant) else look_up(frame, node.slice)
    if type(inner) is dict and isinstance(key, (str, int)):
        return inner.get(key)
    if type(inner) in (list, tuple) and type(key) is int and -len(inner) <= key < len(inner):
        return inner[key]
    return None


# Names.


def attribute_hint(exc, _):
    if not isinstance(exc.name, str) or exc.obj is None:
        return ""
    names = [n for n in dir(exc.obj)[:MAX_NAMES] if isinstance(n, str) and not n.startswith("_")]
    what, columns = keys(exc.obj)
    if what == "Columns":
        names = [n for n in map(show, columns)] + names
    return listed("Nearest attributes", names, exc.name, 0.6)


def name_hint(exc, _):
    if not isinstance(exc.name, str):
        return ""
    space = vars(sys.modules["__main__"])
    frame, own = exc.__traceback__, {}
    while frame is not None:
        own, frame = frame.tb_frame.f_locals, frame.tb_next
    names = [n for n in dict.fromkeys([*own, *space]) if isinstance(n, str) and not n.startswith("_")]
    near = listed("Nearest names", names + dir(builtins), exc.name, 0.6)
    return near or listed("Variables", [n for n in names if type(space.get(n)) is not type(sys)])


def import_hint(exc, _):
    if isinstance(exc, ModuleNotFoundError):
        wanted = (exc.name or "").partition(".")[0]
        names = set(sys.stdlib_module_names)
        for folder in sys.path[:50]:
            if isinstance(folder, str):
                names.update(n.partition(".")[0].rstrip("/") for n in entries(folder or ".") if n.endswith(("/", ".py", ".so")))
        return listed("Nearest modules", sorted(n for n in names if n.isidentifier() and not n.startswith("_")), wanted, 0.7)
    wanted, module = getattr(exc, "name_from", None), sys.modules.get(exc.name or "")
    if not isinstance(wanted, str) or module is None:
        return ""
    return listed(f"Nearest names in {exc.name}", [n for n in dir(module) if not n.startswith("_")], wanted, 0.6)


HINTS = (
    (FileNotFoundError, file_hint),
    (KeyError, key_hint),
    (AttributeError, attribute_hint),
    (NameError, name_hint),
    (ImportError, import_hint),
)
