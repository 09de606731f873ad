package guest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
)

// toolHost is a host with a few tools.
type toolHost struct {
	mu      sync.Mutex
	calls   []string
	entered chan struct{} // a call of wait began
	leave   chan struct{} // closed to let wait go on
	left    chan error    // how a call of wait ended
}

func newToolHost() *toolHost {
	return &toolHost{entered: make(chan struct{}, 256), leave: make(chan struct{}), left: make(chan error, 256)}
}

const specFind = `{"name":"crm.find","version":"1.2.0","doc":"Find customers.\n\nBy region.","signature":"crm.find(region: str, limit: int = 10) -> list[dict]",
"stub":"def find(region: str, limit: int = 10) -> list[dict]: ...","parameters":[{"name":"region","type":"str","required":true},{"name":"limit","type":"int","required":false,"default":10}],"returns":"list[dict]"}`

const specNow = `{"name":"now","version":"1.0.0","doc":"The time.","signature":"now() -> str","stub":"def now() -> str: ...","parameters":[],"returns":"str"}`

const specEcho = `{"name":"echo","version":"1.0.0","parameters":[{"name":"value","required":false}]}`

func (d *toolHost) Tools(ctx context.Context, body json.RawMessage) (json.RawMessage, error) {
	var m struct {
		Do, Name, Tool, Version, ID, Query string
		Arguments                          json.RawMessage
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, err
	}
	switch m.Do {
	case "names":
		return json.RawMessage(`{"names":["crm.find","crm.sub.deep","echo","fail","now","wait"],"total":6}`), nil
	case "namespace":
		if m.Name == "crm" {
			return json.RawMessage(`{"tools":[` + specFind + `],"namespaces":["crm.sub"]}`), nil
		}
		return json.RawMessage(`{"tools":[],"namespaces":[]}`), nil
	case "search":
		return json.RawMessage(`{"tools":[{"name":"crm.find","version":"1.2.0","summary":"Find customers."}]}`), nil
	case "describe":
		switch m.Name {
		case "crm.find":
			return json.RawMessage(specFind), nil
		case "now":
			return json.RawMessage(specNow), nil
		case "fail":
			return json.RawMessage(strings.Replace(specEcho, "echo", "fail", 1)), nil
		case "wait":
			return json.RawMessage(strings.Replace(specEcho, "echo", "wait", 1)), nil
		}
		return json.RawMessage(specEcho), nil
	case "call":
		return d.call(ctx, m.Tool, m.Arguments)
	}
	return nil, fault.New(fault.Invalid, "", "cannot do %q", m.Do)
}

func (d *toolHost) call(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error) {
	d.mu.Lock()
	if len(arguments) < 1<<10 {
		d.calls = append(d.calls, tool+string(arguments))
	}
	d.mu.Unlock()
	switch tool {
	case "fail":
		var a struct{ Value string }
		if err := json.Unmarshal(arguments, &a); err != nil {
			return nil, err
		}
		if a.Value == "secret" {
			return nil, errors.New("the password is 1234")
		}
		for k := fault.Invalid; k <= fault.Internal; k++ {
			if k.String() == a.Value {
				return nil, fault.New(k, "Do better.", "cannot do it")
			}
		}
	case "wait":
		d.entered <- struct{}{}
		select {
		case <-d.leave:
			d.left <- nil
		case <-ctx.Done():
			d.left <- ctx.Err()
			return nil, ctx.Err()
		}
	case "now":
		return json.RawMessage(`{"result":"noon"}`), nil
	}
	return append(append([]byte(`{"result":`), arguments...), '}'), nil
}

// Connect sends back what it gets, in capitals, and "bye" at the end.
func (d *toolHost) Connect(_ context.Context, conn io.ReadWriteCloser) {
	buf := make([]byte, 64<<10)
	for {
		n, err := conn.Read(buf)
		if n > 0 {
			if _, err := conn.Write([]byte(strings.ToUpper(string(buf[:n])))); err != nil {
				return
			}
		}
		if err != nil {
			break
		}
	}
	if _, err := conn.Write([]byte("bye")); err != nil {
		return
	}
	_ = conn.(interface{ CloseWrite() error }).CloseWrite()
}

