package tools

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/egress"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/record/journal"
	"praxis/internal/sandbox/gvisor"
	"praxis/internal/session"
	"praxis/internal/store/files"
	"praxis/internal/store/sqlite"
	"praxis/internal/test/prepared"
	"praxis/internal/tool"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/kind"
	"praxis/internal/tool/registry"
)

// world is what all tests share: a data folder, a run, its tools, and a session.
type world struct {
	t       *testing.T
	home    string // the data folder
	dir     string // of the files of tools
	journal *journal.Journal
	rec     *journal.Recorder
	reg     *registry.Registry
	gate    *gate.Gate
	net     *egress.Proxy
	s       *session.Session

	environ map[string]string // of the session
	secrets map[string]string // values that nobody may see, by what they are
	calls   atomic.Int64      // of the counting tool
	site    *httptest.Server  // plain
	safe    *httptest.Server  // TLS, under names
	echo    net.Listener      // that speaks no HTTP
	stopped chan struct{}     // gets a value when the server is sent "stop"
	address struct{ site, safe, echo string }

	mu          sync.Mutex
	events      []event.Event
	headersSeen []http.Header // the headers that the servers received
}

func (*world) Prepare(context.Context, *tool.Definition) error { return nil }
func (*world) Identity(*tool.Definition) string                { return "" }

// TestTools runs all that shares the session, in this order.
func TestTools(t *testing.T) {
	w := newWorld(t)
	for _, one := range []struct {
		name string
		run  func(*testing.T, *world)
	}{
		{"egress", egressTests},
		{"hostile", hostileTests},
		{"boxes", sandboxTests},
		{"canaries", canaryTests}, // last: it looks at all that the others left
	} {
		t.Run(one.name, func(t *testing.T) { one.run(t, w) })
	}
}

// canary is a value that must not be found anywhere but where it is needed. It
// has what programs escape.
func (w *world) canary(what string) string {
	if w.secrets[what] == "" {
		w.secrets[what] = fmt.Sprintf("cnry+%s/&<=\"%%~-5f3a9c17e0b24d68", what)
	}
	return w.secrets[what]
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, home: t.TempDir(), dir: t.TempDir(), secrets: map[string]string{}}
	w.serve()
	w.write()
	ctx := t.Context()
	w.keep()
	images, key, err := prepared.Images(w.home)
	w.must(err)
	t.Cleanup(func() { w.check(images.Close()) })
	machine, err := prepared.Programs(w.home, key)
	w.must(err)
	backend, err := gvisor.New(gvisor.Config{Dir: filepath.Join(w.home, "run"), Program: machine.Sandbox})
	w.must(err)
	t.Cleanup(func() { w.check(backend.Close()) })
	sessions, err := session.Open(session.Config{Dir: w.home, Languages: language.Table{python.Language()}, Backend: backend, Programs: machine.Store, Program: machine.Guest, Seals: key})
	w.must(err)
	t.Cleanup(func() { w.check(sessions.Close()) })
	img, err := images.Resolve(ctx, image.Request{}, event.Discard)
	if err != nil {
		t.Skipf("no image can be made here: %v", err)
	}
	w.tools(ctx, func(context.Context) (kind.Images, *session.Manager, error) { return images, sessions, nil })
	w.s, err = sessions.Create(ctx, session.Options{Image: img}, event.Discard)
	w.must(err)
	t.Cleanup(func() { w.check(w.s.Close()) })
	w.connect(ctx)
	w.expose(ctx, w.gate)
	return w
}

// keep opens the journal, in which no secret may be found.
func (w *world) keep() {
	store, err := files.Open(w.home, files.Options{})
	w.must(err)
	db, err := sqlite.Open(filepath.Join(w.home, "praxis.db"))
	w.must(err)
	w.t.Cleanup(func() { w.check(db.Close()) })
	w.journal, err = journal.Open(journal.Config{Logs: store.Logs(), Blobs: store.Blobs(), Index: db.Index(), Dir: w.home, Keys: filepath.Join(w.home, "keys"), Program: "test"})
	w.must(err)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Error(err)
	}
}

// Emit receives what is recorded, before secrets are taken out: of the gate and the
// proxy, which take them out themselves where they know them.
func (w *world) Emit(e event.Event) {
	w.mu.Lock()
	w.events = append(w.events, e)
	w.mu.Unlock()
	w.rec.Emit(e)
}

