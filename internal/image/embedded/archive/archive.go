// Package archive packs files into a compressed tar and unpacks it: what the binary
// carries of an image. The same files make the same bytes.
package archive

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

const (
	maxFile = 128 << 20 // bytes of one file
	// window is how far back the compression looks for repetitions. The
	// interpreter's file repeats itself over more than 10 MB.
	window = 64 << 20
)

// Entry is one folder, file or link of an archive.
type Entry struct {
	Name string      // relative, with slashes
	Mode fs.FileMode // its type, and whether a file can be run
	Link string      // where a link points to
	Data []byte      // of a file
}

// Pack writes the entries to w, in their order.
func Pack(w io.Writer, entries []Entry) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, e := range entries {
		if err := pack(t, e); err != nil {
			return fmt.Errorf("cannot pack %s: %w", e.Name, err)
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func pack(t *tar.Writer, e Entry) error {
	h := &tar.Header{Format: tar.FormatPAX, Name: e.Name, Mode: int64(e.Mode.Perm() | 0o600), ModTime: time.Unix(0, 0)}
	switch e.Mode.Type() {
	case fs.ModeDir:
		h.Typeflag, h.Mode = tar.TypeDir, 0o755
	case fs.ModeSymlink:
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, e.Link, 0o777
	case 0:
		if len(e.Data) > maxFile {
			return fmt.Errorf("it has more than %d MiB", maxFile>>20)
		}
		h.Typeflag, h.Size = tar.TypeReg, int64(len(e.Data))
	default:
		return fmt.Errorf("a file of the kind %s is not supported", e.Mode.Type())
	}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err := t.Write(e.Data)
	return err
}

// Unpack writes an archive's files to a folder, which it makes. Nothing is written
// outside of it, also through a link: those are for the guest, whose root the folder is.
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
