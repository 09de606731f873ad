package vault

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/server/access"
)

func TestVault(t *testing.T) {
	dir := t.TempDir()
	v, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open(dir) // another process
	if err != nil {
		t.Fatal(err)
	}
	must := func(tenant, name, want string) {
		t.Helper()
		if got, err := other.Get(tenant, name); got != want || err != nil {
			t.Errorf("%s of %s: got %q, %v", name, tenant, got, err)
		}
	}
	for _, err := range []error{v.Set("team-a", "KEY", "the-secret"), v.Set("team-b", "KEY", "another")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	must("team-a", "KEY", "the-secret")
	must("team-a", "OTHER", "")
	must("team-c", "KEY", "")
	file := filepath.Join(dir, fileName)
	before, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(before), "secret") {
		t.Fatalf("it is in the clear: %s, %v", before, err)
	}
	key, err := os.ReadFile(filepath.Join(dir, keyFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Rotate(); err != nil {
		t.Fatal(err)
	}
	must("team-a", "KEY", "the-secret")
	must("team-b", "KEY", "another")
	if now, err := os.ReadFile(filepath.Join(dir, keyFile)); err != nil || len(now) != len(key) || string(now) == string(key) {
		t.Errorf("the key is still there, %v", err)
	}
	// A secret of one tenant in the place of another's is none, and so is one under the old key.
	var all sealed
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &all) != nil {
		t.Fatal(err)
	}
	all["team-b"]["KEY"] = all["team-a"]["KEY"]
	if err := other.write(all); err != nil {
		t.Fatal(err)
	}
	if got, err := other.Get("team-b", "KEY"); got != "" || fault.KindOf(err) != fault.Conflict {
		t.Errorf("got %q, %v", got, err)
	}
	if err := v.Set("team-a", "KEY", ""); err != nil {
		t.Fatal(err)
	}
	must("team-a", "KEY", "")
	for _, bad := range [][3]string{{"../x", "KEY", "x"}, {"team-a", "key", "x"}, {"team-a", "KEY", "a\nb"}} {
		if err := v.Set(bad[0], bad[1], bad[2]); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"team-a":{"KEY":"AAAA"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := decode(data)
		for tenant := range all {
			if err != nil || !access.IsTenant(tenant) {
				t.Fatalf("accepted %q, %v", tenant, err)
			}
		}
	})
}
