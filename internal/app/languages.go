package app

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/language/bash"
	"praxis/internal/language/javascript"
	"praxis/internal/language/jupyter"
	"praxis/internal/language/python"
	"praxis/internal/language/sql"
	"praxis/internal/safetext"
)

// Languages lists the languages whose kernels sessions can start. The first is
// the one that is meant where none is named.
func Languages() language.Table { return slices.Clone(languages()) }

// languages is made once a process: the kernels' programs are copied for it.
var languages = sync.OnceValue(func() language.Table {
	return language.Table{
		python.Language(),
		javascript.Language(),
		javascript.TypeScript(),
		sql.Language(),
		bash.Language(),
		jupyter.Language(),
	}
})

// languageOf finds the language that a word means, or that the ending of a file says; "":
// neither says one, and it is the first that the session's image has, which may be another
// than the first of these.
func languageOf(languages language.Table, word, file string) (string, error) {
	word = strings.ToLower(word)
	l, ok := languages.Called(word)
	switch {
	case word == "":
		l, _ = languages.Called(strings.ToLower(filepath.Ext(file)))
	case !ok && language.ValidName(word):
		return word, nil // the session's image may have it, and the session says if not
	case !ok:
		return "", fault.Coded(fault.LanguageMissing, fault.Data{"language": safetext.Line(word), "known": strings.Join(languages.Names(), ", ")},
			"cannot run the code: there is no language %s", safetext.Quote(word))
	}
	return l.Name, nil // that of none is ""
}

// Languages returns those of this Praxis.
func (a *App) Languages() language.Table { return a.opt.Languages }

// Speaks finds the language of the session that a word means, as in CodeRequest.
func (s *Session) Speaks(word string) (language.Language, error) {
	has := s.s.Languages().In(s.image.Runtimes)
	l, ok := has.Called(strings.ToLower(word))
	if !ok && slices.Contains(s.image.Undriven, strings.ToLower(word)) {
		return l, fault.Coded(fault.LanguageUndriven, fault.Data{"language": safetext.Line(word), "package": image.JupyterClient},
			"cannot run %s: the image has a kernel of Jupyter's for it, and not the package that drives it", safetext.Quote(word))
	}
	if !ok {
		return l, fault.Coded(fault.LanguageMissing, fault.Data{"language": safetext.Line(word), "known": strings.Join(has.Names(), ", ")},
			"cannot run %s: the session has no such language", safetext.Quote(word))
	}
	return l, nil
}

// MissingOf says which module an execution ended for the lack of; nil: for none.
func (s *Session) MissingOf(x event.Execution) *Missing { return MissingOf(s.s.Languages(), x) }

// LanguageName is the name of the language that a word means; "" stays "".
func (s *Session) LanguageName(word string) (string, error) {
	if word == "" {
		return "", nil
	}
	l, err := s.Speaks(word)
	return l.Name, err
}

// Language is that of the session's code, as its image has it.
func (s *Session) Language() language.Language {
	return s.s.Languages().Of(s.image.Runtimes)
}

// withLanguages names the languages of a session by the words for them, and adds what they
// need.
func (a *App) withLanguages(ctx context.Context, spec SessionSpec) (SessionSpec, error) {
	words := spec.Languages
	spec.Languages = nil
	for _, word := range slices.Backward(words) { // each is put first
		name, err := languageOf(a.opt.Languages, word, "")
		if err != nil {
			return spec, err
		}
		if name == a.opt.Languages.Named("").Name && len(spec.Languages) > 0 {
			spec.Languages = append([]string{name}, spec.Languages...)
			continue
		}
		if spec, err = a.withLanguage(ctx, spec, name); err != nil {
			return spec, err
		}
	}
	return spec, nil
}

// withLanguage adds to a session what code in a language needs of its image. A named
// session that exists has the image that it was made with.
func (a *App) withLanguage(ctx context.Context, spec SessionSpec, name string) (SessionSpec, error) {
	l, _ := a.opt.Languages.Find(name)
	if l.Name != javascript.Name && l.Host != javascript.Name || slices.Contains(spec.Languages, javascript.Name) {
		return spec, nil
	}
	if spec.Name != "" {
		m, err := a.machinery(ctx)
		if err != nil {
			return spec, err
		}
		if _, err := m.sessions.LookupNamed(spec.Name); fault.KindOf(err) != fault.NotFound {
			return spec, err
		}
	}
	spec.Languages = append([]string{javascript.Name}, spec.Languages...)
	return spec, nil
}
