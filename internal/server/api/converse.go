package api

import (
	"context"

	"praxis/internal/app"
	"praxis/internal/server/live"
)

// Converse begins a question for a door that writes what comes of it in words of its own.
// The question names a thread; earlier is what was said in a conversation that was led
// elsewhere, if the thread is new. The result of the run is an [app.AskResult]; ended is called
// when there is one.
func (c *Call) Converse(ctx context.Context, in Question, earlier []app.Said, ended func()) (*live.Run, error) {
	q, err := c.question(in)
	if err != nil {
		return nil, err
	}
	q.Earlier = earlier
	return c.Tenant.Hub.Start(ctx, func(ctx context.Context, r *live.Run) (any, error) {
		defer ended()
		if err := c.occupy(ctx, r, 0); err != nil {
			return app.AskResult{}, err
		}
		q.Tools = c.tools(r, in.Unattended)
		return apart(ctx, c, in.Thread, func() (app.AskResult, error) { return c.Tenant.App.Ask(ctx, q, r.Log) })
	})
}
