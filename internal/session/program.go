package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
)

// publish renames the finished folder tmp to path and syncs the parent. When
// another process was first, its folder stands and tmp is dropped by the caller.
func publish(tmp, path string) error {
	if err := atomicfile.Sync(tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		if _, e := os.Stat(path); e == nil {
			return nil
		}
		return err
	}
	return atomicfile.Sync(filepath.Dir(path))
}

// prunePrograms removes templates of other builds and the programs that no
// template and no snapshot needs any more, when there are many.
func (m *Manager) prunePrograms() error {
	return m.cfg.Programs.Prune(func() (map[string]bool, error) { return m.usedPrograms(true) })
}

// collectPrograms removes the programs that no template and no snapshot needs.
func (m *Manager) collectPrograms(dryRun bool, out *Collected) error {
	used, err := m.usedPrograms(false)
	if err != nil {
		return err
	}
	gone, err := m.cfg.Programs.Collect(used, dryRun)
	for _, p := range gone {
		out.Programs = append(out.Programs, Removed{ID: p.Key, Bytes: p.Bytes, Created: p.Used, Why: "no snapshot and no template runs it"})
		out.Bytes += p.Bytes
	}
	return err
}

// Sources returns the folders that snapshots are restored with: parts of images, and
// programs. Those of the snapshots that leave names are not among them.
func (m *Manager) Sources(leave func(id string) bool) (map[string]bool, error) {
	entries, err := os.ReadDir(m.snapshots.dir)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, e := range entries {
		snap, ok := m.snapshots.peek(e.Name())
		if !ok || leave(snap.ID) {
			continue
		}
		out[snap.Spec.Root] = true
		for _, mount := range snap.Spec.Mounts {
			out[mount.Source] = true
		}
	}
	return out, nil
}

// programAge is how long a template of another build is left.
const programAge = 24 * time.Hour

// usedPrograms lists the programs that guests of templates and snapshots run. Old
// templates of other builds are removed when discard is set.
func (m *Manager) usedPrograms(discard bool) (map[string]bool, error) {
	old := time.Now().Add(-programAge)
	used := map[string]bool{m.cfg.Program.Key(): true}
	for _, s := range []Snapshots{m.templates, m.snapshots} {
		all, err := os.ReadDir(s.dir)
		if err != nil {
			return nil, err
		}
		for _, e := range all {
			// Whether a seal fits does not matter: the key may come back.
			snap, ok := s.peek(e.Name())
			if !ok {
				continue // a lock, or damaged: it cannot be restored
			}
			key := snap.program()
			if discard && snap.Template && key != m.cfg.Program.Key() && snap.Created.Before(old) {
				if err := m.owner.discard(snap.dir); err != nil {
					return nil, err
				}
				continue
			}
			used[key] = true
		}
	}
	return used, nil
}

// peek reads a snapshot's description without looking at its seal: it may be anybody's.
func (s Snapshots) peek(name string) (snap Snapshot, ok bool) {
	if !validID(name) {
		return Snapshot{}, false
	}
	dir := filepath.Join(s.dir, name)
	data, err := bounded.ReadFile(filepath.Join(dir, metaFile), maxDescription)
	if err != nil || json.Unmarshal(data, &snap) != nil || snap.Version != metaVersion {
		return Snapshot{}, false
	}
	snap.dir = dir
	return snap, true
}

// program returns the key of the build that the snapshot's guest runs, or "".
func (s Snapshot) program() string {
	for _, mount := range s.Spec.Mounts {
		if mount.Target == filepath.Dir(programPath) {
			return filepath.Base(mount.Source)
		}
	}
	return ""
}
