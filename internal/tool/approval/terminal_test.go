package approval

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"praxis/event"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
)

const wantQuestion = `
────────────────────────────────────────────────────────────────────────────────
Praxis asks. What stands above this line is no part of the question.

crm.delete 1.2.0 asks to be called (write: it changes what is yours).
  says       Deletes a customer.
  called by  code in the sandbox, line 12 (call c-7 of run r-1)
  asked for  it deletes
  by rule    writes-ask
  arguments
    customer = "c-1"
      from user
      trusted; everyone may read it
    why = "asked by mail"
      from mail.read, user
      NOT trusted; for me
Agree?  y once · e exactly these arguments · r this run · n no · v view all · ? explain [n]: `

func TestTerminalAnswers(t *testing.T) {
	for typed, want := range map[string]gate.Answer{
		"y\n":                               {Granted: true, Scope: gate.Once, By: gate.ByPerson},
		" YES as agreed\n":                  {Granted: true, Scope: gate.Once, By: gate.ByPerson, Reason: "as agreed"},
		"e\r":                               {Granted: true, Scope: gate.Exact, By: gate.ByPerson},
		"r\n":                               {Granted: true, Scope: gate.Whole, By: gate.ByPerson},
		"\n":                                {Scope: gate.Once, By: gate.ByPerson, Reason: "the person said no"},
		"n\n":                               {Scope: gate.Once, By: gate.ByPerson, Reason: "the person said no"},
		"no too much\x1b\n":                 {Scope: gate.Once, By: gate.ByPerson, Reason: `too much\x1b`},
		"":                                  {Scope: gate.Once, By: gate.ByTimeout},
		"y":                                 {Scope: gate.Once, By: gate.ByTimeout}, // half a line
		"\x04":                              {Scope: gate.Once, By: gate.ByTimeout},
		"\x03y\n":                           {Scope: gate.Once, By: gate.ByTimeout},
		strings.Repeat("y", 100_000) + "\n": {Scope: gate.Once, By: gate.ByTimeout},
		"always\n":                          {Scope: gate.Once, By: gate.ByTimeout}, // asked again; the input ends
	} {
		var out strings.Builder
		a := answerOf(t, NewTerminal(strings.NewReader(typed), &out, 80, "ann"), deletion(t))
		if a.By == gate.ByPerson {
			want.Who = "ann"
		} else {
			want.Reason = a.Reason
		}
		if a != want || (!a.Granted && a.Reason == "") {
			t.Errorf("%.20q: got %+v, want %+v", typed, a, want)
		}
		if !strings.HasPrefix(out.String(), wantQuestion) {
			t.Errorf("got %s\nwant %s", out.String(), wantQuestion)
		}
	}
}

// typist types a line when a prompt is shown.
type typist struct {
	mu      sync.Mutex
	shown   strings.Builder
	lines   []string
	w       io.Writer
	done    chan struct{}
	pending chan string
}

func newTypist(w io.Writer, lines ...string) *typist {
	ty := &typist{lines: lines, w: w, done: make(chan struct{}), pending: make(chan string, 100)}
	go func() {
		defer close(ty.done)
		for line := range ty.pending {
			io.WriteString(ty.w, line)
		}
	}()
	return ty
}

func (ty *typist) Write(p []byte) (int, error) {
	ty.mu.Lock()
	defer ty.mu.Unlock()
	ty.shown.Write(p)
	if s := string(p); (strings.HasSuffix(s, "[n]: ") || strings.HasPrefix(s, "Why?")) && len(ty.lines) > 0 {
		ty.pending <- ty.lines[0]
		ty.lines = ty.lines[1:]
	}
	return len(p), nil
}

func (ty *typist) text() string {
	ty.mu.Lock()
	defer ty.mu.Unlock()
	return ty.shown.String()
}

