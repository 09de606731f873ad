package image

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

// index is a package index (PEP 503) made of files that tests put in.
type index struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string][]byte // by file name
	lies  map[string]string // file name → the hash that the page claims
	hits  int
	sent  []string // files that were downloaded
	user  string   // when set, this user and the password "hunter2" are asked for
}

func newIndex(t *testing.T) *index {
	t.Helper()
	ix := &index{files: map[string][]byte{}, lies: map[string]string{}}
	ix.Server = httptest.NewServer(http.HandlerFunc(ix.serve))
	t.Cleanup(ix.Close)
	cleanPipEnv(t)
	t.Setenv("PIP_INDEX_URL", ix.URL+"/simple/")
	return ix
}

// cleanPipEnv takes the settings of the machine that runs the test away.
func cleanPipEnv(t *testing.T) {
	t.Helper()
	for _, name := range pipEnv {
		t.Setenv(name, "")
	}
	t.Setenv("PIP_CONFIG_FILE", "/dev/null")
	t.Setenv("PIP_RETRIES", "0")
}

func (ix *index) serve(w http.ResponseWriter, r *http.Request) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.hits++
	if user, pass, _ := r.BasicAuth(); ix.user != "" && (user != ix.user || pass != "hunter2") {
		w.Header().Set("WWW-Authenticate", `Basic realm="index"`)
		http.Error(w, "no", http.StatusUnauthorized)
		return
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/files/"); ok {
		data, ok := ix.files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		ix.sent = append(ix.sent, name)
		_, _ = w.Write(data)
		return
	}
	project := strings.Trim(strings.TrimPrefix(r.URL.Path, "/simple/"), "/")
	var page strings.Builder
	for name, data := range ix.files {
		if dist, _, _ := strings.Cut(name, "-"); normalName(dist) != project {
			continue
		}
		sum := sha256.Sum256(data)
		claim := hex.EncodeToString(sum[:])
		if lie, ok := ix.lies[name]; ok {
			claim = lie
		}
		_, _ = fmt.Fprintf(&page, "<a href=\"/files/%s#sha256=%s\">%s</a>\n", name, claim, name)
	}
	if page.Len() == 0 {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprintf(w, "<!DOCTYPE html><html><body>%s</body></html>", page.String())
}

func (ix *index) requests() int {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.hits
}

