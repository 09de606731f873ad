// Package kerneltest is the examination that the kernel of every language passes, in a
// real sandbox: state, streams, results, errors, interrupts, limits, snapshots, a seed.
//
// A language says in a [Language] what its code for each question looks like, and a
// test calls [Exam]. A language without the thing that a question is about leaves its
// code empty, and the question is skipped with the reason that it gives.
package kerneltest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/guest"
	"praxis/internal/session"
)

// Language is a language as the examination asks it.
type Language struct {
	Name string
	// New makes a session whose image has the language. Its seed is nil unless the
	// session is to be deterministic. The memory of the session is bounded by memory
	// bytes; 0: by the default.
	New func(t *testing.T, seed *int64, memory int64) *session.Session

	Set, Get   string // a variable is given the number 41; an expression for it and 1, which is shown as 42
	Greet      string // prints "grüß dich 你好 🙂" to standard output, and "psst" to standard error
	Lines      string // prints the lines "1" to "2000" to standard output
	Shown      string // an expression whose value has the text 1764 among its MIME types, or which prints it
	Display    string // shows something in the MIME type DisplayType
	DisplayAs  string
	Fail       string // ends with an error after two lines that are fine
	FailName   string // the error's name
	FailHas    string // part of the error's value
	FailTrace  string // part of the traceback, "": it has none
	Syntax     string // is no program
	Endless    string // computes for ever
	Sleep      string // waits for an hour
	Grow       string // takes memory without end
	Big        string // prints 10,000,000 bytes "x"
	Orphan     string // leaves a process behind which writes the file /work/orphan after two seconds, and ends at once
	Quit       string // ends the program with the exit code 3
	Random     string // prints what differs from session to session unless there is a seed: randomness, the time
	Prefix     string // code whose end can be completed
	Completion string // what is among its completions
	// Lacks says why a question is not asked, by the name of the field that is empty.
	Lacks map[string]string
}

// ask is a question about one session.
type ask struct {
	name, field, code string
	run               func(e *exam)
}

// Exam examines a language. Each question has a session of its own.
func Exam(t *testing.T, l Language) {
	for _, q := range []ask{
		{"state", "Get", l.Get, (*exam).state},
		{"unicode", "Greet", l.Greet, (*exam).unicode},
		{"streams", "Lines", l.Lines, (*exam).streams},
		{"results", "Shown", l.Shown, (*exam).results},
		{"displays", "Display", l.Display, (*exam).displays},
		{"errors", "Fail", l.Fail, (*exam).errors},
		{"syntax", "Syntax", l.Syntax, (*exam).syntax},
		{"interrupt", "Endless", l.Endless, (*exam).interrupt},
		{"interrupted sleep", "Sleep", l.Sleep, (*exam).interruptedSleep},
		{"timeout", "Endless", l.Endless, (*exam).timeout},
		{"memory", "Grow", l.Grow, (*exam).memory},
		{"output", "Big", l.Big, (*exam).output},
		{"restart", "Get", l.Get, (*exam).restart},
		{"completion", "Prefix", l.Prefix, (*exam).completion},
		{"snapshot and fork", "Get", l.Get, (*exam).fork},
		{"seed", "Random", l.Random, (*exam).seed},
		{"process left behind", "Orphan", l.Orphan, (*exam).orphan},
		{"exit code", "Quit", l.Quit, (*exam).quit},
	} {
		t.Run(q.name, func(t *testing.T) {
			if q.code == "" {
				why := l.Lacks[q.field]
				if why == "" {
					t.Fatalf("the language says neither what %s is nor why it has none", q.field)
				}
				t.Skip(why)
			}
			t.Parallel()
			q.run(&exam{T: t, l: l})
		})
	}
}

// exam is one question that is being asked.
type exam struct {
	*testing.T
	l Language
}

// patience bounds what is expected to end by itself. It is long since machines are busy.
const patience = event.Duration(2 * time.Minute)

