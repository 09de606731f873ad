package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/test/toy"
)

func newHub(t *testing.T, cfg Config) *Hub {
	t.Helper()
	home := t.TempDir()
	c, err := app.DefaultConfig(home, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Open(app.Options{Config: c, Version: "test", Parts: &app.Parts{Backend: toy.Backend(), Images: toy.Images{}, ImageFiles: toy.Images{}, Recipes: toy.Images{}, Program: toy.Program()}})
	if err != nil {
		t.Fatal(err)
	}
	cfg.App, cfg.Dir = a, filepath.Join(home, "sessions")
	h, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(h.Close(context.WithoutCancel(t.Context())), a.Close()); err != nil {
			t.Errorf("cannot close: %v", err)
		}
	})
	return h
}

func (h *Hub) must(t *testing.T, id, code string) event.Execution {
	t.Helper()
	x, err := h.Execute(t.Context(), id, Code{Text: code})
	if err != nil {
		t.Fatal(err)
	}
	<-x.Done()
	out, err := x.Result()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (h *Hub) state(t *testing.T, id string) State {
	t.Helper()
	i, err := h.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return i.State
}

// When as many sessions have a sandbox as may, the one that was idle longest is paused, and
// comes back with its state.
func TestTheIdlestIsPaused(t *testing.T) {
	h := newHub(t, Config{Most: 2})
	for i := range 4 {
		id := fmt.Sprint("s", i)
		if _, err := h.Create(t.Context(), Request{Spec: app.SessionSpec{Name: id}}, event.Discard); err != nil {
			t.Fatal(err)
		}
		h.must(t, id, "write a.txt "+id)
	}
	live := 0
	for _, i := range h.List() {
		if i.State == Live {
			live++
		}
	}
	if live > 2 {
		t.Errorf("%d sessions have a sandbox", live)
	}
	for i := range 4 {
		id := fmt.Sprint("s", i)
		if x := h.must(t, id, "cat a.txt"); !strings.Contains(x.Stdout, id) {
			t.Errorf("%s: got %q", id, x.Stdout)
		}
	}
}

// A session that is busy is not paused for another.
func TestBusySessionsStay(t *testing.T) {
	h := newHub(t, Config{Most: 1})
	for _, id := range []string{"a", "b"} {
		if _, err := h.Create(t.Context(), Request{Spec: app.SessionSpec{Name: id}}, event.Discard); err != nil {
			t.Fatal(err)
		}
	}
	x, err := h.Execute(t.Context(), "a", Code{Text: "print on\nwait"})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Log.Read(t.Context(), 0, Reader{Entry: func(e Entry) error {
		if e.Name == "output" {
			return errors.New("it runs")
		}
		return nil
	}}); err == nil {
		t.Fatal("it has ended")
	}
	err = h.Use(t.Context(), "b", func(*app.Session) error { return nil })
	if fault.CodeOf(err) != fault.SessionsUsedUp {
		t.Errorf("got %v", err)
	}
	x.Interrupt()
	<-x.Done()
	if x := h.must(t, "b", "print 1"); x.Status != event.OK {
		t.Errorf("got %+v", x)
	}
}

// What is idle is paused and what is over is deleted, at their times.
func TestTend(t *testing.T) {
	h := newHub(t, Config{Idle: time.Hour})
	for id, lasts := range map[string]time.Duration{"stays": 0, "ends": time.Hour} {
		if _, err := h.Create(t.Context(), Request{Spec: app.SessionSpec{Name: id}, Lasts: lasts}, event.Discard); err != nil {
			t.Fatal(err)
		}
	}
	h.tendAt(t.Context(), time.Now().Add(time.Minute))
	if h.state(t, "stays") != Live || h.state(t, "ends") != Live {
		t.Fatal("something ended before its time")
	}
	h.tendAt(t.Context(), time.Now().Add(2*time.Hour))
	if got := h.state(t, "stays"); got != Paused {
		t.Errorf("the idle one is %s", got)
	}
	if _, err := h.Get("ends"); fault.CodeOf(err) != fault.SessionMissing {
		t.Errorf("the one that is over: %v", err)
	}
}

// Deleting a session ends what runs in it at once.
func TestDeleteEndsWhatRuns(t *testing.T) {
	h := newHub(t, Config{})
	if _, err := h.Create(t.Context(), Request{Spec: app.SessionSpec{Name: "s"}}, event.Discard); err != nil {
		t.Fatal(err)
	}
	x, err := h.Execute(t.Context(), "s", Code{Text: "print on\nwait"})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Delete(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	<-x.Done()
	if _, err := h.Execute(t.Context(), "s", Code{Text: "print 1"}); fault.CodeOf(err) != fault.SessionMissing {
		t.Errorf("got %v", err)
	}
}

func TestLogIsBounded(t *testing.T) {
	l := newLog()
	for range 40 {
		l.Emit(event.Output{Stream: event.Stdout, Data: bytes.Repeat([]byte("x"), 1<<20)})
	}
	l.end()
	if l.bytes > maxLog {
		t.Errorf("it holds %d bytes", l.bytes)
	}
	lost, first := int64(0), int64(0)
	err := l.Read(t.Context(), 0, Reader{
		Entry: func(e Entry) error {
			if first == 0 {
				first = e.Seq
			}
			return nil
		},
		Lost: func(n int64) error { lost = n; return nil },
	})
	if err != nil || lost == 0 || first != lost+1 {
		t.Errorf("lost %d, first %d, %v", lost, first, err)
	}
}

// Who comes back after a start of the server learns once that events are lost, however long
// nothing happens then.
func TestLogOfBefore(t *testing.T) {
	l := newLog().after(1 << 32)
	l.quiet = time.Millisecond
	lost, still, enough := 0, 0, errors.New("enough")
	err := l.Read(t.Context(), 7, Reader{
		Lost: func(n int64) error { lost++; return nil },
		Still: func() error {
			if still++; still == 3 {
				return enough
			}
			return nil
		},
	})
	if err != enough || lost != 1 {
		t.Errorf("it was told %d times: %v", lost, err)
	}
}

// What waits for a session that goes meanwhile opens none: nobody would close it.
func TestGoneWhileWaitedFor(t *testing.T) {
	h := newHub(t, Config{})
	nothing := errors.New("nothing was made")
	used, again := make(chan error, 1), make(chan error, 1)
	err := h.Apart(t.Context(), "s", func() error {
		go func() { used <- h.Use(t.Context(), "s", func(*app.Session) error { return nil }) }()
		for h.waiting("s") == 0 {
			time.Sleep(time.Millisecond)
		}
		go func() { again <- h.Apart(t.Context(), "s", func() error { return nothing }) }()
		return nothing
	})
	if err != nothing {
		t.Fatal(err)
	}
	if err := <-used; fault.CodeOf(err) != fault.SessionMissing {
		t.Errorf("it was used: %v", err)
	}
	if err := <-again; err != nothing {
		t.Errorf("it was not begun anew: %v", err)
	}
	if list := h.List(); len(list) != 0 {
		t.Errorf("there is %+v", list)
	}
}

// waiting counts the calls that have a session or wait for it.
func (h *Hub) waiting(id string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e := h.sessions[id]; e != nil {
		return e.calls
	}
	return 0
}

// What is kept in memory of all work is bounded: what ended longest ago is forgotten, and of
// what goes on the oldest events.
func TestMemoryIsBounded(t *testing.T) {
	h := newHub(t, Config{})
	for _, id := range []string{"a", "b"} {
		if _, err := h.Create(t.Context(), Request{Spec: app.SessionSpec{Name: id}}, event.Discard); err != nil {
			t.Fatal(err)
		}
	}
	big := "print " + strings.Repeat("x", 5000)
	h.must(t, "a", big)
	h.must(t, "b", big)
	last := h.must(t, "a", "print 1")
	going, err := h.Execute(t.Context(), "b", Code{Text: strings.Repeat(big+"\n", 20) + "print on\nwait"})
	if err != nil {
		t.Fatal(err)
	}
	defer going.Interrupt()
	if err := going.Log.Read(t.Context(), 0, Reader{Entry: func(e Entry) error {
		if strings.Contains(string(e.Data), `"on`) || strings.Contains(string(e.Data), `b24K`) {
			return errors.New("it wrote all")
		}
		return nil
	}}); err == nil {
		t.Fatal("it has ended")
	}
	h.lighten(30 << 10)
	a, _ := h.Executions("a")
	b, _ := h.Executions("b")
	if len(a) > 1 || len(b) != 1 || b[0] != going {
		t.Errorf("%d and %d are left, %v", len(a), len(b), last.Status)
	}
	if n := going.Log.size(); n > 30<<10 {
		t.Errorf("%d bytes of what goes on are left", n)
	}
}

// Many small entries count for what they take.
func TestSmallEntriesAreBounded(t *testing.T) {
	l := newLog()
	l.most = 1 << 20
	for range 1 << 16 {
		l.add("output", []byte("{}"))
	}
	if n := len(l.entries); n > 1<<20/entryCost {
		t.Errorf("it holds %d entries", n)
	}
}

func FuzzMeta(f *testing.F) {
	f.Add([]byte(`{"id":"s","made":"2026-01-01T00:00:00Z","saved":true}`))
	f.Add([]byte(`{"id":"other"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := decodeMeta("s", data); err == nil && m.ID != "s" {
			t.Fatalf("accepted %+v", m)
		}
	})
}

func FuzzDecodeMark(f *testing.F) {
	f.Add("r-1", []byte(`{"id":"r-1","record":"20260101-000000-0000","starts":1}`))
	f.Fuzz(func(t *testing.T, id string, data []byte) {
		if m, err := decodeMark(id, data); err == nil && (m.ID != id || m.Record == "" || m.Starts < 0 || m.Lingers < 0) {
			t.Errorf("accepted %+v", m)
		}
	})
}

// Code that is streamed is read as it comes, and ends when who reads it goes away; it is among
// the executions of its session without its output.
func TestStream(t *testing.T) {
	h := newHub(t, Config{})
	if _, err := h.Create(t.Context(), Request{Spec: app.SessionSpec{Name: "a"}}, event.Discard); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	x, err := h.Stream(ctx, "a", Code{Text: "print on\nwait"}, event.SinkFunc(func(v event.Event) {
		if _, ok := v.(event.Output); ok {
			leave()
		}
	}))
	if err != nil || x.Status != event.Interrupted {
		t.Errorf("got %+v, %v", x, err)
	}
	list, err := h.Executions("a")
	if err != nil || len(list) != 1 || !list[0].Ended() {
		t.Fatalf("got %v, %v", list, err)
	}
	var names []string
	if err := list[0].Log.Read(t.Context(), 0, Reader{Entry: func(e Entry) error {
		names = append(names, e.Name)
		return nil
	}}); err != nil || strings.Join(names, " ") != "execution_began execution_ended" {
		t.Errorf("its log has %v, %v", names, err)
	}
	if _, err := h.Stream(t.Context(), "b", Code{Text: "print 1"}, event.Discard); fault.KindOf(err) != fault.NotFound {
		t.Errorf("in a session that there is not: %v", err)
	}
}
