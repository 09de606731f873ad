package oci

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/types"

	"praxis/fault"
	"praxis/internal/safetext"
)

// archive is a file in the form of tar, with where its entries lie.
type archive struct {
	file    *os.File // not compressed
	entries map[string]section
	links   map[string]string
	layers  map[section]Descriptor // those that were read: an image may list one many times
	rootFS  bool                   // it has what images do not hold
}

type section struct{ at, size int64 }

// openArchive lists an archive. One that is compressed is written into tmp first.
func openArchive(ctx context.Context, name, tmp string) (*archive, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fault.New(fault.Denied, "Name a file that you may read.", "cannot import an image: %w", err)
	}
	a := &archive{file: f, entries: map[string]section{}, links: map[string]string{}, layers: map[section]Descriptor{}}
	if err := a.unpack(ctx, tmp); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if err := a.list(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Close closes the file.
func (a *archive) Close() error { return a.file.Close() }

// unpack replaces the file by what it holds compressed.
func (a *archive) unpack(ctx context.Context, tmp string) error {
	begins := make([]byte, 4)
	n, err := io.ReadFull(a.file, begins)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	if _, err := a.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	begins = begins[:n]
	if !strings.HasPrefix(string(begins), gzipMagic) && !strings.HasPrefix(string(begins), zstdMagic) && !strings.HasPrefix(string(begins), bzip2Magic) {
		return nil
	}
	st, err := a.file.Stat()
	if err != nil {
		return err
	}
	r, err := Decompress(a.file)
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := os.CreateTemp(tmp, "archive.")
	if err != nil {
		return err
	}
	// It has no name from here on: nothing is left of it when the program ends.
	if err := os.Remove(f.Name()); err != nil {
		return errors.Join(err, f.Close())
	}
	b := DefaultBounds()
	_, err = io.Copy(f, &meter{r: r, wanted: ctx.Err, left: min(b.Bytes, max(b.Free, st.Size()*b.Ratio))})
	if err != nil {
		return errors.Join(explain("it cannot be decompressed", err), f.Close())
	}
	err = errors.Join(r.Close(), a.file.Close())
	a.file = f
	return err
}

// list finds the entries of the archive, and stops when it cannot be one of an image.
func (a *archive) list(ctx context.Context) error {
	if _, err := a.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	t := tar.NewReader(a.file)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if len(a.entries)+len(a.links) == 0 {
				return fault.New(fault.Invalid, "Name an archive of an image or of a root file system.", "cannot import an image: the file is no archive: %w", err)
			}
			return damaged("the archive cannot be read: %w", err)
		}
		name, err := cleanName(h.Name)
		if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeReg:
			at, err := a.file.Seek(0, io.SeekCurrent)
			if err != nil {
				return err
			}
			a.entries[name] = section{at, h.Size}
		case tar.TypeSymlink, tar.TypeLink:
			target := h.Linkname
			if h.Typeflag == tar.TypeSymlink {
				target = path.Join(path.Dir(name), h.Linkname)
			}
			a.links[name] = path.Clean(target)
		}
		if !ofImage(name) || len(a.entries)+len(a.links) > maxEntries {
			a.rootFS = true
			return nil
		}
	}
}

// ofImage says whether archives of images have such an entry.
func ofImage(name string) bool {
	first, rest, below := strings.Cut(name, "/")
	switch first {
	case ".", "oci-layout", "index.json", "manifest.json", "repositories", "blobs":
		return true
	}
	hexDigits := func(s string) bool {
		_, err := hex.DecodeString(s)
		return err == nil && len(s) == 64
	}
	if below {
		return hexDigits(first) && (rest == "" || rest == "layer.tar" || rest == "json" || rest == "VERSION")
	}
	return hexDigits(strings.TrimSuffix(strings.TrimSuffix(first, ".json"), ".tar")) || hexDigits(strings.TrimSuffix(first, ".tar.gz"))
}

// find returns where an entry lies; a link leads to one.
func (a *archive) find(name string) (section, bool) {
	s, ok := a.entries[name]
	if !ok {
		s, ok = a.entries[a.links[name]]
	}
	return s, ok
}

