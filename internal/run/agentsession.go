package run

import (
	"context"
	"sync"

	"praxis/event"
	"praxis/fault"
)

// agentSession is the session as the agent sees it. States are saved while the model
// thinks: its request starts the saving, and code waits for the end of it.
type agentSession struct {
	task   Task
	s      Session
	rec    Recorder
	save   func(step int) // starts the saving
	saving sync.WaitGroup
	dirty  bool // code ran since the last saving
	gone   bool // the session is over
}

// emit passes an event of the agent on.
func (a *agentSession) emit(e event.Event) {
	a.rec.Emit(e)
	if req, ok := e.(event.ModelRequested); ok && a.task.Snapshots && a.dirty && !a.gone {
		a.dirty = false
		a.save(req.Step)
	}
}

// Execute runs code in the session. One that was started anew gets its inputs
// again, as the agent says to the model.
func (a *agentSession) Execute(ctx context.Context, lang, code string, sink event.Sink) (event.Execution, error) {
	a.saving.Wait()
	a.dirty = true
	x, err := a.s.Execute(ctx, lang, code, a.task.Began.Bounds, sink)
	a.gone = a.gone || x.State == event.Gone
	if err != nil || x.State != event.Fresh || ctx.Err() != nil {
		return x, err
	}
	if err := a.task.prepare(ctx, a.s); err != nil {
		return x, fault.New(fault.Unavailable, "Ask again.", "cannot go on in a session that was started anew: %w", err)
	}
	return x, nil
}
