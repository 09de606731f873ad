"""keep_skill(function, description, tests): has a function of this session kept for later runs.

The host reads it in a display of the type MIME, tests it in a fresh session, and keeps it
when the run has an answer that passed its checks. check(), which the host calls in that
session, runs the tests of a skill and says what it needs.
"""

import ast
import builtins
import inspect
import json
import re
import sys
import textwrap
import types

import skills

MIME = "application/vnd.praxis.skill+json"
MAX_BYTES = 64 << 10  # of the code, and of the tests
MAX_CONSTANT = 4 << 10  # characters of one
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")


def keep_skill(function, description, tests):
    """Have a function kept for later runs.

    description says in a sentence or two what it does and when it is of use. tests is code with
    assert statements, or functions that hold some: it is run now, and again in a fresh session.
    """
    name = getattr(function, "__name__", "")
    if not isinstance(function, types.FunctionType):
        raise TypeError("keep_skill() takes a function, a description and tests")
    if not NAME.match(name) or len(name) > 64:
        raise ValueError(f"cannot keep {name}: the name of a skill is words in lower case with _ between them, 64 characters at most")
    if not isinstance(description, str) or not description.strip():
        raise ValueError(f"cannot keep {name}: say in a sentence what it does and when it is of use")
    code, tests = Packer(function.__globals__, name).pack([function]), _tests(tests, name)
    for what, text in ("code", code), ("tests", tests):
        if len(text.encode("utf-8", "replace")) > MAX_BYTES:
            raise ValueError(f"cannot keep {name}: its {what} is longer than {MAX_BYTES:,} bytes")
    module = types.ModuleType(f"skills.{name}")
    sys.modules[module.__name__] = module
    exec(compile(_shown(code, f"<skill {name}>"), f"<skill {name}>", "exec", dont_inherit=True), vars(module))
    try:
        run(name, getattr(module, name), tests)
    finally:
        del sys.modules[module.__name__]
    found = json.dumps({"name": name, "description": " ".join(description.split()), "code": code, "tests": tests}, ensure_ascii=False)
    builtins.display({MIME: found}, raw=True)
    print(f"The tests of {name} passed. It is kept when this run has its answer.")


def check(name, tests):
    """Run the tests of a skill, and show what the host wants to know of it."""
    function = getattr(skills, name)
    run(name, function, tests)
    try:
        signature = str(inspect.signature(function))
    except (TypeError, ValueError):
        signature = "(...)"
    doc = (inspect.getdoc(function) or "").strip().partition("\n\n")[0]
    file = inspect.getsourcefile(inspect.unwrap(function)) or ""
    about = {"signature": signature, "doc": " ".join(doc.split()), "python": ".".join(map(str, sys.version_info[:3])), "packages": packages(file)}
    builtins.display({MIME: json.dumps(about, ensure_ascii=False)}, raw=True)


def uses(name):
    """Show which other skills a skill imports, wherever in its code."""
    try:
        with open(f"{skills.FOLDER}/{name}.py", encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except SyntaxError:
        return  # its tests say so
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "skills" and not node.level:
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.Import) and any(alias.name.partition(".")[0] == "skills" for alias in node.names):
            raise ImportError(f"{name} imports the module skills as a whole: write from skills import NAME")
    builtins.display({MIME: json.dumps({"uses": sorted(found)})}, raw=True)


def run(name, function, tests):
    """Run tests: their statements, and then each of their functions test_*."""
    tree = ast.parse(tests, "test_skill.py")
    if not any(isinstance(node, (ast.Assert, ast.Raise)) for node in ast.walk(tree)):
        raise ValueError(f"the tests of {name} test nothing: they have no assert")
    if not any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree)):
        raise ValueError(f"the tests of {name} do not call it")
    space = {"__name__": f"test_{name}", name: function}
    skills._trying[name] = function
    try:
        exec(compile(_shown(tests, "test_skill.py"), "test_skill.py", "exec", dont_inherit=True), space)
        for key, value in list(space.items()):
            if key.startswith("test") and isinstance(value, types.FunctionType):
                result = value()
                if inspect.iscoroutine(result):
                    import asyncio

                    asyncio.run(result)
    finally:
        del skills._trying[name]


def packages(file):
    """Return the versions of the packages that a file imports, by name."""
    from importlib.metadata import packages_distributions, version

    try:
        with open(file, encoding="utf-8") as source:
            tree = ast.parse(source.read())
    except OSError:
        return {}
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module.partition(".")[0])
    known = packages_distributions() if modules - sys.stdlib_module_names else {}
    return {found: version(found) for module in sorted(modules) for found in known.get(module, [])[:1]}


def _shown(text, name):
    """Let tracebacks show the lines of a text."""
    import linecache

    linecache.cache[name] = len(text), None, text.splitlines(True), name
    return text


