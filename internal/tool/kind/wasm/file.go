package wasm

import (
	"io"
	"os"

	"github.com/tetratelabs/wazero/experimental/sys"
	wsys "github.com/tetratelabs/wazero/sys"
)

// file is an open file or folder of a tree.
type file struct {
	sys.UnimplementedFile
	tree   *tree
	name   string
	f      *os.File
	folder bool
	write  bool
	append bool
	closed bool
}

// Dev returns 0: the module need not distinguish the host's devices.
func (f *file) Dev() (uint64, sys.Errno) { return 0, 0 }

// Ino returns the file's number.
func (f *file) Ino() (wsys.Inode, sys.Errno) {
	st, e := f.Stat()
	return st.Ino, e
}

// IsDir reports whether it is a folder.
func (f *file) IsDir() (bool, sys.Errno) { return f.folder, 0 }

// IsAppend reports whether writes go to the end.
func (f *file) IsAppend() bool { return f.append }

// SetAppend makes writes go to the end, or not.
func (f *file) SetAppend(enable bool) sys.Errno {
	if f.folder {
		return sys.EISDIR
	}
	f.append = enable
	return 0
}

// Stat describes the file.
func (f *file) Stat() (wsys.Stat_t, sys.Errno) {
	info, err := f.f.Stat()
	if err != nil {
		return wsys.Stat_t{}, errno(err)
	}
	return f.tree.seen(info), 0
}

// Read reads on; 0 is the end.
func (f *file) Read(buf []byte) (int, sys.Errno) {
	if f.folder {
		return 0, sys.EISDIR
	}
	if len(buf) == 0 {
		return 0, 0
	}
	n, err := f.f.Read(buf)
	return n, errno(err)
}

// Pread reads from a place.
func (f *file) Pread(buf []byte, off int64) (int, sys.Errno) {
	if f.folder {
		return 0, sys.EISDIR
	}
	if off < 0 {
		return 0, sys.EINVAL
	}
	n, err := f.f.ReadAt(buf, off)
	return n, errno(err)
}

// place is int64. go vet takes methods that are named and called as those of io are
// for wrong ones of io; this says that Seek is none of them.
type place = int64

// Seek goes to a place; of folders, only to the beginning.
func (f *file) Seek(offset place, whence int) (place, sys.Errno) {
	if whence < io.SeekStart || whence > io.SeekEnd || (f.folder && (offset != 0 || whence != io.SeekStart)) {
		return 0, sys.EINVAL
	}
	at, err := f.f.Seek(offset, whence)
	return at, errno(err)
}

// Readdir returns the next n names of a folder.
func (f *file) Readdir(n int) ([]sys.Dirent, sys.Errno) {
	if !f.folder {
		return nil, sys.ENOTDIR
	}
	var out []sys.Dirent
	for n <= 0 || len(out) < n {
		// By parts: the module's n may be a number without any sense.
		part := 1024
		if n > 0 {
			part = min(part, n-len(out))
		}
		entries, err := f.f.Readdir(part)
		for _, e := range entries {
			out = append(out, sys.Dirent{Name: e.Name(), Type: e.Mode().Type(), Ino: wsys.NewStat_t(e).Ino})
		}
		if err == io.EOF || len(entries) == 0 {
			return out, 0
		}
		if err != nil {
			return out, errno(err)
		}
	}
	return out, 0
}

// Write writes on, or at the end.
func (f *file) Write(buf []byte) (int, sys.Errno) {
	if !f.write || f.folder {
		return 0, sys.EBADF
	}
	if f.append {
		if _, err := f.f.Seek(0, io.SeekEnd); err != nil {
			return 0, errno(err)
		}
	}
	at, err := f.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, errno(err)
	}
	if e := f.charge(at, int64(len(buf))); e != 0 {
		return 0, e
	}
	n, err := f.f.Write(buf)
	return n, errno(err)
}

// Pwrite writes to a place.
func (f *file) Pwrite(buf []byte, off int64) (int, sys.Errno) {
	if !f.write || f.folder {
		return 0, sys.EBADF
	}
	if off < 0 {
		return 0, sys.EINVAL
	}
	if e := f.charge(off, int64(len(buf))); e != 0 {
		return 0, e
	}
	n, err := f.f.WriteAt(buf, off)
	return n, errno(err)
}

// charge takes what writing n bytes at a place costs from the allowance: the bytes,
// and the hole that comes to be before them.
func (f *file) charge(at, n int64) sys.Errno {
	info, err := f.f.Stat()
	if err != nil {
		return errno(err)
	}
	if !f.tree.left.take(&f.tree.left.bytes, n+max(at-info.Size(), 0)) {
		return sys.EIO
	}
	return 0
}

// Truncate changes the file's length.
func (f *file) Truncate(length int64) sys.Errno {
	if !f.write || f.folder {
		return sys.EBADF
	}
	if length < 0 {
		return sys.EINVAL
	}
	if e := f.charge(length, 0); e != 0 {
		return e
	}
	return errno(f.f.Truncate(length))
}

// Sync does nothing for what was only read.
func (f *file) Sync() sys.Errno {
	if !f.write {
		return 0
	}
	return errno(f.f.Sync())
}

// Datasync is Sync.
func (f *file) Datasync() sys.Errno { return f.Sync() }

// Utimens sets the file's times.
func (f *file) Utimens(atim, mtim int64) sys.Errno {
	if !f.tree.write {
		return sys.EROFS
	}
	return f.tree.Utimens(f.name, atim, mtim)
}

// Close closes the file; twice does no harm.
func (f *file) Close() sys.Errno {
	if f.closed {
		return 0
	}
	f.closed = true
	f.tree.left.open.Add(1)
	return errno(f.f.Close())
}

// The interfaces that the library requires.
var (
	_ sys.File = (*file)(nil)
	_ sys.FS   = (*tree)(nil)
)
