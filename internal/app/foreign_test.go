package app

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/record/replay"
)

// recordedCode records a run of code in a session, with a state at its end.
func recordedCode(t *testing.T, a *App, s event.SessionBegan, snapshot string) string {
	t.Helper()
	_, rec, err := a.records.Journal.Begin(t.Context(), event.RunBegan{Kind: event.Code, Question: "get x", Bounds: event.Bounds{Timeout: event.Duration(time.Hour)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []event.Event{s, event.ExecutionBegan{Code: "get x"}, event.ExecutionEnded{Execution: event.Execution{Status: event.OK, Stdout: "x is false\n", State: event.Intact}},
		event.SnapshotTaken{Step: 1, Snapshot: snapshot}, event.SessionEnded{}, event.RunEnded{Status: event.Answered}} {
		rec.Emit(e)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return rec.ID()
}

// TestForeignRun repeats runs whose records name states of this data folder, and
// more of the host than it gives: one that was made here, and the same one
// imported and in a folder of bundles.
func TestForeignRun(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *event.SessionBegan, state string)
		kind   fault.Kind // of the refusal of a foreign one; 0: none
	}{
		{"final state", func(*event.SessionBegan, string) {}, 0},
		{"state at the beginning", func(s *event.SessionBegan, state string) { s.Snapshot = state }, fault.Conflict},
		{"fewer processes than a session can have", func(s *event.SessionBegan, _ string) { s.Limits.Processes = 1 }, fault.Conflict},
		{"more memory than there is", func(s *event.SessionBegan, _ string) { s.Limits.Memory = 1 << 45 }, fault.Denied},
	} {
		t.Run(c.name, func(t *testing.T) {
			here, there := toyApp(t, nil), toyApp(t, nil)
			s, err := here.OpenSession(t.Context(), SessionSpec{}, event.Discard)
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Execute(t.Context(), "", "set x", event.Bounds{}, event.Discard)
			if err != nil {
				t.Fatal(err)
			}
			state, err := s.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			began := s.Describe()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			c.change(&began, state.ID)
			own := recordedCode(t, here, began, state.ID)
			if out, err := here.Assert(t.Context(), own, "f.py", "get x", event.Discard); err != nil || out.Snapshot != state.ID {
				t.Errorf("a run of our own: %+v, %v, want the state %s", out, err, state.ID)
			}

			id := recordedCode(t, there, began, state.ID)
			var bundle bytes.Buffer
			if _, err := there.WriteExport(t.Context(), ExportRequest{Run: id}, &bundle); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			path := filepath.Join(dir, "run.praxis")
			if err := os.WriteFile(path, bundle.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := here.Import(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			if r, err := here.load(t.Context(), id, ImageSpec{}, event.Discard); err != nil || r.rec.Began.Bounds != here.opt.Config.Execution {
				t.Errorf("an imported run: %+v, %v, want the bounds of the configuration", r.rec.Began.Bounds, err)
			}
			out, err := here.Assert(t.Context(), id, "f.py", "get x", event.Discard)
			if fault.KindOf(err) != c.kind || c.kind != 0 && fault.RemedyOf(err) == "" || out.Snapshot != "" {
				t.Errorf("an imported run: %+v, %v, want the kind %v and no state of this folder", out, err, c.kind)
			}
			totals, err := here.TestRuns(t.Context(), dir, ImageSpec{}, event.Discard, func(r SuiteResult) {
				if (r.Status == replay.Broken) != (c.kind != 0) || (r.Remedy == "") != (c.kind == 0) {
					t.Errorf("a bundle: %+v", r)
				}
			})
			if err != nil || totals.Runs != 1 {
				t.Errorf("a folder of bundles: %+v, %v", totals, err)
			}
		})
	}
}

// TestAffordable bounds what a branch of somebody else's run may cost.
func TestAffordable(t *testing.T) {
	c := toyApp(t, nil).opt.Config
	b := affordable(event.RunBegan{MaxSteps: 1 << 40, Budget: event.Budget{Reply: 1, Run: 1 << 50}}, c)
	if b.MaxSteps != c.Ask.MaxSteps || b.Budget.Reply != 1 || b.Budget.Run > 1_000_000 || b.Budget.Window != c.Ask.Window {
		t.Errorf("%+v", b)
	}
}

// TestAllowed bounds each execution of somebody else's run.
func TestAllowed(t *testing.T) {
	c := toyApp(t, nil).opt.Config
	day := event.Duration(24 * time.Hour)
	for _, x := range []struct {
		name  string
		began event.RunBegan
		want  event.Bounds
	}{
		{"nothing", event.RunBegan{}, c.Execution},
		{"too much", event.RunBegan{Bounds: event.Bounds{Timeout: day, OutputBytes: 1 << 40}}, c.Execution},
		{"less than nothing", event.RunBegan{Bounds: event.Bounds{Timeout: -1, CPU: -1, OutputBytes: -1}}, c.Execution},
		{"less", event.RunBegan{Bounds: event.Bounds{Timeout: 1, CPU: 2, OutputBytes: 3}}, event.Bounds{Timeout: 1, CPU: 2, OutputBytes: 3}},
		{"a width", event.RunBegan{Bounds: event.Bounds{Timeout: 1, CPU: 2, OutputBytes: 3, Columns: 60}}, event.Bounds{Timeout: 1, CPU: 2, OutputBytes: 3, Columns: 60}},
		{"no width", event.RunBegan{Bounds: event.Bounds{Timeout: 1, CPU: 2, OutputBytes: 3, Columns: 5}}, event.Bounds{Timeout: 1, CPU: 2, OutputBytes: 3}},
		{
			"that waits for calls", event.RunBegan{Kind: event.Ask, Tools: []event.ToolPin{{}}, Bounds: event.Bounds{Timeout: day, CPU: day}},
			event.Bounds{Timeout: event.Duration(callTime), CPU: c.Execution.Timeout, OutputBytes: c.Execution.OutputBytes},
		},
	} {
		if got := allowed(c)(x.began).Bounds; got != x.want {
			t.Errorf("%s: %+v, want %+v", x.name, got, x.want)
		}
	}
	c.Execution.CPU = 5
	if got := allowed(c)(event.RunBegan{}).Bounds; got.CPU != 5 {
		t.Errorf("%+v", got)
	}
}
