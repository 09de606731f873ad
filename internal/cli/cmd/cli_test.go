package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"praxis/internal/app"
	"praxis/internal/test/toy"
)

// TestMain lets scripts call praxis, with sessions that need no sandbox.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"praxis": func() {
		signals := make(chan os.Signal, 4)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		p := &program{
			stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, version: "v0-test",
			signals: signals, parts: toyParts(os.Getenv), environ: []string{"FAKE_API_KEY=" + os.Getenv("FAKE_API_KEY")},
		}
		p.own()
		os.Exit(p.run(context.Background(), os.Args[1:]))
	}})
}

// toyParts are sessions without a sandbox, see package toy. FAKE_BROKEN says that
// there are none, FAKE_FATAL that the host is unfit.
func toyParts(getenv func(string) string) func() (*app.Parts, error) {
	return func() (*app.Parts, error) {
		p := &app.Parts{Backend: toy.Backend(), Images: toy.Images{}, ImageFiles: toy.Images{}, Recipes: toy.Images{}, Program: toy.Program()}
		if getenv("FAKE_FATAL") != "" {
			p.Backend = toy.Unfit()
		}
		if getenv("FAKE_BROKEN") != "" {
			p.Backend = toy.Broken()
		}
		return p, nil
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/scripts",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PRAXIS_HOME", env.WorkDir+"/home")
			env.Setenv("TZ", "UTC")
			for _, k := range []string{"PRAXIS_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY"} {
				env.Setenv(k, "")
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("there is no condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"damage":  damage,
			"lastrun": lastRun,
			"old":     old,
			// code N command… runs a command and checks its exit code.
			"code": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: code N command args…")
				}
				err := ts.Exec(args[1], args[2:]...)
				got := "0"
				if err != nil {
					got = strings.TrimPrefix(err.Error(), "exit status ")
				}
				if got != args[0] {
					ts.Fatalf("exit code is %s, want %s", got, args[0])
				}
			},
		},
	})
}

// lockedBuffer is a buffer that a test may read while the program writes.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write adds p.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// inProcess is a program of the test's own process.
func inProcess(t *testing.T, env map[string]string) (p *program, stdout, stderr *lockedBuffer, signals chan<- os.Signal) {
	t.Helper()
	stdout, stderr = &lockedBuffer{}, &lockedBuffer{}
	ch := make(chan os.Signal)
	home := t.TempDir()
	getenv := func(k string) string {
		if k == "PRAXIS_HOME" {
			return home
		}
		return env[k]
	}
	return &program{
		stdin: strings.NewReader(""), stdout: stdout, stderr: stderr, getenv: getenv, version: "v0-test",
		signals: ch, parts: toyParts(getenv),
	}, stdout, stderr, ch
}

// TestInterrupt checks that the first Ctrl-C interrupts the code, which keeps
// what it printed, and that the exit code says so.
func TestInterrupt(t *testing.T) {
	p, stdout, _, signals := inProcess(t, nil)
	began := make(chan struct{})
	p.stdout = writerFunc(func(b []byte) (int, error) {
		n, err := stdout.Write(b)
		close(began)
		return n, err
	})
	go func() {
		<-began
		signals <- os.Interrupt
	}()
	if got := p.run(t.Context(), []string{"run", "-c", "print a\nwait"}); got != exitInterrupted {
		t.Errorf("exit code is %d, want %d", got, exitInterrupted)
	}
	if got := stdout.String(); got != "a\n" {
		t.Errorf("stdout is %q", got)
	}
}

// TestBusySession checks that a command says that it waits for another one's
// session, also into a file, and goes on when that is over.
func TestBusySession(t *testing.T) {
	first, _, _, signals := inProcess(t, nil)
	second, stdout, stderr, _ := inProcess(t, nil)
	second.getenv = first.getenv
	began, ended, waits := make(chan struct{}), make(chan int), make(chan struct{})
	first.stdout = writerFunc(func(b []byte) (int, error) {
		close(began)
		return len(b), nil
	})
	var once sync.Once
	second.stderr = writerFunc(func(b []byte) (int, error) {
		n, err := stderr.Write(b)
		if strings.Contains(stderr.String(), "praxis: session work is in use by another command: waiting for it\n") {
			once.Do(func() { close(waits) })
		}
		return n, err
	})
	go func() { ended <- first.run(t.Context(), []string{"run", "--session", "work", "-c", "print a\nwait"}) }()
	<-began
	go func() {
		<-waits
		signals <- os.Interrupt
	}()
	if got := second.run(t.Context(), []string{"run", "--session", "work", "-c", "print b"}); got != exitOK || stdout.String() != "b\n" {
		t.Errorf("exit code %d, %q (%s)", got, stdout, stderr)
	}
	if got := <-ended; got != exitInterrupted {
		t.Errorf("the first command ended with %d", got)
	}
}

