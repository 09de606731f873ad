package tool

import (
	"cmp"
	"slices"
	"strings"

	"praxis/internal/tool/schema"
)

// Compatible compares two versions of a definition and returns what changed,
// the worst first. Schemas are compared by their shapes ([Type]); where
// keywords that a shape does not show (a negation, a condition) differ, the
// change counts as breaking. Members that an open object allows without
// declaring them are taken not to be used.
func Compatible(before, after *Definition) []schema.Change {
	c := &schema.Comparison{}
	if before.Name != after.Name {
		c.Add(schema.Breaking, "name", "was %s, is %s", before.Name, after.Name)
	}
	compareArguments(c, before, after)
	c.Input(before.Input, after.Input)
	c.Output(before.Output, after.Output)
	compareBehaviour(c, before, after)
	compareLabels(c, before.Labels, after.Labels)
	compareWords(c, before, after)
	compareVersions(c, before, after)
	slices.SortStableFunc(c.Changes, func(a, b schema.Change) int { return cmp.Compare(b.Impact, a.Impact) })
	return c.Changes
}

// compareArguments compares what a call by position sees.
func compareArguments(c *schema.Comparison, old, new *Definition) {
	before, after := old.Input.Type().Names(), new.Input.Type().Names()
	for i, name := range before {
		at := slices.Index(after, name)
		if at >= 0 && at != i {
			c.Add(schema.Breaking, "input/properties/"+name, "was argument %d, is argument %d: calls by position go wrong", i+1, at+1)
		}
	}
}

func compareBehaviour(c *schema.Comparison, old, new *Definition) {
	if old.Effects != new.Effects {
		c.Add(schema.Guarding, "effects", "were %s, are %s", old.Effects, new.Effects)
	}
	if old.Approval != new.Approval {
		c.Add(schema.Guarding, "approval", "was %t, is %t", old.Approval, new.Approval)
	}
	if old.Model != new.Model {
		c.Add(schema.Guarding, "model", "was %t, is %t", old.Model, new.Model)
	}
	if old.Idempotent && !new.Idempotent {
		c.Add(schema.Breaking, "idempotent", "a call can no longer be repeated")
	} else if new.Idempotent && !old.Idempotent {
		c.Add(schema.Widening, "idempotent", "a call can be repeated")
	}
	compareLimits(c, "limits/timeout", int64(old.Limits.Timeout), int64(new.Limits.Timeout))
	compareLimits(c, "limits/bytes", old.Limits.Bytes, new.Limits.Bytes)
	compareLimits(c, "limits/calls_per_run", int64(old.Limits.CallsPerRun), int64(new.Limits.CallsPerRun))
	if a, b := old.Limits.Rate, new.Limits.Rate; a != b {
		compareLimits(c, "limits/rate", perHour(a), perHour(b))
	}
	if !slices.Equal(old.Secrets.Input, new.Secrets.Input) || !slices.Equal(old.Secrets.Output, new.Secrets.Output) {
		c.Add(schema.Guarding, "secrets", "changed")
	}
}

func perHour(r Rate) int64 {
	if r.Calls == 0 {
		return 0
	}
	return max(1, int64(float64(r.Calls)*3600/r.Per.Seconds()))
}

// compareLimits compares bounds where zero is none.
func compareLimits(c *schema.Comparison, path string, old, new int64) {
	switch {
	case old == new:
	case new == 0 || (old != 0 && new > old):
		c.Add(schema.Widening, path, "is looser")
	default:
		c.Add(schema.Breaking, path, "is tighter")
	}
}

func compareLabels(c *schema.Comparison, old, new Labels) {
	if old.Trusted != new.Trusted {
		c.Add(schema.Guarding, "labels/trusted", "was %t, is %t", old.Trusted, new.Trusted)
	}
	if a, b := schema.CanonicalSet([]any{old.canonical()}), schema.CanonicalSet([]any{new.canonical()}); old.Trusted == new.Trusted && !slices.Equal(a, b) {
		c.Add(schema.Guarding, "labels", "who may read, or what arguments demand, changed")
	}
}

func compareWords(c *schema.Comparison, old, new *Definition) {
	if old.Title != new.Title || old.Description != new.Description {
		c.Add(schema.Harmless, "description", "changed")
	}
	if len(old.Examples) != len(new.Examples) {
		c.Add(schema.Harmless, "examples", "there were %d, there are %d", len(old.Examples), len(new.Examples))
	}
}

// compareVersions judges whether the number says what changed.
func compareVersions(c *schema.Comparison, old, new *Definition) {
	switch order := new.Version.Compare(old.Version); {
	case order < 0:
		c.Add(schema.Breaking, "version", "%s is before %s", new.Version, old.Version)
	case order == 0 && old.Hash() != new.Hash():
		c.Add(schema.Breaking, "version", "the definition changed and the version did not: %s", new.Version)
	case !schema.IsCompatible(c.Changes) && new.Version.Major() == old.Version.Major() && new.Version.Major() != "0":
		c.Add(schema.Breaking, "version", "a breaking change needs a new major version, such as %s", nextMajor(old.Version))
	}
}

func nextMajor(v Version) string {
	digits := []byte(v.Major())
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i]++; digits[i] <= '9' {
			return string(digits) + ".0.0"
		}
		digits[i] = '0'
	}
	return "1" + strings.Repeat("0", len(digits)) + ".0.0"
}