// freePort is a port that nobody listens at now.
func freePort(t testing.TB) int {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func expose(b *bed, d *toolHost) int {
	port := freePort(b.t)
	o := wire.Exposure{Tools: true, Net: true, Port: port, Environ: map[string]string{"PROXY_PORT": fmt.Sprint(port)}}
	if err := b.Expose(b.ctx(), o, d); err != nil {
		b.t.Fatal(err)
	}
	return port
}

var _ guest.Host = (*toolHost)(nil)

func TestToolsFromCode(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.want(`
try:
    import tools; tools.names()
except tools.Unavailable as e: r = str(e)
r`, `'this session has no tools\nGo on without them.'`)
	expose(b, newToolHost())
	b.want("from tools import crm, now; now()", "'noon'")
	b.want("crm.find('eu')", "{'region': 'eu'}")
	b.want("crm.find(region='eu', limit=3)", "{'region': 'eu', 'limit': 3}")
	b.want("import os; os.environ['PROXY_PORT'] != ''", "True")
}

func TestToolErrors(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	expose(b, newToolHost())
	b.run(`
import tools
def caught(f, *a, **k):
    try: f(*a, **k)
    except Exception as e: return e
`)
	b.want("e = caught(tools.fail, 'denied'); type(e).__name__, isinstance(e, PermissionError), e.kind, e.remedy, e.tool, str(e)",
		"('Denied', True, 'denied', 'Do better.', 'fail', 'fail: cannot do it\\nDo better.')")
	b.want("e = caught(tools.fail, 'invalid'); type(e).__name__, isinstance(e, ValueError)", "('InvalidArguments', True)")
	b.want("[type(caught(tools.fail, k)).__name__ for k in ('exhausted', 'unavailable', 'not_found', 'conflict')]",
		"['Exhausted', 'Unavailable', 'ToolError', 'ToolError']")
	b.want("'1234' in str(caught(tools.fail, 'secret')), caught(tools.fail, 'secret').kind", "(False, 'internal')")
	b.want("str(caught(tools.crm.find))", `"crm.find() missing 1 required positional argument: 'region'"`)
	b.want("str(caught(tools.crm.find, 'eu', limt=3)).partition('.')[2][:48]", `"find() got an unexpected keyword argument 'limt'"`)
	b.want("str(caught(getattr, tools.crm, 'fnd'))", "'no tool is called crm.fnd: did you mean crm.find or crm.sub?'")
	b.want("caught(tools.echo, 'x' * (100 << 20)).kind", "'exhausted'")
	b.want("tools.echo('still there')", "{'value': 'still there'}")
}

// What fits in no frame goes in pieces, both ways.
func TestLongCalls(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	expose(b, newToolHost())
	b.run("import tools")
	for _, n := range []int{10 << 10, 511 << 10, 513 << 10, 1 << 20, 5 << 20, 15 << 20} {
		b.want(fmt.Sprintf("x = 'é' + 'x' * %d; tools.echo(x)['value'] == x", n), "True")
	}
	b.want("from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as p: r = sum(p.map(lambda i: len(tools.echo('y' * 3_000_000)['value']), range(8)))\nr", "24000000")
}

func TestToolsFromThreadsAndProcesses(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	d := newToolHost()
	expose(b, d)
	b.run("import tools, os, subprocess, sys, asyncio")
	b.want("tools.map(lambda i: tools.echo(i)['value'], range(200), workers=32) == list(range(200))", "True")
	b.want("[r['value'] for r in await asyncio.gather(*[tools.echo.aio(i) for i in range(100)])] == list(range(100))", "True")
	b.want("subprocess.run([sys.executable, '-c', 'import tools; print(tools.now())'], capture_output=True, text=True, cwd='/').stdout", `'noon\n'`)
	b.want(`
import threading
def fork(i):
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try: os.write(w, str(tools.echo(i)['value']).encode())
        finally: os._exit(0)
    os.close(w)
    text = os.read(r, 100).decode(); os.close(r); os.waitpid(pid, 0)
    return text
busy = threading.Thread(target=lambda: [tools.echo(i) for i in range(200)]); busy.start()
r = [fork(i) for i in range(5)]
busy.join()
r, tools.echo(1)['value']`, "(['0', '1', '2', '3', '4'], 1)")
	// More processes than the agent has connections for: those that are idle give way.
	b.want(`
code = "import tools, sys; tools.now(); print('ready', flush=True); sys.stdin.read(1); print(tools.now())"
all = [subprocess.Popen([sys.executable, '-c', code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd='/') for _ in range(8)]
[p.stdout.readline() for p in all] == ['ready\n'] * 8 and tools.map(lambda i: tools.echo(i)['value'], range(64), workers=32) == list(range(64)) and [p.communicate('x')[0] for p in all] == ['noon\n'] * 8`, "True")
}

func TestAnInterruptCancelsACall(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	d := newToolHost()
	expose(b, d)
	b.run("import tools")
	ctx, cancel := context.WithCancel(b.ctx())
	go func() {
		<-d.entered
		cancel()
	}()
	x, err := b.Execute(ctx, wire.Execute{Code: "tools.wait()"}, nil)
	if err != nil || x.Status.String() != "interrupted" {
		t.Fatalf("got %v, %v", x.Status, err)
	}
	if err := <-d.left; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	b.want("tools.echo(7)", "{'value': 7}")
	b.run("import asyncio\nasync def f():\n    t = asyncio.create_task(tools.wait.aio()); await asyncio.sleep(0.2); t.cancel()\n    try: await t\n    except asyncio.CancelledError: pass\nawait f()")
	<-d.entered
	if err := <-d.left; !errors.Is(err, context.Canceled) {
		t.Errorf("the canceled task's call ended with %v", err)
	}
}

// Calls that are under way when the stream is reopened are answered all the same.
func TestCallsGoOnThroughACheckpoint(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	d := newToolHost()
	expose(b, d)
	b.run(`
import tools, threading
got = []
def wait(i):
    try: got.append(tools.wait(i))
    except Exception as e: got.append(repr(e))
waiting = [threading.Thread(target=wait, args=('z' * i,)) for i in (1, 2_000_000)]
for t in waiting: t.start()`)
	<-d.entered
	<-d.entered
	for range 3 {
		if err := b.Quiesce(b.ctx()); err != nil {
			t.Fatal(err)
		}
		if err := b.Hello(b.ctx(), wire.Hello{}); err != nil {
			t.Fatal(err)
		}
		b.want("tools.now()", "'noon'")
	}
	if err := b.Quiesce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	close(d.leave) // answered while nothing may be written
	<-d.left
	<-d.left
	if err := b.Hello(b.ctx(), wire.Hello{}); err != nil {
		t.Fatal(err)
	}
	b.want("for t in waiting: t.join()\nsorted(len(g['value']) for g in got)", "[1, 2000000]")
	if n := len(d.calls); n != 4 {
		t.Errorf("%d short calls came, want 4: %q", n, d.calls) // one wait and three times now, and none twice
	}
}

func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	d := newToolHost()
	expose(b, d)
	b.run(`
import tools, subprocess, sys
code = """
import tools, threading
ts = [threading.Thread(target=tools.wait, args=(i,)) for i in range(32)]
for t in ts: t.start()
for t in ts: t.join()
print('done')
"""
all = [subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE, text=True, cwd='/') for _ in range(2)]`)
	for range wire.MaxTools {
		<-d.entered
	}
	b.want("try: tools.now()\nexcept tools.Exhausted as e: r = e.kind\nr", "'exhausted'")
	close(d.leave)
	b.want("[p.communicate()[0] for p in all]", `['done\n', 'done\n']`)
	b.want("tools.now()", "'noon'")
}

