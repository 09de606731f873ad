package battery

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/language/bash"
	"praxis/internal/language/javascript"
	"praxis/internal/language/jupyter"
	"praxis/internal/language/python"
	"praxis/internal/language/sql"
	"praxis/internal/programs"
	"praxis/internal/sandbox/gvisor"
	"praxis/internal/seal"
	"praxis/internal/session"
	"praxis/internal/test/prepared"
	"praxis/internal/test/tally"
)

// What all tests share: building the default image takes seconds.
var (
	dataDir      string
	defaultImage image.Image
	imageStore   *image.Store
	seals        *seal.Key
	machine      programs.Installed
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == crashArg {
		os.Exit(crashChild(os.Args[2], os.Args[3]))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	err := prepared.AtOnce(4)
	if err == nil {
		dataDir, err = os.MkdirTemp("", "praxis-battery-")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dataDir)
	images, key, err := prepared.Images(dataDir)
	if err == nil {
		seals = key
		machine, err = prepared.Programs(dataDir, key)
	}
	if err == nil {
		defer images.Close()
		imageStore = images
		defaultImage, err = images.Resolve(context.Background(), image.Request{}, event.Discard)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// languages are those of all sessions here: what a kernel has beside its own program counts
// for where its memory lies.
func languages() language.Table {
	return language.Table{python.Language(), javascript.Language(), jupyter.Language(), bash.Language(), sql.Language(), tally.Language()}
}

// manager makes sessions of the real backend, as the product does.
func manager(t testing.TB) *session.Manager {
	t.Helper()
	backend, err := gvisor.New(gvisor.Config{Dir: filepath.Join(dataDir, "run"), Program: machine.Sandbox})
	if err != nil {
		t.Fatal(err)
	}
	m, err := session.Open(session.Config{Dir: dataDir, Languages: languages(), Backend: backend, Programs: machine.Store, Program: machine.Guest, Seals: seals})
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
