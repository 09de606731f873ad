package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/server/access"
	"praxis/internal/test/cpython"
)

// cutting cuts the connection of each client that follows something after a few pieces.
type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(b []byte) (int, error) {
	if c.left--; c.left < 0 {
		panic(http.ErrAbortHandler)
	}
	return c.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController find the connection.
func (c *cutting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// What the tours of the clients print.
const toured = `run: ok 12 characters
files: /work/sales.csv
read: 23 bytes
output: hello
output: again
stream: ok
fork: ok
error: not_found 404
code: print 8 units
answer: 8 units were sold. (verified)
record: whole
`

// tour runs the tour of a client against a server that loses its connections all the time.
func tour(t *testing.T, program string, args []string, env ...string) {
	t.Helper()
	w := newWorld(t)
	lost := 0
	cut := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/events") {
			lost++
			rw = &cutting{rw, 2}
		}
		w.s.Handler().ServeHTTP(rw, r)
	}))
	defer cut.Close()
	script := filepath.Join(t.TempDir(), "script.txt")
	if err := os.WriteFile(script, []byte("=== reply\n```python\nprint 8 units\n```\n=== reply\nFINAL ANSWER: 8 units were sold.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, append(args, "print hello\nprint again", "scripted:"+script)...)
	cmd.Env = append(os.Environ(), append(env, "PRAXIS_SERVER="+cut.URL, "PRAXIS_KEY="+w.key("default", access.Admin))...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	if got := string(out); got != toured {
		t.Errorf("got:\n%s\nwant:\n%s", got, toured)
	}
	if lost < 4 {
		t.Errorf("%d connections: nothing was resumed", lost)
	}
}

func clients(t *testing.T, names ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", "..", "clients"}, names...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// interrupted runs a program that is interrupted while it waits for code, and runs other code at
// once then: the session is free.
func interrupted(t *testing.T, program string, args []string, env ...string) {
	t.Helper()
	w := newWorld(t)
	web := httptest.NewServer(w.s.Handler())
	defer web.Close()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), append(env, "PRAXIS_SERVER="+web.URL, "PRAXIS_KEY="+w.key("default", access.Admin))...)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "interrupted\nfree\n" {
		t.Errorf("%v: %s", err, out)
	}
}

const interruptedPython = `
import signal, threading, time
from praxis_client import Praxis

def press(p, s):
    while not p.executions.list(s.id)["executions"]:
        time.sleep(0.01)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

with Praxis() as p, p.session() as s:
    threading.Thread(target=press, args=(p, s)).start()
    try:
        s.run("wait")
    except KeyboardInterrupt:
        print("interrupted")
    print(s.run("print free").stdout, end="")
`

const interruptedJavaScript = `
import { Praxis } from "%s";
const p = new Praxis();
const s = await p.session();
const stop = new AbortController();
const press = async () => {
  while ((await p.executions.list({ session: s.id })).executions.length === 0);
  stop.abort();
};
const [ran] = await Promise.allSettled([s.run("wait", { signal: stop.signal }), press()]);
if (ran.status === "rejected") console.log("interrupted");
process.stdout.write((await s.run("print free")).stdout);
await s.close?.();
`

// The tour of the Python client, and the client's own tests.
func TestPythonClient(t *testing.T) {
	python, err := cpython.Unpack()
	if err != nil {
		t.Skipf("there is no Python to run the client with: %v", err)
	}
	source := "PYTHONPATH=" + clients(t, "python", "src")
	cmd := exec.CommandContext(t.Context(), python, "-B", "-m", "unittest", "discover", "-s", clients(t, "python", "tests"))
	cmd.Env = append(os.Environ(), source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	tour(t, python, []string{"-B", clients(t, "python", "examples", "tour.py")}, source)
	interrupted(t, python, []string{"-B", "-c", interruptedPython}, source)
}

// The tour of the JavaScript client, and the client's own tests.
func TestJavaScriptClient(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("there is no Node to run the client with: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), node, "--test", clients(t, "javascript", "test"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	tour(t, node, []string{clients(t, "javascript", "examples", "tour.mjs")})
	interrupted(t, node, []string{"--input-type=module", "-e", fmt.Sprintf(interruptedJavaScript, clients(t, "javascript", "praxis.js"))})
}
