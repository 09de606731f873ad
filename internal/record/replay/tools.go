package replay

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/plan"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/planner"
	"praxis/internal/tool"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// toolkit is what the calls of a run meet when it is executed again: the gate
// decides anew, by the recorded definitions and policy, and the record answers.
// Nothing of the definitions is executed, and no host is reached.
type toolkit struct {
	rec     Recording
	rules   []event.FileGiven // with the texts beside
	texts   []planner.Text
	set     *tool.Set
	gate    *gate.Gate
	bridge  *bridge.Bridge
	sink    event.Sink
	other   bool   // other definitions than those of the record
	session Opened // zero while there is none

	mu       sync.Mutex
	step     int
	own      int  // the first step of a branch; math.MaxInt: there is none
	over     bool // what is called from now on is no part of the run
	waiting  waiting
	claimed  map[string]claim // calls that are made, by their ids
	refused  int              // connections
	children *replayed        // nil: code could begin nothing
}

// waiting are the recorded calls that wait to be made again.
type waiting struct {
	byID   map[string]*waiter // by their ids
	byWhat map[string][]*waiter
	all    []*waiter
}

// waiter is one of them.
type waiter struct {
	Call
	made bool
}

// waitingFrom returns the calls of tools from a step on.
func (r Recording) waitingFrom(step int) waiting {
	w := waiting{byID: map[string]*waiter{}, byWhat: map[string][]*waiter{}}
	for _, s := range r.Steps {
		for _, one := range s.Calls {
			if s.N >= step && one.Called.Origin != "" {
				c := &waiter{Call: one}
				w.all = append(w.all, c)
				w.byID[one.Called.ID] = c
				w.byWhat[alike(one.Called)] = append(w.byWhat[alike(one.Called)], c)
			}
		}
	}
	return w
}

// claim is a call that is made: the recorded one that it is, if any.
type claim struct {
	was *Call
	own bool // the branch makes it, not the recorded run
}

// tools prepares what the calls of a run meet, from a step on; nil: it had
// neither tools nor a network.
func (c Config) tools(ctx context.Context, rec Recording, from int, sink event.Sink) (*toolkit, error) {
	native := rec.Began.Mode == modeTools || rec.Began.Mode == modeBoth
	if len(rec.Began.Tools) == 0 && len(rec.Began.Net) == 0 && !native && !rec.Began.Subcalls {
		return nil, nil
	}
	k := &toolkit{rec: rec, sink: sink, own: math.MaxInt, waiting: rec.waitingFrom(from), claimed: map[string]claim{}}
	if rec.Began.Subcalls {
		k.children = &replayed{kit: k, children: rec.Subcalls(from, c.Redact, true)}
	}
	rules, err := c.rules(ctx, rec, k)
	if err != nil {
		return nil, err
	}
	if err := k.load(rules, c); err != nil {
		return nil, err
	}
	if native && k.set.Len() == 0 {
		return nil, fault.Coded(fault.RunNotReplayable, fault.Data{"run": rec.ID}, "cannot replay run %s: its record holds no tools", rec.ID)
	}
	return k, nil
}

// The modes of questions whose models call tools natively.
const (
	modeTools = "tools" // and have no code
	modeBoth  = "both"
)

// rules reads the definitions and the policy that the calls were checked
// against, or those of c that replace them.
func (c Config) rules(ctx context.Context, rec Recording, k *toolkit) (planner.Rules, error) {
	var out planner.Rules
	for _, f := range rec.Rules {
		if f.Withheld != "" {
			return out, fault.New(fault.Conflict, "", "cannot replay run %s: %s is not stored: %s", rec.ID, f.Name, f.Withheld)
		}
		data, err := content(ctx, c.Source, f.SHA256, maxText)
		if err != nil {
			return out, fault.Coded(fault.RunUnreadable, fault.Data{"run": rec.ID}, "cannot replay run %s: the content of %s cannot be read: %w", rec.ID, f.Name, err)
		}
		t := planner.Text{Name: f.Name, Text: string(data)}
		k.rules, k.texts = append(k.rules, f), append(k.texts, t)
		if f.Role == planner.RolePolicy {
			out.Policy = &t
		} else {
			out.Tools = append(out.Tools, t)
		}
	}
	if c.Tools != nil {
		out.Tools, k.other = c.Tools, true
	}
	if c.Policy != nil {
		out.Policy = c.Policy
	}
	return out, nil
}