// open opens an entry.
func (a *archive) open(name string) (io.ReadSeekCloser, int64, error) {
	s, ok := a.find(name)
	if !ok {
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return struct {
		io.ReadSeeker
		io.Closer
	}{io.NewSectionReader(a.file, s.at, s.size), io.NopCloser(nil)}, s.size, nil
}

// source says which image is in the archive.
func (a *archive) source() (Source, error) {
	l := &layout{open: a.open, close: a.Close, at: map[string]string{}, made: map[string][]byte{}}
	if a.rootFS {
		return l, a.rootImage(l)
	}
	if _, ok := a.entries["index.json"]; ok {
		return l, l.readIndex()
	}
	if _, ok := a.entries["manifest.json"]; ok {
		return l, a.savedImage(l)
	}
	if len(a.entries)+len(a.links) == 0 {
		return nil, damaged("the archive is empty")
	}
	return l, a.rootImage(l)
}

// saved is one image of an archive of "docker save".
type saved struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// savedImage reads what "docker save" wrote without a layout.
func (a *archive) savedImage(l *layout) error {
	raw, err := l.readFile("manifest.json", maxManifest)
	if err != nil {
		return err
	}
	images, err := parseSaved(raw)
	if err != nil {
		return err
	}
	if len(images) != 1 {
		return fault.New(fault.Conflict, "Save one image into a file of its own.", "cannot use the image: there are %d in it", len(images))
	}
	one := images[0]
	if len(one.RepoTags) > 0 {
		l.name = one.RepoTags[0]
	}
	config, err := l.readFile(path.Clean(one.Config), maxConfig)
	if err != nil {
		return explain("its configuration is missing", err)
	}
	var layers []Descriptor
	for _, name := range one.Layers {
		d, err := a.layer(path.Clean(name))
		if err != nil {
			return err
		}
		l.at[d.Digest] = path.Clean(name)
		layers = append(layers, d)
	}
	return l.only(config, layers)
}

// parseSaved reads the list of an archive of "docker save".
func parseSaved(raw []byte) ([]saved, error) {
	var images []saved
	if err := json.Unmarshal(raw, &images); err != nil {
		return nil, damaged("its manifest.json cannot be read: %w", err)
	}
	for _, s := range images {
		if len(s.Layers) > maxLayers {
			return nil, damaged("it has %d layers", len(s.Layers))
		}
	}
	return images, nil
}

// only makes a layout of one image that has no manifest.
func (l *layout) only(config []byte, layers []Descriptor) error {
	m, err := manifestOf(config, layers)
	if err != nil {
		return err
	}
	l.made[m.Digest], l.made[m.Config.Digest] = m.Raw, config
	l.index = []candidate{{Descriptor: Descriptor{string(types.OCIManifestSchema1), m.Digest, int64(len(m.Raw))}}}
	return nil
}

// layer describes a layer of the archive.
func (a *archive) layer(name string) (Descriptor, error) {
	s, ok := a.find(name)
	if !ok {
		return Descriptor{}, damaged("its layer %s is missing", safetext.Line(safetext.Clip(name, 200)))
	}
	d, ok := a.layers[s]
	if !ok {
		var err error
		if d, err = describeLayer(io.NewSectionReader(a.file, s.at, s.size), s.size); err != nil {
			return Descriptor{}, err
		}
		a.layers[s] = d
	}
	return d, nil
}

func describeLayer(f io.ReadSeeker, size int64) (Descriptor, error) {
	begins := make([]byte, 4)
	n, _ := io.ReadFull(f, begins)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Descriptor{}, err
	}
	kind := types.OCIUncompressedLayer
	switch begins = begins[:n]; {
	case strings.HasPrefix(string(begins), gzipMagic):
		kind = types.OCILayer
	case strings.HasPrefix(string(begins), zstdMagic):
		kind = types.OCILayerZStd
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return Descriptor{}, err
	}
	return Descriptor{string(kind), "sha256:" + hex.EncodeToString(h.Sum(nil)), size}, nil
}

// rootImage makes an image of one layer of the whole archive.
func (a *archive) rootImage(l *layout) error {
	const whole = "/" // no entry is called so
	st, err := a.file.Stat()
	if err != nil {
		return err
	}
	a.entries[whole] = section{0, st.Size()}
	d, err := a.layer(whole)
	if err != nil {
		return fmt.Errorf("cannot read the archive: %w", err)
	}
	l.at[d.Digest] = whole
	want := Here()
	config, err := json.Marshal(map[string]any{
		"architecture": want.Architecture, "os": want.OS, "config": map[string]any{},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{d.Digest}},
	})
	if err != nil {
		return err
	}
	return l.only(config, []Descriptor{d})
}

// newSection returns what stands behind an offset.
func newSection(b []byte, offset int64) io.Reader {
	return bytes.NewReader(b[min(offset, int64(len(b))):])
}
