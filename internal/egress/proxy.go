package egress

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
)

// Resolver finds the addresses of a name; *net.Resolver is one. The name ends in
// a dot, so that no search list is applied to it.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Limits bound what the code may take. A zero means the value in brackets.
type Limits struct {
	Connections   int           // of the code, at once [128]
	PerHost       int           // to one host, at once [32]
	PerSecond     int           // new ones to hosts [100]
	HeadBytes     int           // of a request's head, and of a TLS ClientHello [64 KiB]
	Head          time.Duration // for what must come before a byte is passed [20s]
	Idle          time.Duration // without a byte in either direction [5m]
	Connect       time.Duration // for the name and the connection to a host [20s]
	SentBytes     int64         // to the host, of one connection [no bound]
	ReceivedBytes int64         // from the host, of one connection [no bound]
}

// Config is what a proxy is made of. Only Rules are needed to allow something.
type Config struct {
	Rules       Rules
	Credentials []Credential
	Limits      Limits
	Resolver    Resolver                                                             // nil: the host's
	Dial        func(ctx context.Context, network, address string) (net.Conn, error) // nil: the host's network
	Roots       *x509.CertPool                                                       // that certificates of hosts with credentials are verified with; nil: the host's
	Sink        event.Sink                                                           // is never called twice at once, and must not call the proxy; nil: no events
	Now         func() time.Time                                                     // nil: the host's clock
}

// Proxy lets the code of one run reach the hosts that rules allow. It is safe
// for concurrent use. Close ends it.
type Proxy struct {
	limits   Limits
	resolver Resolver
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	roots    *x509.CertPool
	now      func() time.Time
	vault    *vault
	ca       *authority // nil: no TLS is read
	report   *reporter
	prefix   string // of the identities of connections

	wg sync.WaitGroup // of guests and links

	mu      sync.Mutex
	closed  bool
	rules   Rules
	guests  map[*guest]struct{}
	links   map[*link]struct{}
	hosts   map[string]int // links, and those on the way, by host
	count   int64          // of links that ever were
	second  time.Time      // when the second began
	started int            // in it
}

// New makes a proxy. What is wrong in the credentials is a fault of kind Invalid.
func New(c Config) (*Proxy, error) {
	v, err := newVault(c.Credentials)
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		limits: c.Limits.complete(), resolver: c.Resolver, dial: c.Dial, roots: c.Roots, now: c.Now,
		vault: v, rules: c.Rules, report: &reporter{sink: c.Sink},
		guests: map[*guest]struct{}{}, links: map[*link]struct{}{}, hosts: map[string]int{},
	}
	if p.resolver == nil {
		p.resolver = net.DefaultResolver
	}
	if p.dial == nil {
		p.dial = new(net.Dialer).DialContext
	}
	if p.report.sink == nil {
		p.report.sink = event.Discard
	}
	if p.now == nil {
		p.now = time.Now
	}
	if hosts := v.hosts(); len(hosts) > 0 {
		if p.ca, err = newAuthority(hosts, time.Now()); err != nil {
			return nil, err
		}
	}
	var id [4]byte
	_, _ = rand.Read(id[:]) // it never fails
	p.prefix = "net-" + hex.EncodeToString(id[:]) + "-"
	return p, nil
}

func (l Limits) complete() Limits {
	number := func(p *int, or int) {
		if *p <= 0 {
			*p = or
		}
	}
	length := func(p *time.Duration, or time.Duration) {
		if *p <= 0 {
			*p = or
		}
	}
	number(&l.Connections, 128)
	number(&l.PerHost, 32)
	number(&l.PerSecond, 100)
	number(&l.HeadBytes, 64<<10)
	length(&l.Head, 20*time.Second)
	length(&l.Idle, 5*time.Minute)
	length(&l.Connect, 20*time.Second)
	return l
}

// Environ returns the environment that makes programs use the proxy, which
// listens at 127.0.0.1 and the given port of the sandbox. bundle is the path,
// there, of the certificates to trust: the usual ones and [Proxy.CA]; "" says
// nothing of certificates.
func (p *Proxy) Environ(port int, bundle string) map[string]string {
	at := "http://127.0.0.1:" + strconv.Itoa(port)
	out := map[string]string{}
	for name, value := range map[string]string{
		// The port speaks SOCKS5, too; clients without a library for it refuse to
		// start when a variable names it.
		"http_proxy": at, "https_proxy": at, "all_proxy": at,
		"no_proxy": strings.Join(p.Rules().own(), ","),
	} {
		out[name], out[strings.ToUpper(name)] = value, value
	}
	out["NODE_USE_ENV_PROXY"] = "1" // otherwise Node does not look at the variables
	if bundle != "" {
		for _, name := range []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS"} {
			out[name] = bundle
		}
	}
	return out
}

