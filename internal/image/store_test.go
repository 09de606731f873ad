package image

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/seal"
)

func TestDefaultImage(t *testing.T) {
	s, img := sharedStore(t)
	t.Logf("built in %s", shared.took.Round(time.Millisecond))
	var home string
	for _, m := range img.Mounts {
		if m.Target == guestPython {
			home = m.Source
		}
		if real, err := filepath.EvalSymlinks(m.Source); err != nil || real != m.Source {
			t.Errorf("mount source %s goes through a link (%s, %v)", m.Source, real, err)
		}
		if st, err := os.Stat(filepath.Join(img.Root, m.Target)); err != nil || !st.IsDir() {
			t.Errorf("the root has no folder for the mount at %s: %v", m.Target, err)
		}
	}
	if home == "" {
		t.Fatalf("no mount at %s in %v", guestPython, img.Mounts)
	}
	cmd := exec.Command(filepath.Join(home, "bin/python3"), "-c",
		"import sys, json, sqlite3, ssl, ctypes, zoneinfo, asyncio, decimal, lzma, bz2, multiprocessing.pool; print('%d.%d' % sys.version_info[:2], sys.prefix)")
	cmd.Env = []string{"PYTHONHOME=" + home}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, want := strings.TrimSpace(string(out)), "3.14 "+home; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(img.ID) != 32 || img.Name != "python" || img.Runtimes[0].Program != "/opt/python/bin/python3" || img.Runtimes[0].Version != pythonVersion {
		t.Errorf("got %+v", img)
	}
	if len(img.Runtimes[0].Preload) != 0 || len(img.Packages) != 0 || img.Packages == nil {
		t.Errorf("want nothing to import and an empty list, got preload %#v, packages %#v", img.Runtimes[0].Preload, img.Packages)
	}
	if err := s.Verify(t.Context(), img.ID); err != nil {
		t.Error(err)
	}
}

