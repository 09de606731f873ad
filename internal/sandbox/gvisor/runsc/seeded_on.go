//go:build praxis_patched

package runsc

import "gvisor.dev/gvisor/pkg/sentry/kernel"

// patched says that this program has the changed lines of gVisor (package patch).
const patched = true

// startSeeded makes the sandbox that this process is about to run a seeded one.
func startSeeded() error {
	kernel.StartSeeded()
	return nil
}
