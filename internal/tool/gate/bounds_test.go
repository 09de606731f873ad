package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
)

func reading(limits string) string {
	return fmt.Sprintf("\n  - {name: crm.find, version: 1.0.0, effects: read, limits: {%s}, input: {type: object, properties: {q: {type: string}}}}\n", limits)
}

func call(t testing.TB, g *gate.Gate, r gate.Request) (gate.Result, error) {
	t.Helper()
	if r.Origin == "" {
		r.Origin = gate.Code
	}
	if r.Name == "" {
		r.Name = "crm.find"
	}
	return g.Call(t.Context(), r)
}

func TestCallsOfARunAreBounded(t *testing.T) {
	w := &works{}
	g := open(t, gate.Config{Tools: tools(t, reading("calls_per_run: 3")), Caller: w})
	for range 3 {
		if _, err := call(t, g, gate.Request{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := call(t, g, gate.Request{}); fault.KindOf(err) != fault.Exhausted || !strings.Contains(err.Error(), "3 times") {
		t.Errorf("the fourth call: %v", err)
	}
	if w.count() != 3 {
		t.Errorf("called %d times", w.count())
	}
	// Wrong calls count, so that a loop of them ends.
	g = open(t, gate.Config{Tools: tools(t, reading("")), Caller: w, MaxCalls: 5})
	for range 5 {
		if _, err := call(t, g, gate.Request{Arguments: args(t, `{"q":1}`)}); fault.KindOf(err) != fault.Invalid {
			t.Fatal(err)
		}
	}
	if _, err := call(t, g, gate.Request{}); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("after five wrong calls: %v", err)
	}
}

// TestRate checks that calls wait for their turn, and that those whose turn is far
// are refused.
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := open(t, gate.Config{Tools: tools(t, reading("rate: 2/second")), Caller: &works{}})
		began := time.Now()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := call(t, g, gate.Request{}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("10 calls at 2 a second took %v", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := &works{}
		g := open(t, gate.Config{Tools: tools(t, reading("rate: 1/minute")), Caller: w})
		if _, err := call(t, g, gate.Request{}); err != nil {
			t.Fatal(err)
		}
		if _, err := call(t, g, gate.Request{}); fault.KindOf(err) != fault.Exhausted || !strings.Contains(fault.RemedyOf(err), "1m0s") {
			t.Errorf("a call that is a minute too early: %v, %s", err, fault.RemedyOf(err))
		}
		time.Sleep(55 * time.Second)
		if _, err := call(t, g, gate.Request{}); err != nil || time.Now().Second() != 0 {
			t.Errorf("a call that waits: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		time.Sleep(52 * time.Second)
		if _, err := g.Call(ctx, gate.Request{Origin: gate.Code, Name: "crm.find"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call that is given up while it waits: %v", err)
		}
		if w.count() != 2 {
			t.Errorf("called %d times", w.count())
		}
	})
}

func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := 0, 0
		w := &works{do: func(context.Context, tool.Invocation) (any, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return "x", nil
		}}
		g := open(t, gate.Config{Tools: tools(t, reading("")), Caller: w, InFlight: 4})
		began := time.Now()
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() {
				if _, err := call(t, g, gate.Request{}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if most != 4 || time.Since(began) != 3*time.Second {
			t.Errorf("%d at a time, %v in all", most, time.Since(began))
		}
	})
}

func TestSizes(t *testing.T) {
	w := &works{}
	j := &journal{}
	g := open(t, gate.Config{Tools: tools(t, reading("bytes: 1KiB")), Caller: w, Sink: j})
	_, err := call(t, g, gate.Request{Arguments: jsondoc.NewObject(jsondoc.Member{Name: "q", Value: strings.Repeat("x", gate.MaxArguments)})})
	if fault.KindOf(err) != fault.Exhausted || fault.RemedyOf(err) == "" || w.count() != 0 || len(j.all()) != 0 {
		t.Errorf("too long arguments: %v, called %d times, events %s", err, w.count(), j.kinds())
	}
	for n, ok := range map[int]bool{1022: true, 1023: false, 1 << 20: false} {
		w.do = func(context.Context, tool.Invocation) (any, error) { return strings.Repeat("y", n), nil }
		out, err := call(t, g, gate.Request{})
		if err != nil || (out.Failed == nil) != ok {
			t.Errorf("%d bytes of 1024: %v, %v", n, err, out.Failed)
		}
		if !ok && (fault.KindOf(out.Failed) != fault.Exhausted || out.Value != nil || len(out.Failed.Error()) > 200) {
			t.Errorf("%d bytes: %v", n, out.Failed)
		}
	}
	w.do = func(context.Context, tool.Invocation) (any, error) {
		return nil, errors.New(strings.Repeat("é", 1<<20))
	}
	out, _ := call(t, g, gate.Request{})
	if n := len(out.Failed.Error()); n > 9<<10 {
		t.Errorf("a failure of %d bytes", n)
	}
	for _, e := range find[event.ToolReturned](j) {
		if len(e.Error)+len(e.Result) > 10<<10 {
			t.Errorf("an event of %d bytes", len(e.Error)+len(e.Result))
		}
	}
}

// TestWhatIsTriedAgain makes a call again only where that is harmless and may help.
func TestWhatIsTriedAgain(t *testing.T) {
	unavailable := fault.New(fault.Unavailable, "", "busy")
	for _, c := range []struct {
		name, def string
		fail      error
		works     int // the try that works; 0: none
		want      int
	}{
		{"read", "effects: read", unavailable, 0, 3},
		{"pure", "effects: pure", unavailable, 0, 3},
		{"read that works then", "effects: read", unavailable, 2, 2},
		{"write", "effects: write, approval: true", unavailable, 0, 1},
		{"external", "effects: external, approval: true", unavailable, 0, 1},
		{"idempotent write", "effects: write, approval: true, idempotent: true", unavailable, 0, 3},
		{"read that is wrong", "effects: read", fault.New(fault.Invalid, "", "no"), 0, 1},
		{"read that may not", "effects: read", fault.New(fault.Denied, "", "no"), 0, 1},
		{"read that is spent", "effects: read", fault.New(fault.Exhausted, "", "no"), 0, 1},
		{"read that breaks", "effects: read", errors.New("it fell over"), 0, 1},
		{"a model's", "effects: pure, model: true, output: {type: object}", unavailable, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			keys := map[string]bool{}
			tries := 0
			w := &works{do: func(_ context.Context, inv tool.Invocation) (any, error) {
				keys[inv.Key] = true
				if tries++; tries == c.works {
					return "at last", nil
				}
				return nil, c.fail
			}}
			g := open(t, gate.Config{Tools: tools(t, fmt.Sprintf("\n  - {name: a.b, version: 1.0.0, %s}\n", c.def)), Caller: w, Approver: &counter{scope: gate.Whole}})
			out, err := call(t, g, gate.Request{Name: "a.b"})
			if err != nil {
				t.Fatal(err)
			}
			if tries != c.want || (out.Failed == nil) != (c.works > 0) {
				t.Errorf("%s: tried %d times, want %d: %v", c.name, tries, c.want, out.Failed)
			}
			if len(keys) != 1 {
				t.Errorf("%s: tried under the keys %v", c.name, keys)
			}
			if out.Failed != nil && fault.KindOf(out.Failed) == fault.Internal {
				t.Errorf("%s: the tool's failure is ours", c.name)
			}
		})
	}
}

// prepared takes long to become ready.
type prepared struct {
	*works
	takes time.Duration
	err   error
}

func (p prepared) Prepare(ctx context.Context, _ *tool.Definition) error {
	select {
	case <-time.After(p.takes):
		return p.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestPreparationIsNoCall begins the time of a call when its tool is ready.
func TestPreparationIsNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			takes time.Duration
			err   error
			want  string
			calls int
		}{
			{10 * time.Second, nil, "", 1},
			{time.Second, errors.New("it does not compile"), "it does not compile", 0},
			{time.Hour, nil, "was not ready within 15m0s", 0},
		} {
			w := prepared{&works{do: func(context.Context, tool.Invocation) (any, error) { return "done", nil }}, c.takes, c.err}
			g := open(t, gate.Config{Tools: tools(t, reading("timeout: 3s")), Caller: w})
			out, err := call(t, g, gate.Request{})
			if err != nil || w.count() != c.calls {
				t.Fatalf("%v: %d calls, %v", c.takes, w.count(), err)
			}
			if c.want == "" && out.Failed != nil || c.want != "" && (out.Failed == nil || !strings.Contains(out.Failed.Error(), c.want)) {
				t.Errorf("%v: got %v, want %q", c.takes, out.Failed, c.want)
			}
		}
	})
}

