package gate_test

import (
	"testing"

	"praxis/event"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
)

// TestObserve requires that nothing that enters a run from outside counts as the
// user's own words, whichever way it comes.
func TestObserve(t *testing.T) {
	for _, c := range []struct {
		e       event.Event
		source  string
		trusted bool
	}{
		{event.FileGiven{Name: "sales.csv"}, "user sales.csv", false},
		{event.FileGiven{Name: "tools.yaml", Role: "tools"}, "", true},
		{event.SessionBegan{Snapshot: "00112233445566778899aabbccddeeff"}, "user session", false},
		{event.SessionBegan{}, "", true},
		{event.ConversationContinued{Messages: 2}, "user thread", false},
		{event.NotesFound{Notes: 1}, "user notes", false},
		{event.ConnectionOpened{Host: "api.example.com"}, "tool the network", false},
		{event.StepBegan{N: 1}, "", true},
	} {
		set, err := tool.NewSet()
		if err != nil {
			t.Fatal(err)
		}
		g, err := gate.New(gate.Config{Tools: set})
		if err != nil {
			t.Fatal(err)
		}
		g.Observe(c.e)
		l := g.Seen()
		source := ""
		if len(l.Sources) == 1 {
			source = string(l.Sources[0].Kind.String()) + " " + l.Sources[0].Name
		}
		if l.Trusted() != c.trusted || source != c.source {
			t.Errorf("%T: got %v, trusted %t, want %q, trusted %t", c.e, l.Sources, l.Trusted(), c.source, c.trusted)
		}
	}
}
