package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/atomicfile"
)

// maxMade are the runs whose files wait to be fetched. The oldest go first.
const maxMade = 16

// made is a folder with what a run made, until a client has fetched it.
type made struct {
	run string
	dir string
}

// madeFolder is where the folders are. What lies there when the hub opens is nobody's.
func (h *Hub) madeFolder() string { return filepath.Join(filepath.Dir(h.cfg.Dir), "made") }

// StartKeeping is Start of a run whose files are fetched afterwards: do saves them in dir.
func (h *Hub) StartKeeping(ctx context.Context, do func(ctx context.Context, dir string, r *Run) (any, error)) (*Run, error) {
	return h.keeping(func(dir string) (*Run, error) {
		return h.Start(ctx, func(ctx context.Context, r *Run) (any, error) { return do(ctx, dir, r) })
	})
}

// keeping begins a run with a folder for what it makes.
func (h *Hub) keeping(begin func(dir string) (*Run, error)) (*Run, error) {
	if err := atomicfile.Make(h.madeFolder()); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(h.madeFolder(), "r-")
	if err != nil {
		return nil, fmt.Errorf("cannot store what the run makes: %w", err)
	}
	r, err := begin(dir)
	if err != nil {
		_ = os.RemoveAll(dir) // it is empty
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.made = append(h.made, made{r.ID, dir})
	more := len(h.made) - maxMade
	h.made = slices.DeleteFunc(h.made, func(m made) bool {
		old := h.runs.find(m.run)
		if more <= 0 || old != nil && !old.Ended() {
			return false
		}
		more--
		_ = os.RemoveAll(m.dir) // what stays is removed when the hub opens
		return true
	})
	return r, nil
}

// Made returns the folder with what a run made that has ended.
func (h *Hub) Made(run string) (dir string, err error) {
	r, err := h.Run(run)
	if err != nil {
		return "", err
	}
	if !r.Ended() {
		return "", fault.New(fault.Conflict, "Wait for its end.", "cannot read what run %s made: it goes on", r.ID)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.made {
		if m.run == run {
			return m.dir, nil
		}
	}
	return "", fault.New(fault.NotFound, "Ask for its files to be kept when it begins, and fetch them soon.", "cannot read what run %s made: it is not kept", r.ID)
}

// Forget removes what a run made.
func (h *Hub) Forget(run string) error {
	dir, err := h.Made(run)
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.made = slices.DeleteFunc(h.made, func(m made) bool { return m.run == run })
	h.mu.Unlock()
	return os.RemoveAll(dir)
}

// Apart calls f while nothing else has the session of a name, which f opens itself by its
// name and saves: it is paused before. A session that f made is known here afterwards.
func (h *Hub) Apart(ctx context.Context, id string, f func() error) error {
	if err := app.CheckSessionName(id); err != nil {
		return err
	}
	for {
		e, err := h.findOrAdd(ctx, id)
		if err != nil {
			return err
		}
		began := false
		err = h.alone(ctx, e, true, func() error {
			if err := h.close(ctx, e); err != nil {
				return err
			}
			if err := h.usable(e); err != nil {
				return err
			}
			began = true
			return h.doApart(ctx, e, f)
		})
		h.mu.Lock()
		gone := e.gone
		h.mu.Unlock()
		if began || !gone { // otherwise it went while it was waited for, and there may be another
			return err
		}
	}
}

// findOrAdd finds a session, or takes one in that is still to be made.
func (h *Hub) findOrAdd(ctx context.Context, id string) (*session, error) {
	e, err := h.find(id)
	if fault.KindOf(err) == fault.NotFound {
		meta := newMeta(ctx, id, 0)
		meta.Memory = h.cfg.App.Limits().Memory
		e = newSession(meta, app.SessionSpec{})
		e.fresh = true
		err = h.add(e)
	}
	return e, err
}

// doApart calls f, which uses the session by its name. The session is alone.
func (h *Hub) doApart(ctx context.Context, e *session, f func() error) error {
	h.apart(e, true)
	defer h.apart(e, false)
	err := f()
	_, missing := h.cfg.App.SessionLog(context.WithoutCancel(ctx), e.id)
	switch {
	case missing == nil:
		e.fresh = false
		return errors.Join(err, h.saved(e))
	case e.fresh && fault.KindOf(missing) == fault.NotFound: // f did not make it
		h.mu.Lock()
		e.gone = true // for who waits for it
		delete(h.sessions, e.id)
		h.mu.Unlock()
	}
	return err
}

// apart says whether a session is used by its name, and not here.
func (h *Hub) apart(e *session, is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.apart, e.used = is, time.Now()
}

// Rename gives a session the name to by f, which renames its state, while nothing has it: it is
// paused before. What is not known here is renamed all the same.
func (h *Hub) Rename(ctx context.Context, id, to string, f func() error) error {
	e, err := h.find(id)
	if err != nil { // it has no sandbox here
		return f()
	}
	return h.alone(ctx, e, true, func() error {
		if err := h.close(ctx, e); err != nil {
			return err
		}
		if err := f(); err != nil {
			return err
		}
		h.loseProcesses(e, "the session was renamed; the process goes on when it is opened again")
		h.mu.Lock()
		meta := e.meta
		meta.ID = to
		e.gone = true // for who waits for it
		delete(h.sessions, id)
		if h.sessions[to] == nil {
			h.sessions[to] = newSession(meta, app.SessionSpec{})
		}
		h.mu.Unlock()
		return errors.Join(h.write(meta), h.removeFile(id))
	})
}
