# Tells what CPython makes of programs. Reads lines of JSON: ["dump", program],
# ["sum", path] or ["parse", program]; answers each with a line of JSON.
import ast, hashlib, json, os, sys, warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(100000)


def error(e):
    return "%s %s:%s %s" % (type(e).__name__, e.lineno, e.offset, e.msg)


def answer(what, arg):
    if what == "files":
        found = []
        for d, dirs, files in os.walk(arg):
            dirs.sort()
            found += [os.path.join(d, f) for f in sorted(files) if f.endswith(".py")]
        return found
    if what == "library":
        return os.path.dirname(os.__file__)
    source = arg.encode()
    if what == "sum":
        with open(arg, "rb") as f:
            source = f.read()
    try:
        tree = ast.parse(source)
        if what == "parse":
            return "ok"
        for n in ast.walk(tree):
            if isinstance(n, ast.Constant):
                n.kind = None  # that a string is written with the prefix u says nothing
        dump = ast.dump(tree, include_attributes=True)
    except SyntaxError as e:
        return error(e)
    except (MemoryError, RecursionError, ValueError) as e:
        return "too much: %s" % e
    if what == "sum":
        return hashlib.sha256(dump.encode("utf-8", "surrogatepass")).hexdigest()
    return dump


for line in sys.stdin:
    print(json.dumps(answer(*json.loads(line))), flush=True)
