// Package llm is the contract of a language model: messages in, one reply out.
// Providers live one level below, each behind its official SDK.
package llm

import (
	"context"
	"time"

	"praxis/internal/event"
)

// Model is one model of one provider.
type Model interface {
	// Name returns "provider:name", such as "anthropic:claude-sonnet-4-5".
	Name() string
	// Complete sends the conversation and returns the reply. Text is passed to
	// delta as it arrives; delta may be nil. Faults: Denied (401, 403),
	// Exhausted (429), Unavailable (5xx, no answer in time, a reply that is
	// garbage), Invalid (the provider refuses the request), Canceled.
	Complete(ctx context.Context, req Request, delta func(string)) (Reply, error)
}

// Role says who speaks.
type Role uint8

// The roles.
const (
	User Role = iota + 1
	Assistant
)

// Message is one turn. An assistant's Calls are answered by the next user
// message's Results, in the same order.
type Message struct {
	Role    Role
	Text    string
	Calls   []Call
	Results []Result
}

// Call is a native tool call of the model.
type Call struct {
	ID    string // given by the provider
	Name  string
	Input map[string]any
	Raw   string // the input as it was sent when it is not a JSON object; Input is nil then
}

// Result answers a Call.
type Result struct {
	CallID  string
	Text    string
	IsError bool
}

// Tool is a function that the model may call natively.
type Tool struct {
	Name        string
	Description string
	Schema      map[string]any // JSON schema of the input, an object
}

// Request is one call of a model.
type Request struct {
	System    string
	Messages  []Message
	Tools     []Tool
	MaxTokens int // of the reply; 0: 4096
	// Pausing hears of each pause before the model is asked again, on the
	// goroutine that called Complete. It may be nil.
	Pausing func(Pause)
}

// Pause is the wait between two attempts.
type Pause struct {
	Reason  string // why the last attempt failed, short, in one line
	After   time.Duration
	Attempt int // the one that comes, counted from 1
}

// Reply is what the model said.
type Reply struct {
	Text   string
	Calls  []Call
	Tokens event.Tokens
	Cut    bool // the reply ended because MaxTokens was reached
}
