package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/plan"
	"praxis/internal/plan/policy"
	"praxis/internal/planner"
	"praxis/internal/run"
	"praxis/internal/tool"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/toolfile"
)

const shopTools = `
version: 1
tools:
  - name: shop.price
    version: 1.0.0
    description: The price of a thing.
    effects: read
    input: {type: object, properties: {thing: {type: string}}, required: [thing], additionalProperties: false}
    output: {type: number}
    labels: {trusted: true}
  - name: shop.order
    version: 1.0.0
    description: Orders a thing.
    effects: write
    approval: true
    input: {type: object, properties: {thing: {type: string}, many: {type: integer, default: 1}}, required: [thing], additionalProperties: false}
    output: {type: string}
`

const shopPolicy = `
version: 1
rules:
  - {name: no gold, tools: [shop.order], when: 'args.thing == "gold"', decision: deny, reason: gold is not for us, remedy: Order silver.}
`

// shop executes the tools when a run is recorded.
type shop struct {
	calls  []string
	prices float64 // each one is another
}

func (s *shop) Prepare(context.Context, *tool.Definition) error { return nil }
func (s *shop) Identity(*tool.Definition) string                { return "" }

func (s *shop) Call(_ context.Context, c tool.Invocation) (any, error) {
	text, err := c.Arguments.MarshalJSON()
	s.calls = append(s.calls, c.Tool.Name+" "+string(text))
	thing, _ := c.Arguments.Get("thing")
	switch {
	case err != nil:
		return nil, err
	case thing == "nothing":
		return nil, fault.New(fault.NotFound, "Ask for something.", "there is no such thing")
	case c.Tool.Name == "shop.price":
		s.prices++
		return json.Number(fmt.Sprintf("%g", s.prices+0.5)), nil
	}
	return fmt.Sprintf("order %d", len(s.calls)), nil
}

// Approve grants one, and denies two.
func (s *shop) Approve(_ context.Context, q gate.Question) (gate.Answer, error) {
	if many, _ := q.Arguments.Get("many"); many == json.Number("2") {
		return gate.Answer{By: gate.ByPerson, Who: "ann", Reason: "one is enough"}, nil
	}
	return gate.Answer{Granted: true, By: gate.ByProgram, Who: "approver", Scope: gate.Once}, nil
}

// Expose makes a tool bridge reachable for the code of a session.
func (b *fakeSession) Expose(_ context.Context, d *bridge.Bridge, tools, net bool) error {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	if b.w.bridges == nil {
		b.w.bridges = map[*fakeSession]*bridge.Bridge{}
	}
	b.w.bridges[b] = d
	b.w.exposed = append(b.w.exposed, fmt.Sprintf("tools %t, net %t", tools, net))
	return nil
}

// call calls a tool over the bridge, as code does: "TOOL JSON".
func (b *fakeSession) call(rest string, x *event.Execution) {
	name, args, _ := strings.Cut(rest, " ")
	d := b.w.bridges[b]
	if d == nil {
		x.Stdout += "no bridge\n"
		return
	}
	body, err := event.Encode(map[string]any{"do": "call", "tool": name, "arguments": json.RawMessage(args)})
	if err != nil {
		b.w.t.Error(err)
	}
	got, err := d.Tools(context.Background(), body)
	if err != nil {
		x.Stdout += fmt.Sprintf("%s: %v. %s\n", fault.KindOf(err), err, fault.RemedyOf(err))
		return
	}
	x.Stdout += string(got) + "\n"
}

