package app

import (
	"context"
	"slices"

	"praxis/event"
	"praxis/internal/plan"
	"praxis/internal/plan/check"
	"praxis/internal/plan/policy"
)

// Types that describe the check of a plan.
type (
	PlanCheck   = check.Result
	PlanFinding = check.Finding
	PlanFlow    = check.Flow
	PlanPath    = check.Path
	PlanArg     = check.Arg
	PlanSources = check.Sources
)

// preparePlan checks a plan. It reports every mistake, also those that a run
// would let pass.
func (a *App) preparePlan(ctx context.Context, src PlanSource, spec ToolSpec, sink event.Sink) (*plan.Plan, error) {
	o, err := a.loadRules(ctx, spec, sink)
	if err != nil {
		return nil, err
	}
	o.Pedantic = true
	return plan.Prepare(ctx, src, o)
}

// CheckPlan says what is certain about a plan before anything runs.
func (a *App) CheckPlan(ctx context.Context, src PlanSource, spec ToolSpec, sink event.Sink) (*PlanCheck, error) {
	p, err := a.preparePlan(ctx, src, spec, sink)
	if err != nil {
		return nil, err
	}
	return p.Check, nil
}

// PlanExplained explains the calls of a plan.
type PlanExplained struct {
	Name     string          `json:"name"`
	Accepted bool            `json:"accepted"`
	Findings []PlanFinding   `json:"findings"`
	Calls    []CallExplained `json:"calls"`
	Check    *PlanCheck      `json:"-"`
}

// CallExplained is what is known of one call before anything runs.
type CallExplained struct {
	PlanFlow
	Paths   []PlanPath   `json:"paths"`
	Reason  string       `json:"reason,omitempty"`
	Remedy  string       `json:"remedy,omitempty"`
	Rules   []PolicyRule `json:"rules"`             // of the policy, about this tool
	Demands []string     `json:"demands,omitempty"` // of the tool's own definition
}

// ExplainPlan says of each call of a plan what the policy says of it, by which
// rule, and where its data can come from.
func (a *App) ExplainPlan(ctx context.Context, src PlanSource, spec ToolSpec, sink event.Sink) (PlanExplained, error) {
	p, err := a.preparePlan(ctx, src, spec, sink)
	if err != nil {
		return PlanExplained{}, err
	}
	return PlanExplained{p.Name, p.Check.Accepted, p.Check.Findings, explainCalls(p), p.Check}, nil
}

// explainCalls gathers what is known of each call.
func explainCalls(p *plan.Plan) []CallExplained {
	rules := p.Policy.Rules()
	out := []CallExplained{}
	for _, f := range p.Check.Flows {
		e := CallExplained{PlanFlow: f, Paths: []PlanPath{}, Rules: []PolicyRule{}}
		for _, a := range f.Args {
			e.Paths = append(e.Paths, a.Paths...)
		}
		for _, r := range rules {
			if slices.Contains(r.Tools, f.Tool) {
				e.Rules = append(e.Rules, r)
			}
			if r.Name == f.Rule {
				e.Reason, e.Remedy = r.Reason, r.Remedy
			}
		}
		if def, ok := p.Tools.Lookup(f.Tool); ok {
			e.Demands = demands(def)
			if f.Rule == policy.DefaultRule {
				e.Reason = "no rule applies, and it " + EffectWords(def.Effects.String())
			}
		}
		for _, found := range p.Check.Findings {
			if found.Line == f.Line && found.Col == f.Col && found.Tool == f.Tool {
				e.Reason, e.Remedy = found.Message, found.Remedy
			}
		}
		out = append(out, e)
	}
	return out
}
