package python_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"praxis/fault"
	"praxis/internal/test/cpython"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/kind/python"
	"praxis/internal/tool/toolfile"
)

func object(t testing.TB, text string) *jsondoc.Object {
	t.Helper()
	v, err := jsondoc.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.(*jsondoc.Object)
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// made is a tool of a file, with the definition that is derived from it.
type made struct {
	d    *tool.Definition
	impl tool.Implementation
}

func create(t testing.TB, cfg python.Config, src, function, more string) made {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "score.py"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	k := python.New(cfg)
	b := tool.Binding{Kind: "python", Spec: object(t, `{"file":"score.py","function":"`+function+`"`+more+`}`), Dir: dir}
	doc, err := k.Derive(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []jsondoc.Member{{Name: "name", Value: "x." + function}, {Name: "version", Value: "1.0.0"}, {Name: "effects", Value: "pure"}} {
		doc.Set(m.Name, m.Value)
	}
	d, err := toolfile.Define("test", doc)
	if err != nil {
		t.Fatal(err)
	}
	impl, err := k.New(t.Context(), d, b)
	if err != nil {
		t.Fatal(err)
	}
	return made{d, impl}
}

func (m made) call(t testing.TB, ctx context.Context, args string) (any, error) {
	t.Helper()
	given := object(t, args)
	if err := m.d.CheckArguments(given); err != nil {
		t.Errorf("%s: %v", args, err)
	}
	out, err := m.impl.Call(ctx, tool.Invocation{Tool: m.d, Arguments: m.d.FillDefaults(given)})
	if err == nil {
		if err := m.d.CheckResult(out); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
	return out, err
}

// process is a sandbox that is a plain Python process.
type process struct {
	dir    string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	closed atomic.Bool
}

const loop = `
import sys, json, os
names, out = {"__name__": "__main__"}, os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
for line in sys.stdin:
    answer = {"OK": True}
    try:
        exec(json.loads(line), names)
    except KeyboardInterrupt:
        answer = {"OK": False, "Why": "interrupted"}
    except BaseException as e:
        answer = {"OK": False, "Why": repr(e)}
    print(json.dumps(answer), file=out, flush=True)
`

func start(t testing.TB, path string) *process {
	t.Helper()
	p := &process{dir: t.TempDir(), cmd: exec.Command(path, "-c", loop)}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *process) Folder() string { return p.dir }

func (p *process) Execute(ctx context.Context, code string) (python.Status, error) {
	defer context.AfterFunc(ctx, func() { _ = p.cmd.Process.Signal(os.Interrupt) })()
	line, err := json.Marshal(code)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	var answer []byte
	if err == nil {
		answer, err = p.out.ReadBytes('\n')
	}
	var o python.Status
	if err == nil {
		err = json.Unmarshal(answer, &o)
	}
	return o, err
}

func (p *process) WriteFile(_ context.Context, path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func (p *process) ReadFile(_ context.Context, path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > most {
		err = errors.New("too large")
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func (p *process) Close() error {
	if p.closed.Swap(true) {
		return errors.New("closed twice")
	}
	p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	return nil
}

const program = `
import asyncio, dataclasses, datetime, decimal, enum, math, time, uuid
from typing import *

seen = []

class Color(enum.Enum):
    RED = "red"

@dataclasses.dataclass
class Node:
    name: str
    day: datetime.date
    kids: "list[Node]" = dataclasses.field(default_factory=list)

class Row(TypedDict):
    at: datetime.datetime

class Pair(NamedTuple):
    x: int
    y: float = 1.5

def types(a: int, b: float, c: datetime.date, d: Color, e: Node, f: list[Row], g: tuple[int, datetime.date], h: Optional[datetime.date] = None, i: dict[str, decimal.Decimal] = {}, j: Union[int, datetime.date] = 0, k: Pair = None, l: bytes = b"", m: set[str] = set(), n: Any = None) -> Any:
    return [type(x).__name__ for x in (a, b, c, d, e, e.kids[0], e.kids[0].day, f[0]["at"], g, g[1], h, i["x"], j, k, k.y, l, m, n)]

def results(n: int) -> Any:
    """Gives odd things."""
    return [
        lambda: {"i": 2**70, "f": 0.1, "t": "\u2028é\x00\"", "n": None, "b": True, "l": [1, (2, 3)], "m": {1: "x"}},
        lambda: Node("a", datetime.date(2027, 1, 31), [Node("b", datetime.date.min)]),
        lambda: (Color.RED, Pair(1), decimal.Decimal("1.10"), datetime.datetime(2027, 1, 31, 4), uuid.UUID(int=1), b"\xff", {"s"}, (i for i in range(3)), range(2)),
        lambda: math.nan,
        lambda: {(1, 2): 3},
        lambda: object(),
        lambda: "\ud800",
        lambda: (lambda l: (l.append(l), l)[1])([]),
        lambda: "x" * 5000,
        lambda: 1 / 0,
        lambda: __import__("sys").exit(3),
        lambda: (_ for _ in ()).throw(ValueError("x" * 10000)),
        lambda: print("noise") or 1,
        lambda: 10**5000,
    ][n]()

def state(x: int, /, *, y: int = 2) -> list[int]:
    seen.append(x * y)
    return seen

async def later(x: int) -> int:
    await asyncio.sleep(0)
    return x + 1

async def many(x: int) -> list[int]:
    for i in range(x):
        yield i

def hang() -> int:
    seen.append(1)
    while True:
        time.sleep(0.01)

def die() -> int:
    import os
    os._exit(1)
`

func TestPython(t *testing.T) {
	path := cpython.Start(t).Path()
	opened := 0
	cfg := python.Config{
		Open:  func(context.Context, python.Options) (python.Sandbox, error) { opened++; return start(t, path), nil },
		Image: func([]string) string { return "sha256:1234" },
	}
	open := func(name, more string) made {
		m := create(t, cfg, program, name, more)
		t.Cleanup(func() {
			if err := m.impl.Close(); err != nil {
				t.Error(err)
			}
		})
		return m
	}
	got := func(m made, args, want string) {
		t.Helper()
		out, err := m.call(t, t.Context(), args)
		if err != nil {
			t.Errorf("%s: %v", args, err)
		} else if encode(t, out) != want {
			t.Errorf("%s:\n got %s\nwant %s", args, encode(t, out), want)
		}
	}
	failed := func(m made, args string, kind fault.Kind, words string) {
		t.Helper()
		out, err := m.call(t, t.Context(), args)
		if err == nil || fault.KindOf(err) != kind || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), os.TempDir()) || len(err.Error()) > 5000 {
			t.Errorf("%s: got %v, %v, want %v %q", args, out, err, kind, words)
		}
	}
	got(open("types", ""), `{"a":2.0,"b":1,"c":"2027-01-31","d":"red","e":{"name":"a","day":"2027-01-31","kids":[{"name":"b","day":"2027-02-01"}]},"f":[{"at":"2027-01-31T04:05:06Z"}],"g":[1,"2027-01-31"],"h":"2027-01-31","i":{"x":"1.10"},"j":"2027-01-31","k":{"x":1},"l":"/w==","m":["a"]}`,
		`["int","float","date","Color","Node","Node","date","datetime","tuple","date","date","Decimal","date","Pair","float","bytes","set","NoneType"]`)
	r := open("results", "")
	got(r, `{"n":0}`, `{"i":1180591620717411303424,"f":0.1,"t":"\u2028é\u0000\"","n":null,"b":true,"l":[1,[2,3]],"m":{"1":"x"}}`)
	got(r, `{"n":1}`, `{"name":"a","day":"2027-01-31","kids":[{"name":"b","day":"0001-01-01","kids":[]}]}`)
	got(r, `{"n":2}`, `["red",{"x":1,"y":1.5},"1.10","2027-01-31T04:00:00","00000000-0000-0000-0000-000000000001","/w==",["s"],[0,1,2],[0,1]]`)
	failed(r, `{"n":3}`, fault.Internal, "nan, which JSON does not have")
	failed(r, `{"n":4}`, fault.Internal, "")
	failed(r, `{"n":5}`, fault.Internal, "object, which has no JSON form")
	failed(r, `{"n":6}`, fault.Internal, "UnicodeEncodeError")
	failed(r, `{"n":7}`, fault.Internal, "contains itself")
	failed(r, `{"n":9}`, fault.Internal, "ZeroDivisionError: division by zero (score.py, line 38)")
	failed(r, `{"n":10}`, fault.Internal, "SystemExit: 3")
	failed(r, `{"n":11}`, fault.Internal, "ValueError: xxx")
	got(r, `{"n":12}`, `1`)
	failed(r, `{"n":13}`, fault.Internal, "ValueError")
	failed(r, `{"n":99}`, fault.Internal, "IndexError")
	if opened != 2 {
		t.Errorf("%d sandboxes were opened for two tools", opened)
	}
	s := open("state", "")
	got(s, `{"x":1}`, `[2]`)
	got(s, `{"x":1,"y":3}`, `[2,3]`)
	got(open("later", ""), `{"x":1}`, `2`)
	got(open("many", ""), `{"x":3}`, `[0,1,2]`)
	hang := open("hang", `,"timeout":"2s"`)
	failed(hang, `{}`, fault.Exhausted, "2s")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	time.AfterFunc(500*time.Millisecond, func() { cancel(why) })
	if _, err := hang.call(t, ctx, `{}`); !errors.Is(err, why) {
		t.Errorf("a call that was given up: %v", err)
	}
	failed(open("die", ""), `{}`, fault.Internal, "its sandbox ended")
	if id := s.impl.Identity(); !strings.HasPrefix(id, "python score.py#state sha256:") || !strings.HasSuffix(id, " image sha256:1234") {
		t.Error(id)
	}
	broken := create(t, cfg, "import nowhere_at_all\ndef f(): pass", "f", "")
	failed(broken, `{}`, fault.Internal, "ModuleNotFoundError: No module named 'nowhere_at_all' (score.py, line 1)")
	if err := broken.impl.Close(); err != nil {
		t.Error(err)
	}
	small := create(t, cfg, `def f(n: int) -> str: return "x" * n`, "f", "")
	defer small.impl.Close()
	failed(small, `{"n":20000000}`, fault.Exhausted, "its result has 19.1MiB, more than 16MiB")
	got(small, `{"n":1}`, `"x"`)
}

// fake is a sandbox that answers as the test says.
type fake struct {
	mu      sync.Mutex
	files   map[string][]byte
	answer  func(n int) (string, python.Status, error)
	calls   int
	closed  atomic.Int32
	running int
}

func (f *fake) Folder() string { return "/f" }

func (f *fake) Execute(ctx context.Context, code string) (python.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running++; f.running > 1 {
		panic("two at once")
	}
	defer func() { f.running-- }()
	if !strings.HasPrefix(code, "_praxis_tool.run(") {
		return python.Status{OK: true}, nil
	}
	f.calls++
	text, o, err := f.answer(f.calls)
	if text == "hang" {
		<-ctx.Done()
		return python.Status{Why: "interrupted"}, nil
	}
	f.files[fmt.Sprintf("/f/tool/result-%d.json", f.calls)] = []byte(text)
	return o, err
}

func (f *fake) WriteFile(_ context.Context, path string, data []byte) error {
	f.files[path] = data
	return nil
}

func (f *fake) ReadFile(_ context.Context, path string, most int64) ([]byte, error) {
	data, ok := f.files[path]
	if !ok || int64(len(data)) > most {
		return nil, errors.New("no file")
	}
	return data, nil
}

func (f *fake) Close() error {
	f.closed.Add(1)
	return nil
}

// TestHostileSandbox checks that answers which a sandbox must not give are refused.
func TestHostileSandbox(t *testing.T) {
	ok := python.Status{OK: true}
	for _, c := range []struct {
		text   string
		o      python.Status
		err    error
		kind   fault.Kind
		words  string
		closed int
	}{
		{`{"call":1,"value":[1.50,null]}`, ok, nil, 0, "", 0},
		{`{"call":2,"value":1}`, ok, nil, fault.Internal, "another call's", 0},
		{`{"value":1}`, ok, nil, fault.Internal, "another call's", 0},
		{`[]`, ok, nil, fault.Internal, "no object", 0},
		{`{`, ok, nil, fault.Internal, "JSON", 0},
		{``, ok, nil, fault.Internal, "JSON", 0},
		{`{"call":1}`, ok, nil, fault.Internal, "neither", 0},
		{`{"call":1,"error":"x"}`, ok, nil, fault.Internal, "neither", 0},
		{`{"call":1,"error":{"type":1,"message":[],"line":{}}}`, ok, nil, fault.Internal, "x.f", 0},
		{`{"call":1,"large":"` + strings.Repeat("9", 1000) + `"}`, ok, nil, fault.Exhausted, "16,777,217 bytes, more than 16,777,216", 0},
		{`{"call":1,"value":"` + strings.Repeat("x", 17<<20) + `"}`, ok, nil, fault.Internal, "no file", 1},
		{``, python.Status{Limit: true, Why: "memory: more than 1 GiB"}, nil, fault.Exhausted, "memory", 1},
		{``, python.Status{Why: strings.Repeat("x", 5000)}, nil, fault.Internal, "xxx", 1},
		{``, python.Status{}, errors.New("gone"), fault.Internal, "gone", 1},
	} {
		f := &fake{files: map[string][]byte{}, answer: func(int) (string, python.Status, error) { return c.text, c.o, c.err }}
		m := create(t, python.Config{Open: func(context.Context, python.Options) (python.Sandbox, error) { return f, nil }}, "def f(): pass", "f", "")
		out, err := m.call(t, t.Context(), `{}`)
		if c.kind == 0 && (err != nil || encode(t, out) != "[1.50,null]") || c.kind != 0 && (err == nil || fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.words) || len(err.Error()) > 2000) {
			t.Errorf("%.100s: got %v, %v, want %v %q", c.text, out, err, c.kind, c.words)
		}
		if int(f.closed.Load()) != c.closed {
			t.Errorf("%.100s: the sandbox was closed %d times", c.text, f.closed.Load())
		}
		if err := m.impl.Close(); err != nil || f.closed.Load() != 1 {
			t.Errorf("%.100s: after Close it was closed %d times, %v", c.text, f.closed.Load(), err)
		}
		if _, err := m.call(t, t.Context(), `{}`); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("after Close: %v", err)
		}
	}
}

// TestLife checks when sandboxes are opened and closed.
func TestLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sandboxes []*fake
		cfg := python.Config{Idle: time.Minute, Open: func(_ context.Context, o python.Options) (python.Sandbox, error) {
			if o.Tool != "x.f" || o.Memory != 512<<20 || o.Packages[0] != "pandas==2.3.3" {
				t.Errorf("options %+v", o)
			}
			b := &fake{files: map[string][]byte{}}
			b.answer = func(n int) (string, python.Status, error) {
				if n == 3 {
					return "hang", python.Status{}, nil
				}
				return fmt.Sprintf(`{"call":%d,"value":%d}`, n, n), python.Status{OK: true}, nil
			}
			sandboxes = append(sandboxes, b)
			return b, nil
		}}
		m := create(t, cfg, "def f(): pass", "f", `,"packages":["pandas==2.3.3"],"memory":"512MiB"`)
		for _, wait := range []time.Duration{0, 50 * time.Second, 0, 2 * time.Minute, 0} {
			time.Sleep(wait)
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := m.call(t, ctx, `{}`)
			cancel()
			if wait == 0 && err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		// The third call hung: its sandbox went; the fourth opened one, which idled
		// away; the fifth is in the same, since its wait was none.
		if len(sandboxes) != 2 || sandboxes[0].closed.Load() != 1 || sandboxes[0].calls != 3 || sandboxes[1].closed.Load() != 0 || sandboxes[1].calls != 2 {
			t.Errorf("%d sandboxes", len(sandboxes))
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if sandboxes[1].closed.Load() != 1 {
			t.Error("an idle sandbox stayed open")
		}
		// Close in the middle of a call.
		for range 2 {
			if _, err := m.call(t, t.Context(), `{}`); err != nil {
				t.Error(err)
			}
		}
		time.AfterFunc(time.Second, func() {
			if err := m.impl.Close(); err != nil {
				t.Error(err)
			}
		})
		if _, err := m.call(t, t.Context(), `{}`); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("a call under Close: %v", err)
		}
		synctest.Wait()
		if len(sandboxes) != 3 || sandboxes[2].closed.Load() != 1 {
			t.Errorf("%d sandboxes after Close", len(sandboxes))
		}
	})
}

