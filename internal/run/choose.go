package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"praxis/event"
	"praxis/internal/agent"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// Choose says which of several attempts at a question is chosen. It decides by what is
// recorded of them and by nothing else, so that the same attempts always give the same. The
// first of these that distinguishes two attempts decides:
//
//  1. One that has an answer is better. An answer kept to the schema and passed every check.
//  2. One whose model was done when it answered is better than one that had to answer early.
//  3. One all of whose figures were found in what ran or in the question is better.
//  4. The more attempts came to the same answer, the better. Two answers are the same when
//     their JSON values are, or without any when they state the same figures, or when they
//     have none, the same words.
//  5. The fewer executions failed and replies were sent back, the better; then the fewer
//     steps.
//  6. The lower number.
func Choose(ended []event.ChildEnded) event.AttemptChosen {
	var out event.AttemptChosen
	same := map[string]int{}
	for _, e := range ended {
		if e.Answered() {
			same[sense(e)]++
		}
	}
	for _, e := range ended {
		m := event.AttemptMark{N: e.N, Status: e.Status, Answered: e.Answered(), Errors: e.Errors, Steps: e.Steps}
		if m.Answered {
			m.Complete, m.Verified, m.Agree = e.Incomplete == "", len(event.Untraced(e.Figures)) == 0, same[sense(e)]
		}
		out.Marks = append(out.Marks, m)
	}
	slices.SortFunc(out.Marks, func(a, b event.AttemptMark) int { return cmp.Compare(a.N, b.N) })
	best := slices.Clone(out.Marks)
	slices.SortStableFunc(best, func(a, b event.AttemptMark) int { c, _ := better(a, b); return c })
	if len(best) == 0 || !best[0].Answered {
		out.Why = "no attempt has an answer"
		return out
	}
	out.N = best[0].N
	for _, e := range ended {
		if e.N == out.N {
			out.Run = e.Run
		}
	}
	why := "it is the only one"
	if len(best) > 1 {
		_, why = better(best[0], best[1])
	}
	if n := best[0].Agree; n > 1 && !strings.Contains(why, "came to its answer") {
		why = fmt.Sprintf("%d attempts came to its answer; %s", n, why)
	}
	out.Why = fmt.Sprintf("attempt %d is chosen: %s", out.N, why)
	return out
}

// better compares two attempts, the better one first, and says by what.
func better(a, b event.AttemptMark) (int, string) {
	yes := func(x, y bool) int {
		switch {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	}
	next := fmt.Sprintf("attempt %d", b.N)
	for _, by := range []struct {
		order int
		why   string
	}{
		{yes(a.Answered, b.Answered), "the only one with an answer that passed"},
		{yes(a.Complete, b.Complete), "its model was done when it answered, and that of " + next + " was not"},
		{yes(a.Verified, b.Verified), "all of its figures were found, and not all of those of " + next},
		{cmp.Compare(b.Agree, a.Agree), fmt.Sprintf("%s came to its answer, and %d to that of %s", safetext.Count(a.Agree, "attempt"), b.Agree, next)},
		{cmp.Compare(a.Errors, b.Errors), fmt.Sprintf("it has %s, and %s has %d", safetext.Count(a.Errors, "error"), next, b.Errors)},
		{cmp.Compare(a.Steps, b.Steps), fmt.Sprintf("it took %s, and %s took %d", safetext.Count(a.Steps, "step"), next, b.Steps)},
	} {
		if by.order != 0 {
			return by.order, by.why
		}
	}
	return cmp.Compare(a.N, b.N), "it is as good as " + next + ", and has the lower number"
}

// sense is the same of two answers that say the same.
func sense(e event.ChildEnded) string {
	if len(e.Value) > 0 {
		if text, err := canonical(e.Value); err == nil {
			return "value " + text
		}
	}
	var figures []string
	for _, f := range e.Figures {
		figures = append(figures, strings.TrimSpace(f.Text))
	}
	if len(figures) > 0 {
		slices.Sort(figures)
		return "figures " + strings.Join(slices.Compact(figures), "\x00")
	}
	text := strings.ToLower(strings.Join(strings.Fields(e.Text), " "))
	return "text " + strings.TrimRight(text, ".! ")
}

// canonical writes a JSON value in one way: members in one order, numbers by what they are.
func canonical(value json.RawMessage) (string, error) {
	v, err := jsondoc.Decode(value)
	if err != nil {
		return "", err
	}
	text, err := jsondoc.AppendCanonical(nil, v, 0)
	return string(text), err
}

// answerOf is the answer that a chosen attempt gave.
func answerOf(e event.ChildEnded) agent.Answer {
	return agent.Answer{Text: e.Text, Value: e.Value, Figures: e.Figures, Files: e.Files, Incomplete: e.Incomplete}
}
