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


_constants = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def loads(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, object_pairs_hook=None, **kw):
    if isinstance(s, bytes):
        s = s.decode("utf-8-sig")
    elif not isinstance(s, str):
        raise TypeError(f"the JSON object must be str, bytes or bytearray, not {s.__class__.__name__}")
    if cls is not None:
        return cls(object_hook=object_hook, parse_float=parse_float, parse_int=parse_int, parse_constant=parse_constant,
                   object_pairs_hook=object_pairs_hook, **kw).decode(s)
    if object_hook is None and parse_float is None and parse_int is None and parse_constant is None and object_pairs_hook is None and not kw:
        return _loads(s, True)
    return JSONDecoder(object_hook=object_hook, parse_float=parse_float, parse_int=parse_int, parse_constant=parse_constant,
                       object_pairs_hook=object_pairs_hook, **kw).decode(s)


def load(fp, **kw):
    return loads(fp.read(), **kw)


class JSONDecoder:
    def __init__(self, *, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, strict=True, object_pairs_hook=None):
        self.object_hook = object_hook
        self.parse_float = parse_float or float
        self.parse_int = parse_int or int
        self.parse_constant = parse_constant or _constants.__getitem__
        self.strict = strict
        self.object_pairs_hook = object_pairs_hook

    def decode(self, s):
        return self._value(_tree(s, self.strict))

    def raw_decode(self, s, idx=0):
        if idx < 0:
            raise ValueError("idx cannot be negative")
        return _scan(s, idx, self.strict)

    def _value(self, node):
        kind, v = node
        if kind == "v":
            return v
        if kind == "i":
            return self.parse_int(v)
        if kind == "f":
            return self.parse_float(v)
        if kind == "c":
            return self.parse_constant(v)
        if kind == "a":
            return [self._value(x) for x in v]
        pairs = [(k, self._value(x)) for k, x in v]
        if self.object_pairs_hook is not None:
            return self.object_pairs_hook(pairs)
        if self.object_hook is not None:
            return self.object_hook(dict(pairs))
        return dict(pairs)


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


def _text(o, skipkeys, ensure_ascii, check_circular, allow_nan, indent, separators, sort_keys):
    if isinstance(indent, int):
        indent = " " * indent
    if separators is None:
        separators = (", ", ": ") if indent is None else (",", ": ")
    item, key = separators
    return _dumps(o, skipkeys, ensure_ascii, check_circular, allow_nan, indent, item, key, sort_keys)


def dumps(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, cls=None, indent=None,
          separators=None, default=None, sort_keys=False, **kw):
    if cls is not None or kw:
        cls = JSONEncoder if cls is None else cls
        return cls(skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular, allow_nan=allow_nan,
                   indent=indent, separators=separators, default=default, sort_keys=sort_keys, **kw).encode(obj)
    if default is not None:
        obj = _plain(obj, default, set())
    return _text(obj, skipkeys, ensure_ascii, check_circular, allow_nan, indent, separators, sort_keys)


def dump(obj, fp, **kw):
    fp.write(dumps(obj, **kw))


class JSONEncoder:
    item_separator = ", "
    key_separator = ": "

    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, sort_keys=False,
                 indent=None, separators=None, default=None):
        self.skipkeys = skipkeys
        self.ensure_ascii = ensure_ascii
        self.check_circular = check_circular
        self.allow_nan = allow_nan
        self.sort_keys = sort_keys
        self.indent = indent
        self._separators = separators
        if separators is not None:
            self.item_separator, self.key_separator = separators
        elif indent is not None:
            self.item_separator = ","
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError(f"Object of type {o.__class__.__name__} is not JSON serializable")

    def encode(self, o):
        o = _plain(o, self.default, set())
        return _text(o, self.skipkeys, self.ensure_ascii, self.check_circular, self.allow_nan, self.indent,
                     (self.item_separator, self.key_separator), self.sort_keys)

    def iterencode(self, o):
        yield self.encode(o)
