//go:build !praxis_patched

package runsc

// patched says that this program has the changed lines of gVisor (package patch).
const patched = false

// startSeeded fails: nothing here can be seeded.
func startSeeded() error { return errNotPatched }
