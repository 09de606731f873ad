package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/fault"
)

// plant makes a store with one log and one blob and returns where they are.
func plant(t *testing.T) (s *Store, log, blob, sum string) {
	t.Helper()
	s = fresh(t, Options{})
	ctx := context.Background()
	l, err := s.Logs().Create(ctx, "20261121-a")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Append([]byte("one\n")), l.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := s.Blobs().Put(ctx, strings.NewReader("content"))
	if err != nil {
		t.Fatal(err)
	}
	log, err = s.Logs().path("20261121-a")
	if err != nil {
		t.Fatal(err)
	}
	return s, log, s.Blobs().path(b.SHA256), b.SHA256
}

// use calls all that touches the log and the blob.
func use(s *Store, sum string) map[string]error {
	ctx := context.Background()
	_, read := s.Logs().Read(ctx, "20261121-a")
	l, _, reopen := s.Logs().Reopen(ctx, "20261121-a")
	if reopen == nil {
		l.Close()
	}
	_, open := s.Blobs().Open(ctx, sum)
	_, put := s.Blobs().Put(ctx, strings.NewReader("content"))
	return map[string]error{"read": read, "reopen": reopen, "open": open, "put": put,
		"remove": s.Logs().Remove(ctx, "20261121-a"), "remove the blob": s.Blobs().Remove(ctx, sum)}
}

func TestOddThingsAreRefused(t *testing.T) {
	target := filepath.Join(t.TempDir(), "target")
	for name, odd := range map[string]func(path string) error{
		"a symbolic link":   func(path string) error { return os.Symlink(target, path) },
		"a dangling link":   func(path string) error { return os.Symlink(target+"-gone", path) },
		"a link to itself":  func(path string) error { return os.Symlink(path, path) },
		"a folder":          func(path string) error { return os.Mkdir(path, 0o700) },
		"a pipe":            func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link to nothing": func(path string) error { return os.Symlink("/dev/null", path) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(target, []byte("precious\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			s, log, blob, sum := plant(t)
			for _, path := range []string{log, blob} {
				if err := errors.Join(os.Remove(path), odd(path)); err != nil {
					t.Fatal(err)
				}
			}
			for what, err := range use(s, sum) {
				if fault.KindOf(err) != fault.Conflict || fault.RemedyOf(err) == "" || !strings.Contains(err.Error(), "not a plain file") {
					t.Errorf("%s: %v", what, err)
				}
			}
			if _, err := s.Logs().Create(context.Background(), "20261121-a"); fault.KindOf(err) != fault.Conflict {
				t.Errorf("create: %v", err)
			}
			if data, err := os.ReadFile(target); string(data) != "precious\n" || err != nil {
				t.Errorf("the target became %q (%v)", data, err)
			}
			for blob := range s.Blobs().All(context.Background()) {
				t.Errorf("listed: %v", blob)
			}
		})
	}
}

func TestOddFoldersAreRefused(t *testing.T) {
	for _, which := range []string{"journal", "blobs", "shard of logs", "shard of blobs"} {
		t.Run(which, func(t *testing.T) {
			s, log, blob, sum := plant(t)
			path := map[string]string{"journal": filepath.Dir(filepath.Dir(log)), "blobs": filepath.Dir(filepath.Dir(blob)),
				"shard of logs": filepath.Dir(log), "shard of blobs": filepath.Dir(blob)}[which]
			logs := which == "journal" || which == "shard of logs"
			moved := path + "-moved"
			if err := errors.Join(os.Rename(path, moved), os.Symlink(moved, path)); err != nil {
				t.Fatal(err)
			}
			for what, err := range use(s, sum) {
				hit := logs == (what == "read" || what == "reopen" || what == "remove")
				if hit && fault.KindOf(err) != fault.Conflict {
					t.Errorf("a link, %s: %v", what, err)
				}
			}
			if err := errors.Join(os.Remove(path), os.Rename(moved, path), os.Chmod(path, 0o770)); err != nil {
				t.Fatal(err)
			}
			for what, err := range use(s, sum) {
				hit := logs == (what == "read" || what == "reopen" || what == "remove")
				if hit && fault.KindOf(err) != fault.Denied {
					t.Errorf("open to the group, %s: %v", what, err)
				}
			}
		})
	}
}

func TestSomebodyElsesFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); fault.KindOf(err) != fault.Denied || fault.RemedyOf(err) == "" {
		t.Errorf("a folder that all may write to: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file, Options{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a file: %v", err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can make a folder of somebody else's")
	}
	if err := errors.Join(os.Chmod(dir, 0o700), os.Chown(dir, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); fault.KindOf(err) != fault.Denied {
		t.Errorf("somebody else's: %v", err)
	}
}

// TestStrangersAreNotListed checks that what Praxis did not make is passed over.
func TestStrangersAreNotListed(t *testing.T) {
	s, log, blob, sum := plant(t)
	for _, path := range []string{
		log + "~", filepath.Join(filepath.Dir(log), "notes.txt"), filepath.Join(filepath.Dir(log), ".hidden.jsonl"),
		filepath.Join(filepath.Dir(log), "elsewhere.jsonl"), filepath.Join(filepath.Dir(filepath.Dir(log)), "20261121-b.jsonl"),
		blob + "x", filepath.Join(filepath.Dir(blob), strings.Repeat("f", 64)), filepath.Join(filepath.Dir(filepath.Dir(blob)), sum),
	} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for name, err := range s.Logs().Names(context.Background()) {
		got = append(got, fmt.Sprint(name, err))
	}
	for blob, err := range s.Blobs().All(context.Background()) {
		got = append(got, fmt.Sprint(blob.SHA256, err))
	}
	if want := "[20261121-a<nil> " + sum + "<nil>]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestDamagedBlob(t *testing.T) {
	for _, content := range []string{"", "conten", "contenT", "content\n", "\x00\x00\x00\x00\x00\x00\x00"} {
		s, _, path, sum := plant(t)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := s.Blobs().Open(context.Background(), sum)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := io.ReadAll(r); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), sum) || fault.RemedyOf(err) == "" {
				t.Errorf("%q: %v", content, err)
			}
		}
		r.Close()
		// Storing it again mends it.
		if _, err := s.Blobs().Put(context.Background(), strings.NewReader("content")); err != nil {
			t.Fatal(err)
		}
		if !intact(path, sum) {
			t.Errorf("%q was not mended", content)
		}
	}
}

func TestStoredAgain(t *testing.T) {
	s, _, path, sum := plant(t)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Blobs().Put(context.Background(), strings.NewReader("content")); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || time.Since(after.ModTime()) > time.Hour {
		t.Errorf("before %v, after %v (%v)", before, after, err)
	}
	if removed, err := s.Blobs().RemoveUnused(context.Background(), sum, old); removed || err != nil {
		t.Errorf("what was stored again was removed: %v %v", removed, err)
	}
}

func TestQuota(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	first, err := Open(dir, Options{Quota: 3 << 20})
	if err != nil {
		t.Fatal(err)
	}
	second, err := Open(dir, Options{Quota: 3 << 20})
	if err != nil {
		t.Fatal(err)
	}
	put := func(s *Store, fill byte, n int) error {
		_, err := s.Blobs().Put(ctx, bytes.NewReader(bytes.Repeat([]byte{fill}, n)))
		return err
	}
	if err := errors.Join(put(first, 'a', 1<<20), put(second, 'b', 1<<20), put(first, 'c', 1<<20-10)); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{first, second} {
		for _, n := range []int{11, 2 << 20, 100 << 20} {
			if err := put(s, 'd', n); fault.KindOf(err) != fault.Exhausted || fault.CodeOf(err) != fault.QuotaUsedUp || !strings.Contains(err.Error(), "3.0 MiB") {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
		// What is there already needs no space.
		if err := put(s, 'a', 1<<20); err != nil {
			t.Errorf("again: %v", err)
		}
	}
	if err := put(second, 'd', 10); err != nil {
		t.Errorf("what just fits: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "blobs", temporary+"*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	for blob, err := range second.Blobs().All(ctx) {
		if err == nil {
			err = second.Blobs().Remove(ctx, blob.SHA256)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := put(first, 'e', 2<<20); err != nil {
		t.Errorf("after the other process removed all: %v", err)
	}
}

// TestUsageIsRemembered checks that what was counted is not counted again, and
// that no hint that lies about changed folders is believed.
func TestUsageIsRemembered(t *testing.T) {
	dir := t.TempDir()
	counted := func() int64 {
		t.Helper()
		s, err := Open(dir, Options{Quota: 1 << 40})
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.Blobs().usage.bytes(s, s.Blobs().dir)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	old := time.Now().Add(-time.Hour)
	for i := range 2 * worth {
		sum := fmt.Sprintf("%064x", i)
		sum = sum[62:] + sum[2:]
		shard := filepath.Join(dir, "blobs", sum[:2])
		if err := errors.Join(os.MkdirAll(shard, 0o700), os.WriteFile(filepath.Join(shard, sum), []byte("ten bytes!"), 0o600), os.Chtimes(shard, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	if got := counted(); got != 20*worth {
		t.Fatalf("%d bytes, want %d", got, 20*worth)
	}
	hint := filepath.Join(dir, "blobs", remembered)
	text, err := os.ReadFile(hint)
	if err != nil {
		t.Fatal(err)
	}
	// It is used: a change that leaves the folder's time is not seen.
	secret := filepath.Join(dir, "blobs", "00", strings.Repeat("0", 64))
	if err := errors.Join(os.WriteFile(secret, []byte("x"), 0o600), os.Chtimes(filepath.Dir(secret), old, old)); err != nil {
		t.Fatal(err)
	}
	if got := counted(); got != 20*worth {
		t.Errorf("%d bytes, want those that were counted before", got)
	}
	if err := os.Remove(secret); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "{", "[]", `{"00":{"changed":1,"bytes":5}}`, `{"00":{"changed":0,"bytes":-5}}`, strings.Repeat(" ", 2<<20) + "{}"} {
		if err := os.WriteFile(hint, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, want := counted(), int64(20*worth-10); got != want {
			t.Errorf("with the hint %.40q: %d bytes, want %d", bad, got, want)
		}
	}
	if err := os.WriteFile(hint, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := counted(), int64(20*worth-10); got != want {
		t.Errorf("after a blob was removed: %d bytes, want %d", got, want)
	}
}
