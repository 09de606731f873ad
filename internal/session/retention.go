package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"praxis/fault"
)

const (
	// DefaultKeep is how many steps of a named session stay when nothing else is said.
	DefaultKeep = 20
	// MaxKeep bounds a history, since its description is read as a whole.
	MaxKeep = 10_000
)

// Retention says which steps of a named session stay: the last Keep of them, and those
// that are younger than For. The one that the session stands at always does.
type Retention struct {
	Keep int           // 0: DefaultKeep
	For  time.Duration // 0: no step stays for its age alone
}

// keeps says whether a step stays that has so many younger ones beside it.
func (r Retention) keeps(s SnapshotInfo, younger int, now time.Time) bool {
	return younger < cmp.Or(r.Keep, DefaultKeep) || younger < MaxKeep && r.For > 0 && now.Sub(s.Created) < r.For
}

// why says why a step goes that keeps does not keep.
func (r Retention) why() string {
	why := fmt.Sprintf("it is not among the last %d", cmp.Or(r.Keep, DefaultKeep))
	if r.For > 0 {
		why += " and older than " + days(r.For)
	}
	return why
}

// days writes a time as people do.
func days(d time.Duration) string {
	if d >= 24*time.Hour && d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return d.String()
}

// trim takes the steps out of a history that r does not keep, and the oldest while all
// of them have more bytes, and returns them. The head stays.
func (i *NamedInfo) trim(r Retention, bytes int64, now time.Time) (old []SnapshotInfo) {
	left, size := len(i.Snapshots), int64(0)
	for _, s := range i.Snapshots {
		size += s.cost()
	}
	var remaining []SnapshotInfo
	for _, s := range i.Snapshots {
		if s.ID == i.Head || r.keeps(s, left-1, now) && size <= bytes {
			remaining = append(remaining, s)
			continue
		}
		old = append(old, s)
		left, size = left-1, size-s.cost()
	}
	i.Snapshots = remaining
	return old
}

// Prune says which steps of named sessions go.
type Prune struct {
	Names     []string // none: all sessions
	Retention Retention
	// Keep protects the contents of a step, as one that a recorded run begins with: it
	// leaves the history all the same. nil protects none.
	Keep   func(id string) bool
	DryRun bool // only say what would go
}

// PrunedSession says which steps of a session went, or would go.
type PrunedSession struct {
	Name  string    `json:"name"`
	Steps []Removed `json:"steps"`
	Bytes int64     `json:"bytes"` // that are free then
	Left  int       `json:"left"`  // steps that stay
	// Needed is how many of Steps are still stored, since a recorded run, another
	// session or one that runs needs them.
	Needed int `json:"needed"`
	// InUse says that a command has the session open: nothing of it was removed.
	InUse bool `json:"in_use,omitempty"`
}