// after is the fault of a service that says when to come back.
type after time.Duration

func (a after) Error() string             { return "the server answered 429" }
func (a after) RetryAfter() time.Duration { return time.Duration(a) }

// TestNoWaitBeyondTheTime checks that a call fails with what the service said when
// waiting for the service would take longer than the call may.
func TestNoWaitBeyondTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &works{do: func(context.Context, tool.Invocation) (any, error) {
			return nil, fault.New(fault.Unavailable, "Wait for 7s.", "%w", after(7*time.Second))
		}}
		g := open(t, gate.Config{Tools: tools(t, reading("timeout: 3s")), Caller: w})
		began := time.Now()
		out, err := call(t, g, gate.Request{})
		if err != nil || out.Failed == nil || !strings.Contains(out.Failed.Error(), "429") || time.Since(began) != 0 || w.count() != 1 {
			t.Errorf("after %v and %d calls: %v, %v", time.Since(began), w.count(), out.Failed, err)
		}
	})
}

func TestTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &journal{}
		w := &works{do: func(ctx context.Context, _ tool.Invocation) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		g := open(t, gate.Config{Tools: tools(t, reading("timeout: 3s")), Caller: w, Sink: j})
		began := time.Now()
		out, err := call(t, g, gate.Request{})
		if err != nil || fault.KindOf(out.Failed) != fault.Unavailable || !strings.Contains(out.Failed.Error(), "3s") {
			t.Errorf("got %v, %v", err, out.Failed)
		}
		if time.Since(began) != 3*time.Second || w.count() != 1 || j.kinds() != "called, allow, failed" {
			t.Errorf("after %v, %d calls: %s", time.Since(began), w.count(), j.kinds())
		}
	})
}

