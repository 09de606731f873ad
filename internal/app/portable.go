package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/image"
	"praxis/internal/safetext"
	"praxis/internal/session"
	"praxis/internal/sessionfile"
)

// sessionExtension ends the names of session files.
const sessionExtension = ".praxis-session"

// SessionFile is the usual name of the file of a session.
func SessionFile(name string) string { return name + sessionExtension }

// ImageRecipes makes images again that were made elsewhere.
type ImageRecipes interface {
	Recipe(ctx context.Context, img image.Image, sink event.Sink) (image.Recipe, error)
	OpenWheel(sha256 string) (io.ReadCloser, error)
	AddWheel(sha256 string, r io.Reader) error
	Make(ctx context.Context, r image.Recipe, sink event.Sink) (image.Image, error)
}

// ImageLayers are the layers of container images as they came.
type ImageLayers interface {
	OpenLayer(sha256 string) (io.ReadCloser, error)
	AddLayer(sha256 string, r io.Reader) error
}

// portable is what a session file says of its session.
type portable struct {
	session.Portable
	Image image.Recipe `json:"recipe"`
}

// SessionExport asks for a named session to be written into a file.
type SessionExport struct {
	Name  string
	Path  string // of the file, or of a folder for it; "": this folder
	Head  bool   // where it stands, without the snapshots before
	Force bool   // replace a file that is there
}

// ExportedSession is a session that was written into a file.
type ExportedSession struct {
	Name      string `json:"name"`
	Path      string `json:"path"`
	Bytes     int64  `json:"bytes"`
	Snapshots int    `json:"snapshots"`
}

// ExportSession writes a named session into a file: its snapshots and the packages of its
// image. The same version of Praxis goes on with it in another data folder.
func (a *App) ExportSession(ctx context.Context, q SessionExport, sink event.Sink) (out ExportedSession, err error) {
	out.Name = q.Name
	out.Snapshots, err = a.exportSession(ctx, q, sink, func(write func(io.Writer) error) error {
		if out.Path, err = exportPath(q.Path, SessionFile(q.Name)); err != nil {
			return err
		}
		return writeWhole(out.Path, q.Force, func(w io.Writer) error {
			counted := &boundedWriter{w: w, left: 1 << 62}
			err := write(counted)
			out.Bytes = counted.n
			return err
		})
	})
	if err != nil {
		return ExportedSession{}, err
	}
	return out, nil
}

// WriteSession writes to w what ExportSession writes into a file.
func (a *App) WriteSession(ctx context.Context, q SessionExport, w io.Writer, sink event.Sink) error {
	_, err := a.exportSession(ctx, q, sink, func(write func(io.Writer) error) error { return write(w) })
	return err
}

// exportSession gives to done what writes a named session.
func (a *App) exportSession(ctx context.Context, q SessionExport, sink event.Sink, done func(write func(io.Writer) error) error) (snapshots int, err error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return 0, err
	}
	e, err := m.sessions.ExportNamed(ctx, q.Name, q.Head)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	body := portable{Portable: e.Portable}
	if body.Image, err = m.recipes.Recipe(ctx, e.Image, sink); err != nil {
		return 0, err
	}
	parts, err := m.sources(ctx, e, body.Image)
	if err != nil {
		return 0, err
	}
	return len(e.States), done(func(w io.Writer) error { return sessionfile.Write(w, body, parts) })
}

// sources are the entries of a session file: the wheels, the layers of a container image,
// then the files of the states.
func (m *machine) sources(ctx context.Context, e *session.Export, r image.Recipe) ([]sessionfile.Source, error) {
	var out []sessionfile.Source
	for _, sum := range r.Files() {
		out = append(out, sessionfile.Source{Name: wheelEntry(sum), Open: func() (io.ReadCloser, error) {
			f, err := m.recipes.OpenWheel(sum)
			return whileWanted(ctx, f), err
		}})
	}
	layers, err := r.Container.Layers()
	if err != nil {
		return nil, err
	}
	for _, l := range layers {
		out = append(out, sessionfile.Source{Name: layerEntry(l), Open: func() (io.ReadCloser, error) {
			f, err := m.layers.OpenLayer(l)
			if err != nil {
				return nil, err
			}
			return whileWanted(ctx, f), nil
		}})
	}
	for _, s := range e.States {
		for _, file := range s.Files {
			out = append(out, sessionfile.Source{Name: stateEntry(s.Snapshot.ID, file), Open: func() (io.ReadCloser, error) {
				f, err := e.Open(s.Snapshot.ID, file)
				return whileWanted(ctx, f), err
			}})
		}
	}
	return out, nil
}

