"""The figures of an answer: what its placeholders come to, and what of that was typed.

The host sends a call of __figures__ with the placeholders as texts. Its value is JSON: of
each placeholder a list of its text, whether it was computed, the texts and numbers that the
expression itself may bring into that, and the operands of an expression that reads nothing
beside literals, which the host looks for among what was shown.
"""

import _ast

BEGINS = "# the figures of the answer\n__figures__("
ONLY_AST = 0x400  # ast.PyCF_ONLY_AST

# Names that are no data. What they are called with is.
PURE = {
    "abs", "all", "any", "ascii", "bin", "bool", "bytes", "chr", "complex", "dict", "divmod", "enumerate", "filter", "float",
    "format", "frozenset", "hex", "int", "len", "list", "map", "max", "min", "oct", "ord", "pow", "range", "repr", "reversed",
    "round", "set", "slice", "sorted", "str", "sum", "tuple", "zip",
}
PURE_MODULES = {"math", "cmath", "statistics", "decimal", "fractions", "operator", "json", "re", "itertools", "functools", "collections", "numpy", "string"}
READING = ("read", "load", "open", "from", "fetch", "random", "rand")  # how functions of them begin that bring data
PASSES = {"max", "min", "sum", "list", "tuple", "set", "frozenset", "dict", "sorted", "next", "iter", "reversed"}  # give an argument back
FORMS = {"abs", "round", "int", "float", "str", "repr", "format", "Decimal", "Fraction", "floor", "ceil", "trunc", "fabs"}  # give the first back

PATTERNS = {
    "end": r"![rsa]\s*(?=:|\Z)|:|\Z",  # where an expression may end
    "field": r"\{[^{}]*\}|%[-+ #0]*\d*(?:\.\d+)?[A-Za-z%]",
    "format": r"(?s)(?:(?P<fill>.)?(?P<align>[<>=^]))?[-+ ]?z?#?(?P<zero>0?)\d*[,_]?(?:\.\d+)?[,_]?[A-Za-z%]?",
    "date": r"%[-_^#]?[A-Za-z%]",
}
compiled = {}


def ready():
    """Do once, when a session is prepared, what the first answer would wait for."""
    fill({}, BEGINS + "'1:d')")
    for name in PATTERNS:
        _pattern(name)


def _pattern(name):
    if name not in compiled:
        import re

        compiled[name] = re.compile(PATTERNS[name])
    return compiled[name]


def fill(space, code):
    """Return the JSON for the code of a call."""
    return eval(compile(code, "<placeholder>", "eval"), {"__builtins__": {}, "__figures__": lambda *all: _all(space, all)})


def _all(space, placeholders):
    import json

    return json.dumps([_figure(space, text) for text in placeholders])


def _figure(space, text):
    tree, conversion, spec = _parse(text)
    nodes = list(_walk(tree))
    # computed: it reads data, or does arithmetic on numbers
    texts = any(isinstance(n, _ast.Constant) and isinstance(n.value, (str, bytes)) for n in nodes)
    sums = any(isinstance(n, _ast.BinOp) for n in nodes)
    reads = _reads(space, nodes)
    value = _value(space, tree)
    if conversion:
        value = {"a": ascii, "r": repr, "s": str}[conversion](value)
    spec = _format(space, spec)
    typed, filled = list(_typed(tree)), _fills_in(spec)
    if filled:
        typed.append(filled)
    operands = [] if reads else [repr(n.value) for n in nodes if isinstance(n, _ast.Constant)]
    computed = filled is not None and (reads or sums and not texts)
    return [format(value, spec), computed, "\n".join(typed)[:4000], "\n".join(operands)[:4000]]


def _children(node):
    for name in node._fields:
        child = getattr(node, name, None)
        for item in child if isinstance(child, list) else [child]:
            if isinstance(item, _ast.AST):
                yield item


def _walk(node):
    yield node
    for child in _children(node):
        yield from _walk(child)


def _syntax(text):
    return compile(text, "<placeholder>", "eval", ONLY_AST, True).body


