package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/agent/action"
	"praxis/internal/bounded"
	"praxis/internal/llm"
)

// maxWhole bounds a conversation that is read back, in bytes.
const maxWhole = 256 << 20

// remember gives the agent the memory that the recorded run had. Its notes are
// those that were found then: what is kept since then was not known, and a
// replay keeps nothing. taken says which steps' replies are given again.
func (e *rerun) remember(cfg *agent.Config, taken func(Step) bool) {
	if e.rec.HadNotes() {
		cfg.Notes = agent.NewRecordedNotes(e.rec.calls(taken))
	}
	w := &condensedHistory{source: e.cfg.Source, beside: e.cfg.Store, contents: map[string][]byte{}}
	cfg.Store, cfg.Load = w.store, w.load
}

// HadNotes says whether the model of the run could keep notes and find those of others.
func (r Recording) HadNotes() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Tools, func(t llm.Tool) bool { return t.Name == action.ToolSave || t.Name == action.ToolSearch })
	})
}

// calls returns the calls of tools in some steps as events.
func (r Recording) calls(of func(Step) bool) []event.Event {
	var out []event.Event
	for _, s := range r.Steps {
		if !of(s) {
			continue
		}
		for _, c := range s.Calls {
			if c.Called.Origin != "" {
				continue // a tool behind the gate
			}
			out = append(out, c.Called)
			if c.Returned != nil {
				out = append(out, *c.Returned)
			}
		}
	}
	return out
}

// condensedHistory stores the conversations that were condensed: those of the recorded
// run and those of the run that is executed.
type condensedHistory struct {
	source Source
	beside func(ctx context.Context, content []byte) (string, error) // Config.Store

	mu       sync.Mutex
	contents map[string][]byte
}

func (w *condensedHistory) store(ctx context.Context, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	if w.beside != nil {
		var err error
		if name, err = w.beside(ctx, data); err != nil {
			return "", err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.contents[name] = data
	return name, nil
}

func (w *condensedHistory) load(ctx context.Context, sum string) ([]byte, error) {
	w.mu.Lock()
	data, ok := w.contents[sum]
	w.mu.Unlock()
	if ok {
		return data, nil
	}
	r, err := w.source.Blob(ctx, sum)
	if err != nil {
		return nil, err
	}
	if data, err = bounded.ReadClose(r, maxWhole); err != nil {
		return nil, fmt.Errorf("cannot read the conversation %s: %w", sum, err)
	}
	return data, nil
}

// branchNotes are the recorded notes up to the step where a branch begins, and
// those of today from there on.
type branchNotes struct {
	recorded, today agent.Notes // today may be nil
	own             func() bool // whether the step is the branch's own
}

var _ agent.Notes = branchNotes{}

func (n branchNotes) notes() (agent.Notes, error) {
	switch {
	case !n.own() && n.recorded != nil:
		return n.recorded, nil
	case n.today != nil:
		return n.today, nil
	}
	return nil, fault.New(fault.Invalid, "Go on without.", "cannot use notes: this branch has none")
}

// Save implements agent.Notes.
func (n branchNotes) Save(ctx context.Context, step int, text string, tags []string) (string, bool, error) {
	notes, err := n.notes()
	if err != nil {
		return "", false, err
	}
	return notes.Save(ctx, step, text, tags)
}

// Search implements agent.Notes.
func (n branchNotes) Search(ctx context.Context, query string) ([]agent.Note, error) {
	notes, err := n.notes()
	if err != nil {
		return nil, err
	}
	return notes.Search(ctx, query)
}
