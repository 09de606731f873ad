package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"praxis/event"
	"praxis/fault"
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
	o, err := openFolder(dir, nil, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := o.Save("a.txt", fill("one")); err != nil {
		t.Fatal(err)
	}
	if err := o.Save("./a.txt", fill("two")); err != nil {
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
	err = o.Save("a.txt", func(w io.Writer) error { return errors.Join(fill("half")(w), broken) })
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
	if err := o.Save("big", fill("12345")); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("over the bound: got %v", err)
	}
	if err := o.Save("fits", fill("1234")); err != nil || o.left != 0 {
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
	for _, p := range Pictures(x) {
		got = append(got, p.Ext+" "+string(p.Data))
	}
	if want := ".png PNGPNG|.svg <svg/>|.jpg JPG"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOwnFiles checks that no file of the person's own is replaced, by whatever
// name the folder knows it.
func TestOwnFiles(t *testing.T) {
	for _, c := range []struct {
		name, own, saved string // own is named on the command line
		prepare          func(dir string) error
	}{
		{"plain", "out/a.txt", "a-2.txt", nil},
		{"named from elsewhere", "out/../out/./a.txt", "a-2.txt", nil},
		{"a link out of the folder", "out/link.txt", "link-2.txt", func(dir string) error {
			return os.Symlink(filepath.Join(dir, "far.txt"), filepath.Join(dir, "out/link.txt"))
		}},
		{"a relative link out of the folder", "out/link.txt", "link-2.txt", func(dir string) error {
			return os.Symlink("../far.txt", filepath.Join(dir, "out/link.txt"))
		}},
		{"a link that only the folder has", "far.txt", "link-2.txt", func(dir string) error {
			return os.Symlink("../far.txt", filepath.Join(dir, "out/link.txt"))
		}},
		{"a link within the folder", "out/a.txt", "link-2.txt", func(dir string) error {
			return os.Symlink("a.txt", filepath.Join(dir, "out/link.txt"))
		}},
		{"a link that goes in a circle", "far.txt", "link-2.txt", func(dir string) error {
			return os.Symlink("link.txt", filepath.Join(dir, "out/link.txt"))
		}},
		{"a link that leads nowhere, by name", "out/link.txt", "link-2.txt", func(dir string) error {
			return os.Symlink("gone.txt", filepath.Join(dir, "out/link.txt"))
		}},
		{"another name of the file", "far.txt", "hard-2.txt", func(dir string) error {
			return os.Link(filepath.Join(dir, "far.txt"), filepath.Join(dir, "out/hard.txt"))
		}},
		{"by another name of the folder", "alias/link.txt", "link-2.txt", func(dir string) error {
			return errors.Join(os.Symlink("out", filepath.Join(dir, "alias")),
				os.Symlink("gone.txt", filepath.Join(dir, "out/link.txt")))
		}},
		{"not the person's", "far.txt", "a.txt", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			if err := errors.Join(os.Mkdir(out, 0o755), os.WriteFile(filepath.Join(dir, "far.txt"), []byte("mine"), 0o600),
				os.WriteFile(filepath.Join(out, "a.txt"), []byte("mine"), 0o600)); err != nil {
				t.Fatal(err)
			}
			if c.prepare != nil {
				if err := c.prepare(dir); err != nil {
					t.Fatal(err)
				}
			}
			o, err := openFolder(out, ownFiles("", dir+"/"+c.own), 100)
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			if err := o.Save(strings.Replace(c.saved, "-2", "", 1), fill("theirs")); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(out, c.saved)); err != nil || string(got) != "theirs" {
				t.Errorf("%s holds %q, %v", c.saved, got, err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "far.txt")); err != nil || string(got) != "mine" {
				t.Errorf("far.txt holds %q, %v", got, err)
			}
		})
	}
}

// hostileFiles lists files and sends contents as a test says.
type hostileFiles struct {
	files []File
	limit int64
	hang  bool // a listing and a file never end
	lists int
}

// Limits bounds the disk.
func (w *hostileFiles) Limits() event.Limits { return event.Limits{Disk: w.limit} }

// Files lists what there is, or never ends.
func (w *hostileFiles) Files(ctx context.Context, _ string) ([]File, error) {
	w.lists++
	if w.hang && w.lists > 1 {
		<-ctx.Done()
		return nil, fault.New(fault.Canceled, "", "cannot list folder: %w", ctx.Err())
	}
	if w.lists == 1 {
		return nil, nil
	}
	return w.files, nil
}

// ReadFile sends without end.
func (w *hostileFiles) ReadFile(ctx context.Context, name string, to io.Writer) error {
	for ctx.Err() == nil {
		if strings.HasSuffix(name, "small") {
			_, err := to.Write(make([]byte, 10))
			return err
		}
		if w.limit == 0 {
			<-ctx.Done()
		} else if _, err := to.Write(make([]byte, 1000)); err != nil {
			return fmt.Errorf("cannot read file: %w", err)
		}
	}
	return ctx.Err()
}

