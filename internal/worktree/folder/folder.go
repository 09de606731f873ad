// Package folder reads the files of a project from a folder of this machine as git knows
// them, and changes them there.
//
// What is read are the files that git tracks, and those that it neither tracks nor ignores:
// the rules are those of the .gitignore files, of the folders above in the same repository,
// and of .git/info/exclude; which files are tracked says git's index. Where there is no git,
// the rules of .gitignore hold all the same. git itself is never started, so that no hook and
// no setting of a repository runs anything. Its own files are not read, nor are files that are
// likely to hold secrets.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/worktree"
	"praxis/internal/worktree/ignore"
)

// Bounds of what is read.
const (
	MaxFiles = 10_000
	MaxFile  = 16 << 20 // bytes of one file
	MaxBytes = 64 << 20 // bytes of all
	maxDepth = 64
	maxRules = 1 << 20 // bytes of one file of rules
)

// Left is a file that was left out although git does not ignore it.
type Left struct {
	Path string `json:"path"`
	Why  string `json:"why"` // in a few words
}

// Read reads the files of a project. include are the paths, below the folder, of files that
// are read although they look like secrets.
func Read(dir string, include []string) (worktree.Tree, []Left, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fault.New(fault.NotFound, "Check the path.", "cannot read project %s: there is no such folder", safetext.Line(dir))
	case err != nil:
		return nil, nil, fault.New(fault.Invalid, "", "cannot read project: %w", err)
	case !info.IsDir():
		return nil, nil, fault.New(fault.Invalid, "Name the folder that it lies in.", "cannot read project %s: it is a file", safetext.Line(dir))
	}
	if dir, err = filepath.EvalSymlinks(dir); err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, nil, fault.New(fault.Invalid, "", "cannot read project: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fault.New(fault.Invalid, "", "cannot read project: %w", err)
	}
	defer func() { _ = root.Close() }() // only read: nothing to lose
	r := &reader{root: root, dir: dir, tree: worktree.Tree{}, include: map[string]bool{}, above: repository(dir)}
	for _, p := range include {
		r.include[path.Clean(filepath.ToSlash(p))] = true
	}
	if err := r.above.load(r); err != nil {
		return nil, nil, err
	}
	if err := r.folder(".", 0); err != nil {
		return nil, nil, err
	}
	if len(r.tree) == 0 {
		return nil, nil, fault.New(fault.Invalid, "Name the folder of a project.", "cannot read project %s: it holds no file that git does not ignore", safetext.Line(dir))
	}
	for p := range r.include {
		if _, there := r.tree[p]; !there {
			return nil, nil, fault.New(fault.NotFound, "Name files by their paths below the folder.", "cannot include %s: the project has no such file", safetext.Line(p))
		}
	}
	slices.SortFunc(r.left, func(a, b Left) int { return strings.Compare(a.Path, b.Path) })
	return r.tree, r.left, nil
}

// reader reads one folder.
type reader struct {
	root    *os.Root
	dir     string
	above   *repo
	rules   ignore.Rules
	tree    worktree.Tree
	bytes   int64
	left    []Left
	include map[string]bool
}

func (r *reader) leave(p, why string) {
	r.left = append(r.left, Left{Path: safetext.Line(p), Why: why})
}

// at is a path of this folder as the repository knows it.
func (r *reader) at(p string) string { return path.Join(r.above.below, p) }

