package llm

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"praxis/fault"
)

// MaxBody bounds what is read of one HTTP answer of a provider, in bytes.
const MaxBody = 16 << 20

// Client returns an HTTP client for a provider: it follows no redirect, since
// one would carry the key elsewhere, and reads no more than MaxBody of an
// answer. base gives the transport; nil: the default one.
func Client(base *http.Client) *http.Client {
	var transport http.RoundTripper = http.DefaultTransport
	if base != nil && base.Transport != nil {
		transport = base.Transport
	}
	return &http.Client{
		Transport:     bounded{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ParseBaseURL reads the address of a provider's server. urlVar names the
// setting that it came from. The address itself is never part of an error, as
// it may hold a password.
func ParseBaseURL(raw, urlVar string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fault.New(fault.Invalid, "Give it as http://HOST:PORT/v1 or https://HOST/v1.", "cannot read %s: it is not an http or https address", urlVar)
	}
	if u.User != nil {
		return nil, fault.New(fault.Invalid, "Leave user and password out of it and set the key instead.", "cannot use %s: it holds a user name", urlVar)
	}
	return u, nil
}

type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 {
		return nil, refused(res)
	}
	if kind := otherType(res.Header.Get("Content-Type")); kind != "" {
		return nil, &NotStreamError{Type: kind, Body: head(res)}
	}
	res.Body = &body{src: io.LimitReader(res.Body, MaxBody), Closer: res.Body, came: alive(req.Context())}
	return res, nil
}

// StatusError is an HTTP answer that is no success. Client makes it before an
// SDK sees the answer: the SDKs lose the status when the body is not the JSON
// that they expect.
type StatusError struct {
	Status int
	Header http.Header
	Body   []byte // the first 64 KiB
}

// Error returns the status alone: the body may echo what was sent.
func (e *StatusError) Error() string { return fmt.Sprintf("the server answered %d", e.Status) }

func refused(res *http.Response) error {
	return &StatusError{Status: res.StatusCode, Header: res.Header, Body: head(res)}
}

// head reads the beginning of an answer that is given up.
func head(res *http.Response) []byte {
	defer func() { _ = res.Body.Close() }() // given up: nothing to learn from its close
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return nil // what is known of the answer without it says enough
	}
	return text
}

// NotStreamError is a success whose content is no stream of events: every
// request of ours asks for one, so what answered is not the API.
type NotStreamError struct {
	Type string // such as "text/html"
	Body []byte // the first 64 KiB
}

// Error returns the type alone.
func (e *NotStreamError) Error() string { return "the server answered " + e.Type + ", not a stream" }

// otherType returns the media type of an answer that is surely no stream, or
// "". Small servers send a stream as plain text, or without any type.
func otherType(header string) string {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil {
		kind = oneLine(header, 60)
	}
	switch kind {
	case "", "text/event-stream", "text/plain", "application/octet-stream", "application/x-ndjson":
		return ""
	}
	return kind
}

// body is a bounded answer that tells when something of it came.
type body struct {
	src io.Reader
	io.Closer
	came func()
}

// Read reads on.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.src.Read(p)
	if n > 0 {
		b.came()
	}
	return n, err
}