func TestAPanicIsTheToolsFailure(t *testing.T) {
	j := &journal{}
	for _, value := range []any{"boom", errors.New("boom"), nil, 3} {
		w := &works{do: func(context.Context, tool.Invocation) (any, error) { panic(value) }}
		g := open(t, gate.Config{Tools: tools(t, reading("")), Caller: w, Sink: j, InFlight: 1})
		for range 2 { // the slot is free again
			out, err := call(t, g, gate.Request{})
			if err != nil || fault.KindOf(out.Failed) != fault.Unavailable || !strings.Contains(out.Failed.Error(), "crm.find broke") {
				t.Errorf("got %v, %v", err, out.Failed)
			}
		}
	}
}

// TestTickets checks that a call is executed once, however often it is requested.
func TestTickets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &works{do: func(_ context.Context, inv tool.Invocation) (any, error) {
			time.Sleep(time.Second)
			q, _ := inv.Arguments.Get("q")
			return q, nil
		}}
		j := &journal{}
		g := open(t, gate.Config{Tools: tools(t, reading("")), Caller: w, Sink: j})
		if g.Knows("u-1") {
			t.Error("knows a ticket that nobody gave")
		}
		result := func(ticket, q string) any {
			out, err := call(t, g, gate.Request{Ticket: ticket, Arguments: args(t, `{"q":"`+q+`"}`)})
			if err != nil || out.Fault() != nil {
				t.Error(err, out.Fault())
			}
			return out.Value
		}
		var wg sync.WaitGroup
		for i := range 8 { // while it is under way
			wg.Go(func() {
				time.Sleep(time.Duration(i) * 100 * time.Millisecond)
				if got := result("u-1", "0"); got != "0" {
					t.Errorf("got %v", got)
				}
			})
		}
		wg.Wait()
		if got := result("u-1", "0"); got != "0" || w.count() != 1 || len(find[event.ToolCalled](j)) != 1 || !g.Knows("u-1") {
			t.Errorf("got %v, called %d times", got, w.count())
		}
		// What it was given for, and nothing else.
		for _, r := range []gate.Request{{Ticket: "u-1", Arguments: args(t, `{"q":"other"}`)}, {Ticket: "u-1", Version: "1.0.0", Arguments: args(t, `{"q":"0"}`)}, {Ticket: "u-1"}} {
			if out, err := call(t, g, r); fault.KindOf(err) != fault.Conflict || out.Value != nil || w.count() != 1 {
				t.Errorf("got %v, %v, called %d times", out.Value, err, w.count())
			}
		}
		if result("u-2", "x"); w.count() != 2 {
			t.Errorf("another ticket: called %d times", w.count())
		}
		// One that gives up its wait leaves the call to the others.
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan any, 1)
		go func() { done <- result("u-3", "kept") }()
		synctest.Wait()
		cancel()
		if _, err := g.Call(ctx, gate.Request{Origin: gate.Code, Name: "crm.find", Ticket: "u-3", Arguments: args(t, `{"q":"kept"}`)}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if got := <-done; got != "kept" {
			t.Errorf("got %v", got)
		}
		// The oldest answers are forgotten; what was refused is remembered, too.
		out, _ := call(t, g, gate.Request{Ticket: "bad", Arguments: args(t, `{"q":1}`)})
		if out.Done || !g.Knows("bad") {
			t.Error("a refused call is not known")
		}
		for i := range 300 {
			wg.Go(func() { result(fmt.Sprintf("many-%d", i), "x") })
		}
		wg.Wait()
		known := 0
		for i := range 300 {
			if g.Knows(fmt.Sprintf("many-%d", i)) {
				known++
			}
		}
		if g.Knows("u-1") || known != 256 {
			t.Errorf("%d answers are stored", known)
		}
	})
}

