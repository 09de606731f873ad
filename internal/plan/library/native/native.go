// Package native has the parts of library modules that are written in Go, for speed
// or because the plan language cannot express them: functions, and a few classes and constants. The larger modules have
// folders of their own below it. All else of a module is written in the plan
// language, in [praxis/internal/plan/library]; a module has its natives in its name
// space before its source runs.
package native

import (
	"sort"
	"strings"
	"sync"

	"praxis/internal/plan/library/native/decimal"
	"praxis/internal/plan/library/native/json"
	"praxis/internal/plan/library/native/math"
	"praxis/internal/plan/library/native/re"
	"praxis/internal/plan/library/native/zoneinfo"
	"praxis/internal/plan/value"
)

// Methods are the methods of the classes of native modules.
func Methods() []*value.Native { return append(re.Methods(), decimal.Methods()...) }

// ByModule returns the functions of native modules by module, sorted by name.
func ByModule() map[string][]*value.Native { return byModule() }

var byModule = sync.OnceValue(func() map[string][]*value.Native {
	out := make(map[string][]*value.Native)
	for _, n := range Functions() {
		dot := strings.LastIndexByte(n.Name, '.')
		out[n.Name[:dot]] = append(out[n.Name[:dot]], n)
	}
	for _, list := range out {
		sort.Slice(list, func(i, k int) bool { return list[i].Name < list[k].Name })
	}
	return out
})

// Values returns what puts the values that are no functions into a native module, or nil.
func Values(name string) func(t *value.Thread, m *value.Module) {
	switch name {
	case "math":
		return math.Values
	case "re":
		return re.Values
	case "decimal":
		return decimal.Values
	}
	return nil
}

// ValueNames returns the names of the values that are no functions.
func ValueNames(module string) []string {
	switch module {
	case "math":
		return math.ValueNames()
	case "re":
		return []string{"Pattern", "Match"}
	case "decimal":
		return []string{"Decimal"}
	}
	return nil
}

// Functions returns the functions of native modules. They are made once: a state
// that was stored knows them by name, and none may be there twice.
func Functions() []*value.Native { return functions() }

var functions = sync.OnceValue(func() []*value.Native {
	var out []*value.Native
	for _, table := range [][]*value.Native{
		dataclassNatives(), clockNatives(), timeTextNatives(), randomNatives(), decimal.Natives(), systemNatives(),
		math.Natives(), operatorNatives(), json.Natives(), re.Natives(), bytesModules(), copyNatives(), heapNatives(),
		collectionsNatives(), timeNatives(), asyncioNatives(), zoneinfo.Natives(),
	} {
		out = append(out, table...)
	}
	return out
})
