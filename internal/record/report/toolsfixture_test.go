package report_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/record/report"
)

// equipped is a run whose model and code call tools and reach hosts, whose texts
// are hostile.
func equipped() report.Run {
	sum := strings.Repeat("cd", 32)
	ms := func(n int) event.Duration { return event.Duration(time.Duration(n) * time.Millisecond) }
	events := []event.Event{
		event.RunBegan{Kind: event.Ask, Mode: "both", Question: "Who owes us?", Model: "scripted:x", Scripted: true, MaxSteps: 5, Net: []string{"api.example.com:443", "*.example.org " + hostile},
			Tools: []event.ToolPin{{Name: "crm.find", Version: "1.0.0", Hash: sum}, {Name: "mail.send", Version: "2.0.0", Hash: sum}}},
		event.FileGiven{Name: "tools.json", Role: "tools", Bytes: 4000, SHA256: sum},
		event.FileGiven{Name: "policy.yaml", Role: "policy", Bytes: 900, SHA256: sum},
		event.StepBegan{N: 1},
		event.ToolCalled{Step: 1, ID: "1.1", Tool: "crm.find", Version: "1.0.0", Origin: "model", By: "http crm.example.com " + hostile, Arguments: map[string]any{"city": hostile, "key": "(secret)"}},
		event.DecisionMade{Step: 1, ID: "1.1", Tool: "crm.find", Verdict: "allow", Rule: "default"},
		event.ToolReturned{Step: 1, ID: "1.1", Result: `[{"name":"` + hostile + `"}]`, Took: ms(120)},
		event.ToolCalled{Step: 1, ID: "1.2", Tool: "mail.send", Version: "2.0.0", Origin: "model", Arguments: map[string]any{"to": "bob@example.com"}},
		event.DecisionMade{Step: 1, ID: "1.2", Tool: "mail.send", Verdict: "ask", Rule: "mail", Reason: "it leaves the house", Remedy: "Ask the person."},
		event.ApprovalRequested{ID: "1.2", Reason: "it leaves the house"},
		event.ApprovalGiven{ID: "1.2", Granted: true, By: "person", Who: "ann " + hostile, Scope: "exact", Reason: "as agreed"},
		event.ToolReturned{Step: 1, ID: "1.2", Result: `"sent"`, Took: ms(30)},
		event.StepBegan{N: 2},
		event.ExecutionBegan{Language: "python", Step: 2, Code: "for i in range(1000): crm.find(city=i)"},
	}
	for i := range 1000 {
		id := fmt.Sprintf("tool-%d", i)
		d := event.DecisionMade{Step: 2, ID: id, Tool: "crm.find", Verdict: "allow", Rule: "default"}
		r := event.ToolReturned{Step: 2, ID: id, Result: "[]", Took: ms(2)}
		switch {
		case i%300 == 299:
			r = event.ToolReturned{Step: 2, ID: id, Error: "the server is down " + hostile, Kind: "unavailable", Remedy: "Wait.", Took: ms(2)}
		case i == 7:
			d.Verdict, d.Rule, d.Reason, d.Remedy = "deny", "cities", "not this city", "Take another."
			r = event.ToolReturned{Step: 2, ID: id, Error: "not called: not this city"}
		}
		events = append(events, event.ToolCalled{Step: 2, ID: id, Tool: "crm.find", Version: "1.0.0", Origin: "code", Arguments: map[string]any{"city": i}},
			d, r)
	}
	for i := range 12 {
		events = append(events, event.ConnectionRefused{Host: fmt.Sprintf("10.0.0.%d", i), Port: 80, Via: "http", Reason: "it is a private address", Remedy: "Allow it by its address.", Count: 2})
	}
	events = append(events,
		event.ToolCalled{Step: 2, ID: "m-1", Tool: "mail.send", Version: "2.0.0", Origin: "code", Arguments: map[string]any{"to": hostile}},
		event.DecisionMade{Step: 2, ID: "m-1", Tool: "mail.send", Verdict: "deny", Rule: "own words " + hostile, Reason: "the address comes from data", Remedy: "Use an address of the question."},
		event.ToolReturned{Step: 2, ID: "m-1", Error: "not called: the address comes from data"},
		event.ToolCalled{Step: 2, ID: "m-2", Tool: "mail.send", Version: "2.0.0", Origin: "code", Arguments: map[string]any{"to": "bob"}},
		event.ToolReturned{Step: 2, ID: "m-2", Error: "cannot call mail.send: arguments.to: expected an address", Kind: "invalid", Remedy: "Give one with @."},
		event.ConnectionOpened{ID: "c1", Host: "api.example.com", Port: 443, Address: "192.0.2.7:443", Rule: "api.example.com:443", Via: "connect"},
		event.ConnectionClosed{ID: "c1", Protocol: "https", Sent: 812, Received: 120_000, Requests: 3, Injected: 2, Took: ms(900), Reason: "the host closed it"},
		event.ConnectionOpened{ID: "c2", Host: hostile, Port: 1, Address: hostile, Rule: hostile, Via: hostile},
		event.ConnectionClosed{ID: "c2", Reason: hostile},
		event.ConnectionOpened{ID: "c3", Host: "api.example.com", Port: 443, Address: "192.0.2.7:443", Rule: "api.example.com:443", Via: "socks5"},
		event.ToolCalled{Step: 2, ID: "m-3", Tool: "mail.send", Version: "2.0.0", Origin: "code", Arguments: map[string]any{"to": "a@b.example"}},
		event.ExecutionEnded{Step: 2, Execution: event.Execution{Status: event.OK, State: event.Intact}},
		event.AnswerGiven{Text: "Nobody."},
		event.RunEnded{Status: event.Answered, Steps: 2, Took: ms(4000)},
	)
	return report.Run{ID: "20261121-070000-0c0c", Languages: languages, Records: records(events...)}
}

// TestManyCalls shows 1,000 calls as one line, and every one of a step that is
// asked for.
func TestManyCalls(t *testing.T) {
	write := map[string]func(w io.Writer, r report.Run) error{
		"text": func(w io.Writer, r report.Run) error { return report.Transcript(w, r, report.Options{}) },
		"md":   report.Markdown, "html": report.HTML, "ipynb": report.Notebook,
	}
	for name, f := range write {
		var b bytes.Buffer
		if err := f(&b, equipped()); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "1,000 calls of crm.find from code"); n != 1 {
			t.Errorf("%s: the calls are shown %d times", name, n)
		}
		if n := strings.Count(b.String(), "crm.find"); n > 10 {
			t.Errorf("%s: the tool is named %d times", name, n)
		}
	}
	var b bytes.Buffer
	if err := report.Transcript(&b, equipped(), report.Options{Step: 2}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "tool call: crm.find"); n != 1000 {
		t.Errorf("of a step in full, %d calls are shown", n)
	}
}
