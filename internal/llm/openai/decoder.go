package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"praxis/event"
	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// chunk is what is read of one event of a stream.
type chunk struct {
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Index stream.Count `json:"index"`
		Delta struct {
			Content   string `json:"content"`
			Refusal   string `json:"refusal"`
			ToolCalls []part `json:"tool_calls"`
			// Reasoning has two names: DeepSeek, llama.cpp and older vLLM use the
			// first, newer vLLM, Ollama and OpenRouter the second.
			ReasoningContent stream.Text `json:"reasoning_content"`
			Reasoning        stream.Text `json:"reasoning"`
		} `json:"delta"`
		FinishReason stream.Text `json:"finish_reason"`
	} `json:"choices"`
	Usage usage `json:"usage"`
}

// usage counts tokens. What came from a cache is a part of the prompt's. DeepSeek
// has a name of its own for it.
type usage struct {
	PromptTokens     stream.Count `json:"prompt_tokens"`
	CompletionTokens stream.Count `json:"completion_tokens"`
	PromptDetails    struct {
		Cached stream.Count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning stream.Count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	CacheHit stream.Count `json:"prompt_cache_hit_tokens"`
}

func (u usage) tokens() event.Tokens {
	in, out := int(u.PromptTokens), int(u.CompletionTokens)
	return event.Tokens{Input: in, Output: out,
		CacheRead: min(in, int(cmp.Or(u.PromptDetails.Cached, u.CacheHit))), Reasoning: min(out, int(u.CompletionDetails.Reasoning))}
}

// part is a piece of a tool call.
type part struct {
	Index    stream.Count `json:"index"`
	ID       stream.Text  `json:"id"`
	Function struct {
		Name      stream.Text `json:"name"`
		Arguments arguments   `json:"arguments"`
	} `json:"function"`
}

// arguments are a piece of the JSON of a call's arguments: a string, or with
// some servers the object itself.
type arguments string

// UnmarshalJSON reads any value.
func (a *arguments) UnmarshalJSON(text []byte) error {
	var s string
	if json.Unmarshal(text, &s) != nil {
		s = string(text)
	}
	*a = arguments(s)
	return nil
}

// decoder puts a reply together from the chunks of its stream.
type decoder struct {
	stream.Draft
	calls  []*begunCall
	open   map[stream.Count]*begunCall // by index, the latest
	finish stream.Text
}

// begunCall is one tool call while its arguments arrive.
type begunCall struct {
	llm.Call
	input strings.Builder
}

// Take implements stream.Decoder.
func (d *decoder) Take(e stream.Event) error {
	data := bytes.TrimSpace(e.Data)
	switch {
	case len(data) == 0:
		return nil
	case bytes.HasPrefix(data, []byte("[DONE]")):
		return io.EOF
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return stream.ErrorEvent(data)
	}
	if u := c.Usage; u.PromptTokens > 0 || u.CompletionTokens > 0 {
		d.Tokens = u.tokens()
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 { // one reply was asked for
			continue
		}
		d.Reasoning.Add(string(cmp.Or(choice.Delta.ReasoningContent, choice.Delta.Reasoning)))
		d.Say(choice.Delta.Content)
		d.Say(choice.Delta.Refusal)
		for _, p := range choice.Delta.ToolCalls {
			if err := d.add(p); err != nil {
				return err
			}
		}
		if choice.FinishReason != "" {
			d.finish = choice.FinishReason
		}
	}
	return nil
}

// add takes a piece of a tool call. A piece with an index that is open goes on
// with that call, unless it brings another id, or a name to a call that has
// arguments already: some servers send every call with index 0.
func (d *decoder) add(p part) error {
	c := d.open[p.Index]
	fresh := c == nil || p.ID != "" && c.ID != "" && string(p.ID) != c.ID ||
		p.ID == "" && p.Function.Name != "" && c.input.Len() > 0
	if fresh {
		if len(d.calls) >= stream.MaxCalls {
			return stream.ErrManyCalls
		}
		c = &begunCall{}
		if d.open == nil {
			d.open = map[stream.Count]*begunCall{}
		}
		d.open[p.Index] = c
		d.calls = append(d.calls, c)
	}
	if p.ID != "" {
		c.ID = string(p.ID)
	}
	if c.Name == "" {
		c.Name = string(p.Function.Name)
	}
	c.input.WriteString(string(p.Function.Arguments))
	d.Arguments += len(p.Function.Arguments)
	return nil
}

// Reply implements stream.Decoder.
func (d *decoder) Reply() (llm.Reply, error) {
	switch d.finish {
	case "":
		return llm.Reply{}, io.ErrUnexpectedEOF
	case "content_filter":
		return llm.Reply{}, stream.ErrDeclined
	}
	out := llm.Reply{Text: d.Text.String(), Reasoning: d.Reasoning.Whole(), Tokens: d.Tokens, Cut: d.finish == "length"}
	for i, c := range d.calls {
		if c.Name == "" {
			return llm.Reply{}, errors.New("the reply holds a tool call without a name")
		}
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d", i+1)
		}
		c.SetInput(c.input.String())
		out.Calls = append(out.Calls, c.Call)
	}
	return out, nil
}
