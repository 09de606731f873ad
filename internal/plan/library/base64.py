"""Bytes as text of 64 or 16 characters."""

_letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


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


def standard_b64encode(s):
    return b64encode(s)


def standard_b64decode(s):
    return b64decode(s)


def urlsafe_b64encode(s):
    return b64encode(s, b"-_")


def urlsafe_b64decode(s):
    return b64decode(s, b"-_")


def b16encode(s):
    return s.hex().upper().encode()


def b16decode(s, casefold=False):
    s = _as_bytes(s).decode("latin-1")
    if casefold:
        s = s.upper()
    if any([c not in "0123456789ABCDEF" for c in s]) or len(s) % 2:
        raise Error("Non-base16 digit found" if len(s) % 2 == 0 else "Odd-length string")
    return bytes.fromhex(s)


def encodebytes(s):
    return b"".join([_encode(s[i:i + 57]) + b"\n" for i in range(0, len(s), 57)])


def decodebytes(s):
    return _decode(s, False)


class Error(ValueError):
    """Text that cannot be decoded."""