func (e *exam) session() *session.Session { return e.l.New(e.T, nil, 0) }

// run runs code and expects that it ends with a status.
func (e *exam) run(s *session.Session, code string, want event.Status) event.Execution {
	e.Helper()
	return e.within(s, code, patience, want)
}

func (e *exam) within(s *session.Session, code string, limit event.Duration, want event.Status) event.Execution {
	e.Helper()
	x, err := s.Execute(e.Context(), code, session.Exec{Language: e.l.Name, Bounds: event.Bounds{Timeout: limit, OutputBytes: 1 << 20}}, event.Discard)
	if err != nil {
		e.Fatalf("%q was not run: %v", code, err)
	}
	if x.Status != want {
		e.Fatalf("%q: status %s, want %s: %s%s%+v", code, x.Status, want, x.Message, x.Stderr, x.Error)
	}
	return x
}

// shows says whether an execution shows a text, as its value, as a display or on standard
// output.
func shows(x event.Execution, text string) bool {
	if strings.Contains(x.Stdout, text) {
		return true
	}
	for _, b := range append(x.Displays, x.Result) { // some kernels of Jupyter's send values as displays
		for _, v := range b {
			if strings.Contains(v, text) {
				return true
			}
		}
	}
	return false
}

func (e *exam) is42(s *session.Session) {
	e.Helper()
	if x := e.run(s, e.l.Get, event.OK); !shows(x, "42") {
		e.Errorf("the variable is lost: %q, %v", x.Stdout, x.Result)
	}
}

// state: variables stay from one execution to the next.
func (e *exam) state() {
	s := e.session()
	e.run(s, e.l.Set, event.OK)
	e.is42(s)
	e.is42(s)
}

// unicode: both streams hold what was written.
func (e *exam) unicode() {
	x := e.run(e.session(), e.l.Greet, event.OK)
	if strings.TrimSpace(x.Stdout) != "grüß dich 你好 🙂" || strings.TrimSpace(x.Stderr) != "psst" {
		e.Errorf("got %q and %q", x.Stdout, x.Stderr)
	}
}

// streams: what is printed comes in order, and whole.
func (e *exam) streams() {
	var want strings.Builder
	for i := range 2000 {
		fmt.Fprintln(&want, i+1)
	}
	s := e.session()
	var got strings.Builder
	x, err := s.Execute(e.Context(), e.l.Lines, session.Exec{Language: e.l.Name, Bounds: event.Bounds{Timeout: patience}}, event.SinkFunc(func(ev event.Event) {
		if o, ok := ev.(event.Output); ok && o.Stream == event.Stdout {
			got.Write(o.Data)
		}
	}))
	if err != nil || x.Status != event.OK {
		e.Fatalf("got %+v, %v", x, err)
	}
	if got.String() != want.String() || x.Stdout != want.String() {
		e.Errorf("got %d bytes as events and %d in the result, want %d", got.Len(), len(x.Stdout), want.Len())
	}
}

func (e *exam) results() {
	if x := e.run(e.session(), e.l.Shown, event.OK); !shows(x, "1764") {
		e.Errorf("the value is not shown: %v %q", x.Result, x.Stdout)
	}
}

func (e *exam) displays() {
	x := e.run(e.session(), e.l.Display, event.OK)
	for _, b := range append(x.Displays, x.Result) {
		if b[e.l.DisplayAs] != "" {
			return
		}
	}
	e.Errorf("nothing is shown as %s: %v, %v", e.l.DisplayAs, x.Displays, x.Result)
}

// errors: an error has its parts, and what was done before it stays.
func (e *exam) errors() {
	s := e.session()
	e.run(s, e.l.Set, event.OK)
	x := e.run(s, e.l.Fail, event.Error)
	if x.Error == nil || x.Error.Name != e.l.FailName || !strings.Contains(x.Error.Value, e.l.FailHas) || !strings.Contains(x.Error.Traceback, e.l.FailTrace) {
		e.Errorf("got %+v", x.Error)
	}
	if x.Error != nil && strings.Contains(x.Error.Traceback, "\x1b") {
		e.Errorf("the traceback has colours: %q", x.Error.Traceback)
	}
	e.is42(s)
}

