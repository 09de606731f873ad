package builtin_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"praxis/fault"
	"praxis/internal/tool/kind/builtin"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "data")
	write(t, filepath.Join(root, "a.txt"), "Grüße\n")
	write(t, filepath.Join(root, "sub", "b.bin"), "\xff\x00")
	write(t, filepath.Join(root, "empty"), "")
	write(t, filepath.Join(dir, "secret.txt"), "secret")
	for link, to := range map[string]string{"out": "../secret.txt", "abs": filepath.Join(dir, "secret.txt"), "up": "..", "in": "sub/b.bin", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	u := open(t, builtin.Config{}, dir, "files.read", `{"root":"data"}`)
	if strings.Contains(u.d.Description, dir) || !strings.Contains(u.d.Description, "data") {
		t.Errorf("description: %s", u.d.Description)
	}
	for args, want := range map[string]string{
		`{"path":"a.txt"}`:                               `{"path":"a.txt","size":8,"text":"Grüße\n","next":8,"more":false}`,
		`{"path":"./sub/../a.txt","limit":3}`:            `{"path":"a.txt","size":8,"text":"Gr","next":2,"more":true}`,
		`{"path":"a.txt","limit":3,"offset":2}`:          `{"path":"a.txt","size":8,"text":"ü","next":4,"more":true}`,
		`{"path":"a.txt","offset":6}`:                    `{"path":"a.txt","size":8,"text":"e\n","next":8,"more":false}`,
		`{"path":"a.txt","offset":9}`:                    `{"path":"a.txt","size":8,"text":"","next":9,"more":false}`,
		`{"path":"a.txt","offset":9007199254740991}`:     `{"path":"a.txt","size":8,"text":"","next":9007199254740991,"more":false}`,
		`{"path":"a.txt","limit":1,"encoding":"base64"}`: `{"path":"a.txt","size":8,"base64":"Rw==","next":1,"more":true}`,
		`{"path":"sub/b.bin"}`:                           `{"path":"sub/b.bin","size":2,"base64":"/wA=","next":2,"more":false}`,
		`{"path":"in"}`:                                  `{"path":"in","size":2,"base64":"/wA=","next":2,"more":false}`,
		`{"path":"empty"}`:                               `{"path":"empty","size":0,"text":"","next":0,"more":false}`,
	} {
		if got := u.got(t, args); got != want {
			t.Errorf("%s:\n got %s\nwant %s", args, got, want)
		}
	}
	for _, c := range []struct {
		args  string
		kind  fault.Kind
		words string
	}{
		{`{"path":"../secret.txt"}`, fault.Denied, "out of the folder"},
		{`{"path":"sub/../../secret.txt"}`, fault.Denied, "out of the folder"},
		{`{"path":"/etc/passwd"}`, fault.Denied, "absolute"},
		{`{"path":"out"}`, fault.Denied, "out of the folder"},
		{`{"path":"abs"}`, fault.Denied, "out of the folder"},
		{`{"path":"up/secret.txt"}`, fault.Denied, "out of the folder"},
		{`{"path":"loop"}`, fault.Invalid, "loop"},
		{`{"path":"b.txt"}`, fault.Invalid, "a.txt"},
		{`{"path":"sub"}`, fault.Invalid, "b.bin"},
		{`{"path":"."}`, fault.Invalid, "a.txt"},
		{`{"path":"a.txt/x"}`, fault.Invalid, "a.txt/x"},
		{`{"path":"pipe"}`, fault.Invalid, "no plain file"},
		{`{"path":"a\u0000b"}`, fault.Invalid, "no text"},
		{`{"path":"sub/b.bin","encoding":"text"}`, fault.Invalid, "base64"},
		{`{"path":"` + strings.Repeat("x", 300) + `"}`, fault.Invalid, "long"},
	} {
		u.refused(t, c.args, c.kind, c.words)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "out")
	write(t, filepath.Join(dir, "victim"), "v")
	write(t, filepath.Join(root, "old"), "old")
	if err := os.Chmod(filepath.Join(root, "old"), 0o640); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "../victim", "up": ".."} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	u := open(t, builtin.Config{}, dir, "files.write", `{"root":"out"}`)
	for _, c := range []struct{ args, want, path, content string }{
		{`{"path":"a/b/c","content":"x"}`, `{"path":"a/b/c","size":1,"created":true,"where":"out/a/b/c of the machine that runs this tool, not of the session"}`, "a/b/c", "x"},
		{`{"path":"a/b/c","content":"yy","mode":"append"}`, `{"path":"a/b/c","size":3,"created":false,"where":"out/a/b/c of the machine that runs this tool, not of the session"}`, "a/b/c", "xyy"},
		{`{"path":"a/b/c","content":"/wA=","encoding":"base64","mode":"replace"}`, `{"path":"a/b/c","size":2,"created":false,"where":"out/a/b/c of the machine that runs this tool, not of the session"}`, "a/b/c", "\xff\x00"},
		{`{"path":"old","content":"n","mode":"replace"}`, `{"path":"old","size":1,"created":false,"where":"out/old of the machine that runs this tool, not of the session"}`, "old", "n"},
		{`{"path":"new","content":"n","mode":"append"}`, `{"path":"new","size":1,"created":true,"where":"out/new of the machine that runs this tool, not of the session"}`, "new", "n"},
	} {
		if got := u.got(t, c.args); got != c.want {
			t.Errorf("%s: got %s", c.args, got)
		}
		if b, err := os.ReadFile(filepath.Join(root, c.path)); err != nil || string(b) != c.content {
			t.Errorf("%s: the file has %q, %v", c.args, b, err)
		}
	}
	if info, err := os.Stat(filepath.Join(root, "old")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode: %v %v", info, err)
	}
	for _, c := range []struct {
		args  string
		kind  fault.Kind
		words string
	}{
		{`{"path":"old","content":""}`, fault.Invalid, "there already"},
		{`{"path":"link","content":""}`, fault.Invalid, "there already"},
		{`{"path":"link","content":"","mode":"replace"}`, fault.Invalid, "link"},
		{`{"path":"link","content":"","mode":"append"}`, fault.Invalid, "link"},
		{`{"path":"up/x","content":""}`, fault.Denied, "out of the folder"},
		{`{"path":"up/d/x","content":""}`, fault.Denied, "out of the folder"},
		{`{"path":"../x","content":""}`, fault.Denied, "out of the folder"},
		{`{"path":"old/x","content":""}`, fault.Invalid, "old/x"},
		{`{"path":".","content":"","mode":"replace"}`, fault.Invalid, "itself"},
		{`{"path":"a","content":"","mode":"replace"}`, fault.Invalid, "folder"},
		{`{"path":"z","content":"%","encoding":"base64"}`, fault.Invalid, "base64"},
	} {
		u.refused(t, c.args, c.kind, c.words)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "victim")); string(b) != "v" {
		t.Errorf("a file outside was changed: %q", b)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := u.try(t, ctx, `{"path":"q","content":"x"}`); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(root, ".praxis-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestTooLarge appends beyond what a file may have.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "big"), "")
	if err := os.Truncate(filepath.Join(dir, "big"), 64<<20); err != nil {
		t.Fatal(err)
	}
	u := open(t, builtin.Config{}, dir, "files.write", `{"root":"."}`)
	u.refused(t, `{"path":"big","content":"x","mode":"append"}`, fault.Exhausted, "bytes")
	u.refused(t, `{"path":"huge","content":"`+strings.Repeat("x", 8<<20+1)+`"}`, fault.Exhausted, "parts")
	r := open(t, builtin.Config{}, dir, "files.read", `{"root":"."}`)
	if got := r.got(t, `{"path":"big","limit":2097152,"encoding":"base64"}`); len(got) > 3<<20 || !strings.Contains(got, `"more":true`) {
		t.Errorf("%d bytes", len(got))
	}
}

// TestRace swaps a folder for a link to one outside while files are read and
// written through it.
func TestRace(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	write(t, filepath.Join(root, "d", "f"), "inside")
	write(t, filepath.Join(dir, "outside", "f"), "outside")
	if err := os.Symlink("../outside", filepath.Join(root, "evil")); err != nil {
		t.Fatal(err)
	}
	r := open(t, builtin.Config{}, dir, "files.read", `{"root":"root"}`)
	w := open(t, builtin.Config{}, dir, "files.write", `{"root":"root"}`)
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				d, evil := filepath.Join(root, "d"), filepath.Join(root, "evil")
				if err := unix.Renameat2(unix.AT_FDCWD, d, unix.AT_FDCWD, evil, unix.RENAME_EXCHANGE); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for i := range 1500 {
		if out, err := r.try(t, t.Context(), `{"path":"d/f"}`); err == nil && strings.Contains(encode(t, out), "outside") {
			t.Fatal("a file outside was read")
		}
		_, _ = w.try(t, t.Context(), fmt.Sprintf(`{"path":"d/n%d","content":"x","mode":"replace"}`, i%50))
	}
	close(stop)
	swapper.Wait()
	if list, err := os.ReadDir(filepath.Join(dir, "outside")); err != nil || len(list) != 1 {
		t.Errorf("written outside: %v %v", list, err)
	}
}

// TestAppendAtOnce appends from many calls: nothing is lost.
func TestAppendAtOnce(t *testing.T) {
	dir := t.TempDir()
	u := open(t, builtin.Config{}, dir, "files.write", `{"root":"."}`)
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			if _, err := u.try(t, t.Context(), fmt.Sprintf(`{"path":"log","content":"%02d\n","mode":"append"}`, i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if b, err := os.ReadFile(filepath.Join(dir, "log")); err != nil || len(b) != 90 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// FuzzPath checks that no path reads or makes anything outside of the root.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"a", "../x", "/x", "a/../../x", "l/x", "l/../x", "./", "a//b", "\x00", strings.Repeat("a/", 300)} {
		f.Add(s)
	}
	dir := f.TempDir()
	root := filepath.Join(dir, "root")
	write(f, filepath.Join(root, "a"), "inside")
	write(f, filepath.Join(dir, "x"), "outside")
	if err := os.Symlink("..", filepath.Join(root, "l")); err != nil {
		f.Fatal(err)
	}
	r := open(f, builtin.Config{}, dir, "files.read", `{"root":"root"}`)
	w := open(f, builtin.Config{}, dir, "files.write", `{"root":"root"}`)
	f.Fuzz(func(t *testing.T, path string) {
		if len(path) > 5000 {
			return
		}
		args := `{"path":` + encode(t, path) + `,"content":"w","mode":"replace"}`
		_, _ = w.try(t, t.Context(), args)
		out, err := r.try(t, t.Context(), `{"path":`+encode(t, path)+`,"encoding":"base64"}`)
		if err == nil && strings.Contains(encode(t, out), base64.StdEncoding.EncodeToString([]byte("outside"))) {
			t.Fatalf("%q reads outside", path)
		}
		list, err := os.ReadDir(dir)
		if b, _ := os.ReadFile(filepath.Join(dir, "x")); err != nil || len(list) != 2 || string(b) != "outside" {
			t.Fatalf("%q wrote outside: %v", path, list)
		}
	})
}