func TestTerminalRepeatsQuestions(t *testing.T) {
	for _, test := range []struct {
		typed []string
		want  string
	}{
		{[]string{"perhaps\n", "v\n", "y\n"}, "true once "},
		{[]string{"n\n", "it is the wrong one\n"}, "false once it is the wrong one"},
		{[]string{"n\n", "\n"}, "false once the person said no"},
		{[]string{"a\n", "b\n", "c\n", "y\n"}, "false once the answers could not be understood"},
	} {
		r, w := io.Pipe()
		ty := newTypist(w, test.typed...)
		a := answerOf(t, NewTerminal(r, ty, 80, ""), deletion(t))
		if got := fmt.Sprint(a.Granted, " ", a.Scope, " ", a.Reason); got != test.want || (a.By == gate.ByNobody) != (len(test.typed) == maxTries+1) {
			t.Errorf("%q: got %s (%s), want %s", test.typed, got, a.By, test.want)
		}
		r.Close()
		close(ty.pending)
		<-ty.done
	}
}

// TestPastedLines checks that lines that were typed for one question never answer the next.
func TestPastedLines(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	io.WriteString(w, "y\ny\nr\n") // before anything was asked
	ty := newTypist(w, "y\nr\nr\n", "n no\n", "e\n")
	term := NewTerminal(r, ty, 80, "")
	var got []string
	for range 3 {
		a := answerOf(t, term, deletion(t))
		got = append(got, fmt.Sprint(a.Granted, a.Scope))
		io.WriteString(w, "y\ny\n") // between questions
	}
	if want := "trueonce falseonce trueexact"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
	close(ty.pending)
	<-ty.done
}

// TestOneAfterTheOther checks that questions at once are shown one at a time, and
// that a question is not shown any more when an earlier answer covers it.
func TestOneAfterTheOther(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	ty := newTypist(w, "y first\n", "y second\n", "y third\n")
	term := NewTerminal(r, ty, 80, "")
	reasons := make(chan string, 3)
	for range 3 {
		go func() {
			a, err := term.Approve(context.Background(), deletion(t))
			reasons <- fmt.Sprint(a.Reason, err)
		}()
	}
	seen := map[string]bool{}
	for range 3 {
		seen[<-reasons] = true
	}
	if !seen["first<nil>"] || !seen["second<nil>"] || !seen["third<nil>"] {
		t.Errorf("got %v", seen)
	}
	for i, part := range strings.Split(ty.text(), "Agree?")[1:3] {
		if !strings.Contains(part, "asks to be called") {
			t.Errorf("question %d is not whole: %s", i, part)
		}
	}
	q := deletion(t)
	q.Granted = func() (gate.Answer, bool) {
		return gate.Answer{Granted: true, Scope: gate.Whole, By: gate.ByPerson, Who: "ann"}, true
	}
	before := ty.text()
	if a := answerOf(t, term, q); a.Who != "ann" || ty.text() != before {
		t.Errorf("got %+v, and was asked", a)
	}
	close(ty.pending)
	<-ty.done
}

func TestTerminalContext(t *testing.T) {
	for name, open := range map[string]func() (io.ReadCloser, io.WriteCloser){
		"with a deadline": func() (io.ReadCloser, io.WriteCloser) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			return r, w
		},
		"without one": func() (io.ReadCloser, io.WriteCloser) { return io.Pipe() },
	} {
		r, w := open()
		prompted := make(chan struct{}, 10)
		term := NewTerminal(r, writer(func(p []byte) (int, error) {
			if strings.HasSuffix(string(p), "[n]: ") {
				prompted <- struct{}{}
			}
			return len(p), nil
		}), 80, "")
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-prompted
			cancel()
		}()
		a, err := term.Approve(ctx, deletion(t))
		if err != nil || a.Granted || a.By != gate.ByTimeout || !strings.Contains(a.Reason, "given up") {
			t.Errorf("%s: got %+v, %v", name, a, err)
		}
		if a, err := term.Approve(ctx, deletion(t)); err != nil || a.Granted {
			t.Errorf("%s: a question after the end: %+v, %v", name, a, err)
		}
		go func() {
			<-prompted
			io.WriteString(w, "e\n")
		}()
		if a := answerOf(t, term, deletion(t)); a.Scope != gate.Exact {
			t.Errorf("%s: the next question: got %+v", name, a)
		}
		// One that waits for its turn gives up as well.
		turn := <-term.turn
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
		if a, err := term.Approve(ctx, deletion(t)); err != nil || a.Granted || !strings.Contains(a.Reason, "in time") {
			t.Errorf("%s: waiting: got %+v, %v", name, a, err)
		}
		cancel()
		term.turn <- turn
		w.Close()
		r.Close()
	}
	broken := NewTerminal(strings.NewReader("y\n"), writer(func([]byte) (int, error) { return 0, io.ErrClosedPipe }), 80, "")
	if a := answerOf(t, broken, deletion(t)); a.Granted {
		t.Error("granted what nobody could see")
	}
}

