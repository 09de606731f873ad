package cmd

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// typist is a person at the terminal of a shell whose sessions are toys.
type typist struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	term vt10x.Terminal
	raw  lockedBuffer
	home string
}

// atTerminal starts a command at a terminal of its own.
func atTerminal(t *testing.T, args ...string) *typist {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &typist{t: t, cmd: exec.Command(program), home: t.TempDir()}
	p.cmd.Args = append([]string{"praxis"}, args...)
	p.cmd.Env = append(os.Environ(), "PRAXIS_HOME="+p.home, "TERM=xterm-256color", "NO_COLOR=", "HOME="+p.home, "INPUTRC=/dev/null")
	if p.tty, err = pty.StartWithSize(p.cmd, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	p.term = vt10x.New(vt10x.WithSize(80, 24), vt10x.WithWriter(p.tty))
	read := make(chan struct{})
	go func() { // ends when the terminal is closed
		defer close(read)
		// A terminal whose programs have ended gives an error, which is its end.
		_, _ = io.Copy(io.MultiWriter(&p.raw, p.term), p.tty)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it has ended already unless the test failed
		_ = p.tty.Close()
		<-read
	})
	return p
}

// types presses keys.
func (p *typist) types(keys string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// sees waits until the screen shows a text.
func (p *typist) sees(text string) {
	p.t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(p.screen(), text) {
			return
		}
	}
	p.t.Fatalf("the screen never shows %q:\n%s", text, p.screen())
}

// screen is what the terminal shows, without the blanks at the ends of lines.
func (p *typist) screen() string {
	var b strings.Builder
	for line := range strings.Lines(p.term.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// ends waits for the command and returns its exit code.
func (p *typist) ends() int {
	p.t.Helper()
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			p.t.Fatal(err)
		}
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(time.Minute):
		p.t.Fatalf("the command does not end:\n%s", p.screen())
		return -1
	}
}

// remembered returns the pieces of the history.
func (p *typist) remembered() []string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.home, "history"))
	if err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		piece, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			p.t.Fatalf("the history has the line %q: %v", line, err)
		}
		out = append(out, piece)
	}
	return out
}

// TestShellTyped types what people type: blocks, corrections, a paste, old pieces.
func TestShellTyped(t *testing.T) {
	p := atTerminal(t, "shell")
	p.sees(">>>")
	p.types("for x in y:\rprint é\r")
	p.sees(">>> for x in y:\n        print é\n") // the prompt's width and a step
	p.types("\x7fraise E no\x1b[A \x1b[A\x1b[B\x1b[B\r")
	p.sees("        print  é\n    raise E no\n") // Backspace goes a step back, the arrows move in the block
	p.types("\r")
	p.sees("E: no\n>>>") // keys that come before the prompt are not its
	p.types("\x1b[200~print p\r\n\r\n\x03print q\x1b7\x1b[201~")
	p.sees(">>> print p\n\n    print")
	p.types("\r")
	p.sees("\nq7\n>>>")
	p.types("\x1b[A\x1b[A\x1b[A\x1b[A")
	p.sees("    raise E no\n")
	p.types("\x03:fi\t\r")
	p.sees("There are no files.\n>>>")
	p.types("\x04")
	if code := p.ends(); code != 0 {
		t.Errorf("exit code is %d", code)
	}
	want := []string{"for x in y:\n    print  é\nraise E no", "print p\n\nprint q7", ":files"}
	if got := p.remembered(); strings.Join(got, "\x00") != strings.Join(want, "\x00") {
		t.Errorf("the history is %q, want %q", got, want)
	}
	if info, err := os.Stat(filepath.Join(p.home, "history")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the history is %v (%v)", info.Mode(), err)
	}
	if !bytes.Contains(p.raw.buf.Bytes(), []byte("\x1b[35mfor\x1b[0m")) {
		t.Error("code is not highlighted")
	}
}

// TestFlood checks that long output does not run by at a terminal, unless all is
// asked for, and that the end of it is seen.
func TestFlood(t *testing.T) {
	code := strings.Repeat("print a line of some thirty bytes\n", 3000) + "print the last\nvalue 42"
	p := atTerminal(t, "run", "-c", code)
	if exit := p.ends(); exit != 0 {
		t.Errorf("exit code is %d:\n%s", exit, p.screen())
	}
	p.sees("the last\n42\n")
	if !strings.Contains(p.raw.String(), "left out] …") || !strings.Contains(p.raw.String(), "--full shows all") {
		t.Errorf("nothing says that output is left out:\n%s", p.raw.String())
	}
	if n := len(p.raw.String()); n > 32<<10 {
		t.Errorf("the terminal gets %d bytes", n)
	}
	p = atTerminal(t, "run", "--full", "-c", code)
	if exit := p.ends(); exit != 0 {
		t.Errorf("exit code is %d:\n%s", exit, p.screen())
	}
	p.sees("the last\n42\n")
	if n := strings.Count(p.raw.String(), "a line of some"); n != 3000 {
		t.Errorf("with --full the terminal gets %d lines", n)
	}
}

