"""What a statement returned, as a table for people and programs."""

SHOWN = 50  # rows of a result that are shown
CELL = 60  # characters of a value in a table of text
NUMBERS = ("INT", "REAL", "FLOAT", "DOUBLE", "DECIMAL", "NUMERIC", "UTINY", "USMALL", "UBIG", "TINY", "SMALL", "BIG", "HUGE")


_missing = set()  # modules that were looked for in vain, with the folders


class Table:
    """A result: columns with types, the first rows, and how many there are."""

    def __init__(self, columns, rows, count, width, arrow=None):
        self.columns = columns  # (name, type)
        self.rows = rows[:SHOWN]
        self.count = count
        self.width = width
        self.arrow = arrow  # bytes of an Arrow stream of the rows, or None

    def _repr_mimebundle_(self, include=None, exclude=None):
        out = {"text/plain": self.text(), "text/html": self.html(), "application/json": self.json()}
        if self.arrow:
            from base64 import b64encode

            out["application/vnd.apache.arrow.stream"] = b64encode(self.arrow).decode("ascii")
        return out

    def footer(self):
        if self.count > len(self.rows):
            return f"({len(self.rows)} of {self.count:,} rows)"
        return f"({self.count:,} row{'s' * (self.count != 1)})"

    def text(self):
        heads = [(clean(name), kind.lower()) for name, kind in self.columns]
        cells = [[clean(plain(value)) for value in row[:200]] for row in self.rows]
        widths, room, shown = [], max(self.width, 20), 0
        for i, head in enumerate(heads[:200]):
            widest = max([len(head[0]), len(head[1]), *(len(row[i]) for row in cells)])
            if shown and room < widest + 2:
                break
            widths.append(widest)
            room -= widest + 2 * bool(shown)
            shown += 1
        right = [kind.upper().startswith(NUMBERS) for _, kind in self.columns]

        def line(parts):
            return "  ".join(p.rjust(w) if r else p.ljust(w) for p, w, r in zip(parts, widths, right)).rstrip()

        lines = [line([h[0] for h in heads]), line([h[1] for h in heads]), "  ".join("─" * w for w in widths)]
        lines += [line(row) for row in cells]
        more = len(self.columns) - shown
        lines.append(self.footer() + (f", {more:,} more column{'s' * (more != 1)}" if more else ""))
        return "\n".join(lines)

    def html(self):
        from html import escape

        def cell(tag, text, extra=""):
            return f"<{tag}{extra}>{escape(text)}</{tag}>"

        heads = "".join(f"<th>{escape(clean(n))}<br><small>{escape(t.lower())}</small></th>" for n, t in self.columns)
        rows = "".join("<tr>" + "".join(cell("td", plain(v)) for v in row) + "</tr>" for row in self.rows)
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table><p>{escape(self.footer())}</p>"

    def json(self):
        import json

        data = {
            "columns": [{"name": name, "type": kind} for name, kind in self.columns],
            "rows": [[portable(v) for v in row] for row in self.rows],
            "row_count": self.count,
            "truncated": self.count > len(self.rows),
        }
        return json.dumps(data, ensure_ascii=False, allow_nan=False)


class Text:
    """A result that is a text, such as the plan of a query."""

    def __init__(self, text, data=None):
        self.text, self.data = text, data

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": self.text, **({} if self.data is None else {"application/json": self.data})}


def plain(value):
    """Return a value as a table of text has it."""
    if value is None:
        return "NULL"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "x'" + bytes(value[:CELL]).hex() + "'"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def clean(text):
    """Return a text on one line, without control characters and not too long."""
    if len(text) > CELL:
        text = text[: CELL - 1] + "…"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def portable(value, depth=0):
    """Return a value as JSON has it: what JSON cannot hold is a text."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 53 else str(value)
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if depth < 50:
        if isinstance(value, dict):
            return {str(k): portable(v, depth + 1) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [portable(v, depth + 1) for v in value]
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value)


def has(module):
    """Whether a module is there, imported or not. That it is not is looked up again when the folders of modules change."""
    import sys

    if module in sys.modules:
        return sys.modules[module] is not None
    key = module, tuple(sys.path)
    if key not in _missing:
        from importlib.util import find_spec

        try:
            if find_spec(module) is not None:
                return True
        except (ImportError, ValueError):
            pass
        _missing.add(key)
    return False


def frame(names, rows):
    """Return rows as a data frame when pandas or polars is there, else as a list of dicts."""
    if has("pandas"):
        import pandas

        return pandas.DataFrame(rows, columns=names)
    if has("polars"):
        import polars

        return polars.DataFrame(rows, schema=names, orient="row", infer_schema_length=None, strict=False)
    return [dict(zip(names, row)) for row in rows]
