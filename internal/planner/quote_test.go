package planner

import (
	"context"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/llm/scripted"
	"praxis/internal/plan"
	"praxis/internal/plan/policy"
	"praxis/internal/tool/gate"
)

// seeing keeps the question that it is asked.
type seeing struct{ question gate.Question }

// Approve denies.
func (s *seeing) Approve(_ context.Context, q gate.Question) (gate.Answer, error) {
	s.question = q
	return gate.Answer{By: gate.ByPerson}, nil
}

// TestQuestionIsQuoted checks that an approval of a call shows where its argument
// stands: in the question of the person, and in the plan that the model wrote.
func TestQuestionIsQuoted(t *testing.T) {
	model, err := scripted.Parse("replies", strings.NewReader("=== reply\n```python\nlook(key=\"Miller\")\n```\n=== reply\n```python\nprint(1)\n```\n"))
	if err != nil {
		t.Fatal(err)
	}
	set := testSet(t)
	rules, err := policy.Load("policy.yaml", []byte("version: 1\nrules:\n  - {name: asks, tools: [look], decision: ask, reason: it looks}\n"), set)
	if err != nil {
		t.Fatal(err)
	}
	s := &seeing{}
	options := plan.Options{Tools: set, Policy: rules}
	g, err := NewGate(options, gate.Config{Run: "run-1", Approver: s, Sink: event.Discard})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Ask(t.Context(), Config{Host: Host{Gate: g, Sink: event.Discard, Planner: model}, Options: options, Plans: 2}, "How much does Miller owe?")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, f := range s.question.Found["key"] {
		texts = append(texts, f.Text+": "+strings.TrimSpace(f.Quote))
	}
	if got := strings.Join(texts, "\n"); got != "the plan: look(key=\"Miller\")\nthe question: How much does Miller owe?" {
		t.Errorf("quoted:\n%s", got)
	}
}
