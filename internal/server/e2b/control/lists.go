package control

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
	"praxis/internal/server/e2b/registry"
)

// Bounds of pages.
const (
	defaultPage = 100
	maxPage     = 100
)

// nextToken is the header that has where the next page begins.
const nextToken = "X-Next-Token"

// page is a part of a list that is asked for.
type page struct {
	limit int
	after string // the id of the last record of the page before; "": the first page
	at    time.Time
	asc   bool
}

// pageOf reads which page is asked for.
func pageOf(q url.Values) (p page, err error) {
	p.limit = defaultPage
	if text := q.Get("limit"); text != "" {
		if p.limit, err = strconv.Atoi(text); err != nil || p.limit < 1 {
			return p, fault.New(fault.Invalid, fmt.Sprintf("Give 1 to %d.", maxPage), "cannot read the limit")
		}
		p.limit = min(p.limit, maxPage)
	}
	switch q.Get("order") {
	case "", "desc":
	case "asc":
		p.asc = true
	default:
		return p, fault.New(fault.Invalid, "Give asc or desc.", "cannot read the order")
	}
	text := q.Get("nextToken")
	if text == "" {
		return p, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	nanos, id, ok := strings.Cut(string(raw), " ")
	n, wrong := strconv.ParseInt(nanos, 10, 64)
	if err != nil || !ok || wrong != nil || !registry.IsID(id) {
		return p, fault.New(fault.Invalid, "Send it as it was received.", "cannot read the token of the next page")
	}
	p.after, p.at = id, time.Unix(0, n)
	return p, nil
}

// cut returns the page of a list, newest first, and the token of the next one; "": there is none.
func (p page) cut(list []registry.Record) (part []registry.Record, next string) {
	if p.asc {
		slices.Reverse(list)
	}
	if p.after != "" {
		list = slices.DeleteFunc(list, func(r registry.Record) bool {
			c := r.Began.Compare(p.at)
			if !p.asc {
				c = -c
			}
			// Those of one instant are in the order of their ids, which asc turns round.
			same := strings.Compare(r.ID, p.after)
			if p.asc {
				same = -same
			}
			return c < 0 || c == 0 && same <= 0
		})
	}
	if len(list) <= p.limit {
		return list, ""
	}
	last := list[p.limit-1]
	return list[:p.limit], base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", last.Began.UnixNano(), last.ID))
}

// pairs reads metadata that stands in a query: names and values are escaped twice.
func pairs(text string) (map[string]string, error) {
	values, err := url.ParseQuery(text)
	out := map[string]string{}
	for k, v := range values {
		name, wrong := url.QueryUnescape(k)
		value, wrong2 := url.QueryUnescape(v[0])
		if wrong != nil || wrong2 != nil {
			return nil, fault.New(fault.Invalid, "", "cannot read the metadata")
		}
		out[name] = value
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "", "cannot read the metadata")
	}
	return out, nil
}

// filter returns what a query lets through of a list.
func (d *door) filter(q url.Values, states []string) (func(registry.Record) bool, error) {
	want, err := pairs(q.Get("metadata"))
	if err != nil {
		return nil, err
	}
	if given := q["state"]; len(given) > 0 {
		states = strings.Split(strings.Join(given, ","), ",")
		for _, s := range states {
			if s != "running" && s != "paused" {
				return nil, fault.New(fault.Invalid, "The states are running and paused.", "cannot read the state %q", safetext.Clip(safetext.Line(s), 40))
			}
		}
	}
	var after time.Time
	if text := q.Get("startedAfter"); text != "" {
		if after, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return nil, fault.New(fault.Invalid, "Give it as RFC 3339 has it.", "cannot read startedAfter")
		}
	}
	template := q.Get("template")
	return func(rec registry.Record) bool {
		for k, v := range want {
			if got, ok := rec.Metadata[k]; !ok || got != v {
				return false
			}
		}
		state := "running"
		if rec.Paused || rec.Over(d.cfg.Now()) {
			state = "paused"
			if !rec.Paused && !rec.AutoPause {
				return false // its time is over, and it is about to go
			}
		}
		return slices.Contains(states, state) && (template == "" || rec.Template == template) && rec.Began.After(after)
	}, nil
}

