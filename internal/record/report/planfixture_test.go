package report_test

import (
	"encoding/json"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/record/report"
)

// planned is a run of a plan that was resumed, whose texts are hostile.
func planned() report.Run {
	sum := strings.Repeat("ab", 32)
	outside := event.DataLabel{Sources: []string{"user.today (trusted)", "calendar.read#1 (untrusted)"}, Readers: []string{"ann@example.com", hostile}}
	return report.Run{ID: "20261121-060000-0b0b", Languages: languages, Records: records(
		event.RunBegan{Kind: event.Plan, Question: "mail.py: x = calendar.read(today)", Parent: &event.Parent{Run: "20261121-055900-0a0a", Change: "resumed"}, Program: "0.4.0"},
		event.FileGiven{Name: "tools.yaml", Role: "tools", Bytes: 4000, SHA256: sum},
		event.FileGiven{Name: "policy.yaml", Role: "policy", Bytes: 900, Withheld: "it holds the secret " + hostile},
		event.PlanWritten{Code: "x = calendar.read(today)\nemail.write(to=who, body=x) # " + hostile, Name: "mail.py", Mode: "strict",
			Inputs: map[string]json.RawMessage{"who": json.RawMessage(`"bob@example.com"`)}, Now: "2026-11-21T06:00:00Z"},
		event.PlanChecked{Accepted: true, Findings: []event.Finding{
			{Rule: "possible", Verdict: "possible", Message: "email.write may be denied: " + hostile, Remedy: "Use another.", Tool: "email.write", Argument: "body",
				Place: event.Place{Line: 2}, Path: []event.Place{{Text: "input who"}, {Line: 1, Col: 4, Text: "calendar.read"}, {Line: 2, Text: "argument body " + hostile}}},
			{Rule: "flow", Verdict: "proved safe", Message: "allowed", Tool: "calendar.read", Place: event.Place{Line: 1, Col: 4}},
		}},
		event.FileGiven{Name: "state", Role: "state", Bytes: 5000, SHA256: sum},
		event.PlanResumed{State: sum, Run: "20261121-055900-0a0a"},
		event.ToolCalled{ID: "call-1", Tool: "calendar.read", Version: "1.0.0", Line: 1, Arguments: map[string]any{"day": "2026-11-21"},
			Labels: map[string]event.DataLabel{"day": {Sources: []string{"user.today (trusted)"}, Trusted: true, Anyone: true}}},
		event.DecisionMade{ID: "call-1", Tool: "calendar.read", Verdict: "allow", Rule: "default", Reason: "it reads"},
		event.ToolReturned{ID: "call-1", Result: `{"title":"` + hostile + `"}`, Rehearsed: "the replies", Label: &outside},
		event.LabelLowered{ID: "call-1", By: "person", Who: "ann", Why: hostile, From: outside, To: event.DataLabel{Trusted: true, Anyone: true}},
		event.ToolCalled{ID: "call-2", Tool: "email.write", Version: "1.0.0", Line: 2, Arguments: map[string]any{"to": "bob@example.com", "body": hostile},
			Labels: map[string]event.DataLabel{"to": {Trusted: true, Anyone: true}, "body": outside}, Control: &outside},
		event.DecisionMade{ID: "call-2", Tool: "email.write", Verdict: "ask", Rule: "mail " + hostile, Reason: "it leaves the house", Remedy: "Ask the person."},
		event.ApprovalRequested{ID: "call-2", Reason: "it leaves the house"},
		event.ApprovalGiven{ID: "call-2", By: "person", Reason: hostile},
		event.ToolReturned{ID: "call-2", Error: "not called: " + hostile},
		event.ToolCalled{ID: "call-3", Tool: "email.write", Version: "1.0.0", Line: 2},
		event.DecisionMade{ID: "call-3", Tool: "email.write", Verdict: "deny", Rule: "argument", Reason: "the address is not known", Remedy: "Use another."},
		event.ToolReturned{ID: "call-3", Error: "not called: the address is not known"},
		event.ToolCalled{ID: "call-4", Tool: "email.write", Version: "1.0.0", Line: 3},
		event.DecisionMade{ID: "call-4", Tool: "email.write", Verdict: "allow", Rule: "send"},
		event.PlanWaits{ID: "call-4", State: sum, Bytes: 5120, Output: "printed before " + hostile},
		event.PlanEnded{Status: "error", Output: "printed\n" + hostile, Label: outside, Error: "Traceback (most recent call last):\nValueError: " + hostile, Line: 4,
			Used: event.PlanUsage{Steps: 12, Calls: 4}},
		event.RunEnded{Status: "error", Reason: "ValueError on line 4", Took: event.Duration(300 * time.Millisecond)},
	)}
}
