package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"praxis/event"
	"praxis/internal/llm"
)

// Config describes one model of one server. Nothing is read from the environment.
type Config struct {
	Model      string        // "provider:name", as errors name it
	Key        string        // never shown
	KeyVar     string        // the setting that holds the key, as remedies name it
	BaseURL    string        // where the API begins
	URLVar     string        // the setting that holds the base URL
	OwnHost    string        // the name of the provider's own server
	Query      string        // of every address that a question is sent to
	Header     http.Header   // of every request; here the key is sent
	HTTPClient *http.Client  // gives the transport; nil: the default one, which goes through the proxy that the environment names
	Timeout    time.Duration // the longest silence of the server; 0: see [Client.Silence]
	Sees       bool          // the model sees pictures, whichever server it is
}

// Client asks one model of one server. It is safe for concurrent use.
type Client struct {
	cfg  Config
	base *url.URL
	http *http.Client
}

// New makes a client. It sends nothing.
func New(c Config) (*Client, error) {
	base, err := ParseBaseURL(c.BaseURL, c.URLVar)
	if err != nil {
		return nil, err
	}
	return &Client{cfg: c, base: base, http: withoutRedirects(c.HTTPClient)}, nil
}

// Own says whether the server is the provider's own.
func (c *Client) Own() bool { return c.base.Hostname() == c.cfg.OwnHost }

// Sees says whether pictures can be sent: the models of the provider's own server see, those
// of others where somebody says so.
func (c *Client) Sees() bool { return c.Own() || c.cfg.Sees }

// Local says whether the server is on the person's machine or network.
func (c *Client) Local() bool { return isLocal(c.base.Hostname()) }

// Decoder puts one reply together from the events of a stream.
type Decoder interface {
	// Take reads the next event. It returns io.EOF when the reply is whole,
	// an [ErrorEvent] when the event reports a failure, and any other error
	// when the event cannot be read.
	Take(Event) error
	// Reply returns the reply when the stream is over: io.ErrUnexpectedEOF when
	// its end is missing, however much came, because half a program must not
	// run when a network fails; [ErrDeclined] when the provider gave none.
	Reply() (llm.Reply, error)
	// Begun returns what the server has counted by now, and how many bytes of the reply there
	// are: of a reply that breaks off.
	Begun() (counted event.Tokens, bytes int)
}

// MaxCalls bounds the tool calls of one reply.
const MaxCalls = 64

// ErrManyCalls is a reply with more tool calls than are read. Another one would hold as many.
var ErrManyCalls = fmt.Errorf("more than %d tool calls", MaxCalls)

// ErrDeclined is a reply that the provider declined to finish.
var ErrDeclined = errors.New("the provider declined to answer")

// errNoEvents is a stream that ends well and holds nothing.
var errNoEvents = errors.New("an empty stream")

// ErrorEvent is a failure that a server reports inside a stream. data is the
// event's JSON.
func ErrorEvent(data []byte) error { return &errorEvent{readErrorBody(data)} }

type errorEvent struct{ body errorBody }

// Error names no text of the server: it may echo what was sent.
func (e *errorEvent) Error() string { return "the server reported an error" }

// statusError is an answer that is no success.
type statusError struct {
	status int
	after  time.Duration
	body   errorBody
}

// Error returns the status alone.
func (e *statusError) Error() string { return fmt.Sprintf("the server answered %d", e.status) }

// Ask posts body as JSON to a path below the base URL and returns the reply
// that d makes of the answer. An error is a fault, or a *[Temporary] one; the reply beside it
// has the tokens that were used for what had come.
func (c *Client) Ask(ctx context.Context, path string, body any, d Decoder) (llm.Reply, error) {
	text, err := json.Marshal(body)
	if err != nil { // a caller put in what JSON cannot express
		return llm.Reply{}, fmt.Errorf("cannot write the request to model %s: %w", c.cfg.Model, err)
	}
	watched, came, stop := watch(ctx, c.Silence())
	defer stop()
	counted := &counter{Decoder: d}
	if err := c.post(watched, path, text, came, counted); err != nil {
		return llm.Reply{Tokens: counted.used(len(text))}, c.failed(watched, err)
	}
	reply, err := d.Reply()
	if err != nil {
		return llm.Reply{Tokens: counted.used(len(text))}, c.failed(watched, err)
	}
	if reply.Reasoning != (llm.Reasoning{}) {
		reply.Reasoning.Model = c.cfg.Model
	}
	// A server that counts nothing says nothing, or that it took no input.
	reply.Tokens.Incomplete = reply.Tokens.Input == 0
	return reply, nil
}

// counter is a decoder that knows whether the server began to reply.
type counter struct {
	Decoder
	began bool
}

// Take implements Decoder.
func (c *counter) Take(e Event) error {
	err := c.Decoder.Take(e)
	var refused *errorEvent
	c.began = c.began || !errors.As(err, &refused)
	return err
}

// bytesPerToken estimates what a server has not counted.
const bytesPerToken = 4

// used is what a reply that broke off has used: what the server counted, else an estimate,
// which is marked as one. A server that did not begin is taken to charge nothing.
func (c *counter) used(sent int) event.Tokens {
	if !c.began {
		return event.Tokens{}
	}
	t, bytes := c.Begun()
	if t.Input == 0 {
		t.Input, t.Incomplete = sent/bytesPerToken, true
	}
	if least := (bytes + bytesPerToken - 1) / bytesPerToken; t.Output < least {
		t.Output, t.Incomplete = least, true
	}
	return t
}

// post sends a request and passes the events of its answer to d.
func (c *Client) post(ctx context.Context, path string, text []byte, came func(), d Decoder) error {
	req, err := c.request(ctx, http.MethodPost, path, c.cfg.Query, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	res, err := c.send(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // the body is read to its end or given up: nothing to learn from its close
	if kind := otherType(res.Header.Get("Content-Type")); kind != "" {
		// Some servers report an error with a success.
		return &notStreamError{kind: kind, message: readErrorBody(head(res.Body)).Message}
	}
	return take(NewReader(&bounded{src: res.Body, left: MaxBody, came: came}), d)
}

// request makes a request of an address below the base URL.
func (c *Client) request(ctx context.Context, method, path, query string, body io.Reader) (*http.Request, error) {
	at := c.base.JoinPath(path)
	if query != "" {
		at.RawQuery = query
	}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), body)
	if err != nil {
		return nil, err
	}
	for name, values := range c.cfg.Header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", "praxis")
	return req, nil
}

// send sends a request. An answer that is no success is a *statusError, and its
// body is closed, so that the connection is free or gone before anybody asks again.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode < 200 || res.StatusCode >= 300 {
		defer func() { _ = res.Body.Close() }() // what there is to learn was read
		return nil, &statusError{status: res.StatusCode, after: retryAfter(res.Header, time.Now()), body: readErrorBody(head(res.Body))}
	}
	return res, nil
}

// take passes the events of a stream to d.
func take(events *Reader, d Decoder) error {
	for n := 0; ; n++ {
		e, err := events.Next()
		switch {
		case err == io.EOF && n == 0:
			return errNoEvents
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := d.Take(e); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
