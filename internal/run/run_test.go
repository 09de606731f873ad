package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/llm/scripted"
)

// languages are those of the runs in these tests.
var languages = language.Table{python.Language()}

// fakeSession is a session whose code is a line of directives.
type fakeSession struct {
	mu    sync.Mutex
	files map[string]string
	ran   []string
	saves int
	slow  time.Duration // of a Save
	busy  bool          // a Save is running
	back  []string      // snapshots that were gone back to
	// backErr is why they cannot be.
	backErr error
	t       *testing.T
}

func (b *fakeSession) Execute(_ context.Context, _, code string, _ event.Bounds, sink event.Sink) (event.Execution, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy {
		b.t.Error("code runs while the state is saved")
	}
	x := event.Execution{Status: event.OK, State: event.Intact}
	if code == languages[0].Model.Rest {
		return x, nil
	}
	b.ran = append(b.ran, code)
	switch {
	case strings.Contains(code, "fresh"):
		b.files, x.State, x.Status = map[string]string{}, event.Fresh, event.Memory
	case strings.Contains(code, "lost"):
		x.State, x.Status, x.Message, x.StateNote = event.Lost, event.Crashed, "signal 11; variables are lost", "variables are lost"
		x.Stderr = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n  File \"<cell 2>\", line 4 in f\n  File \"<cell 2>\", line 7 in <module>\n"
		x.Changes = []event.Change{{Path: "/work/new.txt", Kind: "created"}}
	case strings.Contains(code, "broken"):
		return event.Execution{}, errors.New("the wire is cut")
	case strings.Contains(code, "gone"):
		x.State, x.Status = event.Gone, event.Crashed
	default:
		x.Stdout = "out 42\n"
		sink.Emit(event.Output{Stream: event.Stdout, Data: []byte(x.Stdout)})
	}
	return x, nil
}

// Rollback notes the snapshot that is gone back to.
func (b *fakeSession) Rollback(_ context.Context, snapshot string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.back = append(b.back, snapshot)
	return b.backErr
}

func (b *fakeSession) WriteFile(_ context.Context, path string, r io.Reader) error {
	data, err := io.ReadAll(r)
	b.files[path] = string(data)
	return err
}

func (b *fakeSession) Snapshot(ctx context.Context) (Snapshot, error) {
	b.mu.Lock()
	b.busy = true
	b.saves++
	b.mu.Unlock()
	time.Sleep(b.slow)
	b.mu.Lock()
	b.busy = false
	b.mu.Unlock()
	return Snapshot{ID: "snap", Bytes: 7}, ctx.Err()
}

func (b *fakeSession) Describe() event.SessionBegan {
	return event.SessionBegan{Session: "s-1", Image: event.Image{Languages: []event.Language{{Name: "python", Version: "3.14"}}, Packages: []event.Package{{Name: "numpy", Version: "2.3"}}}, Added: []event.Package{{Name: "polars", Version: "1.0"}}}
}

// log is a Recorder that fails at an event when its test says so.
type log struct {
	mu     sync.Mutex
	events []event.Event
	failAt string
	cancel context.CancelCauseFunc
	err    error
}

func (l *log) Emit(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil && l.failAt == event.Name(e) {
		l.err = fault.New(fault.Exhausted, "Free some space.", "cannot record: the disk is full")
		l.cancel(l.err)
	}
	if l.err == nil {
		l.events = append(l.events, e)
	}
}

func (l *log) Keep(_ context.Context, _ string, r io.Reader) (string, int64, string, error) {
	data, err := io.ReadAll(r)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), int64(len(data)), "", err
}

func (l *log) Err() error { l.mu.Lock(); defer l.mu.Unlock(); return l.err }

// names returns the events that are recorded, in order.
func (l *log) names() string {
	var out []string
	for _, e := range l.events {
		if !event.Transient(e) {
			out = append(out, event.Name(e))
		}
	}
	return strings.Join(out, " ")
}

func (l *log) end() event.RunEnded { return l.events[len(l.events)-1].(event.RunEnded) }

// given is the input of the tests.
func given() []Input {
	return []Input{{
		File: agent.File{Name: "a.csv", Path: "/work/a.csv", Bytes: 4},
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader([]byte("a,b\n"))), nil },
	}}
}

