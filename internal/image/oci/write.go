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
	"path/filepath"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Tree is a folder that becomes a layer.
type Tree struct {
	Dir string // on the host
	At  string // where it is in the image, relative to its root; "": it is the root
}

// Describe returns the descriptor of the layer that a tree becomes: it is not compressed,
// and the same tree is always the same layer.
func (t Tree) Describe(ctx context.Context) (Descriptor, error) {
	h := sha256.New()
	c := &counter{w: h}
	if err := t.Write(ctx, c); err != nil {
		return Descriptor{}, err
	}
	return Descriptor{string(types.OCIUncompressedLayer), "sha256:" + hex.EncodeToString(h.Sum(nil)), c.n}, nil
}

// Write writes the layer: everything belongs to root, and has no time.
func (t Tree) Write(ctx context.Context, w io.Writer) error {
	out := tar.NewWriter(w)
	var above []string
	for dir := t.At; dir != "" && dir != "."; dir = path.Dir(dir) {
		above = append([]string{dir}, above...)
	}
	for i, dir := range above {
		if i < len(above)-1 {
			if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: time.Unix(0, 0), Format: tar.FormatPAX}); err != nil {
				return err
			}
		}
	}
	err := filepath.WalkDir(t.Dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rel, err := filepath.Rel(t.Dir, file)
		if err != nil {
			return err
		}
		if name := path.Join(t.At, filepath.ToSlash(rel)); name != "." {
			return writeEntry(out, file, name, d)
		}
		return nil
	})
	return errors.Join(err, out.Close())
}

func writeEntry(out *tar.Writer, file, name string, d fs.DirEntry) error {
	st, err := d.Info()
	if err != nil {
		return err
	}
	h := &tar.Header{Name: name, Mode: int64(st.Mode().Perm()), ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
	if st.Mode()&fs.ModeSticky != 0 {
		h.Mode |= 0o1000
	}
	switch st.Mode().Type() {
	case fs.ModeDir:
		h.Typeflag, h.Name = tar.TypeDir, name+"/"
		return out.WriteHeader(h)
	case fs.ModeSymlink:
		h.Typeflag = tar.TypeSymlink
		if h.Linkname, err = os.Readlink(file); err != nil {
			return err
		}
		return out.WriteHeader(h)
	case 0:
		h.Typeflag, h.Size = tar.TypeReg, st.Size()
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, f)
		return errors.Join(err, f.Close())
	}
	return fmt.Errorf("%s is neither a file nor a folder nor a link", name)
}

// Made is an image that is made of trees.
type Made struct {
	Manifest
	RawConfig []byte
}

// Make describes an image of layers, each with what made it.
func Make(layers []Descriptor, made, env, command []string) (Made, error) {
	here := Here()
	config := v1.ConfigFile{OS: here.OS, Architecture: here.Architecture, RootFS: v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{}}}
	config.Config = v1.Config{Env: env, Cmd: command, WorkingDir: "/work", User: "1000:1000"}
	for i, l := range layers {
		h, err := v1.NewHash(l.Digest)
		if err != nil {
			return Made{}, err
		}
		config.RootFS.DiffIDs = append(config.RootFS.DiffIDs, h)
		config.History = append(config.History, v1.History{CreatedBy: made[i]})
	}
	raw, err := json.Marshal(config)
	if err != nil {
		return Made{}, err
	}
	m, err := manifestOf(raw, layers)
	return Made{m, raw}, err
}

// Added is a layer that is put on an image, which is not compressed.
type Added struct {
	Descriptor
	By string // what made it
}

// Extend describes an image with more layers and more variables than the one of a
// manifest and its configuration. The same layers on the same image give the same.
func Extend(m Manifest, config []byte, layers []Added, env []string) (Made, error) {
	c, err := v1.ParseConfigFile(bytes.NewReader(config))
	if err != nil {
		return Made{}, damaged("its configuration cannot be read: %w", err)
	}
	all := slices.Clone(m.Layers)
	if c.Container, c.Created = "", (v1.Time{}); len(c.History) == 0 {
		// What is said of the added layers would else be taken for what made the others.
		c.History = make([]v1.History, len(m.Layers))
	}
	c.Config.Env = slices.Concat(c.Config.Env, env)
	for _, l := range layers {
		h, err := v1.NewHash(l.Digest)
		if err != nil {
			return Made{}, err
		}
		all = append(all, l.Descriptor)
		c.RootFS.DiffIDs = append(c.RootFS.DiffIDs, h)
		c.History = append(c.History, v1.History{CreatedBy: l.By, Comment: "praxis"})
	}
	if len(all) > maxLayers {
		return Made{}, tooLarge("it has more than %d layers", maxLayers)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return Made{}, err
	}
	out, err := manifestOf(raw, all)
	return Made{out, raw}, err
}

// NewLayer describes a layer that is not compressed.
func NewLayer(sha256 string, size int64) Descriptor {
	return Descriptor{string(types.OCIUncompressedLayer), "sha256:" + sha256, size}
}

// WriteLayout writes an image as an archive of an image layout. write writes the content
// of a layer.
func WriteLayout(w io.Writer, name string, m Manifest, config []byte, write func(Descriptor, io.Writer) error) error {
	out := tar.NewWriter(w)
	h, err := v1.NewHash(m.Digest)
	if err != nil {
		return err
	}
	kind := types.OCIManifestSchema1
	if parsed, err := v1.ParseManifest(bytes.NewReader(m.Raw)); err == nil && parsed.MediaType != "" {
		kind = parsed.MediaType
	}
	index, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{{
		MediaType: kind, Digest: h, Size: int64(len(m.Raw)), Platform: &v1.Platform{OS: Here().OS, Architecture: Here().Architecture},
		Annotations: map[string]string{"org.opencontainers.image.ref.name": name, "io.containerd.image.name": name},
	}}})
	if err != nil {
		return err
	}
	small := []struct {
		name string
		data []byte
	}{
		{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", index},
		{blobName(Descriptor{Digest: m.Digest}), m.Raw}, {blobName(m.Config), config},
	}
	for _, f := range small {
		if err := writeBlob(out, f.name, int64(len(f.data)), func(w io.Writer) error { _, err := w.Write(f.data); return err }); err != nil {
			return err
		}
	}
	written := map[string]bool{}
	for _, l := range m.Layers {
		if written[l.Digest] {
			continue // an image may have the same layer twice
		}
		written[l.Digest] = true
		if err := writeBlob(out, blobName(l), l.Size, func(w io.Writer) error { return write(l, w) }); err != nil {
			return err
		}
	}
	return out.Close()
}

func blobName(d Descriptor) string { return path.Join("blobs", "sha256", d.Hex()) }

func writeBlob(out *tar.Writer, name string, size int64, write func(io.Writer) error) error {
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: time.Unix(0, 0)}); err != nil {
		return err
	}
	return write(out)
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

// Write writes and counts.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
