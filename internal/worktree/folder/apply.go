package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/worktree"
)

// Apply makes the changes in a folder: all of them, or none. before is the folder as it was
// read, with the same files included; if it is not like that any more, that is a fault, and
// nothing is changed.
func Apply(dir string, include []string, before worktree.Tree, changes []worktree.Change) error {
	now, _, err := Read(dir, include)
	if err != nil {
		return err
	}
	if moved := worktree.Changes(before, now); len(moved) > 0 {
		return fault.New(fault.Conflict, "Look at the patch, and apply it yourself; or begin again.",
			"cannot change %s: %s changed since it was read, %s", safetext.Line(dir), safetext.Count(len(moved), "file"), safetext.Line(moved[0].Path))
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("cannot change project: %w", err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return fmt.Errorf("cannot change project: %w", err)
	}
	w := &writer{root: root}
	err = w.all(changes)
	if err != nil {
		err = fmt.Errorf("cannot change project: %w", errors.Join(err, w.undo()))
	}
	return errors.Join(err, root.Close())
}

// writer makes changes and can undo them.
type writer struct {
	root   *os.Root
	staged []stage
	made   []string // folders, the outer ones first
	undone []func() error
}

// stage is a file that is written whole under another name.
type stage struct{ name, temporary string }

func (w *writer) all(changes []worktree.Change) error {
	for _, c := range changes {
		if c.After != nil {
			if err := w.write(c); err != nil {
				return err
			}
		}
	}
	was := map[string]*worktree.File{}
	for _, c := range changes {
		if c.From == "" {
			was[c.Path] = c.Before
		}
	}
	for i, s := range w.staged {
		if err := w.unchanged(s.name, was[s.name]); err != nil {
			return err
		}
		back := w.restore(s.name, was[s.name])
		if err := w.root.Rename(s.temporary, s.name); err != nil {
			return err
		}
		w.staged[i].temporary = ""
		w.undone = append(w.undone, back)
	}
	for _, c := range changes {
		gone := c.From
		if c.After == nil {
			gone = c.Path
		}
		if gone == "" {
			continue
		}
		if err := w.unchanged(gone, c.Before); err != nil {
			return err
		}
		back := w.restore(gone, c.Before)
		if err := w.root.Remove(gone); err != nil {
			return err
		}
		w.undone = append(w.undone, back)
		w.prune(path.Dir(gone))
	}
	return nil
}

// unchanged says that a file is still what it was, shortly before it goes: somebody may have
// saved it since. was is nil for a file that is new.
func (w *writer) unchanged(name string, was *worktree.File) error {
	now, err := w.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && was == nil:
		return nil
	case err == nil && was != nil && now.Equal(*was):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return fault.New(fault.Conflict, "Look at the patch, and apply it yourself; or begin again.", "cannot change %s: it changed since it was read", safetext.Line(name))
}

func (w *writer) read(name string) (worktree.File, error) {
	info, err := w.root.Lstat(name)
	if err != nil {
		return worktree.File{}, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := w.root.Readlink(name)
		return worktree.File{Link: to}, err
	}
	return regular(w.root, name, worktree.MaxFile)
}

// write writes a file beside the place that it will take.
func (w *writer) write(c worktree.Change) error {
	if err := w.folders(path.Dir(c.Path)); err != nil {
		return err
	}
	if c.Before == nil || c.From != "" { // what git ignores was not read, and stays
		if _, err := w.root.Lstat(c.Path); err == nil {
			return fault.New(fault.Conflict, "Move it away, or apply the patch yourself.", "cannot make %s: there is a file of this name that was left out", safetext.Line(c.Path))
		}
	}
	temporary := path.Join(path.Dir(c.Path), fmt.Sprintf(".praxis-%d-%d.tmp", os.Getpid(), len(w.staged)))
	w.staged = append(w.staged, stage{c.Path, temporary})
	if err := w.put(temporary, *c.After); err != nil || c.After.Link != "" {
		return err
	}
	info, err := w.root.Lstat(c.Path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // it is new
	}
	mode := info.Mode().Perm() &^ 0o111
	if c.After.Executable { // by whoever may read it
		mode |= mode >> 2 & 0o111
	}
	return w.root.Chmod(temporary, mode)
}

// put writes a file that is not there.
func (w *writer) put(name string, f worktree.File) error {
	if f.Link != "" {
		return w.root.Symlink(f.Link, name)
	}
	mode := fs.FileMode(0o644)
	if f.Executable {
		mode = 0o755
	}
	out, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = out.Write(f.Data)
	return errors.Join(err, out.Sync(), out.Close())
}

// folders makes a folder and those above it, and remembers which were not there.
func (w *writer) folders(dir string) error {
	if dir == "." {
		return nil
	}
	if err := w.folders(path.Dir(dir)); err != nil {
		return err
	}
	switch err := w.root.Mkdir(dir, 0o755); {
	case err == nil:
		w.made = append(w.made, dir)
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	if info, err := w.root.Lstat(dir); err != nil || info.IsDir() {
		return err
	}
	// A link may lead anywhere in the folder, into git's own files too.
	return fault.New(fault.Conflict, "Move it away, or apply the patch yourself.", "cannot make a file in %s: it is no folder", safetext.Line(dir))
}

// prune removes a folder that is empty now, as git does, and those above it.
func (w *writer) prune(dir string) {
	for ; dir != "."; dir = path.Dir(dir) {
		if w.root.Remove(dir) != nil {
			return // it is not empty
		}
	}
}

// restore returns what makes a file as it is, readable by whom it is now; nil: it is not there.
func (w *writer) restore(name string, was *worktree.File) func() error {
	info, statErr := w.root.Lstat(name)
	return func() error {
		if err := w.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if was == nil {
			return nil
		}
		if err := w.root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := w.put(name, *was); err != nil || statErr != nil || !info.Mode().IsRegular() {
			return err
		}
		return w.root.Chmod(name, info.Mode().Perm())
	}
}

// undo takes everything back.
func (w *writer) undo() (err error) {
	for i := len(w.undone) - 1; i >= 0; i-- {
		err = errors.Join(err, w.undone[i]())
	}
	for _, s := range w.staged {
		if s.temporary != "" {
			if e := w.root.Remove(s.temporary); e != nil && !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
	}
	for i := len(w.made) - 1; i >= 0; i-- {
		_ = w.root.Remove(w.made[i]) // somebody may have put a file into it
	}
	return err
}
