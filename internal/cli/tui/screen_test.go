package tui

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/cli/format"
	"praxis/internal/language"
	"praxis/internal/language/python"
)

// languages are those of the code in these tests.
var languages = language.Table{python.Language()}

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// conversation is a run with a failure, its correction, a rejected reply, a
// picture, a hostile guest and a figure that nothing computed.
func conversation(scripted bool) []event.Event {
	out := func(s string) event.Event { return event.Output{Stream: event.Stdout, Data: []byte(s)} }
	return []event.Event{
		event.RunBegan{Question: "What is the mean?\nOf all.", Model: "scripted:x", Scripted: scripted, Files: []string{"a.csv", "b\x1b[2J.csv"}, MaxSteps: 10},
		event.StepBegan{N: 1},
		event.ModelDelta{Step: 1, Text: "I read the "},
		event.ModelDelta{Step: 1, Text: "file.\n\nThen I compute.\n```py"},
		event.ModelDelta{Step: 1, Text: "thon\nimport csv\n```\n"},
		event.ModelReplied{Step: 1, Thought: "I read the file.\n\nThen I compute.", Tokens: event.Tokens{Input: 812, Output: 40}, Took: event.Duration(1234 * time.Millisecond)},
		event.ExecutionBegan{Step: 1, Code: "import csv  # a comment\n\ndef mean(xs):\n    return sum(xs) / \"2\"\n\nmean([1, 2.5])\n"},
		out("read 3 rows\nhalf a "),
		out("line \x1b]0;owned\x07and \x07"),
		event.Output{Stream: event.Stderr, Data: []byte("\nwarned\n")},
		event.ExecutionEnded{Step: 1, Execution: event.Execution{Status: event.Error, State: event.Intact,
			Error: &event.Raised{Name: "TypeError", Value: "no", Traceback: "Traceback (most recent call last):\n  File \"<cell 1>\", line 4, in mean\nTypeError: no\n"},
			Usage: event.Usage{WallMS: 12.4, PeakMemoryBytes: 34 << 20}}},
		event.StepBegan{N: 2},
		event.ModelReplied{Step: 2, Thought: "I have no action.", Took: event.Duration(time.Millisecond)},
		event.ReplyRejected{Step: 2, Reason: "there is no code in it"},
		event.StepBegan{N: 3},
		event.ModelReplied{Step: 3, Thought: "", Took: event.Duration(time.Millisecond)},
		event.ExecutionBegan{Step: 3, Code: "plot()"},
		event.Display{Bundle: event.Bundle{"text": "<Figure>", "image/png": "UE5H"}},
		event.Display{Bundle: event.Bundle{"text": "shown"}},
		event.ExecutionEnded{Step: 3, Execution: event.Execution{Status: event.OK, State: event.Intact,
			Result: event.Bundle{"text": "1.75"}, Usage: event.Usage{WallMS: 800, PeakMemoryBytes: 40 << 20}}},
		event.StepBegan{N: 4},
		event.ModelDelta{Step: 4, Text: "FINAL ANSWER: The mean is {{ m }}."},
		event.ModelReplied{Step: 4, Took: event.Duration(time.Millisecond)},
		event.AnswerGiven{Text: "The mean is 1.75, of 99.", Figures: []event.Figure{
			{Text: "1.75", Expression: "m", Source: "computed"}, {Text: "99", Source: "unverified"}}},
		event.RunEnded{Status: event.Answered, Steps: 4, Tokens: event.Tokens{Input: 900, Output: 80}, Took: event.Duration(2 * time.Second)},
		event.FileSaved{Path: "out/figure-1.png", Bytes: 3},
	}
}

func TestScreen(t *testing.T) {
	for _, c := range []struct {
		name     string
		colours  bool
		scripted bool
	}{{"plain.txt", false, true}, {"colours.txt", true, false}} {
		var b bytes.Buffer
		s := NewScreen(&b, c.colours, 80, languages)
		for _, e := range conversation(c.scripted) {
			s.Emit(e)
		}
		if err := s.Finish(""); err != nil {
			t.Fatal(err)
		}
		golden(t, c.name, b.String())
		if !c.colours && strings.ContainsRune(b.String(), 0x1b) {
			t.Errorf("%s: an escape got through", c.name)
		}
	}
}

func TestScreenNoAnswer(t *testing.T) {
	var b bytes.Buffer
	s := NewScreen(&b, false, 80, languages)
	s.Emit(event.RunBegan{Question: "q", Model: "m", MaxSteps: 1})
	s.Emit(event.StepBegan{N: 1})
	s.Emit(event.ExecutionBegan{Step: 1, Code: "while True: pass"})
	s.Emit(event.ExecutionEnded{Step: 1, Execution: event.Execution{Status: event.Timeout, Message: "the time limit of 30s was reached"}})
	s.Emit(event.RunEnded{Status: event.Unanswered, Reason: "the budget of 1 step is used up", Steps: 1})
	if err := s.Finish("\nthe code made 1 file: add --out DIR to save it"); err != nil {
		t.Fatal(err)
	}
	golden(t, "no-answer.txt", b.String())
}

