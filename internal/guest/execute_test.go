package guest_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest/wire"
)

func TestExecute(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.want("x = 41\nx + 1", "42")
	b.want("x", "41")
	x := b.run("1/0")
	if x.Status != event.Error || x.Error == nil || x.Error.Name != "ZeroDivisionError" || x.State != event.Intact {
		t.Fatalf("got %+v", x)
	}
	if !strings.Contains(x.Error.Traceback, "1/0") {
		t.Errorf("traceback %q does not show the line", x.Error.Traceback)
	}
	x = b.exec(wire.Execute{Code: "5", Silent: true})
	if x.Status != event.OK || len(x.Result) != 0 {
		t.Errorf("silent: got %+v", x)
	}
	if x.Usage.WallMS < 0 || x.Usage.PeakMemoryBytes <= 0 {
		t.Errorf("usage is %+v", x.Usage)
	}
}

func TestOrderOfStreamsAndDisplays(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	rec := newRecorder()
	code := `
import sys, subprocess
for i in range(3):
    print("o", i)
    print("e", i, file=sys.stderr)
    display(i)
subprocess.run(["/bin/echo", "child"])
print("end", file=sys.stderr)
sys.stdout.buffer.write(b"\xff\xfe")
`
	x, err := b.Execute(b.ctx(), wire.Execute{Code: code}, rec)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"stdout:o 0\n", "stderr:e 0\n", "display:0", "stdout:o 1\n", "stderr:e 1\n", "display:1",
		"stdout:o 2\n", "stderr:e 2\n", "display:2", "stdout:child\n", "stderr:end\n", "stdout:\xff\xfe",
	}
	if got := strings.Join(rec.events, "|"); got != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", got, strings.Join(want, "|"))
	}
	if x.Stdout != "o 0\no 1\no 2\nchild\n\xff\xfe" || x.Stderr != "e 0\ne 1\ne 2\nend\n" || len(x.Displays) != 3 {
		t.Errorf("got %+v", x)
	}
}

func TestLargeDisplayAndResult(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	code := `
class Big:
    def __init__(self, n): self.n = n
    def __repr__(self): return "big"
    def _repr_html_(self): return "<b>" + "é" * (self.n // 2) + "</b>"
display(Big(3 << 20))
Big(3 << 20)`
	x := b.run(code)
	if x.Status != event.OK || len(x.Displays) != 1 {
		t.Fatalf("got %s %s, %d displays, %v", x.Status, x.Message, len(x.Displays), x.Error)
	}
	want := "<b>" + strings.Repeat("é", 3<<19) + "</b>"
	if x.Displays[0]["text/html"] != want || x.Result["text/html"] != want {
		t.Errorf("got %d and %d bytes of HTML, want %d", len(x.Displays[0]["text/html"]), len(x.Result["text/html"]), len(want))
	}
}

func TestOutputIsCut(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	const line = "0123456789abcdef\n"
	x := b.exec(wire.Execute{Code: "import sys\nprint('first')\nfor i in range(20000): sys.stdout.write('0123456789abcdef\\n')\nprint('last')", OutputBytes: 16 << 10})
	whole := "first\n" + strings.Repeat(line, 20000) + "last\n"
	if x.Status != event.OK || x.OutputFile == "" {
		t.Fatalf("got %s, file %q, %s", x.Status, x.OutputFile, x.Message)
	}
	head, rest, ok := strings.Cut(x.Stdout, "\n… [")
	if !ok || !strings.HasPrefix(whole, head) || len(head) != 12<<10 {
		t.Fatalf("the head has %d bytes: %q", len(head), x.Stdout[:100])
	}
	mark, tail, _ := strings.Cut(rest, "] …\n")
	if !strings.HasSuffix(whole, tail) || len(tail) != 4<<10 {
		t.Errorf("the tail has %d bytes", len(tail))
	}
	if want := fmt.Sprintf("%d bytes left out; the whole is in %s", len(whole)-len(head)-len(tail), x.OutputFile); mark != want {
		t.Errorf("mark is %q, want %q", mark, want)
	}
	var lines strings.Builder
	if _, err := b.ReadFile(b.ctx(), x.OutputFile, &lines); err != nil || lines.String() != whole {
		t.Errorf("the file has %d bytes, want %d: %v", lines.Len(), len(whole), err)
	}
	if x := b.exec(wire.Execute{Code: "print('x' * 10000)", OutputBytes: 16 << 10}); x.OutputFile != "" || len(x.Stdout) != 10001 {
		t.Errorf("output below the bound: %d bytes, file %q", len(x.Stdout), x.OutputFile)
	}
}

