package wasm

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tetratelabs/wazero/experimental/sys"
	wsys "github.com/tetratelabs/wazero/sys"
)

// Bounds of what one call may do with files.
const (
	maxOpen  = 256    // files open at once
	maxNames = 10_000 // files and folders made
)

// allowance is what one call may still do to the host's disk.
type allowance struct {
	bytes, names, open atomic.Int64
	full               atomic.Bool // something was refused
}

func newAllowance(disk size) *allowance {
	a := &allowance{}
	a.bytes.Store(int64(disk))
	a.names.Store(maxNames)
	a.open.Store(maxOpen)
	return a
}

func (a *allowance) take(from *atomic.Int64, n int64) bool {
	if n < 0 || from.Add(-n) < 0 {
		from.Add(n)
		a.full.Store(true)
		return false
	}
	return true
}

// tree is a granted folder as a module sees it. The operating system's root
// (os.Root) keeps every path inside, links and ".." included; the library's own
// folders would let them out. It is used by a pointer: the library compares trees
// to find out whether two paths are in the same.
type tree struct {
	sys.UnimplementedFS
	root  *os.Root
	write bool
	times bool // files have times
	left  *allowance
}

// local makes of a module's path one for os.Root.
func local(name string) (clean string, folder bool) {
	folder = strings.HasSuffix(name, "/")
	clean = path.Clean(strings.TrimPrefix(name, "/"))
	if name == "" || name == "/" {
		clean = "."
	}
	return clean, folder || clean == "."
}

// errno says in WASI's words what went wrong. A path that leads out of the root
// is the one error that the operating system does not know.
func errno(err error) sys.Errno {
	if err == nil || errors.Is(err, io.EOF) {
		return 0
	}
	var number syscall.Errno
	if errors.As(err, &number) {
		switch number {
		case syscall.EXDEV, syscall.EMFILE, syscall.ENFILE:
			return sys.EACCES
		case syscall.ENXIO, syscall.ENODEV:
			return sys.EACCES
		}
		return sys.UnwrapOSError(number)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return sys.ENOENT
	case errors.Is(err, fs.ErrExist):
		return sys.EEXIST
	case errors.Is(err, fs.ErrClosed):
		return sys.EBADF
	}
	return sys.EACCES
}

// seen returns what a module sees of a file.
func (t *tree) seen(info fs.FileInfo) wsys.Stat_t {
	st := wsys.NewStat_t(info)
	if !t.times {
		st.Atim, st.Mtim, st.Ctim = 0, 0, 0
	}
	return st
}

// OpenFile opens a regular file or a folder.
func (t *tree) OpenFile(name string, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	clean, wantFolder := local(name)
	wantFolder = wantFolder || flag&sys.O_DIRECTORY != 0
	writes := flag&(sys.O_RDWR|sys.O_WRONLY) != 0
	changes := flag&(sys.O_CREAT|sys.O_TRUNC|sys.O_APPEND) != 0
	info, err := t.root.Lstat(clean)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if flag&sys.O_NOFOLLOW != 0 {
			return nil, sys.ELOOP
		}
		info, err = t.root.Stat(clean)
	}
	switch {
	case err == nil && info.IsDir():
		if writes || changes {
			return nil, sys.EISDIR
		}
	case err == nil && (wantFolder || !info.Mode().IsRegular()):
		// Pipes would wait for ever and devices do who knows what.
		if wantFolder {
			return nil, sys.ENOTDIR
		}
		return nil, sys.EACCES
	case err != nil && (flag&sys.O_CREAT == 0 || wantFolder || !errors.Is(err, fs.ErrNotExist)):
		return nil, errno(err)
	}
	if (writes || changes) && !t.write {
		return nil, sys.EROFS
	}
	if err != nil && !t.left.take(&t.left.names, 1) {
		return nil, sys.EIO
	}
	return t.open(clean, osFlags(flag), flag, perm&0o600)
}

// osFlags translates; O_APPEND is left out because file does it itself.
func osFlags(flag sys.Oflag) int {
	out := os.O_RDONLY
	switch {
	case flag&sys.O_RDWR != 0:
		out = os.O_RDWR
	case flag&sys.O_WRONLY != 0:
		out = os.O_WRONLY
	case flag&(sys.O_CREAT|sys.O_TRUNC|sys.O_APPEND) != 0:
		out = os.O_RDWR
	}
	for _, f := range []struct {
		is sys.Oflag
		to int
	}{
		{sys.O_CREAT, os.O_CREATE}, {sys.O_EXCL, os.O_EXCL}, {sys.O_TRUNC, os.O_TRUNC},
		{sys.O_SYNC, os.O_SYNC}, {sys.O_DSYNC, os.O_SYNC}, {sys.O_RSYNC, os.O_SYNC},
	} {
		if flag&f.is != 0 {
			out |= f.to
		}
	}
	return out
}