// TestTicketsAreLight forgets answers when they are many bytes.
func TestTicketsAreLight(t *testing.T) {
	w := &works{do: func(context.Context, tool.Invocation) (any, error) { return strings.Repeat("x", 15<<20), nil }}
	g := open(t, gate.Config{Tools: tools(t, reading("")), Caller: w})
	for i := range 6 {
		if out, err := call(t, g, gate.Request{Ticket: fmt.Sprint(i)}); err != nil || out.Failed != nil {
			t.Fatal(err, out.Failed)
		}
	}
	for i, want := range []bool{false, false, true, true, true, true} {
		if got := g.Knows(fmt.Sprint(i)); got != want {
			t.Errorf("answer %d is stored: %v", i, got)
		}
	}
}

// TestAStopIsRecorded closes every call that was begun when the run is stopped.
func TestAStopIsRecorded(t *testing.T) {
	for _, c := range []struct {
		name, def, want string
		origin          gate.Origin
	}{
		{"in the call", "effects: read", "called, allow, failed", gate.Code},
		{"in the call of a plan", "effects: read", "called, allow, failed", gate.Plan},
		{"while somebody is asked", "effects: write, approval: true", "called, ask, asked, not called", gate.Model},
		{"while somebody is asked for a plan, which goes on", "effects: write, approval: true", "called, ask, asked", gate.Plan},
	} {
		j := &journal{}
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the person pressed Ctrl-C")
		w := &works{do: func(ctx context.Context, _ tool.Invocation) (any, error) {
			cancel(why)
			return nil, context.Cause(ctx)
		}}
		g := open(t, gate.Config{
			Tools: tools(t, "\n  - {name: a.b, version: 1.0.0, "+c.def+"}\n"), Caller: w, Sink: j,
			Approver: approverFunc(func(ctx context.Context, _ gate.Question) (gate.Answer, error) {
				cancel(why)
				return gate.Answer{}, context.Cause(ctx)
			}),
		})
		_, err := g.Call(ctx, gate.Request{Origin: c.origin, Name: "a.b"})
		if !errors.Is(err, why) || j.kinds() != c.want {
			t.Errorf("%s: %v, events %q, want %q", c.name, err, j.kinds(), c.want)
		}
	}
}