// deal records a run with tools.
func (w *world) deal(id string, began event.RunBegan, script, code string) (Recording, *shop) {
	w.t.Helper()
	file, err := toolfile.Load("shop.yaml", []byte(shopTools))
	if err != nil {
		w.t.Fatal(err)
	}
	set, err := tool.NewSet(file)
	if err != nil {
		w.t.Fatal(err)
	}
	all, err := plan.Tools(file)
	if err != nil {
		w.t.Fatal(err)
	}
	rules, err := policy.Load("shop.policy.yaml", []byte(shopPolicy), all)
	if err != nil {
		w.t.Fatal(err)
	}
	for def := range set.All() {
		began.Tools = append(began.Tools, event.ToolPin{Name: def.Name, Version: string(def.Version), Hash: fmt.Sprintf("%x", def.Hash())})
	}
	began.MaxSteps, began.Program = 9, "1.0"
	rec := w.begin(id, began)
	for _, f := range [][3]string{{"shop.yaml", planner.RoleTools, shopTools}, {"shop.policy.yaml", planner.RolePolicy, shopPolicy}} {
		sum, n, _, err := rec.Keep(w.t.Context(), f[0], strings.NewReader(f[2]))
		if err != nil {
			w.t.Fatal(err)
		}
		rec.Emit(event.FileGiven{Name: f[0], Role: f[1], Bytes: n, SHA256: sum})
	}
	s := &shop{}
	origins := map[string][]gate.Origin{"": {gate.Code}, "tools": {gate.Model}, "both": {gate.Code, gate.Model}}[began.Mode]
	g, err := gate.New(gate.Config{Run: id, Tools: set, Policy: rules, Caller: s, Approver: s, Sink: rec, Origins: origins})
	if err != nil {
		w.t.Fatal(err)
	}
	br := bridge.New(bridge.Config{Gate: g})
	cfg := agent.Config{}
	if code == "" {
		cfg.Model = model(w.t, script)
	}
	if began.Mode != "tools" {
		cfg.Guide = br.Guide(nil)
	}
	if began.Mode != "" {
		if cfg.Tools, err = br.Native(began.Mode == "both"); err != nil {
			w.t.Fatal(err)
		}
	}
	task := run.Task{Languages: languages, Began: began, Snapshots: true, Open: func(ctx context.Context) (run.Session, error) {
		b, err := w.open(ctx, event.SessionBegan{})
		if err == nil {
			err = b.Expose(ctx, br, true, false)
		}
		return b, err
	}}
	if began.Mode == "tools" {
		task.Open = nil
	}
	to := observingRecorder{rec, br}
	if code != "" {
		_, err = run.Code(w.t.Context(), task, []run.Piece{{Code: code}}, true, to)
	} else {
		_, err = run.Ask(w.t.Context(), task, cfg, to)
	}
	if err != nil {
		w.t.Logf("the run did not end well: %v", err)
	}
	return w.load(id), s
}

type observingRecorder struct {
	*recorder
	br *bridge.Bridge
}

func (h observingRecorder) Emit(e event.Event) {
	h.br.Observe(e)
	h.recorder.Emit(e)
}

const codeScript = "=== reply\n```python\n" + `ask shop.price {"thing":"nut"}
ask shop.price {"thing":"nut"}
ask shop.price {"thing":"nothing"}
ask shop.price {"price":1}
ask shop.order {"thing":"nut"}
ask shop.order {"thing":"nut","many":2}
ask shop.order {"thing":"gold"}
ask shop.nowhere {}
` + "```\n=== reply\n```python\n" + `ask shop.price {"thing":"bolt"}
` + "```\n=== reply\nFINAL ANSWER: done\n"

const nativeScript = `=== reply
=== call shop__price thing
nut
=== call shop__price thing
nut
=== reply
=== call shop__order thing
nut
=== call shop__order thing
gold
=== call shop__price thing
nothing
=== reply
FINAL ANSWER: done
`

const bothScript = "=== reply\n=== call shop__price thing\nnut\n=== reply\n```python\n" + `ask shop.price {"thing":"nut"}
ask shop.order {"thing":"nut","many":2}
` + "```\n=== reply\nFINAL ANSWER: done\n"

func questionBegan(mode string) event.RunBegan {
	return event.RunBegan{Kind: event.Ask, Mode: mode, Question: question, Model: "scripted:case", Scripted: true, Traits: event.Traits{Local: true}}
}

