package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"praxis/event"
	"praxis/internal/record/journal"
	"praxis/internal/record/report"
	"praxis/internal/safetext"
)

// What is said of a question that got no answer, in bytes.
const (
	maxFailedQuestion = 300
	maxFailedReason   = 400
	maxFailedFound    = 600
)

// failed says that the question before in the thread got no answer, why, and what its
// code had found, or "". A thread stays as it was when there is no answer, so the
// conversation does not know of it. Runs in others are left out: the question itself, and
// those that it goes on with. That the list of runs cannot be read is no reason not to ask.
func (a *App) failed(ctx context.Context, t *thread, others []string) string {
	for r, err := range a.eachRun(ctx, journal.Query{Kind: event.Ask, Thread: t.name, Limit: len(others) + 1}) {
		switch {
		case err != nil || slices.Contains(t.was.Runs, r.ID):
			return ""
		case slices.Contains(others, r.ID):
			continue
		case r.Status == event.Answered || r.Status == event.Unverified:
			return fmt.Sprintf("the answer to the question before, %q, could not be saved: the conversation goes on without it", safetext.OneLine(r.Question, maxFailedQuestion))
		}
		out := fmt.Sprintf("the question before, %q, got no answer", safetext.OneLine(r.Question, maxFailedQuestion))
		if r.Reason != "" {
			out += ": " + safetext.OneLine(r.Reason, maxFailedReason)
		}
		if run, err := a.ReadRun(ctx, r.ID); err == nil {
			if _, found := report.Reached(run); found != "" {
				out += "; the last output of its code was " + safetext.OneLine(strings.TrimSpace(found), maxFailedFound)
			}
		}
		return out + "; variables and files are as they were before it"
	}
	return ""
}
