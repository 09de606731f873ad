package battery

import (
	"testing"

	"praxis/event"
	"praxis/internal/session"
	"praxis/internal/test/kerneltest"
)

// fresh makes the sessions of an examination.
func fresh(m *session.Manager) func(t *testing.T, seed *int64, memory int64) *session.Session {
	return func(t *testing.T, seed *int64, memory int64) *session.Session {
		t.Helper()
		s, err := m.Create(t.Context(), session.Options{Image: defaultImage, Seed: seed, Limits: event.Limits{Memory: memory}}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

func TestPythonKernel(t *testing.T) {
	kerneltest.Exam(t, kerneltest.Language{
		Name: "python", New: fresh(manager(t)),
		Set: "n = 41", Get: "n + 1",
		Greet: "import sys\nprint('grüß dich 你好 🙂')\nprint('psst', file=sys.stderr)",
		Lines: "for i in range(2000): print(i + 1)",
		Shown: "42 * 42",
		Display: `class Page:
    def _repr_html_(self): return "<b>bold</b>"
Page()`, DisplayAs: "text/html",
		Fail: "m = 1\nm += 1\n{}['key that is not there']", FailName: "KeyError", FailHas: "key that is not there", FailTrace: "line 3",
		Syntax:  "def f(:",
		Endless: "while True: pass",
		Sleep:   "import time; time.sleep(3600)",
		Grow:    "parts = []\nwhile True: parts.append(bytearray(1 << 24))",
		Big:     "print('x' * 10_000_000)",
		Orphan:  "import subprocess; subprocess.Popen(['sh', '-c', 'sleep 2; echo 1 > /work/orphan'], start_new_session=True)\nNone",
		Quit:    "import sys; sys.exit(3)",
		Random:  "import os, random, time, uuid; print(os.urandom(8), random.random(), time.time(), uuid.uuid4(), hash('a'), id(object()))",
		Prefix:  "sorte", Completion: "sorted",
	})
}
