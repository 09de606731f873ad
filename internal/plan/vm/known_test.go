package vm

import (
	"testing"

	"praxis/internal/plan/builtin"
	"praxis/internal/plan/value"
)

// TestKnownNames compares what the check takes for a built-in name with what programs have.
func TestKnownNames(t *testing.T) {
	entries := builtinNames().Entries
	if len(entries) < 100 {
		t.Fatalf("%d built-in names", len(entries))
	}
	for i := range entries {
		if s, ok := entries[i].Key.Obj.(*value.Str); ok && s.Text[0] != '_' && !builtin.Known(s.Text) {
			t.Errorf("%s is not known", s.Text)
		}
	}
	for _, name := range []string{"open", "NoneType", "lenn", "str.upper", ""} {
		if builtin.Known(name) {
			t.Errorf("%s is known", name)
		}
	}
}
