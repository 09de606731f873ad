package client

import (
	"context"
	"encoding/json"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
)

// questions asks who sits here about the calls of a run that wait for somebody, and answers
// them at the server. Those of a run come one after the other. It belongs to the reader of the
// run's events.
type questions struct {
	client *Client
	spec   app.ApprovalSpec
	sink   event.Sink // safe for concurrent use

	approver app.Approver // nil: nothing was asked yet
	open     app.OpenApproval
	giveUp   context.CancelCauseFunc // of the open question; nil: none is
	done     chan struct{}           // closed when it is over
}

// ask asks a question of the server. One that was open before is over by that.
func (q *questions) ask(ctx context.Context, data []byte) {
	q.over(nil)
	q.open = app.OpenApproval{}
	if err := json.Unmarshal(data, &q.open); err != nil {
		q.sink.Emit(event.Notice{Text: "a question of the server cannot be read: " + safetext.OneLine(err.Error(), 200)})
		return
	}
	if q.approver == nil {
		q.approver = q.spec.Here()
	}
	ctx, q.giveUp = context.WithCancelCause(ctx)
	done := make(chan struct{})
	q.done = done
	go func(approver app.Approver, open app.OpenApproval) {
		defer close(done)
		q.answer(ctx, approver, open)
	}(q.approver, q.open)
}

// answer asks, and sends the answer unless the question is over by then: somebody else
// answered it, or the run is given up.
func (q *questions) answer(ctx context.Context, approver app.Approver, open app.OpenApproval) {
	decision, reason := app.AskHere(ctx, approver, open)
	if ctx.Err() != nil {
		return
	}
	brief, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelFor)
	defer stop()
	err := q.client.Approve(brief, open.ID, decision, reason)
	if err != nil && fault.KindOf(err) != fault.NotFound { // it was over at that moment
		q.sink.Emit(event.Notice{Text: safetext.Line(err.Error()), Remedy: fault.RemedyOf(err)})
	}
}

// decided takes the question about a call away, if it is open.
func (q *questions) decided(e event.ApprovalGiven) {
	if e.ID == q.open.Call.ID && e.Bound == q.open.Call.Bound {
		q.over(app.Elsewhere())
	}
}

// over takes away the question that is open, and waits until that is done.
func (q *questions) over(cause error) {
	if q.giveUp != nil {
		q.giveUp(cause)
		<-q.done
		q.giveUp = nil
	}
}

// close ends asking.
func (q *questions) close() error {
	q.over(nil)
	if q.approver == nil {
		return nil
	}
	return q.approver.Close()
}

// Approvals are the calls of the tenant's runs that wait for somebody, the oldest first.
func (c *Client) Approvals(ctx context.Context) ([]app.OpenApproval, error) {
	out, err := call[api.Approvals](ctx, c, "approvals.list", api.Nothing{})
	return out.Approvals, err
}

// Approve answers one of them. It is recorded with the id of the key.
func (c *Client) Approve(ctx context.Context, id string, d app.Decision, reason string) error {
	_, err := call[api.Nothing](ctx, c, "approvals.answer", api.AnswerTo{Approval: id, Decision: d, Reason: reason})
	return err
}
