package app

import (
	"praxis/event"
	"praxis/internal/language"
	"praxis/internal/language/javascript"
)

// Missing is a module that code could not import, and the package that has it.
type Missing struct {
	Module   string `json:"module"`
	Package  string `json:"package"`
	Language string `json:"language"` // of the code
}

// FromNPM says whether the package is one of npm's, and none of Python's that may be called
// the same.
func (m Missing) FromNPM() bool { return m.Language == javascript.Name }

// MissingOf returns what an execution ended for the lack of, or nil.
func (a *App) MissingOf(x event.Execution) *Missing { return MissingOf(a.opt.Languages, x) }

// MissingOf says which module an execution ended for the lack of, as code of one of some
// languages does; nil: for none.
func MissingOf(languages language.Table, x event.Execution) *Missing {
	if x.Error == nil {
		return nil
	}
	for _, l := range languages {
		if l.Model.Package == nil {
			continue
		}
		if module, pack := l.Model.Package(x.Error.Name, x.Error.Value); pack != "" {
			return &Missing{module, pack, l.Name}
		}
	}
	return nil
}
