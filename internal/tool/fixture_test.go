package tool

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// documented returns the file that the package comment shows.
func documented(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "//\t"); ok {
			b.WriteString(text)
		} else if b.Len() > 0 {
			break
		}
	}
	return b.String()
}

func asProblems(err error) Problems {
	var ps Problems
	errors.As(err, &ps)
	return ps
}

// loaded loads a file that has to be right.
func loaded(t testing.TB, name, text string) *File {
	t.Helper()
	f, err := Load(name, []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", asProblems(err), text)
	}
	return f
}
