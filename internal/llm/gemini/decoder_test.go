package gemini

import (
	"strings"
	"testing"

	"praxis/internal/llm/stream"
)

// FuzzDecoder checks that no stream breaks the decoder, and that what it makes
// of one keeps the promises of a reply.
func FuzzDecoder(f *testing.F) {
	for _, text := range []string{
		`{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b","thought":true}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"cachedContentTokenCount":9}}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"id":7,"name":"f","args":{"a":1}},"thoughtSignature":"s"}]}}]}` + "\n" + `{"candidates":[{"finishReason":"MAX_TOKENS"}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":[1]}}]},"finishReason":"STOP"}]}`,
		`{"promptFeedback":{"blockReason":"OTHER"}}`,
		`{"error":{"code":503}}`,
		`{"candidates":null,"usageMetadata":[]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var shown strings.Builder
		d := &decoder{Draft: stream.Draft{Delta: func(s string) { shown.WriteString(s) }}}
		for line := range strings.SplitSeq(text, "\n") {
			if err := d.Take(stream.Event{Data: []byte(line)}); err != nil {
				break
			}
		}
		reply, err := d.Reply()
		if err != nil {
			if reply.Text != "" || len(reply.Calls) > 0 {
				t.Fatalf("a reply beside the error %v", err)
			}
			return
		}
		if d.finish == "" || reply.Text != shown.String() || len(reply.Calls) > stream.MaxCalls || reply.Tokens.Input < reply.Tokens.CacheRead || reply.Tokens.Output < reply.Tokens.Reasoning {
			t.Fatalf("reply = %+v, shown %q", reply, shown.String())
		}
		for _, c := range reply.Calls {
			if c.ID == "" || c.Name == "" || (c.Input == nil) == (c.Raw == "") {
				t.Fatalf("call = %+v", c)
			}
		}
	})
}
