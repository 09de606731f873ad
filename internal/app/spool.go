package app

import (
	"context"
	"errors"
	"io"
	"os"

	"praxis/event"
)

// spoolPiece is how much is spooled before the quota of the data folder is looked at again.
const spoolPiece = 1 << 20

// spooled calls f with the path of a file that has what r gives, for as long as f takes. The
// file may have as many bytes as would fit into the data folder.
func (a *App) spooled(ctx context.Context, r io.Reader, ending string, f func(path string) error) (err error) {
	file, err := os.CreateTemp("", "praxis-*"+ending)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	for err == nil {
		var n int64
		n, err = io.CopyN(file, r, spoolPiece)
		if noSpace := a.makeSpace(ctx, n); noSpace != nil {
			err = noSpace
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return f(file.Name())
}

// ReadSession is ImportSession of what r gives.
func (a *App) ReadSession(ctx context.Context, r io.Reader, name string, sink event.Sink) (out NamedSession, err error) {
	err = a.spooled(ctx, r, sessionExtension, func(path string) error {
		out, err = a.ImportSession(ctx, path, name, sink)
		return err
	})
	return out, err
}

// ReadBundle is Import of what r gives.
func (a *App) ReadBundle(ctx context.Context, r io.Reader) (out Imported, err error) {
	err = a.spooled(ctx, r, ".praxis", func(path string) error {
		out, err = a.importAs(ctx, path, "the run")
		return err
	})
	return out, err
}
