# the figures of the answer: expression, conversion, format
def __figures__(*placeholders):
    import ast, json
    space, figures = globals(), []
    del space["__figures__"]
    for expression, conversion, spec in placeholders:
        tree = ast.parse(f"({expression}\n)", "<placeholder>", "eval")
        nodes = list(ast.walk(tree))
        if any(isinstance(n, ast.NamedExpr) for n in nodes):
            raise ValueError("a placeholder must not assign")
        # computed: it reads a name that it did not bring itself, or does arithmetic on numbers
        texts = any(isinstance(n, ast.Constant) and isinstance(n.value, (str, bytes)) for n in nodes)
        sums = any(isinstance(n, ast.BinOp) for n in nodes)
        read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        read -= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        read -= {n.arg for n in nodes if isinstance(n, ast.arg)}
        read -= {"ascii", "bool", "bytes", "complex", "dict", "float", "format", "int", "list", "repr", "round", "set", "str", "tuple"} - set(space)
        value = eval(compile(tree, "<placeholder>", "eval"), space)
        if conversion:
            value = {"a": ascii, "r": repr, "s": str}[conversion](value)
        if hasattr(value, "strftime") and any(c.isdigit() for c in spec):
            raise ValueError("the format of a date must not hold digits")
        figures.append([format(value, spec), bool(read) or sums and not texts])
    return json.dumps(figures)

