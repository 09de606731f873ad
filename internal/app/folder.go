package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
)

// Bounds on what is taken out of a session at once. The names, the number and
// the contents are the guest's: hostile.
const (
	maxSaved = 1000
	maxDepth = 16
	maxName  = 200 // bytes of one part of a path, below the 255 of file systems
)

// SavedFile is a file that was copied out of a session.
type SavedFile struct {
	Path  string `json:"path"` // on this machine
	Bytes int64  `json:"bytes"`
}

// Folder is a folder of this machine that what code makes is saved in. Files
// appear in it whole, under a name that is not one of the person's own files, and
// no symbolic link in it is followed.
type Folder struct {
	dir    string
	real   string // dir without symbolic links, absolute
	root   *os.Root
	taken  map[string]bool // names given out by this command
	guard  []ownFile       // never overwritten
	saved  []SavedFile
	bound  int64 // bytes of all files together: the session's disk limit
	left   int64 // what is left of it
	unique bool  // never take the place of a file that is there already
}

// ownFile is a file that the person named for the command to read. Nothing that
// code makes takes its place.
type ownFile struct {
	where string      // see realName
	info  os.FileInfo // nil when it cannot be told
}

// ownFiles returns what the paths name; empty ones name nothing.
func ownFiles(paths ...string) []ownFile {
	var out []ownFile
	for _, p := range paths {
		if p == "" {
			continue
		}
		own := ownFile{where: realName(p)}
		if info, err := os.Stat(p); err == nil {
			own.info = info
		}
		out = append(out, own)
	}
	return out
}

// realName returns the one absolute name of an entry of a folder: the folders
// above it have no symbolic links, but the entry itself may be one.
func realName(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return filepath.Clean(name) // there is no current folder any more
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		return filepath.Join(dir, filepath.Base(abs))
	}
	return abs
}

// CheckFolder says early that a folder cannot be used. An empty name is none.
func CheckFolder(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // made when there is something to save
	case err != nil:
		return fault.New(fault.Invalid, "Name another folder.", "cannot use folder %s: %w", safetext.Line(dir), cause(err))
	case !info.IsDir():
		return fault.New(fault.Invalid, "Name another folder.", "cannot use folder %s: it is a file", safetext.Line(dir))
	}
	return nil
}

// PrepareFolder makes the folder and tries whether files can be written there:
// before the code runs, that is a mistake on the command line and costs nothing.
func PrepareFolder(dir string) error {
	if dir == "" {
		return nil
	}
	if err := CheckFolder(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return folderFault("make", dir, err)
	}
	f, err := os.CreateTemp(dir, ".praxis-*.tmp")
	if err != nil {
		return folderFault("write to", dir, err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return folderFault("write to", dir, err)
	}
	return nil
}

func folderFault(do, dir string, err error) error {
	return fault.New(fault.Invalid, "Name a folder that you may write to.", "cannot %s folder %s: %w", do, safetext.Line(dir), cause(err))
}

// cause takes the path out of an error that is told with its path anyway.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// openFolder makes the folder and opens it for files of so many bytes altogether.
func openFolder(dir string, guard []ownFile, bound int64) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, folderFault("make", dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, folderFault("open", dir, err)
	}
	real := filepath.Dir(realName(filepath.Join(dir, "x")))
	return &Folder{dir: dir, real: real, root: root, taken: map[string]bool{}, guard: guard, bound: bound, left: bound}, nil
}

// OpenFolder opens the folder dir for files of at most bound bytes together, and
// makes it when it is missing. What is there already is never replaced.
func OpenFolder(dir string, bound int64) (*Folder, error) {
	o, err := openFolder(dir, nil, bound)
	if err == nil {
		o.unique = true
	}
	return o, err
}

// Saved returns the files that were saved so far.
func (o *Folder) Saved() []SavedFile { return o.saved }

// Close closes the folder.
func (o *Folder) Close() error { return o.root.Close() }

