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
	"praxis/internal/lazyregexp"
	"praxis/internal/llm"
)

const (
	maxRejected  = 3 // replies in a row without an action
	maxContinued = 3 // times that a reply which was cut is gone on with
	maxMore      = 4 // how many times the usual length a reply may have after one that was all thought
)

// unusable answers a reply that holds nothing that can be done.
func (r *run) unusable(t turn) actionResult {
	if t.parsed.Unfinished && t.reply.Text != "" && len(t.reply.Text) < maxSaid && r.pieces() < maxContinued {
		return actionResult{observation: goOn(lastLine(r.whole(t.reply).Text))}
	}
	r.rejected++
	r.reject(t.rejection, "")
	out := actionResult{observation: advice(t.rejection), failed: true}
	switch {
	case t.parsed.Unfinished && t.reply.Text != "":
		out.observation = fmt.Sprintf("The reply was cut at the bound of its length %d times, and nothing of it was taken. Write less: one short piece of code, or a short answer.", maxContinued+1)
	case t.reply.Cut && t.reply.Text == "" && len(t.reply.Calls) == 0:
		r.thought++
		out.observation = "The whole reply went into thought, and was cut before anything else was said. Think less, and act: " + fault.RemedyOf(t.rejection)
	case t.reply.Text == "" && len(t.reply.Calls) == 0 && t.reply.Reasoning.Text != "":
		out.observation = "The reply held thought and nothing else. What you want done must stand in the reply itself: " + fault.RemedyOf(t.rejection)
	case t.parsed.Plain != "" && announces(t.parsed.Plain):
		out.observation = "The reply only says what you are about to do, and nothing was done. Do it in the same turn, or answer. " + fault.RemedyOf(t.rejection)
	}
	if r.rejected >= maxRejected {
		out.end = &ending{why: fmt.Sprintf("%d replies in a row could not be used", r.rejected), cause: fault.New(fault.Exhausted, "Try another model, or ask in other words.",
			"cannot answer: %s gave %d replies in a row that could not be used; the last one: %w", r.cfg.Model.Name(), r.rejected, t.rejection)}
	}
	return out
}

// takes says whether a reply without an action is the answer. Once something was done it
// is: a reply without a call is the end by every provider's convention. Before, the model
// is asked once whether it would not rather compute. What only says what is about to be
// done is never an answer.
func (r *run) takes(p action.Parsed) bool {
	switch {
	case p.Plain == "" || r.incomplete != "" || r.announces(p.Plain):
		return false
	case p.Foreign:
		return r.rejected > 0
	}
	return r.worked || r.rejected > 0
}

// announceRE is how replies begin that say what is about to be done. "Id 7 has most" and
// "First I counted: it is 3" begin otherwise.
var announceRE = lazyregexp.New(`(?i)^(?:(?:ok(?:ay)?|sure|great|good|perfect|now|next|first|then|alright|so|und|nun|jetzt|gut|zuerst|als nächstes)\b[ ,.:!–—-]*)*` +
	`(?:let me|let's|let us|i'll|i will|i'd|i would|i(?:'m| am) (?:going|about) to|i (?:now )?(?:need|have|want) to|i should|we need to|we will|we'll|` +
	`(?:now|next|first|then),? i (?:check|compute|calculate|inspect|load|look|open|plot|print|read|run|test|try|use|verify|write)|` +
	`ich werde|ich muss|ich sehe mir|lass mich|lassen sie mich|wir müssen)\b`)

// announces says whether a reply only says what is about to be done. One that was asked for
// again and holds a figure that was shown is the answer, however it begins.
func (r *run) announces(text string) bool {
	if !announces(text) {
		return false
	}
	again := r.rejected > 0 || r.incomplete != ""
	return !again || !slices.ContainsFunc(r.sources.Trace(text), func(f event.Figure) bool { return f.Source == grounding.Output })
}

// announces says whether a text only says what is about to be done. One that is long
// says more.
func announces(text string) bool {
	text = strings.TrimSpace(strings.ReplaceAll(text, "’", "'"))
	if len(text) > 600 {
		return false
	}
	if strings.HasSuffix(text, ":") || strings.HasSuffix(text, "…") || strings.HasSuffix(text, "...") {
		return true
	}
	if !announceRE.MatchString(text) {
		return false
	}
	// Where more follows than what will be done, the figures say so.
	return !strings.Contains(text, "\n\n")
}

// The text that asks for the rest of a reply, by which it is known again.
const continued = "Your reply was cut at the bound of its length. Go on exactly where it stopped, and repeat nothing"

