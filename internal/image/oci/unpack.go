package oci

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
)

// The names by which layers say what is gone.
const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
	aufs     = ".wh..wh." // begins what one file system kept for itself
)

// Unpacker unpacks the layers of an image into a folder, the lowest first.
type Unpacker struct {
	root   *os.Root
	bounds Bounds

	bytes   int64 // so far, of all layers
	entries int
	names   int64
	left    int // devices and the like
	looked  int // folders that were looked up, each with those above it, and what whiteouts looked at

	sums  map[string]string // SHA-256 of the regular files that were written, by path
	here  map[string]bool   // what the layer that is unpacked brought, and the folders above it
	found map[string]string // folders by the names that layers have for them
	at    *os.Root          // the folder of the last entry
	atDir string
	sum   hash.Hash
	block []byte
}

// NewUnpacker returns an unpacker into an empty folder that nobody else writes to.
func NewUnpacker(dir string, b Bounds) (*Unpacker, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot unpack the image: %w", err)
	}
	if b == (Bounds{}) {
		b = DefaultBounds()
	}
	return &Unpacker{root: root, bounds: b, sums: map[string]string{}, found: map[string]string{}, sum: sha256.New(), block: make([]byte, 256<<10)}, nil
}

// Close gives up the folder.
func (u *Unpacker) Close() error {
	u.leave()
	return u.root.Close()
}

// Sums returns the SHA-256 of files that were written, by their path. Paths that were
// removed since may be among them.
func (u *Unpacker) Sums() map[string]string { return u.sums }

// Bytes returns how large all files together are that layers brought.
func (u *Unpacker) Bytes() int64 { return u.bytes }

// LeftOut returns how many devices, pipes and sockets were left out.
func (u *Unpacker) LeftOut() int { return u.left }

// Layer unpacks a layer: an archive that is not compressed any more, of which compressed
// bytes were stored. It reads r to its end.
func (u *Unpacker) Layer(ctx context.Context, r io.Reader, compressed int64) error {
	u.here = map[string]bool{}
	clear(u.found)
	defer u.leave()
	most := max(u.bounds.Free, compressed*u.bounds.Ratio)
	counted := &meter{r: r, wanted: ctx.Err, left: min(most, u.bounds.Bytes) + int64(u.bounds.Entries)*1024}
	t := tar.NewReader(counted)
	before := u.bytes
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return explain("a layer cannot be read", err)
		}
		if err := u.count(h); err != nil {
			return err
		}
		if u.bytes-before > most {
			return tooLarge("a layer of %s unpacks to more than %s", safetext.Size(compressed), safetext.Size(most))
		}
		if err := u.entry(h, t); err != nil {
			return explain(safetext.Line(safetext.Clip(h.Name, 200))+" cannot be unpacked", err)
		}
	}
	// The digest of a layer is that of all of it, also of what stands behind its end.
	if _, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{counted}, u.block); err != nil {
		return explain("a layer cannot be read", err)
	}
	return nil
}

// explain makes a fault of what an archive or its names are. Faults go through, and what
// the disk refused stays what it is.
func explain(what string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	for _, ours := range []error{
		syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.ENOMEM,
		context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, ours) {
			return fmt.Errorf("cannot unpack the image: %s: %w", what, err)
		}
	}
	return damaged("%s: %w", what, err)
}

// count keeps the bounds.
func (u *Unpacker) count(h *tar.Header) error {
	u.entries++
	u.names += int64(len(h.Name) + len(h.Linkname))
	if h.Size > 0 && isFile(h.Typeflag) {
		if h.Size > u.bounds.Bytes-u.bytes {
			return tooLarge("it unpacks to more than %s", safetext.Size(u.bounds.Bytes))
		}
		u.bytes += h.Size
	}
	if u.entries > u.bounds.Entries || u.names > u.bounds.Names {
		return tooLarge("it has more than %d entries, or their names have more than %s", u.bounds.Entries, safetext.Size(u.bounds.Names))
	}
	return nil
}

func isFile(kind byte) bool {
	return kind == tar.TypeReg || kind == tar.TypeCont || kind == tar.TypeGNUSparse
}

// entry unpacks one entry.
func (u *Unpacker) entry(h *tar.Header, content io.Reader) error {
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	name, err := cleanName(h.Name)
	if err != nil || name == "." {
		return err
	}
	parent, base := path.Split(name)
	if strings.HasPrefix(base, whiteout) {
		return u.whiteout(parent, base)
	}
	dir, err := u.folder(parent, true)
	if err != nil {
		return err
	}
	at, err := u.enter(dir)
	if err != nil {
		return err
	}
	name = path.Join(dir, base)
	u.mark(name)
	switch {
	case isFile(h.Typeflag):
		return u.file(at, name, h, content)
	case h.Typeflag == tar.TypeDir:
		return u.makeFolder(at, base, folderMode(h))
	case h.Typeflag == tar.TypeSymlink:
		if h.Linkname == "" || len(h.Linkname) >= maxPath {
			return damaged("it is a symbolic link to nothing")
		}
		return u.place(at, base, func() error { return at.Symlink(h.Linkname, base) })
	case h.Typeflag == tar.TypeLink:
		return u.link(at, name, h.Linkname)
	case h.Typeflag == tar.TypeChar, h.Typeflag == tar.TypeBlock, h.Typeflag == tar.TypeFifo:
		u.left++
		clear(u.found)
		return at.RemoveAll(base) // what an earlier layer had there is gone all the same
	}
	return damaged("it is of a kind that is not known, %q", h.Typeflag)
}

