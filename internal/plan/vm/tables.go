package vm

import (
	"strings"
	"sync"

	"praxis/internal/plan/builtin"
	"praxis/internal/plan/library/native"
	"praxis/internal/plan/value"
)

// classMethods returns the natives of the built-in classes.
var classMethods = sync.OnceValue(func() [][]*value.Native {
	return [][]*value.Native{builtin.Methods(), machineNatives(), native.Methods()}
})

// changers are the names of natives that change their first argument.
const changers = " append appendleft extend extendleft insert pop popleft popitem remove clear reverse rotate sort _sort_with " +
	"add discard update setdefault intersection_update difference_update symmetric_difference_update move_to_end " +
	"__init__ __setitem__ __delitem__ __iadd__ __imul__ __ior__ __iand__ __isub__ __ixor__ __next__ __setattr__ __delattr__ " +
	"next send throw close write setattr delattr heappush heappop heapify heapreplace heappushpop insort insort_left insort_right "

// natives returns the table of all natives by name.
var natives = sync.OnceValue(func() map[string]*value.Native {
	out := make(map[string]*value.Native, 1024)
	for _, table := range append(classMethods(), builtin.Functions(), native.Functions()) {
		for _, n := range table {
			n.Changes = n.Changes || strings.Contains(changers, " "+n.Short()+" ") && !strings.HasPrefix(n.Name, "operator.")
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