// TestReplayTools replays runs of each mode: all is the same, what the model is
// sent too, and nothing is called.
func TestReplayTools(t *testing.T) {
	for _, c := range []struct {
		name, script, code string
		began              event.RunBegan
		calls, exposed     int
	}{
		{"code", codeScript, "", questionBegan(""), 5, 2},
		{"tools", nativeScript, "", questionBegan("tools"), 4, 0},
		{"both", bothScript, "", questionBegan("both"), 2, 2},
		{"run", "", "ask shop.price {\"thing\":\"nut\"}\nask shop.order {\"thing\":\"gold\"}", event.RunBegan{Kind: event.Code, Question: "ask"}, 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			rec, s := w.deal("r", c.began, c.script, c.code)
			if len(s.calls) != c.calls {
				t.Fatalf("%d calls were executed, not %d: %q", len(s.calls), c.calls, s.calls)
			}
			var requests []event.ModelRequested
			cfg := w.config()
			cfg.Sink = event.SinkFunc(func(e event.Event) {
				if q, ok := e.(event.ModelRequested); ok {
					requests = append(requests, q)
				}
			})
			got, err := Replay(t.Context(), cfg, rec)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Identical {
				t.Errorf("it differs:\n%s", textOf(t, got))
			}
			if !slices.ContainsFunc(got.Notes, func(n string) bool { return strings.HasPrefix(n, "No tool was called") }) {
				t.Errorf("it does not say that no tool was called: %q", got.Notes)
			}
			if len(s.calls) != c.calls || len(w.exposed) != c.exposed {
				t.Errorf("%d calls, tools exposed %d times", len(s.calls), len(w.exposed))
			}
			i := 0
			for _, r := range w.records["r"] {
				q, ok := r.Event.(event.ModelRequested)
				if !ok {
					continue
				}
				if i >= len(requests) || q.System != requests[i].System || !sameJSON(t, q.Tools, requests[i].Tools) || !sameJSON(t, q.Messages, requests[i].Messages) && i > 0 {
					t.Errorf("request %d is another one", i+1)
				}
				i++
			}
		})
	}
}

func sameJSON(t *testing.T, a, b any) bool {
	t.Helper()
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

func textOf(t *testing.T, r Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestReplayToolsDiffer plants differences and finds each at its step.
func TestReplayToolsDiffer(t *testing.T) {
	first := func(n int, change func(e *event.ToolCalled)) func(event.Event) event.Event {
		return func(e event.Event) event.Event {
			if c, ok := e.(event.ToolCalled); ok {
				if n--; n == 0 {
					change(&c)
				}
				return c
			}
			return e
		}
	}
	lost := func(id string) func(event.Event) event.Event {
		return func(e event.Event) event.Event {
			switch e := e.(type) {
			case event.ToolCalled:
				if e.ID == id {
					return nil
				}
			case event.DecisionMade:
				if e.ID == id {
					return nil
				}
			case event.ToolReturned:
				if e.ID == id {
					return nil
				}
			}
			return e
		}
	}
	for _, c := range []struct {
		name   string
		change func(event.Event) event.Event
		cfg    func(*Config)
		step   int
		want   []string
	}{
		{"another argument", first(1, func(e *event.ToolCalled) { e.Arguments["thing"] = "bolt" }), nil, 1,
			[]string{`-code shop.price 1.0.0 {"thing":"bolt"}`, `+code shop.price 1.0.0 {"thing":"nut"}`, "did not make this call"}},
		{"another order", func() func(event.Event) event.Event {
			was := first(1, func(e *event.ToolCalled) { e.Arguments["thing"] = "nothing" })
			other := first(3, func(e *event.ToolCalled) { e.Arguments["thing"] = "nut" })
			return func(e event.Event) event.Event { return other(was(e)) }
		}(), nil, 1, []string{"calls", `-code shop.price 1.0.0 {"thing":"nothing"}`}},
		{"an extra call", lost("tool-8"), nil, 2, []string{`+code shop.price 1.0.0 {"thing":"bolt"}`, "denied: shop.price was not called: run r did not make this call"}},
		{"a call that is not made", func(e event.Event) event.Event {
			if x, ok := e.(event.ToolReturned); ok && x.ID == "tool-1" {
				x.Result = "7.5"
				return x
			}
			return e
		}, nil, 1, []string{"stdout", `-{"result":1.5}`, `+{"result":7.5}`}},
		{"another decision", func(e event.Event) event.Event {
			if d, ok := e.(event.DecisionMade); ok && d.ID == "tool-1" {
				d.Rule = "mine"
				return d
			}
			return e
		}, nil, 1, []string{`decisions`, `-shop.price 1.0.0: allow by the rule "mine"`}},
		{"another policy", nil, func(c *Config) {
			c.Policy = &planner.Text{Name: "strict.yaml", Text: "version: 1\nrules:\n  - {name: no nuts, tools: [shop.price], decision: deny, reason: no nuts, remedy: Go.}\n"}
		}, 1, []string{"the policy in strict.yaml", `+shop.price 1.0.0: deny by the rule "no nuts"`}},
		{"a changed definition", nil, func(c *Config) {
			c.Tools = []planner.Text{{Name: "new.yaml", Text: strings.ReplaceAll(shopTools, "approval: true", "approval: false")}}
		}, 1, []string{"tool shop.order 1.0.0 defined otherwise", `-shop.order 1.0.0: ask by the rule "approval", granted by program approver (once)`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.deal("r", questionBegan(""), codeScript, "")
			if c.change != nil {
				w.edit("r", c.change)
			}
			cfg := w.config()
			if c.cfg != nil {
				c.cfg(&cfg)
			}
			got, err := Replay(t.Context(), cfg, w.load("r"))
			if err != nil {
				t.Fatal(err)
			}
			text := textOf(t, got)
			if got.Identical || got.First == nil || *got.First != c.step {
				t.Errorf("not found in step %d:\n%s", c.step, text)
			}
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("it does not say %q:\n%s", want, text)
				}
			}
		})
	}
}

