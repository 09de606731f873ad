package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"

	"praxis/event"
	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// maxThoughts bounds the items of reasoning of one reply.
const maxThoughts = 64

// responseEvent is what is read of one event of a response. Which fields it has
// follows from its type.
type responseEvent struct {
	Type     string          `json:"type"`
	Index    stream.Count    `json:"output_index"`
	Delta    stream.Text     `json:"delta"`
	Response json.RawMessage `json:"response"`
	Item     struct {
		responseReasoning
		CallID    stream.Text `json:"call_id"`
		Name      stream.Text `json:"name"`
		Arguments arguments   `json:"arguments"`
	} `json:"item"`
}

// responseEnd is what is read of a response when it is over.
type responseEnd struct {
	Incomplete struct {
		Reason stream.Text `json:"reason"`
	} `json:"incomplete_details"`
	Usage struct {
		Input        stream.Count `json:"input_tokens"`
		Output       stream.Count `json:"output_tokens"`
		InputDetails struct {
			Cached stream.Count `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		OutputDetails struct {
			Reasoning stream.Count `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

// responseDecoder puts a reply together from the events of a response.
type responseDecoder struct {
	stream.Draft
	thoughts []responseReasoning
	calls    []*begunCall
	open     map[stream.Count]*begunCall // by the item's index
	stop     stream.Text                 // why it is incomplete
	done     bool
}

// Take implements stream.Decoder.
func (d *responseDecoder) Take(e stream.Event) error {
	data := bytes.TrimSpace(e.Data)
	if len(data) == 0 {
		return nil
	}
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		return io.EOF
	}
	var it responseEvent
	if err := json.Unmarshal(data, &it); err != nil {
		return err
	}
	switch cmp.Or(it.Type, e.Type) {
	case "error":
		return stream.ErrorEvent(data)
	case "response.failed":
		return stream.ErrorEvent(it.Response)
	case "response.output_text.delta", "response.refusal.delta":
		d.Say(string(it.Delta))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		d.Reasoning.Add(string(it.Delta))
	case "response.reasoning_summary_part.done":
		d.Reasoning.Add("\n\n")
	case "response.output_item.added":
		return d.begin(it)
	case "response.function_call_arguments.delta":
		c := d.open[it.Index]
		if c == nil {
			return errors.New("the reply adds to a tool call that it did not begin")
		}
		c.input.WriteString(string(it.Delta))
		d.Arguments += len(it.Delta)
	case "response.output_item.done":
		return d.finish(it)
	case "response.completed", "response.incomplete":
		return d.end(it.Response)
	}
	return nil
}

// begin begins an item of the reply.
func (d *responseDecoder) begin(it responseEvent) error {
	if it.Item.Type != "function_call" || d.open[it.Index] != nil {
		return nil
	}
	if len(d.calls) >= stream.MaxCalls {
		return stream.ErrManyCalls
	}
	if it.Item.CallID == "" || it.Item.Name == "" {
		return errors.New("the reply holds a tool call without an id or a name")
	}
	c := &begunCall{Call: llm.Call{ID: string(it.Item.CallID), Name: string(it.Item.Name)}}
	if d.open == nil {
		d.open = map[stream.Count]*begunCall{}
	}
	d.open[it.Index] = c
	d.calls = append(d.calls, c)
	return nil
}

// finish takes what an item has when it is whole. A server that sends no pieces
// sends it then.
func (d *responseDecoder) finish(it responseEvent) error {
	switch it.Item.Type {
	case "reasoning":
		if it.Item.Encrypted != "" && len(d.thoughts) < maxThoughts {
			d.thoughts = append(d.thoughts, it.Item.responseReasoning)
		}
	case "function_call":
		if err := d.begin(it); err != nil {
			return err
		}
		if c := d.open[it.Index]; c.input.Len() == 0 {
			c.input.WriteString(string(it.Item.Arguments))
			d.Arguments += len(it.Item.Arguments)
		}
	}
	return nil
}

// end takes what is known when the response is over.
func (d *responseDecoder) end(raw json.RawMessage) error {
	var end responseEnd
	if err := json.Unmarshal(raw, &end); err != nil {
		return err
	}
	u := end.Usage
	d.Tokens = event.Tokens{Input: int(u.Input), Output: int(u.Output),
		CacheRead: min(int(u.Input), int(u.InputDetails.Cached)), Reasoning: min(int(u.Output), int(u.OutputDetails.Reasoning))}
	d.stop, d.done = end.Incomplete.Reason, true
	return io.EOF
}

// Reply implements stream.Decoder.
func (d *responseDecoder) Reply() (llm.Reply, error) {
	switch {
	case !d.done:
		return llm.Reply{}, io.ErrUnexpectedEOF
	case d.stop == "content_filter":
		return llm.Reply{}, stream.ErrDeclined
	}
	if len(d.thoughts) > 0 {
		signature, err := json.Marshal(d.thoughts)
		if err != nil { // strings can always be written
			return llm.Reply{}, err
		}
		d.Reasoning.Sign(string(signature))
	}
	out := llm.Reply{Text: d.Text.String(), Reasoning: d.Reasoning.Whole(), Tokens: d.Tokens, Cut: d.stop != ""}
	for _, c := range d.calls {
		c.SetInput(c.input.String())
		out.Calls = append(out.Calls, c.Call)
	}
	return out, nil
}
