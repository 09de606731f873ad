package stream

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"praxis/fault"
)

// MaxBody bounds what is read of one answer of a provider, in bytes.
const MaxBody = 16 << 20

// maxRefusal bounds what is read of an answer that is no stream, in bytes.
const maxRefusal = 64 << 10

// errLongReply is an answer that breaks the bound.
var errLongReply = fmt.Errorf("more than %d MiB", MaxBody>>20)

// ParseBaseURL reads the address of a provider's server. urlVar names the
// setting that it came from. The address itself is never part of an error, as
// it may contain a password.
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

// withoutRedirects returns a client that uses the transport of base and hands
// back a redirect as it is: to follow one would send the key elsewhere.
func withoutRedirects(base *http.Client) *http.Client {
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if base != nil {
		c.Transport = base.Transport
	}
	return c
}

// notStreamError is a success whose content is no stream of events: every
// request of ours asks for one, so what answered is not the API.
type notStreamError struct {
	kind    string // what the server says that it is, such as "text/html": any text
	message string // when the content is an error that it reports
}

// Error repeats nothing of the answer, which may echo what was sent.
func (e *notStreamError) Error() string { return "the server's answer is not a stream" }

// otherType returns the media type of an answer that is surely no stream, as the
// server wrote it, or "". Small servers send a stream as plain text, or without
// any type.
func otherType(header string) string {
	written, _, _ := strings.Cut(header, ";")
	switch kind, _, err := mime.ParseMediaType(header); {
	case err != nil:
	case slices.Contains([]string{"", "text/event-stream", "text/plain", "application/octet-stream", "application/x-ndjson"}, kind):
		return ""
	}
	return written
}

// head reads the beginning of an answer that is given up.
func head(body io.Reader) []byte {
	text, err := io.ReadAll(io.LimitReader(body, maxRefusal))
	if err != nil {
		return nil // what is known of the answer without it says enough
	}
	return text
}

// bounded reads an answer up to its bound and reports every piece that came.
type bounded struct {
	src  io.Reader
	left int64
	came func()
}

// Read reads on.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLongReply
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.src.Read(p)
	b.left -= int64(n)
	if n > 0 {
		b.came()
	}
	return n, err
}

// isLong says whether an answer was given up because of its size.
func isLong(err error) bool { return errors.Is(err, errLongReply) || errors.Is(err, errLongEvent) }
