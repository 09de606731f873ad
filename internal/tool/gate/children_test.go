package gate

import (
	"testing"

	"praxis/event"
	"praxis/internal/plan/label"
	"praxis/internal/tool"
)

// TestChildTaint checks that what a caller had seen taints its child, and what the child
// had seen its caller.
func TestChildTaint(t *testing.T) {
	newGate := func() *Gate {
		t.Helper()
		set, err := tool.NewSet()
		if err != nil {
			t.Fatal(err)
		}
		g, err := New(Config{Run: "r", Tools: set})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	caller := newGate()
	if l := caller.SeenData(); l != nil {
		t.Fatalf("nothing was seen, but %+v", l)
	}
	caller.Saw(label.Label{Sources: []label.Source{{Kind: label.Tool, Name: "mail.read", Trusted: true}}, Readers: label.Only("ann")})
	seen := caller.SeenData()
	if seen == nil || seen.Anyone || len(seen.Readers) != 1 {
		t.Fatalf("the caller has seen %+v", seen)
	}
	child := newGate()
	child.Began(event.RunBegan{})
	if child.SeenData() != nil {
		t.Error("a run without a caller is tainted")
	}
	child.Began(event.RunBegan{Caller: &event.Caller{Label: seen}})
	if l := child.Seen(); !l.Trusted() || !l.ReadableBy("ann") || l.ReadableBy("bob") {
		t.Errorf("the child begins with %s", l)
	}
	child.Observe(event.FileGiven{Name: "x"})
	if child.Seen().Trusted() {
		t.Error("data that a child is given are trusted")
	}
	again := newGate()
	again.Observe(event.ChildEnded{Label: child.SeenData()})
	if l := again.Seen(); l.Trusted() || l.ReadableBy("bob") || !l.ReadableBy("ann") {
		t.Errorf("a caller has seen %s", l)
	}
	plain := newGate()
	plain.Observe(event.ChildEnded{})
	if l := plain.Seen(); l.Trusted() || !l.ReadableBy("bob") {
		t.Errorf("a caller of a child that saw nothing has seen %s", l)
	}
}

// TestSharedCount checks that runs which draw from one account count their calls together.
func TestSharedCount(t *testing.T) {
	set, err := tool.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	left := 1
	g, err := New(Config{Run: "r", Tools: set, Count: func() bool { left--; return left >= 0 }})
	if err != nil {
		t.Fatal(err)
	}
	def := &tool.Definition{Name: "x"}
	if _, err := g.count(def, Code); err != nil {
		t.Error(err)
	}
	if _, err := g.count(def, Code); err == nil {
		t.Error("a call that the account has no place for was counted")
	}
}