func TestOutputLimitStops(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run("kept = 7")
	x := b.exec(wire.Execute{Code: "import sys\nwhile True: sys.stdout.write('y' * 65536)", OutputBytes: 1000})
	if x.Status != event.OutputLimit || !strings.Contains(x.Message, "8 MiB") || x.State != event.Intact {
		t.Fatalf("got %s %s %q", x.Status, x.State, x.Message)
	}
	b.want("kept", "7")
}

func TestLateOutput(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run(`
import threading, os
go, gone = threading.Event(), threading.Event()
def late():
    go.wait(); os.write(1, b"late\n"); gone.set()
threading.Thread(target=late).start()`)
	// The thread writes while nothing runs or at the very start of the next
	// execution: either way the text is not lost and comes first.
	b.run("threading.Timer(0.2, go.set).start()")
	x := b.run("gone.wait(); print('now')")
	if x.Stdout != "late\nnow\n" {
		t.Errorf("got %q", x.Stdout)
	}
	_ = x
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run("kept = 1")
	for name, c := range map[string]struct {
		args  wire.Execute
		says  string
		state event.State
	}{
		"wall":     {wire.Execute{Code: "import time\nwhile True: time.sleep(0.01)", WallMS: 300}, "wall time limit of 300ms", event.Intact},
		"cpu":      {wire.Execute{Code: "while True: pass", CPUMS: 300}, "CPU time limit of 300ms", event.Intact},
		"swallows": {wire.Execute{Code: "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass", WallMS: 200}, "wall time limit of 200ms", event.Lost},
		"child":    {wire.Execute{Code: "import os\nos.system('sleep 100')", WallMS: 200}, "wall time limit of 200ms", event.Intact},
	} {
		b.run("kept = 1")
		began := time.Now()
		x := b.exec(c.args)
		if x.Status != event.Timeout || x.State != c.state || !strings.Contains(x.Message, c.says) {
			t.Errorf("%s: got %s %s %q", name, x.Status, x.State, x.Message)
		}
		if took := time.Since(began); took > 40*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
		if c.state == event.Intact {
			b.want("kept", "1")
		} else if x := b.run("kept"); x.Status != event.Error || x.Error.Name != "NameError" {
			t.Errorf("%s: the state was said to be lost, and kept is %v", name, x.Result)
		}
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run("kept = 5")
	rec := newRecorder()
	ctx, cancel := context.WithCancel(b.ctx())
	go func() {
		rec.waitFor(t, func(s string) bool { return strings.Contains(s, "running") })
		cancel()
	}()
	x, err := b.Execute(ctx, wire.Execute{Code: "import time\nprint('running', flush=True)\ntime.sleep(1000)"}, rec)
	if err != nil || x.Status != event.Interrupted || x.State != event.Intact {
		t.Fatalf("got %v, %+v", err, x)
	}
	b.want("kept", "5")
	if _, err := b.Execute(ctx, wire.Execute{Code: "1"}, nil); fault.KindOf(err) != fault.Canceled {
		t.Errorf("with a context that is over: %v", err)
	}
	if err := b.Client.Interrupt(b.ctx(), "main"); err != nil {
		t.Errorf("interrupt of an idle context: %v", err)
	}
	b.want("kept + 1", "6")
}

// socket finds the kernel's control channel, as hostile code may.
const socket = `
import os, stat, time
def is_socket(fd):
    try:
        return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:
        return False
sockets = [fd for fd in range(256) if is_socket(fd)]
`

func TestDeath(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	for _, c := range []struct {
		code, says string
		status     event.Status
	}{
		{"import os\nos._exit(3)", "exit code 3", event.Crashed},
		{"import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "signal 9", event.Killed},
		{"import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "signal 11", event.Crashed},
		{socket + "[os.close(fd) for fd in sockets]\ntime.sleep(100)", "control", event.Crashed},
		{socket + "[os.write(fd, b'\\xff' * 100) for fd in sockets]\ntime.sleep(100)", "control frame", event.Crashed},
		{socket + "[os.write(fd, b'\\x00\\x00\\x00\\x05garba') for fd in sockets]\ntime.sleep(100)", "control frame", event.Crashed},
	} {
		x := b.exec(wire.Execute{Code: "print('before')\n" + c.code})
		if x.Status != c.status || x.State != event.Lost || !strings.Contains(x.Message, c.says) || x.Stdout != "before\n" {
			t.Errorf("%q: got %s %s %q %q", c.code, x.Status, x.State, x.Message, x.Stdout)
		}
		b.want("6 * 7", "42")
	}
	x := b.run("import sys\nsys.exit(3)")
	if x.Status != event.Error || x.Error == nil || x.Error.Name != "SystemExit" || x.State != event.Intact {
		t.Errorf("sys.exit(3): %+v", x)
	}
	if x := b.run("sys.exit()"); x.Status != event.OK {
		t.Errorf("sys.exit(): %+v", x)
	}
}

func TestDeathWhileIdle(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run("import os, threading\nfirst = os.getpid()\nthreading.Timer(0.2, os._exit, [4]).start()")
	pid := b.pid("main")
	b.eventually("the kernel is another", func() bool { p := b.pid("main"); return p != 0 && p != pid })
	x := b.run("'first' in globals()")
	if x.Result["text"] != "False" || x.State != event.Lost || !strings.Contains(x.Message, "exit code 4") {
		t.Errorf("got %+v", x)
	}
	if x := b.run("1"); x.State != event.Intact || x.Message != "" {
		t.Errorf("the second execution after it: %+v", x)
	}
}

func (b *bed) pid(name string) int {
	list, err := b.Contexts(b.ctx())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range list {
		if c.Name == name {
			return c.PID
		}
	}
	return 0
}

// eventually looks again and again: nothing announces what it waits for.
func (b *bed) eventually(what string, ok func() bool) {
	b.t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("never: %s", what)
		}
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	b := start(t, func(s *wire.Setup) { s.Limits.Kernel, s.Limits.Memory = 1<<30, 300<<20 })
	b.run("kept = 1")
	x := b.run("a = bytearray(2 << 30)")
	if x.Status != event.Memory || x.State != event.Intact || !strings.Contains(x.Message, "1 GiB") || x.Error == nil {
		t.Errorf("MemoryError: got %s %s %q", x.Status, x.State, x.Message)
	}
	b.want("kept", "1")
	x = b.run("import time\na = b'x' * (600 << 20)\ntime.sleep(100)")
	if x.Status != event.Memory || x.State != event.Lost || !strings.Contains(x.Message, "300 MiB") {
		t.Errorf("guard: got %s %s %q", x.Status, x.State, x.Message)
	}
	x = b.run("import subprocess, sys\np = subprocess.run([sys.executable, '-c', 'import time; a = b\"x\" * (600 << 20); time.sleep(100)'])\np.returncode")
	if x.Status != event.OK || x.Result["text"] != "-9" || !strings.Contains(x.Message, "300 MiB") {
		t.Errorf("guard and a child: got %s %q %q", x.Status, x.Result["text"], x.Message)
	}
}

func TestContexts(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run("x = 1")
	if x := b.exec(wire.Execute{Context: "other", Code: "x = 2"}); x.Status != event.OK {
		t.Fatal(x)
	}
	b.want("x", "1")
	list, err := b.Contexts(b.ctx())
	if err != nil || len(list) != 2 || list[0].Name != "main" || list[1].Name != "other" || list[1].State != "idle" || list[0].Version == "" {
		t.Fatalf("got %+v, %v", list, err)
	}
	b.run("import os, signal")
	b.run("os.kill(" + strconv.Itoa(list[1].PID) + ", signal.SIGKILL)")
	for lost := ""; lost == ""; time.Sleep(time.Millisecond) {
		if list, err = b.Contexts(b.ctx()); err != nil || list[0].Lost != "" {
			t.Fatalf("got %+v, %v", list, err)
		}
		lost = list[1].Lost
	}
	if x := b.exec(wire.Execute{Context: "other", Code: "x"}); x.State != event.Lost || !strings.Contains(x.Message, list[1].Lost) {
		t.Errorf("after a kill: %+v, and %q", x, list[1].Lost)
	}
	if list, err = b.Contexts(b.ctx()); err != nil || list[1].Lost != "" {
		t.Errorf("told already: %+v, %v", list, err)
	}
	if err := b.Restart(b.ctx(), "other"); err != nil {
		t.Fatal(err)
	}
	if x := b.exec(wire.Execute{Context: "other", Code: "x"}); x.Status != event.Error || x.Error.Name != "NameError" {
		t.Errorf("after restart: %+v", x)
	}
	if err := b.RemoveContext(b.ctx(), "other"); err != nil {
		t.Fatal(err)
	}
	if err := b.RemoveContext(b.ctx(), "other"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("removed twice: %v", err)
	}
	if err := b.RemoveContext(b.ctx(), "main"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("removed main: %v", err)
	}
	if _, err := b.Execute(b.ctx(), wire.Execute{Context: "no/good", Code: "1"}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("bad name: %v", err)
	}
	for i := range 15 {
		b.exec(wire.Execute{Context: "c" + string(rune('a'+i)), Code: "1", Silent: true})
	}
	if _, err := b.Execute(b.ctx(), wire.Execute{Context: "one-more", Code: "1"}, nil); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("a seventeenth context: %v", err)
	}
}

func TestBusy(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	rec := newRecorder()
	done := make(chan event.Execution, 1)
	go func() {
		x, _ := b.Execute(b.ctx(), wire.Execute{Exec: "long", Code: "print('go', flush=True)\nimport time\ntime.sleep(1000)"}, rec)
		done <- x
	}()
	rec.waitFor(t, func(s string) bool { return s == "go\n" })
	if _, err := b.Execute(b.ctx(), wire.Execute{Code: "1"}, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a second execution: %v", err)
	}
	if _, err := b.Complete(b.ctx(), "main", "imp", 3); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a completion: %v", err)
	}
	if err := b.Restart(b.ctx(), "main"); err != nil {
		t.Fatal(err)
	}
	if x := <-done; x.Status != event.Interrupted || x.State != event.Lost {
		t.Errorf("the execution that a restart cut off: %+v", x)
	}
	b.want("1 + 1", "2")
}

