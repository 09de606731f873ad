package plan_test

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/plan"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

const clockTools = `version: 1
tools:
  - name: box.get
    version: 1.0.0
    description: Gets.
    effects: read
    labels: {readers: everyone}
    input: {type: object, required: [n], properties: {n: {type: integer}}, additionalProperties: false}
    output: {type: integer}
`

func tools(t testing.TB, text string) *tool.Set {
	t.Helper()
	file, err := toolfile.Load("tools.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set, err := plan.Tools(file)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// waiting starts a plan and lets it come to its first call.
func waiting(t testing.TB, set *tool.Set) (*plan.Run, []byte) {
	t.Helper()
	src := "total = 0\nfor n in range(3):\n    total += box.get(n)\nprint(total)\n"
	p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(src)}, plan.Options{Tools: set})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Start(plan.Start{Now: time.Unix(1_790_000_000, 0).UTC()})
	if err != nil {
		t.Fatal(p.Check.Text(), err)
	}
	if step, err := r.Next(); err != nil || step.Call == nil {
		t.Fatal(step, err)
	}
	state, err := r.Dump()
	if err != nil {
		t.Fatal(err)
	}
	return r, state
}

// TestResume stores the plan at every call and goes on with what was stored.
func TestResume(t *testing.T) {
	set := tools(t, clockTools)
	_, state := waiting(t, set)
	out := ""
	for i := int64(1); ; i++ {
		r, err := plan.Resume(t.Context(), state, set, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Waiting(); c == nil || c.Number != int(i) || c.Tool.Name != "box.get" {
			t.Fatalf("call %d: waits at %+v", i, c)
		}
		if _, err := r.Reply(10 * i); err != nil {
			t.Fatal(err)
		}
		step, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		printed, l := r.Output()
		for _, p := range printed {
			out += p.Text
		}
		if step.End != nil {
			if out != "60\n" || l.Trusted() || len(l.Sources) != 3 {
				t.Errorf("printed %q, %s", out, l)
			}
			return
		}
		if state, err = r.Dump(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestResumeRefuses checks that a state that is damaged, of another version, or not
// of these tools is refused.
func TestResumeRefuses(t *testing.T) {
	set := tools(t, clockTools)
	_, state := waiting(t, set)
	// again puts a sum below what was changed on purpose.
	again := func(old, new string) []byte {
		body := bytes.Replace(state[:len(state)-sha256.Size], []byte(old), []byte(new), 1)
		sum := sha256.Sum256(body)
		return append(body, sum[:]...)
	}
	for name, c := range map[string]struct {
		state []byte
		tools *tool.Set
		kind  fault.Kind
		text  string
	}{
		"empty":         {nil, set, fault.Invalid, "not the state of one"},
		"cut":           {state[:len(state)-40], set, fault.Invalid, "damaged"},
		"changed":       {append(bytes.Clone(state[:100]), append([]byte("x"), state[101:]...)...), set, fault.Invalid, "damaged"},
		"other version": {append([]byte("praxis plan state 9\n"), state[20:]...), set, fault.Invalid, "another version"},
		"answers":       {again(`"answers":[]`, `"answers":[{"tool":"box.put","result":1}]`), set, fault.Invalid, "do not fit"},
		"too many":      {again(`"answers":[]`, `"answers":[`+strings.Repeat(`{"tool":"box.get","result":1},`, 3)+`{"tool":"box.get","result":1}]`), set, fault.Invalid, "do not fit"},
		"ended":         {again(`"answers":[]`, `"answers":[`+strings.Repeat(`{"tool":"box.get","result":1},`, 2)+`{"tool":"box.get","result":1}]`), set, fault.Invalid, "waits at no call"},
		"result":        {again(`"answers":[]`, `"answers":[{"tool":"box.get","result":"x"}]`), set, fault.Invalid, "does not fit"},
		"nested":        {again(`"answers":[]`, `"answers":[{"tool":"box.get","nested":{"steps":-1,"calls":{"a":1},"outputs":{},"seen":{},"ok":true}}]`), set, fault.Invalid, "add up"},
		"no tools":      {again(`"tools":{`, `"tools":{},"tools_":{`), set, fault.Invalid, "header"},
		"other tools":   {state, tools(t, strings.Replace(clockTools, "Gets.", "Gets another.", 1)), fault.Conflict, "another one now"},
	} {
		if _, err := plan.Resume(t.Context(), c.state, c.tools, nil); fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A plan that waits within what modules of the library hold goes on from its
// state, with the recursion limit that it set.
func TestResumeInModules(t *testing.T) {
	set := tools(t, clockTools)
	src := `from math import *
import contextlib, io, sys
sys.setrecursionlimit(3000)
@contextlib.contextmanager
def counted(n):
    yield box.get(n)
    print("end", n, file=out)
def deep(n):
    return n and 1 + deep(n - 1)
out = io.StringIO()
with counted(1) as a, counted(2) as b:
    pass
print(floor(sqrt(a + b)), deep(2000), repr(out.getvalue()))
sys.exit()
`
	p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(src)}, plan.Options{Tools: set})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Start(plan.Start{Now: time.Unix(1_790_000_000, 0).UTC()})
	if err != nil {
		t.Fatal(p.Check.Text(), err)
	}
	for range 2 {
		if step, err := r.Next(); err != nil || step.Call == nil {
			t.Fatal(step, err)
		}
		state, err := r.Dump()
		if err != nil {
			t.Fatal(err)
		}
		if r, err = plan.Resume(t.Context(), state, set, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Reply(8); err != nil {
			t.Fatal(err)
		}
	}
	step, err := r.Next()
	if err != nil || step.End == nil || step.End.Status != plan.OK {
		t.Fatalf("%+v, %v", step, err)
	}
	printed, _ := r.Output()
	if len(printed) != 1 || printed[0].Text != "4 2000 'end 2\\nend 1\\n'\n" {
		t.Errorf("it prints %q", printed)
	}
}

// TestResumeKeepsResults checks that what tools returned comes back exactly: order of
// members, kinds and size of numbers, and what a nested object says.
func TestResumeKeepsResults(t *testing.T) {
	set := tools(t, strings.Replace(clockTools, "output: {type: integer}", "output: {}", 1))
	p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte("import json\na = box.get(1)\nbox.get(2)\nprint(json.dumps(a))\n")}, plan.Options{Tools: set})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Start(plan.Start{Now: time.Unix(1_790_000_000, 0).UTC()})
	if err != nil {
		t.Fatal(p.Check.Text(), err)
	}
	given, err := jsondoc.Decode([]byte(`{"z":2.0,"a":[1,1e3,12345678901234567890,null,true,"é\u0001<"],"m":{"y":-0.0,"b":{}}}`))
	if err != nil {
		t.Fatal(err)
	}
	given.(*jsondoc.Object).Set("float", 3.0)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Reply(given); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	state, err := r.Dump()
	if err != nil {
		t.Fatal(err)
	}
	if r, err = plan.Resume(t.Context(), state, set, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Reply(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	printed, _ := r.Output()
	want := `{"z": 2.0, "a": [1, 1000.0, 12345678901234567890, null, true, "\u00e9\u0001<"], "m": {"y": -0.0, "b": {}}, "float": 3.0}` + "\n"
	if len(printed) != 1 || printed[0].Text != want {
		t.Errorf("printed %q\nwant %q", printed, want)
	}
}
