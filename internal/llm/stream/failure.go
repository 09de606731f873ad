package stream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
)

// failure is what a server said of a request that it did not answer.
type failure struct {
	*Client
	errorBody
	status int
	after  time.Duration // from Retry-After
}

// failed maps what ended an attempt to a fault. What may pass is a *[Temporary].
func (c *Client) failed(watched context.Context, err error) error {
	if errors.Is(err, ErrDeclined) {
		return fault.New(fault.Invalid, "Ask the question in other words.", "cannot use the reply of %s: %w", c.cfg.Model, ErrDeclined)
	}
	if cause := context.Cause(watched); cause != nil {
		return c.noAnswer(cause)
	}
	var answered *statusError
	var reported *errorEvent
	switch {
	case errors.As(err, &answered):
		return failure{c, answered.body, answered.status, max(answered.after, answered.body.After)}.fault()
	case errors.As(err, &reported):
		return failure{c, reported.body, reported.body.statusInStream(), 0}.fault()
	}
	return c.noAnswer(err)
}

// fault gives every provider the same meaning of the same status.
func (f failure) fault() error {
	model, host, said := f.cfg.Model, f.base.Host, f.said(f.errorBody)
	switch {
	case f.status == http.StatusUnauthorized || f.status == http.StatusForbidden || f.keyRefused():
		return fault.Coded(fault.ModelKeyRefused, fault.Data{"model": model, "key_variable": f.cfg.KeyVar},
			"cannot use model %s: %s refused the key%s", model, host, said)
	case f.status == http.StatusNotFound:
		return fault.Coded(fault.ModelMissing, f.data(),
			"cannot use model %s: %s does not know it%s", model, host, said)
	case f.outOfCredit():
		return fault.Coded(fault.ModelCredit, fault.Data{"model": model},
			"cannot use model %s: the account has no credit left%s", model, said)
	case f.status == http.StatusTooManyRequests:
		return &Temporary{After: f.after, Why: f.short(), Err: fault.Coded(fault.ModelOverloaded, fault.Data{"model": model},
			"cannot use model %s: too many requests%s", model, said)}
	case f.status == http.StatusRequestTimeout || f.status >= 500:
		return &Temporary{After: f.after, Why: f.short(), Err: fault.Coded(fault.ModelFailed, fault.Data{"model": model},
			"cannot use model %s: %s answered %d%s", model, host, f.status, said)}
	default:
		return fault.New(fault.Invalid, "", "cannot use model %s: %s refused the request (%d)%s", model, host, f.status, said)
	}
}

// data are those of a code that the provider's address has to do with.
func (c *Client) data() fault.Data {
	return fault.Data{"model": c.cfg.Model, "url_variable": c.cfg.URLVar}
}

// outOfCredit distinguishes an account without money, which no waiting helps,
// from a rate limit. Both providers are known to report it with several statuses.
func (f failure) outOfCredit() bool {
	return f.status == http.StatusPaymentRequired || f.Type == "billing_error" || f.Type == "insufficient_quota" || f.Code == "insufficient_quota" ||
		strings.Contains(f.Message, "credit balance is too low")
}

// keyRefused recognizes a key that is refused with the status of a bad request,
// as Google does it.
func (f failure) keyRefused() bool {
	return f.status == http.StatusBadRequest && strings.Contains(f.Message, "API key not valid")
}

// short is the status and what the server said of it.
func (f failure) short() string {
	return strings.Replace(strconv.Itoa(f.status)+f.said(f.errorBody), ": ", " ", 1)
}

// said is a server's message as errors end with it, or "".
func (c *Client) said(b errorBody) string {
	text := b.Message
	if text == "" {
		text = b.Type
	}
	if text = safetext.OneLine(c.scrub(text), 300); text == "" {
		return ""
	}
	return ": " + text
}

// scrub takes the key out of text from outside.
func (c *Client) scrub(text string) string {
	if c.cfg.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, c.cfg.Key, "[key]")
}

// noAnswer is the failure of an attempt that got no usable reply: nobody
// listens, the stream was cut, or what came is no reply. It may pass, but not
// when what answers speaks another language, or does not come to an end.
func (c *Client) noAnswer(err error) error {
	var other *notStreamError
	switch {
	case errors.As(err, &other):
		return c.noStream("%s, not a stream%s", safetext.OneLine(c.scrub(other.kind), 60), c.said(errorBody{Message: other.message}))
	case errors.Is(err, errNoEvents):
		return &Temporary{Why: err.Error(), Err: c.noStream("with %s", err)}
	case isLong(err), errors.Is(err, ErrManyCalls):
		return c.noStream("with %s", err)
	}
	cause, transport := plainCause(err)
	cause = safetext.OneLine(c.scrub(cause), 300)
	if !transport {
		return &Temporary{Why: "unreadable reply", Err: c.noStream("what cannot be read: %s", cause)}
	}
	var slow tooSlow
	if errors.As(err, &slow) && c.Local() {
		// It may still be at work on this request, and would be on the next one after it.
		return fault.Coded(fault.ModelSilent, c.data(), "cannot use model %s: no answer from %s: %s", c.cfg.Model, c.base.Host, cause)
	}
	return &Temporary{Slow: errors.As(err, &slow), Why: cause, Err: fault.Coded(fault.ModelUnreachable, c.data(),
		"cannot use model %s: no answer from %s: %s", c.cfg.Model, c.base.Host, cause)}
}

