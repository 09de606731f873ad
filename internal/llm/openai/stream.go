package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
)

// maxCalls bounds the tool calls of one reply.
const maxCalls = 64

// errRefused is a reply that the provider declined to finish.
var errRefused = errors.New("the provider declined to answer")

// reader puts a reply together from the chunks of its stream.
type reader struct {
	delta  func(string)
	text   strings.Builder
	calls  []*call
	open   map[int64]*call // by index, the latest
	tokens event.Tokens
	finish string
	begun  bool // an event came
}

// call is one tool call while its arguments arrive.
type call struct {
	llm.Call
	input strings.Builder
}

func (r *reader) take(c sdk.ChatCompletionChunk) error {
	r.begun = true
	if u := c.Usage; u.PromptTokens > 0 || u.CompletionTokens > 0 {
		r.tokens = event.Tokens{Input: int(u.PromptTokens), Output: int(u.CompletionTokens)}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 { // one reply was asked for
			continue
		}
		r.say(choice.Delta.Content)
		r.say(choice.Delta.Refusal)
		for _, d := range choice.Delta.ToolCalls {
			if err := r.add(d); err != nil {
				return err
			}
		}
		if choice.FinishReason != "" {
			r.finish = choice.FinishReason
		}
	}
	return nil
}

// add takes a piece of a tool call. A piece with an index that is open goes on
// with that call, unless it brings another id, or a name to a call that has
// arguments already: some servers send every call with index 0.
func (r *reader) add(d sdk.ChatCompletionChunkChoiceDeltaToolCall) error {
	c := r.open[d.Index]
	fresh := c == nil || d.ID != "" && c.ID != "" && d.ID != c.ID ||
		d.ID == "" && d.Function.Name != "" && c.input.Len() > 0
	if fresh {
		if len(r.calls) >= maxCalls {
			return fmt.Errorf("the reply holds more than %d tool calls", maxCalls)
		}
		c = &call{}
		if r.open == nil {
			r.open = map[int64]*call{}
		}
		r.open[d.Index] = c
		r.calls = append(r.calls, c)
	}
	if d.ID != "" {
		c.ID = d.ID
	}
	if c.Name == "" {
		c.Name = d.Function.Name
	}
	c.input.WriteString(d.Function.Arguments)
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
	if r.finish == "" {
		return llm.Reply{}, io.ErrUnexpectedEOF
	}
	if r.finish == "content_filter" {
		return llm.Reply{}, errRefused
	}
	out := llm.Reply{Text: r.text.String(), Tokens: r.tokens, Cut: r.finish == "length"}
	for i, c := range r.calls {
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

// errorBody is an error as the servers write it: OpenAI's object, or the plain
// string, or the flat object of others. Codes are strings or numbers.
type errorBody struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    any    `json:"code"`
}

func parseError(raw []byte) errorBody {
	var wrapped struct {
		Error json.RawMessage `json:"error"`
	}
	inner := raw
	if json.Unmarshal(raw, &wrapped) == nil && len(wrapped.Error) > 0 {
		inner = wrapped.Error
	}
	var b errorBody
	if json.Unmarshal(inner, &b) == nil {
		return b
	}
	var text string
	if json.Unmarshal(inner, &text) == nil {
		return errorBody{Message: text}
	}
	return errorBody{}
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
	var api *llm.StatusError
	var other *llm.NotStreamError
	var inStream *ssestream.StreamError
	var body errorBody
	switch {
	case errors.As(err, &api):
		body = parseError(api.Body)
		f.Status, f.After = api.Status, llm.RetryAfter(api.Header, time.Now())
	case errors.As(err, &inStream):
		body = parseError(inStream.Event.Data)
		f.Status = statusInStream(body)
	case errors.As(err, &other):
		f.Message = parseError(other.Body).Message // some servers report an error with a success
		return f.NoAnswer(err)
	default:
		return f.NoAnswer(err)
	}
	f.Message, f.Type = body.Message, body.Type
	if code, ok := body.Code.(string); ok && code == "insufficient_quota" {
		f.Type = code
	}
	return f.Fault()
}

// statusInStream finds the status of an error that came inside a stream: in its
// code, when that is one, or from its type.
func statusInStream(b errorBody) int {
	switch code := b.Code.(type) {
	case float64:
		if code >= 400 && code < 600 {
			return int(code)
		}
	case string:
		if s := llm.StatusOfType(code); s != 500 {
			return s
		}
	}
	return llm.StatusOfType(b.Type)
}

// saysNoTools recognizes the error of a server that has no native tools for
// this model. The texts are those of Ollama ("does not support tools"), vLLM
// (`"auto" tool choice requires --enable-auto-tool-choice …`) and llama.cpp
// ("tools param requires --jinja flag").
func saysNoTools(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Unavailable:
	default:
		return false
	}
	text := strings.ToLower(err.Error())
	for _, s := range []string{"not support tools", "not support tool", "tool choice requires", "tools param requires", "tool calling is not supported", "not support function"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}
