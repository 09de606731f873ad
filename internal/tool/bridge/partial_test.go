package bridge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"praxis/internal/llm"
	"praxis/internal/tool"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/toolfile"
)

// TestPartial gives code and models a part of what they asked for, and an exception of a
// tool's own.
func TestPartial(t *testing.T) {
	cut := "1 of 3 rows"
	w := &works{do: func(tool.Invocation) (any, error) {
		switch cut {
		case "raise":
			return nil, tool.Raised{Type: "ValueError", Err: fmt.Errorf("cannot call it: ValueError: no")}
		case "":
			return []any{json.Number("1")}, nil
		}
		return tool.Labelled{Value: []any{json.Number("1")}, Cut: cut}, nil
	}}
	f, err := toolfile.Load("tools.yaml", []byte("version: 1\ntools:\n  - {name: echo, version: 1.0.0, description: Says it again., effects: read, input: {type: object, properties: {text: {type: string}}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(f)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(gate.Config{Run: "run-1", Tools: set, Caller: w, Origins: []gate.Origin{gate.Code, gate.Model}})
	if err != nil {
		t.Fatal(err)
	}
	b := bridge.New(bridge.Config{Gate: g})
	call := func() string {
		t.Helper()
		out, err := b.Tools(t.Context(), json.RawMessage(`{"do":"call","tool":"echo","arguments":{"text":"x"}}`))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if got := call(); got != `{"result":[1],"cut":"1 of 3 rows"}` {
		t.Errorf("code gets %s", got)
	}
	if got := strings.Join(b.Partial(), " "); got != "echo: 1 of 3 rows" {
		t.Errorf("it is known of %s", got)
	}
	n, err := b.Native(true)
	if err != nil {
		t.Fatal(err)
	}
	used, err := n.Call(t.Context(), 1, "1.1", llm.Call{Name: "echo", Input: map[string]any{"text": "x"}})
	if err != nil || !strings.Contains(used.Text, "[1]\n[only 1 of 3 rows are given") {
		t.Errorf("a model gets %q, %v", used.Text, err)
	}
	cut = ""
	call()
	if got := b.Partial(); len(got) > 0 {
		t.Errorf("after a whole result: %s", got)
	}
	cut = "raise"
	if got := call(); !strings.HasPrefix(got, `{"raised":"ValueError","kind":"unavailable","message":"cannot call it`) {
		t.Errorf("code gets %s", got)
	}
}
