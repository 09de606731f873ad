package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/egress"
	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// fromFile says whether a rule names a file with rules.
func fromFile(rule string) bool { return strings.HasPrefix(rule, "@") }

// fromFiles says whether any does.
func (s NetSpec) fromFiles() bool { return slices.ContainsFunc(s.Hosts, fromFile) }

// maxHosts bounds a file of hosts in bytes.
const maxHosts = 64 << 10

// rules reads the rules, those in files too.
func (s NetSpec) rules() (egress.Rules, error) {
	var texts []string
	for _, rule := range s.Hosts {
		if !fromFile(rule) {
			texts = append(texts, rule)
			continue
		}
		text, err := ReadText(rule[1:], maxHosts)
		if err != nil {
			return egress.Rules{}, err
		}
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "#")
			if line = strings.TrimSpace(line); line != "" {
				texts = append(texts, line)
			}
		}
	}
	return egress.ParseRules(texts)
}

// secrets are the values of the credentials, by the names of their variables.
func (s NetSpec) secrets(getenv func(string) string) map[string]string {
	out := map[string]string{}
	for _, text := range s.Credentials {
		if _, variable, err := parseCredential(text); err == nil {
			out[variable] = getenv(variable)
		}
	}
	return out
}

// parseCredential reads HOST[:PORT][/PATH]=HEADER:VARIABLE[:FIELDS].
func parseCredential(text string) (c egress.Credential, variable string, err error) {
	bad := fault.New(fault.Invalid, "Write it as HOST[/PATH]=HEADER:VARIABLE, with :FIELDS behind it if code is to see those alone of what the host answers.", "cannot use the credential %q: it is not HOST[/PATH]=HEADER:VARIABLE[:FIELDS]", safetext.Line(text))
	target, what, ok := strings.Cut(text, "=")
	header, variable, ok2 := strings.Cut(what, ":")
	variable, fields, narrow := strings.Cut(variable, ":")
	host, prefix, hasPath := strings.Cut(target, "/")
	if !ok || !ok2 || host == "" || header == "" || variable == "" {
		return c, "", bad
	}
	c = egress.Credential{Host: host, Header: header}
	if narrow {
		if c.Fields, err = egress.ParseFields(fields); err != nil {
			return c, "", err
		}
	}
	if hasPath {
		c.PathPrefix = "/" + prefix
	}
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		c.Host = host[:i]
		if _, err := fmt.Sscanf(host[i+1:], "%d", &c.Port); err != nil || c.Port < 1 || c.Port > 65535 {
			return c, "", bad
		}
	}
	return c, variable, nil
}

// openProxy makes the way out of a run's code.
func openProxy(hosts egress.Rules, spec NetSpec, getenv func(string) string, sink event.Sink) (*proxy, error) {
	cfg := egress.Config{Rules: hosts, Sink: sink}
	p := &proxy{placeholders: map[string]string{}}
	for _, text := range spec.Credentials {
		c, variable, err := parseCredential(text)
		if err != nil {
			return nil, err
		}
		value := getenv(variable)
		if value == "" {
			return nil, fault.New(fault.Invalid, "Set it, or leave the credential out.", "cannot use the credential %q: the environment variable %s is not set", safetext.Line(text), safetext.Line(variable))
		}
		c.Name, c.Placeholder = variable, egress.NewPlaceholder()
		c.Value = func() (string, error) { return value, nil }
		p.placeholders[variable] = c.Placeholder
		cfg.Credentials = append(cfg.Credentials, c)
	}
	var err error
	p.Proxy, err = egress.New(cfg)
	return p, err
}

// hostsInterval is how often files of hosts are read.
const hostsInterval = time.Second

// follow reads files of hosts again when they change. Live connections that the
// new rules do not allow are closed. A file that cannot be read leaves the rules
// as they are, and a notice says so once.
func (p *proxy) follow(ctx context.Context, spec NetSpec, sink event.Sink) {
	tick := time.NewTicker(hostsInterval)
	defer tick.Stop()
	lastError := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		rules, err := spec.rules()
		switch {
		case err != nil && err.Error() != lastError:
			lastError = err.Error()
			sink.Emit(event.Notice{Text: "the hosts that code may reach stay as they are: " + lastError})
		case err == nil && !slices.Equal(rules.Strings(), p.Rules().Strings()):
			lastError = ""
			p.SetRules(rules)
			sink.Emit(event.Notice{Text: "code may now reach " + strings.Join(rules.Strings(), ", ")})
		}
	}
}

// certificates is where sessions find the certificates to trust.
const certificates = "/tmp/praxis-ca.pem"

// fileWriter is a session that files can be put into.
type fileWriter interface {
	WriteFile(ctx context.Context, name string, from io.Reader) error
}

// environ are the variables with which code finds the way out. It puts the
// certificates that code is to trust into the session, which has none of its own.
func (p *proxy) environ(ctx context.Context, s fileWriter) (map[string]string, error) {
	bundle := ""
	if text := hostCertificates() + string(p.CA()); text != "" {
		bundle = certificates
		if err := s.WriteFile(ctx, bundle, strings.NewReader(text)); err != nil {
			return nil, err
		}
	}
	out := p.Environ(wire.ProxyPort, bundle)
	for name, placeholder := range p.placeholders {
		out[name] = placeholder
	}
	return out, nil
}

// deadProxy are the variables with which code looks for a way out that serves
// nobody, for a run that is repeated.
func deadProxy(ctx context.Context, s *Session) (map[string]string, error) {
	p, err := openProxy(egress.Rules{}, NetSpec{}, nil, event.Discard)
	if err != nil {
		return nil, err
	}
	out, err := p.environ(ctx, s)
	if closeErr := p.Close(); err == nil {
		err = closeErr
	}
	return out, err
}

// hostCertificates are the certificates that this machine trusts, or "".
func hostCertificates() string {
	for _, name := range []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"} {
		if text, err := os.ReadFile(name); err == nil && len(text) < 4<<20 {
			return string(text) + "\n"
		}
	}
	return ""
}
