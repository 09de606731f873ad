package guest_test

import (
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"praxis/fault"
	"praxis/internal/guest/wire"
)

func TestProcess(t *testing.T) {
	t.Parallel()
	b := start(t, func(s *wire.Setup) { s.Env = map[string]string{"FROM_SETUP": "s"} })
	rec := newRecorder()
	p, err := b.Start(b.ctx(), wire.Process{Argv: []string{"sh", "-c", "echo $FROM_SETUP$MINE $PWD; echo err >&2; exit 3"}, Env: map[string]string{"MINE": "m"}}, rec)
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait(b.ctx())
	if err != nil || exit.Code != 3 || exit.Signal != 0 {
		t.Errorf("got %+v, %v", exit, err)
	}
	if !strings.Contains(rec.text, "sm "+b.work+"\n") || !strings.Contains(rec.text, "err\n") {
		t.Errorf("printed %q", rec.text)
	}
	if _, err := b.Start(b.ctx(), wire.Process{Argv: []string{"no-such-program"}}, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a program that is not there: %v", err)
	}
	if _, err := b.Start(b.ctx(), wire.Process{Argv: []string{"true"}, Cwd: "nowhere"}, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a folder that is not there: %v", err)
	}
	if _, err := b.Start(b.ctx(), wire.Process{}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("no arguments: %v", err)
	}
	if err := p.Signal(b.ctx(), 15); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a signal to a process that is over: %v", err)
	}
}

func TestProcessStdinAndSignals(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	rec := newRecorder()
	p, err := b.Start(b.ctx(), wire.Process{Argv: []string{"cat"}, Stdin: true}, rec)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("all that cat gets\n", 200_000)
	done := make(chan error, 1)
	go func() {
		_, err := io.WriteString(p.Stdin(), text)
		if err == nil {
			err = p.Stdin().Close()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(b.ctx()); err != nil || exit.Code != 0 || rec.text != text {
		t.Errorf("got %+v, %v, %d bytes of %d", exit, err, len(rec.text), len(text))
	}
	if _, err := p.Stdin().Write([]byte("x")); err == nil {
		t.Error("wrote to a process that is over")
	}

	p, err = b.Start(b.ctx(), wire.Process{Argv: []string{"sleep", "1000"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Signal(b.ctx(), int(syscall.SIGTERM)); err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(b.ctx()); err != nil || exit.Signal != int(syscall.SIGTERM) || exit.Code != -1 {
		t.Errorf("got %+v, %v", exit, err)
	}
	if err := p.Signal(b.ctx(), 99); fault.KindOf(err) == 0 {
		t.Error("signal 99 was sent")
	}
}

// TestProcessGoesOnThroughReopen streams through three checkpoints' worth of
// silence, in both directions, and loses nothing.
func TestProcessGoesOnThroughReopen(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	rec := newRecorder()
	p, err := b.Start(b.ctx(), wire.Process{Argv: []string{"cat"}, Stdin: true}, rec)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	sent := make(chan error, 1)
	lines := make(chan struct{})
	go func() {
		for i := range 3000 {
			if _, err := fmt.Fprintf(p.Stdin(), "%d %s\n", i, strings.Repeat("z", 2000)); err != nil {
				sent <- err
				return
			}
			if i%1000 == 500 {
				lines <- struct{}{}
			}
		}
		sent <- p.Stdin().Close()
	}()
	for i := range 3000 {
		fmt.Fprintf(&want, "%d %s\n", i, strings.Repeat("z", 2000))
	}
	for range 3 {
		<-lines
		if err := b.Quiesce(b.ctx()); err != nil {
			t.Fatal(err)
		}
		if err := b.Hello(b.ctx(), wire.Hello{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(b.ctx()); err != nil || exit.Code != 0 {
		t.Fatalf("got %+v, %v", exit, err)
	}
	if rec.text != want.String() {
		t.Errorf("got %d bytes, want %d", len(rec.text), want.Len())
	}
}

// TestBackgroundChildKeepsNothingOpen ends a process whose child holds its pipes.
func TestBackgroundChildKeepsNothingOpen(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	rec := newRecorder()
	p, err := b.Start(b.ctx(), wire.Process{Argv: []string{"sh", "-c", "sleep 1000 & echo started"}}, rec)
	if err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(b.ctx()); err != nil || exit.Code != 0 || rec.text != "started\n" {
		t.Errorf("got %+v, %v, %q", exit, err, rec.text)
	}
}

// TestResponsive asks for things while user code uses every core and floods its output.
func TestResponsive(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	rec := newRecorder()
	p, err := b.Start(b.ctx(), wire.Process{Argv: []string{"sh", "-c", "for i in 1 2 3 4; do (while :; do :; done) & done; yes"}}, rec)
	if err != nil {
		t.Fatal(err)
	}
	rec.waitFor(t, func(s string) bool { return len(s) > 1<<20 })
	if err := b.Ping(b.ctx()); err != nil {
		t.Error(err)
	}
	b.write("f", "x")
	b.want("1 + 1", "2")
	if err := p.Signal(b.ctx(), int(syscall.SIGKILL)); err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(b.ctx()); err != nil || exit.Signal != int(syscall.SIGKILL) {
		t.Errorf("got %+v, %v", exit, err)
	}
}

// TestStdinCloseWhileWriting closes the input of a program that does not read it.
func TestStdinCloseWhileWriting(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	p, err := b.Start(b.ctx(), wire.Process{Argv: []string{"sleep", "1000"}, Stdin: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	began, wrote := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := p.Stdin().Write(make([]byte, wire.Chunk))
		close(began)
		if err == nil {
			_, err = p.Stdin().Write(make([]byte, 64<<20))
		}
		wrote <- err
	}()
	<-began
	closed := make(chan error, 1)
	go func() { closed <- p.Stdin().Close() }()
	for _, c := range []chan error{closed, wrote} {
		select {
		case err := <-c:
			if c == wrote && err == nil {
				t.Error("64 MiB were written to a program that reads nothing")
			}
		case <-b.ctx().Done():
			t.Fatal("the end of the input waits for a program that reads nothing")
		}
	}
	if _, err := p.Stdin().Write([]byte("x")); err == nil {
		t.Error("the input is open after its end")
	}
	if err := p.Signal(b.ctx(), 9); err != nil {
		t.Error(err)
	}
}
