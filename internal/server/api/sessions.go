package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/live"
)

// Session describes a session.
type Session struct {
	ID       string            `json:"id"`
	State    live.State        `json:"state" jsonschema:"live, paused (the next call opens it) or lost (the server ended before it was saved)"`
	Made     time.Time         `json:"made"`
	Ends     time.Time         `json:"ends,omitzero" jsonschema:"when it is deleted; left out: not by itself"`
	Metadata map[string]string `json:"metadata,omitempty"`
	Image    *event.Image      `json:"image,omitempty" jsonschema:"while it is live"`
	Limits   *event.Limits     `json:"limits,omitempty" jsonschema:"while it is live"`
	Seed     *int64            `json:"seed,omitempty"`
	Added    []event.Package   `json:"added,omitempty" jsonschema:"while it is live: packages that it was given beside those of its image"`
}

func sessionOf(i live.Info) Session {
	out := Session{ID: i.ID, State: i.State, Made: i.Made, Ends: i.Ends, Metadata: i.Metadata}
	if s := i.Session; s != nil {
		out.Image, out.Limits, out.Seed, out.Added = &s.Image, &s.Limits, s.Seed, s.Added
	}
	return out
}

// SessionRef names a session.
type SessionRef struct {
	Session string `json:"session" in:"path" jsonschema:"its id"`
}

// NewSession asks for a session.
type NewSession struct {
	ID        string            `json:"id,omitempty" jsonschema:"its name: letters, digits, '.', '_' and '-'; left out: one is chosen"`
	Image     string            `json:"image,omitempty" jsonschema:"a name, an id or the reference of an image that is there; left out: the usual one"`
	With      []string          `json:"with,omitempty" jsonschema:"packages of Python, such as pandas==2.*"`
	NPM       []string          `json:"npm,omitempty" jsonschema:"packages of npm"`
	Languages []string          `json:"languages,omitempty" jsonschema:"that code will be in, the main one first"`
	Limits    *event.Limits     `json:"limits,omitempty" jsonschema:"zero fields: the usual ones"`
	Seed      *int64            `json:"seed,omitempty" jsonschema:"makes the session deterministic"`
	LastsS    float64           `json:"lasts_s,omitempty" jsonschema:"seconds after which it is deleted; 0: not by itself"`
	Metadata  map[string]string `json:"metadata,omitempty" jsonschema:"the caller's own, at most 64 entries"`
}

// Bounds of requests.
const (
	maxMetadata = 64
	maxWord     = 1000
	maxLast     = 365 * 24 * time.Hour
	maxForks    = 100
)

func (q NewSession) request() (live.Request, error) {
	if len(q.Metadata) > maxMetadata {
		return live.Request{}, fault.New(fault.Invalid, "Give fewer.", "cannot make a session: it has more than %d entries of metadata", maxMetadata)
	}
	for k, v := range q.Metadata {
		if len(k) > maxWord || len(v) > maxWord {
			return live.Request{}, fault.New(fault.Invalid, "Give shorter ones.", "cannot make a session: an entry of its metadata has more than %d bytes", maxWord)
		}
	}
	lasts, err := seconds("lasts_s", q.LastsS)
	if err != nil {
		return live.Request{}, err
	}
	spec := app.SessionSpec{Name: q.ID, Image: q.Image, With: q.With, NPM: q.NPM, Languages: q.Languages, Seed: q.Seed}
	if q.Limits != nil {
		spec.Limits = *q.Limits
	}
	return live.Request{Spec: spec, Lasts: lasts, Metadata: q.Metadata}, nil
}

// seconds reads a length of time.
func seconds(name string, s float64) (time.Duration, error) {
	if !(s >= 0 && s <= maxLast.Seconds()) {
		return 0, fault.New(fault.Invalid, fmt.Sprintf("Give 0 to %.0f seconds.", maxLast.Seconds()), "cannot read %s: %v is no such time", name, s)
	}
	return time.Duration(s * float64(time.Second)), nil
}

// Sessions is a list of sessions.
type Sessions struct {
	Sessions []Session `json:"sessions"`
}

// Lasting says how long a session lasts.
type Lasting struct {
	SessionRef
	LastsS float64 `json:"lasts_s" jsonschema:"seconds from now after which it is deleted; 0: not by itself"`
}

