package guest_test

import (
	"os"
	"path/filepath"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest/wire"
)

// An execution finds the variables that came with it, and the next one what was there before.
func TestVariablesOfAnExecution(t *testing.T) {
	t.Parallel()
	b := start(t, func(s *wire.Setup) { s.Env = map[string]string{"OF_ALL": "all"} })
	const get = "import os; os.environ.get('OF_ALL'), os.environ.get('OF_ONE')"
	for _, c := range []struct {
		environ map[string]string
		want    string
	}{
		{nil, "('all', None)"},
		{map[string]string{"OF_ALL": "other", "OF_ONE": "1"}, "('other', '1')"},
		{map[string]string{"OF_ONE": "2"}, "('all', '2')"},
		{nil, "('all', None)"},
	} {
		if x := b.exec(wire.Execute{Code: get, Environ: c.environ}); x.Result["text"] != c.want {
			t.Errorf("with %v: got %+v, want %s", c.environ, x, c.want)
		}
	}
	for _, bad := range []wire.Execute{{Environ: map[string]string{"A=B": ""}}, {Environ: map[string]string{"A": "\x00"}}, {Folder: "relative"}, {Folder: "/a/../b"}} {
		if _, err := b.Execute(b.ctx(), bad, nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: got %v", bad, err)
		}
	}
}

// A context works in the folder that it was given: one that is made, one that runs already, and
// each after its interpreter ended. Where code went by itself it stays.
func TestFolderOfAContext(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(folder, "below")
	if err := os.Mkdir(below, 0o777); err != nil {
		t.Fatal(err)
	}
	const get = "import os; os.getcwd()"
	in := func(context, folder, code, want string) {
		t.Helper()
		if x := b.exec(wire.Execute{Context: context, Folder: folder, Code: code}); x.Status != event.OK || x.Result["text"] != "'"+want+"'" {
			t.Errorf("%s in %q: got %+v, want %s", code, context, x, want)
		}
	}
	in("main", folder, get, folder)
	in("main", folder, "os.chdir('/'); os.getcwd()", "/")
	in("main", folder, get, "/")
	in("main", below, get, below)
	in("other", below, get, below)
	b.exec(wire.Execute{Context: "other", Code: "os._exit(1)"})
	in("other", "", get, below)
	list, err := b.Contexts(b.ctx())
	if err != nil || len(list) != 2 || list[1].Folder != below || list[1].Executions != 1 || list[0].Executions != 4 {
		t.Errorf("got %+v, %v", list, err)
	}
}
