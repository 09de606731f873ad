package worlds_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var (
	programs = flag.Int("programs", 150, "how many generated plans are run in each mode")
	first    = flag.Uint64("first", 1, "the seed of the first")
	most     = flag.Int("most", 3, "how many failures are shown")
	only     = flag.String("only", "", "a file with the one plan to run")
	every    = flag.Int("every", 1, "how many plans are made of each statement")
)

// modes are the names of the two modes, the normal one first.
var modes = [2]string{"normal", "strict"}

// TestWorlds runs generated plans in two worlds, in both modes.
func TestWorlds(t *testing.T) {
	o := newOracle(t)
	if *only != "" {
		src, err := os.ReadFile(*only)
		if err != nil {
			t.Fatal(err)
		}
		for mode, name := range modes {
			t.Logf("%s: %+v", name, o.safely(string(src), mode == 1))
		}
		return
	}
	g := newGrammar(t)
	for mode, name := range modes {
		t.Run(name, func(t *testing.T) {
			sum := &summary{t: t, o: o, strict: mode == 1}
			for i := range uint64(*programs) {
				sum.try(fmt.Sprint("seed ", *first+i), g.program(*first+i, mode == 1))
			}
			sum.log()
		})
	}
}

// TestStatements makes plans of each statement that changes something.
func TestStatements(t *testing.T) {
	o, g := newOracle(t), newGrammar(t)
	for mode, name := range modes {
		t.Run(name, func(t *testing.T) {
			sum := &summary{t: t, o: o, strict: mode == 1}
			for _, statement := range g.statements(mode == 1) {
				for n := range *every {
					sum.try(fmt.Sprintf("statement %q, plan %d", statement, n), g.of(statement, n))
				}
			}
			sum.log()
		})
	}
}

// TestCases runs the plans that were written by hand.
func TestCases(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.py")
	if err != nil {
		t.Fatal(err)
	}
	o := newOracle(t)
	for _, part := range strings.Split("\n"+string(text), "\n--- ")[1:] {
		title, src, _ := strings.Cut(part, "\n")
		branches := strings.HasPrefix(title, "[branches]")
		for mode, name := range modes {
			if branches && mode == 0 {
				continue
			}
			got := o.safely(src+"\n", mode == 1)
			if got.refused != "" || got.leak != "" || got.unsafe != "" {
				t.Errorf("%s, mode %s: %s%s%s\n%s", title, name, got.refused, got.leak, got.unsafe, numbered(src))
			}
		}
	}
}

// summary counts what came of plans in one mode, and shows what failed.
type summary struct {
	t                                    *testing.T
	o                                    oracle
	strict                               bool
	plans, failures, calls, seen, failed int
	refused                              map[string]int
}

func (s *summary) try(what, src string) {
	s.t.Helper()
	got := s.o.safely(src, s.strict)
	s.plans, s.calls, s.seen, s.failed = s.plans+1, s.calls+got.calls, s.seen+got.seen, s.failed+got.failed
	if got.refused != "" {
		if s.refused == nil {
			s.refused = map[string]int{}
		}
		s.refused[strings.SplitN(got.refused, "\n", 2)[0]]++
	}
	if got.leak == "" && got.unsafe == "" {
		return
	}
	if s.failures++; s.failures > *most {
		s.t.Errorf("%s: %s %s", what, got.leak, got.unsafe)
		return
	}
	short := shrink(src, func(less string) bool { return s.o.safely(less, s.strict).like(got) })
	got = s.o.safely(short, s.strict)
	s.t.Errorf("%s: %s %s\n%s", what, got.leak, got.unsafe, numbered(short))
}

// log says what was tried. Plans that the check refuses would show nothing.
func (s *summary) log() {
	s.t.Helper()
	refused := 0
	for _, why := range slices.Sorted(maps.Keys(s.refused)) {
		refused += s.refused[why]
		s.t.Log(s.refused[why], why)
	}
	s.t.Logf("%d plans, %d failures, %d calls, %d seen, %d runs ended early, %d refused", s.plans, s.failures, s.calls, s.seen, s.failed, refused)
	if refused > s.plans/20 || s.seen < s.plans {
		s.t.Error("too many plans show nothing")
	}
}
