package app

import "praxis/event"

// Missing is a module that code could not import, and the package that has it.
type Missing struct {
	Module  string `json:"module"`
	Package string `json:"package"`
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
