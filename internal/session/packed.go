package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
	"praxis/internal/chunks"
)

// recipeFile says of which chunks the files of a packed snapshot are made.
const recipeFile = "recipe"

// packs is where snapshots are packed: the chunks that they share. Who reads or writes
// chunks holds the lock shared; who removes some holds it alone.
type packs struct {
	store *chunks.Store
	lock  string
}

func openPacks(dir string, o *owner, workers int) (*packs, error) {
	store, err := chunks.Open(dir, o.prefix(), workers)
	return &packs{store, filepath.Join(dir, ".lock")}, err
}

func (p *packs) share(ctx context.Context) (func(), error) {
	return lockFileAs(ctx, p.lock, unix.LOCK_SH, nil)
}

// ready sees to it that the files of a snapshot lie in its folder as they were sealed,
// and that they stay there until release is called. Those of a packed one are made
// again of its chunks.
func (s Snapshots) ready(ctx context.Context, snap Snapshot) (release func(), err error) {
	for made := false; ; made = true {
		release, err := useFolder(ctx, snap.state())
		if errors.Is(err, fs.ErrNotExist) && s.packs != nil {
			if err := s.unpack(ctx, snap); err != nil {
				return nil, err
			}
			continue
		}
		if errors.Is(err, fs.ErrNotExist) { // a template, which is built again
			return nil, cmp.Or(s.check(snap), damaged(filepath.Base(snap.dir), "files of it are missing"))
		}
		if err != nil {
			return nil, err
		}
		if err = s.check(snap); err != nil {
			release()
			if made { // of chunks that make something else: the next attempt begins with the chunks again
				err = errors.Join(err, s.drop(snap.state()))
			}
			return nil, err
		}
		return release, nil
	}
}

// useFolder keeps a folder of files from being removed by drop.
func useFolder(ctx context.Context, dir string) (release func(), err error) {
	return lockAt(ctx, dir, unix.LOCK_SH, os.O_RDONLY, nil)
}

// unpack makes the files of a snapshot of its chunks. When another process was first,
// its files stay.
func (s Snapshots) unpack(ctx context.Context, snap Snapshot) error {
	name := filepath.Base(snap.dir)
	unlock, err := s.packs.share(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	r, err := s.recipe(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return damaged(name, "files of it are missing")
	case err != nil:
		return err
	case r.Bytes() != snap.Bytes:
		return damaged(name, "its chunks are those of something else")
	}
	temp := filepath.Join(s.dir, s.owner.prefix()+randomHex(4))
	defer os.RemoveAll(temp)
	if err := s.packs.store.Unpack(ctx, r, temp); err != nil {
		if bad := (*chunks.Damaged)(nil); errors.As(err, &bad) {
			return damaged(name, bad.Error())
		}
		return noSpace(err)
	}
	err = unix.Renameat2(unix.AT_FDCWD, temp, unix.AT_FDCWD, snap.state(), unix.RENAME_NOREPLACE)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return noSnapshot(name)
	}
	return err
}

// recipe reads how the snapshot called name is made of chunks. One that is not packed
// has none: that is fs.ErrNotExist.
func (s Snapshots) recipe(name string) (chunks.Recipe, error) {
	b, err := bounded.ReadFile(filepath.Join(s.dir, name, recipeFile), chunks.MaxRecipe)
	if err != nil {
		return chunks.Recipe{}, err
	}
	r, err := chunks.ParseRecipe(b)
	if err != nil {
		return r, damaged(name, "what says of which chunks it is made: "+err.Error())
	}
	return r, nil
}

// pack stores the files of a snapshot as chunks, and removes them unless a session is
// restored from them just now: then they go the next time. Until its recipe has its
// name the files are there, and so one form or the other is always whole. It does not
// hold the snapshot: who wants to remove it need not wait, and what has no name any
// more is packed for nobody.
func (s Snapshots) pack(ctx context.Context, name string) error {
	snap, err := s.load(name)
	if err != nil {
		return err
	}
	unlock, err := s.packs.share(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if s.packed(snap) {
		return nil
	}
	if err := s.check(snap); err != nil {
		return err
	}
	r, err := s.packs.store.Pack(ctx, snap.state(), s.relatives(snap)...)
	if err == nil {
		err = s.describeChunks(name, r)
	}
	if err != nil && s.packed(snap) { // by another process, or it was removed
		return nil
	}
	if err != nil {
		return noSpace(err)
	}
	f, err := os.Open(snap.state())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process was first
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil // a session is restored from it
	}
	return s.drop(snap.state())
}

