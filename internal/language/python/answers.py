"""answer(value): what code gives as the answer of a run, as the host reads it; and the
checks of such answers, which run beside the program's variables and not in them.

The host finds the answer in a display of the type MIME: {"parts": [...]}, where a part is
{"text": text}, {"value": JSON}, {"table": {"columns": names, "rows": lists, "file": path}}
or {"picture": path}. Outside of a run with a question it is a display like any other.
"""

import os

MIME = "application/vnd.praxis.answer+json"
CHECK = "#praxis:check "  # begins the code of a check; JSON of what it is about stands behind it
MAX_ROWS = 10_000
MAX_DEPTH = 50
MAX_BYTES = 1 << 20  # of an answer
PICTURES = (("image/png", ".png"), ("image/jpeg", ".jpg"), ("image/svg+xml", ".svg"))
SHOWN = "Write what is larger to a file, and answer with what matters of it."


class Answers:
    """Makes answers. folder is where their files go."""

    def __init__(self, show, saved, folder):
        self.show = show
        self.saved = saved  # the type of a bundle's item that names its file
        self.folder = folder

    def answer(self, *values):
        """Give the final answer: a text, a number, a dict or a list, a table, a figure or a picture.

        Several values are shown one below the other; one of them may be data.
        """
        import json

        if not values:
            raise TypeError("answer() takes the value to answer with: a text, a number, a dict, a list, a data frame, a figure")
        parts = [self._part(value) for value in values]
        if sum("value" in part or "table" in part for part in parts) > 1:
            raise ValueError("answer() takes one number, dict, list or table beside texts and pictures; put several into one dict")
        text = json.dumps({"parts": parts}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        if len(text.encode("utf-8", "replace")) > MAX_BYTES:
            raise ValueError(f"cannot answer with {len(text):,} characters: {MAX_BYTES:,} bytes are the bound. {SHOWN}")
        for part in parts:
            if "table" in part:
                part["table"]["file"] = self._write_table(part["table"])
        text = json.dumps({"parts": parts}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        shown = [part.get("text") or part.get("picture") or self.show.bundle(value)["text"] for part, value in zip(parts, values)]
        self.show.send({"text": "\n\n".join(shown), MIME: text})

    def _part(self, value):
        if value is None:
            raise ValueError("cannot answer with None: give the value itself")
        if isinstance(value, str):
            return {"text": str.__str__(value)}
        table = _table(value)
        if table is not None:
            columns, rows = table
            return {"table": {"columns": columns, "rows": [[plain(v, 1) for v in row] for row in rows], "file": ""}}
        picture = self._picture(value)
        return {"value": plain(value)} if picture is None else {"picture": picture}

    def _picture(self, value):
        """Show a figure or a picture, and return the path of its file; None: it is neither."""
        if isinstance(value, (bool, int, float, list, tuple, dict, set)):
            return None
        figure = getattr(value, "get_figure", None)  # of the axes of a figure
        if callable(figure) and not self.show._is_figure(value):
            value = figure()
        bundle = self.show.bundle(value)
        for mime, ending in PICTURES:
            if mime in bundle:
                path = bundle.get(self.saved) or self._write(ending, _bytes(mime, bundle[mime]))
                self.show.shown[id(value)] = value
                self.show.send({**bundle, self.saved: path} if path else bundle)
                return path
        return None

    def _write_table(self, table):
        import csv
        import io

        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(table["columns"])
        writer.writerows(table["rows"])
        return self._write(".csv", out.getvalue().encode("utf-8", "replace"))

    def _write(self, ending, data):
        """Write a file of an answer under a name that is free, and return its path; "": it cannot be written."""
        for n in range(1, 1000):
            path = os.path.join(self.folder, f"answer{'' if n == 1 else f'-{n}'}{ending}")
            try:
                with open(path, "xb") as file:
                    file.write(data)
                return path
            except FileExistsError:
                continue
            except OSError:
                break
        return ""

    @staticmethod
    def check(source, space, private, builtins):
        """Run a check: code, or an expression that must be true. Its globals are a copy of the
        program's, without what hides builtins, and its builtins are those that the interpreter began with.
        """
        header, _, code = source.partition("\n")
        given = eval(header[len(CHECK) :], {"__builtins__": {}, "true": True, "false": False, "null": None})
        name = f"<{given['name']}>"
        globals = {k: v for k, v in space.items() if isinstance(k, str) and not k.startswith("__") and k not in private}
        globals.update(given["names"])
        globals.update(__name__="__check__", __builtins__={**private, **builtins})
        tree = compile(code, name, "eval" if given["expression"] else "exec", 0, True)
        return name, code, lambda: eval(tree, globals), given["expression"]


def _bytes(mime, data):
    if mime == "image/svg+xml":
        return data.encode("utf-8", "replace")
    from base64 import b64decode

    return b64decode(data)


def _table(value):
    """Return the names of the columns and the rows of a table, or None when the value is none."""
    found = _frame(value)
    if found is None:
        return None
    columns = [str(c) for c in found[0]]
    if len(set(columns)) < len(columns):
        twice = next(c for c in columns if columns.count(c) > 1)
        raise ValueError(f"cannot answer with a table that has the column {twice!r} twice: rename one")
    return columns, found[1]


def _frame(value):
    root, kind = (type(value).__module__ or "").partition(".")[0], type(value).__name__
    if root not in ("pandas", "polars", "pyarrow") or kind not in ("DataFrame", "Series", "Table", "RecordBatch"):
        return None
    if len(value) > MAX_ROWS:
        raise ValueError(f"cannot answer with {len(value):,} rows: {MAX_ROWS:,} are the bound. {SHOWN}")
    if root == "pandas":
        if kind == "Series":
            value = value.to_frame("value" if value.name is None else value.name)
        if type(value.index).__name__ != "RangeIndex" or value.index.name is not None:
            value = value.reset_index(names=_free_names(value))
        columns = [" ".join(str(part) for part in c if part != "") if isinstance(c, tuple) else c for c in value.columns]
        return columns, list(value.itertuples(index=False, name=None))
    if root == "polars":
        if kind == "Series":
            value = value.to_frame()
        return value.columns, value.rows()
    return value.schema.names, list(zip(*(c.to_pylist() for c in value.columns)))


def _free_names(frame):
    """Return names for the columns that an index becomes."""
    taken = {str(c) for c in frame.columns}
    names = []
    for i, name in enumerate(frame.index.names):
        name = str(name) if name is not None else "index" if i == 0 else f"level_{i}"
        while name in taken:
            name += "_"
        taken.add(name)
        names.append(name)
    return names


def plain(value, depth=0):
    """Return a value as JSON has it. What is missing is null, and times are texts in ISO 8601."""
    import datetime
    import decimal
    import math
    import numbers

    if depth > MAX_DEPTH:
        raise ValueError(f"cannot answer with data that is more than {MAX_DEPTH} levels deep")
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:  # numpy
        value = value.item()
    if isinstance(value, (bool, str)):
        return str.__str__(value) if isinstance(value, str) else bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, (numbers.Real, decimal.Decimal)):
        value = int(value) if isinstance(value, decimal.Decimal) and value.is_finite() and value == value.to_integral_value() and abs(value) < 10**30 else float(value)
        if isinstance(value, float) and not math.isfinite(value):
            if math.isnan(value) and depth > 0:
                return None
            raise ValueError(f"cannot answer with {value}: JSON has no such number")
        return value
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, dict):
        named = {str(k): plain(v, depth + 1) for k, v in value.items()}
        if len(named) < len(value):
            raise ValueError("cannot answer with a dict that has two keys of one text, such as 1 and '1'")
        return named
    if isinstance(value, (set, frozenset)):
        try:
            value = sorted(value)
        except TypeError:
            value = list(value)
    if isinstance(value, (list, tuple)):
        return [plain(v, depth + 1) for v in value]
    table = _table(value)
    if table is not None:
        columns, rows = table
        return [plain(dict(zip(columns, row)), depth + 1) for row in rows]
    if hasattr(value, "tolist"):  # an array, an index
        return plain(value.tolist(), depth + 1)
    import dataclasses

    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain(dataclasses.asdict(value), depth + 1)
    if hasattr(value, "model_dump"):
        return plain(value.model_dump(), depth + 1)
    if isinstance(value, (datetime.timedelta, complex, os.PathLike)) or type(value).__module__.startswith(("uuid", "enum")):
        return str(value)
    raise TypeError(f"cannot answer with a {type(value).__name__}: give a text, a number, a dict, a list, a data frame, a figure or a picture")