// TestScreenTools shows what the agent asks of tools, its own notes among them,
// and that a long conversation was shortened.
func TestScreenTools(t *testing.T) {
	var b bytes.Buffer
	s := NewScreen(&b, false, 40, languages)
	s.Wrap = 40
	for _, e := range []event.Event{
		event.HistoryCondensed{Step: 2, Messages: 1, Bytes: 4096, Summary: "so far"},
		event.ToolCalled{Step: 2, ID: "2.1", Tool: "save_note", Arguments: map[string]any{
			"text": "The sales of all regions together are 24239.\nIn dollars\x1b[2J.", "tags": []string{"sales", "total"}}},
		event.ToolReturned{Step: 2, ID: "2.1", Result: `{"id":"71"}`, Took: event.Duration(20 * time.Millisecond)},
		event.ToolCalled{Step: 3, ID: "3.1", Tool: "search\x1b[m", Arguments: map[string]any{"query": strings.Repeat("x", 3000)}},
		event.ToolReturned{Step: 3, ID: "3.1", Error: "the index\nis gone", Took: event.Duration(time.Second)},
	} {
		s.Emit(e)
	}
	golden(t, "tools.txt", b.String())
}

// TestScreenHidesNothing checks that what a person reads is what runs, asks or
// is meant, whatever sequences a model or a file brings.
func TestScreenHidesNothing(t *testing.T) {
	const hidden = `open("/work/x", "w")`
	for _, c := range []struct {
		name string
		e    event.Event
		want string
	}{
		{"OSC in code", event.ExecutionBegan{Code: "x = 2; \"\x1b]\"; " + hidden + "; \"\x1b\\\"; print(x)"},
			`x = 2; "\x1b]"; ` + hidden + `; "\x1b\"; print(x)`},
		{"CSI in code", event.ExecutionBegan{Code: "\"\x1b[\"; 0; " + hidden}, `"\x1b["; 0; ` + hidden},
		{"C1 in code", event.ExecutionBegan{Code: "\"\u009d\"; " + hidden}, `"\x9d"; ` + hidden},
		{"direction in code", event.ExecutionBegan{Code: "ok = 1 # \u202e" + hidden + "\u2066"}, `ok = 1 # \u202e` + hidden + `\u2066`},
		{"a line that a comment seems to hold", event.ExecutionBegan{Code: "# note\r" + hidden}, "# note\\r\n  │ " + hidden},
		{"question", event.RunBegan{Question: "why\x1b]" + hidden + "\x07?"}, `why\x1b]` + hidden + `\x07?`},
		{"files", event.RunBegan{Files: []string{"a\x1b]b"}}, `a\x1b]b`},
		{"thought", event.ModelReplied{Thought: "I \x1bP" + hidden + "\x1b\\do"}, `I \x1bP` + hidden + `\x1b\do`},
		{"streamed thought", event.ModelDelta{Text: "I \x1bP" + hidden + "\x1b\\do\n"}, `I \x1bP` + hidden + `\x1b\do`},
		{"answer", event.AnswerGiven{Text: "It is \x1b]not \x075"}, `It is \x1b]not \x075`},
		{"figure", event.AnswerGiven{Figures: []event.Figure{{Text: "4\u202e2", Source: "unverified"}}}, `4\u202e2`},
		{"rejection", event.ReplyRejected{Reason: "a\x1b[8mb"}, `a\x1b[8mb`},
		{"traceback", event.ExecutionEnded{Execution: event.Execution{Status: event.Error,
			Error: &event.Raised{Traceback: "  \"\x1b]\"; " + hidden}}}, `"\x1b]"; ` + hidden},
	} {
		for _, colours := range []bool{false, true} {
			var b bytes.Buffer
			s := NewScreen(&b, colours, 80, languages)
			s.Emit(c.e)
			if err := s.Finish(""); err != nil {
				t.Fatal(err)
			}
			got := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(b.String(), "") // our own colours
			if !strings.Contains(got, c.want) || strings.ContainsRune(got, 0x1b) {
				t.Errorf("%s (colours %v): the screen shows %q, want %q in it", c.name, colours, got, c.want)
			}
		}
	}
}

// brokenWriter takes nothing.
type brokenWriter struct{ err error }

// Write fails.
func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// TestScreenBroken checks that a reader who went away is noticed.
func TestScreenBroken(t *testing.T) {
	gone := errors.New("gone")
	s := NewScreen(brokenWriter{gone}, false, 80, languages)
	s.Emit(event.StepBegan{N: 1})
	if err := s.Finish(""); !errors.Is(err, gone) {
		t.Errorf("got %v, want the cause", err)
	}
}

