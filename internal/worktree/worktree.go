// Package worktree is the files of a project as values: what a folder holds, as it goes into
// a sandbox and comes out of it, and what changed between the two. Package folder below it
// reads and changes folders of this machine, ignore knows what git ignores, and patch writes
// changes as git does.
//
// What comes out of a sandbox is hostile: [Read] bounds it, and refuses every path that leads
// out of the folder or into git's own files, where a hook would run on this machine.
package worktree

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"praxis/internal/bounded"
	"praxis/internal/safetext"
)

// Bounds of what is read of an archive. A tree of this machine is bounded by package folder,
// below these: a program that is built there makes files.
const (
	MaxFiles = 50_000
	MaxFile  = 64 << 20  // bytes of one file
	MaxBytes = 256 << 20 // bytes of all files
	maxPath  = 1024      // bytes of a path
)

// File is a file of a project, or a symbolic link.
type File struct {
	Data       []byte
	Executable bool
	Link       string // where a symbolic link leads; "": it is a file
}

// Equal says whether two files are the same.
func (f File) Equal(g File) bool {
	return f.Link == g.Link && f.Executable == g.Executable && bytes.Equal(f.Data, g.Data)
}

// Tree is the files of a project by their paths below its folder, with slashes.
type Tree map[string]File

// Paths returns the paths, sorted.
func (t Tree) Paths() []string { return slices.Sorted(maps.Keys(t)) }

