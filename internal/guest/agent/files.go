package agent

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// Bounds of listings.
const (
	listBatch = 500       // entries an event
	listBytes = 256 << 10 // bytes of paths an event
	maxFiles  = 32        // file ops at work; each has a thread of its own
)

// locate turns a path of the host's into a root and a name below it. The name
// is only ever used through os.Root, which resolves it step by step and lets
// neither ".." nor a symbolic link out.
func (c config) locate(path string) (root, rel string, err error) {
	if path == "" || len(path) > wire.MaxPath {
		return "", "", failf("invalid", "", "cannot use path: it is empty or longer than %d bytes", wire.MaxPath)
	}
	for _, b := range []byte(path) {
		if b == 0 {
			return "", "", failf("invalid", "", "cannot use path: it holds a zero byte")
		}
	}
	if !filepath.IsAbs(path) {
		path = c.Workdir + "/" + path
	}
	if path = filepath.Clean(path); len(path) > wire.MaxPath {
		return "", "", failf("invalid", "", "cannot use path: it is longer than %d bytes below the working folder", wire.MaxPath)
	}
	return within(c.Roots, path)
}

func join(root, rel string) string { return filepath.Join(root, rel) }

// inRoot runs f as the session's user with the root that holds path open.
func (s *server) inRoot(path string, f func(root *os.Root, base, rel string) error) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	base, rel, err := cfg.locate(path)
	if err != nil {
		return err
	}
	s.fileSlots <- struct{}{}
	defer func() { <-s.fileSlots }()
	return asUser(cfg.privileged(), func() error {
		root, err := os.OpenRoot(base)
		if err != nil {
			return err
		}
		defer root.Close()
		if err := straight(root, rel); err != nil {
			return named(err, base)
		}
		return named(f(root, base, rel), base)
	})
}

// straight refuses a name on whose way a folder is a symbolic link. os.Root
// means to keep such links inside by itself, but it opens folders with
// O_DIRECTORY and O_NOFOLLOW together, and gVisor follows a link for those.
func straight(root *os.Root, rel string) error {
	top, err := root.OpenFile(".", openPath, 0)
	if err != nil {
		return err
	}
	defer top.Close()
	fd, mine := int(top.Fd()), false
	defer func() {
		if mine {
			closeAll(fd)
		}
	}()
	for from, i := 0, 0; i < len(rel); i++ {
		if rel[i] != '/' {
			continue
		}
		next, err := syscall.Openat(fd, rel[from:i], openPath|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
		if err == syscall.ENOENT || err == syscall.ENOTDIR {
			return nil // whoever uses the name gets the error
		}
		if err != nil {
			return &fs.PathError{Op: "open", Path: rel[:i], Err: err}
		}
		if mine {
			closeAll(fd)
		}
		fd, mine, from = next, true, i+1
		var st syscall.Stat_t
		if err = syscall.Fstat(fd, &st); err == nil && st.Mode&syscall.S_IFMT == syscall.S_IFLNK {
			err = syscall.ELOOP
		}
		if err != nil {
			return &fs.PathError{Op: "open", Path: rel[:i], Err: err}
		}
	}
	return nil
}

// openPath is O_PATH of open(2): it needs no right to read what it opens, and
// opens a symbolic link itself.
const openPath = 0x200000

// realPath is a path without symbolic links.
func realPath(base string) (string, error) { return filepath.EvalSymlinks(base) }

// inside says whether what was opened lies in the folder real: a link may have
// been put on the way since straight looked.
func inside(real string, f *os.File) error {
	at, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return err
	}
	if at != real && !strings.HasPrefix(at, real+"/") {
		return &fs.PathError{Op: "open", Path: f.Name(), Err: syscall.ELOOP}
	}
	return nil
}

// named gives the paths in errors of os.Root, which are relative, their root.
func named(err error, base string) error {
	var p *fs.PathError
	if errors.As(err, &p) && error(p) == err && !filepath.IsAbs(p.Path) {
		return &fs.PathError{Op: p.Op, Path: join(base, p.Path), Err: p.Err}
	}
	var l *os.LinkError
	if errors.As(err, &l) && error(l) == err {
		return &fs.PathError{Op: l.Op, Path: join(base, l.New), Err: l.Err}
	}
	return err
}

