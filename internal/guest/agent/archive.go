package agent

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// Bounds of archives. The session's disk bounds what an archive may unpack to;
// these bound the work.
const (
	maxArchived  = 200_000  // entries
	maxNames     = 64 << 20 // bytes of the names of all entries together
	maxExtracted = 16 << 30 // bytes of all files together
	maxPaths     = 1000     // of one request
)

// packer writes entries of an archive.
type packer interface {
	// add writes one entry; content is nil for all but files.
	add(name string, st fs.FileInfo, target string, content io.Reader) error
	Close() error
}

func (s *server) archive(req *request, args wire.Archive) (none, error) {
	if len(args.Paths) == 0 || len(args.Paths) > maxPaths {
		return none{}, failf("invalid", "", "cannot make archive: between 1 and %d paths are wanted", maxPaths)
	}
	var p packer
	switch args.Format {
	case wire.Tar:
		p = tarPacker{tar.NewWriter(req)}
	case wire.Zip:
		p = zipPacker{zip.NewWriter(req)}
	default:
		return none{}, failf("invalid", "Use tar or zip.", "cannot make archive: no format is called %q", safetext.Clip(args.Format, 32))
	}
	left := budget{maxArchived, maxNames}
	for _, one := range args.Paths {
		err := s.inRoot(one, func(root *os.Root, base, rel string) error {
			return pack(root, base, rel, p, &left)
		})
		if err != nil {
			return none{}, err
		}
	}
	if err := p.Close(); err != nil {
		return none{}, err
	}
	req.link.send(req.epoch, wire.End, req.id)
	return none{}, nil
}

// pack adds a file, or a folder with all that is in it. Names begin with the
// last part of the path, for a root too.
func pack(root *os.Root, base, rel string, p packer, left *budget) error {
	top := join(base, rel)
	w, err := newWalker("archive "+top, "Archive a folder further down.", base, budget{maxArchived, maxNames})
	if err != nil {
		return err
	}
	w.deep, w.left = true, *left
	defer func() { *left = w.left }()
	above := filepath.Dir(top)
	w.visit = func(e found) error {
		name, err := filepath.Rel(above, e.path)
		if err != nil {
			return err
		}
		return packOne(e, filepath.ToSlash(name), p)
	}
	// An archive that lacks something without a word would be worse than none.
	w.leftOut = func(path, why string) error {
		return failf("invalid", "Archive what lies beside it, or move it.", "cannot archive %s: %s", safetext.Clip(path, 200), why)
	}
	st, err := root.Lstat(rel)
	if err != nil {
		return err
	}
	if w.left.entries--; w.left.entries < 0 {
		return failf("exhausted", w.remedy, "cannot archive %s: more than %d entries", top, maxArchived)
	}
	if err := w.visit(found{FileInfo: st, path: top, in: root, last: rel, real: w.real}); err != nil || !st.IsDir() {
		return err
	}
	return w.walk(root, rel)
}

func packOne(e found, name string, p packer) error {
	switch {
	case e.IsDir():
		return p.add(name+"/", e, "", nil)
	case e.Mode()&fs.ModeSymlink != 0:
		target := e.target()
		if target == "" {
			return nil // it is gone
		}
		return p.add(name, e, target, nil)
	case e.Mode().IsRegular():
		f, st, err := openRegular(e.in, e.real, e.last)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return at(err, e.path)
		}
		defer f.Close()
		// Exactly as much as was announced, also when the file changes meanwhile.
		return p.add(name, st, "", io.LimitReader(io.MultiReader(f, zeros{}), st.Size()))
	}
	return nil // pipes, sockets and devices mean nothing elsewhere
}

// zeros stands for what was cut off a file while it was read.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type tarPacker struct{ *tar.Writer }

func (t tarPacker) add(name string, st fs.FileInfo, target string, content io.Reader) error {
	h, err := tar.FileInfoHeader(st, target)
	if err != nil {
		return err
	}
	h.Name, h.Uname, h.Gname = name, "", ""
	if err := t.WriteHeader(h); err != nil || content == nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{t.Writer}, content, make([]byte, wire.Chunk))
	return err
}

type zipPacker struct{ *zip.Writer }

func (z zipPacker) add(name string, st fs.FileInfo, target string, content io.Reader) error {
	h, err := zip.FileInfoHeader(st)
	if err != nil {
		return err
	}
	if h.Name = name; content != nil {
		h.Method = zip.Deflate
	}
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	if target != "" {
		content = strings.NewReader(target)
	}
	if content == nil {
		return nil
	}
	_, err = io.CopyBuffer(w, content, make([]byte, wire.Chunk))
	return err
}

func (s *server) extract(req *request, args wire.Extract) (none, error) {
	unpack := unpackTar
	switch args.Format {
	case wire.Tar:
	case wire.Zip:
		unpack = unpackZip
	default:
		return none{}, failf("invalid", "Use tar or zip.", "cannot extract: no format is called %q", safetext.Clip(args.Format, 32))
	}
	defer s.changes.writing()()
	return none{}, s.inRoot(args.Dir, func(root *os.Root, base, rel string) error {
		if err := straight(root, rel+"/"); err != nil {
			return err
		}
		if err := root.MkdirAll(rel, 0o755); err != nil {
			return err
		}
		dir, err := root.OpenRoot(rel) // entries cannot leave the folder, not even for its root
		if err != nil {
			return err
		}
		defer dir.Close()
		in := &reader{r: req}
		if err := unpack(&unpacker{dir: dir}, in); err != nil {
			return named(err, join(base, rel))
		}
		_, err = io.Copy(io.Discard, in) // what follows the archive's end
		return err
	})
}

// unpacker makes what an archive holds, below one folder.
type unpacker struct {
	dir     *os.Root
	entries int
	bytes   int64
}

