"""Bytes as text of 64 characters."""

def _as_bytes(s):
    if isinstance(s, str):
        try:
            return s.encode("ascii")
        except UnicodeEncodeError:
            raise ValueError("string argument should contain only ASCII characters")
    if isinstance(s, bytes):
        return s
    raise TypeError(f"argument should be a bytes-like object or ASCII string, not {type(s).__name__!r}")


def b64encode(s, altchars=None):
    if not isinstance(s, bytes):
        raise TypeError(f"a bytes-like object is required, not '{type(s).__name__}'")
    out = _encode(s)
    if altchars is not None:
        out = out.replace(b"+", altchars[:1]).replace(b"/", altchars[1:])
    return out


def b64decode(s, altchars=None, validate=False):
    s = _as_bytes(s)
    if altchars is not None:
        altchars = _as_bytes(altchars)
        s = s.replace(altchars[:1], b"+").replace(altchars[1:], b"/")
    return _decode(s, validate)


def urlsafe_b64encode(s):
    return b64encode(s, b"-_")


def urlsafe_b64decode(s):
    return b64decode(s, b"-_")


class Error(ValueError):
    """Text that cannot be decoded."""


