package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

// fiveSteps is a run of five steps: data read, a failure, a picture, an answer that
// is sent back, and the answer.
const fiveSteps = `=== reply
I read it.
~~~python
read /work/a.csv
set total 7
~~~
=== reply
I go on.
~~~python
err careful
raise ValueError no such column
~~~
=== reply
~~~python
show total
value total
display image/png AAAA
write /work/out.csv 1,2
~~~
=== reply
FINAL ANSWER: It is {{ missing }}.
=== reply
FINAL ANSWER: It is {{ total }}.`

func text(t *testing.T, r Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	return b.String()
}

func TestIdentical(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	if len(rec.Steps) != 5 || rec.Answer == nil || rec.Answer.Text != "It is 7." || len(rec.Inputs) != 1 || len(rec.Snapshots) == 0 {
		t.Fatalf("recorded %+v", rec)
	}
	ran := len(w.ran)
	got, err := Replay(t.Context(), w.config(), rec)
	if err != nil || !got.Identical || got.First != nil || len(got.Steps) != 5 {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	if n := len(w.ran) - ran; n != 3 {
		t.Errorf("%d pieces of code were executed, want 3", n)
	}
	if w.opened != 2 || w.closed != 1 {
		t.Errorf("%d sessions opened, %d closed", w.opened, w.closed)
	}
	if out := text(t, got); !strings.HasPrefix(out, "run r: identical\n") || !strings.Contains(out, "This run had no seed") {
		t.Errorf("text:\n%s", out)
	}
	if time.Duration(got.Executed) < 6*time.Millisecond {
		t.Errorf("the executions took %s", got.Executed)
	}
}

// TestPlanted plants a difference at each place and finds it there.
func TestPlanted(t *testing.T) {
	tests := []struct {
		name, code string
		change     func(*event.Execution)
		step       int
		what       string // all that differs in the step
	}{
		{"stdout", "read ", func(x *event.Execution) { x.Stdout = "8\n" }, 1, "stdout"},
		{"stdout, its last newline", "read ", func(x *event.Execution) { x.Stdout = "7" }, 1, "stdout"},
		{"stderr", "err ", func(x *event.Execution) { x.Stderr += " " }, 2, "stderr"},
		{"error", "raise", func(x *event.Execution) { x.Error.Name = "KeyError" }, 2, "error"},
		{"value of the error", "raise", func(x *event.Execution) { x.Error.Value += "s" }, 2, "error"},
		{"traceback", "raise", func(x *event.Execution) { x.Error.Traceback += "\n" }, 2, "traceback"},
		{"no error", "raise", func(x *event.Execution) { x.Status, x.Error = event.OK, nil }, 2, "status, error, traceback"},
		{"limit", "show", func(x *event.Execution) { x.Limit = event.DiskSpace }, 3, "limit"},
		{"message", "show", func(x *event.Execution) { x.Message = "the disk is full" }, 3, "message"},
		{"result", "show", func(x *event.Execution) { x.Result = event.Bundle{"text": "8"} }, 3, "result"},
		{"no result", "show", func(x *event.Execution) { x.Result = nil }, 3, "result"},
		{"representation", "show", func(x *event.Execution) { x.Result["text/html"] = "<b>7</b>" }, 3, "result as text/html"},
		{"picture", "show", func(x *event.Execution) { x.Displays[0] = event.Bundle{"image/png": "AAAB"} }, 3, "display 1 as image/png"},
		{"another picture", "show", func(x *event.Execution) { x.Displays = append(x.Displays, event.Bundle{"text": "x"}) }, 3, "display 2"},
		{"content of a file", "show", func(x *event.Execution) { x.Changes[0].SHA256 = strings.Repeat("0", 64) }, 3, "files"},
		{"removed file", "show", func(x *event.Execution) { x.Changes[0].Kind = "removed" }, 3, "files"},
		{"no file", "show", func(x *event.Execution) { x.Changes = nil }, 3, "files"},
		{"not listed", "show", func(x *event.Execution) { x.Unlisted = "there are too many" }, 3, "files not listed"},
		{"state", "show", func(x *event.Execution) { x.State = event.Lost }, 3, "state"},
		{"placeholder", "missing", func(x *event.Execution) { x.Error.Name = "KeyError" }, 4, "error, rejection"},
		{"value of the answer", "\"total\"", func(x *event.Execution) { x.Result["text"] = `'[["8", true]]'` }, 5, "result"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			rec := w.ask("r", fiveSteps)
			w.bend[tt.code] = tt.change
			got, err := Replay(t.Context(), w.config(), rec)
			if err != nil {
				t.Fatal(err)
			}
			if got.Identical || got.First == nil || *got.First != tt.step {
				t.Fatalf("want a difference in step %d:\n%s", tt.step, text(t, got))
			}
			if len(got.Steps) != 5 {
				t.Errorf("%d steps were executed, want 5", len(got.Steps))
			}
			var what []string
			for _, d := range got.Steps[tt.step-1].Differences {
				what = append(what, d.What)
				if d.Diff == "" {
					t.Errorf("no diff of %s", d.What)
				}
			}
			if strings.Join(what, ", ") != tt.what {
				t.Errorf("%q differ, want %q", what, tt.what)
			}
			for i, s := range got.Steps {
				if s.Identical != (i != tt.step-1) {
					t.Errorf("step %d: identical is %t", s.N, s.Identical)
				}
			}
			if ends := len(got.Ending) > 0; ends != (tt.name == "value of the answer") {
				t.Errorf("the ending: %+v", got.Ending)
			}
		})
	}
}

