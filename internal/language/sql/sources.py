"""What is a table by its name without being stored in the database: data frames and lists
of dicts among the program's variables, values that were shared, and files in the working
folder. A name means the first of these that has it; a table of the database comes before all.
"""

import os
import sys

FILES = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".xlsx": "xlsx"}
MAX_FILES = 10_000  # of a folder that are looked at
MAX_LISTED = 1_000_000  # dicts of a list that is a table


class Source:
    """One of them. mark changes when what it holds may have changed."""

    def __init__(self, name, kind, value, what, mark):
        self.name, self.kind, self.value, self.what, self.mark = name, kind, value, what, mark


class Sources:
    """The sources of a cell."""

    def __init__(self, space, shared):
        self.space = space
        self.shared = shared  # the module by which values are shared, or None
        self.files = None
        self.variables = self.given = None  # names in lower case → as they are written

    def find(self, name):
        """Return what a name means, and what else has it: sources, the first is meant."""
        found = []
        for look in (self._variable, self._shared, self._file):
            source = look(name)
            if source is not None:
                found.append(source)
        return found

    def known(self):
        """Return the names of all sources, for messages."""
        self._look()
        out = [n for n, v in list(self.space.items()) if isinstance(n, str) and not n.startswith("_") and kind_of(v)]
        if self.shared is not None:
            out += self.shared.names()
        return list(dict.fromkeys(out + [os.path.basename(p).rpartition(".")[0] for p in self.files.values()]))

    def _variable(self, name):
        value = self.space.get(name)
        if value is None or not kind_of(value):
            if self.variables is None:
                self.variables = {n.casefold(): n for n in list(self.space) if isinstance(n, str) and not n.startswith("_")}
            value = self.space.get(self.variables.get(name.casefold()))
        kind = kind_of(value)
        return Source(name, kind, value, f"the variable {name}", None) if kind else None

    def _shared(self, name):
        if self.shared is None:
            return None
        if self.given is None:
            self.given = {n.casefold(): n for n in self.shared.names()}
        known = self.given.get(name.casefold())
        mark = None if known is None else self.shared._mark(known)
        if mark is None:
            return None
        value = self.shared._table(known)
        kind = kind_of(value)
        return Source(name, kind, value, f"the shared value {name}", mark) if kind else None

    def _look(self):
        if self.files is not None:
            return
        self.files = {}
        try:
            with os.scandir(".") as entries:
                found = [e.name for i, e in enumerate(entries) if i < MAX_FILES and os.path.splitext(e.name)[1].lower() in FILES]
        except OSError:
            return
        for name in sorted(found, reverse=True):  # of sales.csv and sales.json, the first in the alphabet is meant
            self.files[os.path.splitext(name)[0].casefold()] = os.path.abspath(name)
        for name in found:
            self.files[name.casefold()] = os.path.abspath(name)

    def _file(self, name):
        self._look()
        path = self.files.get(name.casefold())
        if path is None and name.startswith("/") and os.path.splitext(name)[1].lower() in FILES and os.path.isfile(name):
            path = name
        if path is None:
            return None
        try:
            state = os.stat(path)
        except OSError:
            return None
        kind = FILES[os.path.splitext(path)[1].lower()]
        return Source(name, kind, path, f"the file {os.path.basename(path)}", (path, state.st_mtime_ns, state.st_size, state.st_ino))


def kind_of(value):
    """Return what kind of table a value is: "pandas", "polars", "arrow", "dicts" or ""."""
    if type(value) is list:
        few = value[:MAX_LISTED]
        return "dicts" if value and len(few) == len(value) and all(type(item) is dict for item in few) else ""
    kind = type(value)
    root = (kind.__module__ or "").partition(".")[0] if isinstance(kind.__module__, str) else ""
    for module, names, word in (
        ("pandas", ("DataFrame",), "pandas"),
        ("polars", ("DataFrame", "LazyFrame"), "polars"),
        ("pyarrow", ("Table", "RecordBatch"), "arrow"),
    ):
        if root == module or module in sys.modules and any(base.__name__ in names for base in kind.__mro__[1:]):
            for name in names:
                real = getattr(sys.modules.get(module), name, None)
                if isinstance(real, type) and isinstance(value, real):
                    return word
    return ""


class TooLarge(Exception):
    """A source has more than can be loaded."""


class Unreadable(Exception):
    """A source cannot be read; the message says why and what to do."""


