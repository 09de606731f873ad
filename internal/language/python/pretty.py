"""A bounded repr: containers over several lines when they are long, never more
than MAX_TEXT characters or MAX_LINES lines, whatever the value is.
"""

MAX_TEXT = 200_000
MAX_LINES = 10_000
MAX_DEPTH = 60
MAX_SORTED = 10_000

_brackets = {list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}"), frozenset: ("frozenset({", "})"), dict: ("{", "}")}
_empty = {list: "[]", tuple: "()", set: "set()", frozenset: "frozenset()", dict: "{}"}


class _Full(Exception):
    """The bound is reached."""


class _Pretty:
    def __init__(self, width):
        self.width = width
        self.out = []
        self.size = 0
        self.lines = 1
        self.column = 0
        self.open = set()  # ids of containers being shown, against cycles
        self.leaves = {}  # id → (value, repr): a leaf's repr is made once

    def emit(self, text):
        room = MAX_TEXT - self.size
        if len(text) > room:
            self.out.append(text[:room])
            self.size = MAX_TEXT
            raise _Full
        self.out.append(text)
        self.size += len(text)
        newlines = text.count("\n")
        if newlines:
            self.lines += newlines
            self.column = len(text) - text.rfind("\n") - 1
            if self.lines > MAX_LINES:
                raise _Full
        else:
            self.column += len(text)

    def leaf(self, value):
        if type(value) in (int, float, str, bool):
            return leaf(value)
        known = self.leaves.get(id(value))
        if known is None:
            known = value, leaf(value)
            self.leaves[id(value)] = known
        return known[1]

    def items(self, value):
        if type(value) in (set, frozenset) and len(value) <= MAX_SORTED:
            try:
                return sorted(value)
            except Exception:  # not comparable
                return value
        return value

    def flat(self, value, room, depth=0):
        """Return value on one line of at most room characters, or None."""
        kind = type(value)
        if kind not in _brackets:
            text = self.leaf(value)
            return text if len(text) <= room and "\n" not in text else None
        if not value:
            return _empty[kind]
        if id(value) in self.open or depth > MAX_DEPTH:
            return "..."
        left, right = _brackets[kind]
        if len(left) + len(right) + 3 * len(value) - 2 > room:
            return None
        self.open.add(id(value))
        try:
            parts, used = [], len(left) + len(right)
            for item in value.items() if kind is dict else self.items(value):
                if kind is dict:
                    text = self.flat_pair(item, room - used, depth + 1)
                else:
                    text = self.flat(item, room - used, depth + 1)
                if text is None:
                    return None
                parts.append(text)
                used += len(text) + 2
                if used - 2 > room:
                    return None
            if kind is tuple and len(parts) == 1:
                right = ",)"
            return left + ", ".join(parts) + right
        finally:
            self.open.discard(id(value))

    def flat_pair(self, item, room, depth):
        key = self.flat(item[0], room, depth)
        if key is None:
            return None
        text = self.flat(item[1], room - len(key), depth)
        return None if text is None else f"{key}: {text}"

    def show(self, value, indent, room_after, depth=0):
        """Emit value; room_after characters follow it on its last line."""
        text = self.flat(value, self.width - self.column - room_after, depth)
        kind = type(value)
        if text is not None:
            self.emit(text)
        elif kind not in _brackets:
            self.emit(self.leaf(value).replace("\n", "\n" + " " * indent))
        elif id(value) in self.open or depth > MAX_DEPTH:
            self.emit("...")
        else:
            self.container(value, kind, indent, depth)

    def container(self, value, kind, indent, depth):
        left, right = _brackets[kind]
        indent += len(left)
        self.emit(left)
        self.open.add(id(value))
        count = len(value)
        for i, item in enumerate(value.items() if kind is dict else self.items(value)):
            if i:
                self.emit(",")
            after = len(right) if i == count - 1 else 1
            if kind is dict:
                if i:
                    self.emit("\n" + " " * indent)
                self.show(item[0], indent, 2, depth + 1)
                self.emit(": ")
                self.show(item[1], min(self.column, indent + 8), after, depth + 1)
                continue
            text = self.flat(item, self.width - indent - after, depth + 1)
            if i and text is not None and self.column + 1 + len(text) + after <= self.width:
                self.emit(" ")  # several short items a line
            elif i:
                self.emit("\n" + " " * indent)
            if text is not None:
                self.emit(text)
            else:
                self.show(item, indent, after, depth + 1)
        self.open.discard(id(value))
        self.emit(",)" if kind is tuple and count == 1 else right)


def leaf(value):
    """Return repr(value), bounded, whatever it raises."""
    try:
        if type(value) in (str, bytes, bytearray) and len(value) > MAX_TEXT:
            return f"{value[:MAX_TEXT // 2]!r}... ({len(value):,} {'characters' if type(value) is str else 'bytes'})"
        text = str.__str__(repr(value))  # not a subclass of str with methods of its own
    except (Exception, SystemExit) as exc:
        try:
            reason = str(exc)[:500]
        except (Exception, SystemExit):
            reason = ""
        return f"<{type(value).__name__} object: __repr__ raised {type(exc).__name__}{reason and ': '}{reason}>"
    if len(text) > MAX_TEXT:
        half = MAX_TEXT // 2
        return f"{text[:half]}\n... {len(text) - 2 * half:,} characters left out ...\n{text[-half:]}"
    return text


def pretty(value, width):
    """Return the repr of value, wrapped to width where it is a plain container."""
    if type(value) not in _brackets:
        return leaf(value)
    p = _Pretty(width)
    try:
        p.show(value, 0, 0)
    except _Full:
        p.out.append(f"\n... the rest of the {type(value).__name__} with {len(value):,} items is left out")
    except RecursionError:
        p.out.append("...")
    except RuntimeError as exc:  # changed by another thread while it was shown
        p.out.append(f"... ({exc})")
    return "".join(p.out)
