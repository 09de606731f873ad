package replay

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
)

const assertions = `set bound 7
def test_total():
  check total 7
def test_wrong():
  show total
  check total 8
def helper():
  raise Never called
def test_after():
  check bound 7`

func assertText(t *testing.T, a Assertions) string {
	t.Helper()
	var b bytes.Buffer
	if err := a.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func results(a Assertions) string {
	var out []string
	for _, r := range a.Tests {
		out = append(out, r.Name+" "+r.word())
	}
	return strings.Join(out, ", ")
}

func TestAssert(t *testing.T) {
	for _, withSnapshots := range []bool{true, false} {
		w := newWorld(t)
		rec := w.ask("r", fiveSteps)
		before := maps.Clone(w.snapshots)
		if !withSnapshots {
			w.lose()
		}
		got, err := Assert(t.Context(), w.config(), rec, "rules.py", assertions)
		if err != nil || got.OK || results(got) != "rules.py ok, test_total ok, test_wrong FAIL, test_after ok" {
			t.Fatalf("snapshot kept %t: %v\n%s", withSnapshots, err, assertText(t, got))
		}
		if (got.Snapshot == rec.FinalState()) != withSnapshots || (got.Replay == nil) != withSnapshots {
			t.Errorf("snapshot kept %t: state %q, replay %+v", withSnapshots, got.Snapshot, got.Replay)
		}
		if f := got.Tests[2]; f.Output != "7\n" || !strings.Contains(f.Detail, "AssertionError: 7 is not 8") {
			t.Errorf("the failure: %+v", f)
		}
		if out := assertText(t, got); !strings.Contains(out, "FAIL    test_wrong\n    line: check total 8\n") || !strings.Contains(out, "it printed:\n    7\n") || !strings.Contains(out, "\n3 ok, 1 failed in ") {
			t.Errorf("text:\n%s", out)
		}
		if w.closed != w.opened-1 {
			t.Errorf("%d sessions opened, %d closed", w.opened, w.closed)
		}
		if withSnapshots && len(w.snapshots) != len(before) || withSnapshots && w.snapshots[rec.FinalState()].vars["bound"] != "" {
			t.Error("the snapshot has changed")
		}
		if got, err := Assert(t.Context(), w.config(), rec, "rules.py", "check total 7"); err != nil || !got.OK {
			t.Errorf("snapshot kept %t: without functions: %v\n%s", withSnapshots, err, assertText(t, got))
		}
	}
}

// TestAssertInAnotherState checks that a replay that differs is reported, and that
// no assertion passes then.
func TestAssertInAnotherState(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	w.lose()
	w.bend["show"] = func(x *event.Execution) { x.Stdout = "8\n" }
	got, err := Assert(t.Context(), w.config(), rec, "rules.py", "check total 7")
	if err != nil || got.OK || !got.Tests[0].OK || !strings.Contains(assertText(t, got), "differs, first in step 3; what is asserted is the state of the replay") {
		t.Errorf("%v\n%s", err, assertText(t, got))
	}
}

func TestAssertStops(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	tests := map[string]string{
		"raise ImportError x\ndef test_a():\n  show x":                          "f.py FAIL, test_a not run",
		"def test_a():\n  die\ndef test_b():\n  show x":                         "f.py ok, test_a FAIL, test_b not run",
		"def test_a():\n  raise A x\ndef test_a():\n  show x\ndef test():\n  #": "f.py ok, test_a ok, test ok",
		"def test_a():\n  raise A \x1b[31m" + strings.Repeat("x", 3*maxOutput):  "f.py ok, test_a FAIL",
	}
	for code, want := range tests {
		got, err := Assert(t.Context(), w.config(), rec, "f.py", code)
		if err != nil || results(got) != want {
			t.Errorf("%.40q: %v: %s, want %s", code, err, results(got), want)
		}
		if out := assertText(t, got); strings.Contains(out, "\x1b") {
			t.Errorf("text:\n%q", out)
		}
	}
	if _, err := Assert(t.Context(), w.config(), rec, "f.py", " \n"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an empty file: %v", err)
	}
	w.cut("r", "execution_ended", 2)
	w.lose()
	if _, err := Assert(t.Context(), w.config(), w.load("r"), "f.py", "show x"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a run that was not finished: %v", err)
	}
}

func TestTestNames(t *testing.T) {
	const code = "def test_a(): pass\nasync def test_b():\n    def test_inner(): pass\ndef test():\n  pass\ndef testing(): pass\nclass T:\n  def test_c(self): pass\n# def test_d():\ndef\ttest_e (x=1): pass"
	var got []string
	for _, m := range testRE.FindAllStringSubmatch(code, -1) {
		got = append(got, m[2])
	}
	if want := []string{"test_a", "test_b", "test", "test_e"}; !slices.Equal(got, want) {
		t.Errorf("tests %q, want %q", got, want)
	}
}

func TestFolder(t *testing.T) {
	w := newWorld(t)
	w.ask("good", fiveSteps)
	w.ask("bad", strings.Replace(fiveSteps, "show total", "show total\nerr bend", 1))
	w.bend["bend"] = func(x *event.Execution) { x.Stderr += "more\n" }
	dir := t.TempDir()
	for name, content := range map[string]string{"b/bad.praxis": "bad", "a.praxis": "good", "c.praxis": "none", "d.txt": "", "e.praxis": "damaged"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opened, closed := 0, 0
	s := Suite{Config: w.config(), Bundle: func(_ context.Context, path string) (Bundle, error) {
		data, err := os.ReadFile(path)
		if err == nil && string(data) == "damaged" {
			err = fault.New(fault.Conflict, "Export it again.", "cannot open %s: record 3 is changed", path)
		}
		if err != nil {
			return Bundle{}, err
		}
		opened++
		return Bundle{Source: w, Run: string(data), Close: func() error { closed++; return nil }}, nil
	}}
	var out bytes.Buffer
	s.Done = func(r Result) {
		if err := r.Text(&out); err != nil {
			t.Error(err)
		}
	}
	results, totals, err := Test(t.Context(), dir, s)
	if err != nil || totals.Runs != 4 || totals.OK != 1 || totals.Failed != 1 || totals.Errors != 2 || opened != closed {
		t.Fatalf("%v: %+v, %d opened, %d closed", err, totals, opened, closed)
	}
	var got []string
	for _, r := range results {
		got = append(got, r.File+" "+r.Status)
	}
	if want := "a.praxis ok, b/bad.praxis fail, c.praxis error, e.praxis error"; strings.Join(got, ", ") != want {
		t.Errorf("results %q, want %s", got, want)
	}
	if err := totals.Text(&out); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"ok    a.praxis (", "FAIL  b/bad.praxis (", "step 3: differs: stderr", "+more", "ERROR c.praxis (", "there is none", "record 3 is changed\n    → Export it again.", "FAIL: 4 runs: 1 identical, 1 different, 2 could not be replayed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("text has no %q:\n%s", want, out.String())
		}
	}
	if _, _, err := Test(t.Context(), filepath.Join(dir, "none"), s); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no such folder: %v", err)
	}
	if _, _, err := Test(t.Context(), t.TempDir(), s); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "holds no run") {
		t.Errorf("an empty folder: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.Open = func(ctx context.Context, want event.SessionBegan) (Opened, error) {
		cancel()
		return w.open(ctx, want)
	}
	if _, _, err := Test(ctx, dir, s); fault.KindOf(err) != fault.Canceled {
		t.Errorf("canceled: %v", err)
	}
}

