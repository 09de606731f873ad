package app

import (
	"context"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/session"
)

// imageStore is what of image.Store commands use.
type imageStore interface {
	Resolve(ctx context.Context, r image.Request, sink event.Sink) (image.Image, error)
	List(ctx context.Context) ([]image.Info, error)
	Find(ctx context.Context, idOrName string) (image.Info, error)
	Remove(ctx context.Context, idOrName string) error
	Prune(ctx context.Context, olderThan time.Duration, keep ...string) ([]image.Info, error)
}

var _ imageStore = (*image.Store)(nil)

// namedLister lists the named sessions.
type namedLister interface {
	ListNamed(ctx context.Context) ([]session.NamedInfo, error)
}

// KeptImages is an image store that keeps the images of named sessions: a
// session whose image is gone can never be opened again, since the same request
// may give other packages tomorrow.
type KeptImages struct {
	imageStore
	sessions namedLister
}

// KeptImages returns the images as commands may handle them.
func (a *App) KeptImages() *KeptImages { return &KeptImages{a.Images, a.Sessions} }

// Remove removes an image that no named session needs.
func (k *KeptImages) Remove(ctx context.Context, idOrName string) error {
	info, err := k.Find(ctx, idOrName)
	if err != nil {
		return err
	}
	users, err := k.users(ctx)
	if err != nil {
		return err
	}
	if names := users[info.ID]; len(names) > 0 {
		return fault.Coded(fault.ImageNeeded, fault.Data{"image": info.Name, "sessions": strings.Join(names, " ")},
			"cannot remove image %s: it is what named sessions run: %s", info.Name, strings.Join(names, ", "))
	}
	return k.imageStore.Remove(ctx, info.ID)
}

// Prune removes the images that nobody used for olderThan and no named session needs.
func (k *KeptImages) Prune(ctx context.Context, olderThan time.Duration) ([]image.Info, error) {
	users, err := k.users(ctx)
	if err != nil {
		return nil, err
	}
	var keep []string
	for id := range users {
		keep = append(keep, id)
	}
	return k.imageStore.Prune(ctx, olderThan, keep...)
}

// users returns the names of the sessions by their image. When one session
// cannot be read, which image it needs is not known, and nothing may be removed.
func (k *KeptImages) users(ctx context.Context) (map[string][]string, error) {
	all, err := k.sessions.ListNamed(ctx)
	if err != nil {
		return nil, err
	}
	users := map[string][]string{}
	for _, s := range all {
		users[s.Image.ID] = append(users[s.Image.ID], s.Name)
	}
	return users, nil
}
