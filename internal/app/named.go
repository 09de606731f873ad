package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/sandbox"
	"praxis/internal/session"
)

// Types that describe sessions, images and the host.
type (
	NamedSession  = session.NamedInfo
	SnapshotInfo  = session.SnapshotInfo
	Image         = image.Image
	ImageInfo     = image.Info
	RemovedImages = image.Collected
	RemovedImage  = image.RemovedImage
	RemovedPart   = image.Removed
	Host          = sandbox.Host
	Enforcement   = sandbox.Enforcement
)

// NamedSessions lists the named sessions, the last used first.
func (a *App) NamedSessions(ctx context.Context) ([]NamedSession, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return nil, err
	}
	return m.sessions.ListNamed(ctx)
}

// SessionLog returns the snapshots of a named session, the oldest first.
func (a *App) SessionLog(ctx context.Context, name string) ([]SnapshotInfo, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return nil, err
	}
	return m.sessions.LogNamed(ctx, name)
}

// ForkSession makes the named session to, which starts where from stands now.
func (a *App) ForkSession(ctx context.Context, from, to string) error {
	m, err := a.machinery(ctx)
	if err != nil {
		return err
	}
	return m.sessions.ForkNamed(ctx, from, to)
}

// RollbackSession takes a named session back to a snapshot, or to the one before
// the last when id is empty, and returns where it stands then.
func (a *App) RollbackSession(ctx context.Context, name, id string) (string, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return "", err
	}
	return m.sessions.RollbackNamed(ctx, name, id)
}

// RemoveSession removes a named session and its snapshots.
func (a *App) RemoveSession(ctx context.Context, name string) error {
	m, err := a.machinery(ctx)
	if err != nil {
		return err
	}
	return m.sessions.RemoveNamed(ctx, name)
}

// ListImages lists the images that there are.
func (a *App) ListImages(ctx context.Context) ([]ImageInfo, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return nil, err
	}
	return m.images.List(ctx)
}

// BuildImage makes an image with packages, unless it is there.
func (a *App) BuildImage(ctx context.Context, spec SessionSpec, sink event.Sink) (Image, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return Image{}, err
	}
	if _, err := m.images.Lookup(ctx, spec.image()); fault.KindOf(err) == fault.NotFound {
		if err := a.makeSpace(ctx, 0); err != nil {
			return Image{}, fmt.Errorf("cannot build image: %w", err)
		}
	}
	return m.images.Resolve(ctx, spec.image(), sink)
}

// RemoveImage removes an image that no named session needs: a session whose
// image is gone can never be opened again, since the same request may give other
// packages tomorrow.
func (a *App) RemoveImage(ctx context.Context, idOrName string) error {
	m, err := a.machinery(ctx)
	if err != nil {
		return err
	}
	info, err := m.images.Find(ctx, idOrName)
	if err != nil {
		return err
	}
	users, err := m.imageUsers(ctx)
	if err != nil {
		return err
	}
	if names := users[info.ID]; len(names) > 0 {
		return fault.Coded(fault.ImageNeeded, fault.Data{"image": info.Name, "sessions": strings.Join(names, " ")},
			"cannot remove image %s: it is what named sessions run: %s", info.Name, strings.Join(names, ", "))
	}
	return m.imageFiles.Remove(ctx, info.ID)
}

// PruneImages removes the images that nobody used for olderThan and neither a named
// session nor a snapshot needs, and returns them.
func (a *App) PruneImages(ctx context.Context, olderThan time.Duration) (RemovedImages, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return RemovedImages{}, err
	}
	return m.collectImages(ctx, image.Collect{OlderThan: olderThan}, nil)
}

// collectImages removes images that no named session needs, and no snapshot but those
// that go.
func (m *machine) collectImages(ctx context.Context, c image.Collect, going []session.Removed) (image.Collected, error) {
	users, err := m.imageUsers(ctx)
	if err != nil {
		return image.Collected{}, err
	}
	for id := range users {
		c.Keep = append(c.Keep, id)
	}
	needed, err := m.sessions.Sources(func(id string) bool {
		return slices.ContainsFunc(going, func(r session.Removed) bool { return r.ID == id })
	})
	if err != nil {
		return image.Collected{}, err
	}
	c.Needed = func(folder string) bool { return needed[filepath.Join(folder, "tree")] }
	return m.imageFiles.Collect(ctx, c)
}

// imageUsers returns the names of the sessions by their image. When one session
// cannot be read, which image it needs is not known, and nothing may be removed.
func (m *machine) imageUsers(ctx context.Context) (map[string][]string, error) {
	all, err := m.sessions.ListNamed(ctx)
	if err != nil {
		return nil, err
	}
	users := map[string][]string{}
	for _, s := range all {
		users[s.Image.ID] = append(users[s.Image.ID], s.Name)
	}
	return users, nil
}

// Host says what boundary and limits this host gives, and what is missing.
func (a *App) Host(ctx context.Context) (Host, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return Host{}, err
	}
	h, err := m.backend.Host(ctx)
	if err != nil {
		return Host{}, err
	}
	h.Limits = withTimes(h.Limits, a.opt.Config.Execution)
	if h.Findings == nil {
		h.Findings = []sandbox.Finding{}
	}
	return h, nil
}

// withTimes adds the bounds on time, which no part of the host keeps.
func withTimes(limits []Enforcement, b event.Bounds) []Enforcement {
	cpu := "of one execution; none unless it is set"
	if b.CPU > 0 {
		cpu = "of one execution: " + b.CPU.String()
	}
	var out []Enforcement
	for _, l := range limits {
		if l.Limit == "wall" && l.Note == "" {
			l.Note = "of one execution: " + b.Timeout.String()
		}
		out = append(out, l)
	}
	return append(out,
		Enforcement{Limit: "cpu_time", By: "guest agent", Note: cpu},
		Enforcement{Limit: "session_wall", By: "praxis", Note: "life of a session: " + session.DefaultWall.String()},
		Enforcement{Limit: "session_idle", By: "praxis", Note: "time without a call: " + session.DefaultIdle.String()},
	)
}
