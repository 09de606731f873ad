package mcp

import (
	"context"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/event"
	"praxis/internal/safetext"
)

// Bounds of the progress of a call.
const (
	sayEvery = 250 * time.Millisecond
	maxSaid  = 200 // bytes of a message
)

// progress tells a client how far a call is, if it asked for that.
type progress struct {
	req   *mcp.CallToolRequest
	token any
	n     float64
	last  time.Time
}

func newProgress(req *mcp.CallToolRequest) *progress {
	return &progress{req: req, token: req.Params.GetProgressToken()}
}

// say tells the client what goes on now.
func (p *progress) say(ctx context.Context, text string) {
	if p.token == nil || ctx.Err() != nil {
		return
	}
	p.n++
	p.last = time.Now()
	// One that is not delivered is followed by another, or by the result.
	_ = p.req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: p.n, Message: safetext.OneLine(text, maxSaid)})
}

// event tells the client of what happened in code or a run, where that is news. Output comes
// often: some of it is left out.
func (p *progress) event(ctx context.Context, e event.Event) {
	switch v := e.(type) {
	case event.Progress:
		p.say(ctx, v.Text)
	case event.Output:
		text := strings.TrimSpace(string(v.Data))
		if text == "" || time.Since(p.last) < sayEvery {
			return
		}
		p.say(ctx, text[strings.LastIndexByte(text, '\n')+1:])
	case event.StepBegan:
		p.say(ctx, "step "+safetext.Number(v.N))
	case event.ExecutionBegan:
		first, _, _ := strings.Cut(strings.TrimSpace(v.Code), "\n")
		p.say(ctx, "running: "+first)
	case event.ToolCalled:
		p.say(ctx, "calling "+v.Tool)
	}
}