func TestSpec(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.py"), []byte("def f(a): pass"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "big.py"), []byte(strings.Repeat("#\n", 1<<20)), 0o644); err != nil {
		t.Fatal(err)
	}
	k := python.New(python.Config{})
	for spec, words := range map[string]string{
		`{}`:                               "missing",
		`{"file":"x.py"}`:                  "missing",
		`{"file":"y.py","function":"f"}`:   "y.py",
		`{"file":".","function":"f"}`:      "no plain file",
		`{"file":"big.py","function":"f"}`: "more than",
		`{"file":"x.py","function":"g"}`:   "The file has: f.",
		`{"file":"x.py","funcion":"f"}`:    "function",
		`{"file":"x.py","function":"f","packages":["pandas"]}`:           "NAME==VERSION",
		`{"file":"x.py","function":"f","packages":["-r x==1"]}`:          "NAME==VERSION",
		`{"file":"x.py","function":"f","packages":["a==1; import os"]}`:  "NAME==VERSION",
		`{"file":"x.py","function":"f","packages":["a @ http://x==1"]}`:  "NAME==VERSION",
		`{"file":"x.py","function":"f","memory":"lots"}`:                 "512MiB",
		`{"file":"x.py","function":"f","memory":"99999999999999999GiB"}`: "512MiB",
		`{"file":"x.py","function":"f","memory":-1}`:                     "512MiB",
		`{"file":"x.py","function":"f","timeout":"-1s"}`:                 "30s",
	} {
		if _, err := k.Derive(t.Context(), tool.Binding{Spec: object(t, spec), Dir: dir}); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error()+fault.RemedyOf(err), words) {
			t.Errorf("%s: got %v (%s), want %q", spec, err, fault.RemedyOf(err), words)
		}
	}
	define := func(input string) *tool.Definition {
		d, err := toolfile.Define("x", object(t, `{"name":"x.f","version":"1.0.0","effects":"pure","input":{"type":"object","properties":`+input+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	b := tool.Binding{Spec: object(t, `{"file":"x.py","function":"f"}`), Dir: dir}
	if _, err := k.New(t.Context(), define(`{"a":{}}`), b); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without sandboxes: %v", err)
	}
	k = python.New(python.Config{Open: func(context.Context, python.Options) (python.Sandbox, error) { return nil, errors.New("no memory") }})
	if _, err := k.New(t.Context(), define(`{"b":{}}`), b); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "no parameter b") {
		t.Errorf("an argument that the function lacks: %v", err)
	}
	impl, err := k.New(t.Context(), define(`{"a":{}}`), b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := impl.Call(t.Context(), tool.Invocation{Arguments: jsondoc.NewObject()}); err == nil || !strings.Contains(err.Error(), "no memory") {
		t.Errorf("no sandbox: %v", err)
	}
	if err := impl.Close(); err != nil {
		t.Error(err)
	}
}
