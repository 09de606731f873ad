// Package e2b lets programs that were written for E2B's sandboxes use this server: its clients
// for Python and JavaScript work unchanged. All words of that API are in this folder: the
// control plane in package control, the daemon of sandboxes in package envd, the code
// interpreter in package interpreter, and here which of them a request is for.
//
// # Ways
//
// A client sends what is for a sandbox to a host of its own, PORT-ID.DOMAIN, or names the
// sandbox and the port by two headers. The first needs a domain with a certificate for all
// names below it; the second works at any address. A request that names no sandbox is for the
// control plane, at api.DOMAIN or at the address itself.
//
// # Who may ask
//
// The control plane needs a key of this server. A sandbox is reached without one, as its
// clients know it: the daemon by a token of the sandbox, other ports by knowing the sandbox's
// id, which nobody can guess, and, where the client asked for that when it made the sandbox, by
// a second token. A key that made a sandbox and was removed ends that. What is used counts for
// the tenant and the key, as everywhere.
package e2b

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/e2b/control"
	"praxis/internal/server/e2b/envd"
	"praxis/internal/server/e2b/registry"
	"praxis/internal/server/e2b/target"
	"praxis/internal/server/observe"
	"praxis/internal/server/ports"
	"praxis/internal/server/rest"
)

// Config is what the door needs.
type Config struct {
	Doors  rest.Config
	Dir    string // the folder of what is known of sandboxes
	Domain string // below which sandboxes have hosts of their own, perhaps with a port; "": they have none
	// Shared says whether the server is known under a host that is not a sandbox's.
	Shared    func(host string) bool
	Templates map[string]string // images by the names of templates, beside those of Templates
	Secret    func(text string) bool
	Failed    func(tenant, session string, err error)
	// Interpreter makes what answers at the port of the code interpreter; nil: that port is as
	// any other.
	Interpreter func(target.Resolver) http.Handler
	Now         func() time.Time // nil: the machine's
}

// InterpreterPort is where clients look for the code interpreter.
const InterpreterPort = 49999

// The headers by which clients name a sandbox, and those that let them in.
const (
	headerSandbox = "E2b-Sandbox-Id"
	headerPort    = "E2b-Sandbox-Port"
	headerToken   = "X-Access-Token"
	headerTraffic = "E2b-Traffic-Access-Token"
)

// Door answers E2B's clients. Close must be called before the sessions are closed.
type Door struct {
	cfg         Config
	registry    *registry.Registry
	control     http.Handler
	daemon      *envd.Daemon
	interpreter http.Handler
}

// defaultTemplates are the templates that clients use unless they are given one. They are the
// server's usual image.
func defaultTemplates() map[string]string {
	return map[string]string{"base": "", "code-interpreter-v1": "", "code-interpreter-beta": ""}
}

// New opens what is known of sandboxes.
func New(cfg Config) (*Door, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	d := &Door{cfg: cfg}
	templates := defaultTemplates()
	for name, image := range cfg.Templates {
		templates[name] = image
	}
	d.daemon = envd.New(envd.Config{
		Resolve: target.Of, Now: cfg.Now,
		Token: func(id string) string { return d.registry.Token(control.Daemon, id) },
		Marks: d.marks, Mark: d.mark,
	})
	var err error
	if d.registry, err = registry.Open(registry.Config{Dir: cfg.Dir, Tenant: cfg.Doors.Tenant, Failed: cfg.Failed, Ended: d.daemon.Ended, Now: cfg.Now}); err != nil {
		d.daemon.Close()
		return nil, err
	}
	d.control = control.New(control.Config{
		Doors: cfg.Doors, Registry: d.registry, Domain: cfg.Domain, Templates: templates, Version: envd.Version, Now: cfg.Now,
		Network: d.reach, Check: d.checkNetwork, Measure: d.measure,
	})
	if cfg.Interpreter != nil {
		d.interpreter = cfg.Interpreter(target.Of)
	}
	return d, nil
}

// Close waits for what goes on by itself.
func (d *Door) Close() {
	d.registry.Close()
	d.daemon.Close()
}

// marks returns what clients noted of the files of a sandbox.
func (d *Door) marks(id string) map[string]registry.Marks {
	return d.registry.Peek(id).Files
}

