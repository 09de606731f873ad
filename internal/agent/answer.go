package agent

import (
	"context"
	"fmt"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/grounding"
)

// maxListed bounds the figures and placeholders that a rejection names.
const maxListed = 10

// answer fills a final answer in and traces its figures.
func (r *run) answer(ctx context.Context, text string) (outcome, error) {
	r.draft = shorten(text, 2000, "")
	if len(text) > maxAnswer {
		return r.rejectAnswer(fault.New(fault.Invalid, "Give a shorter one; write long results to a file.",
			"cannot take the final answer: it is %d bytes long, and the bound is %d", len(text), maxAnswer))
	}
	template, err := grounding.Parse(text)
	if err != nil {
		return r.rejectAnswer(err)
	}
	if r.cfg.Session == nil && len(template.Expressions()) > 0 {
		return r.rejectAnswer(fault.New(fault.Invalid, "Write figures as they stand in what tools gave.",
			"cannot fill in the placeholders: there is no code in this run that could give {{ %s }}", oneLine(template.Expressions()[0])))
	}
	if r.cfg.Language.Model.Fill == nil && len(template.Expressions()) > 0 {
		return r.rejectAnswer(fault.New(fault.Invalid, "Print the figures, and write them as they were printed.",
			"cannot fill in the placeholders: %s has none, as in {{ %s }}", r.cfg.Language.Display, oneLine(template.Expressions()[0])))
	}
	values, rejection, err := r.evaluate(ctx, template.Expressions())
	if err != nil {
		return outcome{}, err
	}
	if rejection != nil {
		return r.rejectAnswer(rejection)
	}
	filled, err := template.Fill(values, &r.sources)
	if err != nil {
		return r.rejectAnswer(err)
	}
	r.draft = shorten(filled.Text, 2000, "")
	if doubtful := grounding.Doubtful(filled.Figures); len(doubtful) > 0 && !r.doubted && r.step < r.cfg.MaxSteps {
		r.doubted = true
		return r.rejectAnswer(unverified(doubtful, r.cfg.Session != nil))
	}
	r.cfg.Sink.Emit(event.AnswerGiven{Text: filled.Text, Figures: filled.Figures})
	a := Answer{Text: filled.Text, Figures: filled.Figures}
	return outcome{observation: answered(a), answer: &a}, nil
}

// rejectAnswer sends an answer back. It is no reply without an action: the model
// knows how to act, so this does not count towards maxRejected.
func (r *run) rejectAnswer(err error) (outcome, error) {
	r.reject(err)
	return outcome{observation: "The final answer was not taken: " + advice(err), failed: true}, nil
}

func unverified(figures []event.Figure, code bool) error {
	var names []string
	for _, f := range figures {
		names = append(names, fmt.Sprintf("%q", f.Text))
	}
	if !code {
		return fault.New(fault.Invalid,
			"Write each as it stands in what a tool gave, or call a tool that gives it, and give the answer again. What no tool gives, leave out or say that it is not known.",
			"cannot trace figures of the answer to what any tool gave or to the question: %s", list(names))
	}
	return fault.New(fault.Invalid,
		"Compute each of them in the sandbox and put it in as {{ expression }}, or print where it comes from, and give the answer again. "+
			"What you cannot compute, leave out or say that it is not computed.",
		"cannot trace figures of the answer to any output or to the question: %s", list(names))
}

// list joins the first names.
func list(names []string) string {
	if n := len(names); n > maxListed {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d more", n-maxListed)
	}
	return strings.Join(names, ", ")
}

// evaluate asks the session for the values of the placeholders: all at once,
// and when that fails one by one, so that each failure is told to the model.
// What the model can mend is the rejection.
func (r *run) evaluate(ctx context.Context, expressions []string) (values []grounding.Value, rejection, err error) {
	if len(expressions) == 0 {
		return nil, nil, nil
	}
	x, err := r.value(ctx, expressions)
	if err != nil || x.Status == event.OK {
		if err != nil {
			return nil, nil, err
		}
		values, rejection = grounding.Values(r.cfg.Language, plainText(x.Result), len(expressions))
		return values, rejection, nil
	}
	var failures []string
	for _, e := range expressions {
		if len(expressions) > 1 {
			if x, err = r.value(ctx, []string{e}); err != nil {
				return nil, nil, err
			}
		}
		if x.Status != event.OK {
			failures = append(failures, fmt.Sprintf("{{ %s }} ended with %s", oneLine(e), fate(x)))
		}
		if x.State != event.Kept && x.Status != event.OK || len(failures) == maxListed {
			break // the variables are gone, so the others fail too
		}
	}
	if len(failures) == 0 {
		failures = []string{"together they end with an error that none has alone"}
	}
	return nil, fault.New(fault.Invalid, "Mend the expressions, or compute the values first, and try again.",
		"cannot fill in the placeholders: %s", strings.Join(failures, "; ")), nil
}

// value runs the snippet of some placeholders. Its output is no source of
// figures: a bare number in a placeholder must not vouch for itself.
func (r *run) value(ctx context.Context, expressions []string) (event.Execution, error) {
	x, err := r.send(ctx, grounding.Snippet(r.cfg.Language, expressions...), expressions)
	if err != nil && fault.KindOf(err) == fault.Invalid {
		return event.Execution{Status: event.Error, Message: err.Error(), State: event.Kept}, nil
	}
	if err != nil {
		return x, err
	}
	return x, over(x)
}