// Save writes one file whole: what fill writes goes under another name first.
func (o *Folder) Save(name string, fill func(io.Writer) error) error {
	if len(o.saved) >= maxSaved {
		return fault.New(fault.Exhausted, "Pack them into one archive in the code.", "cannot save %s: more than %d files", safetext.Line(name), maxSaved)
	}
	name, err := o.place(name)
	if err != nil {
		return o.failed(name, err)
	}
	tmp := path.Join(path.Dir(name), ".praxis-"+strconv.Itoa(os.Getpid())+".tmp")
	f, err := o.root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o644)
	if errors.Is(err, fs.ErrExist) {
		// Left by a dead process of the same id.
		if err = o.root.Remove(tmp); err == nil {
			f, err = o.root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o644)
		}
	}
	if err != nil {
		return o.failed(name, err)
	}
	w := &boundedWriter{w: f, left: o.left}
	err = fill(w)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = o.root.Rename(tmp, name)
	}
	if err != nil {
		// The first error is the one that matters.
		_ = o.root.Remove(tmp)
		return o.failed(name, err)
	}
	o.left -= w.n
	o.saved = append(o.saved, SavedFile{Path: filepath.Join(o.dir, name), Bytes: w.n})
	return nil
}

func (o *Folder) failed(name string, err error) error {
	where := safetext.Line(filepath.Join(o.dir, name))
	switch {
	case errors.Is(err, errTooMuch):
		return fault.New(fault.Exhausted, "Write less at once: a file with holes counts with its whole length. The disk limit is set when a session is made.",
			"cannot save %s: all files together are more than the session's disk limit of %s", where, safetext.Size(o.bound))
	case atomicfile.Full(err):
		return fault.New(fault.Exhausted, "Make room on the disk and run it again.", "cannot save %s: the disk is full", where)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Invalid, "Name a folder that you may write to.", "cannot save %s: permission denied", where)
	}
	return fmt.Errorf("cannot save %s: %w", where, cause(err))
}

// place turns a guest's name into one that may be used in the folder, and makes
// the folders above it.
func (o *Folder) place(name string) (string, error) {
	name = safeName(name)
	dir := ""
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		dir = path.Join(dir, part)
		info, err := o.root.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = o.root.Mkdir(dir, 0o755)
		case err == nil && !info.IsDir():
			err = fault.New(fault.Conflict, "Name another folder.", "%s is in the way", filepath.Join(o.dir, dir))
		}
		if err != nil {
			return name, err
		}
	}
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 2; ; n++ {
		used, err := o.inUse(name)
		if err != nil {
			return name, err
		}
		if !used {
			o.taken[name] = true
			return name, nil
		}
		name = stem + "-" + strconv.Itoa(n) + ext
	}
}

// inUse says whether a name must not be given out. The folders above it exist.
func (o *Folder) inUse(name string) (bool, error) {
	if o.taken[name] {
		return true, nil
	}
	_, err := o.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	return o.unique || o.guarded(name), nil
}

// guarded says whether what is there under the name is one of the person's own
// files, or may be: what a symbolic link out of the folder leads to is not looked at.
func (o *Folder) guarded(name string) bool {
	info, err := o.root.Stat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	where := filepath.Join(o.real, name)
	return slices.ContainsFunc(o.guard, func(own ownFile) bool {
		return own.where == where || err == nil && own.info != nil && os.SameFile(own.info, info)
	})
}

// safeName makes a relative path of harmless parts: no control characters, no
// parts that mean a folder, and no leading dot, so that a guest cannot write
// the settings of a program (.bashrc, .git) or of a shell (-rf).
func safeName(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." {
			continue
		}
		part = strings.Map(func(r rune) rune {
			if r < 0x20 || (r >= 0x7f && r < 0xa0) || r == 0xfffd || r == '\\' || r == ':' {
				return '_'
			}
			return r
		}, strings.ToValidUTF8(part, "_"))
		part = safetext.Line(part)
		if part[0] == '.' || part[0] == '-' {
			part = "_" + part[1:]
		}
		if len(part) > maxName {
			ext := path.Ext(part)
			if len(ext) > 20 {
				ext = ""
			}
			part = strings.ToValidUTF8(part[:maxName-len(ext)], "") + ext
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "unnamed"
	}
	if len(parts) > maxDepth {
		parts = append(parts[:maxDepth-1:maxDepth-1], parts[len(parts)-1])
	}
	return path.Join(parts...)
}

// errTooMuch is what a bounded writer answers when its bound is reached.
var errTooMuch = errors.New("too much data")

// boundedWriter counts and bounds what is written.
type boundedWriter struct {
	w       io.Writer
	n, left int64
}

// Write passes p on while the bound allows it.
func (b *boundedWriter) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left-b.n {
		return 0, errTooMuch
	}
	n, err := b.w.Write(p)
	b.n += int64(n)
	return n, err
}
