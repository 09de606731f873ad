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
	"praxis/internal/seal"
)

// Collect says which snapshots and templates may be removed. Those that named
// sessions refer to and those that a live session may need never are.
type Collect struct {
	// Keep protects a snapshot, as one that a recorded run names. nil protects none.
	Keep func(id string) bool
	// OlderThan leaves younger snapshots alone, and templates that were used
	// within. Less than it takes to record a snapshot is unsafe while others work.
	OlderThan time.Duration
	// Quota bounds the bytes of all snapshots that no named session refers to,
	// protected ones included: beyond it the oldest go, however young, that are
	// not protected. 0 means no bound.
	Quota int64
	// Slack is how far below the quota the snapshots are brought when they are beyond it.
	Slack  int64
	DryRun bool // only say what would be removed
}

// Collected says what was removed, or would be.
type Collected struct {
	Snapshots []Removed `json:"snapshots"`
	Templates []Removed `json:"templates"`
	Programs  []Removed `json:"programs"`   // installed ones that nothing runs any more
	Bytes     int64     `json:"bytes"`      // of all
	Left      int64     `json:"left_bytes"` // of the snapshots that no named session refers to and that stay
	// Chunks that no snapshot is made of, as a process leaves them that was killed.
	Chunks     int   `json:"chunks"`
	ChunkBytes int64 `json:"chunk_bytes"`
	InUse      int   `json:"in_use"` // that would have been removed but for a live session
}

// Removed is a snapshot or a template that is not needed.
type Removed struct {
	ID      string    `json:"id"`
	Bytes   int64     `json:"bytes"`
	Created time.Time `json:"created"`
	Used    time.Time `json:"used,omitzero"` // of a template
	Why     string    `json:"why"`           // one clause
}

// Unused begins the Why of a template that was not used for long enough; how
// long that was follows.
const Unused = "it was not used for "

// CollectSnapshots removes snapshots that nobody needs, the oldest first, and
// templates, which are made again when they are wanted. Each goes as a whole: a
// crash leaves some of them, and nothing half. What was removed before an error
// is in the result.
func (m *Manager) CollectSnapshots(ctx context.Context, c Collect) (Collected, error) {
	out := Collected{Snapshots: []Removed{}, Templates: []Removed{}, Programs: []Removed{}}
	if c.DryRun {
		if err := m.collectReferred(ctx, c, &out); err != nil {
			return out, err
		}
		return out, m.collectPrograms(true, &out)
	}
	// First, since the quota counts what they take then. A disk that is full for it
	// is what collecting helps against.
	if err := m.Pack(ctx); err != nil {
		return out, err
	}
	if err := m.collectReferred(ctx, c, &out); err != nil {
		return out, err
	}
	if err := m.sweepChunks(ctx); err != nil {
		return out, fmt.Errorf("cannot collect chunks: %w", err)
	}
	if err := m.collectPrograms(false, &out); err != nil {
		return out, fmt.Errorf("cannot collect programs: %w", err)
	}
	return out, nil
}

// collectReferred removes snapshots and templates while nobody can begin to refer to them.
func (m *Manager) collectReferred(ctx context.Context, c Collect, out *Collected) error {
	unlock, err := m.lockAll(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := m.collectSnapshots(ctx, c, out); err != nil {
		return fmt.Errorf("cannot collect snapshots: %w", err)
	}
	if err := m.collectTemplates(ctx, c, out); err != nil {
		return fmt.Errorf("cannot collect templates: %w", err)
	}
	return nil
}

func (m *Manager) collectSnapshots(ctx context.Context, c Collect, out *Collected) error {
	used, err := m.referred()
	if err != nil {
		return err
	}
	all, err := m.snapshots.all()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(s stored) bool { return used[s.ID] })
	costs, err := m.snapshots.costs()
	if err != nil {
		return err
	}
	out.Chunks, out.ChunkBytes = costs.orphans()
	out.Bytes += out.ChunkBytes
	for id := range used {
		costs.add(id) // what they share with others stays
	}
	for _, s := range all {
		out.Left += costs.add(s.ID)
	}
	quota := c.Quota
	if quota <= 0 {
		quota = math.MaxInt64
	}
	if out.Left > quota {
		quota -= c.Slack
	}
	for _, s := range all {
		if err := ctx.Err(); err != nil {
			return fault.New(fault.Canceled, "", "%w", context.Cause(ctx))
		}
		switch {
		case s.foreign || c.Keep != nil && c.Keep(s.ID):
			continue
		case time.Since(s.Created) >= c.OlderThan:
			s.Why = cmp.Or(s.Why, "nothing refers to it")
		case out.Left > quota:
			s.Why = "the quota is used up and nothing but age would keep it"
		default:
			continue
		}
		s.Bytes = costs.remove(s.ID)
		gone, err := m.owner.discardUnheld(s.dir, c.DryRun)
		if err != nil {
			return err
		}
		if !gone {
			costs.add(s.ID)
			out.InUse++
			continue
		}
		out.Snapshots, out.Bytes, out.Left = append(out.Snapshots, s.Removed), out.Bytes+s.Bytes, out.Left-s.Bytes
	}
	return nil
}

