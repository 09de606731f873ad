package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/server/access"
)

// Recorded is the record of a run, with those of the runs that it began.
type Recorded struct {
	ID       string          `json:"id"`
	Events   []RecordedEvent `json:"events"`
	Damage   string          `json:"damage,omitempty" jsonschema:"why the rest is missing"`
	Children []Recorded      `json:"children,omitempty"`
}

// RecordedEvent is one event of a record.
type RecordedEvent struct {
	Seq  int64           `json:"seq" jsonschema:"its place in the record"`
	Time time.Time       `json:"time"`
	Name string          `json:"event"`
	Data json.RawMessage `json:"data"`
}

func recordedOf(run app.RecordedRun) (Recorded, error) {
	out := Recorded{ID: run.ID, Damage: run.Damage, Events: make([]RecordedEvent, 0, len(run.Records))}
	for _, r := range run.Records {
		data, err := event.Marshal(r.Event)
		if err != nil {
			return out, err
		}
		out.Events = append(out.Events, RecordedEvent{r.Seq, r.Time, event.Name(r.Event), data})
	}
	for _, c := range run.Children {
		child, err := recordedOf(c)
		if err != nil {
			return out, err
		}
		out.Children = append(out.Children, child)
	}
	return out, nil
}

// find returns the id of the record that a client names.
func (r RecordRef) find(ctx context.Context, c *Call) (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	return c.Tenant.App.FindRun(ctx, r.Record)
}

// StoredSessions is what is stored of sessions.
type StoredSessions struct {
	Sessions []app.NamedSession `json:"sessions"`
}

// NewPackages asks for packages that a session is given.
type NewPackages struct {
	SessionRef
	Packages []string `json:"packages" jsonschema:"such as polars, plotly>=6 or, of npm, npm:lodash"`
}

// AddedPackages is what a session was given.
type AddedPackages struct {
	app.AddedPackages
	Snapshot string `json:"snapshot,omitempty" jsonschema:"that the session stands at now; left out: nothing is new"`
}

// NoteRef names a note.
type NoteRef struct {
	Note string `json:"note" in:"path" jsonschema:"its id, or the beginning of one"`
}

// NotesQuery asks for notes.
type NotesQuery struct {
	Words
	Thread string `json:"thread,omitempty" in:"query"`
	Tag    string `json:"tag,omitempty" in:"query"`
	Limit  int    `json:"limit,omitempty" in:"query" jsonschema:"0: 100"`
}

func notes(ctx context.Context, c *Call, in NotesQuery) (Notes, error) {
	most, err := limit(in.Limit, "notes")
	if err != nil {
		return Notes{}, err
	}
	var list []app.Note
	if in.Words.Words != "" {
		list, err = c.Tenant.App.SearchNotes(ctx, in.Words.Words)
	} else {
		list, err = c.Tenant.App.Notes(ctx, app.NoteQuery{Thread: in.Thread, Tag: in.Tag, Limit: most})
	}
	return Notes{append([]app.Note{}, list...)}, err
}

func stored() []Operation {
	return []Operation{
		operation("sessions.stored", http.MethodGet, "/stored-sessions", access.Read, http.StatusOK, "List what is stored of the sessions, with their states and what these take on disk.",
			func(ctx context.Context, c *Call, _ Nothing) (StoredSessions, error) {
				list, err := c.Tenant.App.NamedSessions(ctx)
				for i, s := range list { // paths are the server's own
					list[i].Image = app.Image{ID: s.Image.ID, Name: s.Image.Name}
				}
				return StoredSessions{append([]app.NamedSession{}, list...)}, err
			}),
		operation("packages.add", http.MethodPost, "/sessions/{session}/packages", access.Run, http.StatusOK, "Give a session packages. Its variables stay, and it is saved.",
			func(ctx context.Context, c *Call, in NewPackages) (out AddedPackages, err error) {
				err = c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error {
					out.AddedPackages, err = s.AddPackages(ctx, in.Packages, event.Discard)
					return err
				})
				if err == nil && len(out.Added) > 0 {
					out.Snapshot, err = c.Tenant.Hub.Save(ctx, in.Session, "add "+strings.Join(app.PackageNames(out.Added), ", "))
				}
				return out, err
			}).beginning(),
		operation("records.read", http.MethodGet, "/records/{record}", access.Read, http.StatusOK, "Read the events of a record, with those of the runs that it began.",
			func(ctx context.Context, c *Call, in RecordRef) (Recorded, error) {
				id, err := in.find(ctx, c)
				if err != nil {
					return Recorded{}, err
				}
				run, err := c.Tenant.App.ReadTree(ctx, id)
				if err != nil && run.Damage == "" {
					return Recorded{}, err
				}
				return recordedOf(run)
			}),
		operation("notes.get", http.MethodGet, "/notes/{note}", access.Read, http.StatusOK, "Read a note.",
			func(ctx context.Context, c *Call, in NoteRef) (app.Note, error) {
				return c.Tenant.App.Note(ctx, in.Note)
			}),
		operation("notes.delete", http.MethodDelete, "/notes/{note}", access.Run, http.StatusNoContent, "Remove a note.",
			func(ctx context.Context, c *Call, in NoteRef) (Nothing, error) {
				_, err := c.Tenant.App.RemoveNote(ctx, in.Note)
				return Nothing{}, err
			}),
	}
}
