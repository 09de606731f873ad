package toy

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/language"
)

// Images is an image store with one image, which gets the packages that it is
// asked for. There are no packages called "missing", and no index that has numpy
// and pandas together can be reached.
type Images struct{}

const imageID = "0123456789abcdef0123456789abcdef"

// Resolve returns the image with what is asked for.
func (Images) Resolve(_ context.Context, r image.Request, sink event.Sink) (image.Image, error) {
	if len(r.With) > 0 {
		sink.Emit(event.Progress{Stage: "image", Text: "building\x1b[2J"})
	}
	switch {
	case slices.Contains(r.With, "numpy,pandas"):
		return image.Image{}, fault.New(fault.Unavailable, "", "cannot build image: no package index can be reached")
	case slices.Contains(r.With, "missing"):
		return image.Image{}, fault.New(fault.NotFound, "Check the name.", "cannot build image: there is no package %q", "missing")
	}
	img := image.Image{ID: imageID, Name: "python", Root: "/", Runtimes: []language.Runtime{{Language: "python", Version: "3.14", Program: "/bin/toy"}}}
	for _, name := range r.With {
		img.Name += "+" + name
		img.Packages = append(img.Packages, image.Package{Name: name, Version: "1.0"})
	}
	return img, nil
}

// Lookup returns the image without building it.
func (i Images) Lookup(ctx context.Context, r image.Request) (image.Image, error) {
	return i.Resolve(ctx, r, event.Discard)
}

// Reopen returns the image of a recorded run.
func (i Images) Reopen(ctx context.Context, idOrName string) (image.Image, error) {
	if _, err := i.Find(ctx, idOrName); err != nil {
		return image.Image{}, err
	}
	return i.Resolve(ctx, image.Request{}, event.Discard)
}

// Recipe says how an image is made: there is nothing to it but its packages.
func (Images) Recipe(_ context.Context, img image.Image, _ event.Sink) (image.Recipe, error) {
	out := image.Recipe{ID: img.ID, Name: img.Name}
	for _, p := range img.Packages {
		out.Wheels = append(out.Wheels, image.Wheel{Name: p.Name, Version: p.Version, SHA256: wheelSum})
	}
	return out, nil
}

const wheelSum = "ba59926159d2aa256eb8739b8da7e2b574b960e1202c6d624cbe981cef996c91" // of "wheel"

// OpenWheel opens any wheel.
func (Images) OpenWheel(string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("wheel")), nil
}

// AddWheel takes any wheel.
func (Images) AddWheel(_ string, r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// Make makes the image of a recipe.
func (i Images) Make(ctx context.Context, r image.Recipe, sink event.Sink) (image.Image, error) {
	var names []string
	for _, w := range r.Wheels {
		names = append(names, w.Name)
	}
	img, err := i.Resolve(ctx, image.Request{With: names}, sink)
	if err == nil && img.ID != r.ID {
		err = fault.New(fault.Conflict, "", "cannot make image %s: it is another", r.Name)
	}
	return img, err
}

// Add finds every package but "missing", each a module of one line.
func (Images) Add(_ context.Context, img image.Image, added []image.Package, r image.Request, _ event.Sink) (image.Addition, error) {
	out := image.Addition{Folder: "/home/user/.packages"}
	files := fstest.MapFS{}
	for _, name := range r.With {
		there := slices.Concat(img.Packages, added)
		i := slices.IndexFunc(there, func(p image.Package) bool { return p.Name == name })
		switch {
		case name == "missing":
			return image.Addition{}, fault.New(fault.NotFound, "Check the name.", "cannot find a package named missing in the index")
		case i >= 0:
			out.Present = append(out.Present, there[i])
			continue
		}
		out.New = append(out.New, image.Package{Name: name, Version: "1.0", Hash: "sha256:" + strings.Repeat("0", 64)})
		files[name+".py"] = &fstest.MapFile{Data: []byte("N = 1"), Mode: 0o644}
	}
	if len(files) > 0 {
		out.Files, out.Bytes = files, int64(5*len(files))
	}
	return out, nil
}

// Check finds every image as it was made.
func (Images) Check(context.Context, image.Image) error { return nil }

// List lists the image.
func (Images) List(context.Context) ([]image.Info, error) {
	return []image.Info{{ID: imageID, Name: "python", Bytes: 150 << 20, Used: time.Unix(0, 0)}}, nil
}

// Find finds the image.
func (Images) Find(_ context.Context, idOrName string) (image.Info, error) {
	if idOrName != "python" && idOrName != imageID {
		return image.Info{}, fault.New(fault.NotFound, "List the images.", "cannot find image %q: there is none", idOrName)
	}
	return image.Info{ID: imageID, Name: "python"}, nil
}

// Remove removes nothing.
func (Images) Remove(context.Context, string) error { return nil }

// Collect says that the image is removed when nothing newer than now is asked for.
func (Images) Collect(_ context.Context, c image.Collect) (image.Collected, error) {
	out := image.Collected{Images: []image.RemovedImage{}, Parts: []image.Removed{}, Wheels: []image.Removed{}}
	if c.OlderThan > 0 || slices.Contains(c.Keep, imageID) {
		return out, nil
	}
	out.Images = append(out.Images, image.RemovedImage{Info: image.Info{ID: imageID, Name: "python", Bytes: 1 << 20}, Freed: 1 << 20, Why: image.Unused + "0s"})
	out.Bytes = 1 << 20
	return out, nil
}
