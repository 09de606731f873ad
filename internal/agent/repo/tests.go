package repo

import (
	"path"
	"slices"
	"strings"
)

// maxFailing bounds the names of failing tests that are kept of one run.
const maxFailing = 500

// Protected says which files of a project are tests, or decide how tests are run, when they
// are run by a command: by what the makers of each language's test runners call them, and by
// the program that the command runs. there says whether the project has a file.
func Protected(command string, there func(p string) bool) func(p string) bool {
	named := map[string]bool{}
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()'\"<>", r) })
	for i, w := range words {
		switch path.Base(w) {
		case "make", "gmake":
			for _, p := range []string{"Makefile", "makefile", "GNUmakefile"} {
				named[p] = true
			}
		case "npm", "npx", "yarn", "pnpm":
			named["package.json"] = true
		case "pytest", "py.test", "tox", "nox":
			for _, p := range []string{"pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "noxfile.py"} {
				named[p] = true
			}
		case "python", "python3", "node", "sh", "bash", "deno", "bun":
			if p := program(words[i+1:]); p != "" && there(p) {
				named[p] = true
			}
		}
		if p, ok := strings.CutPrefix(w, "./"); ok && there(path.Clean(p)) {
			named[path.Clean(p)] = true
		}
	}
	return func(p string) bool { return named[p] || isTest(p) }
}

// program is the file that an interpreter runs, by its arguments.
func program(args []string) string {
	for _, a := range args {
		switch {
		case a == "-m" || a == "-c" || a == "-e":
			return ""
		case !strings.HasPrefix(a, "-"):
			return path.Clean(a)
		}
	}
	return ""
}

// isTest says whether a file is one of tests by its name or a folder's above it.
func isTest(p string) bool {
	parts := strings.Split(p, "/")
	for _, folder := range parts[:len(parts)-1] {
		if slices.Contains([]string{"test", "tests", "testdata", "__tests__", "__snapshots__", "spec"}, folder) {
			return true
		}
	}
	name := parts[len(parts)-1]
	stem, ext := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)
	switch ext {
	case ".py":
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "tests" || stem == "test" || stem == "conftest"
	case ".go":
		return strings.HasSuffix(stem, "_test")
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx":
		return strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "-test") || strings.HasPrefix(stem, "test-") || strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "test"
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".sh":
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "test" || stem == "tests"
	}
	return name == "pytest.ini"
}

// Run is what one run of tests came to.
type Run struct {
	Passed  bool
	Why     string   // it did not pass, in a few words
	Failing []string // the names of the tests that failed, as far as the output says them, sorted
	Output  string
}

// Flaky returns the tests that failed in some of the runs of the same files and not in others:
// one that differs although nothing was changed says nothing about a change.
func Flaky(runs []Run) []string {
	count, passed := map[string]int{}, 0
	for _, r := range runs {
		if r.Passed {
			passed++
		}
		for _, name := range r.Failing {
			count[name]++
		}
	}
	var out []string
	for name, n := range count {
		if n < len(runs) {
			out = append(out, name)
		}
	}
	if len(out) == 0 && passed > 0 && passed < len(runs) {
		out = []string{"the tests as a whole"}
	}
	slices.Sort(out)
	return out
}

// Excused says whether a run failed by nothing but tests that are known to be flaky.
func (r Run) Excused(flaky []string) bool {
	if r.Passed || len(r.Failing) == 0 {
		return false
	}
	return !slices.ContainsFunc(r.Failing, func(name string) bool { return !slices.Contains(flaky, name) })
}

// Failing reads from what a test runner prints which tests failed: pytest, unittest, go test,
// the runner of Node, and everything that speaks TAP. Of others there are no names.
func Failing(output string) []string {
	var out []string
	add := func(name string) {
		if name = strings.TrimSpace(name); name != "" && len(name) <= 200 {
			out = append(out, name)
		}
	}
	for line := range strings.SplitSeq(output, "\n") {
		text := strings.TrimSpace(line)
		switch {
		case cut(&text, "--- FAIL: "), cut(&text, "FAIL: "), cut(&text, "ERROR: ") && strings.Contains(text, " ("):
			name, _, _ := strings.Cut(text, " (0")
			add(name)
		case cut(&text, "FAILED "), cut(&text, "ERROR "):
			name, _, _ := strings.Cut(text, " - ")
			if strings.Contains(name, "::") || strings.HasSuffix(name, ".py") {
				add(name)
			}
		case cut(&text, "not ok "):
			number, name, named := strings.Cut(text, " ")
			name, _, _ = strings.Cut(name, " # ")
			if strings.Contains(text, "# TODO") || strings.Contains(text, "# SKIP") {
				continue
			}
			if name = strings.TrimPrefix(strings.TrimSpace(name), "- "); !named || name == "" {
				name = number
			}
			add(name)
		case cut(&text, "✖ "):
			name, _, _ := strings.Cut(text, " (0")
			if name != "failing tests:" {
				add(name)
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), maxFailing)]
}

func cut(text *string, prefix string) bool {
	rest, ok := strings.CutPrefix(*text, prefix)
	if ok {
		*text = rest
	}
	return ok
}
