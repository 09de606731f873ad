package journal

import (
	"bytes"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/store"
)

// TestNamedInTheSecondBefore has the second end between a run's name and its
// first record: the run can be imported all the same.
func TestNamedInTheSecondBefore(t *testing.T) {
	here, there := newBench(t), newBench(t)
	here.write(t) // so that the keys are there
	now := here.clock.now()
	here.clock.pass(now.Truncate(time.Second).Add(time.Second - 2*time.Millisecond).Sub(now))
	id := here.write(t, sample()...)
	records, err := here.records(t, id)
	if err != nil {
		t.Fatal(err)
	}
	named, ok := idTime(id)
	if began := records[0].Time; !ok || !began.Truncate(time.Second).Equal(named) {
		t.Errorf("run %s began at %s", id, began)
	}
	if _, err := there.imported(t, here.exported(t, id)); err != nil {
		t.Error(err)
	}
}

// TestRebuiltSignsNothing imports a journal that names this folder's key and
// holds no signature of it, and loses the index: the run is not signed here.
func TestRebuiltSignsNothing(t *testing.T) {
	victim, forger := newBench(t), newBench(t)
	victim.write(t)
	key, err := victim.keys.signer()
	if err != nil {
		t.Fatal(err)
	}
	_, r := forger.begin(t)
	r.Emit(event.StepBegan{N: 1})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	own, err := forger.keys.signer()
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := bytes.Cut(forger.bytes(r.ID()), []byte("\n"))
	forged := append(bytes.Replace(first, []byte(own.Public), []byte(key.Public), 1), '\n')
	before := hashLine(forged[:len(forged)-1])
	was := hashLine(first)
	for line := range bytes.Lines(rest) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		again := bytes.Replace(line, []byte(was), []byte(before), 1)
		was, before = hashLine(line), hashLine(again)
		forged = append(append(forged, again...), '\n')
	}
	forger.replace(r.ID(), forged)
	forger.index.docs = map[string]store.Doc{} // it knows another one
	if _, err := victim.imported(t, forger.exported(t, r.ID())); err != nil {
		t.Fatal(err)
	}
	victim.index.docs = map[string]store.Doc{}
	if _, err := victim.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	victim.write(t) // which sweeps
	if rep := victim.verified(t, r.ID()); rep.OK() || rep.Checkpoints > 0 {
		t.Errorf("what was imported without a signature was signed here: %+v", rep)
	}
	if s, err := victim.Summary(t.Context(), r.ID()); err != nil || !s.Imported {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestRebuiltKnowsOrigin loses the index: runs that were signed elsewhere still
// count as imported, and those that were signed here, before a rotation too, do not.
func TestRebuiltKnowsOrigin(t *testing.T) {
	here, there := newBench(t), newBench(t)
	old := here.write(t)
	if _, err := here.Rotate(); err != nil {
		t.Fatal(err)
	}
	own := here.write(t)
	foreign := there.write(t, event.StepBegan{N: 1})
	if _, err := here.imported(t, there.exported(t, foreign)); err != nil {
		t.Fatal(err)
	}
	here.index.docs = map[string]store.Doc{}
	if _, err := here.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{old: false, own: false, foreign: true} {
		if s, err := here.Summary(t.Context(), id); err != nil || s.Imported != want {
			t.Errorf("run %s: imported %v, %v", id, s.Imported, err)
		}
	}
}
