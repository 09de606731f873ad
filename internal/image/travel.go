package image

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"

	"praxis/fault"
	"praxis/internal/image/oci"
	"praxis/internal/lazyregexp"
)

// ContainerRecipe is a container image as it travels with what is made of it: its layers
// are files of their own.
type ContainerRecipe struct {
	Manifest []byte `json:"manifest"` // as it came
	Config   []byte `json:"config"`   // as it came
}

// Layers returns the SHA-256 of the layers as they came, each once.
func (c *ContainerRecipe) Layers() ([]string, error) {
	if c == nil {
		return nil, nil
	}
	m, err := oci.ReadManifest(c.Manifest)
	if err != nil {
		return nil, err
	}
	var out []string
	seen := map[string]bool{}
	for _, l := range m.Layers {
		if !seen[l.Digest] {
			seen[l.Digest], out = true, append(out, l.Hex())
		}
	}
	return out, nil
}

// OpenLayer opens a layer of a container image by its SHA-256.
func (s *Store) OpenLayer(sha256 string) (io.ReadCloser, error) {
	if !hashRE.MatchString("sha256:" + sha256) {
		return nil, fault.New(fault.Invalid, "", "cannot open a layer: it is called by no digest")
	}
	return s.openBlob(sha256)
}

// AddLayer keeps a layer that comes from elsewhere, when it is what its SHA-256 says.
func (s *Store) AddLayer(sha256 string, r io.Reader) error {
	return s.addFile("layer", blobDir, sha256, r)
}

// containerRecipe returns the recipe of the container image in a base. Its layers are all
// there, or it is a fault.
func (s *Store) containerRecipe(key string) (*ContainerRecipe, error) {
	b, ok := s.describeBase(key)
	if !ok {
		return nil, fault.New(fault.NotFound, "Pull or import the image again.", "cannot find the container image: it is gone, or damaged")
	}
	for _, l := range b.manifest.Layers {
		if !s.hasBlob(l) {
			return nil, fault.New(fault.NotFound, "Pull or import the image again.", "cannot find a layer of the image: it was removed")
		}
	}
	config, err := os.ReadFile(filepath.Join(b.dir, configFile))
	return &ContainerRecipe{Manifest: b.manifest.Raw, Config: config}, err
}

// stored is a container image whose layers are in the store.
type stored struct {
	s      *Store
	recipe *ContainerRecipe
}

var _ oci.Source = stored{}

// Manifest returns the manifest of the recipe.
func (t stored) Manifest(context.Context, oci.Platform) (oci.Manifest, error) {
	return oci.ReadManifest(t.recipe.Manifest)
}

// Open opens the configuration, or a layer.
func (t stored) Open(_ context.Context, d oci.Descriptor, _ int64) (io.ReadCloser, error) {
	if d.Digest == oci.Digest(t.recipe.Config) {
		return io.NopCloser(bytes.NewReader(t.recipe.Config)), nil
	}
	return nil, fault.New(fault.NotFound, "Get the file again from where it comes from.", "cannot make the image: its layer %s is missing", d.Digest)
}

// Name returns nothing: the recipe has the name.
func (t stored) Name() string { return "" }

// Close does nothing.
func (t stored) Close() error { return nil }

// travelName is the name of a container image with packages beside.
var travelName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._+=<>!~\[\],:/@^*|-]{0,399}$`)
