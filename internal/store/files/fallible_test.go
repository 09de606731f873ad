package files

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// errDead is what every step of a process says that was killed.
var errDead = errors.New("the process is dead")

// fallible is a disk whose steps are counted and can be made to fail, and which
// knows what would be left after a loss of power.
type fallible struct {
	system
	at    int  // the step that fails, from 1; 0: none
	times int  // how many steps fail from there on
	dead  bool // the process is killed in that step: nothing works after it

	mu     sync.Mutex
	steps  int
	fell   bool             // a step failed
	live   map[string]*node // what a running system sees
	stable map[string]*node // the entries that are on disk
	open   []file
}

// node is a file or a folder.
type node struct {
	folder bool
	synced []byte // the contents that are on disk
}

func newFallible(at, times int, dead bool) *fallible {
	return &fallible{at: at, times: times, dead: dead, live: map[string]*node{}, stable: map[string]*node{}}
}

// step says whether the next step works.
func (d *fallible) step() error {
	d.steps++
	switch {
	case d.at == 0 || d.steps < d.at:
		return nil
	case d.dead:
		d.fell = true
		return errDead
	case d.steps < d.at+d.times:
		d.fell = true
		return syscall.ENOSPC
	}
	return nil
}

func (d *fallible) Open(path string, flag int) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return nil, err
	}
	f, err := d.system.Open(path, flag)
	if err != nil {
		return nil, err
	}
	if d.live[path] == nil {
		d.live[path] = &node{}
	}
	d.open = append(d.open, f)
	return &fallibleFile{file: f, d: d, node: d.live[path]}, nil
}

func (d *fallible) Mkdir(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.step()
	if err == nil {
		err = d.system.Mkdir(path)
	}
	if err == nil {
		d.live[path] = &node{folder: true}
	}
	return err
}

func (d *fallible) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.step()
	if err == nil {
		err = d.system.Rename(from, to)
	}
	if err == nil {
		d.live[to] = d.live[from]
		delete(d.live, from)
	}
	return err
}

func (d *fallible) Remove(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.step()
	if err == nil {
		err = d.system.Remove(path)
	}
	if err == nil {
		delete(d.live, path)
	}
	return err
}

func (d *fallible) Sync(folder string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	maps.DeleteFunc(d.stable, func(path string, _ *node) bool { return filepath.Dir(path) == folder })
	for path, n := range d.live {
		if filepath.Dir(path) == folder {
			d.stable[path] = n
		}
	}
	return nil
}

// fallibleFile is a file of a fallible disk.
type fallibleFile struct {
	file
	d    *fallible
	node *node
}

// Write writes the first half when it fails.
func (f *fallibleFile) Write(p []byte) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if failed := f.d.step(); failed != nil {
		n, err := f.file.Write(p[:len(p)/2])
		return n, errors.Join(failed, err)
	}
	return f.file.Write(p)
}

func (f *fallibleFile) Truncate(size int64) error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.step(); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

func (f *fallibleFile) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.step(); err != nil {
		return err
	}
	info, err := f.Handle().Stat()
	if err != nil {
		return err
	}
	f.node.synced = make([]byte, info.Size())
	if info.Size() > 0 {
		_, err = f.Handle().ReadAt(f.node.synced, 0)
	}
	return err
}

// close closes what the killed process had open.
func (d *fallible) close() {
	for _, f := range d.open {
		f.Close()
	}
}

// loss is what a crash takes: entries and contents that were not synced.
type loss struct {
	entries bool // entries that were not synced are gone
	data    int  // of contents that were not synced: 0 all is there, 1 half, 2 none
}

func losses() []loss {
	return []loss{{false, 0}, {false, 1}, {false, 2}, {true, 0}, {true, 1}, {true, 2}}
}

// after builds what is below root after a crash, in another folder.
func (d *fallible) after(t *testing.T, root string, l loss) string {
	t.Helper()
	entries := d.live
	if l.entries {
		entries = d.stable
	}
	to := t.TempDir()
	for _, path := range slices.Sorted(maps.Keys(entries)) {
		rel, err := filepath.Rel(root, path)
		if err != nil || strings.HasPrefix(rel, "..") {
			t.Fatalf("%s is not below %s", path, root)
		}
		// What is in a folder that is gone is gone.
		if _, err := os.Lstat(filepath.Dir(filepath.Join(to, rel))); err != nil {
			continue
		}
		n := entries[path]
		if n.folder {
			err = os.Mkdir(filepath.Join(to, rel), 0o700)
		} else {
			err = os.WriteFile(filepath.Join(to, rel), d.contents(path, n, l.data), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// contents returns what a file holds after a crash.
func (d *fallible) contents(path string, n *node, lost int) []byte {
	// The entry may be one of an older name.
	for name, other := range d.live {
		if other == n {
			path = name
		}
	}
	now, err := os.ReadFile(path)
	switch {
	case err != nil || lost == 2:
		return n.synced
	case lost == 0:
		return now
	}
	if more, ok := bytes.CutPrefix(now, n.synced); ok {
		return slices.Concat(n.synced, more[:len(more)/2])
	}
	// It was cut, and the cut is lost.
	return n.synced
}
