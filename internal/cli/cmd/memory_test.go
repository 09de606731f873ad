package cmd

import (
	"strings"
	"testing"

	"praxis/internal/app"
)

// What a server says of notes and threads moves no cursor and hides nothing.
func TestNotesAndThreadsAreSafe(t *testing.T) {
	const bad = "a\x1b[2J"
	n := app.Note{ID: bad, Text: bad, Tags: []string{bad}}
	n.From.Run, n.From.Thread = bad, bad
	text := noteText(n) + turnsText([]app.Turn{{Run: bad, Removed: true}, {Run: bad, Question: bad, Answer: bad}})
	if strings.Contains(text, "\x1b") || strings.Count(text, `a\x1b[2J`) != 9 {
		t.Errorf("got %q", text)
	}
}