// CA returns the certificate, as PEM, that the code must trust to reach hosts
// with credentials over TLS; nil when there are none.
func (p *Proxy) CA() []byte {
	if p.ca == nil {
		return nil
	}
	return slices.Clone(p.ca.pem)
}

// Rules returns the rules that hold now.
func (p *Proxy) Rules() Rules {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rules
}

// SetRules replaces the rules. Connections that the new ones do not allow are
// closed before it returns.
func (p *Proxy) SetRules(r Rules) {
	p.mu.Lock()
	p.rules = r
	var gone []*link
	for l := range p.links {
		if p.recheck(l) != nil {
			gone = append(gone, l)
		}
	}
	p.mu.Unlock()
	for _, l := range gone {
		l.end("the rules changed: they no longer allow " + l.t.String())
		l.g.end("the rules changed")
	}
}

// recheck checks a link against the rules. The caller has the lock.
func (p *Proxy) recheck(l *link) error {
	found, err := p.match(p.rules, l.t)
	if err == nil && l.raw.Load() && !found.raw(l.t.port) {
		return errors.New("bytes of any protocol may no longer pass")
	}
	if err == nil && !permitted(p.rules, l.addr, l.t.port) {
		return errors.New("the address is no longer listed")
	}
	return err
}

// Close ends every connection and waits until nothing of the proxy runs.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	guests := slices.Collect(maps.Keys(p.guests))
	p.mu.Unlock()
	for _, g := range guests {
		g.end("the run is over")
	}
	p.wg.Wait()
	p.report.flush()
	return nil
}

// Serve serves one connection of the code and returns when it is closed. It
// closes conn, which must end a Read and a Write that wait; a CloseWrite, if it
// has one, is used to say that a host has no more to say.
func (p *Proxy) Serve(ctx context.Context, conn io.ReadWriteCloser) {
	given := ctx
	ctx, cancel := context.WithCancel(given)
	defer cancel()
	g := newGuest(conn, p.limits.HeadBytes, cancel)
	defer g.Close()
	if ref, ok := p.admit(g); !ok {
		if ref != nil {
			p.report.refused(ref, "")
		}
		return
	}
	defer p.leave(g)
	defer context.AfterFunc(given, func() { g.end("the run gave it up") })()
	defer g.watch(p.limits.Idle)()

	stop := g.within(p.limits.Head, "the first byte")
	first, err := g.br.Peek(1)
	stop()
	if err != nil {
		p.noteTimeout(g, "")
		return
	}
	switch first[0] {
	case socks5:
		p.serveSOCKS(ctx, g)
	case socks4:
		p.report.refused(refuse(unsupported, target{}, "Use SOCKS5, as in socks5h://.", "SOCKS4 is not spoken"), viaSOCKS)
		_, _ = g.Write([]byte{0, 91, 0, 0, 0, 0, 0, 0})
	case recordHandshake:
		p.report.refused(refuse(unsupported, target{}, "Write the proxy's address with http://, not https://.", "the proxy itself does not speak TLS"), "")
		_, _ = g.Write(alert())
	default:
		p.serveProxy(ctx, g)
	}
}

// noteTimeout reports a guest that we ended before it reached a host.
func (p *Proxy) noteTimeout(g *guest, via string) {
	if reason := g.ended(); reason != "" {
		p.report.refused(refuse(malformed, target{}, "", "%s", reason), via)
	}
}

// admit counts a guest, or says why there is no place for it; nothing is left to
// say when the proxy is closed.
func (p *Proxy) admit(g *guest) (ref *refusal, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false
	}
	if len(p.guests) >= p.limits.Connections {
		return refuse(crowded, target{}, "Close connections that are no longer needed.", "there are %d connections already", p.limits.Connections), false
	}
	p.guests[g] = struct{}{}
	p.wg.Add(1)
	return nil, true
}

func (p *Proxy) leave(g *guest) {
	p.mu.Lock()
	delete(p.guests, g)
	p.mu.Unlock()
	p.wg.Done()
}

func (p *Proxy) unlink(l *link, e event.Event) {
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
	p.release(l.t)
	p.report.emit(e)
	p.wg.Done()
}

// match finds the rule for a target, or says which one is missing.
func (p *Proxy) match(r Rules, t target) (rule, error) {
	found, ok := r.match(t)
	if !ok {
		data := fault.Data{"host": joinHost(t.host, t.addr), "port": strconv.Itoa(int(t.port))}
		ref := refuse(denied, t, fault.HostDenied.Remedy(data), "no rule allows %s", t)
		ref.code = fault.HostDenied
		return rule{}, ref
	}
	return found, nil
}

// credentialFault is what is wrong in a credential.
func credentialFault(remedy, format string, args ...any) error {
	return fault.New(fault.Invalid, remedy, "cannot use credential: %s", fmt.Sprintf(format, args...))
}