// Sum names the tree by its content.
func (t Tree) Sum() string {
	h := sha256.New()
	for _, p := range t.Paths() {
		f := t[p]
		_, _ = fmt.Fprintf(h, "%q %t %q %d\n", p, f.Executable, f.Link, len(f.Data)) // a hash never fails
		_, _ = h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ErrPath is the error of a path that no file of a project can have.
var ErrPath = errors.New("the path leads out of the folder, into git's own files, or cannot be shown")

// CheckPath refuses a path that leads out of the folder or into git's own files, and one
// that holds control characters.
func CheckPath(p string) error {
	if !fs.ValidPath(p) || p == "." || len(p) > maxPath || strings.Contains(p, `\`) || safetext.Line(p) != p {
		return ErrPath
	}
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(part, ".git") {
			return ErrPath
		}
	}
	return nil
}

// Leaves says whether a symbolic link at a path leads out of the folder. One that goes up
// behind a name may: the name may be a link to a place that is less deep than it looks.
func Leaves(p, target string) bool {
	if target == "" || path.IsAbs(target) || strings.ContainsAny(target, "\\\x00") {
		return true
	}
	down := false
	for part := range strings.SplitSeq(target, "/") {
		if part == ".." && down {
			return true
		}
		down = down || part != ".." && part != "." && part != ""
	}
	to := path.Join(path.Dir(p), target)
	return to == ".." || strings.HasPrefix(to, "../") || to != "." && CheckPath(to) != nil
}

// Write writes the tree as a tar archive. The same tree makes the same bytes.
func (t Tree) Write(to io.Writer) error {
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	w := tar.NewWriter(to)
	for _, p := range t.Paths() {
		f := t[p]
		h := &tar.Header{Typeflag: tar.TypeReg, Name: p, Mode: 0o644, Size: int64(len(f.Data)), ModTime: epoch, Format: tar.FormatPAX}
		switch {
		case f.Link != "":
			h.Typeflag, h.Linkname, h.Mode, h.Size = tar.TypeSymlink, f.Link, 0o777, 0
		case f.Executable:
			h.Mode = 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			return fmt.Errorf("cannot pack %s: %w", p, err)
		}
		if h.Size > 0 {
			if _, err := w.Write(f.Data); err != nil {
				return fmt.Errorf("cannot pack %s: %w", p, err)
			}
		}
	}
	return w.Close()
}

// Archive is what Write writes.
func (t Tree) Archive() ([]byte, error) {
	var b bytes.Buffer
	err := t.Write(&b)
	return b.Bytes(), err
}

// Read reads a tar archive that nobody trusts. Entries that no file of a project can be are
// left out: left names up to a hundred of them. Folders are left out without a word. An
// archive that breaks a bound or cannot be read is an error.
func Read(from io.Reader) (t Tree, left []string, err error) {
	t = Tree{}
	skip := func(name string) {
		if len(left) < 100 {
			left = append(left, safetext.Line(name))
		}
	}
	total := int64(0)
	r := tar.NewReader(from)
	for n := 0; ; n++ {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			t.settle()
			return t, left, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("cannot read the archive: %w", err)
		}
		if n >= MaxFiles {
			return nil, nil, fmt.Errorf("cannot read the archive: it has more than %d entries", MaxFiles)
		}
		name := strings.TrimPrefix(h.Name, "./")
		switch {
		case h.Typeflag == tar.TypeDir:
		case CheckPath(name) != nil:
			skip(h.Name)
		case h.Typeflag == tar.TypeSymlink && !Leaves(name, h.Linkname):
			t[name] = File{Link: h.Linkname}
		case h.Typeflag != tar.TypeReg:
			skip(h.Name)
		case h.Size > MaxFile:
			skip(h.Name)
		default:
			if total += h.Size; total > MaxBytes {
				return nil, nil, fmt.Errorf("cannot read the archive: its files are longer than %s", safetext.Size(MaxBytes))
			}
			data, err := bounded.Read(r, MaxFile)
			if err != nil {
				return nil, nil, fmt.Errorf("cannot read %s of the archive: %w", name, err)
			}
			t[name] = File{Data: data, Executable: h.Mode&0o100 != 0}
		}
	}
}

// settle leaves out what lies below a file or a link: no folder can be like that.
func (t Tree) settle() {
	for p := range t {
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if _, is := t[d]; is {
				delete(t, p)
			}
		}
	}
}

// Put puts a file into the tree, in the place of what cannot be there beside it.
func (t Tree) Put(name string, f File) {
	for d := path.Dir(name); d != "."; d = path.Dir(d) {
		delete(t, d)
	}
	t[name] = f
	t.settle()
}

// Change is what became of one file.
type Change struct {
	Path   string
	From   string // the path that it had before, where it was renamed; "": the same
	Before *File  // nil: it is new
	After  *File  // nil: it is gone
}

// Kind says in a word what became of the file.
func (c Change) Kind() string {
	switch {
	case c.From != "":
		return "renamed"
	case c.Before == nil:
		return "created"
	case c.After == nil:
		return "removed"
	}
	return "changed"
}

// Changes lists what differs between two trees, by path. A file that is gone and one that is
// new with the same content are one that was renamed.
func Changes(before, after Tree) []Change {
	var out []Change
	gone := map[string][]string{} // by content: the paths that are gone
	key := func(f File) string {
		sum := sha256.Sum256(f.Data)
		return fmt.Sprint(f.Executable, f.Link, hex.EncodeToString(sum[:]))
	}
	for _, p := range before.Paths() {
		if _, there := after[p]; !there && len(before[p].Data) > 0 {
			gone[key(before[p])] = append(gone[key(before[p])], p)
		}
	}
	moved := map[string]bool{}
	for _, p := range after.Paths() {
		now := after[p]
		was, there := before[p]
		switch {
		case !there:
			c := Change{Path: p, After: &now}
			if from := gone[key(now)]; len(from) > 0 && len(now.Data) > 0 {
				old := before[from[0]]
				c.From, c.Before, moved[from[0]] = from[0], &old, true
				gone[key(now)] = from[1:]
			}
			out = append(out, c)
		case !was.Equal(now):
			out = append(out, Change{Path: p, Before: &was, After: &now})
		}
	}
	for _, p := range before.Paths() {
		if _, there := after[p]; !there && !moved[p] {
			was := before[p]
			out = append(out, Change{Path: p, Before: &was})
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}