// TestTraced checks that a person reads about the file, not about how it was run.
func TestTraced(t *testing.T) {
	const frames = `  File "<cell 4>", line 11, in test_bad
    assert y == 22
           ^^^^^^^
  File "<cell 2>", line 1, in f
AssertionError
`
	const call = `  File "<cell 6>", line 1, in <module>
    test_bad(); None
    ~~~~~~~~^^
`
	const head = "Traceback (most recent call last):\n"
	want := head + strings.Replace(frames, "<cell 4>", "checks.py", 1)
	a := &asserting{out: Assertions{File: "checks.py"}, ran: 2}
	if got := a.traced(head + call + frames); got != want {
		t.Errorf("a test:\n%s", got)
	}
	a.ran = 0
	if got := a.traced(head + frames); got != want {
		t.Errorf("the file:\n%s", got)
	}
	for _, odd := range []string{"", "killed", `  File "<cell 99999999999999999999>", line 1` + "\n"} {
		if got := a.traced(odd); got != odd {
			t.Errorf("%q became %q", odd, got)
		}
	}
	syntax := "  File \"<cell 3>\", line 2\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n"
	if got := a.traced(syntax); got != strings.Replace(syntax, "<cell 3>", "checks.py", 1) {
		t.Errorf("syntax:\n%s", got)
	}
}
