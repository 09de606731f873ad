"""compare(variants, data): what several versions of a function give for the same cases, as a table.

Everything that a variant does is an outcome: a value, or an exception by its name and message.
Only an interrupt ends a comparison. Nothing in the table depends on the clock.
"""

import os
import sys

MAX_VARIANTS = 20
MAX_CASES = 10_000
TEXT_ROWS = 12  # of the table as text, where something differs first
HTML_ROWS = 200
CELL = 40  # characters of a cell


class Comparison:
    """What compare() found. values has, by the names of the variants, what each gave for each case: a
    value, or the exception that it raised. passed counts the cases in which it gave what was expected,
    or else what most of the variants gave. best is the name of the first variant with the most of them.
    """

    def __init__(self, values, passed, total):
        self.values, self.passed, self.total = values, passed, total
        self.best = max(passed, key=passed.get)

    def __repr__(self):
        return f"<comparison: {self.best} is best, {self.passed[self.best]} of {self.total}>"


Comparison.__module__ = "builtins"


class Compare:
    """Makes comparisons. show shows them."""

    def __init__(self, show):
        self.show = show

    def compare(self, variants, data):
        """Call every variant with every case, show a table of what they give, and return it.

        variants is a dict of functions by name, or a list of functions. data is a list of inputs, or of
        pairs (input, expected). An input that is a tuple is spread over the arguments of a function that
        takes as many. What the variants print is left out.
        """
        functions = _named(variants)
        cases = _cases(data)
        expects = any(case[1] is not _NOTHING for case in cases)
        values = {name: [] for name in functions}
        out, nowhere = sys.stdout, open(os.devnull, "w", encoding="utf-8")
        try:
            sys.stdout = nowhere
            for given, _ in cases:
                for name, function in functions.items():
                    values[name].append(_outcome(function, given))
        finally:
            sys.stdout = out
            nowhere.close()
        rows = [_row(n, case, {name: values[name][n] for name in functions}) for n, case in enumerate(cases)]
        passed = {name: sum(row["right"][name] for row in rows) for name in functions}
        found = Comparison({name: [v.value for v in column] for name, column in values.items()}, passed, len(cases))
        self.show.send({"text": _text(found, rows, expects, values), "text/html": _html(rows, list(functions), expects)})
        return found


class _Nothing:
    def __repr__(self):
        return ""


_NOTHING = _Nothing()


class _Outcome:
    def __init__(self, value, failed):
        self.value, self.failed = value, failed

    def short(self):
        if not self.failed:
            return _short(self.value)
        return _line(f"{type(self.value).__name__}: {_message(self.value)}".removesuffix(": "))


def _named(variants):
    if callable(variants):
        variants = [variants]
    if isinstance(variants, dict):
        named = {str(name): function for name, function in variants.items()}
    else:
        named = {}
        for function in variants:
            name = plain = str(getattr(function, "__name__", type(function).__name__))
            n = 1
            while name in named:
                n += 1
                name = f"{plain}_{n}"
            named[name] = function
    if not 1 <= len(named) <= MAX_VARIANTS:
        raise ValueError(f"compare() takes 1 to {MAX_VARIANTS} functions, not {len(named)}")
    for name, function in named.items():
        if not callable(function):
            raise TypeError(f"compare() takes functions: {_line(name)} is {type(function).__name__}")
    return named


def _cases(data):
    cases = []
    for case in data:
        if len(cases) == MAX_CASES:
            raise ValueError(f"compare() takes {MAX_CASES:,} cases at the most: give it a part of them")
        cases.append(case)
    if not cases:
        raise ValueError("compare() needs at least one case")
    if all(type(case) is tuple and len(case) == 2 for case in cases):
        return cases
    return [(case, _NOTHING) for case in cases]


def _outcome(function, given):
    import copy
    import inspect

    try:
        try:
            own = copy.deepcopy(given)  # a variant must not change what the next one is given
        except Exception:
            own = given
        value = function(*own) if _spread(function, own) else function(own)
        if inspect.iscoroutine(value):
            value.close()
            raise TypeError("an async function cannot be compared: wrap it in one that waits for it")
        return _Outcome(value, False)
    except (Exception, SystemExit) as exc:
        return _Outcome(exc.with_traceback(None), True)


