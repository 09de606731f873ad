package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/agent/action"
	"praxis/internal/agent/grounding"
	"praxis/internal/language"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

// Begin is a run that goes on in the middle of another: a what-if branch.
type Begin struct {
	Step     int           // the first step to be taken, counted from 1
	Messages []llm.Message // the whole conversation up to it, the question included, as the model was sent it
	Tokens   event.Tokens  // used before: they count towards the budget, not towards Answer.Tokens
	Took     time.Duration // of the run so far: it counts towards the budget, not towards Answer.Took
	Ran      []Ran         // what the model's code did in the steps before, so that its figures are known as in the whole run
}

// Ran is one execution of the model's code.
type Ran struct {
	Step      int
	Language  string // as Config.Languages names it; "": the main one
	Code      string
	Execution event.Execution
	Replies   []event.ChildReply // that code was given in the step, where it is the first of its step
}

// The marks by which the parts of a user's message are known again. Only what
// follows markStatus is shown by code, up to markDirections; only what follows markQuestion,
// or is a message without results, was said by the person.
const (
	markStatus     = "status: "
	markAnswer     = markStatus + "answered"
	markShown      = "\n\nThe person was shown:\n"
	markQuestion   = "\n\nThe person asks:\n"
	markError      = "\nerror:\n"
	markNext       = "\n\nThe next call gave:\n" // between calls that were written in one reply
	markDirections = "\n\nDirections:\n"
	// What follows these was said by nobody, and is no source of figures.
	markChanged = "\n\nSince the conversation stopped: "
	markAttempt = "\n\nThis is attempt "
)

// maxChanged bounds what is said of it, in bytes.
const maxChanged = 2000

// check says what would make a provider refuse the conversation.
func (b *Begin) check() error {
	switch {
	case b == nil:
		return nil
	case b.Step < 1:
		return fmt.Errorf("cannot begin at step %d: steps count from 1", b.Step)
	case len(b.Messages) == 0 || b.Messages[len(b.Messages)-1].Role != llm.User:
		return errors.New("cannot begin in the middle: the conversation does not end with a message to the model")
	}
	return nil
}

// begin puts the conversation together and takes in the figures that it shows.
func (r *run) begin(ctx context.Context, question string) {
	r.sources.AddQuestion(grounding.InQuestion, question)
	for _, f := range r.cfg.Files {
		r.sources.AddQuestion(grounding.InFile, fileSource(f))
	}
	if b := r.cfg.Begin; b != nil {
		r.messages = slices.Clone(b.Messages)
		r.step = b.Step - 1
		r.before(b.Tokens)
		r.unfold(ctx)
		r.remember(r.messages)
		r.programs = len(b.Ran)
		r.questionAt = lastQuestion(r.messages, question)
		r.doubts = doubtsIn(r.messages[r.questionAt:])
		learnMessages(&r.sources, r.cfg.Languages, r.messages)
		for _, x := range b.Ran {
			r.learn(x)
			r.took(x.Execution)
			r.failed(x.Execution)
			r.stalls.seen(stallKey(x.Code, x.Execution))
			r.worked = true
		}
		return
	}
	r.messages = slices.Clone(r.cfg.History)
	if len(r.messages) > 0 {
		r.worked = true // the earlier questions
		r.cfg.Sink.Emit(event.ConversationContinued{Messages: len(r.messages)})
	}
	learnMessages(&r.sources, r.cfg.Languages, r.messages)
	text := questionText(question, r.cfg.Files)
	if r.cfg.Repo != nil {
		text += "\n\n" + unmarked(r.cfg.Repo.Given)
		r.sources.AddQuestion(grounding.InFile, r.cfg.Repo.Given)
	}
	if r.cfg.Changed != "" {
		text += markChanged + safetext.OneLine(r.cfg.Changed, maxChanged) + "."
	}
	if a := r.cfg.Attempt; a.Of > 0 {
		text += fmt.Sprintf(markAttempt+"%d of %d at this question, each made by itself; the best answer is chosen. Choose a way of your own: not the one that comes to mind first to everybody.", a.N, a.Of)
	}
	r.messages = follow(r.messages, text)
	r.questionAt = len(r.messages) - 1
}

