// Package target says which sandbox a request of E2B's clients is for, to what answers on
// the ports of sandboxes: the daemon, the code interpreter and the programs of their own.
//
// Who may reach the sandbox is decided before: a request that has a target was let in.
package target

import (
	"context"
	"net/http"

	"praxis/fault"
	"praxis/internal/server/api"
	"praxis/internal/server/rest"
)

// Sandbox is the sandbox that a request is for: a session of a tenant.
type Sandbox struct {
	ID     string      // as clients know it; the session in Tenant.Hub has this name
	Tenant *api.Tenant // whose it is
	Server *api.Server
	Bodies *rest.Bodies // bounds what is read of requests; nil: nothing does
	// Environ are the variables that the sandbox was made with: all programs in it have them.
	Environ map[string]string
	// Authorized says that the request proved more than the sandbox's id: the sandbox needs no
	// token, or the request brought it.
	Authorized bool
	// Over is closed when the sandbox is paused or ends. Requests end then, by their context
	// (Until); what goes on without one looks at it.
	Over <-chan struct{}
}

// ErrOver is why a request ends whose sandbox is paused or ends.
var ErrOver = fault.New(fault.Unavailable, "", "the connection to the sandbox ended before the answer did: it was paused, or is over")

// Until returns a context that ends with the sandbox, whose cause is ErrOver then. stop must be
// called; it waits for what looks at the sandbox.
func (s *Sandbox) Until(ctx context.Context) (until context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-s.Over:
			cancel(ErrOver)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}

// Resolver returns the sandbox that a request is for. The root package passes Of.
type Resolver func(r *http.Request) (*Sandbox, error)

type key struct{}

// With returns a context of a request for a sandbox.
func With(ctx context.Context, s *Sandbox) context.Context {
	return context.WithValue(ctx, key{}, s)
}

// Of returns the sandbox that a request is for.
func Of(r *http.Request) (*Sandbox, error) {
	if s, ok := r.Context().Value(key{}).(*Sandbox); ok {
		return s, nil
	}
	return nil, fault.New(fault.NotFound, "Name a sandbox.", "cannot find the sandbox: the request names none")
}
