package cmd

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// person is a terminal and who sits at it.
type person struct {
	*testing.T
	master *os.File
	shown  strings.Builder
	seen   int // of it, by the test
}

// until reads what is shown until it has the text, and returns what it has not
// returned before, up to the text's end.
func (p *person) until(text string) string {
	p.Helper()
	buf := make([]byte, 4096)
	for {
		rest := p.shown.String()[p.seen:]
		if i := strings.Index(rest, text); i >= 0 {
			p.seen += i + len(text)
			return rest[:i+len(text)]
		}
		n, err := p.master.Read(buf)
		p.shown.Write(buf[:n])
		if err != nil {
			p.Fatalf("%q is not shown: %v\n%q", text, err, rest)
		}
	}
}

func (p *person) types(text string) {
	p.Helper()
	if _, err := io.WriteString(p.master, text); err != nil {
		p.Fatal(err)
	}
}

// terminalOf starts praxis on a terminal of its own.
func terminalOf(t *testing.T, dir string, args ...string) (*person, *exec.Cmd) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	defer slave.Close()
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 100, Row: 100}); err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("praxis") // which testscript made of this test
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Env = append(os.Environ(), "PRAXIS_HOME="+filepath.Join(dir, "home"), "TERM=xterm", "USER=ann", "NO_COLOR=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watch := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() }) // which ends every read
	t.Cleanup(func() {
		watch.Stop()
		cmd.Process.Kill()
	})
	return &person{T: t, master: master}, cmd
}

// payments writes a tool with effects that pays, about which somebody is asked.
func payments(t *testing.T, effects string) (dir string, args []string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"tools.yaml": "tools:\n  - {name: shop.pay, version: 1.0.0, effects: " + effects + ", labels: {trusted: true}, " +
			"input: {type: object, properties: {to: {type: string}}}, run: {command: {argv: [sh, -c, 'echo paid >>paid.txt; echo paid', '{to}']}}}\n",
		"policy.yaml": "version: 1\nrules:\n  - {name: asks, tools: [shop.pay], decision: ask, reason: it pays, remedy: Ask the owner.}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, []string{"run", "--tools", "tools.yaml", "--policy", "policy.yaml", "--allow-commands", "-c"}
}

const falseQuestion = "Agree?  y once · e exactly these arguments · r this run · n no [n]:"

// TestFalseQuestion checks that nothing that code prints, before a question or while
// it is open, is on the screen of the question, and that no y that it collects agrees.
func TestFalseQuestion(t *testing.T) {
	for effects, second := range map[string]string{"external": "y\n", "write": "yo\n"} {
		t.Run(effects, func(t *testing.T) {
			dir, args := payments(t, effects)
			code := "print " + falseQuestion + "\nbeside " + falseQuestion + "\ncall shop.pay {\"to\": \"mallory\"}\nprint the end"
			p, cmd := terminalOf(t, dir, append(args, code)...)
			p.until(falseQuestion)
			p.types("y\n") // to the false question
			p.until("\x1b[?1049h")
			question := p.until("? explain [n]: ")
			p.types(second)
			question += p.until("? explain [n]: ")
			p.types("n not that one\n")
			question += p.until("\x1b[?1049l")
			if strings.Contains(question, falseQuestion) {
				t.Errorf("a false question is on the screen: %q", question)
			}
			if !strings.Contains(question, "That is not an answer") || !strings.Contains(question, "shop.pay") {
				t.Errorf("got %q", question)
			}
			rest := p.until("the end")
			if _, after, ok := strings.Cut(rest, "praxis: shop.pay (call tool-1): denied"); !ok || !strings.Contains(after, falseQuestion) || !strings.Contains(after, "not that one") {
				t.Errorf("what was printed while the question was open does not follow it: %q", rest)
			}
			go io.Copy(io.Discard, p.master)
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "paid.txt")); err == nil {
				t.Error("the y of a false question was taken")
			}
		})
	}
}

// TestTypedWord checks that the word of a question, and nothing less, makes an
// external call.
func TestTypedWord(t *testing.T) {
	dir, args := payments(t, "external")
	p, cmd := terminalOf(t, dir, append(args, "call shop.pay {\"to\": \"bob\"}\ncall shop.pay {\"to\": \"bob\"}")...)
	word := regexp.MustCompile(`Type "([a-z]{4})" for once`)
	var words []string
	for _, fresh := range []bool{true, false} {
		question := p.until("? explain [n]: ")
		if strings.Contains(question, `NEW: "bob" is not among the last 20`) != fresh {
			t.Errorf("new is not %v: %q", fresh, question)
		}
		m := word.FindStringSubmatch(question)
		if m == nil {
			t.Fatalf("there is no word in %q", question)
		}
		words = append(words, m[1])
		p.types(m[1] + "\n")
		p.until("approved once")
	}
	go io.Copy(io.Discard, p.master)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if paid, err := os.ReadFile(filepath.Join(dir, "paid.txt")); err != nil || string(paid) != "paid\npaid\n" {
		t.Errorf("got %q, %v (words %v)", paid, err, words)
	}
}

// TestQuestionEnds checks that signals end an open question: the first screen is
// back, and the call is not made.
func TestQuestionEnds(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		dir, args := payments(t, "write")
		p, cmd := terminalOf(t, dir, append(args, "call shop.pay {\"to\": \"bob\"}")...)
		p.until("? explain [n]: ")
		go func() { // again and again, as a person would
			for cmd.Process.Signal(signal) == nil {
				time.Sleep(50 * time.Millisecond)
			}
		}()
		p.until("\x1b[?1049l")
		go io.Copy(io.Discard, p.master)
		_ = cmd.Wait() // how it ends is what the code makes of the denial
		if _, err := os.Stat(filepath.Join(dir, "paid.txt")); err == nil {
			t.Errorf("%v: the call was made", signal)
		}
	}
}

// TestQuestionIsSuspended checks that a question stands there anew after Ctrl-Z, with
// another word, and that Ctrl-\ gives it up: both times the first screen is back.
func TestQuestionIsSuspended(t *testing.T) {
	dir, args := payments(t, "external")
	p, cmd := terminalOf(t, dir, append(args, "call shop.pay {\"to\": \"bob\"}")...)
	word := regexp.MustCompile(`Type "([a-z]{4})" for once`)
	before := word.FindString(p.until("? explain [n]: "))
	p.types("\x1a")
	p.until("\x1b[?1049l")
	p.until("\x1b[?1049h")
	if again := word.FindString(p.until("? explain [n]: ")); again == "" || again == before {
		t.Errorf("the words are %q and %q", before, again)
	}
	p.types("\x1c")
	p.until("\x1b[?1049l")
	p.until("not asked to the end, denied")
	go io.Copy(io.Discard, p.master)
	_ = cmd.Wait() // how it ends is what the code makes of the denial
	if _, err := os.Stat(filepath.Join(dir, "paid.txt")); err == nil {
		t.Error("the call was made")
	}
}