// mark changes what clients noted of the files of a sandbox.
func (d *Door) mark(id string, f func(map[string]registry.Marks) error) error {
	_, err := d.registry.Change(id, func(rec *registry.Record) error {
		all := map[string]registry.Marks{}
		for name, marks := range rec.Files {
			all[name] = marks
		}
		rec.Files = all
		return f(all)
	})
	return err
}

func (d *Door) measure(ctx context.Context, t *api.Tenant, id string) (control.Metric, error) {
	now := d.cfg.Now().UTC()
	m, err := envd.Measure(ctx, &target.Sandbox{ID: id, Tenant: t}, now.Unix())
	return control.Metric{
		Timestamp: now, Unix: now.Unix(), CPUs: m.CPUs, CPUUsed: m.CPUUsed, MemUsed: m.MemoryUsed, MemTotal: m.Memory, MemCache: m.MemoryCache, DiskUsed: m.DiskUsed, DiskTotal: m.Disk,
	}, err
}

// knows says what a request is for, and whether it is for this door at all.
func (d *Door) knows(r *http.Request) (address, bool) {
	return addressOf(r.Host, d.cfg.Domain, d.cfg.Shared, r.Header.Get(headerSandbox), r.Header.Get(headerPort))
}

// ServeHTTP answers a request.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, ok := d.knows(r)
	switch {
	case !ok && (r.Header.Get(headerSandbox) != "" || d.cfg.Domain != "" && strings.HasSuffix(hostName(r.Host), "."+splitDomain(d.cfg.Domain))):
		observe.From(r.Context()).Operation = "e2b.sandbox"
		d.refuse(w, r, badGateway{Sandbox: safetext.Clip(safetext.Line(r.Header.Get(headerSandbox)), 60), Message: "The sandbox was not found"})
	case !ok:
		observe.From(r.Context()).Failed(fault.New(fault.Denied, "", "another host is meant"))
		http.Error(w, "cannot answer: this server is not known as "+safetext.Clip(safetext.Line(r.Host), 100), http.StatusMisdirectedRequest)
	case a.api:
		d.control.ServeHTTP(w, r)
	default:
		d.serveSandbox(w, r, a)
	}
}

// badGateway is the answer for a sandbox or a port that is not there, as clients know it.
type badGateway struct {
	Sandbox string `json:"sandboxId"`
	Message string `json:"message"`
	Port    int    `json:"port,omitempty"`
	Code    int    `json:"code"`
}

// refuse answers for what is not there.
func (d *Door) refuse(w http.ResponseWriter, r *http.Request, b badGateway) {
	if b.Code == 0 {
		b.Code = http.StatusBadGateway
	}
	kind := fault.NotFound
	if b.Code != http.StatusBadGateway {
		kind = fault.Denied
	}
	observe.From(r.Context()).Failed(fault.New(kind, "", "%s", b.Message))
	_ = rest.WriteJSON(w, b.Code, "application/json", b) // it can always be written
}

// serveSandbox answers a request for a port of a sandbox.
func (d *Door) serveSandbox(w http.ResponseWriter, r *http.Request, a address) {
	seen := observe.From(r.Context())
	seen.Operation, seen.Object = "e2b.port", "session="+a.id
	s, rec, err := d.resolve(r, a)
	if err != nil {
		seen.Failed(err)
		switch kind := fault.KindOf(err); kind {
		case fault.NotFound:
			d.refuse(w, r, badGateway{Sandbox: a.id, Message: "The sandbox was not found"})
		case fault.Denied:
			d.refuse(w, r, badGateway{Sandbox: a.id, Message: fault.Of(err).Message, Code: http.StatusForbidden})
		case fault.Exhausted:
			w.Header().Set("Retry-After", "1")
			d.refuse(w, r, badGateway{Sandbox: a.id, Message: fault.Of(err).Message, Code: http.StatusTooManyRequests})
		default:
			d.refuse(w, r, badGateway{Sandbox: a.id, Message: "The sandbox could not be opened", Code: http.StatusServiceUnavailable})
			seen.Failed(err)
		}
		return
	}
	ctx, stop := s.Until(target.With(r.Context(), s))
	defer stop()
	r = r.WithContext(ctx)
	switch {
	case a.port == envd.Port:
		d.daemon.ServeHTTP(w, r)
	case a.port == InterpreterPort && d.interpreter != nil:
		d.interpreter.ServeHTTP(w, r)
	default:
		d.forward(w, r, a, s, rec)
	}
}

