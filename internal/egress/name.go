package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"praxis/internal/safetext"

	"golang.org/x/net/idna"
)

// maxName bounds a host as it is given, in bytes. A name of the DNS has 253 at
// the most; what is written in other letters may be longer.
const maxName = 1024

// target is a place that the code wants to reach: a name of the DNS in its
// ASCII form, lower case and without the dot at its end, or an address.
type target struct {
	host string
	addr netip.Addr // valid when host is an address
	port uint16
}

// String writes the target as a rule has it.
func (t target) String() string { return joinHost(t.host, t.addr) + ":" + strconv.Itoa(int(t.port)) }

// joinHost puts brackets around an IPv6 address.
func joinHost(host string, addr netip.Addr) string {
	if addr.Is6() {
		return "[" + host + "]"
	}
	return host
}

// parseHost reads a name or an address. brackets says that it stood in them.
func parseHost(s string, brackets bool) (string, netip.Addr, error) {
	if s == "" {
		return "", netip.Addr{}, errors.New("the host is empty")
	}
	if len(s) > maxName {
		return "", netip.Addr{}, errors.New("the host is too long")
	}
	if brackets || strings.Contains(s, ":") {
		addr, err := parseIPv6(s)
		return addr.String(), addr, err
	}
	name, err := normalName(s)
	if err != nil {
		return "", netip.Addr{}, err
	}
	if !endsInNumber(name) {
		return name, netip.Addr{}, nil
	}
	// Only what needs no interpretation is an address: resolvers differ in what
	// they make of 127.1, 0177.0.0.1, 0x7f000001 and the like.
	addr, err := netip.ParseAddr(s)
	if err != nil {
		return "", netip.Addr{}, fmt.Errorf("%q is an IP address in an odd notation: only four decimal numbers such as 192.0.2.1 are read", safetext.Clip(s, 100))
	}
	return addr.String(), addr, nil
}

func parseIPv6(s string) (netip.Addr, error) {
	addr, err := netip.ParseAddr(s)
	switch {
	case err != nil || !addr.Is6():
		return netip.Addr{}, fmt.Errorf("%q is no IPv6 address", safetext.Clip(s, 100))
	case addr.Zone() != "":
		return netip.Addr{}, fmt.Errorf("%q has a zone: addresses of one link cannot be reached", safetext.Clip(s, 100))
	case addr.Is4In6():
		return netip.Addr{}, fmt.Errorf("%q is an IPv4 address in an odd notation: it is written %s", safetext.Clip(s, 100), addr.Unmap())
	}
	return addr, nil
}

// normalName returns the one form of a name that names are compared in.
func normalName(s string) (string, error) {
	if !isASCII(s) {
		ascii, err := idna.Lookup.ToASCII(s)
		if err != nil {
			return "", fmt.Errorf("%q is no host name", safetext.Clip(s, 100))
		}
		s = ascii
	}
	name := strings.TrimSuffix(strings.ToLower(s), ".")
	if name == "" || len(name) > 253 {
		return "", fmt.Errorf("%q is no host name: it has 1 to 253 characters", safetext.Clip(s, 100))
	}
	for label := range strings.SplitSeq(name, ".") {
		if !isLabel(label) {
			return "", fmt.Errorf("%q is no host name", safetext.Clip(s, 100))
		}
	}
	return name, nil
}

// isLabel says whether s can be between two dots of a name. An underscore is
// no letter of a host's name, but there are hosts that have one.
func isLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// endsInNumber says whether some resolver would read the name as an address: its
// last part is a number.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(last, "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// parseTarget reads HOST:PORT, or HOST alone when there is a port to assume.
func parseTarget(s string, assumed uint16) (target, error) {
	host, port, brackets, err := splitPort(s)
	if err != nil {
		return target{}, err
	}
	t := target{port: assumed}
	if port != "" {
		if t.port, err = parsePort(port); err != nil {
			return target{}, err
		}
	}
	if t.port == 0 {
		return target{}, fmt.Errorf("%q names no port", safetext.Clip(s, 100))
	}
	t.host, t.addr, err = parseHost(host, brackets)
	return t, err
}

// splitPort cuts the port off, which is empty when there is none.
func splitPort(s string) (host, port string, brackets bool, err error) {
	if rest, ok := strings.CutPrefix(s, "["); ok {
		host, rest, ok = strings.Cut(rest, "]")
		if !ok {
			return "", "", false, fmt.Errorf("%q lacks a closing bracket", safetext.Clip(s, 100))
		}
		port, ok = strings.CutPrefix(rest, ":")
		if rest != "" && (!ok || port == "") {
			return "", "", false, fmt.Errorf("%q has no port after the bracket", safetext.Clip(s, 100))
		}
		return host, port, true, nil
	}
	switch host, port, ok := strings.Cut(s, ":"); {
	case strings.Contains(port, ":"):
		return "", "", false, fmt.Errorf("%q is an IPv6 address without brackets", safetext.Clip(s, 100))
	case ok && port == "":
		return "", "", false, fmt.Errorf("%q has no port after the colon", safetext.Clip(s, 100))
	default:
		return host, port, false, nil
	}
}

// parsePort reads a port in its shortest form.
func parsePort(s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != s {
		return 0, fmt.Errorf("%q is no port: a port is a number from 1 to 65535", safetext.Clip(s, 100))
	}
	return uint16(n), nil
}
