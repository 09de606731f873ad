package openai_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/app"
	"praxis/internal/server"
	"praxis/internal/server/access"
	"praxis/internal/server/openai"
	"praxis/internal/test/toy"
)

type object = map[string]any

// world is a server over toys whose usual model follows a script.
type world struct {
	*testing.T
	home, script string
	s            *server.Server
	web          *httptest.Server
	key          string
}

func newWorld(t *testing.T, script string) *world {
	t.Helper()
	w := &world{T: t, home: t.TempDir(), script: filepath.Join(t.TempDir(), "script")}
	w.says(script)
	w.start()
	t.Cleanup(w.stop)
	return w
}

// says makes the usual model follow a script from the next question on.
func (w *world) says(script string) {
	w.Helper()
	if err := os.WriteFile(w.script, []byte(script), 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *world) start() {
	w.Helper()
	var err error
	w.s, err = server.New(server.Config{Home: w.home, Version: "test", Open: func(t server.Tenant) (*app.App, error) {
		c, err := app.DefaultConfig(t.Home, func(string) string { return "" })
		if err != nil {
			return nil, err
		}
		c.Ask.Model = "scripted:" + w.script
		return app.Open(app.Options{Config: c, Version: "test", Parts: &app.Parts{Backend: toy.Backend(), Images: toy.Images{}, ImageFiles: toy.Images{}, Recipes: toy.Images{}, Program: toy.Program()}})
	}})
	if err == nil {
		w.key, _, _, err = w.s.FirstKey()
	}
	if err != nil {
		w.Fatal(err)
	}
	w.web = httptest.NewServer(w.s.Handler())
}

func (w *world) stop() {
	w.Helper()
	w.web.CloseClientConnections()
	w.web.Close()
	if err := w.s.Close(context.WithoutCancel(w.Context())); err != nil {
		w.Errorf("cannot close: %v", err)
	}
}

// send sends a request; the response has to be closed.
func (w *world) send(method, path string, body any) *http.Response {
	w.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		w.Fatal(err)
	}
	if !strings.HasPrefix(path, "/v1/") {
		path = openai.Prefix + path
	}
	r, err := http.NewRequestWithContext(w.Context(), method, w.web.URL+path, bytes.NewReader(data))
	if err != nil {
		w.Fatal(err)
	}
	if w.key != "" {
		r.Header.Set("Authorization", "Bearer "+w.key)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	return res
}

// must sends a request and returns the object that answers it with the status want.
func (w *world) must(method, path string, body any, want int) object {
	w.Helper()
	res := w.send(method, path, body)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		w.Fatal(err)
	}
	out := object{}
	if err := json.Unmarshal(data, &out); err != nil || res.StatusCode != want {
		w.Fatalf("%s %s: status %d, want %d: %s", method, path, res.StatusCode, want, data)
	}
	return out
}

// events sends a request and returns the data of the events that answer it.
func (w *world) events(path string, body any) (out []object) {
	w.Helper()
	res := w.send("POST", path, body)
	defer res.Body.Close()
	if kind := res.Header.Get("Content-Type"); kind != "text/event-stream" {
		w.Fatalf("%s: status %d, %s", path, res.StatusCode, kind)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		data, found := strings.CutPrefix(lines.Text(), "data: ")
		if !found {
			continue
		}
		e := object{}
		if data == "[DONE]" {
			e["done"] = true
		} else if err := json.Unmarshal([]byte(data), &e); err != nil {
			w.Fatalf("%v: %s", err, data)
		}
		out = append(out, e)
	}
	if err := lines.Err(); err != nil {
		w.Fatal(err)
	}
	return out
}

// at returns a member of members, "" where there is none.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			o, _ := v.(object)
			v = o[p]
		case int:
			list, _ := v.([]any)
			if p < 0 {
				p += len(list)
			}
			if p < 0 || p >= len(list) {
				return ""
			}
			v = list[p]
		}
	}
	if v == nil {
		return ""
	}
	return v
}

func text(v any, path ...any) string { return fmt.Sprint(at(v, path...)) }

func user(text string) object      { return object{"role": "user", "content": text} }
func assistant(text string) object { return object{"role": "assistant", "content": text} }

const sum = "=== expect What is it?\n=== reply\nI add it up.\n```python\nset x\nprint 42\n```\n=== reply\nFINAL ANSWER: It is 42.\n"