def _spread(function, given):
    if type(given) is not tuple:
        return False
    import inspect

    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    try:
        signature.bind(given)
        return False
    except TypeError:
        pass
    try:
        signature.bind(*given)
        return True
    except TypeError:
        return False


def _row(n, case, outcomes):
    given, expected = case
    right, agree = {}, {}
    for name, one in outcomes.items():
        agree[name] = sum(_alike(one, other) for other in outcomes.values())
    most = max(agree.values())
    for name, one in outcomes.items():
        right[name] = agree[name] == most and not one.failed if expected is _NOTHING else not one.failed and _same(one.value, expected)
    return {"n": n + 1, "given": given, "expected": expected, "outcomes": outcomes, "right": right, "differs": not all(right.values())}


def _alike(a, b):
    if a.failed or b.failed:
        return a.failed and b.failed and type(a.value) is type(b.value) and _message(a.value) == _message(b.value)
    return _same(a.value, b.value)


def _same(a, b):
    """Whether two values are equal, numbers up to rounding. A comparison that fails says no."""
    if a is b:
        return True
    try:
        if isinstance(a, float) or isinstance(b, float):
            import math

            if isinstance(a, (int, float)) and isinstance(b, (int, float)):
                return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or a != a and b != b
        equal = a == b
        for _ in range(3):  # of an array or a frame: of each of its elements
            if isinstance(equal, bool) or not callable(getattr(equal, "all", None)):
                break
            if getattr(a, "shape", None) != getattr(b, "shape", None):
                return False
            equal = equal.all()
        return bool(equal)
    except Exception:
        return False


def _message(exc):
    try:
        return str(exc)
    except Exception:
        return ""


def _short(value):
    import reprlib

    short = reprlib.Repr()
    short.maxstring = short.maxother = 60
    try:
        return _line(short.repr(value))
    except Exception:
        return f"<{type(value).__name__}>"


def _line(text):
    text = " ".join(text.split())
    return text if len(text) <= CELL else text[: CELL - 1] + "…"


def _cells(row, names, expects):
    cells = [str(row["n"]), _short(row["given"])]
    if expects:
        cells.append("" if row["expected"] is _NOTHING else _short(row["expected"]))
    for name in names:
        cells.append(("" if row["right"][name] else "✗ ") + row["outcomes"][name].short())
    return cells


def _head(names, expects):
    return ["case", "input"] + (["expected"] if expects else []) + [_line(name) for name in names]


def _text(found, rows, expects, values):
    names = list(values)
    lines = []
    what = "as expected" if expects else "as most give it"
    for name in names:
        failed = sum(one.failed for one in values[name])
        errors = "" if failed == 0 else f", {failed} {'error' if failed == 1 else 'errors'}"
        lines.append(f"{_line(name)}: {found.passed[name]} of {found.total} {what}{errors}")
    shown = sorted(sorted(rows, key=lambda row: not row["differs"])[:TEXT_ROWS], key=lambda row: row["n"])
    table = [_head(names, expects)] + [_cells(row, names, expects) for row in shown]
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in table]
    if len(rows) > len(shown):
        lines.append(f"… and {len(rows) - len(shown):,} other cases, in which fewer differ")
    return "\n".join(lines)


def _html(rows, names, expects):
    from html import escape

    cells = lambda tag, values: "".join(f"<{tag}>{escape(value)}</{tag}>" for value in values)
    body = "".join(f"<tr>{cells('td', _cells(row, names, expects))}</tr>" for row in rows[:HTML_ROWS])
    more = f"<p>… and {len(rows) - HTML_ROWS:,} other cases</p>" if len(rows) > HTML_ROWS else ""
    return f"<table><thead><tr>{cells('th', _head(names, expects))}</tr></thead><tbody>{body}</tbody></table>{more}"
