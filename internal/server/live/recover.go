package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
	"praxis/internal/server/observe"
)

// mark is what is stored of a run that goes on without its client, for as long as it does: the
// next start of the server goes on with it after a stop or a kill.
type mark struct {
	ID string `json:"id"`
	StoredRun
	Starts int `json:"starts,omitempty"` // of the server since it was begun
}

// maxStarts bounds how often a run is gone on with, so that one that ends the server does not
// do so for ever.
const maxStarts = 10

// runsDir is the folder of the marks.
func (h *Hub) runsDir() string { return filepath.Join(filepath.Dir(h.cfg.Dir), RunsFolder) }

// RunsFolder is the name of the folder, beside that of the sessions, of what is stored of runs
// that the next start goes on with.
const RunsFolder = "runs"

// The kinds of runs of which something is stored. Questions and plans are gone on with; the
// others end, and say why.
const (
	QuestionRun     = "" // as in files of before
	PlanRun         = "plan"
	CodeRun         = "code"
	PlanQuestionRun = "question by plans"
	BranchRun       = "branch"
)

// StoredRun is what the next start of the server needs to go on with a run.
type StoredRun struct {
	Kind       string        `json:"kind,omitempty"`
	Record     string        `json:"record"`               // that it has; "": of a branch, which has one when it ends
	Later      bool          `json:"later,omitempty"`      // a plan waits at calls that somebody has to agree to
	Model      string        `json:"model,omitempty"`      // that it goes on with; "": the recorded one
	Unattended bool          `json:"unattended,omitempty"` // nobody is there to agree to its calls
	Lingers    time.Duration `json:"lingers,omitempty"`    // after which it ends when nobody follows it; 0: it does not
	Keeps      bool          `json:"keeps,omitempty"`      // its files are fetched when it has ended
	By         event.Client  `json:"by,omitzero"`          // on whose behalf it is
}

// Keep stores that the next start of the server goes on with the run.
func (r *Run) Keep(k StoredRun) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := mark{r.ID, k, r.starts}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := atomicfile.Make(r.hub.runsDir()); err != nil {
		return err
	}
	r.stored = true
	return atomicfile.WriteFile(filepath.Join(r.hub.runsDir(), r.ID+".json"), data)
}

// forget removes the mark of a run that has ended. One that the server's stop interrupted is
// gone on with.
func (r *Run) forget(err error) {
	r.hub.mu.Lock()
	stopped := r.hub.closed
	r.hub.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stored || stopped && err != nil {
		return
	}
	if err := os.Remove(filepath.Join(r.hub.runsDir(), r.ID+".json")); err != nil {
		r.hub.cfg.Failed("", fmt.Errorf("cannot remove what is stored of run %s: %w", r.ID, err))
	}
}

// Resume goes on with a run. What it makes is saved in dir; "": that is not kept.
type Resume func(ctx context.Context, dir string, r *Run, k StoredRun) (any, error)

// Recover goes on with the runs that went on when the server ended, under the ids that they
// had. What keeps one from going on is how it ends.
func (h *Hub) Recover(resume Resume) error {
	return eachFile(h.runsDir(), "the runs that went on", func(id string, data []byte) error {
		m, err := decodeMark(id, data)
		if err != nil {
			h.cfg.Failed("", err)
		} else if err := h.goOn(m, resume); err != nil {
			h.cfg.Failed("", fmt.Errorf("cannot go on with run %s: %w", m.Record, err)) // the next start tries again
		}
		return nil
	})
}

// eachFile calls f with the content of each file of a folder whose files are called after ids.
// What they hold is named in errors; a folder that is not there has none.
func eachFile(dir, what string, f func(id string, data []byte) error) error {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read %s: %w", what, err)
	}
	for _, file := range files {
		id, ok := strings.CutSuffix(file.Name(), ".json")
		if !ok || strings.HasPrefix(id, ".") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", what, err)
		}
		if err := f(id, data); err != nil {
			return err
		}
	}
	return nil
}

// goOn begins the run of a mark again.
func (h *Hub) goOn(m mark, resume Resume) error {
	by := observe.NewRequest(observe.Span{}) // a trace of its own
	by.Tenant, by.Key = m.By.Tenant, m.By.Key
	ctx := observe.With(context.Background(), by)
	begin := func(dir string) (*Run, error) {
		return h.start(ctx, m.ID, m.Starts+1, func(ctx context.Context, r *Run) (any, error) {
			if err := r.Keep(m.StoredRun); err != nil {
				return nil, err
			}
			if r.starts > maxStarts {
				return nil, fault.New(fault.Conflict, "Go on with its record.", "cannot go on with run %s by itself: the server ended %d times while it went on", cmp.Or(m.Record, m.ID), maxStarts)
			}
			return resume(ctx, dir, r, m.StoredRun)
		})
	}
	var r *Run
	var err error
	if m.Keeps {
		r, err = h.keeping(begin)
	} else {
		r, err = begin("")
	}
	if err == nil && m.Lingers > 0 {
		r.Log.WhenLeft(m.Lingers, r.Interrupt)
	}
	return err
}

// decodeMark reads what is stored of a run.
func decodeMark(id string, data []byte) (mark, error) {
	var m mark
	if err := json.Unmarshal(data, &m); err != nil || m.ID != id || m.Record == "" && m.Kind != BranchRun || m.Starts < 0 || m.Lingers < 0 {
		return m, fault.New(fault.Conflict, "Remove the file, and go on with its record.", "cannot go on with a run: %s.json is damaged", safetext.Clip(safetext.Line(id), 80))
	}
	return m, nil
}
