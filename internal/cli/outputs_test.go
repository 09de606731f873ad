package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/event"
	"praxis/internal/fault"
)

func TestSafeName(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a.txt", "a.txt"},
		{"sub/b.txt", "sub/b.txt"},
		{"größe.csv", "größe.csv"},
		{"../evil", "_./evil"},
		{"a/../../evil", "a/_./_./evil"},
		{"/etc/passwd", "etc/passwd"},
		{"./x", "x"},
		{".bashrc", "_bashrc"},
		{".git/hooks/post-checkout", "_git/hooks/post-checkout"},
		{"-rf", "_rf"},
		{"a\nb\x1b[2J", "a_b_[2J"},
		{"a\u009bb", "a_b"},
		{"a\xffb", "a_b"},
		{"a\u202egpj.exe", `a\u202egpj.exe`},
		{`C:\x`, "C__x"},
		{"", "unnamed"},
		{"///", "unnamed"},
		{strings.Repeat("x", 300) + ".csv", strings.Repeat("x", maxName-4) + ".csv"},
		{strings.Repeat("d/", 30) + "f", strings.Repeat("d/", maxDepth-1) + "f"},
	} {
		if got := safeName(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

// FuzzSafeName checks that no name leads out of the folder or to a hidden file.
func FuzzSafeName(f *testing.F) {
	for _, s := range []string{"../../x", "a//b", ".", "..", "\x00", "a/.../b", "\u202e/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := safeName(in)
		if !filepath.IsLocal(got) {
			t.Fatalf("%q became %q, which is not local", in, got)
		}
		for part := range strings.SplitSeq(got, "/") {
			if part == "" || part[0] == '.' || part[0] == '-' || len(part) > 255 {
				t.Fatalf("%q became %q with the part %q", in, got, part)
			}
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r < 0x20 || (r >= 0x7f && r < 0xa0) }) {
			t.Fatalf("%q became %q, which has a control character", in, got)
		}
	})
}

func fill(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func TestOutFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	o, err := openOut(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := o.save("a.txt", fill("one")); err != nil {
		t.Fatal(err)
	}
	if err := o.save("./a.txt", fill("two")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.txt": "one", "a-2.txt": "two"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}

	// A file that fails half-way leaves what was there, and nothing else.
	broken := errors.New("the guest went away")
	o.taken = map[string]bool{}
	err = o.save("a.txt", func(w io.Writer) error { return errors.Join(fill("half")(w), broken) })
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the cause", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(got) != "one" {
		t.Errorf("a.txt after a failure: got %q, %v", got, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, %v, want two files", entries, err)
	}

	// The bound on all files together holds.
	o.left = 4
	if err := o.save("big", fill("12345")); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("over the bound: got %v", err)
	}
	if err := o.save("fits", fill("1234")); err != nil || o.left != 0 {
		t.Errorf("at the bound: got %v with %d left", err, o.left)
	}
}

func TestPictures(t *testing.T) {
	x := event.Execution{
		Displays: []event.Bundle{
			{"text": "not a picture"},
			{"image/png": "UE5H\nUE5H"},
			{"image/png": "not base64!", "image/svg+xml": "<svg/>"},
		},
		Result: event.Bundle{"text": "x", "image/jpeg": "SlBH"},
	}
	var got []string
	for _, p := range pictures(x) {
		got = append(got, p.ext+" "+string(p.data))
	}
	if want := ".png PNGPNG|.svg <svg/>|.jpg JPG"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCollectorGone checks that a session that is over is not asked for files.
func TestCollectorGone(t *testing.T) {
	w := goneWorkspace{t: t}
	c := collector{dir: filepath.Join(t.TempDir(), "out")}
	found, err := c.end(t.Context(), w, []picture{{".png", []byte("PNG")}}, true)
	if err != nil || len(found.saved) != 1 || found.pictures != 1 {
		t.Errorf("got %+v, %v, want one picture saved", found, err)
	}
}

// goneWorkspace answers nothing.
type goneWorkspace struct {
	workspace
	t *testing.T
}

func (w goneWorkspace) list(context.Context, string) ([]guestFile, error) {
	w.t.Error("the session was asked for its files")
	return nil, nil
}

func TestCheckInputsBound(t *testing.T) {
	if _, err := checkInputs(make([]string, maxInputs+1)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v, want an invalid fault", err)
	}
}

func TestPreview(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, text, want string }{
		{"short.csv", "a,b\n1,2\n", "a,b\n1,2\n"},
		{"long.csv", strings.Repeat("1,2\n", 1000), strings.Repeat("1,2\n", previewLines)},
		{"wide.csv", strings.Repeat("é", 3000), strings.Repeat("é", maxPreview/2)},
		{"binary", "a\x00b", ""},
		{"latin1", "caf\xe9\n", ""},
		{"empty", "", ""},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := checkInput(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := preview(in); err != nil || got != c.want {
			t.Errorf("%s: got %.40q, %v, want %.40q", c.name, got, err, c.want)
		}
	}
}
