package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/live"
)

// PlanText is a plan.
type PlanText struct {
	Name   string `json:"name,omitempty" jsonschema:"of its file; left out: plan.py"`
	Text   string `json:"text"`
	Strict bool   `json:"strict,omitempty" jsonschema:"count implicit flows, too"`
}

// with returns the tools of the server, with how flows to them are counted.
func (p PlanText) with(t app.ToolSpec) app.ToolSpec {
	t.Strict = t.Strict || p.Strict
	return t
}

// PlanDone is what a plan came to.
type PlanDone struct {
	app.PlanResult
	Limit       *fault.Error `json:"limit,omitempty" jsonschema:"that the plan broke"`
	Approval    bool         `json:"approval,omitempty" jsonschema:"it waits for a person's decision, not for a result"`
	Implemented bool         `json:"implemented,omitempty" jsonschema:"something implements the tool that it waits at"`
}

func planDone(r app.PlanResult) *PlanDone {
	out := &PlanDone{PlanResult: r, Limit: fault.Of(r.Limit)}
	if w := r.Waiting; w != nil {
		out.Approval, out.Implemented = w.Approval, w.Implemented
	}
	return out
}

func (p PlanText) source() (app.PlanSource, error) {
	if len(p.Text) > app.MaxPlan {
		return app.PlanSource{}, fault.New(fault.Invalid, "Give a shorter plan.", "cannot read the plan: it has more than %d bytes", app.MaxPlan)
	}
	if p.Name == "" {
		p.Name = "plan.py"
	}
	return app.PlanSource{Name: p.Name, Text: []byte(p.Text)}, nil
}

// NewPlan asks for a plan to be checked and run.
type NewPlan struct {
	PlanText
	Inputs   map[string]json.RawMessage `json:"inputs,omitempty" jsonschema:"values of the declared inputs"`
	Now      *time.Time                 `json:"now,omitempty" jsonschema:"what the plan's clock shows; left out: the time"`
	Model    string                     `json:"model,omitempty" jsonschema:"that answers without tools"`
	Seed     int64                      `json:"seed,omitempty"`
	TimeoutS float64                    `json:"timeout_s,omitempty"`
	Later    bool                       `json:"later,omitempty" jsonschema:"a call that somebody has to agree to lets the plan wait for plans.resume; otherwise it is an open question"`
	Following
}

func plans() []Operation {
	return []Operation{
		operation("plans.check", http.MethodPost, "/plans/check", access.Read, http.StatusOK, "Check a plan against the server's tools and policy. Nothing runs.",
			func(ctx context.Context, c *Call, in PlanText) (*app.PlanCheck, error) {
				src, err := in.source()
				if err != nil {
					return nil, err
				}
				return c.Tenant.App.CheckPlan(ctx, src, in.with(c.Server.Tools), event.Discard)
			}),
		operation("plans.explain", http.MethodPost, "/plans/explain", access.Read, http.StatusOK, "Say of each call of a plan what the policy says of it, and where its data can come from.",
			func(ctx context.Context, c *Call, in PlanText) (app.PlanExplained, error) {
				src, err := in.source()
				if err != nil {
					return app.PlanExplained{}, err
				}
				return c.Tenant.App.ExplainPlan(ctx, src, in.with(c.Server.Tools), event.Discard)
			}),
		events[NewPlan, Run]("plans.run", http.MethodPost, "/plans/run", access.Run, http.StatusCreated, "Check a plan, and run it when nothing is wrong with it.", runPlan),
	}
}

