package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"praxis/internal/plan/policy"
	"praxis/internal/tool/jsondoc"
)

// Made is a call that a plan of the run made before.
type Made struct {
	Tool string `json:"tool"`
	// Sum is [Call.Sum] of a call that changed something, "" of any other.
	Sum string `json:"sum,omitempty"`
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

// repeated lets a person decide about a call with effects that an earlier plan of the
// run made with the same arguments. A plan may repeat its own calls: it says so.
func (r *Run) repeated(c *Call, d policy.Decision) policy.Decision {
	if d.Verdict == policy.Deny || !c.Tool.Effects.Acts() || c.Tool.Idempotent || len(r.start.Made) == 0 {
		return d
	}
	sum, err := c.Sum()
	if err != nil || slices.ContainsFunc(r.start.Made, func(m Made) bool { return m.Sum == sum }) {
		d.Verdict, d.Rule = policy.Ask, policy.RepeatRule
		d.Reason = "an earlier plan of this run made the same call, and what it did stays done"
		d.Remedy = "Leave the call out: it is done."
	}
	return d
}