// TestScreenFlood checks that the screen bounds what one execution shows.
func TestScreenFlood(t *testing.T) {
	var b bytes.Buffer
	s := NewScreen(&b, false, 80, languages)
	s.Emit(event.ExecutionBegan{Code: "x"})
	for range 1000 {
		s.Emit(event.Output{Stream: event.Stdout, Data: bytes.Repeat([]byte("spam\n"), 100)})
	}
	s.Emit(event.ExecutionEnded{Execution: event.Execution{Status: event.OK}})
	if b.Len() > 3*maxShown || !strings.Contains(b.String(), "[the rest is not shown here]") {
		t.Errorf("the screen shows %d bytes", b.Len())
	}
}

func TestJSONLines(t *testing.T) {
	var b bytes.Buffer
	j := format.NewJSONLines(&b)
	for _, e := range conversation(true) {
		j.Emit(e)
	}
	if j.Err != nil {
		t.Fatal(j.Err)
	}
	for line := range strings.Lines(b.String()) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil || v["event"] == nil {
			t.Errorf("%q: got %v, %v, want an object that names its event", line, v, err)
		}
	}
	golden(t, "events.jsonl", b.String())
}

// equipped is a run whose model and code call tools and reach hosts.
func equipped() []event.Event {
	ms := func(n int) event.Duration { return event.Duration(time.Duration(n) * time.Millisecond) }
	out := func(s string) event.Event { return event.Output{Stream: event.Stdout, Data: []byte(s)} }
	called := func(id, tool, origin, city string) event.Event {
		return event.ToolCalled{Step: 1, ID: id, Tool: tool, Version: "1.0.0", Origin: origin, Arguments: map[string]any{"city": city}}
	}
	decided := func(id, tool, verdict, rule string) event.Event {
		return event.DecisionMade{Step: 1, ID: id, Tool: tool, Verdict: verdict, Rule: rule, Reason: "it \x1b[2Jleaves the house", Remedy: "Ask the person."}
	}
	events := []event.Event{
		event.RunBegan{Question: "Who?", Mode: "both", Model: "scripted:x", Scripted: true, MaxSteps: 3},
		event.StepBegan{N: 1},
		called("1.1", "crm.find", "model", "Bonn"), decided("1.1", "crm.find", "allow", "default"),
		event.ToolReturned{Step: 1, ID: "1.1", Result: "[]", Took: ms(120)},
		called("1.2", "mail\x1b[m", "model", "Bonn"), decided("1.2", "mail", "ask", "mail"),
		event.ApprovalRequested{ID: "1.2"}, event.ApprovalGiven{ID: "1.2", Granted: true, By: "program", Who: "approver", Scope: "run", Reason: "as agreed"},
		event.ToolReturned{Step: 1, ID: "1.2", Error: "the server is down", Took: ms(120)},
		event.StepBegan{N: 2},
		event.ExecutionBegan{Step: 2, Code: "go()"},
		out("before"),
	}
	for i := range 1000 {
		id := fmt.Sprintf("tool-%d", i)
		r := event.ToolReturned{Step: 2, ID: id, Result: "[]", Took: ms(1)}
		if i == 900 {
			r = event.ToolReturned{Step: 2, ID: id, Error: "not called: no"}
		}
		events = append(events, called(id, "crm.find", "code", "x"), decided(id, "crm.find", "allow", "default"), r)
		if i == 0 {
			events = append(events, out("\n"))
		}
	}
	for range 9 {
		events = append(events, event.ConnectionRefused{Host: "10.0.0.1", Port: 80, Reason: "it is a private address", Remedy: "Allow it by its address.", Count: 1})
	}
	for _, id := range []string{"c1", "c2"} {
		events = append(events, event.ConnectionOpened{ID: id, Host: "api.example.com", Port: 443}, event.ConnectionClosed{ID: id, Sent: 100, Received: 5000, Injected: 1})
	}
	return append(events,
		called("m", "mail", "code", "y"), decided("m", "mail", "deny", "own words"), event.ToolReturned{Step: 2, ID: "m", Error: "not called: no"},
		event.ExecutionEnded{Step: 2, Execution: event.Execution{Status: event.OK, State: event.Intact}},
		event.RunEnded{Status: event.Answered, Steps: 2, Took: ms(4000)},
	)
}

func TestScreenOfTools(t *testing.T) {
	var b bytes.Buffer
	s := NewScreen(&b, false, 80, languages)
	for _, e := range equipped() {
		s.Emit(e)
	}
	if err := s.Finish(""); err != nil {
		t.Fatal(err)
	}
	golden(t, "screen-tools.txt", b.String())
}
