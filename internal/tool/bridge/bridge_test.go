package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/tool"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/toolfile"
)

// works executes calls.
type works struct {
	mu    sync.Mutex
	calls []tool.Invocation
	do    func(c tool.Invocation) (any, error)
}

func (*works) Prepare(context.Context, *tool.Definition) error { return nil }
func (*works) Identity(*tool.Definition) string                { return "" }

func (w *works) Call(_ context.Context, c tool.Invocation) (any, error) {
	w.mu.Lock()
	w.calls = append(w.calls, c)
	w.mu.Unlock()
	if w.do != nil {
		return w.do(c)
	}
	return c.Arguments, nil
}

func (w *works) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.calls)
}

// steps keeps the steps that calls were recorded for.
type steps struct {
	mu  sync.Mutex
	all []string
}

func (s *steps) Emit(e event.Event) {
	if c, ok := e.(event.ToolCalled); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all = append(s.all, fmt.Sprintf("%s %s %d", c.Tool, c.Origin, c.Step))
	}
}

const shop = `
  - {name: crm.find, version: 1.0.0, description: Finds customers., effects: read, input: {type: object, required: [region], properties: {region: {type: string}, limit: {type: integer, default: 10}}}, output: {type: object}}
  - {name: crm.find, version: 2.0.0, description: Finds customers., effects: read, input: {type: object, properties: {region: {type: string}}}}
  - {name: crm.deep.one, version: 1.0.0, description: Is deep., effects: pure}
  - {name: now, version: 1.0.0, description: Tells the time., effects: read}
  - {name: mail.send, version: 1.0.0, description: Sends., effects: external}
`

func newBridge(t testing.TB, body string, w *works, origins ...gate.Origin) (*bridge.Bridge, *steps) {
	t.Helper()
	f, err := toolfile.Load("tools.yaml", []byte("version: 1\ntools:\n"+body))
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(f)
	if err != nil {
		t.Fatal(err)
	}
	s := &steps{}
	g, err := gate.New(gate.Config{Run: "run-1", Tools: set, Caller: w, Origins: origins, Sink: s})
	if err != nil {
		t.Fatal(err)
	}
	return bridge.New(bridge.Config{Gate: g}), s
}

