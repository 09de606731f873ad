package battery

import (
	"archive/tar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/session"
	"praxis/internal/test/container"
)

// staticProgram builds a program that needs nothing of an image.
func staticProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source := "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() { fmt.Println(\"static\", os.Args[1:], os.Getenv(\"COLOR\")) }\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "hello"), filepath.Join(dir, "main.go"))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GO111MODULE=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "hello"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// imported takes an image into the data folder of the tests.
func imported(t *testing.T, name string, i container.Image) image.Image {
	t.Helper()
	store, err := image.Open(filepath.Join(dataDir, "images"), seals)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	file := filepath.Join(t.TempDir(), "image.tar")
	i.Build(t).Save(t, file, name)
	img, err := store.Import(t.Context(), image.Import{Path: file}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestContainerWithoutLibrary runs our Python on an image that has one static program, and
// neither a C library nor a shell.
func TestContainerWithoutLibrary(t *testing.T) {
	img := imported(t, "bare:1", container.Image{
		Layers: [][]byte{container.Layer(t,
			container.Entry{Name: "bin/hello", Text: staticProgram(t)}, container.Entry{Name: "etc/secret", Text: "read", Mode: 0o600},
			container.Entry{Name: "etc/passwd", Text: "root:x:0:0::/:/bin/hello\n"}, container.Entry{Name: "data/x", Text: "1", Mode: 0o600, UID: 70},
			container.Entry{Name: "tmp", Kind: tar.TypeSymlink, Link: "/var/tmp"}, container.Entry{Name: "etc/outside", Kind: tar.TypeSymlink, Link: "/../../../../../../etc/hostname"},
			container.Entry{Name: "bin/su", Text: staticProgram(t), Mode: 0o4755},
		)},
		Config: map[string]any{"Env": []string{"COLOR=red", "PATH=/bin", "PYTHONPATH=/nowhere"}, "User": "0:0", "WorkingDir": "/srv"},
	})
	m := manager(t)
	s, err := m.Create(t.Context(), session.Options{Image: img}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := func(s *session.Session, code, value string) {
		t.Helper()
		got, err := s.Execute(t.Context(), code, session.Exec{}, event.Discard)
		if err != nil || got.Status != event.OK || got.Result["text"] != value {
			t.Errorf("%q: got %+v, %v, want %s", code, got, err, value)
		}
	}
	want(s, "import os, subprocess, sys; os.getuid(), os.getgid(), os.getcwd(), os.environ['IMAGE_WORKDIR']", "(1000, 1000, '/work', '/srv')")
	want(s, "subprocess.run(['hello', 'x'], capture_output=True, text=True).stdout", `'static [x] red\n'`)
	want(s, "os.access('/bin/su', os.X_OK), os.stat('/bin/su').st_mode & 0o7000", "(True, 0)")
	want(s, "open('/etc/secret').read()", "'read'")
	want(s, "open('/data/x', 'a').write('2'), open('/data/x').read()", "(1, '12')")
	want(s, "import pwd; pwd.getpwuid(1000).pw_name, pwd.getpwuid(0).pw_shell", "('user', '/bin/hello')")
	want(s, "os.path.exists('/etc/outside'), os.path.exists('/bin/sh'), os.path.isdir('/tmp')", "(False, False, True)")
	// Its own programs are started as ever, also by a name alone and in a folder of its own.
	const child = "subprocess.run([%s, '-c', 'import sys, ssl, sqlite3, ctypes; print(sys.executable, sys.version_info[:2])'], capture_output=True, text=True).stdout"
	want(s, strings.Replace(child, "%s", "sys.executable", 1), `'/opt/python/bin/python3 (3, 14)\n'`)
	want(s, strings.Replace(child, "%s", "'python3'", 1), `'/opt/python/bin/python3 (3, 14)\n'`)
	want(s, "import venv; venv.create('/tmp/own', with_pip=False, symlinks=True); "+strings.Replace(child, "%s", "'/tmp/own/bin/python'", 1), `'/tmp/own/bin/python (3, 14)\n'`)
	want(s, "import zoneinfo; str(zoneinfo.ZoneInfo('Europe/Berlin'))", "'Europe/Berlin'")
	if _, err := s.Execute(t.Context(), "1", session.Exec{Language: "bash"}, event.Discard); fault.CodeOf(err) != fault.LanguageMissing {
		t.Errorf("a shell that the image does not have: %v", err)
	}
	// Nothing of the host is there, and nothing of the image can be changed.
	want(s, "[p for p in ('/root', '/home/runner', '/etc/hostname', '/usr') if os.path.exists(p)]", "[]")
	for _, code := range []string{"open('/etc/passwd', 'a')", "open('/.praxis-root/etc/passwd', 'a')", "os.mkdir('/opt/python/x')", "os.remove('/bin/hello')"} {
		got, err := s.Execute(t.Context(), code, session.Exec{}, event.Discard)
		if err != nil || got.Status != event.Error {
			t.Errorf("%q: got %+v, %v", code, got, err)
		}
	}
	want(s, "kept = 42; open('file', 'w').write('x')", "1")
	fork, err := s.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(fork, "kept += 1; kept, open('file').read()", "(43, 'x')")
	want(s, "kept", "42")
	snap, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(s, "kept = 0; kept", "0")
	if err := s.Rollback(t.Context(), snap.ID); err != nil {
		t.Fatal(err)
	}
	want(s, "kept, subprocess.run(['/bin/hello'], capture_output=True).returncode", "(42, 0)")
}

// TestContainerOwnPython runs kernels with an interpreter that an image brings: our own root
// file system and Python as one that somebody else built.
func TestContainerOwnPython(t *testing.T) {
	img := imported(t, "debian:1", container.Image{
		Layers: [][]byte{container.Folder(t, "", defaultImage.Root), container.Folder(t, "usr/local", defaultImage.Mounts[0].Source)},
		Config: map[string]any{"Env": []string{"PATH=/usr/local/bin:/usr/bin"}},
	})
	if r := img.Runtimes; len(r) != 2 || r[1].Language != "bash" || r[1].Program != "/usr/local/bin/python3" || r[0].Program != "/usr/local/bin/python3" || r[0].Version != "3.14" || len(img.Mounts) != 0 {
		t.Fatalf("got %+v and the mounts %v", r, img.Mounts)
	}
	s, err := manager(t).Create(t.Context(), session.Options{Image: img}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Execute(t.Context(), "import sys, subprocess; sys.prefix, subprocess.run('echo $0', shell=True, capture_output=True, text=True).stdout", session.Exec{}, event.Discard)
	if err != nil || got.Status != event.OK || got.Result["text"] != `('/usr/local', '/bin/sh\n')` {
		t.Errorf("got %+v, %v", got, err)
	}
	got, err = s.Execute(t.Context(), "n=41; echo $((n + 1)) ${BASH_VERSINFO[0]}", session.Exec{Language: "bash"}, event.Discard)
	if err != nil || got.Status != event.OK || got.Stdout != "42 5\n" {
		t.Errorf("got %+v, %v", got, err)
	}
}
