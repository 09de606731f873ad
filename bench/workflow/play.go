package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"praxis/internal/agent/action"
	"praxis/internal/language/python"
	"praxis/internal/llm"
)

// perTurn is how many calls the agent takes in one turn.
const perTurn = 32

// player is a model that a script plays, and that counts what it is sent.
type player struct {
	count counter
	next  func() (llm.Reply, bool)
	t     *turn

	head   int // tokens of the prompt and the tools
	seen   int // messages that are counted
	tokens int // of those
	billed int
	turns  int
}

// play makes a model of a script. stop must be called.
func play(c counter, script func(t *turn)) (p *player, stop func()) {
	p = &player{count: c, t: &turn{}}
	p.next, stop = iter.Pull(func(yield func(llm.Reply) bool) {
		p.t.yield = yield
		script(p.t)
	})
	return p, stop
}

// Name returns the model's name.
func (p *player) Name() string { return "scripted:bench" }

// Traits returns what is known of it.
func (p *player) Traits() llm.Traits { return llm.Traits{Local: true} }

// Complete lets the script go on.
func (p *player) Complete(_ context.Context, req llm.Request, _ func(string)) (llm.Reply, error) {
	if p.turns++; p.turns == 1 {
		var err error
		if p.head, err = p.count.head(req.System, req.Tools); err != nil {
			return llm.Reply{}, err
		}
	}
	if err := p.took(req.Messages); err != nil {
		return llm.Reply{}, err
	}
	p.billed += p.head + p.tokens
	p.t.results = req.Messages[len(req.Messages)-1].Results
	reply, more := p.next()
	if p.t.err != nil {
		return llm.Reply{}, p.t.err
	}
	if !more {
		return llm.Reply{}, errors.New("the script is at its end, and the run is not")
	}
	return reply, nil
}

// took counts the messages that are new.
func (p *player) took(all []llm.Message) error {
	n, err := p.count.messages(all[p.seen:])
	p.tokens += n
	p.seen = len(all)
	return err
}

// turn is the script's end of the conversation. After a failure it receives
// nothing more, and what it sends is dropped.
type turn struct {
	yield   func(llm.Reply) bool
	results []llm.Result
	calls   int
	err     error
}

// callResult is what one call came to.
type callResult struct {
	text   string
	failed bool
}

// call is a call of a tool. given are names and values by turns.
func call(name string, given ...any) llm.Call {
	input := map[string]any{}
	for i := 0; i+1 < len(given); i += 2 {
		input[fmt.Sprint(given[i])] = given[i+1]
	}
	return llm.Call{Name: strings.ReplaceAll(name, ".", "__"), Input: input}
}

// say sends one reply and returns what its calls came to.
func (t *turn) say(thought string, calls []llm.Call) []callResult {
	out := make([]callResult, len(calls))
	if t.err != nil {
		return out
	}
	for i := range calls {
		t.calls++
		calls[i].ID = fmt.Sprintf("call_%d", t.calls)
	}
	if !t.yield(llm.Reply{Text: thought, Calls: calls}) {
		t.err = errors.New("the run ended before its script")
		return out
	}
	if len(t.results) != len(calls) {
		t.err = fmt.Errorf("%d calls were made and %d answered", len(calls), len(t.results))
		return out
	}
	for i, r := range t.results {
		text, _, _ := strings.Cut(r.Text, "\n\nDirections:\n") // the agent's own, behind the last result
		out[i] = callResult{text: text, failed: r.IsError}
		for _, mark := range []string{"status: ok\nresult:\n", "status: error\nerror:\n"} {
			out[i].text = strings.TrimPrefix(out[i].text, mark)
		}
	}
	return out
}

// use calls tools, as many in a turn as may be, and reads what was shown in part
// to its end.
func (t *turn) use(thought string, calls ...llm.Call) []callResult {
	var out []callResult
	for len(calls) > 0 {
		n := min(len(calls), perTurn)
		out = append(out, t.say(thought, calls[:n])...)
		calls = calls[n:]
		thought = "And the next ones."
	}
	for i := range out {
		out[i].text = t.whole(out[i].text)
	}
	return out
}

// one is use for a call whose result the script needs.
func (t *turn) one(thought string, c llm.Call) callResult {
	h := t.use(thought, c)[0]
	t.must(h)
	return h
}

// must fails the script when a call failed.
func (t *turn) must(all ...callResult) {
	for _, h := range all {
		if h.failed && t.err == nil {
			t.err = fmt.Errorf("a call failed: %s", h.text)
		}
	}
}

// whole reads the rest of a result that was shown in part.
func (t *turn) whole(text string) string {
	at := strings.LastIndex(text, "\n[… the first ")
	if at < 0 {
		return text
	}
	var size, total, from int
	var id string
	if _, err := fmt.Sscanf(text[at+1:], "[… the first %d of %d characters. Read on: read_result with id %q and from %d", &size, &total, &id, &from); err != nil || size <= 0 {
		t.err = errors.Join(t.err, fmt.Errorf("cannot find out how to read on: %q", text[at+1:]))
		return ""
	}
	var b strings.Builder
	b.WriteString(text[:at])
	var calls []llm.Call
	for ; from < total; from += size {
		calls = append(calls, call("read_result", "id", id, "from", from))
	}
	for len(calls) > 0 {
		n := min(len(calls), perTurn)
		for _, h := range t.say("Reading on.", calls[:n]) {
			t.must(h)
			part := h.text
			if i := strings.LastIndex(part, "\n[… "); i >= 0 {
				part = part[:i]
			}
			b.WriteString(part)
		}
		calls = calls[n:]
	}
	if t.err == nil && b.Len() != total {
		t.err = fmt.Errorf("a result of %d characters was read as %d", total, b.Len())
	}
	return b.String()
}

// read decodes a result.
func read[T any](t *turn, h callResult) (out T) {
	if t.err == nil {
		if err := json.Unmarshal([]byte(h.text), &out); err != nil {
			t.err = fmt.Errorf("cannot read a result: %w", err)
		}
	}
	return out
}

// answer gives the answer, and once more when it was sent back.
func (t *turn) answer(text string) {
	for range 2 {
		t.say("", []llm.Call{{Name: action.ToolAnswer, Input: map[string]any{"text": text}}})
	}
}

// run runs code, which has to end well.
func (t *turn) run(thought, code string) {
	t.must(t.say(thought, []llm.Call{{Name: python.Language().Tool(), Input: map[string]any{"code": code}}})...)
}
