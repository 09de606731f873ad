package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/e2b/registry"
	"praxis/internal/server/live"
)

// newSandbox asks for a sandbox.
type newSandbox struct {
	Template   string            `json:"templateID"`
	Timeout    *float64          `json:"timeout"` // seconds
	Metadata   map[string]string `json:"metadata"`
	Environ    map[string]string `json:"envVars"`
	Secure     *bool             `json:"secure"`
	Internet   *bool             `json:"allow_internet_access"`
	AutoPause  bool              `json:"autoPause"`
	Memory     *bool             `json:"autoPauseMemory"`
	AutoResume *struct {
		Enabled bool `json:"enabled"`
	} `json:"autoResume"`
	Network json.RawMessage `json:"network"`
	MCP     json.RawMessage `json:"mcp"`
	IAM     json.RawMessage `json:"iam"`
	Volumes json.RawMessage `json:"volumeMounts"`
}

// sandbox is what a client needs to know of a sandbox to use it.
type sandbox struct {
	ID           string  `json:"sandboxID"`
	Template     string  `json:"templateID"`
	Client       string  `json:"clientID"`
	Version      string  `json:"envdVersion"`
	Alias        string  `json:"alias,omitempty"`
	Domain       *string `json:"domain"`
	Token        string  `json:"envdAccessToken,omitempty"`
	TrafficToken string  `json:"trafficAccessToken,omitempty"`
}

