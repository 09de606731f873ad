package e2b

import (
	"net"
	"strconv"
	"strings"

	"praxis/internal/server/e2b/registry"
)

// address says what a request is for.
type address struct {
	api  bool   // the control plane
	port int    // of a sandbox
	id   string // of a sandbox
}

// splitDomain returns the name of a domain that may have a port.
func splitDomain(domain string) string {
	if name, _, err := net.SplitHostPort(domain); err == nil {
		domain = name
	}
	return strings.ToLower(strings.TrimSuffix(domain, "."))
}

// hostName returns the name in a Host header.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// label reads the first part of a name below the domain: PORT-ID, and perhaps more parts
// that have no meaning any more.
func label(text string) (port int, id string, ok bool) {
	digits, rest, found := strings.Cut(text, "-")
	id, _, _ = strings.Cut(rest, "-")
	port, ok = portOf(digits)
	return port, id, found && ok && registry.IsID(id)
}

// portOf reads the number of a port as it is written without more than its digits.
func portOf(text string) (int, bool) {
	port, err := strconv.Atoi(text)
	return port, err == nil && port >= 1 && port <= 65535 && strconv.Itoa(port) == text
}

// addressOf reads what a request is for. domain is that of the sandboxes, "": they have none;
// shared says whether a host is one that is not a sandbox's own. ok is false when the host is
// none of ours.
func addressOf(host, domain string, shared func(host string) bool, sandbox, port string) (a address, ok bool) {
	name := hostName(host)
	if below, found := strings.CutSuffix(name, "."+splitDomain(domain)); found && domain != "" {
		switch below {
		case "api":
			return address{api: true}, true
		case "sandbox":
			return byHeaders(sandbox, port)
		}
		a.port, a.id, ok = label(below)
		return a, ok
	}
	if !shared(host) {
		return a, false
	}
	if sandbox == "" && port == "" {
		return address{api: true}, true
	}
	return byHeaders(sandbox, port)
}

// byHeaders reads which sandbox two headers name.
func byHeaders(sandbox, port string) (a address, ok bool) {
	a.id, _, _ = strings.Cut(sandbox, "-") // old clients send the id of a machine behind it
	a.port, ok = portOf(port)
	return a, ok && registry.IsID(a.id)
}
