package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"praxis/event"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
)

// chatRequest is what is read of a request for a completion.
type chatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Stream        bool `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	N                   *int            `json:"n"`
	Stop                json.RawMessage `json:"stop"`
	Seed                *int64          `json:"seed"`
	Effort              string          `json:"reasoning_effort"`
	Format              *struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	Modalities []string        `json:"modalities"`
	Logprobs   bool            `json:"logprobs"`
	Praxis     json.RawMessage `json:"praxis"`
}

// decodeChat reads a request for a completion, and refuses what would be left out although it
// matters.
func decodeChat(data []byte) (q *request, in chatRequest, err error) {
	if err := decode(data, &in); err != nil {
		return nil, in, err
	}
	switch {
	case len(in.Messages) == 0 || len(in.Messages) > maxMessages:
		return nil, in, wrong("messages", fmt.Sprintf("Send 1 to %d messages.", maxMessages), "cannot answer: there are %d messages", len(in.Messages))
	case in.N != nil && *in.N != 1:
		return nil, in, wrong("n", "Ask once for each answer.", "cannot give %d answers to one request", *in.N)
	case !isEmpty(in.Stop):
		return nil, in, wrong("stop", "Leave it out.", "cannot stop at a text: an answer is checked as a whole")
	case in.Logprobs:
		return nil, in, wrong("logprobs", "Leave it out.", "cannot give probabilities: the answer is not made of one model's tokens")
	}
	for _, m := range in.Modalities {
		if m != "text" {
			return nil, in, wrong("modalities", "Ask for text.", "cannot answer in %s", safetext.Quote(safetext.Line(m)))
		}
	}
	if err := checkChoice(in.ToolChoice); err != nil {
		return nil, in, err
	}
	q = &request{Model: in.Model, effort: in.Effort, output: max(in.MaxTokens, in.MaxCompletionTokens), seed: in.Seed}
	if err := q.opt(in.Praxis); err != nil {
		return nil, in, err
	}
	for i, m := range in.Messages {
		at := fmt.Sprintf("messages[%d]", i)
		text, files, err := contentOf(m.Content, at+".content")
		if err != nil {
			return nil, in, err
		}
		if err := q.add(m.Role, text, files, at); err != nil {
			return nil, in, err
		}
	}
	if f := in.Format; f != nil {
		if q.schema, err = schemaOf(f.Type, f.JSONSchema.Schema, "response_format"); err != nil {
			return nil, in, err
		}
	}
	return q, in, q.check("messages")
}

// add adds a message to a conversation.
func (q *request) add(role, text string, files []file, at string) error {
	switch role {
	case "system", "developer":
		q.instruct(text)
	case "user":
		q.said(said{person: true, text: text, files: files})
	case "assistant":
		if strings.TrimSpace(text) != "" {
			q.said(said{text: text})
		}
	case "tool", "function": // of a conversation with another model
		q.said(said{text: "(A tool gave:)\n" + text})
	default:
		return wrong(at+".role", "The roles are system, developer, user, assistant and tool.", "cannot read a message: there is no role %s", safetext.Quote(safetext.Line(role)))
	}
	return nil
}

// isEmpty says whether a member of a request says nothing.
func isEmpty(raw json.RawMessage) bool {
	switch string(bytes.Join(bytes.Fields(raw), nil)) {
	case "", "null", "[]", `""`, "{}":
		return true
	}
	return false
}

// checkChoice refuses a request that insists on a call. The tools of a client that it does
// not insist on are left out: no model has to call them.
func checkChoice(raw json.RawMessage) error {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", `"auto"`, `"none"`:
		return nil
	}
	return wrong("tool_choice", "Leave it out, or write auto: the agent calls the tools of this server, and code.", "cannot insist on a call: the tools of a client are not called")
}

// schemaOf returns the schema that an answer has to keep to; nil: it is a text.
func schemaOf(kind string, schema json.RawMessage, param string) (json.RawMessage, error) {
	switch kind {
	case "", "text":
		return nil, nil
	case "json_object":
		return json.RawMessage(`{"type":"object"}`), nil
	case "json_schema":
		if !isEmpty(schema) {
			return schema, nil
		}
		return nil, wrong(param, "Send the schema.", "cannot keep to a schema: there is none")
	}
	return nil, wrong(param, "The formats are text, json_object and json_schema.", "cannot answer in the format %s", safetext.Quote(safetext.Line(kind)))
}

// completion is an answer, or a piece of one.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
	Praxis  *result  `json:"praxis,omitempty"`
}

type choice struct {
	Index    int      `json:"index"`
	Message  *message `json:"message,omitempty"`
	Delta    *message `json:"delta,omitempty"`
	Logprobs *int     `json:"logprobs"` // there are none
	Finish   *string  `json:"finish_reason"`
}

type message struct {
	Role string `json:"role,omitempty"`
	// Reasoning is what clients of DeepSeek's interface show as the thoughts of a model.
	Reasoning string  `json:"reasoning_content,omitempty"`
	Content   *string `json:"content,omitempty"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Read       struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Written struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func usageOf(t event.Tokens) *usage {
	u := &usage{Prompt: t.Input, Completion: t.Output, Total: t.Total()}
	u.Read.Cached, u.Written.Reasoning = t.CacheRead, t.Reasoning
	return u
}

