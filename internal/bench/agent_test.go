package bench

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/guest"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/llm"
	"praxis/internal/record/journal"
	"praxis/internal/record/replay"
	"praxis/internal/run"
	"praxis/internal/session"
	"praxis/internal/store/files"
	"praxis/internal/store/sqlite"
)

// opened is a real session as a run uses it.
type opened struct{ s *session.Session }

func (o opened) Execute(ctx context.Context, lang, code string, b event.Bounds, sink event.Sink) (event.Execution, error) {
	return o.s.Execute(ctx, code, session.Exec{Language: lang, Bounds: b, Changes: true}, sink)
}

func (o opened) WriteFile(ctx context.Context, path string, r io.Reader) error {
	return o.s.Use(ctx, func(c *guest.Client) error { _, err := c.WriteFile(ctx, path, r, 0o644); return err })
}

func (o opened) Snapshot(ctx context.Context) (run.Snapshot, error) {
	snap, err := o.s.Snapshot(ctx)
	return run.Snapshot{ID: snap.ID, Bytes: snap.Bytes}, err
}

func (o opened) Describe() event.SessionBegan {
	return event.SessionBegan{Session: o.s.ID(), Image: event.Image{Languages: []event.Language{{Name: "python"}}}}
}

// recording is a bench that asks questions in real sandboxes and records them.
func recording(t *testing.T) *bench {
	b := measured(t)
	b.Dir, b.Languages = t.TempDir(), language.Table{python.Language()}
	b.OpenSession = func(ctx context.Context) (replay.Opened, error) {
		s, err := b.Sessions.Create(ctx, b.opt, b.Sink)
		if err != nil {
			return replay.Opened{}, err
		}
		return replay.Opened{Session: opened{s}, Close: s.Close}, nil
	}
	b.OpenFork = func(ctx context.Context, snapshot string) (replay.Opened, error) {
		s, err := b.Sessions.FromSnapshot(ctx, snapshot, b.opt, b.Sink)
		if err != nil {
			return replay.Opened{}, err
		}
		return replay.Opened{Session: opened{s}, Close: s.Close}, nil
	}
	b.OpenRecords = records
	return b
}

// records opens a journal over the stores that the program uses.
func records(dir string) (Records, error) {
	store, err := files.Open(dir, files.Options{})
	if err != nil {
		return Records{}, err
	}
	db, err := sqlite.Open(filepath.Join(dir, "praxis.db"))
	if err != nil {
		return Records{}, err
	}
	j, err := journal.Open(journal.Config{Logs: store.Logs(), Blobs: store.Blobs(), Index: db.Index(), Dir: dir, Keys: filepath.Join(dir, "keys"), Program: "test"})
	return Records{Journal: j, Index: db.Index(), Close: db.Close}, err
}

// TestAgent asks what the suite asks. Every answer is compared with what is right.
func TestAgent(t *testing.T) {
	b := recording(t)
	for name, want := range map[string]struct {
		take func(context.Context) (Figure, error)
		runs int
	}{
		"steps":        {b.agentStep, 3 * (timedSteps + 1)},
		"saved steps":  {b.agentStepSaved, timedSteps + 1},
		"runs at once": {b.agentRuns, 3},
		"attempts": {func(ctx context.Context) (Figure, error) {
			return b.records(func(r Records) (Figure, error) {
				return sample(1, func() (float64, error) { return branching{b, r.Journal, 1000}.ratio(ctx) })
			})
		}, 1},
		"runs with code": {func(ctx context.Context) (Figure, error) { return b.runsOfCode(ctx, sandboxesAtOnce/2) }, 1},
	} {
		f, err := want.take(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if f.Runs != want.runs || f.P50 <= 0 {
			t.Errorf("%s: measured %+v", name, f)
		}
	}
	if f, err := b.agentIdle(t.Context()); err != nil || f.Runs != 3 { // another test may free memory meanwhile
		t.Errorf("idle runs: measured %+v, %v", f, err)
	}
	if left, err := os.ReadDir(b.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestPrograms runs some programs on both sides, which must agree on their results.
func TestPrograms(t *testing.T) {
	b := recording(t)
	all := programs()
	if len(all) != 60 {
		t.Fatalf("there are %d programs", len(all))
	}
	_, err := b.records(func(r Records) (Figure, error) {
		in, host, err := b.programsOnce(t.Context(), r.Journal, all[:2*len(problems())])
		if in <= 0 || host <= 0 {
			t.Errorf("took %s and %s", in, host)
		}
		if err != nil {
			return Figure{}, err
		}
		wrong := all[0]
		wrong.result++
		if _, _, err := b.programsOnce(t.Context(), r.Journal, []program{wrong}); err == nil || !strings.Contains(err.Error(), "was wanted") {
			t.Errorf("a wrong result: %v", err)
		}
		return Figure{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestScript gives no more replies than there are.
func TestScript(t *testing.T) {
	m := &script{replies: said("one")}
	if r, err := m.Complete(t.Context(), llm.Request{}, nil); err != nil || r.Text != "one" {
		t.Errorf("replied %+v, %v", r, err)
	}
	if _, err := m.Complete(t.Context(), llm.Request{}, nil); err == nil {
		t.Error("a reply came that is none")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&script{replies: said("one")}).Complete(ctx, llm.Request{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
