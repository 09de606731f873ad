package oci

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"praxis/fault"
	"praxis/internal/safetext"
)

// opener opens a file of a layout or of an archive by its path.
type opener func(name string) (f io.ReadSeekCloser, size int64, err error)

// layout is an image layout, in a folder or in an archive.
type layout struct {
	open  opener
	index []candidate
	name  string
	close func() error
	// Where the blobs of other archives lie, by digest; nil: where layouts have them.
	at map[string]string
	// What is not in a file.
	made map[string][]byte
}

// Open opens what is imported: a folder or an archive with an image layout, an archive of
// "docker save", or one of a root file system. Archives may be compressed: what they hold
// is written below tmp then, which is the caller's.
func Open(ctx context.Context, file, tmp string) (Source, error) {
	st, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "Check the file's name.", "cannot import an image: there is no file %s", safetext.Line(file))
	}
	if err != nil {
		return nil, fault.New(fault.Denied, "Name a file that you may read.", "cannot import an image: %w", err)
	}
	if st.IsDir() {
		return openFolder(file)
	}
	if !st.Mode().IsRegular() {
		return nil, fault.New(fault.Invalid, "Name a file or a folder.", "cannot import an image: %s is neither", safetext.Line(file))
	}
	a, err := openArchive(ctx, file, tmp)
	if err != nil {
		return nil, err
	}
	s, err := a.source()
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return s, nil
}

func openFolder(dir string) (Source, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.New(fault.Denied, "Name a folder that you may read.", "cannot import an image: %w", err)
	}
	l := &layout{close: root.Close, open: func(name string) (io.ReadSeekCloser, int64, error) {
		f, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return nil, 0, err
		}
		st, err := f.Stat()
		if err != nil || !st.Mode().IsRegular() {
			return nil, 0, errors.Join(fmt.Errorf("%s is no file", name), err, f.Close())
		}
		return f, st.Size(), nil
	}}
	if err := l.readIndex(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return l, nil
}

// readIndex reads which images a layout has.
func (l *layout) readIndex() error {
	raw, err := l.readFile("index.json", maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Invalid, "Name a folder or an archive that holds an image.", "cannot import an image: there is no index.json")
	}
	if err != nil {
		return err
	}
	if l.index, err = parseIndex(raw); err != nil {
		return err
	}
	for _, c := range l.index {
		if l.name == "" {
			l.name = c.name
		}
	}
	return nil
}

func (l *layout) readFile(name string, most int64) ([]byte, error) {
	f, size, err := l.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > most {
		return nil, tooLarge("%s has %s", name, safetext.Size(size))
	}
	return io.ReadAll(io.LimitReader(f, most))
}

func (l *layout) Name() string { return l.name }

func (l *layout) Close() error { return l.close() }

func (l *layout) Manifest(ctx context.Context, want Platform) (Manifest, error) {
	at, err := choose(l.index, want)
	if err != nil {
		return Manifest{}, err
	}
	return pick(at, want, func(d Descriptor) ([]byte, error) {
		r, err := l.Open(ctx, d, 0)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return readBlob(r, d, maxManifest)
	})
}

func (l *layout) Open(_ context.Context, d Descriptor, offset int64) (io.ReadCloser, error) {
	if made, ok := l.made[d.Digest]; ok {
		return io.NopCloser(newSection(made, offset)), nil
	}
	name, ok := l.at[d.Digest]
	if !ok {
		name = path.Join("blobs", "sha256", d.Hex())
	}
	f, _, err := l.open(name)
	if err == nil {
		if _, err = f.Seek(offset, io.SeekStart); err == nil {
			return f, nil
		}
		err = errors.Join(err, f.Close())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, damaged("%s is missing", safetext.Line(name))
	}
	return nil, err
}

// manifestOf makes the manifest of an image whose archive has none.
func manifestOf(config []byte, layers []Descriptor) (Manifest, error) {
	m := v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Layers: []v1.Descriptor{}}
	describe := func(d Descriptor) (v1.Descriptor, error) {
		h, err := v1.NewHash(d.Digest)
		return v1.Descriptor{MediaType: types.MediaType(d.MediaType), Digest: h, Size: d.Size}, err
	}
	var err error
	if m.Config, err = describe(Descriptor{string(types.OCIConfigJSON), Digest(config), int64(len(config))}); err != nil {
		return Manifest{}, err
	}
	for _, l := range layers {
		d, err := describe(l)
		if err != nil {
			return Manifest{}, damaged("a layer is called %s", safetext.Line(safetext.Clip(l.Digest, 100)))
		}
		m.Layers = append(m.Layers, d)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return Manifest{}, err
	}
	return parseManifest(raw)
}
