// Package control is the control plane of E2B's API, as its clients know it: sandboxes are
// made, found, paused and ended here, with a key of this server. A sandbox is a session, and a
// snapshot is one that others are forked from.
//
// Both generations of routes are there: clients since 2.51 make and connect to sandboxes below
// /v2, older ones do not. What E2B has and this server does not, such as volumes, is refused
// with the status 501 and the reason: nothing is left out without a word.
package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/e2b/registry"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
)

// Config is what the control plane needs.
type Config struct {
	Doors     rest.Config
	Registry  *registry.Registry
	Domain    string            // that clients reach sandboxes below; "": by headers alone
	Templates map[string]string // images by the names of templates; "": the server's usual one
	Version   string            // of the daemon
	// Network makes what a sandbox may reach what its record says, when it is open.
	Network func(ctx context.Context, rec registry.Record) error
	// Check refuses rules that cannot be kept.
	Check func(rec registry.Record) error
	// Measure says what a sandbox uses.
	Measure func(ctx context.Context, t *api.Tenant, id string) (Metric, error)
	Now     func() time.Time // nil: the machine's
}

type door struct {
	cfg Config

	mu   sync.Mutex
	made map[string]string // ids of sandboxes by tenants and the keys of requests that are sent again
}

// maxMade bounds the requests that are known when they are sent again.
const maxMade = 10_000

// route is what answers a request.
type route struct {
	pattern string
	name    string
	scope   access.Scope
	serve   func(w http.ResponseWriter, r *http.Request, c *api.Call) error
}

// New returns the handler of the control plane.
func New(cfg Config) http.Handler {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Doors.MaxBody == 0 {
		cfg.Doors.MaxBody = maxBody
	}
	d := &door{cfg: cfg, made: map[string]string{}}
	mux := http.NewServeMux()
	for _, t := range d.routes() {
		mux.HandleFunc(t.pattern, func(w http.ResponseWriter, r *http.Request) { d.serve(w, r, t) })
	}
	for _, u := range unsupported() {
		mux.HandleFunc(u.pattern, func(w http.ResponseWriter, r *http.Request) {
			d.serve(w, r, route{u.pattern, "unsupported", access.Read, func(http.ResponseWriter, *http.Request, *api.Call) error { return missing(u.what, u.why) }})
		})
	}
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		observe.From(r.Context()).Operation = "e2b.health"
		_, _ = io.WriteString(w, "OK\n") // that the client is gone is its own affair
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, r, fault.New(fault.NotFound, "", "cannot find %s %s", r.Method, safetext.Clip(safetext.Line(r.URL.Path), 200)))
	})
	return mux
}

// maxBody bounds a request.
const maxBody = 4 << 20

func (d *door) routes() []route {
	return []route{
		{"POST /sandboxes", "create", access.Run, d.createFirst},
		{"POST /v2/sandboxes", "create", access.Run, d.createSecond},
		{"GET /sandboxes", "list", access.Read, d.listFirst},
		{"GET /v2/sandboxes", "list", access.Read, d.listSecond},
		{"GET /sandboxes/metrics", "metrics", access.Read, d.allMetrics},
		{"GET /sandboxes/{id}", "get", access.Read, d.get},
		{"DELETE /sandboxes/{id}", "kill", access.Run, d.kill},
		{"POST /sandboxes/{id}/connect", "connect", access.Run, d.connect},
		{"POST /v2/sandboxes/{id}/connect", "connect", access.Run, d.connect},
		{"POST /sandboxes/{id}/resume", "resume", access.Run, d.resume},
		{"POST /sandboxes/{id}/pause", "pause", access.Run, d.pause},
		{"POST /sandboxes/{id}/timeout", "timeout", access.Run, d.timeout},
		{"POST /sandboxes/{id}/refreshes", "refresh", access.Run, d.refresh},
		{"POST /sandboxes/{id}/fork", "fork", access.Run, d.fork},
		{"POST /sandboxes/{id}/snapshots", "snapshot", access.Run, d.snapshot},
		{"PUT /sandboxes/{id}/network", "network", access.Run, d.network},
		{"GET /sandboxes/{id}/metrics", "metrics", access.Read, d.metrics},
		{"GET /sandboxes/{id}/logs", "logs", access.Read, d.logs},
		{"GET /v2/sandboxes/{id}/logs", "logs", access.Read, d.logs},
		{"GET /snapshots", "snapshots", access.Read, d.snapshots},
		{"GET /templates", "templates", access.Read, d.templates},
		{"GET /v2/templates", "templates", access.Read, d.templates},
		{"GET /templates/aliases/{alias}", "template", access.Read, d.alias},
		{"DELETE /templates/{id}", "delete", access.Run, d.deleteTemplate},
	}
}

// gap is a part of E2B's API that this server does not have.
type gap struct{ pattern, what, why string }

