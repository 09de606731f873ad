package gvisor

import (
	"context"
	"praxis/internal/sandbox"
)

func (b *Backend) Host(ctx context.Context) (sandbox.Host, error) { return sandbox.Host{}, nil }
