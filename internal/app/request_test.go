package app

import (
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
)

// refused checks that a request was refused as the caller's mistake, with a
// remedy, and that nothing of it was recorded.
func refused(t *testing.T, a *App, name string, err error, want string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error = %v, want %q as the caller's mistake, with a remedy", name, err, want)
	}
	if runs, err := a.FindRun(t.Context(), "last"); err == nil {
		t.Errorf("%s: run %s was recorded", name, runs)
	}
}

// TestAskRefuses checks that a question which is wrong in itself begins no run,
// whoever asks it.
func TestAskRefuses(t *testing.T) {
	w := newEntryWorld(t)
	model := "scripted:" + w.file("script.txt", "=== reply\nFINAL ANSWER: Done.\n")
	for name, c := range map[string]struct {
		change func(q *AskRequest)
		want   string
	}{
		"no question":       {func(q *AskRequest) { q.Question = " \n" }, "the question is empty"},
		"the mode of plans": {func(q *AskRequest) { q.Mode = ModePlan }, `the mode "plan"`},
		"an unknown mode":   {func(q *AskRequest) { q.Mode = "nonsense" }, `the mode "nonsense"`},
	} {
		q := AskRequest{Question: "What?", Model: model, Tools: w.tools()}
		c.change(&q)
		_, err := w.app.Ask(t.Context(), q, event.Discard)
		refused(t, w.app, name, err, c.want)
	}
}
