package replay

import (
	"io"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
)

// lose makes the snapshots of the world go away.
func (w *world) lose() { w.snapshots = map[string]state{} }

const another = `=== reply
I take another way.
~~~python
set total 70
show total
~~~
=== reply
FINAL ANSWER: It is {{ total }}.`

func TestBranchWithAModel(t *testing.T) {
	for _, withSnapshots := range []bool{true, false} {
		w := newWorld(t)
		rec := w.ask("r", fiveSteps)
		if !withSnapshots {
			w.lose()
		}
		change := Change{Model: modelFrom(t, 3, another)}
		cfg := w.config()
		cfg.Recorder, cfg.Snapshots = w.begin("b", rec.Branched(3, change, "1.0")), true
		w.ran = nil
		got, err := Branch(t.Context(), cfg, rec, 3, change)
		if err != nil || got.Answer == nil || got.Answer.Text != "It is 70." || got.Ended {
			t.Fatalf("snapshot kept %t: %v: %+v", withSnapshots, err, got)
		}
		if (got.Snapshot != "") != withSnapshots || (got.Before == nil) != withSnapshots || !withSnapshots && !got.Before.Identical {
			t.Errorf("snapshot kept %t: began with %q, before: %+v", withSnapshots, got.Snapshot, got.Before)
		}
		if n := len(w.ran); withSnapshots && n != 1 || !withSnapshots && n != 3 {
			t.Errorf("snapshot kept %t: executed %q", withSnapshots, w.ran)
		}
		b := w.load("b")
		if p := b.Began.Parent; p == nil || p.Run != "r" || p.Step != 3 || p.Change != "model scripted:case" {
			t.Errorf("the parent is %+v", p)
		}
		first := 1
		if withSnapshots {
			first = 3
		}
		if b.Steps[0].N != first || len(b.find(3).Messages) != len(rec.find(3).Messages) {
			t.Errorf("snapshot kept %t: the branch begins at step %d with %d messages", withSnapshots, b.Steps[0].N, len(b.Steps[0].Messages))
		}
		// The branch is a run like any other: it replays and is branched itself.
		if again, err := Replay(t.Context(), w.config(), b); err != nil || !again.Identical {
			t.Errorf("snapshot kept %t: the branch, replayed: %v\n%s", withSnapshots, err, text(t, again))
		}
		deeper, err := Branch(t.Context(), w.config(), b, 4, Change{Model: modelFrom(t, 4, "=== reply\nFINAL ANSWER: It is {{ total }} and 7.")})
		if err != nil || deeper.Answer == nil || deeper.Answer.Text != "It is 70 and 7." {
			t.Errorf("the branch, branched: %v: %+v", err, deeper)
		} else if f := deeper.Answer.Figures; len(f) != 2 || f[1].Source == "unverified" { // from step 1 of the first run
			t.Errorf("figures: %+v", f)
		}
	}
}

// TestBranchRefusesAnotherState checks that a branch is refused when the steps
// before it give something else than recorded.
func TestBranchRefusesAnotherState(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	w.lose()
	w.bend["raise"] = func(x *event.Execution) { x.Stdout = "odd\n" }
	cfg := w.config()
	_, err := Branch(t.Context(), cfg, rec, 4, Change{Model: modelFrom(t, 4, another)})
	if fault.CodeOf(err) != fault.BranchDiffers || !strings.Contains(err.Error(), "step 2 differed: stdout") {
		t.Errorf("error = %v", err)
	}
	if w.closed != w.opened-1 {
		t.Errorf("%d sessions opened, %d closed", w.opened, w.closed)
	}
	cfg.Loose = true
	got, err := Branch(t.Context(), cfg, rec, 4, Change{Model: modelFrom(t, 4, another)})
	if err != nil || got.Before == nil || got.Before.Identical || got.Answer == nil {
		t.Errorf("loose: %v: %+v", err, got)
	}
}

func TestBranchWithCode(t *testing.T) {
	for _, withSnapshots := range []bool{true, false} {
		w := newWorld(t)
		rec := w.ask("r", fiveSteps)
		if !withSnapshots {
			w.lose()
		}
		got, err := Branch(t.Context(), w.config(), rec, 1, Change{Code: "set total 8 ```\nset missing 9\nshow total\n"})
		if err != nil || got.Execution == nil || got.Execution.Stdout != "8 ```\n" {
			t.Fatalf("snapshot kept %t: %v: %+v", withSnapshots, err, got)
		}
		// The recorded replies go on: the answer of step 4 can be filled in now.
		if got.Answer == nil || got.Answer.Text != "It is 9." || got.Ended || !slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, "No model was asked") }) {
			t.Errorf("snapshot kept %t: %+v", withSnapshots, got)
		}
	}
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	got, err := Branch(t.Context(), w.config(), rec, 3, Change{Code: "set nothing 1"})
	if err != nil || got.Answer == nil || got.Answer.Text != "It is 7." {
		t.Errorf("%v: %+v", err, got)
	}
	w.bend["nothing"] = func(x *event.Execution) { x.Status = event.Error }
	got, err = Branch(t.Context(), w.config(), rec, 1, Change{Code: "set nothing 1"})
	if err != nil || got.Answer != nil || !got.Ended || got.Status != event.Unanswered {
		t.Errorf("the recorded replies end: %v: %+v", err, got)
	}
	got, err = Branch(t.Context(), w.config(), rec, 2, Change{Code: "set total 1", Model: modelFrom(t, 3, "=== reply\nFINAL ANSWER: It is {{ total }}.")})
	if err != nil || got.Answer == nil || got.Answer.Text != "It is 1." || got.Change != "edited code, model scripted:case" {
		t.Errorf("code and a model: %v: %+v", err, got)
	}
}

