package app

import (
	"os"
	"path/filepath"
	"testing"

	"praxis/internal/planner"
)

// TestSecretsHome checks that the home folder of secrets is that of the App's
// environment: a program that gives its own must not get its user's.
func TestSecretsHome(t *testing.T) {
	files := []planner.Text{{Name: "tools.yaml", Text: "secrets:\n  TOKEN: {file: ~/token}\ntools: []\n"}}
	process, own := t.TempDir(), t.TempDir()
	t.Setenv("HOME", process)
	t.Chdir(process)
	for dir, text := range map[string]string{process: "of the process", own: "of the program"} {
		if err := os.WriteFile(filepath.Join(dir, "token"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for home, want := range map[string]string{own: "of the program", "": ""} {
		s, err := toyApp(t, map[string]string{"HOME": home}).readSecrets(files)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Secret("TOKEN")
		if got != want || (err == nil) != (want != "") {
			t.Errorf("HOME=%q: %q, %v, want %q", home, got, err, want)
		}
	}
}
