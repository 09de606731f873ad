// Package recorded is a model whose replies were recorded in a run: a replay
// calls it instead of the model that answered then.
//
// The n-th call gets the n-th exchange, whatever its request is: requests are
// stored, so that a replay can compare them with the recording. A call beyond the
// last exchange is a fault.Conflict that wraps [ErrEnded].
package recorded

import (
	"context"
	"errors"
	"slices"
	"sync"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
)

// ErrEnded is wrapped by the error of a call that comes after the last exchange.
// A run that is replayed makes one request more than it did when it takes another
// course, or when the recording was cut.
var ErrEnded = errors.New("the recording ends")

const remedy = "A recording has the replies of one course of events; ask a model to go on from here."

// Exchange is one call of a model as it was recorded: a reply, or the failure
// that came instead.
type Exchange struct {
	Reply  event.ModelReplied
	Failed string // the failure's text; empty: Reply holds
}

// Model gives recorded replies in their order. It is safe for concurrent use.
type Model struct {
	name      string
	traits    llm.Traits
	exchanges []Exchange

	mu       sync.Mutex
	requests []llm.Request
}

var _ llm.Model = (*Model)(nil)

// New returns a model that gives exchanges, the first one first. name is that
// of the model that was recorded, "provider:name", and traits are what was known of it.
func New(name string, traits llm.Traits, exchanges []Exchange) *Model {
	m := &Model{name: name, traits: traits, exchanges: slices.Clone(exchanges)}
	for i := range m.exchanges {
		m.exchanges[i].Reply.Calls = copyCalls(m.exchanges[i].Reply.Calls)
	}
	return m
}

// Name implements llm.Model: it returns the name of the model that was recorded.
func (m *Model) Name() string { return m.name }

// Traits implements llm.Model: they are those of the model that was recorded.
func (m *Model) Traits() llm.Traits { return m.traits }

// Complete implements llm.Model. A recorded failure comes back with the same
// text as a fault.Unavailable. A call that is canceled before it begins uses up
// no exchange.
func (m *Model) Complete(ctx context.Context, req llm.Request, delta func(string)) (llm.Reply, error) {
	if err := context.Cause(ctx); err != nil {
		return llm.Reply{}, fault.New(fault.Canceled, "", "cannot ask the model: %w", err)
	}
	n := m.take(req)
	if n >= len(m.exchanges) {
		return llm.Reply{}, fault.New(fault.Conflict, remedy, "cannot go on: %w after %s", ErrEnded, replies(len(m.exchanges)))
	}
	x := m.exchanges[n]
	if x.Failed != "" {
		return llm.Reply{}, fault.New(fault.Unavailable, "", "%s", x.Failed)
	}
	if delta != nil && x.Reply.Text != "" {
		delta(x.Reply.Text)
	}
	return llm.Reply{Text: x.Reply.Text, Reasoning: x.Reply.Reasoning, Calls: given(x.Reply.Calls), Tokens: x.Reply.Tokens, Cut: x.Reply.Cut, Model: x.Reply.Model}, nil
}

// take stores a request and returns its number, counted from 0.
func (m *Model) take(req llm.Request) int {
	req = copyRequest(req)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, req)
	return len(m.requests) - 1
}

// Requests returns every request so far, in order, those beyond the last exchange
// included. Pausing, which is no part of a request's text, is nil in them.
func (m *Model) Requests() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]llm.Request, len(m.requests))
	for i, req := range m.requests {
		out[i] = copyRequest(req)
	}
	return out
}

// given returns calls as a provider gives them: an input that holds nothing is
// an empty object. The recording does not distinguish it from none.
func given(calls []event.Call) []event.Call {
	out := copyCalls(calls)
	for i := range out {
		if out[i].Input == nil && out[i].Raw == "" {
			out[i].Input = map[string]any{}
		}
	}
	return out
}
