package client

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server/api"
)

// unnamedFor is how long a session without a name lasts that its caller never closes.
const unnamedFor = 24 * time.Hour

// Session is one session of the server. Its methods are safe for concurrent use.
type Session struct {
	app.Spoken
	client *Client
	ref    api.SessionRef
	named  bool
	limits event.Limits
	image  event.Image

	mu      sync.Mutex
	running string // the execution that began last and goes on; "": none does
	added   []event.Package
}

// session is a session of the server, as it describes it.
func (c *Client) session(made api.Session, named bool) *Session {
	s := &Session{client: c, ref: api.SessionRef{Session: made.ID}, named: named, added: made.Added}
	if made.Limits != nil {
		s.limits = *made.Limits
	}
	if made.Image != nil {
		s.image = *made.Image
	}
	s.Spoken = app.SpokenBy(s.image)
	return s
}

// OpenSession opens the session that a spec names, or makes it. One without a name ends when
// it is closed.
func (c *Client) OpenSession(ctx context.Context, spec app.SessionSpec, _ event.Sink) (*Session, error) {
	if err := refuse(local{"a file of requirements", spec.Requirements != ""}, local{"a session with a date", !spec.Date.IsZero()}); err != nil {
		return nil, err
	}
	in := api.NewSession{ID: spec.Name, Image: spec.Image, With: spec.With, NPM: spec.NPM, Languages: spec.Languages, Limits: some(spec.Limits), Seed: spec.Seed}
	if spec.Name == "" {
		in.LastsS = unnamedFor.Seconds()
	}
	made, err := call[api.Session](ctx, c, "sessions.create", in)
	if spec.Name != "" && fault.CodeOf(err) == fault.SessionExists {
		made, err = call[api.Session](ctx, c, "sessions.resume", api.SessionRef{Session: spec.Name})
	}
	if err != nil {
		return nil, err
	}
	return c.session(made, spec.Name != ""), nil
}

// LanguageName returns the word: the server knows what it means.
func (s *Session) LanguageName(word string) (string, error) { return word, nil }

// Execute is that of app.
func (s *Session) Execute(ctx context.Context, language, code string, b event.Bounds, sink event.Sink) (event.Execution, error) {
	begun, err := call[api.Execution](ctx, s.client, "executions.start", api.NewExecution{
		SessionRef: s.ref, Code: code, Language: language, Bounds: some(b), Detach: true, LingerS: lingerFor.Seconds(),
	})
	if err != nil {
		return event.Execution{}, err
	}
	s.set("", begun.ID)
	defer s.set(begun.ID, "")
	within := event.SinkFunc(func(e event.Event) {
		switch e.(type) {
		case event.ExecutionBegan, event.ExecutionEnded: // its caller knows, and gets the result
		default:
			sink.Emit(e)
		}
	})
	done, err := follow[api.Execution](ctx, s.client, work{events: "executions.events", interrupt: "executions.interrupt", ref: s.execution(begun.ID)}, within)
	switch {
	case err != nil:
		return event.Execution{}, err
	case done.Failure != nil:
		return event.Execution{}, foreign(done.Failure)
	case done.Execution == nil:
		return event.Execution{}, fault.New(fault.Unavailable, "The server may be of another version.", "cannot read what the code did: the server says nothing of it")
	}
	return *done.Execution, nil
}

// set says what runs; was is what ran, and "" whatever did.
func (s *Session) set(was, is string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was == "" || s.running == was {
		s.running = is
	}
}

func (s *Session) execution(id string) api.ExecutionRef {
	return api.ExecutionRef{SessionRef: s.ref, Execution: id}
}

// Interrupt interrupts the code that runs, whatever its language.
func (s *Session) Interrupt(ctx context.Context, _ string) error {
	s.mu.Lock()
	id := s.running
	s.mu.Unlock()
	if id == "" {
		return nil
	}
	_, err := call[json.RawMessage](ctx, s.client, "executions.interrupt", s.execution(id))
	return err
}

// AddPackages is that of app. The session is saved when there are new ones.
func (s *Session) AddPackages(ctx context.Context, packages []string, sink event.Sink) (app.AddedPackages, error) {
	out, _, err := s.client.AddToSession(ctx, s.ref.Session, packages, sink)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.added = append(s.added, out.Added...)
	return out, err
}

// Packages is that of app.
func (s *Session) Packages() (image, added []event.Package) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.image.Packages, slices.Clone(s.added)
}

// Limits is that of app.
func (s *Session) Limits() event.Limits { return s.limits.WithDefaults() }

// MissingOf is that of app.
func (s *Session) MissingOf(x event.Execution) *app.Missing { return app.MissingOf(app.Languages(), x) }

// Complete is that of app.
func (s *Session) Complete(ctx context.Context, language, code string, cursor int) (app.Completion, error) {
	return call[app.Completion](ctx, s.client, "contexts.complete", api.Completing{SessionRef: s.ref, Code: code, Cursor: cursor, Language: language})
}

// Restart is that of app.
func (s *Session) Restart(ctx context.Context, language string) error {
	_, err := call[api.Nothing](ctx, s.client, "contexts.restart", api.ContextRef{SessionRef: s.ref, Context: language})
	return err
}

// AddFiles is that of app.
func (s *Session) AddFiles(ctx context.Context, inputs []app.Input) error {
	return app.AddFiles(ctx, s, inputs)
}

// WriteFile is that of app.
func (s *Session) WriteFile(ctx context.Context, name string, from io.Reader) error {
	return s.client.upload(ctx, "files.write", api.FileRef{SessionRef: s.ref, Path: name}, from)
}

// ReadFile is that of app.
func (s *Session) ReadFile(ctx context.Context, name string, to io.Writer) error {
	return s.client.download(ctx, "files.read", api.FileRef{SessionRef: s.ref, Path: name}, to)
}

// WorkFiles is that of app.
func (s *Session) WorkFiles(ctx context.Context) ([]app.File, error) {
	out, err := call[api.Files](ctx, s.client, "files.list", api.Folder{SessionRef: s.ref})
	return app.WorkFiles(out.Files), err
}

// Save is that of app.
func (s *Session) Save(ctx context.Context, label string) (string, error) {
	out, err := call[api.Snapshot](ctx, s.client, "sessions.snapshot", api.Labeled{SessionRef: s.ref, Label: label})
	return out.ID, err
}

// Rollback is that of app.
func (s *Session) Rollback(ctx context.Context, snapshot string) error {
	_, err := s.client.RollbackSession(ctx, s.ref.Session, snapshot)
	return err
}

// Fork is that of app.
func (s *Session) Fork(ctx context.Context) (*Session, error) {
	made, err := call[api.Sessions](ctx, s.client, "sessions.fork", api.Forking{SessionRef: s.ref, LastsS: unnamedFor.Seconds()})
	if err == nil && len(made.Sessions) != 1 {
		err = fault.New(fault.Unavailable, "The server may be of another version.", "cannot fork session %s: the server made %d sessions", s.ref.Session, len(made.Sessions))
	}
	if err != nil {
		return nil, err
	}
	return s.client.session(made.Sessions[0], false), nil
}

// closeFor bounds the time in which a session is removed.
const closeFor = 30 * time.Second

// Close removes a session without a name. One with a name is the server's.
func (s *Session) Close() error {
	if s.named {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), closeFor)
	defer stop()
	err := s.client.RemoveSession(ctx, s.ref.Session)
	if fault.KindOf(err) == fault.NotFound { // it is over
		return nil
	}
	return err
}
