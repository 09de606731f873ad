package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

const maxRedirects = 5

// Config is what tools of the kind http share.
type Config struct {
	// Secrets gives the values of {secret:NAME}. nil: there are none.
	Secrets tool.SecretSource
	// Transport sends the requests. nil: one that checks every address that it
	// dials; another one has to check them itself.
	Transport http.RoundTripper
	// AllowPrivate are ranges of addresses that are not public and that names may
	// lead to all the same.
	AllowPrivate []netip.Prefix
}

// Kind makes tools that are requests over HTTP.
type Kind struct {
	cfg Config

	mu   sync.Mutex
	own  *http.Transport // made with the first tool, when cfg has none
	open int             // tools that are not closed
}

var _ tool.Kind = (*Kind)(nil)

// New makes the kind. It connects to nothing.
func New(cfg Config) *Kind { return &Kind{cfg: cfg} }

// Derive says the effects: GET and HEAD read, other methods reach others.
func (k *Kind) Derive(_ context.Context, b tool.Binding) (*jsondoc.Object, error) {
	effects := tool.External
	method := any("GET")
	if b.Spec != nil {
		if m, ok := b.Spec.Get("method"); ok {
			method = m
		}
	}
	if method == "GET" || method == "HEAD" {
		effects = tool.Read
	}
	return jsondoc.NewObject(jsondoc.Member{Name: "effects", Value: effects.String()}), nil
}

// New makes the implementation of a tool. It connects to nothing.
func (k *Kind) New(_ context.Context, d *tool.Definition, b tool.Binding) (tool.Implementation, error) {
	r, err := compile(d, b.Spec)
	if err != nil {
		return nil, err
	}
	spec, err := jsondoc.Canonical(b.Spec)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(spec)
	path, _, _ := strings.Cut(strings.TrimPrefix(urlOf(b.Spec), r.origin), "?")
	return &implementation{
		kind:     k,
		request:  r,
		client:   &http.Client{Transport: k.transport(), CheckRedirect: stay},
		identity: "http " + r.method + " " + line(r.origin+path, 500) + " sha256:" + hex.EncodeToString(sum[:8]),
	}, nil
}

func urlOf(spec *jsondoc.Object) string {
	v, _ := spec.Get("url")
	s, _ := v.(string)
	return s
}

// transport returns what sends the requests of one more tool.
func (k *Kind) transport() http.RoundTripper {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open++
	if k.cfg.Transport != nil {
		return k.cfg.Transport
	}
	if k.own == nil {
		k.own = guardedTransport(k.cfg.AllowPrivate, nil)
	}
	return k.own
}

// release closes the idle connections when the last tool is closed.
func (k *Kind) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open--; k.open == 0 && k.own != nil {
		k.own.CloseIdleConnections()
	}
}

// implementation is one tool.
type implementation struct {
	kind     *Kind
	request  *request
	client   *http.Client
	identity string
	closed   sync.Once
}

// Identity returns the method and the URL's template without its query.
func (i *implementation) Identity() string { return i.identity }

// Close drops idle connections when no other tool may use them.
func (i *implementation) Close() error {
	i.closed.Do(i.kind.release)
	return nil
}

// Call makes one request and reads its answer.
func (i *implementation) Call(ctx context.Context, c tool.Invocation) (any, error) {
	f := &filling{args: c.Arguments, source: i.kind.cfg.Secrets}
	if f.args == nil {
		f.args = jsondoc.NewObject()
		c.Arguments = f.args
	}
	v, err := i.call(ctx, c, f)
	if err != nil {
		return nil, named(c.Tool, err)
	}
	return v, nil
}

func (i *implementation) call(ctx context.Context, c tool.Invocation, f *filling) (any, error) {
	outer := ctx
	if t := i.request.timeout; t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t)
		defer cancel()
	}
	req, err := i.request.build(ctx, c, f)
	if err != nil {
		return nil, tool.NotReached(err)
	}
	m := newMask(f.values(), 1)
	resp, err := i.client.Do(req)
	if err != nil {
		return nil, i.failed(outer, ctx, err, m)
	}
	defer resp.Body.Close()
	if !i.request.accepted(resp.StatusCode) {
		return nil, refusal(resp, m)
	}
	v, err := i.request.read(resp, c.Tool.Limits.Bytes, newMask(f.values(), leastMasked))
	if err != nil {
		var broken *brokenAnswer
		if ctx.Err() != nil || errors.As(err, &broken) {
			return nil, i.failed(outer, ctx, err, m)
		}
		return nil, err
	}
	return v, nil
}

// failed explains a request that got no whole answer.
func (i *implementation) failed(outer, ctx context.Context, err error, m mask) error {
	switch {
	case errors.Is(outer.Err(), context.Canceled):
		return fault.New(fault.Canceled, "", "the call was given up (%w)", context.Canceled)
	case ctx.Err() != nil:
		return fault.New(fault.Unavailable, "Try again later, or give the call more time.", "no answer from %s in time (%w)", i.request.host, context.DeadlineExceeded)
	}
	return trouble(err, i.request.host, m)
}

// named puts the tool's name before an error.
func named(d *tool.Definition, err error) error {
	return fmt.Errorf("cannot call %s: %w", d.Name, err)
}

// elsewhere says that an answer sends the request to another place.
type elsewhere struct{ why string }

func (e *elsewhere) Error() string { return e.why }

// stay lets a client follow redirects to the same scheme, host and port alone:
// headers and bodies with secrets are for the host that the file names.
func stay(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case req.URL.Scheme != first.Scheme || port(req.URL) != port(first) || !strings.EqualFold(req.URL.Hostname(), first.Hostname()):
		return &elsewhere{fmt.Sprintf("the server sends the request on to %s://%s, and only %s://%s is named by the tool",
			req.URL.Scheme, req.URL.Host, first.Scheme, first.Host)}
	case req.URL.User != nil:
		return &elsewhere{"the server sends the request on to an address with a user's name"}
	case len(via) > maxRedirects:
		return &elsewhere{fmt.Sprintf("the server sends the request on more than %d times", maxRedirects)}
	}
	return nil
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "http" {
		return "80"
	}
	return "443"
}

// below returns the error inside of net/http's, which shows the URL.
func below(err error) error {
	var outer *url.Error
	for errors.As(err, &outer) {
		err = outer.Err
	}
	return err
}
