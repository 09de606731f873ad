package app

import (
	"context"
	"slices"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/config"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
	"praxis/internal/session"
)

// ContextInfo describes a context: a kernel of a session with its variables.
type ContextInfo struct {
	Name     string `json:"name"`
	Language string `json:"language"`
	State    string `json:"state"` // starting, idle, busy or dead
	// Folder is where its interpreters are started, if it was given one, and Executions counts
	// the code that the present one ran.
	Folder     string `json:"-"`
	Executions int    `json:"-"`
}

// Exec says where and how code is run in a context. The zero value of each field means what is usual.
type Exec struct {
	Context  string // "": that of the language
	Language string // "": that of the context, or the session's first
	File     string // the name of the code in errors; "": they number what was run
	Bounds   event.Bounds
	// Environ are variables that the code finds in its environment besides. The next code
	// without them finds what was there before.
	Environ map[string]string
	// Folder is where the context works: its interpreters are started there, and one that runs
	// already goes there, if it was given another before. It is absolute and clean.
	Folder string
	// Rich asks for forms of values for programs beside those for people, where the language
	// has such: python.DataType, python.ChartType.
	Rich bool
	// Unwatched leaves out which files the code changed.
	Unwatched bool
}

// Contexts lists the contexts of the session: that of its first language, which is called
// main, one of each other language that code was in, called as that is, and those that were
// made.
func (s *Session) Contexts(ctx context.Context) (out []ContextInfo, err error) {
	err = s.s.Use(ctx, func(c *guest.Client) error {
		list, err := c.Contexts(ctx)
		for _, i := range list {
			out = append(out, ContextInfo{i.Name, safetext.Line(i.Language), i.State, i.Folder, i.Executions})
		}
		return err
	})
	return out, err
}

// FindContext finds a context by its name.
func (s *Session) FindContext(ctx context.Context, name string) (ContextInfo, error) {
	list, err := s.Contexts(ctx)
	if err != nil {
		return ContextInfo{}, err
	}
	if i := slices.IndexFunc(list, func(c ContextInfo) bool { return c.Name == name }); i >= 0 {
		return list[i], nil
	}
	return ContextInfo{}, fault.New(fault.NotFound, "List the contexts of the session, or make one.", "cannot find context %s", safetext.Clip(safetext.Line(name), wire.MaxName))
}

// MakeContext makes a context of a language, "" is the session's first, with variables of its
// own, in a folder, "" is the session's. The names of languages, and main, are those of
// contexts that there are by themselves.
func (s *Session) MakeContext(ctx context.Context, name, lang, folder string) (ContextInfo, error) {
	refused := func(remedy, why string) (ContextInfo, error) {
		return ContextInfo{}, fault.New(fault.Conflict, remedy, "cannot make context %s: %s", safetext.Clip(safetext.Line(name), wire.MaxName), why)
	}
	if !wire.ValidName(name) {
		return ContextInfo{}, fault.New(fault.Invalid, "Use up to 64 letters, digits, '_', '-' and '.'.", "cannot make a context: %q is no name", safetext.Clip(safetext.Line(name), wire.MaxName))
	}
	if _, err := s.Speaks(name); err == nil || name == wire.Main {
		return refused("Choose another name.", "it is there by itself")
	}
	if _, err := s.FindContext(ctx, name); fault.KindOf(err) != fault.NotFound {
		if err != nil {
			return ContextInfo{}, err
		}
		return refused("Choose another name, or use it.", "there is one already")
	}
	if lang == "" {
		lang = s.Language().Name
	}
	x, err := s.ExecuteIn(ctx, "", Exec{Context: name, Language: lang, Folder: folder}, event.Discard)
	if err == nil && x.Status != event.OK {
		err = fault.New(fault.Unavailable, "Try again, or end other contexts.", "cannot make context %s: %s", name, safetext.Line(x.Message))
	}
	if err != nil {
		return ContextInfo{}, err
	}
	return s.FindContext(ctx, name)
}

// RemoveContext ends a context: its variables are gone. main can be restarted only.
func (s *Session) RemoveContext(ctx context.Context, name string) error {
	return s.s.Use(ctx, func(c *guest.Client) error { return c.RemoveContext(ctx, name) })
}

// RestartContext starts a new interpreter in a context: its variables are gone, files stay.
func (s *Session) RestartContext(ctx context.Context, name string) error {
	return s.s.Restart(ctx, name)
}

// ExecuteIn is Execute in a context.
func (s *Session) ExecuteIn(ctx context.Context, code string, x Exec, sink event.Sink) (event.Execution, error) {
	if err := config.ValidateBounds(x.Bounds); err != nil {
		return event.Execution{}, err
	}
	return s.s.Execute(ctx, code, session.Exec{
		Context: x.Context, Language: x.Language, File: x.File, Bounds: x.Bounds.Over(s.bounds), Changes: !x.Unwatched,
		Environ: x.Environ, Folder: x.Folder, Rich: x.Rich,
	}, sink)
}
