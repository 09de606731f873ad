package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/tool"
)

const (
	dialTimeout  = 10 * time.Second
	maxRedirects = 3
	// listenTimeout is how long a server may take to open the stream on which it
	// speaks unasked. The SDK waits for it without end before a session is ready.
	listenTimeout = 5 * time.Second
	// maxRefusal is how much of the body of an answer with an error status is read.
	maxRefusal = 64 << 10
)

// edge is what sends requests to a server over HTTP: it adds the headers with their
// secrets, refuses every other host, and checks what comes back.
type edge struct {
	base     *http.Transport
	endpoint *url.URL
	headers  map[string]string
	source   tool.SecretSource
	used     *secrets
	in       *inbound
	fail     func(error)
	status   atomic.Int64  // of the last answer
	closed   chan struct{} // ends every request
	once     sync.Once
}

// close ends every request.
func (e *edge) close() {
	e.once.Do(func() { close(e.closed) })
	e.base.CloseIdleConnections()
}

func newEdge(s *settings, source tool.SecretSource, used *secrets, in *inbound, fail func(error)) *edge {
	return &edge{
		base: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
			TLSHandshakeTimeout: dialTimeout,
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 8,
			IdleConnTimeout:     time.Minute,
		},
		endpoint: s.endpoint, headers: s.Headers, source: source, used: used, in: in, fail: fail,
		closed: make(chan struct{}),
	}
}

func (e *edge) over() bool {
	select {
	case <-e.closed:
		return true
	default:
		return false
	}
}

func (e *edge) client() *http.Client {
	return &http.Client{Transport: e, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fault.New(fault.Unavailable, "", "the server redirects more than %d times", maxRedirects)
		}
		return e.here(req.URL)
	}}
}

// here refuses every place but the server's.
func (e *edge) here(u *url.URL) error {
	if u.Scheme != e.endpoint.Scheme || u.Host != e.endpoint.Host {
		return fault.New(fault.Denied, "Write the address that it redirects to as url, if you trust it.",
			"the server redirects to %s", safetext.OneLine(u.Scheme+"://"+u.Host, 200))
	}
	return nil
}

// RoundTrip sends a request of the SDK.
func (e *edge) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := e.here(req.URL); err != nil {
		return nil, err
	}
	ctx, cancel := until(req.Context(), e.closed)
	req = req.Clone(ctx)
	for name, template := range e.headers {
		value, err := expand(template, "the header "+name, e.source, e.used)
		if err == nil && !headerValue(value) {
			err = wrong("", "headers: the value of %s has characters that a header cannot have", name)
		}
		if err != nil {
			cancel()
			return nil, err
		}
		req.Header.Set(name, value)
	}
	if req.Method == http.MethodPost {
		e.in.await()
	}
	listens := req.Method == http.MethodGet && req.Header.Get("Last-Event-ID") == ""
	impatient := time.AfterFunc(listenTimeout, func() {
		if listens {
			cancel()
		}
	})
	resp, err := e.base.RoundTrip(req)
	if late := !impatient.Stop(); err != nil {
		cancel()
		if listens && (late || e.over()) {
			return noStream(req), nil // the SDK would try again, and again
		}
		return nil, err
	}
	e.status.Store(int64(resp.StatusCode))
	resp.Body = &ending{resp.Body, cancel}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); listens && resp.StatusCode == http.StatusOK && kind != "text/event-stream" {
		resp.Body.Close() // it need not end
		return noStream(req), nil
	}
	if err := e.judge(req, resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// noStream is the answer of a server that does not speak unasked.
func noStream(req *http.Request) *http.Response {
	return &http.Response{
		Status: "405 Method Not Allowed", StatusCode: http.StatusMethodNotAllowed, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}
}

// judge puts a filter on the body of an answer.
func (e *edge) judge(req *http.Request, resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return fault.New(fault.Denied, "Check the token in headers.", "the server refuses access: %s", resp.Status)
	case resp.StatusCode == http.StatusNotFound && req.Header.Get("Mcp-Session-Id") != "":
		// The session is over, whatever the body says of it.
		setBody(resp, nil)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
		if err != nil {
			return err
		}
		setBody(resp, body)
	case kind == "text/event-stream":
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
		resp.Body = &eventBody{events: bufio.NewReaderSize(resp.Body, 64<<10), body: resp.Body, e: e}
	case kind == "application/json":
		return e.judgeJSON(resp)
	default:
		resp.Body = limited{io.LimitReader(resp.Body, maxRefusal), resp.Body}
	}
	return nil
}

