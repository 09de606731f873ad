package journal

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/store"
)

// ids returns which runs there are.
func ids(runs []Summary) (out []string) {
	for _, s := range runs {
		out = append(out, s.ID)
	}
	return out
}

func TestRuns(t *testing.T) {
	b := newBench(t)
	var all []string
	for i := range 7 {
		began := question()
		began.Question = fmt.Sprintf("question %d of the north", i)
		if i%2 == 1 {
			began.Kind, began.Model, began.Thread = event.Code, "", "sales"
		}
		_, r, err := b.Begin(t.Context(), began, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Emit(event.ExecutionBegan{Code: fmt.Sprintf("column_%d", i)})
		r.Emit(event.ModelReplied{Tokens: event.Tokens{Input: 7, Output: 3}})
		switch i {
		case 5: // goes on
			defer r.Close()
		case 3: // breaks off
			r.Close()
		default:
			r.Emit(event.RunEnded{Status: event.Answered, Steps: i, Tokens: event.Tokens{Input: i, Output: 50}, Took: event.Duration(time.Second)})
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		all = append([]string{r.ID()}, all...)
		b.clock.pass(time.Hour)
	}
	// The run that broke off was given an end by the one after it.
	for name, c := range map[string]struct {
		q    Query
		want []int // places in the order of beginning
	}{
		"all":        {Query{}, []int{6, 5, 4, 3, 2, 1, 0}},
		"two":        {Query{Limit: 2}, []int{6, 5}},
		"asked":      {Query{Kind: event.Ask}, []int{6, 4, 2, 0}},
		"thread":     {Query{Thread: "sales"}, []int{5, 3, 1}},
		"model":      {Query{Model: "SCRIPTED"}, []int{6, 4, 2, 0}},
		"answered":   {Query{Status: event.Answered}, []int{6, 4, 2, 1, 0}},
		"abandoned":  {Query{Status: event.Abandoned}, []int{3}},
		"running":    {Query{Status: Running}, []int{5}},
		"unfinished": {Query{Status: Unfinished}, nil},
		"words":      {Query{Words: "north column_4"}, []int{4}},
		"since":      {Query{Since: b.clock.t.Add(-150 * time.Minute)}, []int{6, 5}},
		"until":      {Query{Until: b.clock.t.Add(-330 * time.Minute)}, []int{1, 0}},
	} {
		got, err := b.Runs(t.Context(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, i := range c.want {
			want = append(want, all[6-i])
		}
		if fmt.Sprint(ids(got)) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", name, ids(got), want)
		}
	}
	var pages []string
	q := Query{Limit: 3}
	for {
		page, err := b.Runs(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, ids(page)...)
		if len(page) < q.Limit {
			break
		}
		q.Before = &page[len(page)-1]
	}
	if fmt.Sprint(pages) != fmt.Sprint(all) {
		t.Errorf("in pages: %v, want %v", pages, all)
	}
	s, err := b.Summary(t.Context(), all[0])
	if err != nil || s.Steps != 6 || s.Tokens != (event.Tokens{Input: 7, Output: 50}) || s.Took != event.Duration(time.Second) || s.Question != "question 6 of the north" || s.Program != "test" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestFind(t *testing.T) {
	b := newBench(t)
	if _, err := b.Find(t.Context(), "last"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("none: %v", err)
	}
	first := b.write(t)
	b.clock.pass(26 * time.Hour)
	second := b.write(t)
	b.clock.pass(40 * 24 * time.Hour)
	third := b.write(t)
	for ref, want := range map[string]string{
		"last": third, "last~0": third, "last~1": second, "last~2": first,
		first: first, first[:17]: first, first[:15]: first, first[:8]: first, first[:7]: "ambiguous", "2026": "ambiguous", "20270101": third, "2027010": third, "20270": third, "2027": third,
		"last~3": "", "lastly": "invalid", "last~-1": "invalid", "last~x": "invalid", "20": "", "": "", "x": "", "20261399": "", "9999": "", "0000": "", first + "0": "",
		"20261121-031455-zzzz": "", "../journal": "", "20261122-999": "",
	} {
		got, err := b.Find(t.Context(), ref)
		kind := fault.KindOf(err)
		switch want {
		case "":
			if kind != fault.NotFound || fault.RemedyOf(err) == "" {
				t.Errorf("%q: %q, %v", ref, got, err)
			}
		case "ambiguous", "invalid":
			if kind != fault.Invalid || fault.RemedyOf(err) == "" || want == "ambiguous" && !strings.Contains(err.Error(), " or ") {
				t.Errorf("%q: %q, %v", ref, got, err)
			}
		default:
			if got != want || err != nil {
				t.Errorf("%q: %q, %v; want %q", ref, got, err, want)
			}
		}
	}
}

// blind is an index that cannot be read.
type blind struct{ *memIndex }

func (blind) Get(context.Context, string, string) (store.Doc, error) {
	return store.Doc{}, fault.New(fault.Conflict, "Have it built again.", "the index is damaged")
}

// TestBrokenIndex finds, reads and checks a run although the index is damaged.
func TestBrokenIndex(t *testing.T) {
	b := newBench(t)
	id := b.write(t)
	b.cfg.Index = blind{b.index}
	if got, err := b.Find(t.Context(), id); got != id || err != nil {
		t.Errorf("find: %s, %v", got, err)
	}
	if rep := b.verified(t, id); !rep.OK() || rep.Indexed {
		t.Errorf("%+v", rep)
	}
	if got, err := b.records(t, id); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := b.Find(t.Context(), "20261121-031455-0000"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("%v", err)
	}
}

// TestSweep has runs whose process ended be given an end by the next run.
func TestSweep(t *testing.T) {
	b := newBench(t)
	_, torn := b.begin(t)
	torn.Emit(event.StepBegan{N: 3})
	torn.Close()
	b.disk.logs[torn.ID()].WriteString(`{"seq":3,"time"`)
	_, going := b.begin(t) // another run that goes on; torn is swept here
	_, changed := b.begin(t)
	for range 10 {
		changed.Emit(event.StepBegan{N: 1})
	}
	changed.Close()
	data := b.bytes(changed.ID())
	data[bytesIndex(data, `"step_began"`)+28] ^= 1
	b.replace(changed.ID(), data)
	_, gone := b.begin(t)
	gone.Close()
	delete(b.disk.logs, gone.ID())
	_, empty := b.begin(t)
	empty.Close()
	b.replace(empty.ID(), nil)
	b.clock.pass(time.Hour)
	b.write(t)

	s, err := b.Summary(t.Context(), torn.ID())
	if err != nil || s.Status != event.Abandoned || s.Reason != "the process that executed it ended first; 15 bytes of a torn record were cut off" || s.Steps != 3 {
		t.Errorf("torn: %+v, %v", s, err)
	}
	rep := b.verified(t, torn.ID())
	if !rep.OK() || rep.Records != 6 || rep.Status != event.Abandoned {
		t.Errorf("torn: %+v", rep)
	}
	got, err := b.records(t, torn.ID())
	if err != nil || len(got) != 3 || got[2].Seq != 4 {
		t.Errorf("torn: %+v, %v", got, err)
	}
	if s, err := b.Summary(t.Context(), going.ID()); err != nil || s.Status != Running {
		t.Errorf("going on: %+v, %v", s, err)
	}
	for id, why := range map[string]string{changed.ID(): "its journal of run " + changed.ID() + " is damaged at record 2", gone.ID(): "its journal is gone", empty.ID(): "empty"} {
		s, err := b.Summary(t.Context(), id)
		if err != nil || s.Status != Unfinished || !strings.Contains(s.Reason, why) {
			t.Errorf("%s: %+v, %v", why, s, err)
		}
	}
	if string(b.bytes(changed.ID())) != string(data) {
		t.Error("something was written behind what is damaged")
	}
	if open, _ := b.index.Find(t.Context(), openQuery()); len(open) != 1 || open[0].ID != going.ID() {
		t.Errorf("open: %v", open)
	}
	b.write(t) // and a second time nothing happens
	if string(b.bytes(changed.ID())) != string(data) {
		t.Error("something was written behind what is damaged")
	}
}

// TestSweepCut does not give an end to a run whose end was cut off.
func TestSweepCut(t *testing.T) {
	b := newBench(t)
	id := b.write(t, manySteps(5)...)
	data := b.bytes(id)
	b.replace(id, data[:spans(data)[4]])
	if _, err := b.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.write(t)
	if d := b.verified(t, id).Damage; d == nil || d.Seq != 4 || !strings.Contains(d.Problem, "the end was cut off") {
		t.Errorf("%+v", d)
	}
}

// TestCollectSweeps ends more runs than one that begins would, also when the index was
// lost meanwhile and they had no signature yet: the chain knows that they were begun here.
func TestCollectSweeps(t *testing.T) {
	b := newBench(t)
	var runs []*Recorder
	for range 2*sweepRuns + 2 {
		_, r := b.begin(t)
		runs = append(runs, r)
	}
	for _, r := range runs {
		r.Close()
	}
	b.Journal.cfg.Index = newMemIndex()
	b.Journal.filled = false
	if got, err := b.Collect(t.Context(), Collect{DryRun: true}); err != nil || b.verified(t, runs[0].ID()).Finished {
		t.Errorf("only said: %+v, %v", got, err)
	}
	if _, err := b.Collect(t.Context(), Collect{}); err != nil {
		t.Fatal(err)
	}
	for i, r := range runs {
		if rep := b.verified(t, r.ID()); !rep.OK() || rep.Status != event.Abandoned {
			t.Errorf("%d: %+v", i, rep)
		}
	}
}

// TestAnotherKeySweeps has a run begun with one key be ended with the next one.
func TestAnotherKeySweeps(t *testing.T) {
	b := newBench(t)
	_, r := b.begin(t)
	for range 70 {
		r.Emit(event.StepBegan{N: 1})
	}
	r.Close()
	old, err := b.keys.signer()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Rotate(); err != nil {
		t.Fatal(err)
	}
	b.write(t)
	rep := b.verified(t, r.ID())
	if !rep.OK() || len(rep.Keys) != 2 || rep.Keys[0].ID != old.ID || rep.Checkpoints != 2 {
		t.Errorf("%+v", rep)
	}
}

func TestRebuild(t *testing.T) {
	b := newBench(t)
	var want []Summary
	for range 5 {
		id := b.write(t, sample()...)
		s, err := b.Summary(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		want = append([]Summary{s}, want...)
	}
	_, going := b.begin(t)
	_, left := b.begin(t)
	left.Close()
	before := fmt.Sprint(b.index.docs)
	got, err := b.Rebuild(t.Context())
	if err != nil || got.Runs != 7 || got.Removed != 0 || len(got.Damaged) != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if after := fmt.Sprint(b.index.docs); after != before {
		t.Errorf("the index was\n%s\nand is\n%s", before, after)
	}
	// An index that was lost is built again by whoever looks.
	b.index.docs = newMemIndex().docs
	b.filled = false
	runs, err := b.Runs(t.Context(), Query{})
	if err != nil || len(runs) != 7 || fmt.Sprint(runs[2:]) != fmt.Sprint(want) || runs[0].Status != Unfinished || runs[1].Status != Running || runs[1].ID != going.ID() {
		t.Errorf("%+v, %v", runs, err)
	}
	// One that cannot be written does not keep runs from being listed.
	b.index.docs = newMemIndex().docs
	b.filled = false
	b.index.broken = fault.New(fault.Denied, "", "read-only")
	for _, q := range []Query{{}, {Limit: 2}, {Words: "answer 42 \"long\""}, {Status: Unfinished}, {Until: want[0].Began}, {Before: &want[1]}, {Since: want[2].Began}, {Model: "demo", Kind: event.Ask}, {Kind: event.Code}} {
		b.index.broken = fault.New(fault.Denied, "", "read-only")
		got, err := b.Runs(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		b.index.broken = nil
		if _, err := b.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
		q.Words = strings.ReplaceAll(q.Words, `"`, "")
		want, err := b.Runs(t.Context(), q)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%+v: got %v, want %v, %v", q, ids(got), ids(want), err)
		}
		b.index.docs = newMemIndex().docs
		b.filled = false
	}
	// Rows whose journal is gone go with it; one that knows more stays.
	b.index.broken = nil
	if _, err := b.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	delete(b.disk.logs, want[0].ID)
	data := b.bytes(want[1].ID)
	b.replace(want[1].ID, data[:len(data)-5])
	got, err = b.Rebuild(t.Context())
	if err != nil || got.Removed != 1 || len(got.Damaged) != 1 || got.Damaged[0] != want[1].ID {
		t.Errorf("%+v, %v", got, err)
	}
	if d := b.verified(t, want[1].ID).Damage; d == nil {
		t.Error("the witness is gone")
	}
	if s, err := b.Summary(t.Context(), want[1].ID); err != nil || s.Records != want[1].Records {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := b.Summary(t.Context(), want[0].ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("%v", err)
	}
}

// TestRebuildBesideWriter rebuilds the index while a run ends and another begins.
// What the rebuild has read by then is older than what the writers say.
func TestRebuildBesideWriter(t *testing.T) {
	b := newBench(t)
	_, r := b.begin(t)
	for listed := 0; listed == 0; { // its row is written while it goes on
		b.index.mu.Lock()
		listed = len(b.index.docs)
		b.index.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	var begun string
	b.index.mu.Lock()
	b.index.before = func() {
		r.Emit(event.RunEnded{Status: event.Answered})
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		begun = b.write(t, sample()...)
	}
	b.index.mu.Unlock()
	if _, err := b.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := b.Summary(t.Context(), r.ID()); err != nil || s.Status != event.Answered {
		t.Errorf("the run that ended: %+v, %v", s, err)
	}
	if runs, err := b.Runs(t.Context(), Query{}); err != nil || len(runs) != 2 || runs[0].ID != begun {
		t.Errorf("%+v, %v", runs, err)
	}
}

// TestRunning verifies and reads a run that is being written.
func TestRunning(t *testing.T) {
	b := newBench(t)
	_, r := b.begin(t)
	for i := range 100 {
		r.Emit(event.StepBegan{N: i})
		if i%7 > 0 {
			continue
		}
		// A writer may be in the middle of a line.
		b.disk.mu.Lock() // the journal syncs when it is time
		whole := b.disk.logs[r.ID()].Len()
		b.disk.logs[r.ID()].WriteString(`{"seq":`)
		b.disk.mu.Unlock()
		rep := b.verified(t, r.ID())
		got, err := b.records(t, r.ID())
		b.disk.mu.Lock()
		b.disk.logs[r.ID()].Truncate(whole)
		b.disk.mu.Unlock()
		if rep.Damage != nil || !rep.Running || rep.Finished || err != nil || len(got) != i+2 || rep.Bytes != int64(whole) {
			t.Fatalf("%+v; %d events, %v", rep, len(got), err)
		}
	}
	if _, err := b.Remove(t.Context(), r.ID()); fault.KindOf(err) != fault.Conflict {
		t.Errorf("remove: %v", err)
	}
	if err := b.Export(t.Context(), r.ID(), discard{}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("export: %v", err)
	}
	r.Close()
	rep := b.verified(t, r.ID())
	if rep.Damage != nil || rep.Running || rep.Finished || rep.Signed != 65 || rep.OK() {
		t.Errorf("left: %+v", rep)
	}
	if _, err := b.Remove(t.Context(), r.ID()); err != nil {
		t.Error(err)
	}
	if _, err := b.Remove(t.Context(), r.ID()); fault.KindOf(err) != fault.NotFound {
		t.Errorf("removed twice: %v", err)
	}
	if runs, err := b.Runs(t.Context(), Query{}); err != nil || len(runs) != 0 {
		t.Errorf("%v, %v", runs, err)
	}
}
