// Package server is one process that owns sessions and runs for many users: it opens the data
// of each tenant, and puts the doors before it over HTTP.
//
// It listens on loopback unless it has certificates or is explicitly allowed to speak in the
// clear. Every call needs a key. A request whose Host is a name that the server was not given
// is refused, so that a page in a browser cannot reach a server at loopback under a name of
// its own (DNS rebinding); there are no cookies, and nothing is allowed across origins.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/audit"
	"praxis/internal/server/e2b"
	"praxis/internal/server/live"
	"praxis/internal/server/mcp"
	"praxis/internal/server/observe"
	"praxis/internal/server/oidc"
	"praxis/internal/server/openai"
	"praxis/internal/server/ports"
	"praxis/internal/server/rest"
	"praxis/internal/server/rpc"
	"praxis/internal/server/trace"
	"praxis/internal/server/usage"
	"praxis/internal/server/vault"
)

// Config is what a Server needs. Home and Open must be set.
type Config struct {
	Home    string // the data folder: that of the default tenant, and in tenants/ those of the others
	Version string
	// Open opens what Praxis can do for a tenant.
	Open func(t Tenant) (*app.App, error)
	// Hosts are the names, beside addresses and localhost, under which it may be asked.
	Hosts []string
	// Ports is the domain below which ports of sessions answer; "": they cannot be reached.
	Ports string
	// E2B says how programs of E2B's clients are served; nil: they are not.
	E2B *E2B
	// Requests are those that a tenant may make in a second, and Burst those that it may make
	// at once; 0: the defaults.
	Requests float64
	Burst    int
	// Quota is how much each tenant may use; one may have less.
	Quota access.Quota
	// OpenMetrics lets clients at loopback read the metrics without a key.
	OpenMetrics bool
	// OIDC says whose tokens are accepted beside keys; without an issuer: nobody's.
	OIDC oidc.Config
	// Idle, Sessions, Stored and Runs bound what lives of a tenant: see live.Config.
	Idle                   time.Duration
	Sessions, Stored, Runs int
	Tools                  app.ToolSpec
	Net                    app.NetSpec
	FileModels             bool
	Models                 func(ctx context.Context) []app.ProviderModels
	Prices                 app.PriceTable // that costs are counted by
	Traces                 trace.Config   // where traces go
	// Local says that the program's own caller alone is answered, by the doors of Local and LocalMCP.
	// What is known of its sessions lies in a folder of its own then, so that several such programs
	// work over one data folder, beside a server.
	Local bool
	// Served is called for each request that was answered, Failed with what went wrong while nobody
	// waited for it, of which tenant and which session, if it is one's. They may be nil.
	Served func(observe.Request)
	Failed func(tenant, session string, err error)
	Now    func() time.Time // nil: the machine's
}

// Tenant is what an App is opened with for a tenant.
type Tenant struct {
	Name string
	Home string // its data folder
	// Watch receives what happens in its runs.
	Watch func(ctx context.Context, run string) event.Sink
	// Environ are its secrets, NAME=text: variables that its runs read before the server's own.
	Environ []string
	// Disk is how many bytes its data folder may have; 0: any number.
	Disk int64
}

// The defaults of a Config, and bounds of HTTP.
const (
	DefaultRequests = 200
	DefaultBurst    = 400
	maxHeader       = 64 << 10
	maxBodies       = 256 << 20        // bytes of requests that are read into memory at a time
	stopFor         = 10 * time.Second // requests that go on when the server stops
)

// patience is how long a client is waited for.
type patience struct {
	header time.Duration // until the header of a request is there
	body   time.Duration // for a piece of a body
	idle   time.Duration // between requests
}

// usual is the patience of every server but those of tests.
func usual() patience {
	return patience{header: 10 * time.Second, body: 30 * time.Second, idle: 2 * time.Minute}
}

// Folder is where a server keeps its keys and what it knows of sessions, below a data folder.
const Folder = "server"

// auditFolder is where the audit log is, below Folder.
const auditFolder = "audit"

// Audit returns the folder of the audit log of the server over a data folder.
func Audit(home string) string { return filepath.Join(home, Folder, auditFolder) }

