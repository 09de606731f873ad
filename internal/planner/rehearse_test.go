package planner

import (
	"errors"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/plan"
	"praxis/internal/plan/policy"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

const testTools = `
version: 1
tools:
  - name: look
    version: 1.0.0
    description: Looks something up.
    effects: read
    input: {type: object, required: [key], properties: {key: {type: string}}}
    output: {type: integer}
    examples:
      - {name: one, input: {key: one}, output: 1}
  - name: find
    version: 1.0.0
    description: Finds something.
    effects: read
    input: {type: object, required: [key], properties: {key: {type: string}}}
    output: {}
  - name: judge
    version: 1.0.0
    description: Judges something.
    effects: read
    model: true
    input: {type: object, required: [text], properties: {text: {}}}
    output: {type: boolean}
    examples:
      - {name: yes, input: {text: a}, output: true}
`

func testSet(t testing.TB) *tool.Set {
	t.Helper()
	f, err := toolfile.Load("tools.yaml", []byte(testTools))
	if err != nil {
		t.Fatal(err)
	}
	set, err := plan.Tools(f)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// call makes the call of a tool with one argument.
func invocation(t *testing.T, name, argument string, value any) tool.Invocation {
	t.Helper()
	d, ok := testSet(t).Lookup(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	return tool.Invocation{Tool: d, ID: "call-1", Arguments: jsondoc.NewObject(jsondoc.Member{Name: argument, Value: value})}
}

func TestRehearsal(t *testing.T) {
	r, err := ReadReplies("replies", []byte(`{"tool": "find", "arguments": {"key": "a"}, "result": 1}

{"tool": "find", "result": null}
{"tool": "find", "error": "lost"}
{"tool": "judge", "arguments": {"text": [2.0]}, "result": false}
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		call   tool.Invocation
		models bool
		want   any
		from   string
		err    string
	}{
		{invocation(t, "find", "key", "a"), false, "1", fromReplies, ""},
		{invocation(t, "find", "key", "b"), false, "null", fromReplies, ""},
		{invocation(t, "find", "key", "b"), false, nil, "", "lost"},
		{invocation(t, "find", "key", "b"), false, nil, "", "lost"}, // the last one that fits stays
		{invocation(t, "look", "key", "one"), false, "1", FromExamples, ""},
		{invocation(t, "judge", "text", []any{2}), true, "false", fromReplies, ""},
		{invocation(t, "judge", "text", "a"), false, "true", FromExamples, ""},
		{invocation(t, "judge", "text", "a"), true, nil, "", ErrNoImplementation.Error()},
		{invocation(t, "ask_llm", "question", "a"), false, nil, "", ErrNoImplementation.Error()},
	} {
		r.Models = c.models
		got, err := r.Call(t.Context(), c.call)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%d: error %v, want %s", i, err, c.err)
			}
			continue
		}
		re, ok := got.(gate.Rehearsed)
		text, jsonErr := jsondoc.Canonical(re.Result)
		if err != nil || !ok || jsonErr != nil || string(text) != c.want || re.From != c.from {
			t.Errorf("%d: got %#v %s, %v", i, got, text, err)
		}
	}
	empty := &Rehearsal{}
	if _, err := empty.Call(t.Context(), invocation(t, "find", "key", "a")); !errors.Is(err, gate.ErrLater) {
		t.Errorf("error %v, want that the answer comes later", err)
	}
}

func TestReadRepliesRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"tool": "a"}`, "replies:1: it needs a tool"},
		{"\n[]", "replies:2: it is not an object"},
		{`{"tool": "a", "result": 1, "error": "x"}`, "it needs a tool"},
		{`{"tool": 1, "result": 1}`, "it needs a tool"},
		{`{"tool": "a", "results": 1}`, `the member "results" is not known`},
		{`{"tool": "a", "error": ""}`, "it needs a tool"},
		{`{"tool": "a", "result": 1`, "replies:1: "},
	} {
		_, err := ReadReplies("replies", []byte(c.text))
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), c.want) || fault.RemedyOf(err) == "" {
			t.Errorf("%s: error %v, want %q", c.text, err, c.want)
		}
	}
}

func FuzzReadReplies(f *testing.F) {
	f.Add([]byte(`{"tool": "look", "result": 1}`))
	f.Add([]byte("{\"tool\": \"look\", \"arguments\": {\"key\": \"one\"}, \"error\": \"x\"}\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadReplies("replies", data)
		if err != nil {
			return
		}
		c := invocation(t, "look", "key", "one")
		if _, err := r.Call(t.Context(), c); errors.Is(err, gate.ErrLater) {
			t.Error("a call with an example waits")
		}
	})
}

func TestResponseFits(t *testing.T) {
	yes, no := true, false
	decided := func(v policy.Verdict, reason string) *plan.Call {
		inv := invocation(t, "look", "key", "x")
		return &plan.Call{Tool: inv.Tool, Number: 1, Arguments: inv.Arguments, Decision: policy.Decision{Verdict: v, Reason: reason}}
	}
	allowed, pending, denied := decided(policy.Allow, ""), decided(policy.Ask, "it costs."), decided(policy.Deny, "")
	for i, c := range []struct {
		call     *plan.Call
		approved bool
		r        Response
		want     string
	}{
		{allowed, false, Response{Given: true, Result: 1}, ""},
		{allowed, false, Response{Error: "down"}, ""},
		{allowed, false, Response{}, "waits for its result"},
		{allowed, false, Response{Given: true, Result: "1"}, "expected an integer"},
		{allowed, false, Response{Given: true, Result: 1, Error: "down"}, "both"},
		{allowed, false, Response{Approve: &yes}, "nobody has to agree"},
		{allowed, false, Response{Error: "down", Endorse: "seen"}, "no result that could be endorsed"},
		{pending, false, Response{Given: true, Result: 1}, "somebody has to agree to the call first: it costs"},
		{pending, false, Response{Approve: &yes}, ""},
		{pending, false, Response{Approve: &no, Reason: "no"}, ""},
		{pending, false, Response{Approve: &yes, Given: true, Result: 1}, ""},
		{pending, false, Response{Approve: &no, Given: true, Result: 1}, "has no result"},
		{pending, true, Response{Given: true, Result: 1}, ""},
		{pending, true, Response{Approve: &yes}, "nobody has to agree"},
		{denied, false, Response{Approve: &yes}, ""},
	} {
		err := c.r.Fits(c.call, c.approved)
		if c.want == "" && err != nil || c.want != "" && (fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d: error %v, want %q", i, err, c.want)
		}
	}
}
