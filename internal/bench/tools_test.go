package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/sandbox/gvisor"
	"praxis/internal/session"
	"praxis/internal/test/prepared"
	"praxis/internal/tool"
	pytools "praxis/internal/tool/kind/python"
	"praxis/internal/tool/kind/web"
	"praxis/internal/tool/registry"
)

// starter measures starts with the kinds that its files need.
func starter() *bench {
	kinds := map[string]tool.Kind{
		"http": web.New(web.Config{}),
		"python": pytools.New(pytools.Config{Open: func(context.Context, pytools.Options) (pytools.Sandbox, error) {
			return nil, errors.New("nothing is called here")
		}}),
	}
	return &bench{Config: Config{Rounds: 1, OpenTools: func(ctx context.Context, files []registry.File) (*registry.Registry, error) {
		return registry.Open(ctx, registry.Config{Kinds: kinds}, files)
	}}}
}

func TestStart(t *testing.T) {
	b := starter()
	b.Dir = t.TempDir()
	f, err := b.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if f.Runs != 5 || f.P50 <= 0 {
		t.Errorf("measured %+v", f)
	}
	if left, err := os.ReadDir(b.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func BenchmarkStart(b *testing.B) {
	names, err := writeTools(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	s := starter()
	for b.Loop() {
		if err := s.startOnce(b.Context(), names); err != nil {
			b.Fatal(err)
		}
	}
}

// measured is a bench whose sandboxes are real, with little to do.
func measured(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	images, key, err := prepared.Images(dir)
	if err != nil {
		t.Fatal(err)
	}
	img, err := images.Resolve(t.Context(), image.Request{}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := prepared.Programs(dir, key)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := gvisor.New(gvisor.Config{Dir: filepath.Join(dir, "run"), Program: machine.Sandbox})
	if err != nil {
		t.Fatal(err)
	}
	m, err := session.Open(session.Config{Dir: dir, Languages: language.Table{python.Language()}, Backend: backend, Programs: machine.Store, Program: machine.Guest, Seals: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(m.Close(), backend.Close(), images.Close()); err != nil {
			t.Error(err)
		}
	})
	return &bench{Config: Config{Sessions: m, Image: img, Rounds: 1, Sink: event.Discard}, opt: session.Options{Image: img}}
}

// TestCalls times calls from a real sandbox.
func TestCalls(t *testing.T) {
	b := measured(t)
	for name, want := range map[string]struct {
		take func(context.Context) (Figure, error)
		runs int
	}{"call": {b.call, callSamples}, "calls a second": {b.callsPerSecond, 3}} {
		f, err := want.take(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if f.Runs != want.runs || f.P50 <= 0 || f.P95 < f.P50 {
			t.Errorf("%s: measured %+v", name, f)
		}
	}
	if _, err := b.calling(t.Context(), event.Discard, "raise ValueError('no')"); err == nil || !strings.Contains(err.Error(), "error") {
		t.Errorf("code that fails: %v", err)
	}
}
