"""SQL by DuckDB."""

import _thread
import json
import os

import duckdb

RESULT = "__praxis_result"  # the temporary table that a result is kept in until Python has it
AS = f"create or replace temp table {RESULT} as "
QUERIES = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "(")
BATCH = 1000
COLUMNS = ", map_inference_threshold = -1"  # a table of JSON has columns, however many
READ = {"csv": "read_csv", "json": "read_json", "jsonl": "read_json", "parquet": "read_parquet"}


def keep_memory():
    """Let the C library keep what a query sets free for the next: fresh pages are dear in a sandbox.

    It keeps no more than 64 MiB, in one arena; blocks of 32 MiB and more are the system's own.
    """
    try:
        from ctypes import CDLL

        library = CDLL(None)
        for option, value in ((-8, 1), (-3, 32 << 20), (-1, 64 << 20)):  # arenas, size of a mapping of its own, trimming
            library.mallopt(option, value)
    except (ImportError, OSError, AttributeError):  # another C library
        return


def lend_zones(act):
    """Call act, which has DuckDB load pytz: where that is not installed, it gets what it needs of it and keeps it.

    Without it, every result that has a time with a zone would be an error.
    """
    import datetime
    import sys
    from importlib.util import find_spec
    from types import ModuleType

    if "pytz" in sys.modules or find_spec("pytz") is not None:
        act()
        return

    class Zone(datetime.tzinfo):
        """What pytz has of a zone; the moments that it gives have the one of the standard library."""

        def __init__(self, name):
            self.zone = datetime.timezone.utc
            if str(name).upper() not in ("UTC", "ETC/UTC", "GMT", "Z"):
                from zoneinfo import ZoneInfo

                self.zone = ZoneInfo(str(name))

        def localize(self, moment, is_dst=False):
            return moment.replace(tzinfo=self.zone)

        def fromutc(self, moment):
            return self.zone.fromutc(moment.replace(tzinfo=self.zone))

        def utcoffset(self, moment):
            return self.zone.utcoffset(moment)

    stand_in = ModuleType("pytz")
    stand_in.utc, stand_in.timezone = Zone("UTC"), Zone
    sys.modules["pytz"] = stand_in
    try:
        act()
    finally:
        sys.modules.pop("pytz", None)


class Refused(Exception):
    """What a rule of the session refuses."""


