// Package app is what Praxis can do, as functions over plain values: it answers
// questions, runs code and plans, replays and branches runs, keeps sessions,
// threads, notes, images and tools, and describes all of them. The command line,
// a server and the public package call it and nothing below it; what they add is
// flags, routes and drawing.
//
// It is the only importer of implementations: here backends, stores, providers
// of models and kinds of tools are chosen, each from one table. The record of a
// run begins and ends here and nowhere else, so that whatever happens in it is
// recorded.
//
// Nothing here writes to a person. Progress, notices and what happens go to the
// event.Sink of a call; what came of it is its result. What the caller did wrong
// is a fault (package fault), what guest code did is a status in the result.
package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/diagnostics"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/programs"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/gvisor"
	"praxis/internal/seal"
	"praxis/internal/session"
)

// Options say how an App is opened. Config must be set.
type Options struct {
	Config Config
	// Getenv reads the environment: keys of models, secrets of tools. nil: it is empty.
	Getenv func(string) string
	// Environ are its variables as NAME=value. Those whose names say that they are
	// secret are never recorded.
	Environ []string
	Version string // of this program, as runs record it
	// Now is the clock of the records; nil: the machine's.
	Now func() time.Time
	// Languages are those whose kernels sessions can start; nil: those of [Languages].
	Languages language.Table
	// Notes are what libraries write of themselves: the secrets of this App are taken
	// out of it. nil: it goes elsewhere.
	Notes *diagnostics.Writer
	// Warm is how many sandboxes are kept ready for each of the kinds of sessions that were
	// made last. 0: none, as for a program that makes one or two.
	Warm int
	// MaxSessions is how many sandboxes may live at once, those that are ready apart; 0: 64.
	MaxSessions int
	// Watch returns where the events of a run go besides, when it begins under ctx: of every
	// run, also of those that are parts of others. nil: nowhere.
	Watch func(ctx context.Context, run string) event.Sink
	// Project says that the working folder is a project of who uses the App: skills are found in
	// it, too. A server works in no project of its tenants.
	Project bool
	// Parts stand in for the real machinery in tests.
	Parts *Parts
}

// Parts are what sessions are made of.
type Parts struct {
	Backend    sandbox.Backend
	Images     Images
	ImageFiles ImageFiles
	Recipes    ImageRecipes
	Containers Containers       // nil: there are none
	Program    programs.Program // what stands in for the first process of guests
}

// Images finds images, and makes those that are missing.
type Images interface {
	Resolve(ctx context.Context, r image.Request, sink event.Sink) (image.Image, error)
	Lookup(ctx context.Context, r image.Request) (image.Image, error)
	Reopen(ctx context.Context, idOrName string) (image.Image, error)
	List(ctx context.Context) ([]image.Info, error)
	Find(ctx context.Context, idOrName string) (image.Info, error)
}

// ImageFiles looks after the files of images, and resolves what sessions get beside them.
type ImageFiles interface {
	Add(ctx context.Context, img image.Image, added []image.Package, r image.Request, sink event.Sink) (image.Addition, error)
	Check(ctx context.Context, img image.Image) error
	Remove(ctx context.Context, idOrName string) error
	Collect(ctx context.Context, c image.Collect) (image.Collected, error)
}

// App is an open Praxis over one data folder. It is safe for concurrent use.
type App struct {
	opt     Options
	records *Records
	release func() // the notes of libraries

	mu      sync.Mutex
	machine *machine // nil until a sandbox or an image is first needed
	home    measured // what the data folder took, where it has a quota
	closed  bool
}

// Limits returns those of sessions that are given none.
func (a *App) Limits() event.Limits { return a.opt.Config.Limits }

