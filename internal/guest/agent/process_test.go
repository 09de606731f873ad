package agent

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"praxis/internal/guest/wire"
)

// closings writes down how requests are closed.
type closings struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (c *closings) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.buf.Write(p)
}

func (c *closings) of(t *testing.T, id uint32) []wire.Kind {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []wire.Kind
	r := wire.NewReader(bytes.NewReader(c.buf.Bytes()))
	for {
		f, err := r.Next()
		if err != nil {
			return out
		}
		if f.ID == id && (f.Kind == wire.Response || f.Kind == wire.Failure) {
			out = append(out, f.Kind)
		}
	}
}

// spoken is a server whose stream is open, with a running program as a process of it.
func spoken(t *testing.T) (*server, *closings, *process) {
	out := &closings{}
	s := &server{link: &link{w: out}, requests: map[uint32]*request{}, procs: map[string]*process{}}
	s.link.open(wire.Hello{Epoch: 1}, func() {})
	cmd := exec.Command("sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // as the agent starts programs
	if err := cmd.Start(); err != nil {
		t.Skip("skipped: there is no program sleep:", err)
	}
	p := &process{name: "p", srv: s, out: -1, err: -1, wakeup: -1, child: &child{pid: cmd.Process.Pid, done: make(chan struct{})}}
	p.cond.L = &p.mu
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
		close(p.child.done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Kill)
		<-ended
		s.wg.Wait()
	})
	return s, out, p
}

func (s *server) opened(id uint32) *request {
	r := newRequest(s.link, id, 1, s.forget)
	s.requests[id] = r
	return r
}

// The host's credit may be on its way while the process ends: the request is
// closed once all the same, since a host drops a guest that closes it twice.
func TestCreditThatMeetsTheEndOfAProcess(t *testing.T) {
	s, out, p := spoken(t)
	r := s.opened(7)
	p.follow(r, 0)
	r.mu.Lock()
	late := r.onCredit // as credit has it before it waits for the process
	r.mu.Unlock()
	p.mu.Lock()
	p.exit = &wire.Exit{}
	p.answer()
	p.mu.Unlock()
	late()
	if got := out.of(t, 7); len(got) != 1 || got[0] != wire.Response {
		t.Errorf("the request was closed by %v", got)
	}
}

func TestAFollowerThatIsGivenUp(t *testing.T) {
	s, out, p := spoken(t)
	before := s.opened(7)
	before.end(errCanceled) // before it follows
	p.follow(before, 0)
	after := s.opened(8)
	p.follow(after, 0)
	after.end(errCanceled)
	for _, id := range []uint32{7, 8} {
		if got := out.of(t, id); len(got) != 1 || got[0] != wire.Failure {
			t.Errorf("request %d was closed by %v", id, got)
		}
	}
	if len(s.requests) != 0 {
		t.Errorf("%d requests stay open", len(s.requests))
	}
	if p.child.ended() || p.closing {
		t.Error("the process ended with those who followed it")
	}
}

// A start that is given up leaves no process that nobody knows of.
func TestAStartThatIsGivenUp(t *testing.T) {
	for _, early := range []bool{true, false} {
		s, out, p := spoken(t)
		r := s.opened(7)
		p.starter = r
		if early {
			r.end(errCanceled)
		}
		p.follow(r, 0)
		if !early {
			r.end(errCanceled)
		}
		select {
		case <-p.child.done:
		case <-time.After(time.Minute):
			t.Fatal("the process goes on")
		}
		if got := out.of(t, 7); len(got) != 1 || got[0] != wire.Failure {
			t.Errorf("the request was closed by %v", got)
		}
	}
}
