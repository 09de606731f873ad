package client

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
)

// CheckPlan is that of app, by the tools and the policy of the server.
func (c *Client) CheckPlan(ctx context.Context, src app.PlanSource, t app.ToolSpec, _ event.Sink) (*app.PlanCheck, error) {
	if err := refuse(toolsAndNet(t, app.NetSpec{})...); err != nil {
		return nil, err
	}
	found, err := call[*app.PlanCheck](ctx, c, "plans.check", api.PlanText{Name: src.Name, Text: string(src.Text), Strict: t.Strict})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, fault.New(fault.Unavailable, "The server may be of another version.", "cannot read what the check found: the server said nothing")
	}
	return app.CheckedPlan(found, src), nil
}

// ExplainPlan is that of app, by the tools and the policy of the server.
func (c *Client) ExplainPlan(ctx context.Context, src app.PlanSource, t app.ToolSpec, sink event.Sink) (app.PlanExplained, error) {
	check, err := c.CheckPlan(ctx, src, t, sink)
	if err != nil {
		return app.PlanExplained{}, err
	}
	out, err := cleaned(call[app.PlanExplained](ctx, c, "plans.explain", api.PlanText{Name: src.Name, Text: string(src.Text), Strict: t.Strict}))
	out.Check = check
	return out, err
}

// ofHost are what a plan is run with on the machine that runs it.
func ofHost(h app.PlanHost) []local {
	return []local{{"a plan with replies of a file", h.Replies != ""}, {"a plan whose calls are approved beforehand", h.Yes}, {"the state of a plan in a file", h.StateFile != ""}}
}

// RunPlan is that of app, by the tools and the policy of the server.
func (c *Client) RunPlan(ctx context.Context, q app.PlanRequest, sink event.Sink) (out app.PlanResult, err error) {
	h := q.Host
	if err := refuse(append(toolsAndNet(q.Tools, app.NetSpec{}), ofHost(h)...)...); err != nil {
		return out, err
	}
	in := api.NewPlan{
		PlanText: api.PlanText{Name: q.Plan.Name, Text: string(q.Plan.Text), Strict: q.Tools.Strict}, Now: some(q.Start.Now), Seed: q.Start.Seed,
		Model: h.Model, TimeoutS: h.Timeout.Seconds(), Later: h.Later, Inputs: map[string]json.RawMessage{},
	}
	for name, value := range q.Start.Inputs {
		if in.Inputs[name], err = json.Marshal(value); err != nil {
			return out, fmt.Errorf("cannot send the input %s: %w", name, err)
		}
	}
	return c.plan(ctx, "plans.run", q.Plan, h, q.Tools.Approval, func(f api.Following) any { in.Following = f; return in }, sink)
}

// ResumePlan is that of app, by the tools of the server.
func (c *Client) ResumePlan(ctx context.Context, q app.ResumeRequest, sink event.Sink) (out app.PlanResult, err error) {
	r := q.Response
	err = refuse(slices.Concat(toolsAndNet(q.Tools, app.NetSpec{}), ofHost(q.Host), []local{{"a plan whose state is a file of this machine", app.IsFile(q.Ref)}, {"a plan with another model than that of its run", q.Host.Model != ""}})...)
	if err != nil {
		return out, err
	}
	in := api.PlanGoing{
		RecordRef: api.RecordRef{Record: q.Ref}, Approve: r.Approve, Reason: r.Reason, Error: r.Error, Endorse: r.Endorse, Make: r.Call, Again: q.Again, TimeoutS: q.Host.Timeout.Seconds(), Later: q.Host.Later,
	}
	if r.Given {
		if in.Result, err = json.Marshal(r.Result); err != nil {
			return out, fmt.Errorf("cannot send the result: %w", err)
		}
	}
	return c.plan(ctx, "plans.resume", app.PlanSource{}, q.Host, q.Tools.Approval, func(f api.Following) any { in.Following = f; return in }, sink)
}