// cleanName returns the path of an entry relative to the root of the image.
func cleanName(name string) (string, error) {
	if len(name) >= maxPath || strings.IndexByte(name, 0) >= 0 {
		return "", damaged("the name of an entry is not one of a file")
	}
	clean := path.Clean(strings.TrimLeft(name, "/"))
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", damaged("an entry is called %s, which is outside of the image", safetext.Line(safetext.Clip(name, 200)))
	}
	return clean, nil
}

// mark remembers that the layer brought a path.
func (u *Unpacker) mark(name string) {
	for ; name != "." && !u.here[name]; name = path.Dir(name) {
		u.here[name] = true
	}
}

// enter returns the folder dir, a path without symbolic links.
func (u *Unpacker) enter(dir string) (*os.Root, error) {
	if u.at != nil && u.atDir == dir {
		return u.at, nil
	}
	u.leave()
	at, err := u.root.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	u.at, u.atDir = at, dir
	return at, nil
}

func (u *Unpacker) leave() {
	if u.at != nil {
		_ = u.at.Close() // nothing is written through it
		u.at = nil
	}
}

// place makes something that is to be the only one of its name.
func (u *Unpacker) place(at *os.Root, base string, create func() error) error {
	err := create()
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	clear(u.found) // it may have been a folder, or a link to one
	if err := at.RemoveAll(base); err != nil {
		return err
	}
	return create()
}

// makeFolder makes a folder, or gives the one that is there its mode.
func (u *Unpacker) makeFolder(at *os.Root, base string, mode fs.FileMode) error {
	err := at.Mkdir(base, 0o755)
	if errors.Is(err, fs.ErrExist) {
		st, statErr := at.Lstat(base)
		switch {
		case statErr != nil:
			return statErr
		case !st.IsDir():
			clear(u.found)
			if err = at.Remove(base); err == nil {
				err = at.Mkdir(base, 0o755)
			}
		default:
			err = nil
		}
	}
	if err != nil {
		return err
	}
	return at.Chmod(base, mode)
}