// packed says whether a snapshot has no files, but chunks, or nothing at all.
func (s Snapshots) packed(snap Snapshot) bool {
	_, err := os.Lstat(snap.state())
	return errors.Is(err, fs.ErrNotExist)
}

// describeChunks writes the recipe of the snapshot called name.
func (s Snapshots) describeChunks(name string, r chunks.Recipe) error {
	path := filepath.Join(s.dir, name, recipeFile)
	b := r.Encode()
	if old, err := bounded.ReadFile(path, chunks.MaxRecipe); err == nil && bytes.Equal(old, b) {
		return nil
	}
	// Beside the folder, where what is left of a crash is swept.
	temp := filepath.Join(s.dir, s.owner.prefix()+randomHex(4))
	defer os.Remove(temp)
	if err := atomicfile.WriteFile(temp, b); err != nil {
		return err
	}
	return errors.Join(os.Rename(temp, path), atomicfile.Sync(filepath.Dir(path)))
}

// relatives are the snapshots that one has most of its pages in common with: itself as
// it was packed before, and what it was made from, or else the newest of the same origin.
func (s Snapshots) relatives(snap Snapshot) (out []chunks.Recipe) {
	add := func(name string) bool {
		r, err := s.recipe(name)
		if err == nil {
			out = append(out, r)
		}
		return err == nil
	}
	add(filepath.Base(snap.dir))
	if snap.Parent != "" && validID(snap.Parent) && add(snap.Parent) {
		return out
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return out
	}
	var newest Snapshot
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(s.dir, e.Name(), recipeFile)); err != nil {
			continue
		}
		// Whoever wrote it: chunks stand for themselves.
		other, ok := s.peek(e.Name())
		if ok && other.Origin == snap.Origin && other.ID != snap.ID && other.Created.After(newest.Created) {
			newest = other
		}
	}
	if newest.ID != "" {
		add(filepath.Base(newest.dir))
	}
	return out
}

// drop removes the files of a snapshot. Whoever has opened them reads on.
func (s Snapshots) drop(state string) error {
	gone := filepath.Join(s.dir, s.owner.prefix()+randomHex(4))
	if err := os.Rename(state, gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(gone)
}

// retire packs snapshots that are not what a session goes on from any more, and then
// removes chunks that nothing refers to. It returns at once; Close waits until it is
// done. What cannot be packed stays as it is, until it is collected.
func (m *Manager) retire(sweep bool, ids ...string) {
	m.spawn(func(ctx context.Context) {
		// A manager that is closed does not leave its work to the next one: that would
		// be closed as soon.
		ctx = context.WithoutCancel(ctx)
		m.packing.Lock()
		defer m.packing.Unlock()
		heads := m.heads()
		for _, id := range ids {
			if !heads[id] {
				_ = m.snapshots.pack(ctx, id)
			}
		}
		if sweep {
			_ = m.sweepChunks(ctx)
		}
	})
}

// heads returns the snapshots that named sessions go on from. They stay as files, so
// that a restore costs nothing.
func (m *Manager) heads() map[string]bool {
	out := map[string]bool{}
	entries, err := os.ReadDir(m.names)
	if err != nil {
		return out
	}
	for _, e := range entries {
		if info, err := m.peekNamed(e.Name()); err == nil {
			out[info.Head] = true
		}
	}
	return out
}

// sweepChunks removes the chunks that no snapshot is made of. It waits for those who
// pack, or make files of chunks.
func (m *Manager) sweepChunks(ctx context.Context) error {
	unlock, err := lockFile(ctx, m.snapshots.packs.lock, nil)
	if err != nil {
		return err
	}
	defer unlock()
	refs, err := m.snapshots.references()
	if err != nil {
		return err
	}
	used := map[chunks.Sum]bool{}
	for _, sums := range refs {
		for _, sum := range sums {
			used[sum] = true
		}
	}
	return m.snapshots.packs.store.Sweep(ctx, func(sum chunks.Sum) bool { return used[sum] })
}

// references returns the chunks of every packed snapshot. A recipe that is damaged has
// none: nothing can be made with it.
func (s Snapshots) references() (map[string][]chunks.Sum, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	out := map[string][]chunks.Sum{}
	for _, e := range entries {
		if !validID(e.Name()) {
			continue
		}
		r, err := s.recipe(e.Name())
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errDamaged) {
			return nil, err
		}
		out[e.Name()] = r.Chunks
	}
	return out, nil
}