// TestNotCompared bends what may change from run to run.
func TestNotCompared(t *testing.T) {
	w := newWorld(t)
	w.bend["show"] = func(x *event.Execution) { x.Message = "2 threads were ended after 1.25 s in s-0123456789ab" }
	rec := w.ask("r", fiveSteps)
	w.bend["show"] = func(x *event.Execution) {
		x.Message, x.StateNote = "2 threads were ended after 17ms in s-ba9876543210; the variables are kept", "the variables are kept"
		x.Usage, x.Snapshot, x.OutputFile = event.Usage{WallMS: 99, CPUMS: 20, PeakMemoryBytes: 5}, "other", "/tmp/out"
	}
	got, err := Replay(t.Context(), w.config(), rec)
	if err != nil || !got.Identical {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	w.bend["show"] = func(x *event.Execution) { x.Message = "3 threads were ended after 1 s in s-0123456789ab" }
	if got, err = Replay(t.Context(), w.config(), rec); err != nil || got.Identical {
		t.Fatalf("another number of threads passes: %v\n%s", err, text(t, got))
	}
}

// TestInvalidBytes checks that what is no UTF-8 is compared as the journal stores it.
func TestInvalidBytes(t *testing.T) {
	w := newWorld(t)
	w.bend["show"] = func(x *event.Execution) { x.Stdout = "a\xff\xfeb\x00\n" }
	rec := w.ask("r", fiveSteps)
	got, err := Replay(t.Context(), w.config(), rec)
	if err != nil || !got.Identical {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	w.bend["show"] = func(x *event.Execution) { x.Stdout = "a\xff\xfec\x00\x1b[31m\n" }
	got, err = Replay(t.Context(), w.config(), rec)
	if err != nil || got.Identical {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	if out := text(t, got); strings.ContainsAny(out, "\x00\x1b") || !strings.Contains(out, `\x1b[31m`) {
		t.Errorf("text:\n%q", out)
	}
}

func TestAnotherImage(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	w.image = event.Image{ID: "img-2", Name: "data", Packages: []event.Package{
		{Name: "numpy", Version: "2.4.0"}, {Name: "polars", Version: "1.0"},
	}}
	w.bend["show"] = func(x *event.Execution) { x.Stdout = "7.0\n" }
	got, err := Replay(t.Context(), w.config(), rec)
	if err != nil || got.Identical || *got.First != 3 {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	const head = "run r: differs, first in step 3\nreplayed with: another build of image data, numpy 2.3.1 → 2.4.0, pandas 2.3.0 removed, polars 1.0 added\n"
	if out := text(t, got); !strings.HasPrefix(out, head) || !strings.Contains(out, "step 3: differs: stdout (none → none)") && !strings.Contains(out, "-7\n") {
		t.Errorf("text:\n%s", out)
	}
}

func TestSeed(t *testing.T) {
	w := newWorld(t)
	seed, other := int64(7), int64(8)
	w.seed = &seed
	rec := w.ask("r", fiveSteps)
	w.bend["show"] = func(x *event.Execution) { x.Stdout = "0.1\n" }
	got, err := Replay(t.Context(), w.config(), rec)
	if err != nil || got.Identical || !got.Seeded || !slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, "so it should repeat") }) {
		t.Errorf("%v\n%s", err, text(t, got))
	}
	w.seed = &other
	got, err = Replay(t.Context(), w.config(), rec)
	if err != nil || got.Seeded || !slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, "another one or none") }) {
		t.Errorf("%v\n%s", err, text(t, got))
	}
}

func TestInputs(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	cfg := w.config()
	given := func(content string) map[string]func() (io.ReadCloser, error) {
		return map[string]func() (io.ReadCloser, error){"a.csv": func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
	}
	cfg.Overrides = given("9\n")
	got, err := Replay(t.Context(), cfg, rec)
	if err != nil || got.Identical || *got.First != 1 || len(got.Inputs) != 1 || got.Inputs[0].Name != "a.csv" {
		t.Fatalf("another content: %v\n%s", err, text(t, got))
	}
	cfg.Overrides["b.csv"] = cfg.Overrides["a.csv"]
	if _, err := Replay(t.Context(), cfg, rec); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.RemedyOf(err), "a.csv") {
		t.Errorf("an input of no such name: %v", err)
	}
	opened := w.opened
	cfg.Overrides = nil
	w.blobs = map[string][]byte{}
	if _, err := Replay(t.Context(), cfg, rec); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "the content of input a.csv is gone") {
		t.Errorf("content that is gone: %v", err)
	}
	w.edit("r", func(e event.Event) event.Event {
		if f, ok := e.(event.FileGiven); ok {
			f.Withheld = "it holds the secret API_KEY"
			return f
		}
		return e
	})
	rec = w.load("r")
	if _, err := Replay(t.Context(), cfg, rec); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "input a.csv was not stored: it holds the secret") || fault.RemedyOf(err) == "" {
		t.Errorf("content that was withheld: %v", err)
	}
	if w.opened != opened {
		t.Error("a session was opened for a run whose inputs are missing")
	}
	cfg.Overrides = given("7\n")
	if got, err := Replay(t.Context(), cfg, rec); err != nil || !got.Identical {
		t.Errorf("the file given again: %v\n%s", err, text(t, got))
	}
}