// plan begins a plan, follows it, and returns what it came to.
func (c *Client) plan(ctx context.Context, operation string, src app.PlanSource, h app.PlanHost, who app.ApprovalSpec, request func(api.Following) any, sink event.Sink) (out app.PlanResult, err error) {
	follows, err := detached(who)
	if err != nil {
		return out, err
	}
	follows.Unattended = follows.Unattended && !h.Later
	begun, err := call[api.Run](ctx, c, operation, request(follows))
	if err != nil {
		return out, err
	}
	done, err := c.run(ctx, begun, who, app.Output{}, nil, sink)
	if err != nil {
		return out, err
	}
	if p := done.Plan; p != nil {
		out = p.PlanResult
		if p.Limit != nil {
			out.Limit = foreign(p.Limit)
		}
		if out.Check != nil && len(src.Text) > 0 {
			out.Check = app.CheckedPlan(out.Check, src)
		}
		if w := out.Waiting; w != nil {
			w.Approval, w.Implemented = p.Approval, p.Implemented
		}
	}
	out.Run = done.Record
	return out, failure(done.Failure)
}

// NamedSessions is that of app. A session that was never saved has no states.
func (c *Client) NamedSessions(ctx context.Context) ([]app.NamedSession, error) {
	stored, err := cleaned(call[api.StoredSessions](ctx, c, "sessions.stored", api.Nothing{}))
	if err != nil {
		return nil, err
	}
	live, err := call[api.Sessions](ctx, c, "sessions.list", api.Nothing{})
	out := stored.Sessions
	for _, s := range live.Sessions {
		if slices.ContainsFunc(out, func(o app.NamedSession) bool { return o.Name == s.ID }) {
			continue
		}
		one := app.NamedSession{Name: s.ID, Created: s.Made, Used: s.Made, Seed: s.Seed}
		if s.Image != nil {
			one.Image.Name = s.Image.Name
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b app.NamedSession) int { return b.Used.Compare(a.Used) })
	return out, err
}

// SessionLog is that of app.
func (c *Client) SessionLog(ctx context.Context, name string) ([]app.SnapshotInfo, error) {
	stored, err := cleaned(call[api.StoredSessions](ctx, c, "sessions.stored", api.Nothing{}))
	for _, s := range stored.Sessions {
		if s.Name != name {
			continue
		}
		for i := range s.Snapshots {
			s.Snapshots[i].Head = s.Snapshots[i].ID == s.Head
		}
		return s.Snapshots, err
	}
	if err == nil {
		_, err = call[api.Session](ctx, c, "sessions.get", api.SessionRef{Session: name})
	}
	return nil, err
}

// ForkSession is that of app.
func (c *Client) ForkSession(ctx context.Context, from, to string) error {
	_, err := call[api.Sessions](ctx, c, "sessions.fork", api.Forking{SessionRef: api.SessionRef{Session: from}, ID: to})
	return err
}

// RollbackSession is that of app.
func (c *Client) RollbackSession(ctx context.Context, name, id string) (string, error) {
	got, err := cleaned(call[api.Snapshot](ctx, c, "sessions.rollback", api.Rollback{SessionRef: api.SessionRef{Session: name}, Snapshot: id}))
	return got.ID, err
}

// RemoveSession is that of app. What runs in it is interrupted.
func (c *Client) RemoveSession(ctx context.Context, name string) error {
	_, err := call[api.Nothing](ctx, c, "sessions.delete", api.SessionRef{Session: name})
	return err
}

// AddToSession is that of app.
func (c *Client) AddToSession(ctx context.Context, name string, packages []string, _ event.Sink) (app.AddedPackages, string, error) {
	out, err := cleaned(call[api.AddedPackages](ctx, c, "packages.add", api.NewPackages{SessionRef: api.SessionRef{Session: name}, Packages: packages}))
	return out.AddedPackages, out.Snapshot, err
}

// Threads is that of app.
func (c *Client) Threads(ctx context.Context) ([]app.Thread, error) {
	out, err := call[api.Threads](ctx, c, "threads.list", api.Nothing{})
	return out.Threads, err
}

// ThreadTurns is that of app.
func (c *Client) ThreadTurns(ctx context.Context, name string) ([]app.Turn, error) {
	out, err := call[api.Turns](ctx, c, "threads.turns", api.ThreadRef{Thread: name})
	return out.Turns, err
}

