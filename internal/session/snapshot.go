package session

import (
	"cmp"
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
	"praxis/internal/image"
	"praxis/internal/safetext"
	"praxis/internal/sandbox"
	"praxis/internal/seal"
)

// metaFile describes a snapshot. A folder without it, or without a seal, is none.
const metaFile = "snapshot.json"

// metaVersion is raised when Snapshot changes in a way that older readers would misread.
const metaVersion = 4

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
	// Added are the packages that the state has beside its image's.
	Added []image.Package `json:"added,omitempty"`
	// Origin is the ID of the template that its session began with.
	Origin     string `json:"origin,omitempty"`
	Imported   bool   `json:"imported,omitempty"` // it came in a session file
	StoodStill Millis `json:"stood_still_ms"`     // how long the original waited
	dir        string
	in         *Snapshots // where it was loaded from, which has its seal; nil: it was just taken
}

// Millis is a duration that is written as a number of milliseconds.
type Millis float64

func millis(d time.Duration) Millis { return Millis(float64(d.Microseconds()) / 1000) }

// Snapshots is a folder of snapshots by content.
type Snapshots struct {
	dir   string
	kind  string // what they are: a snapshot is not taken for a template
	owner *owner // of what is not finished
	key   *seal.Key
	packs *packs // nil: they are kept as files
}

// save takes a snapshot of box, which goes on, and publishes it as name.
func (s Snapshots) save(ctx context.Context, box sandbox.Sandbox, snap Snapshot, name string) (Snapshot, error) {
	if err := s.capture(ctx, box, &snap); err != nil {
		return Snapshot{}, err
	}
	defer os.RemoveAll(snap.dir)
	out, h, err := s.publish(ctx, snap, name)
	h.release()
	return out, err
}

// publish describes what capture wrote and gives it its name: name, or that of
// its contents when name is empty. It is held before it can be seen.
func (s Snapshots) publish(ctx context.Context, snap Snapshot, name string) (Snapshot, *hold, error) {
	name, err := s.describe(&snap, name)
	if err != nil {
		return Snapshot{}, nil, fmt.Errorf("cannot save snapshot: %w", noSpace(err))
	}
	h, err := holdFolder(snap.dir)
	if err != nil {
		return Snapshot{}, nil, fmt.Errorf("cannot save snapshot: %w", err)
	}
	path := filepath.Join(s.dir, name)
	err = publish(snap.dir, path)
	if err == nil && !sameFile(h.f, filepath.Join(path, metaFile)) { // the same was there already
		old, oldHold, oldErr := s.take(name)
		if oldErr == nil {
			var release func()
			if release, oldErr = s.ready(ctx, old); oldErr == nil {
				release()
			}
		}
		if oldErr == nil {
			h.release()
			return old, oldHold, nil
		}
		oldHold.release() // or something that was made to look like it
		if err = s.owner.discard(path); err == nil {
			err = publish(snap.dir, path)
		}
	}
	if err != nil {
		h.release()
		return Snapshot{}, nil, fmt.Errorf("cannot save snapshot: %w", noSpace(err))
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

// describe identifies what capture wrote, and writes its description and its seal:
// as name, or as what its contents are called when that is empty.
func (s Snapshots) describe(snap *Snapshot, name string) (string, error) {
	var err error
	if snap.ID, snap.Bytes, err = sum(snap.state(), syncedHash); err != nil {
		return "", err
	}
	if err := atomicfile.Sync(snap.state()); err != nil {
		return "", err
	}
	b, err := json.MarshalIndent(snap, "", " ")
	if err != nil {
		return "", err
	}
	if err := atomicfile.WriteFile(filepath.Join(snap.dir, metaFile), b); err != nil {
		return "", err
	}
	name = cmp.Or(name, snap.ID)
	f := s.folder(name)
	f.Path = snap.dir
	return name, s.key.Seal(f)
}

// folder is a snapshot as seals know it.
func (s Snapshots) folder(name string) seal.Folder {
	return seal.Folder{Path: filepath.Join(s.dir, name), Kind: s.kind, Name: name, Description: metaFile}
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
	var writing errgroup.Group // while it is hashed
	writing.Go(f.Sync)
	sum, size, err = hashOf(f)
	return sum, size, errors.Join(err, writing.Wait())
}

func hashOf(f *os.File) (sum []byte, size int64, err error) {
	h := sha256.New()
	size, err = io.Copy(h, f)
	return h.Sum(nil), size, err
}

// load reads the description of the snapshot called name. A missing one is
// NotFound, and Conflict one that is damaged or that our key did not seal. What it
// describes is looked at by check.
func (s Snapshots) load(name string) (Snapshot, error) {
	if !validID(name) {
		return Snapshot{}, fault.New(fault.Invalid, "", "cannot load snapshot %q: that is no name of one", safetext.OneLine(name, 80))
	}
	b, err := s.key.Read(s.folder(name))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return Snapshot{}, noSnapshot(name)
	case errors.Is(err, seal.ErrBroken):
		return Snapshot{}, unsealed("cannot load snapshot "+name, "the snapshot "+name, err)
	case err != nil:
		return Snapshot{}, fmt.Errorf("cannot load snapshot: %w", err)
	}
	snap, err := parseSnapshot(name, b)
	if err != nil {
		return Snapshot{}, err
	}
	snap.dir, snap.in = filepath.Join(s.dir, name), &s
	return snap, nil
}

// parseSnapshot reads a description of the snapshot called name.
func parseSnapshot(name string, b []byte) (snap Snapshot, err error) {
	if err := json.Unmarshal(b, &snap); err != nil {
		return Snapshot{}, damaged(name, "its description cannot be read")
	}
	if snap.Version != metaVersion {
		return Snapshot{}, otherFormat("cannot load snapshot "+name, snap.Version)
	}
	return snap, nil
}

// check compares the files of a snapshot that was loaded with their seal. They are
// read only when they are not the very files that were sealed.
func (s Snapshots) check(snap Snapshot) error {
	name := filepath.Base(snap.dir)
	err := s.key.Check(s.folder(name), func() error {
		// They may be new here, from a copy or of chunks, and are sealed as they are.
		id, _, err := sum(snap.state(), syncedHash)
		if err == nil && id != snap.ID {
			err = errDamaged
		}
		return err
	})
	if errors.Is(err, seal.ErrBroken) {
		return unsealed("cannot load snapshot "+name, "the snapshot "+name, err)
	}
	if errors.Is(err, os.ErrNotExist) {
		return damaged(name, "files of it are missing")
	}
	return err
}

// unsealed says that something is not what this data folder's key vouches for.
func unsealed(failed, what string, err error) error {
	return fault.Coded(fault.Unsealed, fault.Data{"what": what}, "%s: %w", failed, err)
}

// verify reads a snapshot and compares it with its name, which is that of its contents.
func (s Snapshots) verify(ctx context.Context, name string) error {
	snap, err := s.load(name)
	if err != nil {
		return err
	}
	release, err := s.ready(ctx, snap)
	if err != nil {
		return err
	}
	defer release()
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

// SnapshotImported says whether a snapshot is here, and came in a session file.
func (m *Manager) SnapshotImported(id string) bool {
	snap, err := m.snapshots.load(id)
	return err == nil && snap.Imported
}

// RemoveSnapshot removes a snapshot that no named session refers to, whoever
// else may need it.
func (m *Manager) RemoveSnapshot(ctx context.Context, id string) error {
	unlock, err := m.lockAll(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := m.release([]SnapshotInfo{{ID: id}}, true); err != nil {
		return err
	}
	return m.sweepChunks(ctx)
}
