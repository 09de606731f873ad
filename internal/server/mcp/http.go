package mcp

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
)

// Headers of the protocol, and the one in which the door says which request a message came in:
// nothing else of a request reaches the handlers of the SDK.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	requestHeader = "Praxis-Request"
)

// stateless is the first version of the protocol that has no sessions over HTTP.
const stateless = "2026-07-28"

// HTTP is the door over streamable HTTP. Close ends it.
type HTTP struct {
	*Door
	trusts func(r *http.Request, origin string) bool
	// Clients of older versions have sessions; those of newer ones have none.
	stateful, stateless *mcp.StreamableHTTPHandler
}

// New returns the handler of the door. trusts says whether a page of an origin may make a
// request.
func New(cfg rest.Config, trusts func(r *http.Request, origin string) bool) *HTTP {
	return newDoor(cfg, nil).overHTTP(trusts)
}

// overHTTP returns the handler of a door.
func (d *Door) overHTTP(trusts func(r *http.Request, origin string) bool) *HTTP {
	server := func(*http.Request) *mcp.Server { return d.server }
	// Whose name a server may be called by is checked for all doors, before this one.
	options := mcp.StreamableHTTPOptions{DisableLocalhostProtection: true, MaxRequestBodyBytes: maxMessage, SessionTimeout: IdleClient}
	newer := options
	newer.Stateless, newer.PropagateRequestCancellation = true, true
	return &HTTP{d, trusts, mcp.NewStreamableHTTPHandler(server, &options), mcp.NewStreamableHTTPHandler(server, &newer)}
}

// request is a request of HTTP while it is answered.
type request struct {
	key  access.Key
	gone <-chan struct{} // closed when nobody reads the answer
	seen *observe.Request

	mu    sync.Mutex
	ended bool
	calls sync.WaitGroup
}

// begin counts a message that the request brought. It is false when the request has ended.
func (r *request) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.calls.Add(1)
	}
	return !r.ended
}

func (r *request) end() { r.calls.Done() }

// wait ends the request: its messages have been answered, or are given up.
func (r *request) wait() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.calls.Wait()
}

// requestOf returns the request that a message came in.
func (d *Door) requestOf(extra *mcp.RequestExtra) *request {
	if extra == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.requests[extra.Header.Get(requestHeader)]
}

// ServeHTTP answers one request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	seen := observe.From(r.Context())
	seen.Operation = "mcp"
	key, err := h.admit(r)
	if err != nil {
		seen.Failed(err)
		rest.Fail(w, r, err)
		return
	}
	free, err := h.read(r)
	defer free()
	if err != nil {
		seen.Failed(err)
		rest.Fail(w, r, err)
		return
	}
	id := rand.Text()
	q := &request{key: key, gone: r.Context().Done(), seen: seen}
	h.mu.Lock()
	h.requests[id] = q
	h.mu.Unlock()
	defer func() { // also when the client is given up by a panic
		q.wait()
		h.mu.Lock()
		delete(h.requests, id)
		h.mu.Unlock()
	}()
	r.Header.Set(requestHeader, id)
	out := patient{w}
	if r.Header.Get(versionHeader) >= stateless {
		r.Header.Del(sessionHeader)
		h.stateless.ServeHTTP(out, r)
		return
	}
	h.stateful.ServeHTTP(out, r)
}

// read reads the body of a request, which takes of what all requests may have in memory until the
// SDK has read it, or free is called. One that is too long is left to the SDK to refuse.
func (h *HTTP) read(r *http.Request) (free func(), err error) {
	if r.Body == nil || r.Body == http.NoBody {
		return func() {}, nil
	}
	data, free, err := h.cfg.Bodies.Read(io.LimitReader(r.Body, maxMessage+1))
	free = sync.OnceFunc(free)
	if err != nil && fault.KindOf(err) == fault.Internal {
		err = fault.New(fault.Invalid, "Send it again.", "cannot read the request: %w", err)
	}
	r.Body = &body{bytes.NewReader(data), free}
	return free, err
}

// body is the body of a request that was read.
type body struct {
	from *bytes.Reader
	free func()
}

// Read reads a piece.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if err != nil {
		b.free()
	}
	return n, err
}

// Close does nothing: the server closes what the request came with.
func (b *body) Close() error { return nil }

// admit returns the key of a request that may be answered.
func (h *HTTP) admit(r *http.Request) (access.Key, error) {
	if origin := r.Header.Get("Origin"); origin != "" && !h.trusts(r, origin) {
		return access.Key{}, fault.New(fault.Denied, "Ask from a program, or from a page of this server's own name.", "cannot answer a page of %s", safetext.Clip(safetext.Line(origin), 100))
	}
	key, err := rest.Identify(r.Context(), h.cfg, rest.KeyOf(r))
	if err != nil {
		return key, err
	}
	seen := observe.From(r.Context())
	seen.Tenant, seen.Key = key.Tenant, key.ID
	if err := h.cfg.Admit(key); err != nil {
		return key, err
	}
	switch id := r.Header.Get(sessionHeader); {
	case id != "":
		if !h.owns(key, id) {
			return key, fault.New(fault.NotFound, "Begin another with initialize.", "cannot find the session of the protocol: it is over, or another's")
		}
	case r.Method == http.MethodPost && r.Header.Get(versionHeader) < stateless && !h.crowd(key.Tenant):
		return key, fault.New(fault.Exhausted, "End sessions of the protocol that nobody needs.", "cannot begin a session of the protocol: there are %d, and all are at work", maxClients)
	}
	return key, nil
}

// owns says whether a session of the protocol was begun with a key.
func (h *HTTP) owns(key access.Key, id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s, c := range h.clients {
		if s.ID() == id {
			return c.key.ID == key.ID && c.key.Tenant == key.Tenant
		}
	}
	return false
}

// patient is an answer whose pieces the client has some time to read.
type patient struct{ http.ResponseWriter }

// Write sends a piece.
func (p patient) Write(b []byte) (int, error) {
	rest.Deadline(p.ResponseWriter)
	return p.ResponseWriter.Write(b)
}

// FlushError sends what was written so far.
func (p patient) FlushError() error {
	rest.Deadline(p.ResponseWriter)
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// Flush sends what was written so far.
func (p patient) Flush() { _ = p.FlushError() } // the next piece fails as well

// Unwrap lets http.ResponseController find the connection.
func (p patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }
