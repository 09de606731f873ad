package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/live"
	"praxis/internal/server/rest"
)

// lingers is how long a run goes on without its client, while that puts a question to a person:
// a client without a session says the answer in another request.
const lingers = 10 * time.Minute

// follow is a call that follows a run until it ends.
type follow struct {
	door     *Door
	req      *mcp.CallToolRequest
	steps    *progress
	elicits  bool   // the person at the client decides about calls
	again    bool   // the client sends the call again, with the answers
	session  string // that the run works in; "": it has none
	pictures []*mcp.ImageContent
}

// following returns how a call follows the run that it begins.
func (d *Door) following(ctx context.Context, req *mcp.CallToolRequest) *follow {
	f := &follow{door: d, req: req, steps: newProgress(req)}
	if c := req.ClientCapabilities(); c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil) {
		f.elicits = callerOf(ctx).key.May(access.Approve)
	}
	f.again = f.elicits && req.ProtocolVersion() >= stateless
	return f
}

// following is what the run is asked for with.
func (f *follow) following() api.Following {
	return api.Following{Stream: true, Unattended: f.door.local != nil && !f.elicits}
}

// position is what a call that is sent again brings along: which run it goes on with, after
// which event, and the session that the run works in, if it has one.
type position struct {
	Run     string `json:"run"`
	After   int64  `json:"after"`
	Session string `json:"session,omitempty"`
}

// encode writes what the client sends back as it is. Whoever changes it names another run of the
// same tenant, which it may read, and answers questions that it may answer.
func (p position) encode() (string, error) {
	data, err := json.Marshal(p)
	return string(data), err
}

func decodePosition(text string) (p position, err error) {
	err = rest.Decode([]byte(text), &p)
	if err == nil && (p.Run == "" || p.After < 0) {
		err = errors.New("it names no run")
	}
	if err != nil {
		return position{}, fault.New(fault.Invalid, "Send the call again without it.", "cannot read the state of the request: %w", err)
	}
	return p, nil
}

// position is where a call that is sent again goes on; without a run: it is not sent again.
func (f *follow) position() (position, error) {
	if state := f.req.Params.RequestState; state != "" && f.again {
		return decodePosition(state)
	}
	return position{}, nil
}

// run begins a run by an operation, or goes on with the one that the call is about, and follows
// it to its end. needs is not nil when the client has to ask a person first.
func (f *follow) run(ctx context.Context, operation string, in any) (run *api.Run, needs *mcp.CallToolResult, err error) {
	after, leave := int64(0), func() {}
	at, err := f.position()
	if err != nil {
		return nil, nil, err
	}
	if at.Run != "" {
		if err := f.answer(ctx); err != nil {
			return nil, nil, err
		}
		ref := &api.RunRef{Run: at.Run}
		operation, in, after = "runs.events", ref, at.After
		leave = func() { _ = f.door.do(context.WithoutCancel(ctx), "runs.cancel", ref, nil) } // it may have ended
	}
	err = f.door.do(ctx, operation, in, func(ctx context.Context, _ *api.Call, out any) error {
		s := out.(*api.Stream)
		if s.Leave != nil {
			leave = s.Leave
		}
		read := s.Log.Read(ctx, s.After, live.Reader{Entry: func(e live.Entry) (err error) {
			needs, err = f.entry(ctx, e)
			return err
		}})
		switch {
		case needs != nil && after == 0: // later, the log knows it already
			s.Log.WhenLeft(lingers, leave)
			return nil
		case needs != nil:
			return nil
		case read != nil:
			leave()
		}
		done, _ := s.Final().(api.Run)
		run = &done
		return nil
	}, func(c *api.Call) { c.After = after })
	return run, needs, err
}

// errNeeds ends the reading of a log: a person has to be asked.
var errNeeds = errors.New("a person is asked")

// entry tells the client of an event of a run, and asks about a call that waits. What it returns
// ends the call.
func (f *follow) entry(ctx context.Context, e live.Entry) (*mcp.CallToolResult, error) {
	if e.Name == live.ApprovalOpen {
		var q app.OpenApproval
		if err := json.Unmarshal(e.Data, &q); err != nil || !f.elicits {
			return nil, nil
		}
		if !f.again {
			f.elicit(ctx, q)
			return nil, nil
		}
		state, err := position{q.For, e.Seq, f.session}.encode()
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{q.ID: questionOf(q)}, RequestState: state}, errNeeds
	}
	v, err := event.Unmarshal(e.Name, e.Data)
	if err != nil {
		return nil, nil // one of ours alone
	}
	if x, ok := v.(event.ExecutionEnded); ok {
		f.pictures = append(f.pictures, picturesOf(append(x.Execution.Displays, x.Execution.Result))...)
		f.pictures = f.pictures[max(0, len(f.pictures)-maxPictures):]
	}
	f.steps.event(ctx, v)
	return nil, nil
}

// elicit puts a question to the person at the client. One that nobody answers there stays open
// for those who may, until its time is over.
func (f *follow) elicit(ctx context.Context, q app.OpenApproval) {
	until, cancel := context.WithDeadline(ctx, q.Until)
	defer cancel()
	res, err := f.req.Session.Elicit(until, questionOf(q))
	if err != nil {
		return
	}
	_ = f.decide(ctx, q.ID, res) // it may have been answered elsewhere meanwhile
}

// answer passes on what a person said to the questions of the call before.
func (f *follow) answer(ctx context.Context) error {
	for id, r := range f.req.Params.InputResponses {
		res, ok := r.(*mcp.ElicitResult)
		if !ok {
			return fault.New(fault.Invalid, "Answer what was asked.", "cannot go on: the answer to %s is no decision", safetext.Quote(safetext.Line(id)))
		}
		if err := f.decide(ctx, id, res); err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
	}
	return nil
}

// decide answers an open question with what a person said. Whoever does not accept denies.
func (f *follow) decide(ctx context.Context, id string, res *mcp.ElicitResult) error {
	in := api.AnswerTo{Approval: id, Decision: app.DenyCall, Reason: "the person at the client did not agree"}
	word, _ := res.Content["decision"].(string)
	if d := app.Decision(word); res.Action == "accept" && (d == app.ApproveOnce || d == app.ApproveExact || d == app.ApproveRun) {
		in.Decision, in.Reason = d, ""
	}
	return f.door.do(ctx, "approvals.answer", &in, nil)
}

// maxShown bounds the arguments that a person is shown, in bytes. A call with more can be looked
// at where open questions are listed.
const maxShown = 4000

// questionOf is a question as a person is asked it.
func questionOf(q app.OpenApproval) *mcp.ElicitParams {
	c := q.Call
	var b strings.Builder
	fmt.Fprintf(&b, "May %s be called?\n%s", safetext.Line(c.Tool), safetext.Text(string(safetext.JSON(c.Arguments))))
	text := b.String()
	if len(text) > maxShown {
		text = safetext.Clip(text, maxShown) + fmt.Sprintf("\n(cut: %d bytes in all; deny it if you cannot tell)", b.Len())
	}
	for name, odd := range c.Odd {
		text += fmt.Sprintf("\nBeware: %s has %s.", safetext.Line(name), safetext.Line(strings.Join(odd, ", ")))
	}
	for name, fresh := range c.New {
		if len(fresh) > 0 {
			text += fmt.Sprintf("\nNot in the last approved %s: %s.", safetext.Line(name), safetext.Clip(safetext.Line(strings.Join(fresh, ", ")), 500))
		}
	}
	if c.Reason != "" {
		text += "\nAsked because " + safetext.Line(c.Reason)
	}
	return &mcp.ElicitParams{Message: text, RequestedSchema: json.RawMessage(`{"type":"object","properties":{"decision":{"type":"string","title":"Decision","description":"once: this call alone; exact: each call with the same arguments; run: each call of the tool in this run; deny","enum":["once","exact","run","deny"],"default":"deny"}},"required":["decision"]}`)}
}
