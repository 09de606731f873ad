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
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/live"
	"praxis/internal/server/openai"
	"praxis/internal/server/ports"
	"praxis/internal/server/rest"
	"praxis/internal/server/rpc"
)

// Config is what a Server needs. Home and Open must be set.
type Config struct {
	Home    string // the data folder: that of the default tenant, and in tenants/ those of the others
	Version string
	// Open opens what Praxis can do over the data folder home.
	Open func(home string) (*app.App, error)
	// Hosts are the names, beside addresses and localhost, under which it may be asked.
	Hosts []string
	// Ports is the domain below which ports of sessions answer; "": they cannot be reached.
	Ports string
	// Requests are those that a tenant may make in a second, and Burst those that it may make
	// at once; 0: the defaults.
	Requests float64
	Burst    int
	// Idle, Sessions, Kept and Runs bound what lives of a tenant: see live.Config.
	Idle                   time.Duration
	Sessions, Stored, Runs int
	Tools                  app.ToolSpec
	Net                    app.NetSpec
	FileModels             bool
	Models                 func(ctx context.Context) []app.ProviderModels
	Prices                 app.PriceTable // that costs are counted by
	// Served is called for each request that was answered, Failed with what went wrong with a
	// session while nobody waited for it. They may be nil.
	Served func(rest.Served)
	Failed func(tenant, session string, err error)
	Now    func() time.Time // nil: the machine's
}

// The defaults of a Config, and bounds of HTTP.
const (
	DefaultRequests = 200
	DefaultBurst    = 400
	maxHeader       = 64 << 10
	headerFor       = 10 * time.Second
	idleFor         = 2 * time.Minute
	readFor         = 30 * time.Second // a piece of a body
	stopFor         = 10 * time.Second // requests that go on when the server stops
)

// Folder is where a server keeps its keys and what it knows of sessions, below a data folder.
const Folder = "server"

// firstKey is the file of the key that was made at the first start.
const firstKey = "key"

// Server owns what lives.
type Server struct {
	cfg     Config
	shared  *api.Server
	handler http.Handler

	mu      sync.Mutex
	tenants map[string]*opening
	limits  map[string]*rate.Limiter
	closed  bool
}

// opening is a tenant that is open, or is being opened.
type opening struct {
	once   sync.Once
	tenant *api.Tenant
	err    error
}

// New opens the keys. Close must be called.
func New(cfg Config) (*Server, error) {
	if cfg.Failed == nil {
		cfg.Failed = func(string, string, error) {}
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
	if err := atomicfile.Make(cfg.Home); err != nil {
		return nil, err
	}
	keys, err := access.Open(filepath.Join(cfg.Home, Folder), cfg.Now)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, tenants: map[string]*opening{}, limits: map[string]*rate.Limiter{}}
	s.shared = &api.Server{Version: cfg.Version, Keys: keys, Tools: cfg.Tools, Net: cfg.Net, FileModels: cfg.FileModels, Models: cfg.Models, Prices: cfg.Prices}
	if cfg.Ports != "" {
		if s.shared.Ports, err = ports.New(cfg.Ports); err != nil {
			return nil, err
		}
	}
	doors := rest.Config{Server: s.shared, Tenant: s.tenant, Admit: s.admit, Served: cfg.Served}
	mux := http.NewServeMux()
	mux.Handle("/", rest.New(doors))
	mux.Handle("/rpc", rpc.New(doors))
	mux.Handle(openai.Prefix+"/", openai.New(doors))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }) // nobody reads it who is gone
	s.handler = s.guard(mux)
	return s, nil
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
	o.once.Do(func() { o.tenant, o.err = s.open(name) })
	if o.err != nil {
		s.mu.Lock()
		if s.tenants[name] == o {
			delete(s.tenants, name) // the next call tries again
		}
		s.mu.Unlock()
	}
	return o.tenant, o.err
}

