"""Values that the languages of one session share: praxis.share, praxis.shared, praxis.names.

Each is a file of a folder on the session's own disk, so that snapshots and forks have it.
The layout is docs/sharing.md.
"""

import os
import re

__all__ = ["names", "share", "shared", "unshare"]

FOLDER = os.environ.get("PRAXIS_SHARED") or "/tmp/.praxis-shared"
MAX_BYTES = 256 << 20  # of a value
MAX_NAMES = 1000
MAX_HEAD = 4 << 20  # bytes of the first line
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")
EXACT = (1 << 53) - 1  # integers beyond are texts, since JavaScript would round them


def share(name, value, arrow=None):
    """Share a value under a name: a table (pandas, polars, Arrow), or what JSON can hold.

    A table is an Arrow stream when a package here can write one, else rows of JSON with the
    types of the columns; arrow=False chooses the rows.
    """
    _check(name)
    _write(name, _packed(name, value, None, arrow))


def _packed(name, value, default=None, arrow=None):
    """Return a value as the bytes of a file. default stands in for what JSON does not have."""
    import json

    head = {"praxis": 1, "from": "python"}
    table = _as_table(value)
    if table is None:
        head["kind"] = "json"
        body = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=default).encode("utf-8")
    else:
        head["kind"] = "table"
        stream = _arrow_of(value) if arrow is not False else None
        if stream is not None:
            body = stream
            head.update(encoding="arrow", rows=len(value) if hasattr(value, "__len__") else value.num_rows)
        else:
            columns, rows = table
            columns, lines = _lines(columns, rows)
            body = "\n".join(lines).encode("utf-8")
            head.update(encoding="rows", columns=columns, rows=len(lines))
    if len(body) > MAX_BYTES:
        raise ValueError(f"cannot share {name}: it takes {len(body):,} bytes, more than {MAX_BYTES:,}")
    return json.dumps(head, ensure_ascii=False).encode("utf-8") + b"\n" + body


def shared(name):
    """Return the value that is shared under a name, a table as a data frame when there is a package for it."""
    _check(name)
    return _value(os.path.join(FOLDER, name))


def _value(path):
    """Return the value of a file."""
    name = os.path.basename(path)
    head, body = _read(name, path)
    if head["kind"] == "json":
        import json

        return json.loads(body)
    if head["encoding"] == "arrow":
        return _frame_of_arrow(name, body)
    names, rows = _rows(head, body)
    return _frame_of_rows(names, rows)


def names():
    """Return the names of the shared values, sorted."""
    try:
        found = os.listdir(FOLDER)
    except FileNotFoundError:
        return []
    return sorted(name for name in found if NAME.match(name))


def unshare(name):
    """Take a shared value back."""
    _check(name)
    try:
        os.unlink(os.path.join(FOLDER, name))
    except FileNotFoundError:
        raise KeyError(f"nothing is shared as {name}") from None


# Files.


def _check(name):
    if not isinstance(name, str) or not NAME.match(name):
        raise ValueError(f"{name!r} cannot name a shared value: a name has letters, digits and _, 64 at most, and begins with no digit")


def _write(name, data):
    import tempfile

    os.makedirs(FOLDER, mode=0o700, exist_ok=True)
    if name not in names() and len(names()) >= MAX_NAMES:
        raise ValueError(f"cannot share {name}: {MAX_NAMES:,} values are shared; praxis.unshare(name) takes one back")
    fd, path = tempfile.mkstemp(prefix=".", dir=FOLDER)
    try:
        with open(fd, "wb") as file:
            file.write(data)
        os.rename(path, os.path.join(FOLDER, name))
    except BaseException:
        os.unlink(path)
        raise


def _read(name, path):
    import json

    try:
        with open(path, "rb") as file:
            line = file.readline(MAX_HEAD)
            body = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        near = ", ".join(names()[:20]) or "nothing"
        raise KeyError(f"nothing is shared as {name}; there is {near}") from None
    try:
        head = json.loads(line)
        if head["praxis"] != 1 or head["kind"] not in ("json", "table") or head["kind"] == "table" and head["encoding"] not in ("arrow", "rows"):
            raise ValueError("it is of another version")
        if len(body) > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES:,} bytes")
    except (ValueError, KeyError, TypeError) as exc:
        raise ValueError(f"cannot read the shared value {name}: {exc}") from None
    return head, body


def _mark(name):
    """Return what changes when the value of a name does, or None when there is none."""
    if not NAME.match(name):
        return None
    try:
        state = os.stat(os.path.join(FOLDER, name))
    except OSError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


def _table(name):
    """Return a shared value as SQL takes it: a frame, or a list of dicts, which may be empty."""
    value = shared(name)
    return value if _as_table(value) is not None or isinstance(value, list) else None


