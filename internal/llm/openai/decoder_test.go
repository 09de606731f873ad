package openai

import (
	"errors"
	"io"
	"strings"
	"testing"

	"praxis/internal/llm/stream"
)

// FuzzDecoder checks that no stream breaks the decoder, and that what it makes
// of one keeps the promises of a reply.
func FuzzDecoder(f *testing.F) {
	for _, text := range []string{
		`{"choices":[{"index":0,"delta":{"content":"a","reasoning_content":"b"},"finish_reason":"stop"}]}` + "\n[DONE]",
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{\"a\":"}}]}}]}` + "\n" +
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1}}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":-1,"function":{"name":"f","arguments":{}}}]},"finish_reason":"length"}]}`,
		`{"error":{"message":"no"}}`,
		`{"choices":null,"usage":[]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var shown strings.Builder
		d := &decoder{Draft: stream.Draft{Delta: func(s string) { shown.WriteString(s) }}}
		for line := range strings.SplitSeq(text, "\n") {
			err := d.Take(stream.Event{Data: []byte(line)})
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
		}
		reply, err := d.Reply()
		if err != nil {
			if reply.Text != "" || len(reply.Calls) > 0 {
				t.Fatalf("a reply beside the error %v", err)
			}
			return
		}
		if d.finish == "" || errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal("a reply without an end")
		}
		if reply.Text != shown.String() || len(reply.Calls) > stream.MaxCalls || reply.Tokens.Input < 0 || reply.Tokens.Output < 0 {
			t.Fatalf("reply = %+v, shown %q", reply, shown.String())
		}
		for _, c := range reply.Calls {
			if c.ID == "" || c.Name == "" || (c.Input == nil) == (c.Raw == "") {
				t.Fatalf("call = %+v", c)
			}
		}
	})
}

// FuzzResponseDecoder checks the same of the decoder of responses.
func FuzzResponseDecoder(f *testing.F) {
	const end = "\n" + `{"type":"response.completed","response":{"usage":{"input_tokens":3,"output_tokens":2}}}`
	for _, text := range []string{
		`{"type":"response.output_text.delta","delta":"a"}` + end,
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"x","name":"f"}}` + "\n" +
			`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"a\":"}` + end,
		`{"type":"response.output_item.done","item":{"type":"function_call","call_id":"x","name":"f","arguments":{"a":1}}}` + end,
		`{"type":"response.output_item.done","item":{"type":"reasoning","id":"r","encrypted_content":"e","summary":[{"type":"summary_text","text":"t"}]}}` + end,
		`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`,
		`{"type":"error","message":"no"}`,
		`{"type":"response.failed","response":null}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var shown strings.Builder
		d := &responseDecoder{Draft: stream.Draft{Delta: func(s string) { shown.WriteString(s) }}}
		for line := range strings.SplitSeq(text, "\n") {
			err := d.Take(stream.Event{Data: []byte(line)})
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
		}
		reply, err := d.Reply()
		if err != nil {
			if reply.Text != "" || len(reply.Calls) > 0 {
				t.Fatalf("a reply beside the error %v", err)
			}
			return
		}
		if !d.done || reply.Text != shown.String() || len(reply.Calls) > stream.MaxCalls || reply.Tokens.Input < reply.Tokens.CacheRead || reply.Tokens.Output < reply.Tokens.Reasoning {
			t.Fatalf("reply = %+v, shown %q", reply, shown.String())
		}
		for _, c := range reply.Calls {
			if c.ID == "" || c.Name == "" || (c.Input == nil) == (c.Raw == "") {
				t.Fatalf("call = %+v", c)
			}
		}
	})
}
