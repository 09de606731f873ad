package e2b

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/e2b/registry"
)

// everything are the ways in which a client names all hosts.
var everything = []string{"0.0.0.0/0", "::/0"}

// reach lets a sandbox reach the hosts that its record says, as far as the operator lets any
// sandbox. A session that has them already is left alone.
func (d *Door) reach(ctx context.Context, rec registry.Record) error {
	hosts, err := d.hosts(rec)
	if err != nil {
		return err
	}
	t, err := d.cfg.Doors.Tenant(ctx, rec.Tenant)
	if err != nil {
		return err
	}
	return t.Hub.Reach(ctx, rec.ID, hosts)
}

func (d *Door) checkNetwork(rec registry.Record) error {
	_, err := d.hosts(rec)
	return err
}

// hosts returns the rules of a sandbox: never more than those of the operator.
func (d *Door) hosts(rec registry.Record) ([]string, error) {
	all, err := d.cfg.Doors.Server.Net.Rules()
	if err != nil {
		return nil, err
	}
	open := rec.Internet == nil || *rec.Internet
	return narrow(all, rec.AllowOut, rec.DenyOut, open)
}

// narrow returns what of the rules all is left. open says that what is not denied may be
// reached; what is denied may be reached if it is allowed, too.
func narrow(all, allow, deny []string, open bool) ([]string, error) {
	allowed, err := targets(allow)
	if err != nil {
		return nil, err
	}
	denied, err := targets(deny)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, rule := range all {
		r := ruleOf(rule)
		shut := !open
		for _, t := range denied {
			switch {
			case t.all, t.prefix.IsValid() && r.addr.IsValid() && t.prefix.Contains(r.addr), t.name != "" && covers(t.name, r.host):
				shut = true
			case t.name != "" && covers(r.host, t.name):
				return nil, fault.New(fault.Invalid, "Deny 0.0.0.0/0, and allow the hosts that are needed.",
					"cannot deny %s: this server lets sandboxes reach %s, and cannot take a name out of that", t.name, r.host)
			case t.prefix.IsValid() && !r.addr.IsValid() && !t.local():
				return nil, fault.New(fault.Invalid, "Deny 0.0.0.0/0, and allow the hosts that are needed.",
					"cannot deny %s: this server lets sandboxes reach hosts by their names, and cannot take addresses out of those", t.prefix)
			}
		}
		if !shut {
			out = append(out, rule)
			continue
		}
		for _, t := range allowed {
			if host := t.within(r); host != "" && !slices.Contains(out, host+r.ports) {
				out = append(out, host+r.ports)
			}
		}
	}
	return out, nil
}

// rule is one of the operator's.
type rule struct {
	host  string // a name, *.NAME, or an address as it is written
	addr  netip.Addr
	ports string // ":443", or "" for the usual ones
}

// ruleOf takes a rule in its normal form apart.
func ruleOf(text string) rule {
	r := rule{host: text}
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") && (strings.HasPrefix(text, "[") || strings.Count(text, ":") == 1) {
		r.host, r.ports = text[:i], text[i:]
	}
	r.addr, _ = netip.ParseAddr(strings.Trim(r.host, "[]")) // a name is no address
	return r
}

// destination is what a client allows or denies.
type destination struct {
	all    bool
	prefix netip.Prefix
	name   string
}

// maxName bounds a name of a host.
const maxName = 253

// targets reads what a client allows or denies.
func targets(texts []string) ([]destination, error) {
	var out []destination
	for _, text := range texts {
		var t destination
		name := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(text), "."))
		addr, notAddr := netip.ParseAddr(name)
		prefix, notPrefix := netip.ParsePrefix(name)
		switch {
		case slices.Contains(everything, name):
			t.all = true
		case notAddr == nil:
			addr = addr.Unmap()
			t.prefix = netip.PrefixFrom(addr, addr.BitLen())
		case notPrefix == nil && prefix.Addr().Is4In6() && prefix.Bits() >= 96:
			t.prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96).Masked()
		case notPrefix == nil:
			t.prefix = prefix.Masked()
		case name == "" || len(name) > maxName || strings.ContainsAny(strings.TrimPrefix(name, "*."), "*/:@ \t,[]"):
			return nil, fault.New(fault.Invalid, "Give names of hosts, addresses, or ranges such as 10.0.0.0/8.", "cannot read the network rule %q", safetext.Clip(safetext.Line(text), 100))
		default:
			t.name = name
		}
		out = append(out, t)
	}
	return out, nil
}

// local says whether the addresses are all such as names never lead to here.
func (t destination) local() bool {
	a := t.prefix.Addr()
	for _, private := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "fc00::/7", "fe80::/10", "::1/128"} {
		if p := netip.MustParsePrefix(private); p.Contains(a) && t.prefix.Bits() >= p.Bits() {
			return true
		}
	}
	return false
}

// within returns the hosts that both the client and a rule allow; "": none.
func (t destination) within(r rule) string {
	switch {
	case t.all, t.prefix.IsValid() && r.addr.IsValid() && t.prefix.Contains(r.addr), t.name != "" && covers(t.name, r.host):
		return r.host
	case t.name != "" && covers(r.host, t.name):
		return t.name
	}
	return ""
}

// covers says whether a pattern, NAME or *.NAME, has all that another has.
func covers(pattern, other string) bool {
	if pattern == other {
		return true
	}
	below, wild := strings.CutPrefix(pattern, "*")
	return wild && strings.HasSuffix(strings.TrimPrefix(other, "*"), below) && (len(other) > len(below) || strings.HasPrefix(other, "*"))
}
