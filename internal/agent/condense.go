package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"praxis/event"
	"praxis/internal/agent/action"
	"praxis/internal/language"
	"praxis/internal/lazyregexp"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

// Condensing keeps a request within the model's window. The older part of the
// conversation is replaced by a summary that is made by rule, without a model:
// it costs nothing, is the same in replay, and invents nothing. The whole is
// kept, and the model can read it again (recall.go).
//
// Only whole turns are condensed, a reply together with what it was answered:
// providers refuse a call without its result.

// DefaultWindow is in tokens.
const DefaultWindow = 100_000

const (
	bytesPerToken = 3 // rather too few: a request that is too large is refused
	maxSummary    = 24 << 10
	minSummary    = 1500
	maxCalled     = 200 // bytes of a line of a summary
	maxReported   = 400
	maxGiven      = 1000 // bytes of an answer, and of a question that was answered
)

// condensed opens the text that replaces messages.
const condensed = "[The earlier conversation was shortened: "

// setsRE finds the names that code leaves behind in the session.
var setsRE = lazyregexp.New(`^([A-Za-z_]\w*)\s*(?::[^=]*)?=[^=]|^(?:def|class)\s+([A-Za-z_]\w*)`)

// request is the conversation as the model is sent it.
func (r *run) request() []llm.Message {
	if r.cut == 0 {
		return r.messages
	}
	return append([]llm.Message{r.summary}, r.messages[r.cut:]...)
}

// condense shortens the conversation when the next request would not fit. The
// newest turn stays whole, however long it is.
func (r *run) condense(ctx context.Context) error {
	fixed := len(r.system) + toolBytes(r.tools())
	if (fixed+messageBytes(r.request()...))/bytesPerToken <= r.cfg.Budget.Window {
		return nil
	}
	bound := min(max(r.cfg.Budget.Window*bytesPerToken/8, minSummary), maxSummary)
	to := r.turn(r.cfg.Budget.Window*bytesPerToken/2 - fixed - bound)
	if to <= r.cut {
		return nil
	}
	older := withoutPictures(r.messages[:to])
	e := event.HistoryCondensed{Step: r.step, Messages: to, Bytes: messageBytes(older...)}
	if r.cfg.Store != nil {
		whole, err := toJSON(older)
		if err == nil {
			e.Whole, err = r.cfg.Store(ctx, []byte(whole))
		}
		if err != nil {
			if ctx.Err() != nil {
				return canceled(ctx.Err())
			}
			return fmt.Errorf("cannot keep the whole of the conversation before it is shortened: %w", err)
		}
		if r.cfg.Load != nil {
			r.pointers = append(r.pointers, e.Whole)
		}
	}
	e.Summary = r.summarize(older, e.Whole, bound)
	r.cut, r.sent = to, 0
	r.summary = llm.Message{Role: llm.User, Text: e.Summary}
	r.cfg.Sink.Emit(e)
	return nil
}

// turn returns the first reply from which on the conversation fits into size
// bytes, or else the last one.
func (r *run) turn(size int) int {
	to, rest := r.cut, 0
	for i := len(r.messages) - 1; i > r.cut && i > 0; i-- {
		rest += messageBytes(r.messages[i])
		if r.messages[i].Role != llm.Assistant {
			continue
		}
		if rest > size && to > r.cut {
			break
		}
		to = i
	}
	return to
}

func messageBytes(messages ...llm.Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Text) + len(m.Reasoning.Text) + len(m.Reasoning.Signature) + 16
		n += len(m.Pictures) * pictureTokens * bytesPerToken
		for _, c := range m.Calls {
			n += len(c.ID) + len(c.Name) + len(c.Raw) + valueBytes(c.Input)
		}
		for _, res := range m.Results {
			n += len(res.CallID) + len(res.Text)
		}
	}
	return n
}

// valueBytes is about the length of a value's JSON.
func valueBytes(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) + 2
	case map[string]any:
		n := 2
		for k, x := range v {
			n += len(k) + 4 + valueBytes(x)
		}
		return n
	case []any:
		n := 2
		for _, x := range v {
			n += 1 + valueBytes(x)
		}
		return n
	}
	return 8
}

func toolBytes(tools []llm.Tool) int {
	n := 0
	for _, t := range tools {
		n += len(t.Name) + len(t.Description) + valueBytes(t.Schema)
	}
	return n
}

// summarize says in a few lines what each turn was. The question that is being
// answered stays whole.
func (r *run) summarize(older []llm.Message, whole string, bound int) string {
	var b strings.Builder
	b.WriteString(condensed + count(len(older), "message") + " stand here in brief. ")
	if whole != "" && r.cfg.Load != nil {
		fmt.Fprintf(&b, "The whole is stored under the pointer %s. To read it, call the tool %s with the arguments pointer and part, which counts from 1, or write one block:\n```history\n%s part 1\n```\n", whole, action.ToolHistory, whole)
	}
	b.WriteString("The session is as the code left it. What stands here is cut short: print or compute a figure again before you rely on it.]\n")
	for _, l := range fit(r.lines(older), bound) {
		b.WriteString("\n" + l.text)
	}
	if r.questionAt < len(older) {
		b.WriteString(markQuestion + questionIn(older[r.questionAt], r.questionAt == 0))
	}
	return b.String()
}

