"""Where the statements of a text of SQL are, and what they name.

Tokens are (kind, start, end): "space", "comment", "string", "name" (quoted), "word",
"number", "param", "end" (a semicolon) and "other". Put together they are the text,
whatever the text is, and finding them takes time in proportion to it.
"""

import re

_common = r"""
(?P<space>[\s\x00]+)
|(?P<comment>--[^\n]*)
|(?P<open>/\*)
|(?P<string>[xXbB]?'[^']*(?:''[^']*)*'?)
|(?P<name>"[^"]*(?:""[^"]*)*"?%s)
|(?P<number>\d[\w.]*|\.\d\w*)
|(?P<param>%s)
|(?P<word>(?:[A-Za-z_]|[^\x00-\x7f])(?:[A-Za-z0-9_$]|[^\x00-\x7f])*)
|(?P<end>;)
|(?P<other>::|.)
"""
_lite = re.compile(_common % (r"|`[^`]*(?:``[^`]*)*`?|\[[^\]]*\]?", r"[$:@](?:[A-Za-z_]|[^\x00-\x7f])\w*|\?\d*"), re.X | re.S)
_duck = re.compile(
    r"(?P<escaped>[eE]'(?:[^'\\]|\\.|'')*'?)|(?P<dollar>\$(?:[A-Za-z_]\w*)?\$)|"
    + _common % ("", r"\$(?:[A-Za-z_]|[^\x00-\x7f])\w*|\$\d+|\?\d*|:(?:[A-Za-z_]|[^\x00-\x7f])\w*"),
    re.X | re.S,
)
_bracket = re.compile(r"/\*|\*/")
BLANK = ("space", "comment")


def tokens(text, duck):
    """Return the tokens of a text in the dialect of DuckDB, or of SQLite."""
    out, at, match = [], 0, (_duck if duck else _lite).match
    while at < len(text):
        found = match(text, at)
        kind, end = found.lastgroup, found.end()
        if kind == "open":
            kind, end = "comment", _comment_end(text, end, duck)
        elif kind == "dollar":
            closing = text.find(found.group(), end)
            kind, end = "string", len(text) if closing < 0 else closing + end - at
        elif kind == "escaped":
            kind = "string"
        elif kind == "param" and duck and text[at] == ":" and not _is_param(text, at):
            kind, end = "other", at + 1
        out.append((kind, at, end))
        at = end
    return out


def _comment_end(text, at, nested):
    if not nested:
        end = text.find("*/", at)
        return len(text) if end < 0 else end + 2
    depth = 1
    for found in _bracket.finditer(text, at):
        depth += 1 if found.group() == "/*" else -1
        if depth == 0:
            return found.end()
    return len(text)


def _is_param(text, at):
    """Whether a colon before a name begins a placeholder; DuckDB has it in casts, slices and structs as well."""
    before = text[at - 1] if at else " "
    return before.isspace() or before in "(,=<>+-*/%|"


class Statement:
    """One statement: its text, where that begins in the cell, its number, its tokens."""

    def __init__(self, cell, number, found):
        while found and found[0][0] in BLANK:
            found.pop(0)
        while found and found[-1][0] in BLANK:
            found.pop()
        self.number = number
        self.start, end = found[0][1], found[-1][2]
        self.text = cell[self.start : end]
        self.tokens = [(kind, a - self.start, b - self.start) for kind, a, b in found]
        self.solid = [t for t in self.tokens if t[0] not in BLANK]

    def words(self, count):
        """Return its first words, in capitals."""
        return [self.text[a:b].upper() for _, a, b in self.solid[:count]]

    def names(self):
        """Return what may be the names of tables, each once: words and quoted names, in order."""
        out = {}
        for kind, a, b in self.solid:
            if kind == "word":
                out[self.text[a:b]] = None
            elif kind == "name" and b - a > 2 or kind == "string" and self.text[a] == "'":
                quote = self.text[a]
                out[self.text[a + 1 : b - 1].replace(quote * 2, quote)] = None
        return list(out)

    def params(self):
        """Return the placeholders: name → where it stands first."""
        out = {}
        for kind, a, b in self.solid:
            if kind == "param":
                out.setdefault(self.text[a:b], a)
        return out

    def find(self, wanted):
        """Return where a name stands first, as (start, end), or None."""
        wanted = wanted.rpartition(".")[2] if "." in wanted and " " not in wanted else wanted
        for kind, a, b in self.solid:
            got = self.text[a:b]
            if got == wanted or got.casefold() == wanted.casefold() or kind == "name" and got[1:-1].casefold() == wanted.casefold():
                return a, b
        return None


def statements(text, duck):
    """Return the statements of a text. A semicolon in a string, a comment or a trigger's body ends none."""
    out, piece = [], []

    def close():
        nonlocal piece
        if any(t[0] not in BLANK and t[0] != "end" for t in piece):
            out.append(Statement(text, len(out) + 1, piece))
        piece = []

    for token in tokens(text, duck):
        if token[0] == "end" and not (not duck and _in_trigger(text, piece)):
            close()
            continue
        piece.append(token)
    close()
    return out


def _in_trigger(text, piece):
    """Whether the semicolon behind some tokens stands in the body of a trigger of SQLite."""
    solid = []
    for kind, a, b in piece:
        if kind not in BLANK:
            solid.append(text[a:b].upper())
            if len(solid) == 3:
                break
    if solid[:2] != ["CREATE", "TRIGGER"] and not (solid[:1] == ["CREATE"] and solid[1:2] in (["TEMP"], ["TEMPORARY"]) and solid[2:] == ["TRIGGER"]):
        return False
    last = []
    for kind, a, b in reversed(piece):
        if kind not in BLANK:
            last.append(text[a:b].upper())
            if len(last) == 2:
                break
    return last != ["END", ";"]


def place(text, at):
    """Return the line and the column, from 1, of a position."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def pointed(text, start, end):
    """Return the line of a position with a caret under it, as lines."""
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", start)
    line = text[begin : len(text) if stop < 0 else stop].rstrip("\r")
    at = start - begin
    width = max(1, min(end - start, len(line) - at))
    if at > 120:  # a window of a very long line
        line, at = "…" + line[at - 60 :], 61
    if len(line) > 200:
        line = line[:200] + "…"
    pad = "".join("\t" if c == "\t" else " " for c in line[:at])
    clean = "".join(c if c.isprintable() or c == "\t" else "�" for c in line)
    return ["    " + clean, "    " + pad + "^" * min(width, 200)]


def heading(text, key):
    """Return the name that a comment such as "-- name: totals" at the head of a text gives, or "". """
    for line in text.split("\n"):
        line = line.strip()
        if not line.startswith("--"):
            return ""
        word, colon, name = line[2:].partition(":")
        if colon and word.strip().lower() == key:
            return name.strip()
    return ""


def quoted(name):
    """Return a name as an identifier of SQL."""
    return '"' + str(name).replace("\0", "�").replace('"', '""') + '"'


def literal(text):
    """Return a text as a string of SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def unique(names):
    """Return names of columns such that no two are the same to SQL."""
    out, seen = [], set()
    for i, name in enumerate(names):
        base = str(name).replace("\0", "�") if name not in (None, "") else f"column{i + 1}"
        made, n = base, 1
        while made.casefold() in seen:
            n += 1
            made = f"{base}_{n}"
        seen.add(made.casefold())
        out.append(made)
    return out