// TestTerminalWidth checks that code gets the width of the terminal, that it is recorded,
// and that a window which is resized counts at once.
func TestTerminalWidth(t *testing.T) {
	p := atTerminal(t, "shell")
	p.sees(">>>")
	p.types("width\r")
	p.sees("\n80\n>>>")
	if err := pty.Setsize(p.tty, &pty.Winsize{Rows: 24, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	p.types("width\r")
	p.sees("\n60\n>>>")
	p.types("\x04")
	p.ends()

	p = atTerminal(t, "run", "-c", "width")
	p.sees("80\n")
	p.ends()
	home := p.home
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "-c", "width"}, "0\n"}, // no terminal
	} {
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program)
		cmd.Args, cmd.Env = append([]string{"praxis"}, c.args...), append(os.Environ(), "PRAXIS_HOME="+home, "HOME="+home)
		out, err := cmd.Output()
		if err != nil || string(out) != c.want {
			t.Errorf("%q: %q, %v", c.args, out, err)
		}
	}
	logs, err := filepath.Glob(filepath.Join(home, "journal", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, log := range logs {
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	if n := strings.Count(all.String(), `"columns":80`); n != 1 || len(logs) != 2 {
		t.Errorf("the width is recorded %d times in %d logs", n, len(logs))
	}
}

// TestPicturesInPlace checks that images are shown at terminals that are said to show
// them, after the output before them, and nowhere else.
func TestPicturesInPlace(t *testing.T) {
	const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	script := filepath.Join(t.TempDir(), "talk.script")
	if err := os.WriteFile(script, []byte("=== reply\n```python\nrich image/png "+dot+"\n```\n=== reply\nFINAL ANSWER: Done.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code := []string{"-c", "print before\nrich image/png " + dot + "\nprint after"}
	for _, c := range []struct {
		name string
		args []string
		want string // begins what shows the image
	}{
		{"kitty", append([]string{"run", "--pictures", "kitty"}, code...), "\x1b_Ga=T,f=100,q=2,m=0;"},
		{"iTerm2", append([]string{"run", "--pictures", "iterm"}, code...), "\x1b]1337;File=inline=1;"},
		{"sixel", append([]string{"run", "--pictures", "sixel"}, code...), "\x1bPq"},
		{"another", append([]string{"run"}, code...), ""},
		{"a question", []string{"ask", "--pictures", "kitty", "--model", "scripted:" + script, "Draw"}, "\x1b_Ga=T"},
	} {
		p := atTerminal(t, c.args...)
		if exit := p.ends(); exit != 0 {
			t.Errorf("%s: exit code %d:\n%s", c.name, exit, p.raw.String())
		}
		p.sees(map[bool]string{true: "after", false: "Done."}[c.args[0] == "run"])
		got := p.raw.String()
		switch i := strings.Index(got, c.want); {
		case c.want == "":
			if strings.Contains(got, "\x1b_G") || strings.Contains(got, "\x1bP") || strings.Contains(got, "1337") {
				t.Errorf("%s: an image is shown: %q", c.name, got)
			}
		case i < 0 || c.args[0] == "run" && (i < strings.Index(got, "before") || i > strings.Index(got, "after")):
			t.Errorf("%s: no image between the output: %q", c.name, got)
		}
	}
	p := atTerminal(t, "run", "--pictures", "paint", "-c", "print x")
	if exit := p.ends(); exit == 0 {
		t.Error("a way to show pictures that there is not is taken")
	}
}

// TestShellTerminated ends a shell that waits for keys.
func TestShellTerminated(t *testing.T) {
	p := atTerminal(t, "shell", "--session", "s")
	p.sees(">>>")
	p.types("set x\r")
	p.sees("set x\n>>>")
	p.types("half a li")
	p.sees("half a li")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.ends(); code != exitInterrupted {
		t.Errorf("exit code is %d:\n%s", code, p.screen())
	}
	p.sees("saved s at snapshot")
}