// TestTerminate checks that SIGTERM ends a command although its code goes on.
func TestTerminate(t *testing.T) {
	p, stdout, stderr, signals := inProcess(t, nil)
	began := make(chan struct{})
	p.stdout = writerFunc(func(b []byte) (int, error) {
		defer close(began)
		return stdout.Write(b)
	})
	go func() {
		<-began
		signals <- os.Kill // any signal but the interrupt
	}()
	if got := p.run(t.Context(), []string{"run", "-c", "print a\nwait"}); got != exitInterrupted {
		t.Errorf("exit code is %d, want %d (%s)", got, exitInterrupted, stderr)
	}
}

type writerFunc func([]byte) (int, error)

// Write calls f.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestBrokenPipe checks that code is interrupted when nobody reads, that a named
// session is saved all the same, and that the exit code says why.
func TestBrokenPipe(t *testing.T) {
	p, _, stderr, _ := inProcess(t, nil)
	p.stdout = writerFunc(func([]byte) (int, error) { return 0, syscall.EPIPE })
	if got := p.run(t.Context(), []string{"run", "--session", "s", "-c", "set x\nprint a\nwait"}); got != exitPipe {
		t.Errorf("exit code is %d, want %d (%s)", got, exitPipe, stderr)
	}
	var out lockedBuffer
	p.stdout, p.interrupts = &out, interrupts{}
	if got := p.run(t.Context(), []string{"run", "--session", "s", "-c", "get x"}); got != 0 || out.String() != "x is true\n" {
		t.Errorf("the session holds %q (exit code %d, %s)", out.String(), got, stderr)
	}
}

// TestCloseFails checks that what goes wrong at the end is reported beside what the code did.
func TestCloseFails(t *testing.T) {
	p, _, stderr, _ := inProcess(t, nil)
	for _, c := range []struct {
		err  error
		want int
	}{{nil, exitFailed}, {exitStatus{exitRaised}, exitRaised}} {
		err := c.err
		p.closing(closerFunc(func() error { return errors.New("cannot unmount") }), &err)
		report(p.stderr, err)
		if got := errorCode(err); got != c.want || strings.Count(stderr.String(), "praxis: cannot unmount\n") == 0 {
			t.Errorf("%v: exit code is %d, want %d; stderr is %q", c.err, got, c.want, stderr)
		}
		stderr.buf.Reset()
	}
}

type closerFunc func() error

// Close calls f.
func (f closerFunc) Close() error { return f() }

// TestAskInterrupted checks that Ctrl-C says where a run ended and how it goes on, and nothing more.
func TestAskInterrupted(t *testing.T) {
	resumable := regexp.MustCompile(`^praxis: interrupted after 1 step\n  → To go on where it broke off: praxis ask --resume [-0-9a-f]+\.\n$`)
	script := filepath.Join(t.TempDir(), "talk.script")
	if err := os.WriteFile(script, []byte("=== reply\n```python\nprint a\nwait\n```\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, json := range []bool{false, true} {
		p, stdout, stderr, signals := inProcess(t, nil)
		began, mark := make(chan struct{}), "    a"
		args := []string{"ask", "Well?", "--model", "scripted:" + script}
		if json {
			args, mark = append(args, "--json"), `"event":"output"`
		}
		var once sync.Once
		p.stdout = writerFunc(func(b []byte) (int, error) {
			n, err := stdout.Write(b)
			if strings.Contains(string(b), mark) {
				once.Do(func() { close(began) })
			}
			return n, err
		})
		go func() {
			<-began
			signals <- os.Interrupt
		}()
		if got := p.run(t.Context(), args); got != exitInterrupted {
			t.Errorf("exit code is %d, want %d", got, exitInterrupted)
		}
		if !resumable.MatchString(stderr.String()) {
			t.Errorf("stderr is %q", stderr.String())
		}
		got := stdout.String()
		if json {
			if !strings.Contains(got, `"reason":"interrupted after 1 step"`) {
				t.Errorf("stdout is %q", got)
			}
		} else if strings.Contains(got, "no answer") || strings.Contains(got, "cancel") || strings.Contains(got, "interrupted") {
			t.Errorf("stdout is %q", got)
		}
	}
}
