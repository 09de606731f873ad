package python

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRefresh checks that an interpreter finds packages which were put into a folder
// after it looked for them, also where the folder is a new one and where a package
// adds folders of its own, and that no name is left.
func TestRefresh(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	dir := filepath.Join(t.TempDir(), "packages")
	k.Run("x = 1\nnames = sorted(globals())")
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, module := range []string{"added_first", "added_second", "added_beside"} {
		if o := k.Run("import " + module); o.Done.Error == nil || o.Done.Error.Name != "ModuleNotFoundError" {
			t.Fatalf("%s: %+v", module, o.Done)
		}
		if i < 2 {
			put(module+".py", "N = 7\n")
		} else {
			put("beside.pth", "more\n")
			put("more/"+module+".py", "N = 7\n")
		}
		if o := k.Run(Language().Refresh(dir)); o.Done.Status != "ok" || o.Stdout+o.Stderr != "" {
			t.Fatalf("%s: %+v %q", module, o.Done, o.Stdout+o.Stderr)
		}
		if got := k.Text("__import__('" + module + "').N + x"); got != "8" {
			t.Errorf("%s: got %s", module, got)
		}
	}
	if got := k.Text("__import__('sys').path.count(" + quote(dir) + "), sorted(globals()) == sorted([*names, 'names'])"); got != "(1, True)" {
		t.Errorf("the folder is searched so often, and names are as they were: %s", got)
	}
}
