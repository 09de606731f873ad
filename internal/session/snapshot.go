package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
	"praxis/internal/sandbox"
)

// metaFile describes a snapshot. It is written last, so that a folder without it is not a snapshot.
const metaFile = "snapshot.json"

// metaVersion is raised when Snapshot changes in a way that older readers would misread.
const metaVersion = 3

// Snapshot describes one immutable saved state.
type Snapshot struct {
	Version       int          `json:"version"`
	ID            string       `json:"id"` // of the contents: hex, 32 characters
	Parent        string       `json:"parent,omitempty"`
	Created       time.Time    `json:"created"`
	Spec          sandbox.Spec `json:"spec"` // what it must be restored with; ID is empty
	Deterministic bool         `json:"deterministic"`
	Template      bool         `json:"template,omitempty"` // sessions start from it: a seed is still to be set
	Bytes         int64        `json:"bytes"`
	StoodStill    Millis       `json:"stood_still_ms"` // how long the original waited
	dir           string
}

// Millis is a duration that is written as a number of milliseconds.
type Millis float64

func millis(d time.Duration) Millis { return Millis(float64(d.Microseconds()) / 1000) }

// Snapshots is a folder of snapshots by content.
type Snapshots struct {
	dir   string
	owner *owner // of what is not finished
}

// save takes a snapshot of box, which goes on, and publishes it as name.
func (s Snapshots) save(ctx context.Context, box sandbox.Sandbox, snap Snapshot, name string) (Snapshot, error) {
	if err := s.capture(ctx, box, &snap); err != nil {
		return Snapshot{}, err
	}
	defer os.RemoveAll(snap.dir)
	out, h, err := s.publish(snap, name)
	h.release()
	return out, err
}

// publish describes what capture wrote and gives it its name: name, or that of
// its contents when name is empty. It is held before it can be seen.
func (s Snapshots) publish(snap Snapshot, name string) (Snapshot, *hold, error) {
	if err := seal(&snap); err != nil {
		return Snapshot{}, nil, fmt.Errorf("cannot save snapshot: %w", noSpace(err))
	}
	if name == "" {
		name = snap.ID
	}
	h, err := holdFolder(snap.dir)
	if err != nil {
		return Snapshot{}, nil, fmt.Errorf("cannot save snapshot: %w", err)
	}
	path := filepath.Join(s.dir, name)
	if err := publish(snap.dir, path); err != nil {
		h.release()
		return Snapshot{}, nil, fmt.Errorf("cannot save snapshot: %w", noSpace(err))
	}
	if !sameFile(h.f, filepath.Join(path, metaFile)) { // the same was there already
		h.release()
		return s.take(name)
	}
	h.name = name
	out, err := s.load(name)
	if err != nil {
		h.release()
		return Snapshot{}, nil, err
	}
	return out, h, nil
}

// capture checkpoints box into a temporary folder of s, snap.dir.
func (s Snapshots) capture(ctx context.Context, box sandbox.Sandbox, snap *Snapshot) error {
	tmp, err := os.MkdirTemp(s.dir, s.owner.prefix())
	if err != nil {
		return fmt.Errorf("cannot save snapshot: %w", noSpace(err))
	}
	stood, err := box.Checkpoint(ctx, filepath.Join(tmp, "state"))
	if err != nil {
		return errors.Join(fmt.Errorf("cannot save snapshot: %w", noSpace(err)), os.RemoveAll(tmp))
	}
	snap.Version, snap.Created, snap.StoodStill, snap.dir = metaVersion, time.Now().UTC(), millis(stood), tmp
	return nil
}

// seal names the snapshot by what capture wrote and writes its description.
func seal(snap *Snapshot) error {
	var err error
	if snap.ID, snap.Bytes, err = sum(snap.state(), syncedHash); err != nil {
		return err
	}
	if err := atomicfile.Sync(snap.state()); err != nil {
		return err
	}
	b, err := json.MarshalIndent(snap, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(snap.dir, metaFile), b)
}

