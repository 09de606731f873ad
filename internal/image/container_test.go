package image

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image/oci"
	"praxis/internal/test/container"
)

// containerStore is a store of the test's own. Container images with their own Python need
// no interpreter of ours, and so these tests are quick.
func containerStore(t *testing.T) *Store {
	t.Helper()
	s, err := openIn(filepath.Join(t.TempDir(), "store"))
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

// fakePython are the files by which an image is known to have an interpreter.
func fakePython(version string) []container.Entry {
	elf := "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 11) + map[string]string{"amd64": "\x3e\x00", "arm64": "\xb7\x00"}[goarch] + strings.Repeat("\x00", 64)
	return []container.Entry{
		{Name: "usr/local/bin/python" + version, Text: elf}, {Name: "usr/local/bin/python3", Kind: tar.TypeSymlink, Link: "python" + version},
		{Name: "usr/local/lib/python" + version + "/os.py", Text: "# os"},
	}
}

func pythonImage(t *testing.T, more ...container.Entry) container.Image {
	return container.Image{Layers: [][]byte{container.Layer(t, fakePython("3.12")...), container.Layer(t, append([]container.Entry{{Name: "app/x", Text: "1"}}, more...)...)},
		Config: map[string]any{"Env": []string{"PATH=/usr/local/bin:/bin", "COLOR=red", "BAD\x00=1", "HOME=/root"}, "WorkingDir": "/app", "User": "app", "Cmd": []string{"serve"}}}
}

func TestPull(t *testing.T) {
	t.Parallel()
	s, r := containerStore(t), container.NewRegistry(t)
	built := pythonImage(t).Build(t)
	ref := r.Push("team/app", "1.0", built)
	img, err := s.Pull(t.Context(), Pull{Reference: ref}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if img.Name != ref || img.Digest != container.Digest(built.Manifest) {
		t.Errorf("got %q %q", img.Name, img.Digest)
	}
	if rt := img.Runtimes; len(rt) != 1 || rt[0].Version != "3.12" || rt[0].Program != "/usr/local/bin/python3" || len(img.Mounts) != 0 {
		t.Errorf("got the runtimes %v and the mounts %v", rt, img.Mounts)
	}
	want := []string{"COLOR=red", "LANG=C.UTF-8", "IMAGE_WORKDIR=/app", "PATH=/usr/local/bin:/bin:/home/user/.packages/bin", "HOME=/home/user", "PYTHONDONTWRITEBYTECODE=1"}
	if !slices.Equal(img.Env, want) {
		t.Errorf("got the environment %q", img.Env)
	}
	for name, text := range map[string]string{"app/x": "1", "etc/passwd": rootUserLine + sessionUser, "etc/group": rootGroupLine + sessionGroup} {
		if data, err := os.ReadFile(filepath.Join(img.Root, name)); err != nil || string(data) != text {
			t.Errorf("%s: got %q, %v", name, data, err)
		}
	}
	if err := s.Verify(t.Context(), img.ID); err != nil {
		t.Error(err)
	}
	// By its digest, by the name and by its ID nothing is asked any more.
	r.Around = func(_ http.Handler, w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusInternalServerError)
	}
	for _, name := range []string{strings.TrimSuffix(ref, ":1.0") + "@" + img.Digest, ref, img.ID[:8], img.Digest} {
		again, err := s.Resolve(t.Context(), Request{Image: name}, event.Discard)
		if err != nil || again.ID != img.ID {
			t.Errorf("%s: got %s, %v", name, again.ID, err)
		}
	}
	if _, err := s.Pull(t.Context(), Pull{Reference: strings.TrimSuffix(ref, ":1.0") + "@" + img.Digest}, event.Discard); err != nil {
		t.Errorf("a digest that is here was asked for: %v", err)
	}
	if _, err := s.Resolve(t.Context(), Request{Image: "nothing"}, event.Discard); fault.CodeOf(err) != fault.ImageAbsent {
		t.Errorf("a name that nothing has: %v", err)
	}
}

// What an image brings beside its Python: a shell, Node, kernels of Jupyter's with what
// drives them or without.
func TestOwnLanguages(t *testing.T) {
	t.Parallel()
	s := containerStore(t)
	elf := fakePython("3.12")[0].Text
	spec := container.Entry{Name: "usr/share/jupyter/kernels/ir/kernel.json", Text: `{"argv":["R","{connection_file}"],"display_name":"R","language":"R"}`}
	client := func(dir string) container.Entry { return container.Entry{Name: dir + "/jupyter_client/__init__.py"} }
	header := func(major string) container.Entry {
		return container.Entry{Name: "opt/js/include/node/node_version.h", Text: "#ifndef X\n#define NODE_MAJOR_VERSION " + major + "\n"}
	}
	node, bash := container.Entry{Name: "opt/js/bin/node", Text: elf}, container.Entry{Name: "usr/bin/bash", Text: elf}
	for i, c := range []struct {
		entries  []container.Entry
		has      string
		undriven []string
	}{
		{[]container.Entry{spec}, "python", []string{"r"}},
		{[]container.Entry{spec, client("usr/local/lib/python3.12/site-packages")}, "python r", nil},
		{[]container.Entry{spec, client("usr/local/lib/python3/dist-packages")}, "python r", nil},
		{[]container.Entry{spec, client("usr/local/lib/python3.11/site-packages")}, "python", []string{"r"}},
		{[]container.Entry{bash, node, header("24")}, "python bash javascript", nil},
		{[]container.Entry{node, header("22")}, "python", nil},
		{[]container.Entry{node, {Name: "bin", Kind: tar.TypeSymlink, Link: "usr/bin"}, {Name: "usr/bin/bash", Text: "#!/bin/sh"}}, "python", nil},
	} {
		file := filepath.Join(t.TempDir(), "image.tar")
		container.Image{Layers: [][]byte{container.Layer(t, append(fakePython("3.12"), c.entries...)...)},
			Config: map[string]any{"Env": []string{"PATH=/usr/local/bin:/opt/js/bin"}}}.Build(t).Save(t, file, "app:1")
		img, err := s.Import(t.Context(), Import{Path: file}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		var has []string
		for _, r := range img.Runtimes {
			has = append(has, r.Language)
			if r.Spec.Name != "" && (r.Program != "/usr/local/bin/python3" || r.Spec.Directory != "/usr/share/jupyter/kernels/ir") {
				t.Errorf("%d: got %+v", i, r)
			}
		}
		if strings.Join(has, " ") != c.has || !slices.Equal(img.Undriven, c.undriven) {
			t.Errorf("%d: got %q and without a driver %q, want %q and %q", i, has, img.Undriven, c.has, c.undriven)
		}
		if !strings.Contains(c.has, "javascript") {
			continue
		}
		first, err := s.Resolve(t.Context(), Request{Image: "app:1", Languages: []string{"javascript"}}, event.Discard)
		if err != nil || first.Runtimes[0].Language != "javascript" || first.Runtimes[0].Program != "/opt/js/bin/node" || len(first.Mounts) > 0 || first.Name != "app:1+first:javascript" || first.ID == img.ID {
			t.Errorf("%d: JavaScript first: %+v, %v", i, first, err)
		}
		if plain, err := s.Resolve(t.Context(), Request{Image: img.Digest}, event.Discard); err != nil || plain.ID != img.ID {
			t.Errorf("%d: by its digest: %+v, %v", i, plain, err)
		}
		second, err := s.Resolve(t.Context(), Request{Image: "app:1", Languages: []string{"python", "javascript"}}, event.Discard)
		if err != nil || second.ID != img.ID || second.Name != "app:1" {
			t.Errorf("%d: JavaScript second: %+v, %v", i, second, err)
		}
	}
}

// The image that a tag names is the one that it was resolved to last; the other is named
// by its digest.
func TestTagMoves(t *testing.T) {
	t.Parallel()
	s, r := containerStore(t), container.NewRegistry(t)
	ref := r.Push("app", "latest", pythonImage(t).Build(t))
	first, err := s.Pull(t.Context(), Pull{Reference: ref}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r.Push("app", "latest", pythonImage(t, container.Entry{Name: "app/y", Text: "2"}).Build(t))
	second, err := s.Pull(t.Context(), Pull{Reference: strings.TrimSuffix(ref, ":latest")}, event.Discard)
	if err != nil || second.ID == first.ID {
		t.Fatalf("got %s and %s, %v", first.ID, second.ID, err)
	}
	for name, want := range map[string]string{ref: second.ID, first.Digest: first.ID, first.ID: first.ID} {
		if got, err := s.Resolve(t.Context(), Request{Image: name}, event.Discard); err != nil || got.ID != want {
			t.Errorf("%s: got %s, want %s, %v", name, got.ID, want, err)
		}
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("got %v, %v", list, err)
	}
	// They have their first layer in common, on the disk, too.
	a, errA := os.Stat(filepath.Join(first.Root, "usr/local/lib/python3.12/os.py"))
	b, errB := os.Stat(filepath.Join(second.Root, "usr/local/lib/python3.12/os.py"))
	if errors.Join(errA, errB) != nil || !os.SameFile(a, b) {
		t.Errorf("the files of a common layer are not shared: %v %v", errA, errB)
	}
	blobs, err := os.ReadDir(filepath.Join(s.dir, blobDir))
	if err != nil || len(blobs) != 3 {
		t.Errorf("got %d blobs, want three", len(blobs))
	}
	for _, img := range []Image{first, second} {
		if err := s.Check(t.Context(), img); err != nil {
			t.Error(err)
		}
	}
	// What is removed takes its own layers along, and nothing of the other.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	blobs, err = os.ReadDir(filepath.Join(s.dir, blobDir))
	if err != nil || len(blobs) != 2 {
		t.Errorf("got %d blobs, want two", len(blobs))
	}
	if err := s.Check(t.Context(), first); err != nil {
		t.Error(err)
	}
}

func TestPlatforms(t *testing.T) {
	t.Parallel()
	s, r := containerStore(t), container.NewRegistry(t)
	other := pythonImage(t)
	other.Architecture = "riscv64"
	ref := r.PushIndex("app", "1", map[string]container.Built{goarch: pythonImage(t).Build(t), "riscv64": other.Build(t)})
	if _, err := s.Pull(t.Context(), Pull{Reference: ref}, event.Discard); err != nil {
		t.Error(err)
	}
	for _, ref := range []string{r.PushIndex("other", "1", map[string]container.Built{"riscv64": other.Build(t)}), r.Push("bare", "1", other.Build(t))} {
		_, err := s.Pull(t.Context(), Pull{Reference: ref}, event.Discard)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "linux/riscv64") {
			t.Errorf("%s: got %v", ref, err)
		}
	}
}

// private lets only one in.
func private(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if user, password, _ := r.BasicAuth(); user != "ann" || password != "secret" {
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	next.ServeHTTP(w, r)
}

func TestCredentials(t *testing.T) {
	s, r := containerStore(t), container.NewRegistry(t)
	ref := r.Push("app", "1", pythonImage(t).Build(t))
	r.Around = private
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("DOCKER_CONFIG", home)
	t.Setenv("XDG_RUNTIME_DIR", home)
	for _, p := range []Pull{{Reference: ref}, {Reference: ref, User: "ann", Password: "wrong"}} {
		_, err := s.Pull(t.Context(), p, event.Discard)
		if fault.CodeOf(err) != fault.RegistryDenied || strings.Contains(fmt.Sprint(err), "wrong") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := s.Pull(t.Context(), Pull{Reference: ref, User: "ann", Password: "secret"}, event.Discard); err != nil {
		t.Error(err)
	}
	config := fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, r.Host, base64.StdEncoding.EncodeToString([]byte("ann:secret")))
	if err := os.WriteFile(filepath.Join(home, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := containerStore(t).Pull(t.Context(), Pull{Reference: ref}, event.Discard); err != nil {
		t.Error(err)
	}
}

// What comes is compared with its digest, and nothing of it stays that is another.
func TestWrongBlobs(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"layer", "config", "manifest"} {
		t.Run(what, func(t *testing.T) {
			s, r := containerStore(t), container.NewRegistry(t)
			built := pythonImage(t).Build(t)
			ref := r.Push("app", "1", built)
			digest := map[string]string{"layer": built.Digests[1], "config": container.Digest(built.Config), "manifest": container.Digest(built.Manifest)}[what]
			if what == "manifest" {
				ref = strings.TrimSuffix(ref, ":1") + "@" + digest
			}
			r.Around = func(next http.Handler, w http.ResponseWriter, q *http.Request) {
				if !strings.HasSuffix(q.URL.Path, digest) || q.Method != http.MethodGet {
					next.ServeHTTP(w, q)
					return
				}
				body := slices.Clone(built.Blobs[digest])
				if what == "manifest" {
					body = slices.Clone(built.Manifest)
				}
				body[len(body)/2] ^= 1
				w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
				_, _ = w.Write(body)
			}
			if _, err := s.Pull(t.Context(), Pull{Reference: ref}, event.Discard); err == nil || fault.KindOf(err) == fault.Internal {
				t.Errorf("got %v", err)
			}
			if list, err := s.List(t.Context()); err != nil || len(list) != 0 {
				t.Errorf("there are images: %v %v", list, err)
			}
			r.Around = nil
			if _, err := s.Pull(t.Context(), Pull{Reference: ref}, event.Discard); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// A layer that unpacks to something else than the configuration says is refused, and what
// lies on the disk damaged is fetched again.
func TestWrongLayer(t *testing.T) {
	t.Parallel()
	s, r := containerStore(t), container.NewRegistry(t)
	i := pythonImage(t)
	i.Claims = []string{container.Digest([]byte("another"))}
	if _, err := s.Pull(t.Context(), Pull{Reference: r.Push("liar", "1", i.Build(t))}, event.Discard); fault.KindOf(err) != fault.Conflict {
		t.Errorf("got %v", err)
	}
	built := pythonImage(t).Build(t)
	blob := filepath.Join(s.dir, blobDir, strings.TrimPrefix(built.Digests[0], "sha256:"))
	if err := os.WriteFile(blob, make([]byte, len(built.Blobs[built.Digests[0]])), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pull(t.Context(), Pull{Reference: r.Push("app", "1", built)}, event.Discard); err != nil {
		t.Error(err)
	}
}

func TestHostileContainers(t *testing.T) {
	t.Parallel()
	s, r := containerStore(t), container.NewRegistry(t)
	for name, entries := range map[string][]container.Entry{
		"traversal": {{Name: "../../x", Text: "1"}},
		"link":      {{Name: "a", Kind: tar.TypeLink, Link: "../../../../etc/passwd"}},
		"bomb":      {{Name: "a", Text: strings.Repeat("\x00", 300<<20)}},
	} {
		i := container.Image{Layers: [][]byte{container.Layer(t, append(fakePython("3.12"), entries...)...)}}
		_, err := s.Pull(t.Context(), Pull{Reference: r.Push(name, "1", i.Build(t))}, event.Discard)
		if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.Exhausted {
			t.Errorf("%s: got %v", name, err)
		}
	}
	left, err := os.ReadDir(s.tmp())
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(s.dir), "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("it got out")
	}
}

// A pull that was broken goes on where it ended, within one call and in the next.
func TestResumedPull(t *testing.T) {
	t.Parallel()
	s, r := containerStore(t), container.NewRegistry(t)
	i := pythonImage(t, container.Entry{Name: "app/large", Text: strings.Repeat("0123456789", 50_000)})
	i.Plain = true
	built := i.Build(t)
	ref := r.Push("app", "1", built)
	digest := built.Digests[1]
	const part = 100_000
	var whole, ranges atomic.Int32
	var broken sync.Once
	r.Around = func(next http.Handler, w http.ResponseWriter, q *http.Request) {
		if !strings.HasSuffix(q.URL.Path, "/blobs/"+digest) {
			next.ServeHTTP(w, q)
			return
		}
		if from := q.Header.Get("Range"); from != "" {
			ranges.Add(1)
			if !strings.HasPrefix(from, fmt.Sprintf("bytes=%d-", part)) {
				t.Errorf("asked for %s", from)
			}
			next.ServeHTTP(w, q)
			return
		}
		whole.Add(1)
		broken.Do(func() {
			w.Header().Set("Content-Length", fmt.Sprint(len(built.Blobs[digest])))
			_, _ = w.Write(built.Blobs[digest][:part])
			panic(http.ErrAbortHandler)
		})
	}
	if _, err := s.Pull(t.Context(), Pull{Reference: ref}, event.Discard); err != nil {
		t.Fatal(err)
	}
	if whole.Load() != 1 || ranges.Load() != 1 {
		t.Errorf("asked %d times for all and %d times for the rest", whole.Load(), ranges.Load())
	}

	// The next call: what came before is there.
	s = containerStore(t)
	name := filepath.Join(s.dir, blobDir, strings.TrimPrefix(digest, "sha256:")+partial)
	if err := os.WriteFile(name, built.Blobs[digest][:part], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pull(t.Context(), Pull{Reference: ref}, event.Discard); err != nil || whole.Load() != 1 || ranges.Load() != 2 {
		t.Errorf("asked %d times for all and %d times for the rest: %v", whole.Load(), ranges.Load(), err)
	}

	// A beginning that is another is found at the end, and all is fetched.
	r.Around = nil
	s = containerStore(t)
	name = filepath.Join(s.dir, blobDir, strings.TrimPrefix(digest, "sha256:")+partial)
	if err := os.WriteFile(name, make([]byte, part), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pull(t.Context(), Pull{Reference: ref}, event.Discard); err != nil {
		t.Error(err)
	}
}

// Layers that are compressed with zstd are those that they are without, from a registry and
// from a file. One that is cut off is none.
func TestZstd(t *testing.T) {
	t.Parallel()
	s, r := containerStore(t), container.NewRegistry(t)
	c := pythonImage(t, container.Entry{Name: "app/long", Text: strings.Repeat("long ", 1<<20)})
	c.Zstd = true
	built := c.Build(t)
	img, err := s.Pull(t.Context(), Pull{Reference: r.Push("app", "1", built)}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(img.Root, "app", "long")); err != nil || len(data) != 5<<20 {
		t.Errorf("got %d bytes, %v", len(data), err)
	}
	dir := filepath.Join(t.TempDir(), "layout")
	built.Layout(t, dir)
	if again, err := containerStore(t).Import(t.Context(), Import{Path: dir}, event.Discard); err != nil || again.ID != img.ID {
		t.Errorf("got %s, %v, want %s", again.ID, err, img.ID)
	}
	layer := built.Blobs[built.Digests[1]]
	cut := layer[:len(layer)-10]
	built.Manifest = bytes.ReplaceAll(built.Manifest, []byte(built.Digests[1]), []byte(container.Digest(cut)))
	built.Manifest = bytes.ReplaceAll(built.Manifest, []byte(fmt.Sprintf(`"size":%d}`, len(layer))), []byte(fmt.Sprintf(`"size":%d}`, len(cut))))
	built.Blobs[container.Digest(cut)] = cut
	if _, err := containerStore(t).Pull(t.Context(), Pull{Reference: r.Push("app", "cut", built)}, event.Discard); fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Conflict {
		t.Errorf("a layer that is cut off: %v", err)
	}
}

// Every form of file gives the same image, and what is exported is the same again.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := containerStore(t)
	plain := pythonImage(t)
	plain.Plain = true
	built := plain.Build(t)
	dir := t.TempDir()
	built.Save(t, filepath.Join(dir, "saved.tar"), "app:2")
	built.Layout(t, filepath.Join(dir, "layout"))
	files := []string{filepath.Join(dir, "saved.tar"), filepath.Join(dir, "layout")}
	for name, data := range map[string][]byte{"layout.tar": container.Folder(t, "", files[1]), "saved.tar.gz": container.Zip(t, mustRead(t, files[0]))} {
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(files) // the last one that says a name gives it
	var id string
	for _, file := range files {
		img, err := s.Import(t.Context(), Import{Path: file}, event.Discard)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if id == "" {
			id = img.ID
		}
		if img.ID != id {
			t.Errorf("%s: got %s, want %s", file, img.ID, id)
		}
	}
	info, err := s.Find(t.Context(), "app:2")
	if err != nil || info.ID != id {
		t.Errorf("got %v, %v", info, err)
	}
	var out, again bytes.Buffer
	exported, err := s.Export(t.Context(), "app:2", &out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Export(t.Context(), "app:2", &again); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Errorf("the second export is another: %v", err)
	}
	file := filepath.Join(dir, "exported.tar")
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	other := containerStore(t)
	img, err := other.Import(t.Context(), Import{Path: file}, event.Discard)
	if err != nil || img.ID != id || img.Digest != exported.Digest || img.Name != "app:2" {
		t.Errorf("got %s %q %q, %v", img.ID, img.Digest, img.Name, err)
	}
}

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// An archive of a root file system is an image, and files that are none are refused.
func TestRootFileSystem(t *testing.T) {
	t.Parallel()
	s := containerStore(t)
	dir := t.TempDir()
	root := container.Layer(t, append(fakePython("3.11"), container.Entry{Name: "./etc/hostname", Text: "x"})...)
	for name, data := range map[string][]byte{"root.tar": root, "root.tgz": container.Zip(t, root), "empty.tar": container.Layer(t), "text": []byte("text"), "cut.tar": root[:550]} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	for _, name := range []string{"root.tar", "root.tgz"} {
		img, err := s.Import(t.Context(), Import{Path: filepath.Join(dir, name)}, event.Discard)
		if err != nil || img.Name != "root" {
			t.Fatalf("%s: got %q, %v", name, img.Name, err)
		}
		ids = append(ids, img.ID)
	}
	if ids[0] != ids[1] {
		t.Errorf("got %v", ids)
	}
	for _, name := range []string{"empty.tar", "text", "cut.tar", "missing", "."} {
		_, err := s.Import(t.Context(), Import{Path: filepath.Join(dir, name)}, event.Discard)
		if err == nil || fault.KindOf(err) == fault.Internal {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	s, r := containerStore(t), container.NewRegistry(t)
	ref := r.Push("app", "1", pythonImage(t, container.Entry{Name: "dev/null", Kind: tar.TypeChar}).Build(t))
	if _, err := s.Pull(t.Context(), Pull{Reference: ref}, event.Discard); err != nil {
		t.Fatal(err)
	}
	d, err := s.Describe(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	c := d.Container
	if c == nil || c.User != "app" || c.WorkingDir != "/app" || !slices.Equal(c.Command, []string{"serve"}) || len(c.Layers) != 2 || c.LeftOut != 1 {
		t.Errorf("got %+v", c)
	}
	steps, err := s.History(t.Context(), ref)
	if err != nil || len(steps) != 3 || steps[0].Layer != c.Layers[0].Digest || steps[2].Layer != "" || steps[2].By != "CMD nothing" {
		t.Errorf("got %+v, %v", steps, err)
	}
}

func TestOwnPython(t *testing.T) {
	t.Parallel()
	s := containerStore(t)
	shim := container.Entry{Name: "usr/local/bin/python3", Text: "#!/bin/sh\n"}
	for name, entries := range map[string][]container.Entry{
		"old": fakePython("3.10"), "script": {shim}, "alone": fakePython("3.12")[:2], "none": {{Name: "bin/x", Text: "x"}},
	} {
		file := filepath.Join(t.TempDir(), "root.tar")
		if err := os.WriteFile(file, container.Layer(t, entries...), 0o644); err != nil {
			t.Fatal(err)
		}
		locked, err := s.lockStore(context.Background(), false, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		b, err := baseOfFile(t, s, file)
		locked.release()
		if err != nil || b.Python != nil {
			t.Errorf("%s: got %v, %v", name, b.Python, err)
		}
	}
}

// goarch is that of the test.
const goarch = runtime.GOARCH

// baseOfFile makes the base of an image in a file.
func baseOfFile(t *testing.T, s *Store, file string) (basePart, error) {
	t.Helper()
	src, err := oci.Open(t.Context(), file, s.tmp())
	if err != nil {
		return basePart{}, err
	}
	defer src.Close()
	m, err := src.Manifest(t.Context(), oci.Here())
	if err != nil {
		return basePart{}, err
	}
	return s.makeBase(t.Context(), src, m, func(string) {})
}

// What travels with a session gives the very same image in another store.
func TestContainerRecipe(t *testing.T) {
	t.Parallel()
	s, r, other := containerStore(t), container.NewRegistry(t), containerStore(t)
	img, err := s.Pull(t.Context(), Pull{Reference: r.Push("app", "1", pythonImage(t).Build(t))}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	recipe, err := s.Recipe(t.Context(), img, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Make(t.Context(), recipe, event.Discard); fault.KindOf(err) != fault.NotFound {
		t.Errorf("without its layers: %v", err)
	}
	layers, err := recipe.Container.Layers()
	if err != nil || len(layers) != 2 {
		t.Fatalf("got %v, %v", layers, err)
	}
	for _, l := range layers {
		f, err := s.OpenLayer(l)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(other.AddLayer(l, f), f.Close()); err != nil {
			t.Fatal(err)
		}
		if err := other.AddLayer(l, strings.NewReader("another")); fault.KindOf(err) != fault.Conflict {
			t.Errorf("another layer was taken: %v", err)
		}
	}
	again, err := other.Make(t.Context(), recipe, event.Discard)
	if err != nil || again.ID != img.ID || again.Name != img.Name {
		t.Errorf("got %s %s, %v", again.ID, again.Name, err)
	}
	recipe.ID = strings.Repeat("0", 32)
	if _, err := other.Make(t.Context(), recipe, event.Discard); fault.KindOf(err) != fault.Conflict {
		t.Errorf("another image: %v", err)
	}
}

// BenchmarkPull pulls an image of some 300 MB, and unpacks the same layers with tar.
func BenchmarkPull(b *testing.B) {
	var entries []container.Entry
	var layers [][]byte
	const layerBytes = 100 << 20
	size := 0
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	err = filepath.WalkDir(strings.TrimSpace(string(root)), func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || len(layers) == 3 {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		entries = append(entries, container.Entry{Name: fmt.Sprintf("layer%d%s", len(layers), file), Text: string(data)})
		if size += len(data); size > layerBytes {
			layers, entries, size = append(layers, container.Layer(b, entries...)), nil, 0
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	layers = append(layers, container.Layer(b, append(entries, fakePython("3.12")...)...))
	built := container.Image{Layers: layers}.Build(b)
	r := container.NewRegistry(b)
	ref := r.Push("large", "1", built)
	dir := b.TempDir()
	for i, d := range built.Digests {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.tar.gz", i)), built.Blobs[d], 0o644); err != nil {
			b.Fatal(err)
		}
	}
	var tarTime, pullTime time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		out := filepath.Join(dir, fmt.Sprintf("out%d", i))
		if err := os.Mkdir(out, 0o755); err != nil {
			b.Fatal(err)
		}
		for n := range built.Digests {
			if text, err := exec.Command("tar", "-xf", filepath.Join(dir, fmt.Sprintf("%d.tar.gz", n)), "-C", out).CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, text)
			}
		}
		tarTime += time.Since(began)
		s, err := openIn(filepath.Join(dir, fmt.Sprintf("store%d", i)))
		if err != nil {
			b.Fatal(err)
		}
		began = time.Now()
		if _, err := s.Pull(b.Context(), Pull{Reference: ref}, event.Discard); err != nil {
			b.Fatal(err)
		}
		pullTime += time.Since(began)
		if err := errors.Join(s.Close(), os.RemoveAll(out), os.RemoveAll(s.dir)); err != nil {
			b.Fatal(err)
		}
	}
	var bytes int
	for _, l := range layers {
		bytes += len(l)
	}
	b.ReportMetric(float64(bytes)/1e6, "MB")
	b.ReportMetric(tarTime.Seconds()/float64(b.N), "s/tar")
	b.ReportMetric(pullTime.Seconds()/float64(b.N), "s/pull")
	b.ReportMetric(pullTime.Seconds()/tarTime.Seconds(), "pull/tar")
}
