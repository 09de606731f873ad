package replay

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

// damagedSource gives some records and then an error.
type damagedSource struct {
	*world
	records []event.Record
	err     error
}

func (d damagedSource) Records(context.Context, string) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for _, r := range d.records {
			if !yield(r, nil) {
				return
			}
		}
		if d.err != nil {
			yield(event.Record{}, d.err)
		}
	}
}

func TestLoad(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	if rec.ID != "r" || !rec.At.Equal(time.Unix(1, 0)) || rec.Began.Question != question || rec.Session == nil || !rec.Finished() {
		t.Errorf("loaded %+v", rec)
	}
	for i, want := range []string{"read /work/a.csv\nset total 7", "err careful\nraise ValueError no such column", "show total\nvalue total\ndisplay image/png AAAA\nwrite /work/out.csv 1,2"} {
		if x := rec.Steps[i].Executions; len(x) != 1 || x[0].Code != want || x[0].Ended == nil || x[0].Fills != nil {
			t.Errorf("step %d executed %+v, want %q", i+1, x, want)
		}
		if got := len(rec.Steps[i].Messages); got != 2*i+1 {
			t.Errorf("in step %d the model was sent %d messages, want %d", i+1, got, 2*i+1)
		}
	}
	if s := rec.Steps[3]; len(s.Rejected) != 1 || len(s.Executions) != 1 || !slices.Equal(s.Executions[0].Fills, []string{"missing"}) {
		t.Errorf("step 4: %+v", s)
	}
	if again := w.load("r"); !reflect.DeepEqual(again, rec) {
		t.Error("loaded again it is another recording")
	}
}

func TestCannotLoad(t *testing.T) {
	w := newWorld(t)
	w.ask("r", fiveSteps)
	all := w.records["r"]
	if _, err := Load(t.Context(), w, "none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no such run: %v", err)
	}
	cause := errors.New("record 7 is changed")
	_, err := Load(t.Context(), damagedSource{w, all[:6], cause}, "r")
	if fault.CodeOf(err) != fault.RunUnreadable || !errors.Is(err, cause) || fault.DataOf(err)["run"] != "r" {
		t.Errorf("damaged: %v", err)
	}
	if _, err = Load(t.Context(), damagedSource{w, nil, nil}, "r"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("nothing: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = Load(ctx, damagedSource{w, all[:6], nil}, "r"); fault.KindOf(err) != fault.Canceled {
		t.Errorf("canceled: %v", err)
	}
	// A record that is left out or stands twice leaves the others out of place,
	// but for those that stand for themselves.
	alone := map[string]bool{
		"file_given": true, "snapshot_taken": true, "reply_rejected": true, "reply_trimmed": true, "run_concluding": true, "answer_given": true,
		"session_ended": true, "run_ended": true,
	}
	for i, r := range all {
		name := event.Name(r.Event)
		if alone[name] {
			continue
		}
		without := slices.Delete(slices.Clone(all), i, i+1)
		if _, err := Load(t.Context(), damagedSource{w, without, nil}, "r"); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "out of place") {
			t.Errorf("without record %d (%s): %v", r.Seq, name, err)
		}
		if _, err := Load(t.Context(), damagedSource{w, slices.Insert(slices.Clone(all), i, r), nil}, "r"); fault.KindOf(err) != fault.Conflict {
			t.Errorf("record %d (%s) twice: %v", r.Seq, name, err)
		}
	}
	for _, name := range []string{"answer_given", "run_ended"} {
		i := slices.IndexFunc(all, func(r event.Record) bool { return event.Name(r.Event) == name })
		if _, err := Load(t.Context(), damagedSource{w, slices.Insert(slices.Clone(all), i, all[i]), nil}, "r"); fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s twice: %v", name, err)
		}
	}
}