// wheel puts a wheel into the index and returns its SHA-256. metadata are
// more lines such as "Requires-Dist: other".
func (ix *index) wheel(t *testing.T, name, version, tag string, files map[string]string, metadata ...string) string {
	t.Helper()
	info := fmt.Sprintf("%s-%s.dist-info", name, version)
	all := map[string]string{
		info + "/METADATA": fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s\n", name, version, strings.Join(metadata, "\n")),
		info + "/WHEEL":    fmt.Sprintf("Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: %s\n", tag),
	}
	for n, text := range files {
		all[n] = text
	}
	var record strings.Builder
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		_, _ = fmt.Fprintf(&record, "%s,,\n", n)
	}
	all[info+"/RECORD"] = record.String() + info + "/RECORD,,\n"
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, n := range append(names, info+"/RECORD") {
		w, err := z.CreateHeader(&zip.FileHeader{Name: n, Method: zip.Deflate, Modified: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(all[n])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.files[fmt.Sprintf("%s-%s-%s.whl", name, version, tag)] = buf.Bytes()
	sum := sha256.Sum256(buf.Bytes())
	return hex.EncodeToString(sum[:])
}

func (ix *index) put(name, text string) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.files[name] = []byte(text)
}

const anyTag = "py3-none-any"

func TestLayer(t *testing.T) {
	s, base := sharedStore(t)
	ix := newIndex(t)
	greet := ix.wheel(t, "Greet_Er", "1.2", anyTag, map[string]string{
		"greeter/__init__.py":                     "import counting\ndef greet(): return 'hello %d' % counting.N\n",
		"greeter/tests/test_it.py":                "this does not compile (\n",
		"Greet_Er-1.2.dist-info/entry_points.txt": "[console_scripts]\ngreet = greeter:greet\n",
	}, "Requires-Dist: counting>=2")
	ix.wheel(t, "counting", "1.0", anyTag, map[string]string{"counting.py": "N = 1\n"})
	count := ix.wheel(t, "counting", "2.0", anyTag, map[string]string{"counting.py": "N = 2\n"})
	sink := &collectSink{}
	img, err := s.Resolve(t.Context(), Request{With: []string{"greet.er"}}, sink)
	if err != nil {
		t.Fatal(err)
	}
	want := []Package{{"counting", "2.0", "sha256:" + count}, {"greet-er", "1.2", "sha256:" + greet}}
	if !slices.Equal(img.Packages, want) {
		t.Errorf("packages %v, want %v", img.Packages, want)
	}
	if !slices.Equal(img.Runtimes[0].Preload, []string{"greeter"}) {
		t.Errorf("preload %q, want greeter", img.Runtimes[0].Preload)
	}
	if img.ID == base.ID || img.Name != "python+greet-er" || len(img.Mounts) != len(base.Mounts)+1 {
		t.Errorf("got %+v", img)
	}
	layer := img.Mounts[len(img.Mounts)-1]
	if layer.Target != guestPackages {
		t.Fatalf("the last mount is %+v", layer)
	}
	home := base.Mounts[len(base.Mounts)-1].Source
	cmd := exec.Command(filepath.Join(home, "bin/python3"), "-I", "-S", "-c", "import sys; sys.path.append(sys.argv[1]); import greeter; print(greeter.greet())", layer.Source)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "hello 2\n" {
		t.Errorf("got %q, %v", out, err)
	}
	script, err := os.ReadFile(filepath.Join(layer.Source, "bin/greet"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(script, []byte("/opt/python/bin/python3")) || bytes.Contains(script, []byte(shared.dir)) {
		t.Errorf("the program names the host's interpreter: %q", script)
	}
	if !exists(t, filepath.Join(layer.Source, "greeter/__pycache__/__init__.cpython-314.pyc")) {
		t.Error("the package is not compiled")
	}
	if len(sink.lines) < 3 || !slices.ContainsFunc(sink.lines, func(l string) bool { return strings.HasPrefix(l, "image: downloading Greet_Er-1.2-") }) {
		t.Errorf("progress %q", sink.lines)
	}
	if err := s.Verify(t.Context(), img.ID); err != nil {
		t.Error(err)
	}
	checkOffline(t, s, ix, img, Request{With: []string{"Greet_ER"}})
}

// checkOffline resolves the same request with no index in reach.
func checkOffline(t *testing.T, s *Store, ix *index, want Image, req Request) {
	t.Helper()
	if found, err := s.Reopen(t.Context(), want.ID); err != nil || !reflect.DeepEqual(found, want) {
		t.Errorf("Reopen: %+v, %v, want %+v", found, err, want)
	}
	before := ix.requests()
	ix.Close()
	sink := &collectSink{}
	began := time.Now()
	got, err := s.Resolve(t.Context(), req, sink)
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("second resolve: %s", took)
	if got.ID != want.ID || len(sink.lines) != 0 || ix.requests() != before {
		t.Errorf("got %s, want %s; progress %q; %d requests", got.ID, want.ID, sink.lines, ix.requests()-before)
	}
	if found, err := s.Lookup(t.Context(), req); err != nil || found.ID != want.ID {
		t.Errorf("Lookup: %s, %v", found.ID, err)
	}
}

func TestLockIsReproducible(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	ix.wheel(t, "stable", "1.0", anyTag, map[string]string{"stable.py": "V = 1\n"})
	req := Request{With: []string{"stable"}}
	first, err := s.Resolve(t.Context(), req, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	// Close gives up all leases of the shared store, which other tests do not rely on.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// A newer version appears; the lock that was kept must win.
	ix.wheel(t, "stable", "2.0", anyTag, map[string]string{"stable.py": "V = 2\n"})
	layer := first.Mounts[len(first.Mounts)-1].Source
	if err := os.RemoveAll(filepath.Dir(layer)); err != nil {
		t.Fatal(err)
	}
	again, err := s.Resolve(t.Context(), req, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if again.ID != first.ID || !slices.Equal(again.Packages, first.Packages) {
		t.Errorf("got %+v, want %+v", again.Packages, first.Packages)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// Remove forgets the lock, so the next resolve asks the index anew.
	if err := s.Remove(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	fresh, err := s.Resolve(t.Context(), req, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if got := fresh.Packages[0].Version; got != "2.0" {
		t.Errorf("after Remove: version %s, want 2.0", got)
	}
}

func TestRequirementsFileWithHashes(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	sum := ix.wheel(t, "pinned", "1.0", anyTag, map[string]string{"pinned.py": ""})
	path := filepath.Join(t.TempDir(), "requirements.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("pinned==1.0 --hash=sha256:" + strings.Repeat("0", 64))
	_, err := s.Resolve(t.Context(), Request{Requirements: path}, event.Discard)
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "pinned") {
		t.Errorf("a wrong hash: got %v", err)
	}
	needs := ix.wheel(t, "needspinned", "1.0", anyTag, map[string]string{"needspinned.py": ""}, "Requires-Dist: pinned")
	write("needspinned==1.0 --hash=sha256:" + needs)
	_, err = s.Resolve(t.Context(), Request{Requirements: path}, event.Discard)
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "others have none") {
		t.Errorf("a dependency without a hash: got %v", err)
	}
	write("pinned==1.0 --hash=sha256:" + sum)
	img, err := s.Resolve(t.Context(), Request{Requirements: path}, event.Discard)
	if err != nil || len(img.Packages) != 1 {
		t.Errorf("got %v, %v", img.Packages, err)
	}
}

func TestIndexFailures(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	ix.wheel(t, "liar", "1.0", anyTag, map[string]string{"liar.py": ""})
	ix.lies["liar-1.0-"+anyTag+".whl"] = strings.Repeat("0", 64)
	ix.put("sdistonly-1.0.tar.gz", "not opened")
	ix.wheel(t, "oldpython", "1.0", "cp39-cp39-manylinux_2_17_x86_64", map[string]string{"oldpython.py": ""})
	ix.wheel(t, "versions", "1.0", anyTag, map[string]string{"versions.py": ""})
	ix.wheel(t, "versions", "1.5", anyTag, map[string]string{"versions.py": ""})
	ix.put("broken-1.0-"+anyTag+".whl", "this is no zip")
	ix.wheel(t, "left", "1.0", anyTag, map[string]string{"left.py": ""}, "Requires-Dist: versions==1.0")
	ix.wheel(t, "right", "1.0", anyTag, map[string]string{"right.py": ""}, "Requires-Dist: versions==1.5")
	ix.wheel(t, "needy", "1.0", anyTag, map[string]string{"needy.py": ""}, "Requires-Dist: sdistonly")
	for _, c := range []struct {
		name string
		with []string
		kind fault.Kind
		say  string
	}{
		{"unknown", []string{"nosuchpackage"}, fault.NotFound, "nosuchpackage"},
		{"wrong hash", []string{"liar"}, fault.Conflict, "does not match its hash"},
		{"source only", []string{"sdistonly"}, fault.Invalid, "no wheel of it for CPython 3.14"},
		{"a dependency that is source only", []string{"needy"}, fault.Invalid, "sdistonly"},
		{"another Python", []string{"oldpython"}, fault.Invalid, "no wheel of it for CPython 3.14"},
		{"no such version", []string{"versions==9"}, fault.NotFound, "1.0, 1.5"},
		{"damaged", []string{"broken"}, fault.Invalid, "damaged wheel"},
		{"contradiction", []string{"left", "right"}, fault.Invalid, "contradict each other: left 1.0 depends on versions==1.0; right 1.0 depends on versions==1.5"},
		{"nothing applies", []string{"versions; python_version<'3'"}, fault.Invalid, "no requirement applies"},
	} {
		_, err := s.Resolve(t.Context(), Request{With: c.with}, event.Discard)
		if fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.say) || fault.RemedyOf(err) == "" {
			t.Errorf("%s: got %v (%v), want %v with %q", c.name, err, fault.KindOf(err), c.kind, c.say)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %v", c.name, err)
		}
		if _, err := s.Lookup(t.Context(), Request{With: c.with}); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: half an image is found: %v", c.name, err)
		}
	}
	if left, err := os.ReadDir(s.tmp()); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	ix.Close()
	_, err := s.Resolve(t.Context(), Request{With: []string{"versions"}}, event.Discard)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "cannot reach the package index") {
		t.Errorf("offline: got %v", err)
	}
}

func TestCredentialsStaySecret(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	ix.user = "me"
	ix.wheel(t, "private", "1.0", anyTag, map[string]string{"private.py": ""})
	host := strings.TrimPrefix(ix.URL, "http://")
	t.Setenv("PIP_INDEX_URL", "http://me:wrong-hunter2@"+host+"/simple/")
	sink := &collectSink{}
	_, err := s.Resolve(t.Context(), Request{With: []string{"private"}}, sink)
	if fault.KindOf(err) != fault.Denied {
		t.Errorf("wrong password: got %v", err)
	}
	if text := fmt.Sprint(err, sink.lines); strings.Contains(text, "hunter2") {
		t.Errorf("the password shows: %s", text)
	}
	t.Setenv("PIP_INDEX_URL", "http://me:hunter2@"+host+"/simple/")
	img, err := s.Resolve(t.Context(), Request{With: []string{"private"}}, sink)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(fmt.Sprint(sink.lines), "hunter2") {
		t.Errorf("the password shows: %q", sink.lines)
	}
	out, err := exec.Command("grep", "-rl", "hunter2", s.dir).CombinedOutput()
	if len(out) != 0 {
		t.Errorf("the password is kept: %s (%v)", out, err)
	}
	if len(img.Packages) != 1 {
		t.Errorf("got %v", img.Packages)
	}
}

func TestPipConfigurationBeyondTheIndexIsIgnored(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	ix.wheel(t, "plain", "1.0", anyTag, map[string]string{"plain.py": ""})
	conf := filepath.Join(t.TempDir(), "pip.conf")
	t.Setenv("PIP_INDEX_URL", "")
	t.Setenv("PIP_CONFIG_FILE", conf)
	text := fmt.Sprintf("[global]\nindex-url = %s/simple/\nrequire-virtualenv = true\n[download]\nno-binary = :all:\ndest = /nowhere\n[install]\nuser = true\ntarget = /nowhere\n", ix.URL)
	if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Resolve(t.Context(), Request{With: []string{"plain"}}, event.Discard); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(conf, []byte("no section\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := s.Resolve(t.Context(), Request{With: []string{"plain==1.0"}}, event.Discard)
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "pip's configuration cannot be read: "+conf) {
		t.Errorf("a broken configuration: got %v", err)
	}
}

func TestTwoAtOnce(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	ix.wheel(t, "together", "1.0", anyTag, map[string]string{"together.py": ""})
	other := open(t, filepath.Dir(s.dir))
	ids := make([]string, 4)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			img, err := []*Store{s, other}[i%2].Resolve(t.Context(), Request{With: []string{"together"}}, event.Discard)
			if err != nil {
				t.Error(err)
			}
			ids[i] = img.ID
		})
	}
	wg.Wait()
	for _, id := range ids[1:] {
		if id != ids[0] {
			t.Errorf("got %q", ids)
		}
	}
	if n := ix.requests(); n != 2 {
		t.Errorf("%d requests, want 2 (a page and a wheel): the wheel was fetched more than once", n)
	}
}

func TestImportsOf(t *testing.T) {
	for _, c := range []struct {
		dist  string
		files []string
		want  []string
	}{
		{"numpy", []string{"numpy/__init__.py", "numpy/core/__init__.py", "numpy.libs/x.so"}, []string{"numpy"}},
		{"scikit_learn", []string{"sklearn/__init__.py", "sklearn/_a.so"}, []string{"sklearn"}},
		{"Pillow", []string{"PIL/__init__.py", "pillow.libs/a.so"}, []string{"PIL"}},
		{"python_dateutil", []string{"dateutil/__init__.py"}, []string{"dateutil"}},
		{"PyYAML", []string{"_yaml/__init__.py", "yaml/__init__.py"}, []string{"yaml"}},
		{"six", []string{"six.py", "six-1.dist-info/RECORD"}, []string{"six"}},
		{"matplotlib", []string{"matplotlib/__init__.py", "pylab.py", "mpl_toolkits/axes/__init__.py"}, []string{"matplotlib", "matplotlib.pyplot"}},
		{"fast", []string{"_fast.cpython-314-x86_64-linux-gnu.so", "quick.cpython-314-x86_64-linux-gnu.so"}, []string{"quick"}},
		{"google_cloud_storage", []string{"google/cloud/storage/__init__.py", "google/cloud/storage/v1/__init__.py"}, []string{"google.cloud.storage"}},
		{"attrs", []string{"attr/__init__.py", "attrs/__init__.py"}, []string{"attrs"}},
		{"messy", []string{"tests/__init__.py", "messy_core/__init__.py"}, []string{"messy_core"}},
		{"tool", []string{"../../bin/tool", "bin/tool"}, nil},
		{"evil", []string{"os;system/__init__.py", "a b.py", "../x.py"}, nil},
	} {
		if got := importsOf(c.dist, c.files); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.dist, got, c.want)
		}
	}
}

