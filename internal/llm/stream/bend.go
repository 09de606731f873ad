package stream

import (
	"context"
	"strings"
	"sync/atomic"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/llm"
)

// Refusal returns what a server said of a request that it did not take, in
// small letters, or "" when err is another failure. By it a provider finds out
// what a server does not know.
func Refusal(err error) string {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Unavailable:
		return strings.ToLower(err.Error())
	}
	return ""
}

// SaysUnknown recognizes the refusal of a field by its name, such as OpenAI's
// "Unsupported parameter: 'max_tokens' is not supported with this model." and
// what servers say that check a request against a schema ("Extra inputs are not
// permitted", "Additional properties are not allowed"). A value that is refused
// is another matter.
func SaysUnknown(refusal, field string) bool {
	return strings.Contains(refusal, field) &&
		ContainsAny(refusal, "unsupported", "not supported", "not support", "unknown", "unrecognized", "unexpected", "not permitted", "not allowed", "extra_forbidden", "no such field")
}

// ContainsAny says whether a text contains any of the parts.
func ContainsAny(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// ReasoningAllowance is how many tokens a model that reasons is given beside those of its
// reply, since providers count both together.
func ReasoningAllowance(e llm.Effort) int {
	switch e {
	case llm.Low:
		return 4 << 10
	case llm.High:
		return 16 << 10
	}
	return 8 << 10
}

// Bend completes a request as Stream does. Each attempt is one request, made anew as long
// as again says that the server refused it and that another is worth sending, and once when
// the reply was cut while the model still reasoned: extended is set for that, and the
// attempt says whether the request's bound had left space for it already. The tokens are
// those of all requests.
func (r Retry) Bend(ctx context.Context, req llm.Request, delta func(string), extended *atomic.Bool,
	attempt func(show func(string)) (reply llm.Reply, spacious, again bool, err error)) (llm.Reply, error) {
	return r.Stream(ctx, req, delta, func(show func(string)) (llm.Reply, error) {
		var used event.Tokens // by all requests
		for {
			reply, spacious, again, err := attempt(show)
			used = used.Add(reply.Tokens)
			if err == nil && !spacious && cutInThought(reply) {
				extended.Store(true)
				again = true
			}
			if !again {
				reply.Tokens = used
				return reply, err
			}
		}
	})
}

// cutInThought says whether a reply was cut before it began: all its tokens
// went into reasoning. It is asked for again with [ReasoningAllowance].
func cutInThought(r llm.Reply) bool {
	return r.Cut && strings.TrimSpace(r.Text) == "" && len(r.Calls) == 0
}