func (m *Manager) collectTemplates(ctx context.Context, c Collect, out *Collected) error {
	all, err := m.templates.all()
	if err != nil {
		return err
	}
	for _, s := range all {
		if err := ctx.Err(); err != nil {
			return fault.New(fault.Canceled, "", "%w", context.Cause(ctx))
		}
		switch unused := time.Since(s.touched); {
		case s.foreign:
			continue
		case s.Why != "": // damaged
		case s.orphan():
			s.Why = "its image or its program is gone"
		case unused >= programAge && s.spec.program() != m.cfg.Program.Key():
			s.Why = "another version of Praxis made it"
		case unused >= c.OlderThan:
			s.Why = Unused + unused.Round(time.Minute).String()
		default:
			continue
		}
		s.Used = s.touched.UTC()
		gone, err := m.discardTemplate(s, c.DryRun)
		if err != nil {
			return err
		}
		if !gone {
			out.InUse++
			continue
		}
		out.Templates, out.Bytes = append(out.Templates, s.Removed), out.Bytes+s.Bytes
	}
	return nil
}

// discardTemplate removes a template that nobody uses or is just building, and its lock.
func (m *Manager) discardTemplate(s stored, dryRun bool) (gone bool, err error) {
	lock := filepath.Join(m.templates.dir, "."+s.ID+".lock")
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == unix.EWOULDBLOCK {
		return false, nil // it is being built
	} else if err != nil {
		return false, err
	}
	gone, err = m.owner.discardUnheld(s.dir, dryRun)
	if gone && err == nil && !dryRun && sameFile(f, lock) {
		err = os.Remove(lock)
	}
	return gone, err
}

// discardUnheld removes a folder that nobody holds and reports whether it is
// gone, or would be.
func (o *owner) discardUnheld(dir string, dryRun bool) (gone bool, err error) {
	h, err := lockDescription(dir, unix.LOCK_EX)
	if err == nil && h == nil {
		return false, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) { // without a description nobody can hold it
		return false, err
	}
	defer h.release()
	if dryRun {
		return true, nil
	}
	if err := o.discard(dir); err != nil {
		return false, notRemoved(dir, err)
	}
	return true, nil
}

// notRemoved says why a folder could not be removed, as the fault that it is.
func notRemoved(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
		return fault.Coded(fault.FolderUnwritable, fault.Data{"folder": filepath.Dir(dir)}, "cannot remove %s: %w", dir, err)
	}
	return fmt.Errorf("cannot remove %s: %w", dir, err)
}

// stored is a snapshot or template as it lies on disk.
type stored struct {
	Removed
	spec    Snapshot
	dir     string
	touched time.Time
	foreign bool // of a version that this program does not know
}

// orphan says whether something is gone that the snapshot cannot be restored without.
func (s stored) orphan() bool {
	paths := []string{s.spec.Spec.Root}
	for _, mount := range s.spec.Spec.Mounts {
		paths = append(paths, mount.Source)
	}
	return slices.ContainsFunc(paths, func(path string) bool {
		_, err := os.Stat(path)
		return errors.Is(err, os.ErrNotExist)
	})
}

// all returns what lies in the folder, the oldest first. What is damaged counts
// as made when it was written last.
func (s Snapshots) all() ([]stored, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var out []stored
	for _, e := range entries {
		if !validID(e.Name()) {
			continue // a lock, or not finished
		}
		one := stored{Removed: Removed{ID: e.Name()}, dir: filepath.Join(s.dir, e.Name())}
		st, err := os.Stat(one.dir)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		one.touched = st.ModTime()
		if one.Bytes, err = diskSize(one.dir); err != nil {
			return nil, err
		}
		one.spec, err = s.load(e.Name())
		one.Created = one.spec.Created
		if err != nil {
			one.Created, one.Why = one.touched, "it is damaged"
			unsealed := errors.Is(err, seal.ErrBroken)
			if unsealed {
				one.Why = "it is not sealed with this data folder's key"
			}
			one.foreign = !errors.Is(err, errDamaged) && !unsealed && fault.KindOf(err) != fault.NotFound
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b stored) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// diskSize adds up the files in a folder. What vanishes meanwhile does not count.
func diskSize(dir string) (int64, error) {
	size := int64(0)
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				size += info.Size()
			}
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	})
	return size, err
}
