import sys
print(sys.maxsize, sys.version_info[:2], sys.version_info >= (3, 8), sys.float_info.epsilon, sys.float_info.max, sys.byteorder)
sys.setrecursionlimit(5000)
def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)
print(deep(4000), sys.getrecursionlimit())
sys.setrecursionlimit(1000)
try:
    deep(4000)
except RecursionError as e:
    print(e)
for bad in (0, "a"):
    try:
        sys.setrecursionlimit(bad)
    except (ValueError, TypeError) as e:
        print(e)
sys.stdout.write("hello\n")
sys.stdout.flush()
print("err", file=sys.stderr)
print("out", file=sys.stdout)
print("none", file=None)
try:
    sys.exit("bye")
except SystemExit as e:
    print("exit", e.code)
try:
    sys.exit()
except SystemExit as e:
    print("exit", e.code)
print(sys.intern("abc"), sys.getdefaultencoding())
---
import sys
sys.exit(3)
---
from math import *
from collections import *
from typing import *
def root(xs: List[int]) -> Optional[int]:
    return floor(sqrt(xs[0]))
print(root([10]), pi, Counter("aab").most_common(1), OrderedDict(a=1))
---
import io
b = io.StringIO()
print("a", 1, file=b, sep="-")
print(b.write("xyz\nq"), repr(b.getvalue()), b.tell())
b.seek(0)
print(repr(b.readline()), b.read(2), list(b), b.read())
b.seek(2)
b.write("ZZ")
print(repr(b.getvalue()), b.truncate(3), repr(b.getvalue()))
b.seek(6)
b.write("!")
print(repr(b.getvalue()))
with io.StringIO("l1\nl2\nl3") as f:
    for line in f:
        print(repr(line))
try:
    f.read()
except ValueError as e:
    print(e)
try:
    io.StringIO().write(b"x")
except TypeError as e:
    print(e)
c = io.StringIO("a\nb\nc", newline=None)
print(c.readlines(), c.closed, c.readable())
d = io.BytesIO(b"abc")
print(d.read(2), d.seek(-1, 2), d.read(), d.write(b"de"), d.getvalue())
class Upper:
    def write(self, s):
        sys_out.append(s.upper())
sys_out = []
print("low", end="", file=Upper())
print(sys_out)
try:
    print("x", file=3)
except AttributeError as e:
    print(e)
---
import contextlib
@contextlib.contextmanager
def tag(n):
    print(f"<{n}>")
    try:
        yield n.upper()
    except KeyError as e:
        print("swallowed", e)
    finally:
        print(f"</{n}>")
with tag("b") as t:
    print(t)
with tag("c"):
    raise KeyError("k")
try:
    with tag("d"):
        raise ValueError("v")
except ValueError as e:
    print("got", e)
with contextlib.suppress(ZeroDivisionError, KeyError):
    1 / 0
with contextlib.ExitStack() as st:
    st.callback(print, "called", "last", sep="-")
    print(st.enter_context(tag("e")))
try:
    with contextlib.ExitStack() as st:
        st.enter_context(tag("f"))
        st.enter_context(contextlib.suppress(ValueError))
        raise LookupError("l")
except LookupError as e:
    print("through", e)
with contextlib.nullcontext(5) as z:
    print(z)
@tag("around")
def g():
    print("in g")
    return 3
print(g(), g())
class C:
    def close(self):
        print("closed")
with contextlib.closing(C()) as c:
    print(type(c).__name__)
@contextlib.contextmanager
def twice():
    yield 1
    yield 2
try:
    with twice():
        pass
except RuntimeError as e:
    print(e)
@contextlib.contextmanager
def never():
    if False:
        yield
try:
    with never():
        pass
except RuntimeError as e:
    print(e)
---
import types, queue, warnings
n = types.SimpleNamespace(a=1, b=[2])
n.c = 3
print(n, n == types.SimpleNamespace(a=1, b=[2], c=3), n.a)
m = types.MappingProxyType({"a": 1})
print(m, m["a"], list(m), len(m), "a" in m, m.get("z"), m | {"b": 2})
try:
    m["b"] = 2
except TypeError as e:
    print(e)
print(isinstance(lambda: 0, types.FunctionType), isinstance(len, types.BuiltinFunctionType), types.NoneType, isinstance((i for i in ()), types.GeneratorType))
q = queue.Queue(2)
q.put(1)
q.put(2)
print(q.full(), q.get(), q.qsize(), q.empty())
p = queue.PriorityQueue()
for x in (3, 1, 2):
    p.put((x, str(x)))
print([p.get() for _ in range(3)])
try:
    p.get_nowait()
except queue.Empty as e:
    print("empty", repr(e))
l = queue.LifoQueue()
l.put(1)
l.put(2)
print(l.get(), l.get(timeout=1))
warnings.warn("x", DeprecationWarning)
warnings.simplefilter("ignore")
---
from pprint import pprint, pformat, pp
from collections import OrderedDict, defaultdict, Counter, deque, namedtuple, ChainMap
from dataclasses import dataclass, field
from types import SimpleNamespace
d = {"name": "x" * 30, "list": list(range(40)), "nested": {"b": [1, 2, {"c": "hello " * 20}], "a": (1,)}, 3: None}
pprint(d)
pp(d)
pprint(d, width=40, compact=True, indent=2)
pprint(d, depth=1)
pprint([["a" * 30] * 5, ("b" * 80,)])
pprint({i * 7 for i in range(30)}, width=50)
pprint("the quick brown fox jumps over the lazy dog " * 5)
pprint(["the quick brown fox jumps over the lazy dog\nand more " * 5, 1])
pprint(b"0123456789" * 20)
pprint(OrderedDict([(i, "x" * 10) for i in range(12)]))
pprint(defaultdict(list, {i: ["x" * 10] * 3 for i in range(5)}))
pprint(Counter("the quick brown fox"), width=30)
pprint(deque(range(50)))
pprint(deque(range(50), maxlen=60), compact=True)
@dataclass
class P:
    name: str
    xs: list
    hidden: int = field(default=3, repr=False)
    other: dict = None
pprint(P("n", list(range(30)), other={"k" * 20: "v" * 40}))
pprint([P("n" * 30, [1] * 10), P("m" * 40, [2])], width=60)
pprint(SimpleNamespace(a=list(range(30)), b="x"))
print(pformat([1, [2, [3, [4]]]], depth=2), pformat({1: "a", "b": 2}), pformat({"b": 1, "a": 2}, sort_dicts=False), pformat(()), pformat(1234567, underscore_numbers=True))
pprint(ChainMap({"a": 1}, {"b": list(range(30))}))
pprint(list(range(10)), indent=4, width=20)