func (e *exam) syntax() {
	s := e.session()
	e.run(s, e.l.Set, event.OK)
	x := e.run(s, e.l.Syntax, event.Error)
	if x.Error == nil || x.Error.Name == "" {
		e.Errorf("got %+v", x.Error)
	}
	e.is42(s)
}

// interrupts runs code that goes on, and interrupts it once it was begun.
func (e *exam) interrupts(code string) {
	s := e.session()
	e.run(s, e.l.Set, event.OK)
	ctx, cancel := context.WithCancel(e.Context())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The code has no way to say that it runs; when it is interrupted before, it does
		// not begin, which is an interrupt as well.
		time.Sleep(time.Second)
		cancel()
	}()
	x, err := s.Execute(ctx, code, session.Exec{Language: e.l.Name, Bounds: event.Bounds{Timeout: patience}}, event.Discard)
	<-done
	if err != nil || x.Status != event.Interrupted {
		e.Fatalf("got %+v, %v, want an interrupt", x, err)
	}
	if x.State != event.Intact {
		e.Fatalf("the interrupt cost the state: %s %s", x.State, x.Message)
	}
	e.is42(s)
}

func (e *exam) interrupt()        { e.interrupts(e.l.Endless) }
func (e *exam) interruptedSleep() { e.interrupts(e.l.Sleep) }

// timeout: code that takes too long ends, and the session goes on.
func (e *exam) timeout() {
	s := e.session()
	e.run(s, e.l.Set, event.OK)
	x := e.within(s, e.l.Endless, event.Duration(time.Second), event.Timeout)
	if x.State == event.Intact {
		e.is42(s)
	}
	e.run(s, e.l.Set, event.OK)
	e.is42(s)
}

// memory: code that takes too much ends with a status that says so, or with an error of
// its own, and the session goes on.
func (e *exam) memory() {
	s := e.l.New(e.T, nil, 768<<20)
	x, err := s.Execute(e.Context(), e.l.Grow, session.Exec{Language: e.l.Name, Bounds: event.Bounds{Timeout: patience}}, event.Discard)
	if err != nil {
		e.Fatal(err)
	}
	if x.Status != event.Memory {
		e.Errorf("status %s, want %s: %s %+v", x.Status, event.Memory, x.Message, x.Error)
	}
	e.run(s, e.l.Set, event.OK)
	e.is42(s)
}

// output: what is over the bound is cut, and said.
func (e *exam) output() {
	s := e.session()
	x := e.run(s, e.l.Big, event.OK)
	if !x.StdoutTruncated || x.StdoutBytes < 10_000_000 || x.StdoutBytes > 10_000_002 || len(x.Stdout) > 2<<20 {
		e.Errorf("%d bytes are said to be written, %d are there, cut: %t", x.StdoutBytes, len(x.Stdout), x.StdoutTruncated)
	}
}

func (e *exam) contextName(s *session.Session) string {
	name := e.l.Name
	if l, ok := s.Languages().Find(name); ok && l.Host != "" {
		name = l.Host
	}
	if r := s.Options().Image.Runtimes; len(r) > 0 && r[0].Language == name {
		return ""
	}
	return name
}

// restart: a new kernel has no variables of the old one.
func (e *exam) restart() {
	s := e.session()
	e.run(s, e.l.Set, event.OK)
	if err := s.Restart(e.Context(), e.contextName(s)); err != nil {
		e.Fatal(err)
	}
	x, err := s.Execute(e.Context(), e.l.Get, session.Exec{Language: e.l.Name, Bounds: event.Bounds{Timeout: patience}}, event.Discard)
	if err != nil || shows(x, "42") {
		e.Errorf("the variable is still there, or nothing runs: %+v, %v", x, err)
	}
	e.run(s, e.l.Set, event.OK)
	e.is42(s)
}

