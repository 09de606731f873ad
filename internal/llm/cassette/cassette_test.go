package cassette_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/llm/cassette"
)

// echo replies with the last message, and counts.
type echo struct {
	mu    sync.Mutex
	calls int
	err   error
}

func (*echo) Name() string       { return "test:echo" }
func (*echo) Traits() llm.Traits { return llm.Traits{Sees: true, Window: 9} }

func (e *echo) Complete(_ context.Context, req llm.Request, _ func(string)) (llm.Reply, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	if e.err != nil {
		return llm.Reply{}, e.err
	}
	return llm.Reply{
		Text: fmt.Sprintf("%d: %s", e.calls, req.Messages[len(req.Messages)-1].Text), Calls: []llm.Call{{ID: "c1", Name: "look", Input: map[string]any{"at": 1.0}}, {ID: "c2", Name: "look", Input: map[string]any{}}, {ID: "c3", Name: "look", Raw: "{"}},
		Reasoning: llm.Reasoning{Text: "Hm.", Signature: "s", Model: "test:echo"}, Tokens: event.Tokens{Input: 7, Output: 2, CacheRead: 3}, Cut: true,
	}, nil
}

func request(texts ...string) llm.Request {
	req := llm.Request{System: "be exact", Tools: []llm.Tool{{Name: "look", Schema: map[string]any{"type": "object"}}}, MaxTokens: 100}
	for i, text := range texts {
		role := llm.User
		if i%2 == 1 {
			role = llm.Assistant
		}
		req.Messages = append(req.Messages, llm.Message{Role: role, Text: text})
	}
	return req
}

func record(t *testing.T, path string, m llm.Model, reqs ...llm.Request) []llm.Reply {
	t.Helper()
	r, err := cassette.Record(path, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []llm.Reply
	for _, req := range reqs {
		reply, err := r.Complete(t.Context(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, reply)
	}
	return out
}

// TestPlaysBack checks that every reply comes back whole, in any order, and that
// a request that was made twice gets its replies in turn.
func TestPlaysBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	one, two := request("a"), request("a", "1: a", "b")
	want := record(t, path, &echo{}, one, two, one)
	p, err := cassette.Play(path, nil)
	if err != nil || p.Name() != "replay:talk" || p.Traits() != (llm.Traits{Sees: true, Window: 9}) {
		t.Fatalf("%v, %v", p, err)
	}
	two.Messages[1].Reasoning = llm.Reasoning{Text: "other", Signature: "other"} // is no part of what is compared
	var thought, shown strings.Builder
	one.Reasoning = func(s string) { thought.WriteString(s) }
	for i, q := range []llm.Request{two, one, one, one} {
		w := want[[]int{1, 0, 2, 2}[i]]
		w.Model = "test:echo"
		got, err := p.Complete(t.Context(), q, func(s string) { shown.WriteString(s) })
		if err != nil || !reflect.DeepEqual(got, w) {
			t.Errorf("request %d: %+v, %v, want %+v", i, got, err, w)
		}
		got.Calls[0].Input["at"] = 2 // belongs to who asked
	}
	if thought.String() != "Hm.Hm.Hm." || shown.String() != "2: b1: a3: a3: a" {
		t.Errorf("thought %q, shown %q", thought.String(), shown.String())
	}
}

// TestDifferences checks that a request that was not recorded is refused with the
// first part that differs.
func TestDifferences(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	record(t, path, &echo{}, request("a"), request("a", "1: a", "b"))
	p, err := cassette.Play(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	with := func(req llm.Request, edit func(*llm.Request)) llm.Request {
		edit(&req)
		return req
	}
	for want, req := range map[string]llm.Request{
		"the instructions are not those":                                    with(request("a"), func(r *llm.Request) { r.System = "be quick" }),
		"the tools are not those":                                           with(request("a"), func(r *llm.Request) { r.Tools = nil }),
		"the reply may have 50 tokens, and 100 when it was recorded":        with(request("a"), func(r *llm.Request) { r.MaxTokens = 50 }),
		`message 1 (user) is not the one that was recorded; now it is "x"`:  request("x"),
		`message 3 (user) is not the one that was recorded; now it is "c"`:  request("a", "1: a", "c"),
		"it has 2 messages, and the recorded one goes on":                   request("a", "1: a"),
		"nothing was recorded after message 3":                              request("a", "1: a", "b", "2: b", "c"),
		`message 3 (user) is not the one that was recorded; now it is "42"`: with(request("a", "1: a", ""), func(r *llm.Request) { r.Messages[2].Results = []llm.Result{{Text: "42"}} }),
		`message 1 (user) is not the one that was recorded; now it is "a"`:  with(request("a"), func(r *llm.Request) { r.Messages[0].Pictures = []llm.Picture{{Data: []byte("p")}} }),
	} {
		if _, err := p.Complete(t.Context(), req, nil); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "cannot go on with cassette talk: "+want) {
			t.Errorf("error = %v, want %s", err, want)
		}
	}
}

// TestManyAtOnce checks that runs that record into one file leave whole lines.
func TestManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	m := &echo{}
	var wg sync.WaitGroup
	for i := range 8 {
		r, err := cassette.Record(path, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for j := range 10 {
				if _, err := r.Complete(t.Context(), request(fmt.Sprintf("%d %d %s", i, j, strings.Repeat("x", 5000))), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	raw, err := os.ReadFile(path)
	if err != nil || strings.Count(string(raw), "\n") != 80 {
		t.Fatalf("%d lines, %v", strings.Count(string(raw), "\n"), err)
	}
	if _, err := cassette.Parse("talk", raw, nil); err != nil {
		t.Error(err)
	}
}

// TestAfterACrash checks that a line that was cut off is left out, and that the
// next one is whole.
func TestAfterACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	record(t, path, &echo{}, request("a"))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"version":1,"mod`)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := cassette.Play(path, nil); err != nil {
		t.Errorf("a cut end: %v", err)
	}
	record(t, path, &echo{}, request("b"))
	if _, err := cassette.Play(path, nil); err == nil || !strings.Contains(err.Error(), "line 2: ") {
		t.Errorf("a broken line in the middle: %v", err)
	}
}

// TestSecrets checks that neither what was asked nor what must not be stored is in the file.
func TestSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	r, err := cassette.Record(path, &echo{}, func(s string) string { return strings.ReplaceAll(s, "s3cret", "[SECRET]") })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Complete(t.Context(), request("what I say", "no", "s3cret"), nil); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(raw), "what I say") || strings.Contains(string(raw), "s3cret") || !strings.Contains(string(raw), "1: [SECRET]") {
		t.Errorf("the file: %s, %v", raw, err)
	}
}