// TestDiskLimitBoundsOut checks that files with holes, and a guest that lies
// about lengths, fill no more of this machine's disk than the session's limit.
func TestDiskLimitBoundsOut(t *testing.T) {
	for _, reported := range []int64{3 << 30, 1} {
		w := &hostileFiles{limit: 64 << 10, files: []File{
			{Path: "/work/a-small", Regular: true, Bytes: 10},
			{Path: "/work/holes", Regular: true, Bytes: reported},
		}}
		c := collector{dir: filepath.Join(t.TempDir(), "out")}
		if err := c.begin(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		c.pictures = []Picture{{".png", []byte("PNG")}}
		found, err := c.save(t.Context(), w)
		if fault.KindOf(err) != fault.Exhausted || !strings.Contains(err.Error(), "/out/holes: all files together are more than the session's disk limit of 64KiB") {
			t.Errorf("reported %d: got %v", reported, err)
		}
		var bytes int64
		entries, err := os.ReadDir(c.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			bytes += info.Size()
		}
		if len(entries) != 2 || bytes != 13 || len(found.Saved) != 2 {
			t.Errorf("reported %d: the folder contains %v, %d bytes; saved %v", reported, entries, bytes, found.Saved)
		}
	}
}

// TestOutGoesOn saves what can be saved after files that cannot be: one with holes,
// and one whose place is taken.
func TestOutGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := os.MkdirAll(filepath.Join(dir, "taken-small"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "in"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w := &hostileFiles{limit: 64 << 10, files: []File{
		{Path: "/work/a-holes", Regular: true, Bytes: 3 << 30},
		{Path: "/work/in/the-way-small", Regular: true, Bytes: 10},
		{Path: "/work/taken-small", Regular: true, Bytes: 10},
		{Path: "/work/z-good-small", Regular: true, Bytes: 10},
	}}
	c := collector{dir: dir}
	if err := c.begin(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	found, err := c.save(t.Context(), w)
	if len(found.Saved) != 1 || filepath.Base(found.Saved[0].Path) != "z-good-small" {
		t.Errorf("saved %v", found.Saved)
	}
	for _, want := range []string{"cannot save 3 of 4 files: ", "a-holes: all files together are more than", "in is in the way", "taken-small: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	if fault.KindOf(err) != fault.Exhausted || fault.RemedyOf(err) == "" {
		t.Errorf("%v (%v)", err, fault.KindOf(err))
	}
}

// TestSlowGuest checks that a guest that draws out a listing or a file does not
// hold up the command, and that pictures, which are here already, are saved.
func TestSlowGuest(t *testing.T) {
	for _, hang := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := &hostileFiles{hang: hang, files: []File{{Path: "/work/endless", Regular: true}}}
			c := collector{dir: filepath.Join(t.TempDir(), "out")}
			if err := c.begin(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			began, bound, want := time.Now(), listTime, "cannot list the session's files: it took longer than 5m0s"
			if !hang {
				bound, want = copyTime, "cannot save all of what the code made: it took longer than 15m0s"
				w.limit = 0
			}
			var pics []Picture
			if hang {
				w.limit, pics = 1000, []Picture{{".png", []byte("PNG")}}
			}
			c.pictures = pics
			found, err := c.save(t.Context(), w)
			if fault.KindOf(err) != fault.Exhausted || err.Error() != want || fault.RemedyOf(err) == "" {
				t.Errorf("got %v, want %s", err, want)
			}
			if took := time.Since(began); took != bound {
				t.Errorf("it took %s, want %s", took, bound)
			}
			if len(found.Saved) != len(pics) {
				t.Errorf("saved %v of %d pictures", found.Saved, len(pics))
			}
		})
	}
}

// TestUnlisted checks that a folder that cannot be listed costs no more than the
// files: the code runs, and without --out the person only gets a message.
func TestUnlisted(t *testing.T) {
	refused := fault.New(fault.Exhausted, "", "cannot list folder: too many\x1b[2J files")
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "out")} {
		w := refusingFiles{err: refused}
		c := collector{dir: dir}
		if err := c.begin(t.Context(), w); err != nil {
			t.Fatalf("begin: %v", err)
		}
		found, err := c.save(t.Context(), w)
		if dir != "" {
			if !errors.Is(err, refused) {
				t.Errorf("with a folder: got %v", err)
			}
			continue
		}
		if err != nil || !errors.Is(found.Unlisted, refused) {
			t.Errorf("without a folder: got %v and %v, want why the files are not known", err, found.Unlisted)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := new(collector).begin(ctx, refusingFiles{err: refused}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
}

// refusingFiles cannot be listed.
type refusingFiles struct {
	*hostileFiles
	err error
}

// Files refuses to be listed.
func (w refusingFiles) Files(context.Context, string) ([]File, error) { return nil, w.err }

// TestCollectorGone checks that a session that is over is not asked for files.
func TestCollectorGone(t *testing.T) {
	w := goneFiles{t: t}
	c := collector{dir: filepath.Join(t.TempDir(), "out"), pictures: []Picture{{".png", []byte("PNG")}}, gone: true}
	found, err := c.save(t.Context(), w)
	if err != nil || len(found.Saved) != 1 || found.Pictures != 1 {
		t.Errorf("got %+v, %v, want one picture saved", found, err)
	}
}

// goneFiles answers nothing.
type goneFiles struct {
	*hostileFiles
	t *testing.T
}

// Limits bounds the disk.
func (w goneFiles) Limits() event.Limits { return event.Limits{Disk: 1 << 20} }

// Files is not to be asked.
func (w goneFiles) Files(context.Context, string) ([]File, error) {
	w.t.Error("the session was asked for its files")
	return nil, nil
}

func TestLocalFilesBound(t *testing.T) {
	dir := t.TempDir()
	for i := range MaxInputs + 1 {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := LocalFiles([]string{dir}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v, want an invalid fault", err)
	}
}
