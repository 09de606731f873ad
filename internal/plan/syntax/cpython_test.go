package syntax_test

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/plan/syntax"
	"praxis/internal/test/cpython"
)

var (
	all    = flag.Bool("all", false, "compare all files, not a sample")
	update = flag.Bool("update", false, "write what CPython says into testdata/broken.txt")
	python = flag.String("python", "", "compare with this interpreter, of Python 3.14, instead of the embedded one")
)

//go:embed testdata/dump.py
var dumpScript string

// oracle is a CPython that shows how it reads programs.
type oracle struct {
	t   testing.TB
	in  *json.Encoder
	out *bufio.Reader
}

func newOracle(t testing.TB) *oracle {
	path := *python
	if path == "" {
		path = cpython.Start(t).Path()
	}
	cmd := exec.Command(path, "-I", "-c", dumpScript)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	return &oracle{t, json.NewEncoder(stdin), bufio.NewReaderSize(stdout, 1<<20)}
}

func (o *oracle) request(answer any, what, arg string) {
	o.t.Helper()
	if err := o.in.Encode([]string{what, arg}); err != nil {
		o.t.Fatal(err)
	}
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		o.t.Fatal(err)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		o.t.Fatal(err)
	}
}

func (o *oracle) text(what, arg string) string {
	o.t.Helper()
	var s string
	o.request(&s, what, arg)
	return s
}

// left says whether a program is refused because the plan language leaves out what it uses.
func left(errs []*syntax.Error) bool {
	return len(errs) > 0 && strings.Contains(errs[0].Message, "not supported")
}

// verdict is what we say of a program: the line of its first error, or "ok".
func verdict(src []byte) string {
	_, errs := syntax.Parse(src, syntax.Options{})
	switch {
	case left(errs):
		return "left out"
	case len(errs) > 0:
		return fmt.Sprintf("line %d", errs[0].Pos.Line)
	}
	return "ok"
}

// theirs is what CPython says of a program in the same words.
func (o *oracle) theirs(src string) string {
	text := o.text("parse", src)
	if _, rest, ok := strings.Cut(text, " "); ok && text != "ok" && !strings.HasPrefix(text, "too much") {
		line, _, _ := strings.Cut(rest, ":")
		return "line " + line
	}
	return text
}

// read returns the cases of a file of testdata.
func read(t testing.TB, name string) []string {
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n---\n")
}

// brokenCase is a program that is refused. want is what CPython says of it,
// ours what we say, where that differs and why is fine.
type brokenCase struct{ src, want, ours string }

// broken reads testdata/broken.txt. Each program is followed by a line `#= …`
// with the line of CPython's error and, where ours differs, one `#! …`.
func broken(t testing.TB) []brokenCase {
	var list []brokenCase
	for _, text := range read(t, "broken.txt") {
		src, rest, ok := strings.Cut(text, "\n#= ")
		if !ok {
			t.Fatalf("a case has no line #=: %q", text)
		}
		want, ours, ok := strings.Cut(rest, "\n#! ")
		if !ok {
			ours = want
		}
		list = append(list, brokenCase{src, want, ours})
	}
	return list
}

func TestBroken(t *testing.T) {
	differ := 0
	for _, c := range broken(t) {
		if got := verdict([]byte(c.src)); got != c.ours {
			t.Errorf("%q:\n got %s\nwant %s", c.src, got, c.ours)
		}
		if c.ours != c.want {
			differ++
		}
	}
	t.Logf("%d programs are refused at another line than by CPython", differ)
}

func TestBrokenInCPython(t *testing.T) {
	o := newOracle(t)
	cases := broken(t)
	var out []string
	for _, c := range cases {
		want := o.theirs(c.src)
		if want != c.want && !*update {
			t.Errorf("%q:\nCPython says %s\n    not that %s", c.src, want, c.want)
		}
		text := c.src + "\n#= " + want
		if ours := verdict([]byte(c.src)); ours != want {
			text += "\n#! " + ours
		}
		out = append(out, text)
	}
	if *update {
		if err := os.WriteFile("testdata/broken.txt", []byte(strings.Join(out, "\n---\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// layouts are programs whose bytes a text file does not keep.
func layouts() []string {
	return []string{
		"x = 1\r\nif x:\r\n    y = \"a\\\r\nb\"\r\n    z = \"\"\"c\r\nd\"\"\"\r\n",
		"x = 1\ry = 2\r",
		"\x0cx = 1\n\x0c\ndef f():\n  \x0c  pass\n",
		"  \n\t\n",
		"", "\n", "x", "# comment", "x # comment", "\\\n\nx", "if a:\n\n\n  b\n\n\n", "if a:\n  b\n  # c\n", "if a:\n  b\n# c\n  d\n",
		"\ufeffx = 1\n", "x = 1\\\n  + 2\n", "if a:\n  \\\n  b\n", "def f():\n  pass\n  \n\t",
		"x = 1\n    \n    # c\n", "f'''\r\n{x}\r\n'''\r\n", "f'''{x\r\n=}'''\r\n",
	}
}

func TestValid(t *testing.T) {
	o := newOracle(t)
	for _, src := range append(read(t, "valid.txt"), layouts()...) {
		m, errs := syntax.Parse([]byte(src), syntax.Options{})
		want := o.text("dump", src)
		if len(errs) > 0 {
			t.Errorf("%q: %v; CPython: %.200s", src, errs[0], want)
			continue
		}
		compare(t, src, syntax.Dump(m, true), want)
	}
}

// compare reports where two dumps part.
func compare(t testing.TB, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	from := max(0, i-150)
	t.Errorf("%.200q:\n got …%.300s\nwant …%.300s", what, got[from:], want[from:])
}

// TestFiles compares our trees of installed Python files with CPython's, and
// the errors of those that it refuses: a few hundred of its own standard
// library, with -all every one, and the packages installed on the machine.
func TestFiles(t *testing.T) {
	o := newOracle(t)
	roots := []string{o.text("library", "")}
	if *all {
		out, err := exec.Command("python3", "-c", "import sys; print('\\n'.join(p for p in sys.path if p))").Output()
		if err != nil {
			t.Logf("no installed packages are compared: %v", err)
		}
		roots = append(roots, strings.Fields(string(out))...)
	}
	n, bytes := 0, 0
	for _, root := range roots {
		var files []string
		o.request(&files, "files", root)
		for i, path := range files {
			if !*all && i%3 != 0 {
				continue
			}
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			n, bytes = n+1, bytes+len(src)
			o.compareFile(path, src)
		}
	}
	t.Logf("%d files, %d bytes", n, bytes)
	if n < 150 {
		t.Errorf("only %d files were compared", n)
	}
}

// compareFile compares the parse of one file with CPython's.
func (o *oracle) compareFile(path string, src []byte) {
	m, errs := syntax.Parse(src, syntax.Options{})
	want := o.text("sum", path)
	if left(errs) || strings.Contains(want, "encoding") {
		return
	}
	if len(errs) > 0 {
		if !strings.Contains(want, "Error") {
			o.t.Errorf("%s: %v, but CPython reads it", path, errs[0])
		}
		return
	}
	if sum := sha256.Sum256([]byte(syntax.Dump(m, true))); hex.EncodeToString(sum[:]) != want {
		o.t.Errorf("%s: the trees differ, or CPython refuses it: %s", path, want)
		compare(o.t, path, syntax.Dump(m, true), o.text("dump", string(src)))
	}
}
