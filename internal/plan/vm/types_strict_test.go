package vm

import (
	"testing"

	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// TestSearchInIterator checks that where a search by "in" leaves an iterator depends on
// what was looked for, which strict mode does not forget.
func TestSearchInIterator(t *testing.T) {
	for _, source := range []string{
		"it = iter([0, 1, 2, 3])\nx = A in it\ny = next(it)",
		"it = (i for i in range(9))\nx = A in it\ny = next(it)",
		"class C:\n    def __init__(self): self.n = 0\n    def __iter__(self): return self\n    def __next__(self):\n        self.n += 1\n        return self.n\nit = C()\nx = A in it\ny = it.n",
	} {
		vm := newVM(t, source, Env{}, Options{Strict: true}, Config{})
		id := vm.t.Labels.Of(label.Source{Kind: label.Tool, Name: "a", Call: 1}, label.Everyone())
		vm.main.Names.SetStr(&vm.t, "A", value.Int(2).With(id))
		if out, err := vm.Run(); err != nil || out != (Done{}) {
			t.Fatal(out, err)
		}
		y, _ := vm.main.Names.Str("y")
		if got := sources(vm, y.Label); got != "a" {
			t.Errorf("%s\ny depends on %q, want a", source, got)
		}
	}
}
