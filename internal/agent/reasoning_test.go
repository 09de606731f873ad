package agent_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/llm"
)

// thinker calls a tool with the reasoning that it had, and then answers.
type thinker struct{ requests []llm.Request }

func (m *thinker) Name() string { return "test:thinker" }

func (*thinker) Traits() llm.Traits { return llm.Traits{} }

func (m *thinker) Complete(_ context.Context, req llm.Request, _ func(string)) (llm.Reply, error) {
	streamed := req.Reasoning
	req.Reasoning = nil // requests are compared
	m.requests = append(m.requests, req)
	if len(m.requests) == 1 {
		streamed(thought().Text)
	}
	if len(m.requests) == 1 {
		return llm.Reply{Reasoning: thought(), Calls: []llm.Call{{ID: "1", Name: "look", Input: map[string]any{}}}}, nil
	}
	return llm.Reply{Text: "FINAL ANSWER: done"}, nil
}

func thought() llm.Reasoning {
	return llm.Reasoning{Text: "\nI look first.\n" + strings.Repeat("Hm. ", 5000), Signature: "s1"}
}

// TestReasoning checks that reasoning is recorded, shown in part, given back
// whole, and no part of an answer.
func TestReasoning(t *testing.T) {
	m := &thinker{}
	var replies []event.ModelReplied
	streamed := ""
	answer, err := agent.Run(t.Context(), agent.Config{Languages: language.Table{py}, Model: m, Tools: toolbox{"look": "nothing"}, Now: clock(), Sink: event.SinkFunc(func(e event.Event) {
		switch e := e.(type) {
		case event.ModelDelta:
			if e.Reasoning {
				streamed += e.Text
			}
		case event.ModelReplied:
			replies = append(replies, e)
		}
	})}, "Well?")
	if err != nil {
		t.Fatal(err)
	}
	if answer.Text != "done" || len(replies) != 2 || len(m.requests) != 2 {
		t.Fatalf("answer %q after %d replies", answer.Text, len(replies))
	}
	if streamed != thought().Text {
		t.Errorf("streamed %d bytes", len(streamed))
	}
	if got := replies[0]; got.Reasoning != thought() || got.Text != "" || !strings.HasPrefix(got.Thought, "I look first.") || len(got.Thought) > 5000 {
		t.Errorf("recorded %+v", got)
	}
	want := llm.Message{Role: llm.Assistant, Reasoning: thought(), Calls: []llm.Call{{ID: "1", Name: "look", Input: map[string]any{}}}}
	if got := m.requests[1].Messages[1]; !reflect.DeepEqual(got, want) {
		t.Errorf("given back %+v, want %+v", got, want)
	}
}