// firstKey is the file of the key that was made at the first start.
const firstKey = "key"

// lockFile is locked, below Folder, by the process that serves a data folder.
const lockFile = "lock"

// Server owns what lives.
type Server struct {
	cfg     Config
	folder  string   // below the data folder of a tenant, where the server has what it knows
	lock    *os.File // that nobody else serves the data folder
	shared  *api.Server
	issuer  *oidc.Issuer // nil: no tokens are accepted
	wait    patience
	handler http.Handler
	quotas  *access.Tenants
	counts  *counts
	traces  *trace.Exporter // nil: nothing is traced
	probe   probe
	doors   rest.Config
	mcp     *mcp.HTTP
	e2b     *e2b.Door // nil: E2B's clients are not served

	mu      sync.Mutex
	tenants map[string]*opening
	limits  map[string]*rate.Limiter
	closed  bool
}

// opening is a tenant that is open, or is being opened.
type opening struct {
	once   sync.Once
	tenant atomic.Pointer[api.Tenant] // nil until it is open
	err    error                      // read it after once
	lock   *os.File                   // of its data folder; nil: that of the server is
}

// New opens the keys. Close must be called. Faults: FolderServed, when another process serves
// the data folder.
func New(cfg Config) (*Server, error) {
	if cfg.Failed == nil {
		cfg.Failed = func(string, string, error) {}
	}
	if cfg.Served == nil {
		cfg.Served = func(observe.Request) {}
	}
	if cfg.Requests <= 0 {
		cfg.Requests = DefaultRequests
	}
	if cfg.Burst <= 0 {
		cfg.Burst = DefaultBurst
	}
	if cfg.Models == nil {
		cfg.Models = func(context.Context) []app.ProviderModels { return nil }
	}
	folder, lock, err := Folder, (*os.File)(nil), error(nil)
	if cfg.Local {
		folder, lock, err = ownLocal(cfg.Home)
	} else {
		lock, err = own(cfg.Home, Folder)
	}
	if err != nil {
		return nil, err
	}
	s, err := newServer(cfg, folder)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s.lock = lock
	return s, nil
}

// maxLocal bounds how many programs have a folder of their own at a time.
const maxLocal = 64

// ownLocal finds a folder that no other program of its kind has. The first one that starts has
// what the last one left, so that its sessions and runs go on.
func ownLocal(home string) (folder string, lock *os.File, err error) {
	for n := range maxLocal {
		folder = filepath.Join("local", strconv.Itoa(n+1))
		if lock, err = own(home, folder); fault.CodeOf(err) != fault.FolderServed {
			break
		}
	}
	return folder, lock, err
}

// own says that this process alone has a folder of a data folder, until what it returns is closed.
// The sessions that another has would be taken for lost, and what both know of them would be
// written over by each.
func own(home, folder string) (*os.File, error) {
	dir := filepath.Join(home, folder)
	if err := atomicfile.Make(dir); err != nil {
		return nil, err
	}
	lock, err := atomicfile.Lock(filepath.Join(dir, lockFile))
	switch {
	case errors.Is(err, atomicfile.ErrLocked):
		return nil, fault.Coded(fault.FolderServed, fault.Data{"folder": home}, "cannot serve %s: another process does", safetext.Line(home))
	case err != nil:
		return nil, fmt.Errorf("cannot serve %s: %w", safetext.Line(home), err)
	}
	return lock, nil
}