// Forking asks for copies of a session.
type Forking struct {
	SessionRef
	ID     string  `json:"id,omitempty" jsonschema:"the name of a single copy; left out: one is chosen"`
	Count  int     `json:"count,omitempty" jsonschema:"how many, 1 to 100; 0: one"`
	LastsS float64 `json:"lasts_s,omitempty" jsonschema:"seconds after which they are deleted; 0: not by themselves"`
}

// Labeled gives a state a label.
type Labeled struct {
	SessionRef
	Label string `json:"label,omitempty" jsonschema:"what was done, in a few words"`
}

// Snapshot is a state of a session.
type Snapshot struct {
	ID      string    `json:"id"`
	Parent  string    `json:"parent,omitempty"`
	Label   string    `json:"label,omitempty"`
	Created time.Time `json:"created,omitzero"`
	Bytes   int64     `json:"bytes,omitempty"`
	Head    bool      `json:"head" jsonschema:"the session stands there"`
}

// Snapshots is a list of states, the oldest first.
type Snapshots struct {
	Snapshots []Snapshot `json:"snapshots"`
}

// Rollback names the state that a session goes back to.
type Rollback struct {
	SessionRef
	Snapshot string `json:"snapshot,omitempty" jsonschema:"its id; left out: the one before the last"`
}

func sessions() []Operation {
	return []Operation{
		operation("sessions.create", http.MethodPost, "/sessions", access.Run, http.StatusCreated, "Make a session.",
			func(ctx context.Context, c *Call, in NewSession) (Session, error) {
				q, err := in.request()
				if err != nil {
					return Session{}, err
				}
				i, err := c.Tenant.Hub.Create(ctx, q, event.Discard)
				return sessionOf(i), err
			}),
		operation("sessions.list", http.MethodGet, "/sessions", access.Read, http.StatusOK, "List the sessions, the oldest first.",
			func(_ context.Context, c *Call, _ Nothing) (Sessions, error) {
				out := Sessions{[]Session{}}
				for _, i := range c.Tenant.Hub.List() {
					out.Sessions = append(out.Sessions, sessionOf(i))
				}
				return out, nil
			}),
		operation("sessions.get", http.MethodGet, "/sessions/{session}", access.Read, http.StatusOK, "Describe a session.",
			func(_ context.Context, c *Call, in SessionRef) (Session, error) {
				i, err := c.Tenant.Hub.Get(in.Session)
				return sessionOf(i), err
			}),
		operation("sessions.delete", http.MethodDelete, "/sessions/{session}", access.Run, http.StatusNoContent, "End a session and remove its state.",
			func(ctx context.Context, c *Call, in SessionRef) (Nothing, error) {
				return Nothing{}, c.Tenant.Hub.Delete(ctx, in.Session)
			}),
		operation("sessions.pause", http.MethodPost, "/sessions/{session}/pause", access.Run, http.StatusOK, "Save a session and close its sandbox; the next call opens it.",
			func(ctx context.Context, c *Call, in SessionRef) (Session, error) {
				if err := c.Tenant.Hub.Pause(ctx, in.Session); err != nil {
					return Session{}, err
				}
				i, err := c.Tenant.Hub.Get(in.Session)
				return sessionOf(i), err
			}),
		operation("sessions.resume", http.MethodPost, "/sessions/{session}/resume", access.Run, http.StatusOK, "Open a session that is paused.",
			func(ctx context.Context, c *Call, in SessionRef) (Session, error) {
				if err := c.Tenant.Hub.Use(ctx, in.Session, func(*app.Session) error { return nil }); err != nil {
					return Session{}, err
				}
				i, err := c.Tenant.Hub.Get(in.Session)
				return sessionOf(i), err
			}),
		operation("sessions.extend", http.MethodPost, "/sessions/{session}/extend", access.Run, http.StatusOK, "Say anew how long a session lasts.",
			func(_ context.Context, c *Call, in Lasting) (Session, error) {
				lasts, err := seconds("lasts_s", in.LastsS)
				if err != nil {
					return Session{}, err
				}
				if err := c.Tenant.Hub.Extend(in.Session, lasts); err != nil {
					return Session{}, err
				}
				i, err := c.Tenant.Hub.Get(in.Session)
				return sessionOf(i), err
			}),
		operation("sessions.fork", http.MethodPost, "/sessions/{session}/fork", access.Run, http.StatusCreated, "Make sessions that go on from the state of one.", fork),
		operation("sessions.snapshot", http.MethodPost, "/sessions/{session}/snapshots", access.Run, http.StatusCreated, "Save the state of a session.",
			func(ctx context.Context, c *Call, in Labeled) (Snapshot, error) {
				id, err := c.Tenant.Hub.Save(ctx, in.Session, in.Label)
				return Snapshot{ID: id, Label: in.Label, Head: true}, err
			}),
		operation("sessions.snapshots", http.MethodGet, "/sessions/{session}/snapshots", access.Read, http.StatusOK, "List the states of a session.",
			func(ctx context.Context, c *Call, in SessionRef) (Snapshots, error) {
				list, err := c.Tenant.Hub.Snapshots(ctx, in.Session)
				out := Snapshots{[]Snapshot{}}
				for _, s := range list {
					out.Snapshots = append(out.Snapshots, Snapshot{s.ID, s.Parent, s.Label, s.Created, s.Bytes, s.Head})
				}
				return out, err
			}),
		operation("sessions.rollback", http.MethodPost, "/sessions/{session}/rollback", access.Run, http.StatusOK, "Take a session back to a state.",
			func(ctx context.Context, c *Call, in Rollback) (Snapshot, error) {
				id, err := c.Tenant.Hub.Rollback(ctx, in.Session, in.Snapshot)
				return Snapshot{ID: id, Head: true}, err
			}),
	}
}