// chatWriter writes a run as thoughts, in Markdown.
type chatWriter struct {
	text  strings.Builder
	block bool // what was written last is a block
	// send is called with each piece; nil: nobody reads it yet.
	send  func(piece string) error
	still func() error
}

func (t *chatWriter) piece(text string) error {
	t.text.WriteString(text)
	if t.send == nil {
		return nil
	}
	return t.send(text)
}

func (t *chatWriter) reasoning(text string) error {
	if t.block {
		t.block = false
		text = "\n\n" + strings.TrimLeft(text, "\n")
	}
	return t.piece(text)
}

func (t *chatWriter) show(block string) error {
	if t.text.Len() > 0 {
		block = "\n\n" + block
	}
	t.block = true
	return t.piece(block)
}

func (t *chatWriter) codeBegan(language, code string) error { return t.show(fenced(language, code)) }

func (t *chatWriter) codeEnded(output string) error {
	if output == "" {
		return nil
	}
	return t.show(fenced("text", output))
}

func (t *chatWriter) idle() error {
	if t.still == nil {
		return nil
	}
	return t.still()
}

// complete answers a request for a completion.
func (d *door) complete(w *answer, r *http.Request, c *api.Call) error {
	data, err := d.read(w, r)
	if err != nil {
		return err
	}
	q, in, err := decodeChat(data)
	if err != nil {
		return err
	}
	x, err := d.begin(r.Context(), c, q)
	if err != nil {
		return err
	}
	out := completion{ID: "chatcmpl-" + x.run.ID, Object: "chat.completion", Created: x.run.Began().Unix(), Model: in.Model}
	if in.Stream {
		return d.completeStream(w, r, x, out, in.StreamOptions != nil && in.StreamOptions.IncludeUsage)
	}
	t := &chatWriter{}
	done, err := x.finish(r, t)
	if err != nil {
		w.final = done.result.Run != ""
		return err
	}
	text := t.text.String()
	out.Choices = []choice{{Message: &message{Role: "assistant", Reasoning: text, Content: &done.text}, Finish: &done.reason}}
	out.Usage, out.Praxis = usageOf(done.result.Tokens), &done.about
	return writeJSON(w, http.StatusOK, out)
}

// completeStream answers with pieces as they come.
func (d *door) completeStream(w *answer, r *http.Request, x *turn, out completion, counted bool) error {
	s := newStream(w)
	out.Object = "chat.completion.chunk"
	delta := func(m message, finish *string) error {
		out.Choices = []choice{{Delta: &m, Finish: finish}}
		return s.data("", out)
	}
	empty := ""
	begun := delta(message{Role: "assistant", Content: &empty}, nil)
	t := &chatWriter{still: s.still, send: func(piece string) error {
		if begun != nil {
			return begun
		}
		for part := range pieces(piece) {
			if err := delta(message{Reasoning: part}, nil); err != nil {
				return err
			}
		}
		return nil
	}}
	done, err := x.finish(r, t)
	if err != nil {
		_ = s.data("", errorBody{failureOf(err)}) // that the client is gone is its own affair
		return broken(err)
	}
	for part := range pieces(done.text) {
		if err = delta(message{Content: &part}, nil); err != nil {
			break
		}
	}
	if err == nil {
		out.Praxis = &done.about
		err = delta(message{}, &done.reason)
	}
	if err == nil && counted {
		out.Praxis, out.Choices, out.Usage = nil, []choice{}, usageOf(done.result.Tokens)
		err = s.data("", out)
	}
	if err == nil {
		_ = s.text("data: [DONE]\n\n")
	}
	return nil
}
