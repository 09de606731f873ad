package report_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/record/report"
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
	return map[string]report.Run{"usual": usual(t), "rare": rare(t), "code": code(), "plan": planned(), "tools": equipped(), "attempts": attempts()}
}

func TestTranscript(t *testing.T) {
	hints := report.Options{LeftOut: "a step alone shows them", Picture: "a page shows it"}
	for name, run := range runs(t) {
		golden(t, name+".txt", func(w io.Writer) error { return report.Transcript(w, run, hints) })
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

func TestNotebook(t *testing.T) {
	for name, run := range runs(t) {
		golden(t, name+".ipynb", func(w io.Writer) error { return report.Notebook(w, run) })
	}
}

// other is the usual run with another model, image, input, code and ending.
func other(t testing.TB) report.Run {
	run := usual(t)
	run.ID = "20261122-101010-aaaa"
	for i, r := range run.Records {
		switch e := r.Event.(type) {
		case event.RunBegan:
			e.Model = "openai:gpt-5"
			r.Event = e
		case event.SessionBegan:
			e.Session = "s-77"
			e.Image.Packages = []event.Package{{Name: "numpy", Version: "2.3.4"}, {Name: "pandas", Version: "2.4.0"}}
			r.Event = e
		case event.FileGiven:
			e.SHA256 = strings.ReplaceAll(e.SHA256, "0", "a")
			r.Event = e
		case event.ExecutionEnded:
			e.Execution.Usage.WallMS *= 3
			if e.Step == 2 {
				e.Execution.Stdout = "a new line " + hostile
				e.Execution.Displays = []event.Bundle{{"image/png": pixel}}
				e.Execution.Changes = e.Execution.Changes[:1]
			}
			r.Event = e
		case event.AnswerGiven:
			e.Text = strings.Replace(e.Text, "1204.50", "1204.51", 1)
			r.Event = e
		}
		run.Records[i] = r
	}
	return run
}

func TestDiff(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b report.Run
		opt  report.Options
		same bool
	}{
		"diff-same.txt":   {a: usual(t), b: usual(t), same: true},
		"diff-other.txt":  {a: usual(t), b: other(t)},
		"diff-colour.txt": {a: usual(t), b: other(t), opt: report.Options{Colour: true, Step: 2}},
		"diff-step.txt":   {a: usual(t), b: other(t), opt: report.Options{Step: 1}, same: true},
		"diff-rare.txt":   {a: rare(t), b: usual(t)},
		"diff-code.txt":   {a: code(), b: rare(t)},
	} {
		golden(t, name, func(w io.Writer) error {
			same, err := report.Diff(w, tt.a, tt.b, tt.opt)
			if same != tt.same {
				t.Errorf("%s: the same: %v", name, same)
			}
			return err
		})
	}
}

func TestTranscriptOfAStepThatIsNot(t *testing.T) {
	for _, step := range []int{4, -1} {
		err := report.Transcript(io.Discard, usual(t), report.Options{Step: step})
		if fault.KindOf(err) != fault.NotFound || fault.RemedyOf(err) == "" || !strings.HasSuffix(err.Error(), "it has 3 steps") {
			t.Errorf("step %d: %v", step, err)
		}
	}
	if err := report.Transcript(io.Discard, code(), report.Options{Step: 1}); err != nil {
		t.Errorf("the code of a run without steps: %v", err)
	}
}

// full is a disk that takes no more.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFullDisk(t *testing.T) {
	_, diff := report.Diff(full{}, usual(t), other(t), report.Options{})
	for name, err := range map[string]error{
		"transcript": report.Transcript(full{}, usual(t), report.Options{}),
		"markdown":   report.Markdown(full{}, usual(t)),
		"html":       report.HTML(full{}, usual(t)),
		"notebook":   report.Notebook(full{}, usual(t)),
		"diff":       diff,
	} {
		if err == nil || err.Error() != "cannot write: no space left" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The records of nothing, and of the least, are shown without a failure.
func TestLittle(t *testing.T) {
	for name, run := range map[string]report.Run{
		"none":  {ID: "r"},
		"began": {ID: "r", Records: records(event.RunBegan{Kind: event.Ask, Question: "q", Model: "m"})},
		"ended": {ID: "r", Records: records(event.RunEnded{Status: event.Failed, Reason: "no model"})},
		"torn": {ID: "r", Records: records(event.ExecutionEnded{}, event.ModelReplied{Thought: "t"}, event.ToolReturned{ID: "1"}, event.ApprovalGiven{}, event.StepBegan{N: 0},
			event.StepBegan{N: 5}, event.StepBegan{N: 5}, event.SnapshotTaken{Step: 5, Snapshot: "s"}, event.AnswerGiven{Text: "a"}, event.AnswerGiven{Text: "b"}, event.RunBegan{Kind: event.Code}, event.RunBegan{})},
	} {
		var b bytes.Buffer
		run.Languages = languages
		if err := errors.Join(report.Transcript(&b, run, report.Options{}), report.Markdown(&b, run)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(b.String(), "begun, not finished") != (name == "ended") {
			t.Errorf("%s:\n%s", name, b.String())
		}
		var page, book bytes.Buffer
		if err := errors.Join(report.HTML(&page, run), report.Notebook(&book, run)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := errors.Join(checkPage(page.Bytes()), checkNotebook(book.Bytes())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPictures(t *testing.T) {
	var got []string
	for _, p := range report.Pictures(rare(t)) {
		got = append(got, fmt.Sprintf("%s %s of step %d, %dx%d, %d bytes", p.Name, p.MIME, p.Step, p.Width, p.Height, len(p.Data)))
	}
	want := []string{"figure-1.png image/png of step 2, 1x1, 70 bytes", "figure-2.svg image/svg+xml of step 2, 0x0, 250 bytes", "display-1.html text/html of step 2, 0x0, 186 bytes", "display-2.html text/html of step 2, 0x0, 236 bytes", "display-3.html text/html of step 2, 0x0, 215 bytes"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDiffOfABranch compares a branch with the run that it was made from: what
// it took over is no difference.
func TestDiffOfABranch(t *testing.T) {
	whole := usual(t)
	branch := report.Run{ID: "20260101-000000-ffff"}
	taking := true
	for _, r := range whole.Records {
		switch e := r.Event.(type) {
		case event.RunBegan:
			e.Parent = &event.Parent{Run: whole.ID, Step: 2, Change: "edited code"}
			r.Event, taking = e, true
		case event.FileGiven:
			taking = false
		case event.StepBegan:
			taking = e.N >= 2
		}
		if taking {
			branch.Records = append(branch.Records, r)
		}
	}
	var out strings.Builder
	same, err := report.Diff(&out, whole, branch, report.Options{})
	if err != nil || !same || !strings.Contains(out.String(), "step 1 is that of run "+whole.ID) {
		t.Errorf("same %v, %v:\n%s", same, err, out.String())
	}
}

// TestPictureAsAnswer shows a picture that is the answer in it, and not in its step alone.
func TestPictureAsAnswer(t *testing.T) {
	svg := func(file, text string) event.Bundle {
		return event.Bundle{"text": "a chart", "image/svg+xml": "<svg>" + text + "</svg>", event.FileMIME: file}
	}
	run := report.Run{ID: "20260101-000000-aaaa", Languages: languages, Records: records(
		event.RunBegan{Kind: event.Ask, Question: "Which?"}, event.StepBegan{N: 1}, event.ExecutionBegan{Step: 1, Code: "answer(chart)"},
		event.ExecutionEnded{Step: 1, Execution: event.Execution{Status: event.OK, Displays: []event.Bundle{svg("/work/answer.svg", "old"), svg("/work/other.svg", "other"), svg("/work/answer.svg", "new")}}},
		event.AnswerGiven{Text: "answer.svg", Files: []string{"/work/answer.svg", "/work/table.csv"}}, event.RunEnded{Status: event.Answered},
	)}
	var b bytes.Buffer
	if err := report.HTML(&b, run); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(b.String(), `id="answer"`)
	answer, _, _ := strings.Cut(rest, "</section>")
	if strings.Count(answer, "<img ") != 1 || !strings.Contains(answer, base64.StdEncoding.EncodeToString([]byte("<svg>new</svg>"))) {
		t.Errorf("the answer is shown as\n%s", answer)
	}
}
