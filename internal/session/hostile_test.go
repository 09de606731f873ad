package session

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/bounded"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/fake"
)

// turncoat is a toy that turns against its host once it is ordered to, and none of
// whose successors does.
type turncoat struct {
	*toy
	order *atomic.Pointer[malice]
}

// malice is what a hostile first process does. It ends when its writes fail, as
// those of a killed one do, and not when its input ends.
type malice struct {
	name string
	do   func(in io.Reader, out io.Writer)
}

// alive waits until the process is killed.
func alive(out io.Writer) {
	for {
		if _, err := out.Write(nil); err != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// repeat writes b for ever, with a pause after each.
func repeat(out io.Writer, b []byte, pause time.Duration) {
	for {
		if _, err := out.Write(b); err != nil {
			return
		}
		time.Sleep(pause)
	}
}

// discard reads what comes for as long as anything does.
func discard(in io.Reader) { go func() { _, _ = io.Copy(io.Discard, in) }() } // ends with the sandbox

func malices() []*malice {
	long := bytes.Repeat([]byte{0}, 4<<10)
	return []*malice{
		{"silent", func(in io.Reader, out io.Writer) { alive(out) }},
		{"deaf", func(in io.Reader, out io.Writer) { discard(in); alive(out) }},
		{"slow", func(in io.Reader, out io.Writer) {
			discard(in)
			frame, _ := wire.Append(nil, wire.Response, 1, long)
			for i := range frame[:len(frame)-1] {
				if _, err := out.Write(frame[i : i+1]); err != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		}},
		{"endless", func(in io.Reader, out io.Writer) { discard(in); repeat(out, bytes.Repeat([]byte("x"), 1<<10), 0) }},
		{"endless frames", func(in io.Reader, out io.Writer) {
			discard(in)
			request, _ := wire.Append(nil, wire.GuestRequestKind, wire.GuestBit|1, []byte(`{"op":"tools","name":"a1","body":1}`))
			repeat(out, request, 0)
		}},
		{"half a frame", func(in io.Reader, out io.Writer) {
			discard(in)
			frame, _ := wire.Append(nil, wire.Response, 1, long)
			_, _ = out.Write(frame[:100])
			alive(out)
		}},
		{"half a frame and the end", func(in io.Reader, out io.Writer) {
			frame, _ := wire.Append(nil, wire.Response, 1, long)
			_, _ = out.Write(frame[:100])
		}},
		{"answers without end", func(in io.Reader, out io.Writer) {
			for r := wire.NewReader(in); ; {
				f, err := r.Next()
				if err != nil {
					alive(out)
					return
				}
				if f.Kind != wire.Request {
					continue
				}
				id := f.ID
				go func() { // ends with the sandbox
					data, _ := wire.Append(nil, wire.Data, id, []byte("x"))
					repeat(out, data, 20*time.Millisecond)
				}()
			}
		}},
	}
}

// Run is the toy's until the order comes, which it looks for between two frames.
func (g *turncoat) Run(in io.Reader, out io.Writer) int {
	turned := false
	code := g.toy.Run(bounded.ReaderFunc(func(p []byte) (int, error) {
		n, err := in.Read(p[:min(len(p), 1)])
		if g.order.Load() != nil {
			turned = true
			return 0, io.EOF
		}
		return n, err
	}), out)
	if m := g.order.Load(); turned && m != nil {
		m.do(in, out)
	}
	return code
}

// operation is something that a host does with a session.
type operation struct {
	name string
	do   func(ctx context.Context, s *Session) error
}

func operations() []operation {
	with := func(f func(ctx context.Context, c *guest.Client) error) func(context.Context, *Session) error {
		return func(ctx context.Context, s *Session) error {
			return s.Use(ctx, func(c *guest.Client) error { return f(ctx, c) })
		}
	}
	second := event.Bounds{Timeout: event.Duration(time.Second)}
	return []operation{
		{"execute", func(ctx context.Context, s *Session) error {
			_, err := s.Execute(ctx, "x", Exec{Bounds: second}, event.Discard)
			return err
		}},
		{"snapshot", func(ctx context.Context, s *Session) error { _, err := s.Snapshot(ctx); return err }},
		{"fork", func(ctx context.Context, s *Session) error { _, err := s.Fork(ctx); return err }},
		{"pause", func(ctx context.Context, s *Session) error { return s.Pause(ctx) }},
		{"interrupt", func(ctx context.Context, s *Session) error { return s.Interrupt(ctx, "") }},
		{"restart", func(ctx context.Context, s *Session) error { return s.Restart(ctx, "") }},
		{"usage", func(ctx context.Context, s *Session) error { _, err := s.Usage(ctx); return err }},
		{"expose", func(ctx context.Context, s *Session) error {
			return s.Expose(ctx, wire.Exposure{Tools: true}, nobody{})
		}},
		{"ping", with(func(ctx context.Context, c *guest.Client) error { return c.Ping(ctx) })},
		{"complete", with(func(ctx context.Context, c *guest.Client) error { _, err := c.Complete(ctx, "", "x", 1); return err })},
		{"rehearse", with(func(ctx context.Context, c *guest.Client) error { return c.Rehearse(ctx) })},
		{"list", with(func(ctx context.Context, c *guest.Client) error { _, err := c.List(ctx, "/work", true); return err })},
		{"read", with(func(ctx context.Context, c *guest.Client) error {
			_, err := c.ReadFile(ctx, "/work/a", io.Discard)
			return err
		})},
		{"write", with(func(ctx context.Context, c *guest.Client) error {
			_, err := c.WriteFile(ctx, "/work/a", bytes.NewReader(make([]byte, 8<<20)), 0)
			return err
		})},
		{"archive", with(func(ctx context.Context, c *guest.Client) error {
			return c.Archive(ctx, wire.Tar, []string{"/work"}, io.Discard)
		})},
		{"remove", with(func(ctx context.Context, c *guest.Client) error { return c.Remove(ctx, "/work/a", true) })},
		{"start", with(func(ctx context.Context, c *guest.Client) error {
			_, err := c.Start(ctx, wire.Process{Argv: []string{"true"}, Stdin: true}, nil)
			return err
		})},
		{"close", func(_ context.Context, s *Session) error { return s.Close() }},
	}
}

// nobody answers the guest's requests with nothing.
type nobody struct{}

func (nobody) Tools(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }

func (nobody) Connect(context.Context, io.ReadWriteCloser) {}

// ends fails the test, with what every goroutine does, when f does not return. The
// wait is far above every bound of the host.
func ends(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		var all strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&all, 1)
		t.Errorf("%s does not end:\n%s", what, all.String())
	}
}

// TestHostileGuest does everything that a host does with a session whose first
// process has turned against it. Each operation ends, because of the host's patience
// or because its caller gives up, and so does Close.
func TestHostileGuest(t *testing.T) {
	for _, m := range malices() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			var all sync.WaitGroup // they wait more than they compute
			defer all.Wait()
			for _, op := range operations() {
				for _, givesUp := range []bool{false, true} {
					s, order := betrayer(t, givesUp)
					all.Go(func() { betrayed(t, s, order, m, op, givesUp) })
				}
			}
		})
	}
}

