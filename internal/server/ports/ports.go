// Package ports lets a server that runs inside a session be reached over HTTP, under a host
// name of its own: PORT-ID.DOMAIN.
//
// # Origins
//
// What a session serves is written by whoever wrote its code. So it never shares an origin with
// the server's own routes, nor with another port: the ID is random for each port that is opened,
// since names of sessions are neither unique among tenants nor fit for host names. The bytes go
// through untouched but for what would reach beyond the origin: hop-by-hop headers, domains of
// cookies, and alternative services. Nothing is redirected by the server itself.
//
// # Who may ask
//
// A program sends the port's token in the header X-Praxis-Port-Token. A browser cannot when a
// person follows a link or a page loads its parts, and cookies would make what one page does
// count for another. So a port may be opened to browsers for a time: then the host name, which
// has 130 random bits, is what is to be known, and no page learns it as a referrer. Whoever sees
// the names that are looked up sees it, too, so it lasts for hours and not for ever.
//
// The token, keys of the server and what else lets its bearer into it are taken out before the request
// reaches the session.
package ports

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
)

// TokenHeader is the header that has a port's token.
const TokenHeader = "X-Praxis-Port-Token"

// Bounds.
const (
	MaxLasts     = 24 * time.Hour
	DefaultLasts = time.Hour
	maxOpen      = 32      // ports of a session
	maxBody      = 1 << 30 // bytes of a request
	maxHeader    = 64 << 10
	answerFor    = 5 * time.Minute  // until an answer begins
	writeFor     = 30 * time.Second // a piece of an answer
)

// Conn is a connection into a session.
type Conn interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// Dialer connects to ports of one session.
type Dialer func(ctx context.Context, port int) (Conn, error)

// Port is a port of a session that can be reached.
type Port struct {
	ID      string
	Tenant  string
	Session string
	Port    int
	Host    string // the name under which it answers
	Token   string
	Browser bool // the name is enough
	Ends    time.Time

	atEnd   func(f func()) (stop func() bool) // calls f when the port ends
	close   context.CancelFunc
	forward Forward
}

// Ports are the ports that can be reached. It is safe for concurrent use.
type Ports struct {
	domain string
	secret func(text string) bool
	now    func() time.Time

	mu   sync.Mutex
	open map[string]*Port // by their ids
}

// New returns the ports below a domain, such as localhost. secret says whether something in a
// text lets its bearer into the server.
func New(domain string, secret func(text string) bool) (*Ports, error) {
	domain = strings.ToLower(strings.TrimSuffix(domain, "."))
	if domain == "" || len(domain) > 200 || strings.ContainsFunc(domain, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.')
	}) || net.ParseIP(domain) != nil {
		return nil, fault.New(fault.Invalid, "Give a domain whose names lead here, such as preview.example.com.", "cannot forward ports below %q: it is no domain", safetext.Clip(safetext.Line(domain), 100))
	}
	return &Ports{domain: domain, secret: secret, now: time.Now, open: map[string]*Port{}}, nil
}

