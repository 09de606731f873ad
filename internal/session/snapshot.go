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
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"praxis/internal/fault"
	"praxis/internal/folder"
	"praxis/internal/sandbox"
)

// metaFile describes a snapshot. It is written last, so that a folder without it is not a snapshot.
const metaFile = "snapshot.json"

// metaVersion is raised when Snapshot changes in a way that older readers would misread.
const metaVersion = 1

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
	return s.publish(snap, name)
}

// publish describes what capture wrote and gives it its name: name, or that of
// its contents when name is empty.
func (s Snapshots) publish(snap Snapshot, name string) (Snapshot, error) {
	if err := seal(&snap); err != nil {
		return Snapshot{}, fmt.Errorf("cannot save snapshot: %w", noSpace(err))
	}
	if name == "" {
		name = snap.ID
	}
	if err := publish(snap.dir, filepath.Join(s.dir, name)); err != nil {
		return Snapshot{}, fmt.Errorf("cannot save snapshot: %w", noSpace(err))
	}
	return s.load(name)
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
	entries, err := os.ReadDir(snap.state())
	if err != nil {
		return err
	}
	sums := make([][]byte, len(entries))
	sizes := make([]int64, len(entries))
	var g errgroup.Group
	for i, e := range entries {
		g.Go(func() (err error) {
			sums[i], sizes[i], err = syncedHash(filepath.Join(snap.state(), e.Name()))
			return err
		})
	}
	if err := errors.Join(g.Wait(), folder.Sync(snap.state())); err != nil {
		return err
	}
	id := sha256.New()
	snap.Bytes = 0
	for i, e := range entries {
		fmt.Fprintf(id, "%s %d %x\n", e.Name(), sizes[i], sums[i])
		snap.Bytes += sizes[i]
	}
	snap.ID = hex.EncodeToString(id.Sum(nil))[:32]
	b, err := json.MarshalIndent(snap, "", " ")
	if err != nil {
		return err
	}
	return folder.WriteFile(filepath.Join(snap.dir, metaFile), b)
}

// syncedHash puts a file on disk for good and returns its hash and size.
func syncedHash(path string) (sum []byte, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	h := sha256.New()
	if size, err = io.Copy(h, f); err != nil {
		return nil, 0, err
	}
	return h.Sum(nil), size, f.Sync()
}

// load reads the description of the snapshot called name. A missing one is
// NotFound, a damaged one Conflict. What it describes is checked by the backend
// when it is restored.
func (s Snapshots) load(name string) (Snapshot, error) {
	if !validID(name) {
		return Snapshot{}, fault.New(fault.Invalid, "", "cannot load snapshot %q: that is no name of one", oneLine(name))
	}
	dir := filepath.Join(s.dir, name)
	b, err := os.ReadFile(filepath.Join(dir, metaFile))
	if errors.Is(err, os.ErrNotExist) {
		return Snapshot{}, fault.New(fault.NotFound, "", "cannot load snapshot %s: it does not exist", name)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("cannot load snapshot: %w", err)
	}
	var snap Snapshot
	if err := json.Unmarshal(b, &snap); err != nil {
		return Snapshot{}, damaged(name, "its description cannot be read")
	}
	if snap.Version != metaVersion {
		return Snapshot{}, fault.New(fault.Conflict, "Use the version of praxis that made it, or start the session anew.",
			"cannot load snapshot %s: it has format %d, this praxis reads %d", name, snap.Version, metaVersion)
	}
	snap.dir = dir
	return snap, nil
}

// validID says whether s can be the name of a snapshot or a template: 32
// hexadecimal digits, so that it never leads out of its folder.
func validID(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 32 && strings.ToLower(s) == s
}

func damaged(name, why string) error {
	return fault.New(fault.Conflict, "Go back to another snapshot (praxis session log), or remove this one.",
		"cannot load snapshot %s: it is damaged: %s", name, why)
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
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fault.New(fault.Exhausted, "Free some space in the data folder, or set PRAXIS_HOME to another disk.", "the disk is full: %w", err)
	}
	return err
}

// RemoveSnapshot removes a snapshot that no named session refers to.
func (m *Manager) RemoveSnapshot(ctx context.Context, id string) error {
	unlock, err := m.lockAll(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return m.release([]SnapshotInfo{{ID: id}})
}