func fork(ctx context.Context, c *Call, in Forking) (Sessions, error) {
	count := max(in.Count, 1)
	if in.Count < 0 || count > maxForks {
		return Sessions{}, fault.New(fault.Invalid, fmt.Sprintf("Ask for 1 to %d.", maxForks), "cannot fork session %s %d times", safetext.Line(in.Session), in.Count)
	}
	lasts, err := seconds("lasts_s", in.LastsS)
	if err != nil {
		return Sessions{}, err
	}
	names := make([]string, count)
	if names[0] = in.ID; in.ID != "" && count > 1 {
		return Sessions{}, fault.New(fault.Invalid, "Leave the name out, or ask for one.", "cannot fork session %s: %d copies cannot have one name", safetext.Line(in.Session), count)
	}
	made, err := c.Tenant.Hub.Fork(ctx, in.Session, names, lasts)
	out := Sessions{[]Session{}}
	for _, i := range made {
		out.Sessions = append(out.Sessions, sessionOf(i))
	}
	return out, err
}

// Execution is a piece of code that runs in a session, or did.
type Execution struct {
	ID        string           `json:"id"`
	Session   string           `json:"session"`
	Began     time.Time        `json:"began"`
	Ended     bool             `json:"ended"`
	Execution *event.Execution `json:"execution,omitempty" jsonschema:"what the code did, once it has ended"`
	Failure   *fault.Error     `json:"failure,omitempty" jsonschema:"why it could not be run"`
}

func executionOf(x *live.Execution) Execution {
	out := Execution{ID: x.ID, Session: x.Session, Began: x.Began()}
	if out.Ended = x.Ended(); !out.Ended {
		return out
	}
	got, err := x.Result()
	if err != nil {
		out.Failure = fault.Of(err)
		return out
	}
	out.Execution = &got
	return out
}

// NewExecution asks for code to be run.
type NewExecution struct {
	SessionRef
	Code        string  `json:"code"`
	Language    string  `json:"language,omitempty" jsonschema:"a name such as python, javascript, sql or bash; left out: the session's first"`
	Context     string  `json:"context,omitempty" jsonschema:"a context that was made; left out: that of the language"`
	TimeoutS    float64 `json:"timeout_s,omitempty" jsonschema:"wall time; 0: the usual one"`
	OutputBytes int64   `json:"output_bytes,omitempty" jsonschema:"that the result holds; 0: the usual number"`
	Stream      bool    `json:"stream,omitempty" jsonschema:"answer with events as they happen"`
	Detach      bool    `json:"detach,omitempty" jsonschema:"answer at once; the code goes on when the caller is gone"`
	LingerS     float64 `json:"linger_s,omitempty" jsonschema:"with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on"`

	Bounds *event.Bounds `json:"bounds,omitempty" jsonschema:"zero fields: the usual ones"`
}