def _tests(tests, name):
    if isinstance(tests, str):
        return textwrap.dedent(tests).strip("\n") + "\n"
    tests = list(tests) if isinstance(tests, (list, tuple)) else [tests]
    if tests and all(isinstance(t, str) for t in tests):
        return "\n".join(t.strip("\n") for t in tests) + "\n"
    if not tests or not all(isinstance(t, types.FunctionType) for t in tests):
        raise TypeError(f"cannot keep {name}: tests are a text with assert statements, or functions whose names begin with test")
    for test in tests:
        if not test.__name__.startswith("test"):
            raise ValueError(f"cannot keep {name}: the name of {test.__name__} does not begin with test")
    return Packer(tests[0].__globals__, name, under_test=name).pack(tests)


class Packer:
    """Puts functions together with what they use of a session: imports, functions, constants."""

    def __init__(self, space, name, under_test=""):
        self.space, self.name = space, name
        self.imports, self.parts = [], []
        self.seen = {under_test} if under_test else set()

    def pack(self, functions):
        for function in functions:
            self.seen.add(function.__name__)
        for function in functions:
            self.define(function)
        head = "\n".join(sorted(set(self.imports)))
        return (head + "\n\n\n" if head else "") + "\n\n\n".join(self.parts) + "\n"

    def define(self, value):
        """Take in a function or a class, behind what it uses."""
        if getattr(value, "__closure__", None) and inspect.unwrap(value) is value:
            raise ValueError(f"cannot keep {self.name}: {value.__name__} is defined inside of another function; define it outside")
        try:
            source = textwrap.dedent(source_of(value))
        except (OSError, TypeError):
            raise ValueError(f"cannot keep {self.name}: the source of {value.__name__} is not there") from None
        if isinstance(value, types.FunctionType) and not source.lstrip().startswith(("def ", "async ", "@")):
            raise ValueError(f"cannot keep {self.name}: {value.__name__} is no function that def defines")
        for name in used(source):
            self.take(name)
        self.parts.append(source.strip("\n"))

    def take(self, name):
        """Take in what a name means."""
        if name in self.seen or name not in self.space and hasattr(builtins, name):
            return
        self.seen.add(name)
        if name not in self.space:
            raise ValueError(f"cannot keep {self.name}: it uses {name}, which is not defined")
        value = self.space[name]
        module, own = getattr(value, "__module__", None), getattr(value, "__qualname__", getattr(value, "__name__", None))
        if isinstance(value, types.ModuleType):
            self.imports.append(f"import {value.__name__}" + (f" as {name}" if value.__name__ != name else ""))
        elif isinstance(module, str) and module.startswith("skills."):
            raise ValueError(f"cannot keep {self.name}: it uses the skill {own}, and is tested where no other skill is. Define what it needs of it in your code")
        elif isinstance(module, str) and module != "__main__" and isinstance(own, str) and getattr(sys.modules.get(module), own, None) is value:
            self.imports.append(f"from {module} import {own}" + (f" as {name}" if own != name else ""))
        elif isinstance(value, (types.FunctionType, type)) and value.__name__ == name:
            self.define(value)
        elif isinstance(value, re.Pattern):
            self.imports.append("import re")
            self.parts.append(f"{name} = re.compile({value.pattern!r}, {int(value.flags)})")
        else:
            self.parts.append(f"{name} = {self.constant(name, value)}")

    def constant(self, name, value):
        try:
            text = repr(value)
            if len(text) <= MAX_CONSTANT and ast.literal_eval(text) == value:
                return text
        except Exception:
            pass
        raise ValueError(f"cannot keep {self.name}: it uses {name}, a {type(value).__name__} of this session. Pass it as an argument")


def source_of(value):
    """Return the source of a function or a class of the session."""
    if not isinstance(value, type):
        return inspect.getsource(value)
    import linecache

    # A class of a cell has no file, but the line that it begins with.
    for name in reversed(list(linecache.cache)):
        lines = linecache.getlines(name)[getattr(value, "__firstlineno__", 1) - 1 :]
        if name.startswith("<") and any(line.startswith(f"class {value.__name__}") for line in lines[:20]):
            block = "".join(inspect.getblock(lines))
            if ast.parse(block).body[0].name == value.__name__:
                return block
    raise OSError


def used(source):
    """Return the names that source takes from outside of itself, in their order."""
    import symtable

    found = []

    def look(table, top):
        for symbol in table.get_symbols():
            outside = not symbol.is_assigned() if top else symbol.is_global()
            if outside and symbol.is_referenced():
                found.append(symbol.get_name())
        for child in table.get_children():
            look(child, False)

    look(symtable.symtable(source, "<skill>", "exec"), True)
    return [name for name in dict.fromkeys(found) if not name.startswith("__")]
