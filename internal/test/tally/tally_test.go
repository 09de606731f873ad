package tally_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/agent/action"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/llm"
	"praxis/internal/record/report"
	"praxis/internal/run"
	"praxis/internal/test/tally"
)

// table is what a program with a second language has: a line more.
func table() language.Table {
	return language.Table{
		python.Language(),
		tally.Language(),
	}
}

func TestAction(t *testing.T) {
	l := tally.Language()
	for name, r := range map[string]llm.Reply{
		"fence":         {Text: "I count.\n```tally\nn = 1\n```"},
		"short fence":   {Text: "```tly\nn = 1\n```"},
		"version":       {Text: "```tally1.0\nn = 1\n```"},
		"element":       {Text: "<execute_tally>n = 1</execute_tally>"},
		"call":          {Calls: []llm.Call{{Name: "execute_tally", Input: map[string]any{"code": "n = 1"}}}},
		"usual call":    {Calls: []llm.Call{{Name: "run_tally", Input: map[string]any{"tally": "n = 1"}}}},
		"written call":  {Text: `{"name": "tally_interpreter", "arguments": {"code": "n = 1"}}`},
		"untagged":      {Text: "```\nn = 1\n```"},
		"beside others": {Text: "```python\nn = 2\n```\n```tally\nn = 1\n```"},
	} {
		p, err := action.Parse(r, language.Table{l})
		if err != nil || p.Action.Kind != action.Run || p.Action.Text != "n = 1" {
			t.Errorf("%s: got %+v, %v", name, p.Action, err)
		}
	}
	_, err := action.Parse(llm.Reply{Text: "```python\nn = 1\n```"}, language.Table{l})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "only Tally is run") || !strings.Contains(fault.RemedyOf(err), "execute_tally") || !strings.Contains(fault.RemedyOf(err), "```tally") {
		t.Errorf("got %v, %s", err, fault.RemedyOf(err))
	}
	if _, err := action.Parse(llm.Reply{Calls: []llm.Call{{Name: "execute_python", Input: map[string]any{"code": "1"}}}}, language.Table{l}); err == nil {
		t.Error("a call for code in another language was taken")
	}
}

// session is one whose image has nothing but tally.
type session struct{ ran []string }

func (s *session) Execute(_ context.Context, _, code string, _ event.Bounds, _ event.Sink) (event.Execution, error) {
	s.ran = append(s.ran, code)
	return event.Execution{Status: event.OK, State: event.Intact, Stdout: "it is 7\n"}, nil
}

func (*session) WriteFile(context.Context, string, io.Reader) error { return nil }

func (*session) Snapshot(context.Context) (run.Snapshot, error) {
	return run.Snapshot{}, errors.New("it has none")
}

func (*session) Describe() event.SessionBegan {
	return event.SessionBegan{Session: "s", Image: event.Image{Name: "tally", Languages: []event.Language{{Name: "tally", Version: "1.2"}}}}
}

// records keeps the events of a run.
type records struct{ list []event.Record }

func (r *records) Emit(e event.Event) {
	r.list = append(r.list, event.Record{Seq: int64(len(r.list)), Event: e})
}
func (*records) Err() error { return nil }
func (*records) Keep(context.Context, string, io.Reader) (string, int64, string, error) {
	return "", 0, "", nil
}

// model gives one reply after the other, and keeps what it was sent.
type model struct {
	replies []string
	sent    []llm.Request
}

func (*model) Name() string { return "test:model" }

func (*model) Traits() llm.Traits { return llm.Traits{Local: true} }

func (m *model) Complete(_ context.Context, r llm.Request, _ func(string)) (llm.Reply, error) {
	m.sent = append(m.sent, r)
	text := m.replies[len(m.sent)-1]
	return llm.Reply{Text: text}, nil
}