// sum returns the name and the size of the contents of a folder whose files are
// hashed by hash, all at once.
func sum(dir string, hash func(path string) ([]byte, int64, error)) (id string, size int64, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", 0, err
	}
	sums := make([][]byte, len(entries))
	sizes := make([]int64, len(entries))
	var g errgroup.Group
	for i, e := range entries {
		g.Go(func() (err error) {
			sums[i], sizes[i], err = hash(filepath.Join(dir, e.Name()))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return "", 0, err
	}
	all := sha256.New()
	for i, e := range entries {
		fmt.Fprintf(all, "%s %d %x\n", e.Name(), sizes[i], sums[i])
		size += sizes[i]
	}
	return hex.EncodeToString(all.Sum(nil))[:32], size, nil
}

// hashFile returns a file's hash and size.
func hashFile(path string) (sum []byte, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return hashOf(f)
}

// syncedHash puts a file on disk for good and returns its hash and size.
func syncedHash(path string) (sum []byte, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if sum, size, err = hashOf(f); err != nil {
		return nil, 0, err
	}
	return sum, size, f.Sync()
}

func hashOf(f *os.File) (sum []byte, size int64, err error) {
	h := sha256.New()
	size, err = io.Copy(h, f)
	return h.Sum(nil), size, err
}

// load reads the description of the snapshot called name. A missing one is
// NotFound, a damaged one Conflict. What it describes is checked by the backend
// when it is restored.
func (s Snapshots) load(name string) (Snapshot, error) {
	if !validID(name) {
		return Snapshot{}, fault.New(fault.Invalid, "", "cannot load snapshot %q: that is no name of one", safetext.OneLine(name, 80))
	}
	dir := filepath.Join(s.dir, name)
	b, err := os.ReadFile(filepath.Join(dir, metaFile))
	if errors.Is(err, os.ErrNotExist) {
		return Snapshot{}, noSnapshot(name)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("cannot load snapshot: %w", err)
	}
	var snap Snapshot
	if err := json.Unmarshal(b, &snap); err != nil {
		return Snapshot{}, damaged(name, "its description cannot be read")
	}
	if snap.Version != metaVersion {
		return Snapshot{}, otherFormat("cannot load snapshot "+name, snap.Version)
	}
	snap.dir = dir
	return snap, nil
}

// verify reads a snapshot and compares it with its name, which is that of its contents.
func (s Snapshots) verify(name string) error {
	snap, err := s.load(name)
	if err != nil {
		return err
	}
	id, _, err := sum(snap.state(), hashFile)
	if errors.Is(err, os.ErrNotExist) || err == nil && id != name {
		return damaged(name, "it is not what was written")
	}
	if err != nil {
		return fmt.Errorf("cannot load snapshot: %w", err)
	}
	return nil
}

// validID says whether s can be the name of a snapshot or a template: 32
// hexadecimal digits, so that it never leads out of its folder.
func validID(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 32 && strings.ToLower(s) == s
}

// errDamaged is in the chain of errors about what is not what was written.
var errDamaged = errors.New("it is damaged")

func noSnapshot(name string) error {
	return fault.Coded(fault.SnapshotMissing, fault.Data{"snapshot": name}, "cannot load snapshot %s: it does not exist", name)
}

func damaged(name, why string) error {
	return fault.Coded(fault.SnapshotDamaged, fault.Data{"snapshot": name}, "cannot load snapshot %s: %w: %s", name, errDamaged, why)
}

// state returns the folder that the backend restores from.
func (s Snapshot) state() string { return filepath.Join(s.dir, "state") }

// discard removes a folder so that a crash in between leaves no half of it under its name.
func (o *owner) discard(path string) error {
	gone := filepath.Join(filepath.Dir(path), o.prefix()+randomHex(4))
	if err := os.Rename(path, gone); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	return os.RemoveAll(gone)
}

// noSpace turns a full disk into a fault that says so.
func noSpace(err error) error {
	if atomicfile.Full(err) {
		return fault.Coded(fault.DiskFull, fault.Data{"folder": ""}, "the disk is full: %w", err)
	}
	return err
}

// RemoveSnapshot removes a snapshot that no named session refers to, whoever
// else may need it.
func (m *Manager) RemoveSnapshot(ctx context.Context, id string) error {
	unlock, err := m.lockAll(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return m.release([]SnapshotInfo{{ID: id}}, true)
}