// resolve finds the sandbox that a request is for, and refuses who may not reach it.
func (d *Door) resolve(r *http.Request, a address) (*target.Sandbox, registry.Record, error) {
	ctx := r.Context()
	st, err := d.registry.Get(ctx, a.id)
	if err != nil {
		return nil, st.Record, err
	}
	rec := st.Record
	if rec.Kind != registry.Sandbox {
		return nil, rec, registry.Missing(a.id)
	}
	seen := observe.From(ctx)
	seen.Tenant, seen.Key = rec.Tenant, rec.Key
	key := access.Key{ID: rec.Key, Tenant: rec.Tenant}
	if rec.Issued {
		k, err := d.cfg.Doors.Server.Keys.Get(rec.Key)
		if err != nil {
			return nil, rec, err
		}
		if k.ID == "" || !k.Expires.IsZero() && d.cfg.Now().After(k.Expires) {
			return nil, rec, fault.New(fault.Denied, "", "the key that the sandbox was made with is not valid any more")
		}
		key = k
	}
	if rec.Restricted && a.port != envd.Port && !same(r.Header.Get(headerTraffic), d.registry.Token(control.Traffic, rec.ID)) {
		return nil, rec, fault.New(fault.Denied, "", "the sandbox needs its traffic access token as the header e2b-traffic-access-token")
	}
	authorized := !rec.Secure || same(r.Header.Get(headerToken), d.registry.Token(control.Daemon, rec.ID))
	if err := d.cfg.Doors.Admit(key); err != nil {
		return nil, rec, err
	}
	if !rec.Running(d.cfg.Now()) {
		if !rec.AutoResume || !rec.Paused && !rec.AutoPause { // one whose time is over is about to be paused
			return nil, rec, registry.Missing(a.id)
		}
		if a.port == envd.Port && !authorized && !d.daemon.Signed(r, rec.ID) { // who is refused resumes nothing
			return nil, rec, registry.Missing(a.id)
		}
		if rec, _, err = d.registry.Resume(ctx, rec.ID, resumeFor); err != nil {
			return nil, rec, err
		}
		if st, err = d.registry.Get(ctx, a.id); err != nil {
			return nil, rec, err
		}
	}
	if err := d.reach(ctx, rec); err != nil {
		return nil, rec, err
	}
	t, err := d.cfg.Doors.Tenant(ctx, rec.Tenant)
	return &target.Sandbox{ID: rec.ID, Tenant: t, Server: d.cfg.Doors.Server, Bodies: d.cfg.Doors.Bodies, Environ: rec.Environ, Authorized: authorized, Over: st.Over}, rec, err
}

// resumeFor is how long a sandbox lasts that a request resumed.
const resumeFor = 5 * time.Minute

// same compares tokens in constant time.
func same(given, want string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

// forward carries a request to a program of the sandbox.
func (d *Door) forward(w http.ResponseWriter, r *http.Request, a address, s *target.Sandbox, rec registry.Record) {
	dial, err := s.Tenant.Hub.Dialer(s.ID)
	if err != nil {
		d.refuse(w, r, badGateway{Sandbox: a.id, Message: "The sandbox was not found"})
		return
	}
	ports.Forward{
		Port: a.port, Secret: d.cfg.Secret, Tokens: []string{headerSandbox, headerPort, headerToken, headerTraffic, "X-Api-Key", ports.TokenHeader}, Browser: true, Host: mask(rec.MaskHost, a.port),
		Dial: func(ctx context.Context, port int) (ports.Conn, error) { return dial.Dial(ctx, port) },
		Refuse: func(w http.ResponseWriter, r *http.Request, err error) {
			if kind := fault.KindOf(err); kind == fault.Exhausted {
				d.refuse(w, r, badGateway{Sandbox: a.id, Message: fault.Of(err).Message, Port: a.port, Code: http.StatusTooManyRequests})
				return
			}
			d.refuse(w, r, badGateway{Sandbox: a.id, Message: "The sandbox is running but port is not open", Port: a.port})
		},
	}.ServeHTTP(w, r)
}

// mask is the host that a program sees in the place of the one that was asked.
func mask(text string, port int) string {
	return strings.NewReplacer("${PORT}", strconv.Itoa(port)).Replace(text)
}
