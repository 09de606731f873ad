package access

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
)

// Amounts are what is used up over a time.
type Amounts struct {
	CPU    float64 `json:"cpu_s,omitempty"`        // seconds of processors, by code
	Egress int64   `json:"egress_bytes,omitempty"` // sent to and received from other hosts
	Tokens int64   `json:"tokens,omitempty"`       // of models, both ways
	USD    float64 `json:"usd,omitempty"`          // of models whose price is known
}

// Add returns the sum.
func (a Amounts) Add(b Amounts) Amounts {
	return Amounts{a.CPU + b.CPU, a.Egress + b.Egress, a.Tokens + b.Tokens, a.USD + b.USD}
}

// Quota is how much of a server a tenant may use, or a key. 0: as much as the server gives.
type Quota struct {
	Sessions int     `json:"sessions,omitempty"`     // that have a sandbox
	Memory   int64   `json:"memory_bytes,omitempty"` // that those sessions may have together
	Disk     int64   `json:"disk_bytes,omitempty"`   // of a tenant's data folder
	Requests float64 `json:"requests_per_s,omitempty"`
	Day      Amounts `json:"day,omitzero"`   // in UTC
	Month    Amounts `json:"month,omitzero"` // of the calendar, in UTC
}

// Least returns what keeps to both quotas.
func (q Quota) Least(o Quota) Quota {
	return Quota{
		least(q.Sessions, o.Sessions), least(q.Memory, o.Memory), least(q.Disk, o.Disk), least(q.Requests, o.Requests),
		q.Day.least(o.Day), q.Month.least(o.Month),
	}
}

func (a Amounts) least(b Amounts) Amounts {
	return Amounts{least(a.CPU, b.CPU), least(a.Egress, b.Egress), least(a.Tokens, b.Tokens), least(a.USD, b.USD)}
}

func least[N int | int64 | float64](a, b N) N {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// part is one number of a quota.
type part struct {
	bytes bool
	whole *int64
	count *int
	real  *float64
}

// part returns the number of a quota with a name.
func (q *Quota) part(name string) (part, bool) {
	base, window, windowed := strings.Cut(name, "-")
	a := &q.Day
	switch {
	case windowed && window == "month":
		a = &q.Month
	case windowed && window != "day":
		return part{}, false
	}
	if windowed {
		switch base {
		case "cpu":
			return part{real: &a.CPU}, true
		case "egress":
			return part{bytes: true, whole: &a.Egress}, true
		case "tokens":
			return part{whole: &a.Tokens}, true
		case "usd":
			return part{real: &a.USD}, true
		}
		return part{}, false
	}
	switch base {
	case "sessions":
		return part{count: &q.Sessions}, true
	case "memory":
		return part{bytes: true, whole: &q.Memory}, true
	case "disk":
		return part{bytes: true, whole: &q.Disk}, true
	case "requests":
		return part{real: &q.Requests}, true
	}
	return part{}, false
}

// QuotaNames are the names of the numbers of a quota.
func QuotaNames() []string {
	return []string{
		"sessions", "memory", "disk", "requests",
		"cpu-day", "cpu-month", "egress-day", "egress-month", "tokens-day", "tokens-month", "usd-day", "usd-month",
	}
}

// Set sets the number of a quota that a text of the form NAME=NUMBER names. size reads a number
// of bytes.
func (q *Quota) Set(text string, size func(string) (int64, error)) error {
	name, value, _ := strings.Cut(text, "=")
	p, known := q.part(name)
	if !known {
		return fault.New(fault.Invalid, "The names are "+strings.Join(QuotaNames(), ", ")+".", "cannot read the quota: there is none named %q", safetext.Clip(safetext.Line(name), 40))
	}
	if p.bytes {
		n, err := size(value)
		if err != nil {
			return err
		}
		*p.whole = n
		return nil
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n > 0 && n < 1e15) || p.real == nil && n != math.Trunc(n) {
		return fault.New(fault.Invalid, "Give a number above 0, such as tokens-day=1000000.", "cannot read the quota %s: %q is no such number", name, safetext.Clip(safetext.Line(value), 40))
	}
	switch {
	case p.count != nil:
		*p.count = int(min(n, 1e9))
	case p.whole != nil:
		*p.whole = int64(n)
	default:
		*p.real = n
	}
	return nil
}

// Tenants are the quotas of tenants that have other ones than the server gives to all. It is
// safe for concurrent use, also by several processes.
type Tenants struct {
	mu   sync.Mutex
	file *atomicfile.Watched[map[string]Quota]
}

// quotaFile is where the quotas of tenants are.
const quotaFile = "quotas.json"

// OpenTenants opens the quotas in the folder dir.
func OpenTenants(dir string) (*Tenants, error) {
	if err := atomicfile.Make(dir); err != nil {
		return nil, err
	}
	t := &Tenants{file: atomicfile.NewWatched(filepath.Join(dir, quotaFile), maxFile, decodeQuotas)}
	_, err := t.All()
	return t, err
}

// decodeQuotas reads the contents of the file.
func decodeQuotas(data []byte) (map[string]Quota, error) {
	out := map[string]Quota{}
	if data == nil {
		return out, nil
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fault.New(fault.Invalid, "Restore the file, or move it away and set the quotas anew.", "it has no quotas: %w", err)
	}
	for name := range out {
		if !tenantPattern.MatchString(name) {
			return nil, fault.New(fault.Invalid, "Restore the file, or move it away and set the quotas anew.", "%q is no tenant", safetext.Clip(safetext.Line(name), 60))
		}
	}
	return out, nil
}

// All returns the quotas by tenant.
func (t *Tenants) All() (map[string]Quota, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all, err := t.file.Get()
	if err != nil {
		return nil, fmt.Errorf("cannot read the quotas of tenants: %w", err)
	}
	return maps.Clone(all), nil
}

// Get returns the quota of a tenant; the zero Quota: it has none of its own.
func (t *Tenants) Get(tenant string) (Quota, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all, err := t.file.Get()
	if err != nil {
		return Quota{}, fmt.Errorf("cannot read the quotas of tenants: %w", err)
	}
	return all[tenant], nil
}

// Put replaces the quota of a tenant; the zero Quota takes it away.
func (t *Tenants) Put(tenant string, q Quota) error {
	if !tenantPattern.MatchString(tenant) {
		return fault.New(fault.Invalid, "Use up to 40 small letters, digits and hyphens.", "cannot set the quota: %q is no name of a tenant", safetext.Clip(safetext.Line(tenant), 60))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all, err := t.file.Get()
	if err != nil {
		return fmt.Errorf("cannot read the quotas of tenants: %w", err)
	}
	all = maps.Clone(all)
	if all[tenant] = q; q == (Quota{}) {
		delete(all, tenant)
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := t.file.Put(append(data, '\n')); err != nil {
		return fmt.Errorf("cannot write the quotas of tenants: %w", err)
	}
	return nil
}

// String writes a quota as it is set; "": there is none.
func (q Quota) String() string {
	var out []string
	for _, name := range QuotaNames() {
		p, _ := q.part(name)
		switch {
		case p.bytes && *p.whole != 0:
			out = append(out, name+"="+safetext.Size(*p.whole))
		case p.count != nil && *p.count != 0:
			out = append(out, name+"="+strconv.Itoa(*p.count))
		case !p.bytes && p.whole != nil && *p.whole != 0:
			out = append(out, name+"="+strconv.FormatInt(*p.whole, 10))
		case p.real != nil && *p.real != 0:
			out = append(out, name+"="+strconv.FormatFloat(*p.real, 'g', -1, 64))
		}
	}
	return strings.Join(out, " ")
}
