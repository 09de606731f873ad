package programs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"praxis/internal/atomicfile"
	"praxis/internal/seal"
)

const (
	// keep is how many programs may lie in a store before those that nothing refers to
	// are removed.
	keep = 8
	// age is how long one that nothing refers to is left: a process of its build may be
	// about to use it.
	age = 24 * time.Hour
	// staged begins the names of folders that are being filled.
	staged = ".staged-"
)

// Store holds programs in a folder, each in one of its own that is called by its key.
// Several processes may use one.
type Store struct {
	dir   string
	seals *seal.Key
}

// OpenStore opens the store in a folder, and makes it when it is missing.
func OpenStore(dir string, seals *seal.Key) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot open the programs' folder: %w", err)
	}
	real, err := filepath.EvalSymlinks(dir) // it may lie on another disk
	if err != nil {
		return nil, fmt.Errorf("cannot open the programs' folder: %w", err)
	}
	return &Store{real, seals}, nil
}

// Installed is what sandboxes are made with: the program around one lies in Sandbox, and
// Guest is installed in Store when a session begins.
type Installed struct {
	Store   *Store
	Guest   Program
	Sandbox string
}

// InstallEmbedded installs what the binary carries into the store of a folder. A binary
// that was built without is ErrMissing.
func InstallEmbedded(dir string, seals *seal.Key) (Installed, error) {
	s, err := OpenStore(dir, seals)
	if err != nil {
		return Installed{}, err
	}
	guest, err := Guest()
	if err != nil {
		return Installed{}, err
	}
	around, err := Sandbox()
	if err != nil {
		return Installed{}, err
	}
	path, err := s.Install(around)
	return Installed{Store: s, Guest: guest, Sandbox: path}, err
}

// folder is a program as seals know it. Its description is the SHA-256 of its file.
func (s *Store) folder(key string) seal.Folder {
	return seal.Folder{Path: filepath.Join(s.dir, key), Kind: "program", Name: key, Description: "sha256"}
}

// Install returns the path of a program, and unpacks it first unless it is there as it
// was sealed. What was unpacked is the program by its digest, or an error.
func (s *Store) Install(p Program) (path string, err error) {
	f := s.folder(p.Key())
	path = filepath.Join(f.Path, p.Name)
	if s.Check(p.Key()) == nil {
		now := time.Now()
		_ = os.Chtimes(f.Path, now, now) // it says that somebody uses it
		return path, nil
	}
	release, err := s.lock()
	if err != nil {
		return "", fmt.Errorf("cannot install program %s: %w", p.Name, err)
	}
	defer release()
	if err := s.Check(p.Key()); err == nil {
		return path, nil // another process was first
	}
	if err := s.unpack(f, p); err != nil {
		return "", fmt.Errorf("cannot install program %s: %w", p.Name, err)
	}
	return path, nil
}

// lock waits until no other process installs or removes anything.
func (s *Store) lock() (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(s.dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // closing is what releases
}

// unpack fills a folder and puts it in its place. The store is locked.
func (s *Store) unpack(f seal.Folder, p Program) error {
	old, err := filepath.Glob(filepath.Join(s.dir, staged+"*"))
	if err != nil {
		return err
	}
	for _, dir := range old { // of processes that died
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	tmp, err := os.MkdirTemp(s.dir, staged)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) // it is gone when all went well
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := write(filepath.Join(tmp, p.Name), p); err != nil {
		return err
	}
	if err := atomicfile.WriteFile(filepath.Join(tmp, f.Description), []byte(p.SHA256+"\n")); err != nil {
		return err
	}
	made := f
	made.Path = tmp
	if err := s.seals.Seal(made); err != nil {
		return err
	}
	if err := atomicfile.Sync(tmp); err != nil {
		return err
	}
	// What stands there is not as it was sealed.
	if err := os.RemoveAll(f.Path); err != nil {
		return err
	}
	if err := os.Rename(tmp, f.Path); err != nil {
		return err
	}
	return atomicfile.Sync(s.dir)
}

// write writes a program's file and compares it with its digest.
func write(path string, p Program) (err error) {
	in, err := p.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, h), in)
	if err = errors.Join(err, out.Chmod(0o755), out.Sync(), out.Close()); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != p.SHA256 {
		return fmt.Errorf("its SHA-256 is %s, not %s", got, p.SHA256)
	}
	return nil
}

// Check compares a program with its seal. One that the store's key does not vouch for is
// [seal.ErrBroken], and one that is not there fs.ErrNotExist.
func (s *Store) Check(key string) error {
	f := s.folder(key)
	return s.seals.Check(f, func() error {
		want, err := s.seals.Read(f)
		if err != nil {
			return err
		}
		entries, err := os.ReadDir(f.Path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Name() == f.Description || e.Name() == seal.FileName {
				continue
			}
			got, err := digest(filepath.Join(f.Path, e.Name()))
			if err != nil {
				return err
			}
			if string(want) != got+"\n" {
				return fmt.Errorf("the program %s was changed", e.Name())
			}
		}
		return nil
	})
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Unused is an installed program that nothing uses.
type Unused struct {
	Key   string
	Bytes int64
	Used  time.Time // last, by a process that began
}

// Prune removes old programs that nothing uses, when there are many. Only then is it
// asked which ones are used, by their keys: that may take long to find out.
func (s *Store) Prune(used func() (map[string]bool, error)) error {
	keys, err := s.keys()
	if err != nil || len(keys) <= keep {
		return err
	}
	inUse, err := used()
	if err != nil {
		return err
	}
	_, err = s.Collect(inUse, false)
	return err
}

// Collect removes old programs that nothing uses, and returns them; dryRun only says
// which those are.
func (s *Store) Collect(used map[string]bool, dryRun bool) ([]Unused, error) {
	keys, err := s.keys()
	if err != nil {
		return nil, err
	}
	release, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer release()
	var out []Unused
	for _, e := range keys {
		info, err := e.Info()
		if err != nil || used[e.Name()] || time.Since(info.ModTime()) < age {
			continue
		}
		one := Unused{Key: e.Name(), Used: info.ModTime().UTC()}
		dir := filepath.Join(s.dir, e.Name())
		files, err := os.ReadDir(dir)
		if err != nil {
			return out, err
		}
		for _, f := range files {
			if st, err := f.Info(); err == nil {
				one.Bytes += st.Size()
			}
		}
		if !dryRun {
			// Renamed first, so that nobody finds one that is half removed.
			gone := filepath.Join(s.dir, staged+e.Name())
			if err := errors.Join(os.Rename(dir, gone), os.RemoveAll(gone)); err != nil {
				return out, err
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// keys returns the folders of the programs that are installed.
func (s *Store) keys() (keys []os.DirEntry, err error) {
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		if e.IsDir() && len(e.Name()) > 0 && e.Name()[0] != '.' {
			keys = append(keys, e)
		}
	}
	return keys, err
}