// goOn asks for the rest of a reply that was cut.
func goOn(line string) string {
	if line == "" {
		return continued + "."
	}
	return continued + " but the line that was cut: write it again, whole, and then the rest. It begins: " + line
}

// pieces counts the pieces of a reply that the model was asked to go on with.
func (r *run) pieces() int {
	n := 0
	for i := len(r.messages) - 1; i > 0 && strings.HasPrefix(r.messages[i].Text, continued); i -= 2 {
		n++
	}
	return n
}

// whole puts a reply together with the pieces before it.
func (r *run) whole(reply llm.Reply) llm.Reply {
	n := r.pieces()
	if n == 0 || len(reply.Calls) > 0 {
		return r.onlyThought(reply)
	}
	text := ""
	for i := len(r.messages) - 2*n; i < len(r.messages); i += 2 {
		text = join(text, r.messages[i].Text)
	}
	reply.Text = join(text, reply.Text)
	return reply
}

// onlyThought takes the thought of a reply for the reply, when there is nothing else and
// the model was asked before: some servers put all that a model says there.
func (r *run) onlyThought(reply llm.Reply) llm.Reply {
	if strings.TrimSpace(reply.Text) == "" && len(reply.Calls) == 0 && !reply.Cut && r.rejected > 0 {
		reply.Text = reply.Reasoning.Text
	}
	return reply
}

// join puts the rest of a text behind its beginning, which was cut. The line that was cut
// may stand in both, and so may the fence that the rest goes on in.
func join(text, rest string) string {
	if text == "" {
		return rest
	}
	line := lastLine(text)
	trimmed := strings.TrimLeft(rest, "\n")
	if strings.HasPrefix(strings.TrimSpace(trimmed), "```") && strings.Count(text, "```")%2 == 1 {
		if _, after, ok := strings.Cut(trimmed, "\n"); ok && strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(trimmed), "`")) != "" && !strings.HasPrefix(strings.TrimSpace(trimmed), "```\n") {
			trimmed = after
		}
	}
	if line != "" && strings.HasPrefix(strings.TrimLeft(trimmed, " \t"), strings.TrimLeft(line, " \t")) {
		return strings.TrimSuffix(text, line) + trimmed
	}
	if trimmed != rest && line == "" {
		return text + trimmed
	}
	return text + rest
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// replyTokens are the tokens of the next reply: more of them after a reply that was cut
// while the model thought.
func (r *run) replyTokens() int {
	n := r.cfg.Budget.Reply
	if r.thought > 0 {
		n *= min(1<<r.thought, maxMore)
	}
	return n
}

// after uses the answer that stands beside code, if it claims nothing that could not be
// known before the code was run: what it rests on must come from the session.
func (r *run) after(ctx context.Context, t turn, o actionResult) (actionResult, error) {
	if t.parsed.After == nil || o.answer != nil {
		return o, nil
	}
	const again = "Your reply held code and a final answer. The code was run; give the final answer again, alone."
	dropped := func() (actionResult, error) {
		r.cfg.Sink.Emit(event.ReplyTrimmed{Step: r.step, Reason: "code and a final answer: only the code was run"})
		o.notes = append(o.notes, again+" To show code in an answer, use <final_answer> and </final_answer>.")
		return o, nil
	}
	text := t.parsed.After.Text
	if o.failed || o.end != nil || !r.foreseen(text) {
		return dropped()
	}
	given, err := r.answer(ctx, text)
	if err != nil {
		return o, err
	}
	if given.answer == nil {
		o.notes = append(o.notes, given.observation)
		return o, nil
	}
	o.observation, o.answer = o.observation+"\n\n"+given.observation, given.answer
	if i := t.parsed.After.Call; i >= 0 {
		o.beside = append(o.beside, besideResult{call: i, text: "Taken: the person was shown it."})
	}
	return o, nil
}

// placeholderRE finds where the values of a session go.
var placeholderRE = lazyregexp.New(`(?s)\{\{.*?\}\}`)

// foreseen says whether an answer could be written before its code was run: what it rests
// on stands in placeholders, and the rest is nothing but what the question says.
func (r *run) foreseen(text string) bool {
	around := placeholderRE.ReplaceAllString(text, " … ")
	if around == text || guessRE.MatchString(around) {
		return false
	}
	var known grounding.Sources
	known.AddQuestion("", personal(r.messages[r.questionAt].Text))
	return len(event.Untraced(known.Trace(around))) == 0
}

// guessRE are words by which an answer decides what it cannot have known.
var guessRE = lazyregexp.New(`(?i)\b(?:yes|no|ja|nein|oui|non|sí|true|false|wahr|falsch)\b`)
