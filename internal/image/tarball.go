package image

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Bounds of what tarballs unpack to.
const (
	maxModules     = 4 << 30 // bytes of all of a layer
	maxModuleFiles = 500_000 // and folders
)

// space is what may still be unpacked.
type space struct {
	bytes int64
	files int
}

// untar unpacks a package of npm into a folder, which must not be there. Its first folder
// is left out, whatever it is called. Nothing but files is taken: links could lead
// anywhere, and npm makes none.
func untar(ctx context.Context, r io.Reader, dir string, left *space) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("it is no archive of npm's: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	made := map[string]bool{}
	// Headers count, too: an archive can be nothing but those.
	in := tar.NewReader(io.LimitReader(z, left.bytes+int64(left.files)*1024+1<<20))
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("its archive is damaged: %w", err)
		}
		if left.files--; left.files < 0 {
			return fmt.Errorf("it has more than %d files", maxModuleFiles)
		}
		name, ok := memberName(h)
		if !ok {
			continue
		}
		for up := filepath.Dir(name); up != "." && !made[up]; up = filepath.Dir(up) {
			made[up] = true
			left.files-- // folders take as much as files without contents
		}
		if left.files < 0 {
			return fmt.Errorf("it has more than %d files and folders", maxModuleFiles)
		}
		if h.Size < 0 || h.Size > left.bytes {
			return fmt.Errorf("it unpacks to more than %d bytes", int64(maxModules))
		}
		if err := left.write(root, name, h.Mode&0o111 != 0, in); err != nil {
			return err
		}
	}
}

// memberName is where a member of an archive belongs; not ok: nowhere.
func memberName(h *tar.Header) (string, bool) {
	if h.Typeflag != tar.TypeReg {
		return "", false
	}
	_, name, found := strings.Cut(strings.TrimPrefix(path.Clean("/"+h.Name), "/"), "/")
	name = filepath.FromSlash(name)
	if !found || name == "" || len(name) > maxNPMPath || !filepath.IsLocal(name) || strings.ContainsAny(name, "\x00\\") || strings.Contains(h.Name, "..") && !filepath.IsLocal(h.Name) {
		return "", false
	}
	return name, true
}

// write writes a file into a folder, within the space that is left.
func (s *space) write(root *os.Root, name string, program bool, in io.Reader) (err error) {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("its file %q has no place: %w", name, err)
	}
	mode := os.FileMode(0o644)
	if program {
		mode = 0o755
	}
	_ = root.Remove(name) // the later one of two counts
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("its file %q has no place: %w", name, err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	n, err := io.Copy(out, io.LimitReader(in, s.bytes+1))
	if s.bytes -= n; err != nil {
		return fmt.Errorf("its archive is damaged: %w", err)
	}
	if s.bytes < 0 {
		return errors.New("it unpacks to more than may be")
	}
	return nil
}
