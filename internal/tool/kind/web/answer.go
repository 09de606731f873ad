package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

const (
	maxAnswer  = 16 << 20 // when the tool sets no greater bound
	maxReason  = 64 << 10 // of an answer that is an error
	maxQuoted  = 500      // characters of what a server says, in a message
	maxWaiting = 24 * time.Hour
)

// later is the cause of a fault after which a server says when to come again.
type later struct{ after time.Duration }

func (l *later) Error() string { return "again in " + l.after.String() }

// RetryAfter returns how long the server asks to wait.
func (l *later) RetryAfter() time.Duration { return l.after }

// accepted reports whether a status is one of success.
func (r *request) accepted(status int) bool {
	if len(r.ok) == 0 {
		return status >= 200 && status <= 299
	}
	return slices.Contains(r.ok, status)
}

// read makes the result of an answer that is accepted.
func (r *request) read(resp *http.Response, limit int64, m mask) (any, error) {
	if limit <= 0 {
		limit = maxAnswer
	}
	bound := max(limit, maxAnswer)
	data, err := bounded.Read(resp.Body, bound)
	switch long := (*bounded.TooLong)(nil); {
	case errors.As(err, &long):
		return nil, tooLong(bound)
	case err != nil:
		return nil, &brokenAnswer{err}
	}
	v, err := decode(resp.Header.Get("Content-Type"), data, m)
	if err != nil {
		return nil, err
	}
	if r.result != "" {
		part, ok := r.result.Get(v)
		if !ok {
			return nil, fmt.Errorf("the answer has nothing at %s", line(string(r.result), 200))
		}
		v = part
	}
	if v = m.value(v); int64(len(data)) > limit {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("the answer cannot be stored: %w", err)
		}
		if int64(len(text)) > limit {
			return nil, tooLong(limit)
		}
	}
	return v, nil
}

// brokenAnswer is an answer whose connection broke before its end.
type brokenAnswer struct{ cause error }

func (e *brokenAnswer) Error() string { return "the answer breaks off: " + e.cause.Error() }
func (e *brokenAnswer) Unwrap() error { return e.cause }

func tooLong(limit int64) error {
	return fault.New(fault.Exhausted, "Ask for less: a page, a filter, fewer fields.", "the answer has more than %s", safetext.Size(int64(limit)))
}

// decode reads a body by its type.
func decode(contentType string, data []byte, m mask) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	kind, params, err := mime.ParseMediaType(contentType)
	switch {
	case contentType == "":
		if v, err := jsondoc.Decode(data); err == nil {
			return v, nil
		}
		kind = "text/plain"
	case err != nil:
		return nil, fmt.Errorf("the answer's content type cannot be read")
	}
	switch {
	case isJSON(kind):
		v, err := jsondoc.Decode(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
		if err != nil {
			return nil, fmt.Errorf("the answer says it is JSON and is not: %s", line(m.text(err.Error()), maxQuoted))
		}
		return v, nil
	case strings.HasPrefix(kind, "text/"), kind == "application/xml", strings.HasSuffix(kind, "+xml"),
		kind == "application/yaml", kind == "application/x-ndjson", kind == "application/javascript":
		return decodeText(params["charset"], data)
	}
	return nil, fmt.Errorf("the answer is %s; JSON or text is needed", line(kind, 80))
}

func isJSON(kind string) bool {
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
}

func decodeText(charset string, data []byte) (any, error) {
	switch strings.ToLower(charset) {
	case "iso-8859-1", "latin1":
		runes := make([]rune, len(data))
		for i, c := range data {
			runes[i] = rune(c)
		}
		return string(runes), nil
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("the answer is text that is not UTF-8")
	}
	return string(data), nil
}