func send(t testing.TB, b *bridge.Bridge, text string) (string, error) {
	t.Helper()
	got, err := b.Tools(t.Context(), json.RawMessage(text))
	return string(got), err
}

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		request, want string
		fault         fault.Kind
		remedy        string
	}{
		{request: `{"do":"names"}`, want: `"total":4`},
		{request: `{"do":"namespace","name":"crm"}`, want: `"namespaces":["crm.deep"]`},
		{request: `{"do":"namespace","name":"crm.deep"}`, want: `"crm.deep.one"`},
		{request: `{"do":"namespace","name":"now"}`, fault: fault.NotFound, remedy: "function"},
		{request: `{"do":"namespace","name":"crn"}`, fault: fault.NotFound, remedy: "."},
		{request: `{"do":"search","query":"customers","limit":1}`, want: `"crm.find"`},
		{request: `{"do":"search","query":"","limit":-5}`, want: `"tools"`},
		{request: `{"do":"describe","name":"crm.find","version":"1.0.0"}`, want: `"version":"1.0.0"`},
		{request: `{"do":"describe","name":"crm.fnd"}`, fault: fault.NotFound, remedy: "crm.find"},
		{request: `{"do":"describe","name":"crm.find","version":"9.0.0"}`, fault: fault.NotFound},
		{request: `{"do":"call","tool":"crm.find","version":"1.0.0","arguments":{"region":"eu"}}`, want: `{"result":{"region":"eu","limit":10}}`},
		{request: `{"do":"call","tool":"crm.find","version":"1.0.0","arguments":{"region":"eu","limit":12345678901234567890}}`, want: `"limit":12345678901234567890`},
		{request: `{"do":"call","tool":"crm.find","version":"1.0.0","arguments":{"region":3}}`, fault: fault.Invalid},
		{request: `{"do":"call","tool":"crm.find","version":"1.0.0","arguments":{"region":"a","regon":"b"}}`, fault: fault.Invalid},
		{request: `{"do":"call","tool":"crm.find","version":"1.0.0"}`, fault: fault.Invalid},
		{request: `{"do":"call","tool":"now","arguments":[]}`, fault: fault.Invalid},
		{request: `{"do":"call","tool":"now","arguments":null}`, fault: fault.Invalid},
		{request: `{"do":"call","tool":"mail.send"}`, fault: fault.Denied},
		{request: `{"do":"call","tool":"mail.snd"}`, fault: fault.NotFound, remedy: "mail.send"},
		{request: `{"do":"call","tool":"now","id":"x","again":true}`, fault: fault.Unavailable, remedy: "Look whether it was done"},
		{request: `{"do":"call","tool":"now","again":true}`, fault: fault.Unavailable},
		{request: `{"do":"result","id":"1.1"}`, fault: fault.NotFound},
		{request: `{"do":"anything"}`, fault: fault.Invalid},
		{request: `{"do":3}`, fault: fault.Invalid},
		{request: `[]`, fault: fault.Invalid}, {request: `{`, fault: fault.Invalid}, {request: ``, fault: fault.Invalid},
	} {
		w := &works{}
		b, _ := newBridge(t, shop, w, gate.Code)
		got, err := send(t, b, c.request)
		if fault.KindOf(err) != c.fault || !strings.Contains(got, c.want) || !strings.Contains(fault.RemedyOf(err), c.remedy) {
			t.Errorf("%s: got %.300s, %v (%s)", c.request, got, err, fault.RemedyOf(err))
		}
		if err != nil && w.count() != 0 {
			t.Errorf("%s: was executed", c.request)
		}
	}
	// Without tools nothing is known, and nothing breaks.
	if _, err := send(t, bridge.New(bridge.Config{}), `{"do":"names"}`); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without tools: %v", err)
	}
	// Where code may not call, it may not.
	w := &works{}
	b, _ := newBridge(t, shop, w, gate.Model)
	if _, err := send(t, b, `{"do":"call","tool":"now"}`); fault.KindOf(err) != fault.Denied || w.count() != 0 {
		t.Errorf("code in mode tools: %v", err)
	}
}