func (e *edge) judgeJSON(resp *http.Response) error {
	body, err := bounded.Read(resp.Body, maxMessage)
	switch long := (*bounded.TooLong)(nil); {
	case errors.As(err, &long):
		return tooLong()
	case err != nil:
		return err
	}
	messages, err := e.in.batch(body)
	if err != nil {
		e.fail(err)
		return err
	}
	switch len(messages) {
	case 0:
		setBody(resp, nil)
	case 1:
		setBody(resp, messages[0])
	default:
		return fault.New(fault.Unavailable, "", "the server answers one request with %d messages", len(messages))
	}
	return nil
}

func setBody(resp *http.Response, body []byte) {
	resp.Body = limited{bytes.NewReader(body), resp.Body}
	resp.ContentLength = int64(len(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
}

// limited reads from one and closes another.
type limited struct {
	io.Reader
	io.Closer
}

// ending ends a request's context with its body.
type ending struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *ending) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}

// eventBody reads server-sent events and passes on those that a client of MCP
// needs, each message in one line.
type eventBody struct {
	events *bufio.Reader
	body   io.Closer
	e      *edge
	ready  bytes.Buffer
	err    error
}

// Read reads from the events that were let through.
func (b *eventBody) Read(p []byte) (int, error) {
	for b.ready.Len() == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if err := b.next(); err != nil {
			b.err = err
		}
	}
	return b.ready.Read(p)
}

func (b *eventBody) Close() error { return b.body.Close() }

// next reads one event.
func (b *eventBody) next() error {
	var data, id, name, retry []byte
	size := 0
	for {
		line, err := bounded.ReadLine(b.events, maxMessage)
		if size += len(line); size > maxMessage || errors.As(err, new(*bounded.TooLong)) {
			err = tooLong()
			b.e.fail(err)
			return err
		}
		if err != nil {
			return err // what is not ended by an empty line is no event
		}
		if len(line) == 0 {
			return b.pass(data, id, name, retry)
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
		case "id":
			id = value
		case "event":
			name = value
		case "retry":
			retry = value
		default: // a comment, which keeps the connection alive
			if err := b.e.in.charge(len(line), false); err != nil {
				b.e.fail(err)
				return err
			}
		}
	}
}

// pass passes an event on. Of an event without a message only the id remains, from
// which a lost stream goes on.
func (b *eventBody) pass(data, id, name, retry []byte) error {
	var messages [][]byte
	if len(data) == 0 || (len(name) > 0 && string(name) != "message") {
		if err := b.e.in.charge(len(data), false); err != nil {
			b.e.fail(err)
			return err
		}
	} else {
		var err error
		if messages, err = b.e.in.batch(data); err != nil {
			b.e.fail(err)
			return err
		}
	}
	field := func(name string, value []byte) {
		if len(value) > 0 && len(value) <= 4<<10 {
			b.ready.WriteString(name + ": ")
			b.ready.Write(value)
			b.ready.WriteByte('\n')
		}
	}
	if len(retry) > 0 && len(retry) < 6 { // longer is more than a minute and a half
		field("retry", retry)
	}
	for _, m := range messages[:max(0, len(messages)-1)] {
		b.ready.WriteString("data: ")
		b.ready.Write(m)
		b.ready.WriteString("\n\n")
	}
	field("id", id)
	if len(messages) > 0 {
		b.ready.WriteString("data: ")
		b.ready.Write(messages[len(messages)-1])
		b.ready.WriteByte('\n')
	}
	if b.ready.Len() > 0 {
		b.ready.WriteByte('\n')
	}
	return nil
}

// until returns a context that also ends with a channel.
func until(ctx context.Context, over <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-over:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