// A conversation that a client sends whole each time goes on in its thread, with its variables.
func TestChat(t *testing.T) {
	w := newWorld(t, "=== expect Be brief.\n"+sum)
	got := w.must("POST", "/chat/completions", object{"model": "praxis", "temperature": 0.2, "messages": []object{{"role": "system", "content": "Be brief."}, user("What is it?")}}, 200)
	if text(got, "choices", 0, "message", "content") != "It is 42." || text(got, "choices", 0, "finish_reason") != "stop" || text(got, "object") != "chat.completion" {
		t.Fatalf("got %v", got)
	}
	thought := text(got, "choices", 0, "message", "reasoning_content")
	for _, want := range []string{"I add it up.", "```python\nset x\nprint 42\n```", "```text\n42\n```", "Checked: 1 figure of 1 traced", "Record " + text(got, "praxis", "record")} {
		if !strings.Contains(thought, want) {
			t.Errorf("no %q in the thoughts:\n%s", want, thought)
		}
	}
	if text(got, "praxis", "verified") != "true" {
		t.Errorf("got %v", got["praxis"])
	}
	before := []object{user("What is it?"), assistant("It is  42.")}
	w.says(sum + "=== expect And now?\n=== reply\n```python\nget x\n```\n=== reply\nFINAL ANSWER: Still there.\n")
	second := w.must("POST", "/chat/completions", object{"model": "praxis", "messages": append(before, user("And now?"))}, 200)
	if text(second, "praxis", "thread") != text(got, "praxis", "thread") {
		t.Errorf("another thread: %v and %v", got["praxis"], second["praxis"])
	}
	if thought := text(second, "choices", 0, "message", "reasoning_content"); !strings.Contains(thought, "true") {
		t.Errorf("the variable is gone:\n%s", thought)
	}
	// Another question in the place of the second goes on from the first answer, in a fork.
	w.stop()
	w.start()
	w.says(sum + "=== refuse And now?\n=== expect It is 42.\n=== reply\n```python\nget x\n```\n=== reply\nFINAL ANSWER: Forked.\n")
	third := w.must("POST", "/chat/completions", object{"model": "praxis", "messages": append(before, user("Or now?"))}, 200)
	if text(third, "praxis", "thread") == text(got, "praxis", "thread") || text(third, "choices", 0, "message", "content") != "Forked." {
		t.Errorf("got %v", third)
	}
	if thought := text(third, "choices", 0, "message", "reasoning_content"); !strings.Contains(thought, "true") {
		t.Errorf("the variable is gone:\n%s", thought)
	}
	// The model is shown what was never asked here, and its figures are no sources.
	w.says("=== reply\nUp to here.\n=== expect Who am I?\n=== expect led elsewhere\n=== reply\nFINAL ANSWER: You are 17 and like 99.\n=== reply\nFINAL ANSWER: You are 17 and like 99.\n")
	fourth := w.must("POST", "/chat/completions", object{"model": "praxis", "messages": []object{user("I am 17."), assistant("You like 99."), user("Who am I?")}}, 200)
	if got := text(fourth, "choices", 0, "message", "content"); got != "You are 17 and like 99 (unverified)." || text(fourth, "praxis", "verified") != "false" {
		t.Errorf("got %v", fourth)
	}
}

func TestChatStream(t *testing.T) {
	w := newWorld(t, strings.Replace(sum, "print 42", "print 42\nprint ``` ![x](http://e.test/)\npicture\nmake a.csv 1,2", 1))
	all := w.events("/chat/completions", object{"model": "praxis", "stream": true, "stream_options": object{"include_usage": true}, "messages": []object{user("What is it?")}})
	var content, thought strings.Builder
	finish := ""
	for _, e := range all {
		if s, ok := at(e, "choices", 0, "delta", "content").(string); ok {
			content.WriteString(s)
		}
		thought.WriteString(text(e, "choices", 0, "delta", "reasoning_content"))
		if f := text(e, "choices", 0, "finish_reason"); f != "" {
			finish += f
		}
	}
	n := len(all)
	if n < 5 || text(all[0], "choices", 0, "delta", "role") != "assistant" || finish != "stop" || all[n-1]["done"] != true || text(all[n-2], "choices") != "[]" || text(all[n-2], "usage", "total_tokens") == "" {
		t.Fatalf("got %v", all)
	}
	if got := content.String(); !strings.HasPrefix(got, "It is 42.\n\n![Picture 1](data:image/png;base64,") || !strings.Contains(got, "Files: `a.csv` (") {
		t.Errorf("got %.200s", got)
	}
	if !strings.Contains(thought.String(), "````text\n42\n``` ![x](http://e.test/)\n````") {
		t.Errorf("got %s", thought.String())
	}
	id := text(all[n-3], "praxis", "files", 0, "id")
	res := w.send("GET", "/files/"+id+"/content", nil)
	defer res.Body.Close()
	if data, err := io.ReadAll(res.Body); err != nil || res.StatusCode != 200 || string(data) != "1,2\n" {
		t.Errorf("status %d: %q, %v", res.StatusCode, data, err)
	}
	if got := w.must("GET", "/files/"+id, nil, 200); got["filename"] != "a.csv" {
		t.Errorf("got %v", got)
	}
	w.must("GET", "/files/file-eA", nil, 404)
}

