// Package usage counts what a tenant and its keys used in a day and in a month, and says when
// that is as much as they may.
//
// The counts are one file, written whole every few seconds while they change, so that they
// outlast the server; a crash forgets the last seconds. Days and months are those of UTC. What
// is under way is counted when it has ended, so a quota can be exceeded by what was begun
// before it was reached.
package usage

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
)

// Account is what was used in the day and in the month of a time.
type Account struct {
	Day     string         `json:"day"`   // 2026-11-24
	Month   string         `json:"month"` // 2026-11
	InDay   access.Amounts `json:"in_day"`
	InMonth access.Amounts `json:"in_month"`
}

// at returns the account as it is at a time: what was used before its day and its month is
// not in it any more.
func (a Account) at(now time.Time) Account {
	day, month := now.UTC().Format(time.DateOnly), now.UTC().Format("2006-01")
	if a.Day != day {
		a.Day, a.InDay = day, access.Amounts{}
	}
	if a.Month != month {
		a.Month, a.InMonth = month, access.Amounts{}
	}
	return a
}

// stored is the file.
type stored struct {
	Tenant Account                   `json:"tenant"`
	Keys   map[string]Account        `json:"keys,omitempty"`
	Months map[string]access.Amounts `json:"months,omitempty"` // of the tenant, those before as well
}

// Bounds of the file.
const (
	maxFile   = 4 << 20
	maxKeys   = 10_000
	maxMonths = 24
	saveEvery = 2 * time.Second
)

// Ledger is what a tenant used. It is safe for concurrent use by one process.
type Ledger struct {
	file   string
	now    func() time.Time
	failed func(error)
	stop   chan struct{}
	wait   sync.WaitGroup
	once   sync.Once

	mu    sync.Mutex
	s     stored
	dirty bool
}

// Open reads what was used before. now is the clock; nil: the machine's. failed is called when
// the file cannot be written. Close must be called.
func Open(file string, now func() time.Time, failed func(error)) (*Ledger, error) {
	if now == nil {
		now = time.Now
	}
	l := &Ledger{file: file, now: now, failed: failed, stop: make(chan struct{})}
	data, err := atomicfile.ReadSecret(file, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read what was used: %w", err)
	}
	if l.s, err = decode(data); err != nil {
		return nil, fmt.Errorf("cannot read what was used in %s: %w", file, err)
	}
	l.wait.Go(l.saves)
	return l, nil
}

// decode reads the contents of the file; nil: there is none.
func decode(data []byte) (stored, error) {
	var s stored
	if data != nil {
		if err := json.Unmarshal(data, &s); err != nil {
			return s, fault.New(fault.Conflict, "Restore the file, or remove it: counting begins anew then.", "it is damaged: %w", err)
		}
	}
	if s.Keys == nil {
		s.Keys = map[string]Account{}
	}
	if s.Months == nil {
		s.Months = map[string]access.Amounts{}
	}
	return s, nil
}

// Add counts what was used on behalf of a key.
func (l *Ledger) Add(key string, a access.Amounts) {
	if a == (access.Amounts{}) {
		return
	}
	now := l.now()
	add := func(to Account) Account {
		to = to.at(now)
		to.InDay, to.InMonth = to.InDay.Add(a), to.InMonth.Add(a)
		return to
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.s.Tenant = add(l.s.Tenant)
	if _, known := l.s.Keys[key]; known || len(l.s.Keys) < maxKeys {
		l.s.Keys[key] = add(l.s.Keys[key])
	}
	l.s.Months[l.s.Tenant.Month] = l.s.Tenant.InMonth
	l.dirty = true
}

// Used returns what the tenant used, and what a key did.
func (l *Ledger) Used(key string) (tenant, own Account) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.s.Tenant.at(now), l.s.Keys[key].at(now)
}

// Months returns what the tenant used in each month.
func (l *Ledger) Months() map[string]access.Amounts {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.s.Months)
}