// detail describes a sandbox.
type detail struct {
	ID        string            `json:"sandboxID"`
	Template  string            `json:"templateID"`
	Client    string            `json:"clientID"`
	Alias     string            `json:"alias,omitempty"`
	Started   time.Time         `json:"startedAt"`
	Ends      time.Time         `json:"endAt"`
	Version   string            `json:"envdVersion"`
	CPUs      int               `json:"cpuCount"`
	MemoryMB  int64             `json:"memoryMB"`
	DiskMB    int64             `json:"diskSizeMB"`
	State     string            `json:"state"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	Token     string            `json:"envdAccessToken,omitempty"`
	Domain    *string           `json:"domain,omitempty"`
	Internet  *bool             `json:"allowInternetAccess,omitempty"`
	Network   json.RawMessage   `json:"network,omitempty"`
	Lifecycle *lifecycle        `json:"lifecycle,omitempty"`
}

type lifecycle struct {
	AutoResume bool   `json:"autoResume"`
	OnTimeout  string `json:"onTimeout"`
}

// client is what E2B calls the machine that a sandbox is on.
const client = "praxis"

// Bounds of requests.
const (
	defaultLasts = 5 * time.Minute
	maxLasts     = 30 * 24 * time.Hour
	maxEntries   = 64   // of metadata
	maxVariables = 1000 // of the environment
	maxText      = 32 << 10
	maxForks     = 100
)

// The uses of tokens.
const (
	Daemon  = "envd"
	Traffic = "traffic"
)

// seconds reads how long a sandbox lasts.
func seconds(s *float64) (time.Duration, error) {
	if s == nil {
		return defaultLasts, nil
	}
	if !(*s >= 0 && *s <= maxLasts.Seconds()) {
		return 0, fault.New(fault.Invalid, fmt.Sprintf("Give 0 to %.0f seconds.", maxLasts.Seconds()), "cannot read the timeout: %v is no such time", *s)
	}
	return time.Duration(*s * float64(time.Second)), nil
}

// present says whether a field has a value.
func present(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", "{}", "[]":
		return false
	}
	return true
}

// record checks what is asked for and makes the record of it.
func (d *door) record(c *api.Call, q newSandbox, secure bool) (registry.Record, error) {
	now := d.cfg.Now().UTC()
	rec := registry.Record{ID: registry.NewID(), Kind: registry.Sandbox, Tenant: c.Key.Tenant, Template: q.Template, Made: now, Began: now, Secure: secure, AutoPause: q.AutoPause, Internet: q.Internet}
	switch {
	case present(q.MCP):
		return rec, missing("mcp", "this server runs no gateway of MCP servers in sandboxes")
	case present(q.IAM):
		return rec, missing("iam", "this server issues no tokens of identity")
	case present(q.Volumes):
		return rec, missing("volumeMounts", "a sandbox has its own disk alone")
	case q.Memory != nil && !*q.Memory:
		return rec, missing("autoPauseMemory: false", "a paused sandbox keeps its memory")
	}
	if q.AutoResume != nil {
		rec.AutoResume = q.AutoResume.Enabled
	}
	if err := bounded("metadata", q.Metadata, maxEntries); err != nil {
		return rec, err
	}
	if err := bounded("envVars", q.Environ, maxVariables); err != nil {
		return rec, err
	}
	for k, v := range q.Environ {
		if strings.ContainsAny(k, "=\x00") || strings.Contains(v, "\x00") {
			return rec, fault.New(fault.Invalid, "Name it with letters, digits and '_'.", "cannot make a sandbox: %s of envVars is no environment variable", safetext.Quote(safetext.Clip(k, 60)))
		}
	}
	rec.Metadata, rec.Environ = q.Metadata, q.Environ
	lasts, err := seconds(q.Timeout)
	if err != nil {
		return rec, err
	}
	rec.Ends = now.Add(lasts)
	if present(q.Network) {
		rec.Network = q.Network
		if err := readNetwork(q.Network, &rec); err != nil {
			return rec, err
		}
	}
	if err := madeWith(&rec, c); err != nil {
		return rec, err
	}
	return rec, d.cfg.Check(rec)
}

// madeWith writes down which key a sandbox is made with.
func madeWith(rec *registry.Record, c *api.Call) error {
	k, err := c.Server.Keys.Get(c.Key.ID)
	rec.Key, rec.Issued = c.Key.ID, k.ID != ""
	return err
}

// bounded refuses what has too many or too long entries.
func bounded(what string, m map[string]string, most int) error {
	if len(m) > most {
		return fault.New(fault.Invalid, "Give fewer.", "cannot make a sandbox: %s has more than %d entries", what, most)
	}
	for k, v := range m {
		if k == "" || len(k) > maxText || len(v) > maxText {
			return fault.New(fault.Invalid, "", "cannot make a sandbox: %s has an entry without a name, or one of more than %d bytes", what, maxText)
		}
	}
	return nil
}

// createFirst makes a sandbox for clients before 2.51, which say whether it is secure.
func (d *door) createFirst(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	return d.create(w, r, c, func(q newSandbox) bool { return q.Secure == nil || *q.Secure })
}

// createSecond makes a sandbox for newer ones, whose sandboxes are always secure.
func (d *door) createSecond(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	return d.create(w, r, c, func(newSandbox) bool { return true })
}

func (d *door) create(w http.ResponseWriter, r *http.Request, c *api.Call, secure func(newSandbox) bool) error {
	var q newSandbox
	if err := d.read(w, r, &q); err != nil {
		return err
	}
	again := ""
	if key := r.Header.Get("Idempotency-Key"); key != "" && len(key) <= 200 {
		again = c.Key.Tenant + "\x00" + key
	}
	if rec, ok := d.known(r.Context(), again); ok {
		return reply(w, http.StatusCreated, d.describe(rec))
	}
	rec, err := d.record(c, q, secure(q))
	if err != nil {
		return err
	}
	if rec, err = d.make(r.Context(), c, rec); err != nil {
		return err
	}
	if again != "" {
		d.mu.Lock()
		if len(d.made) >= maxMade {
			clear(d.made)
		}
		d.made[again] = rec.ID
		d.mu.Unlock()
	}
	return reply(w, http.StatusCreated, d.describe(rec))
}

// known returns the sandbox that a request made that is sent again.
func (d *door) known(ctx context.Context, again string) (registry.Record, bool) {
	d.mu.Lock()
	id := d.made[again]
	d.mu.Unlock()
	if again == "" || id == "" {
		return registry.Record{}, false
	}
	s, err := d.cfg.Registry.Get(ctx, id)
	return s.Record, err == nil
}

// make makes the session of a sandbox, or forks that of a snapshot.
func (d *door) make(ctx context.Context, c *api.Call, rec registry.Record) (registry.Record, error) {
	hub := c.Tenant.Hub
	if from, ok := d.cfg.Registry.Find(c.Key.Tenant, rec.Template); ok {
		environ := maps.Clone(from.Environ)
		if environ == nil {
			environ = map[string]string{}
		}
		maps.Copy(environ, rec.Environ)
		rec.Environ, rec.Files = environ, from.Files
		if _, err := hub.Fork(ctx, from.ID, []string{rec.ID}, 0); err != nil {
			return rec, err
		}
	} else {
		image, ok := d.cfg.Templates[rec.Template]
		if !ok {
			return rec, fault.New(fault.NotFound, "", "template '%s' not found", safetext.Clip(safetext.Line(rec.Template), 100))
		}
		if _, err := hub.Create(ctx, live.Request{Spec: app.SessionSpec{Name: rec.ID, Image: image}, Metadata: map[string]string{"e2b.template": rec.Template}}, event.Discard); err != nil {
			return rec, err
		}
	}
	return rec, d.begin(ctx, rec)
}

// begin stores the record of a sandbox whose session is there, and opens it. When that fails,
// the session is deleted: nobody knows of it.
func (d *door) begin(ctx context.Context, rec registry.Record) error {
	err := d.cfg.Registry.Put(rec)
	if err == nil {
		_, err = d.cfg.Registry.Extend(ctx, rec.ID, rec.Ends.Sub(rec.Began), true)
	}
	if err == nil {
		err = d.open(ctx, rec)
	}
	if err != nil {
		return errors.Join(err, d.cfg.Registry.Delete(context.WithoutCancel(ctx), rec))
	}
	return nil
}

// open opens the session of a sandbox.
func (d *door) open(ctx context.Context, rec registry.Record) error {
	hub, err := d.cfg.Registry.Hub(ctx, rec)
	if err != nil {
		return err
	}
	if err := hub.Use(ctx, rec.ID, func(*app.Session) error { return nil }); err != nil {
		return err
	}
	return d.cfg.Network(ctx, rec)
}

// describe says what a client needs to know.
func (d *door) describe(rec registry.Record) sandbox {
	out := sandbox{ID: rec.ID, Template: rec.Template, Client: client, Version: d.cfg.Version, Domain: d.domain()}
	if rec.Secure {
		out.Token = d.cfg.Registry.Token(Daemon, rec.ID)
	}
	if rec.Restricted {
		out.TrafficToken = d.cfg.Registry.Token(Traffic, rec.ID)
	}
	return out
}

func (d *door) domain() *string {
	if d.cfg.Domain == "" {
		return nil
	}
	return &d.cfg.Domain
}

// detail describes a sandbox. One that does not end by itself ends when sessions do: never, which
// clients cannot read; it is said to end in a year.
func (d *door) detail(c *api.Call, rec registry.Record) detail {
	limits := c.Tenant.App.Limits()
	if i, err := c.Tenant.Hub.Get(rec.ID); err == nil && i.Session != nil {
		limits = i.Session.Limits
	}
	out := detail{
		ID: rec.ID, Template: rec.Template, Client: client, Started: rec.Began, Ends: rec.Ends, Version: d.cfg.Version, State: "running",
		CPUs: max(1, int(limits.CPUs+0.99)), MemoryMB: limits.Memory >> 20, DiskMB: limits.Disk >> 20, Metadata: rec.Metadata,
	}
	if rec.Paused || rec.Over(d.cfg.Now()) {
		out.State = "paused"
	}
	if out.Ends.IsZero() {
		out.Ends = rec.Began.AddDate(1, 0, 0)
	}
	return out
}

func (d *door) get(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	rec, err := d.find(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	out := d.detail(c, rec)
	out.Domain, out.Internet, out.Network = d.domain(), rec.Internet, rec.Network
	out.Lifecycle = &lifecycle{rec.AutoResume, "kill"}
	if rec.AutoPause {
		out.Lifecycle.OnTimeout = "pause"
	}
	if rec.Secure && c.Key.May(access.Run) { // whoever has the token runs programs and writes files
		out.Token = d.cfg.Registry.Token(Daemon, rec.ID)
	}
	return reply(w, http.StatusOK, out)
}

func (d *door) kill(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	rec, err := d.find(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := d.cfg.Registry.Delete(r.Context(), rec); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// lasting says how long a sandbox lasts from now on.
type lasting struct {
	Timeout  *float64 `json:"timeout"`
	Duration *float64 `json:"duration"`
	Memory   *bool    `json:"memory"`
}

// connect lets a client use a sandbox, which is resumed if it is paused. Its time is made longer
// and never shorter.
func (d *door) connect(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	return d.resumed(w, r, c, http.StatusOK, false)
}

// resume is connect for old clients: only a paused sandbox is resumed.
func (d *door) resume(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	return d.resumed(w, r, c, http.StatusCreated, true)
}

func (d *door) resumed(w http.ResponseWriter, r *http.Request, c *api.Call, status int, paused bool) error {
	var q lasting
	if err := d.read(w, r, &q); err != nil {
		return err
	}
	lasts, err := seconds(q.Timeout)
	if err != nil {
		return err
	}
	if q.Memory != nil && !*q.Memory {
		return missing("memory: false", "a paused sandbox is resumed with its memory")
	}
	rec, err := d.find(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	if paused && !rec.Paused {
		return fault.New(fault.Conflict, "", "sandbox %s is already running", rec.ID)
	}
	rec, anew, err := d.cfg.Registry.Resume(r.Context(), rec.ID, lasts)
	if err != nil {
		return err
	}
	if err := d.open(r.Context(), rec); err != nil {
		return err
	}
	if anew {
		status = http.StatusCreated
	}
	return reply(w, status, d.describe(rec))
}

func (d *door) pause(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	var q struct {
		Memory *bool `json:"memory"`
	}
	if err := d.read(w, r, &q); err != nil {
		return err
	}
	if q.Memory != nil && !*q.Memory {
		return missing("memory: false", "a paused sandbox keeps its memory")
	}
	rec, err := d.find(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := d.cfg.Registry.Pause(r.Context(), rec.ID); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (d *door) timeout(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	return d.extend(w, r, c, true)
}

func (d *door) refresh(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	return d.extend(w, r, c, false)
}

func (d *door) extend(w http.ResponseWriter, r *http.Request, c *api.Call, shorten bool) error {
	var q lasting
	if err := d.read(w, r, &q); err != nil {
		return err
	}
	if q.Timeout == nil {
		q.Timeout = q.Duration
	}
	lasts, err := seconds(q.Timeout)
	if err != nil {
		return err
	}
	rec, err := d.find(r.Context(), c, r.PathValue("id"))
	if err == nil && rec.Paused {
		err = registry.Missing(rec.ID) // clients know no time of one that does not run
	}
	if err != nil {
		return err
	}
	if _, err := d.cfg.Registry.Extend(r.Context(), rec.ID, lasts, shorten); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