// Open makes a port of a session reachable for a time.
func (p *Ports) Open(tenant, session string, port int, browser bool, lasts time.Duration, dial Dialer) (*Port, error) {
	switch {
	case port < 1 || port > 65535:
		return nil, fault.New(fault.Invalid, "Give 1 to 65535.", "cannot forward port %d", port)
	case lasts <= 0 || lasts > MaxLasts:
		return nil, fault.New(fault.Invalid, "Give up to "+MaxLasts.String()+".", "cannot forward port %d for %s", port, lasts)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep()
	count := 0
	for _, o := range p.open {
		if o.Tenant == tenant && o.Session == session {
			count++
		}
	}
	if count >= maxOpen {
		return nil, fault.New(fault.Exhausted, "Close some of them.", "cannot forward port %d: %d ports of the session are open", port, maxOpen)
	}
	o := &Port{ID: strings.ToLower(rand.Text()), Tenant: tenant, Session: session, Port: port, Token: rand.Text(), Browser: browser, Ends: p.now().Add(lasts).UTC()}
	o.Host = strconv.Itoa(port) + "-" + o.ID + "." + p.domain
	over, end := context.WithDeadline(context.Background(), o.Ends)
	o.atEnd, o.close = func(f func()) (stop func() bool) { return context.AfterFunc(over, f) }, end
	o.forward = Forward{Port: port, Secret: p.secret, Tokens: []string{TokenHeader}, Browser: browser, Dial: dial, Refuse: refuse}
	p.open[o.ID] = o
	return o, nil
}

// sweep forgets the ports whose time is over. p.mu is held.
func (p *Ports) sweep() {
	now := p.now()
	for id, o := range p.open {
		if now.After(o.Ends) {
			o.close()
			delete(p.open, id)
		}
	}
}

// List lists the ports of a session, those that end first at the front.
func (p *Ports) List(tenant, session string) []*Port {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep()
	var out []*Port
	for _, o := range p.open {
		if o.Tenant == tenant && o.Session == session {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b *Port) int { return a.Ends.Compare(b.Ends) })
	return out
}

// Close ends a port, and the connections to it.
func (p *Ports) Close(tenant, session, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.open[id]
	if o == nil || o.Tenant != tenant || o.Session != session {
		return fault.New(fault.NotFound, "List the ports of the session.", "cannot close the port: there is none with the id %s", safetext.Clip(safetext.Line(id), 40))
	}
	o.close()
	delete(p.open, id)
	return nil
}

// Forget ends all ports.
func (p *Ports) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, o := range p.open {
		o.close()
		delete(p.open, id)
	}
}

// idLength is that of rand.Text.
const idLength = 26

// parse reads the Host header of a request for a port: PORT-ID.DOMAIN, and maybe :N.
func (p *Ports) parse(host string) (port int, id string, ok bool) {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	label, ok := strings.CutSuffix(strings.ToLower(strings.TrimSuffix(host, ".")), "."+p.domain)
	if !ok {
		return 0, "", false
	}
	digits, id, _ := strings.Cut(label, "-")
	port, err := strconv.Atoi(digits)
	if err != nil || port < 1 || port > 65535 || strconv.Itoa(port) != digits || len(id) != idLength {
		return 0, "", false
	}
	for _, c := range []byte(id) {
		if !(c >= 'a' && c <= 'z' || c >= '2' && c <= '7') {
			return 0, "", false
		}
	}
	return port, id, true
}

// Find returns the port that the Host header of a request names. named says whether it has the
// form of such a name at all; only then p is to answer.
func (p *Ports) Find(host string) (found *Port, named bool) {
	port, id, ok := p.parse(host)
	if !ok {
		return nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep()
	if o := p.open[id]; o != nil && o.Port == port {
		return o, true
	}
	return nil, true
}

// ServeHTTP answers a request for the port. It must have come under its name.
func (o *Port) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given := r.Header.Get(TokenHeader)
	if !o.Browser && given == "" || given != "" && subtle.ConstantTimeCompare([]byte(given), []byte(o.Token)) != 1 {
		http.Error(w, "cannot show this port: send its token as "+TokenHeader, http.StatusUnauthorized)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer o.atEnd(cancel)()
	o.forward.ServeHTTP(w, r.WithContext(ctx))
}

// writer bounds how long a client may take to read a piece.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
}

// bound sets the time that a piece has, and returns what lifts it. A connection without
// deadlines is one of a test.
func (w *writer) bound() (lift func()) {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeFor))
	return func() { _ = w.control.SetWriteDeadline(time.Time{}) }
}

// Write sends a piece.
func (w *writer) Write(b []byte) (int, error) {
	defer w.bound()()
	return w.ResponseWriter.Write(b)
}

// FlushError sends what was written.
func (w *writer) FlushError() error {
	defer w.bound()()
	return w.control.Flush()
}

