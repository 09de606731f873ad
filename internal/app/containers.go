package app

import (
	"context"
	"fmt"
	"io"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/safetext"
)

// Containers gets images from registries and files, and writes them into files.
type Containers interface {
	Pull(ctx context.Context, p image.Pull, sink event.Sink) (image.Image, error)
	Import(ctx context.Context, i image.Import, sink event.Sink) (image.Image, error)
	Export(ctx context.Context, idOrName string, w io.Writer) (image.Exported, error)
	Describe(ctx context.Context, idOrName string) (image.Details, error)
	History(ctx context.Context, idOrName string) ([]image.Step, error)
}

// What commands show of images.
type (
	ImageDetails = image.Details
	ImageStep    = image.Step
)

// ImagePull asks for an image of a registry.
type ImagePull = image.Pull

// PullImage gets an image of a registry.
func (a *App) PullImage(ctx context.Context, p ImagePull, sink event.Sink) (Image, error) {
	c, err := a.containers(ctx)
	if err != nil {
		return Image{}, err
	}
	if err := a.makeSpace(ctx, 0); err != nil {
		return Image{}, fmt.Errorf("cannot pull image: %w", err)
	}
	return c.Pull(ctx, p, sink)
}

// ImportImage takes an image from a file or a folder; name may be empty.
func (a *App) ImportImage(ctx context.Context, file, name string, sink event.Sink) (Image, error) {
	c, err := a.containers(ctx)
	if err != nil {
		return Image{}, err
	}
	if err := a.makeSpace(ctx, 0); err != nil {
		return Image{}, fmt.Errorf("cannot import image: %w", err)
	}
	return c.Import(ctx, image.Import{Path: file, Name: name}, sink)
}

// ImageExport asks for an image to be written into a file.
type ImageExport struct {
	Name  string
	Path  string // of the file, or of a folder for it; "": this folder
	Force bool   // replace a file that is there
}

// ExportedImage is an image that was written into a file.
type ExportedImage struct {
	Name   string `json:"name"`
	Digest string `json:"digest"` // of its manifest
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
}

// ExportImage writes an image as an archive of an OCI image layout, which container
// programs read.
func (a *App) ExportImage(ctx context.Context, q ImageExport) (ExportedImage, error) {
	c, err := a.containers(ctx)
	if err != nil {
		return ExportedImage{}, err
	}
	out := ExportedImage{Name: q.Name}
	file := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/:@+<>=*!~,[]", r) {
			return '-'
		}
		return r
	}, q.Name) + ".tar"
	if out.Path, err = exportPath(q.Path, file); err != nil {
		return ExportedImage{}, err
	}
	err = writeWhole(out.Path, q.Force, func(w io.Writer) error {
		counted := &boundedWriter{w: w, left: 1 << 62}
		done, err := c.Export(ctx, q.Name, counted)
		out.Digest, out.Bytes = done.Digest, counted.n
		return err
	})
	return out, err
}

// DescribeImage returns what is known of an image.
func (a *App) DescribeImage(ctx context.Context, idOrName string) (ImageDetails, error) {
	c, err := a.containers(ctx)
	if err != nil {
		return ImageDetails{}, err
	}
	return c.Describe(ctx, idOrName)
}

// ImageHistory returns the steps by which an image was made, the first first.
func (a *App) ImageHistory(ctx context.Context, idOrName string) ([]ImageStep, error) {
	c, err := a.containers(ctx)
	if err != nil {
		return nil, err
	}
	return c.History(ctx, idOrName)
}

func (a *App) containers(ctx context.Context) (Containers, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return nil, err
	}
	if m.containers == nil {
		return nil, fault.New(fault.Unavailable, "Use Praxis with images of its own.", "cannot use container images: there is no store for them")
	}
	return m.containers, nil
}

// containerGone says that a run cannot be repeated on the image that it was made on.
func containerGone(recorded event.Image) error {
	name, _, _ := strings.Cut(recorded.Name, "+")
	if repository, _, ok := strings.Cut(name, "@"); ok {
		name = repository
	} else if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name = name[:i]
	}
	at := safetext.Line(name + "@" + recorded.Digest)
	return fault.Coded(fault.ImageAbsent, fault.Data{"image": at}, "cannot find the image that the run was made on: %s is not here", at)
}
