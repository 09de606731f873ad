package app

import (
	"strings"
	"testing"

	"praxis/event"
)

func TestPolicyCase(t *testing.T) {
	c := event.ToolCalled{ID: "call-3", Tool: "mail.send", Arguments: map[string]any{"to": []any{"a@x.example", "b@x.example"}, "body": "it's: \"x\"\n- y", "n": 3},
		Labels: map[string]event.DataLabel{
			"to":   {Sources: []string{"mail.read#1 (untrusted)", "mail.read#2 (untrusted)", "model ask_llm#4 (untrusted)"}, Anyone: true},
			"body": {Sources: []string{"user.topic (trusted)", "the planner (in neither the request nor the tools)", "files.read (several calls, trusted)"}, Readers: []string{"me@acme.com"}},
		}}
	got, err := policyCase(c, event.DecisionMade{Verdict: "allow", Rule: "r", Members: []string{"args.to: contacts.all#1 /4/email", "args.to: contacts.all#1 /0/email"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"    number: 3\n", `"to": {value: ["a@x.example","b@x.example"], sources: ["mail.read (untrusted)","model"]}`,
		`sources: ["user.topic (trusted)","planner","files.read (trusted)"], readers: ["me@acme.com"]}`,
		`"body": {value: "it's: \"x\"\n- y"`, `      "n": 3`, "    expect: allow\n", `{"email":"a@x.example"}`, `{"email":"b@x.example"}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the case lacks %s\n%s", want, got)
		}
	}
}
