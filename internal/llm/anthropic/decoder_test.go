package anthropic

import (
	"io"
	"strings"
	"testing"

	"praxis/internal/llm/stream"
)

// FuzzDecoder checks that no stream breaks the decoder, and that what it makes
// of one keeps the promises of a reply.
func FuzzDecoder(f *testing.F) {
	for _, text := range []string{
		`{"type":"message_start","message":{"usage":{"input_tokens":1}}}` + "\n" +
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}` + "\n" +
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}` + "\n" + `{"type":"message_stop"}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"x","name":"f","input":{}}}` + "\n" +
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}` + "\n" + `{"type":"message_stop"}`,
		`{"type":"content_block_start","content_block":{"type":"thinking","thinking":"t"}}` + "\n" +
			`{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"s"}}` + "\n" + `{"type":"message_stop"}`,
		`{"type":"content_block_start","content_block":{"type":"redacted_thinking","data":"d"}}` + "\n" + `{"type":"content_block_start","content_block":{"type":"thinking","thinking":"t","signature":"s"}}` + "\n" + `{"type":"message_stop"}`,
		`{"type":"error","error":{"type":"overloaded_error"}}`,
		`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta"}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var shown strings.Builder
		d := &decoder{Draft: stream.Draft{Delta: func(s string) { shown.WriteString(s) }}}
		ended := false
		for line := range strings.SplitSeq(text, "\n") {
			err := d.Take(stream.Event{Data: []byte(line)})
			if ended = err == io.EOF; ended {
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
		if !ended {
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