// noStream says what came instead of a reply.
func (c *Client) noStream(format string, args ...any) error {
	return fault.Coded(fault.ModelGarbled, c.data(),
		"cannot use model %s: %s answered %s", c.cfg.Model, c.base.Host, fmt.Sprintf(format, args...))
}

// plainCause leaves the request's address out of a transport error: an address
// may contain credentials. transport distinguishes such an error from bytes that
// are no reply.
func plainCause(err error) (cause string, transport bool) {
	var wrapped *url.Error
	for errors.As(err, &wrapped) {
		err, transport = wrapped.Err, true
	}
	var op *net.OpError
	var slow tooSlow
	switch {
	case errors.As(err, &slow):
		return slow.Error(), true
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the connection was cut", true
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long", true
	case errors.As(err, &op):
		return op.Err.Error(), true
	}
	return err.Error(), transport
}

// errorBody is an error as servers write it: OpenAI's and Anthropic's object,
// or the plain string, the flat object or the list of details of others.
type errorBody struct {
	Message string
	Type    string
	Code    string        // a name, or a number
	After   time.Duration // how long the server asks to wait, where it says so here
}

// readErrorBody reads what it knows of an error's JSON. Of a text that is no
// such JSON nothing is left: the status says enough.
func readErrorBody(raw []byte) errorBody {
	var outer struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(raw, &outer) == nil {
		switch {
		case given(outer.Error):
			raw = outer.Error
		case given(outer.Detail):
			return errorBody{Message: plainText(outer.Detail)}
		}
	}
	var inner struct {
		Message json.RawMessage `json:"message"`
		Type    json.RawMessage `json:"type"`
		Code    json.RawMessage `json:"code"`
		Status  json.RawMessage `json:"status"` // Google's name of the type
		Details json.RawMessage `json:"details"`
	}
	if json.Unmarshal(raw, &inner) == nil {
		return errorBody{Message: plainText(inner.Message), Type: cmp.Or(plainText(inner.Type), plainText(inner.Status)),
			Code: plainText(inner.Code), After: retryDelay(inner.Details)}
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return errorBody{Message: text}
	}
	return errorBody{}
}

// retryDelay reads the pause that Google's servers ask for in the details of an error.
func retryDelay(details json.RawMessage) (wait time.Duration) {
	var list []struct {
		Delay Text `json:"retryDelay"` // such as "23s"
	}
	if json.Unmarshal(details, &list) != nil {
		return 0
	}
	for _, d := range list {
		if one, err := time.ParseDuration(string(d.Delay)); err == nil {
			wait = max(wait, one)
		}
	}
	return wait
}

// given says whether a member of a JSON object is there and is not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// plainText is a JSON string's text, and any other value as it was written.
func plainText(raw json.RawMessage) string {
	var text string
	if !given(raw) || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// statusInStream finds the HTTP status that an error inside a stream stands
// for: once a stream has begun, there is no other place for it.
func (b errorBody) statusInStream() int {
	if n, err := strconv.Atoi(b.Code); err == nil && n >= 400 && n < 600 {
		return n
	}
	if s := statusOfType(b.Code); s != http.StatusInternalServerError {
		return s
	}
	return statusOfType(b.Type)
}

// statusOfType returns the HTTP status that an error type stands for.
func statusOfType(typ string) int {
	switch typ {
	case "authentication_error", "invalid_api_key":
		return http.StatusUnauthorized
	case "permission_error":
		return http.StatusForbidden
	case "not_found_error", "model_not_found":
		return http.StatusNotFound
	case "request_too_large":
		return http.StatusRequestEntityTooLarge
	case "billing_error":
		return http.StatusPaymentRequired
	case "rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "tokens", "requests":
		return http.StatusTooManyRequests
	case "invalid_request_error", "context_length_exceeded", "BadRequestError":
		return http.StatusBadRequest
	case "overloaded_error":
		return 529
	default:
		return http.StatusInternalServerError
	}
}

// retryAfter reads the pause that a server asks for: retry-after-ms, or
// Retry-After in seconds or as a date. now is the date that it counts from.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
