package api

import (
	"context"
	"io"
	"net/http"
	"path"
	"reflect"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
)

// FileRef names a file of a session.
type FileRef struct {
	SessionRef
	Path string `json:"path" in:"query" jsonschema:"absolute, or of the working folder"`
}

// Folder names a folder of a session.
type Folder struct {
	SessionRef
	Path string `json:"path,omitempty" in:"query" jsonschema:"left out: the working folder"`
}

// Files is a list of files.
type Files struct {
	Files []app.File `json:"files"`
}

// Removal names a file to be removed.
type Removal struct {
	FileRef
	Recursive bool `json:"recursive,omitempty" in:"query" jsonschema:"a folder with all that is in it"`
}

// Moving says what becomes of a file.
type Moving struct {
	SessionRef
	From string `json:"from"`
	To   string `json:"to"`
}

// NewFolder names a folder to be made.
type NewFolder struct {
	SessionRef
	Path string `json:"path"`
}

// Archive names a folder, and the form in which it is read or written as a whole.
type Archive struct {
	Folder
	Format string `json:"format,omitempty" in:"query" jsonschema:"tar (what is unpacked may be compressed by gzip) or zip; left out: tar"`
}

// Watching names what is watched.
type Watching struct {
	Folder
	Recursive bool `json:"recursive,omitempty" in:"query" jsonschema:"what is in the folders of the folder, too"`
}

// WatchEnded says why a watch ended.
type WatchEnded struct {
	Reason string `json:"reason,omitempty" jsonschema:"such as that the session was paused; watching again opens it"`
}

func files() []Operation {
	return []Operation{
		operation("files.list", http.MethodGet, "/sessions/{session}/files", access.Read, http.StatusOK, "List what is in a folder of a session, and below it.",
			func(ctx context.Context, c *Call, in Folder) (out Files, err error) {
				out.Files = []app.File{}
				err = c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error {
					list, err := s.Files(ctx, orWorkDir(in.Path))
					out.Files = append(out.Files, list...)
					return err
				})
				return out, err
			}),
		operation("files.read", http.MethodGet, "/sessions/{session}/file", access.Read, http.StatusOK, "Read a file of a session.",
			func(ctx context.Context, c *Call, in FileRef) (*Content, error) {
				return &Content{Type: "application/octet-stream", Write: func(w io.Writer) error {
					return c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error { return s.ReadFile(ctx, in.Path, w) })
				}}, nil
			}).of(Download),
		operation("files.write", http.MethodPut, "/sessions/{session}/file", access.Run, http.StatusNoContent, "Write a file of a session whole, with the folders above it.",
			func(ctx context.Context, c *Call, in FileRef) (Nothing, error) {
				return Nothing{}, c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error { return s.WriteFile(ctx, in.Path, c.Body) })
			}).of(Upload),
		operation("files.stat", http.MethodGet, "/sessions/{session}/file/info", access.Read, http.StatusOK, "Describe a file of a session; a symbolic link is described itself.",
			func(ctx context.Context, c *Call, in FileRef) (out app.FileInfo, err error) {
				err = c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error {
					out, err = s.Stat(ctx, in.Path)
					return err
				})
				return out, err
			}),
		operation("files.remove", http.MethodDelete, "/sessions/{session}/file", access.Run, http.StatusNoContent, "Remove a file or an empty folder of a session.",
			func(ctx context.Context, c *Call, in Removal) (Nothing, error) {
				return Nothing{}, c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error { return s.RemoveFile(ctx, in.Path, in.Recursive) })
			}),
		operation("files.move", http.MethodPost, "/sessions/{session}/files/move", access.Run, http.StatusNoContent, "Rename a file or folder of a session; it takes the place of a file that is there.",
			func(ctx context.Context, c *Call, in Moving) (Nothing, error) {
				return Nothing{}, c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error { return s.MoveFile(ctx, in.From, in.To) })
			}),
		operation("files.mkdir", http.MethodPost, "/sessions/{session}/folders", access.Run, http.StatusNoContent, "Make a folder of a session and those above it; one that is there is no error.",
			func(ctx context.Context, c *Call, in NewFolder) (Nothing, error) {
				return Nothing{}, c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error { return s.MakeFolder(ctx, in.Path) })
			}),
		operation("files.archive", http.MethodGet, "/sessions/{session}/archive", access.Read, http.StatusOK, "Read a file or a folder of a session as one archive.", archive).of(Download),
		operation("files.extract", http.MethodPut, "/sessions/{session}/archive", access.Run, http.StatusNoContent, "Unpack an archive into a folder of a session. Files of the same names are replaced.",
			func(ctx context.Context, c *Call, in Archive) (Nothing, error) {
				return Nothing{}, c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error { return s.Extract(ctx, in.Format, orWorkDir(in.Path), c.Body) })
			}).of(Upload),
		events[Watching, WatchEnded]("files.watch", http.MethodGet, "/sessions/{session}/files/events", access.Read, http.StatusOK,
			"Follow the changes of a file, or of what is in a folder, as events: changed, with a type (created, modified, removed, or rescan: look at the whole again) and a path.", watch).saying("changed", reflect.TypeFor[app.FileChange]()),
	}
}

func orWorkDir(dir string) string {
	if dir == "" {
		return app.WorkDir
	}
	return dir
}

func archive(ctx context.Context, c *Call, in Archive) (*Content, error) {
	dir, mime, ending := orWorkDir(in.Path), "application/x-tar", "tar"
	if in.Format == "zip" {
		mime, ending = "application/zip", "zip"
	}
	return &Content{Type: mime, Name: safetext.Line(path.Base(dir)) + "." + ending, Write: func(w io.Writer) error {
		return c.Tenant.Hub.Use(ctx, in.Session, func(s *app.Session) error { return s.Archive(ctx, in.Format, dir, w) })
	}}, nil
}

func watch(ctx context.Context, c *Call, in Watching) (any, error) {
	w, err := c.Tenant.Hub.Watch(ctx, in.Session, orWorkDir(in.Path), in.Recursive)
	if err != nil {
		return nil, err
	}
	return &Stream{Log: w.Log, Leave: w.Interrupt, Final: func() any {
		<-w.Done()
		out := WatchEnded{}
		if err := w.Err(); err != nil {
			out.Reason = fault.Of(err).Message
		}
		return out
	}}, nil
}
