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
	return isPublic(addr)
}

// isPublic reports whether an address is one of the public internet (IANA's
// registries of special addresses), looking into addresses that carry an IPv4
// address inside.
func isPublic(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.Zone() != "" {
		return false
	}
	b := a.As16()
	if a.Is4() {
		return publicFour([4]byte(b[12:]))
	}
	switch {
	case b[0] == 0x00 && b[1] == 0x64 && b[2] == 0xff && b[3] == 0x9b: // NAT64
		return b[4] == 0 && b[5] == 0 && publicFour([4]byte(b[12:]))
	case b[0] == 0x20 && b[1] == 0x02: // 6to4
		return publicFour([4]byte(b[2:6]))
	case b[0] == 0x20 && b[1] == 0x01 && b[2] < 0x02: // Teredo and others of 2001::/23
		return false
	case b[0] == 0x20 && b[1] == 0x01 && b[2] == 0x0d && b[3] == 0xb8: // documentation
		return false
	}
	return b[0]&0xe0 == 0x20 // 2000::/3 is all that is public
}

func publicFour(b [4]byte) bool {
	a := netip.AddrFrom4(b)
	switch {
	case !a.IsGlobalUnicast(), a.IsPrivate(), a.IsLoopback(), a.IsLinkLocalUnicast():
		return false
	case b[0] == 0, b[0] >= 240:
		return false
	case b[0] == 100 && b[1]&0xc0 == 64: // shared by carriers
		return false
	case b[0] == 192 && b[1] == 0 && (b[2] == 0 || b[2] == 2), b[0] == 192 && b[1] == 88 && b[2] == 99:
		return false
	case b[0] == 198 && (b[1]&0xfe == 18 || b[1] == 51 && b[2] == 100), b[0] == 203 && b[1] == 0 && b[2] == 113:
		return false
	}
	return true
}
