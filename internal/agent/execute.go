package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/action"
	"praxis/internal/agent/grounding"
	"praxis/internal/safetext"
)

// execute runs the model's code as one step.
func (r *run) execute(ctx context.Context, a action.Action) (actionResult, error) {
	if err := r.restart(ctx); err != nil {
		return actionResult{}, err
	}
	x, err := r.send(ctx, a.Language, a.Text, nil)
	if err != nil {
		return r.notRun(err)
	}
	r.learn(Ran{Step: r.step, Language: a.Language, Code: a.Text, Execution: x})
	if err := over(x); err != nil {
		return actionResult{}, err
	}
	r.worked = true
	var seen *gallery
	if r.cfg.Model.Traits().Sees {
		seen = &gallery{step: r.step}
	}
	text := r.tellPartial(observation(withoutGiven(x), a.Language, r.cfg, seen))
	again := r.failed(x)
	r.last = "the last step ended with " + statusLine(x)
	if out, given, err := r.give(ctx, a, x, text); given || err != nil {
		return out, err
	}
	out := actionResult{observation: text, failed: x.Status != event.OK}
	if seen != nil {
		out.pictures = seen.pictures
	}
	ended := quoted(statusLine(x))
	if x.Status == event.OK {
		ended = "it ran"
	}
	out.notes, out.end = r.stalls.acted(stallKey(a.Text, x), "code", a.Text, ended)
	switch {
	case out.end == nil && again >= r.cfg.Budget.Attempts:
		why := fmt.Sprintf("the same error came %s: %s", times(again), quoted(statusLine(x)))
		out.end = &ending{why: why, cause: fault.New(fault.Exhausted, "Ask in other words, or try another model.", "cannot answer: %s", why)}
	case again > 1 && again == r.cfg.Budget.Attempts-1:
		out.notes = append(out.notes, fmt.Sprintf("This error came %s, and the run ends when it comes once more. Take another way, or answer without.", times(again)))
	}
	return out, nil
}

// send runs code in the session, the model's or what fills expressions in, between the events that say so. The session's
// own opening and closing events, if it emits any, are left out: they know no step.
func (r *run) send(ctx context.Context, lang, code string, fills []string) (event.Execution, error) {
	return r.sendAs(ctx, event.ExecutionBegan{Language: lang, Code: code, Fills: fills})
}

// sendAs is send for code of any purpose.
func (r *run) sendAs(ctx context.Context, began event.ExecutionBegan) (event.Execution, error) {
	began.Step, began.Session = r.step, r.cfg.SessionName
	r.cfg.Sink.Emit(began)
	if cause := ctx.Err(); cause != nil { // nothing is done that cannot be recorded
		x := event.Execution{Status: event.Interrupted, Message: "it was not run", State: event.Intact}
		r.cfg.Sink.Emit(event.ExecutionEnded{Step: r.step, Execution: x})
		return x, canceled(cause)
	}
	x, err := r.cfg.Session.Execute(ctx, began.Language, began.Code, event.SinkFunc(func(e event.Event) {
		switch e.(type) {
		case event.ExecutionBegan, event.ExecutionEnded:
		default:
			r.cfg.Sink.Emit(e)
		}
	}))
	if err != nil {
		x = event.Execution{Status: event.Crashed, Message: err.Error()}
		if ctx.Err() != nil {
			x.Status = event.Interrupted
		} else if fault.KindOf(err) == fault.Invalid {
			x.Status, x.State = event.Error, event.Intact // it was refused before it ran
		}
	}
	r.took(x)
	if err == nil && began.Own() {
		x.Variables = r.changes(ctx, began.Language, x)
	}
	r.cfg.Sink.Emit(event.ExecutionEnded{Step: r.step, Execution: x})
	if cause := ctx.Err(); cause != nil {
		return x, canceled(cause)
	}
	return x, err
}

// notRun distinguishes code that the session refused, which the model can mend, from a
// session that fails.
func (r *run) notRun(err error) (actionResult, error) {
	if fault.KindOf(err) != fault.Invalid {
		return actionResult{}, err
	}
	r.last = "the last code was refused: " + err.Error()
	return actionResult{observation: "The code was not run: " + advice(err), failed: true}, nil
}

// learn keeps what the execution of a step has shown, for the figures of the answer.
func (r *run) learn(ran Ran) {
	r.sources.AddCode(ran.Step, r.cfg.Languages.Named(ran.Language), ran.Code)
	r.learnReplies(ran.Replies)
	x := withoutGiven(ran.Execution)
	shown := func(in, text string) {
		if text != "" {
			r.sources.AddOutput(grounding.Origin{Step: ran.Step, In: in}, strings.ToValidUTF8(text, " "))
		}
	}
	shown(grounding.InStdout, x.Stdout)
	shown(grounding.InStderr, x.Stderr)
	shown(grounding.InResult, plainText(x.Result))
	shown(grounding.InVariables, variables(x.Variables))
	for _, d := range x.Displays {
		shown(grounding.InDisplay, plainText(d))
	}
	if x.Status == event.OK {
		if found := strings.TrimSpace(x.Stdout + "\n" + plainText(x.Result)); found != "" {
			r.found = shorten(strings.ToValidUTF8(found, "\uFFFD"), 2000, "")
		}
	}
}

// learnReplies takes in what queries and runs replied to code, before what the code shows: a model's
// words vouch for no figure.
func (r *run) learnReplies(recorded []event.ChildReply) {
	if r.cfg.Replies != nil {
		recorded = append(slices.Clone(recorded), r.cfg.Replies()...)
	}
	slices.SortStableFunc(recorded, func(a, b event.ChildReply) int { return a.N - b.N })
	for _, reply := range recorded {
		r.sources.AddReply(reply)
	}
}

// over says that the session has ended and no code can run any more.
func over(x event.Execution) error {
	if x.State != event.Gone {
		return nil
	}
	kind := fault.Unavailable
	switch x.Status {
	case event.Timeout, event.Memory, event.OutputLimit, event.Killed:
		kind = fault.Exhausted
	}
	return fault.New(kind, "Raise the limit that was hit, or ask a smaller question.", "cannot go on: the session is over: %s", statusLine(x))
}

// statusLine says in one line how an execution ended.
func statusLine(x event.Execution) string {
	switch {
	case x.Message != "" && x.Status != event.Error && x.Status != event.OK: // the limit says more than what it raised
		return safetext.OneLine(x.Status.String()+": "+x.Message, 300)
	case x.Error != nil && x.Error.Value != "":
		return safetext.OneLine(x.Error.Name+": "+x.Error.Value, 300)
	case x.Error != nil:
		return safetext.OneLine(x.Error.Name, 300)
	case x.Message != "":
		return safetext.OneLine(x.Status.String()+": "+x.Message, 300)
	case x.Status == event.OK:
		return "code that ran and no answer yet"
	default:
		return x.Status.String()
	}
}
