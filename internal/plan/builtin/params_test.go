package builtin

import (
	"strings"
	"testing"

	"praxis/internal/plan/syntax"
)

// TestBuiltinParams checks that the check can read the head of every function.
func TestBuiltinParams(t *testing.T) {
	known := 0
	for _, n := range Functions() {
		params, ok := Params(n.Name)
		if !ok {
			continue
		}
		known++
		if _, bad := syntax.Parse([]byte("def f("+params+"): pass"), syntax.Options{}); len(bad) > 0 {
			t.Errorf("%s(%s): %v", n.Name, params, bad[0])
		}
		for part := range strings.SplitSeq(params, ", ") { // as the check does
			if part == "" || strings.Count(part, "'")%2 != 0 || strings.ContainsAny(part, "()[]") {
				t.Errorf("%s: a parameter %q", n.Name, part)
			}
		}
	}
	if _, ok := Params("int"); ok || known < 25 {
		t.Errorf("%d functions are known, a class: %v", known, ok)
	}
}