// refusal makes the fault of an answer that is not accepted.
func refusal(resp *http.Response, m mask) error {
	status := resp.StatusCode
	what := strings.TrimSpace(strconv.Itoa(status) + " " + strings.ToLower(http.StatusText(status)))
	says := said(resp, m)
	if says != "" {
		says = " and says: " + says
	}
	kind, remedy := fault.Invalid, ""
	switch status {
	case 400, 422:
		remedy = "Correct the arguments."
	case 401, 402, 403, 451:
		kind, remedy = fault.Denied, "The credentials in the file of the tool have to allow this."
	case 404, 410:
		return fault.New(fault.Invalid, "Check the arguments that say what is asked for.", "the server answered %s%s", what, says)
	case 409, 412, 423, 428:
		kind, remedy = fault.Conflict, "Look at the state as it is now, then decide anew."
	case 413, 414, 431:
		kind, remedy = fault.Exhausted, "Send less at once."
	case 408, 425:
		kind, remedy = fault.Unavailable, "Try again later."
	case 429:
		return tooMany(resp, what, says)
	}
	switch {
	case status >= 500:
		if after, ok := retryAfter(resp); ok {
			return fault.New(fault.Unavailable, waitRemedy(after), "the server answered %s%s (%w)", what, says, &later{after})
		}
		kind, remedy = fault.Unavailable, "Try again later."
	case status < 400:
		return fmt.Errorf("the server answered %s, which is not a result", what)
	}
	return fault.New(kind, remedy, "the server answered %s%s", what, says)
}

func tooMany(resp *http.Response, what, says string) error {
	if after, ok := retryAfter(resp); ok {
		return fault.New(fault.Unavailable, waitRemedy(after), "the server answered %s%s (%w)", what, says, &later{after})
	}
	return fault.New(fault.Exhausted, "Make fewer calls.", "the server answered %s%s", what, says)
}

func waitRemedy(after time.Duration) string {
	return "Try again in " + after.Round(time.Second).String() + "."
}

// retryAfter reads the header of that name: seconds or a date.
func retryAfter(resp *http.Response) (time.Duration, bool) {
	text := strings.TrimSpace(resp.Header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxWaiting), true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return min(max(0, time.Until(at)), maxWaiting), true
}

// said returns what a server says in an answer that is an error: its message,
// short and without the secrets of the call, or "".
func said(resp *http.Response, m mask) string {
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReason+1))
	if err != nil || len(data) == 0 {
		return ""
	}
	whole := len(data) <= maxReason
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || kind == "text/html" {
		return ""
	}
	if isJSON(kind) && whole {
		if v, err := jsondoc.Decode(data); err == nil {
			return line(m.text(message(v, 0)), maxQuoted)
		}
	}
	if !strings.HasPrefix(kind, "text/") && !isJSON(kind) {
		return ""
	}
	text := strings.ToValidUTF8(string(data), "")
	if !whole { // the cut may have left a part of a secret
		text = text[:max(0, len(text)-m.longest)]
	}
	return line(m.text(text), maxQuoted)
}

// message finds the words in an error's JSON: what APIs call them, else the whole.
func message(v any, depth int) string {
	if s, ok := v.(string); ok {
		return s
	}
	o, ok := v.(*jsondoc.Object)
	if ok && depth < 3 {
		for _, name := range []string{"message", "error_description", "detail", "error", "title", "msg"} {
			if inner, ok := o.Get(name); ok && inner != nil {
				if words := message(inner, depth+1); words != "" {
					return words
				}
			}
		}
	}
	data, err := json.Marshal(v)
	if err != nil || depth > 0 && len(data) <= 2 {
		return ""
	}
	return string(data)
}

// trouble makes the fault of a request that got no answer. The errors of
// net/http hold the URL, and with it secrets: the message has only the error below.
func trouble(err error, host string, m mask) error {
	var refused *refusedAddress
	var moved *elsewhere
	switch {
	case errors.As(err, &refused):
		return fault.New(fault.Denied, "Write the address itself into the tool's url, if it is meant.", "%w", refused)
	case errors.As(err, &moved):
		return fault.New(fault.Denied, "Put the new address into the tool's url, if that host is to be trusted.", "%s", line(m.text(moved.why), 500))
	}
	return fault.New(fault.Unavailable, "Try again later, or check the host in the tool's url.", "no answer from %s: %s", host, line(m.text(below(err).Error()), 300))
}
