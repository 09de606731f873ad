package praxis

import (
	"context"
	"io"
	"time"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/client"
)

// SessionOptions say what session is wanted. The zero value is a fresh session
// with the default image and limits.
type SessionOptions struct {
	// Name is that of a session which stays in the data folder: one that exists
	// goes on from where it was saved. "": the session ends with its use.
	Name         string
	With         []string     // packages, such as "numpy" or "pandas==2.*"
	Requirements string       // path of a requirements file with packages
	NPM          []string     // packages of npm, such as "lodash" or "d3@7"
	Languages    []string     // that code will be in, by name, the main one first; nil: Python
	Image        string       // that it runs: a name, an id, or the reference of a container image; "": Praxis's own
	Limits       event.Limits // zero fields: the defaults, or those that a named session was made with
	Seed         *int64       // makes the session deterministic
	Date         time.Time    // when it begins by its clocks, if it has a seed; zero: the same for all
}

func (o SessionOptions) spec() app.SessionSpec {
	return app.SessionSpec{Name: o.Name, With: o.With, Requirements: o.Requirements, NPM: o.NPM, Image: o.Image, Languages: o.Languages, Limits: o.Limits, Seed: o.Seed, Date: o.Date}
}

// File is a regular file of a session, as the guest describes it: nothing of it
// can be trusted.
type File struct {
	Path    string // absolute
	Bytes   int64
	Changed time.Time
}

// Session is a sandbox whose variables and files stay between executions. Its
// methods are safe for concurrent use; executions come one after the other.
type Session struct {
	run      executor
	files    filer
	state    saver
	snapshot func(ctx context.Context) (string, error)
	fork     func(ctx context.Context) (*Session, error)
	lang     string // that code is in; "": the first
}

// NewSession opens a session. The first with an image takes some seconds: the
// image is unpacked, packages are installed, and a template is made; a later one
// takes about a tenth of a second. It is to be closed.
func (c *Client) NewSession(ctx context.Context, o SessionOptions) (*Session, error) {
	if server, ok := c.does.(*client.Client); ok {
		s, err := server.OpenSession(ctx, o.spec(), event.Discard)
		if err != nil {
			return nil, err
		}
		return there(s), nil
	}
	a, err := does[*app.App](c)
	if err != nil {
		return nil, err
	}
	s, err := a.OpenSession(ctx, o.spec(), event.Discard)
	if err != nil {
		return nil, err
	}
	return here(s), nil
}

// In returns the same session for code of another language that it has, such as "sql" or
// "bash": by its name, a tag of its blocks or an ending of its files. Each language has
// variables of its own, and all have the same files. A language that the session does not
// have is a fault of the call that executes.
func (s *Session) In(language string) *Session {
	out := *s
	out.lang = language
	return &out
}

// Execute runs code. What it prints is yielded as [event.Output]; what it did
// is the result, also when it raised an exception or broke a limit. When the
// context ends, the code is interrupted.
func (s *Session) Execute(code string) *Call[event.Execution] {
	return s.ExecuteWithin(code, event.Bounds{})
}

// ExecuteWithin runs code within bounds. Zero fields mean the defaults: 30
// seconds and 1 MiB of output.
func (s *Session) ExecuteWithin(code string, b event.Bounds) *Call[event.Execution] {
	return newCall(func(ctx context.Context, sink event.Sink) (event.Execution, error) {
		lang, err := s.run.LanguageName(s.lang)
		if err != nil {
			return event.Execution{}, err
		}
		return s.run.Execute(ctx, lang, code, b, sink)
	})
}

// Interrupt interrupts the code that runs, as Ctrl-C would.
func (s *Session) Interrupt(ctx context.Context) error { return s.run.Interrupt(ctx, s.lang) }

// AddPackages gives the session packages such as "polars", "plotly>=6" or, of npm,
// "npm:lodash", with what they need, and returns what is new. Variables stay, and code can import the
// packages at once; packages that are there already are not returned. They have to go
// together with what the session has, lie on its own disk and are part of its
// snapshots; a named session is to be saved. It waits until no code runs.
func (s *Session) AddPackages(ctx context.Context, packages ...string) ([]event.Package, error) {
	out, err := s.run.AddPackages(ctx, packages, event.Discard)
	return out.Added, err
}

// WriteFile writes a file whole, with the folders above it. A relative path is
// one of the working folder.
func (s *Session) WriteFile(ctx context.Context, name string, from io.Reader) error {
	return s.files.WriteFile(ctx, name, from)
}

// ReadFile copies a file to to. A guest can send without end: to returns an
// error when it has enough.
func (s *Session) ReadFile(ctx context.Context, name string, to io.Writer) error {
	return s.files.ReadFile(ctx, name, to)
}

// Files lists the regular files of the working folder and below it, by name.
func (s *Session) Files(ctx context.Context) ([]File, error) {
	found, err := s.files.WorkFiles(ctx)
	var out []File
	for _, f := range found {
		out = append(out, File{f.Path, f.Bytes, f.Changed})
	}
	return out, err
}

// Snapshot keeps the whole state, variables and files, and returns the
// snapshot's id. The session goes on. The snapshot is there for Rollback, and stays on
// disk when the session is closed, until praxis gc removes it: when it is older than 30
// days, or all of them together have more than journal.snapshot_bytes.
func (s *Session) Snapshot(ctx context.Context) (string, error) {
	return s.snapshot(ctx)
}

// Rollback goes back to a snapshot of this session.
func (s *Session) Rollback(ctx context.Context, snapshot string) error {
	return s.state.Rollback(ctx, snapshot)
}

// Fork makes another session that goes on from the state of this one. It has no
// name, and is to be closed.
func (s *Session) Fork(ctx context.Context) (*Session, error) {
	other, err := s.fork(ctx)
	if err != nil {
		return nil, err
	}
	return other.In(s.lang), nil
}

// Save makes the state what a named session goes on from, and returns the
// snapshot's id. The label says what was done, for a person.
func (s *Session) Save(ctx context.Context, label string) (string, error) {
	return s.state.Save(ctx, label)
}

// Close ends the sandbox. A named session goes on later from where it was saved.
func (s *Session) Close() error { return s.state.Close() }
