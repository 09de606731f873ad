package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"unicode/utf8"

	"praxis/internal/guest/wire"
)

// maxDepth bounds folders within folders: the walk keeps one of each open.
const maxDepth = 64

// budget bounds what a walk may look at. It is the code in the session that
// chooses how many files there are and what they are called. It counts work: an
// entry costs the same few system calls wherever it lies, and what a walk finds
// must not depend on what else keeps the machine busy.
type budget struct {
	entries, bytes int // bytes of paths and of what links point to
}

// walker goes through a folder from one open folder to the next, so that each
// entry costs the same however deep it lies and nobody can put a link on the way.
type walker struct {
	verb   string // what the caller does, for messages
	remedy string // what he can do about too much
	base   string // the root of the files, as the caller knows it
	real   string // the same without links
	deep   bool
	skip   []string // names of folders that are passed over
	limit  budget
	left   budget
	// visit is called for each entry, sorted by name, folders before what is in them.
	visit func(found) error
	// leftOut is called for what exists and is not visited, with the reason.
	leftOut func(path, why string) error
}

// found is one of the things that a walk finds.
type found struct {
	fs.FileInfo
	path string   // absolute
	in   *os.Root // the folder that holds it, open during the visit
	last string   // its name there
	real string   // the root that it may not lead out of
}

func newWalker(verb, remedy, base string, limit budget) (*walker, error) {
	real, err := realPath(base)
	if err != nil {
		return nil, err
	}
	return &walker{verb: verb, remedy: remedy, base: base, real: real, limit: limit, left: limit}, nil
}

// target returns what a symbolic link points to. One that is gone points nowhere.
func (e found) target() string {
	if e.Mode()&fs.ModeSymlink == 0 {
		return ""
	}
	target, err := e.in.Readlink(e.last)
	if err != nil {
		return ""
	}
	return target
}

// spend takes bytes from the budget.
func (w *walker) spend(bytes int) error {
	if w.left.bytes -= bytes; w.left.bytes < 0 {
		return failf("exhausted", w.remedy, "cannot %s: the paths in it have more than %s together", w.verb, bytesText(int64(w.limit.bytes)))
	}
	return nil
}

// walk goes through the folder called rel in root. It follows no symbolic link
// below the folder itself. What vanishes meanwhile is passed over.
func (w *walker) walk(root *os.Root, rel string) error {
	d, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	path := join(w.base, rel)
	in, names, err := w.open(d)
	if err != nil || in == nil {
		return at(err, path)
	}
	return w.folder(in, names, path, 0)
}

// folder visits names in the folder in, which it closes.
func (w *walker) folder(in *os.Root, names []string, path string, depth int) error {
	defer in.Close()
	for i, name := range names {
		e := found{path: join(path, name), in: in, last: name, real: w.real}
		if hostLength(e.path) > wire.MaxPath {
			if err := w.leftOut(e.path, fmt.Sprintf("its path is longer than %d bytes", wire.MaxPath)); err != nil {
				return err
			}
			continue
		}
		var err error
		if e.FileInfo, err = in.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return at(err, e.path)
		}
		if e.IsDir() && slices.Contains(w.skip, name) {
			continue
		}
		if err := w.spend(hostLength(e.path)); err != nil {
			return err
		}
		if err := w.visit(e); err != nil {
			return err
		}
		if !w.deep || !e.IsDir() {
			continue
		}
		if err := w.below(e, depth+1, i == len(names)-1); err != nil {
			return err
		}
	}
	return nil
}

// open reads the names in d, sorted, opens it as a root unless it is empty, and
// closes d.
func (w *walker) open(d *os.File) (*os.Root, []string, error) {
	defer d.Close()
	if err := inside(w.real, d); err != nil {
		return nil, nil, err
	}
	names, err := d.Readdirnames(w.left.entries + 1) // fails unless d is a folder
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	if w.left.entries -= len(names); w.left.entries < 0 {
		return nil, nil, failf("exhausted", w.remedy, "cannot %s: it holds more than %d entries", w.verb, w.limit.entries)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return nil, nil, nil
	}
	in, err := os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", d.Fd()))
	return in, names, err
}

// below goes through a folder that was found. After the last entry the folder
// that holds it is not wanted any more.
func (w *walker) below(e found, depth int, last bool) error {
	if depth > maxDepth {
		return w.leftOut(e.path, fmt.Sprintf("it lies more than %d folders deep", maxDepth))
	}
	// Neither O_DIRECTORY, for which gVisor follows links in spite of
	// O_NOFOLLOW, nor a wait, should a pipe have taken the folder's place.
	d, err := e.in.OpenFile(e.last, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	var in *os.Root
	var names []string
	if err == nil {
		in, names, err = w.open(d)
	}
	switch p := (*fs.PathError)(nil); {
	case err == nil && in == nil:
		return nil // an empty folder
	case err == nil:
		if last {
			e.in.Close()
		}
		return w.folder(in, names, e.path, depth)
	case !errors.As(err, &p):
		return err // the budget
	case errors.Is(err, fs.ErrPermission):
		return w.leftOut(e.path, "it may not be read")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return w.leftOut(e.path, "its path is too long")
	}
	if st, gone := e.in.Lstat(e.last); gone != nil || !st.IsDir() {
		return nil // something else took its place
	}
	return at(err, e.path)
}

// at gives an error the path that it is about.
func at(err error, path string) error {
	var p *fs.PathError
	if errors.As(err, &p) && error(p) == err {
		return &fs.PathError{Op: p.Op, Path: path, Err: p.Err}
	}
	return err
}

// hostLength is how many bytes s has once it is JSON: a byte that is not UTF-8
// becomes a character of three.
func hostLength(s string) int {
	n := 0
	for _, r := range s {
		n += utf8.RuneLen(r)
	}
	return n
}
