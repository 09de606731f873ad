package bridge

import (
	"maps"
	"slices"

	"praxis/event"
)

// maxPartial bounds the tools whose cut results are known.
const maxPartial = 100

func (b *Bridge) calling(e event.ToolCalled) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[e.ID] = e.Tool
}

func (b *Bridge) returned(e event.ToolReturned) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name, ok := b.open[e.ID]
	delete(b.open, e.ID)
	switch {
	case !ok || e.Error != "":
	case e.Cut == "":
		delete(b.partial, name)
	case len(b.partial) < maxPartial:
		b.partial[name] = e.Cut
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
