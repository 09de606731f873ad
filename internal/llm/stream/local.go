package stream

import (
	"net/netip"
	"strings"
	"time"
)

// How long a server may send nothing when nobody says otherwise. A server of
// one's own may read a long conversation on a slow processor, or load a model first.
const (
	ownSilence   = 2 * time.Minute
	otherSilence = 5 * time.Minute
	localSilence = 30 * time.Minute
)

// Silence returns how long the server may send nothing: what was set, else 2
// minutes for the provider's own, 5 for another, and 30 for one on the person's
// machine or network.
func (c *Client) Silence() time.Duration {
	switch {
	case c.cfg.Timeout > 0:
		return c.cfg.Timeout
	case c.Own():
		return ownSilence
	case c.Local():
		return localSilence
	}
	return otherSilence
}

// isLocal says whether a host's name or address is of the person's own machine
// or network: a loopback or private address, a name without a dot, or one below
// a domain that no public server has.
func isLocal(host string) bool {
	if at, err := netip.ParseAddr(host); err == nil {
		at = at.Unmap()
		return at.IsLoopback() || at.IsPrivate() || at.IsLinkLocalUnicast() || at.IsUnspecified()
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if !strings.Contains(name, ".") {
		return true
	}
	for _, domain := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa"} {
		if strings.HasSuffix(name, domain) {
			return true
		}
	}
	return false
}
