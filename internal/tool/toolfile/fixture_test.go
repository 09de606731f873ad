package toolfile

import (
	"errors"
	"os"
	"strings"
	"testing"

	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
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

func asProblems(err error) jsondoc.Problems {
	var ps jsondoc.Problems
	errors.As(err, &ps)
	return ps
}

// loaded loads a file that has to be right.
func loaded(t testing.TB, name, text string) *tool.File {
	t.Helper()
	f, err := Load(name, []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", asProblems(err), text)
	}
	return f
}