def rows_of(source, cells):
    """Return the names of the columns and the rows of a source, whose cells are at most so many."""
    if source.kind in ("csv", "json", "jsonl", "xlsx", "parquet"):
        names, rows = {"csv": _csv, "json": _json, "jsonl": _json, "xlsx": _xlsx, "parquet": _parquet}[source.kind](source.value)
    elif source.kind == "pandas":
        names, rows = [str(c) for c in source.value.columns], source.value.itertuples(index=False, name=None)
    elif source.kind == "polars":
        value = source.value.collect() if hasattr(source.value, "collect") else source.value
        names, rows = value.columns, value.iter_rows()
    elif source.kind == "arrow":
        names, rows = source.value.schema.names, _arrow_rows(source.value)
    else:
        names, rows = of_dicts(source.value)
    return names, _bounded(rows, max(1, cells // max(1, len(names))), source)


def _bounded(rows, most, source):
    for i, row in enumerate(rows):
        if i >= most:
            raise TooLarge(f"{source.what} has more than {most:,} rows, which is too much for SQLite here: add the package duckdb")
        yield row


def of_dicts(items):
    """Return the columns and the rows of dicts; a key that a dict does not have is NULL."""
    names = {}
    for item in items:
        for key in item:
            names.setdefault(key, None)
    names = list(names)
    return names, (tuple(item.get(n) for n in names) for item in items)


def _arrow_rows(table):
    batches = table.to_batches() if hasattr(table, "to_batches") else [table]
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns)) if batch.num_columns else ()


def _csv(path):
    import csv

    csv.field_size_limit(1 << 30)
    with _text(path) as file:
        line = file.readline(1 << 16)
    delimiter = "\t" if path.lower().endswith(".tsv") else max(",;\t|", key=lambda c: (line.count(c), c == ","))

    def records():
        with _text(path) as file:
            try:
                yield from csv.reader(file, delimiter=delimiter)
            except csv.Error as exc:
                raise Unreadable(f"{os.path.basename(path)} cannot be read as CSV: {exc}") from None

    rows = records()
    names = next(rows, [])
    converters = _converters(path, delimiter, len(names))

    def converted():
        for row in rows:
            if row:
                row = row[: len(names)] + [""] * (len(names) - len(row))
                yield tuple(convert(cell) for convert, cell in zip(converters, row))

    return names, converted()


def _text(path):
    """Open a file of text behind the lines of comment that it begins with ("# source: ...")."""
    file = open(path, encoding="utf-8-sig", errors="replace", newline="")
    while True:
        at = file.tell()
        if not file.readline(1 << 16).startswith("# "):
            file.seek(at)
            return file


def _converters(path, delimiter, count):
    """Return what makes values of the cells of each column, so that a column has one type."""
    import csv

    kinds = [int] * count
    with _text(path) as file:
        try:
            rows = csv.reader(file, delimiter=delimiter)
            next(rows, None)
            for row in rows:
                for i, cell in enumerate(row[:count]):
                    while cell and kinds[i] is not str and not _fits(cell, kinds[i]):
                        kinds[i] = float if kinds[i] is int else str
        except csv.Error:
            pass  # it is told when the rows are read
    return [lambda cell, kind=kind: kind(cell) if cell else None for kind in kinds]


def _fits(cell, kind):
    if kind is int and (len(cell) > 19 or not cell.lstrip("+-").isdecimal() or cell.lstrip("+-")[:1] == "0" and len(cell.lstrip("+-")) > 1):
        return False  # a code such as 007 is no number; it is a text in the end
    if kind is float and cell.lstrip("+-").isdecimal() and (cell.lstrip("+-")[:1] == "0" and len(cell.lstrip("+-")) > 1 or len(cell) > 18):
        return False
    try:
        value = kind(cell)
    except ValueError:
        return False
    return "_" not in cell and (kind is float or -(1 << 63) <= value < 1 << 63)


def _json(path):
    import json

    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    try:
        try:
            data = json.loads(text)
        except ValueError:  # one value a line
            data = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as exc:
        raise Unreadable(f"{os.path.basename(path)} cannot be read as JSON: {exc}") from None
    if type(data) is dict:
        lists = [v for v in data.values() if type(v) is list and v and all(type(i) is dict for i in v)]
        data = lists[0] if len(lists) == 1 else [data]
    if type(data) is not list:
        data = [data]
    return of_dicts([item if type(item) is dict else {"value": item} for item in data])


def _xlsx(path):
    try:
        import openpyxl
    except ImportError:
        raise Unreadable(f"{os.path.basename(path)}: reading XLSX files needs the package openpyxl, which this session does not have") from None
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    rows = book.worksheets[0].iter_rows(values_only=True) if book.worksheets else iter(())
    return list(next(rows, ())), (row for row in rows if any(v is not None for v in row))


def _parquet(path):
    name = os.path.basename(path)
    if "pyarrow" not in sys.modules:
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise Unreadable(f"{name}: reading Parquet files needs the package duckdb, which this session does not have") from None
    import pyarrow.parquet

    table = pyarrow.parquet.ParquetFile(path)
    return table.schema_arrow.names, (row for batch in table.iter_batches() for row in zip(*(c.to_pylist() for c in batch.columns)))
