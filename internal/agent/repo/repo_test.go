package repo_test

import (
	"slices"
	"strings"
	"testing"

	"praxis/internal/agent/repo"
)

func TestCode(t *testing.T) {
	for _, tt := range []struct {
		name  string
		input map[string]any
		want  string
	}{
		{"read", map[string]any{"path": "a.py"}, `print(read("a.py"))`},
		{"read", map[string]any{"path": "a.py", "from": 3.0, "to": 9.0}, `print(read("a.py", 3, 9))`},
		{"read", map[string]any{"path": "a.py", "to": "9"}, `print(read("a.py", last=9))`},
		{"read", map[string]any{"path": "a.py", "from": 1.5}, `raise TypeError("the argument from of read is no whole number")`},
		{"search", map[string]any{"pattern": `\bx"`}, `print(search("\\bx\""))`},
		{"edit", map[string]any{"path": "a", "old": "a\nb", "new": "c"}, "print(edit(\"a\", '''a\nb''', \"c\"))"},
		{"edit", map[string]any{"path": "a", "old": "x"}, `raise TypeError("edit lacks the argument new")`},
		{"write", map[string]any{"path": "a", "text": "it's '''\n\\"}, `print(write("a", "it's '''\n\\"))`},
		{"shell", map[string]any{"command": 7.0}, `raise TypeError("the argument command of shell is no text")`},
	} {
		if got, is := repo.Code(tt.name, tt.input); got != tt.want || !is {
			t.Errorf("%s %v:\n%s\nwant\n%s", tt.name, tt.input, got, tt.want)
		}
	}
	if _, is := repo.Code("final_answer", nil); is {
		t.Error("the answer is taken for a function")
	}
}

func TestFailing(t *testing.T) {
	for name, tt := range map[string]struct {
		output string
		want   []string
	}{
		"pytest":   {"FAILED tests/test_a.py::test_one - assert 1 == 2\nERROR tests/test_b.py - ImportError\n1 failed in 0s\n", []string{"tests/test_a.py::test_one", "tests/test_b.py"}},
		"unittest": {"FAIL: test_one (test_a.T.test_one)\n------\nERROR: test_two (test_a.T.test_two)\nERROR: cannot connect\n", []string{"test_one (test_a.T.test_one)", "test_two (test_a.T.test_two)"}},
		"go":       {"--- FAIL: TestF (0s)\n    --- FAIL: TestF/sub (0s)\nFAIL\nFAIL\tp\t0s\n", []string{"TestF", "TestF/sub"}},
		"node":     {"not ok 1 - adds\n  ---\n    not ok 2 - sub # time=1\nok 3 - fine\nnot ok 4 - later # TODO\n", []string{"adds", "sub"}},
		"spec":     {"✖ adds (0ms)\n✖ failing tests:\n", []string{"adds"}},
		"c":        {"FAIL: wraps\nok: grows\nnot ok 3\n", []string{"3", "wraps"}},
		"none":     {"Segmentation fault\n", nil},
	} {
		if got := repo.Failing(tt.output); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestFlaky(t *testing.T) {
	run := func(failing ...string) repo.Run { return repo.Run{Passed: len(failing) == 0, Failing: failing} }
	for name, tt := range map[string]struct {
		runs []repo.Run
		want []string
	}{
		"broken":  {[]repo.Run{run("a", "b"), run("a", "b")}, nil},
		"one":     {[]repo.Run{run("a", "b"), run("a"), run("a", "b")}, []string{"b"}},
		"passes":  {[]repo.Run{run("a"), run()}, []string{"a"}},
		"no name": {[]repo.Run{{}, {Passed: true}}, []string{"the tests as a whole"}},
		"once":    {[]repo.Run{run("a")}, nil},
	} {
		if got := repo.Flaky(tt.runs); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if !run("b").Excused([]string{"b"}) || run("a", "b").Excused([]string{"b"}) || (repo.Run{}).Excused([]string{"b"}) {
		t.Error("a run is excused by flaky tests alone")
	}
}

func TestProtected(t *testing.T) {
	tree := []string{"calc.py", "test_calc.py", "tests/data.json", "Makefile", "check.py", "pyproject.toml", "calc.c", "test_calc.c", "run.sh", "src/a.js", "src/a.test.js", "package.json", "a_test.go", "latest.py", "contest.go"}
	for command, want := range map[string]string{
		"python -m unittest":                     "test_calc.py tests/data.json test_calc.c src/a.test.js a_test.go",
		"python3 -m pytest -q":                   "test_calc.py tests/data.json pyproject.toml test_calc.c src/a.test.js a_test.go",
		"make check":                             "test_calc.py tests/data.json Makefile test_calc.c src/a.test.js a_test.go",
		"python check.py --fast":                 "test_calc.py tests/data.json check.py test_calc.c src/a.test.js a_test.go",
		"cc calc.c test_calc.c -o /tmp/t && ./t": "test_calc.py tests/data.json test_calc.c src/a.test.js a_test.go",
		"./run.sh":                               "test_calc.py tests/data.json test_calc.c run.sh src/a.test.js a_test.go",
		"npm test":                               "test_calc.py tests/data.json test_calc.c src/a.test.js package.json a_test.go",
	} {
		is := repo.Protected(command, func(p string) bool { return slices.Contains(tree, p) })
		var got []string
		for _, p := range tree {
			if is(p) {
				got = append(got, p)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", command, strings.Join(got, " "), want)
		}
	}
}

func FuzzFailing(f *testing.F) {
	f.Add("--- FAIL: TestF (0s)\nnot ok 1 - a\nFAILED a::b - c\n")
	f.Fuzz(func(t *testing.T, output string) {
		for _, name := range repo.Failing(output) {
			if name == "" || len(name) > 200 {
				t.Errorf("the name %q", name)
			}
		}
	})
}

func FuzzCode(f *testing.F) {
	f.Add("edit", "a", "b\n'''", "\\")
	f.Fuzz(func(t *testing.T, name, path, old, text string) {
		code, is := repo.Code(name, map[string]any{"path": path, "old": old, "new": text, "pattern": old, "command": text, "text": text})
		if is && strings.ContainsAny(code, "\r\x00") {
			t.Errorf("code with a character that ends a line: %q", code)
		}
	})
}