// TestOnceUnderOneID checks that a call is executed once under one id, and that
// it is recognised when it is sent again.
func TestOnceUnderOneID(t *testing.T) {
	w := &works{}
	w.do = func(tool.Invocation) (any, error) { return fmt.Sprint("answer ", w.count()), nil }
	b, _ := newBridge(t, shop, w, gate.Code)
	for _, text := range []string{
		`{"do":"call","tool":"now","id":"u-1"}`, `{"do":"call","tool":"now","id":"u-1"}`, `{"do":"call","tool":"now","id":"u-1","again":true}`,
	} {
		if got, err := send(t, b, text); err != nil || got != `{"result":"answer 1"}` {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	if got, err := send(t, b, `{"do":"call","tool":"now","id":"u-2"}`); err != nil || !strings.Contains(got, "answer 2") {
		t.Errorf("another id: %s, %v", got, err)
	}
	if w.count() != 2 {
		t.Errorf("executed %d times", w.count())
	}
}

func native(t testing.TB, b *bridge.Bridge, code bool) *bridge.Native {
	t.Helper()
	n, err := b.Native(code)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNativeCalls(t *testing.T) {
	w := &works{}
	b, s := newBridge(t, shop, w, gate.Model, gate.Code)
	b.Observe(event.StepBegan{N: 7})
	n := native(t, b, false)
	for _, c := range []struct {
		call   llm.Call
		want   string
		failed bool
	}{
		{llm.Call{Name: "crm__find", Input: map[string]any{"region": "eu"}}, `{"region":"eu"}`, false},
		{llm.Call{Name: "now"}, `{}`, false},
		{llm.Call{Name: "now", Raw: "{broken"}, "no JSON", true},
		{llm.Call{Name: "mail__send"}, "not called", true},
		{llm.Call{Name: "rm_rf"}, "no tool", true},
		{llm.Call{Name: "crm.find", Input: map[string]any{}}, "no tool", true},
		{llm.Call{Name: "read_result", Input: map[string]any{"id": "1.1"}}, "no result", true},
		{llm.Call{Name: "describe_tool", Input: map[string]any{"name": "crm.find"}}, "region", false},
		{llm.Call{Name: "find_tools", Input: map[string]any{"query": "zzzz"}}, "No tool fits", false},
		{llm.Call{Name: "call_tool", Input: map[string]any{"name": "now", "arguments": map[string]any{}}}, `{}`, false},
		{llm.Call{Name: "call_tool", Input: map[string]any{"name": "now", "arguments": "x"}}, "no object", true},
		{llm.Call{Name: "call_tool", Input: map[string]any{"name": "mail.send"}}, "not called", true},
	} {
		used, err := n.Call(t.Context(), 7, "7.1", c.call)
		if err != nil || used.Failed != c.failed || !strings.Contains(used.Text, c.want) {
			t.Errorf("%+v: %+v, %v", c.call, used, err)
		}
	}
	if _, err := send(t, b, `{"do":"call","tool":"now"}`); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(s.all, ", ")
	if !strings.Contains(all, "crm.find model 7") || !strings.HasSuffix(all, "now code 7") {
		t.Errorf("recorded as %s", all)
	}
	// A run that is over ends the agent, it is no answer to the model.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.Call(ctx, 7, "7.9", llm.Call{Name: "now"}); err == nil {
		t.Error("a call after the end came back")
	}
}

// TestLongResults shows the beginning, and the rest in parts that lose nothing
// and cut no character; code has it whole.
func TestLongResults(t *testing.T) {
	long := "x" + strings.Repeat("añ€😀", 5000) // so that parts end in the middle of characters
	w := &works{do: func(tool.Invocation) (any, error) { return long, nil }}
	b, _ := newBridge(t, shop, w, gate.Model, gate.Code)
	n := native(t, b, true)
	used, err := n.Call(t.Context(), 1, "1.1", llm.Call{Name: "now"})
	if err != nil || used.Whole != long || len(used.Text) > 9000 || !strings.Contains(used.Text, `tools.result("1.1")`) {
		t.Fatalf("%v: %d bytes shown of %d", err, len(used.Text), len(used.Whole))
	}
	read, next := "", 0
	text := used.Text
	for parts := 0; ; parts++ {
		shown, note, more := strings.Cut(text, "\n[… ")
		if !utf8.ValidString(shown) || parts > 20 {
			t.Fatalf("part %d cuts a character", parts)
		}
		read += shown
		if next = len(read); !more {
			break
		}
		if !strings.Contains(note, fmt.Sprintf("from %d", next)) {
			t.Fatalf("after %d bytes it says %q", next, note)
		}
		used, err = n.Call(t.Context(), 2, "2.1", llm.Call{Name: "read_result", Input: map[string]any{"id": "1.1", "from": next}})
		if err != nil || used.Failed {
			t.Fatalf("%v, %+v", err, used)
		}
		text = used.Text
	}
	if read != long {
		t.Errorf("%d of %d bytes were read", len(read), len(long))
	}
	got, err := send(t, b, `{"do":"result","id":"1.1"}`)
	if err != nil || !strings.Contains(got, long) {
		t.Errorf("code has %d bytes, %v", len(got), err)
	}
	for _, from := range []any{-1, 1 << 40, "x", 1.5, nil, 3} { // in the middle of a character, and beyond
		used, err := n.Call(t.Context(), 2, "2.2", llm.Call{Name: "read_result", Input: map[string]any{"id": "1.1", "from": from}})
		if err != nil || !utf8.ValidString(used.Text) {
			t.Errorf("from %v: %v", from, err)
		}
	}
}

// TestStoredResultsAreBounded checks that the oldest are dropped, and that an
// id that comes twice does no harm.
func TestStoredResultsAreBounded(t *testing.T) {
	w := &works{do: func(tool.Invocation) (any, error) { return strings.Repeat("x", 15<<20), nil }}
	b, _ := newBridge(t, shop, w, gate.Model, gate.Code)
	n := native(t, b, false)
	for _, id := range []string{"1", "2", "2", "2", "2", "2", "3", "4", "5", "6"} {
		if used, err := n.Call(t.Context(), 1, id, llm.Call{Name: "now"}); err != nil || used.Failed {
			t.Fatal(err, used.Failed)
		}
	}
	for id, want := range map[string]bool{"1": false, "2": false, "3": true, "4": true, "5": true, "6": true} {
		used, err := n.Call(t.Context(), 1, "9", llm.Call{Name: "read_result", Input: map[string]any{"id": id}})
		if err != nil || used.Failed == want {
			t.Errorf("result %s is stored: %v, want %v", id, !used.Failed, want)
		}
	}
}

// TestALargeCatalogue checks that few tools are exposed to the model, under names
// that all providers take.
func TestALargeCatalogue(t *testing.T) {
	var body strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&body, "  - {name: area%d.%s.tool%d, version: 1.0.0, description: Does the thing %d., effects: pure}\n", i%20, strings.Repeat("long", 16), i, i)
	}
	b, _ := newBridge(t, body.String(), &works{}, gate.Model)
	n := native(t, b, false)
	if len(n.Tools()) > 5 {
		t.Errorf("%d tools are exposed", len(n.Tools()))
	}
	used, err := n.Call(t.Context(), 1, "1.1", llm.Call{Name: "find_tools", Input: map[string]any{"query": "thing 777"}})
	if err != nil || !strings.Contains(used.Text, "tool777") {
		t.Errorf("%v: found %.200q", err, used.Text)
	}
	if guide := b.Guide(nil); len(guide) > 4000 || !strings.Contains(guide, "1000 tools") {
		t.Errorf("the guide has %d bytes", len(guide))
	}
	small := "  - {name: a." + strings.Repeat("very_very_long_name.", 5) + "one, version: 1.0.0, effects: pure}\n  - {name: a." + strings.Repeat("very_very_long_name.", 5) + "two, version: 1.0.0, effects: pure}\n"
	b, _ = newBridge(t, small, &works{}, gate.Model)
	n = native(t, b, false)
	seen := map[string]bool{}
	for _, tool := range n.Tools() {
		if len(tool.Name) > 64 || seen[tool.Name] || strings.ContainsAny(tool.Name, ". ") {
			t.Errorf("the native name %q", tool.Name)
		}
		seen[tool.Name] = true
		if strings.HasPrefix(tool.Name, "a__") {
			if used, err := n.Call(t.Context(), 1, "1.1", llm.Call{Name: tool.Name}); err != nil || used.Failed {
				t.Errorf("%s: %v, %+v", tool.Name, err, used)
			}
		}
	}
}

// FuzzTools sends the bridge what a hostile guest may send.
func FuzzTools(f *testing.F) {
	for _, text := range []string{
		`{"do":"names"}`, `{"do":"namespace","name":"crm"}`, `{"do":"search","query":"a","limit":3}`, `{"do":"describe","name":"now"}`,
		`{"do":"call","tool":"crm.find","version":"1.0.0","arguments":{"region":"x","limit":1e400}}`, `{"do":"call","tool":"now","arguments":{"":{"":[]}},"id":"\u0000","again":true}`, `{"do":"result","id":"x"}`,
	} {
		f.Add(text)
	}
	w := &works{do: func(c tool.Invocation) (any, error) { return c.Arguments, nil }}
	b, _ := newBridge(f, shop, w, gate.Code)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := b.Tools(t.Context(), json.RawMessage(text))
		if err == nil && !json.Valid(got) {
			t.Errorf("%q is answered with %q", text, got)
		}
		if err != nil && fault.KindOf(err) == fault.Internal {
			t.Errorf("%q: %v", text, err)
		}
	})
}
