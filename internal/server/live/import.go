package live

import (
	"context"
	"errors"
	"io"
	"time"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/server/observe"
)

// Import makes a session of the file that r gives, called id; "": one is chosen.
func (h *Hub) Import(ctx context.Context, r io.Reader, id string) (Info, error) {
	if id == "" {
		id = newID("s")
	}
	if err := app.CheckSessionName(id); err != nil {
		return Info{}, err
	}
	if err := h.cfg.Admit(ctx); err != nil {
		return Info{}, err
	}
	meta := Meta{ID: id, Made: time.Now().UTC(), Saved: true, Key: observe.From(ctx).Key}
	e := newSession(meta, app.SessionSpec{})
	if err := e.take(ctx); err != nil { // nobody opens it before it is there
		return Info{}, err
	}
	if err := h.add(e); err != nil {
		return Info{}, err
	}
	got, err := h.cfg.App.ReadSession(ctx, r, id, event.Discard)
	made := err == nil
	if made {
		h.mu.Lock()
		e.meta.Memory = got.Limits.Memory
		meta = e.meta
		h.mu.Unlock()
		err = h.write(meta)
	}
	e.give()
	if err != nil { // a session of that name that was there before stays
		return Info{}, errors.Join(err, h.drop(context.WithoutCancel(ctx), e, made))
	}
	return h.info(e), nil
}
