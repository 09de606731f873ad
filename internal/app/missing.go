package app

import (
	"fmt"

	"praxis/event"
)

// Missing is a module that code could not import, and the package that has it.
type Missing struct {
	Module  string `json:"module"`
	Package string `json:"package"`
}

// String says it in a sentence. That a package is called like the module is a
// guess: code may mean a file of its own.
func (m Missing) String() string {
	if m.Module == m.Package {
		return fmt.Sprintf("the session has no module %s; if it is a package, add it with --with %s", m.Module, m.Package)
	}
	return fmt.Sprintf("the session has no module %s, which is in the package %s: add it with --with %s", m.Module, m.Package, m.Package)
}

// MissingOf returns what an execution ended for the lack of, or nil.
func (a *App) MissingOf(x event.Execution) *Missing {
	if x.Error == nil {
		return nil
	}
	for _, l := range a.opt.Languages {
		if l.Model.Package == nil {
			continue
		}
		if module, pack := l.Model.Package(x.Error.Name, x.Error.Value); pack != "" {
			return &Missing{module, pack}
		}
	}
	return nil
}
