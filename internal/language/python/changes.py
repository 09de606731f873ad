# what became of the variables since this was last asked
def __changes__():
    import json, reprlib, sys, types
    space = globals()
    del space["__changes__"]
    short = reprlib.Repr(maxlevel=2, maxlist=4, maxtuple=4, maxdict=4, maxset=4, maxstring=60, maxother=80, maxlong=60)
    kernel = sys.modules["_praxis"]
    before, now, told = getattr(kernel, "variables", {}), {}, []
    for name, value in list(space.items())[:2000]:
        if not isinstance(name, str) or name.startswith("_") or isinstance(value, types.ModuleType):
            continue
        try:
            kind, text, size = type(value).__name__, "", None
            shape = getattr(value, "shape", None)
            if isinstance(shape, tuple):
                kind += " " + "×".join(map(str, shape))
                names = getattr(value, "columns", None)
                text = "columns " + ", ".join(map(str, list(names[:12]))) if names is not None else ""
            elif isinstance(value, (str, bytes, list, tuple, dict, set, frozenset)):
                size = len(value)
                kind, text = f"{kind} of {size:,}", short.repr(value)
            elif not isinstance(value, (type, types.FunctionType)):
                text = short.repr(value)
        except Exception:  # of the program's own class
            text = ""
        now[name] = id(value), kind[:60], " ".join(text.split())[:80]
    for name, known in now.items():
        old = before.get(name)
        if old is None:
            told.append(("new", name, *known[1:]))
        elif old[1:] != known[1:] or old[0] != known[0] and ("…" in known[2] or "..." in known[2] or not known[2]):
            told.append(("changed", name, *known[1:]))
    told += [("deleted", name, "", "") for name in before if name not in now]
    kernel.variables = now
    print(json.dumps([{"change": c, "name": n[:60], "type": k, "value": v} for c, n, k, v in told[:40]] + [{"more": len(told) - 40}] * (len(told) > 40)))

__changes__()
