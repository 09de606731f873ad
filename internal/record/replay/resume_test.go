package replay

import (
	"strings"
	"testing"

	"praxis/event"
)

// TestReplayRestored repeats a run whose session went back after code had ended its
// interpreter: it goes back again, although a replay keeps no states.
func TestReplayRestored(t *testing.T) {
	w := newWorld(t)
	rec := w.ask("r", "=== reply\n~~~python\nset total 7\n~~~\n=== reply\n~~~python\nset total 8\ndie\n~~~\n=== reply\nFINAL ANSWER: It is {{ total }}.")
	x := rec.find(2).Executions[0].Ended
	if x.State != event.Restored || !strings.Contains(x.Message, "killed after 1.5s; the session went back") || rec.Answer == nil || rec.Answer.Text != "It is 7." {
		t.Fatalf("%+v, answer %+v", x, rec.Answer)
	}
	r, err := Replay(t.Context(), w.config(), rec)
	if err != nil || !r.Identical {
		t.Errorf("%v\n%s", err, text(t, r))
	}
}