func TestPipOutputIsBounded(t *testing.T) {
	var said []string
	o := &pipOutput{say: func(s string) { said = append(said, s) }}
	for i := range 2 * maxPipLines {
		_, _ = fmt.Fprintf(o, "Collecting p%d (from https://u:p@h/)\n", i)
	}
	_, _ = o.Write(bytes.Repeat([]byte("x"), 10*maxPipLine))
	o.flush()
	if len(said) != maxPipLines || said[0] != "resolving p0" {
		t.Errorf("%d lines, the first %q", len(said), said[0])
	}
	if got := len(o.tail()); got > keepPipTail*(maxPipLine+1) {
		t.Errorf("kept %d bytes", got)
	}
}

// TestRealIndex needs an index that the machine's own pip settings reach.
func TestRealIndex(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads packages")
	}
	s, base := sharedStore(t)
	img, err := s.Resolve(t.Context(), Request{With: []string{"six==1.17.0"}}, event.Discard)
	if fault.KindOf(err) == fault.Unavailable {
		t.Skipf("no package index can be reached: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	// The digest that the index of Python packages publishes for this wheel.
	want := Package{"six", "1.17.0", "sha256:4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274"}
	if !slices.Equal(img.Packages, []Package{want}) || !slices.Equal(img.Runtimes[0].Preload, []string{"six"}) {
		t.Errorf("got %v, preload %q", img.Packages, img.Runtimes[0].Preload)
	}
	if img.ID == base.ID {
		t.Error("a layer does not change the identity")
	}
}

// TestWheelIsDownloadedOnce makes two images with one wheel in common: it is taken from
// the store the second time, as long as it is what its digest says. Pip keeps nothing
// else of what it downloads.
func TestWheelIsDownloadedOnce(t *testing.T) {
	s, _ := sharedStore(t)
	ix := newIndex(t)
	sum := ix.wheel(t, "common", "1.0", anyTag, map[string]string{"common.py": "N = 1\n"})
	for _, name := range []string{"first", "second", "third"} {
		ix.wheel(t, name, "1.0", anyTag, map[string]string{name + ".py": "import common\n"}, "Requires-Dist: common")
	}
	for i, name := range []string{"first", "second", "third"} {
		if i == 2 {
			if err := os.WriteFile(filepath.Join(s.dir, wheelDir, sum), []byte("damaged"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		img, err := s.Resolve(t.Context(), Request{With: []string{name}}, event.Discard)
		if err != nil || len(img.Packages) != 2 {
			t.Fatalf("%s: %+v, %v", name, img.Packages, err)
		}
	}
	slices.Sort(ix.sent)
	want := []string{"common", "common", "first", "second", "third"}
	for i := range want {
		want[i] += "-1.0-" + anyTag + ".whl"
	}
	if !slices.Equal(ix.sent, want) {
		t.Errorf("downloaded were %v, want %v", ix.sent, want)
	}
	if exists(t, filepath.Join(s.dir, cacheDir)) {
		t.Error("pip has a cache")
	}
	got, _, err := hashFile(filepath.Join(s.dir, wheelDir, sum))
	if err != nil || got != sum {
		t.Errorf("the damaged wheel is still there: %s, %v", got, err)
	}
}