// place checks the name of an entry and makes the folders above it.
func (u *unpacker) place(name string) (string, error) {
	clean := filepath.FromSlash(path.Clean(strings.TrimSuffix(name, "/")))
	if name == "" || len(name) > wire.MaxPath || strings.ContainsRune(name, 0) || !filepath.IsLocal(clean) || strings.HasPrefix(name, "/") {
		return "", failf("invalid", "Make the archive without absolute names and without '..'.", "cannot extract: the entry %q would lie outside of the folder", safetext.Clip(name, 200))
	}
	if u.entries++; u.entries > maxArchived {
		return "", failf("exhausted", "Split the archive.", "cannot extract: more than %d entries", maxArchived)
	}
	if err := straight(u.dir, clean); err != nil {
		return "", err
	}
	return clean, u.dir.MkdirAll(filepath.Dir(clean), 0o755)
}

func (u *unpacker) folder(name string) error {
	clean, err := u.place(name)
	if err != nil {
		return err
	}
	return u.dir.MkdirAll(clean, 0o755)
}

func (u *unpacker) file(name string, mode fs.FileMode, content io.Reader) error {
	clean, err := u.place(name)
	if err != nil {
		return err
	}
	bounded := &io.LimitedReader{R: content, N: maxExtracted - u.bytes + 1}
	before := bounded.N
	err = writeWhole(u.dir, clean, bounded, mode.Perm()|0o600, false)
	if u.bytes += before - bounded.N; err == nil && bounded.N == 0 {
		err = failf("exhausted", "Split the archive.", "cannot extract: more than %s", bytesText(maxExtracted))
	}
	return err
}

// symlink makes a symbolic link that points to something in the folder.
func (u *unpacker) symlink(name, target string) error {
	clean, err := u.place(name)
	if err != nil {
		return err
	}
	if target == "" || len(target) > wire.MaxPath || filepath.IsAbs(target) || !filepath.IsLocal(filepath.Join(filepath.Dir(clean), target)) {
		return failf("invalid", "Make the archive without links that leave it.", "cannot extract: the link %q points outside of the folder", safetext.Clip(name, 200))
	}
	_ = u.dir.Remove(clean) // an older file or link gives way, a folder that is not empty does not
	return u.dir.Symlink(target, clean)
}

func (u *unpacker) hardlink(name, target string) error {
	clean, err := u.place(name)
	if err != nil {
		return err
	}
	from := filepath.FromSlash(path.Clean(target))
	if !filepath.IsLocal(from) {
		return failf("invalid", "Make the archive without links that leave it.", "cannot extract: the link %q points outside of the folder", safetext.Clip(name, 200))
	}
	_ = u.dir.Remove(clean)
	return u.dir.Link(from, clean)
}

// unpackTar unpacks a tar archive, compressed with gzip or not.
func unpackTar(u *unpacker, in io.Reader) error {
	head := make([]byte, 2)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	in = io.MultiReader(strings.NewReader(string(head[:n])), in)
	if n == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return badArchive(err)
		}
		in = z
	}
	r := tar.NewReader(in)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return badArchive(err)
		}
		if path.Clean(h.Name) == "." {
			continue
		}
		switch h.Typeflag {
		case tar.TypeDir:
			err = u.folder(h.Name)
		case tar.TypeReg:
			err = u.file(h.Name, fs.FileMode(h.Mode), r)
		case tar.TypeSymlink:
			err = u.symlink(h.Name, h.Linkname)
		case tar.TypeLink:
			err = u.hardlink(h.Name, h.Linkname)
		case tar.TypeXGlobalHeader:
		default:
			err = failf("invalid", "Make the archive of files, folders and links only.", "cannot extract: the entry %q is neither file nor folder nor link", safetext.Clip(h.Name, 200))
		}
		if err != nil {
			return badArchive(err)
		}
	}
}

// badArchive makes errors of the readers the caller's.
func badArchive(err error) error {
	switch {
	case errors.Is(err, tar.ErrHeader), errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrAlgorithm),
		errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, io.ErrUnexpectedEOF):
		return failf("invalid", "", "cannot extract: the archive is damaged: %v", err)
	}
	return err
}

// unpackZip unpacks a zip archive. Its directory is at the end, so all of it
// is kept in a file without a name first.
func unpackZip(u *unpacker, in io.Reader) error {
	spool, err := u.dir.OpenFile(spoolName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer spool.Close()
	if err := u.dir.Remove(spoolName); err != nil {
		return err
	}
	size, err := io.CopyBuffer(struct{ io.Writer }{spool}, in, make([]byte, wire.Chunk))
	if err != nil {
		return err
	}
	z, err := zip.NewReader(spool, size)
	if err != nil {
		return badArchive(err)
	}
	for _, e := range z.File {
		if err := unpackZipped(u, e); err != nil {
			return badArchive(err)
		}
	}
	return nil
}

const spoolName = ".praxis-extract.tmp"

func unpackZipped(u *unpacker, e *zip.File) error {
	mode := e.Mode()
	switch {
	case path.Clean(e.Name) == ".":
		return nil
	case strings.HasSuffix(e.Name, "/") || mode.IsDir():
		return u.folder(e.Name)
	}
	r, err := e.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	switch {
	case mode&fs.ModeSymlink != 0:
		target, err := io.ReadAll(io.LimitReader(r, wire.MaxPath+1))
		if err != nil {
			return err
		}
		return u.symlink(e.Name, string(target))
	case mode.IsRegular():
		return u.file(e.Name, mode, r)
	}
	return failf("invalid", "Make the archive of files, folders and links only.", "cannot extract: the entry %q is neither file nor folder nor link", fmt.Sprint(safetext.Clip(e.Name, 200)))
}