func TestNothingToReplay(t *testing.T) {
	began := event.RunBegan{Kind: event.Ask, Question: "?"}
	session := event.SessionBegan{Session: "s"}
	tests := []struct {
		name   string
		events []event.Event
		want   string
	}{
		{"no session", []event.Event{began, event.RunEnded{Status: event.Failed, Reason: "cannot open image x: there is none"}}, "it never had a session: cannot open image x"},
		{"crashed at once", []event.Event{began}, "it never had a session"},
		{"no step", []event.Event{began, session}, "it ended before its first step"},
		{"not asked", []event.Event{began, session, event.StepBegan{N: 1}}, "before the model was asked"},
		{"no reply", []event.Event{began, session, event.StepBegan{N: 1}, event.ModelRequested{Step: 1, Messages: []event.Message{{Role: event.User, Text: "?"}}}}, "before the model replied"},
		{"another kind", []event.Event{event.RunBegan{Kind: "plan"}, session}, `runs of kind "plan" are not known`},
	}
	for _, tt := range tests {
		w := newWorld(t)
		for i, e := range tt.events {
			w.records["r"] = append(w.records["r"], event.Record{Seq: int64(i + 1), Event: e})
		}
		rec := w.load("r")
		if _, err := Replay(t.Context(), w.config(), rec); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if _, err := Branch(t.Context(), w.config(), rec, 1, Change{Code: "x"}); err == nil {
			t.Errorf("%s: it was branched", tt.name)
		}
		if _, err := Assert(t.Context(), w.config(), rec, "f.py", "show x"); err == nil {
			t.Errorf("%s: it was asserted on", tt.name)
		}
		if w.opened != 0 {
			t.Errorf("%s: a session was opened", tt.name)
		}
	}
}

// TestForeignJournal checks that a journal that another program made, with a
// conversation of any shape, cannot break a replay.
func TestForeignJournal(t *testing.T) {
	w := newWorld(t)
	for i, e := range []event.Event{
		event.RunBegan{Kind: event.Ask, Question: "?", MaxSteps: 3},
		event.SessionBegan{Session: "s"},
		event.StepBegan{N: 1},
		event.ModelRequested{Step: 1, Messages: []event.Message{{Role: event.Assistant, Text: "I end it."}}},
		event.ModelReplied{Step: 1, Text: "FINAL ANSWER: x"},
		event.AnswerGiven{Text: "x"},
	} {
		w.records["r"] = append(w.records["r"], event.Record{Seq: int64(i + 1), Event: e})
	}
	if got, err := Replay(t.Context(), w.config(), w.load("r")); err == nil && got.Identical {
		t.Errorf("a conversation that no provider takes was replayed: %+v", got)
	}
}

// FuzzLoad plays records in any order: what loads must replay, branch and
// assert without a panic, and compare as identical with itself.
func FuzzLoad(f *testing.F) {
	f.Add([]byte{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24})
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39})
	f.Add([]byte{41, 3, 42, 43, 38})
	f.Fuzz(func(t *testing.T, order []byte) {
		w := newWorld(t)
		w.ask("r", fiveSteps)
		pool := w.records["r"]
		for _, e := range []event.Event{
			event.RunBegan{Kind: event.Code, Question: "x"}, event.ExecutionBegan{Code: "show x"},
			event.ExecutionEnded{Execution: event.Execution{Status: event.OK, State: event.Intact}},
			event.ToolCalled{Step: 1, ID: "1", Tool: "note"}, event.ToolReturned{Step: 1, ID: "1"}, event.ToolReturned{Step: 2, ID: "1"},
			event.StepBegan{N: -1}, event.StepBegan{N: 1 << 40}, event.ModelRequested{Step: 1, Repeated: -1}, event.ModelRequested{Step: 1, Repeated: 99},
			event.ModelFailed{Step: 1}, event.HistoryCondensed{Step: 1}, event.RunEnded{Status: event.Abandoned}, event.SnapshotTaken{Step: 1, Snapshot: "snap-1"},
		} {
			pool = append(pool, event.Record{Event: e})
		}
		if len(order) > 200 {
			order = order[:200]
		}
		var records []event.Record
		for _, b := range order {
			records = append(records, pool[int(b)%len(pool)])
		}
		w.records["r"] = records
		rec, err := Load(t.Context(), w, "r")
		if err != nil {
			return
		}
		if rec.Session != nil {
			if r := compare(rec, rec, false); !r.Identical {
				t.Errorf("it differs from itself: %+v", r)
			}
		}
		cfg := w.config()
		if r, err := Replay(t.Context(), cfg, rec); err == nil {
			if err := r.Text(&bytes.Buffer{}); err != nil {
				t.Error(err)
			}
		}
		for _, from := range []int{0, 1, 2, 5} {
			_, _ = Branch(t.Context(), cfg, rec, from, Change{Code: "show x"})
		}
		w.lose()
		_, _ = Branch(t.Context(), cfg, rec, 3, Change{Model: model(t, another)})
		_, _ = Assert(t.Context(), cfg, rec, "f.py", "show x")
	})
}