// What a client attaches is in the working folder; what the answer has to look like is checked.
func TestAttached(t *testing.T) {
	w := newWorld(t, "=== expect data.csv\n=== reply\n```python\ncat data.csv\n```\n=== reply\nFINAL ANSWER: {\"total\": 42}\n")
	got := w.must("POST", "/chat/completions", object{"model": "praxis@code", "response_format": object{"type": "json_schema", "json_schema": object{"name": "n", "schema": object{"type": "object", "required": []string{"total"}}}},
		"messages": []object{{"role": "user", "content": []object{
			{"type": "text", "text": "What is the total?"}, {"type": "file", "file": object{"filename": "../data.csv", "file_data": "data:text/csv;base64,NDI="}},
			{"type": "image_url", "image_url": object{"url": "data:image/png;base64,aGk="}},
		}}}}, 200)
	var value object
	if err := json.Unmarshal([]byte(text(got, "choices", 0, "message", "content")), &value); err != nil || value["total"] != 42.0 {
		t.Errorf("got %v, %v", got, err)
	}
	if thought := text(got, "choices", 0, "message", "reasoning_content"); !strings.Contains(thought, "42") {
		t.Errorf("got %s", thought)
	}
}

func TestResponses(t *testing.T) {
	w := newWorld(t, sum)
	first := w.must("POST", "/responses", object{"model": "praxis", "input": "What is it?", "instructions": "Be brief."}, 200)
	id := text(first, "id")
	if text(first, "status") != "completed" || text(first, "output", -1, "content", 0, "text") != "It is 42." || text(first, "output", 1, "type") != "code_interpreter_call" || text(first, "output", 1, "outputs", 0, "logs") != "42" {
		t.Fatalf("got %v", first)
	}
	if got := w.must("GET", "/responses/"+id, nil, 200); text(got, "output", -1, "content", 0, "text") != "It is 42." {
		t.Errorf("got %v", got)
	}
	w.says(sum + "=== reply\n```python\nget x\n```\n=== reply\nFINAL ANSWER: Still there.\n")
	all := w.events("/responses", object{"model": "praxis", "input": []object{user("And now?")}, "previous_response_id": id, "stream": true})
	var names []string
	for i, e := range all {
		if text(e, "sequence_number") != fmt.Sprint(i) {
			t.Errorf("event %d: %v", i, e)
		}
		if name := text(e, "type"); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, strings.TrimPrefix(name, "response."))
		}
	}
	want := "created in_progress output_item.added code_interpreter_call.in_progress code_interpreter_call_code.delta code_interpreter_call_code.done code_interpreter_call.interpreting code_interpreter_call.completed output_item.done " +
		"output_item.added reasoning_summary_part.added reasoning_summary_text.delta reasoning_summary_text.done reasoning_summary_part.done output_item.done " +
		"output_item.added content_part.added output_text.delta output_text.done content_part.done output_item.done completed"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	last := all[len(all)-1]
	if text(last, "response", "output", -1, "content", 0, "text") != "Still there." || text(last, "response", "previous_response_id") != id || !strings.Contains(text(last, "response", "output", 0, "outputs"), "true") {
		t.Errorf("got %v", last)
	}
	// What is another tenant's does not exist.
	keys, err := access.Open(filepath.Join(w.home, "server"), nil)
	if err != nil {
		t.Fatal(err)
	}
	own := w.key
	if w.key, _, err = keys.Add(access.Key{Tenant: "other"}); err != nil {
		t.Fatal(err)
	}
	w.must("GET", "/responses/"+id, nil, 404)
	w.must("DELETE", "/responses/"+id, nil, 404)
	w.must("POST", "/responses", object{"model": "praxis", "input": "And?", "previous_response_id": id}, 404)
	w.must("GET", "/files/file-"+base64.RawURLEncoding.EncodeToString([]byte(text(first, "praxis", "thread")+"/a.csv")), nil, 404)
	w.key = own
	w.must("DELETE", "/responses/"+id, nil, 200)
	w.must("GET", "/responses/"+id, nil, 404)
	w.must("POST", "/responses", object{"model": "praxis", "input": "And?", "previous_response_id": id}, 404)
	w.says("=== reply\nFINAL ANSWER: Hello.\n")
	named := w.must("POST", "/responses", object{"model": "praxis", "input": "Hello", "conversation": object{"id": "sales"}, "store": false}, 200)
	if text(named, "praxis", "thread") != "sales" || text(named, "conversation", "id") != "sales" {
		t.Errorf("got %v", named)
	}
}

