package oci

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
)

// guard sends no credentials where everybody on the way could read them: registries with
// an address of a private network are asked without encryption when they know no other way,
// and one can name any place as the one that gives tokens.
type guard struct{ inner http.RoundTripper }

// RoundTrip sends a request.
func (g guard) RoundTrip(req *http.Request) (*http.Response, error) {
	secret := req.Header.Get("Authorization") != "" || req.Method != http.MethodGet && req.Method != http.MethodHead
	if host := req.URL.Hostname(); secret && req.URL.Scheme != "https" && !local(host) {
		return nil, fault.New(fault.Denied, "Use a registry with HTTPS, or ask it for what nobody needs credentials for.",
			"cannot send credentials to %s: they would not be encrypted", safetext.Line(safetext.Clip(host, 200)))
	}
	return g.inner.RoundTrip(req)
}

// local says whether a host is this machine.
func local(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// maxRedirects bounds how often a registry sends us on.
const maxRedirects = 10

// follow refuses to be led from a registry to an address of this machine or its network: what
// answers there trusts whoever can ask.
func follow(req *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return errors.New("it leads on and on")
	}
	from, to := via[0].URL.Hostname(), req.URL.Hostname()
	if from != to && inside(to) && !inside(from) {
		return fmt.Errorf("it leads to %s, which is an address of this machine or its network", safetext.Line(safetext.Clip(to, 200)))
	}
	return nil
}

// inside says whether a host is an address that is not of the public network.
func inside(host string) bool {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return local(host)
	}
	addr = addr.Unmap()
	return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified()
}
