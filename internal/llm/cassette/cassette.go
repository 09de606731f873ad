// Package cassette keeps exchanges with a model in a file and plays them back:
// for tests and examples that need the replies of a real model and no network.
//
// # Format
//
// A cassette is JSON, one object a line, one line an exchange:
//
//	{"version":1,"model":"anthropic:claude-sonnet-4-5","traits":{"sees":true},
//	 "request":{"system":"9f86d081884c7d65","tools":"…","max_tokens":4096,"messages":["…","…"]},
//	 "reply":{"text":"…","calls":[…],"tokens":{"input":812,"output":64}}}
//
// Of a request it has hashes alone, the first 16 hexadecimal digits of SHA-256: of
// the instructions, of the tools and of each message, all with a mark in place of every
// secret: a reply has the mark, too, when it is played back, and the request after it holds
// the reply. So it holds no key, no data that a model was only shown, and still says what
// is different. A line is written
// at once, so that several runs may record into one file.
//
// # Meaning
//
// A request is answered by the exchange with the same hashes; when there are
// several, by each in its turn, and then by the last. So one cassette serves many
// runs, in any order. A request that is in none is a fault.Conflict that names the
// first part in which it differs from the closest one.
package cassette

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

// version is that of the format.
const version = 1

// Bounds of a cassette. What would break them is not recorded.
const (
	maxFile = 256 << 20
	maxLine = 32 << 20
)

const remedy = "A cassette's replies fit the requests that they were recorded for: record it again."

// line is one exchange as it is written.
type line struct {
	Version int          `json:"version"`
	Model   string       `json:"model"`
	Traits  event.Traits `json:"traits,omitzero"`
	Request request      `json:"request"`
	Reply   reply        `json:"reply"`
}

// request has the hashes of a request.
type request struct {
	System    string   `json:"system"`
	Tools     string   `json:"tools"`
	MaxTokens int      `json:"max_tokens"`
	Messages  []string `json:"messages"`
}

// reply is a whole reply.
type reply struct {
	Text      string          `json:"text"`
	Calls     []event.Call    `json:"calls,omitempty"`
	Reasoning event.Reasoning `json:"reasoning,omitzero"`
	Tokens    event.Tokens    `json:"tokens"`
	Cut       bool            `json:"cut,omitempty"`
	Model     string          `json:"model,omitempty"`
}

// plain is a redact for which there are no secrets.
func plain(s string) string { return s }

// hashed returns the hashes of a request, as redact leaves it. Reasoning is no part of them: its
// signatures differ from one recording to the next, and no text depends on them.
func hashed(req llm.Request, redact func(string) string) (request, error) {
	out := request{MaxTokens: req.MaxTokens, Messages: []string{}}
	hash := func(v any) (string, error) { return hash(v, redact) }
	var err error
	if out.System, err = hash(req.System); err != nil {
		return out, err
	}
	if out.Tools, err = hash(req.Tools); err != nil {
		return out, err
	}
	for _, m := range req.Messages {
		m.Reasoning = event.Reasoning{}
		one, err := hash(m)
		if err != nil {
			return out, err
		}
		out.Messages = append(out.Messages, one)
	}
	return out, nil
}

func hash(v any, redact func(string) string) (string, error) {
	text, err := json.Marshal(v)
	if err != nil { // a caller put in what JSON cannot express
		return "", fmt.Errorf("cannot write the request: %w", err)
	}
	sum := sha256.Sum256([]byte(redact(string(text))))
	return hex.EncodeToString(sum[:8]), nil
}

// same says whether two requests have the same hashes.
func (r request) same(other request) bool {
	return r.System == other.System && r.Tools == other.Tools && r.MaxTokens == other.MaxTokens && slices.Equal(r.Messages, other.Messages)
}

// likeness says how much of a request another one has, from its beginning on:
// how many parts are the same before the first that differs.
func (r request) likeness(other request) int {
	n := 0
	for i, part := range [...]bool{r.System == other.System, r.Tools == other.Tools, r.MaxTokens == other.MaxTokens} {
		if !part {
			return i
		}
		n++
	}
	for i := range min(len(r.Messages), len(other.Messages)) {
		if r.Messages[i] != other.Messages[i] {
			break
		}
		n++
	}
	return n
}

// difference names the first part in which a request differs from one that was recorded.
func difference(req llm.Request, got, recorded request) string {
	switch n := got.likeness(recorded) - 3; {
	case n == -3:
		return "the instructions are not those that were recorded"
	case n == -2:
		return "the tools are not those that were recorded"
	case n == -1:
		return fmt.Sprintf("the reply may have %d tokens, and %d when it was recorded", got.MaxTokens, recorded.MaxTokens)
	case n >= len(got.Messages):
		return fmt.Sprintf("it has %d messages, and the recorded one goes on", n)
	case n >= len(recorded.Messages):
		return fmt.Sprintf("nothing was recorded after message %d", n)
	default:
		return fmt.Sprintf("message %d (%s) is not the one that was recorded; now it is %q", n+1, req.Messages[n].Role, safetext.Clip(beginning(req.Messages[n]), 200))
	}
}

// beginning is the text by which a person knows a message.
func beginning(m llm.Message) string {
	for _, r := range m.Results {
		if r.Text != "" {
			return r.Text
		}
	}
	return m.Text
}

func (r reply) given() llm.Reply {
	return llm.Reply{Text: r.Text, Calls: copied(r.Calls), Reasoning: r.Reasoning, Tokens: r.Tokens, Cut: r.Cut, Model: r.Model}
}

// copied returns calls that share nothing with the cassette. An input that holds
// nothing is an empty object, as providers give it.
func copied(calls []event.Call) []event.Call {
	var out []event.Call
	for _, c := range calls {
		if c.Raw == "" {
			text, err := json.Marshal(c.Input)
			if err != nil || string(text) == "null" { // it came from JSON
				text = []byte("{}")
			}
			c.SetInput(string(text))
		}
		out = append(out, c)
	}
	return out
}

func conflict(name, format string, args ...any) error {
	return fault.New(fault.Conflict, remedy, "cannot go on with cassette %s: %s", name, fmt.Sprintf(format, args...))
}