// TestALaterAnswer checks that only plans may wait for a later answer: the call of
// another caller fails with that reason, and is closed.
func TestALaterAnswer(t *testing.T) {
	for _, c := range []struct {
		def      string
		origin   gate.Origin
		want     string
		question bool
	}{
		{"effects: read", gate.Code, "called, allow, failed", false},
		{"effects: read", gate.Model, "called, allow, failed", false},
		{"effects: read", gate.Plan, "called, allow", false},
		{"effects: write, approval: true", gate.Code, "called, ask, asked, failed", true},
		{"effects: write, approval: true", gate.Plan, "called, ask, asked", true},
	} {
		j := &journal{}
		w := &works{do: func(context.Context, tool.Invocation) (any, error) { return nil, fmt.Errorf("no: %w", gate.ErrLater) }}
		g := open(t, gate.Config{
			Tools: tools(t, "\n  - {name: a.b, version: 1.0.0, "+c.def+"}\n"), Caller: w, Sink: j,
			Approver: approverFunc(func(context.Context, gate.Question) (gate.Answer, error) { return gate.Answer{}, gate.ErrLater }),
		})
		out, err := call(t, g, gate.Request{Origin: c.origin, Name: "a.b"})
		if err != nil || !out.Later || out.NeedsApproval != c.question || fault.KindOf(out.Fault()) != fault.Unavailable || j.kinds() != c.want {
			t.Errorf("%+v: %v, %+v, events %q", c, err, out, j.kinds())
		}
	}
}

// TestAResultThatItsSchemaForbids is the tool's failure, and its caller gets nothing of it.
func TestAResultThatItsSchemaForbids(t *testing.T) {
	set := tools(t, `
  - {name: a.b, version: 1.0.0, effects: read, output: {type: object, required: [n], additionalProperties: false, properties: {n: {type: integer, maximum: 10}, key: {type: string, x-secret: true, maxLength: 3}}}}
`)
	for _, result := range []any{
		nil, "text", json.Number("3"), []any{}, args(t, `{}`), args(t, `{"n":11}`), args(t, `{"n":"3"}`), args(t, `{"n":1,"more":2}`), make(chan int), args(t, `{"n":1,"key":"hunter2hunter2"}`),
	} {
		j := &journal{}
		w := &works{do: func(context.Context, tool.Invocation) (any, error) { return result, nil }}
		out, err := call(t, open(t, gate.Config{Tools: set, Caller: w, Sink: j}), gate.Request{Name: "a.b"})
		if err != nil || fault.KindOf(out.Failed) != fault.Unavailable || out.Value != nil || j.kinds() != "called, allow, failed" {
			t.Errorf("%v: %v, %+v, events %s", result, err, out, j.kinds())
		}
		if strings.Contains(fmt.Sprint(out.Failed, find[event.ToolReturned](j)), "hunter2") {
			t.Errorf("the failure tells the secret: %v", out.Failed)
		}
	}
}

// TestRedactionIsEverywhere takes secrets out of all that comes back: results of
// every shape, their names, failures, remedies, panics and refusals.
func TestRedactionIsEverywhere(t *testing.T) {
	redact := strings.NewReplacer("hunter2", "[secret]", "31415926", "[secret]", `hun\"ter`, "[secret]", `hun"ter`, "[secret]").Replace
	loose := "\n  - {name: a.b, version: 1.0.0, effects: read, input: {type: object, properties: {q: {type: string}}}}\n"
	results := []any{
		"hunter2", "x hunter2 y", []any{"a", []any{"hunter2"}}, args(t, `{"a":{"hunter2":1}}`), map[string]any{"hunter2": []any{"hunter2"}},
		json.Number("31415926"), args(t, `{"n":[31415926]}`), args(t, `{"n":{"31415926":"hun\"ter"}}`), tool.Labelled{Value: "hunter2"}, gate.Endorsed{Result: "hunter2", Who: "me", Why: "I looked"},
		gate.Rehearsed{Result: []any{"hunter2"}, From: "a record"},
	}
	failures := []error{
		errors.New("no hunter2"), fault.New(fault.Invalid, "Give hunter2.", "not hunter2"), fault.New(fault.Denied, "Give 31415926.", "no"), gate.RehearsedFailure{Err: errors.New("hunter2"), From: "x"},
	}
	try := func(body string, r gate.Request, what string, do func() (any, error)) gate.Result {
		t.Helper()
		j := &journal{}
		w := &works{do: func(context.Context, tool.Invocation) (any, error) { return do() }}
		r.Name, r.Origin = "a.b", gate.Code
		out, err := open(t, gate.Config{Tools: tools(t, body), Caller: w, Sink: j, Redact: redact}).Call(t.Context(), r)
		said := fmt.Sprint(err, fault.RemedyOf(err), out.Fault(), fault.RemedyOf(out.Fault()))
		if out.Value != nil {
			text, err := event.Encode(out.Value)
			if err != nil {
				t.Fatal(err)
			}
			said += string(text)
		}
		for _, e := range find[event.ToolReturned](j) {
			said += e.Result + e.Error
		}
		for _, secret := range []string{"hunter2", "31415926", `hun"ter`, `hun\"ter`} {
			if strings.Contains(said, secret) {
				t.Errorf("%s: tells %s: %s", what, secret, said)
			}
		}
		return out
	}
	for _, result := range results {
		if out := try(loose, gate.Request{}, fmt.Sprintf("%v", result), func() (any, error) { return result, nil }); out.Fault() != nil {
			t.Errorf("%v: %v", result, out.Fault())
		}
	}
	for _, failed := range failures {
		try(loose, gate.Request{}, failed.Error(), func() (any, error) { return nil, failed })
	}
	try(loose, gate.Request{}, "a panic", func() (any, error) { panic("at hunter2") })
	try(loose, gate.Request{Arguments: args(t, `{"q":31415926,"hunter2":1}`)}, "wrong arguments", func() (any, error) { return nil, nil })
	// What is left of a secret number is no number any more.
	strict := "\n  - {name: a.b, version: 1.0.0, effects: read, output: {type: object, properties: {n: {type: integer}}}}\n"
	if out := try(strict, gate.Request{}, "a secret number", func() (any, error) { return args(t, `{"n":31415926}`), nil }); out.Failed == nil {
		t.Errorf("got %v", out.Value)
	}
}