func eventsOf[E event.Event](w *world) []E {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []E
	for _, e := range w.events {
		if got, ok := e.(E); ok {
			out = append(out, got)
		}
	}
	return out
}

// serve starts the servers that the sandbox may reach.
func (w *world) serve() {
	answer := http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.headersSeen = append(w.headersSeen, r.Header.Clone())
		w.mu.Unlock()
		if r.URL.Path == "/slow" {
			out.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(30 * time.Second):
			}
			return
		}
		body, _ := io.ReadAll(r.Body)
		// A server that repeats what it was sent, in every form.
		fmt.Fprintf(out, "hello %s %s", r.Method, r.URL.Path)
		for _, name := range []string{"Authorization", "X-Secret"} {
			if v := r.Header.Get(name); v != "" {
				v = strings.TrimPrefix(v, "Bearer ")
				fmt.Fprintf(out, " %s", strings.Join(disguises(v), " "))
			}
		}
		_, _ = out.Write(body)
	})
	w.site, w.safe = httptest.NewServer(answer), httptest.NewTLSServer(answer)
	w.t.Cleanup(w.site.Close)
	w.t.Cleanup(w.safe.Close)
	var err error
	w.stopped = make(chan struct{}, 1)
	w.echo, err = net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	w.t.Cleanup(func() { _ = w.echo.Close() })
	go func() {
		for {
			conn, err := w.echo.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(io.MultiWriter(conn, stop(w.stopped)), conn)
			}()
		}
	}()
	w.address.site, w.address.safe, w.address.echo = w.site.Listener.Addr().String(), w.safe.Listener.Addr().String(), w.echo.Addr().String()
}

// names are hosts that the proxy's resolver knows.
type names map[string]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, ok := n[strings.TrimSuffix(host, ".")]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// connect makes the way out, once.
func (w *world) connect(ctx context.Context) {
	rules, err := egress.ParseRules([]string{w.address.site, w.address.echo, "example.com:443", "*.inside.test:80", "inside.test:80"})
	w.must(err)
	roots := x509.NewCertPool()
	roots.AddCert(w.safe.Certificate())
	placeholder := egress.NewPlaceholder()
	w.net, err = egress.New(egress.Config{
		Rules: rules, Sink: w, Roots: roots,
		Resolver: names{"example.com": "93.184.216.34", "inside.test": "127.0.0.1", "ten.inside.test": "10.0.0.1", "meta.inside.test": "169.254.169.254"},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address == "93.184.216.34:443" { // the safe server, whose certificate is of example.com
				address = w.address.safe
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		},
		Credentials: []egress.Credential{{
			Name: "SAFE_TOKEN", Host: "example.com", Header: "Authorization", PathPrefix: "/v1", Placeholder: placeholder,
			Value: func() (string, error) { return w.canary("credential"), nil },
		}},
	})
	w.must(err)
	w.t.Cleanup(func() { w.check(w.net.Close()) })
	const bundle = "/tmp/praxis-ca.pem"
	w.must(w.s.Use(ctx, func(c *guest.Client) error {
		_, err := c.WriteFile(ctx, bundle, strings.NewReader(string(w.net.CA())), 0o644)
		return err
	}))
	w.environ = w.net.Environ(wire.ProxyPort, bundle)
	w.environ["SAFE_TOKEN"] = placeholder
}

// expose gives the session the tools behind a gate, and the way out.
func (w *world) expose(ctx context.Context, g *gate.Gate) {
	w.must(w.s.Expose(ctx, wire.Exposure{Tools: true, Net: true, Environ: w.environ}, bridge.New(bridge.Config{Gate: g, Network: w.net})))
}

// newGate makes a gate of the run that lets so many calls through.
func (w *world) newGate(calls int) *gate.Gate {
	g, err := gate.New(gate.Config{
		Run: w.rec.ID(), Tools: w.reg.Set(), Caller: w, Sink: w, Redact: w.journal.Redact, Origins: []gate.Origin{gate.Code},
		MaxCalls: calls, Approver: everybody{},
	})
	w.must(err)
	return g
}