func script(t *testing.T, text string) agent.Config {
	t.Helper()
	m, err := scripted.Parse("case", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return agent.Config{Model: m}
}

const twoSteps = "=== reply\nI look.\n```python\nx = 42\n```\n=== reply\nFINAL ANSWER: It is 42."

func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := &fakeSession{t: t, files: map[string]string{}, slow: time.Second}, &log{}
		ready, finished := 0, false
		task := Task{
			Languages: languages,
			Began:     event.RunBegan{Kind: event.Ask, Question: "What is it?", MaxSteps: 5},
			Open:      func(context.Context) (Session, error) { return b, nil },
			Inputs:    given(),
			Snapshots: true,
			Ready:     func(context.Context) error { ready++; return nil },
			Finish:    func(_ context.Context, r Result) { finished = r.Answer.Text != "" },
		}
		answer, err := Ask(t.Context(), task, script(t, twoSteps), l)
		if err != nil || answer.Text != "It is 42." {
			t.Fatalf("answer %q, %v", answer.Text, err)
		}
		if !finished || ready != 1 || b.files["/work/a.csv"] != "a,b\n" {
			t.Errorf("finished %v, ready %d, files %v", finished, ready, b.files)
		}
		want := "session_began file_given step_began model_requested model_replied execution_began snapshot_taken execution_ended " +
			"step_began model_requested model_replied answer_given snapshot_taken session_ended run_ended"
		if got := l.names(); got != want {
			t.Errorf("events\n%s\nwant\n%s", got, want)
		}
		if end := l.end(); end.Status != event.Answered || end.Steps != 2 || end.Took < event.Duration(time.Second) {
			t.Errorf("end %+v", end)
		}
		for _, e := range l.events {
			if f, ok := e.(event.FileGiven); ok && (f.Bytes != 4 || len(f.SHA256) != 64) {
				t.Errorf("given %+v", f)
			}
			if r, ok := e.(event.ModelRequested); ok && r.Step == 1 && !strings.Contains(r.System, "numpy 2.3, polars 1.0") {
				t.Error("the model does not see the packages")
			}
		}
	})
}

// TestFresh requires that a session that was started anew gets its inputs again.
func TestFresh(t *testing.T) {
	b, l := &fakeSession{t: t, files: map[string]string{}}, &log{}
	ready := 0
	task := Task{
		Languages: languages,
		Began:     event.RunBegan{Question: "What?", MaxSteps: 5}, Inputs: given(),
		Open:  func(context.Context) (Session, error) { return b, nil },
		Ready: func(context.Context) error { ready++; return nil },
	}
	text := "=== reply\n```python\nfresh\n```\n=== reply\nFINAL ANSWER: none"
	if _, err := Ask(t.Context(), task, script(t, text), l); err != nil {
		t.Fatal(err)
	}
	if ready != 2 || b.files["/work/a.csv"] == "" || b.saves != 0 {
		t.Errorf("ready %d times, files %v, %d saves", ready, b.files, b.saves)
	}
}

func TestEndings(t *testing.T) {
	for _, c := range []struct {
		name, script, failAt string
		open                 error
		status               event.RunStatus
		reason               string
		ran                  int
	}{
		{name: "no session", script: twoSteps, open: errors.New("cannot build image"), status: event.Failed, reason: "cannot build image"},
		{name: "no reply", script: "=== reply\n```python\nx\n```", status: event.Unanswered, reason: "ends after 1 reply", ran: 1},
		{name: "session gone", script: "=== reply\n```python\ngone\n```", status: event.Unanswered, reason: "the session is over", ran: 1},
		{name: "wire cut", script: "=== reply\n```python\nbroken\n```", status: event.Unanswered, reason: "the wire is cut", ran: 1},
		{name: "journal full before the code", script: twoSteps, failAt: "execution_began", reason: "the disk is full"},
		{name: "journal full before the model", script: twoSteps, failAt: "model_requested", reason: "the disk is full"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			b, l := &fakeSession{t: t, files: map[string]string{}}, &log{failAt: c.failAt, cancel: cancel}
			task := Task{Languages: languages, Began: event.RunBegan{Question: "What?", MaxSteps: 5}, Snapshots: true, Open: func(context.Context) (Session, error) {
				if c.open != nil {
					return nil, c.open
				}
				return b, nil
			}}
			_, err := Ask(ctx, task, script(t, c.script), l)
			if err == nil || !strings.Contains(err.Error(), c.reason) || len(b.ran) != c.ran {
				t.Errorf("error %v after %d executions, want %q after %d", err, len(b.ran), c.reason, c.ran)
			}
			if c.status == "" {
				return // nothing can be recorded any more
			}
			if end := l.end(); end.Status != c.status || !strings.Contains(end.Reason, c.reason) {
				t.Errorf("end %+v", end)
			}
		})
	}
}

