package replay

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/lazyregexp"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

// maxTests bounds the functions of one file of assertions.
const maxTests = 1000

// Assertions says which of a person's assertions are true in the final state of a run.
type Assertions struct {
	Run      string         `json:"run"`
	File     string         `json:"file"`
	OK       bool           `json:"ok"`       // all of them are true, in the state that the run ended with
	Snapshot string         `json:"snapshot"` // the state; empty: the run was replayed to its end
	Replay   *Report        `json:"replay"`   // how the replay compares, when there was one
	Tests    []Assertion    `json:"tests"`
	Took     event.Duration `json:"took_ms"`
}

// Assertion is the result of one test: a function test_*, or what the file does
// outside of functions, which has the name of the file.
type Assertion struct {
	Name   string         `json:"name"`
	OK     bool           `json:"ok"`
	NotRun bool           `json:"not_run,omitempty"` // because what came before it failed
	Detail string         `json:"detail,omitempty"`  // the traceback, or why it ended; as the guest wrote it
	Output string         `json:"output,omitempty"`  // stdout of a test that failed, bounded
	Took   event.Duration `json:"took_ms"`
}

// maxOutput bounds what is kept of the output of a test that failed, in bytes.
const maxOutput = 4096

// testRE finds the functions that are tests, the asynchronous ones too.
var testRE = lazyregexp.New(`(?m)^(async[ \t]+)?def[ \t]+(test_\w*|test)[ \t]*\(`)

// Assert runs a file of Python in the session of a run as it was at its end:
// with its variables and its files. The file's own statements come first, then
// each of its functions test_*, without arguments. Nothing of it is kept.
//
// The state is that of the run's last snapshot. When that is gone the run is
// replayed to its end; when the replay differs its state is another one, which
// the result says, and OK is false then.
//
// The assertions run beside what the run's code has left: code that means to
// deceive them can, as it can replace what they call.
func Assert(ctx context.Context, cfg Config, rec Recording, file, code string) (Assertions, error) {
	if rec.sessionless() {
		return Assertions{}, fault.New(fault.Invalid, "Assert on a run with code.", "cannot assert on run %s: its model called tools alone, so that there is no session", rec.ID)
	}
	if rec.Session == nil {
		return Assertions{}, rec.replayable()
	}
	if strings.TrimSpace(code) == "" {
		return Assertions{}, fault.New(fault.Invalid, "Write assert statements, or functions whose names begin with test_.",
			"cannot assert: %s is empty", file)
	}
	tests := testRE.FindAllStringSubmatch(code, -1)
	if len(tests) > maxTests {
		return Assertions{}, fault.New(fault.Invalid, "Split the file.", "cannot assert: %s has %d tests, and the bound is %d", file, len(tests), maxTests)
	}
	began := time.Now()
	a := asserting{out: Assertions{Run: rec.ID, File: file}, code: code, tests: tests, bounds: rec.Began.Bounds, sink: cfg.Sink}
	if a.sink == nil {
		a.sink = event.Discard
	}
	err := a.inState(ctx, cfg, rec)
	a.out.Took = event.Duration(time.Since(began))
	a.out.OK = err == nil && (a.out.Replay == nil || a.out.Replay.Identical) &&
		!slices.ContainsFunc(a.out.Tests, func(t Assertion) bool { return !t.OK })
	return a.out, err
}

// asserting runs the tests of a file.
type asserting struct {
	out    Assertions
	code   string
	tests  [][]string // of testRE
	bounds event.Bounds
	sink   event.Sink
	ran    int // how many pieces of code were executed
}

// inState opens the final state and runs the tests in it.
func (a *asserting) inState(ctx context.Context, cfg Config, rec Recording) (err error) {
	a.out.Snapshot, a.out.Replay, err = AtEnd(ctx, cfg, rec, a.all)
	return err
}

// AtEnd does something in the session of a run as it was at its end: in the state of its last
// snapshot, whose id it returns, or when the run was replayed, with the report of that.
func AtEnd(ctx context.Context, cfg Config, rec Recording, do func(context.Context, run.Session) error) (snapshot string, report *Report, err error) {
	id := rec.FinalState()
	if id != "" && cfg.FromSnapshot != nil {
		s, gone := cfg.FromSnapshot(ctx, id)
		if gone == nil {
			e := rerun{open: s}
			defer e.close(&err)
			return id, nil, do(ctx, s)
		}
		if kind := fault.KindOf(gone); kind != fault.NotFound && kind != fault.Conflict {
			return "", nil, gone
		}
	}
	if !rec.Finished() {
		return "", nil, fault.New(fault.Conflict, "Choose a run that was finished.",
			"cannot go to the end of run %s: it was not finished, and its last state is not stored", rec.ID)
	}
	var failed error
	again, err := replay(ctx, cfg, rec, func(ctx context.Context, s run.Session) { failed = do(ctx, s) })
	if err == nil {
		report, err = &again, failed
	}
	return "", report, err
}

