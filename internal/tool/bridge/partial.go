package bridge

import (
	"maps"
	"slices"
)

// maxPartial bounds the tools whose cut results are known.
const maxPartial = 100

// gave takes in how much of what was asked for a tool gave; "": all of it.
func (b *Bridge) gave(name, cut string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case cut == "":
		delete(b.partial, name)
	case len(b.partial) < maxPartial:
		b.partial[name] = cut
	}
}

// Partial says of the tools whose last result was not the whole of what was asked for
// how much it was, such as "sql.query: 1,000 of 3,000 rows", sorted.
func (b *Bridge) Partial() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, name := range slices.Sorted(maps.Keys(b.partial)) {
		out = append(out, name+": "+b.partial[name])
	}
	return out
}
