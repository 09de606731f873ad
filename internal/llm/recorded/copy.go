package recorded

import (
	"fmt"
	"slices"

	"praxis/event"
	"praxis/internal/llm"
)

// copyRequest returns a request that shares nothing that can be changed. A
// conversation grows at its end, but who asks may also change what stands
// before: a history that is condensed.
func copyRequest(req llm.Request) llm.Request {
	req.Pausing = nil
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		req.Messages[i].Calls = copyCalls(req.Messages[i].Calls)
		req.Messages[i].Results = slices.Clone(req.Messages[i].Results)
		req.Messages[i].Pictures = slices.Clone(req.Messages[i].Pictures)
	}
	req.Tools = slices.Clone(req.Tools)
	for i := range req.Tools {
		req.Tools[i].Schema = copyObject(req.Tools[i].Schema)
	}
	return req
}

func copyCalls(calls []event.Call) []event.Call {
	out := slices.Clone(calls)
	for i := range out {
		out[i].Input = copyObject(out[i].Input)
	}
	return out
}

func copyObject(object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	out := make(map[string]any, len(object))
	for k, v := range object {
		out[k] = copyValue(v)
	}
	return out
}

// copyValue copies a value of JSON.
func copyValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return copyObject(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = copyValue(v[i])
		}
		return out
	case []string: // of schemas that are written in Go
		return slices.Clone(v)
	}
	return v
}

// replies counts them in words.
func replies(n int) string {
	if n == 1 {
		return "1 reply"
	}
	return fmt.Sprintf("%d replies", n)
}