func TestCauses(t *testing.T) {
	tests := []struct {
		code   string
		seeded bool
		want   string // in the first cause; "" none
	}{
		{"print(datetime.now())", false, "time of day"},
		{"print(datetime.now())", true, ""},
		{"t = time.time()", false, "time of day"},
		{"t0 = time.perf_counter()", false, "measure time"},
		{"x = np.random.rand(3)", false, "randomness without a seed"},
		{"x = np.random.rand(3)", true, ""},
		{"rng = np.random.default_rng(42)\nrng.normal(3)", false, ""},
		{"rng = np.random.default_rng()", false, "randomness"},
		{"df.sample(5)", false, "randomness"},
		{"df.sample(5, random_state=1)", false, ""},
		{"uuid.uuid4()", false, "made up at random"},
		{"for x in set(names): print(x)", false, "order of a set"},
		{"for x in set(names): print(x)", true, ""},
		{"with ThreadPoolExecutor() as p: pass", true, "threads or processes"},
		{"print(id(x))", false, "addresses"},
		{"print(id(x))", true, ""},
		{"os.listdir('.')", true, "folder is listed"},
		{"plt.savefig('a.svg')", false, "files that hold the time"},
		{"plt.savefig('a.svg')", true, ""},
		{"# time.time() would differ\nprint(1)", false, ""},
		{"df.groupby('a').b.sum()", false, ""},
		{"width(3); grid(x); valid(y)", false, ""},
	}
	for _, tt := range tests {
		got := Causes(tt.code, tt.seeded)
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) == 0 || !strings.Contains(got[0], tt.want)) {
			t.Errorf("Causes(%q, %t) = %q, want %q", tt.code, tt.seeded, got, tt.want)
		}
		for _, c := range got {
			if !strings.Contains(c, "may") {
				t.Errorf("%q is no guess", c)
			}
		}
	}
}

func TestCausesOfSteps(t *testing.T) {
	w := newWorld(t)
	w.ask("r", "=== reply\n~~~python\n# a\nshow x\nset t datetime.now()\n~~~\n=== reply\n~~~python\nshow y\n~~~\n=== reply\nFINAL ANSWER: Done.")
	w.bend["show"] = func(x *event.Execution) { x.Stdout = "<object at 0x7f00aa00bb10>\n" }
	w.edit("r", func(e event.Event) event.Event {
		if x, ok := e.(event.ExecutionEnded); ok {
			x.Execution.Stdout = "<object at 0x7f00aa00bb00>\n"
			return x
		}
		return e
	})
	rec := w.load("r")
	got, err := Replay(t.Context(), w.config(), rec)
	if err != nil || got.Identical {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	const address = "it shows addresses in memory (0x…)"
	if c := got.Steps[0].Causes; !slices.Equal(c, []string{"it may read the time of day", address}) {
		t.Errorf("step 1: %q", c)
	}
	if c := got.Steps[1].Causes; !slices.Equal(c, []string{"it may follow from step 1", address}) {
		t.Errorf("step 2: %q", c)
	}
}