// RemoveThread is that of app.
func (c *Client) RemoveThread(ctx context.Context, name string) error {
	_, err := call[api.Nothing](ctx, c, "threads.delete", api.ThreadRef{Thread: name})
	return err
}

// ForkThread is that of app.
func (c *Client) ForkThread(ctx context.Context, from, to string) error {
	_, err := call[api.Nothing](ctx, c, "threads.fork", api.ThreadTo{ThreadRef: api.ThreadRef{Thread: from}, To: to})
	return err
}

// RenameThread is that of app.
func (c *Client) RenameThread(ctx context.Context, from, to string) error {
	_, err := call[api.Nothing](ctx, c, "threads.rename", api.ThreadTo{ThreadRef: api.ThreadRef{Thread: from}, To: to})
	return err
}

// Notes is that of app.
func (c *Client) Notes(ctx context.Context, q app.NoteQuery) ([]app.Note, error) {
	out, err := call[api.Notes](ctx, c, "notes.list", api.NotesQuery{Thread: q.Thread, Tag: q.Tag, Limit: q.Limit})
	return out.Notes, err
}

// SearchNotes is that of app.
func (c *Client) SearchNotes(ctx context.Context, words string) ([]app.Note, error) {
	out, err := call[api.Notes](ctx, c, "notes.list", api.NotesQuery{Words: api.Words{Words: words}})
	return out.Notes, err
}

// Note is that of app.
func (c *Client) Note(ctx context.Context, ref string) (app.Note, error) {
	return call[app.Note](ctx, c, "notes.get", api.NoteRef{Note: ref})
}

// RemoveNote is that of app.
func (c *Client) RemoveNote(ctx context.Context, ref string) (string, error) {
	n, err := cleaned(c.Note(ctx, ref))
	if err == nil {
		_, err = call[api.Nothing](ctx, c, "notes.delete", api.NoteRef{Note: n.ID})
	}
	return n.ID, err
}

// ListImages is that of app.
func (c *Client) ListImages(ctx context.Context) ([]app.ImageInfo, error) {
	out, err := call[api.ImageInfos](ctx, c, "images.list", api.Nothing{})
	return out.Images, err
}

// ListTools is that of app: the server's tools.
func (c *Client) ListTools(ctx context.Context, q app.ToolsQuery, _ event.Sink) ([]app.Tool, error) {
	if err := refuse(toolsAndNet(app.ToolSpec{Files: q.Files, Commands: q.Commands}, app.NetSpec{})...); err != nil {
		return nil, err
	}
	out, err := call[api.Tools](ctx, c, "tools.list", api.Words{Words: q.Search})
	return out.Tools, err
}

// ListModels is that of app: by the keys of the server.
func (c *Client) ListModels(ctx context.Context) ([]app.ProviderModels, error) {
	out, err := cleaned(call[api.ModelList](ctx, c, "models.list", api.Nothing{}))
	for i, p := range out.Providers {
		if p.Failure != nil {
			out.Providers[i].Failure = foreign(p.Failure)
		}
	}
	return out.Providers, err
}

// AddKey makes a key for the caller's tenant, which like describes, and returns its text.
func (c *Client) AddKey(ctx context.Context, like access.Key) (string, access.Key, error) {
	in := api.NewKey{Name: like.Name, Scopes: like.Scopes, Quota: like.Quota}
	if !like.Expires.IsZero() {
		in.LastsS = max(time.Until(like.Expires).Seconds(), 1)
	}
	out, err := cleaned(call[api.MadeKey](ctx, c, "keys.create", in))
	return out.Text, out.Key, err
}

// ListKeys lists the keys of the caller's tenant.
func (c *Client) ListKeys(ctx context.Context) ([]access.Key, error) {
	out, err := cleaned(call[api.Keys](ctx, c, "keys.list", api.Nothing{}))
	return out.Keys, err
}

// RemoveKey takes a key away.
func (c *Client) RemoveKey(ctx context.Context, id string) error {
	_, err := call[api.Nothing](ctx, c, "keys.delete", api.KeyRef{ID: id})
	return err
}