// betrayer makes a session whose guest obeys order.
func betrayer(t *testing.T, givesUp bool) (s *Session, order *atomic.Pointer[malice]) {
	t.Helper()
	order = &atomic.Pointer[malice]{}
	brief := 2 * time.Second
	patience := Patience{Patience: guest.Patience{Answer: brief, Read: brief, Stop: brief}, Wake: brief, Overtime: brief, End: brief}
	if givesUp {
		patience.Answer = time.Hour
	}
	backend := fake.New(fake.Config{Program: func(s sandbox.Spec) fake.Program {
		return &turncoat{toy: newToy(s).(*toy), order: order}
	}})
	manager := backendManager(t, Config{Dir: t.TempDir(), Backend: backend, Patience: patience})
	s, err := manager.Create(t.Context(), toyOptions(t), event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return s, order
}

func betrayed(t *testing.T, s *Session, order *atomic.Pointer[malice], m *malice, op operation, givesUp bool) {
	what := op.name
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if givesUp {
		what += ", given up"
		time.AfterFunc(100*time.Millisecond, cancel)
	}
	order.Store(m)
	var err error
	ends(t, what, func() { err = op.do(ctx, s) })
	if err == nil && op.name != "close" && op.name != "usage" && op.name != "execute" {
		t.Errorf("%s succeeds", what)
	}
	order.Store(nil) // those that follow are honest
	ends(t, "close after "+what, func() { err = s.Close() })
	if err != nil {
		t.Errorf("close after %s: %v", what, err)
	}
}

// TestAfterHostileGuest uses a session again whose guest stopped answering: it goes
// on from its last snapshot.
func TestAfterHostileGuest(t *testing.T) {
	for _, m := range malices() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s, order := betrayer(t, false)
			if _, err := s.Execute(t.Context(), "x = 1", Exec{}, event.Discard); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Snapshot(t.Context()); err != nil {
				t.Fatal(err)
			}
			order.Store(m)
			var err error
			ends(t, "list", func() {
				err = s.Use(t.Context(), func(c *guest.Client) error { _, err := c.List(t.Context(), "/work", false); return err })
			})
			if err == nil {
				t.Error("a hostile guest lists files")
			}
			order.Store(nil)
			var x event.Execution
			ends(t, "the next execution", func() { x, err = s.Execute(t.Context(), "x", Exec{}, event.Discard) })
			if err != nil || x.State != event.Restored || x.Status == event.OK {
				t.Errorf("it is not said that the guest ended: %+v, %v", x, err)
			}
			if x, err = s.Execute(t.Context(), "x", Exec{}, event.Discard); err != nil || x.Result["text"] != "1" {
				t.Errorf("afterwards: %+v, %v", x, err)
			}
		})
	}
}
