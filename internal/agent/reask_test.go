package agent_test

import (
	"reflect"
	"testing"

	"praxis/internal/agent"
	"praxis/internal/llm"
)

func TestReask(t *testing.T) {
	user := func(text string) llm.Message { return llm.Message{Role: llm.User, Text: text} }
	said := llm.Message{Role: llm.Assistant, Text: "How many?\n\nI look."}
	tests := []struct {
		name     string
		messages []llm.Message
		want     []llm.Message // nil: it is not there
	}{
		{"alone", []llm.Message{user("How many?")}, []llm.Message{user("How much?")}},
		{"with files", []llm.Message{user("How many?\n\nFile a.csv (3 bytes): /work/a.csv")}, []llm.Message{user("How much?\n\nFile a.csv (3 bytes): /work/a.csv")}},
		{"in the middle", []llm.Message{user("How many?"), said, user("status: ok")}, []llm.Message{user("How much?"), said, user("status: ok")}},
		{"in a thread", []llm.Message{user("How many?"), said, user("status: answered\n\nThe person asks:\nHow many?")},
			[]llm.Message{user("How many?"), said, user("status: answered\n\nThe person asks:\nHow much?")}},
		{"the start of another", []llm.Message{user("How many? Of all?")}, nil},
		{"of the model", []llm.Message{said}, nil},
		{"none", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := agent.Reask(tt.messages, " How many?\n", "How much?")
			if ok != (tt.want != nil) || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %t, want %+v", got, ok, tt.want)
			}
		})
	}
	messages := []llm.Message{user("How many?")}
	if _, _ = agent.Reask(messages, "How many?", "How much?"); messages[0].Text != "How many?" {
		t.Error("the conversation that was given is changed")
	}
}
