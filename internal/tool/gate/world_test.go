package gate_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"praxis/event"
	"praxis/internal/plan/policy"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// journal stores the events of a gate.
type journal struct {
	mu     sync.Mutex
	events []event.Event
}

func (j *journal) Emit(e event.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
}

func (j *journal) all() []event.Event {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]event.Event(nil), j.events...)
}

// kinds lists the kinds of the events in their order, with what tests compare.
func (j *journal) kinds() string {
	var out []string
	for _, e := range j.all() {
		switch e := e.(type) {
		case event.ToolCalled:
			out = append(out, "called")
		case event.DecisionMade:
			out = append(out, e.Verdict)
		case event.ApprovalRequested:
			out = append(out, "asked")
		case event.ApprovalGiven:
			if e.Granted {
				out = append(out, "granted by "+e.By)
			} else {
				out = append(out, "refused by "+e.By)
			}
		case event.ToolReturned:
			switch {
			case strings.HasPrefix(e.Error, event.NotCalled):
				out = append(out, "not called")
			case e.Error != "":
				out = append(out, "failed")
			default:
				out = append(out, "returned")
			}
		default:
			out = append(out, fmt.Sprintf("%T", e))
		}
	}
	return strings.Join(out, ", ")
}

// find returns the events of one type.
func find[E event.Event](j *journal) []E {
	var out []E
	for _, e := range j.all() {
		if got, ok := e.(E); ok {
			out = append(out, got)
		}
	}
	return out
}

// works executes calls and counts them.
type works struct {
	mu    sync.Mutex
	calls []tool.Invocation
	do    func(ctx context.Context, c tool.Invocation) (any, error) // nil: "done"
}

func (*works) Prepare(context.Context, *tool.Definition) error { return nil }
func (*works) Identity(*tool.Definition) string                { return "" }

func (w *works) Call(ctx context.Context, c tool.Invocation) (any, error) {
	w.mu.Lock()
	w.calls = append(w.calls, c)
	w.mu.Unlock()
	if w.do == nil {
		return "done", nil
	}
	return w.do(ctx, c)
}

func (w *works) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.calls)
}

// approverFunc is an approver that answers by a function.
type approverFunc func(ctx context.Context, q gate.Question) (gate.Answer, error)

func (a approverFunc) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	return a(ctx, q)
}

// tools reads a file of tools; body is what stands under "tools:".
func tools(t testing.TB, body string) *tool.Set {
	t.Helper()
	f, err := toolfile.Load("tools.yaml", []byte("version: 1\ntools:\n"+body))
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(f)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// rules reads a policy; "" is none.
func rules(t testing.TB, set *tool.Set, body string) *policy.Policy {
	t.Helper()
	if body == "" {
		return nil
	}
	p, err := policy.Load("policy.yaml", []byte("version: 1\nrules:\n"+body), set)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func open(t testing.TB, c gate.Config) *gate.Gate {
	t.Helper()
	if c.Run == "" {
		c.Run = "run-1"
	}
	if c.Origins == nil {
		c.Origins = []gate.Origin{gate.Code, gate.Model, gate.Plan}
	}
	g, err := gate.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// args reads arguments.
func args(t testing.TB, text string) *jsondoc.Object {
	t.Helper()
	v, err := jsondoc.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.(*jsondoc.Object)
}
