package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"praxis/event"

	"praxis/internal/netaddr"
)

// Bounds of the addresses of one name that are looked at and tried.
const (
	maxAnswers = 64
	maxTries   = 4
)

// open connects to a target for a guest. The rules are checked first, so that
// no name is looked up that may not be reached; the very address that was checked
// is the one that is dialled.
func (p *Proxy) open(ctx context.Context, g *guest, t target, via string) (*link, error) {
	rules := p.Rules()
	if _, err := p.match(rules, t); err != nil {
		return nil, err
	}
	if err := p.reserve(t); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.limits.Connect)
	defer cancel()
	conn, addr, err := p.reach(ctx, rules, t)
	if err != nil {
		p.release(t)
		return nil, err
	}
	l := &link{Conn: conn, p: p, g: g, t: t, addr: addr, opened: p.now()}
	if err := p.link(l, via); err != nil {
		_ = conn.Close()
		p.release(t)
		return nil, err
	}
	return l, nil
}

// link makes a connection count, if the rules still allow it, and reports it.
// All of it happens under the lock: nothing else can come between.
func (p *Proxy) link(l *link, via string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, err := p.match(p.rules, l.t)
	if err != nil {
		return err
	}
	if err := p.recheck(l); err != nil || p.closed {
		return refuse(denied, l.t, "", "the rules changed while %s was connected to", l.t)
	}
	p.count++
	l.id = p.prefix + strconv.FormatInt(p.count, 10)
	p.links[l] = struct{}{}
	p.wg.Add(1)
	p.report.emit(event.ConnectionOpened{
		ID: l.id, Host: l.t.host, Port: int(l.t.port), Rule: found.text, Via: via,
		Address: netip.AddrPortFrom(l.addr, l.t.port).String(),
	})
	return nil
}

// reserve takes a place among the connections to a host.
func (p *Proxy) reserve(t target) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.second) >= time.Second || now.Before(p.second) {
		p.second, p.started = now, 0
	}
	if p.started >= p.limits.PerSecond {
		return refuse(crowded, t, "Keep connections open and use them again, or wait a second.", "more than %d connections were begun in a second", p.limits.PerSecond)
	}
	if p.hosts[t.host] >= p.limits.PerHost {
		return refuse(crowded, t, "Close connections that are no longer needed.", "there are %d connections to %s already", p.limits.PerHost, t.host)
	}
	p.started++
	p.hosts[t.host]++
	return nil
}

func (p *Proxy) release(t target) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts[t.host]--; p.hosts[t.host] <= 0 {
		delete(p.hosts, t.host)
	}
}

// reach resolves a target and connects to the first of its addresses that
// answers, among those that may be reached. Addresses that may not are passed
// over, not fatal: some names have both, and only what was judged is dialled.
func (p *Proxy) reach(ctx context.Context, rules Rules, t target) (net.Conn, netip.Addr, error) {
	addrs, err := p.resolve(ctx, rules, t)
	if err != nil {
		return nil, netip.Addr{}, err
	}
	if len(addrs) > maxTries {
		addrs = addrs[:maxTries]
	}
	var failed error
	for i, addr := range addrs {
		one, cancel := ctx, context.CancelFunc(func() {})
		if deadline, ok := ctx.Deadline(); ok { // each address gets its share of the time
			one, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(addrs)-i))
		}
		conn, err := p.dial(one, "tcp", netip.AddrPortFrom(addr, t.port).String())
		cancel()
		if err == nil {
			return conn, addr, nil
		}
		failed = err
	}
	return nil, netip.Addr{}, refuse(unreachable, t, "", "%s cannot be connected to: %s", t, brief(failed))
}

// resolve returns the addresses of a target that may be reached.
func (p *Proxy) resolve(ctx context.Context, rules Rules, t target) ([]netip.Addr, error) {
	if t.addr.IsValid() {
		return []netip.Addr{t.addr}, nil // a rule of its own allows it
	}
	answers, err := p.resolver.LookupNetIP(ctx, "ip", t.host+".")
	if err != nil || len(answers) == 0 {
		return nil, refuse(unreachable, t, "", "the name %s has no address: %s", t.host, brief(err))
	}
	if len(answers) > maxAnswers {
		answers = answers[:maxAnswers]
	}
	var out []netip.Addr
	why := ""
	for _, addr := range answers {
		addr = addr.Unmap().WithZone("")
		if permitted(rules, addr, t.port) {
			out = append(out, addr)
		} else if why == "" {
			why = fmt.Sprintf("%s, %s", addr, off(addr))
		}
	}
	if len(out) == 0 {
		return nil, refuse(denied, t, "Such an address is reached only when it stands in a rule itself, such as 10.0.0.7:8080.",
			"the name %s leads to %s", t.host, why)
	}
	return out, nil
}

// permitted says whether a name may lead to an address: to any that is public,
// and to one that the rules name.
func permitted(rules Rules, addr netip.Addr, port uint16) bool {
	return rules.listed(addr, port) || off(addr) == ""
}

// off says why an address is off limits, or "": it is inside some network, or
// it is one of this very machine.
func off(addr netip.Addr) string {
	if why := netaddr.Inside(addr); why != "" {
		return why
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range own {
		if n, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(n.IP); ok && ip.Unmap() == addr {
				return "an address of the host itself"
			}
		}
	}
	return ""
}

// brief says why a connection failed, without the addresses of the host's own
// resolver and sockets.
func brief(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case err == nil:
		return "there is no answer"
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no such name"
	case errors.As(err, &dns):
		return "its name server did not answer"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &op) && op.Timeout():
		return "it did not answer in time"
	case errors.Is(err, context.Canceled):
		return "it was given up"
	case errors.As(err, &op) && op.Err != nil:
		return op.Err.Error()
	default:
		return strings.TrimPrefix(err.Error(), "dial tcp ")
	}
}
