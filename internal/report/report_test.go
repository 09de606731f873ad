package report_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"praxis/internal/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a report with the file of its name.
func golden(t *testing.T, name string, write func(w io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s differs (go test -update writes it anew):\n%s", name, report.Lines(string(want), b.String(), "golden", "got"))
	}
	return b.Bytes()
}

// runs are the runs that each format is tested with.
func runs(t testing.TB) map[string]report.Run {
	return map[string]report.Run{"usual": usual(t), "rare": rare(t), "code": code()}
}

func TestTranscript(t *testing.T) {
	for name, run := range runs(t) {
		golden(t, name+".txt", func(w io.Writer) error { return report.Transcript(w, run, report.Options{}) })
	}
	golden(t, "usual-colour.txt", func(w io.Writer) error {
		return report.Transcript(w, usual(t), report.Options{Colour: true})
	})
	golden(t, "usual-step1.txt", func(w io.Writer) error { return report.Transcript(w, usual(t), report.Options{Step: 1}) })
	golden(t, "rare-step1.txt", func(w io.Writer) error { return report.Transcript(w, rare(t), report.Options{Step: 1}) })
}

func TestMarkdown(t *testing.T) {
	for name, run := range runs(t) {
		golden(t, name+".md", func(w io.Writer) error { return report.Markdown(w, run) })
	}
}

func TestHTML(t *testing.T) {
	for name, run := range runs(t) {
		golden(t, name+".html", func(w io.Writer) error { return report.HTML(w, run) })
	}
}
