package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/programs"
	"praxis/internal/sandbox/gvisor"
	"praxis/internal/seal"
	"praxis/internal/session"
)

// engine is the machinery of sessions over a folder that ends with it.
type engine struct {
	image    image.Image
	sessions *session.Manager
	close    []func() error // in the order of making
}

// open makes the parts and the default image.
func open(ctx context.Context, sink event.Sink) (*engine, error) {
	e := &engine{}
	if err := e.open(ctx, sink); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *engine) open(ctx context.Context, sink event.Sink) error {
	dir, err := os.MkdirTemp("", "praxis-bench-")
	if err != nil {
		return err
	}
	e.close = append(e.close, func() error { return os.RemoveAll(dir) })
	key, err := seal.OfHome(dir)
	if err != nil {
		return err
	}
	images, err := image.Open(filepath.Join(dir, "images"), key)
	if err != nil {
		return err
	}
	e.close = append(e.close, images.Close)
	if e.image, err = images.Resolve(ctx, image.Request{}, sink); err != nil {
		return err
	}
	installed, err := programs.InstallEmbedded(filepath.Join(dir, "programs"), key)
	if err != nil {
		return err
	}
	backend, err := gvisor.New(gvisor.Config{Dir: filepath.Join(dir, "run"), Program: installed.Sandbox})
	if err != nil {
		return err
	}
	e.close = append(e.close, backend.Close)
	if e.sessions, err = session.Open(session.Config{Dir: dir, Languages: language.Table{python.Language()}, Backend: backend, Programs: installed.Store, Program: installed.Guest, Seals: key}); err != nil {
		return err
	}
	e.close = append(e.close, e.sessions.Close)
	return nil
}

// Close ends every session and removes the folder: the parts in the reverse
// order of their making.
func (e *engine) Close() error {
	var err error
	for i := len(e.close) - 1; i >= 0; i-- {
		err = errors.Join(err, e.close[i]())
	}
	e.close = nil
	return err
}