func TestCode(t *testing.T) {
	for _, c := range []struct {
		code, failAt, want string
		status             event.RunStatus
	}{
		{"x", "", "session_began file_given execution_began execution_ended session_ended run_ended", "ok"},
		{"fresh", "", "session_began file_given execution_began execution_ended session_ended run_ended", "memory"},
		{"broken", "", "session_began file_given execution_began execution_ended session_ended run_ended", event.Failed},
		{"x", "execution_began", "session_began file_given", ""},
		{"x|x", "", "session_began file_given execution_began execution_ended execution_began execution_ended session_ended run_ended", "ok"},
		{"fresh|x", "", "session_began file_given execution_began execution_ended session_ended run_ended", "memory"},
		{"x|broken|x", "", "session_began file_given execution_began execution_ended execution_began execution_ended session_ended run_ended", event.Failed},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		b, l := &fakeSession{t: t, files: map[string]string{}}, &log{failAt: c.failAt, cancel: cancel}
		task := Task{Languages: languages, Began: event.RunBegan{Kind: event.Code}, Inputs: given(), Open: func(context.Context) (Session, error) { return b, nil }}
		var pieces []Piece
		for _, code := range strings.Split(c.code, "|") {
			pieces = append(pieces, Piece{Code: code})
		}
		x, err := Code(ctx, task, pieces, true, l)
		if got := l.names(); got != c.want {
			t.Errorf("%s: events\n%s\nwant\n%s", c.code, got, c.want)
		}
		if c.failAt != "" {
			if err == nil || len(b.ran) > 0 {
				t.Errorf("%s: ran %v unrecorded, %v", c.code, b.ran, err)
			}
		} else if end := l.end(); end.Status != c.status || (err != nil) != (c.status == event.Failed) {
			t.Errorf("%s: end %+v, %v", c.code, end, err)
		}
		if c.status == "ok" && x.Stdout != "out 42\n" {
			t.Errorf("stdout %q", x.Stdout)
		}
		cancel(nil)
	}
}

// TestRestored requires that a session whose interpreter ended goes back to the state
// before the step, and that the model knows how far its code came and that files went
// back, too. Without that state all is as the session says.
func TestRestored(t *testing.T) {
	for name, c := range map[string]struct {
		snapshots bool
		err       error
		want      event.State
	}{
		"saved": {true, nil, event.Restored}, "not saved": {false, nil, event.Lost}, "gone": {true, errors.New("it is gone"), event.Lost},
	} {
		b, l := &fakeSession{t: t, files: map[string]string{}, backErr: c.err}, &log{}
		task := Task{
			Languages: languages, Began: event.RunBegan{Question: "What?", MaxSteps: 5}, Snapshots: c.snapshots,
			Open: func(context.Context) (Session, error) { return b, nil },
		}
		if _, err := Ask(t.Context(), task, script(t, "=== reply\n```python\nlost\n```\n=== reply\nFINAL ANSWER: none"), l); err != nil {
			t.Fatal(err)
		}
		var x event.Execution
		seen := ""
		for _, e := range l.events {
			switch e := e.(type) {
			case event.ExecutionEnded:
				x = e.Execution
			case event.ModelRequested:
				seen = e.Messages[len(e.Messages)-1].Text
			}
		}
		if x.State != c.want || len(b.back) > 0 != c.snapshots || (len(x.Changes) == 0) != (c.want == event.Restored) {
			t.Errorf("%s: %+v, went back to %q", name, x, b.back)
		}
		if c.want != event.Restored {
			continue
		}
		const message = "signal 11; line 7 was being executed, and what stands before it had run; the session went back to the state before this step: variables, imports and files are as they were"
		if x.Message != message || x.Cause() != "signal 11" || !strings.Contains(seen, message) {
			t.Errorf("%s: %q, the model receives %q", name, x.Message, seen)
		}
	}
}