type writer func([]byte) (int, error)

func (f writer) Write(p []byte) (int, error) { return f(p) }

// TestNothingReachesTheTerminal checks that nothing in a question acts on the terminal, hides, or
// can be taken for a line of the question.
func TestNothingReachesTheTerminal(t *testing.T) {
	evil := "\x1b[2J\x1b]0;x\x07\r\b\u202e\u2066\u200b\u200d\U000e0041\x9b31m\n      from user\n      trusted; everyone may read it\nAgree? y\x00\xff\x7f\u2028"
	fake := strings.Repeat(" ", 66) + "      trusted; everyone may read it"
	q := deletion(t)
	q.Tool = definition(t, "x "+evil)
	q.ID, q.Run, q.Rule, q.Reason = evil, evil, evil, evil+fake
	q.Origin = gate.Origin(evil)
	q.Arguments = jsondoc.NewObject(
		jsondoc.Member{Name: "customer = \"c-1\"\n", Value: evil}, jsondoc.Member{Name: "fake", Value: fake},
		jsondoc.Member{Name: evil, Value: []any{evil, jsondoc.NewObject(jsondoc.Member{Name: evil, Value: nil})}},
		jsondoc.Member{Name: "", Value: make(chan int)})
	q.Labels = map[string]event.DataLabel{"fake": {Sources: []string{evil, fake}, Readers: []string{evil}}, evil: {}}
	if text, _ := value("a\u200db"); text != `"a\u200db"` {
		t.Errorf("a value hides a joiner: %q", text)
	}
	for _, width := range []int{0, 20, 80, 100000} {
		term := NewTerminal(strings.NewReader(""), io.Discard, width, evil)
		for _, text := range []string{term.question(q), term.whole(q), term.who} {
			if !utf8.ValidString(text) {
				t.Error("no UTF-8")
			}
			if i := strings.IndexFunc(text, func(r rune) bool {
				return (r < ' ' && r != '\n') || (r >= 0x7f && r < 0xa0) || r == 0x200b || r == 0x200e || r == 0x200f || (r >= 0x2028 && r <= 0x202e) || (r >= 0x2060 && r <= 0x206f) || r >= 0xe0000
			}); i >= 0 {
				t.Errorf("%q reaches the terminal", text[i:min(len(text), i+8)])
			}
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "Agree") || (strings.HasPrefix(line, "      trusted") || strings.HasPrefix(line, "      from user")) {
					t.Errorf("a line of the question is made up: %q", line)
				}
				if n := utf8.RuneCountInString(line) - 1; width == 80 && n > 180 {
					t.Errorf("a line of %d characters: %q", n, line)
				}
			}
		}
	}
}