// tools opens the run and its tools.
func (w *world) tools(ctx context.Context, sandboxes kind.Sandboxes) {
	text, err := os.ReadFile(filepath.Join(w.dir, "tools.yaml"))
	w.must(err)
	declared := []registry.File{{Name: filepath.Join(w.dir, "tools.yaml"), Text: text}}
	getenv := func(name string) string { return w.secrets[name] }
	read := func(name string, _ int64) ([]byte, error) { return os.ReadFile(name) }
	secrets, err := registry.ReadSecrets(registry.Places{Getenv: getenv, ReadFile: read}, declared)
	w.must(err)
	hidden := secrets.Values()
	hidden["SAFE_TOKEN"] = w.canary("credential")
	w.journal.Hide(hidden)
	_, w.rec, err = w.journal.Begin(ctx, event.RunBegan{Kind: event.Code, Question: "the battery"}, event.Discard)
	w.must(err)
	w.reg, err = kind.Open(ctx, kind.Config{
		Secrets: secrets, Commands: true, Servers: true, CacheDir: filepath.Join(w.home, "wasm"), Sandboxes: sandboxes, Sink: event.Discard,
	}, declared)
	w.must(err)
	w.t.Cleanup(func() { w.check(w.reg.Close()) })
	if p := w.reg.Problems(); len(p) > 0 {
		w.t.Fatal(p)
	}
	w.gate = w.newGate(gate.DefaultCalls)
}

// everybody grants every call that needs an approval.
type everybody struct{}

func (everybody) Approve(context.Context, gate.Question) (gate.Answer, error) {
	return gate.Answer{Granted: true, By: gate.ByPolicy}, nil
}

// Call executes the tools of the registry, and those that are written here.
func (w *world) Call(ctx context.Context, c tool.Invocation) (any, error) {
	if w.reg.Implements(c.Tool) {
		return w.reg.Call(ctx, c)
	}
	switch c.Tool.Name {
	case "bad.count":
		return w.calls.Add(1), nil
	case "bad.echo":
		return c.Arguments, nil
	case "bad.hang":
		<-ctx.Done()
		return nil, ctx.Err()
	case "bad.flood":
		return strings.Repeat("flood", 4<<20), nil
	case "bad.lie":
		return "three", nil
	case "bad.die":
		panic("at work")
	case "bad.fail":
		return nil, errors.New("it broke on " + strings.Join(disguises(w.canary("ECHOED")), " "))
	case "bad.marked":
		return jsondoc.NewObject(jsondoc.Member{Name: "key", Value: w.canary("marked result")}), nil
	}
	return nil, fault.New(fault.NotFound, "", "nothing implements %s", c.Tool.Name)
}

// python runs code in the shared session and returns what it printed.
func (w *world) python(t *testing.T, code string) string {
	t.Helper()
	x, err := w.s.Execute(t.Context(), code, session.Exec{Bounds: event.Bounds{Timeout: event.Duration(60 * time.Second), OutputBytes: 1 << 20}}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if x.Status != event.OK || x.State != event.Intact {
		t.Fatalf("the code ended as %s (%s), the state is %s:\n%s\n%s\n%v", x.Status, x.Message, x.State, x.Stdout, x.Stderr, x.Error)
	}
	return x.Stdout + x.Stderr
}

// expect runs code, whose prints must be these lines.
func (w *world) expect(t *testing.T, code string, want ...string) {
	t.Helper()
	got := strings.Split(strings.TrimSpace(w.python(t, code)), "\n")
	if len(got) != len(want) {
		t.Errorf("printed %q, want %q", got, want)
		return
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("line %d is %q, want %q", i+1, got[i], want[i])
		}
	}
}

// buildWASM makes a module that repeats its environment.
func (w *world) buildWASM() string {
	src := filepath.Join(w.dir, "repeat")
	w.must(os.MkdirAll(src, 0o700))
	w.must(os.WriteFile(filepath.Join(src, "main.go"), []byte(`package main

import (
	"encoding/json"
	"os"
)

func main() {
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"env": os.Environ()})
}
`), 0o600))
	out := filepath.Join(w.dir, "repeat.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "main.go")
	cmd.Dir, cmd.Env = src, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("cannot build the module: %v\n%s", err, text)
	}
	return out
}

// stop gets a value when it is written "stop".
type stop chan struct{}

func (s stop) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("stop")) {
		select {
		case s <- struct{}{}:
		default:
		}
	}
	return len(p), nil
}