// Check refuses what would use more than a tenant or a key may.
func (l *Ledger) Check(key string, tenant, own access.Quota) error {
	now := l.now().UTC()
	t, k := l.Used(key)
	tomorrow := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
	next := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	return cmp.Or(
		exceeds("tenant", "month", t.InMonth, tenant.Month, next.Sub(now)), exceeds("tenant", "day", t.InDay, tenant.Day, tomorrow.Sub(now)),
		exceeds("key", "month", k.InMonth, own.Month, next.Sub(now)), exceeds("key", "day", k.InDay, own.Day, tomorrow.Sub(now)),
	)
}

// exceeds compares what was used in a window with what may be.
func exceeds(whose, window string, used, most access.Amounts, wait time.Duration) error {
	for _, c := range []struct {
		what       string
		used, most float64
		say        string
	}{
		{"seconds of processors", used.CPU, most.CPU, strconv.FormatFloat(most.CPU, 'f', -1, 64)},
		{"bytes to and from other hosts", float64(used.Egress), float64(most.Egress), strconv.FormatInt(most.Egress, 10)},
		{"tokens of models", float64(used.Tokens), float64(most.Tokens), strconv.FormatInt(most.Tokens, 10)},
		{"US dollars for models", used.USD, most.USD, strconv.FormatFloat(most.USD, 'f', -1, 64)},
	} {
		if c.most == 0 || c.used < c.most {
			continue
		}
		seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
		return fault.Coded(fault.AllowanceUsedUp, fault.Data{"whose": whose, "what": c.what, "limit": c.say, "window": window, "retry_after_s": seconds},
			"cannot begin this: the %s used its %s %s of the %s", whose, c.say, c.what, window)
	}
	return nil
}

// Left returns what a tenant and a key may still use of tokens and money in this day and this
// month, 0 for what is not bounded.
func (l *Ledger) Left(key string, tenant, own access.Quota) (tokens int64, usd float64) {
	t, k := l.Used(key)
	for _, b := range []struct{ used, most access.Amounts }{{t.InDay, tenant.Day}, {t.InMonth, tenant.Month}, {k.InDay, own.Day}, {k.InMonth, own.Month}} {
		if n := b.most.Tokens - b.used.Tokens; b.most.Tokens != 0 && (tokens == 0 || n < tokens) {
			tokens = max(n, 1)
		}
		if n := b.most.USD - b.used.USD; b.most.USD != 0 && (usd == 0 || n < usd) {
			usd = max(n, 1e-9)
		}
	}
	return tokens, usd
}

// saves writes the file while the counts change, until the ledger is closed.
func (l *Ledger) saves() {
	ticker := time.NewTicker(saveEvery)
	defer ticker.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-ticker.C:
			if err := l.save(); err != nil {
				l.failed(err)
			}
		}
	}
}

// save writes the file if the counts have changed.
func (l *Ledger) save() error {
	l.mu.Lock()
	if !l.dirty {
		l.mu.Unlock()
		return nil
	}
	l.dirty = false
	month := l.now().UTC().Format("2006-01")
	maps.DeleteFunc(l.s.Keys, func(_ string, a Account) bool { return a.Month != month })
	for _, old := range slices.Sorted(maps.Keys(l.s.Months))[:max(0, len(l.s.Months)-maxMonths)] {
		delete(l.s.Months, old)
	}
	data, err := json.Marshal(l.s)
	l.mu.Unlock()
	if err == nil {
		err = atomicfile.WriteFile(l.file, data)
	}
	if err != nil {
		l.mu.Lock()
		l.dirty = true
		l.mu.Unlock()
		return fmt.Errorf("cannot write what was used to %s: %w", safetext.Line(l.file), err)
	}
	return nil
}

// Close writes what is not written yet.
func (l *Ledger) Close() error {
	l.once.Do(func() { close(l.stop) })
	l.wait.Wait()
	err := l.save()
	if errors.Is(err, os.ErrNotExist) {
		return nil // the tenant's folder is gone, and what it used with it
	}
	return err
}