// sandboxes returns the sandboxes of a tenant that there still are.
func (d *door) sandboxes(c *api.Call, keep func(registry.Record) bool) []registry.Record {
	return slices.DeleteFunc(d.cfg.Registry.List(c.Key.Tenant, registry.Sandbox), func(rec registry.Record) bool {
		_, err := c.Tenant.Hub.Get(rec.ID)
		return err != nil || !keep(rec)
	})
}

// listFirst lists all that run, for clients that know no pages.
func (d *door) listFirst(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	keep, err := d.filter(r.URL.Query(), []string{"running"})
	if err != nil {
		return err
	}
	return d.sendList(w, c, d.sandboxes(c, keep))
}

// listSecond lists a page of those that run or are paused.
func (d *door) listSecond(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	q := r.URL.Query()
	keep, err := d.filter(q, []string{"running", "paused"})
	if err != nil {
		return err
	}
	p, err := pageOf(q)
	if err != nil {
		return err
	}
	part, next := p.cut(d.sandboxes(c, keep))
	if next != "" {
		w.Header().Set(nextToken, next)
	}
	return d.sendList(w, c, part)
}

func (d *door) sendList(w http.ResponseWriter, c *api.Call, list []registry.Record) error {
	out := make([]detail, 0, len(list))
	for _, rec := range list {
		out = append(out, d.detail(c, rec))
	}
	return reply(w, http.StatusOK, out)
}

// Metric is what a sandbox uses at a time.
type Metric struct {
	Timestamp time.Time `json:"timestamp"`
	Unix      int64     `json:"timestampUnix"`
	CPUs      int       `json:"cpuCount"`
	CPUUsed   float64   `json:"cpuUsedPct"`
	MemUsed   int64     `json:"memUsed"`
	MemTotal  int64     `json:"memTotal"`
	MemCache  int64     `json:"memCache"`
	DiskUsed  int64     `json:"diskUsed"`
	DiskTotal int64     `json:"diskTotal"`
}

// metrics measures a sandbox now: what it used before is not stored.
func (d *door) metrics(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	rec, err := d.find(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	out := []Metric{}
	if rec.Running(d.cfg.Now()) {
		m, err := d.cfg.Measure(r.Context(), c.Tenant, rec.ID)
		if err != nil {
			return err
		}
		out = append(out, m)
	}
	return reply(w, http.StatusOK, out)
}

func (d *door) allMetrics(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	out := map[string]Metric{}
	ids := strings.Split(strings.Join(r.URL.Query()["sandbox_ids"], ","), ",")
	if len(ids) > maxPage {
		return fault.New(fault.Invalid, "Ask for fewer.", "cannot measure more than %d sandboxes at once", maxPage)
	}
	for _, id := range ids {
		rec, err := d.find(r.Context(), c, id)
		if err != nil || !rec.Running(d.cfg.Now()) {
			continue
		}
		if out[rec.ID], err = d.cfg.Measure(r.Context(), c.Tenant, rec.ID); err != nil {
			return err
		}
	}
	return reply(w, http.StatusOK, map[string]any{"sandboxes": out})
}

// logEntry is a line of a sandbox's log.
type logEntry struct {
	Timestamp time.Time         `json:"timestamp"`
	Line      string            `json:"line,omitempty"`
	Message   string            `json:"message,omitempty"`
	Level     string            `json:"level,omitempty"`
	Fields    map[string]string `json:"fields,omitempty"`
}

// logs says when a sandbox was made and resumed. What its programs write, their own streams have.
func (d *door) logs(w http.ResponseWriter, r *http.Request, c *api.Call) error {
	rec, err := d.find(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	old, entries := []logEntry{}, []logEntry{}
	add := func(at time.Time, text string) {
		old = append(old, logEntry{Timestamp: at, Line: text})
		entries = append(entries, logEntry{Timestamp: at, Message: text, Level: "info", Fields: map[string]string{}})
	}
	add(rec.Made, "sandbox created")
	if rec.Began.After(rec.Made) {
		add(rec.Began, "sandbox resumed")
	}
	if strings.HasPrefix(r.URL.Path, "/v2/") {
		return reply(w, http.StatusOK, map[string]any{"logs": entries})
	}
	return reply(w, http.StatusOK, map[string]any{"logs": old, "logEntries": entries})
}
