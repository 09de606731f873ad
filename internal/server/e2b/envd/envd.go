// Package envd is the daemon of E2B's sandboxes, as their clients know it at port 49983:
// processes and files. It runs on the host, beside the server, over the sessions of package
// live: nothing listens inside the guest for it.
//
// # Protocols
//
// Files are bytes of plain HTTP: GET and POST /files, with a token of the sandbox, or with an
// address that is signed by it. All else is Connect RPC with JSON: a unary call is a POST of
// one object, a stream a sequence of messages with five bytes before each, flags and length;
// the last has the flag 2 and says what failed.
//
// # Users
//
// A sandbox has one user, "user", whose home is /home/user. There is no root: programs would
// be no safer for it, and the sandbox has no use for it. A request for another user fails.
//
// # Processes
//
// A process goes on when its client is gone, until its own time is over. It goes on after the
// sandbox was paused and resumed, too; whoever follows it connects again.
package envd

import (
	"context"
	"encoding/base64"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/e2b/registry"
	"praxis/internal/server/e2b/target"
	"praxis/internal/server/observe"
)

// Port is where clients look for the daemon.
const Port = 49983

// Version is that of the daemon whose behaviour this one has: clients ask for no more.
const Version = "0.6.4"

// Config is what a Daemon needs.
type Config struct {
	Resolve target.Resolver
	// Token returns the access token of a sandbox.
	Token func(id string) string
	// Marks returns what clients noted of files, and Mark changes it.
	Marks func(id string) map[string]registry.Marks
	Mark  func(id string, f func(map[string]registry.Marks) error) error
	Now   func() time.Time // nil: the machine's
}

// Daemon answers for all sandboxes. Close must be called.
type Daemon struct {
	cfg  Config
	mux  *http.ServeMux
	stop context.CancelFunc
	over <-chan struct{}
	work sync.WaitGroup

	mu    sync.Mutex
	known map[string]*memory // by the ids of sandboxes
}

// memory is what the daemon knows of a sandbox while it runs.
type memory struct {
	started  map[string]started // by the ids of processes
	watchers map[string]*watcher
}

// New returns the daemon.
func New(cfg Config) *Daemon {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	ctx, stop := context.WithCancel(context.Background())
	d := &Daemon{cfg: cfg, mux: http.NewServeMux(), stop: stop, over: ctx.Done(), known: map[string]*memory{}}
	d.mux.HandleFunc("GET /health", d.health)
	d.mux.HandleFunc("GET /metrics", d.metrics)
	d.mux.HandleFunc("GET /envs", d.environ)
	d.mux.HandleFunc("GET /files", d.download)
	d.mux.HandleFunc("POST /files", d.upload)
	d.mux.HandleFunc("POST /files/compose", d.compose)
	for _, m := range append(d.processMethods(), d.fileMethods()...) {
		d.mux.HandleFunc("POST /"+m.name, func(w http.ResponseWriter, r *http.Request) { d.serveMethod(w, r, m) })
	}
	d.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		failHTTP(w, http.StatusNotFound, "cannot find "+safetext.Clip(safetext.Line(r.URL.Path), 200))
	})
	return d
}

// ServeHTTP answers a request for the daemon of a sandbox.
func (d *Daemon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	d.mux.ServeHTTP(w, r)
}

// Ended forgets a sandbox, which was paused or has ended.
func (d *Daemon) Ended(id string) {
	d.mu.Lock()
	m := d.known[id]
	delete(d.known, id)
	d.mu.Unlock()
	if m != nil {
		for _, w := range m.watchers {
			w.watch.Interrupt()
		}
	}
}

// Close ends what the daemon waits for.
func (d *Daemon) Close() {
	d.stop()
	d.work.Wait()
}

// of returns what is known of a sandbox. d.mu is held.
func (d *Daemon) of(id string) *memory {
	m := d.known[id]
	if m == nil {
		m = &memory{started: map[string]started{}, watchers: map[string]*watcher{}}
		d.known[id] = m
	}
	return m
}

// User is the one user of sandboxes, and Home its home.
const (
	User = "user"
	Home = "/home/user"
)

// open begins a call: it finds its sandbox, refuses who may not use it, and writes down what is
// asked for.
func (d *Daemon) open(r *http.Request, name string, writes bool) (*call, error) {
	s, err := d.cfg.Resolve(r)
	if err != nil {
		return nil, err
	}
	seen := observe.From(r.Context())
	seen.Operation, seen.Writes, seen.Object = "e2b.envd."+strings.TrimPrefix(name, "/"), writes, "session="+s.ID
	if !s.Authorized {
		return nil, &rpcError{codeUnknownUser, "unauthorized access, please provide a valid access token or method signing if supported"}
	}
	c := &call{Sandbox: s, user: basicUser(r.Header.Get("Authorization"))}
	if err := checkUser(c.user); err != nil {
		return nil, err
	}
	if writes {
		return c, s.Server.Audit.Begin(seen)
	}
	return c, nil
}

// basicUser returns the user that a header of basic authentication names; "": none.
func basicUser(header string) string {
	text, ok := strings.CutPrefix(header, "Basic ")
	if !ok {
		return ""
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(string(raw), ":")
	return name
}

// checkUser refuses users that sandboxes do not have.
func checkUser(name string) error {
	if name == "" || name == User {
		return nil
	}
	return &rpcError{codeUnknownUser, "invalid username: '" + safetext.Clip(safetext.Line(name), 60) + "': the only user of these sandboxes is 'user'"}
}

// locate turns a path of a client's into an absolute one: what is relative is in the home.
func locate(name string) (string, error) {
	switch {
	case strings.ContainsRune(name, 0):
		return "", fault.New(fault.Invalid, "", "a path has a zero byte")
	case name == "~" || name == "":
		return Home, nil
	case strings.HasPrefix(name, "~/"):
		name = name[2:]
	case strings.HasPrefix(name, "~"):
		return "", fault.New(fault.Invalid, "Name it by an absolute path.", "there is no other user's home")
	}
	if !path.IsAbs(name) {
		name = Home + "/" + name
	}
	return path.Clean(name), nil
}
