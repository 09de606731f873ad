package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"praxis/internal/netaddr"
)

// refusedAddress says that a name leads to an address that is not to be reached.
type refusedAddress struct {
	host string
	addr netip.Addr
}

func (e *refusedAddress) Error() string {
	return fmt.Sprintf("the name %s leads to %s, which is not a public address", show(e.host), e.addr)
}

// guardedTransport makes a transport that judges each address that it dials. It
// does so after names are resolved, on the address that the connection goes to,
// so that no second answer of a name server slips in between.
func guardedTransport(allow []netip.Prefix, resolver *net.Resolver) *http.Transport {
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		d := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Resolver: resolver}
		d.Control = func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			if mayDial(host, to.Addr(), allow) {
				return nil
			}
			return &refusedAddress{host, to.Addr().Unmap()}
		}
		return d.DialContext(ctx, network, addr)
	}
	return &http.Transport{
		Proxy:                  nil, // an environment's proxy would resolve names behind our back
		DialContext:            dial,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    8,
		MaxIdleConns:           64,
		IdleConnTimeout:        60 * time.Second,
		TLSHandshakeTimeout:    15 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// mayDial judges an address by what the URL calls it.
func mayDial(host string, addr netip.Addr, allow []netip.Prefix) bool {
	addr = addr.Unmap()
	if literal, err := netip.ParseAddr(host); err == nil && literal.Unmap() == addr {
		return true // the file names this very address
	}
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if (name == "localhost" || strings.HasSuffix(name, ".localhost")) && addr.IsLoopback() {
		return true
	}
	for _, p := range allow {
		if p.Contains(addr) {
			return true
		}
	}
	return netaddr.Public(addr)
}
