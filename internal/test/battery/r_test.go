package battery

import (
	"archive/tar"
	"flag"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/session"
	"praxis/internal/test/container"
	"praxis/internal/test/debian"
	"praxis/internal/test/kerneltest"
)

// layerOfR is R with its kernel for Jupyter, as Debian has them, to be put over our own
// root file system.
func layerOfR(t *testing.T) []byte {
	t.Helper()
	entries := debian.Entries(t, "testdata/r.json", func(name string) bool {
		return debian.NotNeeded(name) || strings.HasPrefix(name, "usr/lib/R/library/") && (strings.Contains(name, "/help/") || strings.Contains(name, "/html/") || strings.Contains(name, "/doc/"))
	})
	// The packages' scripts would choose the libraries of linear algebra, and put the
	// environment that programs of R start with in its place.
	const libraries = "usr/lib/x86_64-linux-gnu/"
	return container.Layer(t, append(entries,
		container.Entry{Name: "etc/R/Renviron", Kind: tar.TypeSymlink, Link: "/usr/lib/R/etc/Renviron.ucf"},
		container.Entry{Name: libraries + "libblas.so.3", Kind: tar.TypeSymlink, Link: "blas/libblas.so.3"},
		container.Entry{Name: libraries + "liblapack.so.3", Kind: tar.TypeSymlink, Link: "lapack/liblapack.so.3"})...)
}

// withClient returns an image with the package that drives kernels of Jupyter's.
func withClient(t *testing.T, name string) image.Image {
	t.Helper()
	img, err := imageStore.Resolve(t.Context(), image.Request{Image: name, With: []string{image.JupyterClient}}, event.Discard)
	if fault.KindOf(err) == fault.Unavailable {
		t.Skip("the package index cannot be reached")
	}
	if err != nil {
		t.Fatal(err)
	}
	return img
}

var allKernels = flag.Bool("all-kernels", false, "examine R, too")

// TestR examines the kernel that a container image without Python brings: R's, as Debian
// has it. Our Python drives it.
func TestR(t *testing.T) {
	if !*allKernels {
		t.Skip("the exam of R takes minutes: -all-kernels takes it, as \"make nightly\" does; TestRBesidePython runs")
	}
	plain := imported(t, "r:1", container.Image{Plain: true, Layers: [][]byte{container.Folder(t, "", defaultImage.Root), layerOfR(t)}})
	if !slices.Equal(plain.Undriven, []string{"r"}) {
		t.Fatalf("got %q", plain.Undriven)
	}
	img := withClient(t, "r:1")
	m := manager(t)
	fresh := func(t *testing.T, img image.Image, seed *int64, memory int64) *session.Session {
		t.Helper()
		s, err := m.Create(t.Context(), session.Options{Image: img, Seed: seed, Limits: event.Limits{Memory: memory}}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	t.Run("without a driver", func(t *testing.T) {
		_, err := fresh(t, plain, nil, 0).Execute(t.Context(), "1", session.Exec{Language: "r"}, event.Discard)
		if fault.CodeOf(err) != fault.LanguageUndriven {
			t.Errorf("got %v", err)
		}
	})
	kerneltest.Exam(t, kerneltest.Language{
		Name: "r", New: func(t *testing.T, seed *int64, memory int64) *session.Session { return fresh(t, img, seed, memory) },
		Set: "n <- 41", Get: "n + 1",
		Greet:   "cat('grüß dich 你好 🙂\\n')\ncat('psst\\n', file = stderr())",
		Lines:   "for (i in 1:2000) cat(i, '\\n', sep = '')",
		Shown:   "42 * 42",
		Display: "IRdisplay::display_html('<b>bold</b>')", DisplayAs: "text/html",
		Fail: "m <- 1\nm <- m + 1\nstop('key that is not there')", FailName: "ERROR", FailHas: "key that is not there",
		Syntax:  "f <- function( {",
		Endless: "while (TRUE) {}",
		Sleep:   "Sys.sleep(3600)",
		Grow:    "parts <- list()\nwhile (TRUE) parts[[length(parts) + 1]] <- as.integer(1:4e6 + 0L) + 1L",
		Big:     "cat(strrep('x', 1e7))",
		Orphan:  "invisible(system(\"sh -c 'sleep 2; echo 1 > /work/orphan'\", wait = FALSE))",
		Random:  "cat(runif(3), sample(1000, 3), rnorm(2))",
		Prefix:  "uniro", Completion: "uniroot",
		Lacks: map[string]string{"Quit": "the protocol knows no exit code"},
	})
}

// TestRBesidePython runs R's kernel on an image that brings a Python without the package
// that drives it: it is put beside.
func TestRBesidePython(t *testing.T) {
	imported(t, "r-python:1", container.Image{Plain: true, Layers: [][]byte{container.Folder(t, "", defaultImage.Root), container.Folder(t, "usr/local", defaultImage.Mounts[0].Source), layerOfR(t)},
		Config: map[string]any{"Env": []string{"PATH=/usr/local/bin:/usr/bin", "PYTHONPATH=/nowhere", "PYTHONHOME=/usr/local"}}})
	s, err := manager(t).Create(t.Context(), session.Options{Image: withClient(t, "r-python:1")}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Execute(t.Context(), "cat(R.version$major, sum(1:9))", session.Exec{Language: "r"}, event.Discard)
	if err != nil || got.Stdout != "4 45" {
		t.Errorf("got %+v, %v", got, err)
	}
	got, err = s.Execute(t.Context(), "import sys; sys.prefix", session.Exec{}, event.Discard)
	if err != nil || got.Result["text"] != "'/usr/local'" {
		t.Errorf("got %+v, %v", got, err)
	}
}
