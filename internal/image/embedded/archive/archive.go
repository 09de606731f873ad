// Package archive packs what a sandbox needs of a distribution that comes as a
// Go module, and unpacks it: a compressed tar without what no guest uses.
//
// The module keeps a folder of files, some of them compressed one by one, and
// beside them files.json, the list of what belongs to the distribution. The
// same list and the same files make the same bytes.
package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"praxis/internal/bounded"
)

const (
	listName = "files.json"
	maxFile  = 128 << 20 // bytes of one file
	// window is how far back the compression looks for repetitions. The
	// interpreter's file repeats itself over more than 10 MB.
	window = 64 << 20
)

// Drop says what is left out: patterns of [path.Match], relative to the
// distribution. What matches goes with everything below it.
type Drop []string

// Match says whether the file or folder called name is left out.
func (d Drop) Match(name string) bool {
	for at := name; at != "." && at != "/"; at = path.Dir(at) {
		for _, pattern := range d {
			if ok, err := path.Match(pattern, at); ok || err != nil {
				return true // a pattern that is wrong leaves out everything, which no test overlooks
			}
		}
	}
	return false
}

// Prune removes from a folder what d leaves out.
func Prune(dir string, d Drop) error {
	return filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil || !d.Match(filepath.ToSlash(name)) {
			return err
		}
		if err := os.RemoveAll(file); err != nil {
			return err
		}
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// listed is one entry of files.json.
type listed struct {
	Name       string      `json:"name"`
	Mode       fs.FileMode `json:"perm"`
	Symlink    string      `json:"symlink"`
	Compressed bool        `json:"compressed"`
}

// Pack writes the distribution in a module's folder to w, without what d leaves
// out.
func Pack(w io.Writer, module fs.FS, d Drop) error {
	text, err := fs.ReadFile(module, listName)
	if err != nil {
		return fmt.Errorf("cannot read the list of files: %w", err)
	}
	var list struct{ Files []listed }
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("cannot read the list of files: %w", err)
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, e := range list.Files {
		if d.Match(e.Name) {
			continue
		}
		if err := pack(t, module, e); err != nil {
			return fmt.Errorf("cannot pack %s: %w", e.Name, err)
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func pack(t *tar.Writer, module fs.FS, e listed) error {
	h := &tar.Header{Format: tar.FormatPAX, Name: e.Name, Mode: int64(e.Mode.Perm() | 0o600), ModTime: time.Unix(0, 0)}
	switch {
	case e.Mode.IsDir():
		h.Typeflag, h.Mode = tar.TypeDir, 0o755
	case e.Mode.Type() == fs.ModeSymlink:
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, e.Symlink, 0o777
	case e.Mode.IsRegular():
		data, err := read(module, e)
		if err != nil {
			return err
		}
		h.Typeflag, h.Size = tar.TypeReg, int64(len(data))
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err = t.Write(data)
		return err
	default:
		return fmt.Errorf("a file of the kind %s is not supported", e.Mode.Type())
	}
	return t.WriteHeader(h)
}

// read returns a file's content.
func read(module fs.FS, e listed) ([]byte, error) {
	if !e.Compressed {
		return fs.ReadFile(module, e.Name)
	}
	data, err := fs.ReadFile(module, e.Name+".gz")
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return bounded.Read(z, maxFile)
}

// Unpack writes an archive's files to a folder, which it makes. Nothing is
// written outside of it.
func Unpack(r io.Reader, dir string) (err error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	t := tar.NewReader(z)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := unpack(root, t, h); err != nil {
			return fmt.Errorf("cannot unpack %s: %w", h.Name, err)
		}
	}
}

func unpack(root *os.Root, r io.Reader, h *tar.Header) (err error) {
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(strings.TrimSuffix(h.Name, "/"), 0o755)
	case tar.TypeSymlink:
		if h.Linkname != path.Base(h.Linkname) {
			return errors.New("a link to another folder is not supported")
		}
		return root.Symlink(h.Linkname, h.Name)
	case tar.TypeReg:
		f, err := root.OpenFile(h.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(h.Mode).Perm())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		if h.Size > maxFile {
			return fmt.Errorf("it has more than %d MiB", maxFile>>20)
		}
		_, err = io.Copy(f, r)
		return err
	}
	return fmt.Errorf("an entry of the type %q is not supported", h.Typeflag)
}