// TestUnfinished cuts a recording behind each of its records: what there is
// replays identically, and a run of which there is nothing is refused.
func TestUnfinished(t *testing.T) {
	w := newWorld(t)
	w.ask("r", fiveSteps)
	all := w.records["r"]
	replayed := 0
	for n := 1; n < len(all); n++ {
		w.records["r"] = all[:n]
		rec := w.load("r")
		got, err := Replay(t.Context(), w.config(), rec)
		if err != nil {
			if fault.KindOf(err) != fault.Conflict || len(rec.Exchanges()) > 0 {
				t.Errorf("cut behind record %d (%s): %v", n, event.Name(all[n-1].Event), err)
			}
			continue
		}
		replayed++
		if !got.Identical || !got.Unfinished || !strings.Contains(text(t, got), "was not finished") {
			t.Errorf("cut behind record %d (%s):\n%s", n, event.Name(all[n-1].Event), text(t, got))
		}
	}
	if replayed < 15 {
		t.Errorf("only %d of %d were replayed", replayed, len(all))
	}
	for last, want := range map[string]string{"execution_began": "step 1: identical, as far as it is recorded\n", "execution_ended": "step 1: identical\n"} {
		n := 1 + slices.IndexFunc(all, func(r event.Record) bool { return event.Name(r.Event) == last })
		w.records["r"] = all[:n]
		if got, err := Replay(t.Context(), w.config(), w.load("r")); err != nil || !strings.Contains(text(t, got), want) {
			t.Errorf("cut behind record %d: %v\n%s\nwant %q", n, err, text(t, got), want)
		}
	}
	w.records["r"] = append(slices.Clone(all[:12]), event.Record{Seq: 13, Event: event.RunEnded{Status: event.Abandoned, Reason: "the process ended"}})
	if got, err := Replay(t.Context(), w.config(), w.load("r")); err != nil || !got.Identical || !got.Unfinished {
		t.Errorf("abandoned: %v\n%s", err, text(t, got))
	}
}

// TestEndings replays runs that ended without an answer.
func TestEndings(t *testing.T) {
	same := strings.Repeat("=== reply\n~~~python\nshow x\n~~~\n", 4) + "=== reply\nI look at it:\n"
	tests := map[string]string{
		"stalled":   same,
		"no action": strings.Repeat("=== reply\nLet me see.\n", 3),
		"script":    "=== reply\n~~~python\nshow x\n~~~",
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			rec := w.ask("r", script)
			if rec.Ended.Status != event.Unanswered {
				t.Fatalf("ended %+v", rec.Ended)
			}
			got, err := Replay(t.Context(), w.config(), rec)
			if err != nil || !got.Identical || got.Unfinished {
				t.Errorf("%v\n%s", err, text(t, got))
			}
		})
	}
	t.Run("takes another end", func(t *testing.T) {
		w := newWorld(t)
		rec := w.ask("r", same)
		n := 0
		w.bend["show"] = func(x *event.Execution) { n++; x.Stdout = strings.Repeat("x", n) }
		got, err := Replay(t.Context(), w.config(), rec)
		if err != nil || got.Identical || *got.First != 1 || len(got.Ending) == 0 {
			t.Errorf("%v\n%s", err, text(t, got))
		}
	})
	t.Run("ended from outside", func(t *testing.T) {
		w := newWorld(t)
		w.ask("r", fiveSteps)
		w.cut("r", "execution_ended", 2)
		w.records["r"] = append(w.records["r"], event.Record{Seq: 99, Event: event.RunEnded{Status: event.Unanswered, Reason: "cannot answer: the run was canceled"}})
		got, err := Replay(t.Context(), w.config(), w.load("r"))
		if err != nil || !got.Identical || got.Cut == "" {
			t.Errorf("%v\n%s", err, text(t, got))
		}
	})
	t.Run("ends before the recording", func(t *testing.T) {
		w := newWorld(t)
		rec := w.ask("r", fiveSteps)
		w.bend["missing"] = func(x *event.Execution) {
			*x = event.Execution{Status: event.OK, State: event.Intact, Result: event.Bundle{"text": `'[["7", true]]'`}}
		}
		got, err := Replay(t.Context(), w.config(), rec)
		if err != nil || got.Identical || *got.First != 4 || !got.Steps[4].Missing {
			t.Errorf("%v\n%s", err, text(t, got))
		}
	})
}