func TestComplete(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run("some_long_name = 1")
	c, err := b.Complete(b.ctx(), "", "é = some_lo", 11)
	if err != nil || c.Start != 4 || c.End != 11 || len(c.Matches) != 1 || c.Matches[0] != "some_long_name" {
		t.Errorf("got %+v, %v", c, err)
	}
	if _, err := b.Complete(b.ctx(), "", "abc", 4); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a cursor outside: %v", err)
	}
}

func TestAttachAndReopen(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	rec := newRecorder()
	done := make(chan event.Execution, 1)
	errs := make(chan error, 1)
	go func() {
		x, err := b.Execute(b.ctx(), wire.Execute{Exec: "e1", Code: `
import time, os
for i in range(5):
    print("line", i, flush=True)
    while not os.path.exists(f"go{i}"): time.sleep(0.005)
"done"`}, rec)
		done <- x
		errs <- err
	}()
	for i := range 5 {
		want := "line " + string(rune('0'+i)) + "\n"
		rec.waitFor(t, func(s string) bool { return strings.HasSuffix(s, want) })
		if err := b.Quiesce(b.ctx()); err != nil {
			t.Fatal(err)
		}
		if i == 2 { // it goes on while the stream is quiet
			b.touch("go2")
		}
		if err := b.Hello(b.ctx(), wire.Hello{}); err != nil {
			t.Fatal(err)
		}
		if i != 2 {
			if _, err := b.WriteFile(b.ctx(), "go"+string(rune('0'+i)), strings.NewReader(""), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	x, err := <-done, <-errs
	if err != nil || x.Status != event.OK || x.Stdout != "line 0\nline 1\nline 2\nline 3\nline 4\n" || x.Result["text"] != "'done'" {
		t.Fatalf("got %+v, %v", x, err)
	}
	again, err := b.Attach(b.ctx(), "e1", 0, nil)
	if err != nil || again.Stdout != x.Stdout || again.Status != x.Status {
		t.Errorf("attached: %+v, %v", again, err)
	}
	again, err = b.Attach(b.ctx(), "e1", 2, nil)
	if err != nil || !strings.HasPrefix(again.Stdout, "line 2\n") {
		t.Errorf("attached after 2: %+v, %v", again, err)
	}
	if _, err := b.Attach(b.ctx(), "nobody", 0, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("attached to nothing: %v", err)
	}
	if _, err := b.Attach(b.ctx(), "e1", 99, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("attached after an event that was not: %v", err)
	}
}

func TestReseedAndSeed(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run("import random\nrandom.seed(1)\nstate = random.getstate()")
	if err := b.Hello(b.ctx(), wire.Hello{Reseed: "00112233445566778899aabbccddeeff"}); err != nil {
		t.Fatal(err)
	}
	b.want("random.getstate() == state", "False")
	seed := int64(7)
	s := b.Setup
	s.Deterministic, s.Seed = true, &seed
	if err := b.Client.Setup(b.ctx(), s); err != nil {
		t.Fatal(err)
	}
	first := b.run("import random, os\n(random.random(), hash('a'), os.environ['TZ'])").Result["text"]
	if err := b.Client.Setup(b.ctx(), s); err != nil {
		t.Fatal(err)
	}
	b.want("import random\nr = random.Random(7); r.random(); random.random() == r.random()", "True")
	c := start(t, func(s *wire.Setup) { s.Deterministic, s.Seed = true, &seed })
	c.want("import random, os\n(random.random(), hash('a'), os.environ['TZ'])", first)
}

func TestSetupAgainChangesLimits(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	s := b.Setup
	s.Limits.Kernel, s.Limits.OpenFiles, s.Limits.CPUs = 1<<30, 77, 0.5
	if err := b.Client.Setup(b.ctx(), s); err != nil {
		t.Fatal(err)
	}
	b.want("import resource\n[resource.getrlimit(r)[0] for r in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)]", "[1073741824, 77, 0]")
	b.want("import os, subprocess\n(os.sched_getaffinity(0), os.process_cpu_count(), subprocess.run(['nproc'], capture_output=True).stdout)", "({0}, 1, b'1\\n')")
}

func TestPreloadErrors(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	s := b.Setup
	s.Kernels = slices.Clone(s.Kernels)
	s.Kernels[0].Preload = []string{"json"}
	if err := b.Client.Setup(b.ctx(), s); err != nil {
		t.Fatal(err)
	}
	s.Kernels[0].Preload, s.Deterministic = []string{"json", "no_such_module"}, true
	if err := b.Client.Setup(b.ctx(), s); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "no_such_module") {
		t.Errorf("got %v", err)
	}
	b.want("import sys; 'json' in sys.modules", "True")
}

func TestNoInterpreter(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	s := b.Setup
	s.Kernels = slices.Clone(s.Kernels)
	s.Kernels[0].Command = []string{"/nowhere/python3"}
	s.Deterministic = true
	if err := b.Client.Setup(b.ctx(), s); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "/nowhere/python3") {
		t.Errorf("got %v (%s)", err, fault.KindOf(err))
	}
	if x := b.run("1"); x.Status != event.Crashed || !strings.Contains(x.Message, "/nowhere/python3") {
		t.Errorf("got %+v", x)
	}
}
