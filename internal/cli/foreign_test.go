package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/config"
	"praxis/internal/record/replay"
)

// spyEngine notes which sessions it was asked for.
type spyEngine struct {
	*fakeEngine
	asked []event.SessionBegan
}

func (e *spyEngine) open(_ context.Context, o sessionOptions, _ event.Sink) (workspace, error) {
	e.asked = append(e.asked, *o.again)
	return &fakeWorkspace{e: e.fakeEngine, stop: make(chan struct{}, 1), state: fakeState{map[string]fakeFile{}, map[string]bool{}}}, nil
}

// recordsIn opens the records of a data folder of its own.
func recordsIn(t *testing.T) (*app.Records, config.Config) {
	t.Helper()
	home := t.TempDir()
	c, err := config.Default(func(k string) string { return map[string]string{"PRAXIS_HOME": home}[k] })
	if err != nil {
		t.Fatal(err)
	}
	r, err := app.OpenRecords(c, nil, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, c
}

// recordedCode records a run of code in a session, with a state at its end.
func recordedCode(t *testing.T, r *app.Records, s event.SessionBegan, snapshot string) string {
	t.Helper()
	_, rec, err := r.Journal.Begin(t.Context(), event.RunBegan{Kind: event.Code, Question: "print a"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []event.Event{s, event.ExecutionBegan{Code: "print a"}, event.ExecutionEnded{Execution: event.Execution{Status: event.OK, Stdout: "a\n", State: event.Kept}},
		event.SnapshotTaken{Step: 1, Snapshot: snapshot}, event.SessionEnded{}, event.RunEnded{Outcome: event.Answered}} {
		rec.Emit(e)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return rec.ID()
}

// TestForeignRun carries out runs whose records name states of this data folder,
// and more of the host than it gives: one that was made here, and the same one
// imported and in a folder of bundles.
func TestForeignRun(t *testing.T) {
	const state = "00112233445566778899aabbccddeeff"
	image := event.Image{ID: "0123456789abcdef0123", Name: "python"}
	plain := event.SessionBegan{Session: "s-1", Image: image}
	stateful, large := plain, plain
	stateful.Snapshot = state
	large.Limits.Memory = 1 << 45
	for _, c := range []struct {
		name    string
		session event.SessionBegan
		kind    fault.Kind // of the refusal of a foreign one; 0: none
	}{
		{"final state", plain, 0},
		{"state at the beginning", stateful, fault.Conflict},
		{"more memory than there is", large, fault.Denied},
	} {
		t.Run(c.name, func(t *testing.T) {
			here, cfg := recordsIn(t)
			there, _ := recordsIn(t)
			e := &spyEngine{fakeEngine: &fakeEngine{home: cfg.Home, limits: cfg.Limits, kept: here}}
			p := &program{stdout: &lockedBuffer{}, stderr: &lockedBuffer{}, getenv: func(string) string { return "" }}
			assert := func(id string) error {
				e.asked = nil
				rc, rec, err := p.loadRun(t.Context(), cfg, e, id, sessionOptions{})
				if err != nil {
					t.Fatal(err)
				}
				_, err = replay.Assert(t.Context(), rc, rec, "f.py", "print b")
				return err
			}
			own := recordedCode(t, here, c.session, state)
			if err := assert(own); err != nil || len(e.asked) != 1 || e.asked[0].Snapshot != state {
				t.Errorf("a run of our own: %v, asked for %+v", err, e.asked)
			}

			id := recordedCode(t, there, c.session, state)
			var bundle bytes.Buffer
			if err := there.Journal.Export(t.Context(), id, &bundle); err != nil {
				t.Fatal(err)
			}
			if _, err := here.Journal.Import(t.Context(), bytes.NewReader(bundle.Bytes()), int64(bundle.Len())); err != nil {
				t.Fatal(err)
			}
			judge := func(what string, err error) {
				t.Helper()
				for _, s := range e.asked {
					if s.Snapshot != "" || s.Limits.Memory > cfg.Limits.Memory {
						t.Errorf("%s was given %+v", what, s)
					}
				}
				if c.kind == 0 && (err != nil || len(e.asked) != 1) || c.kind != 0 && (fault.KindOf(err) != c.kind || fault.RemedyOf(err) == "") {
					t.Errorf("%s: %v, asked for %+v", what, err, e.asked)
				}
			}
			judge("an imported run", assert(id))

			path := filepath.Join(t.TempDir(), "run.praxis")
			if err := os.WriteFile(path, bundle.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			e.asked = nil
			b, err := p.openBundle(t.Context(), cfg, e, path, sessionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.Open(t.Context(), c.session)
			judge("a bundle", err)
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAffordable bounds what a branch of somebody else's run may cost.
func TestAffordable(t *testing.T) {
	_, cfg := recordsIn(t)
	b := affordable(event.RunBegan{MaxSteps: 1 << 40, Budget: event.Budget{Reply: 1, Run: 1 << 50}}, cfg)
	if b.MaxSteps != cfg.Ask.MaxSteps || b.Budget.Reply != 1 || b.Budget.Run > 1_000_000 || b.Budget.Window != cfg.Ask.Window {
		t.Errorf("%+v", b)
	}
}
