package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/safetext"
)

// Added returns the packages that the session has beside its image's.
func (s *Session) Added() []image.Package {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.added)
}

// AddPackages puts packages on the session's own disk and has its kernels find
// them; variables stay. They were resolved for a session that was given the packages
// beside, as Added returns them. It waits until no call is running. Snapshots have
// the packages as they have every file.
func (s *Session) AddPackages(ctx context.Context, a image.Addition, beside []image.Package) error {
	if a.Bytes > s.opt.Limits.Disk {
		return fault.New(fault.Exhausted, "Begin a session that has them, or one with a larger disk.",
			"cannot add packages: they take %s, and the session's disk has %s", safetext.Size(a.Bytes), safetext.Size(s.opt.Limits.Disk))
	}
	return s.alone(ctx, func(l *live) error {
		err := s.addPackages(ctx, l, a, beside)
		if broken(l) {
			l.exit() // what cannot be talked to any more does not go on
		}
		return err
	})
}

func (s *Session) addPackages(ctx context.Context, l *live, a image.Addition, beside []image.Package) error {
	if !slices.Equal(s.Added(), beside) {
		return fault.New(fault.Conflict, "Add them again.", "cannot add packages: the session went to another state meanwhile")
	}
	if a.Files != nil {
		if err := s.layOut(ctx, l, a); err != nil {
			return err
		}
		s.mu.Lock()
		s.added = slices.Concat(beside, a.New)
		s.mu.Unlock()
	}
	return s.refresh(ctx, l, a.Folder)
}

// layOut copies the files of packages into a session. What a failure leaves of
// them is removed, except what it added to folders that were there before.
func (s *Session) layOut(ctx context.Context, l *live, a image.Addition) error {
	before, err := l.client.List(ctx, a.Folder, false)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return fmt.Errorf("cannot add packages: %w", err)
	}
	err = l.client.CopyFolder(ctx, a.Folder, a.Files)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("cannot add packages: %w", err)
	entries, listErr := fs.ReadDir(a.Files, ".")
	if listErr != nil || broken(l) {
		return errors.Join(err, listErr)
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), s.m.cfg.Patience.Wake)
	defer stop()
	for _, e := range entries {
		name := path.Join(a.Folder, e.Name())
		if !slices.ContainsFunc(before, func(f wire.FileInfo) bool { return f.Path == name }) {
			_ = l.client.Remove(ctx, name, true) // it may not have come so far
		}
	}
	return err
}

// refresh has every kernel find the packages in a folder. A guest that does not
// answer is ended: the next call goes back to the last snapshot.
func (s *Session) refresh(ctx context.Context, l *live, folder string) error {
	bounded, cancel := context.WithTimeout(ctx, DefaultTimeout+s.m.cfg.Patience.Overtime)
	defer cancel()
	contexts, err := l.client.Contexts(bounded)
	if err != nil {
		return fmt.Errorf("cannot add packages: %w", err)
	}
	for _, c := range contexts {
		lang, ok := s.m.cfg.Languages.Find(c.Language)
		if !ok || lang.Refresh == nil || c.State == "dead" || c.Lost != "" {
			continue // a kernel that is started after this finds them by itself
		}
		x, err := l.client.Execute(bounded, wire.Execute{
			Context: c.Name, Code: lang.Refresh(folder), WallMS: DefaultTimeout.Milliseconds(), Silent: true,
		}, event.Discard)
		if err != nil && bounded.Err() != nil && fault.KindOf(err) == fault.Unavailable {
			l.close() // it does not even stop when it is interrupted
		}
		switch {
		case err != nil:
			return fmt.Errorf("cannot add packages: %w", err)
		case x.Status != event.OK:
			return fault.New(fault.Conflict, "Start a new interpreter, which finds them; variables are gone with the old one.",
				"cannot import the packages that were added: the code that makes the interpreter find them ended with the status %s", x.Status)
		}
	}
	return nil
}
