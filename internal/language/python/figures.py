# the figures of the answer
def __figures__(*placeholders):
    import ast, json, re
    space, figures = globals(), []
    del space["__figures__"]

    def value_of(node):
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
            raise ValueError("a placeholder must not assign")
        return eval(compile(ast.Expression(node), "<placeholder>", "eval"), space)

    def parse(text):
        # What stands before the first ":" or conversion that makes it an expression, as in an f-string.
        for m in re.finditer(r"![rsa]\s*(?=:|\Z)|:|\Z", text):
            head = text[: m.start()]
            if not head.strip():
                break
            try:
                tree = ast.parse(f"({head}\n)", "<placeholder>", "eval")
            except (SyntaxError, ValueError):
                if m.group():
                    continue
                raise
            rest = text[m.start() :]
            conversion = rest[1] if rest.startswith("!") else ""
            return tree.body, conversion, rest[rest.index(":") + 1 :].rstrip() if ":" in rest else ""
        raise SyntaxError("a placeholder is empty")

    def format_of(spec):
        if "{" not in spec and "}" not in spec:
            return spec
        quote = '"""' if '"' not in spec else "'''"
        tree = ast.parse(f"f{quote}{{0:{spec}}}{quote}", "<placeholder>", "eval").body
        if len(tree.values) != 1:
            raise SyntaxError("a placeholder holds one format")
        return value_of(tree.values[0].format_spec)

    def typed_in(node):
        # the digits that a text of the expression may bring into its value; keys and formats bring none
        found = []
        if isinstance(node, ast.Constant):
            if isinstance(node.value, (str, bytes)):
                found.append(re.sub(r"\{[^{}]*\}|%[-+ #0]*\d*(?:\.\d+)?[A-Za-z%]", " ", str(node.value)))
        elif isinstance(node, ast.FormattedValue):
            direct = isinstance(node.value, ast.Constant) and isinstance(node.value.value, (int, float))
            found += [str(node.value.value)] if direct else typed_in(node.value)
        elif isinstance(node, ast.Subscript):
            found += typed_in(node.value) + ([] if isinstance(node.slice, ast.Constant) else typed_in(node.slice))
        else:
            for child in ast.iter_child_nodes(node):
                found += typed_in(child)
        return [text for text in found if re.search(r"\d", text)]

    def fills_in(spec):
        # what of a format would stand in the value as a part of its figure
        m = re.fullmatch(r"(?:(?P<fill>.)?(?P<align>[<>=^]))?[-+ ]?z?#?(?P<zero>0?)\d*[,_]?(?:\.\d+)?[,_]?[A-Za-z%]?", spec, re.S)
        if m is None:
            return re.sub(r"%[-_^#]?[A-Za-z%]", " ", spec)
        fill = m["fill"] or m["zero"] or " "
        return None if fill in "0123456789+-.,eE%" and (fill != "0" or m["align"] in ("<", "^")) else ""

    for text in placeholders:
        tree, conversion, spec = parse(text)
        nodes = list(ast.walk(tree))
        # computed: it reads a name that it did not bring itself, or does arithmetic on numbers
        texts = any(isinstance(n, ast.Constant) and isinstance(n.value, (str, bytes)) for n in nodes)
        sums = any(isinstance(n, ast.BinOp) for n in nodes)
        read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        read -= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        read -= {n.arg for n in nodes if isinstance(n, ast.arg)}
        read -= {"ascii", "bool", "bytes", "complex", "dict", "float", "format", "int", "list", "repr", "round", "set", "str", "tuple"} - set(space)
        value = value_of(tree)
        if conversion:
            value = {"a": ascii, "r": repr, "s": str}[conversion](value)
        spec = format_of(spec)
        typed, filled = typed_in(tree), fills_in(spec)
        if filled and re.search(r"\d", filled):
            typed.append(filled)
        figures.append([format(value, spec), filled is not None and (bool(read) or sums and not texts), "\n".join(typed)[:4000]])
    return json.dumps(figures)

