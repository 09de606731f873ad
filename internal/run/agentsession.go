package run

import (
	"context"
	"fmt"
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
	// before is the snapshot of the state before the step; "": it is not saved. It is
	// written while the state is saved, and read after that.
	before string
	// whole says that each code of the model is a program of its own: it begins with the
	// state first, once that is saved.
	whole bool
	first string
}

// Restorer is a session that can go back to a snapshot.
type Restorer interface {
	Rollback(ctx context.Context, snapshot string) error
}

// emit passes an event of the agent on.
func (a *agentSession) emit(e event.Event) {
	a.rec.Emit(e)
	if req, ok := e.(event.ModelRequested); ok && (a.task.Snapshots || a.whole && a.first == "") && a.dirty && !a.gone {
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
	if err == nil && x.State == event.Lost && ctx.Err() == nil {
		x = a.restore(ctx, lang, x)
	}
	if err != nil || x.State != event.Fresh || ctx.Err() != nil {
		return x, err
	}
	if err := a.task.prepare(ctx, a.s); err != nil {
		return x, fault.New(fault.Unavailable, "Ask again.", "cannot go on in a session that was started anew: %w", err)
	}
	return x, nil
}

// Restart implements agent.Restarter: it goes back to the state before the first program,
// if that is saved.
func (a *agentSession) Restart(ctx context.Context) error {
	a.saving.Wait()
	s, can := a.s.(Restorer)
	if !can || a.first == "" || a.gone {
		return nil
	}
	if err := s.Rollback(ctx, a.first); err != nil {
		return fmt.Errorf("cannot give the program the state that the run began with: %w", err)
	}
	a.dirty = true
	return nil
}

// restore takes a session whose interpreter ended back to the state before the step, if
// that is saved: what earlier steps made of variables and imports would be gone otherwise.
// What the code wrote goes back with it, so that it can be run again.
func (a *agentSession) restore(ctx context.Context, lang string, x event.Execution) event.Execution {
	s, can := a.s.(Restorer)
	if !can || a.before == "" || s.Rollback(ctx, a.before) != nil {
		return x // variables are gone, as its message says
	}
	note := restoredNote
	if line := a.task.Languages.Named(lang).Model.CrashLine; line != nil {
		if n, ok := line(x.Stderr); ok {
			note = fmt.Sprintf("line %d was being executed, and what stands before it had run; %s", n, note)
		}
	}
	x.Message = joined(x.Cause(), note)
	x.State, x.StateNote, x.Changes, x.Unlisted, x.OutputFile = event.Restored, note, nil, "", ""
	return x
}

const restoredNote = "the session went back to the state before this step: variables, imports and files are as they were"
