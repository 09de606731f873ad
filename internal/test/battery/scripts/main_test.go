package scripts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/language/javascript"
	"praxis/internal/language/python"
	"praxis/internal/language/sql"
	"praxis/internal/programs"
	"praxis/internal/sandbox/gvisor"
	"praxis/internal/seal"
	"praxis/internal/session"
	"praxis/internal/test/prepared"
)

// What all tests share.
var (
	dataDir  string
	images   *image.Store
	scripted image.Image // JavaScript first, and Python
	seals    *seal.Key
	machine  programs.Installed
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	err := prepared.AtOnce(4)
	if err == nil {
		dataDir, err = os.MkdirTemp("", "praxis-scripts-")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dataDir)
	store, key, err := prepared.JavaScript(dataDir)
	if err == nil {
		seals = key
		images = store
		defer images.Close()
		machine, err = prepared.Programs(dataDir, key)
	}
	if err == nil {
		scripted, err = images.Resolve(context.Background(), image.Request{Languages: []string{javascript.Name}}, event.Discard)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// manager makes sessions of the real backend, as the product does.
func manager(t testing.TB) *session.Manager {
	t.Helper()
	backend, err := gvisor.New(gvisor.Config{Dir: filepath.Join(dataDir, "run"), Program: machine.Sandbox})
	if err != nil {
		t.Fatal(err)
	}
	languages := language.Table{python.Language(), javascript.Language(), javascript.TypeScript(), sql.Language()}
	m, err := session.Open(session.Config{Dir: dataDir, Languages: languages, Backend: backend, Programs: machine.Store, Program: machine.Guest, Seals: seals})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Errorf("closing sessions: %v", err)
		}
		if err := backend.Close(); err != nil {
			t.Errorf("closing backend: %v", err)
		}
	})
	return m
}

func fresh(m *session.Manager) func(t *testing.T, seed *int64, memory int64) *session.Session {
	return func(t *testing.T, seed *int64, memory int64) *session.Session {
		t.Helper()
		s, err := m.Create(t.Context(), session.Options{Image: scripted, Seed: seed, Limits: event.Limits{Memory: memory}}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}