// line is one line of a summary. A weighty one is left out last.
type line struct {
	text    string
	weighty bool
}

// fit leaves out the oldest lines when there are too many: first those that
// say what was done, then the others.
func fit(lines []line, bound int) []line {
	size := 0
	for _, l := range lines {
		size += len(l.text) + 1
	}
	left := 0
	for _, weighty := range []bool{false, true} {
		var remaining []line
		for _, l := range lines {
			if size > bound && l.weighty == weighty {
				size -= len(l.text) + 1
				left++
				continue
			}
			remaining = append(remaining, l)
		}
		lines = remaining
	}
	if left > 0 {
		lines = append([]line{{text: fmt.Sprintf("… %s left out", count(left, "line"))}}, lines...)
	}
	return lines
}

// lines summarizes the messages of a conversation.
func (r *run) lines(older []llm.Message) []line {
	var out []line
	question := func(i int) {
		if text := questionIn(older[i], i == 0); text != "" && i != r.questionAt {
			out = append(out, line{"The person asked: " + safetext.OneLine(text, maxGiven), true})
		}
	}
	for i, m := range older {
		switch {
		case i == 0 && strings.HasPrefix(m.Text, condensed):
			out = append(out, retold(m.Text)...)
			question(i)
		case m.Role == llm.Assistant && i+1 < len(older):
			out = append(out, summaryLine(r.cfg.Languages, m, older[i+1]))
		case m.Role == llm.User:
			question(i)
		}
	}
	return out
}

// retold returns the lines of a summary that was made before.
func retold(text string) []line {
	text, _, _ = cutLast(text, markQuestion)
	_, text, _ = strings.Cut(text, "]\n\n")
	var out []line
	for l := range strings.Lines(text) {
		if l = strings.TrimRight(l, "\n"); l != "" {
			out = append(out, line{safetext.OneLine(l, maxGiven), !strings.HasPrefix(l, "- ")})
		}
	}
	return out
}

// questionIn returns what the person asked in a message, or "".
func questionIn(m llm.Message, first bool) string {
	if m.Role != llm.User {
		return ""
	}
	_, question, found := cutLast(m.Text, markQuestion)
	switch {
	case found:
		return question
	case first && !strings.HasPrefix(m.Text, condensed), len(m.Results) > 0:
		return m.Text
	}
	return ""
}

// summaryLine summarizes one turn: what the reply did, and what came of it.
func summaryLine(langs language.Table, reply, observed llm.Message) line {
	p, err := action.Parse(llm.Reply{Text: reply.Text, Calls: reply.Calls}, langs, action.Save, action.Search, action.History)
	text, _, _ := cutLast(observed.Text, markQuestion)
	if len(observed.Results) > 0 {
		text = observed.Results[min(max(p.Action.Call, 0), len(observed.Results)-1)].Text
	}
	did := ""
	switch {
	case err != nil:
		did = "a reply without an action"
	case p.Action.Kind == action.Answer:
		if rest, ok := strings.CutPrefix(text, markAnswer); ok {
			_, given, _ := strings.Cut(rest, markShown)
			return line{"The answer was: " + safetext.OneLine(given, maxGiven), true}
		}
		did = "an answer"
	case p.Action.Kind == action.Save:
		did = "a note: " + safetext.OneLine(p.Action.Text, maxCalled)
	case p.Action.Kind == action.Search:
		did = "looked in the notes for: " + safetext.OneLine(p.Action.Text, maxCalled)
	case p.Action.Kind == action.History:
		did, text = "read the history", ""
	default:
		did = code(p.Thought, p.Action.Text)
	}
	bound := maxReported
	if !strings.HasPrefix(text, markStatus) {
		bound = maxCalled
	}
	if text = safetext.OneLine(strings.TrimPrefix(text, markStatus), bound); text != "" {
		did += " → " + text
	}
	return line{"- " + did, false}
}

// code says in one line what code was for and what it left behind.
func code(thought, text string) string {
	var names []string
	first := ""
	lines := strings.Split(text, "\n")
	for _, l := range lines {
		if trimmed := strings.TrimSpace(l); first == "" && trimmed != "" && !strings.HasPrefix(trimmed, "#") &&
			!strings.HasPrefix(trimmed, "import ") && !strings.HasPrefix(trimmed, "from ") {
			first = trimmed
		}
		if m := setsRE.FindStringSubmatch(l); m != nil && len(names) < maxListed {
			if name := m[1] + m[2]; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	what := thought
	if strings.TrimSpace(what) == "" {
		what = first
	}
	out := safetext.OneLine(what, maxCalled) + " (" + count(len(lines), "line") + " of code"
	if len(names) > 0 {
		out += ", sets " + strings.Join(names, ", ")
	}
	return out + ")"
}
