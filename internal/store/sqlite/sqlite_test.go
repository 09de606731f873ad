package sqlite

import (
	"path/filepath"
	"testing"

	"praxis/internal/store"
	"praxis/internal/test/storetest"
)

// fresh returns a database that is not there yet.
func fresh(t testing.TB) *DB {
	t.Helper()
	return opened(t, filepath.Join(t.TempDir(), "data", "praxis.db"))
}

// opened opens a database that the test closes.
func opened(t testing.TB, path string) *DB {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestKV(t *testing.T) {
	storetest.KV(t, func(t *testing.T) store.KV { return fresh(t).KV() })
}

func TestIndex(t *testing.T) {
	storetest.Index(t, func(t *testing.T) store.Index { return fresh(t).Index() })
}