func TestImageIsReadableByAll(t *testing.T) {
	_, img := sharedStore(t)
	dirs := []string{img.Root}
	for _, m := range img.Mounts {
		if m.Target == guestPython {
			dirs = append(dirs, m.Source)
		}
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Type() == fs.ModeSymlink {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			want := fs.FileMode(0o444)
			if d.IsDir() {
				want = 0o555
			}
			if info.Mode()&want != want {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]fs.FileMode{"tmp": 0o777 | fs.ModeSticky, "var/tmp": 0o777 | fs.ModeSticky, "work": 0o777, "home/user": 0o777} {
		st, err := os.Stat(filepath.Join(img.Root, path))
		if err != nil {
			t.Fatal(err)
		}
		if got := st.Mode() & (fs.ModePerm | fs.ModeSticky); got != want {
			t.Errorf("%s: mode %v, want %v", path, got, want)
		}
	}
}

func TestBytecodeIsCompiledForTheGuest(t *testing.T) {
	_, img := sharedStore(t)
	home := img.Mounts[len(img.Mounts)-1].Source
	pyc := filepath.Join(home, "lib/python3.14/json/__pycache__/decoder.cpython-314.pyc")
	data, err := os.ReadFile(pyc)
	if err != nil {
		t.Fatal(err)
	}
	// Flags of PEP 552: 1 is hash-based and unchecked.
	if got := data[4]; got != 1 {
		t.Errorf("flags %d, want 1 (unchecked hash)", got)
	}
	if !strings.Contains(string(data), "/opt/python/lib/python3.14/json/decoder.py") {
		t.Error("the module does not name its place in the guest")
	}
	if strings.Contains(string(data), shared.dir) {
		t.Error("the module names a path of the host")
	}
}

func TestResolveAgainIsImmediate(t *testing.T) {
	s, img := sharedStore(t)
	sink := &collectSink{}
	began := time.Now()
	again, err := s.Resolve(t.Context(), Request{}, sink)
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("second resolve: %s", took)
	if again.ID != img.ID {
		t.Errorf("got %s, want %s", again.ID, img.ID)
	}
	if len(sink.lines) != 0 {
		t.Errorf("nothing is built, but progress says %q", sink.lines)
	}
	found, err := s.Lookup(t.Context(), Request{})
	if err != nil || found.ID != img.ID {
		t.Errorf("Lookup: %s, %v", found.ID, err)
	}
	for _, ref := range []string{img.ID, img.ID[:6], img.Name} {
		if found, err := s.Reopen(t.Context(), ref); err != nil || !reflect.DeepEqual(found, img) {
			t.Errorf("Reopen %s: %+v, %v, want %+v", ref, found, err, img)
		}
	}
	if _, err := s.Reopen(t.Context(), "ffff"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Reopen of none: %v", err)
	}
}

func TestLookupDoesNotBuild(t *testing.T) {
	s := open(t, t.TempDir())
	_, err := s.Lookup(t.Context(), Request{})
	if fault.KindOf(err) != fault.NotFound || fault.RemedyOf(err) == "" {
		t.Fatalf("got %v", err)
	}
	if n := checkWhole(t, s, kindPython) + checkWhole(t, s, kindRoot); n != 0 {
		t.Errorf("%d parts were built", n)
	}
}

// fakeImage puts a record with parts that are quickly made into the store.
func fakeImage(t *testing.T, s *Store, id, name, layer string) {
	t.Helper()
	i := interpreter{python: makeFolder(t, s, kindPython, "p"), root: makeFolder(t, s, kindRoot, "r")}
	l := makeFolder(t, s, kindLayer, layer)
	if err := s.remember(Image{ID: id, Name: name}, imageParts{py: i, contents: contents{layer: &layerPart{part: l}}}); err != nil {
		t.Fatal(err)
	}
}

// openIn opens the store in dir with the key of the folder that it lies in.
func openIn(dir string) (*Store, error) {
	key, err := seal.OfHome(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	return Open(dir, key)
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := openIn(filepath.Join(dir, "store"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func exists(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

func TestListRemove(t *testing.T) {
	s := open(t, t.TempDir())
	fakeImage(t, s, "aaaa1111", "python+one", "l1")
	fakeImage(t, s, "aaaa2222", "python+two", "l2")
	list, err := s.List(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("got %v, %v", list, err)
	}
	if list[0].Bytes == 0 || list[0].Shared == 0 || list[0].InUse {
		t.Errorf("got %+v", list[0])
	}
	if err := s.Remove(t.Context(), "aaaa"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("an ambiguous ID: got %v", err)
	}
	if err := s.Remove(t.Context(), "python+nine"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an unknown name: got %v", err)
	}
	if err := s.lease("aaaa1111"); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), "python+one"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("an image in use: got %v", err)
	}
	if err := s.Remove(t.Context(), "python+two"); err != nil {
		t.Fatal(err)
	}
	if exists(t, filepath.Join(s.dir, kindLayer, "l2")) {
		t.Error("the layer of a removed image is still there")
	}
	for _, p := range []string{"layer/l1", "root/r", "python/p"} {
		if !exists(t, filepath.Join(s.dir, p)) {
			t.Errorf("%s went with an image that shares it", p)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), "aaaa1"); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"layer/l1", "root/r", "python/p"} {
		if exists(t, filepath.Join(s.dir, p)) {
			t.Errorf("%s is needed by nobody and still there", p)
		}
	}
}

func TestPrune(t *testing.T) {
	s := open(t, t.TempDir())
	fakeImage(t, s, "aaaa1111", "python+old", "l1")
	fakeImage(t, s, "bbbb2222", "python+new", "l2")
	fakeImage(t, s, "cccc3333", "python+used", "l3")
	old := time.Now().Add(-48 * time.Hour)
	for _, id := range []string{"aaaa1111", "cccc3333"} {
		f, err := os.Create(s.leasePath(id))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Close(), os.Chtimes(s.leasePath(id), old, old)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.lease("bbbb2222"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// Somebody else uses an image that was last resolved long ago.
	other := open(t, filepath.Dir(s.dir))
	if err := other.lease("cccc3333"); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(s.leasePath("cccc3333"), old, old); err != nil {
		t.Fatal(err)
	}
	// What a saved state needs stays, too, and so does everything in a dry run.
	needs := func(layer string) func(string) bool {
		return func(folder string) bool {
			return !strings.Contains(folder, "/layer/") || filepath.Base(folder) == layer
		}
	}
	for name, c := range map[string]Collect{
		"it is to be kept":          {OlderThan: 24 * time.Hour, Keep: []string{"aaaa1111"}},
		"a state needs its parts":   {OlderThan: 24 * time.Hour, Needed: needs("l1")},
		"it is young enough":        {OlderThan: 72 * time.Hour},
		"nothing is to be removed":  {OlderThan: 24 * time.Hour, DryRun: true},
		"only what no image has is": {OlderThan: -1},
	} {
		gone, err := s.Collect(t.Context(), c)
		if want := map[bool]int{true: 1}[c.DryRun]; err != nil || len(gone.Images) != want || len(gone.Parts) != 0 || gone.InUse != map[bool]int{true: 1}[len(c.Keep) > 0 || c.DryRun || c.Needed != nil] {
			t.Errorf("%s: removed %+v, %v", name, gone, err)
		}
	}
	if info, err := s.Find(t.Context(), "python+old"); err != nil || info.ID != "aaaa1111" {
		t.Errorf("found %+v, %v", info, err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, wheelDir, "of-none"), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(s.dir, cacheDir, "http"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, cacheDir, "http", "page"), []byte("1234567"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "pip", "old"), 0o700); err != nil {
		t.Fatal(err)
	}
	would, err := s.Collect(t.Context(), Collect{OlderThan: 24 * time.Hour, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := s.Collect(t.Context(), Collect{OlderThan: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if len(gone.Images) != 1 || gone.Images[0].ID != "aaaa1111" || gone.Images[0].Freed <= 0 || len(gone.Wheels) != 1 || gone.Cache != 7 ||
		len(gone.Parts) != 1 || gone.Parts[0].ID != "old" || gone.Bytes != gone.Images[0].Freed+12 {
		t.Errorf("removed %+v, want aaaa1111 and what nobody has", gone)
	}
	would.Images[0].Why, gone.Images[0].Why = "", ""
	if !reflect.DeepEqual(would, gone) {
		t.Errorf("a dry run says %+v\nwhat goes is %+v", would, gone)
	}
	if exists(t, filepath.Join(s.dir, cacheDir)) || exists(t, filepath.Join(s.dir, wheelDir, "of-none")) {
		t.Error("the cache of pip or a wheel of none is still there")
	}
	if exists(t, filepath.Join(s.dir, "layer/l1")) || !exists(t, filepath.Join(s.dir, "layer/l2")) || !exists(t, filepath.Join(s.dir, "layer/l3")) {
		t.Error("the wrong layers were removed")
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"changed": func(dir string) error { return os.WriteFile(filepath.Join(dir, "tree/file"), []byte("other"), 0o644) },
		"removed": func(dir string) error { return os.Remove(filepath.Join(dir, "tree/file")) },
		"added":   func(dir string) error { return os.WriteFile(filepath.Join(dir, "tree/more"), nil, 0o644) },
		"mode":    func(dir string) error { return os.Chmod(filepath.Join(dir, "tree/file"), 0o755) },
		"link": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "tree/file")), os.Symlink("/etc/passwd", filepath.Join(dir, "tree/file")))
		},
		"manifest": func(dir string) error { return os.Truncate(filepath.Join(dir, manifestFile), 3) },
		"seal":     func(dir string) error { return os.Truncate(filepath.Join(dir, seal.FileName), 3) },
		"forged":   func(dir string) error { return forge(filepath.Join(dir, "tree/file")) },
		"relisted": func(dir string) error { return errors.Join(forge(filepath.Join(dir, "tree/file")), relist(dir)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			fakeImage(t, s, "aaaa1111", "python+one", "l1")
			if err := s.Verify(t.Context(), "aaaa1111"); err != nil {
				t.Fatal(err)
			}
			if err := damage(filepath.Join(s.dir, "layer/l1")); err != nil {
				t.Fatal(err)
			}
			if err := s.Verify(t.Context(), "aaaa1111"); fault.KindOf(err) != fault.Conflict {
				t.Errorf("got %v", err)
			}
		})
	}
}

// forge changes a file as an editor does who hides it: its size and its time of
// modification are what they were.
func forge(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data[0] ^= 1
	return errors.Join(os.WriteFile(path, data, info.Mode().Perm()), os.Chtimes(path, info.ModTime(), info.ModTime()))
}

// relist makes the lists of a part say what its files hold now.
func relist(dir string) error {
	info, err := writeManifest(context.Background(), dir, nil)
	if err != nil {
		return err
	}
	var old partInfo
	data, err := os.ReadFile(filepath.Join(dir, partFile))
	if err == nil {
		err = json.Unmarshal(data, &old)
	}
	info.Kind, info.Key, info.Created = old.Kind, old.Key, old.Created
	if err == nil {
		data, err = json.Marshal(info)
	}
	return errors.Join(err, os.WriteFile(filepath.Join(dir, partFile), data, 0o600))
}

// TestChangedPart changes a part in every way that leaves it readable: it is not used,
// and a copy of it that holds the same is.
func TestChangedPart(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"file":  func(dir string) error { return forge(filepath.Join(dir, "tree/file")) },
		"lists": func(dir string) error { return errors.Join(forge(filepath.Join(dir, "tree/file")), relist(dir)) },
		"added": func(dir string) error { return os.WriteFile(filepath.Join(dir, "tree/sitecustomize.py"), nil, 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			fakeImage(t, s, "aaaa1111", "python+one", "l1")
			dir := filepath.Join(s.dir, "layer/l1")
			img := Image{Name: "python+one", Root: filepath.Join(dir, treeDir)}
			if err := s.Check(t.Context(), img); err != nil {
				t.Fatal(err)
			}
			if err := change(dir); err != nil {
				t.Fatal(err)
			}
			if err := s.Check(t.Context(), img); fault.KindOf(err) != fault.Conflict {
				t.Errorf("checked: %v", err)
			}
			if _, ok := s.findPart(t.Context(), kindLayer, "l1"); ok {
				t.Error("it is used")
			}
		})
	}
	s := open(t, t.TempDir())
	fakeImage(t, s, "aaaa1111", "python+one", "l1")
	dir, copied := filepath.Join(s.dir, "layer/l1"), filepath.Join(t.TempDir(), "l1")
	if err := errors.Join(os.CopyFS(copied, os.DirFS(dir)), os.RemoveAll(dir), os.Rename(copied, dir)); err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"the copy", "the copy that was sealed again"} {
		if _, ok := s.findPart(t.Context(), kindLayer, "l1"); !ok {
			t.Errorf("%s is not used", of)
		}
	}
	// A part that is put into the place of another is not that one.
	fakeImage(t, s, "aaaa2222", "python+two", "l2")
	if err := errors.Join(os.RemoveAll(dir), os.Rename(filepath.Join(s.dir, "layer/l2"), dir)); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.findPart(t.Context(), kindLayer, "l1"); ok {
		t.Error("another part is used")
	}
}

func TestDamagedPartIsBuiltAgain(t *testing.T) {
	s := open(t, t.TempDir())
	fakeImage(t, s, "aaaa1111", "python+one", "l1")
	seal := filepath.Join(s.dir, "layer/l1", seal.FileName)
	if err := os.Truncate(seal, 10); err != nil {
		t.Fatal(err)
	}
	fakeImage(t, s, "aaaa1111", "python+one", "l1")
	if err := s.Verify(t.Context(), "aaaa1111"); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(s.tmp()); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestFailedBuildLeavesNothing(t *testing.T) {
	s := open(t, t.TempDir())
	_, err := s.makePart(t.Context(), kindLayer, "l1", func(string) {}, func(_ context.Context, dir string) error {
		return errors.Join(os.WriteFile(filepath.Join(dir, "half"), nil, 0o644), syscall.ENOSPC)
	})
	if got := explainFS("build image", err); fault.KindOf(got) != fault.Exhausted {
		t.Errorf("got %v", got)
	}
	if left, err := os.ReadDir(s.tmp()); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, ok := s.findPart(t.Context(), kindLayer, "l1"); ok {
		t.Error("half a part is used")
	}
}

func TestOpenSweeps(t *testing.T) {
	s := open(t, t.TempDir())
	dead := filepath.Join(s.tmp(), "python-3.14.6-x-1.123")
	living := filepath.Join(s.tmp(), "layer-abc.77")
	for _, d := range []string{dead, living} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	locked, err := s.lock(t.Context(), "layer-abc", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer locked.release()
	open(t, filepath.Dir(s.dir))
	if exists(t, dead) {
		t.Error("what a dead builder left is still there")
	}
	if !exists(t, living) {
		t.Error("the folder of a living builder was removed")
	}
}

func TestLockNameOf(t *testing.T) {
	for _, c := range []struct {
		entry, want string
		ok          bool
	}{
		{"python-3.14.6-1-amd64-1.123", "python-3.14.6-1-amd64-1", true},
		{"layer-abc.123.damaged", "layer-abc", true},
		{"layer-abc.removed", "layer-abc", true},
		{"write.123", "", false},
		{"x", "", false},
	} {
		if got, ok := lockNameOf(c.entry); got != c.want || ok != c.ok {
			t.Errorf("%s: got %q, %v", c.entry, got, ok)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := openIn(file); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a file: got %v", err)
	}
	open777 := filepath.Join(dir, "open")
	if err := errors.Join(os.Mkdir(open777, 0o755), os.Chmod(open777, 0o777)); err != nil {
		t.Fatal(err)
	}
	if _, err := openIn(open777); fault.KindOf(err) != fault.Denied {
		t.Errorf("a folder that others may write to: got %v", err)
	}
	if os.Geteuid() != 0 {
		t.Skip("a folder of another user needs root to be made")
	}
	foreign := filepath.Join(dir, "foreign")
	if err := errors.Join(os.Mkdir(foreign, 0o755), os.Chown(foreign, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	if _, err := openIn(foreign); fault.KindOf(err) != fault.Denied {
		t.Errorf("a folder of another user: got %v", err)
	}
}

func TestCanceled(t *testing.T) {
	s := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Resolve(ctx, Request{}, event.Discard)
	if fault.KindOf(err) != fault.Canceled {
		t.Errorf("got %v", err)
	}
	locked, err := s.lock(t.Context(), "python-x", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer locked.release()
	var said []string
	_, err = s.lock(ctx, "python-x", func(text string) { said = append(said, text) })
	if !errors.Is(err, context.Canceled) || len(said) != 1 {
		t.Errorf("got %v, said %q", err, said)
	}
}
