package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
)

// responseRequest is what is read of a request for a response.
type responseRequest struct {
	Model        string          `json:"model"`
	Input        json.RawMessage `json:"input"` // a text, or items
	Instructions *string         `json:"instructions"`
	Previous     string          `json:"previous_response_id"`
	Conversation json.RawMessage `json:"conversation"` // an id, or an object with it
	Stream       bool            `json:"stream"`
	Store        *bool           `json:"store"`
	Background   bool            `json:"background"`
	MaxOutput    int             `json:"max_output_tokens"`
	Reasoning    *struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	Text *struct {
		Format *struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"text"`
	ToolChoice json.RawMessage   `json:"tool_choice"`
	Metadata   map[string]string `json:"metadata"`
	Praxis     json.RawMessage   `json:"praxis"`
}

// inputItem is an item of the input of a response.
type inputItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Output  json.RawMessage `json:"output"`
}

// decodeResponse reads a request for a response, and refuses what would be left out although
// it matters.
func decodeResponse(data []byte) (q *request, in responseRequest, err error) {
	if err := decode(data, &in); err != nil {
		return nil, in, err
	}
	if in.Background {
		return nil, in, wrong("background", "Leave it out, and read the stream.", "cannot answer later: a run ends when its client goes away")
	}
	if err := checkChoice(in.ToolChoice); err != nil {
		return nil, in, err
	}
	q = &request{Model: in.Model, output: in.MaxOutput, previous: in.Previous}
	if err := q.opt(in.Praxis); err != nil {
		return nil, in, err
	}
	if q.conversation, err = conversationOf(in.Conversation); err != nil {
		return nil, in, err
	}
	if q.previous != "" && q.conversation != "" {
		return nil, in, wrong("conversation", "Name one of them.", "cannot go on from a response and in a conversation at the same time")
	}
	if in.Instructions != nil {
		q.instruct(*in.Instructions)
	}
	if in.Reasoning != nil {
		q.effort = in.Reasoning.Effort
	}
	if in.Text != nil && in.Text.Format != nil {
		if q.schema, err = schemaOf(in.Text.Format.Type, in.Text.Format.Schema, "text.format"); err != nil {
			return nil, in, err
		}
	}
	if err := q.input(in.Input); err != nil {
		return nil, in, err
	}
	return q, in, q.check("input")
}

// conversationOf reads the name of a thread.
func conversationOf(raw json.RawMessage) (name string, err error) {
	switch {
	case isEmpty(raw):
		return "", nil
	case bytes.TrimSpace(raw)[0] == '"':
		return name, decode(raw, &name)
	}
	var o struct {
		ID string `json:"id"`
	}
	err = decode(raw, &o)
	return o.ID, err
}

// input reads what is said in a request.
func (q *request) input(raw json.RawMessage) error {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := decode(raw, &text); err != nil {
			return err
		}
		q.said(said{person: true, text: text})
		return nil
	}
	var items []inputItem
	if len(raw) > 0 {
		if err := decode(raw, &items); err != nil {
			return err
		}
	}
	if len(items) > maxMessages {
		return wrong("input", fmt.Sprintf("Send at most %d items.", maxMessages), "cannot answer: there are %d items", len(items))
	}
	for i, item := range items {
		at := fmt.Sprintf("input[%d]", i)
		content, role := item.Content, item.Role
		switch item.Type {
		case "", "message":
		case "function_call_output", "custom_tool_call_output":
			content, role = item.Output, "tool"
		case "reasoning", "code_interpreter_call", "function_call", "custom_tool_call", "web_search_call", "file_search_call", "image_generation_call", "mcp_call", "mcp_list_tools":
			continue // what another turn came about by: the thread knows ours
		default:
			return wrong(at+".type", "Send messages.", "cannot read an item: it is of the type %s", safetext.Quote(safetext.Line(item.Type)))
		}
		text, files, err := contentOf(content, at+".content")
		if err != nil {
			return err
		}
		if err := q.add(role, text, files, at); err != nil {
			return err
		}
	}
	return nil
}

// response is an answer as the interface of responses has it.
type response struct {
	ID           string            `json:"id"`
	Object       string            `json:"object"`
	Created      int64             `json:"created_at"`
	Completed    int64             `json:"completed_at,omitempty"`
	Status       string            `json:"status"`
	Background   bool              `json:"background"`
	Error        *responseError    `json:"error"`
	Incomplete   *reasonWhy        `json:"incomplete_details"`
	Instructions *string           `json:"instructions"`
	MaxOutput    *int              `json:"max_output_tokens"`
	Metadata     map[string]string `json:"metadata"`
	Model        string            `json:"model"`
	Output       []any             `json:"output"`
	Parallel     bool              `json:"parallel_tool_calls"`
	Previous     *string           `json:"previous_response_id"`
	Conversation *named            `json:"conversation,omitempty"`
	Reasoning    reasoning         `json:"reasoning"`
	Store        bool              `json:"store"`
	Text         textFormat        `json:"text"`
	ToolChoice   string            `json:"tool_choice"`
	Tools        []any             `json:"tools"`
	Truncation   string            `json:"truncation"`
	Usage        *responseUsage    `json:"usage"`
	Praxis       *result           `json:"praxis,omitempty"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type reasonWhy struct {
	Reason string `json:"reason"`
}

type named struct {
	ID string `json:"id"`
}

type reasoning struct {
	Effort  *string `json:"effort"`
	Summary string  `json:"summary"`
}

type textFormat struct {
	Format formatName `json:"format"`
}

type formatName struct {
	Type   string          `json:"type"`
	Name   string          `json:"name,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
}

type responseUsage struct {
	Input int `json:"input_tokens"`
	Read  struct {
		Cached  int `json:"cached_tokens"`
		Written int `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	Output  int `json:"output_tokens"`
	Written struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int `json:"total_tokens"`
}

func responseUsageOf(t event.Tokens) *responseUsage {
	u := &responseUsage{Input: t.Input, Output: t.Output, Total: t.Total()}
	u.Read.Cached, u.Read.Written, u.Written.Reasoning = t.CacheRead, t.CacheWritten, t.Reasoning
	return u
}

// newResponse is the response of a run that began.
func newResponse(x *turn, in responseRequest) response {
	out := response{
		ID: responseOf(x), Object: "response", Created: x.run.Began().Unix(), Status: "in_progress", Instructions: in.Instructions,
		Metadata: in.Metadata, Model: in.Model, Output: []any{}, Parallel: true, Reasoning: reasoning{Summary: "detailed"},
		Store: in.Store == nil || *in.Store, Text: textFormat{formatName{Type: "text"}}, ToolChoice: "auto", Tools: []any{}, Truncation: "disabled",
	}
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	if in.MaxOutput > 0 {
		out.MaxOutput = &in.MaxOutput
	}
	if in.Previous != "" {
		out.Previous = &in.Previous
	}
	if x.conversation != "" {
		out.Conversation = &named{x.conversation}
	}
	if x.effort != "" {
		out.Reasoning.Effort = &x.effort
	}
	if x.schema != nil {
		out.Text.Format = formatName{"json_schema", "answer", x.schema}
	}
	return out
}

// responseOf returns the id of the response that a run gives.
func responseOf(x *turn) string {
	_, id, _ := strings.Cut(x.run.ID, "-")
	return "resp_" + id
}

// respond answers a request for a response.
func (d *door) respond(w *answer, r *http.Request, c *api.Call) error {
	data, err := d.read(w, r)
	if err != nil {
		return err
	}
	q, in, err := decodeResponse(data)
	if err != nil {
		return err
	}
	x, err := d.begin(r.Context(), c, q)
	if err != nil {
		return err
	}
	out := newResponse(x, in)
	if out.Store {
		x.response = out.ID
	}
	t := &responseWriter{id: strings.TrimPrefix(out.ID, "resp_"), container: x.thread, items: []any{}}
	if in.Stream {
		t.stream = newStream(w)
		t.event("response.created", fields{"response": out})
		t.event("response.in_progress", fields{"response": out})
	}
	done, err := x.finish(r, t)
	if err != nil {
		if !in.Stream {
			w.final = done.result.Run != ""
			return err
		}
		f := failureOf(err)
		out.Status, out.Output, out.Error = "failed", t.items, &responseError{"server_error", f.Message}
		t.event("response.failed", fields{"response": out})
		return broken(err)
	}
	t.answers(done)
	out.Status, out.Completed, out.Output = "completed", time.Now().Unix(), t.items
	if done.reason == "length" {
		out.Status, out.Incomplete = "incomplete", &reasonWhy{"max_output_tokens"}
	}
	out.Usage, out.Praxis = responseUsageOf(done.result.Tokens), &done.about
	if x.response != "" {
		if err := x.conversations.keepResponse(out, x.tenant.App.Redact); err != nil {
			out.Praxis.Unsaved = failureOf(err).Message
		}
	}
	if in.Stream {
		t.event("response."+out.Status, fields{"response": out})
		return nil
	}
	return writeJSON(w, http.StatusOK, out)
}

// oneResponse answers with a response that is stored.
func (d *door) oneResponse(w *answer, r *http.Request, c *api.Call) error {
	all, err := d.of(c.Tenant)
	if err != nil {
		return err
	}
	data, err := all.readResponse(r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, json.RawMessage(data))
}

// dropResponse forgets a response. Its run stays recorded, and its thread goes on.
func (d *door) dropResponse(w *answer, r *http.Request, c *api.Call) error {
	all, err := d.of(c.Tenant)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	found, err := all.forgetResponse(id)
	if err != nil {
		return err
	}
	if !found {
		return noResponse(id)
	}
	return writeJSON(w, http.StatusOK, struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Deleted bool   `json:"deleted"`
	}{id, "response", true})
}
