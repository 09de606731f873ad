package battery

import (
	"archive/tar"
	"testing"

	"praxis/event"
	"praxis/internal/session"
	"praxis/internal/test/container"
	"praxis/internal/test/debian"
)

// TestContainerMusl runs our Python on an image whose C library is musl, with a shell of
// busybox's, as Alpine has them, and honours what the image says of its environment.
func TestContainerMusl(t *testing.T) {
	entries := debian.Entries(t, "testdata/musl.json", debian.NotNeeded)
	for _, name := range []string{"sh", "ls", "cat", "id", "pwd", "env"} {
		entries = append(entries, container.Entry{Name: "bin/" + name, Kind: tar.TypeSymlink, Link: "/bin/busybox"})
	}
	entries = append(entries,
		container.Entry{Name: "srv/app/data", Text: "of the image", UID: 100},
		container.Entry{Name: "etc/passwd", Text: "root:x:0:0:root:/root:/bin/sh\napp:x:100:100::/srv/app:/bin/sh\n"})
	img := imported(t, "musl:1", container.Image{Layers: [][]byte{container.Layer(t, entries...)}, Config: map[string]any{
		"Env": []string{"PATH=/usr/sbin:/bin", "COLOR=blue", "EMPTY=", "SPACED=a b=c", "LANG=de_DE.UTF-8", "HOME=/root"}, "User": "app:100", "WorkingDir": "/srv/app/",
	}})
	s, err := manager(t).Create(t.Context(), session.Options{Image: img}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ code, value string }{
		{"import os, subprocess, sys\nrun = lambda *args: subprocess.run(args, capture_output=True, text=True).stdout\nsys.version_info[:2]", "(3, 14)"},
		{"subprocess.run(['/lib/ld-musl-x86_64.so.1'], capture_output=True, text=True).stderr.splitlines()[:2]", "['musl libc (x86_64)', 'Version 1.2.3']"},
		{"run('sh', '-c', 'echo $COLOR:$EMPTY:$SPACED:$HOME:$LANG; pwd; id -u; id -un; cat /srv/app/data')", `'blue::a b=c:/home/user:de_DE.UTF-8\n/work\n1000\nuser\nof the image'`},
		{"os.environ['IMAGE_WORKDIR'], os.environ['PATH'].split(':')[:2], 'EMPTY' in os.environ", "('/srv/app', ['/usr/sbin', '/bin'], True)"},
		{"open('/srv/app/data', 'a').write('!'), run('sh', '-c', 'cat $IMAGE_WORKDIR/data')", "(1, 'of the image!')"},
		{"run(sys.executable, '-c', 'import ssl, sqlite3, ctypes; print(1)'), run('python3', '-c', 'print(2)')", `('1\n', '2\n')`},
		{"os.system('exit 3') >> 8", "3"},
	} {
		got, err := s.Execute(t.Context(), c.code, session.Exec{}, event.Discard)
		if err != nil || got.Status != event.OK || got.Result["text"] != c.value {
			t.Errorf("%q: got %+v, %v, want %s", c.code, got, err, c.value)
		}
	}
}