func TestConnections(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	expose(b, newToolHost())
	b.run(`
import socket, os, tools
def connect(): return socket.create_connection(('127.0.0.1', int(os.environ['PROXY_PORT'])))
def rest(c): return b''.join(iter(lambda: c.recv(1 << 16), b''))`)
	b.want("c = connect(); c.sendall(b'abc'); a = c.recv(3); c.sendall(b'd'); c.shutdown(socket.SHUT_WR); a, rest(c)", "(b'ABC', b'Dbye')")
	b.want(`
import threading
def far(n):
    c = connect()
    t = threading.Thread(target=lambda: (c.sendall(b'x' * n), c.shutdown(socket.SHUT_WR)))
    t.start(); r = rest(c); t.join(); c.close()
    return len(r)
far(5_000_000), far(0)`, "(5000003, 3)")
	b.want("from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(100) as p: r = set(p.map(far, [70_000] * 100))\nr", "{70003}")
	// A connection does not live through a checkpoint, and says so by its end.
	b.run("c = connect(); c.sendall(b'abc'); c.recv(3)")
	if err := b.Quiesce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	if err := b.Hello(b.ctx(), wire.Hello{}); err != nil {
		t.Fatal(err)
	}
	b.want("c.settimeout(10); c.recv(10)", "b''")
	b.want("far(10)", "13")
	if err := b.Expose(b.ctx(), wire.Exposure{}, nil); err != nil {
		t.Fatal(err)
	}
	b.want("os.environ.get('PROXY_PORT'), os.environ.get('PRAXIS_TOOLS')", "(None, None)")
}

func TestATakenPort(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = b.Expose(b.ctx(), wire.Exposure{Net: true, Port: l.Addr().(*net.TCPAddr).Port}, newToolHost())
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}

// A file of the user's is his until tools are exposed, and is not hidden in silence.
func TestAModuleOfTheUsers(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run("open('tools.py', 'w').write('mine = 1')")
	b.want("import tools; tools.mine", "1")
	expose(b, newToolHost())
	x := b.run("import tools; tools.now()")
	if x.Result["text"] != "'noon'" || !strings.Contains(x.Stderr, "is hidden by it") {
		t.Errorf("got %q, %q", x.Result["text"], x.Stderr)
	}
	b.want("import subprocess, sys; subprocess.run([sys.executable, '-c', 'import tools; print(tools.mine)'], capture_output=True, text=True).stdout", `'1\n'`)
}

func TestExposuresThatCannotBe(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	for _, o := range []wire.Exposure{{Port: -1}, {Port: 70000}, {Environ: map[string]string{"a=b": ""}}, {Environ: map[string]string{"": ""}},
		{Environ: map[string]string{"a": "\x00"}}, {Environ: map[string]string{"a": strings.Repeat("x", wire.MaxEnvironBytes)}}} {
		if err := b.Expose(b.ctx(), o, newToolHost()); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%v: %v", o.Port, err)
		}
	}
	if err := b.Expose(b.ctx(), wire.Exposure{Tools: true}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("without a host: %v", err)
	}
}
