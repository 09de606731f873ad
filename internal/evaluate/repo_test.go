package evaluate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRepairs makes every project of the examples, broken as its case says, and takes the
// change back as the replies of a case do.
func TestRepairs(t *testing.T) {
	const dir = "../../examples/repairs"
	f, err := os.Open(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases, err := Read("cases.jsonl", f)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, c := range cases {
		language, _, _ := strings.Cut(c.ID, "-")
		count[language]++
		into := t.TempDir()
		if err := c.Repo.Write(dir, into); err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		for _, b := range c.Repo.Break {
			back := Replacement{Path: b.Path, Old: b.New, New: b.Old}
			if err := back.apply(into); err != nil {
				t.Errorf("%s: %v", c.ID, err)
			}
		}
	}
	for _, language := range []string{"py", "js", "go", "c"} {
		if count[language] < 10 {
			t.Errorf("there are %d projects of %s", count[language], language)
		}
	}
}

func TestRepo(t *testing.T) {
	for text, want := range map[string]string{
		`{"repo": "p", "test": "t"}`:                               "",
		`{"repo": "p", "test": "t", "expect": {"tests": "wrong"}}`: "",
		`{"repo": "p"}`: "there is no test",
		`{"question": "q", "test": "t", "answer": 1}`:                                     "there is no repo",
		`{"question": "q", "expect": {"tests": "pass"}}`:                                  "goes with a project",
		`{"repo": "p", "test": "t", "answer": 1}`:                                         "goes with a project",
		`{"repo": "p", "test": "t", "expect": {"tests": "good"}}`:                         "may be pass, wrong or flaky",
		`{"repo": "p", "test": "t", "break": [{"path": "a", "old": "b\\n", "new": "c"}]}`: "",
	} {
		cases, err := Read("c", strings.NewReader(text))
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v", text, err)
		case want == "" && (err != nil || cases[0].Repo == nil || cases[0].Expect.Tests == "" || len(cases[0].Replies) == 0):
			t.Errorf("%s: %+v, %v", text, cases, err)
		}
	}
	bad := Repo{Path: "../x"}
	if err := bad.Write(".", t.TempDir()); err == nil {
		t.Error("a project outside of the folder was read")
	}
}

func FuzzProject(f *testing.F) {
	f.Add([]byte("a comment\n-- a/b.py --\nx = 1\n-- c --\n"))
	f.Add([]byte("-- ../x --\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files, err := parseProject(text)
		if err != nil {
			return
		}
		for name := range files {
			if !filepath.IsLocal(name) {
				t.Errorf("the file %q is outside of the project", name)
			}
		}
	})
}
