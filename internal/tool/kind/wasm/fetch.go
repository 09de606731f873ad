package wasm

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// Bounds of a module's requests.
const (
	maxRequests    = 100 // of one call
	maxRequest     = 4 << 20
	maxAnswer      = 8 << 20
	maxHeaders     = 100
	maxHeaderBytes = 64 << 10
)

// request is what a module asks for.
type request struct {
	Method     string            `json:"method"`
	URL        string            `json:"url"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
	BodyBase64 string            `json:"body_base64"`
}

// response is what it gets.
type response struct {
	Status     int                 `json:"status,omitempty"`
	Headers    map[string][]string `json:"headers,omitempty"`
	Body       *string             `json:"body,omitempty"`
	BodyBase64 *string             `json:"body_base64,omitempty"`
	Error      *refusal            `json:"error,omitempty"`
}

// refusal is why there is no response.
type refusal struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// client makes the requests of one call.
type client struct {
	hosts   []string
	http    *http.Client
	count   int
	refused string // the last host that was not granted
}

func newClient(hosts []string, dial Dial) *client {
	transport := &http.Transport{
		DialContext:            dial,
		DisableCompression:     true, // what is bounded is what the module gets
		MaxResponseHeaderBytes: maxHeaderBytes,
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           4,
	}
	return &client{hosts: hosts, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// do makes a request in JSON and returns the response in JSON.
func (c *client) do(ctx context.Context, text []byte) []byte {
	res, err := c.answer(ctx, text)
	if err != nil {
		kind := fault.KindOf(err)
		if kind == fault.Internal {
			kind = fault.Unavailable
		}
		res = response{Error: &refusal{Kind: kind.String(), Message: safetext.Clip(strings.ToValidUTF8(err.Error(), "?"), 1000)}}
	}
	out, err := json.Marshal(res)
	if err != nil { // there is nothing in it that JSON could not write
		return []byte(`{"error":{"kind":"unavailable","message":"cannot write the response"}}`)
	}
	return out
}

func (c *client) answer(ctx context.Context, text []byte) (response, error) {
	if c.count++; c.count > maxRequests {
		return response{}, fault.New(fault.Exhausted, "", "cannot send the request: a call makes at most %d", maxRequests)
	}
	spec, body, err := decodeRequest(text)
	if err != nil {
		return response{}, err
	}
	u, err := c.allowed(spec.URL)
	if err != nil {
		return response{}, err
	}
	req, err := http.NewRequestWithContext(ctx, spec.Method, u.String(), bytes.NewReader(body))
	if err != nil {
		return response{}, badRequest("method or URL cannot be used")
	}
	for name, value := range spec.Headers {
		if isConnectionHeader(name) {
			return response{}, badRequest("the header %q cannot be set", safetext.Clip(name, 80))
		}
		req.Header.Set(name, value)
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "praxis")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return response{}, unanswered(ctx, err)
	}
	defer res.Body.Close()
	data, err := bounded.Read(res.Body, maxAnswer)
	switch long := (*bounded.TooLong)(nil); {
	case errors.As(err, &long):
		return response{}, fault.New(fault.Exhausted, "", "cannot take the response: it has more than %v", size(maxAnswer))
	case err != nil:
		return response{}, unanswered(ctx, err)
	}
	return made(res, data), nil
}

// made writes a response down.
func made(res *http.Response, data []byte) response {
	out := response{Status: res.StatusCode, Headers: make(map[string][]string, len(res.Header))}
	for name, values := range res.Header {
		name = strings.ToLower(name)
		for _, v := range values {
			out.Headers[name] = append(out.Headers[name], strings.ToValidUTF8(v, "?"))
		}
	}
	if utf8.Valid(data) {
		text := string(data)
		out.Body = &text
	} else {
		text := base64.StdEncoding.EncodeToString(data)
		out.BodyBase64 = &text
	}
	return out
}

// unanswered says why no response came. The error of the client contains the URL,
// which may contain a secret; the error below it does not.
func unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fault.New(fault.Exhausted, "", "cannot get an answer: the time is over")
	}
	if kind := fault.KindOf(err); kind == fault.Denied {
		var f *fault.Error
		errors.As(err, &f)
		return f
	}
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return fault.New(fault.Unavailable, "", "cannot get an answer: %v", err)
}

// decodeRequest reads a request strictly.
func decodeRequest(text []byte) (r request, body []byte, err error) {
	v, err := jsondoc.Decode(text)
	if err != nil {
		return r, nil, badRequest("%v", err)
	}
	object, ok := v.(*jsondoc.Object)
	if !ok {
		return r, nil, badRequest("the request is not an object")
	}
	if err := toolfile.DecodeSpec(object, &r); err != nil {
		return r, nil, badRequest("%v", err)
	}
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}, r.Method) {
		return r, nil, badRequest("the method is not one of GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS")
	}
	if len(r.Headers) > maxHeaders {
		return r, nil, badRequest("there are more than %d headers", maxHeaders)
	}
	body = []byte(r.Body)
	if r.BodyBase64 != "" {
		if r.Body != "" {
			return r, nil, badRequest("there are two bodies")
		}
		if body, err = base64.StdEncoding.DecodeString(r.BodyBase64); err != nil {
			return r, nil, badRequest("body_base64 is not base64")
		}
	}
	return r, body, nil
}

// allowed returns the URL if its host is granted.
func (c *client) allowed(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return nil, badRequest("the URL cannot be read")
	}
	port := u.Port()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, badRequest("the URL begins with neither http:// nor https://")
	case u.User != nil:
		return nil, badRequest("the URL holds a name or a password")
	case port == "" && u.Scheme == "http":
		port = "80"
	case port == "":
		port = "443"
	}
	at, ok := hostPort(u.Hostname(), port)
	if !ok {
		return nil, badRequest("the URL's host cannot be read")
	}
	if !slices.Contains(c.hosts, at) {
		c.refused = at
		return nil, fault.New(fault.Denied, "", "cannot ask %s: the manifest does not grant this host", at)
	}
	// The request goes to the very host that was compared.
	u.Host = at
	if name, p, err := net.SplitHostPort(at); err == nil && (p == "443" && u.Scheme == "https" || p == "80" && u.Scheme == "http") {
		u.Host = name
		if strings.Contains(name, ":") {
			u.Host = "[" + name + "]"
		}
	}
	u.Fragment = ""
	return u, nil
}

// isConnectionHeader reports headers that are about the connection and not the request.
func isConnectionHeader(name string) bool {
	switch strings.ToLower(name) {
	case "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "keep-alive", "expect":
		return true
	}
	return strings.HasPrefix(strings.ToLower(name), "proxy-")
}

func badRequest(format string, args ...any) error {
	return fault.New(fault.Invalid, "", "cannot read the request: %s", fmt.Sprintf(format, args...))
}