// Unwrap lets http.ResponseController find the connection.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Forward says how requests are carried to a port of a session by who has let them in himself.
type Forward struct {
	Port    int
	Secret  func(text string) bool // says whether something in a text lets its bearer into the server
	Tokens  []string               // headers that are not for the session
	Browser bool                   // the name under which it is asked is a secret
	Host    string                 // that the session sees; "": the one that was asked
	Dial    Dialer
	// Refuse answers when the session does not; a fault.Unavailable says that nobody listens.
	Refuse func(w http.ResponseWriter, r *http.Request, err error)
}

// ServeHTTP carries a request to the port.
func (f Forward) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		http.Error(w, "cannot connect through this port", http.StatusMethodNotAllowed)
		return
	case f.Secret(r.URL.String()):
		http.Error(w, "cannot forward a request with a key in its address", http.StatusBadRequest)
		return
	}
	if r.Body != nil {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	}
	f.proxy().ServeHTTP(&writer{w, http.NewResponseController(w)}, r)
}

// proxy returns what carries requests into the session, each over a connection of its own:
// one that was left open would not survive a saved state.
func (f Forward) proxy() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", net.JoinHostPort("localhost", strconv.Itoa(f.Port)), cmp.Or(f.Host, r.In.Host)
			f.clean(r.Out.Header)
			r.Out.Header.Set("X-Forwarded-Host", r.In.Host)
			r.Out.Header.Set("X-Forwarded-Proto", "http")
			if r.In.TLS != nil {
				r.Out.Header.Set("X-Forwarded-Proto", "https")
			}
		},
		Transport: &http.Transport{
			DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeader, ResponseHeaderTimeout: answerFor,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				c, err := f.Dial(ctx, f.Port)
				if err != nil {
					return nil, err
				}
				return conn{c}, nil
			},
		},
		FlushInterval:  -1, // events of a page must not wait for more
		ModifyResponse: func(r *http.Response) error { contain(r, f.Browser); return nil },
		ErrorHandler:   f.Refuse,
	}
}

// clean takes out of a request what is not for the session.
func (f Forward) clean(h http.Header) {
	for _, name := range f.Tokens {
		h.Del(name)
	}
	for name, values := range h {
		if slices.ContainsFunc(values, f.Secret) {
			h.Del(name)
		}
	}
}

// contain takes out of an answer what would reach beyond its origin.
func contain(r *http.Response, browser bool) {
	r.Header.Del("Alt-Svc")
	if browser && r.Header.Get("Referrer-Policy") == "" {
		r.Header.Set("Referrer-Policy", "same-origin")
	}
	cookies := r.Header.Values("Set-Cookie")
	r.Header.Del("Set-Cookie")
	for _, text := range cookies {
		c, err := http.ParseSetCookie(text)
		if err != nil {
			continue
		}
		c.Domain = ""
		r.Header.Add("Set-Cookie", c.String())
	}
}

// refuse answers when the session does not.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, text := http.StatusBadGateway, "cannot show this port: the answer could not be read"
	var long *http.MaxBytesError
	switch kind := fault.KindOf(err); {
	case errors.As(err, &long):
		status, text = http.StatusRequestEntityTooLarge, "cannot forward the request: it is too long"
	case kind == fault.Exhausted:
		w.Header().Set("Retry-After", "2")
		status, text = http.StatusServiceUnavailable, fault.Of(err).Message
	case kind != fault.Internal && kind != 0:
		text = "cannot show this port: " + fault.Of(err).Message
	}
	http.Error(w, text, status)
}

// conn is a connection into a session as package net has them. It has no deadlines: what is
// waited for ends with the request.
type conn struct{ Conn }

// LocalAddr returns nothing of meaning.
func (conn) LocalAddr() net.Addr { return &net.TCPAddr{} }

// RemoteAddr returns nothing of meaning.
func (conn) RemoteAddr() net.Addr { return &net.TCPAddr{} }

// SetDeadline does nothing.
func (conn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (conn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (conn) SetWriteDeadline(time.Time) error { return nil }
