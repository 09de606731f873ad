package report

import (
	"strings"

	"praxis/event"
	"praxis/internal/safetext"
)

// The titles of what a question without an answer came to.
const (
	DraftTitle = "the last answer, which was not taken"
	FoundTitle = "the last output of its code"
)

// maxReached bounds what is shown of the last output of a run that was killed.
const maxReached = 2000

// Reached returns what a question without an answer came to: the last answer that could
// not be taken, and the last output of its code.
func Reached(run Run) (draft, found string) { return newTimeline(run).reached() }

// reached returns what a question without an answer came to: the last answer that could
// not be taken, and the last output. A run whose process was killed says neither itself.
func (t *timeline) reached() (draft, found string) {
	if t.answer != nil || t.began.Kind != event.Ask {
		return "", ""
	}
	if t.ended != nil && t.ended.Status != event.Abandoned {
		return t.ended.Draft, t.ended.Found
	}
	for _, r := range t.run.Records {
		x, ok := r.Event.(event.ExecutionEnded)
		if !ok || x.Execution.Status != event.OK {
			continue
		}
		if text := strings.TrimSpace(x.Execution.Stdout + "\n" + x.Execution.Result["text"]); text != "" {
			found = safetext.Clip(text, maxReached)
		}
	}
	return "", found
}
