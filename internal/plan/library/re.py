"""Regular expressions."""


class PatternError(Exception):
    """A pattern that is not one: msg, pattern, pos, lineno and colno say where."""

    def __init__(self, msg, pattern=None, pos=None):
        self.msg = msg
        self.pattern = pattern
        self.pos = pos
        if pattern is not None and pos is not None:
            msg = f"{msg} at position {pos}"
            newline = "\n" if isinstance(pattern, str) else b"\n"
            self.lineno = pattern.count(newline, 0, pos) + 1
            self.colno = pos - pattern.rfind(newline, 0, pos)
            if newline in pattern:
                msg = f"{msg} (line {self.lineno}, column {self.colno})"
        else:
            self.lineno = self.colno = None
        Exception.__init__(self, msg)


error = PatternError

_names = {256: "ASCII", 2: "IGNORECASE", 32: "UNICODE", 8: "MULTILINE", 16: "DOTALL", 64: "VERBOSE", 128: "DEBUG"}


class RegexFlag(int):
    @property
    def value(self):
        return int(self)

    @property
    def name(self):
        return "|".join([n for f, n in _names.items() if self & f]) or "NOFLAG"

    def __repr__(self):
        names = ["re." + n for f, n in _names.items() if int.__and__(self, f)]
        rest = int.__and__(self, ~510)
        if rest:
            names.append(hex(rest))
        return "|".join(names) or "re.NOFLAG"

    __str__ = __repr__

    def __format__(self, spec):
        return format(repr(self), spec)

    def __or__(self, other):
        return RegexFlag(int.__or__(self, other))

    def __and__(self, other):
        return RegexFlag(int.__and__(self, other))

    def __xor__(self, other):
        return RegexFlag(int.__xor__(self, other))

    def __invert__(self):
        return RegexFlag(511 & ~int(self))

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__
    __hash__ = int.__hash__


NOFLAG = RegexFlag(0)
A = ASCII = RegexFlag(256)
I = IGNORECASE = RegexFlag(2)
U = UNICODE = RegexFlag(32)
M = MULTILINE = RegexFlag(8)
S = DOTALL = RegexFlag(16)
X = VERBOSE = RegexFlag(64)
DEBUG = RegexFlag(128)


def _sub(pattern, repl, string, count, counted):
    out = []
    at = 0
    n = 0
    for m in _matches(pattern, string, count) if count >= 0 else []:
        if at < m.start():
            out.append(string[at:m.start()])
        out.append(repl(m))
        at = m.end()
        n += 1
    out.append(string[at:])
    text = string[:0].join([x for x in out if x is not None])
    return (text, n) if counted else text
