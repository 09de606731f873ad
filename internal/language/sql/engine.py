"""Runs the code of cells that are SQL. PART loads another of these files, KERNEL is the kernel."""

import os
import sys

lexer = PART("lexer")
sources = PART("sources")
results = PART("results")


class SQLError(Exception):
    """A statement failed. The message is the engine's; statement, line and column say where."""

    def __init__(self, message, shown="", statement=0, line=0, column=0):
        super().__init__(message)
        self.shown, self.statement, self.line, self.column = shown, statement, line, column

    def _praxis_traceback_(self):
        return self.shown

    def __reduce__(self):
        return Exception, (str(self),)


class Interrupted(KeyboardInterrupt):
    """A statement was interrupted, by whoever waits for it or by a limit of time."""

    def __init__(self, message, shown=""):
        super().__init__(message)
        self.shown = shown

    _praxis_traceback_ = SQLError._praxis_traceback_
    __reduce__ = SQLError.__reduce__


SQLError.__module__ = Interrupted.__module__ = "praxis"


class Bounds:
    """What a connection may use and where it may look."""

    def __init__(self):
        self.memory = memory_limit()
        self.cells = max(100_000, min(50_000_000, self.memory // 256))

    @staticmethod
    def folders():
        """Return the folders that files may be read and written in."""
        return list(dict.fromkeys([os.path.realpath(os.getcwd()), "/work", "/tmp", os.path.expanduser("~")]))

    @staticmethod
    def seeded():
        """Whether the same code must give the same result."""
        return KERNEL.seeds.value is not None

    @staticmethod
    def check():
        """A place where Python can let a signal's handler run."""
        return 0


def memory_limit():
    """Return how many bytes a program of this session may use, as far as the system says."""
    found = [1 << 40]
    try:
        from resource import RLIMIT_AS, getrlimit

        limit = getrlimit(RLIMIT_AS)[0]
        if limit > 0:
            found.append(limit)
    except (ImportError, OSError):
        pass
    try:
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError):
        pass
    return min(found)


class Engine:
    """The SQL of one interpreter: one connection for as long as it lives."""

    def __init__(self):
        self.connection = None
        self.told = set()  # clashes of names that were told

    def connect(self):
        if self.connection is None:
            bounds = Bounds()
            part = "duck" if results.has("duckdb") else "lite"
            self.connection = getattr(PART(part), part.capitalize())(lexer, sources, results, bounds)
            KERNEL.seeds.also(self.connection.seed)
        return self.connection

    def run(self, cell, reading):
        """Run a cell. Return the table that is shown and the value that Python keeps."""
        connection = self.connect()
        statements = lexer.statements(cell, connection.duck)
        shared = KERNEL.praxis.load()
        around = sources.Sources(KERNEL.space, shared)
        shown = value = None
        for statement in statements:
            try:
                if shown is not None:
                    KERNEL.show.display(shown)
                shown, got = self.one(cell, statement, len(statements), around, reading)
            except KeyboardInterrupt:
                message = "the statement had not ended"
                raise Interrupted(message, self.place(cell, statement, len(statements))[2] + f"Interrupted: {message}\n") from None
            value = got if got is not None else value
        if value is not None:
            self.keep(cell, value, shared)
        return shown, value

    def keep(self, cell, value, shared):
        """Keep a value under the names that the head of the cell gives."""
        name = lexer.heading(cell, "name")
        if name:
            if not name.isidentifier():
                raise SQLError(f"{name!r} cannot be a name", f"SQLError: {name!r} cannot be a name\n")
            KERNEL.space[name] = value
        name = lexer.heading(cell, "share")
        if name and shared is not None:
            shared.share(name, value)

    def one(self, cell, statement, total, around, reading):
        """Run one statement. Return what is shown and what is kept."""
        connection = self.connection
        try:
            self.offer(connection, statement, around)
            values = self.values(statement)
            if statement.words(3) == ["SHOW", "TABLES"]:
                got = self.tables(connection, around)
            else:
                got = connection.run(statement, values, reading)
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except Placeholder as exc:
            raise self.failure(cell, statement, total, str(exc), exc.where) from None
        except Exception as exc:
            message, where = connection.explain(exc, statement)
            raise self.failure(cell, statement, total, message, where, around) from None
        if isinstance(got, tuple):
            columns, rows, count = got[:3]
            kept = got[3] if len(got) > 3 else connection.frame(columns, rows)
            table = results.Table(columns, rows, count, KERNEL.show.columns, connection.arrow(columns, rows[: results.SHOWN]))
            return table, kept
        if isinstance(got, int):
            text = f"{got:,} row{'s' * (got != 1)} changed"
            return results.Text(text, {"rows_changed": got}), None
        return got if got is not None else results.Text("done"), None

    def offer(self, connection, statement, around):
        """Make tables of what a statement may name."""
        for name in statement.names():
            found = around.find(name)
            if not found:
                connection.withdraw(name)
                continue
            if connection.own(name):
                connection.withdraw(name)
                self.clash(name, "the table of the database", found)
                continue
            self.clash(name, found[0].what, found[1:])
            connection.offer(found[0])

    @staticmethod
    def tables(connection, around):
        """Return what is a table by its name, and what it is: those of the database alone are few."""
        rows = {name.casefold(): (name, "a table of the database") for name in connection.tables()}
        for name in around.known():
            for source in around.find(name)[:1]:
                rows.setdefault(name.casefold(), (name, source.what))
        return [("name", "TEXT"), ("what", "TEXT")], list(rows.values()), len(rows)

    def clash(self, name, meant, others):
        """Tell once that a name means one thing of several."""
        text = f"{name} is {meant}; {' and '.join(s.what for s in others)} " + ("has" if len(others) == 1 else "have") + " the same name"
        if others and text not in self.told and len(self.told) < 1000:
            self.told.add(text)
            print(text, file=sys.stderr)

    @staticmethod
    def values(statement):
        """Return the values of the placeholders, which are variables of the program."""
        out = {}
        for mark, at in statement.params().items():
            name = mark[1:]
            if not name.isidentifier() or name not in KERNEL.space:
                why = f"there is no variable {name} for the placeholder {mark}" if name.isidentifier() else "a placeholder has a name, such as $limit, which is that of a Python variable"
                raise Placeholder(why, (at, at + len(mark)))
            out[mark] = KERNEL.space[name]
        return out

    @staticmethod
    def place(cell, statement, total, where=None):
        """Return the line and the column of a place in a statement, its first word when it is not known, and lines that show it."""
        start, end = where or (0, statement.solid[0][2])
        start, end = statement.start + start, statement.start + end
        line, column = lexer.place(cell, start)
        number = f"statement {statement.number} of {total}, " if total > 1 else ""
        lines = [f"  {KERNEL.file or 'SQL'}, {number}line {line}, column {column}", *lexer.pointed(cell, start, max(end, start + 1))]
        return line, column, "\n".join(lines) + "\n"

    def failure(self, cell, statement, total, message, where=None, around=None):
        """Return the error of a statement, with its place in the cell."""
        message = message[:20_000]
        line, column, shown = self.place(cell, statement, total, where)
        lines = [shown + "SQLError: " + message, *self.there(statement, message, around)]
        return SQLError(message, "\n".join(lines) + "\n", statement.number, line, column)

    def there(self, statement, message, around):
        """Return what is there in the place of a table or a column that is not, the nearest names first."""
        listed, text = sys.modules["_praxis"].hints.listed, message.lower()
        missed = message.partition(": ")[2].strip('"').rpartition(".")[2]
        lines = []
        if around is not None and ("no such table" in text or "does not exist" in text and "table" in text):
            lines.append(listed("Tables by their names", around.known(), missed))
        elif "no such column" in text or "has no column" in text:
            missed = missed or message.rpartition(" ")[2]
            lines += [listed(f"Columns of {name}", self.connection.columns(name), missed) for name in statement.names()[:200]]
        return [line for line in lines if line][:3]


class Placeholder(Exception):
    """A placeholder without a value, and where it stands."""

    def __init__(self, message, where):
        super().__init__(message)
        self.where = where


ENGINE = Engine()


def run(cell, reading=False):
    return ENGINE.run(cell, reading)
