package openai

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"path"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
	"praxis/internal/server/rest"
)

// fileID returns the id of a file in the session of a thread. It says where the file is: a key
// reads the files of its own tenant's threads, whatever it names.
func fileID(thread, name string) string {
	return "file-" + base64.RawURLEncoding.EncodeToString([]byte(thread+strings.TrimPrefix(name, app.WorkDir)))
}

// placeOf returns the thread and the path that the id of a file names.
func placeOf(id string) (thread, name string, err error) {
	raw, isFile := strings.CutPrefix(id, "file-")
	text, decodeErr := base64.RawURLEncoding.DecodeString(raw)
	thread, name, found := strings.Cut(string(text), "/")
	name = path.Join(app.WorkDir, path.Clean("/"+name))
	if !isFile || decodeErr != nil || !found || app.CheckSessionName(thread) != nil || strings.ContainsRune(name, 0) || name == app.WorkDir {
		return "", "", noFile(id)
	}
	return thread, name, nil
}

func noFile(id string) error {
	return fault.New(fault.NotFound, "Ask for one that an answer names.", "cannot find the file %s", safetext.Quote(safetext.Line(id)))
}

// withFile lends the session of a file that the id of a request names.
func (d *door) withFile(r *http.Request, c *api.Call, f func(s *app.Session, id, name string) error) error {
	ctx, id := r.Context(), r.PathValue("id")
	thread, name, err := placeOf(id)
	if err != nil {
		return err
	}
	all, err := d.of(c.Tenant)
	if err != nil {
		return err
	}
	select {
	case all.reading <- struct{}{}:
		defer func() { <-all.reading }()
	case <-ctx.Done():
		return fault.New(fault.Canceled, "", "the client went away: %w", context.Cause(ctx))
	}
	// A session that is not there is not made.
	if _, err := c.Tenant.App.SessionLog(ctx, thread); fault.KindOf(err) == fault.NotFound {
		return noFile(id)
	} else if err != nil {
		return err
	}
	// Nothing is saved: the session is the one that the thread knows.
	return c.Tenant.Hub.Apart(ctx, thread, func() error {
		s, err := c.Tenant.App.OpenSession(ctx, app.SessionSpec{Name: thread}, event.Discard)
		if err != nil {
			return err
		}
		return errors.Join(f(s, id, name), s.Close())
	})
}

// describeFile answers with what a file is.
func (d *door) describeFile(w *answer, r *http.Request, c *api.Call) error {
	return d.withFile(r, c, func(s *app.Session, id, name string) error {
		files, err := s.WorkFiles(r.Context())
		if err != nil {
			return err
		}
		for _, f := range files {
			if f.Path == name {
				return writeJSON(w, http.StatusOK, struct {
					ID      string `json:"id"`
					Object  string `json:"object"`
					Bytes   int64  `json:"bytes"`
					Created int64  `json:"created_at"`
					Name    string `json:"filename"`
					Purpose string `json:"purpose"`
					Status  string `json:"status"`
				}{id, "file", f.Bytes, f.Changed.Unix(), path.Base(name), "assistants_output", "processed"})
			}
		}
		return noFile(id)
	})
}

// sendFile answers with the content of a file.
func (d *door) sendFile(w *answer, r *http.Request, c *api.Call) error {
	return rest.WriteContent(w, &api.Content{Type: "application/octet-stream", Write: func(to io.Writer) error {
		return d.withFile(r, c, func(s *app.Session, _, name string) error { return s.ReadFile(r.Context(), name, to) })
	}})
}
