package planner

import (
	"errors"

	"praxis/fault"
	"praxis/internal/plan"
	"praxis/internal/plan/policy"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// Text is a file of tools or of rules that a plan is checked against.
type Text struct {
	Name string `json:"name"` // as messages name it
	Text string `json:"text"`
}

// Rules are what a plan is checked against, as texts, so that they can be stored
// with a run and read again where the files are not.
type Rules struct {
	Tools  []Text `json:"tools,omitempty"`
	Policy *Text  `json:"policy,omitempty"` // nil: the defaults, and what the definitions demand
	Strict bool   `json:"strict,omitempty"`
}

// The roles of files of a plan in the record of its run.
const (
	RoleTools  = "tools"
	RolePolicy = "policy"
	RoleState  = "state"
)

// Load reads the texts. What is wrong in one is a fault that names the place.
func (r Rules) Load() (plan.Options, error) {
	var files []*tool.File
	for _, t := range r.Tools {
		f, err := toolfile.Load(t.Name, []byte(t.Text))
		if err != nil {
			return plan.Options{}, UnusableTools(err)
		}
		files = append(files, f)
	}
	set, err := plan.Tools(files...)
	if err != nil {
		return plan.Options{}, err
	}
	return r.Over(set)
}

// UnusableTools says that tools cannot be used, with all that is wrong in their
// file.
func UnusableTools(err error) error { return more("cannot use the tools", err) }

// Over checks a set of tools against the policy.
func (r Rules) Over(set *tool.Set) (plan.Options, error) {
	o := plan.Options{Tools: set, Strict: r.Strict}
	if r.Policy != nil {
		var err error
		if o.Policy, err = policy.Load(r.Policy.Name, []byte(r.Policy.Text), set); err != nil {
			return plan.Options{}, more("cannot use the policy", err)
		}
	}
	return o, nil
}

// more says what could not be done with a file, and all that is wrong in it.
func more(what string, err error) error {
	var ps jsondoc.Problems
	if !errors.As(err, &ps) {
		return err
	}
	f := fault.Of(err)
	if len(ps) == 1 {
		f.Message = what + ": " + ps[0].Pos.String() + ": " + ps[0].What
	} else {
		// Each problem has its own remedy beside it.
		f.Message, f.Remedy = what+":\n"+ps.Error(), ""
	}
	return f
}
