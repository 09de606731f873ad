// Package folder reads and writes folders of skills (package skill): a person's, and one that
// is a part of a project and lies in its git. What lies there may be anybody's.
//
// A skill is written whole: its folder is made beside under a name that begins with a dot,
// and then takes its place in one step. A process that is killed leaves the skill as it was,
// and what it left is removed by the next that writes.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"praxis/fault"
	"praxis/internal/agent/skill"
	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
)

const (
	maxFolders  = 1000
	maxVersions = 20               // that stay readable
	patience    = 30 * time.Second // for another process that writes
	beside      = ".new-"          // begins the names of what is not in its place yet
	before      = ".old-"          // begins the name of what was there, where folders cannot be exchanged
)

// Folder is a folder of skills. It may not be there.
type Folder struct {
	Dir string
	// Lock is the file that writers lock.
	Lock string
	// Project says that the folder is a part of a project, which may be anybody's: nothing is
	// read where a link leads to.
	Project bool
}

// Entry is a folder of what should be a skill.
type Entry struct {
	Folder string // its name
	Skill  skill.Skill
	Err    error // why it cannot be used
}

// List returns the skills by their names, and what is none with the reason.
func (f Folder) List() ([]Entry, error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("cannot list skills: %w", err)
	}
	dir, err := os.Open(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list skills: %w", err)
	}
	defer dir.Close() // nothing was written
	found, err := dir.ReadDir(maxFolders)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("cannot list skills: %w", err)
	}
	var out []Entry
	for _, d := range found {
		if strings.HasPrefix(d.Name(), ".") || !d.IsDir() {
			continue
		}
		s, err := f.read(d.Name())
		out = append(out, Entry{d.Name(), s, err})
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Folder, b.Folder) })
	return out, nil
}

// Read reads a version of a skill; 0 is the one that counts.
func (f Folder) Read(name string, version int) (skill.Skill, error) {
	if err := skill.CheckName(name); err != nil {
		return skill.Skill{}, err
	}
	if err := f.check(); err != nil {
		return skill.Skill{}, fmt.Errorf("cannot read the skill %s: %w", name, err)
	}
	s, err := f.read(skill.Folder(name))
	if version == 0 || err == nil && s.Version == version {
		return s, err
	}
	old, err := read(f.version(name, version), skill.Folder(name))
	if fault.KindOf(err) == fault.NotFound {
		return old, fault.New(fault.NotFound, "Look at what there is.", "cannot find version %d of the skill %s", version, name)
	}
	return old, err
}

func (f Folder) read(folder string) (skill.Skill, error) {
	return read(filepath.Join(f.Dir, folder), folder)
}

func (f Folder) version(name string, version int) string {
	return filepath.Join(f.Dir, skill.Folder(name), skill.Versions, strconv.Itoa(version))
}

// Versions are the numbers of the older versions of a skill that are there, in their order.
func (f Folder) Versions(name string) []int {
	return versions(filepath.Join(f.Dir, skill.Folder(name)))
}

func versions(dir string) []int {
	found, err := os.ReadDir(filepath.Join(dir, skill.Versions))
	if err != nil {
		return nil
	}
	var out []int
	for _, d := range found {
		if n, err := strconv.Atoi(d.Name()); err == nil && n > 0 && d.IsDir() && strconv.Itoa(n) == d.Name() {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// read reads the skill in a folder that should be called folder.
func read(dir, folder string) (skill.Skill, error) {
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return skill.Skill{}, fault.New(fault.Invalid, "Remove it.", "cannot read the skill in %s: it is no folder", safetext.Line(folder))
	}
	files, err := Files(dir)
	if err != nil {
		return skill.Skill{}, err
	}
	return skill.Read(folder, files)
}

// Files reads the files of a skill in a folder, regular ones alone: no link is followed out of
// the folder, and nothing is waited for.
func Files(dir string) (map[string]string, error) {
	root, err := os.OpenRoot(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "Look at what there is.", "cannot find the skill: there is no folder %s", safetext.Line(filepath.Base(dir)))
	case err != nil:
		return nil, fault.New(fault.Denied, "Look at the folder.", "cannot read the skill: %w", err)
	}
	defer root.Close() // nothing was written
	out := map[string]string{}
	for name, most := range skill.FileNames() {
		text, err := file(root, name, most)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fault.New(fault.Invalid, "Correct the file, or remove the folder.", "cannot read the skill in %s: %s: %w", safetext.Line(filepath.Base(dir)), name, err)
		}
		out[name] = text
	}
	return out, nil
}

func file(root *os.Root, name string, most int64) (string, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is no regular file")
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	data, err := bounded.ReadClose(f, most)
	return string(data), err
}

// Put writes a skill, as the version after the one that is there. What is there already is
// not written again: written says whether it was.
func (f Folder) Put(ctx context.Context, s skill.Skill) (put skill.Skill, written bool, err error) {
	release, err := f.begin(ctx)
	if err != nil {
		return s, false, err
	}
	defer release()
	name := skill.Folder(s.Name)
	at := filepath.Join(f.Dir, name)
	old, err := f.read(name)
	switch {
	case err == nil && old.Hash() == s.Hash():
		return old, false, nil
	case err == nil:
		s.Version = old.Version + 1
	case fault.KindOf(err) == fault.NotFound:
		s.Version = 1
	default: // it is not what was tested, and is replaced
		s.Version = 2 + max(0, slices.Max(append(versions(at), 0)))
	}
	if err := s.Validate(); err != nil {
		return s, false, err
	}
	if err := f.replace(at, s, old); err != nil {
		return s, false, fmt.Errorf("cannot store the skill %s: %w", s.Name, err)
	}
	return s, true, nil
}

