package tools

import (
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/session"
)

// hostileTests give tools and the way to them what nobody should.
func hostileTests(t *testing.T, w *world) {
	t.Run("bad tools", func(t *testing.T) {
		w.expect(t, `
import tools
from tools import bad
for name in ["hang", "flood", "lie", "die", "fail"]:
    try:
        print(name, getattr(bad, name)())
    except tools.ToolError as exc:
        print(name, type(exc).__name__, exc.kind, bool(exc.remedy), str(exc)[:90].replace("\n", " "))
print(bad.count() > 0)
`, "hang Unavailable unavailable", "flood Exhausted exhausted True", "lie Unavailable unavailable True", "die Unavailable unavailable", "fail Unavailable unavailable", "True")
	})
	t.Run("huge arguments", func(t *testing.T) {
		before := w.calls.Load()
		w.expect(t, `
import tools, socket, os
from tools import bad
for value in ["x" * 100_000_000, ["y" * 1000] * 100_000, {str(i): "z" * 100 for i in range(200_000)}, 10 ** 20_000_000 if False else "é" * 16_000_000]:
    try:
        bad.echo(value=value); print("taken")
    except tools.Exhausted as exc:
        print("refused", exc.kind, "limit" in str(exc) or "most" in str(exc))
deep = []
for _ in range(100_000): deep = [deep]
try:
    bad.echo(value=deep); print("taken")
except (tools.InvalidArguments, RecursionError) as exc:
    print("refused", type(exc).__name__)
del deep
print(bad.echo(value="x" * 8_000_000)["value"] == "x" * 8_000_000)
print(bad.count() > 0)
`, "refused exhausted True", "refused exhausted True", "refused exhausted True", "refused exhausted True", "refused", "True", "True")
		if got := w.calls.Load() - before; got != 1 {
			t.Errorf("counted %d calls", got)
		}
	})
	t.Run("threads and children", func(t *testing.T) {
		out := w.python(t, `
import threading, time, os, subprocess, sys, tools
from tools import bad
done = threading.Event()
def late():
    time.sleep(1)
    results.append(bad.count())
    done.set()
results = []
thread = threading.Thread(target=late, daemon=True); thread.start()
print("left")
`)
		if !strings.Contains(out, "left") {
			t.Errorf("printed %q", out)
		}
		w.expect(t, `
print(done.wait(20), len(results))
r, wr = os.pipe()
pid = os.fork()
if pid == 0:
    try:
        os.write(wr, b"child" if bad.count() > 0 else b"no")
    finally:
        os._exit(0)
os.waitpid(pid, 0); print(os.read(r, 10))
print(subprocess.run([sys.executable, "-c", "from tools import bad; print(bad.count() > 0)"], capture_output=True, text=True).stdout.strip())
threads = [threading.Thread(target=lambda: [bad.count() for _ in range(20)]) for _ in range(16)]
before = bad.count()
[t.start() for t in threads]; [t.join() for t in threads]
print(bad.count() - before)
`, "True 1", "b'child'", "True", "321")
	})
	t.Run("garbage", w.garbage)
	t.Run("a call that is interrupted", w.interrupted)
	t.Run("a loop", w.loop)
}

