package access

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"praxis/fault"
)

func TestKeys(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "server")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	k, err := Open(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	text, made, err := k.Add(Key{Name: "ci", Tenant: "team-a", Scopes: []Scope{Read}, Expires: now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	// Another process sees the key, and one that is removed there is gone here.
	other, err := Open(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	got, err := other.Check(text)
	if err != nil || got.ID != made.ID || got.Tenant != "team-a" || !got.May(Read) || got.May(Run) {
		t.Fatalf("got %+v, %v", got, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil || strings.Contains(string(data), text) || strings.Contains(string(data), text[len(prefix)+2*idBytes:]) {
		t.Fatalf("the file holds the secret (%v)", err)
	}
	for name, wrong := range map[string]string{
		"nothing": "", "another prefix": "x" + text, "cut": text[:len(text)-1], "longer": text + "0",
		"another secret": text[:len(text)-1] + map[bool]string{true: "1", false: "0"}[text[len(text)-1] == '0'],
		"unknown":        prefix + strings.Repeat("0", 2*(idBytes+keyBytes)),
	} {
		if _, err := k.Check(wrong); fault.KindOf(err) != fault.Denied || strings.Contains(err.Error(), "praxis_") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := other.Remove(made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Check(text); fault.KindOf(err) != fault.Denied {
		t.Errorf("a key that was removed: %v", err)
	}
	if err := k.Remove(made.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("removed twice: %v", err)
	}
}

func TestExpiry(t *testing.T) {
	now := time.Now()
	k, err := Open(t.TempDir(), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := k.Add(Key{Expires: now.Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := k.Check(text); err != nil || got.Tenant != DefaultTenant || !got.May(Run) || got.May(Admin) {
		t.Fatalf("got %+v, %v", got, err)
	}
	now = now.Add(2 * time.Minute)
	if _, err := k.Check(text); fault.KindOf(err) != fault.Denied {
		t.Errorf("expired: %v", err)
	}
}

func TestAddRefuses(t *testing.T) {
	k, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []Key{{Tenant: "../x"}, {Tenant: "Team"}, {Scopes: []Scope{"write"}}, {Name: strings.Repeat("x", 101)}} {
		if _, _, err := k.Add(bad); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`[{"id":"00000000","tenant":"default","scopes":["read"],"made":"2026-01-01T00:00:00Z","sha256":"` + strings.Repeat("0", 64) + `"}]`))
	f.Add([]byte(`[{"tenant":"../x"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		keys, err := decode(data)
		for id, k := range keys {
			if err != nil || id == "" || !tenantPattern.MatchString(k.Tenant) {
				t.Fatalf("accepted %+v, %v", k, err)
			}
		}
	})
}