func TestCode(t *testing.T) {
	w := newWorld(t)
	rec := w.code("c", "set x 4\nshow x\nwrite /work/o 1")
	got, err := Replay(t.Context(), w.config(), rec)
	if err != nil || !got.Identical || len(got.Steps) != 1 {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	w.bend["show"] = func(x *event.Execution) { x.Status, x.Limit, x.State = event.Timeout, event.WallTime, event.Lost }
	got, err = Replay(t.Context(), w.config(), rec)
	if err != nil || got.Identical || !strings.Contains(text(t, got), "code: differs: status (ok → timeout), limit (none → wall_time), state (intact → lost)\n") {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	if len(got.Ending) != 1 || got.Ending[0].Was != "ok" || got.Ending[0].Is != "timeout" {
		t.Errorf("the ending: %+v", got.Ending)
	}
}

// TestPieces replays code of several pieces, such as a notebook's cells, up to the
// one that failed.
func TestPieces(t *testing.T) {
	w := newWorld(t)
	w.bend["show y"] = func(x *event.Execution) { x.Status = event.Error }
	rec := w.code("c", "set x 4", "show x\nset y 5", "show y", "write /work/never 1")
	if got := rec.Steps[0].pieces(); len(got) != 3 || got[2].Code != "show y" || rec.Ended.Status != "error" {
		t.Fatalf("recorded %q, %+v", got, rec.Ended)
	}
	got, err := Replay(t.Context(), w.config(), rec)
	if err != nil || !got.Identical {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	w.bend["show x"] = func(x *event.Execution) { x.Stdout = "other\n" }
	got, err = Replay(t.Context(), w.config(), rec)
	if err != nil || got.Identical || !strings.Contains(text(t, got), "code: differs: stdout\n") {
		t.Errorf("%v\n%s", err, text(t, got))
	}
	if _, err := Branch(t.Context(), w.config(), rec, 0, Change{Code: "show x"}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("edited code of several pieces: %v", err)
	}
}

// TestReplayIsRecorded checks that a replay can itself be recorded, and replayed.
func TestReplayIsRecorded(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	cfg := w.config()
	cfg.Recorder, cfg.Snapshots = w.begin("r2", rec.Again("1.1")), true
	seen := 0
	cfg.Sink = event.SinkFunc(func(e event.Event) {
		if _, ok := e.(event.Output); ok {
			seen++
		}
	})
	if got, err := Replay(t.Context(), cfg, rec); err != nil || !got.Identical {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	if seen == 0 {
		t.Error("nobody received the output")
	}
	again := w.load("r2")
	if p := again.Began.Parent; p == nil || p.Run != "r" || len(again.Snapshots) == 0 || !again.Finished() {
		t.Errorf("recorded %+v", again)
	}
	if got, err := Replay(t.Context(), w.config(), again); err != nil || !got.Identical {
		t.Errorf("the replay, replayed: %v\n%s", err, text(t, got))
	}
}

func TestCannotReplay(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	cfg := w.config()
	cfg.Open = func(context.Context, event.SessionBegan) (Opened, error) {
		return Opened{}, fault.New(fault.NotFound, "Build it.", "cannot open image data: there is none")
	}
	if _, err := Replay(t.Context(), cfg, rec); fault.KindOf(err) != fault.NotFound || fault.RemedyOf(err) != "Build it." {
		t.Errorf("no image: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cfg = w.config()
	cfg.Sink = event.SinkFunc(func(e event.Event) {
		if _, ok := e.(event.ExecutionBegan); ok {
			cancel()
		}
	})
	closed := w.closed
	if _, err := Replay(ctx, cfg, rec); fault.KindOf(err) != fault.Canceled {
		t.Errorf("canceled: %v", err)
	}
	if w.closed != closed+1 {
		t.Error("the session of a canceled replay is not closed")
	}
	full := &broken{recorder: w.begin("full", rec.Again("")), err: fault.New(fault.Exhausted, "", "cannot record: the disk is full")}
	cfg = w.config()
	cfg.Recorder = full
	if _, err := Replay(t.Context(), cfg, rec); !errors.Is(err, full.err) {
		t.Errorf("not recorded: %v", err)
	}
}

// broken is a recorder that cannot record.
type broken struct {
	*recorder
	err error
}

func (b *broken) Err() error { return b.err }
