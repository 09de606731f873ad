package cmd

import (
	"context"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
)

// packages does what %pip and %npm can do here.
func (s *shell) packages(ctx context.Context, command, arg string) error {
	verb, rest, _ := strings.Cut(arg, " ")
	var names []string
	for _, name := range strings.Fields(rest) {
		name = strings.Trim(name, `"'`)
		if command == "%npm" {
			name = app.NPMPrefix + name
		}
		names = append(names, name)
	}
	switch {
	case verb == "install" && len(names) > 0:
		return s.install(ctx, names)
	case verb == "list" && len(names) == 0:
		return s.listPackages()
	}
	return fault.New(fault.Invalid, "What else "+command[1:]+" does is not there: a package is never removed or replaced, as running code may use it.",
		"cannot do %s %s: there are %s install NAME and %s list", command, safetext.Clip(safetext.Line(arg), 60), command, command)
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

// installer is the command that adds what code misses.
func installer(m app.Missing) string {
	if m.FromNPM() {
		return "%npm"
	}
	return "%pip"
}
