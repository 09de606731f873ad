// Package client does over the network what package app does on this machine: its methods
// have the names, the requests and the results of those of app, and ask a server for the
// operations of the table in package api. Who calls them need not know which of the two does
// the work.
//
// What goes on for long is begun with "detach" and followed by its events. A connection that
// is lost is taken up again behind the event that was seen last; who gives up has the server
// interrupt the work, and the server does that itself when nobody has followed it for a time.
//
// Everything that a server sends is bounded, and none of it is trusted more than what a guest
// sends. Redirects are not followed: the key is for the server that was named.
package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
	"praxis/internal/server/rest"
)

// Config says which server is asked.
type Config struct {
	URL string // such as https://praxis.example:7411
	Key string // of the server
	// CA is a file with certificates, PEM, of those who may vouch for the server; "": the
	// machine's.
	CA string
}

// Bounds of what is read.
const (
	maxAnswer  = 64 << 20
	maxProblem = 1 << 20
	maxCA      = 4 << 20
)

// Times of a connection.
const (
	dialFor = 30 * time.Second
	idleFor = 90 * time.Second
)

// Client asks one server. It is safe for concurrent use.
type Client struct {
	base       string // without a slash at its end
	key        string
	http       *http.Client
	operations map[string]*api.Operation
}

// New returns a client. Nothing is asked yet.
func New(c Config) (*Client, error) {
	base, err := address(c.URL)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(c.Key) == "" {
		return nil, fault.Coded(fault.ServerKeyMissing, fault.Data{"server": base}, "cannot ask the server %s: there is no key", base)
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fault.New(fault.Invalid, "Give the key as the server printed it.", "cannot ask the server %s: the key is no key of a server", base)
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialFor}).DialContext, TLSHandshakeTimeout: dialFor,
		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16, IdleConnTimeout: idleFor, MaxResponseHeaderBytes: 64 << 10,
	}
	if c.CA != "" {
		pool, err := authorities(c.CA)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	out := &Client{base: base, key: c.Key, operations: map[string]*api.Operation{}, http: &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for _, o := range api.Table() {
		out.operations[o.Name] = &o
	}
	return out, nil
}

// address checks the address of a server and returns it without a slash at its end.
func address(text string) (string, error) {
	refuse := func(why string) (string, error) {
		return "", fault.New(fault.Invalid, "Give its address, such as https://praxis.example:7411.", "cannot ask the server %q: %s", safetext.OneLine(redacted(text), 200), why)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		return refuse("it is no address")
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse("it is neither http nor https")
	case u.User != nil:
		return refuse("a name or a password does not stand in it; the key is given by itself")
	case u.RawQuery != "" || u.Fragment != "":
		return refuse("nothing stands behind its path")
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// redacted is an address without what may be a password.
func redacted(text string) string {
	if before, after, found := strings.Cut(text, "@"); found {
		scheme, _, _ := strings.Cut(before, "//")
		return scheme + "//…@" + after
	}
	return text
}

// authorities reads certificates.
func authorities(file string) (*x509.CertPool, error) {
	data, err := app.ReadText(file, maxCA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fault.New(fault.Invalid, "Give certificates in PEM.", "cannot read the certificates in %s: there are none", safetext.Line(file))
	}
	return pool, nil
}

// Close gives up the connections that wait for another call.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Server is the address that is asked.
func (c *Client) Server() string { return c.base }

// request makes the request of an operation. body is what an operation that takes content
// sends; after is the last event that was seen.
func (c *Client) request(ctx context.Context, o *api.Operation, in any, body io.Reader, after int64) (*http.Request, error) {
	v := reflect.ValueOf(in)
	path, query := o.Path, url.Values{}
	for _, f := range reflect.VisibleFields(v.Type()) {
		where := f.Tag.Get("in")
		if where == "" {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		value := v.FieldByIndex(f.Index)
		text := fmt.Sprint(value)
		switch {
		case where == "path" && (text == "" || text == "." || text == ".."):
			return nil, fault.New(fault.Invalid, "Give its name.", "cannot ask for %s: %q is no name of a %s", o.Name, text, name)
		case where == "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(text))
		case !value.IsZero():
			query.Set(name, text)
		}
	}
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	kind := "application/octet-stream"
	if o.Kind != api.Upload && (o.Method == http.MethodPost || o.Method == http.MethodPut) {
		data, err := event.Encode(in)
		if err != nil {
			return nil, fmt.Errorf("cannot write the request: %w", err)
		}
		if len(data) > rest.DefaultBody {
			return nil, fault.New(fault.Exhausted, "Put large files into a session first, and run the code there.",
				"cannot ask the server: the request with its files has %s, and it takes %s", safetext.Size(int64(len(data))), safetext.Size(rest.DefaultBody))
		}
		body, kind = bytes.NewReader(data), "application/json"
	}
	r, err := http.NewRequestWithContext(ctx, o.Method, address, body)
	if err != nil {
		return nil, fmt.Errorf("cannot make the request: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	if body != nil {
		r.Header.Set("Content-Type", kind)
	}
	if after > 0 {
		r.Header.Set("Last-Event-ID", strconv.FormatInt(after, 10))
	}
	return r, nil
}

// send sends a request and returns an answer that is none of a failure. Its body is to be
// closed.
func (c *Client) send(r *http.Request) (*http.Response, error) {
	res, err := c.http.Do(r)
	if err != nil {
		if ctx := r.Context(); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var u *url.Error
		if errors.As(err, &u) { // its text would repeat the address
			err = u.Err
		}
		return nil, unreachable{fault.New(fault.Unavailable, "Check its address and whether it runs.", "cannot reach the server %s: %w", c.base, err)}
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	return nil, c.problem(res)
}

// unreachable is why an answer did not come, or not to its end.
type unreachable struct{ error }

// Unwrap returns the fault.
func (u unreachable) Unwrap() error { return u.error }

// problem reads why a server did not do something.
func (c *Client) problem(res *http.Response) error {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	data, err := io.ReadAll(io.LimitReader(res.Body, maxProblem))
	if err == nil && kind == "application/problem+json" {
		if f := decodeProblem(data); f != nil {
			return f
		}
	}
	text := fault.New(fault.Unavailable, "Check its address: what answers there may be no Praxis, or a proxy before it.", "cannot ask the server %s: it answered %s", c.base, safetext.OneLine(res.Status, 100))
	switch {
	case res.StatusCode >= 300 && res.StatusCode < 400:
		text.Remedy = "Give the address that it leads to: redirects are not followed, since the key is for this server."
	case res.StatusCode == http.StatusMisdirectedRequest:
		text.Kind, text.Remedy = fault.Denied, "Ask it under a name that it was given."
	case res.StatusCode >= 500:
		return unreachable{text}
	}
	return text
}

// decodeProblem reads a problem, or returns nil for what is none.
func decodeProblem(data []byte) *fault.Error {
	var p rest.Problem
	if json.Unmarshal(data, &p) != nil || p.Kind == 0 || p.Detail == "" {
		return nil
	}
	return foreign(&fault.Error{Kind: p.Kind, Code: p.Code, Message: p.Detail, Remedy: p.Remedy, Data: p.Data})
}

// foreign is a fault of a server as one of ours: its texts are made safe, and a code that is
// not known here is left out.
func foreign(f *fault.Error) *fault.Error {
	out := *f
	out.Message, out.Remedy = safetext.Text(f.Message), safetext.Text(f.Remedy)
	if !slices.Contains(fault.Codes(), f.Code) {
		out.Code, out.Data = "", nil
		return &out
	}
	switch f.Code {
	case fault.ModelUnchosen, fault.ModelKeyMissing, fault.ModelKeyRefused: // whose keys they are
		out.Message += " at the server"
	}
	out.Data = fault.Data{}
	for _, name := range f.Code.Names() {
		out.Data[name] = safetext.OneLine(f.Data[name], 1000)
	}
	return &out
}

// call asks for an operation and reads its result.
func call[Out any](ctx context.Context, c *Client, name string, in any) (out Out, err error) {
	r, err := c.request(ctx, c.operations[name], in, nil, 0)
	if err != nil {
		return out, err
	}
	return answer[Out](c, r)
}

// answer sends a request and reads its result.
func answer[Out any](c *Client, r *http.Request) (out Out, err error) {
	res, err := c.send(r)
	if err != nil || res.StatusCode == http.StatusNoContent {
		if err == nil {
			err = res.Body.Close()
		}
		return out, err
	}
	data, err := bounded.ReadClose(res.Body, maxAnswer)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		if ctx := r.Context(); ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		return out, fault.New(fault.Unavailable, "Ask again; if it stays so, the server may be of another version.", "cannot read the answer of the server: %s", safetext.OneLine(err.Error(), 300))
	}
	return out, nil
}

// upload sends content.
func (c *Client) upload(ctx context.Context, name string, in any, from io.Reader) error {
	r, err := c.request(ctx, c.operations[name], in, io.NopCloser(from), 0) // who opened it closes it
	if err == nil {
		_, err = answer[json.RawMessage](c, r)
	}
	return err
}

// download copies content to w. A part of it is never taken for the whole.
func (c *Client) download(ctx context.Context, name string, in any, w io.Writer) error {
	return c.receive(ctx, name, in, func(res *http.Response) error {
		_, err := io.Copy(w, res.Body)
		return err
	})
}

// receive gives content to read.
func (c *Client) receive(ctx context.Context, name string, in any, read func(res *http.Response) error) error {
	r, err := c.request(ctx, c.operations[name], in, nil, 0)
	if err != nil {
		return err
	}
	res, err := c.send(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := read(res); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	return nil
}
