package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
	"praxis/internal/server/e2b/registry"
)

// forked is what became of one fork.
type forked struct {
	Sandbox *sandbox `json:"sandbox,omitempty"`
	Error   *failure `json:"error,omitempty"`
}

// fork makes sandboxes that go on from the state of one.
func (d *door) fork(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	var q struct {
		Timeout *float64 `json:"timeout"`
		Count   *int     `json:"count"`
	}
	if err := d.read(w, r, &q); err != nil {
		return err
	}
	count := 1
	if q.Count != nil {
		count = *q.Count
	}
	if count < 1 || count > maxForks {
		return fault.New(fault.Invalid, fmt.Sprintf("Ask for 1 to %d.", maxForks), "cannot fork a sandbox %d times", count)
	}
	lasts, err := seconds(q.Timeout)
	if err != nil {
		return err
	}
	rec, err := d.find(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !rec.Running(d.cfg.Now()) {
		return fault.New(fault.Conflict, "Resume it first.", "sandbox %s is not running", rec.ID)
	}
	if err := madeWith(&rec, c); err != nil { // the forks are those of who asks for them
		return err
	}
	names := make([]string, count)
	for i := range names {
		names[i] = registry.NewID()
	}
	made, err := c.Tenant.Hub.Fork(r.Context(), rec.ID, names, 0)
	if err != nil && len(made) == 0 {
		return err
	}
	out := make([]forked, 0, count)
	for _, i := range made {
		now := d.cfg.Now().UTC()
		other := rec
		other.ID, other.Made, other.Began, other.Ends = i.ID, now, now, now.Add(lasts)
		other.Environ, other.Metadata, other.Files = maps.Clone(rec.Environ), maps.Clone(rec.Metadata), maps.Clone(rec.Files)
		if wrong := d.begin(r.Context(), other); wrong != nil {
			f := failureOf(wrong)
			out = append(out, forked{Error: &f})
			continue
		}
		s := d.describe(other)
		out = append(out, forked{Sandbox: &s})
	}
	for len(out) < count {
		f := failureOf(err)
		out = append(out, forked{Error: &f})
	}
	return reply(w, http.StatusCreated, out)
}

// snapshotInfo describes a snapshot.
type snapshotInfo struct {
	ID    string   `json:"snapshotID"`
	Names []string `json:"names"`
}

func infoOf(rec registry.Record) snapshotInfo {
	return snapshotInfo{rec.ID, append([]string{}, rec.Names...)}
}

// snapshot makes a state of a sandbox what others can begin with. One of the same name takes the
// place of the one before.
func (d *door) snapshot(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	var q struct {
		Name   string `json:"name"`
		Memory *bool  `json:"memory"`
	}
	if err := d.read(w, r, &q); err != nil {
		return err
	}
	if q.Memory != nil && !*q.Memory {
		return missing("memory: false", "a snapshot has the memory of its sandbox")
	}
	if len(q.Name) > 128 || strings.ContainsFunc(q.Name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./:", c))
	}) {
		return fault.New(fault.Invalid, "Use letters, digits and '-', '_', '.', '/', ':'.", "cannot name a snapshot %q", safetext.Clip(safetext.Line(q.Name), 60))
	}
	bare, tag, _ := strings.Cut(q.Name, ":")
	if bare == "" && tag != "" {
		return fault.New(fault.Invalid, "Write NAME or NAME:TAG.", "cannot name a snapshot %s: that is a tag alone", q.Name)
	}
	if _, taken := d.cfg.Templates[bare]; taken {
		return fault.New(fault.Conflict, "Choose another name.", "cannot name a snapshot %s: a template has this name", q.Name)
	}
	rec, err := d.find(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !rec.Running(d.cfg.Now()) {
		return fault.New(fault.Conflict, "Resume it first.", "sandbox %s is not running", rec.ID)
	}
	before, replaces := registry.Record{}, false
	if q.Name != "" {
		before, replaces = d.cfg.Registry.Find(c.Key.Tenant, q.Name)
	}
	now := d.cfg.Now().UTC()
	snap := registry.Record{
		ID: registry.NewID(), Kind: registry.Snapshot, Tenant: rec.Tenant, Key: c.Key.ID, Template: rec.Template, Source: rec.ID, Made: now, Began: now,
		Environ: maps.Clone(rec.Environ), Files: maps.Clone(rec.Files),
	}
	if q.Name != "" {
		snap.Names = []string{q.Name}
	}
	if _, err := c.Tenant.Hub.Fork(r.Context(), rec.ID, []string{snap.ID}, 0); err != nil {
		return err
	}
	if err := d.cfg.Registry.Put(snap); err != nil {
		return errors.Join(err, d.cfg.Registry.Delete(context.WithoutCancel(r.Context()), snap))
	}
	if replaces {
		if err := d.cfg.Registry.Delete(r.Context(), before); err != nil {
			return err
		}
	}
	return reply(w, http.StatusCreated, infoOf(snap))
}

func (d *door) snapshots(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	q := r.URL.Query()
	p, err := pageOf(q)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(d.cfg.Registry.List(c.Key.Tenant, registry.Snapshot), func(rec registry.Record) bool {
		source, name := q.Get("sandboxID"), q.Get("name")
		return source != "" && rec.Source != source || name != "" && !slices.Contains(rec.Names, name)
	})
	part, next := p.cut(list)
	if next != "" {
		w.Header().Set(nextToken, next)
	}
	out := make([]snapshotInfo, 0, len(part))
	for _, rec := range part {
		out = append(out, infoOf(rec))
	}
	return reply(w, http.StatusOK, out)
}

// deleteTemplate deletes a snapshot, which is a template of E2B's.
func (d *door) deleteTemplate(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	id := r.PathValue("id")
	rec, ok := d.cfg.Registry.Find(c.Key.Tenant, id)
	if !ok {
		if _, there := d.cfg.Templates[id]; there {
			return missing("deleting templates", "templates are the operator's")
		}
		return fault.New(fault.NotFound, "", "template '%s' not found", safetext.Clip(safetext.Line(id), 100))
	}
	if err := d.cfg.Registry.Delete(r.Context(), rec); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// template describes a template.
type template struct {
	ID        string    `json:"templateID"`
	Build     string    `json:"buildID"`
	CPUs      int       `json:"cpuCount"`
	MemoryMB  int64     `json:"memoryMB"`
	DiskMB    int64     `json:"diskSizeMB"`
	Public    bool      `json:"public"`
	Aliases   []string  `json:"aliases"`
	Names     []string  `json:"names"`
	Created   time.Time `json:"createdAt"`
	Updated   time.Time `json:"updatedAt"`
	By        *struct{} `json:"createdBy"`
	Spawned   *struct{} `json:"lastSpawnedAt"`
	Spawns    int       `json:"spawnCount"`
	Builds    int       `json:"buildCount"`
	Version   string    `json:"envdVersion"`
	BuildDone string    `json:"buildStatus"`
}

// templates lists those that the operator gave names.
func (d *door) templates(w http.ResponseWriter, _ *http.Request, c *api.Call) error {
	limits := c.Tenant.App.Limits()
	out := []template{}
	for _, name := range slices.Sorted(maps.Keys(d.cfg.Templates)) {
		out = append(out, template{
			ID: name, Build: name, CPUs: max(1, int(limits.CPUs+0.99)), MemoryMB: limits.Memory >> 20, DiskMB: limits.Disk >> 20, Public: true,
			Aliases: []string{name}, Names: []string{name}, Builds: 1, Version: d.cfg.Version, BuildDone: "ready",
		})
	}
	return reply(w, http.StatusOK, out)
}

func (d *door) alias(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	name := r.PathValue("alias")
	_, there := d.cfg.Templates[name]
	if rec, ok := d.cfg.Registry.Find(c.Key.Tenant, name); ok {
		name, there = rec.ID, true
	}
	if !there {
		return fault.New(fault.NotFound, "", "template '%s' not found", safetext.Clip(safetext.Line(name), 100))
	}
	return reply(w, http.StatusOK, map[string]any{"templateID": name, "public": false})
}

// networkOptions are the rules of a sandbox as clients send them.
type networkOptions struct {
	PublicTraffic *bool           `json:"allowPublicTraffic"`
	AllowOut      []string        `json:"allowOut"`
	DenyOut       []string        `json:"denyOut"`
	MaskHost      string          `json:"maskRequestHost"`
	Internet      *bool           `json:"allow_internet_access"`
	Proxy         json.RawMessage `json:"egressProxy"`
	DNS           json.RawMessage `json:"dnsServers"`
	HTTPSPorts    json.RawMessage `json:"httpsPorts"`
	Rules         json.RawMessage `json:"rules"`
}

// maxRules bounds the rules of a sandbox.
const maxRules = 500

// readNetwork reads rules into a record.
func readNetwork(data []byte, rec *registry.Record) error {
	var q networkOptions
	if err := decode(data, &q); err != nil {
		return err
	}
	switch {
	case present(q.Proxy):
		return missing("network.egressProxy", "sandboxes reach hosts through this server's own proxy")
	case present(q.DNS):
		return missing("network.dnsServers", "names are resolved by this server")
	case present(q.HTTPSPorts):
		return missing("network.httpsPorts", "servers in sandboxes are reached over plain HTTP")
	case present(q.Rules):
		return missing("network.rules", "credentials for hosts are the operator's")
	case len(q.AllowOut)+len(q.DenyOut) > maxRules:
		return fault.New(fault.Invalid, "Give fewer.", "a sandbox has at most %d rules", maxRules)
	case len(q.MaskHost) > 300 || strings.ContainsAny(q.MaskHost, " \r\n\t/"):
		return fault.New(fault.Invalid, "Give HOST or HOST:PORT.", "cannot read network.maskRequestHost")
	}
	rec.AllowOut, rec.DenyOut, rec.MaskHost = q.AllowOut, q.DenyOut, q.MaskHost
	rec.Restricted = q.PublicTraffic != nil && !*q.PublicTraffic
	return nil
}

// network changes the rules of a sandbox.
func (d *door) network(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	var raw json.RawMessage
	if err := d.read(w, r, &raw); err != nil {
		return err
	}
	var q networkOptions
	if err := decode(raw, &q); err != nil {
		return err
	}
	rec, err := d.find(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !rec.Running(d.cfg.Now()) {
		return fault.New(fault.Conflict, "Resume it first.", "sandbox %s is not running", rec.ID)
	}
	rec, err = d.cfg.Registry.Change(rec.ID, func(rec *registry.Record) error {
		// Who may reach its ports is said when it is made, and stays.
		restricted, mask := rec.Restricted, rec.MaskHost
		if err := readNetwork(raw, rec); err != nil {
			return err
		}
		rec.Restricted, rec.MaskHost, rec.Internet = restricted, mask, q.Internet
		public := !restricted
		described, err := json.Marshal(map[string]any{"allowOut": append([]string{}, rec.AllowOut...), "denyOut": append([]string{}, rec.DenyOut...), "allowPublicTraffic": public})
		rec.Network = described
		if err != nil {
			return err
		}
		return d.cfg.Check(*rec)
	})
	if err == nil {
		err = d.cfg.Network(r.Context(), rec)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
