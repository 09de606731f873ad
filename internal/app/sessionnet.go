package app

import (
	"context"

	"praxis/event"
	"praxis/internal/egress"
	"praxis/internal/guest/wire"
	"praxis/internal/tool/bridge"
)

// CheckHosts refuses what are no rules for hosts.
func CheckHosts(hosts []string) error {
	_, err := egress.ParseRules(hosts)
	return err
}

// Network is how the programs of a session reach hosts that rules name, and no others.
type Network struct{ p *proxy }

// OpenNetwork lets the programs of the session that are started from now on reach hosts, until
// the network or the session is closed. What happens goes to sink.
func (s *Session) OpenNetwork(ctx context.Context, hosts []string, sink event.Sink) (*Network, error) {
	rules, err := egress.ParseRules(hosts)
	if err != nil {
		return nil, err
	}
	p, err := openProxy(rules, NetSpec{Hosts: hosts}, nil, sink)
	if err != nil {
		return nil, err
	}
	b := bridge.New(bridge.Config{Network: p})
	environ, err := p.environ(ctx, s)
	if err == nil {
		err = s.s.Expose(ctx, wire.Exposure{Net: true, Environ: environ}, b)
	}
	if err != nil {
		_ = p.Close() // what it could not be made for is the error
		return nil, err
	}
	return &Network{p}, nil
}

// Allow says anew which hosts may be reached. Connections to others end.
func (n *Network) Allow(hosts []string) error {
	rules, err := egress.ParseRules(hosts)
	if err == nil {
		n.p.SetRules(rules)
	}
	return err
}

// Close ends all connections.
func (n *Network) Close() error { return n.p.Close() }

// Rules returns the rules for hosts, those in files too, in their normal form.
func (s NetSpec) Rules() ([]string, error) {
	r, err := s.rules()
	return r.Strings(), err
}
