package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/plan"
	"praxis/internal/plan/label"
	"praxis/internal/tool/gate"
)

// maxNested is how many plans the second planner may write for one call.
const maxNested = 3

// nestedPlan lets a second planner write a plan for the text of a call, and runs it
// under the labels and the budget of the plan that calls.
func (c *execution) nestedPlan(ctx context.Context, call *plan.Call) (any, error) {
	if c.Planner == nil && c.StoreState != nil {
		return nil, gate.ErrLater // a person may do the task
	}
	if c.Planner == nil {
		return nil, fault.New(fault.Unavailable, "Name a model.", "there is no model that could write the plan of %s", plan.RunPlan)
	}
	start, options := c.run.Started(), c.run.NestedOptions()
	cfg := Config{Host: c.Host, Options: options, Start: start, Plans: maxNested}
	prompt := llm.Request{System: system(cfg, true), Messages: []llm.Message{{Role: llm.User, Text: options.Request}}}
	why := ""
	for range maxNested {
		reply, err := c.complete(ctx, modelRequest{model: c.Planner, call: call.ID()}, prompt)
		if err != nil {
			return nil, err
		}
		var code string
		if code, why = program(reply.Text); why == "" {
			var out Result
			start.Made = c.run.Made() // what was done within this call, too
			if out, why, err = c.tryNested(ctx, call, code, start); err != nil || why == "" {
				return strings.TrimRight(out.Output, "\n"), err
			}
		}
		prompt.Messages = append(prompt.Messages, llm.Message{Role: llm.Assistant, Text: reply.Text}, llm.Message{Role: llm.User, Text: why})
	}
	return nil, fmt.Errorf("%d nested plans could not be used; of the last one: %s", maxNested, firstLine(why))
}

// tryNested checks a nested plan and runs it. why says to the second planner what is
// wrong with it, "" when it ended well.
func (c *execution) tryNested(ctx context.Context, call *plan.Call, code string, start plan.Start) (out Result, why string, err error) {
	prepared, err := plan.Prepare(ctx, plan.Source{Name: "nested.py", Text: []byte(code)}, c.run.NestedOptions())
	if err != nil {
		return out, "", err
	}
	announce(c.Sink, c.Step, call.ID(), prepared, start)
	if !prepared.Check.Accepted {
		return out, refused(prepared.Check), nil
	}
	n, err := c.run.Nest(prepared, start.Made)
	if err != nil {
		return out, "", err
	}
	c.Gate.Read("the nested plan", code)
	inner := &execution{Host: c.Host, run: n, used: c.used, within: call.ID(), seen: call.Labels["text"]}
	inner.StoreState, inner.answers = nil, nil
	err = inner.loop(ctx)
	out = inner.out
	out.Output = inner.text.String()
	if err != nil {
		out.Status = "stopped"
		inner.ended(err.Error(), 0)
	}
	c.run.Return(n, out.Status == "ok")
	c.used = inner.used
	c.out.Tokens = c.out.Tokens.Add(out.Tokens)
	for _, one := range out.Called {
		one.hidden = one.hidden || !visible(call.Labels["text"], c.seen)
		c.out.Called = append(c.out.Called, one)
	}
	if err != nil || out.Status == "ok" {
		return out, "", err
	}
	return out, failed(out, prepared, inner.seen, true), nil
}

// visible says whether a model that has seen data with one label may see what depends
// on another: nothing in it comes from a source that is not trusted, but for calls
// whose results it has seen, and whoever may read what it has seen may read it. A nested
// plan has the inputs whole, and its planner has not.
func visible(l, seen label.Label) bool {
	return seen.Readers.Within(l.Readers) && !slices.ContainsFunc(l.Sources, func(s label.Source) bool {
		return !s.Trusted && (s.Call == 0 || !slices.Contains(seen.Sources, s))
	})
}
