package journal

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/store"
	"praxis/internal/store/files"
	"praxis/internal/store/sqlite"
)

// real opens the journal of a data folder with the real stores.
func real(t testing.TB, dir string) (*Journal, *files.Store) {
	t.Helper()
	s, err := files.Open(dir, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(filepath.Join(dir, "praxis.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	j, err := Open(Config{Logs: s.Logs(), Blobs: s.Blobs(), Index: db.Index(), Dir: dir, Keys: filepath.Join(dir, "keys")})
	if err != nil {
		t.Fatal(err)
	}
	return j, s
}

// record writes a run to the real stores.
func record(t testing.TB, j *Journal, events ...event.Event) string {
	t.Helper()
	_, r, err := j.Begin(t.Context(), question(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		r.Emit(e)
	}
	r.Emit(event.RunEnded{Status: event.Answered})
	if err := errors.Join(r.Err(), r.Close()); err != nil {
		t.Fatal(err)
	}
	return r.ID()
}

func TestReal(t *testing.T) {
	dir := t.TempDir()
	j, _ := real(t, dir)
	id := record(t, j, sample()...)
	rep, err := j.Verify(t.Context(), id)
	if err != nil || !rep.OK() || !rep.Indexed || rep.Blobs != 2 {
		t.Fatalf("%+v, %v", rep, err)
	}
	var bundle bytes.Buffer
	if err := j.Export(t.Context(), id, &bundle); err != nil {
		t.Fatal(err)
	}
	there, _ := real(t, t.TempDir())
	if s, err := there.Import(t.Context(), bytes.NewReader(bundle.Bytes()), int64(bundle.Len())); err != nil || s.ID != id {
		t.Errorf("%+v, %v", s, err)
	}
	runs, err := there.Runs(t.Context(), Query{Words: "print 42", Model: "demo", Status: event.Answered, Since: time.Now().Add(-time.Hour), Until: time.Now()})
	if err != nil || len(runs) != 1 || runs[0].ID != id {
		t.Errorf("%+v, %v", runs, err)
	}
	// The index is lost.
	j, _ = real(t, dir)
	for _, name := range []string{"praxis.db", "praxis.db-wal", "praxis.db-shm"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if got, err := j.Find(t.Context(), "last"); err != nil || got != id {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := j.Collect(t.Context(), Collect{}); err != nil || got.Blobs != 0 || got.Remaining != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := j.Remove(t.Context(), id); err != nil {
		t.Error(err)
	}
	if _, err := j.Find(t.Context(), "last"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("%v", err)
	}
}

// TestReadOnly looks at a journal in a folder that cannot be written, with its
// index and without.
func TestReadOnly(t *testing.T) {
	if os.Geteuid() == 0 && os.Getenv("JOURNAL_TEST_DIR") == "" {
		t.Log("root may write everywhere: only what is read is compared")
	}
	dir := t.TempDir()
	j, _ := real(t, dir)
	id := record(t, j, sample()...)
	var bundle bytes.Buffer
	if err := j.Export(t.Context(), id, &bundle); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "run.praxis")
	if err := os.WriteFile(file, bundle.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	locked := func(mode fs.FileMode) {
		t.Helper()
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(path, mode)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, indexed := range []bool{true, false} {
		if !indexed {
			locked(0o700)
			for _, name := range []string{"praxis.db", "praxis.db-wal", "praxis.db-shm"} {
				os.Remove(filepath.Join(dir, name))
			}
		}
		locked(0o500)
		j, _ := real(t, dir)
		if rep, err := j.Verify(t.Context(), id); err != nil || !rep.OK() || rep.Indexed != indexed {
			t.Errorf("verify: %+v, %v", rep, err)
		}
		if rep, err := j.VerifyFile(t.Context(), file); err != nil || !rep.OK() {
			t.Errorf("verify file: %+v, %v", rep, err)
		}
		if runs, err := j.Runs(t.Context(), Query{}); err != nil || len(runs) != 1 || runs[0].ID != id {
			t.Errorf("runs: %+v, %v", runs, err)
		}
		if got, err := j.Find(t.Context(), id[:12]); err != nil || got != id {
			t.Errorf("find: %v, %v", got, err)
		}
		if os.Geteuid() > 0 {
			if _, _, err := j.Begin(t.Context(), question(), nil); fault.KindOf(err) != fault.Denied || fault.RemedyOf(err) == "" {
				t.Errorf("begin: %v", err)
			}
		}
	}
	locked(0o700)
}

// TestReadOnlyAsUser does so as somebody who may not write everywhere.
func TestReadOnlyAsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it is what TestReadOnly does for who is not root")
	}
	base, err := os.MkdirTemp("", "journal-user-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	exe := filepath.Join(base, "test")
	self, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(exe, self, 0o755)
	}
	if err == nil {
		err = os.Chown(base, 65534, 65534)
	}
	if err != nil {
		t.Skipf("no folder for another user: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run", "^TestReadOnly$", "-test.v")
	cmd.Dir = base
	cmd.Env = append(os.Environ(), "TMPDIR="+base, "HOME="+base)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestReadOnly")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestMain lets this binary be a process that writes runs.
func TestMain(m *testing.M) {
	if dir := os.Getenv("JOURNAL_TEST_DIR"); dir != "" {
		if err := writer(dir, os.Getenv("JOURNAL_TEST_RUNS") == "forever"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writer writes ten runs, or one that never ends, and says when each begins.
func writer(dir string, forever bool) error {
	s, err := files.Open(dir, files.Options{})
	if err != nil {
		return err
	}
	db, err := sqlite.Open(filepath.Join(dir, "praxis.db"))
	if err != nil {
		return err
	}
	defer db.Close()
	j, err := Open(Config{Logs: s.Logs(), Blobs: s.Blobs(), Index: db.Index(), Dir: dir, Keys: filepath.Join(dir, "keys")})
	if err != nil {
		return err
	}
	for range 10 {
		_, r, err := j.Begin(context.Background(), question(), nil)
		if err != nil {
			return err
		}
		fmt.Println(r.ID())
		for i := 0; i < 200 || forever; i++ {
			r.Emit(event.ExecutionBegan{Step: i, Code: strings.Repeat("x", i%3000)})
			if err := r.Err(); err != nil {
				return err
			}
		}
		r.Emit(event.RunEnded{Status: event.Answered})
		if err := r.Close(); err != nil {
			return err
		}
	}
	return nil
}

// child starts this binary as a writer.
func child(t *testing.T, dir, runs string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "JOURNAL_TEST_DIR="+dir, "JOURNAL_TEST_RUNS="+runs)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// TestTwoProcesses has two processes write runs to one data folder.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	one, names1 := child(t, dir, "")
	two, names2 := child(t, dir, "")
	var all []string
	for names1.Scan() {
		all = append(all, names1.Text())
	}
	for names2.Scan() {
		all = append(all, names2.Text())
	}
	if err := errors.Join(one.Wait(), two.Wait()); err != nil {
		t.Fatal(err)
	}
	j, _ := real(t, dir)
	runs, err := j.Runs(t.Context(), Query{Status: event.Answered})
	if err != nil || len(runs) != 20 || len(all) != 20 {
		t.Fatalf("%d runs, %d names, %v", len(runs), len(all), err)
	}
	for _, id := range all {
		if rep, err := j.Verify(t.Context(), id); err != nil || !rep.OK() || !rep.Indexed || len(rep.Keys) != 1 {
			t.Errorf("%s: %+v, %v", id, rep, err)
		}
	}
	if keys, err := j.Keys(); err != nil || len(keys) != 1 {
		t.Errorf("%v, %v", keys, err)
	}
}

// TestKilled kills a process while it writes. Until then others see the run as
// running, and can check it; afterwards it is unfinished, and is given an end.
func TestKilled(t *testing.T) {
	for i := range 5 {
		dir := t.TempDir()
		cmd, names := child(t, dir, "forever")
		if !names.Scan() {
			t.Fatal("it wrote no run")
		}
		id := names.Text()
		j, _ := real(t, dir)
		for rep := (Report{}); rep.Records < int64(10*i); {
			var err error
			if rep, err = j.Verify(t.Context(), id); err != nil || rep.Damage != nil || !rep.Running {
				t.Fatalf("%+v, %v", rep, err)
			}
		}
		if s, err := j.Summary(t.Context(), id); err != nil || s.Status != Running {
			t.Errorf("%+v, %v", s, err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("it ended by itself")
		}
		if s, err := j.Summary(t.Context(), id); err != nil || s.Status != Unfinished {
			t.Errorf("%+v, %v", s, err)
		}
		before, err := j.Verify(t.Context(), id)
		if err != nil || before.Finished || before.Running || before.Damage != nil && !strings.Contains(before.Damage.Problem, "torn") {
			t.Errorf("%+v, %v", before, err)
		}
		record(t, j)
		if s, err := j.Summary(t.Context(), id); err != nil || s.Status != event.Abandoned || s.Records != before.Records+3 {
			t.Errorf("%+v, %v", s, err)
		}
		if rep, err := j.Verify(t.Context(), id); err != nil || !rep.OK() || rep.Keys[0].ID == "" {
			t.Errorf("%+v, %v", rep, err)
		}
	}
}

// BenchmarkBegin begins and ends runs in real stores.
func BenchmarkBegin(b *testing.B) {
	j, _ := real(b, b.TempDir())
	for b.Loop() {
		record(b, j)
	}
}

// BenchmarkRuns lists a page of 100,000 runs.
func BenchmarkRuns(b *testing.B) {
	dir := b.TempDir()
	j, _ := real(b, dir)
	fake := Summary{Kind: event.Ask, Question: "how many?", Model: "scripted:demo", Status: event.Answered, Records: 20, Head: strings.Repeat("a", 64)}
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var docs []store.Doc
	flush := func() {
		if err := j.cfg.Index.Put(b.Context(), docs...); err != nil {
			b.Fatal(err)
		}
		docs = nil
	}
	for i := range 100_000 {
		s := fake
		s.Began = began.Add(time.Duration(i) * time.Second)
		s.ID = fmt.Sprintf("%s-%04x", s.Began.Format(idLayout), i%65536)
		if i%1000 == 0 {
			s.Status = event.Unanswered
		}
		doc, err := document(s, fmt.Sprintf("how many? %d print(column_%d)", i, i%5000))
		if err != nil {
			b.Fatal(err)
		}
		if docs = append(docs, doc); len(docs) == 5000 {
			flush()
		}
	}
	for name, q := range map[string]Query{"page": {}, "status": {Status: event.Unanswered}, "since": {Since: began.Add(99_000 * time.Second)},
		"words": {Words: "column_4711"}, "model": {Model: "demo"}, "old": {Until: began.Add(1000 * time.Second)}, "running": {Status: Running}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := j.Runs(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("find", func(b *testing.B) {
		for b.Loop() {
			if _, err := j.Find(b.Context(), "20260101-0000"); fault.KindOf(err) != fault.Invalid {
				b.Fatal(err)
			}
		}
	})
}
