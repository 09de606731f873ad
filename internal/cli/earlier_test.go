package cli

import (
	"testing"

	"praxis/event"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/registry"
)

// continued is a session that begins with what an earlier command left in it.
type continued struct {
	fakeWorkspace
	from string
}

func (c *continued) describe() event.SessionBegan {
	out := c.fakeWorkspace.describe()
	out.Name, out.Snapshot = "work", c.from
	return out
}

// TestEarlierStateIsNotTrusted keeps a named session from making the user's own
// of what an earlier run read: where that came from is not kept with it.
func TestEarlierStateIsNotTrusted(t *testing.T) {
	for snapshot, trusted := range map[string]bool{"": true, "00112233445566778899aabbccddeeff": false} {
		set, err := tool.NewSet()
		if err != nil {
			t.Fatal(err)
		}
		reg, err := registry.Open(t.Context(), registry.Config{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := gate.New(gate.Config{Tools: set})
		if err != nil {
			t.Fatal(err)
		}
		tools := &tooling{registry: reg, gate: g}
		if err := tools.offered(t.Context(), &continued{from: snapshot}, true); err != nil {
			t.Fatal(err)
		}
		if l := g.Seen(); l.Trusted() != trusted {
			t.Errorf("a session that begins with %q: %v", snapshot, l.Sources)
		}
		if err := reg.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNotesAreNotTrusted keeps notes of earlier runs from counting as the user's own.
func TestNotesAreNotTrusted(t *testing.T) {
	set, err := tool.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(gate.Config{Tools: set})
	if err != nil {
		t.Fatal(err)
	}
	(&tooling{}).sawEarlier("notes") // before there is a gate: nothing to tell
	(&tooling{gate: g}).sawEarlier("notes")
	if g.Seen().Trusted() {
		t.Error("notes are trusted")
	}
}
