package llm

import (
	"context"
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
)

// Failure is one failed attempt to use a model, as the provider's SDK saw it.
// Fault gives every provider the same meaning of the same status.
type Failure struct {
	Model   string        // "provider:name"
	Host    string        // where the request went, without credentials
	KeyVar  string        // the environment variable that holds the key
	URLVar  string        // the environment variable that holds the base URL
	Status  int           // HTTP status
	Type    string        // of the provider's error body, may be empty
	Message string        // of the provider's error body, may be empty
	After   time.Duration // from Retry-After
	Secrets []string      // never shown
}

// Fault maps the failure to a fault. What may pass is a *[Temporary].
func (f Failure) Fault() error {
	said := f.said()
	switch {
	case f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden:
		return fault.Coded(fault.ModelKeyRefused, fault.Data{"model": f.Model, "key_variable": f.KeyVar},
			"cannot use model %s: %s refused the key%s", f.Model, f.Host, said)
	case f.Status == http.StatusNotFound:
		return fault.Coded(fault.ModelMissing, f.data(),
			"cannot use model %s: %s does not know it%s", f.Model, f.Host, said)
	case f.outOfCredit():
		return fault.Coded(fault.ModelCredit, fault.Data{"model": f.Model},
			"cannot use model %s: the account has no credit left%s", f.Model, said)
	case f.Status == http.StatusTooManyRequests:
		return &Temporary{After: f.After, Why: f.short(), Err: fault.Coded(fault.ModelOverloaded, fault.Data{"model": f.Model},
			"cannot use model %s: too many requests%s", f.Model, said)}
	case f.Status == http.StatusRequestTimeout || f.Status >= 500:
		return &Temporary{After: f.After, Why: f.short(), Err: fault.Coded(fault.ModelFailed, fault.Data{"model": f.Model},
			"cannot use model %s: %s answered %d%s", f.Model, f.Host, f.Status, said)}
	default:
		return fault.New(fault.Invalid, "", "cannot use model %s: %s refused the request (%d)%s", f.Model, f.Host, f.Status, said)
	}
}

// data are those of a code that the provider's address has to do with.
func (f Failure) data() fault.Data { return fault.Data{"model": f.Model, "url_variable": f.URLVar} }

// outOfCredit tells an account without money, which no waiting helps, from a
// rate limit. Both providers are known to report it with several statuses.
func (f Failure) outOfCredit() bool {
	return f.Status == http.StatusPaymentRequired || f.Type == "billing_error" || f.Type == "insufficient_quota" ||
		strings.Contains(f.Message, "credit balance is too low")
}

// short is the status and what the server said of it.
func (f Failure) short() string {
	return strings.Replace(strconv.Itoa(f.Status)+f.said(), ": ", " ", 1)
}

func (f Failure) said() string {
	text := f.Message
	if text == "" {
		text = f.Type
	}
	if text = oneLine(f.scrub(text), 300); text == "" {
		return ""
	}
	return ": " + text
}

func (f Failure) scrub(text string) string {
	for _, s := range f.Secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "[key]")
		}
	}
	return text
}

// NoAnswer is the failure of an attempt that got no usable reply: nobody
// listens, the stream was cut, or what came is no reply. It may pass, but not
// when what answers speaks another language.
func (f Failure) NoAnswer(err error) error {
	var other *NotStreamError
	if errors.As(err, &other) {
		return f.noStream("%s, not a stream%s", other.Type, f.said())
	}
	if errors.Is(err, ErrNoEvents) {
		return &Temporary{Why: err.Error(), Err: f.noStream("with %s", err)}
	}
	cause, transport := plainCause(err)
	cause = oneLine(f.scrub(cause), 300)
	if !transport {
		return &Temporary{Why: "unreadable reply", Err: f.noStream("what cannot be read: %s", cause)}
	}
	var slow tooSlow
	return &Temporary{Slow: errors.As(err, &slow), Why: cause, Err: fault.Coded(fault.ModelUnreachable, f.data(),
		"cannot use model %s: no answer from %s: %s", f.Model, f.Host, cause)}
}

// noStream says what came instead of a reply.
func (f Failure) noStream(format string, args ...any) error {
	return fault.Coded(fault.ModelGarbled, f.data(),
		"cannot use model %s: %s answered %s", f.Model, f.Host, fmt.Sprintf(format, args...))
}

// ErrNoEvents is a stream that ends well and holds nothing.
var ErrNoEvents = errors.New("an empty stream")

// plainCause leaves the request's address out of a transport error: an address
// may carry credentials. It tells such an error from bytes that are no reply.
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

// StatusOfType returns the HTTP status that an error type of a stream stands
// for: once a stream has begun, both providers report errors inside it.
func StatusOfType(typ string) int {
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

// RetryAfter reads the pause that a server asks for: retry-after-ms, or
// Retry-After in seconds or as a date. now is the date that it counts from.
func RetryAfter(h http.Header, now time.Time) time.Duration {
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

// oneLine joins the lines of text and bounds it to n characters.
func oneLine(text string, n int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n]) + "…"
	}
	return text
}