func unsupported() []gap {
	const build = "templates are images that the server's operator gave names"
	return []gap{
		{"POST /templates", "building templates", build},
		{"POST /v2/templates", "building templates", build},
		{"POST /v3/templates", "building templates", build},
		{"/templates/{rest...}", "builds and tags of templates", build},
		{"/v2/templates/{rest...}", "builds and tags of templates", build},
		{"DELETE /templates/tags", "tags of templates", build},
		{"/volumes", "volumes", "a sandbox has its own disk alone"},
		{"/volumes/{rest...}", "volumes", "a sandbox has its own disk alone"},
		{"/volumecontent/{rest...}", "volumes", "a sandbox has its own disk alone"},
		{"/secrets", "secrets", "credentials are the operator's"},
		{"/secrets/{rest...}", "secrets", "credentials are the operator's"},
		{"/teams", "teams", "a key belongs to one tenant"},
		{"/teams/{rest...}", "teams", "a key belongs to one tenant"},
		{"/api-keys", "keys over this API", "keys are made by the server's operator"},
		{"/api-keys/{rest...}", "keys over this API", "keys are made by the server's operator"},
	}
}

// errMissing is the error of what this server does not have.
type errMissing struct{ error }

// Unwrap returns the fault.
func (e errMissing) Unwrap() error { return e.error }

// missing says that this server does not have what a client asks for.
func missing(what, why string) error {
	return errMissing{fault.New(fault.Denied, "", "not supported by this server: %s (%s)", what, why)}
}

// serve answers one request.
func (d *door) serve(w http.ResponseWriter, r *http.Request, t route) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	seen := observe.From(r.Context())
	seen.Operation, seen.Writes = "e2b."+t.name, t.scope != access.Read
	if id := r.PathValue("id"); id != "" {
		seen.Object = "session=" + safetext.Clip(safetext.Line(id), 100)
	}
	c, err := rest.Authorize(r.Context(), d.cfg.Doors, rest.KeyOf(r), t.scope)
	if err == nil && seen.Writes {
		err = c.Server.Audit.Begin(seen)
	}
	if err == nil {
		err = t.serve(w, r, c)
	}
	if err != nil {
		fail(w, r, err)
	}
}

// failure is an error as clients know it.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// failureOf describes an error to a client: clients show the message and nothing else.
func failureOf(err error) failure {
	p := rest.ProblemOf(err)
	out := failure{p.Status, p.Detail}
	if errors.As(err, new(errMissing)) {
		out.Code = http.StatusNotImplemented
	}
	if p.Remedy != "" && p.Status != http.StatusNotFound {
		out.Message += ". " + p.Remedy
	}
	return out
}

func fail(w http.ResponseWriter, r *http.Request, err error) {
	observe.From(r.Context()).Failed(err)
	f := failureOf(err)
	if f.Code == http.StatusTooManyRequests || f.Code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "2")
	}
	_ = reply(w, f.Code, f) // a failure can always be written
}

func reply(w http.ResponseWriter, status int, v any) error {
	return rest.WriteJSON(w, status, "application/json", v)
}

// read reads the body of a request. Fields that are not known have no meaning: newer clients
// send more, and what matters of those is refused by name.
func (d *door) read(w http.ResponseWriter, r *http.Request, into any) error {
	data, free, err := d.cfg.Doors.Bodies.Read(http.MaxBytesReader(w, r.Body, d.cfg.Doors.MaxBody))
	defer free()
	if errors.As(err, new(*fault.Error)) {
		return err
	}
	if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
		return fault.New(fault.Invalid, "Send less.", "cannot read the request: it has more than %s", safetext.Size(long.Limit))
	}
	if err != nil {
		return fault.New(fault.Invalid, "Send it again.", "cannot read the request: %w", err)
	}
	return decode(data, into)
}

// decode reads a request; nothing at all is an empty one.
func decode(data []byte, into any) error {
	if len(strings.TrimSpace(string(data))) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fault.New(fault.Invalid, "Send one JSON object.", "cannot read the request: %s", safetext.Clip(safetext.Line(err.Error()), 200))
	}
	return nil
}

// find returns a sandbox of the caller's tenant. One of another tenant does not exist.
func (d *door) find(ctx context.Context, c *api.Call, id string) (registry.Record, error) {
	// Old clients send the id of a machine behind that of the sandbox.
	id, _, _ = strings.Cut(id, "-")
	s, err := d.cfg.Registry.Get(ctx, id)
	if err != nil {
		return s.Record, err
	}
	if s.Tenant != c.Key.Tenant || s.Kind != registry.Sandbox || s.Record.Over(d.cfg.Now()) && !s.AutoPause {
		return registry.Record{}, registry.Missing(id)
	}
	return s.Record, nil
}
