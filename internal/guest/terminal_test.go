package guest_test

import (
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest/wire"
)

// typed is a sink that tells when there is more.
type typed struct {
	more chan struct{}
	all  chan string
}

func newTyped() *typed {
	t := &typed{more: make(chan struct{}, 1), all: make(chan string, 1)}
	t.all <- ""
	return t
}

// Emit notes what was written.
func (s *typed) Emit(e event.Event) {
	if o, ok := e.(event.Output); ok {
		s.all <- <-s.all + string(o.Data)
		select {
		case s.more <- struct{}{}:
		default:
		}
	}
}

func (s *typed) text() string {
	all := <-s.all
	s.all <- all
	return all
}

// until waits until a text was written.
func (s *typed) until(t *testing.T, done <-chan struct{}, text string) {
	t.Helper()
	for !strings.Contains(s.text(), text) {
		select {
		case <-s.more:
		case <-done:
			if !strings.Contains(s.text(), text) {
				t.Fatalf("it ended with %q before it wrote %q", s.text(), text)
			}
		}
	}
}

// A program with a terminal knows so, and its size; it is typed at, and interrupted by a key.
func TestTerminal(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	out := newTyped()
	p, err := b.Start(b.ctx(), wire.Process{Argv: []string{"sh"}, Env: map[string]string{"PS1": "$ "}, Terminal: &wire.Size{Rows: 30, Cols: 90}}, out)
	if err != nil {
		t.Fatal(err)
	}
	say := func(text, want string) {
		t.Helper()
		if _, err := p.Input(b.ctx(), []byte(text)); err != nil {
			t.Fatal(err)
		}
		out.until(t, p.Done(), want)
	}
	say("test -t 0 && test -t 2 && echo it is ''a terminal\n", "it is a terminal")
	say("stty size\n", "30 90")
	if err := p.Resize(b.ctx(), wire.Size{Rows: 31, Cols: 91}); err != nil {
		t.Fatal(err)
	}
	say("stty size < /dev/tty\n", "31 91")
	say("echo wait''s; sleep 1000\n", "waits\r\n")
	say("\x03", "^C")
	say("exit 7\n", "exit")
	if exit, err := p.Wait(b.ctx()); err != nil || exit.Code != 7 {
		t.Errorf("got %+v, %v", exit, err)
	}
	if err := p.Resize(b.ctx(), wire.Size{Rows: 1, Cols: 1}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a terminal that is over: %v", err)
	}
	for _, size := range []wire.Size{{}, {Rows: 1, Cols: wire.MaxSize + 1}, {Rows: -1, Cols: 1}} {
		if _, err := b.Start(b.ctx(), wire.Process{Argv: []string{"true"}, Terminal: &size}, nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", size, err)
		}
	}
}

// A process that is left at a checkpoint can be followed by who goes on from it, and nothing
// comes twice.
func TestProcessIsLeftAndFound(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	first := newTyped()
	p, err := b.Start(b.ctx(), wire.Process{Argv: []string{"cat"}, Stdin: true}, first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Input(b.ctx(), []byte("one\n")); err != nil {
		t.Fatal(err)
	}
	first.until(t, p.Done(), "one")
	p.Leave()
	if err := b.Quiesce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	if err := b.Hello(b.ctx(), wire.Hello{}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(b.ctx()); err == nil {
		t.Fatal("it was followed on")
	}
	list, err := b.Processes(b.ctx())
	if err != nil || len(list) != 1 || list[0].PID != p.PID() || !list[0].Stdin || list[0].Argv[0] != "cat" {
		t.Fatalf("got %+v, %v", list, err)
	}
	second := newTyped()
	again, err := b.Connect(b.ctx(), list[0], second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Input(b.ctx(), []byte("two\n")); err != nil {
		t.Fatal(err)
	}
	second.until(t, again.Done(), "two")
	if err := again.Stdin().Close(); err != nil {
		t.Fatal(err)
	}
	if exit, err := again.Wait(b.ctx()); err != nil || exit.Code != 0 || second.text() != "two\n" {
		t.Errorf("got %+v, %v, %q", exit, err, second.text())
	}
	if list, err := b.Processes(b.ctx()); err != nil || len(list) != 0 {
		t.Errorf("got %+v, %v", list, err)
	}
	if _, err := b.Connect(b.ctx(), wire.ProcessInfo{Proc: "none"}, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}

// A connection to a port inside carries bytes both ways, and ends each way by itself.
func TestForward(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			data, _ := io.ReadAll(conn)
			_, _ = conn.Write([]byte("got " + strconv.Itoa(len(data))))
			_ = conn.Close()
		}
	}()
	port := l.Addr().(*net.TCPAddr).Port
	conn, err := b.Forward(b.ctx(), port)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(make([]byte, 3<<20)); err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(conn); err != nil || string(data) != "got 3145728" {
		t.Errorf("got %q, %v", data, err)
	}
	_ = conn.Close()
	given, err := b.Forward(b.ctx(), port)
	if err != nil {
		t.Fatal(err)
	}
	_ = given.Close()
	if _, err := given.Read(make([]byte, 1)); fault.KindOf(err) != fault.Canceled {
		t.Errorf("a connection that was closed: %v", err)
	}
	_ = l.Close()
	none, err := b.Forward(context.Background(), port)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := none.Read(make([]byte, 1)); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a port where nobody listens: %v", err)
	}
}