// disown lets another process serve a folder, once.
func disown(lock *os.File) error {
	if err := lock.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// newServer opens the keys of a data folder that nobody else serves.
func newServer(cfg Config, folder string) (*Server, error) {
	keys, err := access.Open(filepath.Join(cfg.Home, folder), cfg.Now)
	if err != nil {
		return nil, err
	}
	quotas, err := access.OpenTenants(filepath.Join(cfg.Home, Folder))
	if err != nil {
		return nil, err
	}
	log, err := audit.Open(filepath.Join(cfg.Home, folder, auditFolder), cfg.Now)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, folder: folder, wait: usual(), quotas: quotas, tenants: map[string]*opening{}, limits: map[string]*rate.Limiter{}}
	s.shared = &api.Server{Version: cfg.Version, Keys: keys, Audit: log, Tools: cfg.Tools, Net: cfg.Net, FileModels: cfg.FileModels, Models: remembered(cfg.Models, cfg.Now), Prices: cfg.Prices, Quota: s.quota}
	if err := s.openDoors(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return s, nil
}

// modelsFor is how long what providers said of their models is believed, and modelsWithin how long
// they may take to say it.
const (
	modelsFor    = time.Minute
	modelsWithin = 20 * time.Second
)

// remembered returns models so that many callers have the providers asked once in a while. now is
// the clock; nil: the machine's.
func remembered(models func(context.Context) []app.ProviderModels, now func() time.Time) func(context.Context) []app.ProviderModels {
	if now == nil {
		now = time.Now
	}
	turn := make(chan struct{}, 1)
	var at time.Time
	var list []app.ProviderModels
	return func(ctx context.Context) []app.ProviderModels {
		turn <- struct{}{}
		defer func() { <-turn }()
		if at.IsZero() || now().Sub(at) > modelsFor {
			ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), modelsWithin) // others wait for it, too
			list = models(ctx)
			stop()
			at = now()
		}
		return slices.Clone(list)
	}
}

// openDoors makes what answers requests.
func (s *Server) openDoors() (err error) {
	if cfg := s.cfg.OIDC; cfg.Issuer != "" {
		cfg.Now, cfg.Failed = s.cfg.Now, func(err error) { s.cfg.Failed("", "", err) }
		if s.issuer, err = oidc.New(cfg); err != nil {
			return err
		}
	}
	if s.cfg.Ports != "" {
		if s.shared.Ports, err = ports.New(s.cfg.Ports, s.secret); err != nil {
			return err
		}
	}
	s.traces = trace.New(s.cfg.Traces, s.cfg.Version, func(err error) { s.cfg.Failed("", "", err) })
	s.counts = newCounts(s)
	s.doors = rest.Config{Server: s.shared, Caller: s.caller, Tenant: s.tenant, Admit: s.admit, Served: s.served, Bodies: rest.NewBodies(maxBodies)}
	mux := http.NewServeMux()
	mux.Handle("/", rest.New(s.doors))
	mux.Handle("/rpc", rpc.New(s.doors))
	mux.Handle(openai.Prefix+"/", openai.New(s.doors))
	s.mcp = mcp.New(s.doors, s.trusts)
	mux.Handle(mcp.Path, s.mcp)
	mux.HandleFunc(healthRoute, healthz)
	mux.HandleFunc(readyRoute, s.readyz)
	mux.HandleFunc(metricsRoute, s.metrics)
	s.handler = s.guard(mux)
	return s.openE2B()
}

// caller returns the key that a text of a request stands for: a key of this server, or a token
// of the issuer that it trusts.
func (s *Server) caller(ctx context.Context, text string) (access.Key, error) {
	if s.issuer != nil && oidc.IsToken(text) {
		return s.issuer.Check(ctx, text)
	}
	return s.shared.Keys.Check(e2b.Key(text))
}

// secret says whether something in a text lets its bearer in.
func (s *Server) secret(text string) bool {
	return access.Contains(text) || e2b.ContainsKey(text) || s.issuer != nil && s.issuer.Contains(text)
}

// FirstKey makes a key with every right when there is none, and stores its text in a file
// that only the owner of the data folder can read. made is false when there are keys already;
// text is then that of the first key, or "" when its file is gone.
func (s *Server) FirstKey() (text, file string, made bool, err error) {
	file = filepath.Join(s.cfg.Home, Folder, firstKey)
	list, err := s.shared.Keys.List()
	if err != nil {
		return "", file, false, err
	}
	if len(list) > 0 {
		data, err := atomicfile.ReadSecret(file, 1<<10)
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return strings.TrimSpace(string(data)), file, false, err
	}
	text, _, err = s.shared.Keys.Add(access.Key{Name: "first", Scopes: []access.Scope{access.Admin}})
	if err == nil {
		err = atomicfile.WriteFile(file, []byte(text+"\n"))
	}
	return text, file, true, err
}

