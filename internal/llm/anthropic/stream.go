package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
)

// maxBlocks bounds the content blocks of one reply.
const maxBlocks = 64

// errRefused is a reply that the model's provider declined to finish.
var errRefused = errors.New("the provider declined to answer")

// reader puts a reply together from the events of its stream.
type reader struct {
	delta  func(string)
	text   strings.Builder
	calls  []*call
	open   map[int64]*call
	tokens event.Tokens
	stop   sdk.StopReason
	done   bool
	begun  bool // an event came
}

// call is one tool_use block while its input arrives.
type call struct {
	llm.Call
	start any // the input in the block's first event, whole on some servers
	input strings.Builder
}

func (r *reader) take(e sdk.MessageStreamEventUnion) error {
	r.begun = true
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		r.tokens.Input = int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens)
		r.tokens.Output = int(u.OutputTokens)
	case "content_block_start":
		return r.begin(e)
	case "content_block_delta":
		return r.add(e)
	case "message_delta":
		if e.Delta.StopReason != "" {
			r.stop = e.Delta.StopReason
		}
		if u := e.Usage; u.OutputTokens > 0 {
			r.tokens.Output = int(u.OutputTokens)
		}
	case "message_stop":
		r.done = true
	}
	return nil
}

func (r *reader) begin(e sdk.MessageStreamEventUnion) error {
	switch e.ContentBlock.Type {
	case "text":
		r.say(e.ContentBlock.Text)
	case "tool_use":
		if len(r.calls) >= maxBlocks {
			return fmt.Errorf("the reply holds more than %d tool calls", maxBlocks)
		}
		if e.ContentBlock.ID == "" || e.ContentBlock.Name == "" {
			return errors.New("the reply holds a tool call without an id or a name")
		}
		c := &call{Call: llm.Call{ID: e.ContentBlock.ID, Name: e.ContentBlock.Name}, start: e.ContentBlock.Input}
		if r.open == nil {
			r.open = map[int64]*call{}
		}
		r.open[e.Index] = c
		r.calls = append(r.calls, c)
	}
	return nil
}

func (r *reader) add(e sdk.MessageStreamEventUnion) error {
	switch e.Delta.Type {
	case "text_delta":
		r.say(e.Delta.Text)
	case "input_json_delta":
		c := r.open[e.Index]
		if c == nil {
			return errors.New("the reply adds to a tool call that it did not begin")
		}
		c.input.WriteString(e.Delta.PartialJSON)
	}
	return nil
}

func (r *reader) say(text string) {
	if text == "" {
		return
	}
	r.text.WriteString(text)
	r.delta(text)
}

// reply closes the reply. A stream without its end is a cut one, however much
// came: half a program must not run because a network failed.
func (r *reader) reply() (llm.Reply, error) {
	if !r.begun {
		return llm.Reply{}, llm.ErrNoEvents
	}
	if !r.done {
		return llm.Reply{}, io.ErrUnexpectedEOF
	}
	if r.stop == sdk.StopReasonRefusal {
		return llm.Reply{}, errRefused
	}
	out := llm.Reply{Text: r.text.String(), Tokens: r.tokens, Cut: r.stop == sdk.StopReasonMaxTokens}
	for _, c := range r.calls {
		raw := c.input.String()
		if raw == "" {
			if whole, err := json.Marshal(c.start); err == nil && c.start != nil {
				raw = string(whole)
			}
		}
		c.SetInput(raw)
		out.Calls = append(out.Calls, c.Call)
	}
	return out, nil
}

// failure maps what ended an attempt to a fault.
func (m *Model) failure(watched context.Context, err error) error {
	f := llm.Failure{Model: m.Name(), Host: m.host, KeyVar: KeyVar, URLVar: URLVar, Secrets: []string{m.key}}
	if errors.Is(err, errRefused) {
		return fault.New(fault.Invalid, "Ask the question in other words.", "cannot use the reply of %s: %w", m.Name(), err)
	}
	if cause := context.Cause(watched); cause != nil {
		return f.NoAnswer(cause)
	}
	var answered *llm.StatusError
	var other *llm.NotStreamError
	var inStream *sdk.Error
	var raw []byte
	switch {
	case errors.As(err, &answered):
		f.Status, f.After, raw = answered.Status, llm.RetryAfter(answered.Header, time.Now()), answered.Body
	case errors.As(err, &inStream):
		raw = []byte(inStream.RawJSON())
	case errors.As(err, &other):
		raw = other.Body // some servers report an error with a success
	default:
		return f.NoAnswer(err)
	}
	var body struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(raw, &body) // a body that is no JSON leaves both empty: the status says enough
	f.Type, f.Message = body.Error.Type, body.Error.Message
	if other != nil {
		return f.NoAnswer(err)
	}
	if f.Status == 0 {
		f.Status = llm.StatusOfType(f.Type)
	}
	return f.Fault()
}
