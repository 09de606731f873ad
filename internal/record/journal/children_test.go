package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

// caller records a run with two children, of which the second has one.
func caller(t *testing.T, b *bench) (whole string, children []string) {
	t.Helper()
	begin := func(c *event.Caller) *Recorder {
		began := question()
		began.Model, began.Scripted, began.Caller = "anthropic:one", false, c
		_, r, err := b.Begin(t.Context(), began, nil)
		if err != nil {
			t.Fatal(err)
		}
		b.clock.pass(time.Second)
		return r
	}
	end := func(r *Recorder, used int) {
		r.Emit(event.RunEnded{Status: event.Answered, Steps: 1, Tokens: event.Tokens{Input: used}})
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	outer := begin(nil)
	var inner []*Recorder
	for n := 1; n <= 2; n++ {
		r := begin(&event.Caller{Run: outer.ID(), Child: n, Role: event.Attempt, Depth: 1})
		outer.Emit(event.ChildBegan{N: n, Role: event.Attempt, Depth: 1, Run: r.ID(), Model: "anthropic:one"})
		inner = append(inner, r)
	}
	deep := begin(&event.Caller{Run: inner[1].ID(), Child: 1, Role: event.Subagent, Depth: 2})
	inner[1].Emit(event.ChildBegan{N: 1, Role: event.Subagent, Depth: 2, Run: deep.ID(), Model: "anthropic:two"})
	end(deep, 5)
	inner[1].Emit(event.ChildEnded{N: 1, Run: deep.ID(), Status: event.Answered, Tokens: event.Tokens{Input: 5}})
	outer.Emit(event.ChildBegan{N: 3, Role: event.Query, Depth: 1, Model: "anthropic:one"})
	outer.Emit(event.ChildEnded{N: 3, Status: event.Answered, Tokens: event.Tokens{Input: 1}})
	for n, r := range inner {
		end(r, 10+5*n)
		outer.Emit(event.ChildEnded{N: n + 1, Run: r.ID(), Status: event.Answered, Tokens: event.Tokens{Input: 10 + 5*n}})
		children = append(children, r.ID())
	}
	outer.Emit(event.RunEnded{Status: event.Answered})
	if err := outer.Close(); err != nil {
		t.Fatal(err)
	}
	return outer.ID(), append(children, deep.ID())
}

func TestChildren(t *testing.T) {
	b := newBench(t)
	whole, children := caller(t, b)
	got, err := b.Children(t.Context(), whole)
	if err != nil || fmt.Sprint(ids(got)) != fmt.Sprint(children) {
		t.Errorf("children: got %v, want %v: %v", ids(got), children, err)
	}
	s, err := b.Summary(t.Context(), whole)
	if err != nil || s.Children != 2 || s.Tokens.Input != 26 {
		t.Errorf("got %d children and %d tokens, want 2 and 26: %v", s.Children, s.Tokens.Input, err)
	}
	s, err = b.Summary(t.Context(), children[1])
	if err != nil || s.Others["anthropic:two"].Input != 5 || s.Caller == nil || s.Caller.Run != whole {
		t.Errorf("the second child: %+v: %v", s, err)
	}
	for _, list := range []func() ([]Summary, error){
		func() ([]Summary, error) { return b.Runs(t.Context(), Query{NoChildren: true}) },
		func() ([]Summary, error) { return b.runsOfLogs(t.Context(), Query{NoChildren: true, Limit: 10}) },
	} {
		if runs, err := list(); err != nil || fmt.Sprint(ids(runs)) != fmt.Sprint([]string{whole}) {
			t.Errorf("without children: got %v: %v", ids(runs), err)
		}
	}
	for ref, want := range map[string]string{"last": whole, "last.1": children[0], whole + ".2": children[1], "last.2.1": children[2]} {
		if id, err := b.Find(t.Context(), ref); err != nil || id != want {
			t.Errorf("%s: got %s, want %s: %v", ref, id, want, err)
		}
	}
	for _, ref := range []string{"last.3", "last.4", "last.0", "last.1.1", "last.x", ".1", "last."} {
		if _, err := b.Find(t.Context(), ref); fault.KindOf(err) != fault.NotFound && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", ref, err)
		}
	}
}

func TestChildrenGoWithTheirCaller(t *testing.T) {
	b := newBench(t)
	whole, _ := caller(t, b)
	second, children := caller(t, b)
	if _, err := b.Remove(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	runs, err := b.Runs(t.Context(), Query{})
	if err != nil || len(runs) != 4 {
		t.Errorf("after removing one of two: %v: %v", ids(runs), err)
	}
	b.clock.pass(time.Hour)
	// The caller is old enough, and its youngest child is not.
	out, err := b.Collect(t.Context(), Collect{OlderThan: time.Hour + 2*time.Second})
	if err != nil || len(out.Runs) != 4 {
		t.Errorf("got %v, want %s with %v: %v", out.Runs, second, children, err)
	}
	if runs, err := b.Runs(t.Context(), Query{}); err != nil || len(runs) != 0 {
		t.Errorf("left: %v: %v", ids(runs), err)
	}
}

// A record from elsewhere cannot claim a run that is not its own.
func TestChildrenClaimed(t *testing.T) {
	b := newBench(t)
	victim, _ := caller(t, b)
	_, r, err := b.Begin(t.Context(), question(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Emit(event.ChildBegan{N: 1, Role: event.Attempt, Run: victim})
	r.Emit(event.ChildBegan{N: 2, Role: event.Attempt, Run: "../../etc"})
	r.Emit(event.ChildBegan{N: 3, Role: event.Attempt, Run: r.ID()})
	r.Emit(event.RunEnded{Status: event.Answered})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Remove(t.Context(), r.ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Summary(t.Context(), victim); err != nil {
		t.Errorf("a run that was no child is gone: %v", err)
	}
}

// TestChildrenTravel exports a run with its children and imports all of them elsewhere.
func TestChildrenTravel(t *testing.T) {
	here, there := newBench(t), newBench(t)
	whole, children := caller(t, here)
	data := here.exported(t, whole)
	if again := here.exported(t, whole); !bytes.Equal(data, again) {
		t.Error("the same run is exported to other bytes")
	}
	path := filepath.Join(t.TempDir(), "tree.praxis")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := here.OpenBundle(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, id := range append([]string{whole}, children...) {
		n := 0
		for _, err := range b.Records(t.Context(), id) {
			if n++; err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		if n < 2 || !b.Has(id) || b.Foreign() {
			t.Errorf("%s: %d records, there %t, foreign %t", id, n, b.Has(id), b.Foreign())
		}
	}
	for range 2 { // what is here already is left as it is
		if _, err := there.imported(t, data); err != nil {
			t.Fatal(err)
		}
	}
	got, err := there.Children(t.Context(), whole)
	if err != nil || fmt.Sprint(ids(got)) != fmt.Sprint(children) {
		t.Errorf("imported: %v, want %v: %v", ids(got), children, err)
	}
	for _, s := range got {
		if !s.Imported {
			t.Errorf("child %s does not count as imported", s.ID)
		}
	}
	// A child that is damaged on the way is refused with the whole.
	spoiled := bytes.Clone(data)
	at := bytes.LastIndex(spoiled, []byte("PK\x03\x04"))
	for i := range 40 {
		spoiled[at+60+i] ^= 0x55
	}
	third := newBench(t)
	before := third.state()
	if _, err := third.imported(t, spoiled); err == nil || third.state() != before {
		t.Errorf("a damaged child: %v", err)
	}
}
