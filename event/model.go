package event

import (
	"fmt"
	"slices"
)

// Role says who speaks in a conversation with a model.
type Role uint8

// The roles.
const (
	User Role = iota + 1
	Assistant
)

// String returns "user" or "assistant".
func (r Role) String() string {
	if r == Assistant {
		return "assistant"
	}
	return "user"
}

// MarshalText writes the name.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a name.
func (r *Role) UnmarshalText(b []byte) error {
	i := slices.Index([]string{"user", "assistant"}, string(b))
	if i < 0 {
		return fmt.Errorf("cannot read role %q: not one of user, assistant", b)
	}
	*r = Role(i + 1)
	return nil
}

// Message is one turn of a conversation. An assistant's Calls are answered by
// the next user message's Results, in the same order.
type Message struct {
	Role      Role      `json:"role"`
	Reasoning Reasoning `json:"reasoning,omitzero"` // of an assistant
	Text      string    `json:"text,omitempty"`
	Calls     []Call    `json:"calls,omitempty"`
	Results   []Result  `json:"results,omitempty"`
	Pictures  []Picture `json:"pictures,omitempty"` // of a user, shown after the text and the results
}

// Picture is a picture that a model is shown.
type Picture struct {
	Type string `json:"type"` // its MIME type, such as "image/png"
	Data []byte `json:"data"`
	Name string `json:"name,omitempty"` // as the text names it, such as "display 1 of step 2"
}

// Traits are what is known of a model that decides how it is asked.
type Traits struct {
	Sees     bool `json:"sees,omitempty"`      // pictures can be sent to it
	TextOnly bool `json:"text_only,omitempty"` // it has no native tool calls
	Local    bool `json:"local,omitempty"`     // it runs on the person's own server: nothing is charged
	Window   int  `json:"window,omitempty"`    // tokens that a request may have; 0: not known
}

// Reasoning is what a model thought before it replied, where its provider
// sends that apart from the reply. It is never part of an answer. It is kept
// because some servers refuse a conversation whose calls come back without the
// reasoning that led to them.
type Reasoning struct {
	Text      string `json:"text,omitempty"`
	Signature string `json:"signature,omitempty"` // by which the server knows the reasoning again; opaque
	Model     string `json:"model,omitempty"`     // whose it is: no other model is given it
}

// Call is a native tool call of a model.
type Call struct {
	ID    string         `json:"id"` // given by the provider
	Name  string         `json:"name"`
	Input map[string]any `json:"input,omitempty"`
	Raw   string         `json:"raw,omitempty"` // the input as it was sent when it is not a JSON object; Input is nil then
}

// Result answers a Call.
type Result struct {
	CallID  string `json:"call_id"`
	Text    string `json:"text"`
	IsError bool   `json:"is_error,omitempty"`
}

// Tool is a function that a model may call natively.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Schema      map[string]any `json:"schema"` // JSON schema of the input, an object
}

// ModelRequested is emitted before a model is called. It contains the whole
// request: the first Repeated messages are those of the previous request in the
// same run, and Messages are the rest.
type ModelRequested struct {
	Step      int       `json:"step"`
	Model     string    `json:"model"`
	System    string    `json:"system"`
	Tools     []Tool    `json:"tools,omitempty"`
	Repeated  int       `json:"repeated"`
	Messages  []Message `json:"messages"`
	MaxTokens int       `json:"max_tokens"`
	Call      string    `json:"call,omitempty"` // of a quarantined model: the call of a plan that it answers
}

// ModelReplied is the whole reply of one turn. Thought is the prose around the
// action, as the screen shows it; where there is none, it is the reasoning.
type ModelReplied struct {
	Step      int       `json:"step"`
	Thought   string    `json:"thought"`
	Reasoning Reasoning `json:"reasoning,omitzero"`
	Text      string    `json:"text"`
	Calls     []Call    `json:"calls,omitempty"`
	Cut       bool      `json:"cut,omitempty"` // it ended because MaxTokens was reached
	Tokens    Tokens    `json:"tokens"`
	Took      Duration  `json:"took_ms"`
	Call      string    `json:"call,omitempty"`
	Model     string    `json:"model,omitempty"` // who gave it, when another than the run's replied in its place
}

// ModelFailed closes a request that got no reply.
type ModelFailed struct {
	Step   int      `json:"step"`
	Reason string   `json:"reason"`
	Took   Duration `json:"took_ms"`
	Call   string   `json:"call,omitempty"`
}
