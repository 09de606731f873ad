package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
)

// The test binary is a server, or the child of one, when this is set.
const roleVariable = "PRAXIS_MCP_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Setenv("PRAXIS_CANARY", "not for servers")
		os.Exit(m.Run())
	case "sleep":
		time.Sleep(time.Hour)
	case "server":
		hostServer()
	}
}

// hostServer has a tool that says what the server's process is like, and starts a
// child that would outlive it.
func hostServer() {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), roleVariable+"=sleep")
	child.Stdout = os.Stdout
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	f := newFake(oneTool)
	f.call = func(l *line, id json.RawMessage, _ string, params json.RawMessage) {
		if strings.Contains(string(params), "die") {
			fmt.Fprintln(os.Stderr, "dying as asked")
			os.Exit(3)
		}
		dir, _ := os.Getwd()
		pgid, _ := syscall.Getpgid(0)
		env := os.Environ()
		for i, v := range env {
			env[i], _, _ = strings.Cut(v, "=")
		}
		slices.Sort(env)
		l.text(id, fmt.Sprintf("%d %d %d %s %s", os.Getpid(), pgid, child.Process.Pid, dir, strings.Join(env, ",")))
	}
	if os.Getenv("STUBBORN") != "" {
		defer time.Sleep(time.Hour) // the end of its input does not end it
	}
	f.serve(bufio.NewReader(os.Stdin), &line{w: os.Stdout, stderr: os.Stderr, die: func() {}})
}

func openHost(t *testing.T, env string) *Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spec := fmt.Sprintf(`{"command": [%q, "-test.v=false"], "dir": "sub", "env": {%q: "server"%s}}`, self, roleVariable, env)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := Open(context.Background(), Config{Name: "host", Spec: object(t, spec), Dir: dir, AllowCommands: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// facts asks a server on the host what it is like.
func facts(t *testing.T, l *loaded) (pid, pgid, child int, dir, env string) {
	t.Helper()
	got, err := l.call(soonDone(t, 40*time.Second), "host.echo", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(got.(string), &pid, &pgid, &child, &dir, &env); err != nil {
		t.Fatalf("%v: %v", got, err)
	}
	return pid, pgid, child, dir, env
}

// ends waits until a process is gone or a zombie that somebody else has to reap.
func ends(t *testing.T, pid int) {
	t.Helper()
	wait := soonDone(t, 40*time.Second)
	for {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return
		}
		if _, after, ok := strings.Cut(string(stat), ") "); ok && strings.HasPrefix(after, "Z") {
			return
		}
		select {
		case <-wait.Done():
			t.Fatalf("the process %d lives on", pid)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func TestProgramOnTheHost(t *testing.T) {
	s := openHost(t, "")
	l := load(t, s)
	pid, pgid, child, dir, env := facts(t, l)
	if pid != pgid {
		t.Errorf("its group is %d, itself %d", pgid, pid)
	}
	if filepath.Base(dir) != "sub" {
		t.Errorf("it runs in %s", dir)
	}
	for name := range strings.SplitSeq(env, ",") {
		if name != roleVariable && name != "PWD" && name != tool.DepthVariable && !slices.Contains(inherited(), name) {
			t.Errorf("it got the variable %s", name)
		}
	}
	_, err := l.call(soonDone(t, 40*time.Second), "host.echo", `{"text": "die"}`)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "it printed: dying as asked") {
		t.Errorf("got %v", err)
	}
	ends(t, child)
	again, _, child, _, _ := facts(t, l)
	if again == pid {
		t.Error("it is the same process")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	ends(t, again)
	ends(t, child)
}

func TestStubbornProgramIsKilled(t *testing.T) {
	t.Parallel()
	t.Log("takes the grace of a server, " + stopGrace.String())
	s := openHost(t, `, "STUBBORN": "1"`)
	pid, _, child, _, _ := facts(t, load(t, s))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	ends(t, pid)
	ends(t, child)
}

func TestProgramThatIsNotThere(t *testing.T) {
	s, err := Open(context.Background(), Config{Name: "x", Spec: object(t, `{"command": ["/no/such/program"]}`), AllowCommands: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Tools(soonDone(t, 40*time.Second)); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "cannot start /no/such/program") {
		t.Errorf("got %v", err)
	}
}

// TestProgramThatEndsAtOnce loses nothing of what a program says before its end,
// whether the end is noticed by reading or by writing.
func TestProgramThatEndsAtOnce(t *testing.T) {
	for _, script := range []string{
		"echo no configuration >&2; exit 1",
		"exec 0<&-; sleep 0.2; echo no configuration >&2; exit 1",
	} {
		s, err := Open(context.Background(), Config{Name: "x", Spec: object(t, `{"command": ["sh", "-c", "`+script+`"]}`), AllowCommands: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		_, err = s.Tools(soonDone(t, 40*time.Second))
		if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "it printed: no configuration") {
			t.Errorf("%s: got %v", script, err)
		}
	}
}

// TestSilentProgramEnds gives up programs that never answer: they and what they
// started are gone when the caller learns of it.
func TestSilentProgramEnds(t *testing.T) {
	for _, script := range []string{"echo $$ > pid; exec sleep 1000", "sleep 1000 & echo $! > child; echo $$ > pid; sleep 1000", "echo $$ > pid; printf '{\\\"jsonrpc\\\"'; exec sleep 1000"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, err := Open(context.Background(), Config{Name: "x", Dir: dir, Spec: object(t, `{"command": ["sh", "-c", "`+script+`"]}`), AllowCommands: true})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				defer cancel()
				for range 4000 {
					if text, err := os.ReadFile(filepath.Join(dir, "pid")); err == nil && strings.HasSuffix(string(text), "\n") {
						return
					}
					time.Sleep(5 * time.Millisecond)
				}
			}()
			if _, err := s.Tools(ctx); err == nil {
				t.Errorf("%s: it answered", script)
			}
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: %v, %v", script, files, err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
				if err != nil {
					t.Fatal(err)
				}
				ends(t, pid)
			}
		})
	}
}
