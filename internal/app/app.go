// Package app puts the parts together: the sandbox backend, the image store,
// the session manager, and the models by the name of their provider. It is the
// only importer of implementations; the choice among them is an explicit map,
// so that what the program can do is on one page.
package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"praxis/internal/atomicfile"
	"praxis/internal/config"
	"praxis/internal/image"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/gvisor"
	"praxis/internal/session"
)

// App is the machinery behind every command.
type App struct {
	Sessions *session.Manager
	Images   *image.Store
	Backend  sandbox.Backend
	Records  *Records

	getenv func(string) string
	close  []func() error // in the order of making
}

// New makes the parts over the folders of the configuration, the outermost
// last, and removes what dead processes left there. It takes the records over,
// also when it fails.
func New(ctx context.Context, c config.Config, getenv func(string) string, r *Records) (*App, error) {
	a := &App{getenv: getenv, Records: r, close: []func() error{r.Close}}
	if err := a.open(ctx, c); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *App) open(ctx context.Context, c config.Config) error {
	if err := atomicfile.Make(c.Home); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find this program's own file: %w", err)
	}
	a.Images, err = image.Open(filepath.Join(c.Home, "images"))
	if err != nil {
		return err
	}
	a.close = append(a.close, a.Images.Close)
	backend, err := gvisor.New(gvisor.Config{Dir: c.Run})
	if err != nil {
		return err
	}
	a.Backend = backend
	a.close = append(a.close, backend.Close)
	if _, err := backend.Sweep(ctx); err != nil {
		return fmt.Errorf("cannot sweep what dead processes left: %w", err)
	}
	a.Sessions, err = session.Open(session.Config{Dir: c.Home, Backend: backend, Program: program})
	if err != nil {
		return err
	}
	a.close = append(a.close, a.Sessions.Close)
	return nil
}

// Close ends every session and sandbox: the parts in the reverse order of their making.
func (a *App) Close() error {
	var err error
	for i := len(a.close) - 1; i >= 0; i-- {
		err = errors.Join(err, a.close[i]())
	}
	a.close = nil
	return err
}
