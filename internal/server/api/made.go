package api

import (
	"archive/tar"
	"cmp"
	"context"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/live"
)

// Making says what a run is made with, beside what every request for one says.
type Making struct {
	Limits    *event.Limits `json:"limits,omitempty" jsonschema:"of the session; zero fields: the usual ones"`
	Bounds    *event.Bounds `json:"bounds,omitempty" jsonschema:"of each execution; zero fields: the usual ones"`
	Date      *time.Time    `json:"date,omitempty" jsonschema:"when a session with a seed begins by its clocks"`
	KeepFiles bool          `json:"keep_files,omitempty" jsonschema:"keep the files and pictures that code makes until runs.files has fetched them: those of the last 16 such runs"`
}

// bounds are those of each execution.
func (m Making) bounds(timeoutS float64) (event.Bounds, error) {
	var out event.Bounds
	if m.Bounds != nil {
		out = *m.Bounds
	}
	timeout, err := seconds("timeout_s", timeoutS)
	if timeout > 0 {
		out.Timeout = event.Duration(timeout)
	}
	return out, err
}

// date is when the session begins.
func (m Making) date() time.Time {
	if m.Date == nil {
		return time.Time{}
	}
	return *m.Date
}

// limits are those of the session.
func (m Making) limits() event.Limits {
	if m.Limits == nil {
		return event.Limits{}
	}
	return *m.Limits
}

// Made says what code made.
type Made struct {
	Files    int             `json:"files,omitempty" jsonschema:"that were written or changed"`
	Pictures int             `json:"pictures,omitempty" jsonschema:"that were displayed"`
	Pages    int             `json:"pages,omitempty" jsonschema:"of HTML"`
	Needs    []string        `json:"needs,omitempty" jsonschema:"hosts that the pages name and do not load from"`
	Saved    []app.SavedFile `json:"saved,omitempty" jsonschema:"that runs.files fetches"`
	Unlisted string          `json:"unlisted,omitempty" jsonschema:"why files is not known"`
}

func madeOf(m app.Made) *Made {
	out := Made{Files: m.Files, Pictures: m.Pictures, Pages: m.Pages, Needs: m.Needs, Saved: m.Saved}
	if m.Unlisted != nil {
		out.Unlisted = m.Unlisted.Error()
	}
	return &out
}

// output says where what code makes is saved; "": it is not.
func output(dir string) app.Output {
	if dir == "" {
		return app.Output{}
	}
	return app.Output{Dir: dir, As: "."}
}

// apart calls f while nothing else has the session of a name; "": f needs none.
func apart[T any](ctx context.Context, c *Call, session string, f func() (T, error)) (out T, err error) {
	if session == "" {
		return f()
	}
	err = c.Tenant.Hub.Apart(ctx, session, func() error {
		out, err = f()
		return err
	})
	return out, err
}

// began begins what do does: with a folder for what it makes if that is to be kept, and while
// nothing else has the session of a name.
// It has a sandbox with so much memory; 0: the usual.
func (c *Call) began(ctx context.Context, f Following, keep bool, session string, memory int64, do func(ctx context.Context, out app.Output, r *live.Run) (any, error)) (any, error) {
	alone := func(ctx context.Context, dir string, r *live.Run) (any, error) {
		if err := c.occupy(ctx, r, memory); err != nil {
			return nil, err
		}
		return apart(ctx, c, session, func() (any, error) { return do(ctx, output(dir), r) })
	}
	if !keep {
		return c.follow(ctx, f, func(ctx context.Context, r *live.Run) (any, error) { return alone(ctx, "", r) })
	}
	return f.begin(ctx, func() (*live.Run, error) { return c.Tenant.Hub.StartKeeping(ctx, alone) })
}

// occupy takes a place for the sandbox of a run with so much memory; 0: the usual.
func (c *Call) occupy(ctx context.Context, r *live.Run, memory int64) error {
	return r.Occupy(ctx, cmp.Or(memory, c.Tenant.App.Limits().Memory))
}

func made() []Operation {
	return []Operation{
		operation("runs.files", http.MethodGet, "/runs/{run}/files", access.Read, http.StatusOK, "Fetch what a run made that was asked to keep its files, as a tar archive.",
			func(_ context.Context, c *Call, in RunRef) (*Content, error) {
				dir, err := c.Tenant.Hub.Made(in.Run)
				if err != nil {
					return nil, err
				}
				return &Content{Type: "application/x-tar", Name: in.Run + ".tar", Write: func(w io.Writer) error { return writeTar(dir, w) }}, nil
			}).of(Download),
		operation("runs.forget", http.MethodDelete, "/runs/{run}/files", access.Run, http.StatusNoContent, "Remove what a run made and kept.",
			func(_ context.Context, c *Call, in RunRef) (Nothing, error) {
				return Nothing{}, c.Tenant.Hub.Forget(in.Run)
			}),
	}
}

// writeTar writes the files below a folder, by their names.
func writeTar(dir string, w io.Writer) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	out := tar.NewWriter(w)
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: info.Size(), ModTime: info.ModTime()}); err != nil {
			return err
		}
		_, err = io.Copy(out, f)
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}