// TestBranchEditsCalls checks that a model that calls tools is shown a call of its own.
func TestBranchEditsCalls(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", "=== reply\nI look.\n=== call execute_python code\nshow x\n=== reply\n=== call final_answer text\nIt is {{ x }}.\n=== reply\nFINAL ANSWER: Nothing.")
	cfg := w.config()
	cfg.Recorder = w.begin("b", rec.Again(""))
	got, err := Branch(t.Context(), cfg, rec, 1, Change{Code: "set x 5"})
	if err != nil || got.Answer == nil || got.Answer.Text != "It is 5." {
		t.Fatalf("%v: %+v", err, got)
	}
	if calls := w.load("b").Steps[0].Exchange.Reply.Calls; len(calls) != 1 || calls[0].Input["code"] != "set x 5" {
		t.Errorf("calls %+v", calls)
	}
}

func TestBranchWithAQuestion(t *testing.T) {
	for _, from := range []int{1, 3} {
		w := newWorld(t)
		rec := w.ask("r", fiveSteps)
		change := Change{Model: modelFrom(t, from, "=== reply\nFINAL ANSWER: It is 1234."), Question: "Is it 1234?"}
		cfg := w.config()
		cfg.Recorder = w.begin("b", rec.Branched(from, change, ""))
		got, err := Branch(t.Context(), cfg, rec, from, change)
		if err != nil || got.Answer == nil || got.Answer.Figures[0].Source != "question" {
			t.Fatalf("from step %d: %v: %+v", from, err, got)
		}
		b := w.load("b")
		if first := b.Steps[0].Messages[0].Text; !strings.HasPrefix(first, "Is it 1234?\n\nFile a.csv (2 bytes)") || b.Began.Question != "Is it 1234?" {
			t.Errorf("the model receives %q", first)
		}
	}
}

func TestBranchOfCode(t *testing.T) {
	w := newWorld(t)
	rec := w.code("c", "set x 4\nshow x")
	got, err := Branch(t.Context(), w.config(), rec, 0, Change{Code: "set x 5\nshow x"})
	if err != nil || got.Execution == nil || got.Execution.Stdout != "5\n" || got.Status != "ok" {
		t.Errorf("%v: %+v", err, got)
	}
	if b := rec.Branched(0, Change{Code: "\nset x 5 \nshow x"}, ""); b.Question != "set x 5" || b.Parent.Change != "edited code" {
		t.Errorf("it begins with %+v", b)
	}
	if _, err := Branch(t.Context(), w.config(), rec, 0, Change{Model: model(t, another)}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a model for code: %v", err)
	}
}

func TestCannotBranch(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	m := model(t, another)
	tests := []struct {
		name   string
		from   int
		change Change
		want   string
	}{
		{"nothing", 1, Change{}, "nothing is changed"},
		{"no such step", 6, Change{Model: m}, "it has no step 6"},
		{"step 0", 0, Change{Model: m}, "it has no step 0"},
		{"code of an answer", 5, Change{Code: "x"}, "step 5 ran no code of the model"},
		{"a question for nobody", 1, Change{Question: "?"}, "another question needs a model"},
	}
	for _, tt := range tests {
		if _, err := Branch(t.Context(), w.config(), rec, tt.from, tt.change); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tt.want) || fault.RemedyOf(err) == "" {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if w.opened != 1 {
		t.Error("a session was opened for a branch that cannot be")
	}
	rec.Began.Question = "Something else?"
	if _, err := Branch(t.Context(), w.config(), rec, 3, Change{Model: m, Question: "?"}); fault.KindOf(err) != fault.Conflict || w.closed != w.opened-1 {
		t.Errorf("a question that is not there: %v, %d of %d sessions closed", err, w.closed, w.opened)
	}
	w.lose()
	w.blobs = map[string][]byte{}
	recorded := w.config()
	recorded.Recorder = w.begin("b", rec.Branched(3, Change{Model: m}, ""))
	if _, err := Branch(t.Context(), recorded, rec, 3, Change{Model: m}); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "the content of input a.csv is gone") {
		t.Errorf("without its inputs: %v", err)
	}
	if b := w.load("b"); b.Ended == nil || b.Ended.Status != event.Failed || b.Session != nil {
		t.Errorf("it is recorded as %+v", b.Ended)
	}
	cfg := w.config()
	cfg.Overrides = map[string]func() (io.ReadCloser, error){"a.csv": func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("7\n")), nil }}
	if _, err := Branch(t.Context(), cfg, rec, 3, Change{Model: m}); err != nil {
		t.Errorf("with its input given: %v", err)
	}
}

// TestStateBefore checks that a snapshot counts only when no code ran since.
func TestStateBefore(t *testing.T) {
	ran := []Execution{{Code: "x"}}
	snap := func(step int, id string) event.SnapshotTaken { return event.SnapshotTaken{Step: step, Snapshot: id} }
	rec := Recording{
		Steps:     []Step{{N: 1, Executions: ran}, {N: 2}, {N: 3, Executions: ran}, {N: 4}},
		Snapshots: []event.SnapshotTaken{snap(1, "a"), snap(2, "b"), snap(2, "b2")},
	}
	for step, want := range map[int]string{0: "", 1: "a", 2: "b2", 3: "b2", 4: "", 5: ""} {
		if got := rec.StateBefore(step); got != want {
			t.Errorf("before step %d: %q, want %q", step, got, want)
		}
	}
	rec.Snapshots = append(rec.Snapshots, snap(4, "d"))
	if got := rec.FinalState(); got != "d" {
		t.Errorf("at the end: %q, want d", got)
	}
}
