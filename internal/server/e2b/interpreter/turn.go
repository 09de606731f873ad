package interpreter

import (
	"context"

	"praxis/fault"
	"praxis/internal/server/live"
)

// place is a context of a sandbox.
type place struct {
	hub              *live.Hub
	session, context string
}

// turn is taken by whoever's code runs in a context.
type turn struct {
	taken chan struct{}
	users int // who has or waits for it; under interpreter.mu
}

// maxUsers bounds the requests that have or wait for the turn of a context: each holds its code.
const maxUsers = 100

// take waits for the turn of a context. give must be called. waited says that another had it.
func (i *interpreter) take(ctx context.Context, p place) (give func(), waited bool, err error) {
	i.mu.Lock()
	t := i.turns[p]
	if t != nil && t.users >= maxUsers {
		i.mu.Unlock()
		return nil, false, fault.New(fault.Exhausted, "Wait until some of it has ended.", "cannot run the code: other code waits for the context %d times", maxUsers)
	}
	if t == nil {
		t = &turn{taken: make(chan struct{}, 1)}
		i.turns[p] = t
	}
	waited = t.users > 0
	t.users++
	i.mu.Unlock()
	leave := func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(i.turns, p)
		}
	}
	select {
	case t.taken <- struct{}{}:
		return func() { <-t.taken; leave() }, waited, nil
	case <-ctx.Done():
		leave()
		return nil, waited, context.Cause(ctx)
	}
}