// load reads definitions and policy, and makes the gate. What a text says about
// how a tool is executed is not used.
func (k *toolkit) load(rules planner.Rules, c Config) error {
	options, err := rules.Load()
	if err != nil {
		return fmt.Errorf("cannot replay run %s: %w", k.rec.ID, err)
	}
	var files []*tool.File
	for _, t := range rules.Tools {
		f, err := toolfile.Load(t.Name, []byte(t.Text))
		if err != nil {
			return fmt.Errorf("cannot replay run %s: %w", k.rec.ID, err)
		}
		files = append(files, f)
	}
	if k.set, err = tool.NewSet(files...); err != nil { // without the quarantined model, which is for plans
		return fmt.Errorf("cannot replay run %s: %w", k.rec.ID, err)
	}
	if changes := k.changes(); len(changes) > 0 && !k.other {
		return fault.Coded(fault.RunUnreadable, fault.Data{"run": k.rec.ID},
			"cannot replay run %s: the definitions in its record are not those that it names: %s", k.rec.ID, changes[0])
	}
	if options.Policy == nil {
		options.Policy = policy.Empty(options.Tools)
	}
	return k.open(options, c)
}

func (k *toolkit) open(o plan.Options, c Config) error {
	origins := []gate.Origin{gate.Code}
	switch k.rec.Began.Mode {
	case modeTools:
		origins = []gate.Origin{gate.Model}
	case modeBoth:
		origins = append(origins, gate.Model)
	}
	var err error
	k.gate, err = gate.New(gate.Config{
		Run: k.rec.ID, Tools: k.set, Policy: o.Policy, Caller: k, Approver: k, Sink: k.sink, Redact: c.Redact, Origins: origins, Unpaced: true, MaxCalls: k.rec.Began.Budget.Calls,
	})
	if err != nil {
		return err
	}
	k.gate.Began(k.rec.Began)
	d := bridge.Config{}
	if k.children != nil {
		d.Children = k.children
	}
	if k.set.Len() > 0 {
		d.Gate = k.gate
	}
	if len(k.rec.Began.Net) > 0 {
		d.Network = k
	}
	k.bridge = bridge.New(d)
	return nil
}

// saw passes on to a gate what had entered the run before, and what calls had
// returned.
func saw(g *gate.Gate, entered []Entered, calls []Call) {
	for _, in := range entered {
		g.Observe(in.Event)
	}
	for i, c := range calls {
		if c.Called.Origin == "" || c.Returned == nil {
			continue
		}
		l := label.Label{Sources: []label.Source{{Kind: label.Tool, Name: c.Called.Tool, Call: i + 1}}, Readers: label.Everyone()}
		if was := c.Returned.Label; was != nil {
			l.Sources[0].Trusted = was.Trusted
			if !was.Anyone {
				l.Readers = label.Only(was.Readers...)
			}
		}
		g.Saw(l)
	}
}

// changes says which tools are not defined as they were.
func (k *toolkit) changes() []ToolChange {
	var out []ToolChange
	for _, pin := range k.rec.Began.Tools {
		def, ok := k.set.Lookup(pin.Name)
		change := ToolChange{Name: pin.Name, Was: pin.Version}
		if ok {
			sum := def.Hash()
			change.Is = string(def.Version)
			if hex.EncodeToString(sum[:]) == pin.Hash {
				continue
			}
		}
		out = append(out, change)
	}
	for def := range k.set.All() {
		known := false
		for _, pin := range k.rec.Began.Tools {
			known = known || pin.Name == def.Name
		}
		if !known {
			out = append(out, ToolChange{Name: def.Name, Is: string(def.Version)})
		}
	}
	return out
}

// store stores definitions and policy with a run that is recorded itself.
func (k *toolkit) store(ctx context.Context, l *live) error {
	for i, f := range k.rules {
		sum, n, withheld, err := l.Keep(ctx, f.Name, strings.NewReader(k.texts[i].Text))
		if err != nil {
			return err
		}
		l.Emit(event.FileGiven{Name: f.Name, Role: f.Role, Bytes: n, SHA256: sum, Withheld: withheld})
	}
	return nil
}

// expose lets the code of a session call the tools.
func (k *toolkit) expose(ctx context.Context, s Opened) error {
	if k == nil {
		return nil
	}
	if s.Expose == nil {
		return errors.New("cannot replay: tools cannot be exposed to this session")
	}
	return s.Expose(ctx, k.bridge, k.set.Len() > 0 || k.children != nil, len(k.rec.Began.Net) > 0)
}

