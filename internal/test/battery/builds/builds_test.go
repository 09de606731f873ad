package builds

import (
	"archive/tar"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/test/container"
	"praxis/internal/test/debian"
	"praxis/internal/test/prepared"
)

func TestMain(m *testing.M) {
	if err := prepared.AtOnce(2); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// world is a data folder, and a folder with what is built.
type world struct {
	*app.App
	t         *testing.T
	home, dir string

	mu   sync.Mutex
	said []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	return newWorldOf(t)
}

// newWorldOf is newWorld for a test that has one already.
func newWorldOf(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), dir: t.TempDir()}
	c, err := app.DefaultConfig(w.home, nil)
	if err = errors.Join(err, prepared.Fill(w.home)); err != nil {
		t.Fatal(err)
	}
	if w.App, err = app.Open(app.Options{Config: c}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// Emit keeps what is said of the progress.
func (w *world) Emit(e event.Event) {
	if p, ok := e.(event.Progress); ok {
		w.mu.Lock()
		w.said = append(w.said, p.Text)
		w.mu.Unlock()
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	file := filepath.Join(w.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		w.t.Fatal(err)
	}
}

// build builds the image that a text declares.
func (w *world) build(text string, limits event.Limits) (app.BuiltImage, error) {
	w.t.Helper()
	w.write("image.yaml", text)
	return w.BuildImageOf(w.t.Context(), app.ImageFile{Path: filepath.Join(w.dir, "image.yaml"), Limits: limits}, w)
}

func (w *world) built(text string) app.BuiltImage {
	w.t.Helper()
	img, err := w.build(text, event.Limits{})
	if err != nil {
		w.t.Fatal(err)
	}
	return img
}

// refused builds what cannot be built, and looks for what is said of it. Nothing has a
// name then, and no sandbox is left.
func (w *world) refused(text string, limits event.Limits, kind fault.Kind, words ...string) {
	w.t.Helper()
	w.fails(text, limits, kind, words...)
	w.nothing()
}

func (w *world) fails(text string, limits event.Limits, kind fault.Kind, words ...string) {
	w.t.Helper()
	_, err := w.build(text, limits)
	if fault.KindOf(err) != kind {
		w.t.Errorf("%v, want %v", err, kind)
	}
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			w.t.Errorf("%q is not in: %v", word, err)
		}
	}
}

func (w *world) nothing() {
	w.t.Helper()
	all, err := w.ListImages(context.Background())
	if err != nil || slices.ContainsFunc(all, func(i app.ImageInfo) bool { return i.Name == "it" }) {
		w.t.Errorf("images %+v, %v", all, err)
	}
}

