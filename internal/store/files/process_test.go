package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/test/storetest"
)

// child is the variable that makes this test binary a writer, and says where.
const child = "FILES_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(child); dir != "" {
		if err := appendForever(dir); err != nil {
			fmt.Println("failed:", err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// appendForever makes a log, or goes on with it, and says after each step how
// many lines and bytes it has: the process is killed in the middle of it.
func appendForever(dir string) error {
	ctx := context.Background()
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	log, err := s.Logs().Create(ctx, "a")
	if fault.KindOf(err) == fault.Conflict {
		log, _, err = s.Logs().Reopen(ctx, "a")
	}
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		if err := log.Append(fmt.Appendf(nil, "%d %s\n", i, strings.Repeat("x", i*37%3000))); err != nil {
			return err
		}
		if i%16 == 0 {
			if err := log.Sync(); err != nil {
				return err
			}
		}
		if i%8 == 0 {
			if _, err := s.Blobs().Put(ctx, strings.NewReader(strings.Repeat(fmt.Sprint(i), 100_000))); err != nil {
				return err
			}
		}
		if _, err := fmt.Println(i); err != nil {
			return err
		}
	}
}

// TestKilled kills a writer with SIGKILL wherever it is: what it said it
// appended is there, in order, and the log can be written again.
func TestKilled(t *testing.T) {
	ctx := context.Background()
	for round := range 6 {
		dir := filepath.Join(t.TempDir(), "data")
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		cmd, out := storetest.Child(t, child+"="+dir)
		said, stop := -1, 20+rand.IntN(100)
		killed := false
		for out.Scan() {
			if _, err := fmt.Sscan(out.Text(), &said); err != nil {
				t.Fatalf("the writer says %q", out.Text())
			}
			if said == 10 {
				_, _, err := s.Logs().Reopen(ctx, "a")
				yes, watchErr := s.Logs().Writing(ctx, "a")
				if fault.KindOf(err) != fault.Conflict || !yes || watchErr != nil {
					t.Errorf("while another process writes: %v, %v %v", err, yes, watchErr)
				}
			}
			// Lines that were said before the kill arrived still count.
			if said >= stop && !killed {
				killed = true
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait()
		if said < stop {
			t.Fatalf("the writer ended after %d", said)
		}
		if yes, err := s.Logs().Writing(ctx, "a"); yes || err != nil {
			t.Errorf("the dead still write: %v %v", yes, err)
		}
		log, cut, err := s.Logs().Reopen(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		lines := linesOf(t, s, "a")
		if len(lines) <= said {
			t.Errorf("%d lines, but %d were said", len(lines), said+1)
		}
		for i, line := range lines {
			if line != fmt.Sprintf("%d %s", i, strings.Repeat("x", i*37%3000)) {
				t.Fatalf("line %d is %.40q", i, line)
			}
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
		for blob, err := range s.Blobs().All(ctx) {
			if err != nil || !intact(s.Blobs().path(blob.SHA256), blob.SHA256) {
				t.Errorf("blob %s is torn (%v)", blob.SHA256, err)
			}
		}
		if _, err := s.Blobs().Put(ctx, strings.NewReader("after")); err != nil {
			t.Error(err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "blobs", temporary+"*")); len(left) > 0 {
			t.Errorf("%q are left", left)
		}
		t.Logf("round %d: %d lines, %d bytes cut", round, len(lines), cut)
	}
}

// TestSweepSparesTheLiving checks that what somebody is writing is left alone.
func TestSweepSparesTheLiving(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := first.Blobs().Put(context.Background(), r)
		done <- err
	}()
	// The temporary file is there once more was read than is kept in memory.
	if _, err := w.Write(make([]byte, small+piece+1)); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(dir, "blobs", temporary+"dead")
	if err := os.WriteFile(dead, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Blobs().Put(context.Background(), strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "blobs", temporary+"*"))
	if len(left) != 1 || left[0] == dead {
		t.Errorf("left: %q, want what is being written alone", left)
	}
	w.Close()
	if err := <-done; err != nil {
		t.Errorf("the writer: %v", err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir, inside := storetest.AsNobody(t)
	if !inside {
		return
	}
	ctx := context.Background()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	log, err := s.Logs().Create(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	blob, err := s.Blobs().Put(ctx, strings.NewReader("content"))
	if err := errors.Join(err, log.Append([]byte("one\ntw")), log.Append([]byte("one\n")), log.Close()); fault.KindOf(err) != fault.Invalid {
		t.Fatal(err)
	}
	storetest.Writable(t, dir, false)
	defer storetest.Writable(t, dir, true)

	if s, err = Open(dir, Options{Quota: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	if got := linesOf(t, s, "a"); len(got) != 1 || got[0] != "one" {
		t.Errorf("got %q", got)
	}
	r, err := s.Blobs().Open(ctx, blob.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); string(got) != "content" || err != nil {
		t.Errorf("got %q %v", got, err)
	}
	if yes, err := s.Logs().Writing(ctx, "a"); yes || err != nil {
		t.Errorf("writing: %v %v", yes, err)
	}
	for name, err := range s.Logs().Names(ctx) {
		if name != "a" || err != nil {
			t.Errorf("got %q %v", name, err)
		}
	}
	_, createErr := s.Logs().Create(ctx, "b")
	_, _, reopenErr := s.Logs().Reopen(ctx, "a")
	_, putErr := s.Blobs().Put(ctx, strings.NewReader("other"))
	_, againErr := s.Blobs().Put(ctx, strings.NewReader("content"))
	for what, err := range map[string]error{
		"create": createErr, "reopen": reopenErr, "put": putErr, "put again": againErr,
		"remove": s.Logs().Remove(ctx, "a"), "remove a blob": s.Blobs().Remove(ctx, blob.SHA256),
	} {
		if fault.KindOf(err) != fault.Denied || fault.RemedyOf(err) == "" {
			t.Errorf("%s: %v (%v)", what, err, fault.KindOf(err))
		}
	}
}

// TestNothingIsMadeByReading looks at a folder that is not there.
func TestNothingIsMadeByReading(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	s, err := Open(dir, Options{Quota: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for name, err := range s.Logs().Names(ctx) {
		t.Errorf("%q %v", name, err)
	}
	for blob, err := range s.Blobs().All(ctx) {
		t.Errorf("%v %v", blob, err)
	}
	sum := strings.Repeat("a", 64)
	_, readErr := s.Logs().Read(ctx, "a")
	_, _, reopenErr := s.Logs().Reopen(ctx, "a")
	_, openErr := s.Blobs().Open(ctx, sum)
	for what, err := range map[string]error{"read": readErr, "reopen": reopenErr, "open": openErr, "remove": s.Logs().Remove(ctx, "a")} {
		if fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := s.Blobs().Remove(ctx, sum); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Dir(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading made a folder (%v)", err)
	}
	began := time.Now()
	log, err := s.Logs().Create(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	for _, path := range []string{filepath.Dir(dir), dir, filepath.Join(dir, "journal"), filepath.Join(dir, "journal", "a")} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", path, info, err)
		}
	}
	t.Logf("the first log took %v", time.Since(began))
}

// TestFullDisk fills a small disk: what does not fit is refused whole.
func TestFullDisk(t *testing.T) {
	dir, inside := storetest.OnFullDisk(t)
	if !inside {
		return
	}
	ctx := context.Background()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	log, err := s.Logs().Create(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	full := func(what string, err error) {
		t.Helper()
		if fault.KindOf(err) != fault.Exhausted || !strings.Contains(fault.RemedyOf(err), dir) {
			t.Errorf("%s: %v (%v)", what, err, fault.KindOf(err))
		}
	}
	_, err = s.Blobs().Put(ctx, strings.NewReader(strings.Repeat("x", 4<<20)))
	full("put of 4 MiB", err)
	if left, _ := filepath.Glob(filepath.Join(dir, "blobs", temporary+"*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	line := []byte(strings.Repeat("y", 100_000) + "\n")
	n := 0
	for ; err == nil || n == 0; n++ {
		err = log.Append(line)
		if n > 100 {
			t.Fatal("the disk is never full")
		}
	}
	full("append", err)
	full("append once more", log.Append(line))
	if err := log.Append([]byte("short\n")); err != nil {
		t.Errorf("what fits still: %v", err)
	}
	if err := errors.Join(log.Sync(), log.Close()); err != nil {
		t.Error(err)
	}
	if got := linesOf(t, s, "a"); len(got) != n || got[n-1] != "short" {
		t.Errorf("%d lines, want %d", len(got), n)
	}
	if err := s.Logs().Remove(ctx, "a"); err != nil {
		t.Errorf("remove on a full disk: %v", err)
	}
	if _, err := s.Blobs().Put(ctx, strings.NewReader(strings.Repeat("x", 1<<20+1))); err != nil {
		t.Errorf("put after space was freed: %v", err)
	}
}
