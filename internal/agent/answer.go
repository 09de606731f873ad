package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/grounding"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

const (
	maxListed       = 10 // placeholders that a rejection names
	maxDoubts       = 1  // answers that go back because of figures that are found nowhere
	maxDoubtsStrict = 3
)

// notTaken begins what a model reads about an answer that goes back.
const notTaken = "The final answer was not taken: "

// answer fills a final answer in and traces its figures.
func (r *run) answer(ctx context.Context, text string) (actionResult, error) {
	r.draft = shorten(text, 2000, "")
	if len(text) > maxAnswer {
		return r.rejectAnswer(fault.New(fault.Invalid, "Give a shorter one; write long results to a file.",
			"cannot take the final answer: it is %d bytes long, and the bound is %d", len(text), maxAnswer))
	}
	if r.cfg.Repo.tested() {
		return r.concludeRepo(ctx, text)
	}
	template, err := grounding.Parse(text)
	if err != nil {
		return r.rejectAnswer(err)
	}
	if r.cfg.Session == nil && len(template.Expressions()) > 0 {
		return r.rejectAnswer(fault.New(fault.Invalid, "Write figures as they stand in what tools gave.",
			"cannot fill in the placeholders: there is no code in this run that could give {{ %s }}", safetext.OneLine(template.Expressions()[0], 300)))
	}
	if r.cfg.language().Model.Fill == nil && len(template.Expressions()) > 0 {
		return r.rejectAnswer(fault.New(fault.Invalid, "Print the figures, and write them as they were printed.",
			"cannot fill in the placeholders: %s has none, as in {{ %s }}", r.cfg.language().Display, safetext.OneLine(template.Expressions()[0], 300)))
	}
	values, err := r.evaluate(ctx, template.Expressions())
	if bad := (*unusable)(nil); errors.As(err, &bad) {
		return r.rejectAnswer(bad.cause)
	}
	if err != nil {
		return actionResult{}, err
	}
	for _, e := range template.Expressions() {
		r.sources.AddExpression(r.step, r.cfg.language(), e)
	}
	r.learnReplies(nil)
	filled, err := template.Fill(values, &r.sources)
	if err != nil {
		return r.rejectAnswer(err)
	}
	return r.conclude(ctx, final{text: filled.Text, figures: filled.Figures})
}

// mostDoubts is how often an answer may go back because of figures that are found
// nowhere. A strict run tries longer, as it ends without an answer otherwise.
func (r *run) mostDoubts() int {
	if r.cfg.Strict {
		return maxDoubtsStrict
	}
	return maxDoubts
}

// rejectAnswer sends an answer back. It is no reply without an action: the model
// knows how to act, so this does not count towards maxRejected.
func (r *run) rejectAnswer(err error) (actionResult, error) {
	return r.rejectDraft(err, r.draft)
}

// rejectDraft sends an answer back of which a person is shown the draft.
func (r *run) rejectDraft(err error, draft string) (actionResult, error) {
	r.reject(err, draft)
	return actionResult{observation: notTaken + advice(err), failed: true}, nil
}

// markUntraced begins what a model reads about figures that are found nowhere.
const markUntraced = "cannot trace figures of the answer to "

func (r *run) unverified(figures []event.Figure) error {
	if r.cfg.Session == nil {
		return fault.New(fault.Invalid,
			"Write each as it stands in what a tool gave, or call a tool that gives it, and give the answer again. What no tool gives, leave out or say that it is not known.",
			markUntraced+"what any tool gave or to the question: %s", grounding.List(figures))
	}
	return fault.New(fault.Invalid,
		"Compute each of them in the sandbox and put it in as {{ expression }}, or print where it comes from, and give the answer again. "+
			"What you cannot compute, leave out or say that it is not computed.",
		markUntraced+"any output or to the question: %s", grounding.List(figures))
}

// doubtsIn counts the answers of a conversation that went back because of their figures.
func doubtsIn(messages []llm.Message) int {
	n := 0
	for _, m := range messages {
		texts := []string{m.Text}
		for _, res := range m.Results {
			texts = append(texts, res.Text)
		}
		for _, t := range texts {
			if m.Role == llm.User && (strings.HasPrefix(t, notTaken+markUntraced) || strings.Contains(t, markDirections+notTaken+markUntraced)) {
				n++
			}
		}
	}
	return n
}

// unusable is the error for placeholders that the model can mend.
type unusable struct{ cause error }

// Error returns the cause.
func (e *unusable) Error() string { return e.cause.Error() }

// evaluate asks the session for the values of the placeholders: all at once,
// and when one raises, one by one, so that the model sees each failure. Where a limit was
// hit they are not evaluated again: each could take as long.
// What the model can mend is *unusable.
func (r *run) evaluate(ctx context.Context, expressions []string) ([]grounding.Value, error) {
	if len(expressions) == 0 {
		return nil, nil
	}
	x, err := r.value(ctx, expressions)
	if err != nil {
		return nil, err
	}
	if x.Status == event.OK {
		values, err := grounding.Values(r.cfg.language(), plainText(x.Result), len(expressions))
		if err != nil {
			return nil, &unusable{err}
		}
		return values, nil
	}
	var failures []string
	if len(expressions) > 1 && x.Status != event.Error {
		failures, expressions = []string{"together they ended with " + statusLine(x)}, nil
	}
	for _, e := range expressions {
		if len(expressions) > 1 {
			if x, err = r.value(ctx, []string{e}); err != nil {
				return nil, err
			}
		}
		if x.Status != event.OK {
			failures = append(failures, fmt.Sprintf("{{ %s }} ended with %s", safetext.OneLine(e, 300), statusLine(x)))
		}
		if x.State != event.Intact && x.Status != event.OK || len(failures) == maxListed {
			break // the variables are gone, so the others fail too
		}
	}
	if len(failures) == 0 {
		failures = []string{"together they end with an error that none has alone"}
	}
	return nil, &unusable{fault.New(fault.Invalid, "Mend the expressions, or compute the values first, and try again.",
		"cannot fill in the placeholders: %s", strings.Join(failures, "; "))}
}

// value runs the snippet of some placeholders. Its output is no source of
// figures: a bare number in a placeholder must not vouch for itself.
func (r *run) value(ctx context.Context, expressions []string) (event.Execution, error) {
	x, err := r.send(ctx, r.cfg.language().Name, r.cfg.language().Model.Fill(expressions), expressions)
	if err != nil && fault.KindOf(err) == fault.Invalid {
		return event.Execution{Status: event.Error, Message: err.Error(), State: event.Intact}, nil
	}
	if err != nil {
		return x, err
	}
	return x, over(x)
}
