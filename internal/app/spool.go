package app

import (
	"context"
	"errors"
	"io"
	"os"

	"praxis/event"
)

// spooled calls f with the path of a file that has what r gives, for as long as f takes.
func spooled(r io.Reader, ending string, f func(path string) error) (err error) {
	file, err := os.CreateTemp("", "praxis-*"+ending)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = io.Copy(file, r)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return f(file.Name())
}

// ReadSession is ImportSession of what r gives.
func (a *App) ReadSession(ctx context.Context, r io.Reader, name string, sink event.Sink) (out NamedSession, err error) {
	err = spooled(r, sessionExtension, func(path string) error {
		out, err = a.ImportSession(ctx, path, name, sink)
		return err
	})
	return out, err
}

// ReadBundle is Import of what r gives.
func (a *App) ReadBundle(ctx context.Context, r io.Reader) (out Imported, err error) {
	err = spooled(r, ".praxis", func(path string) error {
		out, err = a.importAs(ctx, path, "the run")
		return err
	})
	return out, err
}
