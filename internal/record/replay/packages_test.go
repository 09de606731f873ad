package replay

import (
	"testing"

	"praxis/event"
)

// TestAddedPackagesAreCompared checks that packages which were added to a session
// count as those of its image do.
func TestAddedPackagesAreCompared(t *testing.T) {
	six := func(version string) []event.Package { return []event.Package{{Name: "six", Version: version}} }
	for _, c := range []struct {
		was, is event.SessionBegan
		want    string
	}{
		{event.SessionBegan{Added: six("1.16")}, event.SessionBegan{Added: six("1.17")}, "six 1.16 → 1.17"},
		{event.SessionBegan{Image: event.Image{Packages: six("1.16")}}, event.SessionBegan{Added: six("1.16")}, ""},
		{event.SessionBegan{Added: six("1.16")}, event.SessionBegan{}, "six 1.16 removed"},
	} {
		var r Report
		r.givenAnew(&c.was, &c.is)
		if got := r.Changes(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
