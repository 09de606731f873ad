package run

import (
	"testing"

	"praxis/event"
)

func TestChosen(t *testing.T) {
	all := []event.Package{{Name: "numpy"}, {Name: "pandas"}, {Name: "six"}}
	for name, want := range map[string]string{
		"python+pandas": "pandas x", "python+pandas==2.*+numpy": "numpy pandas x", "python": "numpy pandas six x", "tools:latest": "numpy pandas six x",
		"python+pandas+7-more-0a0b0c0d": "numpy pandas six x", "python+javascript+pandas[excel]": "pandas x",
	} {
		got := ""
		for _, p := range chosen(event.SessionBegan{Image: event.Image{Name: name, Packages: all}, Added: []event.Package{{Name: "x"}}}) {
			got += " " + p.Name
		}
		if got != " "+want {
			t.Errorf("%s: got%s, want %s", name, got, want)
		}
	}
}
