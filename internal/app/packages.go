package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/session"
)

// NPMPrefix stands before the name of a package of npm where one of Python could stand.
const NPMPrefix = image.NPMPrefix

// AddedPackages says what a session was given that was asked for packages.
type AddedPackages struct {
	Added   []event.Package `json:"added"`   // with what they need
	Present []event.Package `json:"present"` // asked for, and there already
}

// AddPackages gives the session packages such as "polars", "plotly>=6" or, of npm,
// "npm:lodash", with what they need. Its variables stay, and its code can import them at once. What it has
// already stays as it is: packages that contradict it are a fault. They lie on the
// session's own disk and count against it; its snapshots have them.
func (s *Session) AddPackages(ctx context.Context, names []string, sink event.Sink) (out AddedPackages, err error) {
	s.adding.Lock()
	defer s.adding.Unlock()
	wanted := named(names)
	for _, req := range []image.Request{{With: wanted.With}, {NPM: wanted.NPM}} {
		if len(names) > 0 && len(req.With)+len(req.NPM) == 0 {
			continue
		}
		if err := s.add(ctx, req, &out, sink); err != nil || len(names) == 0 {
			return out, err
		}
	}
	return out, nil
}

// add is AddPackages of those of one language.
func (s *Session) add(ctx context.Context, req image.Request, out *AddedPackages, sink event.Sink) (err error) {
	beside := s.s.Added()
	a, err := s.files.Add(ctx, s.image, beside, req, sink)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if len(a.New) > 0 {
		sink.Emit(event.Progress{Stage: "packages", Text: "putting the packages into the session"})
	}
	if err := s.s.AddPackages(ctx, a, beside); err != nil {
		return err
	}
	out.Added = append(out.Added, recordedPackages(a.New)...)
	out.Present = append(out.Present, recordedPackages(a.Present)...)
	return nil
}

// named tells packages of npm from those of Python.
func named(names []string) (out image.Request) {
	for _, n := range names {
		if npm, ok := strings.CutPrefix(n, image.NPMPrefix); ok {
			out.NPM = append(out.NPM, npm)
		} else {
			out.With = append(out.With, n)
		}
	}
	return out
}

// Packages returns the packages of the session's image, and those that were added to it.
func (s *Session) Packages() (image, added []event.Package) {
	d := s.Describe()
	return d.Image.Packages, d.Added
}

// AddToSession adds packages to a named session, saves it when there are new ones,
// and returns where it stands then; "": where it stood before.
func (a *App) AddToSession(ctx context.Context, name string, packages []string, sink event.Sink) (out AddedPackages, head string, err error) {
	if _, err := named(packages).Name(); err != nil {
		return out, "", err
	}
	m, err := a.machinery(ctx)
	if err != nil {
		return out, "", err
	}
	if _, err := m.sessions.LookupNamed(name); err != nil {
		return out, "", err
	}
	s, err := a.OpenSession(ctx, SessionSpec{Name: name}, sink)
	if err != nil {
		return out, "", err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if out, err = s.AddPackages(ctx, packages, sink); err != nil || len(out.Added) == 0 {
		return out, "", err
	}
	head, err = s.Save(ctx, "add "+strings.Join(PackageNames(out.Added), ", "))
	return out, head, err
}

// PackageNames are packages for a person, such as "numpy 2.1".
func PackageNames(packages []event.Package) []string {
	var out []string
	for _, p := range packages {
		out = append(out, fmt.Sprintf("%s %s", p.Name, p.Version))
	}
	return out
}

// recordedPackages are packages as records name them.
func recordedPackages(packages []image.Package) []event.Package {
	var out []event.Package
	for _, p := range packages {
		out = append(out, event.Package{Name: p.Name, Version: p.Version, Hash: p.Hash})
	}
	return out
}

// AddedTo returns the packages that a named session has beside its image's.
func AddedTo(s session.NamedInfo) []event.Package { return recordedPackages(s.Added()) }
