package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"praxis/bench/workflow"
	"praxis/internal/bench"
)

// TestStarlark checks that the rival computes what is computed elsewhere: a
// program that it left out would be a fast one.
func TestStarlark(t *testing.T) {
	want := map[string]string{"fib30": "832040", "loop": "2999997", "dicts": "5000", "strings": ""}
	for _, p := range bench.Programs() {
		f, err := load(p)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		got, err := starlark.Call(&starlark.Thread{}, f, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		if want[p.Name] != "" && got.String() != want[p.Name] {
			t.Errorf("%s = %s, want %s", p.Name, got, want[p.Name])
		}
	}
	if s, err := starlarkGo().Seconds(bench.Program{Name: "x", Python: "def f():\n    return zero\n"}); err != nil || s < 0 {
		t.Errorf("a small program: %v, %v", s, err)
	}
	if _, err := starlarkGo().Seconds(bench.Program{Name: "x", Python: "def f(:"}); err == nil {
		t.Error("a program that does not parse: no error")
	}
}

func TestPrinting(t *testing.T) {
	rivals := []bench.Rival{starlarkGo()}
	r := bench.Report{Figures: map[string]bench.Figure{"fib30_ratio": {P50: 1.5, Runs: 3}, "starlark_fib30_ratio": {P50: 7.25, Runs: 3}}}
	var out bytes.Buffer
	if err := printPlans(&out, r, rivals); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nfib30_ratio             1.5 ", "\nstarlark_fib30_ratio    7.25 "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := printTokens(&out, workflow.Report{Workflows: []workflow.Result{{Name: "a", Correct: true}, {Name: "b", Wrong: "off by one"}}}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "both ways") || !strings.HasSuffix(text, "\nb: off by one") {
		t.Errorf("printed\n%s", text)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"other"}, {"-rounds", "0", "plans"}, {"plans", "tokens"}, {"-no"}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); !errors.Is(err, errUsage) {
			t.Errorf("%q: %v", args, err)
		}
	}
}