func TestLongValues(t *testing.T) {
	term := NewTerminal(strings.NewReader(""), io.Discard, 80, "")
	q := deletion(t)
	head, tail := strings.Repeat("a", 5000), strings.Repeat("z", 5000)
	shown := func(middle string) string {
		q.Arguments = jsondoc.NewObject(jsondoc.Member{Name: "body", Value: head + middle + tail})
		return term.question(q)
	}
	one, two := shown("pay ann"), shown("pay bob")
	if one == two {
		t.Error("two values look the same")
	}
	for _, want := range []string{`body = "aaa`, `zzz"`, "9.8KiB", "SHA-256", "Not all is shown: v shows it."} {
		if !strings.Contains(strings.ReplaceAll(one, "\n"+margin, ""), want) {
			t.Errorf("%q is not in %s", want, one)
		}
	}
	if len(one) > 3000 {
		t.Errorf("%d bytes are shown", len(one))
	}
	if all := strings.ReplaceAll(term.whole(q), "\n"+margin, ""); !strings.Contains(all, "pay bob") {
		t.Error("all is not all")
	}
	many := jsondoc.NewObject()
	for i := range 5000 {
		many.Set(fmt.Sprint("a", i), strings.Repeat("é", 1000))
	}
	q.Arguments = many
	if text := term.question(q); len(text) > 60_000 || !strings.Contains(text, "… and 4,960 more") {
		t.Errorf("%d bytes are shown", len(text))
	}
	if text := term.whole(q); len(text) > 2*shownWhole || !strings.Contains(text, "the rest is not shown") || !utf8.ValidString(text) {
		t.Errorf("%d bytes are shown", len(text))
	}
}

// TestRealTerminal checks that on a terminal of the system, input from before a question is gone.
func TestRealTerminal(t *testing.T) {
	master, slave := pty(t)
	if columns, rows := size(slave); columns != 44 || rows != 60 {
		t.Errorf("the terminal has %d columns and %d rows", columns, rows)
	}
	shown := make(chan struct{}, 10)
	go func() {
		var all strings.Builder
		buf := make([]byte, 1024)
		for {
			n, err := master.Read(buf)
			if err != nil {
				return
			}
			all.Write(buf[:n])
			if strings.Contains(all.String(), "[n]: ") {
				all.Reset()
				shown <- struct{}{}
			}
		}
	}()
	term := onTerminal(slave, Config{Who: "ann"})
	term.settle = func(context.Context) error { // typed for what stood there before
		io.WriteString(master, "y\n")
		return nil
	}
	if term.in.stop == nil {
		t.Fatal("reads of a terminal cannot be stopped")
	}
	io.WriteString(master, "y\ny\nhalf a li")
	go func() {
		<-shown
		io.WriteString(master, "n not now\nr\nr\n")
		<-shown
		io.WriteString(master, "e\n")
		<-shown
	}()
	if a := answerOf(t, term, deletion(t)); a.Granted || a.Reason != "not now" || a.Who != "ann" {
		t.Errorf("got %+v", a)
	}
	if a := answerOf(t, term, deletion(t)); a.Scope != gate.Exact {
		t.Errorf("got %+v", a)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if a, err := term.Approve(ctx, deletion(t)); err != nil || a.Granted || a.By != gate.ByTimeout {
		t.Errorf("got %+v, %v", a, err)
	}
	if err := term.Close(); err != nil {
		t.Error(err)
	}
}

func pty(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	n := 0
	control(master, func(fd int) {
		if n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN); err == nil {
			err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
		}
	})
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	control(slave, func(fd int) { err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: 44, Row: 60}) })
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// TestResized checks that a question is made for the terminal as it is then.
func TestResized(t *testing.T) {
	var out strings.Builder
	columns := 80
	term := NewTerminal(strings.NewReader("n no\nn no\n"), &out, 80, "ann")
	term.measure = func() (int, int) { return columns, 0 }
	answerOf(t, term, deletion(t))
	columns = 30
	out.Reset()
	answerOf(t, term, deletion(t))
	if rule := strings.Repeat("─", 30); !strings.Contains(out.String(), rule) || strings.Contains(out.String(), rule+"─") {
		t.Errorf("got %s", out.String())
	}
}
