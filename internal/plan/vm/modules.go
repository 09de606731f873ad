package vm

import "praxis/internal/plan/library"

// librarySource returns the source of a module that is written in the plan language.
func librarySource(name string) (string, bool) { return library.Source(name) }

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

// libraryNatives are the functions of native modules.
func libraryNatives() []*Native {
	var out []*Native
	for _, table := range [][]*Native{
		dataclassNatives(),
		clockNatives(),
		timeTextNatives(),
		randomNatives(),
		contextNatives(),
		systemNatives(),
		mathNatives(), operatorNatives(), jsonNatives(), regexNatives(), bytesModules(), copyNatives(), heapNatives(), collectionsNatives(), timeNatives(), asyncioNatives(),
	} {
		out = append(out, table...)
	}
	return out
}
