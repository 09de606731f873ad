package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/record/replay"
)

// begin begins a run that code asked for, completes what is recorded of its beginning, and
// returns what lets it answer. was is the run that broke off and that it goes on with; "":
// it is the first. The caller holds mu.
func (c *subcalls) begin(ctx context.Context, k *child, began *event.ChildBegan, was string) (finish func() event.ChildEnded, err error) {
	if was != "" {
		switch rec, usable, err := c.x.again.childRecord(ctx, was); {
		case err != nil:
			return nil, errGivenUp()
		case !usable: // it begins anew
		case rec.Answer != nil && rec.Ended != nil:
			began.Run = was
			c.x.run.Emit(*began)
			return func() event.ChildEnded { return rec.AsChild(began.N) }, nil
		default:
			return c.resume(ctx, k, began, was)
		}
	}
	return c.anew(ctx, k, began)
}

// anew begins a run with a session of its own.
func (c *subcalls) anew(ctx context.Context, k *child, began *event.ChildBegan) (func() event.ChildEnded, error) {
	x := c.x
	q := x.request
	q.Question, q.Files, q.Thread, q.Notes, q.Output, q.Checks, q.opened, q.light = k.task, nil, "", false, Output{}, CheckSpec{}, nil, true
	b := c.began
	b.Context = ""
	b.Question, b.Thread, b.Parent, b.Files, b.Schema, b.InputChecks, b.Checks = k.task, "", nil, nil, nil, nil, nil
	for _, in := range k.inputs {
		b.Files = append(b.Files, in.Name)
	}
	b.Caller = c.calledBy(k, began)
	describeModel(&b, k.model, b.Effort)
	want := x.session.Describe()
	want.Name, want.Snapshot, want.Added = "", "", nil
	if k.fork {
		if want.Snapshot = x.taken.last(); want.Snapshot == "" {
			return nil, fault.New(fault.Unavailable, "Begin it without a fork, and give it the data that it needs.", "cannot begin a run in a copy of this session: its state before this step is not saved")
		}
		want.Added = x.session.Describe().Added
		began.Snapshot = want.Snapshot
	}
	inner := &questionRun{app: x.app, request: q, model: k.model, fork: &want}
	ctx, err := c.open(ctx, inner, b, nil)
	if err != nil {
		return nil, err
	}
	began.Run = inner.run.ID()
	x.run.Emit(*began)
	return func() event.ChildEnded { return c.finish(ctx, inner, b, k) }, nil
}

// calledBy says whose child a run is.
func (c *subcalls) calledBy(k *child, began *event.ChildBegan) *event.Caller {
	return &event.Caller{Run: c.x.run.ID(), Child: began.N, Role: k.role, Depth: k.depth, Label: c.x.run.gate.SeenData()}
}

// resume goes on with a run that broke off, by its own record.
func (c *subcalls) resume(ctx context.Context, k *child, began *event.ChildBegan, was string) (_ func() event.ChildEnded, err error) {
	x := c.x
	g := &resumption{app: x.app, ended: map[int]int{}, sink: event.Discard, caller: x.run.ID()}
	release, err := g.claim(ctx, AskResume{Run: was})
	if err != nil {
		return nil, err
	}
	defer release()
	b := g.rec.Resumed(g.id, x.app.opt.Version)
	b.Caller = c.calledBy(k, began)
	describeModel(&b, k.model, b.Effort)
	inner := &questionRun{app: x.app, request: g.request(AskResume{}, b), again: g}
	inner.request.light = true
	if err := g.open(ctx, AskResume{}, event.Discard); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && g.session != nil {
			err = errors.Join(err, g.session.Close())
		}
	}()
	inner.session, inner.model = g.session, g.rec.Model(k.model, g.at)
	t := x.run.tools
	calls := g.rec.Calls(ctx, x.app.records.Journal, g.at, t.registry, t.approver, x.app.records.Journal.Redact)
	ctx, err = c.open(ctx, inner, b, calls)
	if err != nil {
		return nil, err
	}
	began.Run = inner.run.ID()
	x.run.Emit(*began)
	return func() event.ChildEnded { return c.finish(ctx, inner, b, k) }, nil
}

// open begins the record of a run. It may call and begin what its caller may.
func (c *subcalls) open(ctx context.Context, inner *questionRun, b event.RunBegan, calls *replay.Calls) (context.Context, error) {
	x := c.x
	sub, err := x.app.newSubcalls(b, c.tree, inner.model, c.models)
	if err != nil {
		return ctx, err
	}
	t := *x.run.tools
	t.again, t.children = calls, sub
	inner.cost, inner.taken, inner.made, inner.sink, inner.children = c.costs[inner.model.Name()], &saved{}, newCollector(Output{}, SessionSpec{}, nil), c.notices(b.Caller), sub
	next := event.Both(inner.taken, event.Both(inner.made, inner.sink))
	if inner.again != nil {
		sub.goOn(inner.again)
		next = event.Both(inner.again, next)
	}
	ctx, inner.run, err = x.app.begin(ctx, b, &t, next, origins(inner.request.Mode)...)
	if err != nil {
		return ctx, err
	}
	sub.x = inner
	return ctx, nil
}

// finish lets a run answer, and says what it came to.
func (c *subcalls) finish(ctx context.Context, inner *questionRun, b event.RunBegan, k *child) event.ChildEnded {
	began := time.Now()
	inputs := k.inputs
	if inner.again != nil {
		var err error
		if inputs, err = inner.again.inputs(inner.sink); err != nil {
			inner.run.Emit(event.RunEnded{Status: event.Failed, Reason: err.Error()})
			return endOf(event.ChildBegan{}, event.ChildEnded{Status: event.Failed}, errors.Join(err, inner.run.end()))
		}
	}
	out, err := inner.result(ctx, b, inputs)
	e := event.ChildEnded{Status: event.Answered, Text: out.Text, Value: out.Value, Figures: out.Figures, Incomplete: out.Incomplete, Steps: out.Steps, Tokens: out.Tokens, Took: event.Duration(time.Since(began))}
	switch {
	case err != nil:
		e.Status, e.Text, e.Value, e.Figures, e.Incomplete = event.Unanswered, "", nil, nil, ""
	case out.Incomplete != "" || len(event.Untraced(out.Figures)) > 0:
		e.Status = event.Unverified
	}
	l := inner.run.gate.SeenData()
	if l != nil && !l.Anyone {
		e.Label = l
	}
	return endOf(event.ChildBegan{}, e, err)
}

// notices passes what a person should know of a run on to the caller's screen, and how far it is.
func (c *subcalls) notices(caller *event.Caller) event.Sink {
	return namedSink(c.x.sink, fmt.Sprintf("%s %d", caller.Role, caller.Child))
}

// namedSink passes on what a person should know of a part of a run, and its steps, with the
// name of the part before each.
func namedSink(to event.Sink, name string) event.Sink {
	return event.SinkFunc(func(e event.Event) {
		switch e := e.(type) {
		case event.StepBegan:
			to.Emit(event.Progress{Stage: name, Text: fmt.Sprintf("%s: step %d", name, e.N)})
		case event.Progress:
			e.Stage, e.Text = name, name+": "+e.Text
			to.Emit(e)
		case event.Notice:
			e.Text = name + ": " + e.Text
			to.Emit(e)
		}
	})
}

// goOn takes what is recorded of the children of a run that goes on. Those before the state
// are not begun again: what they used is counted.
func (c *subcalls) goOn(g *resumption) {
	c.again = g.rec.Subcalls(g.at.Step, g.app.records.Journal.Redact, false)
	for _, k := range c.again.Before() {
		c.count(k)
	}
}
