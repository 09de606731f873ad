package app

import (
	"context"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
)

// addedIn returns the packages that the record of a run says were added to its session.
func addedIn(t *testing.T, a *App, run string) string {
	t.Helper()
	r, err := a.load(t.Context(), run, ImageSpec{}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(PackageNames(r.rec.Session.Added), ", ")
}

// TestAddPackages checks that a session gets packages and keeps its variables, and
// says what it has.
func TestAddPackages(t *testing.T) {
	a := toyApp(t, nil)
	s, err := a.OpenSession(t.Context(), SessionSpec{With: []string{"numpy"}}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Execute(t.Context(), "", "set x", event.Bounds{}, event.Discard); err != nil {
		t.Fatal(err)
	}
	out, err := s.AddPackages(t.Context(), []string{"polars", "numpy"}, event.Discard)
	if err != nil || strings.Join(PackageNames(out.Added), " ") != "polars 1.0" || strings.Join(PackageNames(out.Present), " ") != "numpy 1.0" {
		t.Fatalf("got %+v, %v", out, err)
	}
	var file strings.Builder
	if err := s.ReadFile(t.Context(), "/home/user/.packages/polars.py", &file); err != nil || file.String() != "N = 1" {
		t.Errorf("the module holds %q, %v", file.String(), err)
	}
	if x, err := s.Execute(t.Context(), "", "get x", event.Bounds{}, event.Discard); err != nil || x.Stdout != "x is true\n" {
		t.Errorf("the variable: %q, %v", x.Stdout, err)
	}
	if out, err := s.AddPackages(t.Context(), []string{"polars"}, event.Discard); err != nil || len(out.Added) != 0 || len(out.Present) != 1 {
		t.Errorf("the same again: %+v, %v", out, err)
	}
	own, added := s.Packages()
	if strings.Join(PackageNames(own), " ") != "numpy 1.0" || len(added) != 1 || added[0].Name != "polars" || !strings.HasPrefix(added[0].Hash, "sha256:") {
		t.Errorf("the session has %v and %v", own, added)
	}
	if _, err := s.AddPackages(t.Context(), []string{"missing"}, event.Discard); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a package that there is not: %v", err)
	}
}

// TestAddToSession checks that what was added to a named session is saved with it
// and in the records of its runs, which can be repeated, and that it is gone after a
// rollback.
func TestAddToSession(t *testing.T) {
	a := toyApp(t, nil)
	if _, _, err := a.AddToSession(t.Context(), "work", []string{"polars"}, event.Discard); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a session that there is not: %v", err)
	}
	run := func() string {
		t.Helper()
		out, err := a.RunCode(t.Context(), CodeRequest{Code: "get x", Session: SessionSpec{Name: "work"}}, event.Discard)
		if err != nil || out.Unsaved != nil {
			t.Fatal(err, out.Unsaved)
		}
		return out.Run
	}
	first := run()
	if _, _, err := a.AddToSession(t.Context(), "work", []string{"/etc/passwd"}, event.Discard); fault.KindOf(err) != fault.Invalid {
		t.Errorf("no package: %v", err)
	}
	out, head, err := a.AddToSession(t.Context(), "work", []string{"polars"}, event.Discard)
	if err != nil || head == "" || len(out.Added) != 1 {
		t.Fatalf("got %+v, %q, %v", out, head, err)
	}
	log, err := a.SessionLog(t.Context(), "work")
	if err != nil || log[len(log)-1].Label != "add polars 1.0" || len(log[len(log)-1].Added) != 1 || len(log[0].Added) != 0 {
		t.Errorf("the log is %+v, %v", log, err)
	}
	if out, head, err := a.AddToSession(t.Context(), "work", []string{"polars"}, event.Discard); err != nil || head != "" || len(out.Present) != 1 {
		t.Errorf("the same again: %+v, %q, %v", out, head, err)
	}
	second := run()
	if was, is := addedIn(t, a, first), addedIn(t, a, second); was != "" || is != "polars 1.0" {
		t.Errorf("the runs are recorded with %q and %q", was, is)
	}
	report, err := a.Replay(t.Context(), ReplayRequest{Run: second}, event.Discard)
	if err != nil || report.Changes() != "" || !strings.HasSuffix(report.Headline(), "identical") || len(report.Packages) != 0 {
		t.Errorf("the run again: %+v, %v", report, err)
	}
	if _, err := a.RollbackSession(t.Context(), "work", log[0].ID); err != nil {
		t.Fatal(err)
	}
	if is := addedIn(t, a, run()); is != "" {
		t.Errorf("after the rollback a run is recorded with %q", is)
	}
}

// TestAddToSessionWaits checks that a session that is in use is waited for, with a word.
func TestAddToSessionWaits(t *testing.T) {
	a := toyApp(t, nil)
	s, err := a.OpenSession(t.Context(), SessionSpec{Name: "work"}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	said := ""
	_, _, err = a.AddToSession(ctx, "work", []string{"polars"}, event.SinkFunc(func(e event.Event) {
		if p, ok := e.(event.Progress); ok {
			said += p.Text
			stop()
		}
	}))
	if err == nil || !strings.Contains(said, "waiting for it") {
		t.Errorf("it said %q, %v", said, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
