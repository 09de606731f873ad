"""Groups of tests of E2B's code interpreter for Python against a server. Each prints one line of
JSON, as those of groups.py do."""

import json
import sys
import traceback

from e2b import NotFoundException, TimeoutException
from e2b_code_interpreter import Sandbox

groups = {}
box = None  # the sandbox of the groups, which leave it as it is


class Unsupported(Exception):
    pass


def group(f):
    groups[f.__name__] = f
    return f


def text(code, **options):
    x = box.run_code(code, **options)
    assert x.error is None, x.error
    return x.text


def error(code, **options):
    x = box.run_code(code, **options)
    assert x.error is not None, x
    return x.error


def chart(code):
    x = box.run_code("import matplotlib.pyplot as plt\n" + code + "\nplt.show()")
    assert x.error is None, x.error
    assert x.results[0].png, x.results
    return x.results[0].chart


@group
def python():
    assert text("x = 1; x") == "1"
    assert text("x += 1; x") == "2"
    assert text("\n    if x:\n        y = 'indented'\n    y\n") == "indented"
    assert text("'it\\'s'") == "it's"
    assert text("None") is None


@group
def streams():
    seen = []
    x = box.run_code(
        "import sys\nprint(1)\nprint(2, file=sys.stderr)\n3",
        on_stdout=lambda m: seen.append(("out", m.line, m.error)),
        on_stderr=lambda m: seen.append(("err", m.line, m.error)),
        on_result=lambda r: seen.append(("result", r.text, r.is_main_result)),
    )
    assert seen == [("out", "1\n", False), ("err", "2\n", True), ("result", "3", True)], seen
    assert x.logs.stdout == ["1\n"] and x.logs.stderr == ["2\n"], x.logs
    many = box.run_code("for i in range(3000): print('line', i)")
    assert "".join(many.logs.stdout) == "".join(f"line {i}\n" for i in range(3000))
    assert "".join(box.run_code("print('\\u20ac' * 20000)").logs.stdout) == "\u20ac" * 20000 + "\n"


@group
def errors():
    e = error("no_such_name")
    assert (e.name, e.value) == ("NameError", "name 'no_such_name' is not defined"), e
    assert "Traceback (most recent call last)" in e.traceback and "----> 1 no_such_name" in e.traceback, e.traceback
    assert error("x =").name == "SyntaxError"
    assert text("1") == "1"


@group
def count():
    c = box.create_code_context()
    assert [box.run_code("1", context=c).execution_count for _ in range(2)] == [1, 2]
    box.remove_code_context(c)


@group
def displays():
    x = box.run_code("from IPython.display import display\ndisplay({'text/latex': r'\\text{x}'}, raw=True)\ndisplay(1)\n2")
    assert [list(r.formats()) for r in x.results] == [["latex"], ["text"], ["text"]], x.results
    assert [r.is_main_result for r in x.results] == [False, False, True]
    x = box.run_code("class A:\n    def _repr_html_(self): return '<b>'\n    def _repr_markdown_(self): return '*'\n    def _repr_svg_(self): return '<svg/>'\nA()")
    assert x.results[0].html == "<b>" and x.results[0].markdown == "*" and x.results[0].svg == "<svg/>"
    assert box.run_code("{'a': [1, None]}").results[0].json == {"a": [1, None]}


@group
def tables():
    x = box.run_code("import pandas as pd\npd.DataFrame({'a': [1, float('nan')], 't': pd.to_datetime(['2020-01-02'] * 2)})")
    r = x.results[0]
    assert r.data == {"a": [1.0, None], "t": ["2020-01-02T00:00:00"] * 2} and "<table" in r.html, r.data


@group
def pictures():
    make = "import numpy\nfrom PIL import Image\ni = Image.fromarray(numpy.zeros((4, 4, 3), 'uint8'))\n"
    for code in ("i", "i.show()", "i.save('a.png')"):
        assert box.run_code(make + code).results[0].png, code


