package agent

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"strings"
	"syscall"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// Bounds of a look at a folder.
const (
	maxSeenBytes = 4 << 20             // bytes of the paths of its files
	maxPassed    = 4 * wire.MaxChanges // entries of any kind
	maxWatches   = 1000                // files and folders that are watched: each makes a snapshot some 25 µs slower
	direntSize   = 32 << 10            // of the buffer that names are read into
	hashSize     = 256 << 10           // of the buffer that contents are read into
)

// listing is what a look at a folder found: its regular files by their paths
// below it. Symbolic links are not followed, the interpreter's caches are left out.
type listing struct {
	dir     string
	files   map[string]seen // nil: not known
	folders map[string]seen // the folders that they lie in, "" is the first
	why     string          // why not
	unnamed int             // files whose names cannot be shown
	unread  []string        // folders that could not be read
	linked  bool            // a file has several names
}

// hidden reports whether rel lies in a folder that could not be read.
func (l *listing) hidden(rel string) bool {
	for _, d := range l.unread {
		if strings.HasPrefix(rel, d+"/") {
			return true
		}
	}
	return false
}

// unchanged reports whether a folder is what it was at the last look: then
// neither a folder in it nor a file has other times. It is for the execution
// that changes nothing, which is most of them: it makes one system call a file
// and none besides, and none at all where a watch is set up, which it does if
// it is asked to watch. It asks as root, but of names that the user had, and
// only for what lstat tells.
func (c *changes) unchanged(dir folder, arm bool) bool {
	others := c.others.Load() // before looking: what comes later was not seen
	l := &c.last
	if l.files == nil || l.dir != dir.path {
		return false
	}
	if c.quiet(dir) {
		c.looked.Store(others + 1)
		return true
	}
	var a *fileWatch
	if arm && !c.linked {
		a = newFileWatch(l) // before looking: what comes later rings
	}
	if !c.asListed() {
		if a != nil {
			a.close()
		}
		return false
	}
	if c.linked && a != nil {
		a.close()
	} else {
		c.watch.Store(a)
	}
	c.looked.Store(others + 1)
	return true
}

// asListed compares what the last look listed with what is there. It takes note
// of files with several names.
func (c *changes) asListed() bool {
	for _, all := range []map[string]seen{c.last.folders, c.last.files} {
		for rel, was := range all {
			var st syscall.Stat_t
			if lstatAt(atWorkingFolder, join(c.last.dir, rel), &st) != nil || st.Mode&syscall.S_IFMT != was.kind || !seenAs(&st).same(was) {
				return false
			}
			if was.kind == syscall.S_IFREG && st.Nlink > 1 {
				c.linked = true
			}
		}
	}
	return true
}

// look lists a folder. The caller holds mu.
func (c *changes) look(dir folder) listing {
	c.stopWatching() // it is for another listing
	others := c.others.Load()
	w := looker{buf: make([]byte, direntSize), listing: listing{
		dir: dir.path, files: make(map[string]seen, len(c.last.files)), folders: make(map[string]seen, len(c.last.folders)),
	}}
	err := dir.open(func(fd int, st *syscall.Stat_t) error {
		w.folders[""] = seenAs(st)
		return w.folder(fd, "", 0)
	})
	if err != nil {
		w.files, w.folders, w.why = nil, nil, "the working folder could not be looked at: "+err.Error()
		if e := (*failure)(nil); errors.As(err, &e) {
			w.why = e.message
		}
		w.why = safetext.Clip(w.why, wire.MaxUnlisted/2)
	}
	c.looked.Store(others + 1)
	c.linked = c.linked || w.linked
	return w.listing
}

// open runs f as the session's user with the folder open. Everything in it is
// reached from there one name at a time, so that no link leads elsewhere.
func (d folder) open(f func(fd int, st *syscall.Stat_t) error) error {
	return asUser(d.privileged, func() error {
		fd, st, err := openPlain(atWorkingFolder, d.path)
		if err == nil && st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
			closeAll(fd)
			err = syscall.ENOTDIR
		}
		if err != nil {
			return err
		}
		defer closeAll(fd)
		return f(fd, &st)
	})
}

// atWorkingFolder stands for the folder that relative paths begin in.
const atWorkingFolder = -100

// openPlain opens what name is in the folder dir, to read, and says what it is.
// It waits for no pipe and follows no link: O_DIRECTORY is left out, because
// gVisor follows links for it.
func openPlain(dir int, name string) (int, syscall.Stat_t, error) {
	var st syscall.Stat_t
	for {
		fd, err := syscall.Openat(dir, name, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_CLOEXEC|syscall.O_NOCTTY, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return -1, st, err
		}
		if err := syscall.Fstat(fd, &st); err != nil {
			closeAll(fd)
			return -1, st, err
		}
		return fd, st, nil
	}
}

// looker is a look that is going on.
type looker struct {
	listing
	buf    []byte
	passed int // entries
	bytes  int // of paths
}