// TestSecretsAreMarked checks that what schemas call secret is in no message and
// no event, and that the implementation gets it.
func TestSecretsAreMarked(t *testing.T) {
	set := tools(t, `
  - name: a.b
    version: 1.0.0
    effects: read
    approval: true
    secrets: [/token]
    input: {type: object, properties: {token: {type: string}, pin: {type: string, x-secret: true, maxLength: 20}, plain: {type: string}}}
    output: {type: object, properties: {key: {type: string, x-secret: true}, plain: {type: string}}}
`)
	j := &journal{}
	w := &works{do: func(_ context.Context, inv tool.Invocation) (any, error) {
		if v, _ := inv.Arguments.Get("token"); v != "canary-token" {
			t.Errorf("the tool got %v", v)
		}
		return args(t, `{"key":"canary-key","plain":"seen"}`), nil
	}}
	g := open(t, gate.Config{Tools: set, Caller: w, Sink: j, Approver: approverFunc(func(_ context.Context, q gate.Question) (gate.Answer, error) {
		text, err := event.Encode(q.Arguments)
		if err != nil || strings.Contains(string(text), "canary") || !strings.Contains(string(text), "shown") {
			t.Errorf("somebody is asked about %s", text)
		}
		return gate.Answer{Granted: true}, nil
	})})
	out, err := call(t, g, gate.Request{Name: "a.b", Arguments: args(t, `{"token":"canary-token","pin":"canary-pin","plain":"shown"}`)})
	if err != nil || out.Fault() != nil {
		t.Fatal(err, out.Fault())
	}
	_, err = call(t, g, gate.Request{Name: "a.b", Arguments: args(t, `{"token":["canary-list"],"pin":"canary-pin-that-is-too-long-to-be-one"}`)})
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("wrong arguments: %v", err)
	}
	for _, e := range j.all() {
		text, err := event.Encode(e)
		if err != nil || strings.Contains(string(text), "canary") {
			t.Errorf("%T tells a secret: %s", e, text)
		}
	}
	if returned := find[event.ToolReturned](j); !strings.Contains(returned[0].Result, "seen") {
		t.Errorf("the rest is not recorded: %+v", returned[0])
	}
}

// TestALabelIsNotForgotten joins what a result says of its readers.
func TestALabelIsNotForgotten(t *testing.T) {
	set := tools(t, reading(""))
	w := &works{do: func(context.Context, tool.Invocation) (any, error) {
		return tool.Labelled{Value: "x", Readers: []string{"me"}}, nil
	}}
	g := open(t, gate.Config{Tools: set, Caller: w})
	out, err := call(t, g, gate.Request{})
	if err != nil || out.Label.Readers.IsEveryone() || out.Value != "x" {
		t.Fatalf("got %v, %+v", err, out)
	}
	if seen := g.Seen(); seen.Readers.IsEveryone() || seen.Trusted() || seen.Readers.Contains("ann") {
		t.Errorf("the run has seen %+v", seen)
	}
	g.Saw(label.Label{Readers: label.Everyone()})
	if g.Seen().Trusted() {
		t.Error("the run forgot what it has seen")
	}
}

