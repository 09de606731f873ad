package cmd

import (
	"strings"
	"testing"

	"praxis/internal/app"
)

// A package of npm's is not looked for among those of Python.
func TestMissingHint(t *testing.T) {
	for _, c := range []struct {
		session, language, want string
	}{
		{"", "python", "--with left"}, {"s", "python", "praxis session add s left"},
		{"", "javascript", "with --npm left"}, {"s", "javascript", "praxis session add s --npm left"},
	} {
		got := (&runCommand{session: c.session}).missingHint(app.Missing{Module: "left", Package: "left", Language: c.language})
		if !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
