package image

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"praxis/fault"
	"praxis/internal/image/oci"
)

// Exported is an image that was written as an archive of an image layout.
type Exported struct {
	Digest string `json:"digest"` // of its manifest
}

// Export writes an image, by its ID, the beginning of it, or a name, as an archive of an
// OCI image layout. A container image is written as it came: what takes it in has the
// very same; packages for its own interpreters are layers on it. One of ours becomes a container image of its parts.
func (s *Store) Export(ctx context.Context, idOrName string, w io.Writer) (Exported, error) {
	r, b, img, err := s.described(ctx, idOrName)
	if err == nil {
		err = s.lease(img.ID)
	}
	if err != nil {
		return Exported{}, explainFS("export image", err)
	}
	if b == nil || r.Built != nil && r.Built.Own {
		return s.exportOwn(ctx, r, img, w)
	}
	m, config, added, err := s.exported(ctx, r)
	if err != nil {
		return Exported{}, explainFS("export image", err)
	}
	err = oci.WriteLayout(w, r.Names[0], m, config, func(d oci.Descriptor, to io.Writer) error {
		if tree, ok := added[d.Digest]; ok {
			return tree.Write(ctx, to)
		}
		f, err := s.openBlob(d.Hex())
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(to, untilDone(ctx, f))
		return err
	})
	if err != nil {
		return Exported{}, explainFS("export image", err)
	}
	return Exported{m.Digest}, nil
}

// exported returns a container image as it is written: as it came, with layers of the
// packages that are beside it, by their digests. Those that need a program of ours are a fault.
func (s *Store) exported(ctx context.Context, r record) (oci.Manifest, []byte, map[string]oci.Tree, error) {
	p, err := s.partsOf(ctx, r)
	if err != nil {
		return oci.Manifest{}, nil, nil, err
	}
	m := p.base.manifest
	config, err := os.ReadFile(filepath.Join(p.base.dir, configFile))
	if err != nil || p.layer == nil && p.node == nil && p.modules == nil {
		return m, config, nil, err
	}
	if p.needsOurs() {
		return m, nil, nil, fault.New(fault.Conflict, "Export the image alone: the packages can be put beside it where it is imported.",
			"cannot export image %s: it has packages for a Python or a Node that is not of the image", r.Names[0])
	}
	var trees []oci.Tree
	var env []string
	if p.layer != nil {
		t, err := p.base.target()
		if err != nil {
			return m, nil, nil, err
		}
		for _, dir := range t.lets {
			trees = append(trees, oci.Tree{Dir: filepath.Join(p.base.dir, lettingDir), At: dir})
		}
		trees = append(trees, oci.Tree{Dir: p.layer.tree(), At: strings.TrimPrefix(guestPackages, "/")})
		env = []string{"PATH=" + variable(p.base.config.Env, "PATH", defaultPath) + ":" + guestPackages + "/bin"}
	}
	if p.modules != nil {
		trees = append(trees, oci.Tree{Dir: p.modules.tree(), At: strings.TrimPrefix(guestModules, "/")})
	}
	var layers []oci.Added
	which := map[string]oci.Tree{}
	for _, t := range trees {
		d, err := t.Describe(ctx)
		if err != nil {
			return m, nil, nil, fmt.Errorf("cannot read the image: %w", err)
		}
		layers, which[d.Digest] = append(layers, oci.Added{Descriptor: d, By: "/" + t.At}), t
	}
	made, err := oci.Extend(m, config, layers, env)
	return made.Manifest, made.RawConfig, which, err
}

// openBlob opens a layer of a container image as it came.
func (s *Store) openBlob(hex string) (io.ReadCloser, error) {
	f, err := os.Open(s.blobPath(hex))
	if os.IsNotExist(err) {
		return nil, fault.New(fault.NotFound, "Pull or import the image again.", "cannot find a layer of the image: it was removed")
	}
	return f, err
}

// exportOwn writes an image of ours.
func (s *Store) exportOwn(ctx context.Context, r record, img Image, w io.Writer) (Exported, error) {
	trees := []oci.Tree{{Dir: img.Root}}
	made := []string{"packages of Debian"}
	for _, m := range img.Mounts {
		trees = append(trees, oci.Tree{Dir: m.Source, At: strings.TrimPrefix(m.Target, "/")})
		made = append(made, m.Target)
	}
	var layers []oci.Descriptor
	which := map[string]oci.Tree{}
	for _, t := range trees {
		d, err := t.Describe(ctx)
		if err != nil {
			return Exported{}, explainFS("export image", fmt.Errorf("cannot read the image: %w", err))
		}
		layers, which[d.Digest] = append(layers, d), t
	}
	var command []string
	if len(img.Runtimes) > 0 {
		command = []string{img.Runtimes[0].Program}
	}
	m, err := oci.Make(layers, made, img.Env, command)
	if err != nil {
		return Exported{}, fmt.Errorf("cannot export image: %w", err)
	}
	err = oci.WriteLayout(w, r.Names[0], m.Manifest, m.RawConfig, func(d oci.Descriptor, to io.Writer) error { return which[d.Digest].Write(ctx, to) })
	if err != nil {
		return Exported{}, explainFS("export image", err)
	}
	return Exported{m.Digest}, nil
}
