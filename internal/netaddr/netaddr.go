// Package netaddr judges addresses: is one a place of the public network, or of
// this machine, its network or its cloud? Every package that connects to where
// a name leads asks this one, so that there is one answer.
package netaddr

import "net/netip"

// block is a range of addresses that is never reached through a name.
type block struct {
	prefix netip.Prefix
	what   string
}

// blocks returns the ranges, after the registries of special-purpose addresses
// of the IANA (RFC 6890), and what clouds keep for themselves outside of them.
func blocks() []block {
	return []block{
		{v4(0, 0, 0, 0, 8), "an unspecified address"},
		{v4(10, 0, 0, 0, 8), "a private address"},
		{v4(100, 64, 0, 0, 10), "an address inside a provider's network"},
		{v4(127, 0, 0, 0, 8), "a loopback address"},
		{v4(169, 254, 0, 0, 16), "a link-local address, where clouds keep their metadata"},
		{v4(172, 16, 0, 0, 12), "a private address"},
		{v4(192, 0, 0, 0, 24), "an address for protocols"},
		{v4(192, 0, 2, 0, 24), "an address for documentation"},
		{v4(192, 88, 99, 0, 24), "an address of 6to4 relays"},
		{v4(192, 168, 0, 0, 16), "a private address"},
		{v4(198, 18, 0, 0, 15), "an address for measurements"},
		{v4(198, 51, 100, 0, 24), "an address for documentation"},
		{v4(203, 0, 113, 0, 24), "an address for documentation"},
		{v4(224, 0, 0, 0, 4), "a multicast address"},
		{v4(240, 0, 0, 0, 4), "a reserved address"},
		{v4(168, 63, 129, 16, 32), "an address where a cloud keeps its metadata"},
		{v6(0x2001, 0, 23), "an address for protocols or of Teredo"},
		{v6(0x2001, 0x0db8, 32), "an address for documentation"},
		{v6(0x2002, 0, 16), "an address of 6to4"},
		{v6(0x3fff, 0, 20), "an address for documentation"},
	}
}

func v4(a, b, c, d byte, bits int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b, c, d}), bits)
}

func v6(a, b uint16, bits int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom16([16]byte{byte(a >> 8), byte(a), byte(b >> 8), byte(b)}), bits)
}

// Public says whether an address is one of the public network.
func Public(addr netip.Addr) bool { return addr.Zone() == "" && Inside(addr) == "" }

// Inside says why an address is not one of the public network, or "".
func Inside(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() {
		return "no address"
	}
	if addr.Is6() {
		if what, ok := translated(addr); ok {
			return what
		}
		if a := addr.As16(); a[0]&0xe0 != 0x20 { // 2000::/3 is all that is given out
			return insideIPv6(addr)
		}
	}
	for _, b := range blocks() {
		if b.prefix.Contains(addr) {
			return b.what
		}
	}
	return ""
}

func insideIPv6(addr netip.Addr) string {
	switch {
	case addr.IsUnspecified():
		return "an unspecified address"
	case addr.IsLoopback():
		return "a loopback address"
	case addr.IsPrivate():
		return "a private address"
	case addr.IsLinkLocalUnicast():
		return "a link-local address"
	case addr.IsMulticast():
		return "a multicast address"
	default:
		return "a reserved address"
	}
}

// translated looks at IPv6 addresses in which a network that is allowed to be
// reached puts an IPv4 address: ok when that alone decides.
func translated(addr netip.Addr) (what string, ok bool) {
	a := addr.As16()
	embedded := netip.AddrFrom4([4]byte(a[12:]))
	switch {
	case addrHas(a, 0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0): // NAT64, RFC 6052
		what = Inside(embedded)
		if what != "" {
			what += " behind NAT64"
		}
		return what, true
	case a[8]&^0x02 == 0 && a[9] == 0 && a[10] == 0x5e && a[11] == 0xfe: // ISATAP, RFC 5214
		if what = Inside(embedded); what != "" {
			return what + " behind ISATAP", true
		}
	}
	return "", false
}

func addrHas(a [16]byte, prefix ...byte) bool {
	return [16]byte(append(prefix[:len(prefix):len(prefix)], a[len(prefix):]...)) == a
}