func (s *server) readFile(req *request, args wire.Path) (info wire.FileInfo, err error) {
	err = s.inRoot(args.Path, func(root *os.Root, base, rel string) error {
		f, st, err := openFile(root, rel)
		if err != nil {
			return err
		}
		defer f.Close()
		buf := make([]byte, wire.Chunk)
		if _, err := io.CopyBuffer(req, struct{ io.Reader }{f}, buf); err != nil {
			return err
		}
		req.link.send(req.epoch, wire.End, req.id)
		info = describeFile(join(base, rel), st, "")
		return nil
	})
	return info, err
}

// openFile opens a file of a root to read.
func openFile(root *os.Root, rel string) (*os.File, fs.FileInfo, error) {
	real, err := realPath(root.Name())
	if err != nil {
		return nil, nil, err
	}
	return openRegular(root, real, rel)
}

// openRegular opens a file to read that lies in the folder real. A pipe or a device would make the agent
// wait for somebody, so they are refused; opening must not wait either.
func openRegular(root *os.Root, real, rel string) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: rel, Err: errNotRegular(st.Mode())}
	}
	if err == nil {
		err = inside(real, f)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, st, nil
}

func errNotRegular(m fs.FileMode) error {
	if m.IsDir() {
		return syscall.EISDIR
	}
	return syscall.EINVAL
}

func (s *server) writeFile(req *request, args wire.Write) (info wire.FileInfo, err error) {
	mode := fs.FileMode(args.Mode) & fs.ModePerm
	if mode == 0 {
		mode = 0o644
	}
	defer s.changes.writing()()
	err = s.inRoot(args.Path, func(root *os.Root, base, rel string) error {
		if rel == "." {
			return &fs.PathError{Op: "write", Path: rel, Err: syscall.EISDIR}
		}
		if err := root.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
			return err
		}
		if err := writeWhole(root, rel, &reader{r: req}, mode, true); err != nil {
			return err
		}
		st, err := root.Lstat(rel)
		if err != nil {
			return err
		}
		info = describeFile(join(base, rel), st, "")
		return nil
	})
	return info, err
}

// writeWhole writes a file beside its place and renames it there, so that it is
// seen whole or not at all.
func writeWhole(root *os.Root, rel string, r io.Reader, mode fs.FileMode, sync bool) (err error) {
	temp := filepath.Join(filepath.Dir(rel), ".praxis-"+rand.Text()+".tmp")
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			_ = root.Remove(temp)
		}
	}()
	if _, err := io.CopyBuffer(struct{ io.Writer }{f}, r, make([]byte, wire.Chunk)); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if sync {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	return root.Rename(temp, rel)
}

func describeFile(path string, st fs.FileInfo, target string) wire.FileInfo {
	i := wire.FileInfo{Path: path, Mode: uint32(st.Mode().Perm()), ModTime: st.ModTime().UnixNano(), Kind: wire.KindOther}
	switch {
	case st.Mode().IsRegular():
		i.Kind, i.Size = wire.KindFile, st.Size()
	case st.IsDir():
		i.Kind = wire.KindFolder
	case st.Mode()&fs.ModeSymlink != 0:
		i.Kind, i.Target = wire.KindSymlink, safetext.Clip(target, wire.MaxPath)
	}
	return i
}

func (s *server) stat(_ *request, args wire.Path) (info wire.FileInfo, err error) {
	err = s.inRoot(args.Path, func(root *os.Root, base, rel string) error {
		st, err := root.Lstat(rel)
		if err != nil {
			return err
		}
		target := ""
		if st.Mode()&fs.ModeSymlink != 0 {
			target, _ = root.Readlink(rel)
		}
		info = describeFile(join(base, rel), st, target)
		return nil
	})
	return info, err
}