// replace puts a skill in the place of what is there; old is what that is, if it can be used.
func (f Folder) replace(at string, s, old skill.Skill) (err error) {
	temp, err := os.MkdirTemp(f.Dir, beside)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := write(temp, s); err != nil {
		return err
	}
	had := versions(at)
	for _, n := range had[max(0, len(had)-maxVersions+1):] {
		if err := link(filepath.Join(at, skill.Versions, strconv.Itoa(n)), filepath.Join(temp, skill.Versions, strconv.Itoa(n))); err != nil {
			return err
		}
	}
	if old.Version > 0 {
		if err := link(at, filepath.Join(temp, skill.Versions, strconv.Itoa(old.Version))); err != nil {
			return err
		}
	}
	if err := exchange(temp, at); err != nil {
		return err
	}
	return atomicfile.Sync(f.Dir)
}

// write writes the files of a skill into a new folder.
func write(dir string, s skill.Skill) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range s.Files() {
		if err := atomicfile.Replace(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return atomicfile.Sync(dir)
}

// link takes the files of a version into a new folder, as they are.
func link(from, to string) error {
	files, err := Files(from)
	if err != nil {
		return nil // what cannot be read says nothing to later readers either
	}
	if err := os.MkdirAll(to, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for name, text := range files {
		if os.Link(filepath.Join(from, name), filepath.Join(to, name)) == nil {
			continue
		}
		if err := atomicfile.Replace(filepath.Join(to, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return atomicfile.Sync(to)
}

// exchange gives a folder its place in one step. What was there is then where it was.
func exchange(temp, at string) error {
	err := unix.Renameat2(unix.AT_FDCWD, temp, unix.AT_FDCWD, at, unix.RENAME_EXCHANGE)
	switch {
	case errors.Is(err, unix.ENOENT):
		return os.Rename(temp, at)
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		// A file system that cannot exchange: the skill is away for a moment.
		old := filepath.Join(filepath.Dir(at), before+filepath.Base(at))
		if err := os.Rename(at, old); err != nil {
			return err
		}
		if err := os.Rename(temp, at); err != nil {
			return errors.Join(err, os.Rename(old, at))
		}
		return os.RemoveAll(old)
	}
	return err
}

// Remove removes a skill with all of its versions.
func (f Folder) Remove(ctx context.Context, name string) error {
	if err := skill.CheckName(name); err != nil {
		return err
	}
	at := filepath.Join(f.Dir, skill.Folder(name))
	if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "Look at what there is.", "cannot find the skill %s", name)
	}
	release, err := f.begin(ctx)
	if err != nil {
		return err
	}
	defer release()
	temp := filepath.Join(f.Dir, beside+skill.Folder(name))
	if err := os.Rename(at, temp); err != nil {
		return fmt.Errorf("cannot remove the skill %s: %w", name, err)
	}
	return os.RemoveAll(temp)
}

// begin makes the folder, takes the lock of writers and removes what one left that was killed.
func (f Folder) begin(ctx context.Context) (release func(), err error) {
	if err := f.make(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(f.Lock), 0o700); err != nil {
		return nil, fmt.Errorf("cannot store a skill: %w", err)
	}
	lock, err := os.OpenFile(f.Lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot store a skill: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fault.New(fault.Unavailable, "Try again.", "cannot store a skill: another process is storing one"))
	defer cancel()
	for unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), lock.Close())
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := f.tidy(); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot store a skill: %w", err), lock.Close())
	}
	return func() { lock.Close() }, nil // with the file goes the lock
}

// tidy removes what a writer left that was killed, and puts back what it had moved away.
func (f Folder) tidy() error {
	found, err := os.ReadDir(f.Dir)
	for _, d := range found {
		at := filepath.Join(f.Dir, d.Name())
		if name, old := strings.CutPrefix(d.Name(), before); old {
			if _, gone := os.Lstat(filepath.Join(f.Dir, name)); errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, os.Rename(at, filepath.Join(f.Dir, name)))
			} else {
				err = errors.Join(err, os.RemoveAll(at))
			}
		} else if strings.HasPrefix(d.Name(), beside) {
			err = errors.Join(err, os.RemoveAll(at))
		}
	}
	return err
}

// make makes the folder and refuses one that a link leads to: it may be a project's.
func (f Folder) make() error {
	if err := os.MkdirAll(f.Dir, 0o755); err != nil {
		return fmt.Errorf("cannot store a skill: %w", err)
	}
	if err := f.real(); err != nil {
		return fmt.Errorf("cannot store a skill: %w", err)
	}
	return nil
}

// check refuses to read what a link of a project leads to. A folder that is not there holds
// nothing.
func (f Folder) check() error {
	if !f.Project {
		return nil
	}
	return f.real()
}

// real refuses a folder that is a link, or that lies in one.
func (f Folder) real() error {
	for _, dir := range []string{filepath.Dir(f.Dir), f.Dir} {
		switch info, err := os.Lstat(dir); {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || !info.IsDir():
			return fault.New(fault.Denied, "Put a folder there.", "%s is a link, or no folder", safetext.Line(dir))
		}
	}
	return nil
}