class Duck:
    """One connection to a database in memory."""

    duck = True
    name = "DuckDB"

    def __init__(self, lexer, sources, results, bounds):
        self.lexer, self.sources, self.results, self.bounds = lexer, sources, results, bounds
        self.offered = {}  # name in lower case → mark of what is offered under it, or what it is
        self.owned = {}  # name in lower case → whether the database has it, until a statement may change that
        self.prefix, self.head = 0, None
        self.worker = self.act = self.box = None
        keep_memory()
        self.db = duckdb.connect(":memory:")
        self.settle()

    def settle(self):
        """Let SQL reach nothing but the session's folders, and change no setting that matters."""
        temporary = "/tmp/.praxis-sql"
        folders = ", ".join(self.lexer.literal(f.rstrip("/") + "/") for f in self.bounds.folders())
        for setting in (
            f"memory_limit = '{max(64 << 20, self.bounds.memory // 2) >> 20}MiB'",
            f"temp_directory = {self.lexer.literal(temporary)}",
            "autoinstall_known_extensions = false",
            "autoload_known_extensions = false",
            "allow_community_extensions = false",
            "allow_persistent_secrets = false",
            "python_enable_replacements = false",
            "enable_progress_bar = false",
            "async_threads = 0",  # files are at hand: to have another thread read them takes longer than to read them
            "errors_as_json = true",
            f"allowed_directories = [{folders}]",
            "enable_external_access = false",
        ):
            try:
                self.do("set " + setting)
            except duckdb.Error:
                if "directories" in setting or "access" in setting or "memory" in setting:
                    raise  # what bounds it must hold; the others depend on the version
        self.do(f"set threads = {1 if self.bounds.seeded() else len(os.sched_getaffinity(0))}")
        try:
            lend_zones(lambda: self.do("select timestamptz '2000-01-01 00:00:00+00'"))
        except (duckdb.Error, AttributeError, TypeError):  # a version that wants no zones, or more of them
            pass
        self.do("set lock_configuration = true")

    def seed(self, value):
        """Begin random numbers at a seed."""
        mixed = value * 0x9E3779B97F4A7C15 % (1 << 64)  # DuckDB looks at the first bits only
        self.do("select setseed(?)", [mixed / (1 << 63) - 1])

    def do(self, text, values=None):
        """Run a statement of our own to its end and return its rows: one that is not at its end is in the way of the next."""
        return self.db.execute(text, values).fetchall()

    def wait(self, act):
        """Run act in a thread, so that a signal ends what it does. The thread stays: to start one takes long in a sandbox."""
        if self.worker != os.getpid():
            self.worker, self.work, self.done = os.getpid(), _thread.allocate_lock(), _thread.allocate_lock()
            self.work.acquire()
            self.done.acquire()
            _thread.start_new_thread(self.serve, (self.work, self.done))
        self.act, self.box = act, None
        self.work.release()
        stopped = None
        while True:
            try:
                self.done.acquire()
                break
            except BaseException as exc:  # KeyboardInterrupt of the kernel's handler
                stopped = stopped or exc
                self.db.interrupt()
        (value, exc), self.act, self.box = self.box, None, None
        if stopped is not None:
            raise stopped.with_traceback(None)
        if isinstance(exc, duckdb.OutOfMemoryException):
            raise MemoryError(self.explain(exc, None)[0])
        if exc is not None:
            raise exc
        return value

    def serve(self, work, done):
        """Do what wait is given, one after the other."""
        while True:
            work.acquire()
            try:
                self.box = self.act(), None
            except BaseException as exc:
                self.box = None, exc
            done.release()

    # Tables that are not of the database.

    def own(self, name):
        """Whether the database has a table or a view of that name itself."""
        key = name.casefold()
        if key not in self.owned:
            self.owned[key] = self.look(name)
        return self.owned[key]

    def tables(self):
        """Return the names of the tables and views that the database has itself."""
        found = self.do("select table_name, table_catalog from information_schema.tables order by all")
        return [name for name, catalog in found if catalog != "temp" or name.casefold() not in self.offered]

    def look(self, name):
        query = "select count(*) from information_schema.tables where lower(table_name) = lower(?)"
        if name.casefold() in self.offered:
            query += " and table_catalog <> 'temp'"
        return self.do(query, [name])[0][0] > 0

    def offer(self, source):
        """Make a source a table."""
        key, view = source.name.casefold(), self.lexer.quoted(source.name)
        if source.mark is not None and self.offered.get(key) == source.mark:
            return
        self.withdraw(source.name)
        if source.kind in READ:
            path = source.value.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]")
            self.wait(lambda: self.do(f"create or replace temp view {view} as select * from {READ[source.kind]}({self.lexer.literal(path)}{COLUMNS * ('json' in source.kind)})"))
        else:
            self.register(source, view)
        self.offered[key] = source.mark

    def register(self, source, view):
        """Offer a value of Python."""
        value = source.value
        if source.kind == "polars" and hasattr(value, "collect"):
            value = value.collect()
        if source.kind == "pandas":
            value = self.tidy(value)
        if source.kind in ("dicts", "xlsx") or source.kind == "polars" and not self.results.has("pyarrow"):
            names, rows = self.sources.rows_of(source, self.bounds.cells)
            self.of_rows(self.lexer.unique(names), rows, view)
            return
        if source.kind in ("polars", "arrow"):
            names = value.columns if source.kind == "polars" else value.schema.names
            if len({n.casefold() for n in names}) < len(names) or any("\0" in n for n in names):
                fresh = self.lexer.unique(names)
                value = value.rename(dict(zip(names, fresh))) if source.kind == "polars" else value.rename_columns(fresh)
        self.db.register(source.name, value)

    def tidy(self, frame):
        """Return a frame of pandas whose columns have names that SQL can tell apart."""
        names = [str(c) for c in frame.columns]
        fresh = self.lexer.unique(names)
        if fresh != list(frame.columns):
            frame = frame.copy(deep=False)
            frame.columns = fresh
        return frame

    def of_rows(self, names, rows, view):
        """Make a table of rows by way of a file, since no package here can hand them over."""
        path = f"/tmp/.praxis-rows-{os.getpid()}.json"
        try:
            with open(path, "w", encoding="utf-8") as file:
                for row in rows:
                    file.write(json.dumps(dict(zip(names, map(self.results.portable, row))), ensure_ascii=False) + "\n")
            if not names:
                raise self.sources.Unreadable("a table without columns")
            read = f"read_json({self.lexer.literal(path)}, format = 'newline_delimited', sample_size = -1{COLUMNS})"
            self.wait(lambda: self.do(f"create or replace temp table {view} as select * from {read}"))
        finally:
            if os.path.exists(path):
                os.unlink(path)

    def withdraw(self, name):
        """Take back a table of that name which a source was."""
        key = name.casefold()
        if key not in self.offered:
            return
        del self.offered[key]
        quoted = self.lexer.quoted(name)
        for what in ("view", "table"):
            try:
                self.do(f"drop {what} if exists temp.{quoted}")
            except duckdb.Error:  # it is the other one
                continue
        try:
            self.db.unregister(name)
        except duckdb.Error:
            return

    # Statements.

    def run(self, statement, values, reading):
        """Run one statement. Return (columns, rows, count, value) or the number of changed rows, or None."""
        self.prefix, self.head = 0, None
        if statement.words(1)[0] in ("INSTALL", "LOAD") or statement.words(2) == ["FORCE", "INSTALL"]:
            raise Refused("extensions are neither installed nor loaded")
        text = self.renamed(statement)
        found = self.db.extract_statements(text)
        kind = found[-1].type.name if found else ""
        if kind not in ("SELECT", "EXPLAIN"):
            self.owned.clear()
        given = {k[1:]: self.bound(v) for k, v in values.items()} or None
        if not reading:
            return self.execute(statement, text, kind, given)
        self.check_reading(statement, kind)
        try:
            self.do("begin transaction read only")
        except duckdb.Error:
            raise Refused("a transaction is open, and this session may only read: end it first") from None
        try:
            return self.execute(statement, text, kind, given)
        finally:
            self.do("rollback")

    def check_reading(self, statement, kind):
        """Refuse what could change something. What a query does itself is the engine's to refuse."""
        inner = kind
        if kind == "EXPLAIN":
            at = next((a for k, a, b in statement.solid[1:] if k == "word" and statement.text[a:b].upper() in QUERIES), len(statement.text))
            try:
                parts = self.db.extract_statements(statement.text[at:])
                inner = parts[0].type.name if len(parts) == 1 else ""
            except duckdb.Error:
                inner = ""
            if statement.words(2)[1:] == ["ANALYZE"] and statement.words(3)[2:] not in (["SELECT"], ["FROM"], ["WITH"], ["VALUES"]):
                inner = ""
        if inner != "SELECT":
            word = statement.words(1)[0]
            more = ", unless the values are in it: ON column IN ('a', 'b')" if word == "PIVOT" else ""
            raise Refused(f"this session may only read: {word} is refused{more}")

    def execute(self, statement, text, kind, given):
        if kind == "SELECT" and statement.words(1)[0] in QUERIES and (self.results.has("pandas") or self.results.has("polars") or self.results.has("pyarrow")):
            self.prefix = len(AS)
            try:
                count = self.wait(lambda: self.do(AS + text, given))[0][0]
                self.prefix = 0
                return self.wait(lambda: self.kept(count))
            finally:
                try:
                    self.do(f"drop table if exists temp.{RESULT}")
                except duckdb.Error:  # the transaction is over
                    pass
        cursor = self.wait(lambda: self.db.execute(text, given))
        if kind == "EXPLAIN":
            return self.results.Text("\n".join(str(row[-1]).rstrip("\n") for row in cursor.fetchall()))
        columns = [(d[0], str(d[1])) for d in cursor.description or ()]
        if columns == [("Count", "BIGINT")] and kind in ("INSERT", "UPDATE", "DELETE", "COPY", "MERGE_INTO"):
            rows = cursor.fetchall()
            return rows[0][0] if rows else 0
        if not columns or kind in ("CREATE", "DROP", "ALTER", "SET", "TRANSACTION", "ATTACH", "DETACH", "VARIABLE_SET"):
            cursor.fetchall()
            return None
        rows = self.wait(lambda: self.fetched(cursor, len(columns)))
        if columns == [("Success", "BOOLEAN")] and not rows:
            return None
        names = self.lexer.unique([n for n, _ in columns])
        return [(n, k.strip('"')) for n, (_, k) in zip(names, columns)], rows, len(rows)

    def fetched(self, cursor, width):
        rows, most = [], max(1, self.bounds.cells // max(1, width))
        while batch := cursor.fetchmany(BATCH):
            rows += batch
            if len(rows) > most:
                self.do("select 1")
                raise Refused(f"the result has more than {most:,} rows, which is too much to keep: sum it up, add a LIMIT or make a table of it")
        return rows

    def kept(self, count):
        """Return the columns of the result, its first rows, their number and what Python keeps of it."""
        head = self.db.execute(f"from temp.{RESULT} limit {self.results.SHOWN}")
        columns = [(d[0], str(d[1]).strip('"')) for d in head.description]
        rows = head.fetchall()
        pandas = self.results.has("pandas")
        arrow = self.results.has("pyarrow")
        most = (self.bounds.cells * (8 if pandas or arrow else 1)) // max(1, len(columns))
        if count > most:
            raise Refused(f"the result has {count:,} rows, more than the {most:,} that Python can keep here: sum it up, add a LIMIT or make a table of it")
        self.head = self.arrow_of_head() if arrow else None
        whole = f"from temp.{RESULT}"
        if pandas:
            value = self.db.execute(whole).df()
        elif self.results.has("polars") and arrow:
            value = self.db.execute(whole).pl() if hasattr(self.db, "pl") else self.db.sql(whole).pl()
        else:
            value = self.results.frame([n for n, _ in columns], rows if count <= len(rows) else self.db.execute(whole).fetchall())
        return columns, rows, count, value

    def arrow_of_head(self):
        import io

        import pyarrow

        relation = self.db.sql(f"from temp.{RESULT} limit {self.results.SHOWN}")
        table = relation.to_arrow_table() if hasattr(relation, "to_arrow_table") else relation.fetch_arrow_table()
        out = io.BytesIO()
        with pyarrow.ipc.new_stream(out, table.schema) as writer:
            writer.write(table)
        return out.getvalue()

    def renamed(self, statement):
        """Return the text with :name as $name, which DuckDB knows; the places stay."""
        text = list(statement.text)
        for kind, a, _ in statement.solid:
            if kind == "param" and text[a] == ":":
                text[a] = "$"
        return "".join(text)

    @staticmethod
    def bound(value):
        """Return the value of a placeholder."""
        if hasattr(value, "item") and callable(value.item) and getattr(value, "ndim", 1) == 0:
            return value.item()
        if hasattr(value, "to_pydatetime"):
            return value.to_pydatetime()
        if type(value).__name__ in ("NAType", "NaTType"):
            return None
        return value.tolist() if hasattr(value, "tolist") else value

    def frame(self, columns, rows):
        """Return rows as Python keeps them."""
        return self.results.frame([n for n, _ in columns], rows)

    def arrow(self, columns, rows):
        """Return the Arrow stream of the rows that are shown, or None."""
        return self.head

    # Errors.

    def columns(self, name):
        """DuckDB's own messages name the nearest columns."""
        return []

    def explain(self, exc, statement):
        """Return the message of an error, and where in the statement it stands: (start, end) or None."""
        text = str(exc)
        if not isinstance(exc, duckdb.Error) or "{" not in text:
            return text, None
        try:
            told = json.loads(text[text.index("{") :])
            message = str(told["exception_message"])
            if "Cannot access" in message and message.endswith("disabled by configuration"):
                message += f": files lie in {', '.join(self.bounds.folders())}"
        except (ValueError, KeyError, TypeError):
            return text, None
        if statement is None:
            return message, None
        try:
            first, length = json.loads(told["location"]) if told.get("location") else (int(told["position"]), 1)
        except (ValueError, KeyError, TypeError):
            return message, None
        data = statement.text.encode("utf-8", "surrogatepass")
        first -= self.prefix
        if not 0 <= first <= len(data):
            return message, None
        start = len(data[:first].decode("utf-8", "ignore"))
        end = start + len(data[first : first + max(1, length)].decode("utf-8", "ignore"))
        if length <= 1:
            end = next((b for _, a, b in statement.solid if a == start), end)
        return message, (start, end)