func (s *Server) open(name string) (*api.Tenant, error) {
	home := s.cfg.Home
	if name != access.DefaultTenant {
		home = filepath.Join(s.cfg.Home, "tenants", name)
	}
	if err := atomicfile.Make(home); err != nil {
		return nil, err
	}
	a, err := s.cfg.Open(home)
	if err != nil {
		return nil, err
	}
	h, err := live.Open(live.Config{
		App: a, Dir: filepath.Join(home, Folder, "sessions"), Idle: s.cfg.Idle, Most: s.cfg.Sessions, Stored: s.cfg.Stored, Runs: s.cfg.Runs,
		Failed: func(session string, err error) { s.cfg.Failed(name, session, err) },
	})
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return &api.Tenant{Name: name, App: a, Hub: h, Dir: filepath.Join(home, Folder)}, nil
}

// admit keeps to the requests that a tenant may make in a second.
func (s *Server) admit(k access.Key) error {
	s.mu.Lock()
	l := s.limits[k.Tenant]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(s.cfg.Requests), s.cfg.Burst)
		s.limits[k.Tenant] = l
	}
	s.mu.Unlock()
	if l.Allow() {
		return nil
	}
	return fault.New(fault.Exhausted, "Send fewer requests a second.", "cannot answer: more than %g requests a second", s.cfg.Requests)
}

// guard refuses what no door should see, and takes what is for a port of a session apart from
// what is for the server: no other name leads to such a port, and such a name nowhere else.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &slowBody{r.Body, http.NewResponseController(w)}
		}
		if s.shared.Ports != nil {
			if p, named := s.shared.Ports.Find(r.Host); named {
				s.servePort(w, r, p)
				return
			}
		}
		if !s.knows(r.Host) {
			http.Error(w, "cannot answer: this server is not known as "+safetext.Clip(safetext.Line(r.Host), 100), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// servePort answers a request for a port of a session; nil: for one that is not open.
func (s *Server) servePort(w http.ResponseWriter, r *http.Request, p *ports.Port) {
	if p == nil {
		http.Error(w, "cannot show this port: it was not opened, or its time is over", http.StatusNotFound)
		return
	}
	if err := s.admit(access.Key{Tenant: p.Tenant}); err != nil {
		w.Header().Set("Retry-After", "2")
		http.Error(w, fault.Of(err).Message, http.StatusTooManyRequests)
		return
	}
	p.ServeHTTP(w, r)
}

// knows says whether a Host header names this server.
func (s *Server) knows(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	return name == "localhost" || net.ParseIP(name) != nil || slices.Contains(s.cfg.Hosts, name)
}

// slowBody bounds how long a client may take to send a piece of a body.
type slowBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read reads a piece. When the body is over, the connection waits without a bound again: its
// end is how a client that goes away is noticed.
func (b *slowBody) Read(p []byte) (int, error) {
	// A connection without deadlines is one of a test.
	_ = b.control.SetReadDeadline(time.Now().Add(readFor))
	n, err := b.ReadCloser.Read(p)
	if err != nil {
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
	requests, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	h := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerFor, IdleTimeout: idleFor, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return requests },
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
	s.mu.Lock()
	s.closed = true
	all := slices.Collect(maps.Values(s.tenants))
	s.mu.Unlock()
	if s.shared.Ports != nil {
		s.shared.Ports.Forget()
	}
	var work sync.WaitGroup
	failed := make([]error, len(all))
	turn := make(chan struct{}, max(1, runtime.NumCPU()))
	for i, o := range all {
		work.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			o.once.Do(func() { o.err = errors.New("the server is closed") })
			if o.tenant != nil {
				failed[i] = errors.Join(o.tenant.Hub.Close(ctx), o.tenant.App.Close())
			}
		})
	}
	work.Wait()
	return errors.Join(failed...)
}

// Local returns the door of JSON-RPC for the program's own caller, who may do everything
// with the data of the default tenant.
func (s *Server) Local() *rpc.Door {
	return rpc.NewDoor(func(ctx context.Context, _ *api.Operation) (*api.Call, error) {
		t, err := s.tenant(ctx, access.DefaultTenant)
		if err != nil {
			return nil, err
		}
		return &api.Call{Key: access.Key{ID: "local", Tenant: t.Name, Scopes: []access.Scope{access.Admin}}, Tenant: t, Server: s.shared}, nil
	})
}