// TestSecretInReply records a conversation whose replies hold a secret and plays it back:
// the replies have a mark in its place then, and the requests after them hold the mark.
func TestSecretInReply(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	redact := func(s string) string { return strings.ReplaceAll(s, "s3cret", "[SECRET]") }
	talk := func(m llm.Model) (texts []string) {
		t.Helper()
		req := request("say s3cret")
		for range 3 {
			reply, err := m.Complete(t.Context(), req, nil)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, reply.Text)
			said := llm.Message{Role: llm.Assistant, Text: reply.Text, Calls: reply.Calls}
			req.Messages = append(req.Messages, said, llm.Message{Role: llm.User, Text: "again: " + reply.Text})
		}
		return texts
	}
	r, err := cassette.Record(path, &echo{}, redact)
	if err != nil {
		t.Fatal(err)
	}
	recorded := talk(r)
	p, err := cassette.Play(path, redact)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range talk(p) {
		if want := redact(recorded[i]); text != want {
			t.Errorf("reply %d is %q, want %q", i+1, text, want)
		}
	}
}

// TestTooLong checks that what could not be read again is not written.
func TestTooLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	record(t, path, &echo{}, request("a"))
	r, err := cassette.Record(path, &echo{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Complete(t.Context(), request(strings.Repeat("x", 32<<20)), nil); fault.KindOf(err) != fault.Exhausted || !strings.Contains(err.Error(), "32MiB are read") {
		t.Errorf("a long reply: %v", err)
	}
	if _, err := cassette.Play(path, nil); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if err := os.Truncate(path, 256<<20); err != nil { // a hole takes no space
		t.Fatal(err)
	}
	if _, err := r.Complete(t.Context(), request("b"), nil); fault.KindOf(err) != fault.Exhausted || !strings.Contains(err.Error(), "longer than 256MiB") {
		t.Errorf("a long file: %v", err)
	}
}

func TestFailures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	r, err := cassette.Record(path, &echo{err: errors.New("no")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Complete(t.Context(), request("a"), nil); err == nil {
		t.Error("no error")
	}
	for name, want := range map[string]string{path: "it holds no exchange", path + ".none": "cannot open cassette " + path + ".none: no such file"} {
		if _, err := cassette.Play(name, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %s", err, want)
		}
	}
	if _, err := cassette.Record(filepath.Join(path, "below"), &echo{}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("error = %v", err)
	}
	if _, err := cassette.Parse("x", []byte(`{"version":2}`), nil); err == nil || !strings.Contains(err.Error(), "line 1 is of version 2, this program knows 1") {
		t.Errorf("error = %v", err)
	}
}

// FuzzParse checks that no file breaks the reader, and that what it reads can be played.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":1,"model":"a:b","request":{"messages":["x"]},"reply":{"text":"a","calls":[{"id":"1","name":"f"}]}}` + "\n" + `{"version":1}`))
	f.Add([]byte(`{"version":1,"reply":{"calls":[{"raw":"{"}]}}` + "\n\n{"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := cassette.Parse("x", raw, nil)
		if err != nil {
			return
		}
		if _, err := p.Complete(t.Context(), request("a"), nil); err != nil && fault.KindOf(err) != fault.Conflict {
			t.Fatal(err)
		}
	})
}
