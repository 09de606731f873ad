package api

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"praxis/fault"
	"praxis/internal/server/access"
	"praxis/internal/server/ports"
)

// NewPort asks for a port of a session to be reachable.
type NewPort struct {
	SessionRef
	Port    int     `json:"port" jsonschema:"at which a program of the session listens, or will"`
	Browser bool    `json:"browser,omitempty" jsonschema:"the host name, which cannot be guessed, is enough to reach it; false: requests need the token, too"`
	LastsS  float64 `json:"lasts_s,omitempty" jsonschema:"seconds after which it is closed, at most 86400; 0: an hour"`
}

// Port is a port of a session that can be reached over HTTP.
type Port struct {
	ID      string    `json:"id"`
	Port    int       `json:"port"`
	Host    string    `json:"host" jsonschema:"the name under which it answers, at the server's own port"`
	URL     string    `json:"url,omitempty" jsonschema:"as it is asked from where this was asked"`
	Token   string    `json:"token,omitempty" jsonschema:"to be sent as X-Praxis-Port-Token; shown once"`
	Browser bool      `json:"browser"`
	Ends    time.Time `json:"ends"`
}

// OpenPorts is a list of ports, those that end first at the front.
type OpenPorts struct {
	Ports []Port `json:"ports"`
}

// PortRef names a port that can be reached.
type PortRef struct {
	SessionRef
	ID string `json:"id" in:"path"`
}

// portOf describes a port to who asks under base, the scheme and host of his request.
func portOf(p *ports.Port, base string) Port {
	out := Port{ID: p.ID, Port: p.Port, Host: p.Host, Browser: p.Browser, Ends: p.Ends}
	if u, err := url.Parse(base); err == nil && base != "" {
		host := p.Host
		if n := u.Port(); n != "" {
			host += ":" + n
		}
		out.URL = (&url.URL{Scheme: u.Scheme, Host: host, Path: "/"}).String()
	}
	return out
}

// forwarding returns the ports of the server, and refuses where it forwards none.
func (c *Call) forwarding() (*ports.Ports, error) {
	if c.Server.Ports == nil {
		return nil, fault.New(fault.Denied, "Ask whoever runs the server to allow it.", "cannot forward ports: this server does not do it")
	}
	return c.Server.Ports, nil
}

func forwards() []Operation {
	const all = "/sessions/{session}/ports"
	return []Operation{
		operation("ports.open", http.MethodPost, all, access.Run, http.StatusCreated,
			"Let a server inside a session be reached over HTTP, under a host name of its own.",
			func(_ context.Context, c *Call, in NewPort) (Port, error) {
				open, err := c.forwarding()
				if err != nil {
					return Port{}, err
				}
				lasts, err := seconds("lasts_s", in.LastsS)
				if err != nil {
					return Port{}, err
				}
				if lasts == 0 {
					lasts = ports.DefaultLasts
				}
				d, err := c.Tenant.Hub.Dialer(in.Session)
				if err != nil {
					return Port{}, err
				}
				p, err := open.Open(c.Tenant.Name, in.Session, in.Port, in.Browser, lasts, func(ctx context.Context, port int) (ports.Conn, error) { return d.Dial(ctx, port) })
				if err != nil {
					return Port{}, err
				}
				out := portOf(p, c.Base)
				out.Token = p.Token
				return out, nil
			}),
		operation("ports.list", http.MethodGet, all, access.Read, http.StatusOK, "List the ports of a session that can be reached.",
			func(_ context.Context, c *Call, in SessionRef) (OpenPorts, error) {
				out := OpenPorts{[]Port{}}
				open, err := c.forwarding()
				if err != nil {
					return out, err
				}
				if _, err := c.Tenant.Hub.Get(in.Session); err != nil {
					return out, err
				}
				for _, p := range open.List(c.Tenant.Name, in.Session) {
					out.Ports = append(out.Ports, portOf(p, c.Base))
				}
				return out, nil
			}),
		operation("ports.close", http.MethodDelete, all+"/{id}", access.Run, http.StatusNoContent, "Let a port of a session not be reached any more; connections to it end.",
			func(_ context.Context, c *Call, in PortRef) (Nothing, error) {
				open, err := c.forwarding()
				if err != nil {
					return Nothing{}, err
				}
				return Nothing{}, open.Close(c.Tenant.Name, in.Session, in.ID)
			}),
	}
}
