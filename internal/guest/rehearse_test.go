package guest_test

import (
	"os"
	"path/filepath"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest/wire"
)

// A rehearsal leaves nothing that code or the host could see.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	for range 3 {
		if err := b.Rehearse(b.ctx()); err != nil {
			t.Fatal(err)
		}
	}
	b.want("sorted(n for n in dir() if n[:2] != '__')", "[]")
	b.want("import builtins; _ == [] and not hasattr(builtins, 'rehearsal')", "True")
	b.want("import linecache; [n for n in linecache.cache if n.startswith('<cell')]", "['<cell 1>', '<cell 2>', '<cell 3>']")
	b.want("import sys; sys._getframe().f_code.co_filename", "'<cell 4>'")
	if x := b.exec(wire.Execute{Code: "1/0", Changes: true}); x.Usage.PeakMemoryBytes <= 0 || len(x.Changes) != 0 || x.Unlisted != "" {
		t.Errorf("got %+v", x)
	}
	if err := b.Rehearse(b.ctx()); fault.KindOf(err) != fault.Conflict {
		t.Errorf("after an execution: %v", err)
	}
	b.want("[_] * 2 and 6 * 7", "42")
}

// What a rehearsal would draw and count would be missing afterwards.
func TestRehearsalOfASeededSession(t *testing.T) {
	t.Parallel()
	b := start(t, func(s *wire.Setup) { s.Deterministic = true })
	if err := b.Rehearse(b.ctx()); fault.KindOf(err) != fault.Conflict {
		t.Errorf("got %v", err)
	}
}

// What is printed while nothing runs belongs to the first execution, also when a
// rehearsal came between.
func TestRehearsalKeepsLateOutput(t *testing.T) {
	t.Parallel()
	b := start(t, func(s *wire.Setup) {
		err := os.MkdirAll(s.Workdir, 0o755)
		if err == nil {
			err = os.WriteFile(filepath.Join(s.Workdir, "late.py"), []byte("import os, threading\nthreading.Timer(0.1, os.system, ['echo late; touch gone']).start()"), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Kernels[0].Preload = []string{"late"}
	})
	b.eventually("the thread has printed", func() bool {
		_, err := os.Stat(filepath.Join(b.work, "gone"))
		return err == nil
	})
	if err := b.Rehearse(b.ctx()); err != nil {
		t.Fatal(err)
	}
	if x := b.run("print('now')"); x.Status != event.OK || x.Stdout != "late\nnow\n" {
		t.Errorf("got %q", x.Stdout)
	}
}
