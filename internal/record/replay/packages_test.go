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
		{event.SessionBegan{Added: six("1.16"), Image: event.Image{NPM: six("1")}}, event.SessionBegan{Added: six("1.16"), Image: event.Image{NPM: append(six("1"), six("2")...)}}, "six 1 → 1 and 2"},
	} {
		var r Report
		r.givenAnew(&c.was, &c.is)
		if got := r.Changes(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
