package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/agent/action"
	"praxis/internal/lazyregexp"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

const (
	maxPart    = 12_000 // bytes of a part of the history
	minPart    = 1000
	minPointer = 6 // characters that are enough of a pointer
)

// pointerRE finds the pointer in a summary that the agent wrote.
var pointerRE = lazyregexp.New(`The whole is stored under the pointer ([0-9a-f]{64})\.`)

// pointerOf returns the pointer of a summary, or "".
func pointerOf(m llm.Message) string {
	if m.Role != llm.User || !strings.HasPrefix(m.Text, condensed) {
		return ""
	}
	head, _, _ := strings.Cut(m.Text, "]\n")
	if found := pointerRE.FindStringSubmatch(head); found != nil {
		return found[1]
	}
	return ""
}

// unfold puts the whole of a conversation that begins with a summary back in
// its place, so that a branch goes on as the run itself would have: the model is
// sent the summary still. When the whole cannot be read, the summary is all that
// there is: figures may come out unverified then, but never wrongly verified.
func (r *run) unfold(ctx context.Context) {
	pointer := pointerOf(r.messages[0])
	if pointer == "" || r.cfg.Load == nil {
		return
	}
	r.pointers = []string{pointer}
	data, err := r.cfg.Load(ctx, pointer)
	if err != nil {
		return
	}
	var whole []llm.Message
	if json.Unmarshal(data, &whole) != nil || len(whole) == 0 || whole[len(whole)-1].Role != llm.User {
		return
	}
	r.summary, r.cut = r.messages[0], len(whole)
	if _, question, ok := cutLast(r.summary.Text, markQuestion); ok {
		reask(whole, question)
	}
	r.messages = append(whole, r.messages[1:]...)
}

// reask replaces the question that was asked last by another: that of a
// branch may be another.
func reask(messages []llm.Message, question string) {
	for i, m := range slices.Backward(messages) {
		if questionIn(m, i == 0) == "" {
			continue
		}
		if before, _, ok := cutLast(m.Text, markQuestion); ok {
			question = before + markQuestion + question
		}
		messages[i].Text = question
		return
	}
}

// recall gives the model a part of what was condensed. It is no source of
// figures: what code showed was learned when it was shown.
func (r *run) recall(ctx context.Context, a action.Action) (actionResult, error) {
	what := fmt.Sprintf("%s\n%s\n%d", action.ToolHistory, a.Text, a.Part)
	refused := func(err error) (actionResult, error) {
		return r.lookedUp(what, "The history was not read: "+advice(err), true)
	}
	pointer, err := r.resolve(a.Text)
	if err != nil {
		r.reject(err, "")
		return refused(err)
	}
	text := ""
	err = r.use(ctx, action.ToolHistory, map[string]any{"pointer": pointer, "part": a.Part}, func(ctx context.Context) (string, error) {
		whole, err := r.cfg.Load(ctx, pointer)
		if err != nil {
			return "", err
		}
		text, err = part(whole, a.Part, min(max(r.cfg.Budget.Window*bytesPerToken/8, minPart), maxPart))
		return text, err
	})
	if ctx.Err() != nil {
		return actionResult{}, canceled(ctx.Err())
	}
	if err != nil {
		return refused(err)
	}
	return r.lookedUp(what, text, false)
}

// resolve returns the pointer of this conversation that ref names: nothing else
// can be read by it. Without ref it is the newest.
func (r *run) resolve(ref string) (string, error) {
	if len(r.pointers) == 0 {
		return "", fault.New(fault.NotFound, "Everything stands in the conversation still.", "cannot read the history: nothing was shortened")
	}
	newest := r.pointers[len(r.pointers)-1]
	if ref == "" {
		return newest, nil
	}
	if i := slices.IndexFunc(r.pointers, func(p string) bool { return len(ref) >= minPointer && strings.HasPrefix(p, ref) }); i >= 0 {
		return r.pointers[i], nil
	}
	return "", fault.New(fault.NotFound, "The newest is "+newest+"; it holds all that was shortened.",
		"cannot read the history: this conversation has no pointer %q", safetext.OneLine(ref, 300))
}

// part renders a conversation and returns one part of it. Its lines are marked,
// so that nothing in it passes for the text around it.
func part(whole []byte, n, size int) (string, error) {
	var messages []llm.Message
	if err := json.Unmarshal(whole, &messages); err != nil {
		return "", fmt.Errorf("cannot read the history: it is damaged: %w", err)
	}
	parts := split(render(messages), size)
	if n > len(parts) {
		return "", fault.New(fault.Invalid, fmt.Sprintf("Parts count from 1 to %d.", len(parts)), "cannot read the history: there is no part %d", n)
	}
	head := fmt.Sprintf("History, part %d of %d. It stood earlier in this conversation.", n, len(parts))
	return head + "\n" + marked(parts[n-1]), nil
}

// render writes a conversation as text.
func render(messages []llm.Message) string {
	var b strings.Builder
	for i, m := range messages {
		who := "you"
		if m.Role == llm.User {
			who = "to you"
		}
		fmt.Fprintf(&b, "== message %d, %s\n", i+1, who)
		for _, res := range m.Results {
			b.WriteString(strings.TrimRight(res.Text, "\n") + "\n")
		}
		if m.Text != "" {
			b.WriteString(strings.TrimRight(m.Text, "\n") + "\n")
		}
		for _, c := range m.Calls {
			b.WriteString("call of " + c.Name + "\n")
			if text, ok := c.Input["code"].(string); ok && len(c.Input) == 1 {
				b.WriteString(strings.TrimRight(text, "\n") + "\n")
				continue
			}
			if text, err := toJSON(c.InputObject()); err == nil {
				b.WriteString(text + "\n")
			}
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// split cuts a text into parts of at most size bytes, at the ends of lines where
// it can.
func split(text string, size int) []string {
	var out []string
	for len(text) > size {
		end := strings.LastIndexByte(text[:size], '\n') + 1
		if end < size/2 {
			for end = size; end > 0 && !utf8.RuneStart(text[end]); end-- {
				continue
			}
		}
		out, text = append(out, text[:end]), text[end:]
	}
	return append(out, text)
}
