package app

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/plan"
	"praxis/internal/plan/policy"
	"praxis/internal/planner"
	"praxis/internal/safetext"
	"praxis/internal/tool"
)

// Types that describe policies.
type (
	PolicyRule     = policy.RuleInfo
	PolicyReport   = policy.Report
	PolicyDecision = policy.Decision
	PolicyStep     = policy.Step
)

// PolicyQuery names a policy and the tools that its rules are about.
type PolicyQuery struct {
	File     string
	Text     string   // the policy itself, in the place of File
	Name     string   // of the file that Text was read from; "": policy.yaml
	Tools    []string // files that declare the tools
	Commands bool     // tools and servers may run programs on this machine
}

// loadRules reads tools and policy, and what the servers that they name say. No
// tool can be called afterwards.
func (a *App) loadRules(ctx context.Context, spec ToolSpec, sink event.Sink) (plan.Options, error) {
	spec.Approval = ApprovalSpec{Who: "never"}
	t, err := a.openTools(ctx, spec, NetSpec{}, sink)
	if err != nil {
		return plan.Options{}, err
	}
	return t.options, t.close()
}

func (a *App) loadPolicy(ctx context.Context, q PolicyQuery, sink event.Sink) (plan.Options, error) {
	if len(q.Tools) == 0 {
		return plan.Options{}, fault.New(fault.Invalid, "Name the file that declares them.", "cannot use the policy %s: its rules are about tools", safetext.Line(q.File))
	}
	spec := ToolSpec{Files: q.Tools, Policy: q.File, Commands: q.Commands}
	if q.Text != "" {
		if len(q.Text) > maxPolicy {
			return plan.Options{}, fault.New(fault.Invalid, "Give a shorter one.", "cannot use the policy: it has more than %s", safetext.Size(maxPolicy))
		}
		spec.Policy, spec.policy = "", &planner.Text{Name: cmp.Or(q.Name, "policy.yaml"), Text: q.Text}
	}
	return a.loadRules(ctx, spec, sink)
}

// TestPolicy runs the cases that stand in a policy. Nothing is called.
func (a *App) TestPolicy(ctx context.Context, q PolicyQuery, sink event.Sink) (PolicyReport, error) {
	o, err := a.loadPolicy(ctx, q, sink)
	if err != nil {
		return PolicyReport{}, err
	}
	return o.Policy.Test(), nil
}

// DraftPolicy writes a first policy for tools. Nothing is called.
func (a *App) DraftPolicy(ctx context.Context, q PolicyQuery, sink event.Sink) (string, error) {
	if len(q.Tools) == 0 {
		return "", fault.New(fault.Invalid, "Name the file that declares them.", "cannot write a policy: its rules are about tools")
	}
	o, err := a.loadRules(ctx, ToolSpec{Files: q.Tools, Commands: q.Commands}, sink)
	if err != nil {
		return "", err
	}
	return policy.Draft(o.Tools), nil
}

// PolicyExplained says what a policy decides.
type PolicyExplained struct {
	File  string       `json:"file"`
	Rules []PolicyRule `json:"rules"`
	Tools []ToolRules  `json:"tools"`
}

// ExplainPolicy says for each tool what decides its calls.
func (a *App) ExplainPolicy(ctx context.Context, q PolicyQuery, sink event.Sink) (PolicyExplained, error) {
	out := PolicyExplained{File: q.File, Rules: []PolicyRule{}}
	o, err := a.loadPolicy(ctx, q, sink)
	if err != nil {
		return out, err
	}
	out.Rules = append(out.Rules, o.Policy.Rules()...)
	out.Tools = toolRules(o.Policy, o.Tools)
	return out, nil
}

// ExplainCall says what a policy decides about one call, which is written as in
// a test of a policy, and why.
func (a *App) ExplainCall(ctx context.Context, q PolicyQuery, call string, sink event.Sink) (PolicyDecision, error) {
	o, err := a.loadPolicy(ctx, q, sink)
	if err != nil {
		return PolicyDecision{}, err
	}
	if !json.Valid([]byte(call)) {
		return PolicyDecision{}, fault.New(fault.Invalid, `Write it as {"call": "TOOL", "args": {…}}.`, "cannot read the call: it is no JSON")
	}
	c, err := o.Policy.ParseCall("the call", []byte(call))
	if err != nil {
		return PolicyDecision{}, err
	}
	return o.Policy.Explain(c), nil
}

// ToolRules is what a policy says about one tool.
type ToolRules struct {
	Tool      string   `json:"tool"`
	Effects   string   `json:"effects"`
	Rules     []string `json:"rules"`   // names, in the file's order
	Demands   []string `json:"demands"` // of the definition itself, in words
	Otherwise string   `json:"otherwise"`
	Because   string   `json:"because,omitempty"` // what the policy says of that
}

// toolRules says for each tool what decides its calls.
func toolRules(pol *policy.Policy, tools *tool.Set) []ToolRules {
	out := []ToolRules{}
	for d := range tools.All() {
		w := ToolRules{Tool: d.Name, Effects: d.Effects.String(), Rules: []string{}, Demands: demands(d), Otherwise: pol.Otherwise(d).String(), Because: pol.Because(d)}
		for _, r := range pol.Rules() {
			if slices.Contains(r.Tools, d.Name) {
				w.Rules = append(w.Rules, r.Name)
			}
		}
		out = append(out, w)
	}
	return out
}

// demands are the rules that stand in the definition of a tool.
func demands(d *tool.Definition) []string {
	out := []string{}
	for _, a := range d.Labels.Arguments {
		because := ""
		if a.Reason != "" {
			because = ": " + strings.TrimSuffix(a.Reason, ".")
		}
		if a.Trusted {
			out = append(out, "deny it unless only trusted sources influenced \""+a.Argument+"\""+because)
		}
		if len(a.ReadableBy) > 0 {
			out = append(out, "deny it unless whom "+strings.Join(a.ReadableBy, ", ")+" names may read \""+a.Argument+"\""+because)
		}
	}
	if d.Approval {
		out = append(out, "ask a person before each call")
	}
	return out
}

// EffectWords say what a call does.
func EffectWords(effects string) string {
	switch effects {
	case "pure":
		return "computes"
	case "read":
		return "only reads"
	case "write":
		return "changes what the user owns"
	case "external":
		return "reaches others"
	}
	return effects
}
