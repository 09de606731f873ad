package cmd

import (
	"context"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// packages does what %pip can do here.
func (s *shell) packages(ctx context.Context, arg string) error {
	verb, rest, _ := strings.Cut(arg, " ")
	var names []string
	for _, name := range strings.Fields(rest) {
		names = append(names, strings.Trim(name, `"'`))
	}
	switch {
	case verb == "install" && len(names) > 0:
		return s.install(ctx, names)
	case verb == "list" && len(names) == 0:
		return s.listPackages()
	}
	return fault.New(fault.Invalid, "What else pip does is not there: a package is never removed or replaced, as running code may use it.",
		"cannot do %%pip %s: there are %%pip install NAME and %%pip list", safetext.Clip(safetext.Line(arg), 60))
}

// install adds packages to the session. Ctrl-C gives that up.
func (s *shell) install(ctx context.Context, names []string) error {
	until, stop := context.WithCancel(ctx)
	defer stop()
	done := s.p.interrupts.during(ctx, func(context.Context) error { stop(); return nil })
	out, err := s.w.AddPackages(until, names, s.p.progress())
	done()
	s.p.settled()
	if err != nil {
		return err
	}
	s.dirty = s.dirty || len(out.Added) > 0
	return s.p.done(s.json, listed(out), addedText(out))
}

// packageList is the object of %pip list.
type packageList struct {
	Packages []event.Package `json:"packages"` // of the image
	Added    []event.Package `json:"added"`
}

func (s *shell) listPackages() error {
	own, added := s.w.Packages()
	if s.json {
		return s.p.printJSON(packageList{orEmpty(own), orEmpty(added)})
	}
	t := format.Headed("NAME", "VERSION", "FROM")
	for _, of := range []struct {
		packages []event.Package
		from     string
	}{{own, "image"}, {added, "added"}} {
		for _, p := range of.packages {
			t.Add(p.Name, p.Version, of.from)
		}
	}
	if t.Empty() {
		return s.p.emit("There are no packages. Add some with: %pip install NAME\n")
	}
	return s.p.emit(t.String())
}