func wheelEntry(sum string) string      { return path.Join("wheels", sum) }
func layerEntry(sha256 string) string   { return path.Join("layers", sha256) }
func stateEntry(id, file string) string { return path.Join("states", id, file) }

// whileWanted reads from f until ctx is done.
func whileWanted(ctx context.Context, f io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{bounded.ReaderFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, fault.New(fault.Canceled, "", "cannot export the session: %w", context.Cause(ctx))
		}
		return f.Read(p)
	}), f}
}

// ImportSession makes a named session of a file that ExportSession wrote: called name, or
// as it was called when that is empty. Everything in the file is compared with its digest,
// its image is made anew and has to be the very same, and nothing is there when it fails.
// Its code is as trusted as that of any session: it runs in a sandbox alone.
func (a *App) ImportSession(ctx context.Context, file, name string, sink event.Sink) (NamedSession, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return NamedSession{}, err
	}
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return NamedSession{}, fault.New(fault.NotFound, "Check the file's name.", "cannot import a session: there is no file %s", safetext.Line(file))
	}
	if err != nil {
		return NamedSession{}, fault.New(fault.Denied, "Name a file that you may read.", "cannot import a session: %w", err)
	}
	defer f.Close()
	var body portable
	r, err := sessionfile.Open(f, &body)
	if err != nil {
		return NamedSession{}, err
	}
	defer r.Close()
	if st, err := f.Stat(); err == nil {
		if err := a.makeSpace(ctx, st.Size()); err != nil {
			return NamedSession{}, fmt.Errorf("cannot import a session: %w", err)
		}
	}
	if err := m.sessions.Fits(body.Portable); err != nil {
		return NamedSession{}, err
	}
	if name == "" {
		name = body.Session.Name
	}
	next := func(want string) (io.Reader, error) {
		if ctx.Err() != nil {
			return nil, fault.New(fault.Canceled, "", "cannot import a session: %w", context.Cause(ctx))
		}
		e, content, err := r.Next()
		if errors.Is(err, io.EOF) || err == nil && e.Name != want {
			return nil, fault.New(fault.Conflict, "Export the session again, or get the file again.", "cannot import a session: %s is missing in the file", safetext.Line(want))
		}
		return content, err
	}
	for _, sum := range body.Image.Files() {
		content, err := next(wheelEntry(sum))
		if err != nil {
			return NamedSession{}, err
		}
		if err := m.recipes.AddWheel(sum, content); err != nil {
			return NamedSession{}, err
		}
	}
	if err := m.importLayers(body.Image, next); err != nil {
		return NamedSession{}, err
	}
	img, err := m.recipes.Make(ctx, body.Image, sink)
	if err != nil {
		return NamedSession{}, err
	}
	var files []string
	for _, s := range body.States {
		for _, file := range s.Files {
			files = append(files, stateEntry(s.Snapshot.ID, file))
		}
	}
	err = m.sessions.ImportNamed(ctx, name, body.Portable, img, func() (io.Reader, error) {
		if len(files) == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		want := files[0]
		files = files[1:]
		return next(want)
	})
	if err != nil {
		return NamedSession{}, err
	}
	return m.sessions.LookupNamed(name)
}

// importLayers takes the layers of a container image from a session file.
func (m *machine) importLayers(r image.Recipe, next func(want string) (io.Reader, error)) error {
	layers, err := r.Container.Layers()
	if err != nil || len(layers) == 0 {
		return err
	}
	if m.layers == nil {
		return fault.New(fault.Unavailable, "Use Praxis with images of its own.", "cannot import a session: it runs a container image, and there is no store for them")
	}
	for _, l := range layers {
		content, err := next(layerEntry(l))
		if err != nil {
			return err
		}
		if err := m.layers.AddLayer(l, content); err != nil {
			return err
		}
	}
	return nil
}
