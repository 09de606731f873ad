package netaddr

import (
	"net/netip"
	"testing"
)

func TestInside(t *testing.T) {
	for _, public := range []string{"93.184.216.34", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1", "64:ff9b::808:808", "2001:4860:4860::8888", "1.1.1.1", "::ffff:8.8.8.8"} {
		if why := Inside(netip.MustParseAddr(public)); why != "" {
			t.Errorf("%s is public, got %q", public, why)
		}
	}
	for _, private := range []string{
		"0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.192", "192.168.1.1", "198.18.0.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1",
		"64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808", "2002:7f00:1::", "2002:a00:1::1", "2001:0:a00:1::1", "2001:db8::1", "100::1", "2001::1", "::7f00:1", "64:ff9b::a00:1", "203.0.113.1", "198.51.100.1", "192.0.2.1", "3fff::1",
		"2606:2800:220:1:0:5efe:a00:1", "2606:2800:220:1:200:5efe:c0a8:101",
	} {
		if why := Inside(netip.MustParseAddr(private)); why == "" {
			t.Errorf("%s is not public", private)
		}
	}
	if Inside(netip.Addr{}) == "" {
		t.Error("no address is no public address")
	}
}

func TestPublic(t *testing.T) {
	for addr, want := range map[string]bool{"8.8.8.8": true, "2606:4700::1111": true, "2606:4700::1111%eth0": false, "10.0.0.1": false} {
		if got := Public(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: got %v", addr, got)
		}
	}
}
