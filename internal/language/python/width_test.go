package python

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWidth checks that the width of a cell reaches what prints tables and lists, that
// the next cell has its own, and that what the program chose stays.
func TestWidth(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"numpy.py":  "o = {}\ndef set_printoptions(linewidth): o['linewidth'] = linewidth\ndef get_printoptions(): return o\n",
		"pandas.py": "o = {}\nset_option = o.__setitem__\nget_option = o.__getitem__\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k := start(t, nil, "PYTHONPATH="+dir)
	const all = `print(numpy.get_printoptions()["linewidth"], pandas.get_option("display.width"), shutil.get_terminal_size().columns, os.environ.get("COLUMNS"))`
	k.Run("import os, shutil, numpy")
	for _, c := range []struct {
		columns int
		code    string
		want    string
	}{
		{120, "import pandas; " + all, "120 120 120 120\n"},
		{44, all, "44 44 44 44\n"},
		{0, all, "80 80 80 None\n"},
		{44, `pandas.set_option("display.width", 7); os.environ["COLUMNS"] = "9"; ` + all, "44 7 9 9\n"},
		{60, all, "60 7 9 9\n"},
		{0, `os.environ = None; print(numpy.get_printoptions()["linewidth"])`, "80\n"},
		{50, `print(1)`, "1\n"},
	} {
		if o := k.RunAt(c.code, c.columns); o.Stdout != c.want || o.Done.Status != "ok" {
			t.Errorf("at %d columns, %s: %q, want %q (%+v)", c.columns, c.code, o.Stdout, c.want, o.Done.Error)
		}
	}
	const list = `["aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb"]`
	if wide, narrow := k.RunAt(list, 100), k.RunAt(list, 30); wide.Done.Result["text"] == narrow.Done.Result["text"] {
		t.Error("a list looks alike at 100 and at 30 columns")
	}
}
