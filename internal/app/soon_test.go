package app

import (
	"os"
	"path/filepath"
	"testing"

	"praxis/event"
)

// What cannot be recorded is not done: of a run whose record cannot be begun no session is
// left, and nothing is reported of one.
func TestUnrecordedRunHasNoSession(t *testing.T) {
	a := toyApp(t, nil)
	if err := os.WriteFile(filepath.Join(a.opt.Config.Home, "journal"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var emitted []event.Event
	_, err := a.RunCode(t.Context(), CodeRequest{Code: "set x", Session: SessionSpec{Name: "work"}}, event.SinkFunc(func(e event.Event) { emitted = append(emitted, e) }))
	if err == nil {
		t.Fatal("it ran")
	}
	m, err := a.machinery(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if left := m.sessions.Sessions(); len(left) != 0 || len(emitted) != 0 {
		t.Errorf("%d sessions are left, events %v", len(left), emitted)
	}
	if _, err := a.OpenSession(t.Context(), SessionSpec{Name: "work"}, event.Discard); err != nil {
		t.Errorf("the session's name is still in use: %v", err)
	}
}
