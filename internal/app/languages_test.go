package app

import (
	"testing"

	"praxis/fault"
)

// What is said is kept, also when it is the first of the table: the first that a session's
// image has may be another.
func TestLanguageOf(t *testing.T) {
	for _, c := range []struct{ word, file, want string }{
		{"", "", ""}, {"", "notes.txt", ""},
		{"python", "", "python"}, {"py", "", "python"}, {"", "a/b.py", "python"}, {"", "A.PY", "python"},
		{"js", "", "javascript"}, {"js", "a.py", "javascript"}, {"", "a.mjs", "javascript"}, {"TS", "", "typescript"},
		{"sql", "", "sql"}, {"sh", "", "bash"}, {"rust", "", "rust"}, {"R", "", "r"}, {"", "a/x.R", "r"}, {"", "x.cpp", "cpp"},
	} {
		if got, err := languageOf(Languages(), c.word, c.file); err != nil || got != c.want {
			t.Errorf("%q, %q: got %q, %v", c.word, c.file, got, err)
		}
	}
	if _, err := languageOf(Languages(), "no such", ""); fault.CodeOf(err) != fault.LanguageMissing {
		t.Errorf("got %v", err)
	}
}