func runPlan(ctx context.Context, c *Call, in NewPlan) (any, error) {
	src, err := in.source()
	if err != nil {
		return nil, err
	}
	timeout, err := seconds("timeout_s", in.TimeoutS)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for name, raw := range in.Inputs {
		if values[name], err = app.DecodeJSON(raw); err != nil {
			return nil, err
		}
	}
	if err := c.checkModel(in.Model); err != nil {
		return nil, err
	}
	q := app.PlanRequest{
		Plan: src, Start: app.PlanStart{Inputs: values, Seed: in.Seed}, Host: app.PlanHost{Model: in.Model, Timeout: timeout, Later: in.Later && !in.Unattended},
	}
	if in.Now != nil {
		q.Start.Now = *in.Now
	}
	if err := c.bound(&q.Host); err != nil {
		return nil, err
	}
	return c.follow(ctx, in.Following, func(ctx context.Context, r *live.Run) (any, error) {
		q.Tools = in.with(c.tools(r, in.Unattended))
		if in.Detach {
			q.Begun = keeping(r, c.storedPlan(in.Following, in.Model, q.Host))
		}
		return c.Tenant.App.RunPlan(ctx, q, r.Log)
	})
}

// Threads is a list of conversations, the last used first.
type Threads struct {
	Threads []app.Thread `json:"threads"`
}

// ThreadRef names a conversation.
type ThreadRef struct {
	Thread string `json:"thread" in:"path"`
}

// Turns are the questions of a conversation.
type Turns struct {
	Turns []app.Turn `json:"turns"`
}

// Words asks for what fits some words.
type Words struct {
	Words string `json:"words,omitempty" in:"query" jsonschema:"left out: all"`
}

// Notes is a list of notes.
type Notes struct {
	Notes []app.Note `json:"notes"`
}

// ImageInfos is a list of images.
type ImageInfos struct {
	Images []app.ImageInfo `json:"images"`
}

// Tools is a list of tools.
type Tools struct {
	Tools []app.Tool `json:"tools"`
}

// ModelList is what the keys of the server can use.
type ModelList struct {
	Providers []app.ProviderModels `json:"providers"`
}

// About describes the server.
type About struct {
	Version string   `json:"version"`
	Host    app.Host `json:"host" jsonschema:"the boundary and the limits that this machine gives"`
}

func things() []Operation {
	return []Operation{
		operation("threads.list", http.MethodGet, "/threads", access.Read, http.StatusOK, "List the conversations.",
			func(ctx context.Context, c *Call, _ Nothing) (Threads, error) {
				list, err := c.Tenant.App.Threads(ctx)
				return Threads{append([]app.Thread{}, list...)}, err
			}),
		operation("threads.turns", http.MethodGet, "/threads/{thread}", access.Read, http.StatusOK, "List the questions and answers of a conversation.",
			func(ctx context.Context, c *Call, in ThreadRef) (Turns, error) {
				list, err := c.Tenant.App.ThreadTurns(ctx, in.Thread)
				return Turns{append([]app.Turn{}, list...)}, err
			}),
		operation("threads.delete", http.MethodDelete, "/threads/{thread}", access.Run, http.StatusNoContent, "Remove a conversation and its session.",
			func(ctx context.Context, c *Call, in ThreadRef) (Nothing, error) {
				if _, err := c.Tenant.App.Thread(ctx, in.Thread); err != nil {
					return Nothing{}, err // a session alone is not removed
				}
				// The session goes first: while the server has it, nobody else can remove it.
				if err := c.Tenant.Hub.Delete(ctx, in.Thread); err != nil && fault.KindOf(err) != fault.NotFound {
					return Nothing{}, err
				}
				return Nothing{}, c.Tenant.App.RemoveThread(ctx, in.Thread)
			}),
		operation("notes.list", http.MethodGet, "/notes", access.Read, http.StatusOK, "List the notes that the agent kept, or those that fit some words.",
			notes),
		operation("images.list", http.MethodGet, "/images", access.Read, http.StatusOK, "List the images that there are.",
			func(ctx context.Context, c *Call, _ Nothing) (ImageInfos, error) {
				list, err := c.Tenant.App.ListImages(ctx)
				return ImageInfos{append([]app.ImageInfo{}, list...)}, err
			}),
		operation("tools.list", http.MethodGet, "/tools", access.Read, http.StatusOK, "List the tools that runs may call.",
			func(ctx context.Context, c *Call, in Words) (Tools, error) {
				if len(c.Server.Tools.Files) == 0 {
					return Tools{[]app.Tool{}}, nil
				}
				list, err := c.Tenant.App.ListTools(ctx, app.ToolsQuery{Files: c.Server.Tools.Files, Commands: c.Server.Tools.Commands, Search: in.Words}, event.Discard)
				return Tools{append([]app.Tool{}, list...)}, err
			}),
		operation("models.list", http.MethodGet, "/models", access.Read, http.StatusOK, "List the models that the server's keys can use.",
			func(ctx context.Context, c *Call, _ Nothing) (ModelList, error) {
				list := append([]app.ProviderModels{}, c.Server.Models(ctx)...)
				for i := range list {
					list[i].Failure = fault.Of(list[i].Err())
				}
				return ModelList{list}, nil
			}),
		operation("costs.get", http.MethodGet, "/costs", access.Read, http.StatusOK, "Add up what the recorded runs used.",
			func(ctx context.Context, c *Call, in RecordQuery) (app.Costs, error) {
				q, err := in.query()
				if err != nil {
					return app.Costs{}, err
				}
				return c.Tenant.App.Cost(ctx, q, c.Server.Prices)
			}),
		operation("about.get", http.MethodGet, "/about", access.Read, http.StatusOK, "Describe the server.",
			func(ctx context.Context, c *Call, _ Nothing) (About, error) {
				host, err := c.Tenant.App.Host(ctx)
				return About{c.Server.Version, host}, err
			}),
	}
}