// tenant returns what belongs to a tenant, and opens it when it is first needed.
func (s *Server) tenant(_ context.Context, name string) (*api.Tenant, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, fault.New(fault.Unavailable, "Try again when it has started anew.", "cannot begin anything: the server is stopping")
	}
	o := s.tenants[name]
	if o == nil {
		o = &opening{}
		s.tenants[name] = o
	}
	s.mu.Unlock()
	o.once.Do(func() {
		var t *api.Tenant
		t, o.lock, o.err = s.open(name)
		o.tenant.Store(t)
	})
	if o.err != nil {
		s.mu.Lock()
		if s.tenants[name] == o {
			delete(s.tenants, name) // the next call tries again
		}
		s.mu.Unlock()
	}
	return o.tenant.Load(), o.err
}

// open opens the data of a tenant. The lock of its folder is nil where it is the server's own.
func (s *Server) open(name string) (t *api.Tenant, lock *os.File, err error) {
	home := s.cfg.Home
	if name != access.DefaultTenant {
		home = filepath.Join(s.cfg.Home, "tenants", name)
		if lock, err = own(home, s.folder); err != nil {
			return nil, nil, err
		}
	}
	if t, err = s.openIn(name, home); err != nil && lock != nil {
		return nil, nil, errors.Join(err, lock.Close())
	}
	return t, lock, err
}

// openIn opens the data of a tenant in its folder.
func (s *Server) openIn(name, home string) (*api.Tenant, error) {
	dir := filepath.Join(home, s.folder)
	quota, _, err := s.quota(access.Key{Tenant: name})
	if err != nil {
		return nil, err
	}
	secrets, err := vault.Open(filepath.Join(s.cfg.Home, Folder))
	if err != nil {
		return nil, err
	}
	environ, err := secrets.Environ(name)
	if err != nil {
		return nil, err
	}
	used, err := usage.Open(filepath.Join(dir, "usage.json"), s.cfg.Now, func(err error) { s.cfg.Failed(name, "", err) })
	if err != nil {
		return nil, err
	}
	a, err := s.cfg.Open(Tenant{Name: name, Home: home, Environ: environ, Disk: quota.Disk, Watch: func(ctx context.Context, run string) event.Sink { return s.watch(ctx, used, run) }})
	if err != nil {
		return nil, errors.Join(err, used.Close())
	}
	h, err := live.Open(live.Config{
		App: a, Dir: filepath.Join(dir, "sessions"), Idle: s.cfg.Idle, Most: s.cfg.Sessions, Stored: s.cfg.Stored, Runs: s.cfg.Runs,
		Admit: s.begins(name, used), Bounds: s.bounds(name), Executed: func(ctx context.Context) event.Sink { return s.watch(ctx, used, "") },
		Failed: func(session string, err error) { s.cfg.Failed(name, session, err) },
	})
	if err != nil {
		return nil, errors.Join(err, a.Close(), used.Close())
	}
	t := &api.Tenant{Name: name, App: a, Hub: h, Dir: dir, Usage: used}
	// The runs that went on when the server ended go on without anybody asking for it.
	own := &api.Call{Key: access.Key{ID: "server", Tenant: name}, Tenant: t, Server: s.shared}
	if err := h.Recover(own.GoOn); err != nil {
		s.cfg.Failed(name, "", err)
	}
	return t, nil
}

// Recover opens the tenants whose runs went on when the server ended, so that they go on before
// anybody asks after them.
func (s *Server) Recover(ctx context.Context) error {
	var failed error
	runs := path.Join(filepath.ToSlash(s.folder), live.RunsFolder, "*.json")
	for _, pattern := range []string{runs, path.Join("tenants", "*", runs)} {
		found, err := fs.Glob(os.DirFS(s.cfg.Home), pattern) // the data folder's own name is no pattern
		failed = errors.Join(failed, err)
		for _, file := range found {
			name := access.DefaultTenant
			if below, ok := strings.CutPrefix(file, "tenants/"); ok {
				name, _, _ = strings.Cut(below, "/")
			}
			if _, err := s.tenant(ctx, name); err != nil {
				failed = errors.Join(failed, err)
			}
		}
	}
	return failed
}