// names reads the names in an open folder.
func (w *looker) names(fd int) ([]string, error) {
	var names []string
	for {
		n, err := syscall.ReadDirent(fd, w.buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return names, err
		}
		before := len(names)
		_, _, names = syscall.ParseDirent(w.buf[:n], -1, names)
		if w.passed += len(names) - before; w.passed > maxPassed {
			return nil, failf("exhausted", "", "the working folder holds more than %d entries", maxPassed)
		}
	}
}

// folder looks at an open folder whose path below the first one is prefix.
func (w *looker) folder(fd int, prefix string, depth int) error {
	names, err := w.names(fd)
	if err != nil {
		return err
	}
	for _, name := range names {
		var st syscall.Stat_t
		if err := lstatAt(fd, name, &st); err == syscall.ENOENT {
			continue
		} else if err != nil {
			return err
		}
		switch rel := prefix + name; st.Mode & syscall.S_IFMT {
		case syscall.S_IFREG:
			if strings.HasSuffix(name, ".pyc") {
				continue
			}
			if err := w.file(rel, &st); err != nil {
				return err
			}
		case syscall.S_IFDIR:
			if name == "__pycache__" {
				continue
			}
			w.folders[rel] = seenAs(&st)
			if w.bytes += len(w.dir) + 1 + len(rel); w.bytes > maxSeenBytes {
				return tooLong()
			}
			if err := w.below(fd, name, rel, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *looker) file(rel string, st *syscall.Stat_t) error {
	size := len(w.dir) + 1 + len(rel)
	if !wire.Showable(rel) || size > wire.MaxPath {
		w.unnamed++
		return nil
	}
	if w.bytes += size; w.bytes > maxSeenBytes {
		return tooLong()
	}
	w.files[rel] = seenAs(st)
	w.linked = w.linked || st.Nlink > 1
	if len(w.files) > wire.MaxChanges {
		return failf("exhausted", "", "the working folder holds more than %d files", wire.MaxChanges)
	}
	return nil
}

func tooLong() error {
	return failf("exhausted", "", "the paths in the working folder have more than %s", bytesText(maxSeenBytes))
}

func seenAs(st *syscall.Stat_t) seen {
	return seen{kind: st.Mode & syscall.S_IFMT, size: st.Size, modified: st.Mtim, changed: st.Ctim, inode: st.Ino}
}

// below looks at a folder that was found in another.
func (w *looker) below(fd int, name, rel string, depth int) error {
	if depth > maxDepth {
		w.unread = append(w.unread, rel)
		return nil
	}
	in, st, err := openPlain(fd, name)
	switch err {
	case nil:
	case syscall.ENOENT, syscall.ELOOP, syscall.ENXIO:
		return nil // something else took its place
	case syscall.EACCES, syscall.EPERM:
		w.unread = append(w.unread, rel)
		return nil
	default:
		return fmt.Errorf("cannot open %q: %w", safetext.Clip(rel, 200), err)
	}
	defer closeAll(in)
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		return nil
	}
	return w.folder(in, rel+"/", depth)
}

// hasher hashes files while its bounds allow.
type hasher struct {
	left  int64 // bytes
	opens int   // names that may still be opened
	buf   []byte
	sha   hash.Hash

	unread, large, deep int // files that it did not hash
}

// hash returns f with the hash of its content and with its size and times when
// that was read. Without, it says why in one of the counts.
func (h *hasher) hash(dir int, rel string, f seen) seen {
	f.summed = false
	if f.size > h.left {
		h.large++
		return f
	}
	// A file costs as many system calls as its path has names.
	if names := strings.Count(rel, "/") + 1; names > h.opens {
		h.deep++
		return f
	} else {
		h.opens -= names
	}
	fd, st, err := openBelow(dir, rel)
	if err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		closeAll(fd)
		h.unread++
		return f
	}
	defer closeAll(fd)
	if h.buf == nil {
		h.buf, h.sha = make([]byte, min(hashSize, max(st.Size, 1))), sha256.New()
	}
	h.sha.Reset()
	now := seenAs(&st)
	if now.size > h.left {
		h.large++
		return now
	}
	got, err := h.read(fd, now.size)
	h.left -= got
	if err != nil || got != now.size { // it is being written to: the next look sees it
		h.unread++
		return now
	}
	h.sha.Sum(now.sum[:0])
	now.summed = true
	return now
}

// read hashes at most size bytes of an open file.
func (h *hasher) read(fd int, size int64) (got int64, err error) {
	if int64(len(h.buf)) < min(size, hashSize) {
		h.buf = make([]byte, hashSize)
	}
	for got < size {
		n, err := syscall.Read(fd, h.buf[:min(int64(len(h.buf)), size-got)])
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return got, err
		case n <= 0:
			return got, nil
		}
		h.sha.Write(h.buf[:n])
		got += int64(n)
	}
	return got, nil
}

// openBelow opens a file by its path below the open folder dir, one name after the other.
func openBelow(dir int, rel string) (fd int, st syscall.Stat_t, err error) {
	at := dir
	for {
		name, rest, deeper := strings.Cut(rel, "/")
		fd, st, err = openPlain(at, name)
		if at != dir {
			closeAll(at)
		}
		if err != nil || !deeper {
			return fd, st, err
		}
		at, rel = fd, rest
	}
}
