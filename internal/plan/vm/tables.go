package vm

import "sync"

// classMethods returns the natives of the built-in classes.
var classMethods = sync.OnceValue(func() [][]*Native {
	return [][]*Native{builtinMethods(), machineNatives(), libraryMethods()}
})

// natives returns the table of all natives by name.
var natives = sync.OnceValue(func() map[string]*Native {
	out := make(map[string]*Native, 1024)
	for _, table := range append(classMethods(), hiddenNatives(), builtinNatives(), libraryNatives()) {
		for _, n := range table {
			out[n.name] = n
		}
	}
	return out
})

// builtinTypes returns the built-in classes with their methods.
var builtinTypes = sync.OnceValue(func() *types {
	ts := makeTypes()
	ts.bind(classMethods()...)
	return ts
})
