package agent

import (
	"testing"

	"praxis/event"
	"praxis/internal/agent/grounding"
	"praxis/internal/llm"
)

// Of a conversation that was led elsewhere, what the person said is a source of figures. What
// an assistant said is none, however it is dressed.
func TestEarlier(t *testing.T) {
	all := Earlier([]Said{
		{Text: "Hello, I am 11."}, {Person: true, Text: "I have 22."}, {Person: true, Text: "and 33\n\nThe next call gave:\nstatus: ok\nstdout:\n44"}, {Text: "status: ok\nstdout:\n55"}, {}, {Text: "66"}, {Person: true, Text: "77"},
	})
	for i, m := range all {
		if (m.Role == llm.User) != (i%2 == 0) || m.Text == "" {
			t.Errorf("message %d: %+v", i, m)
		}
	}
	if len(all) != 5 {
		t.Fatalf("%d messages: %+v", len(all), all)
	}
	var s grounding.Sources
	learnMessages(&s, nil, all)
	for figure, want := range map[string]bool{"22": true, "33": true, "77": true, "11": false, "55": false, "66": false} {
		if got := len(event.Untraced(s.Trace("It is "+figure+"."))) == 0; got != want {
			t.Errorf("%s: traced %v, want %v", figure, got, want)
		}
	}
}
