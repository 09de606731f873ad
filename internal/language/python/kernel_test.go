package python

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestReady(t *testing.T) {
	t.Parallel()
	k := start(t, map[string]any{"preload": []string{"decimal", "no_such_module", "xml.dom.minidom"}})
	if !regexp.MustCompile(`^3\.\d+\.\d+$`).MatchString(k.Ready.Version) {
		t.Errorf("version is %q", k.Ready.Version)
	}
	want := "ModuleNotFoundError: No module named 'no_such_module'"
	if got := k.Ready.PreloadErrors; len(got) != 1 || got["no_such_module"] != want {
		t.Errorf("preload errors are %q", got)
	}
	if got := k.Text(`import sys; "decimal" in sys.modules and "xml.dom.minidom" in sys.modules`); got != "True" {
		t.Errorf("modules are preloaded: %s", got)
	}
	if got := k.Text("'sys' in globals(), 'decimal' in globals()"); got != "(True, False)" {
		t.Errorf("names of preloaded modules: %s", got)
	}
}

// TestOrderOfManyLines has streams that take long turns, threads that take
// turns by a lock, and code that writes to a descriptor it asked for.
func TestOrderOfManyLines(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	o := k.Run(`
import os, sys, threading
for i in range(60):
    for j in range(i % 7):
        print(f"<{i}.{j}>")
    print(f"<{i}.e>", file=sys.stderr)
lock, n = threading.Lock(), 60
def turns(stream):
    global n
    for _ in range(60):
        with lock:
            print(f"<{n}.e>", file=stream)
            n += 1
threads = [threading.Thread(target=turns, args=(s,)) for s in (sys.stdout, sys.stderr)]
[t.start() for t in threads]
[t.join() for t in threads]
`)
	var got, want strings.Builder
	for _, part := range o.Order {
		got.WriteString(strings.ReplaceAll(part[2:], "\n", ""))
	}
	for i := range 180 {
		for j := 0; i < 60 && j < i%7; j++ {
			fmt.Fprintf(&want, "<%d.%d>", i, j)
		}
		fmt.Fprintf(&want, "<%d.e>", i)
	}
	if got.String() != want.String() {
		t.Errorf("order is\n%s\nwant\n%s", got.String(), want.String())
	}
	o = k.Run(`
fd = sys.stderr.fileno()
for i in range(100):
    print(f"<{i}>")
    os.write(fd, f"<{i}.fd>".encode())
print("<100>")`)
	text := strings.Join(o.Order, "")
	for i := range 100 {
		first, next := strings.Index(text, fmt.Sprintf("<%d.fd>", i)), strings.Index(text, fmt.Sprintf("<%d>", i+1))
		if first < 0 || next < first {
			t.Fatalf("line %d came before what was written to the descriptor: %q", i+1, text)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	o := k.Run(`
import sys, os
for i in range(3):
    print("err", i, file=sys.stderr)
    print("out", i)
os.system("echo sh; echo sherr >&2")
print("partial", end="")
display("shown")
os.system("echo after")
sys.stderr.write("last\n")
sys.stdout.buffer.write(b"bytes")
display(2)`)
	// The kernel keeps the order of what Python writes. What another program writes
	// is read in the order of the descriptors when it comes at once.
	want := []string{
		"2:err 0\n", "1:out 0\n", "2:err 1\n", "1:out 1\n", "2:err 2\n", "1:out 2\nsh\n", "2:sherr\n",
		"1:partial", "display:'shown'", "1:after\n", "2:last\n", "1:bytes", "display:2",
	}
	if !slices.Equal(o.Order, want) {
		t.Errorf("order is\n%q\nwant\n%q", o.Order, want)
	}
}

func TestNoResult(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	k.Send(map[string]any{"op": "execute", "id": 9, "code": "x = 4\nx", "result": false})
	if o := k.Until("done"); o.Done.ID != 9 || o.Done.Status != "ok" || o.Done.Result != nil {
		t.Errorf("done is %+v", o.Done)
	}
	if got := k.Text("x"); got != "4" {
		t.Errorf("x is %s", got)
	}
}

func TestLargeCell(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	code := "s = '" + strings.Repeat("ä", 5<<20) + "'\nprint(len(s))\nprint('o' * 3000000)\n"
	o := k.Run(code)
	if want := "5242880\n" + strings.Repeat("o", 3000000) + "\n"; o.Stdout != want {
		t.Errorf("stdout has %d bytes, want %d (%+v)", len(o.Stdout), len(want), o.Done.Error)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	o := k.Run("b = bytearray(200_000_000)\nfor i in range(0, len(b), 4096): b[i] = 1")
	if o.Done.PeakMemory < 200_000_000 || o.Done.PeakMemory > 1_000_000_000 {
		t.Errorf("peak memory is %d", o.Done.PeakMemory)
	}
	o = k.Run("del b\nimport time; time.sleep(0.2)")
	if o.Done.WallMS < 200 || o.Done.CPUMS >= o.Done.WallMS {
		t.Errorf("of a sleep: wall %v ms, cpu %v ms", o.Done.WallMS, o.Done.CPUMS)
	}
	o = k.Run(`import subprocess, sys
subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"]).returncode`)
	if o.Done.Result["text"] != "0" || o.Done.CPUMS < 300 {
		t.Errorf("of a busy child: cpu %v ms (%+v)", o.Done.CPUMS, o.Done)
	}
}

func TestMemoryError(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	k.Text(`import resource
resource.setrlimit(resource.RLIMIT_AS, (400 << 20, resource.RLIM_INFINITY))`)
	for _, code := range []string{
		"kept = 1\nbytearray(1 << 40)",
		"def hoard():\n    a = []\n    while True: a.append(bytes(1 << 20))\nhoard()",
		"def small():\n    a = []\n    while True: a.append([object()])\nsmall()",
		"list(range(10**8))",
	} {
		o := k.Run(code)
		if o.Done.Error == nil || o.Done.Error.Name != "MemoryError" || !strings.Contains(o.Done.Error.Traceback, "<cell ") {
			t.Errorf("%s\ngives %+v %+v", code, o.Done, o.Done.Error)
		}
		if got := k.Text("len(bytearray(100 << 20)) and kept"); got != "1" {
			t.Errorf("afterwards: %s", got)
		}
	}
}

// TestNoDescriptorLeft proves that the first traceback, whose modules are not
// imported yet, can be made while the program holds every descriptor.
func TestNoDescriptorLeft(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	k.Run("import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (230, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))\nkept = []")
	for range 2 {
		done := k.Run("while True: kept.append(open('/dev/null'))").Done
		if done.Error == nil || strings.Join(done.Refused, " ") != "EMFILE" || !strings.Contains(done.Error.Traceback, "<cell ") {
			t.Errorf("got %q, %+v", done.Refused, done.Error)
		}
	}
}

// TestRefused proves that the kernel tells what the system refused, through
// whatever the program made of it.
func TestRefused(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	k.Run("import errno, sqlite3\nfull = sqlite3.OperationalError('full')\nfull.sqlite_errorcode = 13\n" +
		"class Odd(OSError):\n    errno = property(lambda self: 1 / 0)\n" +
		"class Loop(Exception):\n    @property\n    def __cause__(self): return Loop()")
	for _, c := range []struct{ code, want string }{
		{"raise OSError(errno.ENOSPC, 'x')", "ENOSPC"},
		{"try:\n    raise BlockingIOError(errno.EAGAIN, 'x')\nexcept OSError as e:\n    raise ValueError('mine') from e", "EAGAIN"},
		{"try:\n    raise OSError(errno.EMFILE, 'x')\nexcept OSError:\n    raise RuntimeError(\"can't start new thread\")", "thread EMFILE"},
		{"raise ExceptionGroup('two', [ValueError(), OSError(errno.EDQUOT, 'x'), OSError('short write')])", "EDQUOT write"},
		{"raise full", "ENOSPC"},
		{"raise Odd(errno.ENFILE, 'x')", "ENFILE"},
		{"raise Loop", ""},
		{"open('/nowhere/x')", ""},
		{"1 / 0", ""},
	} {
		done := k.Run(c.code).Done
		if done.Error == nil || strings.Join(done.Refused, " ") != c.want {
			t.Errorf("%s: got %q, %+v, want %q", c.code, done.Refused, done.Error, c.want)
		} else if !strings.Contains(done.Error.Traceback, "<cell ") {
			t.Errorf("%s: the traceback is %q", c.code, done.Error.Traceback)
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	k.Text(`import os, json
open("data one.csv", "w").close()
os.mkdir("data_dir")
class Trap:
    calls = 0
    def __init__(self): self.field = "text"
    @property
    def danger(self):
        Trap.calls += 1
        return ""
    def method(self): pass
trap = Trap()
table = {"alpha": 1, "alps": 2, 3: 4}
text_value = "x"
_private = 1`)
	for _, c := range []struct {
		code  string // the cursor stands at |
		start int
		want  []string // must be among the matches
		exact bool
	}{
		{"text_va|", 0, []string{"text_value"}, true},
		{"x = text_va|lue", 4, []string{"text_value"}, true},
		{"ä = text_va|", 4, []string{"text_value"}, true},
		{"retu|", 0, []string{"return"}, true},
		{"isinst|", 0, []string{"isinstance"}, true},
		{"_priv|", 0, []string{"_private"}, true},
		{"json.du|", 5, []string{"dump", "dumps"}, true},
		{"os.path.joi|", 8, []string{"join"}, true},
		{"text_value.sw|", 11, []string{"swapcase"}, true},
		{"trap.|", 5, []string{"calls", "danger", "field", "method"}, true},
		{"trap.field.upp|", 11, []string{"upper"}, true},
		{"trap.danger.upp|", 12, nil, true},
		{"Trap.me|", 5, []string{"method"}, true},
		{"trap.method.__fu|", 12, []string{"__func__"}, true},
		{"f().up|", 4, nil, true},
		{"import jso|", 7, []string{"json"}, false},
		{"import os, jso|", 11, []string{"json"}, false},
		{"from json import du|", 17, []string{"dump", "dumps"}, true},
		{"import xml.do|", 11, nil, true},
		{"table['al|", 7, []string{"alpha", "alps"}, true},
		{"open('data|", 6, []string{"data one.csv", "data_dir/"}, true},
		{"open('./data_|", 8, []string{"data_dir/"}, true},
		{"open('/no/such/fold|", 19, nil, true},
		{"# text_va|", 9, nil, true},
		{"'''x\ndata_|", 5, []string{"data_dir/"}, true},
		{"|", 0, []string{"trap", "print", "for"}, false},
		{"nothing_like_it|", 0, nil, true},
		{strings.Repeat("a", 100000) + "|", 0, nil, true},
		{strings.Repeat("from x import a,  ", 3000) + "!|", 54001, []string{"trap"}, false},
	} {
		before, after, _ := strings.Cut(c.code, "|")
		cursor := len([]rune(before))
		k.Send(map[string]any{"op": "complete", "id": 77, "code": before + after, "cursor": cursor})
		got := k.Until("completions").Done
		short := c.code[max(0, len(c.code)-30):]
		if got.ID != 77 || got.End != cursor {
			t.Errorf("%s: id %d, end %d", short, got.ID, got.End)
		}
		if got.Start != c.start && len(c.want) > 0 {
			t.Errorf("%s: start %d, want %d", short, got.Start, c.start)
		}
		if c.exact && !slices.Equal(got.Matches, c.want) && len(got.Matches)+len(c.want) > 0 {
			t.Errorf("%s: matches %q, want %q", short, got.Matches, c.want)
		}
		for _, want := range c.want {
			if !slices.Contains(got.Matches, want) {
				t.Errorf("%s: %q is not in %q", short, want, got.Matches)
			}
		}
		if len(got.Matches) > 500 {
			t.Errorf("%s: %d matches", short, len(got.Matches))
		}
	}
	if got := k.Text("Trap.calls"); got != "0" {
		t.Errorf("the property ran %s times", got)
	}
}

func TestSeeds(t *testing.T) {
	t.Parallel()
	const draw = "import random; [random.random() for _ in range(3)]"
	seed := map[string]any{"seed": 7, "deterministic": true}
	a, b, free := start(t, seed), start(t, seed), start(t, nil)
	first := a.Text(draw)
	if got := b.Text(draw); got != first {
		t.Errorf("two kernels of one seed draw %s and %s", first, got)
	}
	if got := free.Text(draw); got == first {
		t.Errorf("a kernel without a seed draws the same: %s", got)
	}
	free.Send(map[string]any{"op": "seed", "seed": 7})
	if got := free.Text(draw); got != first {
		t.Errorf("seeded later, a kernel draws %s, want %s", got, first)
	}
	// The same generator and the same entropy still must not draw the same.
	for _, k := range []*kernel{a, b} {
		k.Text("import random, tempfile; random.seed(1); n = next(tempfile._get_candidate_names())")
		k.Send(map[string]any{"op": "reseed", "entropy": "00ff"})
	}
	if one, two := a.Text(draw), b.Text(draw); one == two {
		t.Errorf("reseeded kernels both draw %s", one)
	}
	if got := a.Text("import tempfile; tempfile._name_sequence is None"); got != "True" {
		t.Errorf("the names of temporary files go on: %s", got)
	}
	if one, two := a.Text("import os; os.urandom(8)"), a.Text("os.urandom(8)"); one == two {
		t.Errorf("os.urandom repeats %s", one)
	}
}

func TestBackgroundTasks(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	k.Text(`import asyncio
ticks = 0
async def tick():
    global ticks
    while True:
        await asyncio.sleep(0.005)
        ticks += 1
        if ticks == 5:
            print("five ticks")
async def leaves():
    await asyncio.sleep(0.01)
    raise SystemExit
task = asyncio.create_task(tick())
other = asyncio.create_task(leaves());`)
	// Nothing is sent: the tasks run while the kernel waits.
	k.Listen(func(o cellResult) bool { return o.Stdout == "five ticks\n" })
	if got := k.Text("ticks >= 5, task.done()"); got != "(True, False)" {
		t.Errorf("ticks: %s", got)
	}
	if got := k.Text("task.cancel()\nawait asyncio.wait({task})\ntask.cancelled()"); got != "True" {
		t.Errorf("cancelled: %s", got)
	}
	if got := k.Text("asyncio.run(asyncio.sleep(0, 3))"); got != "3" {
		t.Errorf("asyncio.run: %s", got)
	}
}

// TestDisplayFromThread proves that frames of several threads stay whole.
func TestDisplayFromThread(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	o := k.Run(`import threading
def show(n):
    for i in range(20): display("x" * 20000 + str(n))
threads = [threading.Thread(target=show, args=(n,)) for n in range(5)]
for t in threads: t.start()
for t in threads: t.join()`)
	if len(o.Displays) != 100 || o.Done.Status != "ok" {
		t.Errorf("%d displays, %+v", len(o.Displays), o.Done)
	}
}

func TestEndOfControl(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	k.Text(`import atexit, threading, pathlib
atexit.register(lambda: pathlib.Path("left.txt").write_text("bye"))
threading.Thread(target=threading.Event().wait).start()`)
	if err := syscall.Shutdown(k.Control, syscall.SHUT_RDWR); err != nil {
		t.Fatal(err)
	}
	state, err := k.Cmd.Process.Wait()
	if err != nil || state.ExitCode() != 0 {
		t.Errorf("the kernel ended with %v, %v", state, err)
	}
	data, err := os.ReadFile(filepath.Join(k.Cmd.Dir, "left.txt"))
	if err != nil || string(data) != "bye" {
		t.Errorf("the atexit handler left %q, %v", data, err)
	}
}

func TestGarbageOnControl(t *testing.T) {
	t.Parallel()
	for name, frame := range map[string][]byte{
		"too long": {0xff, 0xff, 0xff, 0xff, '{'},
		"not JSON": append([]byte{0, 0, 0, 4}, "{{{{"...),
	} {
		t.Run(name, func(t *testing.T) {
			k := start(t, nil)
			if _, err := syscall.Write(k.Control, frame); err != nil {
				t.Fatal(err)
			}
			state, err := k.Cmd.Process.Wait()
			if err != nil || state.ExitCode() != 1 {
				t.Errorf("the kernel ended with %v, %v", state, err)
			}
		})
	}
}

// TestSignalHandlerWhenIdle proves that an exception of the program's handler does not end the kernel.
func TestSignalHandlerWhenIdle(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	k.Text(`import signal
def handler(*a): raise TimeoutError("late")
signal.signal(signal.SIGUSR1, handler);`)
	if err := k.Cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	k.Listen(func(o cellResult) bool { return strings.Contains(o.Stderr, "TimeoutError: late\n") })
	if got := k.Text("1 + 1"); got != "2" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestProgram checks that the assembled source is what the files hold.
func TestProgram(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"control", "streams", "errors", "pretty", "show", "hooks", "complete"} {
		if !strings.Contains(kernelSource(), `"`+name+`":`) {
			t.Errorf("part %s is not in the program", name)
		}
	}
	data, err := os.ReadFile("kernel.py")
	if err != nil || !bytes.HasSuffix([]byte(kernelSource()), data) {
		t.Errorf("the program does not end with kernel.py (%v)", err)
	}
	if strings.Contains(kernelSource(), "\x00") {
		t.Error("the program holds a null byte")
	}
}
