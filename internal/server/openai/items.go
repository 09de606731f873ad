package openai

import (
	"fmt"
	"strings"
)

// fields are members of an event or an item.
type fields map[string]any

// responseWriter writes a run as the items of a response: what the model thinks as summaries of
// reasoning, its code as calls of a code interpreter, the answer as a message.
type responseWriter struct {
	id, container string
	stream        *stream // nil: nobody reads it yet
	failed        error   // of the stream
	seq           int
	items         []any // that are complete

	thought strings.Builder // of the open item of reasoning
	open    string          // the id of the open item; "": none is open
	running bool            // the open item is a call of the code interpreter
	code    string          // of that
}

// event sends an event. What fails is remembered: the next piece of the transcript ends the run.
func (t *responseWriter) event(name string, f fields) {
	if t.stream == nil || t.failed != nil {
		return
	}
	f["type"], f["sequence_number"] = name, t.seq
	t.seq++
	t.failed = t.stream.data(name, f)
}

// item sends an event of the open item.
func (t *responseWriter) item(name string, f fields) {
	f["item_id"], f["output_index"] = t.open, len(t.items)
	t.event(name, f)
}

// begin opens an item.
func (t *responseWriter) begin(prefix string, f fields) {
	t.open = fmt.Sprintf("%s_%s%d", prefix, t.id, len(t.items))
	f["id"] = t.open
	t.event("response.output_item.added", fields{"output_index": len(t.items), "item": f})
}

// end closes the open item.
func (t *responseWriter) end(f fields) {
	f["id"] = t.open
	t.event("response.output_item.done", fields{"output_index": len(t.items), "item": f})
	t.items, t.open = append(t.items, f), ""
}

func (t *responseWriter) reasoning(text string) error {
	if t.open == "" {
		if text = strings.TrimLeft(text, "\n"); text == "" {
			return t.failed
		}
		t.begin("rs", fields{"type": "reasoning", "summary": []any{}})
		t.item("response.reasoning_summary_part.added", fields{"summary_index": 0, "part": fields{"type": "summary_text", "text": ""}})
	}
	t.thought.WriteString(text)
	t.item("response.reasoning_summary_text.delta", fields{"summary_index": 0, "delta": text})
	return t.failed
}

// close completes the item that is open, if one is.
func (t *responseWriter) close(output string) {
	switch {
	case t.open == "":
	case !t.running:
		part := fields{"type": "summary_text", "text": t.thought.String()}
		t.item("response.reasoning_summary_text.done", fields{"summary_index": 0, "text": part["text"]})
		t.item("response.reasoning_summary_part.done", fields{"summary_index": 0, "part": part})
		t.end(fields{"type": "reasoning", "summary": []any{part}})
		t.thought.Reset()
	default:
		t.item("response.code_interpreter_call.completed", fields{})
		outputs := []any{}
		if output != "" {
			outputs = []any{fields{"type": "logs", "logs": output}}
		}
		t.end(fields{"type": "code_interpreter_call", "status": "completed", "code": t.code, "container_id": t.container, "outputs": outputs})
		t.running = false
	}
}

func (t *responseWriter) codeBegan(_, code string) error {
	t.close("")
	t.begin("ci", fields{"type": "code_interpreter_call", "status": "in_progress", "code": "", "container_id": t.container, "outputs": []any{}})
	t.item("response.code_interpreter_call.in_progress", fields{})
	t.item("response.code_interpreter_call_code.delta", fields{"delta": code})
	t.item("response.code_interpreter_call_code.done", fields{"code": code})
	t.item("response.code_interpreter_call.interpreting", fields{})
	t.running, t.code = true, code
	return t.failed
}

func (t *responseWriter) codeEnded(output string) error {
	t.close(output)
	return t.failed
}

func (t *responseWriter) idle() error {
	if t.stream != nil && t.failed == nil {
		t.failed = t.stream.still()
	}
	return t.failed
}

// answers writes the answer, as the last item.
func (t *responseWriter) answers(a finished) {
	t.close("")
	cited := []any{}
	for _, f := range a.about.Files {
		cited = append(cited, fields{"type": "container_file_citation", "container_id": t.container, "file_id": f.ID, "filename": f.Name, "start_index": 0, "end_index": 0})
	}
	t.begin("msg", fields{"type": "message", "role": "assistant", "status": "in_progress", "content": []any{}})
	part := fields{"type": "output_text", "text": a.text, "annotations": cited, "logprobs": []any{}}
	t.item("response.content_part.added", fields{"content_index": 0, "part": fields{"type": "output_text", "text": "", "annotations": []any{}, "logprobs": []any{}}})
	for part := range pieces(a.text) {
		t.item("response.output_text.delta", fields{"content_index": 0, "delta": part, "logprobs": []any{}})
	}
	t.item("response.output_text.done", fields{"content_index": 0, "text": a.text, "logprobs": []any{}})
	t.item("response.content_part.done", fields{"content_index": 0, "part": part})
	t.end(fields{"type": "message", "role": "assistant", "status": "completed", "content": []any{part}})
}
