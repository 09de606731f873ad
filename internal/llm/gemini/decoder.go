package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"praxis/event"
	"praxis/internal/llm"
	"praxis/internal/llm/stream"
)

// chunk is what is read of one event of a stream.
type chunk struct {
	Error      json.RawMessage `json:"error"`
	Candidates []struct {
		Index   stream.Count `json:"index"`
		Content struct {
			Parts []part `json:"parts"`
		} `json:"content"`
		FinishReason stream.Text `json:"finishReason"`
	} `json:"candidates"`
	Feedback struct {
		BlockReason stream.Text `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage usage `json:"usageMetadata"`
}

// usage counts tokens, from the reply's beginning. What came from a cache is a
// part of the prompt's, thoughts are beside the candidate's.
type usage struct {
	Prompt     stream.Count `json:"promptTokenCount"`
	ToolPrompt stream.Count `json:"toolUsePromptTokenCount"`
	Cached     stream.Count `json:"cachedContentTokenCount"`
	Candidates stream.Count `json:"candidatesTokenCount"`
	Thoughts   stream.Count `json:"thoughtsTokenCount"`
}

func (u usage) tokens() event.Tokens {
	in := int(u.Prompt + u.ToolPrompt)
	return event.Tokens{Input: in, Output: int(u.Candidates + u.Thoughts), CacheRead: min(in, int(u.Cached)), Reasoning: int(u.Thoughts)}
}

// The reasons for which a reply ends without being whole.
var declined = []string{"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"}

// decoder puts a reply together from the chunks of its stream.
type decoder struct {
	stream.Draft
	signed  signatures
	calls   []llm.Call
	finish  string
	blocked bool
}

// Take implements stream.Decoder.
func (d *decoder) Take(e stream.Event) error {
	data := bytes.TrimSpace(e.Data)
	if len(data) == 0 {
		return nil
	}
	if bytes.HasPrefix(data, []byte("[DONE]")) { // of servers that speak several APIs
		return io.EOF
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return stream.ErrorEvent(data)
	}
	if t := c.Usage.tokens(); t.Total() > 0 {
		d.Tokens = t
	}
	d.blocked = d.blocked || c.Feedback.BlockReason != ""
	for _, candidate := range c.Candidates {
		if candidate.Index != 0 { // one reply was asked for
			continue
		}
		for _, p := range candidate.Content.Parts {
			if err := d.add(p); err != nil {
				return err
			}
		}
		if candidate.FinishReason != "" {
			d.finish = string(candidate.FinishReason)
		}
	}
	return nil
}

func (d *decoder) add(p part) error {
	switch {
	case p.Call != nil:
		return d.call(p)
	case p.Thought:
		d.Reasoning.Add(p.Text)
		return nil
	}
	if p.Signature != "" {
		d.signed.Text = string(p.Signature)
	}
	d.Say(p.Text)
	return nil
}

// call takes a call, which comes whole.
func (d *decoder) call(p part) error {
	if len(d.calls) >= stream.MaxCalls {
		return stream.ErrManyCalls
	}
	if p.Call.Name == "" {
		return errors.New("the reply holds a tool call without a name")
	}
	c := llm.Call{ID: string(p.Call.ID), Name: p.Call.Name}
	if c.ID == "" {
		c.ID = fmt.Sprintf("call_%d", len(d.calls)+1)
	}
	raw := string(p.Call.Args)
	if raw == "null" {
		raw = ""
	}
	c.SetInput(raw)
	d.calls = append(d.calls, c)
	d.signed.Calls = append(d.signed.Calls, string(p.Signature))
	return nil
}

// Reply implements stream.Decoder.
func (d *decoder) Reply() (llm.Reply, error) {
	switch {
	case d.blocked || slices.Contains(declined, d.finish):
		return llm.Reply{}, stream.ErrDeclined
	case d.finish == "":
		return llm.Reply{}, io.ErrUnexpectedEOF
	case d.finish != "STOP" && d.finish != "MAX_TOKENS":
		return llm.Reply{}, fmt.Errorf("the model stopped with %q", d.finish) // such as MALFORMED_FUNCTION_CALL: it may do better when asked again
	}
	if d.signed.Text != "" || slices.ContainsFunc(d.signed.Calls, func(s string) bool { return s != "" }) {
		text, err := json.Marshal(d.signed)
		if err != nil { // strings can always be written
			return llm.Reply{}, err
		}
		d.Reasoning.Sign(string(text))
	}
	return llm.Reply{Text: d.Text.String(), Reasoning: d.Reasoning.Whole(), Calls: d.calls, Tokens: d.Tokens, Cut: d.finish == "MAX_TOKENS"}, nil
}