// guard refuses what no door should see, tells of every request that was answered, and takes
// what is for a port of a session apart from what is for the server: no other name leads to
// such a port, and such a name nowhere else. Who asks, and for what, is written down by the doors.
func (s *Server) guard(next http.Handler) http.Handler {
	return s.observed(func(w http.ResponseWriter, r *http.Request) {
		seen := observe.From(r.Context())
		if s.shared.Ports != nil {
			if p, named := s.shared.Ports.Find(r.Host); named {
				seen.Operation = "ports.answer"
				s.servePort(w, r, p)
				return
			}
		}
		if !s.knows(r.Host) {
			seen.Failed(fault.New(fault.Denied, "", "another host is meant"))
			http.Error(w, "cannot answer: this server is not known as "+safetext.Clip(safetext.Line(r.Host), 100), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// observed tells of every request that was answered, and bounds how long a client may take to
// send its body.
func (s *Server) observed(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := observe.NewRequest(observe.ParseSpan(r.Header.Get("Traceparent")))
		seen.Method = r.Method
		w.Header().Set("X-Request-Id", seen.ID)
		out := &statusWriter{ResponseWriter: w}
		r = r.WithContext(observe.With(r.Context(), seen))
		defer func() { // a handler that gives a connection up panics
			seen.Route, seen.Status, seen.Took = r.Pattern, out.status, time.Since(seen.Began)
			s.served(*seen)
		}()
		if r.Body != nil && r.Body != http.NoBody {
			body := &slowBody{r.Body, http.NewResponseController(w), s.wait.body}
			body.wait() // also for what nobody reads: the rest of a body is awaited before an answer
			r.Body = body
		}
		// A request that says twice how long it is, or in a way that others do not know, may have
		// been taken for a longer one by a proxy. What follows it is not answered.
		if len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1) {
			w.Header().Set("Connection", "close")
		}
		next(out, r)
	})
}

// servePort answers a request for a port of a session; nil: for one that is not open.
func (s *Server) servePort(w http.ResponseWriter, r *http.Request, p *ports.Port) {
	if p == nil {
		http.Error(w, "cannot show this port: it was not opened, or its time is over", http.StatusNotFound)
		return
	}
	observe.From(r.Context()).Tenant = p.Tenant
	if err := s.admit(access.Key{Tenant: p.Tenant}); err != nil {
		w.Header().Set("Retry-After", "2")
		http.Error(w, fault.Of(err).Message, http.StatusTooManyRequests)
		return
	}
	p.ServeHTTP(w, r)
}

// served is called for each request that was answered.
func (s *Server) served(r observe.Request) {
	if err := s.shared.Audit.End(&r); err != nil {
		s.cfg.Failed(r.Tenant, "", err)
	}
	s.counts.request(&r)
	if !probing(r.Route) {
		s.traces.Request(&r)
	}
	s.cfg.Served(r)
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader sends the status. An answer may have no body, or one that comes late: a connection
// that was used before still has the time of its last answer, which may be over.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 || w.status == http.StatusContinue {
		w.status = status
	}
	rest.Deadline(w.ResponseWriter)
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a piece of the answer.
func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController find the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// knows says whether a Host header names this server.
func (s *Server) knows(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	return name == "localhost" || net.ParseIP(name) != nil || slices.Contains(s.cfg.Hosts, name)
}

// trusts says whether a page of an origin may make a request: one of this server's own names, or
// of this machine.
func (s *Server) trusts(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	name := strings.ToLower(u.Hostname())
	ip := net.ParseIP(name)
	return strings.EqualFold(u.Host, r.Host) || name == "localhost" || ip != nil && ip.IsLoopback() || slices.Contains(s.cfg.Hosts, name)
}

// slowBody bounds how long a client may take to send a piece of a body.
type slowBody struct {
	io.ReadCloser
	control *http.ResponseController
	most    time.Duration
}

// wait gives the client time for the next piece.
func (b *slowBody) wait() {
	// A connection without deadlines is one of a test.
	_ = b.control.SetReadDeadline(time.Now().Add(b.most))
}

// Read reads a piece. When the body is over, the connection waits without a bound again: its
// end is how a client that goes away is noticed.
func (b *slowBody) Read(p []byte) (int, error) {
	b.wait()
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// Handler returns all doors.
func (s *Server) Handler() http.Handler { return s.handler }

// CheckAddress refuses an address that others could listen in on.
func CheckAddress(addr string, secure, inClear bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fault.New(fault.Invalid, "Give HOST:PORT, such as 127.0.0.1:7411.", "cannot listen on %q: it is no address", safetext.Clip(safetext.Line(addr), 100))
	}
	ip := net.ParseIP(host)
	if secure || inClear || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fault.Coded(fault.ServerInClear, fault.Data{"address": addr}, "cannot listen on %s: keys and code would pass in the clear", addr)
}

// Serve answers on l until ctx is over. With certificates it speaks TLS. Requests that go on
// then have a moment to end.
func (s *Server) Serve(ctx context.Context, l net.Listener, certificates *tls.Config) error {
	return s.serve(ctx, l, certificates, s.handler)
}

func (s *Server) serve(ctx context.Context, l net.Listener, certificates *tls.Config, handler http.Handler) error {
	requests, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	h := &http.Server{
		Handler: handler, ReadHeaderTimeout: s.wait.header, IdleTimeout: s.wait.idle, MaxHeaderBytes: maxHeader,
		DisableGeneralOptionsHandler: true, // which would answer under any name
		BaseContext:                  func(net.Listener) context.Context { return requests },
	}
	if certificates != nil {
		l = tls.NewListener(l, certificates)
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("cannot serve: %w", err)
	case <-ctx.Done():
	}
	stop() // event streams end, and what waits for code gives up
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopFor)
	defer cancel()
	if err := h.Shutdown(brief); err != nil {
		err = h.Close()
		<-ended
		return err
	}
	<-ended
	return nil
}

// Close saves the sessions of all tenants and ends everything. When ctx ends, what is not
// saved by then is ended without that.
func (s *Server) Close(ctx context.Context) error {
	ended := s.mcp.Close() // before the tenants: what its clients had is removed
	s.mu.Lock()
	s.closed = true
	all := slices.Collect(maps.Values(s.tenants))
	s.mu.Unlock()
	if s.shared.Ports != nil {
		s.shared.Ports.Forget()
	}
	if s.e2b != nil {
		s.e2b.Close()
	}
	var work sync.WaitGroup
	failed := make([]error, len(all))
	turn := make(chan struct{}, max(1, runtime.NumCPU()))
	for i, o := range all {
		work.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			o.once.Do(func() { o.err = errors.New("the server is closed") })
			if t := o.tenant.Load(); t != nil {
				failed[i] = errors.Join(t.Hub.Close(ctx), t.App.Close(), t.Usage.Close())
			}
			if o.lock != nil {
				failed[i] = errors.Join(failed[i], disown(o.lock))
			}
		})
	}
	work.Wait()
	s.traces.Close(ctx)
	return errors.Join(ended, errors.Join(failed...), s.shared.Audit.Close(), disown(s.lock))
}

// Local returns the door of JSON-RPC for the program's own caller, who may do everything
// with the data of the default tenant.
func (s *Server) Local() *rpc.Door {
	return rpc.NewDoor(func(ctx context.Context, _ *api.Operation) (*api.Call, error) {
		seen, key := observe.From(ctx), mcp.LocalKey()
		seen.Tenant, seen.Key = key.Tenant, key.ID
		t, err := s.tenant(ctx, key.Tenant)
		if err != nil {
			return nil, err
		}
		return &api.Call{Key: key, Tenant: t, Server: s.shared}, nil
	}, s.served)
}

// LocalMCP returns the door of MCP for the program's own caller. Its client works in the session
// of a name, "": one of its own, and may have files of the folders read into sessions.
func (s *Server) LocalMCP(session string, folders []string) (*mcp.Door, error) {
	return mcp.NewLocal(mcp.Local{Session: session, Folders: folders, Server: s.shared, Served: s.served, Tenant: s.tenant})
}