func (w *world) open(spec app.SessionSpec) *app.Session {
	w.t.Helper()
	s, err := w.OpenSession(w.t.Context(), spec, event.Discard)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// want runs code whose value is known.
func (w *world) want(s *app.Session, code, value string) {
	w.t.Helper()
	got, err := s.Execute(w.t.Context(), "", code, event.Bounds{}, event.Discard)
	if err != nil || got.Status != event.OK || got.Result["text"] != value {
		w.t.Errorf("%q: got %+v, %v, want %s", code, got, err, value)
	}
}

const server = `import http.server, os
class H(http.server.BaseHTTPRequestHandler):
    n = 0
    def do_GET(self):
        H.n += 1
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{os.environ['MODE']} {H.n}".encode())
http.server.HTTPServer(("127.0.0.1", 8000), H).serve_forever()
`

const whole = `name: it
copy: {./data: /srv/data, serve.py: /work/serve.py}
env: {MODE: demo}
run:
  - mkdir -p /srv/out && cat /srv/data/a.txt > /srv/out/b.txt && echo $MODE >> /srv/out/b.txt
  - rm -r /usr/share/zoneinfo/Europe; ln /srv/out/b.txt /srv/out/c.txt; ln -s b.txt /srv/out/d.txt; chmod 755 /srv/out/b.txt
start: {command: python3 serve.py, ready: {port: 8000}}
preload: [csv]
`

const ask = "__import__('urllib.request').request.urlopen('http://127.0.0.1:8000').read().decode()"

// TestBuild builds an image with files, steps and a program that answers in every session.
func TestBuild(t *testing.T) {
	w := newWorld(t)
	w.write("data/a.txt", "one\n")
	w.write("data/deep/x", "")
	w.write("serve.py", server)
	text := whole
	img := w.built(text)
	if img.Name != "it" || img.Steps != 4 || img.Ran != 2 {
		t.Fatalf("got %+v", img)
	}
	s := w.open(app.SessionSpec{Name: "s", Image: "it"})
	w.want(s, "import os, sys; open('/srv/out/b.txt').read()", `'one\ndemo\n'`)
	w.want(s, "'csv' in sys.modules, os.environ['MODE']", "(True, 'demo')")
	w.want(s, "os.path.exists('/usr/share/zoneinfo/Europe'), os.path.exists('/usr/share/zoneinfo')", "(False, True)")
	w.want(s, "os.path.samefile('/srv/out/b.txt', '/srv/out/d.txt'), open('/srv/out/c.txt').read(), os.access('/srv/out/b.txt', os.X_OK), os.stat('/srv/data/a.txt').st_mtime", `(True, 'one\ndemo\n', True, 315532800.0)`)
	w.want(s, "os.getuid(), os.access('/srv/out/b.txt', os.W_OK), os.access('/work/serve.py', os.W_OK)", "(1000, False, True)")
	w.want(s, ask, "'demo 1'")
	if _, err := s.Save(t.Context(), "one answer"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.ForkSession(t.Context(), "s", "f"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "s"} { // each goes on from the first answer
		s := w.open(app.SessionSpec{Name: name})
		w.want(s, ask, "'demo 2'")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}

	// Steps whose inputs are the same do not run again.
	again := w.built(text)
	if again.ID != img.ID || again.Ran != 0 {
		t.Errorf("again: %+v", again)
	}
	w.write("data/a.txt", "two\n")
	changed := w.built(text)
	if changed.ID == img.ID || changed.Ran != 2 {
		t.Errorf("with another file: %+v", changed)
	}
	last := w.built(strings.Replace(text, "chmod 755", "chmod 700", 1))
	if last.Ran != 1 {
		t.Errorf("with another last step: %+v", last)
	}
	w.described()

	// The session of the first goes on; who asks for the name gets the last.
	s = w.open(app.SessionSpec{Name: "s"})
	w.want(s, ask, "'demo 2'")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	w.elsewhere(img.ID, text)
}

// described looks at what is said of the image.
func (w *world) described() {
	w.t.Helper()
	d, err := w.DescribeImage(w.t.Context(), "it")
	if err != nil || d.Container == nil || len(d.Container.Layers) != 5 || !slices.Contains(d.Env, "MODE=demo") {
		w.t.Errorf("%+v, %v", d, err)
	}
	steps, err := w.ImageHistory(w.t.Context(), "it")
	var by []string
	for _, s := range steps {
		by = append(by, strings.SplitN(s.By, " ", 3)[0])
	}
	if want := []string{"packages", "copy", "copy", "run", "run", "CPython"}; err != nil || !slices.Equal(by, want) || steps[1].Unpacked == 0 {
		w.t.Errorf("%+v, %v", steps, err)
	}
	out, err := w.ExportImage(w.t.Context(), app.ImageExport{Name: "it", Path: w.dir})
	if err != nil || out.Bytes == 0 {
		w.t.Errorf("%+v, %v", out, err)
	}
}

// elsewhere builds the same in another data folder, and lets a session travel there.
func (w *world) elsewhere(id, text string) {
	w.t.Helper()
	w.write("data/a.txt", "one\n")
	c, err := app.DefaultConfig(filepath.Join(w.t.TempDir(), "home"), nil)
	if err = errors.Join(err, prepared.Fill(c.Home)); err != nil {
		w.t.Fatal(err)
	}
	a, err := app.Open(app.Options{Config: c})
	if err != nil {
		w.t.Fatal(err)
	}
	defer a.Close()
	file := filepath.Join(w.dir, "s.praxis-session")
	if _, err := w.ExportSession(w.t.Context(), app.SessionExport{Name: "s", Path: file}, w); err != nil {
		w.t.Fatal(err)
	}
	if _, err := a.ImportSession(w.t.Context(), file, "", w); err != nil {
		w.t.Fatal(err)
	}
	s, err := a.OpenSession(w.t.Context(), app.SessionSpec{Name: "s"}, w)
	if err != nil {
		w.t.Fatal(err)
	}
	w.want(s, ask, "'demo 2'")
	if err := s.Close(); err != nil {
		w.t.Error(err)
	}
	w.write("image.yaml", text)
	img, err := a.BuildImageOf(w.t.Context(), app.ImageFile{Path: filepath.Join(w.dir, "image.yaml")}, w)
	if err != nil || img.ID != id || img.Ran != 2 {
		w.t.Errorf("elsewhere: %+v, %v, want %s", img, err, id)
	}
}

// TestBuildFailures builds what cannot be: what failed is said, and nothing is left.
func TestBuildFailures(t *testing.T) {
	w := newWorld(t)
	w.refused("name: it\nrun: [echo first, 'echo one; echo two >&2; exit 3']\n", event.Limits{}, fault.Invalid, "step 2 of 2 (run echo one; echo two >&2; exit 3) ended with the exit code 3. It wrote:", "two")
	w.refused("name: it\nrun: [kill -9 $$]\n", event.Limits{}, fault.Invalid, "step 1 of 1", "signal 9")
	w.refused("name: it\ncopy: {none: /srv/none}\n", event.Limits{}, fault.NotFound, "cannot copy none")
	if err := os.Symlink("/etc/passwd", filepath.Join(w.dir, "link")); err != nil {
		t.Fatal(err)
	}
	w.refused("name: it\ncopy: {link: /srv/link}\n", event.Limits{}, fault.Invalid, "cannot copy link")
	w.refused("name: it\napt: [jq]\nallow-net: [deb.debian.org]\n", event.Limits{}, fault.Invalid, "has no apt-get")
	w.refused("name: it\nfrom: none-of-that-name\n", event.Limits{}, fault.NotFound, "none-of-that-name")
	w.refused("name: it\nallow-net: ['not a host']\n", event.Limits{}, fault.Invalid)
	w.refused("name: it\nrun: [head -c 64M /dev/zero > /big]\n", event.Limits{Disk: 32 << 20}, fault.Invalid, "step 1 of 1", "o space left")
	// There is no way out that the file does not name.
	const connect = `python3 -c 'import socket; socket.create_connection(("192.0.2.7", 80), 5)'`
	w.refused("name: it\nrun:\n  - "+connect+"\n", event.Limits{}, fault.Invalid, "exit code 1", "OSError")
	const fetch = `python3 -c 'import urllib.request; urllib.request.urlopen("http://example.org/")'`
	w.refused("name: it\nallow-net: [example.com]\nrun:\n  - "+fetch+"\n", event.Limits{}, fault.Invalid, "exit code 1", "403")
	// A program that does not get ready.
	w.refused("name: it\nstart: {command: 'echo no database; exit 4', ready: {port: 8000}}\n", event.Limits{}, fault.Invalid, "ended with the exit code 4", "no database")
	w.refused("name: it\nstart: {command: 'echo waiting; sleep 1000', ready: {command: 'false', within: 2s}}\n", event.Limits{}, fault.Invalid, "not ready within 2s", "waiting")
}

// TestBuildGivenUp gives a build up while a step runs.
func TestBuildGivenUp(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.write("image.yaml", "name: it\nrun: [echo begun; sleep 1000]\n")
	_, err := w.BuildImageOf(ctx, app.ImageFile{Path: filepath.Join(w.dir, "image.yaml")}, event.SinkFunc(func(e event.Event) {
		if p, ok := e.(event.Progress); ok && p.Text == "begun" {
			cancel()
		}
	}))
	if fault.KindOf(err) != fault.Canceled || !strings.Contains(err.Error(), "step 1 of 1") {
		t.Errorf("%v", err)
	}
	w.nothing()
	if left, err := os.ReadDir(filepath.Join(w.home, "images", "tmp")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

var allBuilds = flag.Bool("all-builds", false, "also build on a container image, which takes a minute")

// TestBuildOnContainer builds on a container image, which brings its own Python.
func TestBuildOnContainer(t *testing.T) {
	if !*allBuilds {
		t.Skip("it takes a minute: -all-builds takes it, as \"make nightly\" does")
	}
	w := newWorld(t)
	ours, err := w.BuildImage(t.Context(), app.SessionSpec{}, w)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(w.dir, "base.tar")
	container.Image{
		Layers: [][]byte{container.Folder(t, "", ours.Root), container.Folder(t, "usr/local", ours.Mounts[0].Source)},
		Config: map[string]any{"Env": []string{"PATH=/usr/local/bin:/usr/bin:/bin", "BASE=yes"}},
	}.Build(t).Save(t, file, "base:1")
	if _, err := w.ImportImage(t.Context(), file, "base:1", w); err != nil {
		t.Fatal(err)
	}
	text := "name: it\nfrom: base:1\nenv: {MODE: x}\nrun: [echo $BASE $MODE > /srv.txt; rm -r /usr/share/zoneinfo]\n"
	img := w.built(text)
	if img.Ran != 1 || img.Digest == "" {
		t.Errorf("%+v", img)
	}
	s := w.open(app.SessionSpec{Image: "it"})
	w.want(s, "import os, sys; open('/srv.txt').read(), sys.executable, os.environ['MODE'], os.environ['BASE'], os.path.exists('/usr/share/zoneinfo')", `('yes x\n', '/usr/local/bin/python3', 'x', 'yes', False)`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again := w.built(text); again.Ran != 0 || again.ID != img.ID {
		t.Errorf("%+v", again)
	}
	w.onBuilt(img)
}

// onBuilt builds on an image that was built: with packages of Python and npm beside the
// container's own Python, a step that uses them, and a program that is started.
func (w *world) onBuilt(on app.BuiltImage) {
	w.t.Helper()
	w.write("serve.py", server)
	text := "name: more\nfrom: it\npip: [pyjokes]\nnpm: ['is-odd@3.0.1']\nenv: {MORE: y}\ncopy: {serve.py: /srv/serve.py}\n" +
		"run: [\"python3 -c 'import pyjokes; print(pyjokes.__name__)' > /joke.txt; cd /srv && node -p \\\"require('is-odd')(3)\\\" > /odd.txt\"]\n" +
		"start: {command: python3 /srv/serve.py, ready: {port: 8000}}\n"
	img, err := w.build(text, event.Limits{})
	if fault.KindOf(err) == fault.Unavailable {
		w.t.Skip("the package index cannot be reached")
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if img.Ran != 1 || img.ID == on.ID {
		w.t.Errorf("%+v", img)
	}
	s := w.open(app.SessionSpec{Image: "more"})
	w.want(s, "import os, sys; open('/srv.txt').read(), open('/joke.txt').read(), open('/odd.txt').read()", `('yes x\n', 'pyjokes\n', 'true\n')`)
	w.want(s, "os.environ['MODE'], os.environ['BASE'], os.environ['MORE'], 'pyjokes' in sys.modules, sys.executable", "('x', 'yes', 'y', True, '/usr/local/bin/python3')")
	w.want(s, ask, "'x 1'")
	got, err := s.Execute(w.t.Context(), "javascript", "require('is-odd')(5)", event.Bounds{}, event.Discard)
	if err != nil || got.Result["text"] != "true" {
		w.t.Errorf("%+v, %v", got, err)
	}
	if err := s.Close(); err != nil {
		w.t.Fatal(err)
	}
	if again := w.built(text); again.Ran != 0 || again.ID != img.ID {
		w.t.Errorf("%+v", again)
	}
	s = w.open(app.SessionSpec{Image: "more", With: []string{"six"}})
	defer s.Close()
	w.want(s, "import six, pyjokes; six.__file__, pyjokes.__file__", "('/opt/packages/six.py', '/opt/packages/pyjokes/__init__.py')")
}

// manager stands in for apk: it installs what lies in a folder, as root, and writes lists
// with the time in them.
const manager = `#!/bin/sh -e
[ "$(id -u)" = 0 ]
case $1 in
update) mkdir -p /var/cache/apk; date +%s%N > /var/cache/apk/APKINDEX.1.tar.gz ;;
add)
	shift
	for p; do
		name=${p%%=*}
		if [ ! -d "/srv/repository/$name" ]; then echo "ERROR: unable to select packages: $name (no such package)" >&2; exit 1; fi
		cp -r "/srv/repository/$name/." /
		echo "P:$name" >> /lib/apk/db/installed
	done ;;
esac
`

// TestBuildWithApk installs packages by the manager of an image like Alpine: busybox and
// musl, with one that stands in for apk.
func TestBuildWithApk(t *testing.T) {
	w := newWorld(t)
	entries := debian.Entries(t, "../testdata/musl.json", debian.NotNeeded)
	for _, name := range []string{"sh", "id", "date", "mkdir", "cp", "rm", "cat"} {
		entries = append(entries, container.Entry{Name: "bin/" + name, Kind: tar.TypeSymlink, Link: "/bin/busybox"})
	}
	entries = append(entries, container.Entry{Name: "sbin/apk", Text: manager}, container.Entry{Name: "lib/apk/db/installed", Text: "P:busybox\n"},
		container.Entry{Name: "srv/repository/jq/usr/bin/jq", Text: "#!/bin/sh\necho jq\n"}, container.Entry{Name: "srv/repository/curl/usr/bin/curl", Text: "#!/bin/sh\necho curl\n"})
	file := filepath.Join(w.dir, "base.tar")
	container.Image{Layers: [][]byte{container.Layer(t, entries...)}, Config: map[string]any{"Env": []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}}}.Build(t).Save(t, file, "alpine:1")
	if _, err := w.ImportImage(t.Context(), file, "alpine:1", w); err != nil {
		t.Fatal(err)
	}
	const text = "name: it\nfrom: alpine:1\napk: [jq=1.7.1-r0, curl]\nrun: [jq > /srv/said; curl >> /srv/said]\n"
	img := w.built(text)
	if img.Steps != 2 || img.Ran != 2 {
		t.Errorf("%+v", img)
	}
	s := w.open(app.SessionSpec{Image: "it"})
	w.want(s, "import os, sys; open('/srv/said').read(), open('/lib/apk/db/installed').read(), os.listdir('/var/cache/apk')", `('jq\ncurl\n', 'P:busybox\nP:jq\nP:curl\n', [])`)
	w.want(s, "sys.executable, os.popen('jq').read()", `('/opt/python/bin/python3', 'jq\n')`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	w.fails("name: other\nfrom: alpine:1\napk: [nothing]\n", event.Limits{}, fault.Invalid, "step 1 of 1 (apk nothing) ended with the exit code 1", "no such package")
	w.fails("name: other\nfrom: alpine:1\napt: [jq]\n", event.Limits{}, fault.Invalid, "alpine:1 has no apt-get")
	// The same steps give the same image elsewhere: nothing of the manager's lists is in it.
	other := newWorldOf(t)
	if _, err := other.ImportImage(t.Context(), file, "alpine:1", other); err != nil {
		t.Fatal(err)
	}
	if again := other.built(text); again.ID != img.ID {
		t.Errorf("got %s elsewhere, want %s", again.ID, img.ID)
	}
}