// equip gives the agent what it had: the tools that its model may call, and the
// guide to those of its code.
func (k *toolkit) equip(cfg *agent.Config) error {
	if k == nil {
		return nil
	}
	cfg.Partial, cfg.Replies = k.bridge.Partial, k.bridge.Replies
	if mode := k.rec.Began.Mode; mode != modeTools {
		cfg.Guide = k.bridge.Guide(k.rec.Began.Net)
		if mode != modeBoth {
			return nil
		}
	}
	var err error
	cfg.Tools, err = k.bridge.Native(k.rec.Began.Mode == modeBoth)
	return err
}

// alike says which call it is: those of the same text are answered alike, of
// whatever version the tool is.
func alike(e event.ToolCalled) string {
	e.Version = ""
	return what(e)
}

// what is a call as it is compared.
func what(e event.ToolCalled) string {
	args, err := event.Encode(e.Arguments) // keys in order
	if err != nil {
		args = []byte(err.Error()) // it did not come from a record
	}
	return e.Origin + " " + e.Tool + " " + e.Version + " " + secretRE.ReplaceAllString(string(args), "[secret $1]")
}

// observe follows the run; e is in the form that a journal stores. It says
// whether e belongs to the run.
func (k *toolkit) observe(e event.Event) bool {
	if k == nil {
		return true
	}
	if _, restored := e.(event.SessionBegan); !restored { // the state belongs to the run, see saw
		k.bridge.Observe(e)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch e := e.(type) {
	case event.StepBegan:
		k.step = e.N
	case event.ToolCalled:
		if e.Origin == "" {
			break
		}
		if k.over {
			return false
		}
		k.claimed[e.ID] = claim{was: k.waiting.take(e), own: k.step >= k.own}
	case event.DecisionMade, event.ApprovalRequested, event.ApprovalGiven, event.ToolReturned, event.ConnectionRefused:
		return !k.over
	}
	return true
}

// take returns the recorded call that a call is, and takes it from those that
// wait: the one with its id, else the first like it.
func (all waiting) take(e event.ToolCalled) *Call {
	like := alike(e)
	if w := all.byID[e.ID]; w != nil && !w.made && e.Origin == string(gate.Model) && alike(w.Called) == like {
		w.made = true
		return &w.Call
	}
	same := all.byWhat[like]
	for i, w := range same {
		if !w.made {
			w.made, all.byWhat[like] = true, same[i+1:]
			return &w.Call
		}
	}
	return nil
}

// branch says that from a step on the run is another one.
func (k *toolkit) branch(from int) {
	if k != nil {
		k.own = from
	}
}

// end ends the run: what is called from now on is no part of it.
func (k *toolkit) end() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = true
}

func (k *toolkit) claim(id string) claim {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.claimed[id]
}

// from says where the answers come from.
func (k *toolkit) from() string { return "the record of run " + k.rec.ID }

// refuse is the failure of a call that the record does not answer.
func (k *toolkit) refuse(remedy, format string, args ...any) error {
	return gate.RehearsedFailure{Err: fault.New(fault.Denied, remedy, format, args...), From: k.from()}
}

// Prepare does nothing: the record answers.
func (k *toolkit) Prepare(context.Context, *tool.Definition) error { return nil }

// Call answers a call as it was answered. Nothing is called.
func (k *toolkit) Call(_ context.Context, inv tool.Invocation) (any, error) {
	const remedy = "Go on without."
	c := k.claim(inv.ID)
	switch {
	case c.own && inv.Tool.Effects.Acts():
		return nil, k.refuse(remedy, "%s was not called: a branch of a run executes nothing that acts", inv.Tool.Name)
	case c.own && c.was == nil:
		return nil, k.refuse(remedy, "%s was not called: a branch of a run calls no tool, and run %s did not make this call", inv.Tool.Name, k.rec.ID)
	case c.was == nil:
		return nil, k.refuse(remedy, "%s was not called: run %s did not make this call", inv.Tool.Name, k.rec.ID)
	case c.was.Returned == nil:
		return nil, k.refuse(remedy, "%s was not called: the record of run %s ends before its answer", inv.Tool.Name, k.rec.ID)
	}
	if r := c.was.Returned; strings.HasPrefix(r.Error, event.NotCalled) {
		return nil, k.refuse(remedy, "%s was %s", inv.Tool.Name, r.Error)
	}
	return answered(*c.was.Returned, inv.Tool, k.from())
}

