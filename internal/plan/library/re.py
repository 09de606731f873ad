"""Regular expressions."""


class PatternError(Exception):
    """A pattern that is not one: msg, pattern, pos, lineno and colno say where."""

    def __init__(self, msg, pattern=None, pos=None):
        self.msg = msg
        self.pattern = pattern
        self.pos = pos
        if pattern is not None and pos is not None:
            msg = f"{msg} at position {pos}"
            self.lineno = pattern.count("\n", 0, pos) + 1
            self.colno = pos - pattern.rfind("\n", 0, pos)
            if "\n" in pattern:
                msg = f"{msg} (line {self.lineno}, column {self.colno})"
        else:
            self.lineno = self.colno = None
        Exception.__init__(self, msg)


error = PatternError

NOFLAG = 0
I = IGNORECASE = 2
M = MULTILINE = 8
S = DOTALL = 16
U = UNICODE = 32
X = VERBOSE = 64
A = ASCII = 256


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
    text = "".join([x for x in out if x is not None])
    return (text, n) if counted else text