// PruneNamed takes old steps out of the histories of named sessions, and removes the
// contents of those that nobody needs. A session that a command has open is left as it is.
func (m *Manager) PruneNamed(ctx context.Context, p Prune) ([]PrunedSession, error) {
	names, err := m.pruneNames(p.Names)
	if err != nil {
		return nil, err
	}
	busy := map[string]bool{}
	for _, name := range names {
		unlock, err := m.tryName(name)
		if errors.Is(err, fs.ErrNotExist) {
			busy[name] = true // removed meanwhile; one that is made again is another's
			continue
		}
		if err != nil {
			return nil, err
		}
		switch busy[name] = unlock == nil; {
		case busy[name]:
		case p.DryRun:
			unlock() // nobody has to wait for what only says something
		default:
			defer unlock()
		}
	}
	unlock, err := m.lockAll(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	// While it is not known what a session refers to that is damaged, nothing goes: neither
	// contents nor the steps of others.
	if _, err := m.referred(); err != nil {
		return nil, err
	}
	out, gone, err := m.pruneHistories(names, busy, p)
	if err != nil {
		return out, err
	}
	if err := m.pruneContents(ctx, out, gone, p); err != nil || p.DryRun {
		return out, err
	}
	return out, m.sweepChunks(ctx)
}

// pruneNames returns the sessions that are meant, each once. Of all those are left out
// that are just being made, or not readable: they can be removed, and nothing else.
func (m *Manager) pruneNames(names []string) ([]string, error) {
	if len(names) > 0 {
		names = slices.Clone(names)
		slices.Sort(names)
		names = slices.Compact(names)
		for _, name := range names {
			if _, err := m.readNamed(name); err != nil {
				return nil, err
			}
		}
		return names, nil
	}
	entries, err := os.ReadDir(m.names)
	if err != nil {
		return nil, fmt.Errorf("cannot list sessions: %w", err)
	}
	for _, e := range entries {
		if nameRule.MatchString(e.Name()) {
			if _, err := m.readNamed(e.Name()); err == nil {
				names = append(names, e.Name())
			}
		}
	}
	return names, nil
}

// tryName takes the lock of one name, or returns nil when another has it.
func (m *Manager) tryName(name string) (unlock func(), err error) {
	path := filepath.Join(m.names, name, "lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open session %s: %w", name, err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil && sameFile(f, path) {
		return func() { f.Close() }, nil
	}
	f.Close()
	if err == nil || err == unix.EWOULDBLOCK || err == unix.EINTR {
		return nil, nil
	}
	return nil, fmt.Errorf("cannot open session %s: %w", name, err)
}

// pruneHistories takes the steps out of the histories and returns which those are, by
// session. The locks of the sessions that are not busy and that of lockAll are held.
func (m *Manager) pruneHistories(names []string, busy map[string]bool, p Prune) (out []PrunedSession, gone map[string][]SnapshotInfo, err error) {
	gone = map[string][]SnapshotInfo{}
	for _, name := range names {
		info, err := m.readNamed(name)
		if fault.KindOf(err) == fault.NotFound {
			continue // removed meanwhile
		}
		if err != nil {
			return out, gone, err
		}
		one := PrunedSession{Name: name, Steps: []Removed{}, Left: len(info.Snapshots), InUse: busy[name]}
		if !one.InUse {
			gone[name] = info.trim(p.Retention, math.MaxInt64, time.Now())
			one.Left = len(info.Snapshots)
		}
		if len(gone[name]) > 0 && !p.DryRun {
			if err := m.writeNamed(info); err != nil {
				return out, gone, err
			}
		}
		out = append(out, one)
	}
	return out, gone, nil
}

// pruneContents removes what is stored of steps that went, where nobody needs it, and
// says in out how many bytes that makes.
func (m *Manager) pruneContents(ctx context.Context, out []PrunedSession, gone map[string][]SnapshotInfo, p Prune) error {
	used, err := m.referredBeside(gone)
	if err != nil {
		return err
	}
	costs, err := m.snapshots.costs()
	if err != nil {
		return err
	}
	all, err := m.snapshots.all()
	if err != nil {
		return err
	}
	for _, s := range all {
		costs.add(s.ID)
	}
	freed := map[string]bool{}
	for i := range out {
		for _, s := range gone[out[i].Name] {
			if ctx.Err() != nil {
				return fault.New(fault.Canceled, "", "%w", context.Cause(ctx))
			}
			removed := Removed{ID: s.ID, Created: s.Created, Why: p.Retention.why()}
			if validID(s.ID) && !freed[s.ID] && !used[s.ID] && (p.Keep == nil || !p.Keep(s.ID)) {
				if freed[s.ID], err = m.owner.discardSized(costs, m.snapshots, s.ID, p.DryRun, &removed.Bytes); err != nil {
					return err
				}
			}
			if !freed[s.ID] {
				out[i].Needed++
			}
			out[i].Steps, out[i].Bytes = append(out[i].Steps, removed), out[i].Bytes+removed.Bytes
		}
	}
	return nil
}

// discardSized removes a snapshot that nobody holds, and says how many bytes go with it.
func (o *owner) discardSized(c *costs, in Snapshots, id string, dryRun bool, bytes *int64) (gone bool, err error) {
	*bytes = c.remove(id)
	if gone, err = o.discardUnheld(filepath.Join(in.dir, id), dryRun); err != nil || !gone {
		c.add(id)
		*bytes = 0
	}
	return gone, err
}

// referredBeside returns the snapshots that named sessions refer to beside those steps
// that went, or would go, from their histories.
func (m *Manager) referredBeside(gone map[string][]SnapshotInfo) (map[string]bool, error) {
	used := map[string]bool{}
	err := m.eachNamed(func(info NamedInfo) {
		for _, s := range info.Snapshots {
			if !slices.ContainsFunc(gone[info.Name], func(g SnapshotInfo) bool { return g.ID == s.ID }) {
				used[s.ID] = true
			}
		}
		used[info.Head] = true
	})
	return used, err
}
