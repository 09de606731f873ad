"""Values as JSON text."""


class JSONDecodeError(ValueError):
    """Text that is not JSON: msg, doc, pos, lineno and colno say where."""

    def __init__(self, msg, doc, pos):
        lineno = doc.count("\n", 0, pos) + 1
        colno = pos - doc.rfind("\n", 0, pos)
        ValueError.__init__(self, f"{msg}: line {lineno} column {colno} (char {pos})")
        self.msg = msg
        self.doc = doc
        self.pos = pos
        self.lineno = lineno
        self.colno = colno


JSONDecodeError.__module__ = "json.decoder"


def loads(s, *, object_hook=None, parse_float=None, parse_int=None, object_pairs_hook=None):
    if isinstance(s, bytes):
        s = s.decode("utf-8-sig")
    elif not isinstance(s, str):
        raise TypeError(f"the JSON object must be str, bytes or bytearray, not {s.__class__.__name__}")
    if object_hook is None and parse_float is None and parse_int is None and object_pairs_hook is None:
        return _read(s, False)
    return _value(_read(s, True), object_hook, parse_float or float, parse_int or int, object_pairs_hook)


def _value(node, hook, to_float, to_int, pairs_hook):
    """What the hooks make of a node, which is a kind and what it holds."""
    kind, v = node
    if kind == "v":
        return v
    if kind == "i":
        return to_int(v)
    if kind == "f":
        return to_float(v)
    if kind == "a":
        return [_value(x, hook, to_float, to_int, pairs_hook) for x in v]
    pairs = [(k, _value(x, hook, to_float, to_int, pairs_hook)) for k, x in v]
    if pairs_hook is not None:
        return pairs_hook(pairs)
    return dict(pairs) if hook is None else hook(dict(pairs))


def _plain(o, default, around):
    """Replaces what JSON cannot represent by what default makes of it."""
    if o is None or isinstance(o, (str, int, float)):
        return o
    if id(o) in around:
        raise ValueError("Circular reference detected")
    around = around | {id(o)}
    if isinstance(o, (list, tuple)):
        return [_plain(x, default, around) for x in o]
    if isinstance(o, dict):
        return {k: _plain(v, default, around) for k, v in o.items()}
    return _plain(default(o), default, around)


def _text(o, ensure_ascii, indent, separators, sort_keys):
    if indent is not None and not isinstance(indent, str):
        indent = " " * indent
    if separators is None:
        separators = (", ", ": ") if indent is None else (",", ": ")
    item, key = separators
    for i, text in ((5, key), (6, item)):
        if not isinstance(text, str):
            raise TypeError(f"make_encoder() argument {i} must be str, not {type(text).__name__}")
    return _dumps(o, ensure_ascii, indent, item, key, sort_keys)


def dumps(obj, *, ensure_ascii=True, cls=None, indent=None, separators=None, default=None, sort_keys=False, **kw):
    if cls is not None or kw:
        return (cls or JSONEncoder)(ensure_ascii=ensure_ascii, indent=indent, separators=separators, default=default,
                                    sort_keys=sort_keys, **kw).encode(obj)
    if default is not None:
        obj = _plain(obj, default, set())
    return _text(obj, ensure_ascii, indent, separators, sort_keys)


class JSONEncoder:
    """What dumps(cls=...) takes: a class whose method default says what to write for other objects."""

    def __init__(self, *, ensure_ascii=True, sort_keys=False, indent=None, separators=None, default=None):
        self._options = ensure_ascii, indent, separators, sort_keys
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError(f"Object of type {o.__class__.__name__} is not JSON serializable")

    def encode(self, o):
        return _text(_plain(o, self.default, set()), *self._options)