// ExecutionRef names an execution.
type ExecutionRef struct {
	SessionRef
	Execution string `json:"execution" in:"path" jsonschema:"its id"`
}

// Executions is a list of executions, the oldest first.
type Executions struct {
	Executions []Execution `json:"executions"`
}

func executions() []Operation {
	return []Operation{
		events[NewExecution, Execution]("executions.start", http.MethodPost, "/sessions/{session}/executions", access.Run, http.StatusCreated,
			"Run code in a session. Without stream and detach the answer comes when the code has ended; a caller that goes away interrupts it.", execute),
		operation("executions.list", http.MethodGet, "/sessions/{session}/executions", access.Read, http.StatusOK, "List the last executions of a session.",
			func(_ context.Context, c *Call, in SessionRef) (Executions, error) {
				list, err := c.Tenant.Hub.Executions(in.Session)
				out := Executions{[]Execution{}}
				for _, x := range list {
					out.Executions = append(out.Executions, executionOf(x))
				}
				return out, err
			}),
		operation("executions.get", http.MethodGet, "/sessions/{session}/executions/{execution}", access.Read, http.StatusOK, "Describe an execution.",
			func(_ context.Context, c *Call, in ExecutionRef) (Execution, error) {
				x, err := c.Tenant.Hub.Execution(in.Session, in.Execution)
				if err != nil {
					return Execution{}, err
				}
				return executionOf(x), nil
			}),
		events[ExecutionRef, Execution]("executions.events", http.MethodGet, "/sessions/{session}/executions/{execution}/events", access.Read, http.StatusOK,
			"Follow an execution; Last-Event-ID says what was seen before.",
			func(_ context.Context, c *Call, in ExecutionRef) (any, error) {
				x, err := c.Tenant.Hub.Execution(in.Session, in.Execution)
				if err != nil {
					return nil, err
				}
				return streamOf(x, c.After, nil), nil
			}),
		operation("executions.interrupt", http.MethodPost, "/sessions/{session}/executions/{execution}/interrupt", access.Run, http.StatusOK, "Interrupt an execution, and wait for its end.",
			func(ctx context.Context, c *Call, in ExecutionRef) (Execution, error) {
				x, err := c.Tenant.Hub.Execution(in.Session, in.Execution)
				if err != nil {
					return Execution{}, err
				}
				x.Interrupt()
				x.Wait(ctx)
				return executionOf(x), nil
			}),
	}
}

func streamOf(x *live.Execution, after int64, leave func()) *Stream {
	return &Stream{Log: x.Log, After: after, Leave: leave, Final: func() any { <-x.Done(); return executionOf(x) }}
}

// execute begins an execution, and waits for it unless it is to be followed or left alone.
func execute(ctx context.Context, c *Call, in NewExecution) (any, error) {
	bounds, err := Making{Bounds: in.Bounds}.bounds(in.TimeoutS)
	if err != nil {
		return nil, err
	}
	bounds.OutputBytes = cmp.Or(in.OutputBytes, bounds.OutputBytes)
	linger, err := seconds("linger_s", in.LingerS)
	if err != nil {
		return nil, err
	}
	x, err := c.Tenant.Hub.Execute(ctx, in.Session, live.Code{Text: in.Code, Language: in.Language, Context: in.Context, Bounds: bounds})
	if err != nil {
		return nil, err
	}
	if in.Detach && linger > 0 {
		x.Log.WhenLeft(linger, x.Interrupt)
	}
	switch {
	case in.Stream && in.Detach:
		return streamOf(x, 0, nil), nil
	case in.Stream:
		return streamOf(x, 0, x.Interrupt), nil
	case in.Detach:
		return executionOf(x), nil
	}
	x.Wait(ctx)
	out := executionOf(x)
	if _, err := x.Result(); err != nil {
		return nil, err
	}
	return out, nil
}
