package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/store"
)

// faulty is an index of which the call number at fails, or waits until its caller
// gives up; from says that all later ones do, too.
type faulty struct {
	*memIndex
	at    int
	from  bool
	waits bool
	kind  fault.Kind
	calls int
}

func (f *faulty) fail(ctx context.Context) error {
	f.mu.Lock() // the row of a run is written while the run goes on
	f.calls++
	calls := f.calls
	f.mu.Unlock()
	if calls != f.at && (!f.from || calls < f.at) {
		return nil
	}
	if f.waits {
		<-ctx.Done()
		return fault.New(fault.Canceled, "", "%w", context.Cause(ctx))
	}
	return fault.New(f.kind, "Wait.", "planted at call %d", f.at)
}

func (f *faulty) Put(ctx context.Context, docs ...store.Doc) error {
	return errors.Join(f.fail(ctx), f.unless(func() error { return f.memIndex.Put(ctx, docs...) }))
}

func (f *faulty) Delete(ctx context.Context, kind, id string) error {
	return errors.Join(f.fail(ctx), f.unless(func() error { return f.memIndex.Delete(ctx, kind, id) }))
}

func (f *faulty) Get(ctx context.Context, kind, id string) (store.Doc, error) {
	if err := f.fail(ctx); err != nil {
		return store.Doc{}, err
	}
	return f.memIndex.Get(ctx, kind, id)
}

func (f *faulty) Find(ctx context.Context, q store.Query) ([]store.Doc, error) {
	if err := f.fail(ctx); err != nil {
		return nil, err
	}
	return f.memIndex.Find(ctx, q)
}

// unless does something when the call that was just counted does not fail.
func (f *faulty) unless(do func() error) error {
	f.mu.Lock()
	calls := f.calls
	f.mu.Unlock()
	if calls == f.at || f.from && calls > f.at {
		return nil
	}
	return do()
}

// TestIndexFails has each call of the index fail in turn, alone and with all that
// follow: every run begins and ends without an error, is listed, and verifies.
func TestIndexFails(t *testing.T) {
	for _, how := range []faulty{{kind: fault.Unavailable}, {kind: fault.Conflict}, {kind: fault.Exhausted, from: true}, {kind: fault.Conflict, from: true}, {waits: true}} {
		for at := 1; at < 24; at++ {
			b := newBench(t)
			b.patience = 5 * time.Millisecond
			old := b.write(t)
			index := how
			index.memIndex, index.at = b.index, at
			b.cfg.Index, b.filled = &index, false
			_, left := b.begin(t) // and its process ends at once
			if err := left.log.Close(); err != nil {
				t.Fatal(err)
			}
			ids := []string{old, left.ID()}
			for range 2 {
				ctx, r := b.begin(t)
				r.Emit(event.ExecutionBegan{Code: "print(1)"})
				r.Emit(event.RunEnded{Status: event.Answered})
				if err := errors.Join(context.Cause(ctx), r.Err(), r.Close()); err != nil {
					t.Errorf("%+v: a run: %v", index, err)
				}
				ids = append(ids, r.ID())
			}
			limited, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
			runs, err := b.Runs(limited, Query{})
			stop()
			if !index.from && err == nil && len(runs) != len(ids) {
				t.Errorf("%+v: %d runs are listed beside the failure, want %d", index, len(runs), len(ids))
			}
			b.cfg.Index = b.index // it works again
			other, err := Open(b.cfg)
			if err != nil {
				t.Fatal(err)
			}
			if runs, err = other.Runs(t.Context(), Query{}); err != nil || len(runs) != len(ids) {
				t.Errorf("%+v: %d runs are listed, want %d (%v)", index, len(runs), len(ids), err)
			}
			for _, s := range runs {
				want := event.Answered
				if s.ID == left.ID() {
					want = Unfinished
					if s.Status == event.Abandoned {
						want = event.Abandoned // the one after it had time to
					}
				}
				if s.Status != want {
					t.Errorf("%+v: run %s is listed as %s, want %s", index, s.ID, s.Status, want)
				}
			}
			if marks, err := other.marked(); err != nil || len(marks) > 0 {
				t.Errorf("%+v: marks are left: %v %v", index, marks, err)
			}
			for _, id := range ids {
				if rep := b.verified(t, id); rep.Damage != nil || id != left.ID() && !rep.OK() {
					t.Errorf("%+v: run %s: %+v", index, id, rep)
				}
			}
		}
	}
}

// TestMarks lists a run whose process was killed before its first row, and has
// nothing begin that nothing could list.
func TestMarks(t *testing.T) {
	b := newBench(t)
	b.write(t)
	_, r := b.begin(t)
	id := r.ID()
	if err := errors.Join(r.log.Close(), b.index.Delete(t.Context(), runDoc, id), b.index.Delete(t.Context(), openDoc, id), b.mark(id)); err != nil {
		t.Fatal(err)
	}
	if runs, err := b.Runs(t.Context(), Query{}); err != nil || len(runs) != 2 || runs[0].Status != Unfinished {
		t.Errorf("%+v, %v", runs, err)
	}
	if _, err := os.Stat(b.markPath(id)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its mark is left: %v", err)
	}
	b.write(t)
	if s, err := b.Summary(t.Context(), id); err != nil || s.Status != event.Abandoned {
		t.Errorf("swept: %+v, %v", s, err)
	}
	b.index.broken = errors.New("planted")
	if err := os.RemoveAll(filepath.Join(b.cfg.Dir, unlistedFolder)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.cfg.Dir, unlistedFolder), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	logs := len(b.disk.logs)
	if _, _, err := b.Begin(t.Context(), question(), nil); err == nil || len(b.disk.logs) != logs {
		t.Errorf("a run began that is in no list (%v)", err)
	}
}

// TestLostIndex begins runs beside an index that was lost: they do not build it
// again, and whoever lists does, also when that was broken off once.
func TestLostIndex(t *testing.T) {
	b := newBench(t)
	for range 3 {
		b.write(t)
	}
	clear(b.index.docs)
	j, err := Open(b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Journal = j
	b.write(t)
	if len(b.index.docs) != 1 {
		t.Errorf("%d rows after a run, want its own", len(b.index.docs))
	}
	broken, stop := context.WithCancel(t.Context())
	stop()
	if runs, err := b.Runs(broken, Query{}); err == nil {
		t.Errorf("a list that was given up has %d runs", len(runs))
	}
	for range 2 {
		if runs, err := b.Runs(t.Context(), Query{}); err != nil || len(runs) != 4 {
			t.Errorf("%d runs, %v", len(runs), err)
		}
	}
	if marks, err := b.marked(); err != nil || len(marks) > 0 {
		t.Errorf("%v %v", marks, err)
	}
}
