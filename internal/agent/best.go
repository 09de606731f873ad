package agent

import (
	"context"
	"slices"
	"strings"

	"praxis/event"
	"praxis/internal/agent/action"
	"praxis/internal/llm"
)

// bestAnswer asks once for the best answer of a run that may not go on. It is grounded
// like any other, and marked as incomplete. That there is none is the ending's error:
// what went wrong with the last request says less.
func (r *run) bestAnswer(ctx context.Context, end ending) (Answer, error) {
	if end.silent || !r.worked && r.draft == "" {
		return Answer{}, end.cause
	}
	r.incomplete = end.why
	r.cfg.Sink.Emit(event.RunConcluding{Step: r.step, Reason: end.why, Budget: end.budget})
	text := "The run ends here: " + end.why + ". Nothing can be run or called any more. Give the final answer now, as plain text, from what you have seen: " +
		"the best that you can say, and what is missing. Figures that you have not seen, leave out."
	r.tell(text)
	r.sent = min(r.sent, len(r.request())-1) // the last message is another one now
	t, err := r.reason(ctx, r.lastTools())
	switch {
	case err != nil && ctx.Err() != nil:
		return Answer{}, err
	case err != nil:
		return Answer{}, end.cause
	}
	answer := t.parsed.Plain
	switch {
	case t.rejection != nil:
	case t.parsed.Action.Kind == action.Answer:
		answer = t.parsed.Action.Text
	case t.parsed.After != nil: // the code beside it is not run any more
		answer = t.parsed.After.Text
	}
	o := actionResult{observation: advice(end.cause), failed: true}
	if answer != "" && !r.announces(answer) {
		if o, err = r.answer(ctx, answer); err != nil {
			return Answer{}, err
		}
	}
	r.observe(t, o)
	if o.answer == nil {
		return Answer{}, end.cause
	}
	return *o.answer, nil
}

// tell adds a direction to what the model receives next.
func (r *run) tell(text string) {
	last := &r.messages[len(r.messages)-1]
	if n := len(last.Results); n > 0 {
		last.Results = slices.Clone(last.Results) // they may be the caller's
		last.Results[n-1].Text = directed(last.Results[n-1].Text, text)
		return
	}
	if _, _, ends := cutLast(last.Text, markQuestion); ends || len(r.messages)-1 == r.questionAt {
		last.Text += "\n\n" + text
		return
	}
	last.Text = directed(last.Text, text)
}

// directed adds a direction to a text that may have some.
func directed(text, direction string) string {
	if strings.Contains(text, markDirections) {
		return text + "\n\n" + direction
	}
	return text + markDirections + direction
}

// lastTools are the tools of the last request: the answer is the only one. A
// conversation with calls needs some, or providers refuse it.
func (r *run) lastTools() []llm.Tool {
	for _, t := range r.tools() {
		if t.Name == action.ToolAnswer {
			return []llm.Tool{t}
		}
	}
	return nil
}