// NewKey asks for a key of the caller's tenant.
type NewKey struct {
	Name   string         `json:"name,omitempty" jsonschema:"what it is for"`
	Scopes []access.Scope `json:"scopes,omitempty" jsonschema:"read, run, approve, admin; left out: read and run"`
	LastsS float64        `json:"lasts_s,omitempty" jsonschema:"seconds after which it expires; 0: never"`
	Quota  access.Quota   `json:"quota,omitzero" jsonschema:"how much may be used with it, beside what the tenant may"`
}

// MadeKey is a key with its text, which cannot be had again.
type MadeKey struct {
	access.Key
	Text string `json:"key"`
}

// KeyRef names a key.
type KeyRef struct {
	ID string `json:"id" in:"path"`
}

// Keys is a list of keys.
type Keys struct {
	Keys []access.Key `json:"keys"`
}

// keysOf are the keys of the caller's tenant.
func (c *Call) keysOf() ([]access.Key, error) {
	all, err := c.Server.Keys.List()
	out := []access.Key{}
	for _, k := range all {
		if k.Tenant == c.Tenant.Name {
			out = append(out, k)
		}
	}
	return out, err
}

func administration() []Operation {
	return []Operation{
		operation("keys.create", http.MethodPost, "/keys", access.Admin, http.StatusCreated, "Make a key for the caller's tenant. Its text is shown once.",
			func(_ context.Context, c *Call, in NewKey) (MadeKey, error) {
				lasts, err := seconds("lasts_s", in.LastsS)
				if err != nil {
					return MadeKey{}, err
				}
				like := access.Key{Name: in.Name, Tenant: c.Tenant.Name, Scopes: in.Scopes, Quota: in.Quota}
				if lasts > 0 {
					like.Expires = time.Now().UTC().Add(lasts)
				}
				text, k, err := c.Server.Keys.Add(like)
				return MadeKey{k, text}, err
			}),
		operation("keys.list", http.MethodGet, "/keys", access.Admin, http.StatusOK, "List the keys of the caller's tenant.",
			func(_ context.Context, c *Call, _ Nothing) (Keys, error) {
				list, err := c.keysOf()
				return Keys{list}, err
			}),
		operation("keys.delete", http.MethodDelete, "/keys/{id}", access.Admin, http.StatusNoContent, "Take a key of the caller's tenant away.",
			func(_ context.Context, c *Call, in KeyRef) (Nothing, error) {
				list, err := c.keysOf()
				if err != nil {
					return Nothing{}, err
				}
				for _, k := range list {
					if k.ID == in.ID {
						return Nothing{}, c.Server.Keys.Remove(k.ID)
					}
				}
				return Nothing{}, fault.New(fault.NotFound, "List the keys to see which there are.", "cannot remove the key: there is none with this id")
			}),
	}
}
