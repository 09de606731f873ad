package recorded_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/llm/recorded"
)

func request(texts ...string) llm.Request {
	req := llm.Request{System: "be exact", MaxTokens: 100}
	for i, text := range texts {
		role := llm.User
		if i%2 == 1 {
			role = llm.Assistant
		}
		req.Messages = append(req.Messages, llm.Message{Role: role, Text: text})
	}
	return req
}

func TestRepliesComeInOrder(t *testing.T) {
	m := recorded.New("openai:some-model", llm.Traits{}, []recorded.Exchange{
		{Reply: event.ModelReplied{Step: 1, Thought: "think", Text: "first", Tokens: event.Tokens{Input: 10, Output: 2}}},
		{Failed: "cannot ask the model: the server said 529"},
		{Reply: event.ModelReplied{Step: 2, Cut: true, Calls: []event.Call{
			{ID: "c1", Name: "python", Input: map[string]any{"code": "1+1", "deep": []any{map[string]any{"a": 1.0}}}},
			{ID: "c2", Name: "python", Raw: `{"code": "un`},
			{ID: "c3", Name: "nothing"},
		}}},
	})
	if got := m.Name(); got != "openai:some-model" {
		t.Errorf("the name is %q", got)
	}
	var said []string
	onText := func(s string) { said = append(said, s) }
	got, err := m.Complete(t.Context(), request("q"), onText)
	want := llm.Reply{Text: "first", Tokens: event.Tokens{Input: 10, Output: 2}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if _, err = m.Complete(t.Context(), request("q"), onText); fault.KindOf(err) != fault.Unavailable || err.Error() != "cannot ask the model: the server said 529" {
		t.Errorf("the failure came back as %v (%s)", err, fault.KindOf(err))
	}
	got, err = m.Complete(t.Context(), request("q"), nil)
	want = llm.Reply{Cut: true, Calls: []llm.Call{
		{ID: "c1", Name: "python", Input: map[string]any{"code": "1+1", "deep": []any{map[string]any{"a": 1.0}}}},
		{ID: "c2", Name: "python", Raw: `{"code": "un`},
		{ID: "c3", Name: "nothing", Input: map[string]any{}},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if !slices.Equal(said, []string{"first"}) {
		t.Errorf("received %q", said)
	}
}

func TestTheRecordingEnds(t *testing.T) {
	one := []recorded.Exchange{{Reply: event.ModelReplied{Text: "a"}}}
	for want, exchanges := range map[string][]recorded.Exchange{
		"cannot go on: the recording ends after 0 replies": nil,
		"cannot go on: the recording ends after 1 reply":   one,
		"cannot go on: the recording ends after 2 replies": append(one, one...),
	} {
		m := recorded.New("a:b", llm.Traits{}, exchanges)
		for i := range exchanges {
			if _, err := m.Complete(t.Context(), request("q"), nil); err != nil {
				t.Fatalf("reply %d: %v", i+1, err)
			}
		}
		for range 2 { // and stays ended
			_, err := m.Complete(t.Context(), request("q"), nil)
			if !errors.Is(err, recorded.ErrEnded) || fault.KindOf(err) != fault.Conflict || err.Error() != want || fault.RemedyOf(err) == "" {
				t.Errorf("got %v (%s, %q), want %s", err, fault.KindOf(err), fault.RemedyOf(err), want)
			}
		}
		if got := len(m.Requests()); got != len(exchanges)+2 {
			t.Errorf("%d requests are kept, want %d", got, len(exchanges)+2)
		}
	}
	if _, err := recorded.New("a:b", llm.Traits{}, []recorded.Exchange{{Failed: "no"}}).Complete(t.Context(), request("q"), nil); errors.Is(err, recorded.ErrEnded) {
		t.Errorf("a recorded failure counts as the end: %v", err)
	}
}

func TestCanceled(t *testing.T) {
	m := recorded.New("a:b", llm.Traits{}, []recorded.Exchange{{Reply: event.ModelReplied{Text: "a"}}})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the disk is full"))
	_, err := m.Complete(ctx, request("q"), func(string) { t.Error("text was streamed") })
	if fault.KindOf(err) != fault.Canceled || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("got %v (%s)", err, fault.KindOf(err))
	}
	if got := m.Requests(); len(got) != 0 {
		t.Errorf("a call that never began is kept: %+v", got)
	}
	if got, err := m.Complete(t.Context(), request("q"), nil); err != nil || got.Text != "a" {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
}

// What is given and taken shares nothing: neither side can change the recording.
func TestNothingIsShared(t *testing.T) {
	spoil := func(calls []llm.Call) {
		calls[0].Name = "spoiled"
		calls[0].Input["code"] = "spoiled"
		calls[0].Input["list"].([]any)[0].(map[string]any)["a"] = "spoiled"
	}
	calls := func() []llm.Call {
		return []llm.Call{{ID: "1", Name: "python", Input: map[string]any{"code": "x", "list": []any{map[string]any{"a": "b"}}}}}
	}
	given := calls()
	m := recorded.New("a:b", llm.Traits{}, []recorded.Exchange{{Reply: event.ModelReplied{Calls: given}}, {Reply: event.ModelReplied{Calls: given}}})
	spoil(given)
	for range 2 {
		reply, err := m.Complete(t.Context(), request("q"), nil)
		if err != nil || !reflect.DeepEqual(reply.Calls, calls()) {
			t.Fatalf("got %+v, %v", reply.Calls, err)
		}
		spoil(reply.Calls)
	}

	ask := func() llm.Request {
		req := request("q", "a", "q2")
		req.Messages[1].Calls = calls()
		req.Messages[2].Results = []llm.Result{{CallID: "1", Text: "seen"}}
		req.Tools = []llm.Tool{{Name: "python", Schema: map[string]any{"required": []string{"code"}, "properties": map[string]any{"code": "string"}}}}
		return req
	}
	m = recorded.New("a:b", llm.Traits{}, []recorded.Exchange{{Reply: event.ModelReplied{Text: "a"}}})
	req := ask()
	req.Pausing = func(llm.Pause) {}
	if _, err := m.Complete(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	ruin := func(req llm.Request) {
		spoil(req.Messages[1].Calls)
		req.Messages[2].Results[0].Text = "spoiled"
		req.Messages[0].Text = "spoiled"
		req.Tools[0].Schema["required"].([]string)[0] = "spoiled"
		req.Tools[0].Schema["properties"].(map[string]any)["code"] = "spoiled"
		req.Tools[0].Name = "spoiled"
	}
	ruin(req)
	for range 2 {
		got := m.Requests()
		if len(got) != 1 || !reflect.DeepEqual(got[0], ask()) {
			t.Fatalf("asked %+v, want %+v", got, ask())
		}
		ruin(got[0])
	}
}

// Every exchange is given once, however many ask.
func TestConcurrent(t *testing.T) {
	const n = 64
	var exchanges []recorded.Exchange
	for i := range n {
		exchanges = append(exchanges, recorded.Exchange{Reply: event.ModelReplied{Text: fmt.Sprint(i)}})
	}
	m := recorded.New("a:b", llm.Traits{}, exchanges)
	var wg sync.WaitGroup
	seen := make([]string, n)
	for i := range n {
		wg.Go(func() {
			reply, err := m.Complete(t.Context(), request("q"), nil)
			if err != nil {
				t.Error(err)
			}
			seen[i] = reply.Text
		})
	}
	wg.Wait()
	slices.Sort(seen)
	if got := len(slices.Compact(seen)); got != n {
		t.Errorf("%d different replies, want %d", got, n)
	}
	if got := len(m.Requests()); got != n {
		t.Errorf("%d requests are kept, want %d", got, n)
	}
}
