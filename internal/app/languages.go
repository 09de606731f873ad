package app

import (
	"praxis/internal/language"
	"praxis/internal/language/python"
)

// Languages lists the languages whose kernels sessions can start. The first is
// the one that is meant where none is named.
func Languages() language.Table {
	return language.Table{
		python.Language(),
	}
}

// Languages returns those of this Praxis.
func (a *App) Languages() language.Table { return a.opt.Languages }

// Language is that of the session's code, as its image has it.
func (s *Session) Language() language.Language {
	return s.s.Languages().Of(s.image.Runtimes)
}
