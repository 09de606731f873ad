package guest_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/guest"
	"praxis/internal/guest/agent"
	"praxis/internal/guest/wire"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/test/cpython"
)

// The test binary is the agent too, as the praxis binary is.
func TestMain(m *testing.M) {
	if os.Getenv(agentVar) != "" || len(os.Args) > 1 && os.Args[1] == "guest-exec" {
		os.Exit(agent.Main())
	}
	// Each test has an agent and an interpreter, which wait more than they compute.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// agentVar says to a process of the tests that it is an agent.
const agentVar = "PRAXIS_TEST_AGENT"

// pipes are the agent's standard input and output as one stream.
type pipes struct{ in, out *os.File }

func (p pipes) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p pipes) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p pipes) Close() error {
	err := p.in.Close()
	p.out.Close()
	return err
}

// bed is an agent in a process of its own, and its client.
type bed struct {
	*guest.Client
	t    testing.TB
	work string
	temp string
	wire.Setup
	agent *exec.Cmd
}

// interpreter is the one that sandboxes have, too, and not one of the machine's.
func interpreter(t testing.TB) string {
	t.Helper()
	path, err := cpython.Unpack()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// startAgent starts an agent that is not set up.
func startAgent(t testing.TB, attr *syscall.SysProcAttr) (*exec.Cmd, pipes) {
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), agentVar+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = inR, outW, os.Stderr, attr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	inR.Close()
	outW.Close()
	return cmd, pipes{inW, outR}
}

// waitAgent waits for an agent to end by itself once its stream is closed.
func waitAgent(t testing.TB, cmd *exec.Cmd) {
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("agent ended with %v", err)
		}
	case <-time.After(time.Minute):
		cmd.Process.Signal(syscall.SIGQUIT)
		<-done
		t.Error("agent did not end when its stream was closed")
	}
}

func limits() wire.Limits {
	return wire.Limits{Memory: 2 << 30, Kernel: 4 << 30, Processes: 256, OpenFiles: 256}
}

// start starts an agent and sets it up. change may alter the setup.
func start(t testing.TB, change func(*wire.Setup)) *bed {
	t.Helper()
	py := interpreter(t)
	dir := t.TempDir()
	b := &bed{t: t, work: filepath.Join(dir, "work"), temp: filepath.Join(dir, "tmp")}
	b.Setup = wire.Setup{
		Limits: limits(), Kernels: []wire.Kernel{guest.Kernel(python.Language(), language.Runtime{Program: py})}, Workdir: b.work, Home: filepath.Join(dir, "home"), Temp: b.temp,
		Roots: []string{b.work, b.temp, filepath.Join(dir, "home")}, Unprivileged: true,
	}
	if change != nil {
		change(&b.Setup)
	}
	cmd, stream := startAgent(t, nil)
	b.agent = cmd
	b.Client = guest.New(stream, guest.Patience{})
	t.Cleanup(func() {
		if err := b.Client.Close(); err != nil {
			t.Error(err)
		}
		waitAgent(t, cmd)
	})
	ctx := b.ctx()
	if err := b.Hello(ctx, wire.Hello{}); err != nil {
		t.Fatal(err)
	}
	if err := b.Client.Setup(ctx, b.Setup); err != nil {
		t.Fatal(err)
	}
	return b
}

// ctx is a context that a hanging test does not outlive.
func (b *bed) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	b.t.Cleanup(cancel)
	return ctx
}

// run executes code in main and fails the test when that does not work.
func (b *bed) run(code string) event.Execution {
	b.t.Helper()
	return b.exec(wire.Execute{Code: code})
}

func (b *bed) exec(args wire.Execute) event.Execution {
	b.t.Helper()
	x, err := b.Execute(b.ctx(), args, nil)
	if err != nil {
		b.t.Fatalf("execute %q: %v", args.Code, err)
	}
	return x
}

// want runs code and compares the value of its last expression.
func (b *bed) want(code, value string) {
	b.t.Helper()
	x := b.run(code)
	if x.Status != event.OK || x.Result["text"] != value {
		b.t.Fatalf("execute %q: got %s %q (%s, %v), want ok %q\n%s", code, x.Status, x.Result["text"], x.Message, x.Error, value, x.Stderr)
	}
}

// recorder is a sink that can be waited for.
type recorder struct {
	mu     sync.Mutex
	cond   sync.Cond
	text   string
	events []string
}

func newRecorder() *recorder {
	r := &recorder{}
	r.cond.L = &r.mu
	return r
}

func (r *recorder) Emit(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := e.(type) {
	case event.Output:
		r.text += string(e.Data)
		if n := len(r.events); n > 0 && len(r.events[n-1]) > 7 && r.events[n-1][:7] == e.Stream.String()+":" {
			r.events[n-1] += string(e.Data)
		} else {
			r.events = append(r.events, e.Stream.String()+":"+string(e.Data))
		}
	case event.Display:
		r.events = append(r.events, "display:"+e.Bundle["text"])
	default:
		r.events = append(r.events, fmt.Sprintf("%T", e))
	}
	r.cond.Broadcast()
}

// waitFor returns once the text that was printed satisfies ok.
func (r *recorder) waitFor(t testing.TB, ok func(text string) bool) {
	t.Helper()
	timer := time.AfterFunc(30*time.Second, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, "late")
		r.cond.Broadcast()
	})
	defer timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !ok(r.text) {
		if n := len(r.events); n > 0 && r.events[n-1] == "late" {
			t.Fatalf("printed only %q", r.text)
		}
		r.cond.Wait()
	}
}
