import sys
print(sys.maxsize, sys.version_info[:2], sys.version_info >= (3, 8), sys.float_info.epsilon, sys.float_info.max)
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
print(repr(b.getvalue()))
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
class Upper:
    def write(self, s):
        sys_out.append(s.upper())
sys_out = []
print("low", end="", file=Upper())
print("".join(sys_out))
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
with contextlib.nullcontext(5) as z:
    print(z)
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
import types
n = types.SimpleNamespace(a=1, b=[2])
n.c = 3
print(n, n == types.SimpleNamespace(a=1, b=[2], c=3), n.a)
---
import sys
for a in [(), (1,), ("x",), (None,), (1, 2), (True,)]:
    try:
        sys.exit(*a)
    except SystemExit as e:
        print(repr(e), e.code, e.args)
    except TypeError as e:
        print(e)
