package oci

import (
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/remote"

	"praxis/fault"
	"praxis/internal/netaddr"
	"praxis/internal/safetext"
)

// guard keeps two promises about what is asked for one image.
//
// It sends no credentials where everybody on the way could read them: registries with
// an address of a private network are asked without encryption when they know no other way,
// and one can name any place as the one that gives tokens.
//
// And nobody on the public network leads it to an address of this machine or its network,
// where what answers trusts whoever can ask: once the registry has answered from a public
// address, no other is connected to, whatever name is resolved to it. A registry that is
// itself near leads where it likes.
type guard struct {
	registry string // the host that the reference names
	public   atomic.Bool
	proxy    func(*http.Request) (*url.URL, error)
	// What resolves names itself, and what leaves that to a proxy.
	direct, proxied http.RoundTripper
}

func newGuard(registry string) *guard {
	g := &guard{registry: registry, proxy: http.ProxyFromEnvironment, proxied: remote.DefaultTransport}
	direct := remote.DefaultTransport.(*http.Transport).Clone()
	direct.Proxy = nil
	direct.DialContext = (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second, Control: g.control}).DialContext
	g.direct = direct
	return g
}

// RoundTrip sends a request.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	host := req.URL.Hostname()
	secret := req.Header.Get("Authorization") != "" || req.Method != http.MethodGet && req.Method != http.MethodHead
	if secret && req.URL.Scheme != "https" && !local(host) {
		return nil, fault.New(fault.Denied, "Use a registry with HTTPS, or ask it for what nobody needs credentials for.",
			"cannot send credentials to %s: they would not be encrypted", safetext.Line(safetext.Clip(host, 200)))
	}
	proxy, err := g.proxy(req)
	if err != nil {
		return nil, err
	}
	var conn net.Addr
	send := g.direct
	if proxy != nil {
		if addr, err := netip.ParseAddr(host); err == nil {
			if err := g.may(addr); err != nil {
				return nil, err
			}
		}
		send = g.proxied
	} else {
		trace := &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { conn = c.Conn.RemoteAddr() }}
		req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	}
	resp, err := send.RoundTrip(req)
	if err == nil && host == g.registry && !near(conn) {
		g.public.Store(true)
	}
	return resp, err
}

// near says whether an address is that of a connection to this machine or its network.
func near(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && !netaddr.Public(tcp.AddrPort().Addr())
}

// control is called with the address of each connection before it is made.
func (g *guard) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return g.may(to.Addr())
}

// may refuses an address that a registry of the public network leads to.
func (g *guard) may(addr netip.Addr) error {
	if g.public.Load() && !netaddr.Public(addr) {
		return fault.New(fault.Denied, "Use a registry that leads to no such address.",
			"the registry leads to %s, which is an address of this machine or its network", addr)
	}
	return nil
}

// local says whether a host is this machine.
func local(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}
