package app

import (
	"strings"
	"testing"

	"praxis/event"
)

// TestFailedTurn tells the next question of a thread that the one before got no answer, and
// what its code had found. What is said so is no source of figures.
func TestFailedTurn(t *testing.T) {
	w := newResumeWorld(t, "```python\nprint 4711\n```", "I look at it:")
	a := w.app(t, t.TempDir())
	q := AskRequest{Question: "How many?", Model: "openai:m", Thread: "talk", MaxSteps: 1}
	if out, err := a.Ask(t.Context(), q, event.Discard); err == nil || out.Found != "4711" {
		t.Fatalf("%+v, %v", out, err)
	}
	w.replies = []string{"FINAL ANSWER: It is 4711.", "FINAL ANSWER: It is 4711."}
	q.Question, q.MaxSteps = "And now?", 3
	var events recorded
	out, err := a.Ask(t.Context(), q, &events)
	if err != nil {
		t.Fatal(err)
	}
	text := eventsOf[event.ModelRequested](&events)[0].Messages[0].Text
	for _, want := range []string{`the question before, "How many?", got no answer: cannot answer within 1 step`, "the last output of its code was 4711", "as they were before it"} {
		if !strings.Contains(text, want) {
			t.Errorf("the model is not told %q:\n%s", want, text)
		}
	}
	if len(out.Figures) != 1 || out.Figures[0].Source != event.UntracedSource {
		t.Errorf("figures: %+v", out.Figures)
	}
	// Once is enough.
	w.replies = append(w.replies, "FINAL ANSWER: Nothing.")
	events = recorded{}
	if _, err := a.Ask(t.Context(), q, &events); err != nil {
		t.Fatal(err)
	}
	all := eventsOf[event.ModelRequested](&events)[0].Messages
	if text := all[len(all)-1].Text; strings.Contains(text, "got no answer") {
		t.Errorf("it is said again:\n%s", text)
	}
}