// all runs the file and then its functions.
func (a *asserting) all(ctx context.Context, s run.Session) error {
	failed := ""
	one := func(name, code string) error {
		if failed != "" {
			a.out.Tests = append(a.out.Tests, Assertion{Name: name, NotRun: true, Detail: failed})
			return nil
		}
		t, state, err := a.one(ctx, s, name, code)
		if err != nil {
			return err
		}
		a.out.Tests = append(a.out.Tests, t)
		if state != event.Intact {
			failed = "the state was lost in " + name
		}
		return nil
	}
	if err := one(a.out.File, a.code); err != nil {
		return err
	}
	if failed == "" && !a.out.Tests[0].OK {
		failed = a.out.File + " failed before its functions were called"
	}
	done := map[string]bool{}
	for _, m := range a.tests {
		name, call := m[2], m[2]+"()"
		if m[1] != "" {
			call = "__import__('asyncio').run(" + call + ")"
		}
		if done[name] {
			continue // the later one replaces the earlier one
		}
		done[name] = true
		// The value is not read: a repr may fail, and what is returned says nothing.
		if err := one(name, call+"; None"); err != nil {
			return err
		}
	}
	return nil
}

// one runs one piece of code.
func (a *asserting) one(ctx context.Context, s run.Session, name, code string) (Assertion, event.State, error) {
	if err := ctx.Err(); err != nil {
		return Assertion{}, "", fault.New(fault.Canceled, "", "cannot assert: %w", err)
	}
	began := time.Now()
	x, err := s.Execute(ctx, "", code, a.bounds, a.sink)
	t := Assertion{Name: name, OK: err == nil && x.Status == event.OK, Took: event.Duration(time.Since(began))}
	if fault.KindOf(err) == fault.Invalid { // it was refused before it ran
		x, err = event.Execution{Message: err.Error(), State: event.Intact}, nil
	}
	if err != nil {
		return t, "", fmt.Errorf("cannot run %s: %w", name, err)
	}
	if !t.OK {
		t.Detail, t.Output = a.traced(detail(x)), safetext.Clip(x.Stdout, maxOutput)
	}
	a.ran++
	return t, x.State, nil
}

// frameRE finds the outermost frame of a traceback, and what it shows of it.
var frameRE = lazyregexp.New(`(?m)^  File "<cell (\d+)>", line \d+(?:, in .*)?\n(?:    .*\n)*`)

// traced makes a traceback speak of the file that the person wrote: the kernel
// numbers what it is given, and knows no names. The call of a test, which the
// person did not write, is left out. What does not look like that stays as it is.
func (a *asserting) traced(detail string) string {
	at := frameRE.FindStringSubmatchIndex(detail)
	if at == nil {
		return detail
	}
	n, err := strconv.Atoi(detail[at[2]:at[3]])
	if err != nil {
		return detail
	}
	if a.ran > 0 {
		detail = detail[:at[0]] + detail[at[1]:]
	}
	return strings.ReplaceAll(detail, fmt.Sprintf("File \"<cell %d>\"", n-a.ran), fmt.Sprintf("File %q", a.out.File))
}

// detail says why code failed.
func detail(x event.Execution) string {
	var parts []string
	if x.Error != nil && x.Error.Traceback != "" {
		parts = append(parts, strings.TrimRight(x.Error.Traceback, "\n"))
	} else if x.Error != nil {
		parts = append(parts, raisedText(x.Error))
	}
	if message := x.Cause(); message != "" {
		parts = append(parts, message)
	}
	if len(parts) == 0 {
		parts = append(parts, x.Status.String())
	}
	return strings.ToValidUTF8(strings.Join(parts, "\n"), "\uFFFD")
}

// Text writes the result for a person.
func (a Assertions) Text(w io.Writer) error {
	var b strings.Builder
	switch {
	case a.Replay == nil:
		fmt.Fprintf(&b, "run %s, in its state %s\n", a.Run, a.Snapshot)
	case a.Replay.Identical:
		fmt.Fprintf(&b, "run %s, replayed to its end: identical\n", a.Run)
	default:
		fmt.Fprintf(&b, "run %s, replayed to its end: %s; what is asserted is the state of the replay\n", a.Run, a.Replay.Headline())
	}
	count := map[string]int{}
	for _, t := range a.Tests {
		word := t.word()
		count[word]++
		fmt.Fprintf(&b, "%-7s %s", word, safetext.Line(t.Name))
		if t.NotRun {
			b.WriteString(": " + safetext.Line(t.Detail))
		}
		b.WriteByte('\n')
		if !t.OK && !t.NotRun {
			indent(&b, t.Detail)
			if t.Output != "" {
				b.WriteString("  it printed:\n")
				indent(&b, t.Output)
			}
		}
	}
	rest := ""
	if n := count["not run"]; n > 0 {
		rest = fmt.Sprintf(", %d not run", n)
	}
	if a.Replay != nil && !a.Replay.Identical {
		rest += ", in a state that is not the run's,"
	}
	fmt.Fprintf(&b, "%d ok, %d failed%s in %s\n", count["ok"], count["FAIL"], rest, seconds(a.Took))
	_, err := io.WriteString(w, b.String())
	return err
}

func (t Assertion) word() string {
	switch {
	case t.OK:
		return "ok"
	case t.NotRun:
		return "not run"
	}
	return "FAIL"
}

// indent writes a text of the guest, line by line.
func indent(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("    " + safetext.Line(strings.TrimSuffix(line, "\n")) + "\n")
	}
}
