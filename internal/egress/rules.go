package egress

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
)

// Bounds of a list of rules.
const (
	maxRules    = 1000
	maxRuleText = 64 << 10
)

// Rules say which hosts may be reached. The zero value allows nothing. A value
// is never changed.
type Rules struct{ list []rule }

// rule allows the ports low to high of a name, of the names below one, or of an
// address.
type rule struct {
	text      string // in its normal form
	host      string // ASCII, lower case; of an address, its text
	addr      netip.Addr
	below     bool // *.host: the names below it, not host itself
	low, high uint16
	named     bool // the rule names its ports: else they are 80 and 443
}

// ParseRules reads rules as a person gives them. Each text holds one or more,
// separated by commas:
//
//	api.example.com            the ports 80 and 443 of this name
//	api.example.com:8443       one port
//	api.example.com:8000-8999  a range of ports
//	*.example.org:443          every name below example.org, not example.org itself
//	192.0.2.7:8080             an address, which may be a private one
//	[2001:db8::7]:8080         the same
//
// Case and a dot at the end of a name count for nothing; a name in other letters
// than ASCII means its punycode. What cannot be read is a fault of kind
// Invalid.
func ParseRules(texts []string) (Rules, error) {
	var out Rules
	size := 0
	for _, text := range texts {
		if size += len(text); size > maxRuleText {
			return Rules{}, fault.New(fault.Invalid, "Use wildcards such as *.example.org.", "cannot read network rules: they are longer than %d bytes", maxRuleText)
		}
		for part := range strings.SplitSeq(text, ",") {
			r, err := parseRule(strings.TrimSpace(part))
			if err != nil {
				return Rules{}, err
			}
			out.list = append(out.list, r)
		}
	}
	if len(out.list) > maxRules {
		return Rules{}, fault.New(fault.Invalid, "Use wildcards such as *.example.org.", "cannot read network rules: there are more than %d", maxRules)
	}
	return out, nil
}

// Strings returns the rules in their normal form, as ParseRules reads them.
func (r Rules) Strings() []string {
	var out []string
	for _, rule := range r.list {
		out = append(out, rule.text)
	}
	return out
}

// Empty says whether the rules allow nothing.
func (r Rules) Empty() bool { return len(r.list) == 0 }

// own are the names of the sandbox itself, to which its programs go without the
// proxy: those that no rule gives another meaning.
func (r Rules) own() []string {
	var out []string
	for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
		if !slices.ContainsFunc(r.list, func(one rule) bool { return one.host == name }) {
			out = append(out, name)
		}
	}
	return out
}

func parseRule(text string) (rule, error) {
	bad := func(remedy, format string, args ...any) (rule, error) {
		return rule{}, fault.New(fault.Invalid, remedy, "cannot read network rule %q: %s", safetext.Clip(text, 100), fmt.Sprintf(format, args...))
	}
	const form = "Write HOST:PORT, such as api.example.com:443, or *.example.org for the names below example.org."
	switch {
	case text == "":
		return bad(form, "it is empty")
	case isRange(text):
		return bad("Write each address of it that is needed, such as 10.0.0.7:443.", "it is a range of addresses")
	case strings.Contains(text, "://"), strings.ContainsAny(text, "/@?#"):
		return bad("Write only the host and the port, such as api.example.com:443, without scheme and path.", "it is a URL")
	case text == "*" || strings.HasPrefix(text, "*:"):
		return bad("Name the hosts that are needed: there is no rule for all of them.", "it would allow every host")
	}
	host, ports, brackets, err := splitPort(text)
	if err != nil {
		return bad("Write an IPv6 address as [2001:db8::7]:443 and a name as api.example.com:443.", "%v", err)
	}
	r := rule{low: 443, high: 443}
	if ports != "" {
		r.named = true
		low, high, ranged := strings.Cut(ports, "-")
		if r.low, err = parsePort(low); err == nil {
			r.high = r.low
			if ranged {
				r.high, err = parsePort(high)
			}
		}
		if err == nil && r.high < r.low {
			err = fmt.Errorf("the range %s ends before it begins", ports)
		}
		if err != nil {
			return bad("Write a port such as 443 or a range such as 8000-8999; without one, 80 and 443 are meant.", "%v", err)
		}
	}
	if below, ok := strings.CutPrefix(host, "*."); ok && !brackets {
		r.below, host = true, below
	}
	if strings.Contains(host, "*") {
		return bad("A * stands for the first labels of a name: *.example.org.", "the * is in the wrong place")
	}
	if r.host, r.addr, err = parseHost(host, brackets); err != nil {
		return bad(form, "%v", err)
	}
	if r.below && r.addr.IsValid() {
		return bad("List each address.", "there are no names below an address")
	}
	r.text = r.normal()
	return r, nil
}

func (r rule) normal() string {
	text := joinHost(r.host, r.addr)
	if r.below {
		text = "*." + text
	}
	if r.named {
		text += ":" + strconv.Itoa(int(r.low))
		if r.high != r.low {
			text += "-" + strconv.Itoa(int(r.high))
		}
	}
	return text
}

func (r rule) hasPort(port uint16) bool {
	return r.low <= port && port <= r.high || !r.named && port == 80
}

// raw says whether the rule lets bytes of any protocol pass to the port: the rule
// must name the port, and it must not be one of those of HTTP and TLS.
func (r rule) raw(port uint16) bool { return r.named && port != 80 && port != 443 }

// match returns the rule that allows t: one that lets any protocol pass, if
// there is one.
func (r Rules) match(t target) (found rule, ok bool) {
	for _, rule := range r.list {
		same := rule.host == t.host && rule.addr == t.addr
		if rule.below {
			same = !t.addr.IsValid() && strings.HasSuffix(t.host, "."+rule.host)
		}
		if !same || !rule.hasPort(t.port) {
			continue
		}
		if !ok || rule.raw(t.port) && !found.raw(t.port) {
			found, ok = rule, true
		}
	}
	return found, ok
}

// isRange says whether a text is a range of addresses, such as 10.0.0.0/8.
func isRange(text string) bool {
	_, err := netip.ParsePrefix(text)
	return err == nil
}

// listed says whether the rules name the address itself, with the port.
func (r Rules) listed(addr netip.Addr, port uint16) bool {
	_, ok := r.match(target{host: addr.String(), addr: addr, port: port})
	return ok
}
