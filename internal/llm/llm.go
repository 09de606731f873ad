// Package llm is the contract of a language model: messages in, one reply out.
// Providers live one level below. Those that are asked over a network share
// the package praxis/internal/llm/stream.
package llm

import (
	"context"
	"time"

	"praxis/event"
)

// Model is one model of one provider.
type Model interface {
	// Name returns "provider:name", such as "anthropic:claude-sonnet-4-5".
	Name() string
	// Traits returns what is known of the model before it is asked.
	Traits() Traits
	// Complete sends the conversation and returns the reply. Text is passed to
	// delta as it arrives; delta may be nil. Faults: Denied (401, 403),
	// Exhausted (429), Unavailable (5xx, no answer in time, a reply that is
	// garbage), Invalid (the provider refuses the request), Canceled.
	Complete(ctx context.Context, req Request, delta func(string)) (Reply, error)
}

// What a conversation is made of is recorded whole, so that its types are those
// of the vocabulary of events.
type (
	Message   = event.Message
	Role      = event.Role
	Call      = event.Call
	Result    = event.Result
	Reasoning = event.Reasoning
	Tool      = event.Tool
	Picture   = event.Picture
	Traits    = event.Traits
)

// The roles.
const (
	User      = event.User
	Assistant = event.Assistant
)

// Effort is how much a model is asked to reason before it replies. A model that
// is not asked reasons as its provider has it.
type Effort string

// The efforts.
const (
	Low    Effort = "low"
	Medium Effort = "medium"
	High   Effort = "high"
)

// Request is one call of a model.
type Request struct {
	System    string
	Messages  []Message
	Tools     []Tool
	MaxTokens int // of the reply; 0: 4096
	// Reasoning is passed what the model thinks as it arrives, where its provider
	// sends that. It may be nil.
	Reasoning func(string)
	// Pausing is called for each pause before the model is asked again, on the
	// goroutine that called Complete. It may be nil.
	Pausing func(Pause)
}

// Pause is the wait between two attempts.
type Pause struct {
	Reason  string // why the last attempt failed, short, in one line
	After   time.Duration
	Attempt int    // the one that comes, counted from 1
	Model   string // that is asked from then on; "": the same
}

// Event is the pause as it is recorded.
func (p Pause) Event(step int) event.ModelRetrying {
	return event.ModelRetrying{Step: step, Reason: p.Reason, After: event.Duration(p.After), Attempt: p.Attempt, Model: p.Model}
}

// Reply is what the model said.
type Reply struct {
	Text      string
	Calls     []Call
	Reasoning Reasoning // what it thought before, where the provider sends that apart from the text
	Tokens    event.Tokens
	Cut       bool   // the reply ended because MaxTokens was reached
	Model     string // who gave it, where several are asked; "": the model that was called
}
