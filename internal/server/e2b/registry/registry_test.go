package registry

import (
	"encoding/json"
	"testing"
)

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
