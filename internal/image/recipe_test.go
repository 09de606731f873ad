package image

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/seal"
)

// TestRecipe makes an image with packages again in another store, without the index:
// it is the very same.
func TestRecipe(t *testing.T) {
	from, _ := sharedStore(t)
	ix := newIndex(t)
	ix.wheel(t, "travels", "1.0", anyTag, map[string]string{"travels.py": "N = 1\n"})
	img, err := from.Resolve(t.Context(), Request{With: []string{"travels"}}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r, err := from.Recipe(t.Context(), img, event.Discard)
	if err != nil || len(r.Wheels) != 1 || r.ID != img.ID {
		t.Fatalf("%+v, %v", r, err)
	}
	ix.Close()

	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, "store", kindPython), os.DirFS(filepath.Join(from.dir, kindPython))); err != nil {
		t.Fatal(err)
	}
	key, err := seal.OfHome(filepath.Dir(from.dir))
	if err != nil {
		t.Fatal(err)
	}
	to, err := Open(filepath.Join(home, "store"), key)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if _, err := to.Make(t.Context(), r, event.Discard); fault.KindOf(err) != fault.NotFound {
		t.Errorf("without the wheels: %v", err)
	}
	wheel, err := from.OpenWheel(r.Wheels[0].SHA256)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(wheel)
	if err = errors.Join(err, wheel.Close()); err != nil {
		t.Fatal(err)
	}
	if err := to.AddWheel(r.Wheels[0].SHA256, strings.NewReader(string(data)+"x")); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a wheel that was changed: %v", err)
	}
	if err := to.AddWheel(r.Wheels[0].SHA256, strings.NewReader(string(data))); err != nil {
		t.Fatal(err)
	}
	again, err := to.Make(t.Context(), r, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if again.ID != img.ID || !reflect.DeepEqual(again.Packages, img.Packages) || !reflect.DeepEqual(again.Runtimes, img.Runtimes) {
		t.Errorf("got %+v, want %+v", again, img)
	}
	for name, change := range map[string]func(*Recipe){
		"another identity":  func(r *Recipe) { r.ID = strings.Repeat("0", 32) },
		"a path for a file": func(r *Recipe) { r.Wheels[0].File = "../" + r.Wheels[0].File },
		"a digest of none":  func(r *Recipe) { r.Wheels[0].SHA256 = "../../etc/passwd" },
		"code for a module": func(r *Recipe) { r.Preload = []string{"os; os.system('x')"} },
		"a name of markup":  func(r *Recipe) { r.Name = "\x1b[31m" },
	} {
		bad := r
		bad.Wheels = slices.Clone(r.Wheels)
		change(&bad)
		if _, err := to.Make(t.Context(), bad, event.Discard); fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
}