def _value(space, node):
    if any(isinstance(n, _ast.NamedExpr) for n in _walk(node)):
        raise ValueError("a placeholder must not assign")
    return eval(compile(_ast.Expression(node), "<placeholder>", "eval", 0, True), space)


def _parse(text):
    """Return what stands before the first ":" or conversion that makes it an expression, and these, as in an f-string."""
    for m in _pattern("end").finditer(text):
        head = text[: m.start()]
        if not head.strip():
            break
        try:
            tree = _syntax(f"({head}\n)")
        except (SyntaxError, ValueError):
            if m.group():
                continue
            raise
        rest = text[m.start() :]
        conversion = rest[1] if rest.startswith("!") else ""
        return tree, conversion, rest[rest.index(":") + 1 :].rstrip() if ":" in rest else ""
    raise SyntaxError("a placeholder is empty")


def _format(space, spec):
    if "{" not in spec and "}" not in spec:
        return spec
    quote = '"""' if '"' not in spec else "'''"
    tree = _syntax(f"f{quote}{{0:{spec}}}{quote}")
    if len(tree.values) != 1:
        raise SyntaxError("a placeholder holds one format")
    return _value(space, tree.values[0].format_spec)


def _reads(space, nodes):
    """Say whether an expression reads data of the session: a name that it does not bring itself."""
    names = {n.id for n in nodes if isinstance(n, _ast.Name) and isinstance(n.ctx, _ast.Load)}
    names -= {n.id for n in nodes if isinstance(n, _ast.Name) and isinstance(n.ctx, _ast.Store)}
    names -= {n.arg for n in nodes if isinstance(n, _ast.arg)}
    called = [n.attr for n in nodes if isinstance(n, _ast.Attribute)] + list(names)
    reading = any(name.startswith(READING) for name in called)
    return any(not _pure(space, name) for name in names) or reading


def _pure(space, name):
    if name not in space:
        return name in PURE
    value = space[name]
    kind = type(value)
    if kind is type(_ast):
        module = value.__name__
    elif kind is type(len) or kind is type(_pure) or kind is type:
        module = getattr(value, "__module__", None)
    else:
        return False
    return type(module) is str and module.partition(".")[0] in PURE_MODULES


def _typed(node, numbers=True):
    """Yield the texts and numbers of an expression that may stand in its value as they are: no keys, no operands."""
    if isinstance(node, _ast.Constant):
        if isinstance(node.value, (str, bytes)):
            yield _bare(str(node.value))
        elif numbers and type(node.value) in (int, float):
            yield repr(node.value)
        return
    if isinstance(node, _ast.FormattedValue):
        yield from _typed(node.value, numbers)
    elif isinstance(node, _ast.Subscript):
        yield from _typed(node.value, numbers)
        if not isinstance(node.slice, _ast.Constant):
            yield from _typed(node.slice, False)
    elif isinstance(node, _ast.IfExp):
        yield from _typed(node.test, False)
        yield from _typed(node.body, numbers)
        yield from _typed(node.orelse, numbers)
    elif isinstance(node, _ast.Call):
        called = node.func.id if isinstance(node.func, _ast.Name) else getattr(node.func, "attr", "")
        yield from _typed(node.func, numbers)
        for i, argument in enumerate(node.args):
            yield from _typed(argument, numbers and (called in PASSES or called in FORMS and i == 0))
        for keyword in node.keywords:
            yield from _typed(keyword.value, numbers and called == "dict")
    else:
        numbers = numbers and not isinstance(node, (_ast.BinOp, _ast.Compare))
        for child in _children(node):
            yield from _typed(child, numbers)


def _bare(text):
    """Return a text without the fields and directives that are filled in."""
    return _pattern("field").sub(" ", text)


def _fills_in(spec):
    """Return what of a format would stand in the value as a part of its figure; None: all of it."""
    m = _pattern("format").fullmatch(spec)
    if m is None:
        return _pattern("date").sub(" ", spec)
    fill = m["fill"] or m["zero"] or " "
    return None if fill in "0123456789+-.,eE%" and (fill != "0" or m["align"] in ("<", "^")) else ""
