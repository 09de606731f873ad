package files

import (
	"testing"

	"praxis/internal/store"
	"praxis/internal/test/storetest"
)

// fresh returns an empty store.
func fresh(t testing.TB, opts Options) *Store {
	t.Helper()
	s, err := Open(t.TempDir()+"/data", opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLogs(t *testing.T) {
	storetest.Logs(t, func(t *testing.T) store.Logs { return fresh(t, Options{}).Logs() })
}

func TestBlobs(t *testing.T) {
	storetest.Blobs(t, func(t *testing.T) store.Blobs { return fresh(t, Options{}).Blobs() })
	t.Run("with a quota", func(t *testing.T) {
		storetest.Blobs(t, func(t *testing.T) store.Blobs { return fresh(t, Options{Quota: 1 << 30}).Blobs() })
	})
}
