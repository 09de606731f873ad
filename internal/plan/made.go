package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"praxis/internal/plan/policy"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// Made is a call that a plan of the run made before.
type Made struct {
	Tool string `json:"tool"`
	// Sum is [Call.Sum] of a call that changed something, or may have, "" of any other.
	Sum string `json:"sum,omitempty"`
}

// Rehearsed says which tools of a run answered without being called.
type Rehearsed struct {
	Tools []string `json:"tools,omitempty"` // each once, in order
	// Example is one of them that was answered from an example of its definition, ""
	// while none was: what the plan computes from then on may be invented.
	Example string `json:"example,omitempty"`
}

// Sum is the SHA-256 of the tool's name and the call's arguments, in hexadecimal.
func (c *Call) Sum() (string, error) {
	args, err := jsondoc.Canonical(c.Arguments)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(slices.Concat([]byte(c.Tool.Name), []byte{0}, args))
	return hex.EncodeToString(sum[:]), nil
}

// Note notes a call that was made, so that a nested plan does not repeat it unasked. The
// state of the plan keeps it.
func (r *Run) Note(m Made) { r.did = append(r.did, m) }

// NoteRehearsed notes a tool that was answered without being called: from an example of
// its definition, or as somebody said.
func (r *Run) NoteRehearsed(name string, example bool) {
	if !slices.Contains(r.rehearsed.Tools, name) {
		r.rehearsed.Tools = append(slices.Clip(r.rehearsed.Tools), name)
	}
	if example {
		r.rehearsed.Example = name
	}
}

// Rehearsed says what the run only rehearsed so far.
func (r *Run) Rehearsed() Rehearsed { return r.rehearsed }

// Made returns the calls that the plan, and those nested in it, made so far.
func (r *Run) Made() []Made { return r.did }

// changes says whether a call of a tool does something a second time.
func changes(d *tool.Definition) bool { return d.Effects.Acts() && !d.Idempotent }

// repeated lets a person decide about a call with effects that an earlier plan of the
// run made with the same arguments. A plan may repeat its own calls: it says so. One that
// is nested has not written those of the plan around it.
func (r *Run) repeated(c *Call, d policy.Decision) policy.Decision {
	if d.Verdict == policy.Deny || !changes(c.Tool) || len(r.start.Made) == 0 {
		return d
	}
	sum, err := c.Sum()
	if err != nil || slices.ContainsFunc(r.start.Made, func(m Made) bool { return m.Sum == sum }) {
		d.Verdict, d.Rule = policy.Ask, policy.RepeatRule
		d.Reason = "an earlier plan of this run made the same call, and what it did stays done"
		if r.nested {
			d.Reason = "the plan around this one, or one before it, made the same call, and what it did stays done"
		}
		d.Remedy = "Leave the call out: it is done."
	}
	return d
}
