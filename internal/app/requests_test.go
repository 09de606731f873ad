package app

import (
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

// TestRequestsAreChecked requires that every edge is refused the same, before
// anything is recorded.
func TestRequestsAreChecked(t *testing.T) {
	a := toyApp(t, map[string]string{})
	ask := func(q AskRequest) func() error {
		return func() error { _, err := a.Ask(t.Context(), q, event.Discard); return err }
	}
	code := func(q CodeRequest) func() error {
		return func() error { _, err := a.RunCode(t.Context(), q, event.Discard); return err }
	}
	for name, c := range map[string]struct {
		do   func() error
		want string
	}{
		"an empty question":    {ask(AskRequest{Question: " \n"}), "the question is empty"},
		"a plan's mode":        {ask(AskRequest{Question: "?", Mode: ModePlan}), `in the mode "plan"`},
		"an unknown mode":      {ask(AskRequest{Question: "?", Mode: "nonsense"}), `in the mode "nonsense"`},
		"negative steps":       {ask(AskRequest{Question: "?", MaxSteps: -1}), "max steps"},
		"steps without end":    {ask(AskRequest{Question: "?", MaxSteps: 1 << 40}), "max steps"},
		"a question's bound":   {ask(AskRequest{Question: "?", Bounds: event.Bounds{Timeout: -1}}), "timeout"},
		"long code":            {code(CodeRequest{Code: strings.Repeat("#", MaxCode+1)}), "longer than"},
		"code that is no text": {code(CodeRequest{Code: "\xff"}), "not UTF-8"},
		"a week":               {code(CodeRequest{Code: "1", Bounds: event.Bounds{Timeout: event.Duration(7 * 24 * time.Hour)}}), "timeout"},
		"endless output":       {code(CodeRequest{Code: "1", Bounds: event.Bounds{OutputBytes: 1 << 40}}), "output"},
		"too little memory":    {code(CodeRequest{Code: "1", Session: SessionSpec{Limits: event.Limits{Memory: 1}}}), "memory"},
		"negative processes": {func() error {
			_, err := a.OpenSession(t.Context(), SessionSpec{Limits: event.Limits{Processes: -5}}, event.Discard)
			return err
		}, "processes"},
	} {
		err := c.do()
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), c.want) || fault.RemedyOf(err) == "" {
			t.Errorf("%s: got %v, want an invalid fault with %q", name, err, c.want)
		}
	}
	if runs, err := a.RunsWithPrefix(t.Context(), "", 10); err != nil || len(runs) != 0 {
		t.Errorf("recorded %v, %v", runs, err)
	}
}