@group
def charts():
    c = chart("plt.plot([1, 2], [3, 4], label='l'); plt.xlabel('Time (s)'); plt.title('T')")
    assert (c.type, c.title, c.x_label, c.x_unit, c.x_scale) == ("line", "T", "Time (s)", "s", "linear")
    assert (c.elements[0].label, c.elements[0].points) == ("l", [(1.0, 3.0), (2.0, 4.0)])
    assert all(isinstance(t, float) for t in c.x_ticks) and all(isinstance(t, str) for t in c.x_tick_labels)
    c = chart("import datetime\nplt.plot([datetime.date(2023, 9, 1), datetime.date(2023, 9, 2)], ['A', 'B'])")
    assert (c.x_scale, c.y_scale) == ("datetime", "categorical") and c.elements[0].points[0] == ("2023-09-01T00:00:00+00:00", "A")
    c = chart("plt.scatter([1], [2], label='d')")
    assert c.type == "scatter" and c.elements[0].points == [(1.0, 2.0)]
    c = chart("plt.bar(['A', 'B'], [1, 2])")
    assert c.type == "bar" and [(b.label, b.value) for b in c.elements] == [("A", 1), ("B", 2)]
    c = chart("plt.pie([90, 10], labels=['No', 'Yes'], startangle=90)")
    assert c.type == "pie" and [(p.label, p.angle, p.radius) for p in c.elements] == [("No", 324, 1), ("Yes", 36, 1)]
    c = chart("plt.boxplot([[1, 2, 3, 4, 99]], tick_labels=['z'], patch_artist=True)")
    b = c.elements[0]
    assert c.type == "box_and_whisker" and (b.label, b.min, b.median, b.max, b.outliers) == ("z", 1, 3, 4, [99])
    c = chart("f, a = plt.subplots(1, 2); f.suptitle('S'); a[0].plot([1, 2]); a[1].scatter([1], [2])")
    assert (c.type, c.title, [e.type for e in c.elements]) == ("superchart", "S", ["line", "scatter"])
    assert chart("plt.gca().add_artist(plt.Circle((0, 0), 1)); plt.title('U')").type == "unknown"


@group
def variables():
    get = "import os; os.getenv('FOO', 'none')"
    assert text(get, envs={"FOO": "bar"}) == "bar" and text(get) == "none"
    own = Sandbox.create(envs={"FOO": "own"}, timeout=120)
    try:
        runs = [own.run_code(get, envs=envs).text for envs in (None, {"FOO": "other"}, None)]
        assert runs == ["own", "other", "own"], runs
    finally:
        own.kill()
    assert box.run_code("echo ${FOO:-none}", language="bash", envs={"FOO": "bar"}).logs.stdout == ["bar\n"]
    assert box.run_code("echo ${FOO:-none}", language="bash").logs.stdout == ["none\n"]
    assert text("process.env.FOO", language="js", envs={"FOO": "bar"}) == "bar"
    assert text("process.env.FOO || 'none'", language="js") == "none"


@group
def folder():
    assert text("import os; os.getcwd()") == "/home/user"
    assert text("process.cwd()", language="js") == "/home/user"
    assert box.run_code("pwd", language="bash").logs.stdout == ["/home/user\n"]
    box.run_code("open('made.txt', 'w').write('here')")
    assert box.files.read("made.txt") == "here"


@group
def javascript():
    assert box.run_code("console.log('Hello')", language="js").logs.stdout == ["Hello\n"]
    assert text("async function main() { return 'Hello' }\nawait main()", language="javascript") == "Hello"
    assert text("import path from 'node:path'\npath.join('a', 'b')", language="js") == "a/b"
    text("const z = 1", language="js")
    assert text("z", language="js") == "1"
    assert text("function less(x: number, y: number): number {\n  return x - y\n}\nless(1, 2)", language="ts") == "-1"
    assert error("nothing()", language="js").name == "ReferenceError"


@group
def bash():
    assert box.run_code("x=1; echo $x", language="bash").logs.stdout == ["1\n"]
    assert box.run_code("echo $x", language="bash").logs.stdout == ["1\n"]
    assert error("exit 3", language="bash").value == "3"


