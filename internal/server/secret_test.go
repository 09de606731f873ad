package server

import (
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/app"
	"praxis/internal/server/vault"
)

// A tenant is opened with its own secrets and no others.
func TestSecretsReachTheirTenant(t *testing.T) {
	w := newWorld(t)
	v, err := vault.Open(filepath.Join(w.home, Folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{v.Set("team-a", "A_KEY", "1"), v.Set("team-b", "B_KEY", "2")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	open := w.s.cfg.Open
	w.s.cfg.Open = func(t Tenant) (*app.App, error) {
		got[t.Name] = strings.Join(t.Environ, " ")
		return open(t)
	}
	for _, tenant := range []string{"team-a", "team-b", "default"} {
		w.must(w.key(tenant), "GET", "/v1/sessions", nil, 200)
	}
	if got["team-a"] != "A_KEY=1" || got["team-b"] != "B_KEY=2" || got["default"] != "" {
		t.Errorf("got %v", got)
	}
}