// What is wrong is said as OpenAI's clients expect it.
func TestRefused(t *testing.T) {
	w := newWorld(t, "=== reply\n```python\nprint 1\n```\n")
	hello := []object{user("Hello")}
	for _, c := range []struct {
		path   string
		body   any
		status int
		param  string
	}{
		{"/chat/completions", object{"model": "gpt-4o", "messages": hello}, 404, "model"},
		{"/chat/completions", object{"model": "scripted:/etc/passwd", "messages": hello}, 403, ""},
		{"/chat/completions", object{"model": "praxis", "messages": hello, "n": 2}, 400, "n"},
		{"/chat/completions", object{"model": "praxis", "messages": hello, "stop": []string{"x"}}, 400, "stop"},
		{"/chat/completions", object{"model": "praxis", "messages": hello, "tool_choice": "required"}, 400, "tool_choice"},
		{"/chat/completions", object{"model": "praxis", "messages": []object{}}, 400, "messages"},
		{"/chat/completions", object{"model": "praxis", "messages": append(hello, assistant("Hi"))}, 400, "messages"},
		{"/chat/completions", object{"model": "praxis", "messages": []object{{"role": "user", "content": []object{{"type": "image_url", "image_url": object{"url": "https://e.test/a.png"}}}}}}, 400, "messages[0].content[0]"},
		{"/chat/completions", "text", 400, ""},
		{"/chat/completions", object{"model": "praxis", "messages": hello, "praxis": object{"wiht": []string{}}}, 400, "praxis"},
		{"/responses", object{"model": "praxis", "input": "Hello", "praxis": object{"language": "cobol"}}, 400, ""},
		{"/responses", object{"model": "praxis", "input": "Hello", "background": true}, 400, "background"},
		{"/responses", object{"model": "praxis", "input": ""}, 400, "input"},
		{"/nothing", object{}, 404, ""},
	} {
		got := w.must("POST", c.path, c.body, c.status)
		if text(got, "error", "message") == "" || text(got, "error", "type") == "" || text(got, "error", "param") != c.param {
			t.Errorf("%v: got %v", c.body, got)
		}
	}
	res := w.send("POST", "/chat/completions", object{"model": "praxis", "messages": hello})
	res.Body.Close()
	if res.StatusCode < 400 || res.Header.Get("X-Should-Retry") != "false" {
		t.Errorf("a run without an answer: status %d, %v", res.StatusCode, res.Header)
	}
	all := w.events("/responses", object{"model": "praxis", "input": "Hello", "stream": true})
	if last := all[len(all)-1]; text(last, "type") != "response.failed" || text(last, "response", "error", "message") == "" {
		t.Errorf("got %v", last)
	}
	if got := w.must("GET", "/models/praxis", nil, 200); got["object"] != "model" {
		t.Errorf("got %v", got)
	}
	if got := w.must("GET", "/models", nil, 200); text(got, "data", 0, "id") != "praxis" {
		t.Errorf("got %v", got)
	}
	w.key = "praxis_0"
	if got := w.must("GET", "/models", nil, 401); text(got, "error", "code") != "invalid_api_key" {
		t.Errorf("got %v", got)
	}
}

// A client that goes away ends the run that it waited for.
func TestLeft(t *testing.T) {
	w := newWorld(t, "=== reply\n```python\nwait\n```\n")
	res := w.send("POST", "/chat/completions", object{"model": "praxis", "stream": true, "messages": []object{user("Hello")}})
	lines := bufio.NewScanner(res.Body)
	id := ""
	for lines.Scan() && !strings.Contains(lines.Text(), "wait") { // its code runs
		if data, found := strings.CutPrefix(lines.Text(), "data: "); found {
			e := object{}
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatal(err)
			}
			id = strings.TrimPrefix(text(e, "id"), "chatcmpl-")
		}
	}
	res.Body.Close()
	ended := w.send("GET", "/v1/runs/"+id+"/events", nil)
	defer ended.Body.Close()
	if data, err := io.ReadAll(ended.Body); err != nil || ended.StatusCode != 200 || !strings.Contains(string(data), "run_ended") { // it ends when the run does
		t.Errorf("status %d: %.300s, %v", ended.StatusCode, data, err)
	}
}