// costs says what snapshots cost on disk: each its folder, and those of its chunks
// that none before it has.
type costs struct {
	in    Snapshots
	refs  map[string][]chunks.Sum
	sizes map[chunks.Sum]int64
	users map[chunks.Sum]int
}

func (s Snapshots) costs() (*costs, error) {
	c := &costs{in: s, users: map[chunks.Sum]int{}}
	if s.packs == nil {
		return c, nil
	}
	var err error
	if c.refs, err = s.references(); err != nil {
		return nil, err
	}
	c.sizes, err = s.packs.store.Sizes()
	return c, err
}

// add counts a snapshot in and returns by how much it makes all of them larger.
func (c *costs) add(id string) int64 {
	size, err := diskSize(filepath.Join(c.in.dir, id))
	if err != nil {
		return 0 // it was removed meanwhile
	}
	for _, sum := range c.refs[id] {
		if c.users[sum]++; c.users[sum] == 1 {
			size += c.sizes[sum]
		}
	}
	return size
}

// remove takes out one that add counted in, and returns what goes with it.
func (c *costs) remove(id string) int64 {
	size, err := diskSize(filepath.Join(c.in.dir, id))
	if err != nil {
		return 0
	}
	for _, sum := range c.refs[id] {
		if c.users[sum]--; c.users[sum] == 0 {
			size += c.sizes[sum]
		}
	}
	return size
}

// orphans returns how many chunks no snapshot is made of, and their bytes.
func (c *costs) orphans() (n int, bytes int64) {
	used := map[chunks.Sum]bool{}
	for _, sums := range c.refs {
		for _, sum := range sums {
			used[sum] = true
		}
	}
	for sum, size := range c.sizes {
		if !used[sum] {
			n, bytes = n+1, bytes+size
		}
	}
	return n, bytes
}

// priced says in infos what each snapshot of them costs, beside those before it.
func (m *Manager) priced(infos ...[]SnapshotInfo) error {
	c, err := m.snapshots.costs()
	if err != nil {
		return err
	}
	for _, snaps := range infos {
		clear(c.users)
		for i := range snaps {
			snaps[i].Stored = c.add(snaps[i].ID)
		}
	}
	return nil
}

// Pack packs the snapshots that are complete and that no named session goes on from.
// Those that a process that was killed left are among them.
func (m *Manager) Pack(ctx context.Context) error {
	if err := m.packRest(ctx); err != nil && !atomicfile.Full(err) {
		return fmt.Errorf("cannot pack snapshots: %w", err)
	}
	return nil
}

// packRest packs what retire left, as a process does that was killed: every snapshot
// that no named session goes on from.
func (m *Manager) packRest(ctx context.Context) error {
	m.packing.Lock()
	defer m.packing.Unlock()
	entries, err := os.ReadDir(m.snapshots.dir)
	if err != nil {
		return err
	}
	heads := m.heads()
	for _, e := range entries {
		if !validID(e.Name()) || heads[e.Name()] {
			continue
		}
		if _, err := os.Lstat(Snapshot{dir: filepath.Join(m.snapshots.dir, e.Name())}.state()); err != nil {
			continue // it is packed
		}
		if err := ctx.Err(); err != nil {
			return fault.New(fault.Canceled, "", "%w", context.Cause(ctx))
		}
		err := m.snapshots.pack(ctx, e.Name())
		// What was removed meanwhile, or is damaged, is not what is looked for.
		if kind := fault.KindOf(err); err != nil && kind != fault.NotFound && kind != fault.Conflict {
			return err
		}
	}
	return nil
}
