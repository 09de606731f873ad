package app

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"

	"praxis/event"
	"praxis/internal/egress"
	"praxis/internal/guest/wire"
	"praxis/internal/planner"
	"praxis/internal/record/journal"
	"praxis/internal/record/replay"
	"praxis/internal/tool/bridge"
	"praxis/internal/tool/gate"
)

// activeRun is a run of code, of a question or of a single call that is being
// recorded. What happens in it is emitted here, so that every event passes its gate
// before it is recorded and the gate knows of all that enters from outside. Only
// the gate's own events and the texts of the rules go to the recorder directly:
// nothing enters with them that the gate does not know.
type activeRun struct {
	*journal.Recorder
	tools  *toolset
	gate   *gate.Gate
	bridge *bridge.Bridge
	proxy  *proxy        // nil: the code has no way out
	again  *replay.Calls // of a run that goes on; nil: it is the first

	stop  context.CancelFunc
	tasks sync.WaitGroup // what goes on beside the run
}

// Emit lets the gate see an event, and records it.
func (r *activeRun) Emit(e event.Event) {
	if _, restored := e.(event.SessionBegan); !restored || r.again == nil { // its state is known to the gate
		r.bridge.Observe(e)
	}
	r.Recorder.Emit(e)
}

// begin begins the record of a run and opens its way to tools and network. Runs of
// plans and branches begin without it: each value of a plan has a label of its
// own, and a branch calls no tool, while package replay gives its events to a
// gate. Events go to next as well. The context that it returns is over when
// nothing more can be recorded.
func (a *App) begin(ctx context.Context, began event.RunBegan, t *toolset, next event.Sink, who ...gate.Origin) (context.Context, *activeRun, error) {
	ctx, rec, err := a.records.Journal.Begin(ctx, began, next)
	if err != nil {
		return ctx, nil, err
	}
	r, err := t.activate(ctx, rec, began, who)
	if err != nil {
		rec.Emit(event.RunEnded{Status: event.Failed, Reason: err.Error()})
		return ctx, nil, errors.Join(err, rec.Close())
	}
	return ctx, r, nil
}

// activate opens the way of a run to its tools, to the network and to what it may begin.
func (t *toolset) activate(ctx context.Context, rec *journal.Recorder, began event.RunBegan, who []gate.Origin) (*activeRun, error) {
	if err := keepRules(ctx, rec, t.rules); err != nil {
		return nil, err
	}
	cfg := gate.Config{
		Run: rec.ID(), Tools: t.callable(who), Policy: t.options.Policy, Caller: t.registry, Approver: t.approver,
		Sink: rec, Redact: t.app.records.Journal.Redact, Origins: who, MaxCalls: began.Budget.Calls,
	}
	if t.children != nil {
		cfg.Count = func() bool { return t.children.tree.ledger.Call(began.Budget) }
	}
	if calls := t.again; calls != nil {
		cfg.Caller, cfg.Approver, cfg.Made = calls, calls, calls.Made()
		cfg.Sink = event.SinkFunc(func(e event.Event) { calls.Observe(e); rec.Emit(e) })
	}
	g, err := gate.New(cfg)
	if err != nil {
		return nil, err
	}
	g.Began(began)
	r := &activeRun{Recorder: rec, tools: t, gate: g, again: t.again}
	if t.again != nil {
		t.again.Saw(g)
	}
	c := bridge.Config{}
	if t.has() {
		c.Gate = g
	}
	if len(t.net.Hosts) > 0 {
		if r.proxy, err = openProxy(t.hosts, t.net, t.app.opt.Getenv, event.SinkFunc(r.Emit)); err != nil {
			return nil, err
		}
		c.Network = r.proxy
	}
	if t.children != nil {
		c.Children = t.children
	}
	r.bridge = bridge.New(c)
	ctx, r.stop = context.WithCancel(ctx)
	r.tasks.Go(func() {
		t.registry.Follow(ctx, func(server string) {
			r.Emit(event.Notice{Text: "the server " + server + " changed its tools; this run goes on with those that it began with"})
		})
	})
	if r.proxy != nil && t.net.fromFiles() {
		r.tasks.Go(func() { r.proxy.follow(ctx, t.net, r) })
	}
	return r, nil
}

// expose lets the code of a session call tools and make connections until the
// next call of expose. A named session is therefore also updated when there is
// nothing to call any more.
func (r *activeRun) expose(ctx context.Context, s *Session) error {
	o := wire.Exposure{Tools: r.tools.has() || r.tools.children != nil, Net: r.proxy != nil, Environ: r.bridge.Environ()}
	if !o.Tools && !o.Net && s.named == nil {
		return nil
	}
	if r.proxy != nil {
		environ, err := r.proxy.environ(ctx, s)
		if err != nil {
			return err
		}
		o.Environ = joined(environ, o.Environ)
	}
	return s.s.Expose(ctx, o, r.bridge)
}

// joined are two sets of variables as one.
func joined(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// end stops what goes on beside the run and closes its record.
func (r *activeRun) end() error {
	r.stop()
	r.tasks.Wait()
	err := r.Recorder.Close()
	if r.proxy != nil {
		err = errors.Join(err, r.proxy.Close())
	}
	return err
}

// keepRules stores the texts of definitions and policy, so that the run can be
// repeated without the files.
func keepRules(ctx context.Context, rec *journal.Recorder, r planner.Rules) error {
	keep := func(role string, t planner.Text) error {
		sum, n, withheld, err := rec.Keep(ctx, t.Name, strings.NewReader(t.Text))
		if err != nil {
			return err
		}
		rec.Emit(event.FileGiven{Name: t.Name, Role: role, Bytes: n, SHA256: sum, Withheld: withheld})
		return nil
	}
	for _, t := range r.Tools {
		if err := keep(planner.RoleTools, t); err != nil {
			return err
		}
	}
	if r.Policy != nil {
		return keep(planner.RolePolicy, *r.Policy)
	}
	return nil
}

var _ bridge.Network = (*proxy)(nil)

// proxy is the way out of a run's code.
type proxy struct {
	*egress.Proxy
	placeholders map[string]string // of credentials, by the names of their variables
}
