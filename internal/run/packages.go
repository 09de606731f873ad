package run

import (
	"slices"
	"strings"

	"praxis/event"
)

// chosen returns the packages of a session that somebody asked for, without those that
// they only need themselves: an image that was made for a request has its packages in its
// name. Of another image it returns all.
func chosen(s event.SessionBegan) []event.Package {
	var names []string
	_, rest, _ := strings.Cut(s.Image.Name, "+")
	for name := range strings.SplitSeq(rest, "+") {
		if i := strings.IndexAny(name, "=<>!~[; "); i >= 0 {
			name = name[:i]
		}
		names = append(names, name)
	}
	out := slices.DeleteFunc(slices.Clone(s.Image.Packages), func(p event.Package) bool { return !slices.Contains(names, p.Name) })
	if len(out) == 0 || strings.Contains(rest, "-more-") {
		out = s.Image.Packages
	}
	return slices.Concat(out, s.Added)
}
