package evaluate

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"praxis/internal/agent/repo"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
)

// What becomes of the tests of a project.
const (
	TestsPass  = "pass"  // they pass with the change that was made
	TestsWrong = "wrong" // they cannot pass, and the answer says so
	TestsFlaky = "flaky" // they fail only at times, and nothing is changed
	TestsFail  = "fail"  // none of these
)

// Repo is a project that is to be repaired: a folder, or a file of the form that txtar has
// (Go's golang.org/x/tools/txtar), with the changes that break it.
type Repo struct {
	Path  string // beside the file of cases
	Test  string // the command that runs the tests
	Break []Replacement
}

// Replacement replaces a text that stands in a file exactly once.
type Replacement struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// maxProject bounds a project in one file, in bytes.
const maxProject = 4 << 20

// Write makes the project in a folder that is there and empty. base is the folder of the file
// of cases.
func (r *Repo) Write(base, dir string) error {
	if !filepath.IsLocal(r.Path) {
		return fmt.Errorf("cannot use project %s: it is outside of the folder of the cases", safetext.Quote(r.Path))
	}
	from := filepath.Join(base, r.Path)
	info, err := os.Stat(from)
	if err != nil {
		return fmt.Errorf("cannot read project: %w", err)
	}
	if info.IsDir() {
		err = os.CopyFS(dir, os.DirFS(from))
	} else {
		err = unpack(from, dir)
	}
	if err != nil {
		return fmt.Errorf("cannot read project %s: %w", safetext.Line(r.Path), err)
	}
	for _, b := range r.Break {
		if err := b.apply(dir); err != nil {
			return fmt.Errorf("cannot break project %s: %w", safetext.Line(r.Path), err)
		}
	}
	return nil
}

func (b Replacement) apply(dir string) error {
	if !filepath.IsLocal(b.Path) {
		return fmt.Errorf("%s is outside of it", safetext.Quote(b.Path))
	}
	name := filepath.Join(dir, b.Path)
	text, err := bounded.ReadFile(name, maxProject)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), b.Old); n != 1 || b.Old == "" {
		return fmt.Errorf("%s stands %d times in %s, and must stand there once", safetext.Quote(b.Old), n, safetext.Line(b.Path))
	}
	return os.WriteFile(name, []byte(strings.Replace(string(text), b.Old, b.New, 1)), 0o644)
}

func unpack(from, dir string) error {
	text, err := bounded.ReadFile(from, maxProject)
	if err != nil {
		return err
	}
	files, err := parseProject(text)
	if err != nil {
		return err
	}
	for name, data := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// parseProject reads the files of a text: each behind a line "-- NAME --".
func parseProject(text []byte) (map[string][]byte, error) {
	files := map[string][]byte{}
	name := ""
	for line := range bytes.Lines(text) {
		head, is := strings.CutPrefix(strings.TrimRight(string(line), "\r\n"), "-- ")
		if head, is2 := strings.CutSuffix(head, " --"); is && is2 && strings.TrimSpace(head) != "" {
			name = strings.TrimSpace(head)
			if _, twice := files[name]; twice || !filepath.IsLocal(name) || strings.Contains(name, "\x00") {
				return nil, fmt.Errorf("the file %s is there twice, or outside of the project", safetext.Quote(name))
			}
			files[name] = []byte{}
			continue
		}
		if name != "" {
			files[name] = append(files[name], line...)
		}
	}
	if len(files) == 0 {
		return nil, errors.New("it holds no file")
	}
	return files, nil
}

// repairReplies are those of a model that takes the changes back.
func (r *Repo) repairReplies() []string {
	var b strings.Builder
	for _, c := range slices.Backward(r.Break) {
		code, _ := repo.Code("edit", map[string]any{"path": c.Path, "old": c.New, "new": c.Old})
		b.WriteString(code + "\n")
	}
	return []string{"```python\n" + b.String() + "```", "FINAL ANSWER: The change was taken back."}
}