# Tables.


def _module(value):
    return (type(value).__module__ or "").partition(".")[0]


def _as_table(value):
    """Return the columns and the rows of a table, or None when the value is none."""
    root, kind = _module(value), type(value).__name__
    if root == "pandas" and kind == "DataFrame":
        return [str(c) for c in value.columns], value.itertuples(index=False, name=None)
    if root == "polars" and kind == "DataFrame":
        return value.columns, value.iter_rows()
    if root == "pyarrow" and kind in ("Table", "RecordBatch"):
        return value.schema.names, zip(*(c.to_pylist() for c in value.columns))
    return None


def _has(module):
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _arrow_of(value):
    """Return a table as an Arrow stream, or None when no package here can write one."""
    import io

    out = io.BytesIO()
    if _module(value) == "polars":
        value.write_ipc_stream(out)
        return out.getvalue()
    if not _has("pyarrow"):
        return None
    import pyarrow

    if _module(value) == "pandas":
        value = pyarrow.Table.from_pandas(value, preserve_index=False)
    with pyarrow.ipc.new_stream(out, value.schema) as writer:
        writer.write(value)
    return out.getvalue()


def _frame_of_arrow(name, body):
    import io

    if _has("pyarrow"):
        import pyarrow

        table = pyarrow.ipc.open_stream(body).read_all()
        if _has("pandas"):
            return table.to_pandas()
        if not _has("polars"):
            return table
    if _has("polars"):
        import polars

        return polars.read_ipc_stream(io.BytesIO(body))
    raise ValueError(f"cannot read the table {name}: it is an Arrow stream, which needs pyarrow or polars here")


def _frame_of_rows(columns, rows):
    if _has("pandas"):
        import pandas

        return pandas.DataFrame(rows, columns=columns)
    if _has("polars"):
        import polars

        return polars.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None, strict=False)
    return [dict(zip(columns, row)) for row in rows]


# Rows of JSON.


def _plain(value):
    """Return a value without the types of numpy and pandas, and None for what is missing."""
    kind = type(value).__name__
    if kind in ("NAType", "NaTType"):
        return None
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if kind == "Timestamp":
        value = value.to_pydatetime()
    return value


def _type(value):
    import datetime
    import decimal

    if isinstance(value, bool):
        return "bool"
    for kind, word in (
        (int, "int64"), (float, "float64"), (str, "string"), ((bytes, bytearray, memoryview), "bytes"), (datetime.datetime, "timestamp"),
        (datetime.date, "date"), (datetime.time, "time"), (decimal.Decimal, "decimal"),
    ):  # fmt: skip
        if isinstance(value, kind):
            return word
    return "json"


def _is_nan(value):
    return isinstance(value, float) and value != value


def _lines(columns, rows):
    """Return the columns with their types, and each row as a line of JSON."""
    import json

    rows = [[_plain(v) for v in row] for row in rows]
    types = []
    for i in range(len(columns)):
        kinds = {_type(row[i]) for row in rows if row[i] is not None and not _is_nan(row[i])}
        if kinds - {"int64", "float64"}:  # pandas has NaN where a text or a date is missing
            for row in rows:
                row[i] = None if _is_nan(row[i]) else row[i]
        elif any(isinstance(row[i], float) for row in rows):
            kinds = {"float64"}
        types.append(kinds.pop() if len(kinds) == 1 else "json" if kinds else "string")
    lines = [json.dumps([_cell(v, t) for v, t in zip(row, types)], ensure_ascii=False, separators=(",", ":"), default=str) for row in rows]
    return [{"name": str(c), "type": t} for c, t in zip(columns, types)], lines


def _cell(value, kind):
    if value is None:
        return None
    if kind == "bytes":
        from base64 import b64encode

        return b64encode(value).decode("ascii")
    if kind == "decimal":
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > EXACT:
        return str(value)
    if isinstance(value, float) and value - value != 0:
        return {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN")
    return value.isoformat() if hasattr(value, "isoformat") else value


def _rows(head, body):
    import json

    columns = head["columns"]
    readers = [_reader(c["type"]) for c in columns]
    rows = []
    for line in body.split(b"\n"):
        if line:
            rows.append(tuple(None if v is None else read(v) for v, read in zip(json.loads(line), readers, strict=True)))
    return [c["name"] for c in columns], rows


def _reader(kind):
    import datetime
    import decimal
    from base64 import b64decode

    known = {
        "int64": int, "float64": float, "bytes": b64decode, "decimal": decimal.Decimal, "date": datetime.date.fromisoformat,
        "timestamp": datetime.datetime.fromisoformat, "time": datetime.time.fromisoformat,
    }  # fmt: skip
    return known.get(kind, lambda value: value)
