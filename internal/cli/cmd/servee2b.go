package cmd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/server"
)

// e2bFlags say how programs of E2B's clients are served.
type e2bFlags struct {
	listen, domain, cert, certKey string
	templates                     []string
}

// registerE2B adds the flags that let programs of E2B's clients use the server.
func (s *serveCommand) registerE2B(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&s.e2b.listen, "e2b", "", "`ADDRESS` at which programs that were written for E2B are served: their API and their sandboxes")
	fs.StringVar(&s.e2b.domain, "e2b-domain", "", "`DOMAIN`, perhaps with a port, below which each of their sandboxes has hosts of its own (api.DOMAIN, PORT-ID.DOMAIN)")
	fs.StringVar(&s.e2b.cert, "e2b-cert", "", "`FILE` with the certificates of all names below that domain, PEM")
	fs.StringVar(&s.e2b.certKey, "e2b-cert-key", "", "`FILE` with their private key, PEM")
	fs.StringArrayVar(&s.e2b.templates, "e2b-template", nil, "`NAME=IMAGE`: the image that a template of theirs stands for (may be repeated; base and code-interpreter-v1 are the usual one)")
}

// checkE2B refuses flags that say nothing without another, and an address that others could
// listen in on.
func (s *serveCommand) checkE2B() error {
	f := s.e2b
	switch {
	case f.listen == "" && (f.domain != "" || f.cert != "" || len(f.templates) > 0):
		return usage("praxis serve", "--e2b-domain, --e2b-cert and --e2b-template need --e2b")
	case (f.cert == "") != (f.certKey == ""):
		return usage("praxis serve", "--e2b-cert and --e2b-cert-key go together")
	case f.listen == "":
		return nil
	}
	for _, t := range f.templates {
		if name, image, ok := strings.Cut(t, "="); !ok || name == "" || image == "" {
			return usage("praxis serve", "--e2b-template is NAME=IMAGE")
		}
	}
	return server.CheckAddress(f.listen, f.cert != "", s.inClear)
}

// config is what the flags say to the server; nil: nothing.
func (f e2bFlags) config() *server.E2B {
	if f.listen == "" {
		return nil
	}
	out := &server.E2B{Domain: strings.ToLower(f.domain), Templates: map[string]string{}}
	for _, t := range f.templates {
		name, image, _ := strings.Cut(t, "=")
		out.Templates[name] = image
	}
	return out
}

// certificatesOf reads certificates; nil: none are named.
func certificatesOf(cert, key string) (*tls.Config, error) {
	if cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Give files in PEM, and the key of the certificate.", "cannot read the certificate: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, nil
}

// serveBoth answers at the server's own address, and at that of E2B's clients if there is one.
func (s *serveCommand) serveBoth(ctx context.Context, srv *server.Server, own net.Listener, certificates *tls.Config, e2b net.Listener) error {
	if e2b == nil {
		return srv.Serve(ctx, own, certificates)
	}
	theirs, err := certificatesOf(s.e2b.cert, s.e2b.certKey)
	if err != nil {
		return errors.Join(err, own.Close(), e2b.Close())
	}
	ctx, stop := context.WithCancel(ctx) // when one of the two fails, the other ends
	ended := make(chan error, 1)
	go func() {
		defer stop()
		ended <- srv.ServeE2B(ctx, e2b, theirs)
	}()
	err = srv.Serve(ctx, own, certificates)
	stop()
	return errors.Join(err, <-ended)
}

// listenE2B listens for E2B's clients, if they are to be served, and says where.
func (s *serveCommand) listenE2B() (l net.Listener, text string, err error) {
	if s.e2b.listen == "" {
		return nil, "", nil
	}
	if l, err = net.Listen("tcp", s.e2b.listen); err != nil {
		return nil, "", fault.New(fault.Conflict, "Choose another address with --e2b.", "cannot listen on %s: %w", s.e2b.listen, err)
	}
	scheme := "http"
	if s.e2b.cert != "" {
		scheme = "https"
	}
	text = fmt.Sprintf("E2B's clients are served at %s://%s: set E2B_API_URL and E2B_SANDBOX_URL to that", scheme, l.Addr())
	if s.e2b.domain != "" {
		text += ", or E2B_DOMAIN to " + s.e2b.domain
	}
	return l, text + ".\n", nil
}
