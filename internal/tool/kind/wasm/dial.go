package wasm

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"time"

	"praxis/fault"
	"praxis/internal/netaddr"
)

// Dial makes a connection to a host that a manifest grants: address is its name, or
// an address that was granted as one, and port.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// safeDial returns the Dial that is used when none is given: names are resolved
// once, and only addresses of the public Internet are connected to.
func safeDial(lookup func(ctx context.Context, host string) ([]netip.Addr, error)) Dial {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: -1}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		name, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if _, err := netip.ParseAddr(name); err == nil {
			return dialer.DialContext(ctx, network, address) // granted by address
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return nil, err
		}
		found, err := lookup(ctx, name)
		if err != nil {
			return nil, err
		}
		last := error(fault.New(fault.Denied, "", "cannot ask %s: its name leads to no address of the public Internet", address))
		for _, ip := range found {
			if !netaddr.Public(ip) {
				continue
			}
			// To the address that was checked, not to the name, which may lead
			// elsewhere when it is asked for again.
			conn, err := dialer.DialContext(ctx, network, netip.AddrPortFrom(ip.Unmap(), uint16(n)).String())
			if err == nil {
				return conn, nil
			}
			last = err
		}
		return nil, last
	}
}

func lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}
