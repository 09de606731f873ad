package image

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/test/container"
)

// buildStore is a store with a container image that is called base:1.
func buildStore(t *testing.T) *Store {
	t.Helper()
	s := containerStore(t)
	file := filepath.Join(t.TempDir(), "base.tar")
	pythonImage(t).Build(t).Save(t, file, "base:1")
	if _, err := s.Import(t.Context(), Import{Path: file, Name: "base:1"}, event.Discard); err != nil {
		t.Fatal(err)
	}
	return s
}

func beginBuild(t *testing.T, s *Store, q BuildRequest) *Build {
	t.Helper()
	q.Name, q.From = "it", "base:1"
	b, err := s.BeginBuild(t.Context(), q, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// layerOf writes a layer as a guest would.
func layerOf(layer []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(layer); return err }
}

// TestBuildSteps puts layers on an image, and finds them again.
func TestBuildSteps(t *testing.T) {
	t.Parallel()
	s := buildStore(t)
	layer := container.Layer(t, container.Entry{Name: "app/.wh.x"}, container.Entry{Name: "app/y", Text: "2"})
	q := BuildRequest{Env: []string{"MODE=a"}, Preload: []string{"csv"}, Start: &Start{Command: "serve", Port: 80, Wait: time.Second}}
	make1 := func(q BuildRequest, known bool) Image {
		t.Helper()
		b := beginBuild(t, s, q)
		defer b.Close()
		if got := b.Known("run x", "run", "x"); got != known {
			t.Fatalf("known: %v", got)
		}
		if !known {
			if err := b.Add(t.Context(), "run x", layerOf(layer), "run", "x"); err != nil {
				t.Fatal(err)
			}
		}
		if b.Known("run z", "run", "z") {
			t.Fatal("another step is known")
		}
		img, err := b.Image(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		if named, err := b.Name(t.Context()); err != nil || named.ID != img.ID {
			t.Fatalf("%v, %v, want %v", named, err, img)
		}
		return img
	}
	img := make1(q, false)
	if _, err := os.Lstat(filepath.Join(img.Root, "app", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("x: %v", err)
	}
	if data, err := os.ReadFile(filepath.Join(img.Root, "app", "y")); err != nil || string(data) != "2" {
		t.Errorf("y: %q, %v", data, err)
	}
	if img.Start == nil || !slices.Contains(img.Env, "MODE=a") || !slices.Equal(img.Runtimes[0].Preload, []string{"csv"}) {
		t.Errorf("got %+v", img)
	}
	for _, find := range []func() (Image, error){
		func() (Image, error) { return s.Reopen(t.Context(), "it") },
		func() (Image, error) { return s.Resolve(t.Context(), Request{Image: "it"}, event.Discard) },
		func() (Image, error) { return s.Lookup(t.Context(), Request{Image: "it"}) },
	} {
		if got, err := find(); err != nil || got.ID != img.ID || got.Start == nil || *got.Start != *img.Start {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if again := make1(q, true); again.ID != img.ID {
		t.Errorf("again: %s, want %s", again.ID, img.ID)
	}
	ids := map[string]bool{img.ID: true}
	for _, other := range []BuildRequest{
		{Env: []string{"MODE=b"}, Preload: q.Preload, Start: q.Start}, {Env: q.Env, Preload: []string{"os"}, Start: q.Start},
		{Env: q.Env, Preload: q.Preload, Start: &Start{Command: "serve", Port: 81, Wait: time.Second}}, {Env: q.Env, Preload: q.Preload},
	} {
		ids[make1(other, true).ID] = true
	}
	if len(ids) != 5 {
		t.Errorf("%d IDs of five images", len(ids))
	}
	all, err := s.List(t.Context())
	named := 0
	for _, i := range all {
		if i.Name == "it" {
			named++
		}
	}
	if err != nil || len(all) != 6 || named != 1 { // with the base
		t.Errorf("%d images, %d with the name: %v", len(all), named, err)
	}
	again := containerStore(t)
	r, err := s.Recipe(t.Context(), img, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := r.Container.Layers()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		f, err := s.OpenLayer(l)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(again.AddLayer(l, f), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := again.Make(t.Context(), r, event.Discard); err != nil || got.ID != img.ID {
		t.Errorf("made elsewhere: %+v, %v", got, err)
	}
	r.Built = &Built{Env: []string{"no variable"}}
	if _, err := again.Make(t.Context(), r, event.Discard); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a damaged recipe: %v", err)
	}
}

// TestHostileSteps puts layers on an image that no honest guest sends.
func TestHostileSteps(t *testing.T) {
	t.Parallel()
	s := buildStore(t)
	outside := t.TempDir()
	for name, layer := range map[string][]byte{
		"outside": container.Layer(t, container.Entry{Name: "../../../../outside", Text: "x"}),
		"nothing": []byte("this is no archive, and long enough to be taken for one" + strings.Repeat(" ", 600)),
		"cut":     container.Layer(t, container.Entry{Name: "a", Text: strings.Repeat("x", 4000)})[:2000],
		"link":    container.Layer(t, container.Entry{Name: "a", Kind: tar.TypeLink, Link: "../../../../../../etc/passwd"}),
	} {
		t.Run(name, func(t *testing.T) {
			b := beginBuild(t, s, BuildRequest{})
			defer b.Close()
			if err := b.Add(t.Context(), "run x", layerOf(layer), "run", name); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Name(t.Context()); fault.KindOf(err) != fault.Invalid {
				t.Errorf("%v", err)
			}
			again := beginBuild(t, s, BuildRequest{})
			defer again.Close()
			if again.Known("run x", "run", name) {
				t.Error("what cannot be unpacked is kept")
			}
		})
	}
	// What leads out of it leads nowhere, and devices are not made.
	b := beginBuild(t, s, BuildRequest{})
	layer := container.Layer(t, container.Entry{Name: "out", Kind: tar.TypeSymlink, Link: outside}, container.Entry{Name: "out/file", Text: "x"},
		container.Entry{Name: "dev/sda", Kind: tar.TypeBlock}, container.Entry{Name: "su", Text: "x", Mode: 0o4755})
	if err := b.Add(t.Context(), "run x", layerOf(layer), "run", "x"); err != nil {
		t.Fatal(err)
	}
	img, err := b.Name(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	if _, err := os.Lstat(filepath.Join(img.Root, "dev", "sda")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a device: %v", err)
	}
	if st, err := os.Lstat(filepath.Join(img.Root, "su")); err != nil || st.Mode()&os.ModeSetuid != 0 {
		t.Errorf("%v, %v", st, err)
	}
}

// TestCopy copies files of the host, and nothing that lies outside of the folder.
func TestCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("in/a", "1")
	write("in/deep/b", "2")
	if err := errors.Join(os.Symlink("/etc/passwd", filepath.Join(dir, "in/link")), os.Symlink("/etc", filepath.Join(dir, "out"))); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	copied := func(from, to string) ([]string, error) {
		var b bytes.Buffer
		if err := writeCopy(t.Context(), &b, root, from, to); err != nil {
			return nil, err
		}
		var out []string
		for r := tar.NewReader(&b); ; {
			h, err := r.Next()
			if err != nil {
				return out, nil
			}
			out = append(out, h.Name+" "+h.Linkname)
		}
	}
	got, err := copied("in", "/srv/in")
	if want := []string{"srv/in/ ", "srv/in/a ", "srv/in/deep/ ", "srv/in/deep/b ", "srv/in/link /etc/passwd"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	for from, kind := range map[string]fault.Kind{"out": fault.Invalid, "out/passwd": fault.Invalid, "none": fault.NotFound} {
		if got, err := copied(from, "/srv/x"); fault.KindOf(err) != kind {
			t.Errorf("%s: %q, %v", from, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := writeCopy(ctx, io.Discard, root, "in", "/srv/in"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
