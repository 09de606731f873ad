package toy

import (
	"context"
	"errors"

	"praxis/internal/sandbox"
)

// Unfit is a backend of a host on which sandboxes cannot run.
func Unfit() sandbox.Backend { return unfit{Backend()} }

type unfit struct{ sandbox.Backend }

// Host names what is missing.
func (u unfit) Host(ctx context.Context) (sandbox.Host, error) {
	h, err := u.Backend.Host(ctx)
	h.Findings = append(h.Findings, sandbox.Finding{Fatal: true, What: "there is no boundary", Remedy: "Use another backend."})
	return h, err
}

// Broken is a backend that cannot even be opened.
func Broken() sandbox.Backend { return broken{Backend()} }

type broken struct{ sandbox.Backend }

// Sweep fails.
func (broken) Sweep(context.Context) (int, error) { return 0, errors.New("it is broken") }
