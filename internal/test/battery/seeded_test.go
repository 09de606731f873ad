package battery

import (
	"context"
	_ "embed"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/sandbox/gvisor"
	"praxis/internal/session"
	"praxis/internal/test/prepared"
)

//go:embed testdata/seeded.txt
var seededText string

// seededProgram is one case of seeded.txt. What is random differs under another seed.
type seededProgram struct {
	name, code string
	random     bool
}

func seededPrograms() (out []seededProgram) {
	for _, part := range strings.Split(seededText, "\n=== ")[1:] {
		name, code, _ := strings.Cut(part, "\n")
		name, random := strings.CutSuffix(name, " [random]")
		out = append(out, seededProgram{name, code, random})
	}
	return out
}

// TestSeeded runs programs with one seed in a session that lives on, and in one of another
// data folder that is saved and made again before every third of them; the template of
// that was built for another seed. Each prints the same. With another seed, what is random
// differs.
func TestSeeded(t *testing.T) {
	t.Parallel()
	ctx, programs := context.Background(), seededPrograms()
	run := func(m *session.Manager, img image.Image, seed int64, copies bool) (out []string) {
		opt := session.Options{Image: img, Seed: &seed}
		s, err := m.Create(ctx, opt, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { s.Close() }()
		for i, p := range programs {
			if copies && i%3 == 2 {
				c, err := s.Fork(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s = c
			}
			x, err := s.Execute(ctx, p.code, session.Exec{}, event.Discard)
			if err != nil || x.Status != event.OK || x.Stdout == "" {
				t.Fatalf("%s: %+v, %+v, %v", p.name, x, x.Error, err)
			}
			out = append(out, x.Stdout+x.Stderr)
		}
		return out
	}
	home := t.TempDir()
	images, key, err := prepared.Images(home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { images.Close() })
	img, err := images.Resolve(ctx, image.Request{}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := gvisor.New(gvisor.Config{Dir: filepath.Join(home, "run"), Program: machine.Sandbox})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { backend.Close() })
	m, err := session.Open(session.Config{Dir: home, Languages: languages(), Backend: backend, Programs: machine.Store, Program: machine.Guest, Seals: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	other := run(m, img, 8, false)
	copied := run(m, img, 7, true)
	first := run(manager(t), defaultImage, 7, false)
	for i, p := range programs {
		if first[i] != copied[i] {
			t.Errorf("%s: in one home\n%s\nin the other\n%s", p.name, first[i], copied[i])
		}
		if p.random && first[i] == other[i] {
			t.Errorf("%s: under both seeds\n%s", p.name, first[i])
		}
	}
}

// TestSeededLimits keeps limits of time true ones, whatever the session's clocks show, and
// what an execution used.
func TestSeededLimits(t *testing.T) {
	t.Parallel()
	ctx, seed := context.Background(), int64(7)
	s, err := manager(t).Create(ctx, session.Options{Image: defaultImage, Seed: &seed}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for code, want := range map[string]event.Status{
		"while True: pass": event.Timeout,
		"import threading; threading.Event().wait(1e6)":         event.Timeout,
		"import time; time.sleep(1e6)":                          event.OK,
		"import time\nwhile time.time() < 2e9: time.sleep(1e6)": event.OK,
	} {
		x, err := s.Execute(ctx, code, session.Exec{Bounds: event.Bounds{Timeout: event.Duration(time.Second)}}, event.Discard)
		if err != nil || x.Status != want || x.Usage.WallMS <= 0 || want == event.Timeout && x.Usage.WallMS < 1000 || x.Usage.WallMS > 1e6 {
			t.Errorf("%s: %+v, %v", code, x, err)
		}
	}
}

// TestSeededCenturies lets programs sleep to the end of what clocks can show: what is
// beyond does not come, and no clock goes back.
func TestSeededCenturies(t *testing.T) {
	t.Parallel()
	ctx, seed := context.Background(), int64(7)
	for _, date := range []string{"1970-01-01", "2026-01-01", "2199-12-31"} {
		began, err := time.Parse(time.DateOnly, date)
		if err != nil {
			t.Fatal(err)
		}
		s, err := manager(t).Create(ctx, session.Options{Image: defaultImage, Seed: &seed, Date: began}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, step := range []struct {
			code string
			want event.Status
		}{
			{"import time, datetime\nwas = time.time(), time.monotonic()", event.OK},
			{"time.sleep(50 * 365 * 86400); assert time.time() - was[0] > 50 * 365 * 86400", event.OK},
			{"while True: time.sleep(5 * 365 * 86400)", event.Timeout},
			{"import subprocess; subprocess.run(['sleep', '9000000000'])", event.Timeout},
			{"assert time.time() > was[0] and time.monotonic() > was[1]", event.OK},
			{"assert 2253 < datetime.datetime.now().year < 2260, datetime.datetime.now()", event.OK},
			{"time.sleep(0.001); open('a', 'w').close()", event.OK},
			{"import os; assert os.stat('a').st_mtime > was[0]", event.OK},
		} {
			x, err := s.Execute(ctx, step.code, session.Exec{Bounds: event.Bounds{Timeout: event.Duration(time.Second)}}, event.Discard)
			if err != nil || x.Status != step.want || x.State != event.Intact {
				t.Errorf("from %s: %s: %+v, %v", date, step.code, x, err)
			}
		}
	}
}