// TestReplayToolsForged gives records that lie: nothing of them is executed.
func TestReplayToolsForged(t *testing.T) {
	canary := filepath.Join(t.TempDir(), "canary")
	hostile := strings.ReplaceAll(shopTools, "    output: {type: number}\n", "    output: {type: number}\n    run: {command: {argv: [touch, "+canary+"]}}\n") +
		"servers:\n  evil: {command: [touch, " + canary + "]}\nsecrets:\n  HOME: {env: HOME}\n"
	forge := func(w *world, text string) {
		rec := &recorder{w: w, id: "other"}
		sum, n, _, err := rec.Keep(t.Context(), "shop.yaml", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		w.edit("r", func(e event.Event) event.Event {
			if f, ok := e.(event.FileGiven); ok && f.Role == planner.RoleTools {
				f.SHA256, f.Bytes = sum, n
				return f
			}
			return e
		})
	}
	t.Run("bindings", func(t *testing.T) {
		w := newWorld(t)
		w.deal("r", questionBegan("both"), bothScript, "")
		forge(w, hostile)
		got, err := Replay(t.Context(), w.config(), w.load("r"))
		if err != nil || !got.Identical {
			t.Errorf("%v\n%s", err, textOf(t, got))
		}
		if _, err := os.Stat(canary); !errors.Is(err, os.ErrNotExist) {
			t.Error("a tool of the record was executed")
		}
	})
	t.Run("definitions", func(t *testing.T) {
		w := newWorld(t)
		w.deal("r", questionBegan(""), codeScript, "")
		forge(w, strings.ReplaceAll(shopTools, "approval: true", "approval: false"))
		if _, err := Replay(t.Context(), w.config(), w.load("r")); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "are not those that it names") {
			t.Error(err)
		}
	})
	t.Run("no tools", func(t *testing.T) {
		w := newWorld(t)
		w.deal("r", questionBegan("tools"), nativeScript, "")
		w.edit("r", func(e event.Event) event.Event {
			switch e := e.(type) {
			case event.RunBegan:
				e.Tools = nil
				return e
			case event.FileGiven:
				return nil
			}
			return e
		})
		if _, err := Replay(t.Context(), w.config(), w.load("r")); fault.KindOf(err) != fault.Conflict {
			t.Error(err)
		}
	})
}

// TestBranchTools goes on from a step: what only reads is answered where the
// record has it, and the rest is refused.
func TestBranchTools(t *testing.T) {
	for _, gone := range []bool{false, true} {
		w := newWorld(t)
		rec, s := w.deal("r", questionBegan(""), codeScript, "")
		calls := len(s.calls)
		if gone {
			clear(w.snapshots)
		}
		cfg := w.config()
		cfg.Recorder = w.begin("b", rec.Branched(2, Change{Code: "x"}, "1.0"))
		code := "ask shop.price {\"thing\":\"bolt\"}\nask shop.price {\"thing\":\"other\"}\nask shop.order {\"thing\":\"nut\"}"
		out, err := Branch(t.Context(), cfg, rec, 2, Change{Code: code})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.calls) != calls {
			t.Errorf("a branch called: %q", s.calls[calls:])
		}
		for _, want := range []string{`{"result":3.5}`, "denied: shop.price was not called: a branch of a run calls no tool, and run r did not make this call", "denied: shop.order was not called: nobody is asked in a branch of a run"} {
			if !strings.Contains(out.Execution.Stdout, want) {
				t.Errorf("no %q in\n%s", want, out.Execution.Stdout)
			}
		}
		if !slices.ContainsFunc(out.Notes, func(n string) bool { return strings.HasPrefix(n, "A branch calls no tool") }) {
			t.Errorf("the person does not see it: %q", out.Notes)
		}
		got, err := Replay(t.Context(), w.config(), w.load("b"))
		if err != nil || !got.Identical {
			t.Errorf("the branch differs when it is replayed: %v\n%s", err, textOf(t, got))
		}
	}
}

