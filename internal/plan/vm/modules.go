package vm

import (
	"sort"
	"strings"
	"sync"
)

// libraryMethods are the methods of the classes of native modules.
func libraryMethods() []*Native { return append(regexMethods(), decimalNatives()...) }

// moduleNatives sorts the functions of native modules by module.
var moduleNatives = sync.OnceValue(func() map[string][]*Native {
	out := make(map[string][]*Native)
	for _, n := range libraryNatives() {
		dot := strings.LastIndexByte(n.name, '.')
		out[n.name[:dot]] = append(out[n.name[:dot]], n)
	}
	for _, list := range out {
		sort.Slice(list, func(i, k int) bool { return list[i].name < list[k].name })
	}
	return out
})

// moduleValues returns what puts the values that are no functions into a native module, or nil.
func moduleValues(name string) func(t *Thread, m *Module) {
	switch name {
	case "math":
		return mathValues
	case "re":
		return regexValues
	case "decimal":
		return decimalValues
	}
	return nil
}

// libraryNatives returns the functions of native modules.
var libraryNatives = sync.OnceValue(func() []*Native {
	var out []*Native
	for _, table := range [][]*Native{
		dataclassNatives(), clockNatives(), timeTextNatives(), randomNatives(), contextNatives(), systemNatives(),
		mathNatives(), operatorNatives(), jsonNatives(), regexNatives(), bytesModules(), copyNatives(), heapNatives(),
		collectionsNatives(), timeNatives(), asyncioNatives(),
	} {
		out = append(out, table...)
	}
	return out
})