func (s *server) list(req *request, args wire.List) (out wire.Listed, err error) {
	if len(args.Skip) > wire.MaxSkip {
		return out, failf("invalid", "", "cannot list: at most %d names can be passed over", wire.MaxSkip)
	}
	err = s.inRoot(args.Path, func(root *os.Root, base, rel string) error {
		w, err := newWalker("list "+join(base, rel), "List a folder further down, or remove files.", base, budget{wire.MaxListed, wire.MaxListedBytes})
		if err != nil {
			return err
		}
		w.deep, w.skip = args.Recursive, args.Skip
		w.leftOut = func(string, string) error {
			out.LeftOut++
			return req.gone()
		}
		var batch []wire.FileInfo
		size := 0
		w.visit = func(e found) error {
			if args.FilesOnly && !e.Mode().IsRegular() {
				return req.gone()
			}
			i := describeFile(e.path, e, e.target())
			if err := w.spend(len(i.Target)); err != nil {
				return err
			}
			batch, size = append(batch, i), size+len(i.Path)+len(i.Target)
			if len(batch) < listBatch && size < listBytes {
				return req.gone()
			}
			err := sendBatch(req, batch)
			batch, size = batch[:0], 0
			return err
		}
		if err := w.walk(root, rel); err != nil || len(batch) == 0 {
			return err
		}
		return sendBatch(req, batch)
	})
	return out, err
}

// sendBatch sends entries of a listing, in halves while they do not fit in a frame.
func sendBatch(req *request, batch []wire.FileInfo) error {
	body, err := marshal(wire.Files{Files: batch})
	if err != nil {
		return err
	}
	if len(body) > wire.MaxBody && len(batch) > 1 {
		if err := sendBatch(req, batch[:len(batch)/2]); err != nil {
			return err
		}
		return sendBatch(req, batch[len(batch)/2:])
	}
	return req.send(wire.Event, body)
}

func (s *server) remove(_ *request, args wire.Path) (none, error) {
	defer s.changes.writing()()
	return none{}, s.inRoot(args.Path, func(root *os.Root, base, rel string) error {
		if rel == "." {
			return failf("denied", "Remove what is in it.", "cannot remove %s: it belongs to the session", base)
		}
		if _, err := root.Lstat(rel); err != nil {
			return err
		}
		if args.Recursive {
			return root.RemoveAll(rel)
		}
		return root.Remove(rel)
	})
}

func (s *server) mkdir(_ *request, args wire.Path) (none, error) {
	return none{}, s.inRoot(args.Path, func(root *os.Root, _, rel string) error {
		return root.MkdirAll(rel, 0o755)
	})
}

// move renames within a root and copies files between roots, which may be
// different file systems.
func (s *server) move(_ *request, args wire.Move) (none, error) {
	cfg, err := s.config()
	if err != nil {
		return none{}, err
	}
	base, to, err := cfg.locate(args.To)
	if err != nil {
		return none{}, err
	}
	defer s.changes.writing()()
	return none{}, s.inRoot(args.From, func(root *os.Root, fromBase, from string) error {
		if from == "." || to == "." {
			return failf("denied", "Move what is in it.", "cannot move: a folder of the session's stays where it is")
		}
		if base == fromBase {
			if err := straight(root, to); err != nil {
				return err
			}
			if err := root.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			return root.Rename(from, to)
		}
		other, err := os.OpenRoot(base)
		if err != nil {
			return err
		}
		defer other.Close()
		if err := straight(other, to); err != nil {
			return err
		}
		return moveFile(root, from, other, to, join(fromBase, from))
	})
}

func moveFile(root *os.Root, from string, other *os.Root, to, name string) error {
	f, st, err := openFile(root, from)
	if errors.Is(err, syscall.EISDIR) {
		return failf("invalid", "Move the files, or archive and extract the folder.", "cannot move %s: a folder moves only within its root", name)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := other.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := writeWhole(other, to, f, st.Mode().Perm(), true); err != nil {
		return err
	}
	if err := root.Remove(from); err != nil {
		return fmt.Errorf("copied but not removed: %w", err)
	}
	return nil
}