// Open opens the records of the data folder. Nothing is written, and no sandbox
// is prepared, before it is needed.
func Open(o Options) (*App, error) {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Languages == nil {
		o.Languages = Languages()
	}
	r, err := openRecords(o)
	if err != nil {
		return nil, err
	}
	a := &App{opt: o, records: r, release: func() {}}
	if o.Notes != nil {
		a.release = o.Notes.Redact(r.Journal.Redact)
	}
	return a, nil
}

// Close ends every session and sandbox, and closes the records.
func (a *App) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	var err error
	if a.machine != nil {
		err = a.machine.close()
		a.machine = nil
	}
	a.release()
	return errors.Join(err, a.records.Close())
}

// machine is what makes images, sandboxes and sessions.
type machine struct {
	images     Images
	imageFiles ImageFiles
	recipes    ImageRecipes
	containers Containers
	layers     ImageLayers
	builds     ImageBuilds // nil: there are none
	backend    sandbox.Backend
	sessions   *session.Manager
	seals      *seal.Key
	closers    []func() error // in the order of making
}

// machinery returns the machine, and makes it when it is first needed: over the
// folders of the configuration, from which it removes what dead processes left.
func (a *App) machinery(ctx context.Context) (*machine, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, fault.New(fault.Conflict, "Open it again.", "cannot use Praxis: it is closed")
	}
	if a.machine != nil {
		return a.machine, nil
	}
	m := &machine{}
	if err := m.open(ctx, a.opt); err != nil {
		return nil, errors.Join(err, m.close())
	}
	a.machine = m
	return m, nil
}

func (m *machine) open(ctx context.Context, o Options) error {
	if err := atomicfile.Make(o.Config.Home); err != nil {
		return err
	}
	var err error
	if o.Config.SealKey == "" {
		m.seals, err = seal.OfHome(o.Config.Home)
	} else {
		m.seals, err = seal.Open(o.Config.SealKey)
	}
	if err != nil {
		return err
	}
	installed, err := m.make(o)
	if err != nil {
		return err
	}
	m.closers = append(m.closers, m.backend.Close)
	if _, err := m.backend.Sweep(ctx); err != nil {
		return fmt.Errorf("cannot sweep what dead processes left: %w", err)
	}
	m.sessions, err = session.Open(session.Config{Dir: o.Config.Home, Backend: m.backend, Languages: o.Languages, Programs: installed.Store, Program: installed.Guest, Seals: m.seals,
		Retention: usualRetention(o.Config), Recorded: true, Warm: o.Warm, MaxSessions: o.MaxSessions})
	if err != nil {
		return err
	}
	m.closers = append(m.closers, m.sessions.Close)
	return nil
}

// make makes images and backend, and returns the programs that they run.
func (m *machine) make(o Options) (installed programs.Installed, err error) {
	dir := filepath.Join(o.Config.Home, "programs")
	if p := o.Parts; p != nil {
		m.images, m.imageFiles, m.recipes, m.containers, m.backend = p.Images, p.ImageFiles, p.Recipes, p.Containers, p.Backend
		installed.Guest = p.Program
		installed.Store, err = programs.OpenStore(dir, m.seals)
		return installed, err
	}
	installed, err = programs.InstallEmbedded(dir, m.seals)
	if errors.Is(err, programs.ErrMissing) {
		err = fault.Coded(fault.ProgramMissing, fault.Data{"program": "sandboxes"}, "cannot start sandboxes: %w", err)
	}
	if err != nil {
		return installed, err
	}
	images, err := image.Open(filepath.Join(o.Config.Home, "images"), m.seals)
	if err != nil {
		return installed, err
	}
	m.images, m.imageFiles, m.recipes, m.containers, m.layers, m.builds, m.closers = images, images, images, images, images, images, append(m.closers, images.Close)
	m.backend, err = gvisor.New(gvisor.Config{Dir: o.Config.Run, Program: installed.Sandbox})
	return installed, err
}

// close closes the parts in the reverse order of their making.
func (m *machine) close() error {
	var err error
	for i := len(m.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, m.closers[i]())
	}
	m.closers = nil
	return err
}