func (e *exam) completion() {
	s := e.session()
	e.run(s, e.l.Set, event.OK)
	err := s.Use(e.Context(), func(c *guest.Client) error {
		var last []string
		// A kernel that is slow to answer completes nothing, for the person who waits: on a
		// busy machine it is asked again, as that person would.
		for range 10 {
			got, err := c.Complete(e.Context(), e.contextName(s), e.l.Prefix, len([]rune(e.l.Prefix)))
			if err != nil || slices.Contains(got.Matches, e.l.Completion) {
				return err
			}
			last = got.Matches
		}
		e.Errorf("%q is completed by %q", e.l.Prefix, last)
		return nil
	})
	if err != nil {
		e.Error(err)
	}
}

// fork: a copy goes on with the variables, and apart.
func (e *exam) fork() {
	s := e.session()
	e.run(s, e.l.Set, event.OK)
	snap, err := s.Snapshot(e.Context())
	if err != nil {
		e.Fatal(err)
	}
	fork, err := s.Fork(e.Context())
	if err != nil {
		e.Fatal(err)
	}
	defer func() { _ = fork.Close() }()
	e.is42(fork)
	e.run(fork, strings.ReplaceAll(e.l.Set, "41", "7"), event.OK)
	if x := e.run(fork, e.l.Get, event.OK); !shows(x, "8") {
		e.Errorf("the fork does not go on: %q %v", x.Stdout, x.Result)
	}
	e.is42(s)
	e.run(s, strings.ReplaceAll(e.l.Set, "41", "1"), event.OK)
	if err := s.Rollback(e.Context(), snap.ID); err != nil {
		e.Fatal(err)
	}
	e.is42(s)
}

// seed: with one seed the same bytes come, without one others.
func (e *exam) seed() {
	printed := func(seed *int64) string {
		x := e.run(e.l.New(e.T, seed, 0), e.l.Random, event.OK)
		return x.Stdout + fmt.Sprint(x.Result)
	}
	seven, eight := int64(7), int64(8)
	if a, b := printed(&seven), printed(&seven); a != b || a == "" {
		e.Errorf("the same seed gives\n%s\nand\n%s", a, b)
	} else if c := printed(&eight); c == a {
		e.Errorf("another seed gives the same: %s", a)
	}
	if a, b := printed(nil), printed(nil); a == b {
		e.Errorf("two sessions without a seed give the same: %s", a)
	}
}

// orphan: a process that code leaves behind holds nothing up, and does what it was
// started for.
func (e *exam) orphan() {
	s := e.session()
	if x := e.run(s, e.l.Orphan, event.OK); x.Usage.WallMS >= 60_000 {
		e.Errorf("it was waited for: %.0f ms", x.Usage.WallMS)
	}
	for range 600 {
		err := s.Use(e.Context(), func(c *guest.Client) error {
			_, err := c.Stat(e.Context(), "/work/orphan")
			return err
		})
		if err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	e.Error("what the code left behind was ended, or did nothing")
}

// quit: a program ends itself with an exit code, and the session goes on.
func (e *exam) quit() {
	s := e.session()
	x, err := s.Execute(e.Context(), e.l.Quit, session.Exec{Language: e.l.Name, Bounds: event.Bounds{Timeout: patience}}, event.Discard)
	if err != nil || x.Error == nil {
		e.Fatalf("got %+v, %v", x, err)
	}
	lang, _ := s.Languages().Find(e.l.Name)
	if code, chosen := lang.Model.ExitCode(x.Error.Name, x.Error.Value); !chosen || code != 3 {
		e.Errorf("the exit code is %d (%t), want 3: %+v", code, chosen, x.Error)
	}
	e.run(s, e.l.Set, event.OK)
	e.is42(s)
}
