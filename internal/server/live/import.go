package live

import (
	"context"
	"errors"
	"io"

	"praxis/event"
	"praxis/internal/app"
)

// Import makes a session of the file that r gives, called id; "": one is chosen.
func (h *Hub) Import(ctx context.Context, r io.Reader, id string) (Info, error) {
	meta := newMeta(ctx, id, 0)
	meta.Saved = true
	if err := app.CheckSessionName(meta.ID); err != nil {
		return Info{}, err
	}
	if err := h.cfg.Admit(ctx); err != nil {
		return Info{}, err
	}
	e := newSession(meta, app.SessionSpec{})
	if err := e.take(ctx); err != nil { // nobody opens it before it is there
		return Info{}, err
	}
	if err := h.add(e); err != nil {
		return Info{}, err
	}
	got, err := h.cfg.App.ReadSession(ctx, r, e.id, event.Discard)
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