// lastQuestion finds the message that asks a question, or else the first one.
func lastQuestion(messages []llm.Message, question string) int {
	for i := len(messages) - 1; i > 0; i-- {
		if strings.HasPrefix(questionIn(messages[i], false), question) {
			return i
		}
	}
	return 0
}

// follow puts what the person asks behind a conversation. Roles alternate, as
// some models insist on it.
func follow(messages []llm.Message, question string) []llm.Message {
	n := len(messages)
	if n == 0 || messages[n-1].Role != llm.User {
		return append(messages, llm.Message{Role: llm.User, Text: question})
	}
	last := messages[n-1] // a copy: the history belongs to the caller
	if last.Text != "" {
		last.Text += markQuestion
	}
	last.Text += question
	return append(messages[:n-1:n-1], last)
}

// learnMessages takes in the figures of an earlier conversation. What code
// showed and what the person said are sources; what the model claimed, also
// where a rejection repeats it, is none.
func learnMessages(s *grounding.Sources, langs language.Table, messages []llm.Message) {
	earlier := grounding.Origin{In: grounding.InEarlier}
	for i, m := range messages {
		if m.Role != llm.User {
			p, err := action.Parse(llm.Reply{Text: m.Text, Calls: m.Calls}, langs)
			if earlier.Code = i - len(messages); err == nil && p.Action.Kind == action.Run {
				s.AddCode(earlier.Code, langs.Named(p.Action.Language), p.Action.Text)
			}
			continue
		}
		for _, res := range m.Results {
			s.AddOutput(earlier, shown(res.Text))
		}
		text, question, found := cutLast(m.Text, markQuestion)
		switch {
		case found:
			s.AddQuestion(grounding.InQuestion, personal(question))
			s.AddOutput(earlier, shown(text))
		case i == 0 && strings.HasPrefix(text, condensed): // what it repeats may be claimed
		case i == 0 || len(m.Results) > 0:
			s.AddQuestion(grounding.InQuestion, personal(text))
		default:
			s.AddOutput(earlier, shown(text))
		}
	}
}

// personal returns the part of a message that the person said.
func personal(text string) string {
	text, _, _ = strings.Cut(text, markChanged)
	text, _, _ = strings.Cut(text, markAttempt)
	return text
}

// shown returns the part of an observation that code printed or returned. A
// traceback is left out, as it quotes the model's code.
func shown(text string) string {
	for _, end := range []string{markShown, markDirections} {
		text, _, _ = strings.Cut(text, end)
	}
	var out []string
	for part := range strings.SplitSeq(text, markNext) {
		if part, _, _ = strings.Cut(part, markError); strings.HasPrefix(part, markStatus) {
			out = append(out, part)
		}
	}
	return strings.Join(out, "\n")
}

func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// answered closes a question in the conversation: it shows the model what its
// placeholders came to, which is computed, and what the person read.
func answered(a Answer) string {
	var b strings.Builder
	b.WriteString(markAnswer)
	title := "\nvalues that were filled in:\n"
	for _, f := range a.Figures {
		if f.Source == grounding.Computed {
			b.WriteString(title + f.Text + "\n")
			title = ""
		}
	}
	return unmarked(strings.TrimRight(b.String(), "\n")) + markShown + unmarked(a.Text)
}

// Closed is a conversation that ends with a reply that gave the answer.
func Closed(messages []llm.Message, reply event.ModelReplied, a Answer) []llm.Message {
	observed := llm.Message{Role: llm.User}
	for _, c := range reply.Calls {
		observed.Results = append(observed.Results, llm.Result{CallID: c.ID, Text: answered(a)})
	}
	if len(reply.Calls) == 0 {
		observed.Text = answered(a)
	}
	return withoutPictures(append(slices.Clone(messages), said(reply.Text, reply.Calls, reply.Reasoning), observed))
}
