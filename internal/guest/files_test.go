package guest_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
)

// touch makes an empty file in the working folder behind the agent's back.
func (b *bed) touch(name string) {
	if err := os.WriteFile(filepath.Join(b.work, name), nil, 0o644); err != nil {
		b.t.Error(err)
	}
}

func (b *bed) write(path, text string) {
	b.t.Helper()
	if _, err := b.WriteFile(b.ctx(), path, strings.NewReader(text), 0); err != nil {
		b.t.Fatalf("write %s: %v", path, err)
	}
}

func (b *bed) read(path string) (string, error) {
	var s strings.Builder
	_, err := b.ReadFile(b.ctx(), path, &s)
	return s.String(), err
}

func TestFiles(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	big := strings.Repeat("0123456789abcdef", 300_000) // more than several windows
	info, err := b.WriteFile(b.ctx(), "sub/dir/big.bin", strings.NewReader(big), 0o600)
	if err != nil || info.Size != int64(len(big)) || info.Mode != 0o600 || info.Path != filepath.Join(b.work, "sub/dir/big.bin") || info.Kind != wire.KindFile {
		t.Fatalf("got %+v, %v", info, err)
	}
	if got, err := b.read(filepath.Join(b.work, "sub/dir/big.bin")); err != nil || got != big {
		t.Errorf("read %d bytes back, %v", len(got), err)
	}
	b.write("a.txt", "one")
	b.write("a.txt", "two")
	if got, _ := b.read("a.txt"); got != "two" {
		t.Errorf("a file that was written twice holds %q", got)
	}
	if err := os.Symlink("a.txt", filepath.Join(b.work, "link")); err != nil {
		t.Fatal(err)
	}
	if st, err := b.Stat(b.ctx(), "link"); err != nil || st.Kind != wire.KindSymlink || st.Target != "a.txt" {
		t.Errorf("stat of a link: %+v, %v", st, err)
	}
	if got, err := b.read("link"); err != nil || got != "two" {
		t.Errorf("a link within the root: %q, %v", got, err)
	}
	if err := b.Mkdir(b.ctx(), "m/n"); err != nil {
		t.Error(err)
	}
	if err := b.Move(b.ctx(), "a.txt", "m/b.txt"); err != nil {
		t.Error(err)
	}
	if err := b.Move(b.ctx(), "m/b.txt", filepath.Join(b.temp, "c.txt")); err != nil {
		t.Error(err)
	}
	if got, err := b.read(filepath.Join(b.temp, "c.txt")); err != nil || got != "two" {
		t.Errorf("moved to another root: %q, %v", got, err)
	}
	list, err := b.List(b.ctx(), ".", true)
	var names []string
	for _, i := range list {
		names = append(names, strings.TrimPrefix(i.Path, b.work+"/")+":"+i.Kind)
	}
	if got, want := strings.Join(names, " "), "link:symlink m:folder m/n:folder sub:folder sub/dir:folder sub/dir/big.bin:file"; err != nil || got != want {
		t.Errorf("list: got %q, want %q, %v", got, want, err)
	}
	if list, err = b.List(b.ctx(), "", false); fault.KindOf(err) != fault.Invalid {
		t.Errorf("list of no path: %v, %v", list, err)
	}
	if err := b.Remove(b.ctx(), "sub", false); fault.KindOf(err) != fault.Conflict {
		t.Errorf("remove of a folder that is not empty: %v", err)
	}
	if err := b.Remove(b.ctx(), "sub", true); err != nil {
		t.Error(err)
	}
	if err := b.Remove(b.ctx(), "sub", true); fault.KindOf(err) != fault.NotFound {
		t.Errorf("removed twice: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(b.work, ".praxis-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestManyFiles(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run("for i in range(3000): open(f'{i:05d}-' + 'n' * 200, 'w').close()")
	list, err := b.List(b.ctx(), b.work, false)
	if err != nil || len(list) != 3000 || !strings.HasPrefix(filepath.Base(list[2999].Path), "02999-") {
		t.Errorf("got %d entries, %v", len(list), err)
	}
}

// nest makes folders within folders that are called name, by descriptors: their
// path may be longer than any that the system takes. It returns the deepest.
func nest(t *testing.T, dir, name string, n int) *os.Root {
	t.Helper()
	r, err := os.OpenRoot(dir)
	for range n {
		if err == nil {
			err = r.Mkdir(name, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		next, failed := r.OpenRoot(name)
		r.Close()
		r, err = next, failed
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func fill(t *testing.T, r *os.Root, n int) {
	t.Helper()
	for i := range n {
		f, err := r.Create(fmt.Sprintf("%05d", i))
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}

// TestDeepFolders has more in it than a path can name.
func TestDeepFolders(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	long := strings.Repeat("d", 200)
	fill(t, nest(t, b.work, long, 100), 3)
	b.write("z", "here")
	l, err := b.Find(b.ctx(), wire.List{Path: b.work, Recursive: true})
	if n := len(l.Files); err != nil || n < 15 || n > 21 || l.Files[n-1].Path != filepath.Join(b.work, "z") || l.LeftOut != 1 {
		t.Fatalf("got %d entries and %d left out, %v", len(l.Files), l.LeftOut, err)
	}
	for _, i := range l.Files {
		if st, err := b.Stat(b.ctx(), i.Path); err != nil || st.Path != i.Path {
			t.Errorf("an entry of the listing is not there: %v", err)
		}
	}
	if err := b.Archive(b.ctx(), wire.Tar, []string{b.work}, io.Discard); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "longer than 4096 bytes") {
		t.Errorf("archive: %.300v", err)
	}
	ctx, cancel := context.WithCancel(b.ctx())
	if err := b.Watch(ctx, b.work, true, func(wire.Change) { cancel() }); err != nil {
		t.Errorf("watch: %v", err)
	}
	if err := b.Mkdir(b.ctx(), strings.Repeat("e/", 2047)+"e"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a path that is too long below the working folder: %v", err)
	}
	if err := b.Ping(b.ctx()); err != nil {
		t.Errorf("the session is lost: %v", err)
	}
	if err := b.Remove(b.ctx(), long, true); err != nil {
		t.Error(err)
	}
}

// TestManyLevels goes as deep as a walk goes and no deeper.
func TestManyLevels(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	fill(t, nest(t, b.work, "d", 64), 2)
	l, err := b.Find(b.ctx(), wire.List{Path: b.work, Recursive: true})
	if err != nil || len(l.Files) != 66 || l.LeftOut != 0 {
		t.Errorf("64 levels: %d entries and %d left out, %v", len(l.Files), l.LeftOut, err)
	}
	nest(t, b.temp, "d", 200)
	l, err = b.Find(b.ctx(), wire.List{Path: b.temp, Recursive: true})
	if err != nil || len(l.Files) != 65 || l.LeftOut != 1 {
		t.Errorf("200 levels: %d entries and %d left out, %v", len(l.Files), l.LeftOut, err)
	}
}

// TestListingIsBounded makes few files whose paths are long.
func TestListingIsBounded(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	deep := nest(t, b.work, strings.Repeat("d", 200), 18)
	fill(t, deep, 6000)
	l, err := b.Find(b.ctx(), wire.List{Path: b.work, Recursive: true})
	if fault.KindOf(err) != fault.Exhausted || !strings.Contains(err.Error(), "16 MiB") || len(l.Files) != 0 {
		t.Errorf("got %d entries, %v", len(l.Files), err)
	}
	ctx, cancel := context.WithCancel(b.ctx())
	defer cancel()
	if err := b.Watch(ctx, b.work, true, func(wire.Change) { cancel() }); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("watch: %v", err)
	}
	l, err = b.Find(b.ctx(), wire.List{Path: b.work, Recursive: true, Skip: []string{strings.Repeat("d", 200)}})
	if err != nil || len(l.Files) != 0 {
		t.Errorf("passed over: %d entries, %v", len(l.Files), err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	for _, name := range []string{"a/__pycache__/x.pyc", "a/b", "__pycache__/y", "c"} {
		b.write(name, "")
	}
	b.run(`import os; os.symlink("c", "link"); open(b"\xff" * 100, "w").close(); os.mkdir("shut"); os.mkdir("shut/in")`)
	names := func(l guest.Listing) string {
		var out []string
		for _, i := range l.Files {
			out = append(out, strings.TrimPrefix(i.Path, b.work+"/"))
		}
		return strings.Join(out, " ")
	}
	odd := strings.Repeat("\uFFFD", 100)
	l, err := b.Find(b.ctx(), wire.List{Path: ".", Recursive: true, FilesOnly: true, Skip: []string{"__pycache__", "c"}})
	if got, want := names(l), "a/b c "+odd; err != nil || got != want || l.LeftOut != 0 {
		t.Errorf("got %q, want %q, %d left out, %v", got, want, l.LeftOut, err)
	}
	l, err = b.Find(b.ctx(), wire.List{Path: "."})
	if got, want := names(l), "__pycache__ a c link shut "+odd; err != nil || got != want {
		t.Errorf("got %q, want %q, %v", got, want, err)
	}
	if _, err := b.Find(b.ctx(), wire.List{Path: ".", Skip: make([]string, wire.MaxSkip+1)}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("too many names to pass over: %v", err)
	}
}

// TestListLeftOutIsCounted lists what the user may not read.
func TestListLeftOutIsCounted(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("skipped: root may read every folder")
	}
	b := start(t, nil)
	b.run(`import os; os.mkdir("shut"); os.mkdir("shut/in"); os.chmod("shut", 0)`)
	defer os.Chmod(filepath.Join(b.work, "shut"), 0o755)
	if l, err := b.Find(b.ctx(), wire.List{Path: ".", Recursive: true}); err != nil || len(l.Files) != 1 || l.LeftOut != 1 {
		t.Errorf("got %d entries and %d left out, %v", len(l.Files), l.LeftOut, err)
	}
}

// TestCopyFolder copies a tree: files with their rights, no links, and only into the folder.
func TestCopyFolder(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	from := t.TempDir()
	big := strings.Repeat("x", 3<<20) // more than a window
	for name, text := range map[string]string{"a.py": "one", "pack/big": big, "pack/run": "#!"} {
		path := filepath.Join(from, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("/etc/passwd", filepath.Join(from, "link")), os.Chmod(filepath.Join(from, "pack/run"), 0o755)); err != nil {
		t.Fatal(err)
	}
	b.write("into/a.py", "old")
	if err := b.CopyFolder(b.ctx(), b.work+"/into", os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.py": "one", "pack/big": big} {
		if got, err := b.read("into/" + name); err != nil || got != want {
			t.Errorf("%s holds %d bytes, want %d, %v", name, len(got), len(want), err)
		}
	}
	if info, err := b.Stat(b.ctx(), "into/pack/run"); err != nil || info.Mode != 0o755 {
		t.Errorf("a program: %+v, %v", info, err)
	}
	if _, err := b.Stat(b.ctx(), "into/link"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a link: %v", err)
	}
	if err := b.CopyFolder(b.ctx(), "/etc", os.DirFS(from)); err == nil {
		t.Error("a tree was copied out of the roots")
	}
	if err := b.CopyFolder(b.ctx(), b.work+"/into", os.DirFS(filepath.Join(from, "none"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a tree that is not there: %v", err)
	}
}

func TestFailedUploadLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.write("f", "old")
	bad := io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20)), errReader{})
	if _, err := b.WriteFile(b.ctx(), "f", bad, 0); !errors.Is(err, errTest) {
		t.Errorf("got %v", err)
	}
	if got, err := b.read("f"); err != nil || got != "old" {
		t.Errorf("the file holds %d bytes, %v", len(got), err)
	}
	ctx, cancel := context.WithCancel(b.ctx())
	if _, err := b.ReadFile(ctx, "f", writerFunc(func([]byte) (int, error) { cancel(); return 0, errTest })); !errors.Is(err, errTest) {
		t.Errorf("a writer that fails: %v", err)
	}
	b.eventually("no temporary file is left", func() bool {
		left, _ := filepath.Glob(filepath.Join(b.work, ".praxis-*"))
		return len(left) == 0
	})
	if _, err := b.WriteFile(b.ctx(), b.work, strings.NewReader("x"), 0); err == nil {
		t.Error("a root was written")
	}
}

var errTest = errors.New("test")

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errTest }

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestPathsStayInside tries every op with paths that lead out of the roots.
func TestPathsStayInside(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"abs": secret, "absdir": outside, "up": "../../../../../../../../../.." + secret,
		"updir": "../../../../../../../../../.." + outside, "loop": "loop", "root": "/", "proc": "/proc/self",
	} {
		if err := os.Symlink(target, filepath.Join(b.work, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(b.work, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.write("inside", "x")
	rel, _ := filepath.Rel(b.work, secret)
	paths := []string{
		secret, rel, "../" + rel, "abs", "up", "absdir/secret", "updir/secret", "loop", "loop/x", "root" + secret, "proc/root" + secret,
		"./inside/../../../" + rel, b.work + "/../../" + filepath.Base(outside) + "/secret", "/etc/passwd", "/proc/self/environ", "fifo", "x\x00y",
		b.work + "x/secret", strings.Repeat("a/", 3000),
	}
	for _, p := range paths {
		if got, err := b.read(p); err == nil {
			t.Errorf("read %q gave %q", p, got)
		}
		if p != "loop" && p != "abs" && p != "up" && p != "fifo" { // a write takes the place of a link: nothing is followed
			if _, err := b.WriteFile(b.ctx(), p, strings.NewReader("evil"), 0); err == nil {
				t.Errorf("wrote %q", p)
			}
			if err := b.Move(b.ctx(), "inside", p); err == nil {
				t.Errorf("moved to %q", p)
			}
			if err := b.Remove(b.ctx(), p, true); err == nil {
				t.Errorf("removed %q", p)
			}
		}
		if list, err := b.List(b.ctx(), p, true); err == nil {
			t.Errorf("listed %q: %v", p, list)
		}
		if err := b.Mkdir(b.ctx(), p+"/new"); err == nil {
			t.Errorf("made a folder in %q", p)
		}
		if err := b.Archive(b.ctx(), wire.Tar, []string{p + "/."}, io.Discard); err == nil && p != "abs" && p != "up" && p != "loop" && p != "fifo" {
			t.Errorf("archived %q", p)
		}
		if err := b.Extract(b.ctx(), wire.Tar, p, bytes.NewReader(nil)); err == nil {
			t.Errorf("extracted to %q", p)
		}
		if _, err := b.Start(b.ctx(), wire.Process{Argv: []string{"true"}, Cwd: p}, nil); err == nil {
			t.Errorf("started in %q", p)
		}
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "secret" {
		t.Errorf("the file outside holds %q, %v", text, err)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("the folder outside holds %v", entries)
	}
	for _, root := range b.Roots {
		if err := b.Remove(b.ctx(), root, true); fault.KindOf(err) != fault.Denied {
			t.Errorf("remove of the root %s: %v", root, err)
		}
	}
}

// TestWriteReplacesLink writes through the name of a link that leads outside.
func TestWriteReplacesLink(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	secret := filepath.Join(t.TempDir(), "secret")
	os.WriteFile(secret, []byte("secret"), 0o644)
	os.Symlink(secret, filepath.Join(b.work, "l"))
	b.write("l", "mine")
	if got, err := b.read("l"); got != "mine" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if text, _ := os.ReadFile(secret); string(text) != "secret" {
		t.Errorf("the file outside holds %q", text)
	}
}

func TestArchives(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.write("d/one.txt", "1")
	b.write("d/deep/two.bin", strings.Repeat("two", 1<<18))
	os.Symlink("one.txt", filepath.Join(b.work, "d/link"))
	os.Chmod(filepath.Join(b.work, "d/one.txt"), 0o755)
	for _, format := range []string{wire.Tar, wire.Zip} {
		var packed bytes.Buffer
		if err := b.Archive(b.ctx(), format, []string{"d"}, &packed); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		dir := "out-" + format
		if err := b.Extract(b.ctx(), format, dir, bytes.NewReader(packed.Bytes())); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if got, err := b.read(dir + "/d/deep/two.bin"); err != nil || got != strings.Repeat("two", 1<<18) {
			t.Errorf("%s: %d bytes, %v", format, len(got), err)
		}
		if st, err := b.Stat(b.ctx(), dir+"/d/one.txt"); err != nil || st.Mode != 0o755 {
			t.Errorf("%s: %+v, %v", format, st, err)
		}
		if st, err := b.Stat(b.ctx(), dir+"/d/link"); err != nil || st.Kind != wire.KindSymlink || st.Target != "one.txt" {
			t.Errorf("%s: %+v, %v", format, st, err)
		}
		if err := b.Extract(b.ctx(), format, "cut", bytes.NewReader(packed.Bytes()[:packed.Len()/2])); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: half of it: %v", format, err)
		}
		if err := b.Extract(b.ctx(), format, "junk", strings.NewReader(strings.Repeat("junk", 1000))); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: junk: %v", format, err)
		}
	}
	var root bytes.Buffer
	if err := b.Archive(b.ctx(), wire.Tar, []string{b.work}, &root); err != nil {
		t.Fatal(err)
	}
	if h, err := tar.NewReader(&root).Next(); err != nil || h.Name != "work/" {
		t.Errorf("the first entry is %+v, %v", h, err)
	}
	if err := b.Archive(b.ctx(), "rar", []string{"d"}, io.Discard); fault.KindOf(err) != fault.Invalid {
		t.Errorf("rar: %v", err)
	}
}

// TestHostileArchives unpacks archives that try to leave their folder.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	outside := t.TempDir()
	evil := []*tar.Header{
		{Name: "../evil", Typeflag: tar.TypeReg},
		{Name: "/" + outside + "/evil", Typeflag: tar.TypeReg},
		{Name: outside + "/evil", Typeflag: tar.TypeReg},
		{Name: "a/../../evil", Typeflag: tar.TypeReg},
		{Name: "l", Typeflag: tar.TypeSymlink, Linkname: outside},
		{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "../.."},
		{Name: "a/l", Typeflag: tar.TypeSymlink, Linkname: "../../x"},
		{Name: "l", Typeflag: tar.TypeLink, Linkname: "../evil"},
		{Name: "l", Typeflag: tar.TypeLink, Linkname: outside + "/x"},
		{Name: "made-outside-link/evil", Typeflag: tar.TypeReg},
		{Name: "fifo", Typeflag: tar.TypeFifo},
		{Name: "dev", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3},
	}
	os.MkdirAll(filepath.Join(b.work, "x"), 0o755)
	os.Symlink(outside, filepath.Join(b.work, "x/made-outside-link"))
	for i, h := range evil {
		var text bytes.Buffer
		w := tar.NewWriter(&text)
		h.Mode = 0o644
		w.WriteHeader(h)
		w.Close()
		if err := b.Extract(b.ctx(), wire.Tar, "x", &text); err == nil {
			t.Errorf("tar %d: %q was unpacked", i, h.Name)
		}
		if h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeSymlink {
			continue
		}
		text.Reset()
		z := zip.NewWriter(&text)
		zh := &zip.FileHeader{Name: h.Name}
		zh.SetMode(0o644)
		if h.Typeflag == tar.TypeSymlink {
			zh.SetMode(os.ModeSymlink | 0o777)
		}
		f, _ := z.CreateHeader(zh)
		io.WriteString(f, h.Linkname)
		z.Close()
		if err := b.Extract(b.ctx(), wire.Zip, "x", &text); err == nil {
			t.Errorf("zip %d: %q was unpacked", i, h.Name)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("the folder outside holds %v", entries)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	w.WriteHeader(&tar.Header{Name: "./suid", Typeflag: tar.TypeReg, Mode: 0o6755, Size: 2})
	io.WriteString(w, "ok")
	w.Close()
	z.Close()
	if err := b.Extract(b.ctx(), wire.Tar, "gz", &packed); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(filepath.Join(b.work, "gz/suid")); err != nil || st.Mode() != 0o755 {
		t.Errorf("got %v, %v", st, err)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.write("there", "1")
	ctx, cancel := context.WithCancel(b.ctx())
	changes := make(chan string, 100)
	done := make(chan error, 1)
	go func() {
		done <- b.Watch(ctx, b.work, true, func(c wire.Change) {
			changes <- c.Type + " " + strings.TrimPrefix(c.Path, b.work+"/")
		})
	}()
	next := func(want string) {
		t.Helper()
		select {
		case got := <-changes:
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		case <-ctx.Done():
			t.Fatal("no change came")
		}
	}
	next("rescan " + b.work)
	b.write("d/new", "2")
	b.eventuallyChange(changes, "created d", "created d/new")
	b.write("there", "longer")
	next("modified there")
	if err := b.Remove(b.ctx(), "there", false); err != nil {
		t.Fatal(err)
	}
	next("removed there")
	if err := b.Quiesce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	if err := b.Hello(b.ctx(), wire.Hello{}); err != nil {
		t.Fatal(err)
	}
	next("rescan " + b.work)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("the watch ended with %v", err)
	}
}

// eventuallyChange takes changes until all that are wanted came; a folder and
// what is in it may be seen by one look or by two.
func (b *bed) eventuallyChange(changes <-chan string, want ...string) {
	b.t.Helper()
	missing := map[string]bool{}
	for _, w := range want {
		missing[w] = true
	}
	for len(missing) > 0 {
		select {
		case got := <-changes:
			if !missing[got] && !strings.Contains(got, ".praxis-") {
				b.t.Errorf("got %q, want one of %v", got, missing)
			}
			delete(missing, got)
		case <-b.ctx().Done():
			b.t.Fatalf("never came: %v", missing)
		}
	}
}

func TestQuiesceWaitsForFiles(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := b.WriteFile(b.ctx(), "slow", r, 0)
		done <- err
	}()
	fmt.Fprint(w, strings.Repeat("x", 200<<10)) // the upload has begun
	short, cancel := context.WithCancel(b.ctx())
	quiet := make(chan error, 1)
	go func() { quiet <- b.Quiesce(short) }()
	select {
	case err := <-quiet:
		t.Fatalf("quiet in the middle of an upload: %v", err)
	case err := <-done:
		t.Fatalf("the upload ended: %v", err)
	default:
	}
	cancel()
	if err := <-quiet; fault.KindOf(err) != fault.Canceled {
		t.Errorf("a canceled quiesce: %v", err)
	}
	if err := b.Ping(b.ctx()); err != nil {
		t.Errorf("after it: %v", err)
	}
	go func() { quiet <- b.Quiesce(b.ctx()) }()
	w.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-quiet; err != nil {
		t.Error(err)
	}
	if err := b.Hello(b.ctx(), wire.Hello{}); err != nil {
		t.Error(err)
	}
	if got, err := b.read("slow"); err != nil || len(got) != 200<<10 {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}