func (r *reader) folder(dir string, depth int) error {
	if depth > maxDepth {
		return fault.New(fault.Invalid, "Name a folder in it, or have git ignore it.", "cannot read project: folder %s lies more than %d folders deep", safetext.Line(dir), maxDepth)
	}
	if f, err := regular(r.root, path.Join(dir, ignore.Name), maxRules); err == nil {
		r.rules.Add(r.at(dir), f.Data)
	}
	f, err := r.root.Open(dir)
	if err != nil {
		return fault.New(fault.Invalid, "Make it readable, or have git ignore it.", "cannot read project: %w", err)
	}
	entries, err := f.ReadDir(-1)
	err = errors.Join(err, f.Close())
	if err != nil {
		return fault.New(fault.Invalid, "", "cannot read project: %w", err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if err := r.entry(path.Join(dir, e.Name()), e, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry reads one entry of a folder.
func (r *reader) entry(p string, e fs.DirEntry, depth int) error {
	if strings.EqualFold(e.Name(), ".git") {
		return nil
	}
	tracked := r.above.tracked(r.at(p))
	ignored := r.rules.Match(r.at(p), e.IsDir())
	if e.IsDir() {
		if ignored && !r.above.holds(r.at(p)) {
			return nil
		}
		return r.folder(p, depth+1)
	}
	if ignored && !tracked && !r.include[p] {
		return nil
	}
	switch {
	case worktree.CheckPath(p) != nil:
		r.leave(p, "its name cannot be shown")
		return nil
	case secret(p) && !r.include[p]:
		r.leave(p, "it may hold secrets")
		return nil
	case e.Type()&fs.ModeSymlink != 0:
		return r.link(p)
	case !e.Type().IsRegular():
		r.leave(p, "it is no regular file")
		return nil
	}
	return r.file(p)
}

func (r *reader) link(p string) error {
	to, err := r.root.Readlink(p)
	if err != nil {
		return fault.New(fault.Invalid, "", "cannot read project: %w", err)
	}
	if worktree.Leaves(p, to) {
		return fault.New(fault.Invalid, "Have git ignore it, or put what it leads to into the folder.",
			"cannot read project: the symbolic link %s leads out of the folder, to %s", safetext.Line(p), safetext.Line(to))
	}
	return r.add(p, worktree.File{Link: to})
}

func (r *reader) file(p string) error {
	f, err := regular(r.root, p, MaxFile)
	long := (*bounded.TooLong)(nil)
	switch {
	case errors.As(err, &long):
		return fault.New(fault.Invalid, "Have git ignore it.", "cannot read project: %s is longer than %s", safetext.Line(p), safetext.Size(MaxFile))
	case err != nil:
		return fault.New(fault.Invalid, "Make it readable, or have git ignore it.", "cannot read project: %w", err)
	}
	return r.add(p, f)
}

// regular reads a regular file below a folder, of at most most bytes.
func regular(root *os.Root, p string, most int64) (worktree.File, error) {
	info, err := root.Lstat(p)
	if err != nil {
		return worktree.File{}, err
	}
	if !info.Mode().IsRegular() {
		return worktree.File{}, fmt.Errorf("%s is no regular file", safetext.Line(p))
	}
	f, err := root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
	if err != nil {
		return worktree.File{}, err
	}
	data, err := bounded.ReadClose(f, most)
	return worktree.File{Data: data, Executable: info.Mode()&0o100 != 0}, err
}

func (r *reader) add(p string, f worktree.File) error {
	r.tree[p] = f
	r.bytes += int64(len(f.Data))
	switch {
	case len(r.tree) > MaxFiles:
		return fault.New(fault.Invalid, "Name a folder in it, or have git ignore what the tests do not need.", "cannot read project: it has more than %d files", MaxFiles)
	case r.bytes > MaxBytes:
		return fault.New(fault.Invalid, "Name a folder in it, or have git ignore what the tests do not need.", "cannot read project: its files are longer than %s together", safetext.Size(MaxBytes))
	}
	return nil
}

// secret says whether a file by its name is likely to hold secrets. Examples of such files
// hold none.
func secret(p string) bool {
	name := strings.ToLower(path.Base(p))
	for _, example := range []string{".example", ".sample", ".template", ".dist", ".pub"} {
		if strings.HasSuffix(name, example) {
			return false
		}
	}
	switch {
	case name == ".env" || strings.HasPrefix(name, ".env.") || name == ".envrc":
		return true
	case slices.Contains([]string{".netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials", ".dockercfg", "credentials", "credentials.json", "secrets.json", "secrets.yaml", "secrets.yml", "secrets.toml"}, name):
		return true
	case slices.Contains([]string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"}, name):
		return true
	}
	return slices.Contains([]string{".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".tfstate"}, path.Ext(name))
}
