package vm

import (
	"sync"

	"praxis/internal/plan/builtin"
	"praxis/internal/plan/library/native"
	"praxis/internal/plan/value"
)

// classMethods returns the natives of the built-in classes.
var classMethods = sync.OnceValue(func() [][]*value.Native {
	return [][]*value.Native{builtin.Methods(), machineNatives(), native.Methods()}
})

// natives returns the table of all natives by name.
var natives = sync.OnceValue(func() map[string]*value.Native {
	out := make(map[string]*value.Native, 1024)
	for _, table := range append(classMethods(), builtin.Functions(), native.Functions()) {
		for _, n := range table {
			out[n.Name] = n
		}
	}
	return out
})

// builtinTypes returns the built-in classes with their methods.
var builtinTypes = sync.OnceValue(func() *value.Types {
	ts := value.NewTypes()
	ts.Bind(classMethods()...)
	return ts
})
