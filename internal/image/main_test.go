package image

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"praxis/event"
)

// The tests share one store with one unpacked interpreter, made on first use;
// tests that need a store of their own for the interpreter say why.
var shared struct {
	once  sync.Once
	dir   string
	store *Store
	img   Image
	took  time.Duration
	err   error
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("PRAXIS_IMAGE_TEST_BUILD"); dir != "" {
		os.Exit(buildChild(dir, os.Getenv("PRAXIS_IMAGE_TEST_PART")))
	}
	dir, err := os.MkdirTemp("", "praxis-image-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared.dir = dir
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// sharedStore returns the shared store with its default image built.
func sharedStore(t *testing.T) (*Store, Image) {
	t.Helper()
	shared.once.Do(func() {
		if shared.store, shared.err = openIn(filepath.Join(shared.dir, "store")); shared.err != nil {
			return
		}
		began := time.Now()
		shared.img, shared.err = shared.store.Resolve(context.Background(), Request{}, event.Discard)
		shared.took = time.Since(began)
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.store, shared.img
}

// collectSink keeps the progress lines.
type collectSink struct{ lines []string }

func (c *collectSink) Emit(e event.Event) {
	if p, ok := e.(event.Progress); ok {
		c.lines = append(c.lines, p.Stage+": "+p.Text)
	}
}
