package python

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// cell is one input of a language file and what must come of it.
//
// A file in testdata is a list of cases split by lines of "---", each begun by
// "# name". Code stands behind ">>> " and "... " as in a doctest. Behind it
// come the expectations, one line each: "result: text", "stdout: line",
// "stderr: line", "traceback: line", "hint: text", "display: line", "error: Name: message",
// "exit: code", "mime: type" (of the result). A key that ends in "~" holds a
// regular expression for the whole. What is not expected must be empty, except
// for a traceback and a hint. All cases of a file run in one kernel, one after the other,
// so that a cell that breaks the kernel fails those behind it.
type cell struct {
	line int
	code string
	want map[string][]string
}

var expectation = regexp.MustCompile(`^(result|stdout|stderr|traceback|hint|display|error|exit|mime)(~?):(?: (.*))?$`)

func TestCells(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no language files: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			runFile(t, path, string(data))
		})
	}
}

func runFile(t *testing.T, path, text string) {
	k := start(t, nil)
	line := 1
	for _, part := range strings.Split(text, "\n---\n") {
		name, cells := parseCase(t, path, line, part)
		t.Run(name, func(t *testing.T) {
			k.T = t
			for _, c := range cells {
				check(t, fmt.Sprintf("%s:%d", path, c.line), c, k.Run(c.code))
			}
			if got := k.Text("20 + 3"); got != "23" {
				t.Errorf("%s: afterwards 20 + 3 is %q", path, got)
			}
		})
		k.T = t
		if t.Failed() && k.Cmd.ProcessState != nil {
			return
		}
		line += strings.Count(part, "\n") + 2
	}
}

func parseCase(t *testing.T, path string, line int, text string) (string, []cell) {
	t.Helper()
	name := ""
	var cells []cell
	for i, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		switch m := expectation.FindStringSubmatch(l); {
		case strings.HasPrefix(l, "# "):
			name = l[2:]
		case strings.HasPrefix(l, ">>> "):
			cells = append(cells, cell{line: line + i, code: l[4:] + "\n", want: map[string][]string{}})
		case len(cells) > 0 && (l == "..." || strings.HasPrefix(l, "... ")):
			cells[len(cells)-1].code += strings.TrimPrefix(l[3:], " ") + "\n"
		case len(cells) > 0 && m != nil:
			want := cells[len(cells)-1].want
			want[m[1]+m[2]] = append(want[m[1]+m[2]], m[3])
		case l != "":
			t.Fatalf("%s:%d: cannot read %q", path, line+i, l)
		}
	}
	if name == "" || len(cells) == 0 {
		t.Fatalf("%s:%d: a case without a name or a cell", path, line)
	}
	return name, cells
}

func check(t *testing.T, where string, c cell, o cellResult) {
	t.Helper()
	got := map[string]string{
		"result": o.Done.Result["text"],
		"stdout": strings.TrimSuffix(o.Stdout, "\n"),
		"stderr": strings.TrimSuffix(o.Stderr, "\n"),
	}
	var texts, mimes []string
	for _, d := range o.Displays {
		texts = append(texts, d["text"])
	}
	got["display"] = strings.Join(texts, "\n")
	for mime := range o.Done.Result {
		if mime != "text" {
			mimes = append(mimes, mime)
		}
	}
	if e := o.Done.Error; e != nil {
		got["error"] = strings.TrimSuffix(e.Name+": "+e.Value, ": ")
		got["traceback"] = strings.TrimSuffix(e.Traceback, "\n")
		got["hint"] = e.Hint
	}
	if o.Done.ExitCode != nil {
		got["exit"] = fmt.Sprint(*o.Done.ExitCode)
	}
	for _, key := range []string{"result", "stdout", "stderr", "display", "error", "traceback", "hint", "exit"} {
		if patterns, ok := c.want[key+"~"]; ok {
			if !regexp.MustCompile("(?s)" + strings.Join(patterns, "\n")).MatchString(got[key]) {
				t.Errorf("%s: %s does not match %q:\n%s", where, key, patterns, got[key])
			}
			continue
		}
		lines, ok := c.want[key]
		if want := strings.Join(lines, "\n"); got[key] != want && (ok || key != "traceback" && key != "hint") {
			t.Errorf("%s: %s is\n%s\nwant\n%s\n(traceback %s)", where, key, got[key], want, got["traceback"])
		}
	}
	for _, mime := range c.want["mime"] {
		if _, ok := o.Done.Result[mime]; !ok {
			t.Errorf("%s: the result has no %s, only %q", where, mime, mimes)
		}
	}
	if len(c.want["mime"]) == 0 && len(mimes) > 0 {
		t.Errorf("%s: the result has %q besides its text", where, mimes)
	}
}
