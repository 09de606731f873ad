package battery

import (
	"context"
	"os"
	"slices"
	"strconv"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/image/kernelspec"
	"praxis/internal/session"
	"praxis/internal/test/kerneltest"
)

// jupyterImage is an image with a kernel of Jupyter's.
func jupyterImage(t *testing.T) image.Image {
	t.Helper()
	img, err := imageStore.Resolve(t.Context(), image.Request{With: []string{"ipykernel"}}, event.Discard)
	if fault.KindOf(err) == fault.Unavailable {
		t.Skip("the package index cannot be reached")
	}
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestJupyterPool keeps sessions warm whose main language is one of a kernel of Jupyter's:
// what it went through before leaves no count, no variable and no output.
func TestJupyterPool(t *testing.T) {
	img := jupyterImage(t)
	img.Runtimes = slices.Clone(img.Runtimes)
	slices.Reverse(img.Runtimes)
	m := manager(t)
	opt := session.Options{Image: img}
	state := func(want session.Origin) string {
		s, err := m.Create(t.Context(), opt, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		x, err := s.Execute(t.Context(), "get_ipython().execution_count, len(In), len(Out), len(list(get_ipython().history_manager.get_range())), sorted(dir())", session.Exec{}, event.Discard)
		if o, _ := s.Origin(); err != nil || (o == session.FromPool) != (want == session.FromPool) || x.Status != event.OK || x.Stdout+x.Stderr != "" {
			t.Fatalf("a session, %s, has %+v, %v", o, x, err)
		}
		return x.Result["text"]
	}
	fresh := state(session.Built)
	if err := m.Warm(t.Context(), opt, 1, event.Discard); err != nil {
		t.Fatal(err)
	}
	if warm := state(session.FromPool); warm != fresh {
		t.Errorf("got %s, want %s", warm, fresh)
	}
}

// TestJupyterKernel examines a kernel of Jupyter's that a package brings. It is one of
// Python, too, which runs as a language of its own beside ours.
func TestJupyterKernel(t *testing.T) {
	img := jupyterImage(t)
	m := manager(t)
	kerneltest.Exam(t, kerneltest.Language{
		Name: "jupyterpython3",
		New: func(t *testing.T, seed *int64, memory int64) *session.Session {
			t.Helper()
			s, err := m.Create(t.Context(), session.Options{Image: img, Seed: seed, Limits: event.Limits{Memory: memory}}, event.Discard)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
		Set: "n = 41", Get: "n + 1",
		Greet:   "import sys\nprint('grüß dich 你好 🙂')\nprint('psst', file=sys.stderr)",
		Lines:   "for i in range(2000): print(i + 1)",
		Shown:   "42 * 42",
		Display: "from IPython.display import HTML, display\ndisplay(HTML('<b>bold</b>'))", DisplayAs: "text/html",
		Fail: "m = 1\nm += 1\n{}['key that is not there']", FailName: "KeyError", FailHas: "key that is not there", FailTrace: "line 3",
		Syntax:  "def f(:",
		Endless: "while True: pass",
		Sleep:   "import time; time.sleep(3600)",
		Grow:    "parts = []\nwhile True: parts.append(bytearray(1 << 24))",
		Big:     "print('x' * 10_000_000)",
		Orphan:  "import subprocess; subprocess.Popen(['sh', '-c', 'sleep 2; echo 1 > /work/orphan'], start_new_session=True)\nNone",
		// The clock is left out: the kernel and what drives it are two programs that wait for
		// each other (docs/jupyter.md).
		Random: "import os, random, uuid; print(os.urandom(8), random.random(), uuid.uuid4())",
		Prefix: "sorte", Completion: "sorted",
		Lacks: map[string]string{"Quit": "the protocol knows no exit code"},
	})
}

// TestJupyterInterruptedByMessage interrupts a kernel whose spec says that it is done by a
// message: signals do not reach it.
func TestJupyterInterruptedByMessage(t *testing.T) {
	img := jupyterImage(t)
	program, err := os.ReadFile("testdata/obeys.py")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := kernelspec.Parse("obeys", []byte(`{"argv": ["python3", "-c", `+strconv.Quote(string(program))+`, "{connection_file}"], "language": "obeys", "display_name": "Obeys", "interrupt_mode": "message"}`))
	if err != nil {
		t.Fatal(err)
	}
	spec.Program = img.Runtimes[0].Program
	img.Runtimes = append(slices.Clone(img.Runtimes), spec)
	s, err := manager(t).Create(t.Context(), session.Options{Image: img}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		x, err := s.Execute(ctx, "wait", session.Exec{Language: "obeys"}, event.SinkFunc(func(e event.Event) {
			if _, ok := e.(event.Output); ok {
				cancel()
			}
		}))
		cancel()
		if err != nil || x.Status != event.Interrupted || x.State != event.Intact || x.Error == nil || x.Error.Name != "Stopped" {
			t.Errorf("got %+v with %+v, %v", x, x.Error, err)
		}
	}
	if x, err := s.Execute(t.Context(), "count", session.Exec{Language: "obeys"}, event.Discard); err != nil || x.Result["text"] != "2" {
		t.Errorf("afterwards: %+v, %v", x, err)
	}
}
