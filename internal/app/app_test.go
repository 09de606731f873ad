package app

import (
	"testing"

	"praxis/internal/config"
	"praxis/internal/test/toy"
)

// toyApp opens an App over a data folder of its own, with sessions that need no
// sandbox: see package toy.
func toyApp(t *testing.T, env map[string]string) *App {
	t.Helper()
	return toyAppIn(t, t.TempDir(), env)
}

// toyAppIn is toyApp over a data folder that there may be already.
func toyAppIn(t *testing.T, home string, env map[string]string) *App {
	t.Helper()
	getenv := func(k string) string {
		if k == "PRAXIS_HOME" {
			return home
		}
		return env[k]
	}
	c, err := config.Default(getenv)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(Options{Config: c, Getenv: getenv, Version: "test", Parts: &Parts{Backend: toy.Backend(), Images: toy.Images{}, ImageFiles: toy.Images{}, Recipes: toy.Images{}, Program: toy.Program()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("cannot close: %v", err)
		}
	})
	return a
}
