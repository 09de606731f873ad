package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"praxis/event"
	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// item is what is read of one event of a stream. Which fields it has follows
// from its type.
type item struct {
	Type    string       `json:"type"`
	Index   stream.Count `json:"index"`
	Message struct {
		Usage usage `json:"usage"`
	} `json:"message"`
	ContentBlock struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  stream.Text     `json:"thinking"`
		Signature stream.Text     `json:"signature"`
		Data      stream.Text     `json:"data"` // of thinking that is encrypted
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
	} `json:"content_block"`
	Delta struct {
		Type        string      `json:"type"`
		Text        string      `json:"text"`
		Thinking    stream.Text `json:"thinking"`
		Signature   stream.Text `json:"signature"`
		PartialJSON string      `json:"partial_json"`
		StopReason  stream.Text `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

// usage counts tokens. What was written to the provider's cache or read from it
// is not part of input_tokens.
type usage struct {
	InputTokens   stream.Count `json:"input_tokens"`
	CacheCreation stream.Count `json:"cache_creation_input_tokens"`
	CacheRead     stream.Count `json:"cache_read_input_tokens"`
	OutputTokens  stream.Count `json:"output_tokens"`
}

func (u usage) tokens() event.Tokens {
	return event.Tokens{Input: int(u.InputTokens + u.CacheCreation + u.CacheRead), Output: int(u.OutputTokens),
		CacheRead: int(u.CacheRead), CacheWritten: int(u.CacheCreation)}
}

// decoder puts a reply together from the events of its stream.
type decoder struct {
	stream.Draft
	thoughts []*begunThought
	calls    []*begunCall
	open     map[stream.Count]*begunCall
	stop     stream.Text
	done     bool
}

// begunCall is one tool_use block while its input arrives.
type begunCall struct {
	llm.Call
	start json.RawMessage // the input in the block's first event, whole on some servers
	input strings.Builder
}

// Take implements stream.Decoder.
func (d *decoder) Take(e stream.Event) error {
	data := bytes.TrimSpace(e.Data)
	if len(data) == 0 || e.Type == "ping" {
		return nil
	}
	if e.Type == "error" {
		return stream.ErrorEvent(data)
	}
	var it item
	if err := json.Unmarshal(data, &it); err != nil {
		return err
	}
	switch cmp.Or(it.Type, e.Type) {
	case "error":
		return stream.ErrorEvent(data)
	case "message_start":
		d.Tokens = it.Message.Usage.tokens()
	case "content_block_start":
		return d.begin(it)
	case "content_block_delta":
		return d.add(it)
	case "message_delta":
		d.finish(it)
	case "message_stop":
		d.done = true
		return io.EOF
	}
	return nil
}

// finish takes the last figures, which count from the message's beginning.
func (d *decoder) finish(it item) {
	if it.Delta.StopReason != "" {
		d.stop = it.Delta.StopReason
	}
	u := it.Usage.tokens()
	if u.Output == 0 {
		u.Output = d.Tokens.Output
	}
	if u.Input <= d.Tokens.Input { // some servers know it at the end only
		d.Tokens.Output = u.Output
		return
	}
	d.Tokens = u
}

func (d *decoder) begin(it item) error {
	b := it.ContentBlock
	switch b.Type {
	case "text":
		d.Say(b.Text)
	case "thinking", "redacted_thinking":
		if len(d.thoughts) < maxThoughts {
			d.thoughts = append(d.thoughts, &begunThought{hidden: string(b.Data)})
		}
		d.think(string(b.Thinking), string(b.Signature))
	case "tool_use":
		if len(d.calls) >= stream.MaxCalls {
			return stream.ErrManyCalls
		}
		if b.ID == "" || b.Name == "" {
			return errors.New("the reply holds a tool call without an id or a name")
		}
		c := &begunCall{Call: llm.Call{ID: b.ID, Name: b.Name}, start: b.Input}
		if d.open == nil {
			d.open = map[stream.Count]*begunCall{}
		}
		d.open[it.Index] = c
		d.calls = append(d.calls, c)
	}
	return nil
}

func (d *decoder) add(it item) error {
	switch it.Delta.Type {
	case "text_delta":
		d.Say(it.Delta.Text)
	case "thinking_delta", "signature_delta":
		d.think(string(it.Delta.Thinking), string(it.Delta.Signature))
	case "input_json_delta":
		c := d.open[it.Index]
		if c == nil {
			return errors.New("the reply adds to a tool call that it did not begin")
		}
		c.input.WriteString(it.Delta.PartialJSON)
		d.Arguments += len(it.Delta.PartialJSON)
	}
	return nil
}

// Reply implements stream.Decoder.
func (d *decoder) Reply() (llm.Reply, error) {
	if !d.done {
		return llm.Reply{}, io.ErrUnexpectedEOF
	}
	if d.stop == "refusal" {
		return llm.Reply{}, stream.ErrDeclined
	}
	d.Reasoning.Sign(d.signature())
	out := llm.Reply{Text: d.Text.String(), Reasoning: d.Reasoning.Whole(), Tokens: d.Tokens,
		Cut: d.stop == "max_tokens" || d.stop == "model_context_window_exceeded"}
	for _, c := range d.calls {
		raw := c.input.String()
		if raw == "" && string(c.start) != "null" {
			raw = string(c.start)
		}
		c.SetInput(raw)
		out.Calls = append(out.Calls, c.Call)
	}
	return out, nil
}