// Modes: see the package comment.
func folderMode(h *tar.Header) fs.FileMode {
	mode := fs.FileMode(0o755)
	if h.Uid != 0 || h.Mode&0o002 != 0 {
		mode |= 0o022
	}
	if h.Mode&0o1000 != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

func fileMode(h *tar.Header) fs.FileMode {
	mode := fs.FileMode(0o644)
	if h.Mode&0o111 != 0 {
		mode = 0o755
	}
	if h.Uid != 0 || h.Mode&0o002 != 0 {
		mode |= 0o022
	}
	return mode
}

// file writes a regular file.
func (u *Unpacker) file(at *os.Root, name string, h *tar.Header, content io.Reader) error {
	base := path.Base(name)
	var f *os.File
	err := u.place(at, base, func() (err error) {
		f, err = at.OpenFile(base, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	if err != nil {
		return err
	}
	err = u.write(f, content, h.Size)
	// The umask of whoever unpacks must not show in the image.
	if err = errors.Join(err, f.Chmod(fileMode(h)), f.Close()); err != nil {
		return err
	}
	u.sums[name] = hex.EncodeToString(u.sum.Sum(nil))
	if t := h.ModTime; t.Unix() >= 0 && t.Year() < 2200 {
		return at.Chtimes(base, t, t)
	}
	return at.Chtimes(base, time.Unix(0, 0), time.Unix(0, 0))
}

// page is the unit of holes.
const page = 4096

// write copies size bytes, leaves out what is empty, and sums them up.
func (u *Unpacker) write(f *os.File, content io.Reader, size int64) error {
	u.sum.Reset()
	hole := false
	for left := size; left > 0; {
		n, err := io.ReadFull(content, u.block[:min(left, int64(len(u.block)))])
		if err != nil {
			return err
		}
		left -= int64(n)
		_, _ = u.sum.Write(u.block[:n])
		if hole = n >= page && empty(u.block[:n]); hole {
			_, err = f.Seek(int64(n), io.SeekCurrent)
		} else {
			_, err = f.Write(u.block[:n])
		}
		if err != nil {
			return err
		}
	}
	if hole {
		return f.Truncate(size)
	}
	return nil
}

// empty says whether there is nothing but zeros: each byte is the one before it, and the
// first is one. The comparison of slices is much faster than a loop.
func empty(b []byte) bool { return b[0] == 0 && bytes.Equal(b[1:], b[:len(b)-1]) }

// link makes a hard link to a file of the image. The target is looked up like any path,
// but a symbolic link at its end is not followed.
func (u *Unpacker) link(at *os.Root, name, target string) error {
	clean, err := cleanName(target)
	if err != nil {
		return err
	}
	dir, err := u.folder(path.Dir(clean), false)
	if err != nil {
		return err
	}
	clean = path.Join(dir, path.Base(clean))
	st, err := u.root.Lstat(clean)
	if errors.Is(err, fs.ErrNotExist) {
		return damaged("it is a link to %s, which is not there", safetext.Line(safetext.Clip(target, 200)))
	}
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() && st.Mode().Type() != fs.ModeSymlink {
		return damaged("it is a link to %s, which is no file", safetext.Line(safetext.Clip(target, 200)))
	}
	if clean == name {
		return nil
	}
	if err := u.place(at, path.Base(name), func() error { return u.root.Link(clean, name) }); err != nil {
		return err
	}
	if sum, ok := u.sums[clean]; ok && st.Mode().IsRegular() {
		u.sums[name] = sum
	}
	return nil
}

// maxHops bounds the symbolic links on one path, maxDepth how deep a folder lies, and
// maxLooked the work of looking folders up: deep paths through links could take days.
const (
	maxHops   = 64
	maxDepth  = 256
	maxLooked = 1 << 27
)

// folder finds a folder as a program in the image would, and makes what is missing of it
// where create is set. It returns its path without symbolic links.
func (u *Unpacker) folder(name string, create bool) (string, error) {
	if dir, ok := u.found[name]; ok {
		return dir, nil
	}
	dir, hops := ".", 0
	for todo := strings.Split(name, "/"); len(todo) > 0; {
		c := todo[0]
		todo = todo[1:]
		switch c {
		case "", ".":
			continue
		case "..":
			dir = path.Dir(dir)
			continue
		}
		next := path.Join(dir, c)
		depth := 1 + strings.Count(next, "/")
		if u.looked += depth; depth > maxDepth || u.looked > maxLooked {
			return "", tooLarge("its folders lie too deep")
		}
		st, err := u.root.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist) && create:
			if err := errors.Join(u.root.Mkdir(next, 0o755), u.root.Chmod(next, 0o755)); err != nil {
				return "", err
			}
			u.mark(next)
			dir = next
		case err != nil:
			return "", err
		case st.IsDir():
			dir = next
		case st.Mode().Type() == fs.ModeSymlink:
			target, err := u.root.Readlink(next)
			if err != nil {
				return "", err
			}
			if hops++; hops > maxHops {
				return "", damaged("%s leads through more than %d symbolic links", safetext.Line(safetext.Clip(name, 200)), maxHops)
			}
			if strings.HasPrefix(target, "/") {
				dir = "."
			}
			todo = append(strings.Split(target, "/"), todo...)
		default:
			return "", damaged("%s lies below a file", safetext.Line(safetext.Clip(name, 200)))
		}
	}
	u.found[name] = dir
	return dir, nil
}

// whiteout removes what earlier layers had.
func (u *Unpacker) whiteout(parent, base string) error {
	dir, err := u.folder(parent, true)
	if err != nil {
		return err
	}
	u.mark(dir)
	clear(u.found)
	u.leave()
	switch name := strings.TrimPrefix(base, whiteout); {
	case base == opaque:
		return u.removeEarlier(dir)
	case strings.HasPrefix(base, aufs):
		return nil
	case name == "" || name == "." || name == "..":
		return damaged("a whiteout names no file")
	default:
		return u.remove(path.Join(dir, name))
	}
}

// remove removes what earlier layers had at a path.
func (u *Unpacker) remove(name string) error {
	if !u.here[name] {
		return u.root.RemoveAll(name)
	}
	st, err := u.root.Lstat(name)
	if err != nil || !st.IsDir() {
		return nil // it is this layer's
	}
	return u.removeEarlier(name)
}

// removeEarlier removes what earlier layers had in a folder.
func (u *Unpacker) removeEarlier(dir string) error {
	f, err := u.root.Open(dir)
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(-1)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	// Each whiteout lists the folder anew: many of them in a large one could take days.
	if u.looked += len(entries); u.looked > maxLooked {
		return tooLarge("its whiteouts name too much")
	}
	for _, e := range entries {
		if err := u.remove(path.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// meter reads until left bytes were read, or nobody wants them any more.
type meter struct {
	r      io.Reader
	wanted func() error
	left   int64
}

// Read reads what may be read.
func (m *meter) Read(p []byte) (int, error) {
	if err := m.wanted(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	if m.left -= int64(n); m.left < 0 {
		return 0, tooLarge("a layer unpacks to too much")
	}
	return n, err
}
