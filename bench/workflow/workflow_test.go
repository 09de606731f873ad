package workflow

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/sandbox/gvisor"
	"praxis/internal/session"
	"praxis/internal/test/prepared"
)

// TestDirect does all workflows by direct calls.
func TestDirect(t *testing.T) {
	c := newCounter()
	for _, w := range All() {
		t.Run(w.Name, func(t *testing.T) {
			began := time.Now()
			d, err := w.direct(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if d.wrong != nil {
				t.Error(d.wrong)
			}
			if d.tokens < 5000 || d.billed < d.tokens {
				t.Errorf("%d tokens in the transcript, %d billed", d.tokens, d.billed)
			}
			t.Logf("%d tokens, %d billed, %d turns, %s", d.tokens, d.billed, d.turns, time.Since(began).Round(time.Millisecond))
		})
	}
}

var everyWorkflow = flag.Bool("all", false, "do all workflows in sandboxes, not three of them")

// TestBothWays does workflows in real sandboxes and checks the savings.
func TestBothWays(t *testing.T) {
	all := All()
	if !*everyWorkflow {
		all = all[len(all)-6 : len(all)-3]
	}
	report, err := Measure(t.Context(), all, sandboxes(t), event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range report.Workflows {
		t.Logf("%-18s %7d %6d  %.4f  turns %d %d  billed %d %d", w.Name, w.DirectTokens, w.CodeTokens, w.Saving, w.DirectTurns, w.CodeTurns, w.DirectBilled, w.CodeBilled)
		if !w.Correct {
			t.Errorf("%s: %s", w.Name, w.Wrong)
		}
		if w.Saving < 0.75 {
			t.Errorf("%s saves %.2f of the tokens: not what this is measured for", w.Name, w.Saving)
		}
	}
	if *everyWorkflow && report.MedianSaving < 0.95 {
		t.Errorf("the median saving is %.4f", report.MedianSaving)
	}
}

type guestSession struct{ *session.Session }

func (b guestSession) Execute(ctx context.Context, lang, code string, sink event.Sink) (event.Execution, error) {
	return b.Session.Execute(ctx, code, session.Exec{Language: lang}, sink)
}

func (b guestSession) Expose(ctx context.Context, o wire.Exposure, h guest.Host) error {
	return b.Session.Expose(ctx, o, h)
}

// sandboxes opens sessions of the real backend.
func sandboxes(t *testing.T) func(context.Context) (Session, error) {
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
	return func(ctx context.Context) (Session, error) {
		s, err := m.Create(ctx, session.Options{Image: img}, event.Discard)
		if err != nil {
			return nil, fmt.Errorf("cannot open a session: %w", err)
		}
		return guestSession{s}, nil
	}
}