// answered is what a call returned, or why it failed, as it is recorded. from says where.
func answered(r event.ToolReturned, def *tool.Definition, from string) (any, error) {
	if r.Error != "" {
		failed := fault.New(cmp.Or(fault.KindNamed(r.Kind), fault.Unavailable), r.Remedy, "%s", r.Error)
		failed.Code = fault.Code(r.Code)
		if r.Raised != "" {
			return nil, gate.RehearsedFailure{Err: tool.Raised{Type: r.Raised, Err: failed}, From: from}
		}
		return nil, gate.RehearsedFailure{Err: failed, From: from}
	}
	v, err := jsondoc.Decode([]byte(r.Result))
	if err != nil {
		unreadable := fault.New(fault.Denied, "Go on without.", "%s was not called: its recorded result cannot be read", def.Name)
		return nil, gate.RehearsedFailure{Err: unreadable, From: from}
	}
	return gate.Rehearsed{Result: labelled(v, def, r), From: from}, nil
}

// Identity names what answers.
func (k *toolkit) Identity(*tool.Definition) string { return k.from() }

// labelled is a result that depends on what it depended on: a result may have
// said of itself that it is less trusted, or for fewer, than its definition says.
func labelled(v any, def *tool.Definition, r event.ToolReturned) any {
	was := r.Label
	switch {
	case was == nil && r.Cut == "":
		return v
	case was == nil:
		return tool.Labelled{Value: v, Cut: r.Cut}
	}
	out := tool.Labelled{Value: v, Cut: r.Cut}
	if !was.Anyone {
		out.Readers = append([]string{}, was.Readers...)
	}
	if def.Labels.Trusted && !was.Trusted {
		trusted := trustedSource(def.Name, was.Sources)
		out.Trusted = &trusted
	}
	return out
}

// trustedSource says whether the last call of a tool among sources gave what is trusted.
func trustedSource(name string, sources []string) bool {
	last, trusted := -1, true
	for _, s := range sources {
		rest, ok := strings.CutPrefix(s, name+"#")
		if !ok {
			continue
		}
		number, trust, _ := strings.Cut(rest, " ")
		if n, err := strconv.Atoi(number); err == nil && n > last {
			last, trusted = n, trust == "(trusted)"
		}
	}
	return trusted
}

// Approve answers as somebody answered. Nobody is asked.
func (k *toolkit) Approve(_ context.Context, q gate.Question) (gate.Answer, error) {
	c := k.claim(q.ID)
	if c.own {
		return gate.Answer{By: gate.ByPolicy, Reason: "nobody is asked in a branch of a run"}, nil
	}
	if c.was == nil || c.was.Given == nil {
		return gate.Answer{By: gate.ByPolicy, Reason: "nobody was asked in run " + k.rec.ID}, nil
	}
	g := c.was.Given
	return gate.Answer{Granted: g.Granted, Scope: gate.Scope(g.Scope), By: g.By, Who: g.Who, Reason: g.Reason}, nil
}

// noNetwork is the answer to code that tries to reach a host.
const noNetwork = "a run that is executed again reaches no host: what came over the network is not in its record"

// reached lets the gate know that code asks for a host where the recorded run
// reached one: what its code went on with came from there.
func (k *toolkit) reached() {
	for _, in := range k.rec.Entered {
		if _, ok := in.Event.(event.ConnectionOpened); ok {
			k.gate.Observe(in.Event)
		}
	}
}

// maxRefused bounds the refused connections that are reported.
const maxRefused = 100

// Serve refuses a connection, in the protocol that it begins with.
func (k *toolkit) Serve(ctx context.Context, conn io.ReadWriteCloser) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // it is over either way
	defer stop()
	defer func() { _ = conn.Close() }()
	first := make([]byte, 1)
	if _, err := io.ReadFull(conn, first); err != nil {
		return
	}
	k.reached()
	k.mu.Lock()
	k.refused++
	report := k.refused <= maxRefused
	k.mu.Unlock()
	if report {
		k.sink.Emit(event.ConnectionRefused{Reason: noNetwork, Count: 1})
	}
	answer := fmt.Sprintf("HTTP/1.1 502 Refused by praxis: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", noNetwork)
	if first[0] == 5 { // SOCKS5: no method is acceptable
		answer = "\x05\xff"
	}
	_, _ = io.WriteString(conn, answer) // the client may have gone
}
