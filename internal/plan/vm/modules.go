package vm

import (
	"sort"
	"strings"
	"sync"

	"praxis/internal/plan/value"
)

// libraryMethods are the methods of the classes of native modules.
func libraryMethods() []*value.Native { return append(regexMethods(), decimalNatives()...) }

// moduleNatives sorts the functions of native modules by module.
var moduleNatives = sync.OnceValue(func() map[string][]*value.Native {
	out := make(map[string][]*value.Native)
	for _, n := range libraryNatives() {
		dot := strings.LastIndexByte(n.Name, '.')
		out[n.Name[:dot]] = append(out[n.Name[:dot]], n)
	}
	for _, list := range out {
		sort.Slice(list, func(i, k int) bool { return list[i].Name < list[k].Name })
	}
	return out
})

// moduleValues returns what puts the values that are no functions into a native module, or nil.
func moduleValues(name string) func(t *value.Thread, m *value.Module) {
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
var libraryNatives = sync.OnceValue(func() []*value.Native {
	var out []*value.Native
	for _, table := range [][]*value.Native{
		dataclassNatives(), clockNatives(), timeTextNatives(), randomNatives(), contextNatives(), systemNatives(),
		mathNatives(), operatorNatives(), jsonNatives(), regexNatives(), bytesModules(), copyNatives(), heapNatives(),
		collectionsNatives(), timeNatives(), asyncioNatives(),
	} {
		out = append(out, table...)
	}
	return out
})
