package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
)

// beginner begins what it is asked for and says what.
type beginner struct{ got []Begin }

func (*beginner) Allowed() Allowed {
	return Allowed{Runs: true, Forks: true, Calls: 7, Own: "own:m", Models: []string{"other:m"}}
}

func (b *beginner) Begin(_ context.Context, q Begin) ([]ChildResult, error) {
	b.got = append(b.got, q)
	return []ChildResult{
		{Text: "said"}, {Value: json.RawMessage(`{"n":1}`)}, {Err: fault.New(fault.Exhausted, "Stop.", "nothing is left")}, {Err: errors.New("secret path")}, {},
	}, nil
}

func TestBegin(t *testing.T) {
	c := &beginner{}
	b := New(Config{Children: c})
	b.Observe(event.StepBegan{N: 3})
	for _, r := range []struct {
		request, want string
		fault         fault.Kind
	}{
		{request: `{"do":"begin","role":"query","items":[{"task":"a"}]}`, want: `{"results":[{"text":"said"},{"value":{"n":1}},{"error":{"kind":"exhausted","message":"nothing is left","remedy":"Stop."}},{"error":{"kind":"internal","message":"the host could not do it"}},{"text":""}]}`},
		{request: `{"do":"begin","role":"subagent","fork":true,"model":"other:m","items":[{"task":"a","data":[{"name":"x","path":"/tmp/.praxis-calls/1-2-ab","form":"text"}]}]}`, want: `"said"`},
		{request: `{"do":"begin","role":"query","model":"own:m","items":[{"task":"a"}]}`, want: `"said"`},
		{request: `{"do":"begin","role":"query","model":"third:m","items":[{"task":"a"}]}`, fault: fault.Invalid},
		{request: `{"do":"begin","role":"attempt","items":[{"task":"a"}]}`, fault: fault.Invalid},
		{request: `{"do":"begin","role":"query","items":[]}`, fault: fault.Invalid},
		{request: `{"do":"begin","role":"query","items":[{"task":" "}]}`, fault: fault.Invalid},
		{request: `{"do":"begin","role":"query","items":[{"task":"a","data":[{"name":"x","path":"/tmp/.praxis-calls/1","form":"text"}]}]}`, fault: fault.Invalid},
		{request: `{"do":"begin","role":"subagent","items":[{"task":"a","data":[{"name":"x","path":"/etc/passwd","form":"text"}]}]}`, fault: fault.Invalid},
		{request: `{"do":"begin","role":"subagent","items":[{"task":"a","data":[{"name":"x","path":"/tmp/.praxis-calls/../x","form":"text"}]}]}`, fault: fault.Invalid},
		{request: `{"do":"begin","role":"subagent","items":[{"task":"a","data":[{"name":"x y","path":"/tmp/.praxis-calls/1","form":"text"}]}]}`, fault: fault.Invalid},
		{request: `{"do":"begin","role":"subagent","items":[{"task":"a","data":[{"name":"x","path":"/tmp/.praxis-calls/1","form":"pickle"}]}]}`, fault: fault.Invalid},
		{request: `{"do":"begin","role":"query","items":3}`, fault: fault.Invalid},
		{request: `{"do":"names"}`, fault: fault.Unavailable},
	} {
		got, err := b.Tools(t.Context(), json.RawMessage(r.request))
		if fault.KindOf(err) != r.fault || !strings.Contains(string(got), r.want) {
			t.Errorf("%s: %s, %v", r.request, got, err)
		}
	}
	if len(c.got) != 3 || c.got[1].Step != 3 || !c.got[1].Fork || c.got[1].Items[0].Data[0].Name != "x" {
		t.Errorf("begun were %+v", c.got)
	}
	if b.Environ()[SubcallsVariable] == "" || New(Config{}).Environ() != nil {
		t.Error("kernels do not learn what they may begin")
	}
	guide := b.Guide(nil)
	for _, want := range []string{"llm_query(prompt", "rlm_query(prompt", "agent(task, **data)", "fork=True", "at most 7 queries", "other:m"} {
		if !strings.Contains(guide, want) {
			t.Errorf("the guide does not say %s:\n%s", want, guide)
		}
	}
	_, err := New(Config{}).Tools(t.Context(), json.RawMessage(`{"do":"begin","role":"query","items":[{"task":"a"}]}`))
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("where nothing may be begun: %v", err)
	}
}

func FuzzDecodeBegin(f *testing.F) {
	f.Add([]byte(`{"role":"query","model":"m","items":[{"task":"a"}]}`))
	f.Add([]byte(`{"role":"recursion","items":[{"task":"a","data":[{"name":"x","path":"/tmp/.praxis-calls/1","form":"shared"}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		q, err := decodeBegin(body)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("error = %v, want invalid", err)
			}
			return
		}
		if len(q.Items) == 0 || len(q.Items) > maxItems {
			t.Errorf("%d items", len(q.Items))
		}
		for _, it := range q.Items {
			for _, d := range it.Data {
				if !strings.HasPrefix(d.Path, callsFolder+"/") || strings.Contains(strings.TrimPrefix(d.Path, callsFolder+"/"), "/") || !variableName.MatchString(d.Name) {
					t.Errorf("data %+v", d)
				}
			}
		}
	})
}