@group
def shell_commands():
    assert "".join(box.run_code("!pwd").logs.stdout) == "/home/user\n"
    assert text("word = 'there'\nout = !echo {word}\nout") == "['there']"
    assert "".join(box.run_code("%%bash\necho $((6 * 7))").logs.stdout) == "42\n"
    assert "not found" in "".join(box.run_code("%no_such_command").logs.stderr)


@group
def r():
    try:
        assert box.run_code('print("Hello, World!")', language="r").logs.stdout == ['[1] "Hello, World!"\n']
    except Exception as e:
        if "not supported" in str(e):
            raise Unsupported("the image of the template has no R") from None
        raise


@group
def java():
    try:
        text("1", language="java")
    except Exception as e:
        assert "not supported" in str(e), e
        raise Unsupported("there is no kernel of Java") from None


@group
def contexts():
    first = [c.language for c in box.list_code_contexts()]
    assert first[:2] == ["python", "javascript"], first
    c = box.create_code_context(cwd="/home/user/elsewhere")
    last = box.list_code_contexts()[-1]
    assert (last.id, last.language, last.cwd) == (c.id, "python", "/home/user/elsewhere")
    text("only_here = 1", context=c)
    assert error("only_here").name == "NameError"
    assert text("import os; os.getcwd()", context=c) == "/home/user/elsewhere"
    box.restart_code_context(c)
    assert error("only_here", context=c).name == "NameError"
    assert text("import os; os.getcwd()", context=c) == "/home/user/elsewhere"
    box.remove_code_context(c)
    assert c.id not in [o.id for o in box.list_code_contexts()]
    for f in (lambda: box.run_code("1", context=c), lambda: box.remove_code_context(c), lambda: box.restart_code_context(c)):
        try:
            f()
            raise AssertionError("a context that was removed is there")
        except NotFoundException:
            pass
    typed = box.create_code_context(language="ts")
    assert typed.language == "typescript" and text("let q: number = 2; q", context=typed) == "2"
    box.remove_code_context(typed)


@group
def interrupt():
    text("kept = 1")
    for wait in ("import time; time.sleep(60)", "while True: pass"):
        try:
            box.run_code(wait, timeout=2)
            raise AssertionError("it ended")
        except TimeoutException:
            pass
        assert text("kept + 1", timeout=20) == "2"


@group
def crash():
    e = error("import os; os._exit(1)")
    assert e.name == "ContextRestarting", e
    assert text("1 + 1") == "2" and text("import os; os.getcwd()") == "/home/user"


@group
def pause():
    own = Sandbox.create(timeout=120)
    try:
        c = own.create_code_context(cwd="/tmp")
        own.run_code("x = 41", context=c)
        pause = getattr(own, "pause", None) or own.beta_pause
        pause()
        again = Sandbox.connect(own.sandbox_id)
        assert again.run_code("import os; x + 1, os.getcwd()", context=c).text == "(42, '/tmp')"
    finally:
        own.kill()


@group
def killed():
    import threading

    own = Sandbox.create(timeout=120)
    timer = threading.Timer(2, own.kill)
    timer.start()
    try:
        own.run_code("import time; time.sleep(60)")
        raise AssertionError("it ended")
    except TimeoutException:
        pass
    except Exception as e:  # of clients that do not look why
        assert "httpx" in type(e).__module__, e
    finally:
        timer.join()


def main(names):
    global box
    chosen = {"code_" + name: f for name, f in groups.items() if not names or "code_" + name in names}
    if not chosen:
        return
    box = Sandbox.create(timeout=600)
    try:
        for name, f in chosen.items():
            status, reason = "pass", ""
            try:
                f()
            except Unsupported as e:
                status, reason = "not supported", str(e)
            except Exception as e:
                status, reason = "fail", f"{type(e).__name__}: {e}"[:400]
                traceback.print_exc()
            print(json.dumps({"group": name, "status": status, "reason": reason}), flush=True)
    finally:
        box.kill()


main(sys.argv[1:])
