package live

import (
	"context"
	"errors"
	"time"

	"praxis/internal/app"
)

// Fork makes sessions that go on from the state of one, each for as long as lasts says, one
// for each name; "": one is chosen. Those that were made are returned beside an error.
func (h *Hub) Fork(ctx context.Context, id string, names []string, lasts time.Duration) (made []Info, err error) {
	if err := h.cfg.Admit(ctx); err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if err := app.CheckSessionName(name); err != nil {
			return nil, err
		}
	}
	if err := h.saveNewest(ctx, id, "forked"); err != nil {
		return nil, err
	}
	parent, err := h.Get(id)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		meta := newMeta(ctx, name, lasts)
		meta.Saved, meta.Memory = true, parent.Memory
		e := newSession(meta, app.SessionSpec{})
		if err := h.add(e); err != nil {
			return made, err
		}
		err := h.cfg.App.ForkSession(ctx, id, meta.ID)
		if err == nil {
			err = h.write(meta)
		}
		if err != nil {
			return made, errors.Join(err, h.drop(context.WithoutCancel(ctx), e, true))
		}
		made = append(made, h.info(e))
	}
	return made, nil
}

// saveNewest makes the state of a session what is gone on from. One that has no sandbox stands
// at its newest state already: it is not opened for that.
func (h *Hub) saveNewest(ctx context.Context, id, label string) error {
	e, err := h.find(id)
	if err != nil {
		return err
	}
	h.mu.Lock()
	paused := e.state() == Paused
	h.mu.Unlock()
	if paused {
		return nil
	}
	_, err = h.Save(ctx, id, label)
	return err
}
