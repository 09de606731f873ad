// Package fallback is a model that asks several, one after the other: the next
// one when the one before fails for good, because nobody answers, it is
// overloaded or its account has no credit. From there on the next one is asked;
// the first is tried again in the next run.
//
// What a person has to mend is not hidden by another model's reply: a key that is
// refused, a name that nobody knows, a request that the provider does not take or
// declines. That another model is asked is reported as a pause is, and each reply says
// who gave it.
package fallback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
)

// Model is a list of models. It is safe for concurrent use.
type Model struct {
	models []llm.Model

	mu sync.Mutex
	at int // the model that is asked
}

var _ llm.Model = (*Model)(nil)

// New returns a model that asks the first of models, and the others in their
// order when it fails.
func New(first llm.Model, others ...llm.Model) *Model {
	return &Model{models: append([]llm.Model{first}, others...)}
}

// Name returns the name of the first model, whoever is asked.
func (m *Model) Name() string { return m.models[0].Name() }

// Traits implements llm.Model. They hold for all of the models, since the same
// conversation goes on with each of them.
func (m *Model) Traits() llm.Traits {
	out := m.models[0].Traits()
	for _, one := range m.models[1:] {
		t := one.Traits()
		out.Sees, out.Local = out.Sees && t.Sees, out.Local && t.Local
		out.TextOnly = out.TextOnly || t.TextOnly
		if t.Window > 0 && (out.Window == 0 || t.Window < out.Window) {
			out.Window = t.Window
		}
	}
	return out
}

// Models returns the models, the first one first.
func (m *Model) Models() []llm.Model { return slices.Clone(m.models) }

// Current returns the model that is asked now. Behind a reply it is the one that gave it.
func (m *Model) Current() llm.Model { return m.models[m.current()] }

// Complete implements llm.Model.
func (m *Model) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	if delta == nil {
		delta = func(string) {}
	}
	shown := false
	show := func(text string) {
		shown = true
		delta(text)
	}
	var failed []error
	var used event.Tokens // by all models
	for at := m.current(); ; at++ {
		one := m.models[at]
		reply, err := one.Complete(ctx, req, show)
		used = used.Add(reply.Tokens)
		if err == nil {
			reply.Tokens = used
			if reply.Model == "" && at > 0 {
				reply.Model = one.Name()
			}
			return reply, nil
		}
		failed = append(failed, err)
		if !passes(err) || ctx.Err() != nil || at+1 == len(m.models) {
			return llm.Reply{Tokens: used}, joined(failed)
		}
		m.skip(at)
		next := m.models[at+1].Name()
		if shown {
			delta(fmt.Sprintf("\n[the reply was cut: asking %s]\n", next))
			shown = false
		}
		if req.Pausing != nil {
			req.Pausing(llm.Pause{Reason: err.Error(), Attempt: 1, Model: next})
		}
	}
}

// current returns the place of the model that is asked.
func (m *Model) current() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at
}

// skip says that the model at a place failed for good.
func (m *Model) skip(at int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = max(m.at, at+1)
}

// passes says whether another model may do what this one could not.
func passes(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.Exhausted
}

// joined returns the last failure, which says that others came before it.
func joined(failed []error) error {
	last := failed[len(failed)-1]
	if len(failed) == 1 {
		return last
	}
	f := fault.Of(last)
	if f.Kind == fault.Internal {
		return errors.Join(failed...)
	}
	f.Message = fmt.Sprintf("%s (and before: %s)", f.Message, failed[0])
	return f
}
