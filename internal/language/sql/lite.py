"""SQL by the SQLite of the standard library."""

import os
import random
import sqlite3

MAX_COLUMNS = 2000  # of a table of SQLite
BATCH = 1000
TYPES = {int: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB", type(None): "NULL"}


class Refused(Exception):
    """What a rule of the session refuses."""


class Lite:
    """One connection to a database in memory."""

    duck = False
    name = "SQLite"

    def __init__(self, lexer, sources, results, bounds):
        self.lexer, self.sources, self.results, self.bounds = lexer, sources, results, bounds
        self.denied, self.stopped = "", None
        self.reading = self.loading = False
        self.loaded = {}  # name in lower case → mark of what was loaded
        self.numbers = random.Random()
        self.db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.db.execute("attach ':memory:' as loaded")
        self.db.execute("pragma temp_store = memory")
        self.db.create_function("random", 0, lambda: self.numbers.getrandbits(64) - (1 << 63))
        self.db.create_function("randomblob", 1, lambda n: self.numbers.randbytes(min(max(int(n), 1), 1 << 26)))
        self.db.set_authorizer(self._authorize)
        self.db.set_progress_handler(self._progress, 10_000)

    def seed(self, value):
        """Begin random numbers at a seed."""
        self.numbers.seed(value)

    def _progress(self):
        """Let signals in while a statement runs."""
        try:
            return self.bounds.check()
        except BaseException as exc:  # KeyboardInterrupt of the kernel's handler
            self.stopped = exc
            return 1

    def _authorize(self, action, one, two, schema, trigger):
        if self.loading:
            return sqlite3.SQLITE_OK
        why = ""
        if action == sqlite3.SQLITE_ATTACH and not self._inside(one):
            why = "only files in the session's folders can be attached"
        elif action == sqlite3.SQLITE_ATTACH and self.reading:
            why = "this session may only read"
        elif action == sqlite3.SQLITE_FUNCTION and (two or "").lower() in ("load_extension", "fts3_tokenizer"):
            why = "extensions cannot be loaded"
        elif action == sqlite3.SQLITE_PRAGMA and (one or "").lower() in ("query_only", "temp_store", "temp_store_directory", "data_store_directory", "writable_schema"):
            why = f"the setting {one} cannot be changed"
        elif schema == "loaded" and action in WRITES:
            why = "a file or a variable is read, not changed: make a table of it with CREATE TABLE … AS SELECT"
        elif action == sqlite3.SQLITE_DETACH and (one or "").lower() == "loaded":
            why = "it holds what was loaded"
        if why:
            self.denied = why
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    def _inside(self, path):
        """Whether a file that is attached lies in the session's folders."""
        if path in ("", ":memory:"):
            return True
        if not isinstance(path, str):  # computed when it runs
            return False
        real = os.path.realpath(path)
        return any(real.startswith(os.path.realpath(folder).rstrip("/") + "/") for folder in self.bounds.folders())

    # Tables that are not of the database.

    def own(self, name):
        """Whether the database has a table or a view of that name itself."""
        for schema in ("temp", "main"):
            if self.db.execute(f"select 1 from {schema}.sqlite_master where name = ? collate nocase and type in ('table', 'view')", (name,)).fetchone():
                return True
        return False

    def tables(self):
        """Return the names of the tables and views that the database has itself."""
        return [name for schema in ("main", "temp") for (name,) in self.db.execute(f"select name from {schema}.sqlite_master where type in ('table', 'view') and name not like 'sqlite~_%' escape '~' order by 1")]

    def offer(self, source):
        """Make a source a table."""
        key = source.name.casefold()
        there = self.db.execute("select 1 from loaded.sqlite_master where name = ? collate nocase", (source.name,)).fetchone()
        if there and source.mark is not None and self.loaded.get(key) == source.mark:
            return
        self.loading = True
        try:
            self.db.execute(f"drop table if exists loaded.{self.lexer.quoted(source.name)}")
            self.loaded.pop(key, None)
            names, rows = self.sources.rows_of(source, self.bounds.cells)
            names = self.lexer.unique(names)
            if not names:
                raise self.sources.Unreadable(f"{source.what} has no columns")
            if len(names) > MAX_COLUMNS:
                raise self.sources.TooLarge(f"{source.what} has {len(names):,} columns; SQLite takes {MAX_COLUMNS:,}: add the package duckdb")
            table = f"loaded.{self.lexer.quoted(source.name)}"
            self.db.execute(f"create table {table} ({', '.join(map(self.lexer.quoted, names))})")
            marks = ", ".join("?" * len(names))
            self.db.executemany(f"insert into {table} values ({marks})", (tuple(map(stored, row)) for row in rows))
            self.loaded[key] = source.mark
        except BaseException:
            self.db.execute(f"drop table if exists loaded.{self.lexer.quoted(source.name)}")
            raise
        finally:
            self.loading = False

    def withdraw(self, name):
        """Take back a table of that name which a source was."""
        if self.loaded.pop(name.casefold(), self) is not self:
            self.loading = True
            try:
                self.db.execute(f"drop table if exists loaded.{self.lexer.quoted(name)}")
            finally:
                self.loading = False

    # Statements.

    def run(self, statement, values, reading):
        """Run one statement. Return (columns, rows, count) or the number of changed rows, or None."""
        self.denied, self.stopped = "", None
        self._set(reading)
        try:
            if statement.words(1)[0] in ("DESCRIBE", "DESC") and len(statement.solid) == 2:
                return self._described(statement)
            cursor = self.db.execute(statement.text, {k[1:]: bound(v) for k, v in values.items()})
            return self._result(cursor, statement)
        except sqlite3.Error as exc:
            if getattr(exc, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                # The handler of the signal may have raised before the progress handler could catch it.
                raise (self.stopped or KeyboardInterrupt()).with_traceback(None) from None
            raise
        finally:
            self._unset(reading)

    def _set(self, reading):
        if reading:
            self.loading = True
            self.db.execute("pragma query_only = 1")
            self.loading = False
        self.reading = reading

    def _unset(self, reading):
        if reading:
            self.loading = True
            self.db.execute("pragma query_only = 0")
            self.loading = False
        self.reading = False

    def _result(self, cursor, statement):
        if cursor.description is None:
            return cursor.rowcount if cursor.rowcount >= 0 else None
        names = [d[0] for d in cursor.description]
        rows, most = [], max(1, self.bounds.cells // len(names))
        while batch := cursor.fetchmany(BATCH):
            rows += batch
            self.bounds.check()
            if len(rows) > most:
                raise Refused(f"the result has more than {most:,} rows, which is too much to keep: sum it up, add a LIMIT or make a table of it")
        names = self.lexer.unique(names)
        if statement.words(3)[:1] == ["EXPLAIN"]:
            return self.results.Text(explained(names, rows))
        return [(n, self._type(rows, i)) for i, n in enumerate(names)], rows, len(rows)

    def _described(self, statement):
        """Return the columns of a table, with the types of what stands in its first rows."""
        a, b = statement.solid[1][1:]
        cursor = self.db.execute(f"select * from {statement.text[a:b]} limit {BATCH}")
        head = cursor.fetchall()
        rows = [(d[0], self._type(head, i)) for i, d in enumerate(cursor.description)]
        return [("column_name", "TEXT"), ("column_type", "TEXT")], rows, len(rows)

    @staticmethod
    def _type(rows, i):
        kinds = {type(row[i]) for row in rows} - {type(None)}
        if kinds == {int, float}:
            return "REAL"
        return TYPES.get(kinds.pop(), "ANY") if len(kinds) == 1 else "ANY" if kinds else "NULL"

    def frame(self, columns, rows):
        """Return the rows as Python keeps them."""
        return self.results.frame([n for n, _ in columns], rows)

    def arrow(self, columns, rows):
        """SQLite has no Arrow."""
        return None

    # Errors.

    def columns(self, name):
        """Return the columns of a table, none if there is no such table."""
        try:
            return [d[0] for d in self.db.execute(f"select * from {self.lexer.quoted(name)} limit 0").description]
        except sqlite3.Error:
            return []

    def explain(self, exc, statement):
        """Return the message of an error, and where in the statement it stands: (start, end) or None."""
        text = str(exc)
        if isinstance(exc, sqlite3.Warning) or "one statement at a time" in text:
            return text, None
        if self.denied and ("not authorized" in text or "prohibited" in text):
            return f"{text}: {self.denied}", None
        if "readonly database" in text:
            return "this session may only read: " + text, None
        if text.startswith('near "') and '": ' in text:
            return text, self._near(statement, text[6 : text.rindex('": ')])
        if text == "incomplete input":
            return "the statement is incomplete", (len(statement.text), len(statement.text))
        for head in ("no such column: ", "no such table: ", "no such function: ", "ambiguous column name: ", 'unrecognized token: "'):
            if text.startswith(head):
                return text, statement.find(text[len(head) :].strip('"').split(" - ")[0])
        for tail in (" already exists",):
            if text.endswith(tail):
                return text, statement.find(text[: -len(tail)].rpartition(" ")[2])
        if " has no column named " in text:
            return text, statement.find(text.rpartition(" ")[2])
        return text, None

    def _near(self, statement, token):
        """Find which of the places with a token the parser stopped at: what ends with it fails there."""
        places = [(a, b) for _, a, b in statement.solid if statement.text[a:b].startswith(token)]
        for a, b in places[:50]:
            try:
                self.db.execute("explain " + statement.text[:b])
            except sqlite3.Error as exc:
                if str(exc).startswith(f'near "{token}"'):
                    return a, b
        return places[0] if places else None


WRITES = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE, sqlite3.SQLITE_DROP_TABLE, sqlite3.SQLITE_ALTER_TABLE)


def explained(names, rows):
    """Return the plan of a query as text."""
    if names[:3] != ["id", "parent", "notused"]:
        return "\n".join("  ".join(str(v) if v is not None else "" for v in row) for row in [names, *rows])
    depth, lines = {0: -1}, []
    for ident, parent, _, detail in rows:
        depth[ident] = depth.get(parent, -1) + 1
        lines.append("  " * depth[ident] + str(detail))
    return "\n".join(lines)


def stored(value):
    """Return a value of Python as SQLite stores it."""
    kind = type(value)
    if value is None or kind in (str, bytes, bool):
        return value
    if kind is int:
        return value if -(1 << 63) <= value < 1 << 63 else float(value) if abs(value) < 1 << 1000 else str(value)
    if kind is float:
        return value if value == value else None
    if kind.__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "item") and callable(value.item) and getattr(value, "ndim", 1) == 0:
        inner = value.item()
        return stored(inner) if type(inner) is not kind else str(inner)
    if kind.__name__ == "Decimal":
        return float(value)
    if hasattr(value, "isoformat"):
        try:
            return value.isoformat(" ") if hasattr(value, "hour") and hasattr(value, "year") else value.isoformat()
        except Exception:
            return None
    if isinstance(value, (int, float, str)):
        return stored(int(value) if isinstance(value, int) else float(value) if isinstance(value, float) else str.__str__(value))
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, (list, tuple, dict)) or hasattr(value, "tolist"):
        import json

        try:
            return json.dumps(value.tolist() if hasattr(value, "tolist") else value, ensure_ascii=False, default=str)
        except (ValueError, RecursionError, TypeError):
            return str(value)
    return str(value)


def bound(value):
    """Return the value of a placeholder."""
    return stored(value)
