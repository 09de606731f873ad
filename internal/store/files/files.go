package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"praxis/fault"
	"praxis/internal/atomicfile"
)

// Options are the choices of a store.
type Options struct {
	// Quota is how many bytes all blobs may have together; 0: as many as fit.
	Quota int64
}

// Store is a folder with logs and blobs. Any number of processes may use it at
// once. It holds nothing open.
type Store struct {
	dir  string
	disk disk

	logs  Logs
	blobs Blobs

	mu sync.Mutex
	// made are the folders that this process has seen to; true: their entry in
	// the folder above is on disk for sure.
	made map[string]bool
}

// Open returns the store in dir. It writes nothing; the first write makes the
// folder. Faults: Denied when the folder belongs to somebody else, Invalid when
// it is not a folder.
func Open(dir string, opts Options) (*Store, error) { return open(dir, opts, system{}) }

func open(dir string, opts Options, d disk) (*Store, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open store: %w", err)
	}
	s := &Store{dir: full, disk: d, made: map[string]bool{}}
	if _, err := s.root(); err != nil {
		return nil, s.failed("open store", err)
	}
	s.logs = Logs{s: s, dir: filepath.Join(full, "journal")}
	s.blobs = Blobs{s: s, dir: filepath.Join(full, "blobs"), usage: usage{quota: opts.Quota}}
	return s, nil
}

// Logs returns the logs of the store.
func (s *Store) Logs() *Logs { return &s.logs }

// Blobs returns the blobs of the store.
func (s *Store) Blobs() *Blobs { return &s.blobs }

// root says whether the store's own folder is there. It may be reached by a
// symbolic link; what is in it may not.
func (s *Store) root() (bool, error) {
	err := atomicfile.Own(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// has says whether a folder of the store is there, and refuses one that is not
// ours alone.
func (s *Store) has(dir string) (bool, error) {
	if dir == s.dir {
		return s.root()
	}
	if ok, err := s.has(filepath.Dir(dir)); !ok || err != nil {
		return false, err
	}
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.IsDir():
		return false, odd(dir, "folder")
	}
	return true, atomicfile.Own(dir)
}

// odd is the fault for what is there in place of a folder or a file.
func odd(path, what string) error {
	return fault.New(fault.Conflict, "Move it away: Praxis put no such thing there.", "%s is not a plain %s", path, what)
}

// make has a folder of the store made if it is missing. Its entry is on disk
// then, also when another process made it and died before it could say so.
func (s *Store) make(dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.makeLocked(dir)
}

func (s *Store) makeLocked(dir string) error {
	ok, err := s.has(dir)
	if err != nil {
		return err
	}
	if ok && s.made[dir] {
		return nil
	}
	if dir == s.dir {
		return s.makeRoot()
	}
	if err := s.makeLocked(filepath.Dir(dir)); err != nil {
		return err
	}
	if !ok {
		if err := s.disk.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := s.disk.Sync(filepath.Dir(dir)); err != nil {
		return err
	}
	s.made[dir] = true
	return nil
}

// makeRoot makes the store's own folder and the missing ones above it.
func (s *Store) makeRoot() error {
	// The folder itself may have been made by a process that died before its
	// entry was on disk; those above only by this one.
	unsure := []string{s.dir}
	for dir := filepath.Dir(s.dir); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		_, err := os.Stat(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if sure, ours := s.made[dir]; err == nil && (sure || !ours) {
			break
		}
		unsure = append(unsure, dir)
	}
	for _, dir := range slices.Backward(unsure) {
		err := s.disk.Mkdir(dir)
		ours := err == nil || s.wasMade(dir)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if ours {
			s.made[dir] = false
		}
		// Whoever could not make a folder there may not be able to read it either.
		if err := s.disk.Sync(filepath.Dir(dir)); err != nil && (ours || !errors.Is(err, fs.ErrPermission)) {
			return err
		}
		s.made[dir] = true
	}
	return atomicfile.Own(s.dir)
}

func (s *Store) wasMade(dir string) bool {
	_, ok := s.made[dir]
	return ok
}

// gated runs do while no other process or goroutine runs anything gated in the
// same folder.
func (s *Store) gated(dir string, do func() error) error {
	f, err := s.disk.Open(filepath.Join(dir, ".lock"), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(f.Handle()); err != nil {
		return err
	}
	defer unlock(f.Handle())
	return do()
}

// plain says whether a file is there, and refuses what is not a regular file.
func plain(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, odd(path, "file")
	}
	return info, nil
}

// read opens a plain file for reading.
func read(path string) (*os.File, error) {
	if _, err := plain(path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDONLY|noFollow, 0)
}

// failed says what could not be done, as the fault that it is.
func (s *Store) failed(what string, err error) error {
	switch {
	case fault.KindOf(err) != fault.Internal:
		return fmt.Errorf("cannot %s: %w", what, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Canceled, "", "cannot %s: %w", what, err)
	case atomicfile.Full(err), errors.Is(err, syscall.EFBIG):
		return fault.Coded(fault.DiskFull, fault.Data{"folder": s.dir}, "cannot %s: %w", what, err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fault.Coded(fault.FolderUnwritable, fault.Data{"folder": s.dir}, "cannot %s: %w", what, err)
	}
	return fmt.Errorf("cannot %s: %w", what, err)
}

// list returns the entries of a folder of the store, sorted; none when it is
// not there.
func (s *Store) list(dir string) ([]fs.DirEntry, error) {
	if ok, err := s.has(dir); !ok || err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}