// TestManyArguments refuses a call with more arguments than can be recorded
// with all that each depends on: a few bytes a name would become gigabytes.
func TestManyArguments(t *testing.T) {
	w, j := &works{}, &journal{}
	g := open(t, gate.Config{Tools: tools(t, reading("")), Caller: w, Sink: j})
	many := jsondoc.NewObject()
	for i := range gate.MaxNamed + 1 {
		many.Set(fmt.Sprint("a", i), true)
	}
	_, err := call(t, g, gate.Request{Arguments: many})
	if fault.KindOf(err) != fault.Exhausted || w.count() != 0 || len(j.all()) != 0 {
		t.Errorf("got %v, called %d times, %d events", err, w.count(), len(j.all()))
	}
}

// TestTheNetworkIsNotTrusted checks that arguments which code gives after it reached
// a host are labelled as coming from there.
func TestTheNetworkIsNotTrusted(t *testing.T) {
	g := open(t, gate.Config{Tools: tools(t, reading("")), Caller: &works{}})
	if l := g.Seen(); !l.Trusted() {
		t.Fatalf("a run begins with %v", l)
	}
	g.Observe(event.ConnectionOpened{})
	if l := g.Seen(); l.Trusted() || !strings.Contains(fmt.Sprint(l.Sources), "the network") {
		t.Errorf("got %v", l.Sources)
	}
	out, err := call(t, g, gate.Request{Arguments: args(t, `{"q":"x"}`)})
	if err != nil || out.Fault() != nil || out.Label.Trusted() {
		t.Errorf("got %v, %v, %v", err, out.Fault(), out.Label)
	}
}

// TestVolume bounds what is recorded of a run's calls together.
func TestVolume(t *testing.T) {
	w := &works{do: func(context.Context, tool.Invocation) (any, error) { return strings.Repeat("r", 1000), nil }}
	j := &journal{}
	g := open(t, gate.Config{Tools: tools(t, reading("")), Caller: w, Sink: j, MaxBytes: 4500})
	var err error
	for range 10 {
		var out gate.Result
		if out, err = call(t, g, gate.Request{Arguments: args(t, `{"q":"`+strings.Repeat("a", 990)+`"}`)}); err != nil {
			break
		}
		if out.Fault() != nil {
			t.Fatal(out.Fault())
		}
	}
	if fault.KindOf(err) != fault.Exhausted || w.count() != 2 || len(find[event.ToolCalled](j)) != 2 {
		t.Errorf("got %v, called %d times, %d recorded", err, w.count(), len(find[event.ToolCalled](j)))
	}
}

// TestSecretArguments checks that what a definition calls secret is in no record and
// in no question, also where it is all of the arguments, or wrong.
func TestSecretArguments(t *testing.T) {
	const canary = "canary-4711"
	whole := "\n  - {name: crm.find, version: 1.0.0, effects: write, approval: true, secrets: {input: ['']}, input: {type: object, properties: {q: {type: string}}}}\n"
	short := "\n  - {name: crm.find, version: 1.0.0, effects: read, secrets: {input: [/q]}, input: {type: object, properties: {q: {type: string, maxLength: 3}}}}\n"
	for name, text := range map[string]string{"all": whole, "wrong": short} {
		j := &journal{}
		var shown string
		approver := approverFunc(func(_ context.Context, q gate.Question) (gate.Answer, error) {
			text, err := q.Arguments.MarshalJSON()
			shown = string(text)
			return gate.Answer{Granted: true, By: gate.ByPerson}, err
		})
		g := open(t, gate.Config{Tools: tools(t, text), Caller: &works{}, Sink: j, Approver: approver})
		_, err := call(t, g, gate.Request{Arguments: args(t, `{"q":"`+canary+`"}`)})
		if name == "all" && (err != nil || shown != `{"q":"(secret)"}`) {
			t.Errorf("%s: got %v, asked with %s", name, err, shown)
		}
		if recorded := fmt.Sprint(j.all()); strings.Contains(recorded, canary) || !strings.Contains(recorded, "(secret)") {
			t.Errorf("%s: recorded %s", name, recorded)
		}
	}
}