// garbage speaks to the socket of the tools what is no protocol.
func (w *world) garbage(t *testing.T) {
	before := w.calls.Load()
	w.expect(t, `
import socket, os, struct, json, random, tools
path = os.environ["PRAXIS_TOOLS"]
def say(data, wait=True, shut=True):
    s = socket.socket(socket.AF_UNIX); s.settimeout(20); s.connect(path)
    try:
        s.sendall(data)
        if shut: s.shutdown(socket.SHUT_WR)
        got = b""
        while wait:
            part = s.recv(65536)
            if not part: break
            got += part
        return got
    except OSError as exc:
        return type(exc).__name__.encode()
    finally:
        s.close()
def ask(data):
    s = socket.socket(socket.AF_UNIX); s.settimeout(20); s.connect(path); s.sendall(data)
    got = b""
    while len(got) < 5 or len(got) < 5 + int.from_bytes(got[:4]):
        part = s.recv(65536)
        if not part: break
        got += part
    s.close()
    return got
def frame(text): return struct.pack(">I", len(text)) + text
random.seed(1)
for _ in range(50): say(random.randbytes(random.randrange(1, 3000)))
say(b"\xff\xff\xff\xff" + b"x" * 100000)
say(struct.pack(">I", 16 << 20) + b"{" * 10)
say(b"\x00\x00\x00"); say(b"\x00\x00\x00\x00" * 1000); say(b"GET / HTTP/1.1\r\n\r\n")
for text in [b"", b"null", b"[]", b"3", b'"x"', b"{", b"{}", b'{"do":3}', b'{"do":"call"}', b'{"do":"nothing"}', b'{"do":"call","tool":"bad.count","arguments":[]}', b'{"do":"call","tool":"bad.count","arguments":{"x":1}}', b'{"do":"call","tool":"bad.nothing"}', b'{"do":"call","tool":"bad.count","again":true,"id":"never"}', b'{"do":"call","tool":"bad.count","again":true}', b'{"do":"result","id":"../../x"}', b'{"do":"namespace","name":"' + b"a." * 100000 + b'"}', b'{"do":"search","query":"' + b"count " * 100000 + b'","limit":-1}', b'{"do":"names"}' + b" " * 100 + b"x", b"[" * 1000000]:
    got = ask(frame(text)) if len(text) < 100000 else say(frame(text))
    assert len(got) < 1 << 20, (text[:50], len(got))
lines = [socket.socket(socket.AF_UNIX) for _ in range(200)]
for s in lines:
    s.settimeout(5)
    try: s.connect(path); s.sendall(b"\x00\x00")
    except OSError: pass
for s in lines: s.close()
print(tools.call("bad.count") > 0)
same = json.dumps({"do": "call", "tool": "bad.count", "arguments": {}, "id": "u-twice", "again": False}).encode()
first, second = ask(frame(same)), ask(frame(same))
print(first == second and b"result" in first, first[5:100])
unknown = ask(frame(b'{"do":"call","tool":"bad.count","again":true,"id":"never"}'))
print(unknown[5:])
`, "True", "True", "unavailable")
	if got := w.calls.Load() - before; got != 2 {
		t.Errorf("carried out %d times, want 2: one to see that it goes on, one for two askings", got)
	}
}

// interrupted gives a call up in the middle: it is recorded, and the session goes on.
func (w *world) interrupted(t *testing.T) {
	before := len(eventsOf[event.ToolReturned](w))
	x, err := w.s.Execute(t.Context(), "import tools\nwhile True:\n    try: tools.call('bad.hang')\n    except tools.ToolError: pass", session.Exec{Bounds: event.Bounds{Timeout: event.Duration(2 * time.Second)}}, event.Discard)
	if err != nil || x.Status != event.Timeout {
		t.Fatalf("%v, %+v", err, x)
	}
	w.expect(t, "print(bad.count() > 0)", "True")
	called, returned := eventsOf[event.ToolCalled](w), eventsOf[event.ToolReturned](w)
	for end := time.Now().Add(time.Minute); len(called) != len(returned) && time.Now().Before(end); called, returned = eventsOf[event.ToolCalled](w), eventsOf[event.ToolReturned](w) {
		time.Sleep(10 * time.Millisecond)
	}
	if len(called) != len(returned) || len(returned) == before {
		t.Errorf("%d calls were begun and %d ended", len(called), len(returned))
	}
}

// loop calls until the bound of the run: the code then gets a fault, each time and
// at once, and nothing is executed beyond the bound.
func (w *world) loop(t *testing.T) {
	const most = 2000
	w.expose(t.Context(), w.newGate(most))
	defer w.expose(t.Context(), w.gate)
	before := w.calls.Load()
	w.expect(t, `
import tools
from tools import bad
made, refused, last = 0, 0, None
for i in range(10_000):
    try:
        bad.count(); made += 1
    except tools.Exhausted as exc:
        refused += 1; last = exc
print(made, refused, last.kind)
print(last.message)
print(last.remedy)
`, "2000 8000 exhausted", "a run may make 2000 calls", "a list")
	if got := w.calls.Load() - before; got != most {
		t.Errorf("carried out %d times", got)
	}
}
