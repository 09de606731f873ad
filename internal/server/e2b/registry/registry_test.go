package registry

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"praxis/fault"
)

// The records of sandboxes are read whatever their folder is called.
func TestRecordsAreRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[1]*")
	if err := os.MkdirAll(filepath.Join(dir, recordFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, recordFolder, "x.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(Config{Dir: dir})
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("a damaged record is passed over: %v", err)
	}
	if err == nil {
		r.Close()
	}
}

// FuzzDecode: what is read as a record can be stored and is read the same again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"id":"abcdefghijklmnopqrstuvwx23","kind":"sandbox","tenant":"t","ends":"2026-01-01T00:00:00Z","files":{"/a":{"k":"v"}}}`))
	f.Add([]byte(`{"id":"../x","kind":"sandbox","tenant":"t"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := Decode(data)
		if err != nil {
			return
		}
		if !IsID(rec.ID) {
			t.Errorf("%q is an id", rec.ID)
		}
		again, err := json.Marshal(rec)
		if err != nil {
			t.Skip("a raw part of it is no JSON")
		}
		if back, err := Decode(again); err != nil || back.ID != rec.ID || back.Kind != rec.Kind {
			t.Errorf("got %+v, %v", back, err)
		}
	})
}
