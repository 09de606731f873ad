package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"path/filepath"

	"praxis/internal/server/e2b"
	"praxis/internal/server/e2b/interpreter"
)

// E2B says how programs of E2B's clients are served.
type E2B struct {
	Domain    string            // below which each sandbox has hosts of its own, perhaps with a port; "": they have none
	Templates map[string]string // images by the names of templates
}

// e2bFolder is where the door keeps what it knows of sandboxes, below Folder.
const e2bFolder = "e2b"

// openE2B makes the door for E2B's clients, if there is to be one.
func (s *Server) openE2B() (err error) {
	if s.cfg.E2B == nil {
		return nil
	}
	s.e2b, err = e2b.New(e2b.Config{
		Doors: s.doors, Dir: filepath.Join(s.cfg.Home, Folder, e2bFolder), Domain: s.cfg.E2B.Domain, Templates: s.cfg.E2B.Templates,
		Shared: s.knows, Secret: s.secret, Failed: s.cfg.Failed, Now: s.cfg.Now, Interpreter: interpreter.New,
	})
	return err
}

// ServeE2B answers E2B's clients on l until ctx is over: no other door is there.
func (s *Server) ServeE2B(ctx context.Context, l net.Listener, certificates *tls.Config) error {
	return s.serve(ctx, l, certificates, s.handlerE2B())
}

// handlerE2B is the door for E2B's clients.
func (s *Server) handlerE2B() http.Handler { return s.observed(s.e2b.ServeHTTP) }