// TestToolsAtOnce compares calls of threads whatever their order, and follows
// those that come when their step is over.
func TestToolsAtOnce(t *testing.T) {
	call := func(id, thing string, opened, closed int) Call {
		return Call{Called: event.ToolCalled{ID: id, Tool: "t", Origin: "code", Arguments: map[string]any{"thing": thing}}, Returned: &event.ToolReturned{}, opened: opened, closed: closed}
	}
	atOnce := []Call{call("1", "a", 1, 4), call("2", "b", 2, 3), call("3", "c", 5, 6)}
	inTurn := []Call{call("1", "a", 1, 2), call("2", "b", 3, 4), call("3", "c", 5, 6)}
	other := []Call{call("1", "c", 1, 2), call("2", "b", 3, 4), call("3", "a", 5, 6)}
	if w, i := callAspects(atOnce, other, false); !reflect.DeepEqual(w, i) {
		t.Error("the order of calls at once differs")
	}
	if w, i := callAspects(inTurn, other, false); reflect.DeepEqual(w, i) {
		t.Error("the order of calls in turn does not differ")
	}
	if w, i := callAspects(atOnce, other[:2], false); reflect.DeepEqual(w, i) {
		t.Error("a call is missing")
	}
	if w, i := callAspects(atOnce[:1], inTurn, true); !reflect.DeepEqual(w, i) {
		t.Error("what the recording does not have any more differs")
	}

	w := newWorld(t)
	w.deal("r", questionBegan(""), codeScript, "")
	var late []event.Record
	for _, r := range w.records["r"] {
		if e, ok := r.Event.(event.ToolReturned); ok && e.ID == "tool-7" {
			late = append(late, r)
			continue
		}
		w.records["late"] = append(w.records["late"], r)
		if e, ok := r.Event.(event.StepBegan); ok && e.N == 2 {
			w.records["late"] = append(w.records["late"], late...)
		}
		if _, ok := r.Event.(event.RunEnded); ok {
			w.records["late"] = append(w.records["late"], event.Record{Event: event.ToolCalled{Step: 3, ID: "x", Tool: "shop.price", Origin: "code"}})
		}
	}
	if rec := w.load("late"); len(late) != 1 || rec.Steps[0].Calls[6].Returned == nil {
		t.Error("a call that returns in the next step is lost")
	}
}

// TestReplayNetwork refuses connections and says so.
func TestReplayNetwork(t *testing.T) {
	w := newWorld(t)
	began := event.RunBegan{Kind: event.Code, Question: "show x", Net: []string{"example.org"}}
	rec := w.begin("n", began)
	task := run.Task{Languages: languages, Began: began, Open: func(ctx context.Context) (run.Session, error) { return w.open(ctx, event.SessionBegan{}) }}
	if _, err := run.Code(t.Context(), task, []run.Piece{{Code: "show x"}}, false, rec); err != nil {
		t.Fatal(err)
	}
	records := w.records["n"]
	i := slices.IndexFunc(records, func(r event.Record) bool { _, ok := r.Event.(event.ExecutionEnded); return ok })
	w.records["n"] = slices.Insert(records, i, event.Record{Event: event.ConnectionOpened{ID: "c1", Host: "example.org", Port: 443}})

	seen := 0
	cfg := w.config()
	cfg.Sink = event.SinkFunc(func(e event.Event) {
		if _, ok := e.(event.ConnectionRefused); ok {
			seen++
		}
	})
	k, err := cfg.tools(t.Context(), w.load("n"), 0, cfg.Sink)
	if err != nil {
		t.Fatal(err)
	}
	for first, want := range map[byte]string{'C': "HTTP/1.1 502 Refused by praxis: ", 5: "\x05\xff"} {
		near, far := net.Pipe()
		go k.bridge.Connect(t.Context(), far)
		if _, err := near.Write([]byte{first}); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(near); err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%q: %q, %v", first, got, err)
		}
	}
	if seen != 2 {
		t.Errorf("%d refused connections were reported", seen)
	}
	got, err := Replay(t.Context(), cfg, w.load("n"))
	if err != nil {
		t.Fatal(err)
	}
	if text := textOf(t, got); !strings.Contains(text, "reached hosts: example.org. What came over the network is not in the record") {
		t.Error(text)
	}
	if !slices.Contains(w.exposed, "tools false, net true") {
		t.Errorf("exposed: %q", w.exposed)
	}
}