// A run whose image has tally is asked for, done and reported in tally.
func TestRun(t *testing.T) {
	m := &model{replies: []string{"```tally\nn = 7 ; days\nsay it is 7\n```", "FINAL ANSWER: It is {{ n }}.", "FINAL ANSWER: It is 7."}}
	s, rec := &session{}, &records{}
	task := run.Task{
		Began: event.RunBegan{Kind: event.Ask, Question: "How many?", Model: "test:model", MaxSteps: 5}, Languages: table(),
		Open: func(context.Context) (run.Session, error) { return s, nil },
	}
	rec.Emit(task.Began)
	answer, err := run.Ask(t.Context(), task, agent.Config{Model: m, Now: func() time.Time { return time.Time{} }}, rec)
	if err != nil || answer.Text != "It is 7." {
		t.Fatalf("got %+v, %v", answer, err)
	}
	if len(s.ran) != 1 || s.ran[0] != "n = 7 ; days\nsay it is 7" {
		t.Errorf("ran %q", s.ran)
	}
	system := m.sent[0].System
	for _, want := range []string{"You have a Tally session", "- Tally 1.2 with nothing else", "execute_tally", "```tally\nsay hello\n```"} {
		if !strings.Contains(system, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
	if strings.Contains(system, "ython") || strings.Contains(system, "{{") {
		t.Errorf("the prompt speaks of another language:\n%s", system)
	}
	last := m.sent[2].Messages
	if text := last[len(last)-1].Text; !strings.Contains(text, "Tally has none") {
		t.Errorf("a placeholder was answered with %q", text)
	}
	for _, r := range rec.list {
		if e, ok := r.Event.(event.ExecutionBegan); ok && e.Language != "tally" {
			t.Errorf("got %+v", e)
		}
	}
	checkReports(t, report.Run{ID: "r", Languages: table(), Records: rec.list})
}

func checkReports(t *testing.T, r report.Run) {
	t.Helper()
	var md, page, book, text bytes.Buffer
	if err := errors.Join(report.Markdown(&md, r), report.HTML(&page, r), report.Notebook(&book, r), report.Transcript(&text, r, report.Options{Colour: true})); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(md.String(), "```tally\nn = 7 ; days\nsay it is 7\n```") {
		t.Errorf("Markdown:\n%s", md.String())
	}
	if !strings.Contains(page.String(), `<span class="c">; days`) || !strings.Contains(page.String(), `<span class="k">say </span>`) {
		t.Errorf("the page has no colours of tally")
	}
	if !strings.Contains(text.String(), "; days\x1b[") {
		t.Errorf("the transcript has no colours of tally: %q", text.String())
	}
	var note struct {
		Metadata struct {
			Kernel struct {
				Display  string `json:"display_name"`
				Language string `json:"language"`
				Name     string `json:"name"`
			} `json:"kernelspec"`
			Language struct {
				Name      string `json:"name"`
				Extension string `json:"file_extension"`
				MIME      string `json:"mimetype"`
			} `json:"language_info"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(book.Bytes(), &note); err != nil {
		t.Fatal(err)
	}
	k, l := note.Metadata.Kernel, note.Metadata.Language
	if k.Display != "Tally 1.2" || k.Language != "tally" || k.Name != "tally" || l.Name != "tally" || l.Extension != ".tally" || l.MIME != "text/x-tally" {
		t.Errorf("got %+v", note.Metadata)
	}
}

// What a table does not have is shown by its name, without colours.
func TestUnknown(t *testing.T) {
	l := table().Named("cobol")
	if l.Fence() != "cobol" || l.Display != "cobol" || len(l.Spans("x")) != 1 || l.NeedsMore("x") || l.Extension() != "" {
		t.Errorf("got %+v", l)
	}
	if l := table().Named("a`b\x1b"); l.Fence() != "" {
		t.Errorf("a fence %q", l.Fence())
	}
	if l := table().Named(""); l.Name != "python" {
		t.Errorf("got %s", l.Name)
	}
	if l := (language.Table{}).Named(""); l.Name != "" || l.Fence() != "" {
		t.Errorf("got %+v", l)
	}
	if _, ok := table().Find(""); ok {
		t.Error("the empty name was found")
	}
	for name, want := range map[string]bool{"python": true, "c99": true, "": false, "C": false, "9": false, "a-b": false, strings.Repeat("a", 33): false} {
		if language.ValidName(name) != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
	if l := tally.Language(); !l.NeedsMore("n =") || l.NeedsMore("n") {
		t.Error("the language is not asked whether more is to come")
	}
}