func (t *tree) open(clean string, flags int, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	if !t.left.take(&t.left.open, 1) {
		return nil, sys.EIO
	}
	// Not to wait, should a pipe have come to be there meanwhile.
	f, err := t.root.OpenFile(clean, flags|syscall.O_NONBLOCK, perm)
	if err != nil {
		t.left.open.Add(1)
		return nil, errno(err)
	}
	info, err := f.Stat()
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = fs.ErrPermission
	}
	if err != nil {
		t.left.open.Add(1)
		_ = f.Close()
		return nil, errno(err)
	}
	return &file{
		tree: t, name: clean, f: f, folder: info.IsDir(), append: flag&sys.O_APPEND != 0,
		write: flags&(os.O_RDWR|os.O_WRONLY) != 0 && t.write,
	}, 0
}

// Lstat describes a file, of a symbolic link the link.
func (t *tree) Lstat(name string) (wsys.Stat_t, sys.Errno) {
	clean, folder := local(name)
	if folder {
		return t.Stat(name)
	}
	info, err := t.root.Lstat(clean)
	if err != nil {
		return wsys.Stat_t{}, errno(err)
	}
	return t.seen(info), 0
}

// Stat describes a file.
func (t *tree) Stat(name string) (wsys.Stat_t, sys.Errno) {
	clean, folder := local(name)
	info, err := t.root.Stat(clean)
	if err != nil {
		return wsys.Stat_t{}, errno(err)
	}
	if folder && !info.IsDir() {
		return wsys.Stat_t{}, sys.ENOTDIR
	}
	return t.seen(info), 0
}

// Readlink returns where a symbolic link leads; following it is another matter.
func (t *tree) Readlink(name string) (string, sys.Errno) {
	clean, _ := local(name)
	to, err := t.root.Readlink(clean)
	if err != nil {
		return "", errno(err)
	}
	if path.IsAbs(to) { // a path of the host
		return "", sys.EACCES
	}
	return to, 0
}

// Mkdir makes a folder.
func (t *tree) Mkdir(name string, perm fs.FileMode) sys.Errno {
	if !t.write {
		return sys.EROFS
	}
	if !t.left.take(&t.left.names, 1) {
		return sys.EIO
	}
	clean, _ := local(name)
	return errno(t.root.Mkdir(clean, perm&0o700))
}

// Rename moves a file within the folder.
func (t *tree) Rename(from, to string) sys.Errno {
	if !t.write {
		return sys.EROFS
	}
	from, _ = local(from)
	to, _ = local(to)
	if from == "." || to == "." {
		return sys.EINVAL
	}
	return errno(t.root.Rename(from, to))
}

// Rmdir removes an empty folder.
func (t *tree) Rmdir(name string) sys.Errno { return t.remove(name, true) }

// Unlink removes a file.
func (t *tree) Unlink(name string) sys.Errno { return t.remove(name, false) }

func (t *tree) remove(name string, folder bool) sys.Errno {
	if !t.write {
		return sys.EROFS
	}
	clean, slash := local(name)
	if clean == "." {
		return sys.EINVAL
	}
	info, err := t.root.Lstat(clean)
	switch {
	case err != nil:
		return errno(err)
	case folder && !info.IsDir():
		return sys.ENOTDIR
	case !folder && info.IsDir():
		return sys.EISDIR
	case !folder && slash:
		return sys.ENOTDIR
	}
	return errno(t.root.Remove(clean))
}

// Link is refused: a second name would outlive what the manifest says of the first.
func (t *tree) Link(_, _ string) sys.Errno { return sys.EPERM }

// Symlink is refused: it would be followed by others than the module.
func (t *tree) Symlink(_, _ string) sys.Errno { return sys.EPERM }

// Chmod is refused: nothing in WASI asks for it.
func (t *tree) Chmod(string, fs.FileMode) sys.Errno { return sys.EPERM }

// Utimens sets a file's times.
func (t *tree) Utimens(name string, atim, mtim int64) sys.Errno {
	if !t.write {
		return sys.EROFS
	}
	clean, _ := local(name)
	return errno(t.root.Chtimes(clean, instant(atim), instant(mtim)))
}

// instant makes a time of WASI's; a zero time leaves it as it is.
func instant(nanoseconds int64) time.Time {
	if nanoseconds == sys.UTIME_OMIT {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds)
}

// close gives back what the tree holds.
func (t *tree) close() { _ = t.root.Close() }
